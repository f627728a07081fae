# ruff: noqa: E501 - a pattern or a list of words reads best on one line
"""The rows of the grammar that come before `phrases.ROWS`: all of them on the desktop, `SHARED_ROWS` on pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from operative_app.planning.builtin.desktop_instruction import (
    CloseProgram,
    Edit,
    EditStep,
    GiveFile,
    ListWindows,
    MenuPath,
    OpenProgram,
    ReadClip,
    ReadText,
    RunProgram,
    SaveAs,
    SwitchProgram,
    TakePicture,
    WriteClip,
)
from operative_app.planning.builtin.instruction import Clause, Gesture, GoTo, Press, Several, Target
from operative_app.planning.builtin.masking import PART, Masked, PartKind, is_address
from operative_app.planning.builtin.targets import bare_name

Found = re.Match[str]
Builder = Callable[[Found, Masked, date], Clause | None]

VERBS = frozenset(
    (  # noqa: SIM905 - a list of words
        "start launch run execute quit exit cut copy paste undo rename bring save minimise minimize maximise maximize "
        "screenshot double-click right-click press click hit tap type"
    ).split()
)
"""Verbs that begin a clause on the desktop beside those of `clauses.VERBS`."""

ALONE = frozenset("copy cut paste undo save quit exit".split())  # noqa: SIM905 - a list of words
"""Those that may stand without anything behind them."""

SHARED_ALONE = frozenset(("copy", "cut", "paste"))
"""Those of them that begin a clause for a page too."""

_PROGRAM = r"(?:program(?:me)?|app|application)"
_ON_SCREEN = re.compile(
    r"^(?:(?:the|a|an|this|that|my)\s+)?(?:(?:first|second|third|fourth|fifth|last|\d+(?:st|nd|rd|th))\b|(?:new\s+)?(?:file|folder|directory|item|icon|row|line|entry|tab|link|button|dialog|drop-?down|list|result)\b)|\s(?:tab|link|button|folder|icon|row|item|entry|drop-?down|list|dialog)$",
    re.IGNORECASE,
)
_IN_THE_WAY = re.compile(
    r"^(?:(?:the|this|that|any)\s+)?(?:dialog|dialogue|pop-?up|menu|message|notice|notification|banner|tab|box|question|panel|sidebar)\b|\s(?:dialog|dialogue|pop-?up|menu|message|notice|tab|panel)$",
    re.IGNORECASE,
)
_IT = re.compile(
    r"^(?:it|this|that|(?:the|this|that)(?: current| active| open)? (?:window|program|programme|app|application))$",
    re.IGNORECASE,
)
_PATH = re.compile(r"^(?:~?/|[A-Za-z]:[\\/])\S")


def _program(words: str, goal: Masked) -> str:
    """A program's name without “the” and “program”; a quotation stays exactly as it is."""
    words = words.strip()
    if goal.kind_of(words) is PartKind.QUOTE:
        return goal.reveal(words)
    words = re.sub(rf"(?i)^(?:the|an?|my)\s+(?:{_PROGRAM}\s+(?:called\s+|named\s+)?)?", "", words)
    words = re.sub(rf"(?i)\s+(?:{_PROGRAM}|window)$", "", words)
    return goal.reveal(words)


def _open(found: Found, goal: Masked, today: date) -> Clause | None:
    words = found["app"].strip()
    if goal.kind_of(words) is None and _ON_SCREEN.search(words):
        return None
    app = _program(words, goal)
    return OpenProgram(app) if app and not is_address(app) else None


def _open_item(found: Found, goal: Masked, today: date) -> Clause | None:
    """“open the folder Documents”: something on the screen with that name."""
    return Press(Target(bare_name(found["name"], goal), "item"), Gesture.OPEN)


def _open_file(found: Found, goal: Masked, today: date) -> Clause | None:
    file = goal.reveal(re.sub(r"(?i)^(?:the )?(?:file|folder|document)\s+", "", found["file"].strip()))
    if not (_PATH.match(file) or re.match(r"https?://", file)):
        return None
    return OpenProgram(_program(found["app"], goal), file)


def _close(found: Found, goal: Masked, today: date) -> Clause | None:
    words = found["app"].strip()
    if goal.kind_of(words) is None:
        if _IT.match(words):
            return CloseProgram(discards=_discards(found))
        if _IN_THE_WAY.search(words):
            return None
    return CloseProgram(_program(words, goal), _discards(found))


def _discards(found: Found) -> bool:
    return bool(found.groupdict().get("discards"))


def _switch(found: Found, goal: Masked, today: date) -> Clause | None:
    words = found["app"].strip()
    if goal.kind_of(words) is None and re.search(r"(?i)\b(?:tab|page|field|line|row|on|off)$", words):
        return None
    return SwitchProgram(_program(words, goal))


def _menu(found: Found, goal: Masked, today: date) -> Clause | None:
    parts = tuple(" ".join(part.split()) for part in re.split(r"\s*(?:->|[>→▸»|])\s*", goal.reveal(found["path"])))
    return MenuPath(parts) if all(parts) else None


def _menu_entry(found: Found, goal: Masked, today: date) -> Clause | None:
    entry = goal.reveal(re.sub(r"(?i)^the\s+|\s+(?:entry|item|command)$", "", found["entry"].strip()))
    return MenuPath((goal.reveal(found["menu"].strip()), entry))


def _save(found: Found, goal: Masked, today: date) -> Clause | None:
    words = re.sub(r"(?i)^(?:the )?file\s+", "", found["path"].strip())
    return SaveAs(goal.reveal(words))


def _file(found: Found, goal: Masked, today: date) -> Clause | None:
    path = goal.reveal(found["path"].strip())
    return GiveFile(path) if _PATH.match(path) or found.groupdict().get("dialog") else None


def _read(found: Found, goal: Masked, today: date) -> Clause | None:
    words = (found.groupdict().get("what") or "").strip()
    if not words or (
        goal.kind_of(words) is None
        and re.fullmatch(r"(?i)(?:the |this )?(?:window|screen|program|file|document|it)", words)
    ):
        return ReadText()
    return ReadText(goal.reveal(re.sub(r"(?i)^(?:the|my)\s+", "", words) if goal.kind_of(words) is None else words))


def _paste(found: Found, goal: Masked, today: date) -> Clause | None:
    words = (found.groupdict().get("where") or "").strip()
    paste = EditStep(Edit.PASTE)
    if not words:
        return paste
    place = GoTo(_program(words, goal)) if goal.is_desktop else Press(Target(bare_name(words, goal)))
    return Several((place, paste))


def _copy(found: Found, goal: Masked, today: date) -> Clause | None:
    words = (found.groupdict().get("what") or "").strip()
    if goal.kind_of(words) is PartKind.QUOTE:
        return None
    if re.search(r"(?i)\b(?:all|everything|whole)\b", words):
        return Several((EditStep(Edit.SELECT_ALL), EditStep(Edit.COPY)))
    return EditStep(Edit.COPY)


def _simple(clause: Clause) -> Builder:
    return lambda found, goal, today: clause


PROGRAM_AHEAD = re.compile(
    rf"^(?:in|with|using)\s+(?:the\s+)?(?P<app>{PART}|[^,:]{{1,40}}?)\s*[,:]\s*(?P<rest>\S.*)$", re.IGNORECASE
)
"""“In Mousepad, …”: the program comes to the front, then the rest."""


def program_ahead(found: Found, goal: Masked) -> SwitchProgram | None:
    """The program that is named ahead of a clause; None when that is a part of a window."""
    words = found["app"]
    if goal.kind_of(words) is None and re.search(
        r"(?i)\b(?:dialog|dialogue|pop-?up|menu|list|table|row|section|panel|field|form|toolbar|sidebar|tab|page|group|area)\b",
        words,
    ):
        return None
    return SwitchProgram(_program(words, goal))


_SELECTION = r"(?:it|that|this|them|the (?:selection|selected (?:text|part|word|line)|text|word|line)|what is selected|(?:all|everything)(?: of it)?|all (?:of )?the text|the whole text)"

SHARED_ROWS: tuple[tuple[str, Builder], ...] = (
    (r"(?:(?:take|make|grab|capture)\s+(?:(?:an?|the)\s+)?(?:screen ?shot|(?:picture|photo|capture)\s+of\s+(?:the\s+)?(?:whole\s+)?(?:screen|desktop))|screen ?shot)(?:\s+of\s+(?:the\s+)?(?:whole\s+)?(?:screen|desktop))?", _simple(TakePicture())),
    (r"(?:tell\s+(?:me\s+)?)?(?:what(?:['’]?s| is)\s+(?:on|in)|(?:read|show|tell)\s+(?:me\s+)?(?:the\s+(?:text|content|contents)\s+(?:of|on|in)\s+)?)\s*(?:the\s+|my\s+)?clipboard(?:\s+(?:contains|holds|has))?", _simple(ReadClip())),
    (rf"(?:put|write|place|copy|store)\s+(?P<text>{PART})\s+(?:on|in|into|onto|to)\s+(?:the\s+|my\s+)?clipboard", lambda found, goal, today: WriteClip(goal.written(found["text"]))),
    (r"(?:select|mark|highlight)\s+(?:all|everything)(?:\s+(?:of\s+)?(?:the|its)\s+text|\s+of\s+it)?|select\s+(?:all\s+)?the\s+(?:whole\s+)?text", _simple(EditStep(Edit.SELECT_ALL))),
    (rf"copy(?:\s+(?P<what>{_SELECTION}))?(?:\s+to\s+the\s+clipboard)?", _copy),
    (rf"cut(?:\s+{_SELECTION})?(?:\s+out)?", _simple(EditStep(Edit.CUT))),
    (r"paste(?:\s+(?:it|that|this|the (?:text|clipboard|copied text)|what (?:was|you|I) copied))?(?:\s+(?:here|there|(?:in|into|to)\s+(?P<where>\S.*)))?", _paste),
    (r"undo(?:\s+(?:it|that|this|the last (?:change|step|edit)))?", _simple(EditStep(Edit.UNDO))),
)  # fmt: skip
"""Pictures, the clipboard and the selection, which a page has too."""

ROWS: tuple[tuple[str, Builder], ...] = (
    *SHARED_ROWS,
    # canonical, as desktop_instruction.desktop_sentence writes them
    (rf"open the program (?P<app>{PART}) with (?P<file>{PART})", lambda found, goal, today: OpenProgram(goal.reveal(found["app"]), goal.reveal(found["file"]))),
    (rf"open the program (?P<app>{PART})", lambda found, goal, today: OpenProgram(goal.reveal(found["app"]))),
    (rf"close the program (?P<app>{PART})(?P<discards> without saving)?", lambda found, goal, today: CloseProgram(goal.reveal(found["app"]), _discards(found))),
    (r"close the window in front(?P<discards> without saving)?", lambda found, goal, today: CloseProgram(discards=_discards(found))),
    (rf"switch to the program (?P<app>{PART})", lambda found, goal, today: SwitchProgram(goal.reveal(found["app"]))),
    (rf"choose the menu path (?P<path>{PART})", _menu),
    (rf"give the file dialog (?P<path>{PART})", lambda found, goal, today: GiveFile(goal.reveal(found["path"]))),
    (rf"read the text of (?P<what>{PART})", lambda found, goal, today: ReadText(goal.reveal(found["what"]))),
    # commands
    (rf"(?:run|execute)\s+(?:the\s+)?(?:(?:shell|terminal)\s+)?(?:command\s*:?\s*)?(?P<command>{PART})", lambda found, goal, today: RunProgram(goal.reveal(found["command"]))),
    (r"(?:run|execute)\s+(?:the\s+)?(?:(?:shell|terminal)\s+)?command\s*:?\s*(?P<command>\S.*)", lambda found, goal, today: RunProgram(goal.reveal(found["command"]))),
    # files
    (r"(?:save|store)(?:\s+(?:it|this|that|(?:the|my) (?:file|document|text|note|picture|drawing|changes)))?\s+(?:as|to|under|in)\s+(?P<path>\S.*)", _save),
    (r"save(?:\s+(?:it|this|that|(?:the|my) (?:file|document|text|note|picture|drawing|changes)))?", _simple(SaveAs())),
    (r"(?:choose|select|pick|give|enter|use|type)\s+(?:the\s+)?(?:file|folder|path)\s+(?P<path>\S.*?)(?P<dialog>\s+(?:in|to)\s+the\s+(?:file\s+|open\s+|save\s+)?dialog)?", _file),
    (r"open\s+(?P<file>\S.*?)\s+(?:with|in|using)\s+(?P<app>\S.*)", _open_file),
    # menus
    (r"(?:(?:choose|select|click|press|open|use|pick|go to|take)\s+(?:on\s+)?)?(?:the\s+)?(?:menu(?:\s+(?:item|entry|path|command))?\s+)?(?P<path>" + PART + r")(?:\s+(?:in|from)\s+the\s+menu(?:\s+bar)?)?", lambda found, goal, today: _menu(found, goal, today) if goal.kind_of(found["path"]) is PartKind.MENU else None),
    (rf"(?:choose|select|click|press|pick|use|open)\s+(?:on\s+)?(?P<entry>\S.*?)\s+(?:in|from|of|under)\s+the\s+(?P<menu>{PART}|\S+)\s+menu", _menu_entry),
    # windows and programs
    (r"(?:tell\s+(?:me\s+)?|list\s+|show\s+(?:me\s+)?|say\s+)?(?:which|what)\s+(?:windows|programs|programmes|apps|applications)\s+are\s+(?:open|running)|list\s+(?:(?:all|the)\s+)*(?:open\s+|running\s+)?(?:windows|programs|programmes|apps|applications)", _simple(ListWindows())),
    (rf"(?:open|start|launch|run)\s+(?:up\s+)?(?:(?:the|an?)\s+)?{_PROGRAM}\s+(?:called\s+|named\s+)?(?P<app>\S.*)", lambda found, goal, today: OpenProgram(_program(found["app"], goal))),
    (r"(?:open|start|launch|run)\s+(?:up\s+)?(?:the\s+)?(?P<menu>\S+)\s+menu", lambda found, goal, today: MenuPath((goal.reveal(found["menu"]),))),
    (r"open\s+(?:the\s+)?(?:file|folder|directory|item|icon|document)\s+(?:called\s+|named\s+)?(?P<name>\S.*)", _open_item),
    (r"(?:open|start|launch|run)\s+(?:up\s+)?(?P<app>\S.*)", _open),
    (r"(?:close|quit|exit|end)\s+(?P<app>\S.*?)(?P<discards>,?\s+(?:without saving(?: \S+){0,3}|and (?:discard|do not save|don['’]?t save)(?: \S+){0,3}))?", _close),
    (r"(?:quit|exit)", _simple(CloseProgram())),
    (r"(?:switch|change)(?:\s+(?:back|over))?\s+to\s+(?P<app>\S.*)", _switch),
    (r"bring\s+(?P<app>\S.*?)\s+to\s+the\s+(?:front|foreground|top)", _switch),
    # reading
    (r"(?:read|tell|say|get|show)\s+(?:me\s+)?(?:the\s+|all\s+(?:the\s+)?)?(?:(?:whole|entire|full|visible)\s+)?(?:text|content|contents)(?:\s+(?:of|in|from|on)\s+(?P<what>\S.*))?", _read),
    (r"(?:tell\s+(?:me\s+)?|read\s+|say\s+)?what\s+(?:does\s+)?(?P<what>(?:the\s+)?\S.*?)\s+(?:shows?|says?|contains?|reads?|holds?|displays?)(?:\s+now)?", _read),
    (r"(?:tell\s+(?:me\s+)?|read\s+|say\s+)?what\s+(?:is\s+shown|it\s+(?:shows|says))(?:\s+(?:in|on)\s+(?P<what>\S.*))?", _read),
)  # fmt: skip
