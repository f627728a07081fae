"""`operative practice` as a process that serves the real practice site."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
LIMIT_S = 60
SERVE = """
import sys
from operative_app.cli.options import PracticeOptions
from operative_app.cli.practice import serve_practice
from operative_app.practice import PracticeSite
sys.exit(serve_practice(PracticeOptions(int(sys.argv[1])), PracticeSite(), out=sys.stdout, err=sys.stderr))
"""


@contextmanager
def serving(port: int = 0, *, stdin: int = subprocess.DEVNULL) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(port)],
        cwd=ROOT,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(timeout=LIMIT_S)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def page(address: str) -> str:
    with urlopen(address, timeout=LIMIT_S) as answer:
        content: bytes = answer.read()
    return content.decode()


def free_port() -> int:
    """One that is free, below those which the system gives to whoever asks for any."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_the_address_it_serves_until_it_is_told_to_end(number: signal.Signals) -> None:
    with serving() as (process, address):
        assert address.startswith("http://127.0.0.1:")
        assert "<html" in page(f"{address}shop")
        process.send_signal(number)
        out, err = process.communicate(timeout=LIMIT_S)

    assert (process.returncode, out, err) == (0, "", "")


def test_it_ends_when_the_pipe_at_its_input_is_closed() -> None:
    with serving(stdin=subprocess.PIPE) as (process, address):
        assert page(address)
        assert process.stdin is not None
        process.stdin.write("this is no end\n")
        process.stdin.flush()
        assert page(address)
        process.stdin.close()
        assert process.wait(timeout=LIMIT_S) == 0


def test_a_port_can_be_chosen_and_is_free_again_afterwards() -> None:
    port = free_port()
    for _ in range(2):
        with serving(port, stdin=subprocess.PIPE) as (process, address):
            assert address == f"http://127.0.0.1:{port}/"
            assert page(address)
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(timeout=LIMIT_S) == 0


def test_a_port_in_use_is_said_in_words() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with serving(port) as (process, address):
            _, err = process.communicate(timeout=LIMIT_S)

    assert address == ""
    assert process.returncode == 1
    assert err.startswith(f"operative: The practice site cannot be served on port {port}: ")
    assert err.count("\n") == 1
