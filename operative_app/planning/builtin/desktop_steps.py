"""Decides the next step on the desktop, where it differs from that on a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, assert_never

from operative_app.actions.browser import GetText
from operative_app.actions.conditions import windows_of
from operative_app.actions.declare import Action
from operative_app.actions.finding import ScrollToFind
from operative_app.actions.keyboard import Copy, Cut, Paste, PressKey, SelectAll, TypeText, Undo
from operative_app.actions.mouse import ClickElement, DoubleClick, Scroll
from operative_app.actions.system import (
    CloseApp,
    FileDialog,
    OpenApp,
    ReadClipboard,
    RunCommand,
    SwitchApp,
    TakeScreenshot,
    WriteClipboard,
)
from operative_app.core.errors import ActionError
from operative_app.core.keys import key_name
from operative_app.core.screen import Element, ElementState, Window
from operative_app.planning.builtin import page
from operative_app.planning.builtin.desktop_instruction import (
    CloseProgram,
    DesktopInstruction,
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
from operative_app.planning.builtin.grounding import Purpose, ground
from operative_app.planning.builtin.instruction import (
    Enter,
    Gesture,
    GoTo,
    Instruction,
    Key,
    Press,
    Read,
    ScrollTo,
    Submit,
    Target,
    WaitUntil,
)
from operative_app.planning.builtin.masking import as_typed
from operative_app.planning.builtin.situation import Situation, as_sentence, find
from operative_app.planning.builtin.words import GOOD, fold, similarity
from operative_app.planning.port import Act, AskPerson, Decision, GiveUp, NotThereYet, TaskDone, Trouble, Variant

_PAGE_SHARE: Final = 0.8
_ITEM_ROLES: Final = frozenset({"listitem", "row", "cell", "gridcell", "treeitem", "icon", "option", "image"})
_MENU_ROLES: Final = frozenset({"menu", "menuitem", "menuitemcheckbox", "menuitemradio", "button", "option"})
_FILE_MENU: Final = ("File", "Datei", "Fichier", "Archivo", "Arquivo", "Bestand", "Plik", "Файл")
_SAVE_AS: Final = ("Save As", "Speichern unter", "Enregistrer sous", "Guardar como", "Salva come", "Opslaan als")
_DISCARD: Final = re.compile(
    r"^(?:_?do ?n[o’']t save|close without saving|discard(?: changes)?|_?no|without saving|nicht speichern|verwerfen)$",
    re.I,
)
_EDITS: Final[dict[Edit, type[Action]]] = {
    Edit.SELECT_ALL: SelectAll, Edit.COPY: Copy, Edit.CUT: Cut, Edit.PASTE: Paste, Edit.UNDO: Undo,
}  # fmt: skip
_CLOSE_NAMES: Final = re.compile(r"“([^”]+)”")


def decide(sit: Situation, instruction: Instruction) -> Decision | None:
    """The step for what only the desktop has or does otherwise; None leaves it to the rules for all screens."""
    if isinstance(instruction, DesktopInstruction):
        return _own(sit, instruction)
    match instruction:
        case Enter(value, None):
            return Act.one(TypeText(text=as_typed(value)), why="as asked", completes_task=True)
        case Enter(value, field) if field is not None:
            return _enter_in_window(sit, value, field.name)
        case Press(target, gesture):
            return _press(sit, target, gesture)
        case GoTo(place):
            windows = open_windows(sit.state.windows, place)
            return _to_front(windows[0]) if windows else _focus(sit, place)
        case Submit("save", ""):
            return _save(sit, "")
        case ScrollTo(place, is_direction):
            return _scroll(sit, place, is_direction=is_direction)
        case WaitUntil(text, gone):
            is_there = any(similarity(text, window.title) >= GOOD for window in sit.state.windows)
            if not is_there:
                return None
            return NotThereYet(f"“{text}” is still there") if gone else TaskDone(f"“{text}” is there")
        case _:
            return None


def by_name_or_keys(sit: Situation, instruction: EditStep | TakePicture | ReadClip | WriteClip) -> Decision:
    """On a page: the control that is called so (“Select all” above a list), else what the keyboard does."""
    if isinstance(instruction, EditStep):
        name = instruction.edit.name.replace("_", " ")
        own = next((one for one in sit.state.elements if fold(one.name) == fold(name) and page.is_in_view(one)), None)
        if own is not None and own.role in page.PRESS_ROLES | page.TICK_ROLES:
            return Act.one(ClickElement(target=sit.ref(own)), why="the page has it", completes_task=True)
    return _own(sit, instruction)


def answer_of(sit: Situation, instruction: Instruction) -> Decision | None:
    """What a question may mean when nothing on the screen has that name: the one value that is shown."""
    if not isinstance(instruction, Read):
        return None
    holding = [
        one for one in sit.state.elements if one.value and page.is_field(one) and not one.has(ElementState.PASSWORD)
    ]
    if len(holding) != 1:
        return None
    return _read_element(sit, holding[0])


def recover(sit: Situation, instruction: Instruction, trouble: Trouble) -> Decision | None:
    """Another way when a step of the desktop did not work; None leaves it to the rules for all screens."""
    is_done = trouble.kind == "unexpected" and isinstance(
        trouble.action, ClickElement | DoubleClick | PressKey | TypeText
    )
    if is_done and isinstance(instruction, Press | Key | Enter):  # programs need not show that they took it
        return TaskDone(f"done; {trouble.reason}", is_verified=False)
    match instruction:
        case OpenProgram(app, file):
            return _other_program(sit, app, file, trouble)
        case CloseProgram():
            return _close_question(sit, instruction)
        case GiveFile() | SaveAs():
            asked = _program_asks(sit, "The program asks")
            return asked or GiveUp(as_sentence(trouble.reason))
        case SwitchProgram() | MenuPath() | RunProgram():
            return GiveUp(as_sentence(trouble.reason))
        case _:
            return None


def decision_in_screen_words(decision: Decision) -> Decision:
    """The same decision, worded for a screen where the rules for all screens speak of a page."""
    match decision:
        case NotThereYet(what):
            return NotThereYet(in_screen_words(what))
        case GiveUp(reason):
            return GiveUp(in_screen_words(reason))
        case AskPerson(question, choices):
            return AskPerson(in_screen_words(question), choices)
        case TaskDone():
            return replace(decision, result=in_screen_words(decision.result))
        case _:
            return decision


def in_screen_words(text: str) -> str:
    """“on the page” as “on the screen”; what stands in quotation marks is the program's and stays."""
    pieces = re.split(r"(“[^”]*”)", text)
    return "".join(
        piece if piece.startswith("“") else re.sub(r"\b([Tt]he) page\b", r"\1 screen", piece) for piece in pieces
    )


def _own(sit: Situation, instruction: DesktopInstruction) -> Decision:
    match instruction:
        case OpenProgram(app, file):
            return _open(sit, app, file)
        case CloseProgram():
            return _close(sit, instruction)
        case SwitchProgram(app):
            return _switch(sit, app)
        case MenuPath(path):
            return _menu(sit, [(name,) for name in path])
        case RunProgram(command):
            return _answered(sit, RunCommand(command=command))
        case SaveAs(path):
            return _save(sit, path)
        case GiveFile(path):
            return _give(sit, path) or NotThereYet("no file dialog is open")
        case ReadText(what):
            return _read(sit, what)
        case EditStep(edit):
            return Act.one(_EDITS[edit](), why="as asked", completes_task=True)
        case TakePicture():
            return Act.one(TakeScreenshot(), why="as asked", completes_task=True)
        case ReadClip():
            return _answered(sit, ReadClipboard(), empty="The clipboard holds no text.")
        case WriteClip(text):
            return Act.one(WriteClipboard(text=as_typed(text)), why="as asked", completes_task=True)
        case ListWindows():
            titles = [f"“{one.title or one.app}”" for one in sit.state.windows]
            return TaskDone(f"{len(titles)} windows", answer=", ".join(titles) or "No window is open.")
        case _:
            assert_never(instruction)


# --- programs and windows ---


def open_windows(windows: Sequence[Window], name: str) -> list[Window]:
    """Windows that go by the name, slips of the pen forgiven, front to back."""
    wanted = fold(name)
    exact = [one for one in windows if wanted in {fold(one.app), fold(one.title)}]
    parts = exact or [one for one in windows if wanted and (wanted in fold(one.app) or wanted in fold(one.title))]
    return parts or [one for one in windows if one.app and similarity(name, one.app) >= GOOD]


def _handle(window: Window, windows: Sequence[Window]) -> str:
    """The name under which actions find this window and no other where that is possible."""
    is_alone = sum(1 for one in windows if one.app == window.app) == 1
    return window.app if window.app and is_alone else window.title or window.app


def _open(sit: Situation, app: str, file: str) -> Decision:
    answer = sit.answer_to(f"No program “{app}” is installed.")
    if answer:
        return Act.one(OpenApp(app=answer, arguments=_files(file)), why="as you said", completes_task=True)
    item = next((one for one in sit.state.elements if one.role in _ITEM_ROLES and fold(one.name) == fold(app)), None)
    if item is not None and not file and not sit.times_done(item):
        return Act.one(DoubleClick(target=sit.ref(item)), why=f"“{item.name}” is on the screen", completes_task=True)
    return Act.one(OpenApp(app=app, arguments=_files(file)), why="the task names the program", completes_task=True)


def _other_program(sit: Situation, app: str, file: str, trouble: Trouble) -> Decision | None:
    """The program is not installed: it may be something on the screen, else the person says which one is meant."""
    if not isinstance(trouble.action, OpenApp) or "is installed" not in trouble.reason:
        return GiveUp(f"“{app}” could not be opened: {trouble.reason.rstrip('.')}.")
    grounded = ground(sit.state, Target(app), Purpose.OPEN)
    if grounded.element is not None and not file and not sit.times_done(grounded.element):
        return _press(sit, Target(app), Gesture.OPEN) or Act.one(
            ClickElement(target=sit.ref(grounded.element)), why=f"“{grounded.element.name}” is on the screen"
        )
    close = tuple(name for name in _CLOSE_NAMES.findall(trouble.reason) if fold(name) != fold(app))
    if sit.answer_to(f"No program “{app}” is installed."):
        return GiveUp(trouble.reason)
    return AskPerson(f"No program “{app}” is installed. Which one do you mean?", close)


def _close(sit: Situation, instruction: CloseProgram) -> Decision:
    if any(isinstance(record.action, CloseApp) for record in sit.records):
        return _close_question(sit, instruction) or TaskDone("closed")
    windows = open_windows(sit.state.windows, instruction.app) if instruction.app else _active(sit)
    if not windows:
        what = f"No window of “{instruction.app}” is open." if instruction.app else "No window is open."
        return GiveUp(f"{what} {_open_now(sit)}".strip())
    name = _handle(windows[0], sit.state.windows) if len(windows) == 1 else windows[0].app or windows[0].title
    return Act.one(CloseApp(app=name), why="as asked", completes_task=True)


def _close_question(sit: Situation, instruction: CloseProgram) -> Decision | None:
    """What to do about the question a program asks before it closes; None when nothing is open any more."""
    closed = next((one.action for one in sit.records if isinstance(one.action, CloseApp)), None)
    left = windows_of(sit.state, closed.app) if closed is not None else ()
    asking = next((one for one in sit.state.windows if one.is_active and one.is_dialog), None)
    if asking is None and not sit.state.modal:
        if not left:
            return TaskDone("closed")
        return NotThereYet(f"“{left[0].title}” is still open") if sit.context.attempts == 0 else None
    discard = next((one for one in _buttons(sit) if _DISCARD.match(one.name.strip())), None)
    if instruction.discards and discard is not None:
        return Act.one(ClickElement(target=sit.ref(discard)), why="you said that nothing is to be saved")
    return _program_asks(sit, "The program asks before it closes")


def _buttons(sit: Situation) -> list[Element]:
    return [one for one in sit.state.elements if one.role == "button" and one.name and page.is_enabled(one)]


def _program_asks(sit: Situation, lead: str) -> Decision | None:
    """Hand a program's question on to the person, then press the button they name; None when no dialog is in front."""
    asking = next((one for one in sit.state.windows if one.is_active and one.is_dialog), None)
    buttons = _buttons(sit)
    if (asking is None and not sit.state.modal) or sit.state.file_chooser or not buttons:
        return None
    said = " ".join(dict.fromkeys(block.text for block in sit.state.texts))[:200]
    title = sit.state.modal or (asking.title if asking is not None else "")
    question = f"{lead}: “{said or title}”"
    answer = sit.answer_to(question)
    chosen = max(buttons, key=lambda one: similarity(answer, one.name), default=None) if answer else None
    if chosen is not None and similarity(answer, chosen.name) >= GOOD:
        return Act.one(ClickElement(target=sit.ref(chosen)), why="as you said")
    return AskPerson(f"{question}. Which button shall I press?", tuple(one.name for one in buttons))


def _switch(sit: Situation, app: str) -> Decision:
    windows = open_windows(sit.state.windows, app)
    if not windows:
        return Act.one(OpenApp(app=app), why=f"“{app}” is not open yet", completes_task=True)
    if windows[0].is_active:
        return TaskDone(f"“{windows[0].title}” is in front already")
    return _to_front(windows[0], sit.state.windows)


def _to_front(window: Window, windows: Sequence[Window] = ()) -> Decision:
    if window.is_active:
        return TaskDone(f"“{window.title}” is in front already")
    return Act.one(SwitchApp(app=_handle(window, windows or [window])), why="the task names it", completes_task=True)


def _active(sit: Situation) -> list[Window]:
    return [window for window in sit.state.windows if window.is_active]


def _open_now(sit: Situation) -> str:
    names = ", ".join(f"“{one.title or one.app}”" for one in sit.state.windows)
    return f"Open are {names}." if names else ""


# --- pressing, menus, typing ---


def _press(sit: Situation, target: Target, gesture: Gesture) -> Decision | None:
    """Items open by a double click; a key is pressed where no control has its name."""
    grounded = ground(sit.state, target, Purpose.OPEN if gesture is Gesture.OPEN else Purpose.PRESS)
    element = grounded.element
    if gesture is Gesture.OPEN and element is not None and element.role in _ITEM_ROLES:
        return Act.one(DoubleClick(target=sit.ref(element)), why=f"“{element.name}” is named", completes_task=True)
    is_plain = not target.kind and target.region is None and not target.ordinal and target.superlative is None
    if element is None and not grounded.rivals and gesture is Gesture.PRESS and is_plain:
        key = _key(target.name)
        if key:
            return Act.one(PressKey(key=key), why="no control has that name; it is a key", completes_task=True)
    return None


def _key(name: str) -> str:
    """The key that a name means, "" when it means none."""
    try:
        return key_name(name) if len(name) == 1 or name[:1].isupper() else ""
    except ActionError:
        return ""


def _menu(sit: Situation, path: Sequence[tuple[str, ...]]) -> Decision:
    """Press the deepest entry of the path that is in sight; each is given in all its names."""
    for depth in range(len(path) - 1, -1, -1):
        entry = _entry(sit, path[depth])
        if entry is None:
            continue
        if entry.has(ElementState.DISABLED):
            return NotThereYet(f"the menu entry “{entry.name}” is disabled")
        is_last = depth == len(path) - 1
        if not is_last and (entry.has(ElementState.EXPANDED) or sit.times_done(entry) > sit.context.attempts):
            return NotThereYet(f"“{path[depth + 1][0]}” is not in the menu “{entry.name}”")
        press = ClickElement(target=sit.ref(entry))
        why = "the task names it" if is_last else f"“{path[-1][0]}” is in the menu “{entry.name}”"
        return Act.one(press, why=why, completes_task=is_last)
    return NotThereYet(f"there is no menu “{path[0][0]}”")


def _entry(sit: Situation, names: tuple[str, ...]) -> Element | None:
    """The menu, menu entry or button with one of these names; a menu's entry before a button."""
    wanted = {_entry_name(name) for name in names}
    found = [
        one
        for one in sit.state.elements
        if one.role in _MENU_ROLES and _entry_name(one.name) in wanted and not one.has(ElementState.OFFSCREEN)
    ]
    return min(found, key=lambda one: one.role == "button", default=None)


def _entry_name(name: str) -> str:
    return fold(name.replace("_", "").rstrip(" .…"))


def _enter_in_window(sit: Situation, value: str, name: str) -> Decision | None:
    """“type … in Mousepad”: the window comes to the front first; a field of that name goes before."""
    if not name or ground(sit.state, Target(name), Purpose.FIELD).element is not None:
        return None
    windows = open_windows(sit.state.windows, name)
    if not windows:
        return None
    if not windows[0].is_active:
        return Act.one(SwitchApp(app=_handle(windows[0], sit.state.windows)), why="the text goes there")
    return Act.one(TypeText(text=as_typed(value)), why="the window the task names is in front", completes_task=True)


def _focus(sit: Situation, place: str) -> Decision | None:
    field = ground(sit.state, Target(re.sub(r"(?i)\s+(?:field|box)$", "", place)), Purpose.FIELD).element
    if field is None:
        return None
    if field.key == sit.state.focus:
        return TaskDone(f"“{field.name}” has the focus already")
    return Act.one(ClickElement(target=sit.ref(field)), why="the task names the field", completes_task=True)


def _scroll(sit: Situation, place: str, *, is_direction: bool) -> Decision:
    if not is_direction:
        return Act.one(ScrollToFind(text=place), why="it may be out of sight", completes_task=True)
    active = _active(sit)
    height = active[0].box.height_css_px if active else sit.state.viewport_height_css_px or 700
    step = height * _PAGE_SHARE
    sign = 1 if place in {"down", "bottom"} else -1
    times = 20 if place in {"top", "bottom"} else 1
    return Act.one(Scroll(dy_css_px=sign * step * times), why="as asked", completes_task=True)


# --- files and texts ---


def _save(sit: Situation, path: str) -> Decision:
    if not path:
        button = ground(sit.state, Target("Save", "button"), Purpose.PRESS).element if sit.state.file_chooser else None
        if button is not None:
            return Act.one(ClickElement(target=sit.ref(button)), why="the dialog is open", completes_task=True)
        return Act.one(PressKey(key="Control+s"), why="it saves in nearly every program", completes_task=True)
    given = _give(sit, path)
    if given is not None:
        return given
    if sit.records and isinstance(sit.records[-1].action, PressKey) and sit.context.attempts == 0:
        return NotThereYet("no file dialog has come")
    opened = _menu(sit, [_FILE_MENU, _SAVE_AS])
    if isinstance(opened, Act):
        return Act(opened.variants, why="the dialog for the file's name comes by it")
    if isinstance(opened, NotThereYet) and sit.records:
        return opened
    return Act.one(PressKey(key="Control+Shift+s"), why="the dialog for the file's name comes by it")


def _give(sit: Situation, path: str) -> Decision | None:
    """Answer the file dialog that is open; None when none is."""
    if not sit.state.file_chooser:
        return None
    return Act.one(FileDialog(paths=(_absolute(path),)), why="the file dialog is open", completes_task=True)


def _files(file: str) -> tuple[str, ...]:
    if not file:
        return ()
    return (file,) if re.match(r"https?://", file) else (_absolute(file),)


def _absolute(path: str) -> str:
    """A path from the person's home folder when it does not say from where."""
    given = Path(path).expanduser()
    return str(given if given.is_absolute() else Path.home() / given)


def _read(sit: Situation, what: str) -> Decision:
    if not what:
        areas = [one for one in sit.state.elements if one.role == "textbox" and one.has(ElementState.MULTILINE)]
        return _read_element(sit, areas[0]) if len(areas) == 1 else _answered(sit, GetText(), empty="There is no text.")
    windows = open_windows(sit.state.windows, what)
    found = find(sit, Target(what), Purpose.FIELD)
    element = found.element or ground(sit.state, Target(what), Purpose.PRESS).element
    if element is None and windows and windows[0].is_active:
        return answer_of(sit, Read(what)) or _answered(sit, GetText(), empty="There is no text.")
    if element is None and windows:
        return Act.one(SwitchApp(app=_handle(windows[0], sit.state.windows)), why="its text is asked for")
    if element is None:
        return answer_of(sit, Read(what)) or found.otherwise or NotThereYet(f"“{what}” is not on the screen")
    return _read_element(sit, element)


def _read_element(sit: Situation, element: Element) -> Decision:
    return _answered(sit, GetText(target=sit.ref(element)), empty="It holds no text.")


def _answered(sit: Situation, action: Action, *, empty: str = "") -> Decision:
    """Do a reading action, then tell what it read."""
    last = sit.last
    if last is not None and type(last.action) is type(action) and last.outcome.is_done:
        value = last.outcome.value.strip()
        return TaskDone(value[:200] or empty or "done", answer=value or empty)
    return Act((Variant((action,)),), why="as asked")
