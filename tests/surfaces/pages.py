"""A loopback server for the pages of tests: files of `tests/cases`, and pages a test makes up."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import threading
import urllib.parse
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

CASES = Path(__file__).resolve().parents[1] / "cases"
HELD_S = 100.0


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, directory=str(CASES), **named)

    def log_message(self, _format: str, *_arguments: Any) -> None:
        return

    def do_GET(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        if url.path in self.server.made:
            self._send(self.server.made[url.path].encode(), "text/html; charset=utf-8")
        elif url.path.startswith("/held"):
            self.server.hold(url.path)
            self._send(b"<title>late</title>late", "text/html")
        elif url.path == "/stream":
            self._stream()
        elif url.path == "/socket":
            self._socket()
        elif url.path == "/endless":
            self._endless()
        elif url.path == "/attach":
            name = query["name"][0].replace("\r", "").replace("\n", "").replace('"', "")
            header = f'attachment; filename="{name}"'.encode().decode("latin-1")
            self._send(b"attached\n", "application/octet-stream", {"Content-Disposition": header})
        elif url.path == "/locked":
            self._send(b"", "text/html", {"WWW-Authenticate": "Basic realm=here"}, status=401)
        elif url.path == "/let-go":
            self.server.let_go()
            self._send(b"", "text/plain")
        elif url.path in {"/slow.bin", "/cut.bin"}:
            self._half(is_cut=url.path == "/cut.bin")
        elif url.path == "/favicon.ico":
            self._send(b"", "image/x-icon")
        else:
            super().do_GET()

    def _socket(self) -> None:
        """A WebSocket that takes all and says nothing (RFC 6455, 4.2.2)."""
        key = self.headers["Sec-WebSocket-Key"].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header(
            "Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key, usedforsecurity=False).digest()).decode()
        )
        self.end_headers()
        self.server.hold("/socket")
        self.close_connection = True

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"data: tick\n\n")
        self.wfile.flush()
        self.server.hold("/stream")
        self.close_connection = True

    def _endless(self) -> None:
        """A document whose first part is there and whose end does not come."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"<title>endless</title><button onclick='window.pressed = true'>Early</button>" + b" " * 2000)
        self.wfile.flush()
        self.server.hold("/endless")
        self.close_connection = True

    def _half(self, *, is_cut: bool) -> None:
        """A download whose second half comes when `/let-go` was asked for, or never."""
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", "8000")
        self.end_headers()
        self.wfile.write(b"a" * 4000)
        self.wfile.flush()
        self.close_connection = True
        if not is_cut:
            self.server.hold("/slow.bin")
            self.wfile.write(b"b" * 4000)

    def _send(self, body: bytes, kind: str, headers: dict[str, str] | None = None, *, status: int = 200) -> None:
        try:
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # the browser went
            self.close_connection = True


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.made: dict[str, str] = {}
        self.held = threading.Event()
        self.holding: set[str] = set()
        self.told = threading.Condition()

    def hold(self, path: str) -> None:
        """Wait until `let_go`; that this was asked for is told once it waits."""
        held = self.held
        with self.told:
            self.holding.add(path)
            self.told.notify_all()
        held.wait(timeout=HELD_S)

    def let_go(self) -> None:
        self.held.set()
        self.held = threading.Event()

    def handle_error(self, _request: object, _client_address: object) -> None:
        return


class Pages:
    """Serves while it is entered."""

    def __enter__(self) -> Self:
        self._server = _Server()
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}/{path.lstrip('/')}"

    def make(self, body: str, name: str = "made") -> str:
        """The address of a page with this body."""
        path = f"/{name}-{len(self._server.made)}.html"
        self._server.made[path] = f"<!doctype html><html lang=en><meta charset=utf-8><title>{name}</title>{body}"
        return self.url(path)

    def wait_for_endless(self, timeout_s: float = 60.0) -> bool:
        """Until `/endless` is asked for; False when it is not."""
        with self._server.told:
            return self._server.told.wait_for(lambda: "/endless" in self._server.holding, timeout_s)

    async def until_held(self, path: str) -> None:
        """Until the answer at this path is held back (bounded by the test's limit)."""
        while path not in self._server.holding:  # noqa: ASYNC110 - another thread adds it
            await asyncio.sleep(0.02)

    def let_go(self) -> None:
        """Answer what `/held…` and `/stream` hold back, and hold back again."""
        self._server.let_go()


def cases() -> dict[str, dict[str, str]]:
    """The cases of the index by id."""
    return {case["id"]: case for case in json.loads((CASES / "index.json").read_text(encoding="utf-8"))}
