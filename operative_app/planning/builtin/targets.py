# ruff: noqa: E501 - a pattern or a list of words reads best on one line
"""Reads the description of something on the page: “the second “Edit” under Billing”."""

from __future__ import annotations

import re

from operative_app.planning.builtin.instruction import LAST, ORDINALS, Region, Relation, Superlative, Target
from operative_app.planning.builtin.masking import PART, Masked, PartKind

KINDS = {
    "button": "button", "btn": "button", "link": "link", "hyperlink": "link", "result": "result", "hit": "result",
    "match": "result", "row": "row", "line": "row", "entry": "item", "item": "item", "tab": "tab", "checkbox": "checkbox",
    "check box": "checkbox", "tickbox": "checkbox", "switch": "switch", "toggle": "switch", "option": "option", "choice":
    "option", "radio button": "option", "radio": "option", "field": "field", "box": "field", "text box": "field",
    "text field": "field", "input": "field", "input field": "field", "textbox": "field", "text area": "field",
    "dropdown": "list", "drop-down": "list", "drop down": "list", "combobox": "list", "select": "list",
    "drop-down list": "list", "dropdown list": "list", "dropdown menu": "list", "list": "list", "menu item": "menu item",
    "menu entry": "menu item", "menu": "menu", "icon": "icon", "image": "image", "picture": "image", "product": "product",
    "card": "item", "article": "item", "post": "item", "flight": "item", "hotel": "item", "offer": "item", "one": "item",
    "heading": "heading", "slider": "slider", "invoice": "item", "message": "item", "ticket": "item", "story": "item",
    "file": "item", "folder": "item", "page": "item", "mail": "item", "email": "item", "e-mail": "item",
    "conversation": "item", "thread": "item", "booking": "item", "train": "item",
}  # fmt: skip
_KIND = "(?:" + "|".join(sorted(map(re.escape, KINDS), key=len, reverse=True)) + ")"
_ORDINALS = {word: number for number, word in enumerate(ORDINALS) if word} | {
    "last": LAST, "final": LAST, "bottom": LAST, "top": 1, "next": 0,
}  # fmt: skip
_SUPERLATIVES = {
    "cheapest": Superlative.CHEAPEST, "lowest priced": Superlative.CHEAPEST, "least expensive": Superlative.CHEAPEST,
    "lowest price": Superlative.CHEAPEST, "most expensive": Superlative.DEAREST, "dearest": Superlative.DEAREST,
    "priciest": Superlative.DEAREST, "shortest": Superlative.SHORTEST, "fastest": Superlative.SHORTEST,
    "quickest": Superlative.SHORTEST, "longest": Superlative.LONGEST, "newest": Superlative.NEWEST,
    "most recent": Superlative.NEWEST, "oldest": Superlative.OLDEST, "best rated": Superlative.BEST, "best-rated":
    Superlative.BEST, "highest rated": Superlative.BEST, "top rated": Superlative.BEST, "top-rated": Superlative.BEST,
    "earliest": Superlative.EARLIEST,
}  # fmt: skip
SUPERLATIVE = "(?:" + "|".join(sorted(map(re.escape, _SUPERLATIVES), key=len, reverse=True)) + ")"
ORDINAL = r"(?:\d+(?:st|nd|rd|th)|" + "|".join(word for word in _ORDINALS if word != "next") + ")"
_WHICH = re.compile(rf"^(?:the\s+)?(?P<which>{ORDINAL}|{SUPERLATIVE})(?:\s+(?=\S)|$)", re.IGNORECASE)
_NUMBERED = re.compile(
    r"^(?:the\s+)?(?P<kind>result|row|item|entry|line|link|button|tab)\s+(?:number\s+|no\.?\s*|#)?(?P<n>\d+)$", re.I
)
_DETERMINER = re.compile(r"^(?:the|a|an|my|this|that|your|its|some|any)\s+", re.IGNORECASE)
_KIND_AHEAD = re.compile(
    rf"^(?P<kind>{_KIND})\s+(?:called\s+|named\s+|labell?ed\s+|that says\s+|with the text\s+|for\s+(?={PART}))?(?P<rest>\S.*)$",
    re.I,
)
_KIND_BEHIND = re.compile(rf"^(?P<rest>\S.*?)\s+(?P<kind>{_KIND})s?$", re.IGNORECASE)
_PLACES = "dialog|popup|pop-up|modal|window|overlay|drawer|panel|section|area|table|list|menu|header|footer|sidebar|side bar|navigation|nav|toolbar|navigation bar|nav bar|form|card|box|group|frame|banner|main content|page|top bar|tab"
_REGIONS = tuple(
    (re.compile(pattern, re.IGNORECASE), relation)
    for pattern, relation in (
        (rf"^(?P<head>.+?)\s+(?:in|on|of|from|at)\s+(?:the\s+)?(?P<which>{ORDINAL})\s+(?:row|line|entry|item|result|card)$", Relation.ROW),
        (r"^(?P<head>.+?)\s+(?:in|on|of|from)\s+(?:the\s+)?(?:row|line)\s+(?:number\s+)?(?P<n>\d+)$", Relation.ROW),
        (r"^(?P<head>.+?)\s+(?:in|on|of|from)\s+(?:the\s+)?(?:row|line|entry)\s+(?:for|of|with|containing|named|called)?\s*(?P<name>\S.*)$", Relation.ROW),
        (r"^(?P<head>.+?)\s+(?:in|on|of|from)\s+(?:the\s+)?(?P<name>\S.*?)(?:['’]s)?\s+(?:row|line)$", Relation.ROW),
        (rf"^(?P<head>.+?)\s+(?:in|on|inside|within|at)\s+(?:the\s+|this\s+)?(?P<kind>{_PLACES})(?:\s+(?:called|named)?\s*(?P<name>\S.*))?$", Relation.IN),
        (rf"^(?P<head>.+?)\s+(?:in|on|inside|within|at|from)\s+(?:the\s+)?(?P<name>\S.*?)\s+(?P<kind>{_PLACES})$", Relation.IN),
        (r"^(?P<head>.+?)\s+(?:next to|beside|to the (?:right|left) of|near)\s+(?:the\s+)?(?P<name>\S.*)$", Relation.NEXT_TO),
        (r"^(?P<head>.+?)\s+(?:under|below|underneath|beneath)\s+(?:the\s+)?(?P<name>\S.*)$", Relation.UNDER),
        (r"^(?P<head>.+?)\s+above\s+(?:the\s+)?(?P<name>\S.*)$", Relation.ABOVE),
        (r"^(?P<head>.+?)\s+for\s+(?:the\s+)?(?P<name>\S.*)$", Relation.FOR),
        (r"^(?P<head>.+?)\s+(?:in|inside|within)\s+(?:the\s+)?(?P<name>\S.*)$", Relation.IN),
    )
)  # fmt: skip
_OF_KIND = re.compile(
    rf"^(?:the\s+)?(?:(?P<which>{ORDINAL})\s+)?(?P<kind>[\w-]+)\s+(?:from|by|about|called|named|titled)\s+(?:the\s+)?(?P<name>\S.*)$",
    re.I,
)
_PRONOUN = re.compile(r"^(?:it|this|that|them|this one|that one|the form)$", re.IGNORECASE)


def read_target(text: str, goal: Masked) -> Target:
    """The target that masked words describe; its name is "" for “it”."""
    of_kind = _OF_KIND.match(text.strip())
    if of_kind and KINDS.get(of_kind["kind"].casefold()) == "item":
        which = _ordinal_of(of_kind["which"] or "")
        return Target("", "item", which, None, Region(Relation.FOR, bare_name(of_kind["name"], goal)))
    region, head = read_region(text, goal)
    if region is not None and head.casefold() == "the item":
        return Target("", "item", region=region)
    return _read_head(head, goal, region)


def read_region(text: str, goal: Masked) -> tuple[Region | None, str]:
    """The region at the end of the words, and the words before it."""
    text = text.strip()
    for pattern, relation in _REGIONS:
        found = pattern.match(text)
        if not found:
            continue
        groups = found.groupdict()
        name = bare_name(groups.get("name") or "", goal)
        ordinal = _ordinal_of(groups.get("which") or "") or int(groups.get("n") or 0)
        kind = _place_of(groups.get("kind") or "")
        if (
            relation is Relation.IN
            and not kind
            and re.match(r"(?i)(?:a|an|one|new|full|all|stock)\b", groups.get("name") or "")
        ):
            continue
        return Region(relation, name, ordinal, kind), found["head"].strip()
    return None, text


def bare_name(text: str, goal: Masked) -> str:
    """A name without determiner; a quotation stays exactly as it is."""
    text = text.strip()
    if goal.kind_of(text) is PartKind.QUOTE:
        return goal.reveal(text)
    return goal.reveal(_DETERMINER.sub("", text))


def which_of(word: str) -> tuple[int, Superlative | None]:
    """The ordinal or the superlative that a word says."""
    folded = word.casefold()
    return _ordinal_of(folded), _SUPERLATIVES.get(folded)


def _read_head(text: str, goal: Masked, region: Region | None) -> Target:
    text = text.strip()
    if _PRONOUN.match(text):
        return Target(region=region)
    numbered = _NUMBERED.match(text)
    if numbered:
        return Target(kind=KINDS[numbered["kind"].casefold()], ordinal=int(numbered["n"]), region=region)
    ordinal, superlative = 0, None
    which = _WHICH.match(text)
    if which:
        ordinal, superlative = which_of(which["which"])
        text = text[which.end() :]
        if not text:
            return Target("", "item", ordinal, superlative, region)
    if goal.kind_of(text) is PartKind.QUOTE:
        return Target(goal.reveal(text), "", ordinal, superlative, region)
    text = _DETERMINER.sub("", text)
    kind = KINDS.get(text.casefold().removesuffix("s") if text.casefold() not in KINDS else text.casefold(), "")
    if kind and (which or kind not in {"list", "menu", "switch"}) and (which or kind == "field"):
        return Target("", kind, ordinal or (0 if superlative else 1), superlative, region)
    ahead = _KIND_AHEAD.match(text)
    if ahead and (
        goal.kind_of(ahead["rest"]) or which or ahead["kind"].casefold() in {"button", "link", "tab", "checkbox"}
    ):
        return Target(bare_name(ahead["rest"], goal), KINDS[ahead["kind"].casefold()], ordinal, superlative, region)
    behind = _KIND_BEHIND.match(text)
    if behind and (
        KINDS[behind["kind"].casefold()] not in {"item", "product", "image", "result"}
        or which
        or goal.kind_of(behind["rest"])
    ):
        return Target(bare_name(behind["rest"], goal), KINDS[behind["kind"].casefold()], ordinal, superlative, region)
    return Target(goal.reveal(text), "", ordinal, superlative, region)


def _ordinal_of(word: str) -> int:
    folded = word.casefold()
    if folded[:1].isdigit():
        return int(re.sub(r"\D", "", folded))
    return _ORDINALS.get(folded, 0)


def _place_of(word: str) -> str:
    folded = word.casefold()
    same = {"popup": "dialog", "pop-up": "dialog", "modal": "dialog", "window": "dialog", "overlay": "dialog",
            "nav": "navigation", "navigation bar": "navigation", "nav bar": "navigation", "side bar": "sidebar",
            "top bar": "header"}  # fmt: skip
    return same.get(folded, folded)
