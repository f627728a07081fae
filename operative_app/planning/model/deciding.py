"""A model's decision checked against the screen it was made on, and turned into what the loop carries out.

The rules of the prompts are enforced here too, so that a model that ignores one does no harm: elements exist on this
very screen, what only a person may do is handed over, and
a batch ends where one of its actions cannot be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from operative_app.actions.browser import Fill
from operative_app.actions.composite import FillForm, Login, SearchAndClick
from operative_app.actions.declare import Action, EffectKind
from operative_app.actions.keyboard import TypeText
from operative_app.actions.mouse import ClickElement
from operative_app.actions.secrets import holds_secret
from operative_app.core.coordinates import ImageMap
from operative_app.core.errors import ActionError
from operative_app.core.plan import Plan, Task
from operative_app.core.requests import HandOffKind
from operative_app.core.run import done
from operative_app.core.screen import Element, ElementRef, ScreenState
from operative_app.llm.messages import NamedCall
from operative_app.planning.model import plans
from operative_app.planning.model.catalog import Catalog
from operative_app.planning.model.evidence import LEAST_CONFIDENCE, expectations, is_own_entry, quotes_of
from operative_app.planning.model.replies import DecisionReply, ReplyFault, Route, read_decision
from operative_app.planning.model.sight import folded
from operative_app.planning.model.wording import is_for_entering
from operative_app.planning.person_only import kind_of_field, kind_of_words
from operative_app.planning.port import Act, AskPerson, Decision, GiveUp, HandOver, NotThereYet, RollBack, Variant
from operative_app.safety.given_passwords import asks_for_secret

_NAMES = "ABC"


@dataclass(frozen=True, slots=True)
class Decided:
    """A reply with its calls read.

    Attributes:
        variants: Actions by variant; a variant ends before the first call that could not be read.
        dropped: What could not be read, for the model's next turn.
        checks: What the endpoint wants the person to see before the actions are carried out.
    """

    reply: DecisionReply
    variants: tuple[tuple[Action, ...], ...] = ()
    dropped: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()


def checked(
    reply: DecisionReply,
    catalog: Catalog,
    state: ScreenState,
    elements: Mapping[int, Element],
    image: ImageMap | None,
) -> Decided:
    """The reply with its calls as actions on this screen.

    Raises:
        ReplyFault: No call of the first actions of any variant can be read.
    """
    if reply.route is not Route.ACT:
        return Decided(reply)
    variants: list[tuple[Action, ...]] = []
    faults: list[str] = []
    for calls in reply.variants:
        actions: list[Action] = []
        for call in calls:
            try:
                actions.append(catalog.read(call, state, elements, image))
            except ActionError as error:
                faults.append(str(error))
                break
        if actions:
            variants.append(tuple(actions))
    if faults and not variants:
        raise ReplyFault("; ".join(dict.fromkeys(faults)))
    return Decided(reply, tuple(variants), tuple(dict.fromkeys(faults)))


def decision_of(
    decided: Decided, state: ScreenState, task: Task, elements: Mapping[int, Element], known: str
) -> Decision | None:
    """What the loop is to do; None when the reply holds nothing to do for the task.

    Args:
        known: All words of the person; a password that does not stand there is none of the model's.
    """
    reply = decided.reply
    match reply.route:
        case Route.ACT if decided.variants:
            if handed := _person_only(decided.variants[0], state, task, known):
                return handed
            others = (one for one in decided.variants[1:] if not _person_only(one, state, task, known))
            return _act(replace(decided, variants=(decided.variants[0], *others)), state, task)
        case Route.WAIT:
            return NotThereYet(reply.say or reply.expect.text or reply.thought or "what the task needs")
        case Route.ASK:
            question = reply.say or reply.thought
            is_secret = asks_for_secret(question)  # whatever choices there are: one of them may be to type it
            return _secret_asked(question) if is_secret else AskPerson(question, tuple(reply.choices))
        case Route.HAND_OVER:
            return _hand_over(reply, state, elements)
        case Route.ROLL_BACK:
            return RollBack(reply.say or reply.thought)
        case Route.IMPOSSIBLE:
            return GiveUp(reply.say or reply.thought, is_impossible=True)
        case _:
            return None


def _act(decided: Decided, state: ScreenState, task: Task) -> Act:
    """Only what the model said would be seen ends a task.

    Not what was there before the act or is just what it typed, nor less than the task's condition quotes.
    """
    reply = decided.reply
    expect = expectations(reply.expect.text, reply.expect.url, reply.expect.gone)
    actions = decided.variants[0]
    is_telling = any(one.check(actions[-1], state, state, done()) for one in expect)
    is_telling = is_telling and all(folded(quote) in folded(reply.expect.text) for quote in quotes_of(task.done_when))
    if not is_for_entering(task.goal):
        words = [one for one in (reply.expect.text, reply.expect.url) if one.strip()]
        is_telling = is_telling and not (words and all(is_own_entry(one, actions) for one in words))
    is_telling = is_telling and reply.confidence >= LEAST_CONFIDENCE
    is_whole = not decided.dropped
    return Act(
        tuple(Variant(actions, _NAMES[place]) for place, actions in enumerate(decided.variants[: len(_NAMES)])),
        why=reply.thought,
        expect=expect if is_whole else (),
        completes_task=reply.completes and is_telling and is_whole,
        result=reply.keep or reply.expect.text,
        is_risky=reply.risky,
    )


def _hand_over(reply: DecisionReply, state: ScreenState, elements: Mapping[int, Element]) -> HandOver:
    element = elements.get(reply.element)
    expect = expectations(reply.expect.text, reply.expect.url, reply.expect.gone)
    return HandOver(
        reply.person,
        reason=reply.thought or "Only a person can do this.",
        instructions=reply.say or reply.thought,
        target=state.ref(element) if element is not None else None,
        completes_task=reply.completes and bool(expect),
        done_when=expect,
    )


def _secret_asked(question: str) -> HandOver:
    return HandOver(
        kind_of_words(question),
        f"It was asked: {question} Type such a thing into its own field, never into the chat.",
        "Please enter it on the page yourself, then say that you are done.",
        completes_task=False,
    )


def _person_only(actions: Sequence[Action], state: ScreenState, task: Task, known: str) -> HandOver | None:
    """What only the person may do: to begin their tasks, and to enter passwords they did not give."""
    first = actions[0]
    if task.by_human and first.spec.effect not in {EffectKind.READ, EffectKind.NAVIGATE}:
        return HandOver(HandOffKind.OTHER, "The plan leaves this to you.", task.goal, completes_task=False)
    clicked: ElementRef | None = None
    for action in actions:
        clicked = action.target if isinstance(action, ClickElement) else clicked
        for ref, text in _texts_entered(action, state, clicked):
            element = state.find(ref) if ref is not None else None
            is_password = isinstance(action, Login) or (element is not None and element.is_concealed)
            if is_password and text and not holds_secret(text) and text not in known:
                return HandOver(
                    HandOffKind.SIGN_IN,
                    "A password is asked for, and only you have it.",
                    "Please sign in, then say that you are done.",
                    target=ref,
                    completes_task=False,
                )
            kind = kind_of_field(element) if element is not None else None
            if kind is not None and text and not holds_secret(text) and text not in known:
                what = "Payment details are" if kind is HandOffKind.PAYMENT else "A code that only you get is"
                return HandOver(
                    kind,
                    f"{what} asked for, and you did not give it.",
                    "Please enter it on the page yourself, then say that you are done.",
                    target=ref,
                    completes_task=False,
                )
    return None


def _texts_entered(
    action: Action, state: ScreenState, clicked: ElementRef | None
) -> list[tuple[ElementRef | None, str]]:
    """What an action types, and where; `clicked` is what was clicked before it in the same step."""
    match action:
        case Fill(target=target, text=text):
            return [(target, text)]
        case FillForm(fields=fields):
            return [(entry.target, entry.value) for entry in fields]
        case Login(password=password):
            return [(None, password)]
        case SearchAndClick(field=field, query=query):
            return [(field, query)]
        case TypeText(text=text) if clicked is not None:
            return [(clicked, text)]
        case TypeText(text=text):
            focused = state.element(state.focus) if state.focus else None
            return [(state.ref(focused), text)] if focused is not None else []
        case _:
            return []


def claimed(reply: DecisionReply, plan: Plan, task: Task) -> str | None:
    """The evidence given for a task that the reply names as done, "" when there is none; None when it does not.

    Evidence counts for its own task; only that for the last one may have been given for the goal.
    """
    number = plans.numbered(plan).get(task.id, 0)
    for claim in reply.done:
        if claim.task == number:
            return claim.evidence
    if reply.goal_achieved or reply.route is Route.FINISH:
        is_for_goal = is_last(plan, task) and reply.done
        return reply.done[-1].evidence if is_for_goal else ""
    return None


def of_present(reply: DecisionReply, plan: Plan, task: Task) -> DecisionReply:
    """The reply with a claim that names no task as one for the present task."""
    if len(reply.done) != 1 or reply.done[0].task:
        return reply
    claim = reply.done[0].model_copy(update={"task": plans.numbered(plan).get(task.id, 0)})
    return reply.model_copy(update={"done": [claim]})


def is_last(plan: Plan, task: Task) -> bool:
    """Whether no other task is open."""
    return all(one.id == task.id for one in plan.leaves() if one.is_open)


def of_native_calls(calls: Sequence[NamedCall], text: str) -> DecisionReply | None:
    """A reply that consists of an endpoint's own computer-use calls, as a decision; None when there are none."""
    if not calls:
        return None
    actions = [{"do": one.name, "parameters": dict(one.parameters)} for one in calls]
    return read_decision({"variants": [actions], "thought": text})
