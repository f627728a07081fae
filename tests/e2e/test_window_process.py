"""The window as a process of its own: it is typed into through the X server and ended by a signal."""

from __future__ import annotations

import signal
from pathlib import Path

from operative_app.core.run import RunState
from tests.e2e.processes import browser_of, children_of, wait_gone
from tests.e2e.window_process import WindowProcess, xdotool

ENDLESS = 'Open practice:report, wait until "never there" appears'


def test_a_signal_in_the_middle_of_a_run_ends_everything(app_home: Path, chromium_path: Path) -> None:
    with WindowProcess(app_home) as window:
        window.type_goal(ENDLESS)
        window.wait_event("step_finished")
        family = children_of(window.process.pid)
        assert browser_of(family).is_running()

        window.process.send_signal(signal.SIGTERM)
        _, err = window.process.communicate(timeout=60)

        assert (window.process.returncode, err) == (0, "")
        wait_gone(family)
        assert not (app_home / "profile" / "SingletonLock").is_symlink()
        end = window.events()[-1]
        assert end.kind == "run_finished"
        assert end.state is RunState.STOPPED


def test_a_folder_that_cannot_be_written_is_told_in_a_dialog(app_home: Path) -> None:
    app_home.write_text("a file stands where the folder should be")
    with WindowProcess(app_home) as window:
        window.focus("^Operative cannot start$")
        xdotool("key", "Return")
        _, err = window.process.communicate(timeout=60)
        assert window.process.returncode == 1
        assert err.startswith("operative: ")
        assert str(app_home) in err
