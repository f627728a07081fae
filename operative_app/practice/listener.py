"""The listening socket and its threads, made so that stopping is prompt and leaves nothing behind."""

from __future__ import annotations

import functools
import os
import socket
import threading
import time
from http.server import ThreadingHTTPServer
from typing import Any

from operative_app.practice.handler import Application, SiteHandler

_ACCEPT_POLL_S = 0.1


class Listener(ThreadingHTTPServer):
    """Accepts connections on a free loopback port, one daemon thread each.

    The standard class forgets its daemon threads, so a stop could not wait for them; this one keeps them.
    """

    daemon_threads = True
    request_queue_size = 128
    allow_reuse_address = False

    def __init__(self, application: Application, port: int = 0) -> None:
        """Bind to 127.0.0.1 on `port`; 0 lets the system pick one.

        Raises:
            OSError: No port could be bound.
        """
        self._open_lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._serving: set[threading.Thread] = set()
        self._is_closing = False
        # A fixed port is wanted again right after a stop. On Windows the option would let two servers share it.
        self.allow_reuse_address = port != 0 and os.name == "posix"
        super().__init__(("127.0.0.1", port), functools.partial(SiteHandler, application))
        self._acceptor = threading.Thread(
            target=self.serve_forever, args=(_ACCEPT_POLL_S,), name="practice-accept", daemon=True
        )

    def start(self) -> None:
        """Begin to accept; call once."""
        self._acceptor.start()

    def close(self, timeout_s: float) -> None:
        """Stop accepting, cut every connection, and wait for the threads up to `timeout_s` seconds in all."""
        deadline = time.monotonic() + timeout_s
        self.shutdown()
        self._acceptor.join(max(0.0, deadline - time.monotonic()))
        self.server_close()
        with self._open_lock:
            self._is_closing = True
            still_open, serving = set(self._open), set(self._serving)
        for connection in still_open:
            _cut(connection)
        for thread in serving:  # also those whose connection is closed: they are about to end
            thread.join(max(0.0, deadline - time.monotonic()))

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start the thread of one connection and remember both."""
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), name="practice-connection", daemon=True
        )
        with self._open_lock:
            if self._is_closing:
                self.shutdown_request(request)
                return
            self._open.add(request)
            self._serving = {one for one in self._serving if one.is_alive()} | {thread}
            thread.start()

    def shutdown_request(self, request: Any) -> None:
        """Close one connection and forget it; the base class calls this as the last thing on its thread."""
        with self._open_lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay quiet about connections that break; faults of pages are logged where they happen."""


def _cut(connection: socket.socket) -> None:
    """Wake the thread that reads from or writes to the socket."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
