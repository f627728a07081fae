"""The kill switch on a real display: keys are pressed by xdotool, other windows have the focus."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from Xlib import XK, X, display

from operative_app.core.errors import SettingsError
from operative_app.guard import kill_switch
from operative_app.guard.kill_switch import KillSwitch, Press
from operative_app.guard.targets import TargetKind
from tests.display import program, running_server
from tests.guard.stand import until

ROOT = Path(__file__).parents[2]
LIMIT_S = 60.0
CHORD = "ctrl+alt+escape"


def keys(*arguments: str) -> None:
    subprocess.run([program("xdotool"), *arguments], check=True, timeout=LIMIT_S)


def listeners() -> list[psutil.Process]:
    return [one for one in psutil.Process().children() if "operative_app.guard.listener" in one.cmdline()]


@contextmanager
def listening(chord: str = CHORD) -> Iterator[queue.SimpleQueue[str]]:
    """A started kill switch; the queue gets the name of the thread of each press."""
    pressed: queue.SimpleQueue[str] = queue.SimpleQueue()
    switch = KillSwitch(chord, lambda _: pressed.put(threading.current_thread().name))
    try:
        assert switch.start(timeout_s=LIMIT_S), switch.reason
        yield pressed
    finally:
        switch.stop()


def test_a_press_is_heard_on_the_reader_thread(virtual_display: str) -> None:
    with listening() as pressed:
        keys("key", "ctrl+alt+Escape")
        assert pressed.get(timeout=LIMIT_S) == "kill-switch"


def test_each_press_counts_once(virtual_display: str) -> None:
    with listening() as pressed:
        for _ in range(3):
            keys("key", "ctrl+alt+Escape")
        for _ in range(3):
            pressed.get(timeout=LIMIT_S)
        assert pressed.empty()


def down_keys() -> int:
    """How many keys and buttons the display has down."""
    server = display.Display()
    try:
        mask: int = server.screen().root.query_pointer().mask
        keymap: list[int] = server.query_keymap()
        return sum(byte.bit_count() for byte in keymap) + (mask >> 8 & 0x1F).bit_count()
    finally:
        server.close()


def test_every_key_and_button_is_let_go_of(virtual_display: str) -> None:
    with listening() as pressed:
        keys("mousemove", "200", "200", "keydown", "shift", "keydown", "a", "mousedown", "1", "mousedown", "3")
        assert down_keys() == 4
        keys("key", "ctrl+alt+Escape")
        pressed.get(timeout=LIMIT_S)
        assert down_keys() == 0


def sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


@contextmanager
def guarded(on_press: Callable[[Press], None]) -> Iterator[tuple[KillSwitch, queue.SimpleQueue[str]]]:
    """A started kill switch, and what it tells."""
    told: queue.SimpleQueue[str] = queue.SimpleQueue()

    def pressed(press: Press) -> None:
        on_press(press)
        told.put("pressed")

    switch = KillSwitch(CHORD, pressed, lambda: told.put("ended"))
    try:
        assert switch.start(timeout_s=LIMIT_S), switch.reason
        yield switch, told
    finally:
        switch.stop()


def test_what_injects_is_ended_before_the_press_is_told(virtual_display: str) -> None:
    with sleeper() as injector, guarded(lambda press: press.answer()) as (switch, told):
        switch.guard(TargetKind.INPUT, [injector.pid])
        keys("key", "ctrl+alt+Escape")
        assert told.get(timeout=LIMIT_S) == "pressed"
        assert injector.wait(timeout=LIMIT_S) == -signal.SIGKILL


def test_the_browser_is_ended_when_nobody_answers(virtual_display: str) -> None:
    with sleeper() as browser, guarded(lambda _: None) as (switch, told):
        switch.guard(TargetKind.BROWSER, [browser.pid])
        keys("key", "ctrl+alt+Escape")
        assert [told.get(timeout=LIMIT_S) for _ in range(2)] == ["pressed", "ended"]
        assert browser.wait(timeout=LIMIT_S) == -signal.SIGKILL


def test_the_browser_lives_when_the_press_is_answered_or_it_is_forgotten(
    virtual_display: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sleeper() as browser, sleeper() as other, sleeper() as witness:
        try:
            with monkeypatch.context() as patient:
                patient.chdir(ROOT)
                patient.setattr(kill_switch, "LISTENER", "tests.guard.patient")
                with guarded(lambda press: press.answer()) as (switch, told):
                    switch.guard(TargetKind.BROWSER, [browser.pid, other.pid])
                    switch.forget([other.pid])
                    keys("key", "ctrl+alt+Escape")
                    assert told.get(timeout=LIMIT_S) == "pressed"
            with guarded(lambda _: None) as (switch, told):
                switch.guard(TargetKind.BROWSER, [witness.pid, other.pid])
                switch.forget([other.pid])
                keys("key", "ctrl+alt+Escape")
                assert [told.get(timeout=LIMIT_S) for _ in range(2)] == ["pressed", "ended"]
            assert (browser.poll(), other.poll()) == (None, None)
            assert witness.wait(timeout=LIMIT_S) == -signal.SIGKILL
        finally:
            for process in (browser, other, witness):
                process.kill()


def test_processes_named_before_the_guard_runs_are_ended_too(virtual_display: str) -> None:
    told: queue.SimpleQueue[str] = queue.SimpleQueue()
    switch = KillSwitch(CHORD, lambda _: told.put("pressed"))
    with sleeper() as injector:
        switch.guard(TargetKind.INPUT, [injector.pid])
        try:
            assert switch.start(timeout_s=LIMIT_S), switch.reason
            keys("key", "ctrl+alt+Escape")
            assert told.get(timeout=LIMIT_S) == "pressed"
            assert injector.wait(timeout=LIMIT_S) == -signal.SIGKILL
        finally:
            switch.stop()
            injector.kill()


def test_the_corner_stops_only_while_there_is_something_to_end(virtual_display: str) -> None:
    with sleeper() as injector, guarded(lambda press: press.answer()) as (switch, told):
        keys("mousemove", "300", "300", "mousemove", "0", "0", "mousemove", "300", "300")
        switch.guard(TargetKind.INPUT, [injector.pid])
        keys("key", "ctrl+alt+Escape")  # what comes before it was heard before it
        assert told.get(timeout=LIMIT_S) == "pressed"
        assert injector.wait(timeout=LIMIT_S) == -signal.SIGKILL
        with sleeper() as second:
            switch.guard(TargetKind.INPUT, [second.pid])
            while not told.empty():
                told.get()
            keys("mousemove", "0", "0")
            assert second.wait(timeout=LIMIT_S) == -signal.SIGKILL


def test_a_stop_elsewhere_takes_the_same_road(virtual_display: str) -> None:
    with sleeper() as injector, guarded(lambda press: press.answer()) as (switch, told):
        switch.guard(TargetKind.INPUT, [injector.pid])
        keys("mousemove", "200", "200", "mousedown", "1")
        assert switch.press()
        assert told.get(timeout=LIMIT_S) == "pressed"
        assert injector.wait(timeout=LIMIT_S) == -signal.SIGKILL
        assert down_keys() == 0
    assert not switch.press()


PARENT = (
    "import subprocess, sys\n"
    "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid, flush=True); input()"
)
GRANDPARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {PARENT!r}], stdin=-3); input()"


@pytest.mark.parametrize("script", [PARENT, GRANDPARENT])
def test_a_browser_is_ended_with_all_it_started(virtual_display: str, script: str) -> None:
    is_group = script is GRANDPARENT  # the one in between has ended: only the group has the one it started
    with (
        subprocess.Popen(
            [sys.executable, "-c", script], stdin=-1, stdout=-1, text=True, start_new_session=is_group
        ) as browser,
        guarded(lambda _: None) as (switch, told),
    ):
        assert browser.stdout is not None
        child = psutil.Process(int(browser.stdout.readline()))
        switch.guard(TargetKind.BROWSER, [browser.pid])
        assert switch.press()
        assert [told.get(timeout=LIMIT_S) for _ in range(2)] == ["pressed", "ended"]
        assert browser.wait(timeout=LIMIT_S) == -signal.SIGKILL
        assert psutil.wait_procs([child], timeout=LIMIT_S)[1] == []


def test_an_answer_that_comes_late_is_none_to_the_next_press(virtual_display: str) -> None:
    presses: list[Press] = []
    with guarded(presses.append) as (switch, told), sleeper() as first, sleeper() as second:
        switch.guard(TargetKind.BROWSER, [first.pid])
        switch.press()
        assert [told.get(timeout=LIMIT_S) for _ in range(2)] == ["pressed", "ended"]
        switch.guard(TargetKind.BROWSER, [second.pid])
        switch.press()
        assert told.get(timeout=LIMIT_S) == "pressed"
        presses[0].answer()
        assert told.get(timeout=LIMIT_S) == "ended"
        assert second.wait(timeout=LIMIT_S) == -signal.SIGKILL


def test_a_press_is_seen_from_the_press_to_its_answer(virtual_display: str) -> None:
    told: queue.SimpleQueue[Press] = queue.SimpleQueue()
    let_on, seen = threading.Event(), []

    def pressed(press: Press) -> None:  # holds the reader up: nothing it could read tells of the press
        seen.append(switch.is_pressed)
        told.put(press)
        let_on.wait(LIMIT_S)

    with guarded(pressed) as (switch, _):
        assert not switch.is_pressed
        switch.press()
        first = told.get(timeout=LIMIT_S)
        first.answer()
        assert not switch.is_pressed
        switch.press()
        assert until(lambda: switch.is_pressed)
        let_on.set()
        told.get(timeout=LIMIT_S).answer()
        assert not switch.is_pressed
        assert seen == [True, True]
        switch.press()
        assert until(lambda: switch.is_pressed)
    assert not switch.is_pressed  # nobody is there any more to be answered


def test_it_is_heard_although_another_program_has_grabbed_keyboard_and_chord(virtual_display: str) -> None:
    other = display.Display()
    try:
        root = other.screen().root
        root.grab_key(other.keysym_to_keycode(XK.XK_Escape), X.AnyModifier, True, X.GrabModeAsync, X.GrabModeAsync)
        assert root.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime) == X.GrabSuccess
        other.sync()
        with listening() as pressed:
            keys("key", "ctrl+alt+Escape")
            pressed.get(timeout=LIMIT_S)
    finally:
        other.close()


def test_it_is_heard_with_locks_on(virtual_display: str) -> None:
    with listening("ctrl+alt+k") as pressed:
        keys("key", "Caps_Lock", "key", "Num_Lock")
        try:
            keys("key", "ctrl+alt+k")
            pressed.get(timeout=LIMIT_S)
        finally:
            keys("key", "Caps_Lock", "key", "Num_Lock")


def test_a_guard_that_is_halted_is_no_guard(virtual_display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kill_switch, "_PING_S", 0.05)
    lost: queue.SimpleQueue[str] = queue.SimpleQueue()
    switch = KillSwitch(CHORD, lambda _: None, on_lost=lost.put)
    try:
        assert switch.start(timeout_s=LIMIT_S), switch.reason
        (process,) = listeners()
        process.suspend()
        assert "no longer heard" in lost.get(timeout=LIMIT_S)
        assert not switch.works
    finally:
        switch.stop()


def test_other_keys_and_fewer_modifiers_are_not_the_chord(virtual_display: str) -> None:
    with listening() as pressed:
        for other in ("Escape", "ctrl+Escape", "alt+Escape", "ctrl+alt+F9", "ctrl+alt+x"):
            keys("key", other)
        keys("key", "ctrl+alt+Escape")
        pressed.get(timeout=LIMIT_S)
        assert pressed.empty()


@pytest.mark.parametrize(
    ("chord", "typed"), [("ctrl+shift+k", "ctrl+shift+k"), ("alt+f9", "alt+F9"), ("ctrl+7", "ctrl+7")]
)
def test_letters_digits_and_function_keys_work_too(virtual_display: str, chord: str, typed: str) -> None:
    with listening(chord) as pressed:
        keys("key", typed)
        pressed.get(timeout=LIMIT_S)


def test_the_right_modifiers_count_as_well(virtual_display: str) -> None:
    with listening() as pressed:
        keys("keydown", "Control_R", "key", "alt+Escape", "keyup", "Control_R")
        pressed.get(timeout=LIMIT_S)


OTHER_PROGRAM = """
from PySide6.QtWidgets import QApplication, QLineEdit
app = QApplication([])
field = QLineEdit()
app.focusChanged.connect(lambda old, new: new is field and print("focused", flush=True))
field.textEdited.connect(lambda text: print(text, flush=True))
field.show()
field.activateWindow()
field.setFocus()
app.exec()
"""


def test_it_is_heard_while_another_program_has_the_focus(virtual_display: str) -> None:
    other = subprocess.Popen([sys.executable, "-c", OTHER_PROGRAM], stdout=subprocess.PIPE, text=True)
    with other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "focused\n"
            with listening() as pressed:
                keys("type", "a")
                assert other.stdout.readline() == "a\n"  # what is typed goes to the other program
                keys("key", "ctrl+alt+Escape")
                pressed.get(timeout=LIMIT_S)
        finally:
            other.terminate()


def test_stopping_ends_process_and_thread_and_may_be_repeated(virtual_display: str) -> None:
    switch = KillSwitch(CHORD, lambda _: None)
    try:
        assert switch.start(timeout_s=LIMIT_S), switch.reason
        (process,) = listeners()
        (thread,) = [one for one in threading.enumerate() if one.name == "kill-switch"]
    finally:
        switch.stop()
    switch.stop()

    assert not process.is_running()
    thread.join(LIMIT_S)
    assert not thread.is_alive()
    assert not switch.works


def test_it_can_be_started_again(virtual_display: str) -> None:
    pressed: queue.SimpleQueue[None] = queue.SimpleQueue()
    switch = KillSwitch(CHORD, lambda _: pressed.put(None))
    try:
        for _ in range(2):
            assert switch.start(timeout_s=LIMIT_S)
            assert switch.start(timeout_s=LIMIT_S)
            keys("key", "ctrl+alt+Escape")
            pressed.get(timeout=LIMIT_S)
            switch.stop()
    finally:
        switch.stop()


def test_without_a_display_it_says_why_and_leaves_nothing() -> None:
    switch = KillSwitch(CHORD, lambda _: None)

    assert not switch.start(timeout_s=LIMIT_S)

    assert not switch.works
    assert switch.reason.startswith("The hotkey is not heard: ")
    assert listeners() == []
    switch.stop()


def test_on_wayland_it_is_not_claimed(virtual_display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    switch = KillSwitch(CHORD, lambda _: None)

    assert not switch.start(timeout_s=LIMIT_S)
    assert switch.reason.startswith("The hotkey is not heard: on Wayland a program hears only")


def test_a_display_that_tells_no_keys_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_server("-extension", "RECORD") as name:
        monkeypatch.setenv("DISPLAY", name)
        switch = KillSwitch(CHORD, lambda _: None)
        assert not switch.start(timeout_s=LIMIT_S)
        assert switch.reason.endswith("(its RECORD extension is off).")


def test_a_bad_chord_is_refused_at_once() -> None:
    with pytest.raises(SettingsError, match="ordinary typing"):
        KillSwitch("escape", lambda _: None)


def test_a_listener_that_was_killed_is_noticed(virtual_display: str) -> None:
    switch = KillSwitch(CHORD, lambda _: None)
    try:
        assert switch.start(timeout_s=LIMIT_S)
        (process,) = listeners()
        (thread,) = [one for one in threading.enumerate() if one.name == "kill-switch"]
        process.kill()
        thread.join(LIMIT_S)
        assert not switch.works
        assert "no longer heard" in switch.reason
    finally:
        switch.stop()


def test_what_is_written_to_the_line_is_a_press_also_for_a_guard_that_is_started_anew(virtual_display: str) -> None:
    presses: queue.SimpleQueue[str] = queue.SimpleQueue()
    lost: queue.SimpleQueue[str] = queue.SimpleQueue()
    switch = KillSwitch(CHORD, lambda press: presses.put(press.way), on_lost=lost.put)
    line = switch.stop_line
    assert line is not None
    try:
        for is_last in (False, True):
            assert switch.start(timeout_s=LIMIT_S), switch.reason
            assert switch.hears_line
            os.write(line, b"bye\npress\n")  # nothing but a press is heard there
            assert presses.get(timeout=LIMIT_S) == "asked"
            if not is_last:
                listeners()[0].kill()
                lost.get(timeout=LIMIT_S)
                assert until(lambda: not switch.hears_line)
                switch.stop()
        assert presses.empty()
    finally:
        switch.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(line)


def test_a_browser_that_a_killed_guard_had_halted_goes_on(virtual_display: str) -> None:
    lost: queue.SimpleQueue[str] = queue.SimpleQueue()
    switch = KillSwitch(CHORD, lambda _: None, on_lost=lost.put)
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=-1, stdout=-1, text=True, start_new_session=True
    ) as browser:
        try:
            assert browser.stdout is not None
            processes = [psutil.Process(pid) for pid in (browser.pid, int(browser.stdout.readline()))]
            assert switch.start(timeout_s=LIMIT_S), switch.reason
            switch.guard(TargetKind.BROWSER, [browser.pid])
            os.killpg(browser.pid, signal.SIGSTOP)
            assert until(lambda: all(one.status() == psutil.STATUS_STOPPED for one in processes))
            listeners()[0].kill()
            lost.get(timeout=LIMIT_S)
            assert until(lambda: not any(one.status() == psutil.STATUS_STOPPED for one in processes))
        finally:
            switch.stop()
            os.killpg(browser.pid, signal.SIGKILL)


def test_the_tray_icon_of_an_application_that_is_killed_ends(virtual_display: str) -> None:
    script = (
        "import os, sys; from operative_app.gui.tray_link import TrayLink\n"
        "link = TrayLink(os.pipe()[1], print, print); link.tell({'show': {}})\n"
        "print(link.pid, flush=True); sys.stdin.read()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        icon = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        parent.wait(timeout=LIMIT_S)
        assert psutil.wait_procs([icon], timeout=LIMIT_S)[1] == []


def test_the_listener_ends_by_itself_when_its_parent_is_killed(virtual_display: str) -> None:
    script = (
        "import sys, time; from operative_app.guard.kill_switch import KillSwitch; import psutil\n"
        f"switch = KillSwitch('{CHORD}', lambda _: None); assert switch.start(timeout_s={LIMIT_S}), switch.reason\n"
        "print(psutil.Process().children()[0].pid, flush=True); sys.stdin.read()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        listener = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        parent.wait(timeout=LIMIT_S)
        gone, alive = psutil.wait_procs([listener], timeout=LIMIT_S)

    assert alive == []
    assert gone


@pytest.fixture
def listener(virtual_display: str) -> Iterator[subprocess.Popen[str]]:
    """The listener alone, ready."""
    process = subprocess.Popen(
        [sys.executable, "-m", "operative_app.guard.listener", "--chord", CHORD],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        if process.poll() is None:
            process.kill()


def test_the_listener_ends_on_sigterm(listener: subprocess.Popen[str]) -> None:
    listener.send_signal(signal.SIGTERM)

    assert listener.wait(timeout=LIMIT_S) == 0


def test_ctrl_c_in_the_terminal_is_not_meant_for_the_listener(listener: subprocess.Popen[str]) -> None:
    listener.send_signal(signal.SIGINT)
    keys("key", "ctrl+alt+Escape")
    assert listener.stdout is not None
    assert listener.stdin is not None

    assert listener.stdout.readline() == "pressed 1 key\n"
    listener.stdin.close()
    assert listener.wait(timeout=LIMIT_S) == 0


def test_the_listener_alone_says_that_there_is_no_display() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "operative_app.guard.listener", "--chord", CHORD],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip

    assert ended.returncode == 3
    assert ended.stdout.startswith("unavailable: ")
    assert ended.stdout.count("\n") == 1
