"""Goals in words, carried out on a real desktop by the real command; files and windows are looked at afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from Xlib.display import Display

from tests.desktop_session import DesktopSession, end_programs_left
from tests.display import program


@pytest.fixture
def home(desktop: DesktopSession, isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The person's home folder on the desktop. Programs that a run left open, as it should, are ended afterwards."""
    monkeypatch.setenv("OPERATIVE_HOME", str(isolation / "operative"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    yield isolation / "home"
    end_programs_left()


def run(goal: str, *options: str) -> dict[str, Any]:
    """How the run ended, as its last event tells."""
    command = [sys.executable, "-m", "operative_app", "run", goal, "--surface", "desktop", "--json", *options]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
    last: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return last | {"exit_code": ended.returncode, "steps_told": steps_of(ended.stdout)}


def xdotool(*arguments: str) -> None:
    subprocess.run([program("xdotool"), *arguments], check=True, timeout=60)


def steps_of(output: str) -> list[str]:
    events = [json.loads(line) for line in output.splitlines()]
    return [event["label"] for event in events if event["kind"] == "step_started"]


def test_text_is_typed_and_saved_by_the_file_dialog_of_a_gtk_program(home: Path) -> None:
    file = home / "grüße.txt"
    goal = f"Open Mousepad, type “Grüße an Zoë 🙂 — שלום”, save it as {file} and close Mousepad"
    end = run(goal, "--yes")
    assert (end["exit_code"], end["state"]) == (0, "done"), end["reason"]
    assert file.read_bytes() == "Grüße an Zoë 🙂 — שלום".encode()


def test_text_is_typed_and_saved_by_the_file_dialog_of_a_qt_program(home: Path) -> None:
    file = home / "notes.txt"
    end = run(f"Open FeatherPad, type “one, two”, choose File > Save As, save it as {file}", "--yes")
    assert (end["exit_code"], end["state"]) == (0, "done"), end["reason"]
    assert file.read_text() == "one, two\n"


def test_buttons_are_pressed_and_the_result_is_read(home: Path) -> None:
    end = run("Open the calculator, press 8, press 1, press sqrt and tell me the result")
    assert (end["exit_code"], end["answer"]) == (0, "9"), end["reason"]


def test_what_is_not_saved_is_asked_about_and_thrown_away_only_when_said(home: Path) -> None:
    asked = run("Open Mousepad, type “draft” and close Mousepad", "--yes")
    assert asked["exit_code"] == 4
    assert "Which button shall I press" in asked["reason"]
    told = run("Close Mousepad without saving", "--yes")
    assert (told["exit_code"], told["state"]) == (0, "done"), told["reason"]
    assert "Mousepad" not in run("Which windows are open?")["answer"]


def test_a_command_is_run_when_it_is_approved_only(home: Path) -> None:
    refused = run("Run the command “touch made.txt”")
    assert refused["exit_code"] == 4
    assert not (home / "made.txt").exists()
    end = run("Run the command “touch made.txt”", "--yes")
    assert end["exit_code"] == 0, end["reason"]
    assert (home / "made.txt").exists()


def test_without_a_display_it_is_said_in_words(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY")
    end = run("Open Mousepad")
    assert end["exit_code"] == 1
    assert end["reason"].startswith("There is no display")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert run("Open Mousepad")["reason"].startswith("Wayland does not let one program see and drive the others")


def test_the_stop_key_ends_the_typing_at_once_and_holds_nothing(home: Path, desktop: DesktopSession) -> None:
    goal = f"Open Mousepad and type “{'word ' * 400}end”"
    command = [sys.executable, "-m", "operative_app", "run", goal, "--surface", "desktop", "--json", "--yes"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            events = []
            for line in process.stdout:
                events.append(json.loads(line))
                if events[-1]["kind"] == "step_started" and events[-1]["action"] == "type_text":
                    break
            xdotool("key", "ctrl+alt+Escape")
            events += [json.loads(line) for line in process.stdout]
            assert process.wait(timeout=60) == 3, events[-1]["reason"]
        finally:
            process.kill()
    assert events[-1]["state"] == "stopped"
    server = Display(desktop.display)
    try:
        keymap: list[int] = server.query_keymap()
        assert not any(keymap)
    finally:
        server.close()
