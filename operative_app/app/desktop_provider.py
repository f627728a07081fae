"""Opens the desktop for runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from operative_app.core.ports import FrameListener, Surface
from operative_app.core.run import RunRequest

if TYPE_CHECKING:
    from operative_app.core.ports import TextReader


class DesktopProvider:
    """A SurfaceProvider for the desktop this process is on. Agent thread only.

    What acts (the input process) lives for one run; the reader of pictures is kept, since its model loads slowly.

    Args:
        on_frame: Gets the pictures of the live view.
        stop_keys: The stop key by the names of `core.keys`; the agent is never let press it.
    """

    def __init__(self, on_frame: FrameListener | None = None, *, stop_keys: Collection[str] = frozenset()) -> None:
        self._on_frame = on_frame
        self._stop_keys = stop_keys
        self._reader: TextReader | None = None

    async def acquire(self, request: RunRequest) -> Surface:
        """The desktop, ready to act on; raises SurfaceMissing or SurfaceError in words."""
        from operative_app.perception.merge import merge
        from operative_app.perception.ocr import RapidTextReader
        from operative_app.surfaces.desktop.opening import open_parts
        from operative_app.surfaces.desktop.surface import ManagedDesktop

        if self._reader is None:
            self._reader = RapidTextReader()
        parts = open_parts(reader=self._reader, merge=merge, stop_keys=self._stop_keys)
        return await ManagedDesktop.open(parts, on_frame=self._on_frame)

    async def release(self, surface: Surface) -> None:
        """End what acted; programs stay open. Bounded."""
        await surface.close()
