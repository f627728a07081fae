# ruff: noqa: E501 - a pattern or a list of words reads best on one line
"""Which field of a page a detail of the goal belongs to: labels compared through small sets of words of one meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass

from operative_app.core.screen import Element, ElementState, ScreenState
from operative_app.planning.builtin import calendars, dateparts, page
from operative_app.planning.builtin.words import GOOD, fold, similarity

SYNONYMS: dict[str, tuple[str, ...]] = {
    "origin": ("from", "origin", "departure", "departure airport", "flying from", "leaving from", "departing from", "starting point", "pick-up location", "where from", "von", "start", "abflug", "startbahnhof"),
    "destination": ("to", "destination", "arrival", "arrival airport", "going to", "flying to", "where to", "drop-off location", "nach", "ziel", "ankunft"),
    "location": ("location", "where", "place", "city", "destination", "ort"),
    "date": ("date", "departure date", "departure", "depart", "day", "when", "travel date", "outbound", "start date", "check-in", "arrival date", "datum", "reisedatum", "hinfahrt", "tag", "pick a date"),
    "return date": ("return date", "return", "returning", "inbound", "check-out", "end date", "rückfahrt", "rückflug", "back"),
    "start date": ("start date", "from", "start", "first day", "begin", "von"),
    "end date": ("end date", "until", "to", "end", "last day", "check-out", "return", "bis"),
    "time": ("time", "at", "hour", "uhrzeit", "arrival time", "pick-up time"),
    "people": ("people", "guests", "party size", "number of people", "number of guests", "passengers", "travellers", "persons", "adults", "covers", "personen", "gäste", "reisende"),
    "passenger": ("passenger", "traveller", "traveler", "lead passenger", "passenger name", "full name", "name", "who is flying", "guest", "reisender", "fahrgast", "guest name"),
    "guest": ("guest", "guest name", "full name", "name", "gast"),
    "name": ("name", "full name", "your name", "title", "reservation name", "who", "recipient", "vollständiger name"),
    "e-mail": ("e-mail", "e-mail address", "your e-mail", "mail", "contact e-mail", "e-mail-adresse"),
    "phone": ("phone", "telephone", "mobile", "contact number", "telefon"),
    "description": ("description", "details", "about", "summary", "notes", "beschreibung", "purpose"),
    "title": ("title", "subject", "name", "heading", "titel", "betreff"),
    "subject": ("subject", "title", "betreff", "topic"),
    "message": ("message", "text", "comment", "your message", "content", "nachricht", "body"),
    "quantity": ("quantity", "amount", "number", "how many", "pieces", "menge", "anzahl"),
    "format": ("format", "output format", "image format", "convert to", "file type", "save as", "output", "type", "zielformat"),
    "visibility": ("visibility", "privacy", "access", "who can see", "sichtbarkeit"),
    "address": ("address", "street", "street and number", "street address", "adresse"),
    "street": ("street", "street and number", "address", "straße"),
    "colour": ("colour", "color", "farbe"),
    "size": ("size", "größe"),
}  # fmt: skip
_SAME_SLOT = {
    "email": "e-mail", "e-mail address": "e-mail", "email address": "e-mail", "mail": "e-mail", "traveller": "passenger", "traveler":
    "passenger", "guests": "people", "passengers": "people", "adults": "people", "color": "colour", "telephone": "phone",
    "phone number": "phone", "amount": "quantity", "full name": "name", "text": "message", "note": "message", "notes": "message",
}  # fmt: skip
OPTIONAL = frozenset({"format"})
"""Details a page need not ask for."""

CHOICES = frozenset({"passenger", "guest", "option", "format", "visibility", "size", "colour", "delivery", "payment", "class", "cabin", "type", "category", "priority"})  # fmt: skip
"""Details that may be offered as things to choose instead of fields."""

_DATES = frozenset({"date", "return date", "start date", "end date"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a detail goes: a field, or (`is_choice`) the very choice that is meant."""

    element: Element
    score: float
    is_choice: bool = False


def place_for(state: ScreenState, slot: str, value: str) -> Place | None:
    """The best place for the detail on this screen; None when the page does not ask for it."""
    slot = _SAME_SLOT.get(slot.casefold(), slot)
    names = SYNONYMS.get(slot.casefold(), (slot,))
    best: Place | None = None
    for element in state.elements:
        if not page.is_field(element) or element.has(ElementState.PASSWORD) or element.has(ElementState.DISABLED):
            continue
        if state.modal and not page.is_in_modal(state, element):
            continue
        if page.is_aside(element) and slot not in {"e-mail"}:
            continue
        if element.role == "searchbox" and slot not in {"location", "destination", "query"}:
            continue
        score = _score(state, slot, names, element)
        if score >= GOOD and (best is None or score > best.score):
            best = Place(element, score)
    choice = _choice(state, slot, names, value)
    if choice is not None and (
        best is None or choice.score >= best.score or (not best.element.value and choice.score >= 85)
    ):
        return choice
    return best


def name_parts(state: ScreenState, value: str) -> list[tuple[Element, str]]:
    """First-name and last-name fields with their parts of a person's name; empty when the page has not both."""
    words = value.split()
    if len(words) < 2:
        return []
    parts = {"first name": " ".join(words[:-1]), "last name": words[-1]}
    found = []
    for label, text in parts.items():
        names = (label, *({"vorname"} if label == "first name" else {"nachname"}))
        scored = [
            (max(similarity(name, one.name) for name in names), one) for one in state.elements
            if page.takes_text(one) and not (state.modal and not page.is_in_modal(state, one))
        ]  # fmt: skip
        score, element = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        if element is None or score < 80:
            return []
        found.append((element, text))
    return found


def _score(state: ScreenState, slot: str, names: tuple[str, ...], element: Element) -> float:
    label = re.sub(r"(?i)\s*\((?:optional|required)\)|\*", "", element.name).strip()
    best = 0.0
    for place, name in enumerate(names):
        likeness = similarity(name, label)
        if likeness < 90 and len(fold(name)) <= 4:
            likeness = 0.0  # “to”, “at”, “von” count only as the whole label
        if likeness < GOOD and element.placeholder and element.placeholder != element.name:
            likeness = similarity(name, element.placeholder) * 0.9 if len(fold(name)) > 4 else 0.0
        if element.context and dateparts.part_of(element) == "day":
            likeness = max(likeness, similarity(name, element.context[-1]) * 0.98)
        best = max(best, likeness - place * 0.4)
    is_date = element.input_type in {"date", "datetime-local"} or calendars.is_date_control(state, element)
    if slot in _DATES:
        best += 6 if is_date else -8
        if (
            is_date
            and best < GOOD
            and slot == "date"
            and re.search(r"(?i)date|datum|day", f"{element.name} {element.placeholder}")
            and not re.search(r"(?i)birth|return|geburt|expir", element.name)
        ):
            best = GOOD
    elif is_date and slot not in {"time"}:
        best -= 30
    if slot == "e-mail" and element.input_type == "email":
        best = max(best, 90.0)
    if slot in {"passenger", "guest", "name", "title"} and re.search(
        r"(?i)first|last|user|company|file|card|vorname|nachname|number of|passengers$", element.name
    ):
        best -= 30
    return best


def _choice(state: ScreenState, slot: str, names: tuple[str, ...], value: str) -> Place | None:
    """A radio button, card, pill or button that is the value itself."""
    best: Place | None = None
    for element in state.elements:
        if (
            element.role not in page.CHOICE_ROLES | {"button", "clickable"}
            or element.has(ElementState.DISABLED)
            or page.is_aside(element)
        ):
            continue
        if state.modal and not page.is_in_modal(state, element):
            continue
        likeness = max(similarity(value, element.name), similarity(value, element.text))
        if likeness < GOOD:
            continue
        around = max((similarity(name, text) for name in names for text in element.context if text), default=0.0)
        if around < GOOD and (slot not in CHOICES or likeness < 80):
            continue
        is_plain_button = element.role in {"button", "clickable"} and not element.has(ElementState.PRESSED)
        score = (
            likeness
            + (6 if around >= GOOD else 0)
            - (10 if is_plain_button and slot not in {"option", "passenger"} else 0)
        )
        if best is None or score > best.score:
            best = Place(element, score, is_choice=True)
    return best
