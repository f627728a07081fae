"""The engine's side of the input process."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Any

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.errors import ActionError, SurfaceClosed, SurfaceError
from operative_app.core.ports import MouseButton
from operative_app.core.taking import HandListener
from operative_app.surfaces.desktop.input.channel import Channel, SliceFailed
from operative_app.surfaces.desktop.input.key_names import physical
from operative_app.surfaces.desktop.input.own import own_process, own_terminal
from operative_app.surfaces.desktop.input.person import Touch
from operative_app.surfaces.desktop.input.text_entry import TextEntry

_DOUBLE_CLICK_S = 0.5
_DOUBLE_CLICK_PX = 8
_NOTCH_PX = 60.0
_DRAG_STEP_PX = 12
_DRAG_STEPS = (8, 60)
_DRAG_PAUSE_S = 0.006
_DROP_PAUSE_S = 0.12
_GIVE_BACK_S = 3.0
_RELEASE_S = 0.3


class InputProcess:
    """`ports.Input`, by a process of its own. Agent thread.

    Every call is made of slices of a few milliseconds, one after the other. Cancelling stops after the slice under
    way, and lets go of what the call held before the cancellation goes on.

    Args:
        own_pids: Tells the processes whose windows are never typed or clicked into; asked before each call.
    """

    def __init__(self, own_pids: Callable[[], Collection[int]] = own_process) -> None:
        self._own_pids = own_pids
        self._channel = Channel()
        self._terminal = own_terminal()
        self._told_pids: list[int] | None = None
        self._last_click: tuple[str, ScreenPoint, float] | None = None

    @property
    def process_id(self) -> int:
        return self._channel.process_id

    @property
    def held(self) -> frozenset[str]:
        return self._channel.held

    def tell_of_person(self, listener: HandListener) -> None:
        """Call back, on the agent thread, the moment a person takes mouse or keyboard; all has been let go of then."""
        self._channel.on_person = listener

    async def watch(self, *, on: bool) -> float:
        """Look out for a person's hand from now on, or no longer. While one acts nothing is sent until this is called.

        Returns:
            How long their hands have rested, in seconds; an hour at most, and when nothing was seen.
        """
        return float(await self._channel.ask("watch", on=on))

    async def start(self) -> None:
        """Start the process; does nothing while it runs.

        Raises:
            SurfaceMissing: There can be no input here; says why.
        """
        if await self._channel.start():
            self._told_pids = None

    async def position(self) -> ScreenPoint:
        return _point(await self._channel.ask("position"))

    async def follow(self, listener: Callable[[Touch], None] | None) -> None:
        """Tell each press of a person from now on, on the agent thread; None ends that."""
        if listener is not None:
            self._channel.on_touch = listener
        await self._channel.ask("follow", on=listener is not None)  # tells first what came before
        if listener is None:
            self._channel.on_touch = lambda touch: None

    # --- pointer ---

    async def move(self, point: ScreenPoint) -> None:
        x, y = _place(point)
        await self._slice("move", x=x, y=y, approach=True)

    async def click(self, point: ScreenPoint, button: MouseButton, count: int) -> None:
        await self._wait_out_double_click(button, point)
        await self.move(point)
        # in one slice: clicks that a busy machine drew apart would be single ones to the program
        await self._slice("click", button=button.value, count=count)
        self._last_click = (button.value, point, time.monotonic())

    async def drag(self, start: ScreenPoint, end: ScreenPoint) -> None:
        left = MouseButton.LEFT.value
        await self._wait_out_double_click(MouseButton.LEFT, start)
        await self.move(start)
        async with self._let_go_of(left):
            await self._slice("button_down", button=left)
            length_px = math.dist(_place(start), _place(end))
            steps = max(_DRAG_STEPS[0], min(_DRAG_STEPS[1], round(length_px / _DRAG_STEP_PX)))
            for step in range(1, steps + 1):
                await asyncio.sleep(_DRAG_PAUSE_S)
                x, y = _place(_between(start, end, step / steps))
                await self._slice("move", x=x, y=y)
            await asyncio.sleep(_DROP_PAUSE_S)  # source and target of a drop talk to each other meanwhile
            await self._slice("button_up", button=left)
        self._last_click = None

    async def button_down(self, point: ScreenPoint, button: MouseButton) -> None:
        await self._wait_out_double_click(button, point)
        await self.move(point)
        async with self._let_go_of(button.value):
            await self._slice("button_down", button=button.value)

    async def button_up(self, point: ScreenPoint, button: MouseButton) -> None:
        await self.move(point)
        await self._slice("button_up", button=button.value)

    async def scroll(self, dx_px: float, dy_px: float, point: ScreenPoint | None) -> None:
        if point is not None:
            await self.move(point)
        for axis, length_px in (("y", dy_px), ("x", dx_px)):
            if length_px:
                direction = 1 if length_px > 0 else -1
                for _ in range(max(1, round(abs(length_px) / _NOTCH_PX))):
                    await self._slice("wheel", axis=axis, notches=direction)

    # --- keyboard ---

    async def press(self, chord: Sequence[str]) -> None:
        await self._slice("chord", keys=list(physical(chord)))
        await self._give_back()

    async def key_down(self, key: str) -> None:
        (name,) = physical((key,))
        async with self._let_go_of(name):
            await self._slice("key_down", key=name)

    async def key_up(self, key: str) -> None:
        (name,) = physical((key,))
        await self._slice("key_up", key=name)
        await self._give_back()

    async def type_text(self, text: str, *, delay_ms: float = 0, window_id: int = 0) -> None:
        await self._tell_own()
        await TextEntry(self._channel).enter(text, delay_s=delay_ms / 1000, window=window_id)

    async def release(self) -> None:
        with contextlib.suppress(SurfaceClosed):  # then the channel has let go, or will
            await self._channel.ask("release", names=None)
            await self._give_back(_RELEASE_S)  # a stop does not wait for a program that hangs

    async def close(self) -> None:
        with contextlib.suppress(SurfaceError):
            await self._give_back(_RELEASE_S)
        await self._channel.close()

    # --- slices ---

    async def _slice(self, name: str, **arguments: Any) -> Any:
        await self._tell_own()
        try:
            return await self._channel.ask(name, **arguments)
        except SliceFailed as failure:
            raise ActionError(failure.sentence) from None

    async def _tell_own(self) -> None:
        pids = sorted({*self._own_pids(), *self._terminal.pids})
        if pids != self._told_pids:
            await self._channel.ask("set_own", pids=pids, windows=sorted(self._terminal.windows))
            self._told_pids = pids

    async def _give_back(self, limit_s: float = _GIVE_BACK_S) -> None:
        if self._channel.owes:
            with contextlib.suppress(SliceFailed):
                await self._channel.pay_back(await self._channel.ask("focused_window"), limit_s)

    @contextlib.asynccontextmanager
    async def _let_go_of(self, name: str) -> AsyncIterator[None]:
        """Let go of a key or button when what follows fails or is cancelled, unless it was down before."""
        was_held = name in self.held
        try:
            yield
        except BaseException:
            if not was_held:
                await self._channel.let_go(name)
            raise

    async def _wait_out_double_click(self, button: MouseButton, point: ScreenPoint) -> None:
        """A click soon after another at the same place would be taken for a double-click."""
        if self._last_click is None:
            return
        last_button, place, time_s = self._last_click
        is_near = math.dist(_place(place), _place(point)) <= _DOUBLE_CLICK_PX
        if last_button == button.value and is_near:
            await asyncio.sleep(max(0.0, time_s + _DOUBLE_CLICK_S - time.monotonic()))


def _place(point: ScreenPoint) -> tuple[int, int]:
    """Whole pixels, as the pointer counts them."""
    return round(point.x_screen_px), round(point.y_screen_px)


def _point(place: Sequence[int]) -> ScreenPoint:
    x, y = place
    return ScreenPoint(x_screen_px=x, y_screen_px=y)


def _between(start: ScreenPoint, end: ScreenPoint, part: float) -> ScreenPoint:
    return ScreenPoint(
        x_screen_px=start.x_screen_px + (end.x_screen_px - start.x_screen_px) * part,
        y_screen_px=start.y_screen_px + (end.y_screen_px - start.y_screen_px) * part,
    )
