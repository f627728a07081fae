# ruff: noqa: E501 - a pattern or a list of words reads best on one line
"""Which control of a form goes on, and which one carries the verb of the goal."""

from __future__ import annotations

import re

from operative_app.core.screen import Element, ElementState, ScreenState, TextBlock
from operative_app.planning.builtin import page
from operative_app.planning.builtin.words import fold, has_phrase

_VERBS: dict[str, str] = {
    "book": r"book|reserve|buchen|reservieren|confirm|pay",
    "reserve": r"reserve|book|reservieren|buchen|confirm",
    "order": r"(?:place|submit|confirm|complete|send|finish) .*order|order(?: now)?|buy(?: now)?|pay|purchase|.*bestellen|order and pay",
    "create": r"create|add|save|make|anlegen|erstellen",
    "subscribe": r"subscribe|sign ?up|signup|join|abonnieren|anmelden|register|count me in",
    "register": r"register|subscribe|create .*account|signup|join|registrieren|anmelden",
    "convert": r"convert|transform|umwandeln|konvertieren|start",
    "search": r"search|find|show|suchen|suche",
    "schedule": r"schedule|book|confirm|plan|save",
    "send": r"send|submit|senden|absenden",
    "rent": r"rent|book|reserve|hire|mieten",
    "request": r"request|submit|send|anfordern|beantragen",
    "apply": r"apply|submit|send|bewerben",
    "invite": r"invite|send",
    "generate": r"generate|create",
    "join": r"join|signup|subscribe",
}
_SAME_VERB = {
    "buy": "order", "purchase": "order", "place": "order", "sign up": "register", "make": "create", "transform": "convert", "hire": "rent",
}  # fmt: skip
_ANY_LAST = r"submit|confirm|finish|complete|done|send|absenden|bestätigen"
_NOT_LAST = re.compile(
    r"\b(?:review|view|edit|back|cancel|track|history|my|your|again|another|how|learn|about|remove|delete|change|compare|empty|clear|reset|signin|signout"
    r"|continue shopping|import|zuruck|abbrechen)\b|^(?:add to|add)\b.*\b(?:order|cart|basket|bag)\b"
)
_FORWARD: tuple[tuple[str, float], ...] = (
    (r"(?:save and )?(?:continue|next|proceed|go on|weiter|fortfahren)\b.*", 95),
    (r"(?:search|find|show|suchen|suche|see|check)\b.*", 90),
    (
        r"(?:review|check ?out|checkout|go to (?:checkout|cart)|proceed to .*|view (?:cart|basket|order)|zur kasse|to (?:payment|review).*)\b.*",
        88,
    ),
    (r"(?:select|choose|pick|take|book|reserve|auswahlen|wahlen|buchen)\b.*", 85),
    (r"(?:done|apply|ok|confirm)\b.*", 60),
)
_PATTERNS = tuple((re.compile(f"^(?:{pattern})$"), worth) for pattern, worth in _FORWARD)
_CONFIRMED = re.compile(
    r"\b(?:thank you|thanks|confirmed|confirmation|success(?:ful(?:ly)?)?|created|booked|reserved|subscribed|registered|received|completed?|sent|saved"
    r"|placed|ordered|converted|ready|done|welcome|on its way|you are in|danke|bestatigt|gebucht|bestellt|erstellt|angelegt|abonniert|erfolgreich|gespeichert"
    r"|(?:order|booking|reservation|reference|confirmation|bestell|buchungs)(?: )?(?:number|no|id|code|nummer)?(?: is)? ?#?[a-z]{0,4}\d{3,})\b"
)
_REFUSED = re.compile(
    r"\b(?:error|invalid|required|failed|wrong|missing|problem|must|cannot|could not|please (?:enter|choose|fill|select|accept|check)|fehler|ungultig|bitte)\b"
)


def carries(element: Element, verb: str, thing: str) -> float:
    """How surely the control does what the goal says, 0 to 100; 0 for one that does something else."""
    name = fold(element.name or element.text)
    if element.role not in {"button", "link", "clickable", "menuitem"} or not name or len(name) > 60:
        return 0.0
    if _NOT_LAST.search(name):
        return 0.0
    verb = _SAME_VERB.get(verb, verb)
    pattern = _VERBS.get(verb, re.escape(fold(verb)))
    points = 0.0
    if re.match(rf"^(?:{pattern})\b", name):
        points = 80.0
    elif re.search(rf"\b(?:{pattern})$", name):
        points = 74.0
    elif re.match(rf"^(?:{_ANY_LAST})\b", name):
        points = 60.0
    if not points:
        return 0.0
    if re.match(rf"^{re.escape(fold(verb))}\b", name):
        points += 4
    if thing and has_phrase(name, fold(thing).split()[-1]):
        points += 12
    points += 3 if element.role == "button" else -4
    return points


def last_control(state: ScreenState, verb: str, thing: str) -> Element | None:
    """The control that carries the verb, outside of lists and of the page's frame before those inside."""
    scored = []
    for one in state.elements:
        points = carries(one, verb, thing)
        if not points or (state.modal and not page.is_in_modal(state, one)):
            continue
        points -= 25 if page.is_aside(one) else 0
        points -= 20 if one.list_index >= 0 and _has_twins(state, one) else 0
        points -= 2 if one.has(ElementState.DISABLED) else 0
        scored.append((points, one))
    best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] >= 50 else None


def entry_control(state: ScreenState, verb: str, thing: str) -> Element | None:
    """The control that leads to the form of the goal: “New repository”, “Create repository”, “Book a table”."""
    nouns = [word for word in fold(thing).split() if len(word) > 2]
    scored = []
    for one in state.elements:
        name = fold(one.name or one.text)
        if (
            one.role not in {"button", "link", "clickable", "menuitem"}
            or not name
            or (state.modal and not page.is_in_modal(state, one))
        ):
            continue
        has_noun = any(has_phrase(name, noun) or has_phrase(name, noun.rstrip("s")) for noun in nouns)
        is_new = re.match(r"^(?:new|create|add|neu(?:es|e|er)?|start|\+)\b", name) is not None
        points = carries(one, verb, thing)
        if has_noun and is_new:
            points = max(points, 95.0)
        elif is_new and verb in {"create", "make"} and len(name.split()) <= 2:
            points = max(points, 70.0)
        elif has_noun and len(name.split()) <= 3 and not _NOT_LAST.search(name):
            points = max(points, 62.0)
        if points:
            scored.append((points - (3 if page.is_aside(one) else 0), one))
    best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] >= 55 else None


def forward_controls(state: ScreenState) -> list[tuple[float, Element]]:
    """Controls that go on to the next page of a form, best first; a result list counts once, by its first row."""
    found: list[tuple[float, Element]] = []
    for one in state.elements:
        name = fold(one.name or one.text)
        if one.role not in {"button", "link", "clickable"} or not name or len(name) > 60 or page.is_aside(one):
            continue
        if state.modal and not page.is_in_modal(state, one):
            continue
        worth = next((worth for pattern, worth in _PATTERNS if pattern.match(name)), 0.0)
        if not worth or re.search(
            r"\b(?:another|change|new|shopping|all|more|less|image|picture|filter|calendar|password)\b", name
        ):
            continue
        if re.match(r"(?:choose|select|pick)\b.*\b(?:date|file|day|time)\b", name):
            continue
        points = worth + (3 if one.role == "button" else -3) - (30 if one.has(ElementState.DISABLED) else 0)
        if one.has(ElementState.POPUP):
            points -= 40
        if points > 30:
            found.append((points, one))
    return sorted(found, key=lambda pair: -pair[0])


def twins(state: ScreenState, element: Element) -> list[Element]:
    """The control of the same name in each item of a list, itself among them; only itself outside of lists."""
    if element.list_index < 0 and element.row < 0:
        return [element]
    same = [
        one
        for one in state.elements
        if one.role == element.role
        and _bare(one) == _bare(element)
        and one.frame == element.frame
        and (one.list_index >= 0 or one.row >= 0)
    ]
    return same or [element]


def confirmation(before: ScreenState, after: ScreenState, value: str = "") -> str:
    """The new words that confirm; "" when there are none."""
    old = {block.text for block in before.texts}
    fresh = [block for block in after.texts if block.text not in old and len(block.text) < 240]
    for block in sorted(fresh, key=_weight):
        folded = fold(block.text)
        if _CONFIRMED.search(folded) and not _REFUSED.search(folded):
            return block.text
    if value and before.url != after.url:
        for block in fresh:
            if block.role == "heading" and has_phrase(block.text, value):
                return block.text
    if value and before.url != after.url and has_phrase(after.title, value):
        return after.title
    files = [file for file in after.downloads if file not in before.downloads]
    return f"“{files[0].name}” was downloaded" if files else ""


def complaints(before: ScreenState | None, after: ScreenState) -> list[str]:
    """What the page says is wrong."""
    old = {block.text for block in before.texts} if before else set()
    found = [
        block.text for block in after.texts if block.role in {"alert", "status"} and _REFUSED.search(fold(block.text))
    ]
    found += [
        block.text for block in after.texts
        if block.text not in old and block.text not in found and len(block.text) < 120 and block.role != "heading" and _REFUSED.search(fold(block.text)) and before is not None
    ]  # fmt: skip
    return found


def _weight(block: TextBlock) -> tuple[int, int]:
    return ({"alert": 0, "status": 0, "heading": 1}.get(block.role, 2), block.level)


def _bare(element: Element) -> str:
    return re.sub(r"\d[\d.,:]*", "#", fold(element.name or element.text))


def _has_twins(state: ScreenState, element: Element) -> bool:
    return len(twins(state, element)) > 1
