"""Installed programs on Linux, by their desktop entries (freedesktop.org Desktop Entry Specification 1.5)."""

from __future__ import annotations

import locale
import os
import shlex
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.screen import folded
from operative_app.surfaces.desktop.ports import Program

_SLIPS: Final = ((5, 1), (9, 2))
"""From how many letters on how many slips of the pen (a letter wrong, missing, extra, or two swapped) are forgiven."""
_CLOSE: Final = 60.0
_MOST_NAMED: Final = 5
_TERMINALS: Final = ("x-terminal-emulator", "gnome-terminal", "konsole", "xfce4-terminal", "xterm")
_MOST_ENTRIES: Final = 3_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One desktop entry: what of it is needed to find and start the program.

    Attributes:
        names: The name in every language given; the first is the one shown.
        generic_names: What kind of program it is (“Text Editor”), in every language given.
    """

    path: Path
    names: tuple[str, ...]
    generic_names: tuple[str, ...]
    command: tuple[str, ...]
    window_class: str = ""
    is_hidden: bool = False
    needs_terminal: bool = False

    @property
    def executable(self) -> str:
        return Path(self.command[0]).name

    @property
    def takes_files(self) -> bool:
        return any(part in {"%f", "%F", "%u", "%U"} for part in self.command)

    @property
    def program(self) -> Program:
        windows = {self.window_class, self.executable, self.path.stem, self.path.stem.split(".")[-1], *self.names}
        return Program(
            id=str(self.path),
            name=self.names[0],
            window_names=frozenset(name.casefold() for name in windows if name),
            takes_files=self.takes_files,
        )


class StartedProcess:
    """A program that lives on by itself; a daemon thread notes its end, so that it is never left unreaped."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._end = threading.Thread(target=process.wait, name=f"end of {process.pid}", daemon=True)
        self._end.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def exit_code(self) -> int | None:
        return self._process.returncode

    def wait(self, timeout_s: float) -> None:
        """Wait for its end at most that long."""
        self._end.join(timeout_s)


class DesktopEntries:
    """The installed programs; implements `ports.Programs`. Entries are read anew with each search: it takes a moment.

    Args:
        environment: Names the folders and the language; by default that of this process.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment

    def find(self, name: str) -> Program:
        """The program meant; raises RefusedAction with close names."""
        return self._entry_named(name).program

    def start(self, program: Program, arguments: Sequence[str]) -> StartedProcess:
        """Start it in a session of its own, in the home folder, without our standard streams."""
        entry = read_entry(Path(program.id), self._languages())
        if entry is None:
            raise ActionError(f"“{program.name}” is no longer installed.")
        argv = command_line(entry, arguments)
        if entry.needs_terminal:
            terminal = next((found for one in _TERMINALS if (found := shutil.which(one))), None)
            if terminal is None:
                raise ActionError(f"“{program.name}” needs a terminal and none is installed.")
            argv = [terminal, "-e", *argv]
        try:
            process = subprocess.Popen(
                argv,
                cwd=Path.home(),
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ActionError(f"“{program.name}” cannot be started: {error.strerror or error}.") from error
        return StartedProcess(process)

    def entries(self) -> Iterator[Entry]:
        """All entries that can be started, those of the person's own folder first; each id once."""
        seen: set[str] = set()
        languages = self._languages()
        for folder in self._folders():
            for path in sorted(folder.rglob("*.desktop"))[:_MOST_ENTRIES]:
                if path.name in seen:
                    continue
                seen.add(path.name)
                entry = read_entry(path, languages)
                if entry is not None:
                    yield entry

    def _entry_named(self, name: str) -> Entry:
        wanted = folded(name)
        if not wanted:
            raise RefusedAction("There is no program without a name.")
        entries = list(self.entries())
        for look in (_names, _own_names, _generic):
            exact = [entry for entry in entries if wanted in look(entry)]
            if exact:
                return min(exact, key=lambda entry: _distance(entry, wanted))
        slips = max((count for length, count in _SLIPS if len(wanted) >= length), default=0)
        shown = [entry for entry in entries if not entry.is_hidden]
        near = [entry for entry in shown if any(OSA.distance(wanted, one) <= slips for one in _names(entry))]
        if len(near) == 1:
            return near[0]
        raise RefusedAction(_unknown(name, shown))

    def _folders(self) -> Iterator[Path]:
        home = self._environment.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
        for folder in (home, *(self._environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")):
            applications = Path(folder) / "applications"
            if folder and applications.is_dir():
                yield applications

    def _languages(self) -> tuple[str, ...]:
        given = self._environment.get("LANGUAGE", "").split(":")
        given += [self._environment.get(one, "") for one in ("LC_ALL", "LC_MESSAGES", "LANG")]
        plain = [locale.normalize(one).split(".")[0] for one in given if one and one != "C"]
        return tuple(dict.fromkeys([*plain, *(one.split("_")[0] for one in plain)]))


def read_entry(path: Path, languages: Sequence[str] = ()) -> Entry | None:
    """One desktop entry; None when it is none, is switched off, or its program is not installed."""
    try:
        fields = _fields(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    is_application = fields.get("Type", "Application") == "Application"
    if not is_application or fields.get("Hidden") == "true" or not fields.get("Exec") or not fields.get("Name"):
        return None
    try:
        command = tuple(shlex.split(fields["Exec"]))
    except ValueError:
        return None
    tried = fields.get("TryExec") or (command[0] if command else "")
    if not tried or shutil.which(tried) is None:
        return None
    return Entry(
        path=path,
        names=_in_all_languages(fields, "Name", languages),
        generic_names=_in_all_languages(fields, "GenericName", languages),
        command=command,
        window_class=fields.get("StartupWMClass", ""),
        is_hidden=fields.get("NoDisplay") == "true",
        needs_terminal=fields.get("Terminal") == "true",
    )


def command_line(entry: Entry, arguments: Sequence[str]) -> list[str]:
    """The entry's command with files and addresses in place of its field codes.

    Raises:
        RefusedAction: Arguments are given and the program takes none.
    """
    if arguments and not entry.takes_files:
        raise RefusedAction(f"“{entry.names[0]}” takes no files or addresses.")
    argv: list[str] = []
    for part in entry.command:
        if part in {"%f", "%F", "%u", "%U"}:
            argv += arguments
        elif part not in {"%i", "%d", "%D", "%n", "%N", "%v", "%m"}:
            filled = part.replace("%c", entry.names[0]).replace("%k", str(entry.path)).replace("%%", "%")
            argv.append(filled)
    return argv


def _environment() -> dict[str, str]:
    """That of this process, with programs asked to tell what they show: Qt does only when somebody listens."""
    given = {name: value for name, value in os.environ.items() if name != "NO_AT_BRIDGE"}
    return given | {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}


def _fields(text: str) -> dict[str, str]:
    """The keys of the group [Desktop Entry]."""
    fields: dict[str, str] = {}
    is_inside = False
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("["):
            if is_inside:
                break
            is_inside = line == "[Desktop Entry]"
        elif is_inside and "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            fields.setdefault(key.strip(), value.strip().replace("\\s", " ").replace("\\\\", "\\"))
    return fields


def _in_all_languages(fields: Mapping[str, str], key: str, languages: Sequence[str]) -> tuple[str, ...]:
    """The texts of a key, the one in the session's language first."""
    shown = next((fields[f"{key}[{one}]"] for one in languages if f"{key}[{one}]" in fields), fields.get(key, ""))
    texts = [value for name, value in fields.items() if name == key or name.startswith(f"{key}[")]
    return tuple(one for one in dict.fromkeys([shown, *texts]) if one)


def _distance(entry: Entry, wanted: str) -> tuple[bool, bool, int]:
    """Of several, the program itself: shown, named so, and started without switches for a part of it."""
    switches = sum(1 for part in entry.command[1:] if not part.startswith("%"))
    return entry.is_hidden, wanted not in {folded(entry.path.stem), *_names(entry)}, switches


def _names(entry: Entry) -> set[str]:
    return {folded(one) for one in entry.names}


def _own_names(entry: Entry) -> set[str]:
    return {folded(one) for one in (entry.executable, entry.path.stem, entry.path.stem.split(".")[-1])}


def _generic(entry: Entry) -> set[str]:
    return {folded(one) for one in entry.generic_names}


def _unknown(name: str, entries: Sequence[Entry]) -> str:
    wanted = folded(name)
    scored = sorted(
        (
            (max(fuzz.WRatio(wanted, one) for one in _names(entry) | _generic(entry)), entry.names[0])
            for entry in entries
        ),
        reverse=True,
    )
    close = list(dict.fromkeys(shown for score, shown in scored if score >= _CLOSE))[:_MOST_NAMED]
    named = f" Close to it: {', '.join(f'“{one}”' for one in close)}." if close else ""
    return f"No program “{name}” is installed.{named}"
