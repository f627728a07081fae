"""`operative look` as a process of its own, with a real browser."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from operative_app.cli.options import ActionsOptions, LookOptions
from operative_app.cli.parser import parse
from operative_app.core.screen import ScreenState
from tests.surfaces.pages import Pages

PAGE = "<title>Shop</title><h1>Lamps</h1><button style='position:fixed;left:100px;top:100px'>Buy the blue lamp</button>"


def look(*arguments: str, chromium: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"OPERATIVE_BROWSER": chromium}
    command = [sys.executable, "-m", "operative_app", "look", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=90, check=False)


def test_it_tells_what_is_seen_and_draws_the_numbers(chromium_path: str, tmp_path: Path) -> None:
    picture = tmp_path / "seen.png"
    with Pages() as pages:
        url = pages.make(PAGE)
        told = look(url, "--picture", str(picture), chromium=chromium_path)
        as_json = look(url, "--json", chromium=chromium_path)
    assert (told.returncode, told.stderr) == (0, "")
    assert "[1] button “Buy the blue lamp”" in told.stdout
    assert "Lamps" in told.stdout
    image = Image.open(BytesIO(picture.read_bytes()))
    assert image.format == "PNG"
    blue = sum(count for count, colour in image.convert("RGB").getcolors(1 << 24) or () if colour == (47, 111, 237))
    assert blue > 20  # the label of the mark
    state = ScreenState.model_validate(json.loads(as_json.stdout))
    assert [one.name for one in state.elements] == ["Buy the blue lamp"]
    assert state.url == url


def test_a_page_that_cannot_be_opened_is_told_in_a_sentence(chromium_path: str) -> None:
    ended = look("http://127.0.0.1:9/", chromium=chromium_path)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("operative: ")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_it_ends_and_leaves_no_browser_when_it_is_told_to(chromium_path: str, number: signal.Signals) -> None:
    """The leak check of each test finds a browser that stayed."""
    with Pages() as pages:
        command = [sys.executable, "-m", "operative_app", "look", pages.url("/endless")]
        environment = os.environ | {"OPERATIVE_BROWSER": chromium_path}
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert pages.wait_for_endless()
            process.send_signal(number)
            told = process.communicate(timeout=60)
        assert (process.returncode, told) == (3, ("", ""))


def test_a_desktop_that_is_not_there_is_told(chromium_path: str) -> None:
    ended = look("desktop", chromium=chromium_path)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("operative: ")


def test_the_command_line_is_read() -> None:
    assert parse(["look", "example.org"]) == LookOptions(url="https://example.org")
    assert parse(["look", "desktop", "--json", "--picture", "/tmp/a.jpg"]) == LookOptions("", True, Path("/tmp/a.jpg"))
    assert parse(["look", "practice:shop"]) == LookOptions(url="practice:shop")
    assert parse(["actions", "--json"]) == ActionsOptions(json=True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["look"], "The following arguments are required"),
        (["look", "file:///etc/passwd"], "is not opened"),
        (["look", "desktop", "--picture", "/tmp/a.gif"], "is no picture file"),
        (["look", "desktop", "--picture", "/no/such/folder/a.png"], "there is no such folder"),
        (["actions", "click"], "Unrecognized arguments"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse(arguments)
    assert end.value.code == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
