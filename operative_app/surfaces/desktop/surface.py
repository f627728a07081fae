"""The desktop as the engine and the actions use it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Sequence
from typing import Final, TypeVar

from operative_app.core.coordinates import ScreenPoint, StatePoint
from operative_app.core.errors import ActionError, RefusedAction, StaleReference, SurfaceClosed, SurfaceError
from operative_app.core.keys import key_name, split_chord
from operative_app.core.plan import Checkpoint
from operative_app.core.ports import CommandResult, Concealer, FrameListener, MouseButton, Spot, WaitState
from operative_app.core.screen import (
    ElementRef,
    ElementState,
    Observation,
    Picture,
    ScreenState,
    SurfaceKind,
    Window,
)
from operative_app.core.secrets import FieldPlace
from operative_app.core.taking import Deed, HandListener
from operative_app.surfaces.desktop import checkpoints, editing, file_dialogs
from operative_app.surfaces.desktop.commands import run_command
from operative_app.surfaces.desktop.following import DesktopLesson
from operative_app.surfaces.desktop.frames import Frames
from operative_app.surfaces.desktop.observer import Observer, around
from operative_app.surfaces.desktop.parts import Parts
from operative_app.surfaces.desktop.places import Places
from operative_app.surfaces.desktop.settle import settle
from operative_app.surfaces.desktop.switching import Switching
from operative_app.surfaces.desktop.targets import Targets, clipped
from operative_app.surfaces.desktop.veil import black
from operative_app.surfaces.desktop.worker import Worker
from operative_app.surfaces.secrecy import untold
from operative_app.surfaces.waiting import came

CLOSE_S: Final = 3.0
COPY_S: Final = 0.8
"""How long a program may take to put on the clipboard what it was asked to."""
LOOK_S: Final = 0.03
_TAKES: Final = (["Control", "c"], ["Control", "x"])
Answer = TypeVar("Answer")


class ManagedDesktop:
    """The desktop this process is on; implements `core.ports.DesktopSurface`.

    One instance belongs to one asyncio loop (the agent thread). Its parts are its own: `close` closes them, and leaves
    the person's programs open. After the input process was ended from outside (the kill switch) every act raises
    SurfaceClosed.

    Args:
        on_frame: Gets live frames, a few a second.
    """

    kind = SurfaceKind.DESKTOP

    def __init__(self, parts: Parts, on_frame: FrameListener | None = None) -> None:
        """Use `open`."""
        self._parts = parts
        self._system = Worker("desktop")
        self._capture = Worker("capture")
        self._observer = Observer(parts, self._system, self._capture)
        self._targets = Targets(parts, self._observer, self._system)
        self._switching = Switching(parts, self._system)
        self._places = Places(parts, self._targets, self._system)
        self._frames = Frames(parts, self._capture, on_frame, self._frame_to_show)
        self._lesson: DesktopLesson | None = None
        self._is_closed = False

    @classmethod
    async def open(cls, parts: Parts, *, on_frame: FrameListener | None = None) -> ManagedDesktop:
        """Start the input process and the live frames.

        Raises:
            SurfaceMissing: Input is not possible here.
        """
        desktop = cls(parts, on_frame)
        try:
            await parts.input.start()
            desktop._frames.start()
        except BaseException:
            await desktop.close()
            raise
        return desktop

    @property
    def process_ids(self) -> tuple[int, ...]:
        """What acts for it (the input process): for the kill switch's guard."""
        pid = self._parts.input.process_id
        return (pid,) if pid else ()

    @property
    def is_closed(self) -> bool:
        """Whether it is of no more use: closed, or its input process was ended."""
        return self._is_closed or not self._parts.input.process_id

    # --- seeing ---

    async def observe(self, *, with_picture: bool = True) -> Observation:
        self._check()
        return await self._observer.observe(with_picture=with_picture, held=self._parts.input.held)

    async def settle(self, ceiling_s: float = 3.0) -> None:
        self._check()
        await settle(self._observer, ceiling_s)

    async def get_text(self, ref: ElementRef | None = None) -> str:
        self._check()
        if ref is not None:
            element, _, _ = await self._targets.seen(ref)
            return await editing.text_of(self._parts, element)
        observation = await self._observer.observe(with_picture=False, held=self._parts.input.held)
        return await editing.window_text(self._parts, observation.state)

    async def wait_for(self, ref: ElementRef, state: WaitState, *, timeout_s: float) -> bool:
        return await came(lambda: self._is_in(ref, state), timeout_s=timeout_s)

    async def _is_in(self, ref: ElementRef, state: WaitState) -> bool:
        self._check()
        try:
            element, _, _ = await self._targets.seen(ref)
        except StaleReference:
            return state is WaitState.HIDDEN
        is_visible = not element.has(ElementState.OFFSCREEN)
        match state:
            case WaitState.VISIBLE:
                return is_visible
            case WaitState.HIDDEN:
                return not is_visible
            case WaitState.ENABLED:
                return is_visible and not element.has(ElementState.DISABLED)

    async def take_picture(self, ref: ElementRef | None = None) -> Picture:
        self._check()
        if ref is None:
            return await self._observer.picture()
        target = await self._targets.element(ref)
        monitors = await self._capture.run(self._parts.screens.monitors)
        area = clipped(target.element.box, around([monitor.box for monitor in monitors]))
        return await self._observer.picture(area)

    # --- pointer ---

    async def click(self, at: Spot, *, button: MouseButton = MouseButton.LEFT, count: int = 1) -> None:
        self._check()
        point = await self._targets.point(at)
        await self._let_go_if_failed(self._parts.input.click(point, button, count))

    async def hover(self, at: Spot) -> None:
        self._check()
        await self._parts.input.move(await self._targets.point(at))

    async def drag(self, start: Spot, end: Spot) -> None:
        self._check()
        goal = await self._targets.point(end)
        begin = await self._targets.point(start)
        if isinstance(end, ElementRef):  # bringing the start into sight may have moved the end
            goal = await self._targets.point(end)
        await self._let_go_if_failed(self._parts.input.drag(begin, goal))

    async def scroll(self, dx_css_px: float, dy_css_px: float, at: Spot | None = None) -> None:
        self._check()
        if isinstance(at, ElementRef):
            element, window, _ = await self._targets.seen(at)
            area = clipped(element.box, window.box)
            point = ScreenPoint(x_screen_px=area.center[0], y_screen_px=area.center[1])
            await self._targets.refuse_own(point)
        elif at is not None:
            point = await self._targets.point(at)
        else:
            window = await self._front_window()
            x, y = window.box.center
            point = ScreenPoint(x_screen_px=x, y_screen_px=y)
            await self._targets.refuse_own(point)
        await self._parts.input.scroll(dx_css_px, dy_css_px, point)

    async def mouse_down(self, at: Spot, *, button: MouseButton = MouseButton.LEFT) -> None:
        self._check()
        await self._let_go_if_failed(self._parts.input.button_down(await self._targets.point(at), button))

    async def mouse_up(self, at: Spot, *, button: MouseButton = MouseButton.LEFT) -> None:
        self._check()
        match at:
            case ElementRef():
                element, _, _ = await self._targets.seen(at)
                x, y = element.box.center
                point = ScreenPoint(x_screen_px=x, y_screen_px=y)
            case ScreenPoint():
                point = at
            case _:
                raise RefusedAction("A place in a page is no place on the desktop.")
        await self._parts.input.button_up(point, button)

    async def select_text(self, start: StatePoint, end: StatePoint) -> str:
        await self.drag(start, end)
        await self.settle(1.0)
        return (await self._observer.look()).tree.selection

    # --- keyboard ---

    def conceal(self, concealer: Concealer) -> None:
        self._observer.veils.concealer = concealer

    async def field_place(self, ref: ElementRef | None = None) -> FieldPlace:
        self._check()
        return await self._places.place_of(ref, await self._front_window())

    async def type_text(self, text: str, *, delay_ms: float = 0, only_in: FieldPlace | None = None) -> None:
        self._check()
        window = await self._writing_window()
        if only_in is not None:
            await self._places.check(None, window, only_in)
            with untold(only_in):
                await self._let_go_if_failed(
                    self._parts.input.type_text(text, delay_ms=delay_ms, window_id=window.id),
                    keep=self._parts.input.held,
                )
            return
        await self._let_go_if_failed(
            self._parts.input.type_text(text, delay_ms=delay_ms, window_id=window.id), keep=self._parts.input.held
        )

    async def press_key(self, chord: str, ref: ElementRef | None = None) -> None:
        self._check()
        keys = ["Control" if key == "ControlOrMeta" else key for key in split_chord(chord)]
        if ref is not None:
            await editing.focus(self._parts, self._targets, ref)
        await self._writing_window()
        press = self._let_go_if_failed(self._parts.input.press(keys), keep=self._parts.input.held)
        if keys in _TAKES:
            await self._taken(press)
        else:
            await press

    async def key_down(self, key: str) -> None:
        self._check()
        await self._writing_window()
        await self._let_go_if_failed(self._parts.input.key_down(key_name(key)), keep=self._parts.input.held)

    async def key_up(self, key: str) -> None:
        self._check()
        await self._parts.input.key_up(key_name(key))

    async def fill(self, ref: ElementRef, text: str, *, only_in: FieldPlace | None = None) -> str:
        self._check()
        if only_in is not None:
            await self._places.check(ref, await self._front_window(), only_in)
            with untold(only_in):
                return await self._let_go_if_failed(editing.fill(self._parts, self._targets, ref, text))
        return await self._let_go_if_failed(editing.fill(self._parts, self._targets, ref, text))

    # --- clipboard ---

    async def read_clipboard(self) -> str:
        self._check()
        return await self._system.run(self._parts.clipboard.read_text)

    async def write_clipboard(self, text: str) -> None:
        self._check()
        await self._system.run(self._parts.clipboard.write_text, text)

    # --- programs, files ---

    async def open_app(self, name: str, arguments: Sequence[str] = ()) -> Window:
        self._check()
        return await self._switching.open_app(name, arguments)

    async def close_app(self, name: str) -> bool:
        self._check()
        return await self._switching.close_app(name)

    async def switch_app(self, name: str) -> Window:
        self._check()
        return await self._switching.switch_app(name)

    async def run_command(self, argv: Sequence[str], *, timeout_s: float) -> CommandResult:
        self._check()
        return await run_command(argv, timeout_s=timeout_s)

    async def choose_files(self, paths: Sequence[str], ref: ElementRef | None = None) -> None:
        self._check()
        if ref is not None:
            await self.click(ref)
        await self._let_go_if_failed(file_dialogs.choose(self._parts, self._observer, paths, is_coming=ref is not None))

    # --- keeping ---

    async def release(self) -> None:
        if not self._is_closed:
            with contextlib.suppress(SurfaceClosed):
                await self._parts.input.release()

    def tell_of_person(self, listener: HandListener) -> None:
        """`core.taking.SharedSurface`: after the call back all acts are refused until a person is watched for anew."""
        self._parts.input.tell_of_person(listener)

    async def watch_person(self, *, on: bool) -> float:
        self._check()
        return await self._parts.input.watch(on=on)

    async def begin_teaching(self) -> None:
        self._check()
        if self._lesson is None:
            self._lesson = DesktopLesson(self._parts, self._observer, self._targets)
            await self._lesson.begin()

    async def end_teaching(self) -> Sequence[Deed]:
        lesson, self._lesson = self._lesson, None
        return await lesson.end() if lesson is not None else ()

    async def show_to_person(self) -> None:
        self._check()
        window = self._observer.last.active_window
        if window is not None:
            with contextlib.suppress(ActionError):
                await self._system.run(self._parts.windows.activate, window.id)

    async def checkpoint(self, step: int) -> Checkpoint:
        self._check()
        return checkpoints.checkpoint_of(self._observer.last, step)

    async def restore(self, checkpoint: Checkpoint) -> None:
        self._check()
        windows = await self._system.run(self._parts.windows.open_windows)
        await checkpoints.restore(
            checkpoint,
            windows,
            activate=lambda window: self._system.run(self._parts.windows.activate, window.id),
            look=self._state,
            fill=lambda element, text: self.fill(self._observer.last.ref(element), text),
            press=lambda element: self.click(self._observer.last.ref(element)),
        )

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        await self.end_teaching()
        await self._frames.stop()
        for end in (self._parts.input.close, self._parts.accessibility.close):
            await _bounded(end())
        for call in (self._parts.clipboard.close, self._parts.windows.close):
            await _bounded(self._system.run(call))
        await _bounded(self._capture.run(self._parts.screens.close))
        for worker in (self._observer, self._system, self._capture):
            await _bounded(worker.close())

    # --- inside ---

    async def _taken(self, press: Awaitable[None]) -> None:
        """Copy or cut, then wait until the program has put what is selected on the clipboard."""
        selected = (await self._observer.look()).tree.selection
        before = await self.read_clipboard()
        await press
        loop = asyncio.get_running_loop()
        end = loop.time() + COPY_S
        while loop.time() < end:
            text = await self.read_clipboard()
            if text == selected or (text != before and not selected):
                return
            await asyncio.sleep(LOOK_S)

    async def _frame_to_show(self, frame: Picture) -> Picture:
        """A live frame, black where the windows showed something that must not be seen when they were looked at."""
        if not self._observer.veils.is_needed:
            return frame
        windows = await self._system.run(self._parts.windows.open_windows)
        return await asyncio.to_thread(black, frame, self._observer.veils.over(windows))

    def _check(self) -> None:
        if self._is_closed:
            raise SurfaceClosed("The desktop was let go of. Start the run again to go on.")

    async def _state(self) -> ScreenState:
        return (await self._observer.observe(with_picture=False, held=self._parts.input.held)).state

    async def _front_window(self) -> Window:
        """The active window; where that is Operative's own or none, the foremost other one is brought to the front."""
        windows = await self._system.run(self._parts.windows.open_windows)
        active = next((one for one in windows if one.is_active), None)
        if active is not None:
            return active
        front = next((one for one in windows if not one.is_minimized), None)
        if front is None:
            raise RefusedAction("No window of another program is open.")
        await self._system.run(self._parts.windows.activate, front.id)
        return front

    async def _writing_window(self) -> Window:
        """Where keys go now; RefusedAction when that is another window than the one last seen in front."""
        window = await self._front_window()
        seen = self._observer.last.active_window
        if seen is None or seen.id == window.id:
            return window
        if all(one.id != seen.id for one in await self._system.run(self._parts.windows.open_windows)):
            return window  # the one that was in front is closed; what was behind it goes on
        raise RefusedAction(f"The window “{window.title}” came to the front meanwhile; nothing was typed.")

    async def _let_go_if_failed(self, act: Awaitable[Answer], *, keep: frozenset[str] = frozenset()) -> Answer:
        """Await an act; whatever it pressed and did not let go of is let go of when it does not succeed."""
        try:
            return await act
        except BaseException:
            if self._parts.input.held - keep:
                with contextlib.suppress(SurfaceError, TimeoutError):
                    await asyncio.shield(asyncio.ensure_future(self._parts.input.release()))
            raise


async def _bounded(end: Awaitable[object]) -> None:
    """The end of one part must not keep the others from theirs."""
    with contextlib.suppress(SurfaceError, ActionError, TimeoutError, OSError):
        async with asyncio.timeout(CLOSE_S):
            await end
