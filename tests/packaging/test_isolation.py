"""Tests see a place of their own, and what they leave behind is found."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import platformdirs
import pytest

from tests.leftovers import MARK_VARIABLE, Surroundings

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def test_every_folder_of_the_user_lies_in_the_place_of_the_test(isolation: Path) -> None:
    for folder in (
        Path.home(),
        platformdirs.user_data_path(),
        platformdirs.user_config_path(),
        platformdirs.user_cache_path(),
        platformdirs.user_state_path(),
        platformdirs.user_runtime_path(),
        Path(tempfile.gettempdir()),
    ):
        assert folder.is_relative_to(isolation)


def test_no_display_unless_asked_for() -> None:
    assert not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)


def test_the_virtual_display_has_a_window_manager(virtual_display: str) -> None:
    command = ["xdotool", "get_num_desktops"]  # answered by window managers only
    assert os.environ["DISPLAY"] == virtual_display
    assert int(subprocess.run(command, capture_output=True, check=True).stdout) >= 1


def test_desktop_libraries_load_on_the_virtual_display(virtual_display: str) -> None:
    code = "import pyautogui, pynput.keyboard, pynput.mouse; print(*pyautogui.size())"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stdout.split() == ["1440", "900"], result.stderr


def test_another_machine_is_out_of_reach() -> None:
    with socket.socket() as connection, pytest.raises(OSError, match="loopback"):
        connection.connect(("192.0.2.1", 80))


def test_a_child_process_that_was_left_is_named_and_ended(tmp_path: Path) -> None:
    surroundings = Surroundings()
    with subprocess.Popen(SLEEP) as process:
        (line,) = surroundings.leftovers(tmp_path, grace_s=0.05)
        assert str(process.pid) in line
        assert "time.sleep(600)" in line
    assert process.returncode < 0


@pytest.mark.skipif(not Path("/proc").exists(), reason="only /proc shows the environment of other processes")
def test_a_process_given_away_to_init_is_found_by_its_mark(tmp_path: Path) -> None:
    surroundings = Surroundings()
    start = f"import subprocess, sys; print(subprocess.Popen({SLEEP!r}, start_new_session=True).pid)"
    environment = {**os.environ, MARK_VARIABLE: surroundings.mark}
    with (tmp_path / "pid").open("w+") as said:  # no pipe, which the process would keep open
        subprocess.run([sys.executable, "-W", "ignore", "-c", start], env=environment, stdout=said, check=True)
        said.seek(0)
        (line,) = surroundings.leftovers(tmp_path, grace_s=0.05)
        assert said.read().strip() in line


def test_a_thread_that_goes_on_is_named(tmp_path: Path) -> None:
    surroundings = Surroundings()
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="goes on")
    thread.start()
    (line,) = surroundings.leftovers(tmp_path, grace_s=0.05)
    end.set()
    thread.join()
    assert "goes on" in line


def test_a_temporary_folder_of_the_application_is_named(tmp_path: Path) -> None:
    surroundings = Surroundings()
    (tmp_path / "operative-profile-1").mkdir()
    (line,) = surroundings.leftovers(tmp_path, grace_s=0.05)
    assert "operative-profile-1" in line
