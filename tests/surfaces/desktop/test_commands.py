"""Commands run without a shell, bounded in time and output; everything they started is ended with them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest

from operative_app.core.errors import ActionError
from operative_app.surfaces.desktop import commands
from operative_app.surfaces.desktop.commands import run_command
from tests.desktop_session import until

T = TypeVar("T")


def awaited(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def test_output_and_errors_come_in_the_order_written() -> None:
    code = (
        "import sys; print('one', flush=True); print('two', file=sys.stderr, flush=True); print('three'); sys.exit(7)"
    )
    result = awaited(run_command([sys.executable, "-c", code], timeout_s=30))
    assert (result.exit_code, result.output) == (7, "one\ntwo\nthree\n")


def test_arguments_reach_the_program_as_they_are() -> None:
    result = awaited(run_command(["printf", "%s|", "a b", "$HOME", "*", "; echo no"], timeout_s=30))
    assert result.output == "a b|$HOME|*|; echo no|"


def test_it_runs_in_the_home_folder_with_nothing_to_read() -> None:
    assert awaited(run_command(["pwd"], timeout_s=30)).output.strip() == str(Path.home())
    assert awaited(run_command(["cat"], timeout_s=30)).output == ""


def test_secrets_of_the_environment_are_kept_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", "sesame")
    monkeypatch.setenv("EXAMPLE_PLACE", "plain")
    output = awaited(run_command(["env"], timeout_s=30)).output
    assert "sesame" not in output
    assert "EXAMPLE_PLACE=plain" in output


def test_unknown_program_is_told() -> None:
    with pytest.raises(ActionError, match="There is no program “no-such-program-anywhere”"):
        awaited(run_command(["no-such-program-anywhere"], timeout_s=30))


def test_long_output_is_cut_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "OUTPUT_CEILING_BYTES", 100)
    result = awaited(run_command([sys.executable, "-c", "print('x' * 100_000)"], timeout_s=30))
    assert result.output == "x" * 100 + "\n… 99901 more bytes were left out"


def test_at_the_time_limit_the_whole_tree_is_ended(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"echo $$ >>{pids}; setsid sh -c 'echo $$ >>{pids}; sleep 600' & (sleep 601 & echo $! >>{pids}); sleep 602"
    with pytest.raises(ActionError, match=r"took longer than 5 s"):
        awaited(run_command(["sh", "-c", script], timeout_s=5))
    started = [int(line) for line in pids.read_text().split()]
    assert len(started) == 3
    assert until(lambda: not any(is_running(pid) for pid in started), what="their end")


def test_cancelling_ends_it(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def begin_and_cancel() -> None:
        running = asyncio.ensure_future(run_command(["sh", "-c", f"echo $$ >{pids}; sleep 600"], timeout_s=60))
        await asyncio.to_thread(until, lambda: pids.exists() and pids.read_text())
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    awaited(begin_and_cancel())
    assert not is_running(int(pids.read_text()))


def test_what_it_leaves_running_is_not_waited_for(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    result = awaited(run_command(["sh", "-c", f"sleep 600 & echo $! >{pids}; echo begun"], timeout_s=60))
    left = int(pids.read_text())
    try:
        assert (result.exit_code, result.output) == (0, "begun\n")
        assert is_running(left)
    finally:
        psutil.Process(left).kill()


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
