"""The one place of wording for people: states, outcomes, numbers, and a line for each event.

Everything here is pure and may be called from any thread. Text that came from outside (page titles, names of
elements, what a planner wrote) is put through `plain` before it becomes part of a line, so that a page can neither
move the terminal's cursor nor turn the reading direction around.
"""

from __future__ import annotations

from datetime import datetime
from types import MappingProxyType
from typing import assert_never

from operative_app.core.events import (
    CheckpointSaved,
    Event,
    ModelAsked,
    Notice,
    NoticeLevel,
    Observed,
    OversightChanged,
    PlanChanged,
    RecoveryTried,
    RequestClosed,
    RequestRaised,
    RunFinished,
    Rung,
    RunStarted,
    Said,
    StateChanged,
    StepFinished,
    StepStarted,
)
from operative_app.core.outside import harmless, harmless_line
from operative_app.core.plan import Grants, Plan, Task, TaskStatus
from operative_app.core.requests import (
    Answer,
    ApprovalRequest,
    Approve,
    FilesChosen,
    HandOffKind,
    HandOffRequest,
    HumanCannot,
    HumanDone,
    PlanReviewRequest,
    QuestionRequest,
    Reject,
    Reply,
    Request,
)
from operative_app.core.run import EndCause, OutcomeStatus, Oversight, RunState
from operative_app.core.screen import SurfaceKind

STATE_WORDS = MappingProxyType(
    {
        RunState.READY: "Ready",
        RunState.PLANNING: "Planning",
        RunState.WORKING: "Working",
        RunState.WAITING: "Waiting for you",
        RunState.PAUSED: "Paused",
        RunState.TAKEN_OVER: "You have control",
        RunState.STOPPING: "Stopping",
        RunState.DONE: "Done",
        RunState.NOT_VERIFIED: "Not verified",
        RunState.FAILED: "Failed",
        RunState.STOPPED: "Stopped",
    }
)
OUTCOME_WORDS = MappingProxyType(
    {
        OutcomeStatus.DONE: "done",
        OutcomeStatus.FAILED: "failed",
        OutcomeStatus.UNVERIFIED: "not verified",
        OutcomeStatus.REFUSED: "not carried out",
    }
)
TASK_WORDS = MappingProxyType(
    {
        TaskStatus.PENDING: "To do",
        TaskStatus.ACTIVE: "Working",
        TaskStatus.WAITING: "Waiting for you",
        TaskStatus.DONE: "Done",
        TaskStatus.UNVERIFIED: "Not verified",
        TaskStatus.FAILED: "Failed",
        TaskStatus.SKIPPED: "Skipped",
    }
)
TASK_SIGNS = MappingProxyType(
    {
        TaskStatus.PENDING: "○",
        TaskStatus.ACTIVE: "▸",
        TaskStatus.WAITING: "…",
        TaskStatus.DONE: "✓",
        TaskStatus.UNVERIFIED: "?",
        TaskStatus.FAILED: "✗",
        TaskStatus.SKIPPED: "–",
    }
)
"""One character for each task status, where there is no room for a word; the word stays in the tooltip."""

OVERSIGHT_WORDS = MappingProxyType(
    {Oversight.EVERY: "Every step", Oversight.RISKY: "Risky steps", Oversight.NONE: "None"}
)
PART_SIGN = "↳"
"""Stands before a step that is a part of the composite action above it."""

SURFACE_WORDS = MappingProxyType({SurfaceKind.BROWSER: "Browser", SurfaceKind.DESKTOP: "Desktop"})
RUNG_WORDS = MappingProxyType(
    {
        Rung.RETRY: "Trying again",
        Rung.ALTERNATIVE: "Trying another way",
        Rung.REPLAN: "Planning anew",
        Rung.ROLL_BACK: "Going back",
        Rung.ESCALATE: "Asking for help",
    }
)
CAUSE_WORDS = MappingProxyType(
    {
        EndCause.GOAL_MET: "The goal is met",
        EndCause.NOT_VERIFIED: "Carried out, but the result could not be verified",
        EndCause.NOT_UNDERSTOOD: "The goal was not understood",
        EndCause.STEP_LIMIT: "The limit of steps is reached",
        EndCause.BUDGET: "The budget is used up",
        EndCause.TASK_FAILED: "A task could not be carried out",
        EndCause.IMPOSSIBLE: "This cannot be done",
        EndCause.STOPPED_BY_PERSON: "Stopped",
        EndCause.HUMAN_NEEDED: "A person is needed and none is there",
        EndCause.SURFACE_LOST: "The browser or desktop went away",
        EndCause.STORE_FAILED: "The record cannot be written",
        EndCause.ERROR: "Something unexpected went wrong",
    }
)
HAND_OFF_WORDS = MappingProxyType(
    {
        HandOffKind.SIGN_IN: "Please sign in",
        HandOffKind.SECOND_FACTOR: "Please confirm that it is you",
        HandOffKind.CAPTCHA: "Please prove that you are human",
        HandOffKind.FILE: "Please choose a file",
        HandOffKind.PAYMENT: "Please enter the payment",
        HandOffKind.OTHER: "Your help is needed",
    }
)
PURPOSE_WORDS = MappingProxyType(
    {
        "planning": "Plan",
        "perception": "Reading and checking",
        "decision": "Decision",
        "recovery": "Recovery",
        "history_summary": "Memory of earlier steps",
        "final_summary": "Summary for you",
    }
)
"""What a model is asked for."""

ROLE_WORDS = MappingProxyType(
    {
        "planning": ("Plan", "How a goal becomes a plan. Asked once for a run, and again when the plan must change."),
        "perception": (
            "Reading and checking",
            "Reads the goal before it is planned, and gives a task that is said to be done a second look.",
        ),
        "decision": ("Decision", "Judges the last step and chooses what to do next. Asked for each step."),
        "browser_decision": ("Decision: in the browser", "What is added to the decision when a page is acted on."),
        "desktop_decision": ("Decision: on the desktop", "What is added to the decision when programs are acted on."),
        "recovery": ("Recovery", "What is added to the decision when a step went wrong."),
        "history_summary": ("Memory of earlier steps", "Keeps the earlier steps of a long run in short form."),
        "final_summary": ("Summary for you", "Tells you in the end what came of the goal."),
    }
)
"""Name and purpose of each prompt, by role."""

_LEVEL_WORDS = MappingProxyType({NoticeLevel.INFO: "Note", NoticeLevel.WARNING: "Warning", NoticeLevel.ERROR: "Error"})
_BY_WORDS = MappingProxyType(
    {"person": "by you", "policy": "by the policy", "time-out": "time ran out", "stop": "the run was stopped"}
)


def plain(text: str) -> str:
    """Text from outside as one line of what can be seen; white space is folded."""
    return harmless_line(text)


def plain_lines(text: str) -> str:
    """Text from outside without what cannot be seen, that keeps its lines and the white space in them."""
    return "\n".join(line.replace("\t", "    ") for line in harmless(text).splitlines())


def recorded_state_word(state: str) -> str:
    """The state of a run in the list of past runs: a `RunState`, or another word for a run that never ended."""
    return STATE_WORDS[RunState(state)] if state in set(RunState) else plain(state).capitalize()


def count(number: int, one: str, many: str = "") -> str:
    """Say “1 step”, “1,204 steps”; `many` is for words whose plural takes more than an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """Say “312 ms”, “4.2 s”, “2 min 5 s” or “1 h 3 min”; never below 0."""
    milliseconds = round(max(0.0, seconds) * 1000)
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    tenths = round(milliseconds / 100)
    if tenths < 600:
        return f"{tenths / 10:.1f} s"
    whole_s = round(milliseconds / 1000)
    minutes, rest_s = divmod(whole_s, 60)
    if minutes < 60:
        return f"{minutes} min {rest_s} s" if rest_s else f"{minutes} min"
    hours, rest_min = divmod(round(whole_s / 60), 60)
    return f"{hours} h {rest_min} min" if rest_min else f"{hours} h"


def duration_ms(milliseconds: float) -> str:
    """`duration` of milliseconds."""
    return duration(milliseconds / 1000)


def clock(seconds: float) -> str:
    """Time since a run began, as minutes and seconds: “03:07”; never below 0."""
    minutes, rest_s = divmod(max(0, int(seconds)), 60)
    return f"{minutes:02}:{rest_s:02}"


def tokens(number: int) -> str:
    """Say “1 token”, “1,204 tokens”; "" for none, since the built-in planner uses none."""
    return count(number, "token") if number > 0 else ""


def purpose_words(purpose: str) -> str:
    """What a model was asked for."""
    return PURPOSE_WORDS.get(purpose) or plain(purpose).replace("_", " ").capitalize()


def step_line(started: StepStarted, finished: StepFinished | None = None, *, spent: str | None = None) -> str:
    """One step as a line: number, action, outcome, time and tokens; the reason too, when it was not done.

    Args:
        spent: What a model took, in words; None takes the tokens that the end of the step tells.
    """
    parts = [f"{started.step:>3}", part_words(started.label, started.part_of)]
    if finished is None:
        return "  ".join([*parts, "…"])
    parts += [OUTCOME_WORDS[finished.status], duration_ms(finished.duration_ms)]
    if spent := tokens(finished.tokens) if spent is None else spent:
        parts.append(spent)
    line = "  ".join(parts)
    tell = finished.detail if finished.status is not OutcomeStatus.DONE else ""
    return f"{line}  ({plain(tell)})" if tell else line


def part_words(label: str, part_of: int) -> str:
    """A step's label; what is a part of a composite action is set in and marked."""
    return f"{PART_SIGN} {plain(label)}" if part_of else plain(label)


def plan_lines(plan: Plan) -> list[str]:
    """The plan as indented lines, one for each task."""
    lines: list[str] = []

    def add(task: Task, depth: int) -> None:
        who = "  (you)" if task.by_human else ""
        lines.append(f"{'  ' * depth}{TASK_SIGNS[task.status]} {plain(task.goal)}{who}")
        for subtask in task.subtasks:
            add(subtask, depth + 1)

    for task in plan.tasks:
        add(task, 1)
    return lines


def request_title(request: Request) -> str:
    """What is asked, in a few words: the title of a dialog or card."""
    match request:
        case ApprovalRequest():
            return "May I do this?"
        case HandOffRequest():
            return HAND_OFF_WORDS[request.why]
        case QuestionRequest():
            return "A question"
        case PlanReviewRequest():
            return "Is this plan right?"
        case _:
            assert_never(request)


def request_text(request: Request) -> str:
    """What is asked, as sentences on one line."""
    match request:
        case ApprovalRequest():
            effect = f"Effect: {request.effect}" if request.effect else ""
            site = f"Site: {request.site}" if request.site else ""
            parts = [request.label, request.reason, effect, site]
        case HandOffRequest():
            accepts = f"Files taken: {', '.join(request.accepts)}" if request.accepts else ""
            parts = [request.note, request.reason, request.instructions, accepts]
        case QuestionRequest():
            choices = f"Choices: {', '.join(request.choices)}" if request.choices else ""
            parts = [request.text, choices]
        case PlanReviewRequest():
            parts = [f"The plan has {count(sum(1 for _ in request.plan.leaves()), 'task')}"]
        case _:
            assert_never(request)
    return " ".join(_sentence(part) for part in map(plain, parts) if part)


def allow_words(request: ApprovalRequest) -> str:
    """What allowing it from now on would allow, for the box beside the answer."""
    if request.allow_words:
        return request.allow_words
    return f"Allow this kind on {request.site} for this run" if request.site else "Allow this kind for this run"


def grants_words(grants: Grants) -> str:
    """What a task may touch without asking, as a sentence; "" for nothing of its own."""
    commands = [f"the command {one.removeprefix('command:')}" for one in grants.apps if one.startswith("command:")]
    programs = [one for one in grants.apps if one and not one.startswith("command:")]
    named = [plain(one) for one in (*grants.sites, *programs, *commands, *grants.folders)]
    return f"May use without asking: {', '.join(named)}." if named else ""


def waiting_words(request: Request) -> str:
    """Until when it waits, when it reminds, and what comes without an answer; "" when it waits for ever."""
    if not request.expires_at_s:
        return ""
    end = time_of_day(request.expires_at_s)
    match request:
        case HandOffRequest() if request.remind_at_s:
            return f"It waits for you until {end} and reminds you at {time_of_day(request.remind_at_s)}."
        case HandOffRequest() | QuestionRequest():
            return f"It waits for you until {end}."
        case ApprovalRequest():
            return f"Without an answer until {end} it is not done."
        case PlanReviewRequest():
            return f"Without an answer until {end} nothing is begun."
        case _:
            assert_never(request)


def time_of_day(time_s: float) -> str:
    """Unix time as hours and minutes where the person is: “14:03”."""
    return f"{datetime.fromtimestamp(time_s).astimezone():%H:%M}"


def answer_words(answer: Answer | None) -> str:
    """How a request was answered; `None` was withdrawn or expired."""
    match answer:
        case None:
            return "no answer"
        case Approve():
            words = "approved with your changes" if answer.changes else "approved"
            return f"{words}, and allowed from now on in this run" if answer.allow_kind else words
        case Reject():
            return _with_word("rejected", answer.word)
        case HumanDone():
            return "done by a person"
        case HumanCannot():
            return _with_word("nobody can do it", answer.word)
        case FilesChosen():
            return f"{count(len(answer.paths), 'file')} chosen"
        case Reply():
            return f"“{plain(answer.text)}”"
        case _:
            assert_never(answer)


def finish_line(event: RunFinished) -> str:
    """The end of a run: its state, size and reason."""
    size = f"{count(event.steps, 'step')}, {duration(event.duration_s)}"
    reason = plain(event.reason) or CAUSE_WORDS[event.cause]
    return f"{STATE_WORDS[event.state]} ({size}): {_sentence(reason)}"


def event_line(event: Event) -> str:
    """One line for an event; "" for those that say nothing to a reader by themselves.

    Observations are seen in the picture, a finished step needs its start beside it (`step_line`), and of a plan only
    its size is told (`plan_lines` has the whole).
    """
    match event:
        case RunStarted():
            return f"Goal: {plain(event.request.goal)}"
        case StateChanged():
            return _with_word(STATE_WORDS[event.state], event.detail)
        case PlanChanged():
            size = count(sum(1 for _ in event.plan.leaves()), "task")
            return _with_word(f"Plan of {size}", event.reason)
        case StepStarted():
            return step_line(event)
        case RecoveryTried():
            wait = f" after {duration(event.wait_s)}" if event.wait_s else ""
            return _with_word(f"{RUNG_WORDS[event.rung]}{wait}", event.reason)
        case CheckpointSaved():
            return f"Checkpoint saved at step {event.step}"
        case RequestRaised():
            return f"{_sentence(request_title(event.request))} {request_text(event.request)}"
        case RequestClosed():
            return f"Answer: {answer_words(event.answer)} ({_BY_WORDS.get(event.by, f'by the {plain(event.by)}')})"
        case Said():
            return f"{'You' if event.role == 'person' else 'Operative'}: {plain(event.text)}"
        case OversightChanged():
            return f"Oversight: {OVERSIGHT_WORDS[event.oversight]}"
        case Notice():
            return f"{_LEVEL_WORDS[event.level]}: {plain(event.text)}"
        case RunFinished():
            return finish_line(event)
        case Observed() | StepFinished() | ModelAsked():
            return ""
        case _:
            assert_never(event)


def _with_word(words: str, word: str) -> str:
    return f"{words}: {plain(word)}" if word else words


def _sentence(text: str) -> str:
    return text if text[-1:] in {".", "!", "?", "…", ":"} else f"{text}."
