from __future__ import annotations

import pytest
from PySide6.QtCore import QAbstractItemModel, QMimeData, QModelIndex, Qt
from pytestqt.modeltest import ModelTester

from operative_app.core.plan import MoveTask, Plan, PlanEdit, RenameTask, Task, TaskStatus
from operative_app.core.run import OutcomeStatus
from operative_app.gui.models.plan_tree import MIME, PlanTree
from operative_app.gui.models.step_table import Column, StepFilter, StepTable
from operative_app.presentation.timeline import StepRow
from tests.gui.sample_run import sample_plan

pytestmark = pytest.mark.usefixtures("qapp")


def is_sound(tester: ModelTester, model: QAbstractItemModel) -> None:
    tester.check(model)  # type: ignore[no-untyped-call]


def rows(count: int) -> list[StepRow]:
    return [
        StepRow(step=number, time_s=0, label=f"Click {number}", status=OutcomeStatus.DONE)
        for number in range(1, count + 1)
    ]


def test_the_step_table_is_a_sound_model_while_rows_come_change_and_go(qtmodeltester: ModelTester) -> None:
    table = StepTable()
    is_sound(qtmodeltester, table)
    table.show(rows(3), {0, 1, 2})
    table.show(rows(5), {2, 3, 4})
    table.show(rows(4), {4})
    is_sound(qtmodeltester, table)
    assert [table.index(row, Column.NUMBER).data() for row in range(table.rowCount())] == ["1", "2", "3", "4"]


def test_the_step_filter_is_a_sound_model(qtmodeltester: ModelTester) -> None:
    table = StepTable()
    table.show(rows(20), None)
    filtered = StepFilter(table)
    is_sound(qtmodeltester, filtered)
    filtered.set_words("click 1")
    assert filtered.rowCount() == 11
    filtered.set_outcome("failed")
    assert filtered.rowCount() == 0
    filtered.set_words("")
    filtered.set_outcome("done")
    assert filtered.rowCount() == 20


def test_numbers_are_right_aligned_in_the_table() -> None:
    table = StepTable()
    table.show(rows(1), None)
    for column in Column:
        alignment = table.index(0, column).data(Qt.ItemDataRole.TextAlignmentRole)
        is_right = bool(alignment & Qt.AlignmentFlag.AlignRight)
        assert is_right == (column in {Column.NUMBER, Column.MS, Column.TOKENS, Column.COST})


def test_the_plan_tree_is_a_sound_model_through_changes_of_its_shape(qtmodeltester: ModelTester) -> None:
    tree = PlanTree()
    tree.is_editable = True
    is_sound(qtmodeltester, tree)
    assert tree.show(sample_plan(0), {}, frozenset())
    is_sound(qtmodeltester, tree)
    assert not tree.show(sample_plan(2), {"t1": 2}, frozenset({"t3b"}))
    assert tree.show(Plan(goal="g", tasks=(Task(id="a", goal="A"),)), {}, frozenset())
    is_sound(qtmodeltester, tree)


@pytest.fixture
def tree() -> PlanTree:
    made = PlanTree()
    made.is_editable = True
    tasks = tuple(
        Task(id=name, goal=name.upper(), subtasks=(Task(id="c1", goal="C1"), Task(id="c2", goal="C2")))
        if name == "c"
        else Task(id=name, goal=name.upper(), status=TaskStatus.DONE if name == "a" else TaskStatus.PENDING)
        for name in "abcd"
    )
    made.show(Plan(goal="g", tasks=tasks), {}, frozenset())
    return made


def dropped(tree: PlanTree, task_id: str, row: int, parent_id: str = "") -> list[PlanEdit]:
    """What is asked for when a task is dropped there; the plan is the one `Plan.edit` would make."""
    asked: list[PlanEdit] = []
    tree.edit_requested.connect(asked.append)
    data = tree.mimeData([tree.index_of(task_id)])
    parent = tree.index_of(parent_id) if parent_id else QModelIndex()
    tree.dropMimeData(data, Qt.DropAction.MoveAction, row, 0, parent)
    return asked


@pytest.mark.parametrize(
    ("task_id", "row", "parent_id", "edit"),
    [
        ("b", 4, "", MoveTask(task_id="b", index=3)),
        ("d", 1, "", MoveTask(task_id="d", index=1)),
        ("b", 1, "c", MoveTask(task_id="b", parent_id="c", index=1)),
        ("b", -1, "c", MoveTask(task_id="b", parent_id="c", index=-1)),
        ("c2", 0, "c", MoveTask(task_id="c2", parent_id="c", index=0)),
        ("c1", 4, "", MoveTask(task_id="c1", index=4)),
    ],
)
def test_dropping_a_task_asks_for_that_move(
    tree: PlanTree, task_id: str, row: int, parent_id: str, edit: MoveTask
) -> None:
    assert dropped(tree, task_id, row, parent_id) == [edit]


@pytest.mark.parametrize("row", [1, 2])
def test_dropping_a_task_where_it_is_asks_for_nothing(tree: PlanTree, row: int) -> None:
    assert dropped(tree, "b", row) == []


def test_things_of_other_programs_cannot_be_dropped(tree: PlanTree) -> None:
    text, strange = QMimeData(), QMimeData()
    text.setText("rm -rf")
    strange.setData(MIME, b"nobody")
    for data in (text, strange):
        assert not tree.dropMimeData(data, Qt.DropAction.MoveAction, 0, 0, QModelIndex())


def test_only_tasks_not_started_can_be_renamed_and_dragged(tree: PlanTree) -> None:
    both = Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled
    assert not tree.flags(tree.index_of("a")) & both
    assert tree.flags(tree.index_of("b")) & both == both
    tree.is_editable = False
    assert not tree.flags(tree.index_of("b")) & both


def test_renaming_asks_for_it_and_the_same_name_asks_for_nothing(tree: PlanTree) -> None:
    asked: list[PlanEdit] = []
    tree.edit_requested.connect(asked.append)
    index = tree.index_of("b")
    assert tree.setData(index, " Buy   it ")
    assert tree.setData(index, "B")
    assert not tree.setData(tree.index_of("a"), "done already")
    assert asked == [RenameTask(task_id="b", goal="Buy it")]
    assert index.data() == "B"
