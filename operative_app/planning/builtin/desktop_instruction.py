"""What a sentence of the goal asks for on the desktop alone, as values, and each value's canonical sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from operative_app.planning.builtin.masking import quote


@dataclass(frozen=True, slots=True)
class OpenProgram:
    """Start a program; `file` is opened with it."""

    app: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class CloseProgram:
    """Ask the windows of a program to close; "" means the window in front.

    Attributes:
        discards: What is not saved may be lost: the person said so.
    """

    app: str = ""
    discards: bool = False


@dataclass(frozen=True, slots=True)
class SwitchProgram:
    app: str


@dataclass(frozen=True, slots=True)
class MenuPath:
    """Open menus one after the other and choose the last entry: File, Save As."""

    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunProgram:
    """Run a command and tell what it printed."""

    command: str


@dataclass(frozen=True, slots=True)
class SaveAs:
    """Save what the program in front holds, to a path when one is said."""

    path: str = ""


@dataclass(frozen=True, slots=True)
class GiveFile:
    """Answer the file dialog that is open."""

    path: str


@dataclass(frozen=True, slots=True)
class ReadText:
    """Tell the text of something on the screen; "" means all of the window in front."""

    what: str = ""


class Edit(StrEnum):
    """What the keyboard does with a selection; the value is the canonical sentence."""

    SELECT_ALL = "Select all"
    COPY = "Copy what is selected"
    CUT = "Cut what is selected"
    PASTE = "Paste"
    UNDO = "Undo the last change"


@dataclass(frozen=True, slots=True)
class EditStep:
    edit: Edit


@dataclass(frozen=True, slots=True)
class TakePicture:
    """Take a picture of the screen."""


@dataclass(frozen=True, slots=True)
class ReadClip:
    """Tell what is on the clipboard."""


@dataclass(frozen=True, slots=True)
class WriteClip:
    text: str


@dataclass(frozen=True, slots=True)
class ListWindows:
    """Tell which windows are open."""


DesktopInstruction = (
    OpenProgram | CloseProgram | SwitchProgram | MenuPath | RunProgram | SaveAs | GiveFile | ReadText | EditStep
    | TakePicture | ReadClip | WriteClip | ListWindows
)  # fmt: skip


def desktop_sentence(instruction: DesktopInstruction) -> str:
    """The canonical sentence, which `desktop_phrases` reads back as an equal instruction."""
    match instruction:
        case OpenProgram(app, file):
            return f"Open the program {quote(app)}" + (f" with {quote(file)}" if file else "")
        case CloseProgram(app, discards):
            what = f"the program {quote(app)}" if app else "the window in front"
            return f"Close {what}{' without saving' if discards else ''}"
        case SwitchProgram(app):
            return f"Switch to the program {quote(app)}"
        case MenuPath(path):
            return f"Choose the menu path {quote(' > '.join(path))}"
        case RunProgram(command):
            return f"Run the command {quote(command)}"
        case SaveAs(path):
            return f"Save the document as {quote(path)}" if path else "Save the document"
        case GiveFile(path):
            return f"Give the file dialog {quote(path)}"
        case ReadText(what):
            return f"Read the text of {quote(what)}" if what else "Read the text of the window"
        case EditStep(edit):
            return str(edit)
        case TakePicture():
            return "Take a picture of the screen"
        case ReadClip():
            return "Read the clipboard"
        case WriteClip(text):
            return f"Put {quote(text)} on the clipboard"
        case ListWindows():
            return "Tell which windows are open"
        case _:
            assert_never(instruction)
