"""Control at the terminal: it is offered back, taken by a word, and never waited for where nobody is."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

import pytest

from operative_app.cli.options import RunOptions
from operative_app.cli.person import Person
from operative_app.cli.run import run_goal
from operative_app.cli.screen import Lines
from operative_app.core.events import StateChanged
from operative_app.core.requests import ApprovalRequest
from operative_app.core.run import RunState
from operative_app.core.taking import TakeOverKind
from operative_app.engine.control import Command, Resume, RunControl, Stop, TakeOver
from tests.cli.scripted_agent import ScriptedAgent, Stage


@dataclass
class Desk:
    """A person at a terminal, and the commands that come of what they type."""

    commands: list[Command] = field(default_factory=list)
    out: io.StringIO = field(default_factory=io.StringIO)

    def __post_init__(self) -> None:
        self.answers: list[str] = []
        self.person = Person(
            self,  # type: ignore[arg-type]  # reads nothing: the lines come from the test
            Lines(self.out),
            lambda request_id, answer: self.answers.append(answer.kind),
            RunControl(self.commands.append),
        )

    is_reading = False

    def read(self) -> None:
        self.is_reading = True


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize(
    ("typed", "command"), [("", Resume()), ("show", TakeOver(is_teaching=True)), ("stop", Stop()), (None, Stop())]
)
def test_control_is_given_back_or_kept_by_a_word(desk: Desk, typed: str | None, command: Command) -> None:
    desk.person.has_control(TakeOverKind.YIELDED)
    assert "Press Enter to give it back" in desk.out.getvalue()
    desk.person.typed(typed)
    assert desk.commands == [command]


def test_other_words_are_no_command_and_it_is_asked_again(desk: Desk) -> None:
    desk.person.has_control(TakeOverKind.PRIVATE)
    desk.person.typed("hello")
    assert desk.commands == []
    assert desk.out.getvalue().count("Press Enter") == 2


def test_while_teaching_it_is_not_offered_again_and_enter_ends_it(desk: Desk) -> None:
    desk.person.has_control(TakeOverKind.PRIVATE)
    desk.person.has_control(TakeOverKind.TEACHING)
    assert desk.out.getvalue().count("show the agent how") == 1
    desk.person.typed("")
    assert desk.commands == [Resume()]


def test_any_question_can_be_answered_by_taking_over(desk: Desk) -> None:
    desk.person.ask(ApprovalRequest(action="click", label="Click “Pay”", reason="It pays."))
    desk.person.typed("take over")
    assert desk.commands == [TakeOver()]
    assert desk.answers == []


def test_without_a_terminal_a_run_that_was_taken_over_stops() -> None:
    def script(stage: Stage) -> None:
        stage.tell(StateChanged, state=RunState.TAKEN_OVER, take_over=TakeOverKind.YIELDED, detail="You moved it.")
        command = stage.next_command()
        assert isinstance(command, Stop)
        stage.finish(RunState.STOPPED, reason=f"Stopped: {command.reason}")

    err, out = io.StringIO(), io.StringIO()
    run_goal(RunOptions(goal="Do it"), ScriptedAgent(script), out=out, err=err, interactive=False)
    assert "there is no terminal to give it back" in err.getvalue()
    assert "Stopped: a person used the mouse" in out.getvalue()
