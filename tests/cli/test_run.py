from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from operative_app.cli.options import RunOptions
from operative_app.cli.run import run_goal
from operative_app.cli.screen import harmless_json
from operative_app.core.errors import OperativeError, SettingsError, StoreError
from operative_app.core.events import EVENT_ADAPTER, Event, Notice, RunFinished
from operative_app.core.requests import Request
from operative_app.core.run import EndCause, Oversight, RunRequest, RunState
from operative_app.core.screen import SurfaceKind
from tests.cli.scripted_agent import (
    Script,
    ScriptedAgent,
    Stage,
    approval,
    file_choice,
    plays_done,
    plays_request,
    question,
    sign_in,
)


class Terminal:
    """Follows a script without a person and keeps what was printed."""

    def __init__(self) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()

    def run(
        self,
        script: Script,
        options: RunOptions | None = None,
        *,
        agent: ScriptedAgent | None = None,
        keep_record: Callable[[Path, Sequence[Event]], None] | None = None,
    ) -> int:
        agent = agent or ScriptedAgent(script)
        code = run_goal(
            options or RunOptions(goal="try it"),
            agent,
            out=self.out,
            err=self.err,
            interactive=False,
            keep_record=keep_record,
        )
        assert agent.is_closed
        return code


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


def test_steps_are_printed_as_people_read_them(terminal: Terminal) -> None:
    assert terminal.run(plays_done) == 0

    assert terminal.out.getvalue().splitlines() == [
        "Goal: try it",
        "  1  Click button “Search”  done  312 ms",
        "Done (1 step, 2.0 s): All is done.",
        "Answer: 42 €",
    ]
    assert terminal.err.getvalue() == ""


def test_json_prints_each_event_on_a_line_and_nothing_else(terminal: Terminal) -> None:
    assert terminal.run(plays_request(approval), RunOptions(goal="try it", json=True)) == 4

    lines = terminal.out.getvalue().splitlines()
    events = [EVENT_ADAPTER.validate_json(line) for line in lines]
    assert [event.kind for event in events] == ["run_started", "request_raised", "request_closed", "run_finished"]
    assert all(json.loads(line)["kind"] == event.kind for line, event in zip(lines, events, strict=True))


@pytest.mark.parametrize(
    ("state", "cause", "code"),
    [
        (RunState.DONE, EndCause.GOAL_MET, 0),
        (RunState.NOT_VERIFIED, EndCause.NOT_VERIFIED, 1),
        (RunState.FAILED, EndCause.NOT_UNDERSTOOD, 1),
        (RunState.FAILED, EndCause.STEP_LIMIT, 1),
        (RunState.FAILED, EndCause.BUDGET, 1),
        (RunState.FAILED, EndCause.TASK_FAILED, 1),
        (RunState.FAILED, EndCause.IMPOSSIBLE, 1),
        (RunState.FAILED, EndCause.SURFACE_LOST, 1),
        (RunState.FAILED, EndCause.STORE_FAILED, 1),
        (RunState.FAILED, EndCause.ERROR, 1),
        (RunState.STOPPED, EndCause.STOPPED_BY_PERSON, 3),
        (RunState.FAILED, EndCause.HUMAN_NEEDED, 4),
        (RunState.STOPPED, EndCause.HUMAN_NEEDED, 4),
    ],
)
def test_the_exit_code_tells_how_it_ended(terminal: Terminal, state: RunState, cause: EndCause, code: int) -> None:
    assert terminal.run(lambda stage: stage.finish(state, cause)) == code


def test_every_cause_of_an_end_has_its_exit_code_tested() -> None:
    marks = [mark for mark in test_the_exit_code_tells_how_it_ended.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]
    assert {cause for _, cause, _ in marks[0].args[1]} == set(EndCause)


@pytest.mark.parametrize("make", [approval, sign_in, file_choice, question])
def test_with_nobody_there_a_request_is_declined_and_the_exit_code_is_4(
    terminal: Terminal, make: Callable[[], Request]
) -> None:
    assert terminal.run(plays_request(make)) == 4

    assert "A person is needed for this, and none is there" in terminal.err.getvalue()
    assert "(by the front end)" in terminal.out.getvalue()
    assert "Go on" not in terminal.out.getvalue()


def test_with_nobody_there_a_question_that_only_offers_something_else_needs_nobody(terminal: Terminal) -> None:
    terminal.run(plays_request(lambda: question().model_copy(update={"is_optional": True})))

    assert "A person is needed" not in terminal.err.getvalue()
    assert "(by the front end)" in terminal.out.getvalue()


def test_only_an_approval_is_said_to_be_helped_by_yes(terminal: Terminal) -> None:
    terminal.run(plays_request(sign_in))
    assert "--yes" not in terminal.err.getvalue()

    terminal.run(plays_request(approval))
    assert "--yes" in terminal.err.getvalue()


def test_yes_approves(terminal: Terminal) -> None:
    assert terminal.run(plays_request(approval), RunOptions(goal="try it", yes=True)) == 0

    assert "Go on after approve by front end" in terminal.out.getvalue()


@pytest.mark.parametrize("make", [sign_in, file_choice, question])
def test_yes_does_not_do_what_only_a_person_can(terminal: Terminal, make: Callable[[], Request]) -> None:
    assert terminal.run(plays_request(make), RunOptions(goal="try it", yes=True)) == 4


def test_the_options_reach_the_engine(terminal: Terminal) -> None:
    requests: list[RunRequest] = []

    def play(stage: Stage) -> None:
        requests.append(stage.request)
        stage.finish()

    terminal.run(play, RunOptions(goal="a"))
    terminal.run(
        play,
        RunOptions(
            goal="b",
            url="practice:shop",
            surface="desktop",
            oversight="every",
            yes=True,
            headless=True,
            cdp_url="http://127.0.0.1:9222",
            max_steps=7,
        ),
    )

    assert requests == [
        RunRequest(goal="a"),
        RunRequest(
            goal="b",
            url="practice:shop",
            surface=SurfaceKind.DESKTOP,
            oversight=Oversight.EVERY,
            approve_all=True,
            headless=True,
            cdp_url="http://127.0.0.1:9222",
            max_steps=7,
        ),
    ]


def test_events_of_another_run_are_no_part_of_this_one(terminal: Terminal) -> None:
    def play(stage: Stage) -> None:
        own, stage.run_id = stage.run_id, "another"
        stage.tell(Notice, text="not for you")
        stage.tell(RunFinished, state=RunState.FAILED, cause=EndCause.ERROR, reason="not yours")
        stage.run_id = own
        stage.finish()

    assert terminal.run(play) == 0
    assert "not" not in terminal.out.getvalue()


def test_an_empty_goal_is_wrong_usage(terminal: Terminal) -> None:
    assert terminal.run(plays_done, RunOptions(goal="  ")) == 2

    assert "the goal is empty" in terminal.err.getvalue()
    assert terminal.out.getvalue() == ""


@pytest.mark.parametrize(("error", "code"), [(OperativeError("No browser."), 1), (SettingsError("Bad."), 2)])
def test_an_agent_that_cannot_start_is_said_in_words(terminal: Terminal, error: OperativeError, code: int) -> None:
    class Unstartable(ScriptedAgent):
        def start(self) -> None:
            raise error

    assert terminal.run(plays_done, agent=Unstartable(plays_done)) == code
    assert terminal.err.getvalue() == f"operative: {error}\n"


def test_the_record_is_kept_of_all_that_happened(terminal: Terminal, tmp_path: Path) -> None:
    kept: list[tuple[Path, list[str]]] = []

    code = terminal.run(
        plays_done,
        RunOptions(goal="try it", record=tmp_path),
        keep_record=lambda folder, events: kept.append((folder, [event.kind for event in events])),
    )

    assert code == 0
    assert kept == [(tmp_path, ["run_started", "step_started", "step_finished", "run_finished"])]


def test_a_record_that_cannot_be_kept_is_a_failure(terminal: Terminal, tmp_path: Path) -> None:
    def keep(folder: Path, events: Sequence[Event]) -> None:
        raise StoreError("The disk is full.")

    assert terminal.run(plays_done, RunOptions(goal="try it", record=tmp_path), keep_record=keep) == 1
    assert terminal.err.getvalue() == "operative: The disk is full.\n"


def test_without_record_none_is_kept(terminal: Terminal) -> None:
    def keep(folder: Path, events: Sequence[Event]) -> None:
        raise AssertionError

    assert terminal.run(plays_done, keep_record=keep) == 0


def test_a_poor_encoding_does_not_stop_the_run(terminal: Terminal) -> None:
    content = io.BytesIO()
    terminal.out = io.TextIOWrapper(content, encoding="ascii")  # type: ignore[assignment]

    assert terminal.run(plays_done) == 0

    assert b"Click button ?Search?" in content.getvalue()


def test_json_is_utf_8_whatever_the_encoding_of_the_terminal(terminal: Terminal) -> None:
    content = io.BytesIO()
    terminal.out = io.TextIOWrapper(content, encoding="ascii")  # type: ignore[assignment]

    terminal.run(plays_done, RunOptions(goal="try it", json=True))

    assert json.loads(content.getvalue().splitlines()[1])["label"] == "Click button “Search”"


def test_json_lines_drive_no_terminal() -> None:
    text = "wiped \x9b2J \x1b[2J turned \u202e round"
    line = harmless_json(json.dumps(text, ensure_ascii=False))

    assert line.isprintable()
    assert json.loads(line) == text
