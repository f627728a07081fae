"""A browser that a person has opened, to be attached to."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest


@contextmanager
def open_browser(chromium: str, place: Path, *addresses: str) -> Iterator[str]:
    """A browser somebody else started, with a debugging port."""
    with subprocess.Popen(
        [
            chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--remote-debugging-port=0",
            f"--user-data-dir={place / 'home' / 'own'}",
            *addresses,
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    ) as process:
        try:
            port_file = place / "home" / "own" / "DevToolsActivePort"
            while not (port_file.exists() and port_file.read_text().strip()):
                if process.poll() is not None:
                    pytest.fail("the browser ended")
                psutil.cpu_percent(interval=0.02)
            yield f"http://127.0.0.1:{port_file.read_text().splitlines()[0]}"
            assert process.poll() is None
        finally:
            children = psutil.Process(process.pid).children(recursive=True)
            process.kill()  # first: it would start anew what ends
            for child in children:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
