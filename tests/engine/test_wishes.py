"""What a person types while the built-in planner works becomes part of the plan, is told, and can be undone."""

from __future__ import annotations

from datetime import date

import pytest

from operative_app.core.events import PlanChanged, Said
from operative_app.core.plan import TaskStatus
from operative_app.core.requests import QuestionRequest, Reply
from operative_app.core.run import RunState
from operative_app.engine.spoken import SpokenCommand, spoken_command
from operative_app.planning.builtin.planner import BuiltinPlanner
from tests.engine.world import FakePage, Listener, World


def page(*buttons: str) -> FakePage:
    """Every button adds a text of its own."""

    def pressed(name: str) -> object:
        return lambda page: page.texts.append(f"{name} pressed")

    return FakePage(buttons=list(buttons), on_click={name: pressed(name) for name in buttons})  # type: ignore[misc]


def world_of(*buttons: str) -> World:
    return World(page(*buttons), BuiltinPlanner(lambda: date(2026, 11, 30)))  # type: ignore[arg-type]


def say_on(world: World, button: str, *wishes: str) -> None:
    """Type the wishes the moment the button is pressed."""
    before = world.page.on_click[button]

    def pressed(page: FakePage) -> None:
        before(page)
        if page.clicks.count(button) == 1:
            for wish in wishes:
                world.control.say(wish)

    world.page.on_click[button] = pressed


def told(listener: Listener) -> list[str]:
    return [event.text for event in listener.events if isinstance(event, Said) and event.role == "agent"]


def statuses(listener: Listener) -> dict[str, TaskStatus]:
    changes = [event for event in listener.events if isinstance(event, PlanChanged)]
    return {task.goal: task.status for task in changes[-1].plan.leaves()}


def test_a_wish_becomes_tasks_right_after_the_present_one() -> None:
    world = world_of("Alpha", "Bravo", "Charlie", "Delta")
    say_on(world, "Alpha", "also press Charlie and press Delta")
    with world:
        end = world.run("press Alpha, then press Bravo")
    assert end.state is RunState.DONE
    assert sorted(world.page.clicks) == ["Alpha", "Bravo", "Charlie", "Delta"]
    assert world.page.clicks.index("Charlie") + 1 == world.page.clicks.index("Delta")
    assert any("Added as you said" in text and "Charlie" in text for text in told(world.listener))


def test_a_wish_typed_while_the_last_task_is_done_is_still_heard() -> None:
    world = world_of("Alpha", "Bravo")
    say_on(world, "Alpha", "now press Bravo")
    with world:
        end = world.run("press Alpha")
    assert end.state is RunState.DONE
    assert world.page.clicks == ["Alpha", "Bravo"]


def test_a_correction_takes_the_place_of_a_task_still_open() -> None:
    world = world_of("Alpha", "Option Bravo", "Option Charlie", "Delta")
    say_on(world, "Alpha", "no, choose Option Charlie")
    with world:
        end = world.run("press Alpha, choose Option Bravo, press Delta")
    assert end.state is RunState.DONE
    assert world.page.clicks == ["Alpha", "Option Charlie", "Delta"]
    assert any("instead of" in text for text in told(world.listener))


def test_a_correction_of_what_was_done_is_done_before_the_rest() -> None:
    world = world_of("Option Bravo", "Option Charlie", "Alpha", "Delta")
    say_on(world, "Alpha", "the Option Charlie instead")
    with world:
        end = world.run("choose Option Bravo, press Alpha, press Delta")
    assert end.state is RunState.DONE
    assert world.page.clicks == ["Option Bravo", "Alpha", "Option Charlie", "Delta"]


@pytest.mark.parametrize(
    "wish", ["don't press Bravo", "skip Bravo", "never mind Bravo", "no Bravo please", "skip this"]
)
def test_what_is_named_is_left_out(wish: str) -> None:
    world = world_of("Alpha", "Bravo", "Charlie")
    say_on(world, "Alpha", wish)
    with world:
        end = world.run("press Alpha, press Bravo, press Charlie")
    assert world.page.clicks == ["Alpha", "Charlie"]
    assert end.state is RunState.DONE
    assert TaskStatus.SKIPPED in statuses(world.listener).values()


def test_a_wish_not_understood_is_answered_once_and_changes_nothing() -> None:
    world = world_of("Alpha", "Bravo", "Charlie")
    say_on(world, "Alpha", "make me a better person")
    with world:
        end = world.run("press Alpha, press Bravo, press Charlie")
    assert end.state is RunState.DONE
    assert world.page.clicks == ["Alpha", "Bravo", "Charlie"]
    answers = [text for text in told(world.listener) if "do not understand" in text]
    assert len(answers) == 1
    assert "make me a better person" in answers[0]
    assert "stays as it is" in answers[0]


def test_two_wishes_are_each_answered_once() -> None:
    world = world_of("Alpha", "Bravo", "Charlie", "Delta")
    say_on(world, "Alpha", "press Charlie", "press Delta")
    with world:
        world.run("press Alpha, press Bravo")
    assert sorted(world.page.clicks) == ["Alpha", "Bravo", "Charlie", "Delta"]
    assert len([text for text in told(world.listener) if "Added" in text]) == 2


def test_a_wish_of_one_run_is_not_heard_in_the_next() -> None:
    world = world_of("Alpha", "Bravo")
    say_on(world, "Alpha", "then press Bravo")
    with world:
        world.run("press Alpha")
        world.listener.events.clear()
        world.run("press Alpha")
    assert world.page.clicks == ["Alpha", "Bravo", "Alpha"]


def test_a_change_by_a_wish_can_be_undone() -> None:
    world = world_of("Alpha", "Charlie")
    say_on(world, "Alpha", "press Charlie")
    with world:
        world.start("press Alpha, press Missing")
        request = world.listener.wait_request()
        assert isinstance(request, QuestionRequest)
        world.control.undo_plan_edit()
        world.listener.wait(lambda event: isinstance(event, PlanChanged) and event.reason == "undo")
        world.control.answer(request.id, Reply(text="Skip this task"), by="test")
        end = world.listener.wait_end()
    assert world.page.clicks == ["Alpha"]
    assert end.state is RunState.DONE


def test_pause_and_stop_are_heard_as_the_buttons_they_are() -> None:
    world = world_of("Alpha", "Bravo")
    say_on(world, "Alpha", "pause please")
    with world:
        world.start("press Alpha, press Bravo")
        world.listener.wait_state(RunState.PAUSED)
        world.control.say("Stop!")
        end = world.listener.wait_end()
    assert end.state is RunState.STOPPED
    assert world.page.clicks == ["Alpha"]


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("stop", SpokenCommand.STOP),
        ("Please stop it now!", SpokenCommand.STOP),
        ("hold on a second", SpokenCommand.PAUSE),
        ("stop the music player", None),
        ("wait for the results", None),
        ("press Stop", None),
    ],
)
def test_only_the_bare_words_are_commands(words: str, command: SpokenCommand | None) -> None:
    assert spoken_command(words) is command


def test_a_task_renamed_to_several_things_becomes_several() -> None:
    world = world_of("Alpha", "Bravo", "Charlie")
    with world:
        world.start("press Missing, press Charlie")
        request = world.listener.wait_request()
        world.control.answer(request.id, Reply(text="press Alpha and then press Bravo"), by="test")
        end = world.listener.wait_end()
    assert end.state is RunState.DONE
    assert world.page.clicks == ["Alpha", "Bravo", "Charlie"]
