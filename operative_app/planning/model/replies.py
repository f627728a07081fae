"""The shapes of replies, and a tolerant reader of what a model made of them.

What is missing and not needed has a default; what is needed and missing is a fault in words, which the model is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from operative_app.core.requests import HandOffKind

MOST_ACTIONS = 10
MOST_VARIANTS = 3


class ReplyFault(ValueError):
    """A reply cannot be used; the message says why, for the model."""


class Route(StrEnum):
    """What is to be done next."""

    ACT = "act"
    WAIT = "wait"
    SHOW = "show"
    ASK = "ask"
    HAND_OVER = "hand_over"
    REPLAN = "replan"
    ROLL_BACK = "roll_back"
    FINISH = "finish"
    IMPOSSIBLE = "impossible"


class GoalRoute(StrEnum):
    """By which way a goal is reached."""

    ANSWER = "answer"
    BROWSER = "browser"
    DESKTOP = "desktop"
    TOOLS = "tools"


_ROUTES = {
    "action": Route.ACT,
    "decision": Route.ACT,
    "browser": Route.ACT,
    "browseragent": Route.ACT,
    "desktop": Route.ACT,
    "question": Route.ASK,
    "handover": Route.HAND_OVER,
    "human": Route.HAND_OVER,
    "rollback": Route.ROLL_BACK,
    "summarize": Route.FINISH,
    "done": Route.FINISH,
    "give_up": Route.IMPOSSIBLE,
}
_GOAL_ROUTES = {
    "browseragent": GoalRoute.BROWSER,
    "decision": GoalRoute.BROWSER,
    "summarize": GoalRoute.ANSWER,
    "desktopagent": GoalRoute.DESKTOP,
}
_PERSONS = {
    "signin": HandOffKind.SIGN_IN,
    "login": HandOffKind.SIGN_IN,
    "2fa": HandOffKind.SECOND_FACTOR,
    "mfa": HandOffKind.SECOND_FACTOR,
    "otp": HandOffKind.SECOND_FACTOR,
    "code": HandOffKind.SECOND_FACTOR,
    "one_time_code": HandOffKind.SECOND_FACTOR,
    "upload": HandOffKind.FILE,
}
_ENDS = frozenset({"done", "finish", "complete", "task_complete"})


def _as_text(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(str(one) for one in value)
    return str(value) if isinstance(value, int | float) else value


def _as_list(value: object) -> object:
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else [value]


def _as_flag(value: object) -> object:
    return False if value is None or value == "" else value


def _word(value: object) -> str:
    return str(value).strip().casefold().replace("-", "_").replace(" ", "_")


def _as_route(value: object) -> object:
    return _ROUTES.get(_word(value), _word(value))


def _as_goal_route(value: object) -> object:
    return _GOAL_ROUTES.get(_word(value), _word(value))


def _as_share(value: object) -> object:
    try:
        share = float(str(value).strip().rstrip("%"))
    except ValueError:
        return 0.5
    return min(1.0, share / 100 if share > 1 else max(0.0, share))


def _as_person(value: object) -> object:
    return value if value in list(HandOffKind) else _PERSONS.get(_word(value), HandOffKind.OTHER)


def _as_number(value: object) -> object:
    return 0 if value is None or value == "" else value


Text = Annotated[str, BeforeValidator(_as_text)]
Flag = Annotated[bool, BeforeValidator(_as_flag)]
Texts = Annotated[list[Text], BeforeValidator(_as_list)]
Number = Annotated[int, BeforeValidator(_as_number)]


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


ReplyT = TypeVar("ReplyT", bound=_Reply)


class Claim(_Reply):
    """A task said to be done, with words quoted from the screen that show it."""

    task: Number = 0
    evidence: Text = ""


class Expected(_Reply):
    """What is to be seen after the actions: a text, a part of the address, a text that goes."""

    text: Text = ""
    url: Text = ""
    gone: Text = ""


class TaskReply(_Reply):
    """A task of a plan; `sites`, `folders` and `apps` are what it needs to touch."""

    goal: Text = ""
    done_when: Text = ""
    by_human: Flag = False
    sites: Texts = Field(default_factory=list)
    folders: Texts = Field(default_factory=list)
    apps: Texts = Field(default_factory=list)
    tasks: Annotated[list[TaskReply], BeforeValidator(_as_list)] = Field(default_factory=list)


class PlanReply(_Reply):
    """Perception of the goal, and its plan in four parts."""

    route: Annotated[GoalRoute, BeforeValidator(_as_goal_route)] = GoalRoute.BROWSER
    entities: Texts = Field(default_factory=list)
    result: Text = ""
    understanding: Text = ""
    limits: Texts = Field(default_factory=list)
    tasks: Annotated[list[TaskReply], BeforeValidator(_as_list)] = Field(default_factory=list)
    output: Annotated[list[TaskReply], BeforeValidator(_as_list)] = Field(default_factory=list)
    check: Text = ""
    say: Text = ""
    answer: Text = ""
    unclear: Text = ""
    hint: Text = ""


class DecisionReply(_Reply):
    """What the last step brought, and what is next: the snapshot of planning_agents.txt in one reply.

    `risky` can only make the person asked: what else is asked about is not up to the model.
    """

    last: Text = ""
    thought: Text = ""
    done: Annotated[list[Claim], BeforeValidator(_as_list)] = Field(default_factory=list)
    goal_achieved: Flag = False
    confidence: Annotated[float, BeforeValidator(_as_share)] = 0.5
    route: Annotated[Route, BeforeValidator(_as_route)] = Route.ACT
    variants: list[list[dict[str, Any]]] = Field(default_factory=list)
    expect: Expected = Field(default_factory=Expected)
    completes: Flag = False
    risky: Flag = False
    keep: Text = ""
    answer: Text = ""
    say: Text = ""
    choices: Texts = Field(default_factory=list)
    person: Annotated[HandOffKind, BeforeValidator(_as_person)] = HandOffKind.OTHER
    element: Number = 0
    show: Text = ""
    tasks: Annotated[list[TaskReply], BeforeValidator(_as_list)] = Field(default_factory=list)


class LookReply(_Reply):
    """What a look at a screen says about one claim, or what a goal wants before there is a plan."""

    route: Text = ""
    entities: Texts = Field(default_factory=list)
    result: Text = ""
    achieved: Flag = False
    evidence: Text = ""
    reasoning: Text = ""
    confidence: Annotated[float, BeforeValidator(_as_share)] = 0.5


class Shown(_Reply):
    """A claim with the step that shows it, and words of that step."""

    text: Text = ""
    step: Number = 0
    evidence: Text = ""


class SummaryReply(_Reply):
    claims: Annotated[list[Shown], BeforeValidator(_as_list)] = Field(default_factory=list)
    changed: Annotated[list[Shown], BeforeValidator(_as_list)] = Field(default_factory=list)
    open: Text = ""


class HistoryReply(_Reply):
    summary: Text = ""


def read_decision(content: Mapping[str, Any]) -> DecisionReply:
    """A decision from a reply.

    Raises:
        ReplyFault: It is none.
    """
    values = _as_decision(dict(content))
    reply = _validated(DecisionReply, values)
    match reply.route:
        case Route.ACT if not any(reply.variants) and not reply.done:
            raise ReplyFault("the route is act, and there is no action in variants")
        case Route.ASK | Route.HAND_OVER | Route.IMPOSSIBLE | Route.ROLL_BACK if not (reply.say or reply.thought):
            raise ReplyFault(f"the route is {reply.route}, and “say” does not tell the person what it is about")
        case Route.REPLAN if not any(task.goal for task in reply.tasks):
            raise ReplyFault("the route is replan, and there is no task in tasks")
    return reply


def read_plan(content: Mapping[str, Any]) -> PlanReply:
    """A plan from a reply. Raises ReplyFault."""
    plan = _validated(PlanReply, dict(content))
    if plan.unclear or (plan.route is GoalRoute.ANSWER and plan.answer):
        return plan
    if plan.route is GoalRoute.ANSWER:
        raise ReplyFault("the route is answer, and there is no answer")
    if not any(task.goal for task in (*plan.tasks, *plan.output)):
        raise ReplyFault("there is no task in tasks, and “unclear” does not say why")
    return plan


def read_look(content: Mapping[str, Any]) -> LookReply:
    return _validated(LookReply, dict(content))


def read_summary(content: Mapping[str, Any]) -> SummaryReply:
    summary = _validated(SummaryReply, dict(content))
    if not any(claim.text for claim in summary.claims):
        raise ReplyFault("there is no claim in claims")
    return summary


def read_history(content: Mapping[str, Any]) -> HistoryReply:
    history = _validated(HistoryReply, dict(content))
    if not history.summary.strip():
        raise ReplyFault("the summary is empty")
    return history


def _validated(model: type[ReplyT], values: dict[str, Any]) -> ReplyT:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ReplyFault(f"{place}: {first['msg'].lower()}") from error


def _as_decision(values: dict[str, Any]) -> dict[str, Any]:
    """A decision, also from a model that only named an action, or put its actions another way."""
    if isinstance(calls := values.get("calls"), list) and calls:
        values = dict(calls[0]) if len(calls) == 1 and isinstance(calls[0], Mapping) else {"actions": calls}
    name = next((values[one] for one in ("do", "action", "name", "tool") if isinstance(values.get(one), str)), "")
    if name and "variants" not in values and "actions" not in values:
        inner = next((values[one] for one in ("parameters", "arguments") if isinstance(values.get(one), dict)), values)
        if name.casefold() in _ENDS:
            said = str(inner.get("text") or inner.get("answer") or inner.get("summary") or "")
            is_success = inner.get("success") is not False
            return {"route": Route.FINISH if is_success else Route.IMPOSSIBLE, "say": said, "answer": said}
        return {"route": Route.ACT, "variants": [[values]]}
    if "actions" in values and "variants" not in values:
        values = {**values, "variants": [values["actions"]]}
    values["variants"] = _as_variants(values.get("variants"))
    if "route" not in values:
        values["route"] = Route.ACT if values["variants"] else (Route.FINISH if values.get("goal_achieved") else "")
    return values


def _as_variants(given: object) -> list[list[dict[str, Any]]]:
    """Variants as lists of calls: from lists, from {"A": […]}, from {"actions": […]}, or from one list of calls."""
    if isinstance(given, Mapping):
        given = [given[key] for key in sorted(given, key=str)]
    if not isinstance(given, list):
        return []
    if given and all(isinstance(one, Mapping) and "actions" not in one for one in given):
        given = [given]
    variants: list[list[dict[str, Any]]] = []
    for one in given[:MOST_VARIANTS]:
        calls = one.get("actions") if isinstance(one, Mapping) else one
        if isinstance(calls, Mapping):
            calls = [calls]
        if isinstance(calls, list):
            if faulty := [call for call in calls if not isinstance(call, Mapping)]:
                raise ReplyFault(f'an action is an object such as {{"do": …}}, not “{str(faulty[0])[:60]}”')
            variants.append([dict(call) for call in calls[:MOST_ACTIONS]])
    return [variant for variant in variants if variant]
