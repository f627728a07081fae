"""Ports: what the engine and the actions need of the outside. Adapters stand in surfaces, store and the front ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Protocol

from operative_app.core.events import Event
from operative_app.core.plan import Checkpoint
from operative_app.core.run import RunRequest
from operative_app.core.screen import ElementRef, Observation, Picture, SurfaceKind


class MouseButton(StrEnum):
    LEFT = "left"
    RIGHT = "right"
    MIDDLE = "middle"


class WaitState(StrEnum):
    """What `wait_for` waits for."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    ENABLED = "enabled"


class Surface(Protocol):
    """Where actions land. All coroutines run on the agent thread; each has a deadline and can be cancelled.

    Raises (all methods): SurfaceClosed when it is gone; SurfaceError otherwise.
    """

    kind: SurfaceKind

    async def observe(self, *, with_picture: bool = True) -> Observation:
        """See the surface now. Numbers observations from 1 up."""
        ...

    async def settle(self, ceiling_s: float = 3.0) -> None:
        """Return as soon as loading and changes caused by the last action calmed down, at the ceiling at the latest."""
        ...

    async def release(self) -> None:
        """Let go of every held key and button. Idempotent."""
        ...

    async def show_to_person(self) -> None:
        """Bring the surface to the front, so that a person can act on it."""
        ...

    async def checkpoint(self, step: int) -> Checkpoint:
        """What is needed to come back here."""
        ...

    async def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a checkpoint as far as that is possible; raises SurfaceError saying what could not be restored."""
        ...

    async def close(self) -> None:
        """End what this surface started, leave what it did not. Idempotent, bounded."""
        ...


class BrowserSurface(Surface, Protocol):
    """A browser page and its tabs.

    References are resolved again by fingerprint when their observation is older, or StaleReference is raised. Element
    methods scroll into view, wait briefly until the box rests, and hit-test: RefusedAction names the covering element.
    """

    async def navigate(self, url: str, *, timeout_s: float = 30.0) -> None:
        """Load a page and wait for it. Raises ActionError in words: bad address, host not reachable, time-out."""
        ...

    async def go_back(self) -> None: ...

    async def click(self, ref: ElementRef, *, button: MouseButton = MouseButton.LEFT, count: int = 1) -> None: ...

    async def hover(self, ref: ElementRef) -> None: ...

    async def fill(self, ref: ElementRef, text: str) -> str:
        """Replace the field's content by real editing; dates and times in ISO form. Returns what it now holds."""
        ...

    async def type_text(self, text: str, *, delay_ms: float = 0) -> None:
        """Type into what has the focus, key by key; newline is Enter."""
        ...

    async def press_key(self, chord: str, ref: ElementRef | None = None) -> None:
        """One key or chord in Playwright's names ("Enter", "Control+A"), on an element when given."""
        ...

    async def select_option(self, ref: ElementRef, label: str) -> str:
        """Choose in a native select by label or value. Returns the chosen label. ActionError lists the choices."""
        ...

    async def set_files(self, ref: ElementRef, paths: Sequence[str]) -> None:
        """Give files a person chose to a file control (or to the control that opens its chooser)."""
        ...

    async def scroll(self, dx_css_px: float, dy_css_px: float, ref: ElementRef | None = None) -> None:
        """Scroll the page, or the scroll container around an element."""
        ...

    async def scroll_into_view(self, ref: ElementRef) -> None: ...

    async def get_text(self, ref: ElementRef | None = None) -> str:
        """The visible text of an element, or of the whole page over all frames."""
        ...

    async def get_attribute(self, ref: ElementRef, name: str) -> str | None: ...

    async def wait_for(self, ref: ElementRef, state: WaitState, *, timeout_s: float) -> bool:
        """True as soon as the element is in the state, False at the time-out."""
        ...

    async def new_tab(self, url: str = "") -> None: ...

    async def switch_tab(self, tab_id: int) -> None: ...

    async def close_tab(self, tab_id: int) -> None: ...

    async def answer_dialog(self, *, accept: bool, text: str = "") -> None:
        """Answer the waiting alert, confirm, prompt or beforeunload."""
        ...


class SurfaceProvider(Protocol):
    """Opens surfaces for runs; decides whether one is kept between runs."""

    async def acquire(self, request: RunRequest) -> Surface:
        """Raises SurfaceMissing or SurfaceError with a sentence for a person."""
        ...

    async def release(self, surface: Surface) -> None:
        """The run is over: close it or keep it for the next one. Bounded."""
        ...


class EventSink(Protocol):
    """Gets every event on the agent thread. Neither blocks nor raises."""

    def emit(self, event: Event) -> None: ...


class Recorder(Protocol):
    """The record; asked first. An action without a record does not run.

    Raises (all methods): StoreError.
    """

    def record(self, event: Event) -> None: ...

    def keep_picture(self, picture: Picture) -> str:
        """Store a picture; returns its content hash (SHA-256, hex)."""
        ...


FrameListener = Callable[[Picture], None]
"""Called on the agent thread with each live frame; must return at once. Frames may be dropped."""
