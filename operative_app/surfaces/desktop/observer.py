"""The ScreenState of the desktop: windows, what the active one shows, the picture."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from operative_app.core.errors import SurfaceError
from operative_app.core.screen import (
    Box,
    Element,
    ElementState,
    Observation,
    Picture,
    ScreenState,
    SurfaceKind,
    TextBlock,
    Window,
    shorten,
)
from operative_app.surfaces.desktop.file_dialog_signs import file_chooser
from operative_app.surfaces.desktop.parts import Parts
from operative_app.surfaces.desktop.ports import Monitor, WindowTree
from operative_app.surfaces.desktop.veil import Veils, black
from operative_app.surfaces.desktop.worker import Worker

READ_PICTURE_S: Final = 20.0
"""Longest wait for a picture to be read; the first one loads the model."""
_MIN_SIDE_PX: Final = 4.0
_LINE_PX: Final = 16.0
_MOST_SELECTED: Final = 400
_NAME: Final = 80
_MOST_REMEMBERED: Final = 20_000
_TRIES: Final = 3
_WITHHELD: Final = "No picture was taken: what is secret on the screen moves, so that it could not be blacked out."


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the windows and at what one of them shows."""

    windows: tuple[Window, ...]
    active: Window | None
    tree: WindowTree


class Observer:
    """Looks; keeps the last state and the numbers of marks. Owned by the agent thread."""

    def __init__(self, parts: Parts, system: Worker, capture: Worker) -> None:
        self._parts = parts
        self._system = system
        self._capture = capture
        self._reading = Worker("reading")
        self._marks = _Marks()
        self.veils = Veils()
        self._count = 0
        self._homes: dict[str, int] = {}
        self.last = ScreenState(observation=0, surface=SurfaceKind.DESKTOP)

    async def look(self) -> Look:
        """The windows, and what the active one shows."""
        windows = tuple(await self._system.run(self._parts.windows.open_windows))
        active = next((window for window in windows if window.is_active), None)
        tree = await self._parts.accessibility.read(active) if active is not None else WindowTree()
        return Look(windows, active, tree)

    async def observe(self, *, with_picture: bool, held: frozenset[str]) -> Observation:
        """See the desktop now."""
        capture = asyncio.ensure_future(self._see(with_picture=with_picture))
        try:
            look = await self.look()
            monitors, picture, fault = await capture
        finally:
            capture.cancel()
        elements, texts, left_out = await self._shown(look)
        if picture is not None:
            picture, look = await self._black(
                picture, look, self.veils.note(look.windows, look.active, elements, texts)
            )
            fault = (*fault, *(() if picture is not None else (_WITHHELD,)))
        self._count += 1
        area = around([monitor.box for monitor in monitors])
        active = look.active
        modal = _modal(look)
        modal_window = active if active is not None and active.is_dialog else _titled(look.windows, modal)
        state = ScreenState(
            observation=self._count,
            surface=SurfaceKind.DESKTOP,
            title=active.title if active is not None else "",
            viewport_x_css_px=area.x_css_px,
            viewport_y_css_px=area.y_css_px,
            viewport_width_css_px=area.width_css_px,
            viewport_height_css_px=area.height_css_px,
            elements=self._marks.apply(_placed(elements, active, modal)),
            texts=texts,
            tables=look.tree.tables,
            scrollers=look.tree.scrollers,
            focus=look.tree.focus,
            modal=modal,
            modal_box=modal_window.box if modal and modal_window is not None else None,
            windows=look.windows,
            selection=look.tree.selection[:_MOST_SELECTED],
            held=held,
            file_chooser=file_chooser(active, look.tree),
            left_out=(*fault, *look.tree.left_out, *left_out),
            pixel_ratio=picture.width_px / area.width_css_px if picture and area.width_css_px else 1.0,
            observed_at_s=time.time(),
        )
        self._remember(state.elements)
        self.last = state
        return Observation(state=state, picture=picture)

    def home(self, key: str) -> int:
        """The window in which an element was last seen; 0 when it is not known."""
        return self._homes.get(key, 0)

    async def close(self) -> None:
        await self._reading.close()

    def _remember(self, elements: Sequence[Element]) -> None:
        """Two windows of a program look alike: an element of one must never be taken for that of the other."""
        for element in elements:
            self._homes.pop(element.key, None)
            self._homes[element.key] = element.window
        while len(self._homes) > _MOST_REMEMBERED:
            self._homes.pop(next(iter(self._homes)))

    async def _see(self, *, with_picture: bool) -> tuple[Sequence[Monitor], Picture | None, tuple[str, ...]]:
        """The monitors, and a picture or why there is none: an empty desktop of one colour is no reason to end."""
        monitors = await self._capture.run(self._parts.screens.monitors)
        if not with_picture:
            return monitors, None, ()
        try:
            return monitors, await self._capture.run(self._parts.screens.grab), ()
        except SurfaceError as error:
            return monitors, None, (str(error),)

    async def picture(self, area: Box | None = None) -> Picture:
        """A lossless picture of the screen or a part of it, black where something must not be seen.

        Raises:
            SurfaceError: What must not be seen moves.
        """
        look = await self.look()
        boxes = self.veils.note(look.windows, look.active, look.tree.elements, look.tree.texts)
        for _ in range(_TRIES):
            picture = await self._capture.run(self._parts.screens.grab, area, is_lossless=True)
            look = await self.look()
            before, boxes = boxes, self.veils.note(look.windows, look.active, look.tree.elements, look.tree.texts)
            if boxes == before:
                return black(picture, boxes)
        raise SurfaceError(_WITHHELD)

    async def _black(self, picture: Picture, look: Look, boxes: tuple[Box, ...]) -> tuple[Picture | None, Look]:
        """The picture, black where something must not be seen; taken again while that moves, None when it goes on."""
        if not self.veils.version or look.tree.is_poor:  # what was read off a picture stands where that was taken
            return black(picture, boxes), look
        for _ in range(_TRIES):
            now = await self.look()
            before, boxes = boxes, self.veils.note(now.windows, now.active, now.tree.elements, now.tree.texts)
            if boxes == before:
                return black(picture, boxes), look
            picture = await self._capture.run(self._parts.screens.grab)
        return None, look

    async def _shown(self, look: Look) -> tuple[tuple[Element, ...], tuple[TextBlock, ...], tuple[str, ...]]:
        """Elements and texts; the picture is read only where the program itself tells (nearly) nothing."""
        tree, active = look.tree, look.active
        reader, merge = self._parts.reader, self._parts.merge
        if active is None or not tree.is_poor or reader is None or merge is None:
            return tree.elements, tree.texts, ()
        try:
            async with asyncio.timeout(READ_PICTURE_S):
                picture = await self._capture.run(self._parts.screens.grab, active.box, is_lossless=True)
                picture = black(picture, self.veils.note(look.windows, active, tree.elements, tree.texts))
                lines = await self._reading.run(reader.read, picture)
        except (TimeoutError, SurfaceError):
            return tree.elements, tree.texts, (f"What “{active.title}” shows could not be read off its picture.",)
        ratio = picture.width_px / active.box.width_css_px if picture.width_px else 1.0
        moved = [_on_screen(line, active.box, ratio) for line in lines]
        elements, texts = merge(tree, moved)
        return elements, texts, (f"What “{active.title}” shows was read off its picture; letters may be wrong.",)


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds all."""
    if not boxes:
        raise SurfaceError("No monitor is found.")
    left, top = min(box.x_css_px for box in boxes), min(box.y_css_px for box in boxes)
    right, bottom = max(box.right_css_px for box in boxes), max(box.bottom_css_px for box in boxes)
    return Box(x_css_px=left, y_css_px=top, width_css_px=right - left, height_css_px=bottom - top)


def _modal(look: Look) -> str:
    """The name of the modal dialog on top: the one in front where several are open; without a title its text."""
    active, modal = look.active, look.tree.modal
    if not modal or active is None or not active.is_dialog or active.title == modal:
        return modal
    return active.title or next((shorten(block.text, _NAME) for block in look.tree.texts), modal)


def _titled(windows: Sequence[Window], title: str) -> Window | None:
    return next((one for one in windows if title and one.title == title), None)


def _on_screen(line: TextBlock, area: Box, ratio: float) -> TextBlock:
    """A line with its box in screen pixels instead of picture pixels."""
    box = Box(
        x_css_px=area.x_css_px + line.box.x_css_px / ratio,
        y_css_px=area.y_css_px + line.box.y_css_px / ratio,
        width_css_px=line.box.width_css_px / ratio,
        height_css_px=line.box.height_css_px / ratio,
    )
    return line.model_copy(update={"box": box})


def _placed(elements: Sequence[Element], active: Window | None, modal: str) -> list[Element]:
    """Elements with their window, and inside the modal dialog they are shown in."""
    placed: list[Element] = []
    for element in elements:
        update: dict[str, object] = {}
        if active is not None and not element.window:
            update["window"] = active.id
        if modal and active is not None and active.is_dialog and modal not in element.context:
            update["context"] = (modal, *element.context)
        placed.append(element.model_copy(update=update) if update else element)
    return placed


_Identity = tuple[int, str, str, str]


def _identity(element: Element) -> _Identity:
    """What makes an element itself: Qt makes some objects, and so their keys, anew each time they are asked for."""
    return element.window, element.role, element.name, element.path


@dataclass(slots=True)
class _Marks:
    """Numbers in reading order that stay an element's own while it stays; what was not there before is new."""

    _numbers: dict[_Identity, int] = field(default_factory=dict)
    _seen: frozenset[_Identity] = frozenset()

    def apply(self, elements: Sequence[Element]) -> tuple[Element, ...]:
        present = {_identity(element) for element in elements}
        self._numbers = {key: number for key, number in self._numbers.items() if key in present}
        taken = set(self._numbers.values())
        following = 1
        for element in sorted(filter(_is_markable, elements), key=_reading_place):
            if _identity(element) in self._numbers:
                continue
            while following in taken:
                following += 1
            taken.add(following)
            self._numbers[_identity(element)] = following
        is_same_window = bool(self._seen & present)
        marked = tuple(
            element.model_copy(
                update={
                    "mark": self._numbers.get(_identity(element), 0) if _is_markable(element) else 0,
                    "is_new": is_same_window and _identity(element) not in self._seen,
                }
            )
            for element in elements
        )
        self._seen = frozenset(present)
        return marked


def _is_markable(element: Element) -> bool:
    box = element.box
    is_tiny = box.width_css_px < _MIN_SIDE_PX or box.height_css_px < _MIN_SIDE_PX
    return not is_tiny and not element.has(ElementState.OFFSCREEN)


def _reading_place(element: Element) -> tuple[float, float]:
    return (element.box.y_css_px + min(element.box.height_css_px, 64.0) / 2) // _LINE_PX, element.box.x_css_px
