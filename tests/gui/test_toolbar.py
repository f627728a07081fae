from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QColor, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QPlainTextEdit, QWidget

from operative_app.core.events import OversightChanged, PlanChanged, RunFinished, RunStarted, StateChanged
from operative_app.core.run import EndCause, Oversight, RunRequest, RunState
from operative_app.engine.control import Pause, Resume, Say, SetOversight, Start, StepOnce, Stop, TakeOver
from operative_app.gui.panels.toolbar import Toolbar
from operative_app.gui.tokens import ThemeName
from operative_app.presentation.words import STATE_WORDS
from tests.gui.conftest import EXAMPLES, MakeStage, Stage
from tests.gui.sample_run import event_maker, sample_plan

COMMANDS = ("runButton", "pauseButton", "stepButton", "takeOverButton", "stopButton")
ENABLED = {
    RunState.PLANNING: {"pauseButton", "takeOverButton", "stopButton"},
    RunState.WORKING: {"pauseButton", "takeOverButton", "stopButton"},
    RunState.WAITING: {"pauseButton", "takeOverButton", "stopButton"},
    RunState.PAUSED: {"runButton", "stepButton", "takeOverButton", "stopButton"},
    RunState.TAKEN_OVER: {"takeOverButton", "stopButton"},
    RunState.STOPPING: set(),
    RunState.DONE: set(),
    RunState.NOT_VERIFIED: set(),
    RunState.FAILED: set(),
    RunState.STOPPED: set(),
}


def begin(stage: Stage, state: RunState = RunState.WORKING) -> None:
    make = event_maker()
    stage.feed(
        make(RunStarted, request=RunRequest(goal="Buy it"), planner="Built-in planner"),
        make(PlanChanged, plan=sample_plan(0)),
        make(StateChanged, state=state),
    )


@pytest.mark.parametrize("state", list(ENABLED))
def test_each_state_has_its_words_and_its_commands(stage: Stage, state: RunState) -> None:
    begin(stage, state)
    assert stage.of(QLabel, "statusState").text() == STATE_WORDS[state]
    assert {name for name in COMMANDS if stage.button(name).isEnabled()} == ENABLED[state]
    assert stage.button("runButton").text() == ("Resume" if state is RunState.PAUSED else "Run")
    assert stage.button("takeOverButton").text() == ("Hand back" if state is RunState.TAKEN_OVER else "Take over")


def test_before_a_run_it_is_ready_and_run_needs_a_goal(stage: Stage) -> None:
    assert stage.of(QLabel, "statusState").text() == "Ready"
    assert not stage.button("runButton").isEnabled()
    assert not stage.button("sendButton").isEnabled()
    stage.of(QPlainTextEdit, "goalEdit").setPlainText("  \n ")
    assert not stage.button("runButton").isEnabled()
    stage.of(QPlainTextEdit, "goalEdit").setPlainText("Buy it")
    assert stage.button("runButton").isEnabled()


@pytest.mark.parametrize(
    ("state", "button", "command"),
    [
        (RunState.WORKING, "pauseButton", Pause()),
        (RunState.PAUSED, "runButton", Resume()),
        (RunState.PAUSED, "stepButton", StepOnce()),
        (RunState.WAITING, "takeOverButton", TakeOver()),
        (RunState.TAKEN_OVER, "takeOverButton", Resume()),
        (RunState.WORKING, "stopButton", Stop()),
    ],
)
def test_a_button_sends_its_command(stage: Stage, state: RunState, button: str, command: object) -> None:
    begin(stage, state)
    QTest.mouseClick(stage.button(button), Qt.MouseButton.LeftButton)
    assert stage.commands == [command]


def test_run_starts_the_goal_with_what_the_toolbar_says(stage: Stage) -> None:
    QTest.mouseClick(stage.button("oversightChoice_every"), Qt.MouseButton.LeftButton)
    QTest.mouseClick(stage.button("reviewPlanButton"), Qt.MouseButton.LeftButton)
    QTest.keyClicks(stage.of(QLineEdit, "addressEdit"), "practice:shop")
    QTest.keyClicks(stage.of(QPlainTextEdit, "goalEdit"), "Buy it")
    QTest.mouseClick(stage.button("runButton"), Qt.MouseButton.LeftButton)
    (command,) = stage.commands
    assert isinstance(command, Start)
    assert command.request == RunRequest(
        goal="Buy it",
        url="practice:shop",
        oversight=Oversight.EVERY,
        review_plan=True,
        hand_off_minutes=10,
        answer_minutes=10,
        is_attended=True,
    )


def test_the_goal_is_started_once_however_often_run_is_pressed(stage: Stage) -> None:
    goal = stage.of(QPlainTextEdit, "goalEdit")
    QTest.keyClicks(goal, "Buy it")
    QTest.keyClick(goal, Qt.Key.Key_Return)
    QTest.keyClicks(goal, "Buy it")
    QTest.keyClick(goal, Qt.Key.Key_Return)
    QTest.mouseClick(stage.button("runButton"), Qt.MouseButton.LeftButton)
    assert len(stage.commands) == 1
    assert stage.button("stopButton").isEnabled()
    assert stage.of(QLabel, "statusState").text() == "Planning"


def test_shift_enter_begins_a_new_line(stage: Stage) -> None:
    goal = stage.of(QPlainTextEdit, "goalEdit")
    QTest.keyClicks(goal, "a")
    QTest.keyClick(goal, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(goal, "b")
    assert (goal.toPlainText(), stage.commands) == ("a\nb", [])


def test_during_a_run_the_editor_sends_a_word_to_the_agent(stage: Stage) -> None:
    begin(stage)
    goal = stage.of(QPlainTextEdit, "goalEdit")
    assert goal.placeholderText() == "Correct me, or add something…"
    QTest.keyClicks(goal, "the red one")
    QTest.keyClick(goal, Qt.Key.Key_Return)
    assert (stage.commands, goal.toPlainText()) == ([Say("the red one")], "")


def test_after_a_run_the_next_goal_can_be_run(stage: Stage) -> None:
    begin(stage)
    make = event_maker()
    stage.feed(make(RunFinished, state=RunState.DONE, cause=EndCause.GOAL_MET, reason="Done."))
    QTest.keyClicks(stage.of(QPlainTextEdit, "goalEdit"), "Again")
    QTest.mouseClick(stage.button("sendButton"), Qt.MouseButton.LeftButton)
    assert [type(command) for command in stage.commands] == [Start]


def test_oversight_changes_during_a_run_and_shows_what_the_engine_says(stage: Stage) -> None:
    begin(stage)
    QTest.mouseClick(stage.button("oversightChoice_none"), Qt.MouseButton.LeftButton)
    assert stage.commands == [SetOversight(Oversight.NONE)]
    stage.feed(event_maker()(OversightChanged, oversight=Oversight.EVERY))
    assert stage.button("oversightChoice_every").isChecked()


def test_who_plans_is_shown_and_a_connected_model_can_be_left_for_the_built_in_planner(stage: Stage) -> None:
    bar = stage.window.toolbar
    assert bar.planner.accessibleName() == "Who plans: Built-in planner"
    assert not stage.of(QAction, "modelPlannerAction").isVisible()
    bar.show_planner("qwen3-a-model-with-a-very-long-name", is_chosen=True)
    assert bar.planner.accessibleName() == "Who plans: qwen3-a-model-with-a-very-long-name"
    assert len(str(bar.planner.property("words"))) < 30
    assert stage.of(QAction, "modelPlannerAction").isChecked()
    told: list[str] = []
    bar.builtin_chosen.connect(lambda: told.append("builtin"))
    bar.connect_requested.connect(lambda: told.append("connect"))
    stage.of(QAction, "builtinPlannerAction").trigger()
    stage.of(QAction, "connectModelAction").trigger()
    assert told == ["builtin", "connect"]


def test_an_example_fills_the_editor_and_begins_where_it_says(stage: Stage) -> None:
    QTest.mouseClick(stage.button("exampleButton1"), Qt.MouseButton.LeftButton)
    assert stage.of(QPlainTextEdit, "goalEdit").toPlainText() == EXAMPLES[1].goal
    QTest.mouseClick(stage.button("runButton"), Qt.MouseButton.LeftButton)
    (command,) = stage.commands
    assert isinstance(command, Start)
    assert (command.request.goal, command.request.url) == (EXAMPLES[1].goal, EXAMPLES[1].url)


def test_one_press_runs_the_demonstration(stage: Stage) -> None:
    QTest.mouseClick(stage.button("demonstrationButton"), Qt.MouseButton.LeftButton)
    (command,) = stage.commands
    assert isinstance(command, Start)
    assert (command.request.goal, command.request.url) == (EXAMPLES[0].goal, EXAMPLES[0].url)


@pytest.mark.parametrize("works", [True, False])
def test_the_status_line_names_the_stop_key_or_says_that_there_is_none(make_stage: MakeStage, works: bool) -> None:
    stage = make_stage(kill_switch_works=works)
    words = stage.of(QLabel, "killSwitchText").text()
    assert words == ("Stop everything" if works else "No global stop key here; use Stop")


@pytest.mark.parametrize("width", [1024, 1280, 1920])
def test_the_toolbar_fits_and_nothing_is_cut(stage: Stage, width: int) -> None:
    stage.window.resize(width, 700)
    begin(stage)
    toolbar = stage.of(Toolbar, "toolbar")
    for button in toolbar.findChildren(QAbstractButton):
        if button.isVisible():
            right = button.mapTo(toolbar, button.rect().bottomRight()).x()
            assert right <= toolbar.width(), button.objectName()
            assert button.width() >= button.sizeHint().width(), button.objectName()
            assert button.text() or not button.icon().isNull(), button.objectName()


def test_every_control_has_a_name_for_tests_and_one_for_screen_readers(stage: Stage) -> None:
    stage.until_approval()
    kinds = (QAbstractButton, QLineEdit, QPlainTextEdit, QComboBox)
    controls: list[QWidget] = [one for kind in kinds for one in stage.window.findChildren(kind)]
    shown = [one for one in controls if one.isVisible() and not one.objectName().startswith("qt_")]
    assert len(shown) > 25
    assert [one.objectName() for one in shown if not one.accessibleName()] == []
    assert [one for one in shown if not one.objectName()] == []


def test_tab_goes_through_the_window_as_it_is_laid_out(stage: Stage) -> None:
    names: list[str] = []
    stop = stage.window.nextInFocusChain()
    while stop is not None and stop is not stage.window:
        if stop.isVisible() and stop.focusPolicy() & Qt.FocusPolicy.TabFocus and stop.objectName():
            names.append(stop.objectName())
        stop = stop.nextInFocusChain()
    start = names.index("runButton")
    names = names[start:] + names[:start]
    wanted = [
        *("stopButton", "surfaceChoice_browser", "oversightChoice_none", "reviewPlanButton", "settingsButton"),
        *("historyButton", "chatScroll", "demonstrationButton", "exampleButton2", "goalEdit", "sendButton"),
        *("marksButton", "addressEdit", "timelineSlider", "planAddButton", "stepOutcomeFilter", "stepFilter"),
    ]
    assert [name for name in names if name in wanted] == wanted


@pytest.mark.parametrize("name", [ThemeName.LIGHT, ThemeName.DARK])
def test_what_an_empty_field_asks_for_can_be_read(stage: Stage, name: ThemeName) -> None:
    stage.window.theme.choose(name)
    tokens = stage.window.theme.tokens
    for field in (stage.of(QLineEdit, "addressEdit"), stage.of(QPlainTextEdit, "goalEdit")):
        assert field.palette().color(QPalette.ColorRole.PlaceholderText) == QColor(tokens.secondary)
