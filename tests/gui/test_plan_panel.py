from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QToolButton, QTreeView, QWidget

from operative_app.core.events import Notice, NoticeLevel, PlanChanged, RunStarted, StateChanged
from operative_app.core.plan import (
    AddTask,
    DeleteTask,
    Grants,
    MoveTask,
    Plan,
    PlanEdit,
    RenameTask,
    SetBreakpoint,
    SkipTask,
    Task,
    TaskStatus,
)
from operative_app.core.run import RunRequest, RunState
from operative_app.engine.control import EditPlan, RedoPlanEdit, SaveCheckpoint, UndoPlanEdit
from operative_app.gui.models.plan_tree import SECOND_LINE_ROLE, TAG_ROLE, PlanTree
from tests.gui.conftest import Stage
from tests.gui.sample_run import event_maker

PLAN = Plan(
    goal="Buy",
    tasks=(
        Task(id="a", goal="Search", status=TaskStatus.DONE, result="3 results"),
        Task(id="b", goal="Choose", status=TaskStatus.ACTIVE),
        Task(id="c", goal="Pay", alternatives=("by card", "by invoice")),
        Task(id="d", goal="Sign in", by_human=True),
    ),
)


class Board:
    """The plan panel in a run with `PLAN`."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.make = event_maker()
        stage.feed(
            self.make(RunStarted, request=RunRequest(goal="Buy"), planner="Built-in planner"),
            self.make(StateChanged, state=RunState.PAUSED),
        )
        self.show(PLAN)
        self.tree = stage.of(QTreeView, "planTree")

    def show(self, plan: Plan, **more: object) -> None:
        self.stage.feed(self.make(PlanChanged, plan=plan, **more))

    @property
    def model(self) -> PlanTree:
        model = self.tree.model()
        assert isinstance(model, PlanTree)
        return model

    def select(self, task_id: str) -> QModelIndex:
        index = self.model.index_of(task_id)
        self.tree.setCurrentIndex(index)
        self.tree.setFocus()
        return index

    def trigger(self, action: str) -> None:
        self.stage.of(QAction, action).trigger()

    @property
    def edits(self) -> list[PlanEdit]:
        return [command.edit for command in self.stage.commands if isinstance(command, EditPlan)]


@pytest.fixture
def board(stage: Stage) -> Board:
    return Board(stage)


def test_before_a_run_it_says_that_there_is_no_plan(stage: Stage) -> None:
    assert stage.of(QLabel, "planEmpty").isVisible()
    assert not stage.of(QToolButton, "planAddButton").isEnabled()


def test_a_task_tells_its_result_its_other_ways_and_whose_it_is(board: Board) -> None:
    model = board.model
    assert model.index_of("a").data(SECOND_LINE_ROLE) == "3 results"
    assert model.index_of("c").data(SECOND_LINE_ROLE) == "else: by card · by invoice"
    assert model.index_of("d").data(TAG_ROLE) == ["yours"]
    assert board.stage.of(QLabel, "planHeaderChip").text() == "1 of 4"


def test_a_task_tells_what_it_may_touch(board: Board) -> None:
    grants = Grants(sites=("shop.example",), folders=("/home/me/Papers",), apps=("Mousepad", "command:cp"))
    board.show(Plan(goal="Buy", tasks=(Task(id="a", goal="Search", grants=grants), Task(id="b", goal="Choose"))))
    told = "May use without asking: shop.example, Mousepad, the command cp, /home/me/Papers."
    for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
        assert told in str(board.model.data(board.model.index_of("a"), role))
        assert "May use" not in str(board.model.data(board.model.index_of("b"), role))


def test_a_checkpoint_is_saved_when_the_person_wants_one(board: Board) -> None:
    action = board.stage.of(QAction, "planCheckpointAction")
    action.trigger()
    assert board.stage.commands == [SaveCheckpoint()]
    board.stage.feed(board.make(StateChanged, state=RunState.DONE))
    assert not action.isEnabled()


def test_f2_renames_in_place(board: Board) -> None:
    index = board.select("c")
    QTest.keyClick(board.tree, Qt.Key.Key_F2)
    editor = board.tree.viewport().findChild(QLineEdit, "taskEdit")
    assert isinstance(editor, QLineEdit)
    editor.setText("Pay by card")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    board.stage.qtbot.waitUntil(lambda: board.edits == [RenameTask(task_id="c", goal="Pay by card")])
    assert index.data() == "Pay"


def test_a_started_task_opens_no_editor(board: Board) -> None:
    board.select("b")
    QTest.keyClick(board.tree, Qt.Key.Key_F2)
    assert board.tree.viewport().findChild(QLineEdit, "taskEdit") is None


@pytest.mark.parametrize(
    ("key", "modifiers", "edit"),
    [
        (Qt.Key.Key_Delete, Qt.KeyboardModifier.NoModifier, DeleteTask(task_id="c")),
        (Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier, MoveTask(task_id="c", index=1)),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier, MoveTask(task_id="c", index=3)),
        (Qt.Key.Key_F9, Qt.KeyboardModifier.NoModifier, SetBreakpoint(task_id="c", on=True)),
    ],
)
def test_keys_edit_the_selected_task(board: Board, key: Qt.Key, modifiers: Qt.KeyboardModifier, edit: PlanEdit) -> None:
    board.stage.window.activateWindow()
    board.select("c")
    QTest.keyClick(board.tree, key, modifiers)
    assert board.edits == [edit]


def test_the_last_task_moves_no_further_down(board: Board) -> None:
    board.select("d")
    board.trigger("planDownAction")
    assert board.edits == []


def test_a_task_is_skipped_and_taken_back(board: Board) -> None:
    board.select("c")
    board.trigger("planSkipAction")
    board.show(PLAN.edit(SkipTask(task_id="c")))
    assert board.model.index_of("c").data(SECOND_LINE_ROLE).startswith("skipped")
    assert board.stage.of(QAction, "planSkipAction").text() == "Take back into the plan"
    board.trigger("planSkipAction")
    assert board.edits == [SkipTask(task_id="c"), SkipTask(task_id="c", skip=False)]


@pytest.mark.parametrize(
    ("action", "parent_id", "index", "by_human"),
    [
        ("planAddAfterAction", "", 3, False),
        ("planAddUnderAction", "c", -1, False),
        ("planAddHumanAction", "", 3, True),
    ],
)
def test_a_new_task_comes_after_or_under_the_selected_one_and_its_name_is_asked(
    board: Board, action: str, parent_id: str, index: int, by_human: bool
) -> None:
    board.select("c")
    board.trigger(action)
    (edit,) = board.edits
    assert isinstance(edit, AddTask)
    assert (edit.parent_id, edit.index, edit.by_human) == (parent_id, index, by_human)
    board.show(PLAN.edit(edit), by="person")
    assert isinstance(board.tree.viewport().findChild(QWidget, "taskEdit"), QLineEdit)


def test_a_task_added_without_a_selection_comes_last(board: Board) -> None:
    board.tree.setCurrentIndex(QModelIndex())
    board.stage.of(QToolButton, "planAddButton").click()
    (edit,) = board.edits
    assert isinstance(edit, AddTask)
    assert (edit.parent_id, edit.index) == ("", -1)


def test_undo_and_redo_follow_what_the_engine_offers(board: Board) -> None:
    undo, redo = (board.stage.of(QToolButton, f"plan{one}Button") for one in ("Undo", "Redo"))
    assert not undo.isEnabled()
    board.show(PLAN, can_undo=True, can_redo=True)
    board.tree.setFocus()
    undo.click()
    redo.click()
    QTest.keyClick(board.tree, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert board.stage.commands == [UndoPlanEdit(), RedoPlanEdit(), UndoPlanEdit()]


def test_a_refused_edit_is_said_in_the_plan_and_gone_with_the_next_edit(board: Board) -> None:
    notice = board.stage.of(QLabel, "planNotice")
    board.select("c")
    board.trigger("planUpAction")
    board.stage.feed(board.make(Notice, level=NoticeLevel.WARNING, text="“Choose” was already started."))
    assert notice.isVisible()
    assert "already started" in notice.text()
    board.trigger("planDeleteAction")
    assert not notice.isVisible()


def test_a_notice_of_something_else_stays_in_the_chat(board: Board) -> None:
    board.stage.feed(board.make(Notice, text="The page asked something."))
    assert not board.stage.of(QLabel, "planNotice").isVisible()


def test_selection_and_an_open_editor_survive_a_change_of_status(board: Board) -> None:
    index = board.select("c")
    board.tree.edit(index)
    board.show(PLAN.with_status("b", TaskStatus.DONE))
    assert isinstance(board.tree.viewport().findChild(QWidget, "taskEdit"), QLineEdit)
    assert board.tree.currentIndex() == board.model.index_of("c")


def test_the_selection_survives_a_change_of_shape(board: Board) -> None:
    board.select("c")
    board.show(PLAN.edit(AddTask(goal="New", index=2, task_id="new")))
    assert board.tree.currentIndex() == board.model.index_of("c")


def test_after_the_run_the_plan_takes_no_edits(board: Board) -> None:
    board.stage.feed(board.make(StateChanged, state=RunState.DONE))
    board.select("c")
    QTest.keyClick(board.tree, Qt.Key.Key_Delete)
    assert board.edits == []
    assert not board.stage.of(QToolButton, "planAddButton").isEnabled()
