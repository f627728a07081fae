"""`operative practice`: serves the practice site until it is told to end."""

from __future__ import annotations

import os
import stat
import threading
from typing import TextIO

from operative_app.cli.exit_codes import DONE, FAILED
from operative_app.cli.inbox import Inbox, on_stop_signals
from operative_app.cli.options import PracticeOptions
from operative_app.cli.ports import Site
from operative_app.cli.screen import Lines, accept_any_text


def serve_practice(options: PracticeOptions, site: Site, *, out: TextIO, err: TextIO, stdin_fd: int = 0) -> int:
    """Serve the site and print its address; returns the exit code. Main thread only.

    Ends on Ctrl+C, SIGTERM or SIGHUP, when stdin is a pipe that gets closed, and when nobody reads the address.
    """
    accept_any_text(out)
    ended: Inbox[str] = Inbox()
    with on_stop_signals(lambda: ended.put("signal")):
        try:
            address = site.start(options.port)
        except OSError as error:
            where = f"port {options.port}" if options.port else "any port"
            Lines(err).line(f"operative: The practice site cannot be served on {where}: {error.strerror or error}.")
            return FAILED
        try:
            Lines(out, on_broken=lambda: ended.put("nobody reads")).line(f"{address}/")
            if _is_pipe(stdin_fd):
                reader = threading.Thread(target=_wait_for_end, args=(stdin_fd, ended), name="stdin", daemon=True)
                reader.start()
            ended.get()
        finally:
            site.stop()
    return DONE


def _is_pipe(fd: int) -> bool:
    """Whether the end of input means that somebody went away; the end of a file or of nothing does not."""
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _wait_for_end(fd: int, ended: Inbox[str]) -> None:
    try:
        while os.read(fd, 4096):
            pass
    except OSError:
        pass
    ended.put("stdin closed")
