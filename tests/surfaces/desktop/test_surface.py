"""The desktop surface on real programs: dialogs, a file manager that tells nothing, its own windows, windows alike."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import RefusedAction, StaleReference, SurfaceClosed
from operative_app.core.screen import ElementRef, Picture, ScreenState
from operative_app.perception.merge import merge
from operative_app.perception.ocr import RapidTextReader
from operative_app.surfaces.desktop import opening
from operative_app.surfaces.desktop.opening import open_parts
from operative_app.surfaces.desktop.surface import ManagedDesktop
from operative_app.surfaces.desktop.x11_windows import X11Windows
from tests.desktop_session import DesktopSession, end_programs_left, until
from tests.display import program


class Person:
    """The surface, used a step at a time."""

    def __init__(self, surface: ManagedDesktop, runner: asyncio.Runner) -> None:
        self.surface = surface
        self.run = runner.run
        self.state = ScreenState(observation=0, surface=surface.kind)

    def see(self) -> ScreenState:
        self.run(self.surface.settle())
        self.state = self.run(self.surface.observe(with_picture=False)).state
        return self.state

    def ref(self, name: str) -> ElementRef:
        """The one element of that name, once it is there."""
        found = until(lambda: [one for one in self.see().elements if one.name == name], timeout_s=60, what=name)
        assert len(found) == 1
        return self.state.ref(found[0])

    def click(self, name: str) -> None:
        self.run(self.surface.click(self.ref(name)))


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(ThreadPoolExecutor(max_workers=1))
        yield runner


@pytest.fixture
def person(desktop: DesktopSession, runner: asyncio.Runner) -> Iterator[Person]:
    surface = runner.run(ManagedDesktop.open(open_parts(reader=RapidTextReader(), merge=merge)))
    yield Person(surface, runner)
    runner.run(surface.close())
    end_programs_left()


def asked(*arguments: str) -> subprocess.Popen[str]:
    """A dialog; what it answers comes on its standard output."""
    return subprocess.Popen(
        [program("zenity"), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def answer(dialog: subprocess.Popen[str]) -> tuple[int, str]:
    output, _ = dialog.communicate(timeout=60)
    return dialog.returncode, output.strip()


def test_dialogs_are_filled_in_chosen_from_and_answered(person: Person, tmp_path: Path) -> None:
    entry = asked("--entry", "--text=Your name?")
    person.run(person.surface.fill(person.ref("Your name?"), "Åsa 🙂"))
    person.click("OK")
    assert answer(entry) == (0, "Åsa 🙂")
    listed = asked("--list", "--text=Pick", "--column=Fruit", "Apple", "Pear")
    person.click("Pear")
    person.click("OK")
    assert answer(listed) == (0, "Pear")
    question = asked("--question", "--text=Go on?")
    person.click("No")
    assert answer(question)[0] == 1
    file = tmp_path / "some file ü.txt"
    file.write_text("x")
    chooser = asked("--file-selection")
    until(lambda: person.see().file_chooser, what="the file dialog")
    person.run(person.surface.choose_files([str(file)]))
    assert answer(chooser) == (0, str(file))


def test_program_that_tells_nothing_is_read_off_its_picture_and_acted_on(person: Person, isolation: Path) -> None:
    folder = isolation / "home" / "work"
    (folder / "Reports").mkdir(parents=True)
    person.run(person.surface.open_app("pcmanfm", [str(folder)]))
    person.click("Reports")
    before = person.see().title
    person.run(person.surface.press_key("F2"))
    until(lambda: person.see().title not in {before, ""}, what="the field for the name")
    person.run(person.surface.type_text("Berichte"))
    person.see()
    person.run(person.surface.press_key("Enter"))
    until(lambda: (folder / "Berichte").is_dir(), what="the new name")
    assert any("read off its picture" in words for words in person.see().left_out)


def test_picture_is_not_read_where_the_program_tells_what_it_shows(
    desktop: DesktopSession, runner: asyncio.Runner
) -> None:
    class Unused:
        def read(self, picture: Picture, box: object = None) -> tuple[()]:
            raise AssertionError("the picture was read")

    desktop.start("galculator")
    surface = runner.run(ManagedDesktop.open(open_parts(reader=Unused(), merge=merge)))
    try:
        state = until(lambda: Person(surface, runner).see(), what="the calculator")
        assert any(one.name == "sqrt" for one in state.elements)
    finally:
        runner.run(surface.close())


def test_own_windows_are_not_listed_and_never_clicked_or_typed_into(
    desktop: DesktopSession, runner: asyncio.Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = desktop.start("zenity", "--entry", "--text=Own")
    monkeypatch.setattr(opening, "own_pids", lambda: frozenset({own.pid}))
    surface = runner.run(ManagedDesktop.open(open_parts(reader=None, merge=None)))
    try:
        assert Person(surface, runner).see().windows == ()
        windows = X11Windows(frozenset({own.pid}))
        x, y = until(windows.own_windows, what="the own window")[0].center
        windows.close()
        with pytest.raises(RefusedAction, match="never acted on"):
            runner.run(surface.click(ScreenPoint(x_screen_px=x, y_screen_px=y)))
        with pytest.raises(RefusedAction, match="No window of another program is open"):
            runner.run(surface.type_text("secret"))
    finally:
        runner.run(surface.close())


def test_element_of_a_window_that_is_gone_is_not_taken_for_its_like_in_another(
    person: Person, desktop: DesktopSession
) -> None:
    one = asked("--entry", "--title=One", "--text=Name")
    first = person.ref("Name")
    desktop.start("zenity", "--entry", "--title=Two", "--text=Name")
    until(lambda: person.see().title == "Two", what="the second dialog")
    assert person.state.find(first) is not None  # alike in role, name and place
    person.run(person.surface.fill(first, "for the first"))
    assert person.see().title == "One"
    person.run(person.surface.press_key("Enter"))
    assert answer(one) == (0, "for the first")
    until(lambda: person.see().title == "Two", what="the second dialog alone")
    with pytest.raises(StaleReference, match="is closed"):
        person.run(person.surface.click(first))


def test_closing_leaves_programs_open_and_ends_what_acted(desktop: DesktopSession, runner: asyncio.Runner) -> None:
    started = desktop.start("galculator")
    parts = open_parts(reader=None, merge=None)
    frames: list[Picture] = []
    surface = runner.run(ManagedDesktop.open(replace(parts), on_frame=frames.append))
    (acting,) = surface.process_ids
    until(lambda: frames if Person(surface, runner).see().windows else [], what="a live frame")
    runner.run(surface.close())
    runner.run(surface.close())
    assert started.poll() is None
    assert not psutil.pid_exists(acting)
    with pytest.raises(SurfaceClosed):
        runner.run(surface.observe())


def test_after_the_input_process_was_ended_every_act_says_so(person: Person, desktop: DesktopSession) -> None:
    desktop.start("galculator")
    seven = person.ref("7")
    (acting,) = person.surface.process_ids
    psutil.Process(acting).kill()
    with pytest.raises(SurfaceClosed):
        person.run(person.surface.click(seven))
    until(lambda: person.surface.is_closed, what="the end")
