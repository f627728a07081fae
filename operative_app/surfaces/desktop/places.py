"""Where a secret would go on the desktop: which program's field, by the process the system itself names."""

from __future__ import annotations

import re
from pathlib import Path

import psutil

from operative_app.core.errors import RefusedAction, StaleReference
from operative_app.core.screen import Element, ElementRef, ElementState, Window
from operative_app.core.secrets import FieldPlace
from operative_app.surfaces.desktop.parts import Parts
from operative_app.surfaces.desktop.targets import Targets
from operative_app.surfaces.desktop.worker import Worker

_INTERPRETER = re.compile(r"(?:python|perl|ruby|node|java|bash|dash|sh|gjs|wine)[\d.w]*", re.I)


class Places:
    """Tells where texts would go. Owned by the agent thread."""

    def __init__(self, parts: Parts, targets: Targets, system: Worker) -> None:
        self._parts = parts
        self._targets = targets
        self._system = system

    async def place_of(self, ref: ElementRef | None, front: Window) -> FieldPlace:
        """The field, or what has the focus in the window in front.

        Raises:
            RefusedAction: Nothing has the focus.
            StaleReference: It is gone.
        """
        if ref is not None:
            element, window, _ = await self._targets.seen(ref)
        else:
            window = front
            tree = await self._parts.accessibility.read(front)
            focused = next((one for one in tree.elements if one.key == tree.focus), None)
            if focused is None:
                raise RefusedAction(f"“{front.title}” does not tell which of its fields has the focus.")
            element = focused
        return FieldPlace(
            key=f"{window.id} {element.key}",
            label=element.label,
            app=await self._system.run(self._program_of, window),
            is_password=element.has(ElementState.PASSWORD),
            takes_text=_takes_text(element),
        )

    async def check(self, ref: ElementRef | None, front: Window, only_in: FieldPlace) -> None:
        """Refuse another field than the one that was judged."""
        try:
            is_same = await self.place_of(ref, front) == only_in
        except StaleReference:
            is_same = False
        if not is_same:
            raise RefusedAction(f"{only_in.label} is not the field any more that the secret was meant for.")

    def _program_of(self, window: Window) -> str:
        """The executable, or the script an interpreter runs; "" when it is not known."""
        pid = self._parts.windows.maker_of(window)
        if not pid:
            return ""
        try:
            process = psutil.Process(pid)
            name = Path(process.exe()).name
            if not _INTERPRETER.fullmatch(name):
                return name
            scripts = [Path(part) for part in process.cmdline()[1:] if not part.startswith("-")]
        except (psutil.Error, OSError):
            return ""
        return scripts[0].name if scripts and scripts[0].is_file() else name


def _takes_text(element: Element) -> bool:
    is_field = element.has(ElementState.EDITABLE) or element.has(ElementState.PASSWORD)
    return is_field and not element.has(ElementState.READONLY) and not element.has(ElementState.DISABLED)
