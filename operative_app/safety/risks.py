"""What an action would do: from what it does by itself, the controls it sets off, and the forms around them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from operative_app.actions.declare import Action, EffectKind, Reversibility
from operative_app.actions.keyboard import Copy, Cut, Paste
from operative_app.actions.system import CloseApp, FileDialog, OpenApp, ReadClipboard, RunCommand, WriteClipboard
from operative_app.core.screen import Element, ElementState, ScreenState, SurfaceKind
from operative_app.safety.addresses import is_script
from operative_app.safety.aim import enter_like, keys_of, set_off, texts_at
from operative_app.safety.commands import CommandClass, command_of
from operative_app.safety.forms import Shared, given_away, kind_around, shared_by
from operative_app.safety.paths import is_granted, is_named, path_fault
from operative_app.safety.programs import is_command_line, runs_command
from operative_app.safety.risk_words import Kind, is_neutral, kinds_of

_KIND_OF_EFFECT = {EffectKind.SCRIPT: Kind.SCRIPT}
_CLOSING_KEYS = frozenset({("Alt", "F4"), ("Control", "q"), ("Control", "w"), ("Meta", "q"), ("Meta", "w")})
_PASTING_KEYS = frozenset({("Control", "v"), ("ControlOrMeta", "v"), ("Meta", "v"), ("Shift", "Insert")})


@dataclass(frozen=True, slots=True)
class Known:
    """What of the run bears on a risk.

    Attributes:
        words: Everything the person typed for this goal.
        folders: Folders and files that may be touched.
        programs: Programs whose commands a person allowed.
        is_clipboard_own: The last thing put on the clipboard in this run was put there by the agent.
        shared: Personal details the person has agreed to give to a site in this run.
    """

    words: str = ""
    folders: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    is_clipboard_own: bool = False
    shared: frozenset[Shared] = frozenset()


@dataclass(frozen=True, slots=True)
class Risk:
    """What an action would do, with a sentence of its own where that says more than the kind.

    Attributes:
        program: A command that may be allowed for the task by its program; "" for all others.
        controls: The controls for which it is asked about.
        others: Further kinds it is of, for those that a policy file forbids; not asked about for themselves.
    """

    kind: Kind = Kind.NONE
    reason: str = ""
    program: str = ""
    controls: tuple[Element, ...] = ()
    others: tuple[Kind, ...] = ()


def risk_of(action: Action, state: ScreenState, known: Known) -> Risk:
    """The gravest that can be told of an action on the present screen."""
    match action:
        case RunCommand():
            return _risk_of_command(action.command, known)
        case FileDialog():
            is_own = all(is_named(path, known.folders) for path in action.paths)
            return Risk(others=(Kind.UPLOAD,)) if is_own else Risk(Kind.UPLOAD)
        case CloseApp():
            return Risk(Kind.CLOSING)
        case OpenApp() if runs_command(action.app, action.arguments):
            return Risk(Kind.COMMAND)
    kind = _KIND_OF_EFFECT.get(action.spec.effect, Kind.NONE)
    if kind is not Kind.NONE:
        return Risk(kind)
    controls = risky_controls(action, state)
    if controls:
        kinds = [kind for control in controls for kind in _kinds_of(control, state)]
        is_sharing = any(given_away(control, state, known.words, known.shared) for control in set_off(action, state))
        others = (*kinds[1:], *((Kind.SHARING,) if is_sharing else ()))
        return Risk(kinds[0], controls=controls, others=others)
    kind = next((kind for text in texts_at(action, state) for kind in kinds_of(" ".join(text.split()))), Kind.NONE)
    if kind is not Kind.NONE:
        return Risk(kind)
    if any(is_script(one.href) for one in set_off(action, state) if one.role == "link"):
        return Risk(Kind.SCRIPT)
    for control in set_off(action, state):
        if fields := given_away(control, state, known.words, known.shared):
            return Risk(Kind.SHARING, _sharing_words(fields), controls=(control, *fields))
    kind = _kind_of_typing(action, state)
    if kind is Kind.NONE and _uses_clipboard(action, state, known):
        kind = Kind.CLIPBOARD
    if kind is Kind.NONE and action.spec.reversibility is Reversibility.IRREVERSIBLE:
        kind = Kind.IRREVERSIBLE
    return Risk(kind)


def details_in(action: Action, state: ScreenState, known: Known) -> frozenset[Shared]:
    """The personal details for which the action is asked about."""
    return frozenset().union(
        *(
            shared_by(control, state, given_away(control, state, known.words, known.shared))
            for control in set_off(action, state)
        )
    )


def risky_controls(action: Action, state: ScreenState) -> tuple[Element, ...]:
    """The controls the action sets off whose words, or whose form's words, commit a person to something."""
    return tuple(element for element in set_off(action, state) if _kinds_of(element, state))


def files_of(action: Action) -> tuple[str, ...]:
    """The files and folders an action names."""
    match action:
        case FileDialog():
            return action.paths
        case OpenApp():
            return tuple(
                one for one in action.arguments if one.startswith(("/", "~", "\\")) or one[1:3] in {":\\", ":/"}
            )
        case RunCommand():
            return command_of(action.command).paths
        case _:
            return ()


def _risk_of_command(line: str, known: Known) -> Risk:
    command = command_of(line)
    if command.kind is CommandClass.READS:
        if all(not path_fault(path) and is_granted(path, known.folders) for path in command.paths):
            return Risk(others=(Kind.COMMAND,))
        return Risk(
            Kind.COMMAND, f"{_sentence(command.reason)} What it reads lies outside of the folders of this task."
        )
    if command.kind in {CommandClass.WRITES, CommandClass.NETWORK}:
        is_allowed = command.program in known.programs
        return (
            Risk(others=(Kind.COMMAND,))
            if is_allowed
            else Risk(Kind.COMMAND, _sentence(command.reason), command.program)
        )
    return Risk(Kind.COMMAND, _sentence(command.reason))


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."


def _sharing_words(fields: tuple[Element, ...]) -> str:
    names = ", ".join(f"“{one.name or one.placeholder or one.role}”" for one in fields[:4])
    more = f" and {len(fields) - 4} more" if len(fields) > 4 else ""
    return f"It gives personal details away: {names}{more}."


def _kinds_of(element: Element, state: ScreenState) -> list[Kind]:
    """What a control is by its own words, else by the form around it; the gravest first."""
    kinds = [kind for text in _labels(element) for kind in kinds_of(text) if not _leads_only(element, kind)]
    if not kinds and element.role not in {"option", "tab"} and (around := kind_around(element, state)) is not Kind.NONE:
        return [around]
    return kinds


def _labels(element: Element) -> Iterable[str]:
    texts = [element.name, element.text]
    if is_neutral(element.name or element.text):
        texts.append(element.description)
    return dict.fromkeys(" ".join(text.split()) for text in texts if text.strip())


def _leads_only(element: Element, kind: Kind) -> bool:
    """A plain link only leads somewhere; what it leads to is judged there. Deleting and granting links act at once."""
    leads = element.role == "link" and element.href.split(":")[0] in {"http", "https"}
    return leads and kind not in {Kind.DELETION, Kind.PERMISSION}


def _kind_of_typing(action: Action, state: ScreenState) -> Kind:
    """Commands in a terminal, and keys of the desktop that delete or close."""
    ref = action.target_ref
    focused = state.find(ref) if ref is not None else state.element(state.focus) if state.focus else None
    if is_command_line(state, focused):
        is_entered = enter_like(action, state)[-1:] == ("Enter",)
        is_entered = is_entered or isinstance(action, Paste) or _key_tail(keys_of(action), "v", "Insert")
        return Kind.COMMAND if is_entered else Kind.NONE
    if state.surface is not SurfaceKind.DESKTOP:
        return Kind.NONE
    keys = keys_of(action)
    if keys[-1:] == ("Delete",) and focused is not None and not focused.has(ElementState.EDITABLE):
        return Kind.DELETION
    return Kind.CLOSING if _folded(keys) in _CLOSING_KEYS else Kind.NONE


def _uses_clipboard(action: Action, state: ScreenState, known: Known) -> bool:
    """Whether what a person may have copied is read, given to a page, or replaced by what they did not name.

    What the agent selected on a page is not.
    """
    if isinstance(action, ReadClipboard):
        return True
    if isinstance(action, WriteClipboard):  # pasted later by the person, it would be taken for what they copied
        return action.text.strip() not in known.words
    if isinstance(action, Copy | Cut):  # with nothing selected the clipboard keeps what the person has put there
        return not state.selection
    is_pasting = isinstance(action, Paste) or _folded(keys_of(action)) in _PASTING_KEYS
    return is_pasting and not known.is_clipboard_own


def _key_tail(keys: tuple[str, ...], *names: str) -> bool:
    return len(keys) > 1 and keys[-1] in names


def _folded(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key.lower() if len(key) == 1 else key for key in keys)
