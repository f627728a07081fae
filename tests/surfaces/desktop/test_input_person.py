"""A person's hand on mouse or keyboard is told apart from what is sent, and everything is let go of at once.

The person here is `xdotool`: it sends by the same extension, and what was not announced counts as a person's.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable, Iterator

import pytest
from Xlib import X
from Xlib.display import Display

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError
from operative_app.core.ports import MouseButton
from operative_app.core.taking import Hand
from operative_app.surfaces.desktop.input.client import InputProcess
from operative_app.surfaces.desktop.input.person import REST_PX, TREMBLE_S, Announced, Tremble
from operative_app.surfaces.desktop.input.x11_injector import connect
from operative_app.surfaces.desktop.input.x11_person import X11Person, raw_event
from tests.desktop_session import until
from tests.surfaces.desktop.stage import Opened, Stage, Worker, running_input, running_stage, text_of

HERE = ScreenPoint(x_screen_px=420, y_screen_px=300)
THERE = ScreenPoint(x_screen_px=900, y_screen_px=620)
LIMIT_S = 60


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with running_stage() as running:
        yield running


@pytest.fixture(scope="module")
def mousepad(stage: Stage) -> Opened:
    return stage.open("mousepad")


@pytest.fixture(autouse=True)
def on_stage(stage: Stage, isolation: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", stage.display)


class Told:
    """What an input process tells of a person."""

    def __init__(self, process: InputProcess) -> None:
        self.hands: list[Hand] = []
        self._came = asyncio.Event()
        process.tell_of_person(self._on_person)

    def _on_person(self, hand: Hand) -> None:
        self.hands.append(hand)
        self._came.set()

    async def wait(self) -> Hand:
        await asyncio.wait_for(self._came.wait(), LIMIT_S)
        return self.hands[-1]


PERSON = {
    Hand.MOVED: ("mousemove_relative", "9", "0"),
    Hand.CLICKED: ("click", "2"),
    Hand.TYPED: ("key", "F13"),  # of no layout here: xdotool gives it to a key without a symbol, as is done here, too
}


@pytest.mark.parametrize("hand", PERSON)
def test_each_hand_is_told_though_nothing_is_sent_meanwhile(stage: Stage, hand: Hand) -> None:
    async def run() -> None:
        async with running_input() as process:
            told = Told(process)
            await process.move(HERE)
            await process.watch(on=True)
            stage.tool("xdotool", *PERSON[hand])
            assert await told.wait() is hand
            with pytest.raises(ActionError, match="taken mouse and keyboard"):
                await process.move(THERE)

    asyncio.run(run())


async def _drag(process: InputProcess) -> None:
    for _ in range(200):
        await process.drag(HERE, THERE)
        await process.drag(THERE, HERE)


async def _type(process: InputProcess) -> None:
    await process.type_text("Ünïcode text 你好 " * 200, delay_ms=1)


async def _hold(process: InputProcess) -> None:
    await process.key_down("Shift")
    await process.button_down(HERE, MouseButton.LEFT)
    await asyncio.sleep(LIMIT_S)


@pytest.mark.parametrize(("act", "hand"), [(_drag, Hand.MOVED), (_type, Hand.TYPED), (_hold, Hand.CLICKED)])
def test_a_hand_in_the_middle_of_an_act_ends_it_and_nothing_stays_down(
    stage: Stage, mousepad: Opened, hand: Hand, act: Callable[[InputProcess], Awaitable[None]]
) -> None:
    async def run() -> None:
        async with running_input() as process:
            told = Told(process)
            await process.move(HERE)
            await process.watch(on=True)
            acting = asyncio.ensure_future(act(process))
            for _ in range(40):  # it has begun, and is in the middle of it
                await process.position()
            assert not told.hands
            await asyncio.to_thread(stage.tool, "xdotool", *PERSON[hand])
            await told.wait()
            assert not process.held
            await asyncio.to_thread(until, lambda: not stage.down(), what="the end of all keys")
            if act is _hold:
                acting.cancel()
            with pytest.raises((ActionError, asyncio.CancelledError)):
                await acting
            assert told.hands == [told.hands[0]]

    stage.tool("xdotool", "windowactivate", "--sync", str(mousepad.window))
    asyncio.run(run())
    stage.tool("xdotool", "key", "ctrl+a", "Delete")


def test_what_it_sends_itself_is_never_taken_for_a_person(stage: Stage, mousepad: Opened) -> None:
    async def run() -> None:
        async with running_input() as process:
            told = Told(process)
            await process.watch(on=True)
            await process.click(HERE, MouseButton.LEFT, 2)
            await process.drag(HERE, THERE)
            await process.scroll(120, 240, HERE)
            await process.scroll(-120, -240, HERE)
            await process.press(["Control", "a"])
            await process.type_text("Caps, Ünïcode ñ 你好 and line\n")
            assert "你好" in await text_of(stage, process)
            await process.key_down("a")
            await asyncio.sleep(0.9)  # the key repeats meanwhile
            await process.key_up("a")
            await process.button_down(HERE, MouseButton.LEFT)
            await process.button_up(THERE, MouseButton.LEFT)
            assert await process.watch(on=True) > 60
            assert not told.hands

    stage.tool("xdotool", "windowactivate", "--sync", str(mousepad.window))
    asyncio.run(run())


class Manager:
    """A window over the whole screen whose presses are held back as window managers do it, with all that follows."""

    def __init__(self, name: str) -> None:
        self._asked, self._display = Display(name), Display(name)
        screen = self._display.screen()
        self._window = screen.root.create_window(
            0, 0, screen.width_in_pixels, screen.height_in_pixels, 0, screen.root_depth, override_redirect=True,
            event_mask=X.ButtonPressMask | X.ButtonReleaseMask | X.ExposureMask,
        )  # fmt: skip
        self._window.map()
        until(lambda: self._display.next_event().type == X.Expose if self._display.pending_events() else False)
        self._asked.create_resource_object("window", self._window.id).grab_button(
            X.AnyButton, X.AnyModifier, True, X.ButtonPressMask, X.GrabModeSync, X.GrabModeAsync, X.NONE, X.NONE
        )
        self._asked.sync()
        self.got: list[str] = []

    def is_asked(self) -> bool:
        """Whether a press waits for an answer."""
        return bool(self._asked.pending_events() and self._asked.next_event().type == X.ButtonPress)

    def pass_on(self) -> None:
        self._asked.allow_events(X.ReplayPointer, X.CurrentTime)
        self._asked.sync()

    def pass_on_all(self) -> list[str]:
        """Answer until all buttons are up; what the window got."""
        while self._display.screen().root.query_pointer().mask & X.Button1Mask:
            self.pass_on()
        self._display.sync()
        while self._display.pending_events():
            event = self._display.next_event()
            sign = {X.ButtonPress: "+", X.ButtonRelease: "-"}[event.type]
            self.got.append(f"{sign}{event.root_x},{event.root_y}")
        return self.got

    def close(self) -> None:
        self._asked.close()
        self._display.close()


@pytest.fixture
def manager(stage: Stage) -> Iterator[Manager]:
    manager = Manager(stage.display)
    yield manager
    manager.close()


def test_presses_that_a_window_manager_holds_back_are_no_hand(manager: Manager) -> None:
    async def run() -> None:
        async with running_input() as process:
            told = Told(process)
            await process.watch(on=True)
            await process.click(HERE, MouseButton.LEFT, 2)
            assert manager.is_asked()
            await process.position()
            assert manager.pass_on_all() == ["+420,300", "-420,300"] * 2
            assert await process.watch(on=True) > 60
            assert not told.hands

    asyncio.run(run())


def test_nothing_is_sent_while_a_window_manager_holds_a_press_back(stage: Stage, manager: Manager) -> None:
    """The pointer would be sent away from the place of a press that programs get later."""
    worker = Worker(stage, "x11_injector", "X11Injector")
    try:
        worker.do("watch", on=True)
        for x, y in ((420, 300), (900, 620)):
            worker.do("move", x=x, y=y)
            worker.ask("click", button="left", count=1)
            until(manager.is_asked, what="a press")
            assert not worker.has_answered(within_s=0.2)
            manager.pass_on()
            worker.answer()
        assert manager.pass_on_all() == ["+420,300", "-420,300", "+900,620", "-900,620"]
    finally:
        worker.end()


def test_a_warped_pointer_and_a_trembling_mouse_are_no_hand(stage: Stage) -> None:
    async def run() -> None:
        async with running_input() as process:
            told = Told(process)
            await process.move(HERE)
            await process.watch(on=True)
            display = Display(stage.display)
            display.screen().root.warp_pointer(50, 60)
            display.sync()
            display.close()
            for way in ("1", "-1", "2", "-2", "3"):
                stage.tool("xdotool", "mousemove_relative", "--", way, "0")
            await process.move(THERE)
            assert not told.hands
            stage.tool("xdotool", "mousemove_relative", "--", "4", "3")
            assert await told.wait() is Hand.MOVED

    asyncio.run(run())


def test_after_a_hand_nothing_is_sent_until_it_is_looked_out_for_anew(stage: Stage) -> None:
    async def run() -> None:
        async with running_input() as process:
            told = Told(process)
            await process.watch(on=True)
            stage.tool("xdotool", "mousemove_relative", "30", "30")
            await told.wait()
            for refused in (process.press(["a"]), process.scroll(0, 60, None), process.type_text("a")):
                with pytest.raises(ActionError, match="taken mouse and keyboard"):
                    await refused
            await process.release()
            assert await process.watch(on=True) < LIMIT_S
            await process.move(THERE)
            assert await process.position() == THERE
            await process.watch(on=False)
            stage.tool("xdotool", "mousemove_relative", "30", "30")
            await process.move(THERE)
            assert len(told.hands) == 1

    asyncio.run(run())


def test_a_hand_is_noticed_while_a_program_has_grabbed_the_pointer(stage: Stage) -> None:
    async def run() -> None:
        display = Display(stage.display)
        async with running_input() as process:
            told = Told(process)
            await process.watch(on=True)
            display.screen().root.grab_pointer(
                False, X.PointerMotionMask, X.GrabModeAsync, X.GrabModeAsync, X.NONE, X.NONE, X.CurrentTime
            )
            display.sync()
            stage.tool("xdotool", "mousemove_relative", "30", "30")
            assert await told.wait() is Hand.MOVED
        display.close()

    asyncio.run(run())


def test_a_key_of_a_real_device_is_a_persons_though_the_same_was_announced(stage: Stage) -> None:
    """Where devices and XTEST can be told apart, what a person types meanwhile is theirs, also the same key."""
    announced = Announced()
    person = X11Person(lambda: connect({"DISPLAY": stage.display}), announced)
    try:
        announced.add("key", 38)
        assert person._hand(raw_event(13, _raw(detail=38, source=5))) is None
        announced.add("key", 38)
        assert person._hand(raw_event(13, _raw(detail=38, source=7))) is Hand.TYPED
        assert person._hand(raw_event(15, _raw(detail=1, source=6))) is Hand.CLICKED
        assert person._hand(raw_event(13, _raw(detail=38, source=5))) is None
        assert person._hand(raw_event(13, _raw(detail=38, source=5))) is Hand.TYPED
    finally:
        person.close()


def _raw(*, detail: int, source: int) -> bytes:
    return struct.pack("<HIIHHI4x", 2, 0, detail, source, 0, 0)


@pytest.mark.parametrize(
    ("moves", "is_move"),
    [
        ([(1, 0)] * REST_PX, False),
        ([(1, 0)] * (REST_PX + 1), True),
        ([(3, 0), (-3, 0)] * 20, False),
        ([(3, 3)], True),
        ([(0, -REST_PX - 1)], True),
    ],
)
def test_small_moves_add_up_to_where_the_pointer_has_got(moves: list[tuple[int, int]], is_move: bool) -> None:
    tremble = Tremble()
    assert any(tremble.is_move(*move, now_s=place / 100) for place, move in enumerate(moves)) is is_move


def test_small_moves_far_apart_do_not_add_up() -> None:
    tremble = Tremble()
    assert not any(tremble.is_move(3, 0, now_s=place * (TREMBLE_S + 0.1)) for place in range(9))
