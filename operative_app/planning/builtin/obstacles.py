"""What stands in the way of a task: CAPTCHAs, notices that cover the target, a sign-in the page demands."""

from __future__ import annotations

import re

from operative_app.actions.keyboard import PressKey
from operative_app.actions.mouse import ClickElement
from operative_app.core.requests import HandOffKind
from operative_app.core.screen import Element, ScreenState
from operative_app.planning.builtin import effects, page
from operative_app.planning.builtin.situation import Situation
from operative_app.planning.builtin.words import fold, similarity, tokens
from operative_app.planning.person_only import code_field
from operative_app.planning.port import Act, Decision, HandOver, Variant

_WAYS_OUT = (
    r"(?:reject|decline|refuse|deny|disagree)(?: all| optional)?(?: cookies)?(?: all)?|alle ablehnen|ablehnen|tout refuser|rechazar(?: todo)?",  # noqa: E501 - words and patterns read best on one line
    r"(?:accept |allow |use )?(?:only )?(?:strictly )?(?:necessary|essential|required)(?: cookies)?(?: only)?|nur notwendige(?: cookies)?",  # noqa: E501 - words and patterns read best on one line
    r"no thanks?|not now|maybe later|later|skip|no thank you|nein danke|spater|not interested|continue without accepting",  # noqa: E501 - words and patterns read best on one line
    r"(?:close|dismiss|hide)(?: (?:this|the))?(?: \w+)?(?: (?:dialog|window|popup|pop up|banner|notice|message|panel|modal|box|overlay|menu|drawer))?|schliessen|fermer|x|got it|ok|okay|understood|verstanden",  # noqa: E501 - words and patterns read best on one line
)
_PATTERNS = tuple(re.compile(f"^(?:{pattern})$") for pattern in _WAYS_OUT)
_CLOSERS = frozenset({"×", "✕", "✖", "✗", "x", "X", "⨯"})  # noqa: RUF001
_CONSENT = re.compile(r"cookie|consent|privacy|datenschutz|tracking", re.IGNORECASE)


def captcha(state: ScreenState) -> HandOver | None:
    """Hand over when the page wants a human to prove to be one."""
    words = effects.captcha_in(state)
    if not words:
        return None
    return HandOver(
        HandOffKind.CAPTCHA,
        reason=f"The page asks to prove that a human is there: “{words[:80]}”.",
        instructions="Solve the CAPTCHA in the page, then press Done.",
        completes_task=False,
        done_when=(effects.NoCaptcha(),),
    )


def sign_in(reason: str = "The page asks to sign in.", *, completes_task: bool = False) -> HandOver:
    return HandOver(
        HandOffKind.SIGN_IN,
        reason=reason,
        instructions="Sign in on the page, then press Done. Operative does not see your password.",
        completes_task=completes_task,
        done_when=(effects.NoSignInForm(), effects.NoCodeAsked()),
    )


def second_factor(state: ScreenState, *, completes_task: bool = False) -> HandOver | None:
    """Hand over when the page asks for a code that only the person gets; None when it does not."""
    field = code_field(state)
    if field is None:
        return None
    return HandOver(
        HandOffKind.SECOND_FACTOR,
        reason=f"The page asks for “{field.name or field.placeholder}”, which only you get.",
        instructions="Enter the code on the page and confirm it there, then press Done.",
        target=state.ref(field),
        completes_task=completes_task,
        done_when=(effects.NoCodeAsked(),),
    )


def payment(state: ScreenState, field: Element) -> HandOver:
    """Hand over what is asked for about a card or an account."""
    return HandOver(
        HandOffKind.PAYMENT,
        reason="The page asks for payment details.",
        instructions="Enter the payment details yourself, then press Done.",
        target=state.ref(field),
        completes_task=False,
    )


def clear_the_way(sit: Situation, target: Element) -> Decision | None:
    """What to do first when something lies over the target; None when nothing does."""
    if not target.cover or not page.is_in_view(target):
        return None
    closer = way_out(sit.state, target.cover)
    name = target.name or target.role
    if closer is not None and sit.times_done(closer) < 2:
        return Act.one(
            ClickElement(target=sit.ref(closer)),
            why=f"{target.cover} lies over “{name}”; “{closer.name or 'close'}” takes it away without agreeing to anything",  # noqa: E501 - words and patterns read best on one line
        )
    if not sit.did(PressKey):
        return Act.one(PressKey(key="Escape"), why=f"{target.cover} lies over “{name}”; Escape may close it")
    return None


def way_out(state: ScreenState, cover: str = "") -> Element | None:
    """The control that takes a notice or dialog away, refusing before accepting."""
    best: tuple[float, Element] | None = None
    for element in state.elements:
        if element.role not in {"button", "link", "clickable"} or not page.is_enabled(element):
            continue
        rank = rank_of(element)
        if rank is None or (state.modal and not page.is_in_modal(state, element)):
            continue
        around = " ".join(element.context)
        points = 10.0 - rank * 2
        if cover and _is_about(cover, around, element):
            points += 12
        if _CONSENT.search(around) or (cover and _CONSENT.search(cover) and _CONSENT.search(element.name)):
            points += 4
        if page.is_in_modal(state, element):
            points += 6
        if element.cover:
            points -= 8
        if page.is_aside(element) and not _CONSENT.search(around):
            points -= 4
        if best is None or points > best[0]:
            best = (points, element)
    if best is None or (cover and best[0] < 6):
        return None
    return best[1]


def rank_of(element: Element) -> int | None:
    """0 for refusing to 3 for closing; None for a control that is no way out."""
    name = element.name or element.text
    if name.strip() in _CLOSERS:
        return 3
    folded = fold(name)
    return next((rank for rank, pattern in enumerate(_PATTERNS) if pattern.match(folded)), None)


def close_dialog(sit: Situation, why: str) -> Act:
    """Close what is open over the page."""
    closer = way_out(sit.state, sit.state.modal)
    escape = Variant((PressKey(key="Escape"),), name="B" if closer else "A")
    if closer is None:
        return Act((escape,), why=why)
    return Act((Variant((ClickElement(target=sit.ref(closer)),)), escape), why=why)


def _is_about(cover: str, around: str, element: Element) -> bool:
    words = {token for token in tokens(cover) if len(token) > 3}
    have = set(tokens(around)) | set(tokens(element.name))
    return bool(words & have) or any(similarity(cover, text) > 70 for text in element.context)
