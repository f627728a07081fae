"""Loopback servers that stand for different sites; the one outside is the witness that nothing came there."""

from __future__ import annotations

import contextlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

EMPTY = "<!doctype html><title>{title}</title><h1>{title}</h1>"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, _format: str, *_arguments: Any) -> None:
        return

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append(f"{self.command} {self.path}")
        path, _, query = self.path.partition("?")
        body, headers, status = b"", {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}, 200
        if path.startswith("/to/"):  # /to/302?ADDRESS leads there
            status = int(path.removeprefix("/to/"))
            headers["Location"] = query
        elif path in self.server.pages:
            media_type, text, more = self.server.pages[path]
            body, headers = text.encode(), headers | {"Content-Type": media_type} | more
        else:
            body = EMPTY.format(title=f"{self.server.title} {path}").encode()
            headers["Content-Type"] = "text/html; charset=utf-8"
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_OPTIONS(self) -> None:
        self._answer()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, host: str, port: int, title: str) -> None:
        self.title = title
        self.pages: dict[str, tuple[str, str, dict[str, str]]] = {}
        self.requests: list[str] = []
        self.connections = 0
        self._accepted: list[socket.socket] = []
        super().__init__((host, port), _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        accepted = super().get_request()
        self.connections += 1
        self._accepted.append(accepted[0])
        return accepted

    def server_close(self) -> None:
        """With the connections that a browser keeps for later: they would lead to this server though it is gone."""
        super().server_close()
        for one in self._accepted:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        return


class Host:
    """One site on an address of its own; any path answers with a page that says so."""

    def __init__(self, address: str, title: str, port: int = 0) -> None:
        self._server = _Server(address, port, title)
        self.port = self._server.server_address[1]
        self.name = f"{address}:{self.port}"
        self.url = f"http://{self.name}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def requests(self) -> list[str]:
        return self._server.requests

    @property
    def connections(self) -> int:
        return self._server.connections

    def forget(self) -> None:
        self._server.requests.clear()
        self._server.connections = 0

    def page(self, path: str, body: str, media_type: str = "text/html; charset=utf-8", **headers: str) -> str:
        """Serve a page; its address."""
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        self._server.pages[path] = (media_type, body, more)
        return f"{self.url}{path}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
