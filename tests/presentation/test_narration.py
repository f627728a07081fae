from __future__ import annotations

from operative_app.core.events import (
    Event,
    PlanChanged,
    RunFinished,
    RunStarted,
    Said,
    StateChanged,
    StepFinished,
    StepStarted,
)
from operative_app.core.plan import Plan, Task, TaskStatus
from operative_app.core.run import EndCause, OutcomeStatus, RunRequest, RunState
from operative_app.presentation.narration import Narration


def told(*events: Event) -> list[str]:
    narration = Narration()
    return [line for event in events for line in narration.lines(event)]


def step(number: int, label: str) -> tuple[StepStarted, StepFinished]:
    return (
        StepStarted(run_id="r", sequence=1, time_s=0, step=number, action="click", label=label),
        StepFinished(run_id="r", sequence=2, time_s=0, step=number, status=OutcomeStatus.DONE, duration_ms=5),
    )


def plan_event(plan: Plan, reason: str = "") -> PlanChanged:
    return PlanChanged(run_id="r", sequence=1, time_s=0, plan=plan, reason=reason)


def test_a_run_is_told_in_the_order_a_person_reads_it() -> None:
    plan = Plan(goal="buy", tasks=(Task(goal="Search"), Task(goal="Sign in", by_human=True)))

    lines = told(
        RunStarted(run_id="r", sequence=0, time_s=0, request=RunRequest(goal="buy it"), planner="built-in"),
        StateChanged(run_id="r", sequence=1, time_s=0, state=RunState.PLANNING),
        plan_event(plan),
        StateChanged(run_id="r", sequence=1, time_s=0, state=RunState.WORKING, detail="searching"),
        *step(1, "Click button “Search”"),
        Said(run_id="r", sequence=4, time_s=0, role="agent", text="Found it."),
        RunFinished(
            run_id="r", sequence=5, time_s=0, state=RunState.DONE, cause=EndCause.GOAL_MET, reason="All seen.",
            answer="42 €", steps=1, duration_s=3,
        ),
    )  # fmt: skip

    assert lines == [
        "Goal: buy it",
        "Planning",
        "Plan:",
        "  ○ Search",
        "  ○ Sign in  (you)",
        "  1  Click button “Search”  done  5 ms",
        "Operative: Found it.",
        "Done (1 step, 3.0 s): All seen.",
        "Answer: 42 €",
    ]


def test_a_plan_is_told_again_only_when_its_tasks_are_others() -> None:
    plan = Plan(goal="g", tasks=(Task(goal="One"),))
    moved_on = plan.with_status(plan.tasks[0].id, TaskStatus.DONE)
    longer = Plan(goal="g", tasks=(*moved_on.tasks, Task(goal="Two")))

    assert told(plan_event(plan), plan_event(moved_on)) == ["Plan:", "  ○ One"]
    assert told(plan_event(plan), plan_event(moved_on), plan_event(longer, "one more"))[2:] == [
        "Plan: one more",
        "  ✓ One",
        "  ○ Two",
    ]


def test_a_step_cut_off_by_the_end_is_still_told() -> None:
    start, _ = step(3, "Fill “Name”")
    end = RunFinished(
        run_id="r",
        sequence=5,
        time_s=0,
        state=RunState.STOPPED,
        cause=EndCause.STOPPED_BY_PERSON,
        reason="Stopped.",
        steps=3,
    )

    assert told(start, end) == ["  3  Fill “Name”  …", "Stopped (3 steps, 0 ms): Stopped."]


def test_a_finish_without_its_start_is_not_told() -> None:
    _, end = step(3, "x")

    assert told(end) == []


def test_a_composite_step_is_told_before_its_parts_and_at_its_end() -> None:
    (start, end), (first_start, first_end) = step(1, "Fill in the form"), step(2, "Fill textbox “Name”")
    part = first_start.model_copy(update={"part_of": 1})
    again, again_end = step(3, "Fill textbox “Town”")
    assert told(start, part, first_end, again.model_copy(update={"part_of": 1}), again_end, end) == [
        "  1  Fill in the form  …",
        "  2  ↳ Fill textbox “Name”  done  5 ms",
        "  3  ↳ Fill textbox “Town”  done  5 ms",
        "  1  Fill in the form  done  5 ms",
    ]
