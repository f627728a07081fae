from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from operative_app.app.window import GivenGoal
from operative_app.cli.options import WindowOptions
from operative_app.core.events import RunStarted, StateChanged
from operative_app.core.run import Budget, Oversight, RunRequest, RunState
from operative_app.engine.control import Start
from tests.gui.conftest import Stage
from tests.gui.sample_run import event_maker

ROOT = Path(__file__).resolve().parents[2]
MANY_CALLS = """
from operative_app.gui.application import create_qapplication
from PySide6.QtWidgets import QWidget
application = create_qapplication(["operative"])
widget = QWidget()
for _ in range(300_000):
    widget.update()
    widget.isVisible()
    widget.isEnabled()
print("alive")
"""
IMPORTED = """
import sys
import operative_app.gui.window
print(" ".join(sorted(name for name in sys.modules if name.startswith("PySide6.Qt"))))
"""


def run(program: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_process_outlives_any_number_of_calls_into_qt() -> None:
    assert run(MANY_CALLS).strip() == "alive"


def test_the_window_needs_four_parts_of_qt_alone() -> None:
    assert set(run(IMPORTED).split()) == {"PySide6.QtCore", "PySide6.QtGui", "PySide6.QtSvg", "PySide6.QtWidgets"}


def test_the_window_fits_a_small_screen(stage: Stage) -> None:
    """A full HD screen at scale 2 has 960 x 540, less a panel and the frame of the window."""
    stage.until_approval()
    stage.window.resize(100, 100)
    assert stage.window.width() <= 940
    assert stage.window.height() <= 480


def test_a_notice_without_a_run_is_shown_in_the_chat(stage: Stage) -> None:
    stage.window.show_notice("The damaged record was set aside.")
    stage.qtbot.waitUntil(stage.of(QLabel, "noticeText").isVisible)
    assert stage.of(QWidget, "chatEmpty").isVisible()
    stage.until_approval()
    assert stage.of(QLabel, "noticeText").text() == "The damaged record was set aside."


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (("gpt-9", True), "This run goes on with the planner it began with; gpt-9 plans the next one."),
        (("gpt-9", False), ""),
        (("", False), ""),
    ],
)
def test_another_planner_chosen_during_a_run_is_told_to_plan_the_next(
    stage: Stage, told: tuple[str, bool], words: str
) -> None:
    stage.until_approval()
    stage.window.planner_told.emit(*told, Budget(), 60)
    if words:
        stage.qtbot.waitUntil(lambda: words in notices(stage))
    else:
        stage.window.notice_told.emit("After it.")  # queued behind it
        stage.qtbot.waitUntil(lambda: "After it." in notices(stage))
        assert notices(stage) == ["After it."]


def test_a_run_that_a_model_plans_tells_of_each_other_planner_of_the_next(stage: Stage) -> None:
    make = event_maker("run-model")
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Buy it"), planner="gpt-9"),
        make(StateChanged, state=RunState.WORKING),
    )
    stage.window.planner_told.emit("gpt-9", True, Budget(), 60)
    stage.window.planner_told.emit("other-3", False, Budget(), 60)  # connected, and not chosen
    words = "This run goes on with the planner it began with; the built-in planner plans the next one."
    stage.qtbot.waitUntil(lambda: notices(stage) == [words])


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_goal_given_at_the_start_is_carried_out_as_the_window_is_set(stage: Stage, is_alone: bool) -> None:
    stage.window.toolbar.oversight.set_value(Oversight.EVERY)
    stage.window.toolbar.review.setChecked(True)
    stage.window.planner_told.emit("gpt-9", True, Budget(max_cost=2), 9)
    stage.qtbot.waitUntil(lambda: stage.window.request_for("x", "").max_steps == 9)
    agent = SimpleNamespace(control=stage.window._control, add_sink=lambda _sink: None)
    options = WindowOptions(goal="Buy it", url="practice:shop", quit_when_done=is_alone)
    GivenGoal(SimpleNamespace(agent=agent), stage.window, stage.bridge, options).start()  # type: ignore[arg-type]
    started = stage.commands[-1]
    assert isinstance(started, Start)
    request = started.request
    assert (request.goal, request.url, request.max_steps, request.budget.max_cost) == ("Buy it", "practice:shop", 9, 2)
    assert (request.is_attended, request.review_plan) == (not is_alone, not is_alone)
    assert request.oversight is (Oversight.RISKY if is_alone else Oversight.EVERY)


def notices(stage: Stage) -> list[str]:
    return [label.text() for label in stage.window.findChildren(QLabel, "noticeText")]


@pytest.mark.parametrize("works", [True, False])
def test_the_stop_key_can_be_told_later(stage: Stage, works: bool) -> None:
    stage.window.set_kill_switch(works=works, reason="" if works else "Another program has the key.")
    words = stage.of(QLabel, "killSwitchText")
    assert words.text().startswith("Stop everything") == works
    assert ("Another program has the key." in words.toolTip()) != works
