"""Commands that would get round the stop key are never run, whoever agrees to them.

| refused | since |
|---|---|
| ending, halting or slowing Operative, its guard or its input process, by number, name, kinship | none could stop it |
| programs that press keys and click by themselves | a stop ends Operative's own input process, not theirs |
| changing what the keys mean, or taking a keyboard away | the stop key would not be heard |
| shells, `xargs` and the like around one of these, also in odd quotes | the same |
| scripts on a command line that name such a process, or the libraries that press keys | the same |

A script in a file, or one that puts its words together as it runs, cannot be read that way, nor can what is typed
into a terminal. A guard that is ended all the same ends the run, and is started anew (`app.guarding`).
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import psutil

from operative_app.core.errors import RefusedAction

_KILLERS: Final = frozenset(
    {
        "kill",
        "pkill",
        "killall",
        "killall5",
        "skill",
        "snice",
        "tkill",
        "xkill",
        "taskkill",
        "tskill",
        "fuser",
        "stop-process",
        "pidwait",
        "slay",
    }
)
_HANDLERS: Final = frozenset(
    {"prlimit", "renice", "chrt", "cpulimit", "taskset", "gdb", "lldb", "strace", "ltrace", "criu", "nsenter"}
)
"""They slow, hold or end a process that they are given by its number."""
_LOOKERS: Final = frozenset({"ps", "grep", "egrep", "fgrep", "rg", "awk", "gawk", "mawk", "sed", "top", "lsof", "find"})
"""They find processes by their command lines, for a killer beside them."""
_KINSHIP: Final = re.compile(r"ppid|/proc\b|getppid|os\.parent", re.IGNORECASE)
_INTERPRETERS: Final = re.compile(
    r"(python|pypy|perl|ruby|node|deno|bun|lua|php|tclsh|wish|expect|guile|awk|gawk|mawk|osascript|powershell|pwsh|[wc]script)"
    r"[\d.]*w?"
)
_INJECTING: Final = re.compile(
    r"pyautogui|pynput|xtest|fake_input|uinput|evdev|robotjs"
    r"|sendkeys|sendinput|keybd_event|mouse_event|keystroke|key code",
    re.IGNORECASE,
)
_ENDING: Final = re.compile(r"kill|terminate|suspend|signal|stop-process|getppid", re.IGNORECASE)
_NAMERS: Final = frozenset({"pkill", "killall", "skill", "taskkill", "stop-process", "tskill", "pgrep", "pidof"})
_FULL: Final = re.compile(r"-[a-zA-Z0-9]*f[a-zA-Z0-9]*|--full")
_BY_OWNER: Final = frozenset({"-u", "-U", "-g", "-G", "-t", "--euid", "--uid", "--user", "-F", "--pidfile"})
_AROUND: Final = frozenset(
    {"sh", "bash", "dash", "zsh", "fish", "env", "xargs", "sudo", "print", "tail", "head", "cut", "aux"}
)
_ALWAYS: Final = frozenset({"xkill", "killall5"})
_INJECTORS: Final = frozenset(
    {
        "xdotool",
        "ydotool",
        "ydotoold",
        "dotool",
        "dotoolc",
        "wtype",
        "xte",
        "xvkbd",
        "xmacroplay",
        "evemu-play",
        "evemu-event",
        "cliclick",
        "nircmd",
        "kdotool",
        "wlrctl",
        "vncdo",
        "vncdotool",
        "x11vnc",
        "autohotkey",
        "autokey-run",
        "xnee",
        "cnee",
    }
)
_KEY_CHANGERS: Final = frozenset({"xmodmap", "xkbcomp", "loadkeys", "keyd", "kmonad", "input-remapper-control"})
_LAYOUT_OPTIONS: Final = frozenset({"-layout", "-variant", "-model", "-query", "-print", "-v", "-verbose", "-display"})
_DEVICE_LOOKS: Final = frozenset({"list", "--list", "list-props", "--list-props", "query-state", "--version", "--help"})
_WORDS: Final = re.compile(r"[^\s;&|()<>`\"'$={}]+")
_OWN_PACKAGE: Final = "operative_app"


@dataclass(frozen=True, slots=True)
class Own:
    """A process of Operative's: its number, its name and its command line."""

    pid: int
    name: str
    command: str


def refuse_tampering(argv: Sequence[str]) -> None:
    """Look at a command before it is run.

    Raises:
        RefusedAction: It would end Operative's own processes, send keys and clicks past them, or change what keys mean.
    """
    words = [word for argument in argv for text in _readings(argument) for word in _WORDS.findall(text)]
    programs = {_program(word) for word in words}
    if found := programs & _INJECTORS or _injecting_script(argv):
        raise RefusedAction(
            f"“{min(found)}” would press keys and click where the stop key cannot end it. "
            "Use the actions for mouse and keyboard instead."
        )
    if _changes_keys(words, programs):
        raise RefusedAction("That would change what the keys mean, and with them the stop key.")
    if _ends_session(words, programs) or _is_against_own(argv, words, programs):
        raise RefusedAction("That would end Operative itself or what stops it, which only a person may do.")


def _is_against_own(argv: Sequence[str], words: Sequence[str], programs: set[str]) -> bool:
    is_killer = bool(programs & _KILLERS)
    scripts = [] if is_killer else [script for script in _scripts(argv) if _ENDING.search(script)]
    if not (is_killer or scripts or programs & _HANDLERS):
        return False
    owns = own_processes()
    if any(_names_own(script, owns) for script in scripts):
        return True
    if not is_killer:
        return any(_numbers(own) & set(words) for own in owns)
    is_kin = any(_KINSHIP.search(argument) for argument in argv)
    return bool(programs & _ALWAYS) or is_kin or any(_means(words, own) for own in owns) or _means_all(words)


def _readings(argument: str) -> tuple[str, ...]:
    """An argument as it stands and, where that differs, as a shell reads it: without quotes and backslashes."""
    plain = re.sub(r"[\"'\\\\]", "", argument)
    return (argument,) if plain == argument else (argument, plain)


def _scripts(argv: Sequence[str]) -> list[str]:
    """What is given to an interpreter on the command line, also behind `env`, a shell and the like."""
    for place, argument in enumerate(argv):
        if any(_INTERPRETERS.fullmatch(_program(word)) for word in _WORDS.findall(argument)):
            return [text for one in argv[place:] for text in _readings(one)]
    return []


def _injecting_script(argv: Sequence[str]) -> set[str]:
    return {found.group() for script in _scripts(argv) if (found := _INJECTING.search(script)) is not None}


def _names_own(script: str, owns: Sequence[Own]) -> bool:
    names = re.search(rf"getppid|\b{_OWN_PACKAGE}\b|guard\.listener", script) is not None
    return names or any(re.search(rf"(?<!\d){own.pid}(?!\d)", script) for own in owns)


def _changes_keys(words: Sequence[str], programs: set[str]) -> bool:
    if programs & _KEY_CHANGERS:
        return True
    if "setxkbmap" in programs and any(word[:1] == "-" and word not in _LAYOUT_OPTIONS for word in words):
        return True
    return "xinput" in programs and len(words) > 1 and not _DEVICE_LOOKS & set(words)


def _ends_session(words: Sequence[str], programs: set[str]) -> bool:
    ends = any(word.startswith(("kill-", "terminate-")) for word in words)
    return "loginctl" in programs and ends


def own_processes() -> list[Own]:
    """This process, and those it started that are parts of Operative (the guard, the input process)."""
    found = []
    with contextlib.suppress(psutil.Error):
        here = psutil.Process()
        for process in [here, *here.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                command = " ".join(process.cmdline())
                if process.pid == here.pid or _OWN_PACKAGE in command:
                    found.append(Own(process.pid, process.name(), command))
    return found


def _program(word: str) -> str:
    return re.split(r"[\\/]", word)[-1].lower().removesuffix(".exe")


def _numbers(own: Own) -> set[str]:
    return {str(own.pid), f"-{own.pid}", str(_group_of(own.pid)), f"-{_group_of(own.pid)}"}


def _means(words: Sequence[str], own: Own) -> bool:
    if _numbers(own) & set(words):
        return True
    programs = {_program(word) for word in words}
    is_looked_up = bool(programs & _LOOKERS)
    if not is_looked_up and not programs & _NAMERS:
        return False
    is_full = is_looked_up or any(_FULL.fullmatch(word) for word in words)
    looked_at = own.command if is_full else own.name
    others = _KILLERS | _NAMERS | _LOOKERS | _AROUND
    named = [word.strip("/") for word in words if _program(word) not in others and word[:1] != "-"]
    return any(_is_pattern_of(word, looked_at) for word in named if len(word) > 1)


def _is_pattern_of(word: str, text: str) -> bool:
    try:
        return bool(re.search(word, text, re.IGNORECASE))
    except re.error:
        return word.lower() in text.lower()


def _means_all(words: Sequence[str]) -> bool:
    """“kill -9 -1” ends all that a person runs, and “pkill -u me” as well."""
    places = [place for place, word in enumerate(words) if _program(word) in _KILLERS]
    rest = [word for place in places for word in words[place + 1 :]]
    is_named = any(_program(words[place]) in _NAMERS for place in places)
    return "-1" in rest[1:] or (is_named and bool(_BY_OWNER & set(rest)))


def _group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except (OSError, AttributeError):
        return pid
