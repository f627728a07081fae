"""Pointer, wheel and chords as programs get them: a window that notes its events, and real programs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from Xlib import X
from Xlib.display import Display

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError
from operative_app.core.ports import MouseButton
from operative_app.surfaces.desktop.input.client import InputProcess
from operative_app.surfaces.desktop.input.key_names import physical
from tests.desktop_session import until
from tests.surfaces.desktop.stage import Hand, Opened, Stage, running_hand, running_input, running_stage, text_of

MASK = (
    X.ButtonPressMask | X.ButtonReleaseMask | X.PointerMotionMask | X.KeyPressMask | X.KeyReleaseMask | X.ExposureMask
)


@dataclass
class Sheet:
    """A window over the whole screen, kept above all by itself, that notes what it gets."""

    display: Display
    notes: list[str] = field(default_factory=list)
    press_times_ms: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        screen = self.display.screen()
        self.window = screen.root.create_window(
            0, 0, screen.width_in_pixels, screen.height_in_pixels, 0, screen.root_depth, event_mask=MASK,
            override_redirect=True, background_pixel=screen.white_pixel,
        )  # fmt: skip
        self.window.map()
        until(lambda: self._next() == X.Expose, what="the sheet")
        self.window.set_input_focus(X.RevertToParent, X.CurrentTime)
        self.display.sync()
        self.read()
        self.notes.clear()

    def read(self) -> list[str]:
        """Everything so far, a word for each event."""
        self.display.sync()
        while self.display.pending_events():
            self._note(self.display.next_event())
        return self.notes

    def _next(self) -> int:
        return int(self.display.next_event().type) if self.display.pending_events() else 0

    def _note(self, event: Any) -> None:
        kind = {X.ButtonPress: "+b", X.ButtonRelease: "-b", X.KeyPress: "+k", X.KeyRelease: "-k"}.get(event.type)
        if kind == "+b":
            self.press_times_ms.append(event.time)
        if kind in ("+b", "-b"):
            self.notes.append(f"{kind}{event.detail}@{event.root_x},{event.root_y}{'^' * bool(event.state & 4)}")
        elif kind:
            self.notes.append(f"{kind}{event.detail}")
        elif event.type == X.MotionNotify:
            self.notes.append(f"m@{event.root_x},{event.root_y}")


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with running_stage() as running:
        yield running


@pytest.fixture(scope="module")
def hand(stage: Stage) -> Iterator[Hand]:
    with running_hand(stage) as running:
        yield running


@pytest.fixture(scope="module")
def mousepad(stage: Stage) -> Opened:
    return stage.open("mousepad")


@pytest.fixture(autouse=True)
def on_stage(stage: Stage, isolation: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", stage.display)
    stage.tool("xdotool", "mousemove", "700", "450")


@pytest.fixture
def sheet(stage: Stage) -> Iterator[Sheet]:
    display = Display(stage.display)
    yield Sheet(display)
    display.close()


def at(x: float, y: float) -> ScreenPoint:
    return ScreenPoint(x_screen_px=x, y_screen_px=y)


def clicks(notes: list[str]) -> list[str]:
    return [note for note in notes if note[1] == "b"]


@pytest.mark.parametrize(("button", "number"), [("left", 1), ("middle", 2), ("right", 3)])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_click_is_pressed_and_let_go_at_the_place(
    hand: Hand, sheet: Sheet, button: str, number: int, count: int
) -> None:
    hand.run(hand.process.click(at(300.4, 199.6), MouseButton(button), count))
    assert clicks(sheet.read()) == [f"+b{number}@300,200", f"-b{number}@300,200"] * count
    assert "m@300,200" in sheet.notes


def test_each_press_of_a_click_has_its_own_time(hand: Hand, sheet: Sheet) -> None:
    """Two that have the same are no double-click to Qt."""
    hand.run(hand.process.click(at(300, 200), MouseButton.LEFT, 3))
    sheet.read()
    assert len(set(sheet.press_times_ms)) == 3


def test_a_pointer_library_that_wants_tkinter_works_without_it(
    sheet: Sheet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of pyautogui's ends the whole process at import where tkinter is missing."""
    (tmp_path / "mouseinfo.py").write_text("raise SystemExit('install tkinter')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    async def run() -> None:
        async with running_input() as process:
            await process.click(at(300, 200), MouseButton.LEFT, 1)

    asyncio.run(run())
    assert clicks(sheet.read()) == ["+b1@300,200", "-b1@300,200"]


def test_a_swapped_mouse_still_gives_the_left_button(hand: Hand, sheet: Sheet) -> None:
    """A left-handed person's server gives programs button 3 for the first button."""
    mapping = list(sheet.display.get_pointer_mapping())
    sheet.display.set_pointer_mapping([3, 2, 1, *mapping[3:]])
    try:
        hand.run(hand.process.click(at(300, 200), MouseButton.LEFT, 1))
        assert clicks(sheet.read()) == ["+b1@300,200", "-b1@300,200"]
    finally:
        sheet.display.set_pointer_mapping(mapping)


def test_a_drag_moves_in_small_steps_with_the_button_down(hand: Hand, sheet: Sheet) -> None:
    hand.run(hand.process.drag(at(100, 100), at(340, 260)))
    notes = sheet.read()
    start, end = notes.index("+b1@100,100"), notes.index("-b1@340,260")
    moves = [note for note in notes[start:end] if note.startswith("m@")]
    assert len(moves) >= 8
    assert moves[-1] == "m@340,260"


@pytest.mark.parametrize(
    ("dx", "dy", "button", "notches"), [(0, 180, 5, 3), (0, -60, 4, 1), (120, 0, 7, 2), (-1, 0, 6, 1)]
)
def test_the_wheel_turns_by_about_the_pixels_asked_for(
    hand: Hand, sheet: Sheet, dx: float, dy: float, button: int, notches: int
) -> None:
    hand.run(hand.process.scroll(dx, dy, at(400, 300)))
    assert clicks(sheet.read()) == [f"+b{button}@400,300", f"-b{button}@400,300"] * notches


def test_a_click_with_a_modifier_held(hand: Hand, sheet: Sheet) -> None:
    async def run() -> None:
        process = hand.process
        await process.key_down("Control")
        assert process.held == {"Control"}
        await process.click(at(300, 200), MouseButton.LEFT, 1)
        await process.key_up("Control")
        assert process.held == frozenset()

    hand.run(run())
    assert clicks(sheet.read()) == ["+b1@300,200^", "-b1@300,200^"]


def test_a_button_is_held_until_it_is_let_go_elsewhere(hand: Hand, sheet: Sheet) -> None:
    async def run() -> None:
        process = hand.process
        await process.button_down(at(300, 200), MouseButton.RIGHT)
        assert process.held == {"right"}
        await process.button_up(at(500, 400), MouseButton.RIGHT)
        assert process.held == frozenset()

    hand.run(run())
    assert clicks(sheet.read()) == ["+b3@300,200", "-b3@500,400"]


def test_a_chord_is_pressed_in_order_and_let_go_in_reverse(hand: Hand, sheet: Sheet) -> None:
    hand.run(hand.process.press(("Control", "Shift", "F5")))
    pressed = [note[2:] for note in sheet.read() if note.startswith("+k")]
    assert sheet.notes == [f"+k{code}" for code in pressed] + [f"-k{code}" for code in reversed(pressed)]
    assert len(pressed) == 3


@pytest.mark.parametrize("point", [at(-1, 10), at(10, 5000), at(1440, 10)])
def test_a_place_outside_the_screen_is_refused(hand: Hand, sheet: Sheet, point: ScreenPoint) -> None:
    async def run() -> None:
        process = hand.process
        with pytest.raises(ActionError, match="outside the screen"):
            await process.click(point, MouseButton.LEFT, 1)

    hand.run(run())
    assert clicks(sheet.read()) == []


def test_two_clicks_at_one_place_are_no_double_click(hand: Hand, stage: Stage, mousepad: Opened) -> None:
    """A double-click would select the word, and the next key would replace it."""
    stage.activate(mousepad.process)
    x, y = _inside(stage, mousepad)

    async def run() -> tuple[str, str]:
        process = hand.process
        await _replace(process, "word")
        await process.click(at(x, y), MouseButton.LEFT, 1)
        await process.click(at(x, y), MouseButton.LEFT, 1)
        await process.type_text("+")
        after_two = await text_of(stage, process)
        await _replace(process, "word")
        await process.click(at(x, y), MouseButton.LEFT, 2)
        await process.type_text("+")
        return after_two, await text_of(stage, process)

    after_two, after_double = hand.run(run())
    assert sorted(after_two) == sorted("word+")
    assert after_double == "+"


def test_a_text_is_selected_by_dragging(hand: Hand, stage: Stage, mousepad: Opened) -> None:
    stage.activate(mousepad.process)
    x, y = _inside(stage, mousepad)

    async def run() -> str:
        process = hand.process
        await _replace(process, "first line\nsecond line\nthird line")
        await process.drag(at(x - 8, y), at(x + 600, y + 200))
        await process.type_text("-")
        return await text_of(stage, process)

    assert hand.run(run()) in {"-", "f-"}


@pytest.mark.parametrize("layout", ["us", "fr", "gr", "ru"])
def test_shortcuts_work_on_layouts_without_their_letters(
    hand: Hand, stage: Stage, mousepad: Opened, layout: str
) -> None:
    stage.layout(layout)
    stage.activate(mousepad.process)
    try:

        async def run() -> str:
            process = hand.process
            await _replace(process, "old")
            await process.press(("Control", "A"))
            await process.press(("x",))
            await process.press(("Shift", "y"))
            await process.press(("Z",))
            await process.press(("+",))
            return await text_of(stage, process)

        assert hand.run(run()) == "xYZ+"
    finally:
        stage.layout("us")


@pytest.mark.parametrize("corner", [("0", "0"), ("1439", "899")])
def test_a_pointer_put_into_a_corner_stops_everything_but_letting_go(
    hand: Hand, stage: Stage, sheet: Sheet, corner: tuple[str, str]
) -> None:
    async def run() -> None:
        process = hand.process
        await process.key_down("Shift")
        await process.button_down(at(300, 200), MouseButton.LEFT)
        stage.tool("xdotool", "mousemove", *corner)
        for work in (
            process.click(at(300, 200), MouseButton.LEFT, 1),
            process.press(("Enter",)),
            process.scroll(0, 100, None),
            process.drag(at(100, 100), at(200, 200)),
        ):
            with pytest.raises(ActionError, match="corner of the screen, which means stop"):
                await work
        assert process.held == {"Shift", "left"}
        await process.release()
        assert stage.down() == set()
        stage.tool("xdotool", "mousemove", "300", "300")
        await process.press(("Enter",))

    hand.run(run())


def test_nothing_goes_to_a_corner_by_itself(hand: Hand, sheet: Sheet) -> None:
    async def run() -> None:
        process = hand.process
        with pytest.raises(ActionError, match="a few pixels beside"):
            await process.move(at(0, 0))
        with pytest.raises(ActionError, match="outside the screen"):  # the display would take it for the corner
            await process.move(at(-4, -2))
        await process.click(at(3, 0), MouseButton.LEFT, 1)

    hand.run(run())
    assert clicks(sheet.read()) == ["+b1@3,0", "-b1@3,0"]


@pytest.mark.parametrize(
    ("chord", "expected"),
    [
        (("Control", "A"), ("Control", "a")),
        (("ControlOrMeta", "Shift", "S"), ("Control", "Shift", "s")),
        (("A",), ("A",)),
        (("Control", "+"), ("Control", "+")),
        (("Alt", "ẞ"), ("Alt", "ß")),
        (("Alt", "İ"), ("Alt", "İ")),
    ],
)
def test_a_chord_names_keys_not_characters(chord: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert physical(chord) == expected


def _inside(stage: Stage, editor: Opened) -> tuple[int, int]:
    """A place on the first letter of the editor's text: below its menu bar."""
    found = stage.tool("xdotool", "getwindowgeometry", "--shell", str(editor.window))
    numbers = dict(line.split("=") for line in found.split())
    return int(numbers["X"]) + 12, int(numbers["Y"]) + 38


async def _replace(process: InputProcess, text: str) -> None:
    await process.press(("Control", "a"))
    await process.type_text(text)
