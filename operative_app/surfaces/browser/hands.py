"""Acting on pages: pointer, keys, fields, files, clipboard, pictures, scripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from operative_app.core.coordinates import StatePoint
from operative_app.core.errors import RefusedAction, StaleReference
from operative_app.core.ports import FrameListener, MouseButton, Spot
from operative_app.core.screen import ElementRef, Picture
from operative_app.core.secrets import FieldPlace
from operative_app.surfaces.browser import (
    clipboard,
    editing,
    files,
    keys,
    pictures,
    places,
    pointer,
    scripting,
    typewriter,
)
from operative_app.surfaces.browser.aiming import Target, place_of
from operative_app.surfaces.browser.connection import Connection
from operative_app.surfaces.browser.following import own_act
from operative_app.surfaces.browser.launch import Session
from operative_app.surfaces.browser.tab import Tab
from operative_app.surfaces.secrecy import untold


class Hands(Connection):
    """The acts of `core.ports.BrowserSurface` (agent thread); each as its port says."""

    def __init__(self, session: Session, downloads_dir: Path, on_frame: FrameListener | None) -> None:
        super().__init__(session, downloads_dir, on_frame)
        self._pointer = pointer.Pointer(self._acts)
        self._keys = keys.Keys()
        self._clipboard = clipboard.Clipboard(session.context, self._border)

    @property
    def held(self) -> frozenset[str]:
        """Keys and buttons that are held down now, as `ScreenState.held` names them."""
        return self._keys.held | self._pointer.held

    # --- pointer -----------------------------------------------------------------------------------------------------

    @own_act
    async def click(self, at: Spot, *, button: MouseButton = MouseButton.LEFT, count: int = 1) -> None:
        tab, target = await self._aimed(at)
        self._pressed_key = at.key if isinstance(at, ElementRef) else ""
        await self._pointer.click(tab, target, button=button, count=count)

    @own_act
    async def hover(self, at: Spot) -> None:
        tab, target = await self._aimed(at)
        await self._pointer.hover(tab, target)

    @own_act
    async def drag(self, start: Spot, end: Spot) -> None:
        tab, begin = await self._aimed(start)
        _, goal = await self._aimed(end)
        await self._pointer.drag(tab, begin, goal)

    @own_act
    async def mouse_down(self, at: Spot, *, button: MouseButton = MouseButton.LEFT) -> None:
        tab, target = await self._aimed(at)
        await self._pointer.down(tab, target, button=button)

    @own_act
    async def mouse_up(self, at: Spot, *, button: MouseButton = MouseButton.LEFT) -> None:
        tab, target = await self._aimed(at)
        await self._pointer.up(tab, target, button=button)

    @own_act
    async def select_text(self, start: StatePoint, end: StatePoint) -> str:
        tab = await self._front()
        self._begin()
        text = await self._pointer.select_text(tab, place_of(start), place_of(end))
        await self._check_left(tab)
        return text

    @own_act
    async def scroll(self, dx_css_px: float, dy_css_px: float, at: Spot | None = None) -> None:
        if at is None:
            tab, target = await self._front(), None
            self._begin()
        else:
            tab, target = await self._aimed(at)
        await self._pointer.scroll(tab, dx_css_px, dy_css_px, target)

    async def scroll_into_view(self, ref: ElementRef) -> None:
        tab, node = await self._target(ref)
        if not await tab.on(node, "reveal"):
            raise StaleReference(f"{node.label} is no longer on the page.")

    # --- keyboard and fields -----------------------------------------------------------------------------------------

    async def field_place(self, ref: ElementRef | None = None) -> FieldPlace:
        if ref is None:
            tab = await self._front()
            node = await places.focused(tab)
        else:
            tab, node = await self._target(ref)
        return await places.place_of(tab, node)

    @own_act
    async def type_text(self, text: str, *, delay_ms: float = 0, only_in: FieldPlace | None = None) -> None:
        tab = await self._front()
        self._begin()
        if only_in is not None:
            node = await places.same(tab, only_in)
            if not await tab.on(node, "hasHold"):
                raise RefusedAction(f"{only_in.label} has no longer the focus; nothing was typed.")
            with untold(only_in):
                await typewriter.type_text(
                    tab, self._acts, text, delay_ms, is_in_front=lambda: self._tabs.active is tab
                )
            return
        await typewriter.type_text(tab, self._acts, text, delay_ms, is_in_front=lambda: self._tabs.active is tab)

    @own_act
    async def press_key(self, chord: str, ref: ElementRef | None = None) -> None:
        names = keys.known_chord(chord)
        if ref is None:
            tab = await self._front()
            self._begin()
        else:
            tab, node = await self._target(ref)
            await tab.on(node, "reveal")
            if not await tab.on(node, "focusNode"):
                raise RefusedAction(f"{node.label} cannot take the keyboard focus.")
        self._acts.will_send(keys=len(names))
        await self._keys.press(tab, names)

    @own_act
    async def key_down(self, key: str) -> None:
        name = keys.known_key(key)
        tab = await self._front()
        self._begin()
        self._acts.will_send(keys=1)
        await self._keys.down(tab, name)

    @own_act
    async def key_up(self, key: str) -> None:
        name = keys.known_key(key)
        tab = await self._front()
        self._begin()
        await self._keys.up(tab, name)

    @own_act
    async def fill(self, ref: ElementRef, text: str, *, only_in: FieldPlace | None = None) -> str:
        tab, node = await self._target(ref)
        if only_in is not None:
            node = await places.same(tab, only_in)
            with untold(only_in):
                return await editing.fill(tab, self._pointer, self._acts, node, text)
        return await editing.fill(tab, self._pointer, self._acts, node, text)

    @own_act
    async def select_option(self, ref: ElementRef, label: str) -> str:
        tab, node = await self._target(ref)
        return await editing.select_option(tab, node, label)

    @own_act
    async def choose_files(self, paths: Sequence[str], ref: ElementRef | None = None) -> None:
        if ref is None:
            tab = await self._front()
            self._begin()
            await files.answer_chooser(tab, paths)
        else:
            tab, node = await self._target(ref)
            is_asked_by = bool(ref.key) and ref.key in {self._observer.last.file_chooser, self._pressed_key}
            await files.choose(tab, node, paths, is_asked_by=is_asked_by)

    # --- clipboard, pictures, scripts --------------------------------------------------------------------------------

    @own_act
    async def read_clipboard(self) -> str:
        self._border.check()
        return await self._clipboard.read()

    @own_act
    async def write_clipboard(self, text: str) -> None:
        self._border.check()
        await self._clipboard.write(text)

    async def take_picture(self, ref: ElementRef | None = None) -> Picture:
        if ref is None:
            picture = await pictures.of_viewport(tab := await self._front(), self._veils)
        else:
            tab, node = await self._target(ref)
            picture = await pictures.of_element(tab, node, self._veils)
        await self._check_left(tab)
        return picture

    async def execute_js(self, code: str, *, timeout_s: float) -> str:
        tab = await self._front()
        self._begin()
        result = await scripting.execute(tab, code, timeout_s=timeout_s)
        await self._check_left(tab)
        return result

    # --- private -----------------------------------------------------------------------------------------------------

    async def _aimed(self, at: Spot) -> tuple[Tab, Target]:
        """The tab in front and what the spot means there.

        Raises:
            ActionError: The place belongs to another surface.
            StaleReference: The element is gone.
        """
        if isinstance(at, ElementRef):
            return await self._target(at)
        tab = await self._front()
        self._begin()
        return tab, place_of(at)
