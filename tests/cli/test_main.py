from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from operative_app.__main__ import main
from operative_app.cli.options import Options, RunOptions, WindowOptions
from operative_app.core.errors import OperativeError, SettingsError

UseApp = Callable[[Callable[[Options], int]], None]


@pytest.fixture
def use_app(monkeypatch: pytest.MonkeyPatch) -> UseApp:
    """Stands in for the composition root."""

    def use(run: Callable[[Options], int]) -> None:
        app = ModuleType("operative_app.app")
        app.main = run  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "operative_app.app", app)
        monkeypatch.setattr("operative_app.app", app, raising=False)

    return use


def test_the_application_gets_the_options_and_its_exit_code_is_kept(use_app: UseApp) -> None:
    given: list[Options] = []

    def run(options: Options) -> int:
        given.append(options)
        return 4

    use_app(run)

    assert main(["run", "buy", "it"]) == 4
    assert main([]) == 4
    assert given == [RunOptions(goal="buy it"), WindowOptions()]


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (OperativeError("No browser is installed."), 1, "operative: No browser is installed.\n"),
        (SettingsError("There is no page “x”."), 2, "operative: There is no page “x”.\n"),
        (KeyboardInterrupt(), 3, ""),
    ],
)
def test_what_the_application_raises_is_said_in_words(
    use_app: UseApp, capsys: pytest.CaptureFixture[str], error: BaseException, code: int, says: str
) -> None:
    def run(options: Options) -> int:
        raise error

    use_app(run)

    assert main(["window"]) == code
    assert capsys.readouterr().err == says


def test_wrong_usage_does_not_reach_the_application(use_app: UseApp) -> None:
    def run(options: Options) -> int:
        raise AssertionError

    use_app(run)

    assert main(["run"]) == 2
    assert main(["--version"]) == 0


@pytest.mark.skipif(os.name != "posix", reason="streams closed by a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "<&-", "<&- >&- 2>&-"])
def test_streams_that_the_caller_closed_are_no_fault(closed: str) -> None:
    command = shlex.join([sys.executable, "-m", "operative_app", "runs"])
    ended = subprocess.run(
        ["/bin/sh", "-c", f"{command} {closed}"], stderr=subprocess.PIPE, encoding="utf-8", timeout=60, check=False
    )

    assert ended.returncode == 0
    assert ended.stderr == ""
