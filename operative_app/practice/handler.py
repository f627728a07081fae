"""The HTTP side: reads one request, refuses what is not for this site, and writes the reply.

Principle: only pages of this site, opened through a loopback address, may change its state. So a foreign `Host` (DNS
rebinding) is refused, and so is a POST whose `Origin` or `Sec-Fetch-Site` names another site. Bodies are read to a
limit before anything is done.
"""

from __future__ import annotations

import json
import logging
import shutil
import socket
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer
from typing import Any, Protocol
from urllib.parse import urlsplit

from operative_app.practice.exchange import SMALL_BODY_BYTES, PageError, Request, Response, Route
from operative_app.practice.forms import Form, MalformedFormError, parse_body, parse_urlencoded

_log = logging.getLogger(__name__)

_IDLE_TIMEOUT_S = 30.0
_DRAIN_BYTES = 64 * 1024 * 1024
_DRAIN_TIMEOUT_S = 2.0
_ALLOW = "GET, HEAD, POST"
_FIXED_HEADERS = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    (
        "Content-Security-Policy",
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'; form-action 'self'; base-uri 'none'; "
        "object-src 'none'",
    ),
)


class Application(Protocol):
    """What stands behind the server; every method may be called from any thread."""

    def session_of(self, token: str) -> tuple[int, str]:
        """Give the session number for a cookie value, and the value to set ("" when the given one is known)."""

    def routes(self) -> Sequence[Route]:
        """List all routes."""

    def answer(self, route: Route, request: Request) -> Response:
        """Carry one request out, alone."""

    def error_page(self, status: HTTPStatus, message: str) -> bytes:
        """Render an error page."""


class SiteHandler(BaseHTTPRequestHandler):
    """Serves one connection on a thread of its own until it is closed, idle for too long, or the site stops."""

    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"  # after the inherited 0.9, errors would be sent without headers
    server_version = "PracticeSite"
    sys_version = ""
    timeout = _IDLE_TIMEOUT_S

    def __init__(self, application: Application, request: Any, client_address: Any, server: BaseServer) -> None:
        """Serve the connection from its first to its last request (the base class does everything in here)."""
        self._application = application
        super().__init__(request, client_address, server)

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet: the site runs inside a desktop program."""

    def do_GET(self) -> None:
        """Answer GET."""
        self._serve()

    def do_HEAD(self) -> None:
        """Answer HEAD: the headers of GET without a body."""
        self._serve()

    def do_POST(self) -> None:
        """Answer POST."""
        self._serve()

    def _refuse_method(self) -> None:
        self.close_connection = True
        self._write_error(HTTPStatus.METHOD_NOT_ALLOWED, "This page cannot be used that way.", (("Allow", _ALLOW),))
        self._drain()

    # http.server looks methods up by these names.
    do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_TRACE = do_CONNECT = _refuse_method  # noqa: N815

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Replace the plain error page of the base class, which calls this for requests it cannot read."""
        self.close_connection = True
        status = HTTPStatus(code)
        if status is HTTPStatus.NOT_IMPLEMENTED:
            self._refuse_method()
        else:
            self._write_error(status, explain or message or status.description)

    def _serve(self) -> None:
        """Turn whatever happens into one reply; this is the top of the connection's thread."""
        try:
            response, cookie = self._respond()
        except PageError as error:
            self._write_error(error.status, error.message, error.headers)
            if error.status is HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
                self._drain()
            return
        except (ConnectionError, TimeoutError):
            self.close_connection = True
            return
        except Exception:  # noqa: BLE001 - the top of a thread; it is logged
            _log.exception("The practice site failed on %s", self.requestline)
            self.close_connection = True
            self._write_error(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong on this page.")
            return
        self._write(response, cookie)

    def _respond(self) -> tuple[Response, str]:
        self._check_host()
        path = urlsplit(self.path)
        if path.scheme or path.netloc or "\\" in path.path or "%00" in path.path:
            self.close_connection = True
            raise PageError(HTTPStatus.BAD_REQUEST, "This address cannot be read.")
        method = "GET" if self.command == "HEAD" else self.command
        if method == "POST":
            self._check_origin()
        found = [(route, args) for route in self._application.routes() if (args := route.match(path.path)) is not None]
        fitting = [(route, args) for route, args in found if route.method == method]
        body = self._read_body(max((route.max_body_bytes for route, _ in fitting), default=SMALL_BODY_BYTES))
        if not found:
            raise PageError(HTTPStatus.NOT_FOUND, "There is no page at this address.")
        if not fitting:
            allowed = "GET, HEAD" if method == "POST" else "POST"
            raise PageError(HTTPStatus.METHOD_NOT_ALLOWED, "This page cannot be used that way.", (("Allow", allowed),))
        route, args = fitting[0]
        try:
            query = parse_urlencoded(path.query)
            form = parse_body(self.headers.get("Content-Type", ""), body) if method == "POST" else Form()
        except MalformedFormError as error:
            raise PageError(HTTPStatus.BAD_REQUEST, "The form could not be read. Please send it again.") from error
        session, cookie = self._application.session_of(self._cookie())
        request = Request(method, path.path, query, form, session, args)
        return self._application.answer(route, request), cookie

    def _check_host(self) -> None:
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._own_hosts():
            self.close_connection = True
            raise PageError(HTTPStatus.MISDIRECTED_REQUEST, "This server answers only for its own loopback address.")

    def _check_origin(self) -> None:
        origin = self.headers.get("Origin")
        fetch_site = self.headers.get("Sec-Fetch-Site", "same-origin")
        own = f"http://{self.headers['Host'].lower()}"
        if (origin is not None and origin.lower() != own) or fetch_site not in {"same-origin", "none"}:
            self.close_connection = True
            raise PageError(HTTPStatus.FORBIDDEN, "Only pages of this site may send forms to it.")

    def _own_hosts(self) -> tuple[str, str]:
        port = self._port()
        return (f"127.0.0.1:{port}", f"localhost:{port}")

    def _read_body(self, limit_bytes: int) -> bytes:
        """Read the announced body, however little it is wanted, so that the connection stays usable."""
        if "Transfer-Encoding" in self.headers:
            self.close_connection = True
            raise PageError(HTTPStatus.LENGTH_REQUIRED, "The length of the form must be stated.")
        announced = self.headers.get("Content-Length", "0").strip()
        if not (announced.isascii() and announced.isdigit()):
            self.close_connection = True
            raise PageError(HTTPStatus.BAD_REQUEST, "The length of the form cannot be read.")
        if len(announced) > 12 or int(announced) > limit_bytes:
            self.close_connection = True
            raise PageError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"That is too large. At most {_size(limit_bytes)} can be sent here.",
            )
        body = self.rfile.read(int(announced))
        if len(body) < int(announced):
            raise ConnectionAbortedError
        return body

    def _port(self) -> int:
        port: int = self.connection.getsockname()[1]
        return port

    def _cookie_name(self) -> str:
        """Cookies are shared by all ports of one address, so the port is part of the name."""
        return f"practice_{self._port()}"

    def _cookie(self) -> str:
        for pair in self.headers.get("Cookie", "").split(";"):
            name, _, value = pair.strip().partition("=")
            if name == self._cookie_name():
                return value
        return ""

    def _write_error(self, status: HTTPStatus, message: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        if "/api/" in getattr(self, "path", ""):
            body, content_type = json.dumps({"error": message}).encode(), "application/json; charset=utf-8"
        else:
            body, content_type = self._application.error_page(status, message), "text/html; charset=utf-8"
        self._write(Response(body, status, content_type, headers), "")

    def _write(self, response: Response, cookie: str) -> None:
        try:
            length = response.file.stat().st_size if response.file else len(response.body)
            self.send_response(response.status)
            for name, value in (*_FIXED_HEADERS, *response.headers):
                self.send_header(name, value)
            self.send_header("Content-Type", response.content_type)
            self.send_header("Content-Length", str(length))
            if cookie:
                self.send_header("Set-Cookie", f"{self._cookie_name()}={cookie}; Path=/; HttpOnly; SameSite=Lax")
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            if self.command == "HEAD":
                return
            if response.file:
                with response.file.open("rb") as source:
                    shutil.copyfileobj(source, self.wfile)
            else:
                self.wfile.write(response.body)
        except OSError:  # the visitor left, the site stops, or a reset removed the file
            self.close_connection = True

    def _drain(self) -> None:
        """Swallow an unwanted body for a moment; closing at once would make the browser lose the reply as well."""
        try:
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(_DRAIN_TIMEOUT_S)
            left = _DRAIN_BYTES
            while left > 0 and (chunk := self.rfile.read1(min(left, 1 << 16))):
                left -= len(chunk)
        except OSError:
            return


def _size(count_bytes: int) -> str:
    return f"{count_bytes // (1 << 20)} MB" if count_bytes >= 1 << 20 else f"{count_bytes // 1024} KB"
