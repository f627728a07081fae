"""The agent can neither press the stop key nor end what hears it."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.keys import split_chord
from operative_app.guard.chords import parse_chord
from operative_app.surfaces.desktop import tampering
from operative_app.surfaces.desktop.commands import run_command
from operative_app.surfaces.desktop.input.guarded import GuardedInput
from operative_app.surfaces.desktop.input.text_entry import as_typed
from operative_app.surfaces.desktop.tampering import Own, refuse_tampering

OWN = (
    Own(4242, "python3.11", "python3.11 -m operative_app run Open Mousepad"),
    Own(4243, "python3.11", "python3.11 -m operative_app.guard.listener --chord ctrl+alt+escape"),
)


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tampering, "own_processes", lambda: list(OWN))


class Silent(GuardedInput):
    """Holds what it is told to hold; there is no process behind it, so what is not refused fails otherwise."""

    def __init__(self, chord: str, held: frozenset[str]) -> None:
        super().__init__(stop_keys=parse_chord(chord).key_names)
        self._held_now = held

    @property
    def held(self) -> frozenset[str]:
        return self._held_now


def refusal_of(chord: str, held: tuple[str, ...], pressed: tuple[str, ...], *, is_down: bool = False) -> str:
    silent = Silent(chord, frozenset(held))
    try:
        asyncio.run(silent.key_down(pressed[0]) if is_down else silent.press(pressed))
    except RefusedAction as refused:
        return str(refused)
    except Exception as error:  # noqa: BLE001 - there is no process to send it to
        return f"sent, which failed by {type(error).__name__}"
    return "sent"


@pytest.mark.parametrize(
    ("chord", "held", "pressed"),
    [
        ("ctrl+alt+escape", (), ("Control", "Alt", "Escape")),
        ("ctrl+alt+escape", (), ("Alt", "Shift", "Control", "Escape")),
        ("ctrl+alt+escape", (), ("Control", "AltGraph", "Escape")),
        ("ctrl+alt+escape", ("Control",), ("Alt", "Escape")),
        ("ctrl+alt+escape", ("Escape",), ("Control", "Alt")),
        ("ctrl+shift+k", (), ("Control", "Shift", "K")),
        ("ctrl+shift+k", ("Control", "Shift"), ("k",)),
        ("cmd+pageup", ("Meta",), ("PageUp",)),
        ("alt+f9", (), ("Alt", "F9")),
        ("ctrl+7", (), ("ControlOrMeta", "7")),
        ("ctrl+alt+k", (), ("Control", "Alt", "л")),
        ("ctrl+alt+7", ("Control", "Alt"), ("/",)),
    ],
)
def test_no_way_of_pressing_the_stop_key_is_let_through(
    chord: str, held: tuple[str, ...], pressed: tuple[str, ...]
) -> None:
    assert refusal_of(chord, held, pressed) == "That is the stop key, which only a person may press."


@pytest.mark.parametrize(
    "chord",
    ["ctrl+alt+esc", "Control+AltGr+Escape", "strg+option+ESC", "Escape+Alt+ctrl", "ctrl+shift+alt+meta+escape"],
)
def test_no_spelling_of_it_is_let_through(chord: str) -> None:
    assert "stop key" in refusal_of("ctrl+alt+escape", (), split_chord(chord))


@pytest.mark.parametrize("name", ["Control_L", "ControlLeft", "Escape_L", "KP_Escape", "\x1b", "XF86Back"])
def test_other_names_of_keys_are_none(name: str) -> None:
    with pytest.raises(ActionError, match="There is no key"):
        split_chord(name)


@pytest.mark.parametrize("text", ["\x1b", "a\x1b[A", "\x03", "\x00"])
def test_no_text_holds_a_key(text: str) -> None:
    with pytest.raises(ActionError, match="cannot be typed"):
        as_typed(text)


@pytest.mark.parametrize("last", ["Control", "Alt", "Escape"])
def test_it_cannot_be_put_together_key_by_key(last: str) -> None:
    rest = tuple({"Control", "Alt", "Escape"} - {last})
    assert "stop key" in refusal_of("ctrl+alt+escape", rest, (last,), is_down=True)


@pytest.mark.parametrize(
    "pressed", [("Control", "Escape"), ("Alt", "Escape"), ("Control", "Alt", "Delete"), ("Escape",)]
)
def test_other_keys_are_sent(pressed: tuple[str, ...]) -> None:
    assert refusal_of("ctrl+alt+escape", (), pressed).startswith("sent")


def test_nothing_is_typed_with_its_modifiers_held() -> None:
    with pytest.raises(RefusedAction, match="modifiers of the stop key"):
        asyncio.run(Silent("ctrl+alt+k", frozenset({"Control", "Alt"})).type_text("k"))


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "command",
    [
        ("kill", "4243"),
        ("kill", "-9", "4242"),
        ("kill", "-STOP", "4243"),
        ("/bin/kill", "--", "-4242"),
        ("sh", "-c", "sleep 1; kill 4243"),
        ("bash", "-c", "kill -9 $(pgrep -f operative)"),
        ("env", "X=1", "pkill", "-f", "guard.listener"),
        ("pkill", "python"),
        ("killall", "python3.11"),
        ("kill", "-9", "-1"),
        ("pkill", "-u", "ada"),
        ("taskkill", "/F", "/PID", "4242"),
        ("xkill",),
        ("xdotool", "key", "ctrl+alt+Escape"),
        ("sh", "-c", "true && xdotool type hello"),
        ("/usr/bin/ydotool", "key", "1:1"),
        ("busybox", "kill", "4243"),
        ("bash", "-c", "k=kill; $k 4243"),
        ("sh", "-c", "ki''ll -9 42\"\"43"),
        ("sh", "-c", "k\\ill 4243"),
        ("sh", "-c", "kill -9 $PPID"),
        ("sh", "-c", "pkill -P $PPID"),
        ("sh", "-c", "kill $(ps -o ppid= $$)"),
        ("sh", "-c", "kill $(cut -d' ' -f4 /proc/self/stat)"),
        ("sh", "-c", "ps aux | grep listener | awk '{print $2}' | xargs kill"),
        ("sh", "-c", "ps aux | awk '/guard/{print $2}' | xargs -r kill -STOP"),
        ("sh", "-c", "ps aux | grep mousepad | xargs kill"),  # its own goal names it
        ("sh", "-c", "echo 4243 | xargs kill"),
        ("killall", "-9", "-u", "ada"),
        ("skill", "-KILL", "4243"),
        ("loginctl", "terminate-user", "ada"),
        ("loginctl", "kill-session", "2"),
        ("prlimit", "--pid", "4243", "--cpu=0"),
        ("renice", "19", "-p", "4243"),
        ("gdb", "-p", "4243", "-batch", "-ex", "call (void)exit(0)"),
        ("python3", "-c", "import os; os.kill(4243, 9)"),
        ("python3", "-c", "import os, signal; os.kill(os.getppid(), signal.SIGSTOP)"),
        ("env", "X=1", "perl", "-e", "kill 'KILL', 4242"),
        ("node", "-e", "process.kill(4243)"),
        (
            "python3",
            "-c",
            "import psutil; [p.kill() for p in psutil.process_iter() if 'guard.listener' in p.cmdline()]",
        ),
        ("python3", "-c", "import pyautogui; pyautogui.hotkey('ctrl', 'alt', 'esc')"),
        ("sh", "-c", "python3 -c 'from Xlib.ext.xtest import fake_input'"),
        ("osascript", "-e", 'tell application "System Events" to keystroke "a"'),
        ("powershell", "-Command", "[System.Windows.Forms.SendKeys]::SendWait('^%{ESC}')"),
        ("xmodmap", "-e", "keycode 9 = NoSymbol"),
        ("setxkbmap", "-option", "caps:swapescape"),
        ("xinput", "disable", "9"),
        ("sh", "-c", "xinput float 9"),
    ],
)
def test_commands_that_get_round_it_are_refused(command: tuple[str, ...]) -> None:
    with pytest.raises(RefusedAction):
        refuse_tampering(command)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    "command",
    [
        ("kill", "99999"),
        ("kill", "-1", "99999"),
        ("pkill", "mousepad"),
        ("killall", "-s", "KILL", "galculator"),
        ("ls", "4242"),
        ("sh", "-c", "echo 4243 > numbers.txt"),
        ("sh", "-c", "ps aux | grep galculator | awk '{print $2}' | xargs kill"),
        ("sh", "-c", "kill $(cat server.pid)"),
        ("python3", "-c", "print(4243)"),
        ("python3", "report.py", "--signal", "strong"),
        ("grep", "-r", "pyautogui", "notes"),
        ("pip", "install", "pynput"),
        ("setxkbmap", "de"),
        ("setxkbmap", "-query"),
        ("xinput", "list"),
        ("loginctl", "list-sessions"),
        ("taskset", "-p", "99999"),
        ("gdb", "--version"),
    ],
)
def test_other_commands_are_not(command: tuple[str, ...]) -> None:
    refuse_tampering(command)


def test_a_command_against_this_very_process_is_not_run() -> None:
    with pytest.raises(RefusedAction, match="end Operative itself"):
        asyncio.run(run_command(["kill", "-0", str(os.getpid())], timeout_s=60))
    assert asyncio.run(run_command([sys.executable, "-c", "print(1)"], timeout_s=20)).output == "1\n"
