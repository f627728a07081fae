"""Edits of the plan: each makes a new plan or is refused with a sentence."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from operative_app.core.plan import (
    AddTask,
    DeleteTask,
    MoveTask,
    Plan,
    PlanEdit,
    PlanEditRefused,
    RenameTask,
    SetBreakpoint,
    SkipTask,
    Task,
    TaskStatus,
)


def task(name: str, *subtasks: Task, status: TaskStatus = TaskStatus.PENDING) -> Task:
    return Task(id=name, goal=f"do {name}", subtasks=subtasks, status=status)


def plan() -> Plan:
    return Plan(goal="g", tasks=(task("a", status=TaskStatus.DONE), task("b", task("b1"), task("b2")), task("c")))


def names(tasks: tuple[Task, ...]) -> list[object]:
    return [[one.id, names(one.subtasks)] if one.subtasks else one.id for one in tasks]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (AddTask(goal="x", task_id="x"), ["a", ["b", ["b1", "b2"]], "c", "x"]),
        (AddTask(goal="x", task_id="x", index=1), ["a", "x", ["b", ["b1", "b2"]], "c"]),
        (AddTask(goal="x", task_id="x", parent_id="b", index=1), ["a", ["b", ["b1", "x", "b2"]], "c"]),
        (AddTask(goal="x", task_id="x", parent_id="c"), ["a", ["b", ["b1", "b2"]], ["c", ["x"]]]),
        (DeleteTask(task_id="b1"), ["a", ["b", ["b2"]], "c"]),
        (DeleteTask(task_id="b"), ["a", "c"]),
        (MoveTask(task_id="c", index=1), ["a", "c", ["b", ["b1", "b2"]]]),
        (MoveTask(task_id="c", parent_id="b", index=0), ["a", ["b", ["c", "b1", "b2"]]]),
        (MoveTask(task_id="b1"), ["a", ["b", ["b2"]], "c", "b1"]),
        (RenameTask(task_id="c", goal=" new  words "), ["a", ["b", ["b1", "b2"]], "c"]),
    ],
)
def test_edits_change_the_tree(edit: PlanEdit, expected: list[object]) -> None:
    before = plan()
    assert names(before.edit(edit).tasks) == expected
    assert before == plan()


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (RenameTask(task_id="a", goal="x"), "already started"),
        (RenameTask(task_id="c", goal="  "), "needs some words"),
        (RenameTask(task_id="zz", goal="x"), "no longer"),
        (DeleteTask(task_id="a"), "already started"),
        (MoveTask(task_id="a"), "already started"),
        (MoveTask(task_id="c", index=0), "cannot go before"),
        (MoveTask(task_id="b", parent_id="b1"), "into itself"),
        (AddTask(goal="x", index=0), "cannot go before"),
        (AddTask(goal="x", parent_id="a"), "already finished"),
        (AddTask(goal="x", parent_id="zz"), "no longer"),
        (SkipTask(task_id="a"), "already finished"),
        (SkipTask(task_id="c", skip=False), "was not skipped"),
        (SetBreakpoint(task_id="a"), "already started"),
    ],
)
def test_what_cannot_be_is_refused_in_words(edit: PlanEdit, words: str) -> None:
    with pytest.raises(PlanEditRefused, match=words):
        plan().edit(edit)


def test_skipping_a_parent_skips_what_is_open_below_and_can_be_taken_back() -> None:
    skipped = plan().edit(SkipTask(task_id="b"))
    assert [one.id for one in skipped.leaves() if one.status is TaskStatus.SKIPPED] == ["b1", "b2"]
    leaf = skipped.next_open_leaf()
    assert leaf is not None
    assert leaf.id == "c"
    back = skipped.edit(SkipTask(task_id="b", skip=False)).next_open_leaf()
    assert back is not None
    assert back.id == "b1"


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (["pending", "pending"], "pending"),
        (["done", "pending"], "active"),
        (["done", "waiting"], "waiting"),
        (["done", "active"], "active"),
        (["done", "failed"], "failed"),
        (["done", "unverified"], "unverified"),
        (["done", "skipped"], "done"),
        (["skipped", "skipped"], "skipped"),
        (["done", "done"], "done"),
    ],
)
def test_a_parents_status_follows_its_subtasks(statuses: list[str], expected: str) -> None:
    children = [task(f"s{place}") for place in range(len(statuses))]
    tree = Plan(goal="g", tasks=(task("p", *children),))
    for place, status in enumerate(statuses):
        tree = tree.with_status(f"s{place}", TaskStatus(status))
    assert tree.tasks[0].status == expected


edits = st.one_of(
    st.builds(
        AddTask, goal=st.just("x"), parent_id=st.sampled_from(["", "a", "b", "b1", "c"]), index=st.integers(-1, 4)
    ),
    st.builds(DeleteTask, task_id=st.sampled_from(["a", "b", "b1", "b2", "c"])),
    st.builds(
        MoveTask,
        task_id=st.sampled_from(["a", "b", "b1", "b2", "c"]),
        parent_id=st.sampled_from(["", "b", "c"]),
        index=st.integers(-1, 4),
    ),
    st.builds(SkipTask, task_id=st.sampled_from(["a", "b", "b1", "c"]), skip=st.booleans()),
)


@given(st.lists(edits, max_size=12))
@example([SkipTask(task_id="b"), MoveTask(task_id="b", index=0), SkipTask(task_id="b", skip=False)])
def test_no_edits_lose_what_was_done_or_make_a_task_twice(made: list[PlanEdit]) -> None:
    current = plan()
    for edit in made:
        try:
            current = current.edit(edit)
        except PlanEditRefused:
            continue
    ids = [one.id for one in current.walk()]
    assert len(ids) == len(set(ids))
    before = [one.status for one in itertools.takewhile(lambda one: one.id != "a", current.leaves())]
    assert set(before) <= {TaskStatus.SKIPPED}
    done = current.task("a")
    assert done is not None
    assert done.status is TaskStatus.DONE
