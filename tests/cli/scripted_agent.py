"""An agent that plays a script instead of a run: real commands in, real events out, on a thread of its own.

As a program (`python -m tests.cli.scripted_agent SCRIPT [--json] [--yes] [--terminal] [--impatient]`) it lets
`run_goal` follow a script in a process of its own, for signals, pipes and terminals.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable
from itertools import count

from operative_app.cli.options import RunOptions
from operative_app.cli.run import run_goal
from operative_app.core.events import (
    EVENT_ADAPTER,
    EventBase,
    RequestClosed,
    RequestRaised,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
)
from operative_app.core.ports import EventSink
from operative_app.core.requests import (
    Answer,
    ApprovalRequest,
    Approve,
    EditableField,
    FilesChosen,
    HandOffKind,
    HandOffRequest,
    HumanDone,
    QuestionRequest,
    Reply,
    Request,
)
from operative_app.core.run import EndCause, OutcomeStatus, RunRequest, RunState
from operative_app.engine.control import AnswerRequest, Command, RunControl, Start, Stop
from operative_app.engine.desk import FRONT_END


class Stage:
    """What a script acts on."""

    def __init__(self, agent: ScriptedAgent, run_id: str, request: RunRequest) -> None:
        self.request = request
        self.run_id = run_id
        self._agent = agent
        self._numbers = count()

    def tell(self, kind: type[EventBase], **fields: object) -> None:
        number = next(self._numbers)
        event = kind.model_validate(
            {"run_id": self.run_id, "sequence": number, "time_s": 1_800_000_000 + number, **fields}
        )
        for sink in self._agent.sinks:
            sink.emit(EVENT_ADAPTER.validate_python(event))

    def step(self, number: int, label: str = "Click button “Search”") -> None:
        self.tell(StepStarted, step=number, action="click", label=label)
        self.tell(StepFinished, step=number, status=OutcomeStatus.DONE, duration_ms=312)

    def finish(
        self,
        state: RunState = RunState.DONE,
        cause: EndCause = EndCause.GOAL_MET,
        reason: str = "All is done.",
        answer: str = "",
    ) -> None:
        self.tell(RunFinished, state=state, cause=cause, reason=reason, answer=answer, steps=1, duration_s=2)

    def ask(self, request: Request) -> tuple[Answer | None, str]:
        """Raise a request and wait; the answer and who gave it, or None when the run is stopped."""
        self.tell(RequestRaised, request=request)
        while not isinstance(command := self.next_command(), Stop):
            if isinstance(command, AnswerRequest) and command.request_id == request.id:
                self.tell(RequestClosed, request_id=request.id, answer=command.answer, by=command.by)
                return command.answer, command.by
        return None, "stop"

    def next_command(self) -> Command:
        command = self._agent.commands.get(timeout=60)
        assert command is not None, "the agent was closed in the middle of the run"
        return command


Script = Callable[[Stage], None]


class ScriptedAgent:
    """Plays `script` for each run."""

    def __init__(self, script: Script) -> None:
        self.commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self.control = RunControl(self.commands.put)
        self.sinks: list[EventSink] = []
        self.is_closed = False
        self._script = script
        self._thread = threading.Thread(target=self._play, daemon=True)

    def add_sink(self, sink: EventSink) -> None:
        self.sinks.append(sink)

    def start(self) -> None:
        self._thread.start()

    def close(self, *, timeout_s: float = 15.0) -> bool:
        self.is_closed = True
        self.commands.put(None)
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _play(self) -> None:
        while (command := self.commands.get()) is not None:
            if isinstance(command, Start):
                stage = Stage(self, command.run_id, command.request)
                stage.tell(RunStarted, request=command.request, planner="scripted")
                self._script(stage)


def approval(label: str = "Click button “Place order”") -> ApprovalRequest:
    return ApprovalRequest(action="click", label=label, reason="It spends money.", rule="money")


def editable() -> ApprovalRequest:
    """A message whose subject and text can be changed."""
    fields = (
        EditableField(name="subject", label="The subject", value="Parts"),
        EditableField(name="text", label="What it is to hold", value="Dear Ada", is_long=True),
    )
    return approval("Send the message").model_copy(
        update={"editable": fields, "may_allow_kind": True, "allow_words": "Allow mail.example for this task"}
    )


def faulty() -> ApprovalRequest:
    """It was changed into what cannot be taken, and is asked about again."""
    wrong, text = editable().editable
    wrong = wrong.model_copy(update={"value": "", "fault": "It cannot be empty."})
    return editable().model_copy(update={"editable": (wrong, text.model_copy(update={"value": "Dear Grace"}))})


def sign_in() -> HandOffRequest:
    return HandOffRequest(
        why=HandOffKind.SIGN_IN,
        reason="The page asks for a password.",
        instructions="Sign in.",
        expires_at_s=1_800_000_600,
        remind_at_s=1_800_000_480,
    )


def file_choice() -> HandOffRequest:
    return HandOffRequest(why=HandOffKind.FILE, reason="A file is needed.", instructions="Choose the PDF.")


def question() -> QuestionRequest:
    return QuestionRequest(text="Which colour?")


def plays_done(stage: Stage) -> None:
    stage.step(1)
    stage.finish(answer="42 €")


def plays_request(make: Callable[[], Request]) -> Script:
    """A script that asks, and is done when the answer is a yes."""

    def play(stage: Stage) -> None:
        answer, by = stage.ask(make())
        if isinstance(answer, Approve | HumanDone | Reply | FilesChosen):
            words = getattr(answer, "text", "") or str(getattr(answer, "changes", None) or "")
            words += " allowed" if getattr(answer, "allow_kind", False) else ""
            stage.step(1, f"Go on after {answer.kind} by {by}: {words}")
            stage.finish()
        elif answer is None:
            stage.finish(RunState.STOPPED, EndCause.STOPPED_BY_PERSON, "Stopped.")
        else:
            cause = EndCause.HUMAN_NEEDED if by == FRONT_END else EndCause.TASK_FAILED
            stage.finish(RunState.FAILED, cause, f"No: {answer.kind} {getattr(answer, 'word', '')}")

    return play


def plays_until_stopped(stage: Stage) -> None:
    stage.step(1)
    while not isinstance(stage.next_command(), Stop):
        pass
    stage.finish(RunState.STOPPED, EndCause.STOPPED_BY_PERSON, "Stopped by the person.")


def plays_talker(stage: Stage) -> None:
    """Tells steps without end until it is stopped."""
    for number in count(1):
        stage.step(number, "x" * 1000)
        if not stage._agent.commands.empty() and isinstance(stage.next_command(), Stop):
            break
    stage.finish(RunState.STOPPED, EndCause.STOPPED_BY_PERSON, "Stopped.")


def plays_deaf(stage: Stage) -> None:
    """Does not mind being stopped."""
    stage.step(1)
    while True:
        stage.next_command()


def plays_expiring(stage: Stage) -> None:
    """The first request runs out while the person reads it; the second one is another."""
    first = approval("Click button “Harmless”")
    stage.tell(RequestRaised, request=first)
    stage.tell(RequestClosed, request_id=first.id, answer=None, by="time-out")
    plays_request(lambda: approval("Click button “Delete everything”"))(stage)


SCRIPTS: dict[str, Script] = {
    "done": plays_done,
    "approval": plays_request(approval),
    "editable": plays_request(editable),
    "faulty": plays_request(faulty),
    "sign_in": plays_request(sign_in),
    "file": plays_request(file_choice),
    "question": plays_request(question),
    "until_stopped": plays_until_stopped,
    "talker": plays_talker,
    "deaf": plays_deaf,
    "expiring": plays_expiring,
}


def main() -> int:
    name, *flags = sys.argv[1:]
    agent = ScriptedAgent(SCRIPTS[name])
    options = RunOptions(goal="try it", json="--json" in flags, yes="--yes" in flags)
    code = run_goal(
        options,
        agent,
        out=sys.stdout,
        err=sys.stderr,
        interactive="--terminal" in flags,
        stop_timeout_s=0.2 if "--impatient" in flags else 60.0,
    )
    sys.stderr.write("the agent is closed\n" if agent.is_closed else "the agent was left open\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
