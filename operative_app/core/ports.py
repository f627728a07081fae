"""Ports: what the engine and the actions need of the outside. Adapters stand in surfaces, store and the front ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Protocol

from operative_app.core.coordinates import StatePoint
from operative_app.core.events import Event
from operative_app.core.plan import Checkpoint
from operative_app.core.run import RunRequest
from operative_app.core.screen import (
    Box,
    ElementRef,
    Observation,
    Picture,
    SurfaceKind,
    TextBlock,
    Window,
)
from operative_app.core.secrets import FieldPlace
from operative_app.core.values import Value


class MouseButton(StrEnum):
    LEFT = "left"
    RIGHT = "right"
    MIDDLE = "middle"


class WaitState(StrEnum):
    """What `wait_for` waits for."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    ENABLED = "enabled"


Spot = ElementRef | StatePoint
"""Where a pointer action lands: the middle of an element, or a place on the ScreenState."""


class Concealer(Protocol):
    """Knows what must not be shown (`safety.redaction.Redactor`). Any thread; quick."""

    @property
    def version(self) -> int:
        """Goes up with each text that is concealed; 0 while there is none."""
        ...

    def text(self, text: str) -> str:
        """The text without what is concealed; the same text when it holds none of it."""
        ...

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where what is concealed begins and ends in the text."""
        ...


class Surface(Protocol):
    """Where actions land. All coroutines run on the agent thread; each has a deadline and can be cancelled.

    References are resolved again by fingerprint when their observation is older, or StaleReference is raised. Acts on
    elements scroll into view, wait briefly until the box rests, and hit-test: RefusedAction names what covers it.
    Cancelling one lets go of what it held down, unless it was `mouse_down` or `key_down` that succeeded.

    Raises (all methods): SurfaceClosed when it is gone; SurfaceError otherwise; the acts also ActionError in words.
    """

    kind: SurfaceKind

    # --- seeing ---

    async def observe(self, *, with_picture: bool = True) -> Observation:
        """See the surface now. Numbers observations from 1 up."""
        ...

    async def settle(self, ceiling_s: float = 3.0) -> None:
        """Return as soon as loading and changes caused by the last action calmed down, at the ceiling at the latest."""
        ...

    async def get_text(self, ref: ElementRef | None = None) -> str:
        """The text of an element, or of the whole page (over all frames) or active window."""
        ...

    async def wait_for(self, ref: ElementRef, state: WaitState, *, timeout_s: float) -> bool:
        """True as soon as the element is in the state, False at the time-out."""
        ...

    async def take_picture(self, ref: ElementRef | None = None) -> Picture:
        """A lossless picture (PNG) of one element, scrolled into view first, or of all that is visible."""
        ...

    # --- pointer ---

    async def click(self, at: Spot, *, button: MouseButton = MouseButton.LEFT, count: int = 1) -> None: ...

    async def hover(self, at: Spot) -> None: ...

    async def drag(self, start: Spot, end: Spot) -> None:
        """Press at the start, move in small steps, release at the end; lets go also when it fails."""
        ...

    async def scroll(self, dx_css_px: float, dy_css_px: float, at: Spot | None = None) -> None:
        """Scroll the page or window, or the scroll container around an element or place."""
        ...

    async def mouse_down(self, at: Spot, *, button: MouseButton = MouseButton.LEFT) -> None:
        """Press a button and keep it down; `observe` tells it in `held`, `release` lets go."""
        ...

    async def mouse_up(self, at: Spot, *, button: MouseButton = MouseButton.LEFT) -> None: ...

    async def select_text(self, start: StatePoint, end: StatePoint) -> str:
        """Select the text between two places by dragging. Returns the text selected, "" when that cannot be read."""
        ...

    # --- keyboard ---

    async def type_text(self, text: str, *, delay_ms: float = 0, only_in: FieldPlace | None = None) -> None:
        """Type into what has the focus, exactly, key by key; newline is Enter. Stops when the focus goes elsewhere.

        With `only_in` the text is a secret: it goes into that very field or nowhere (RefusedAction), and no error
        repeats any of it. The same holds for `fill`.
        """
        ...

    async def press_key(self, chord: str, ref: ElementRef | None = None) -> None:
        """One key or chord in Playwright's names ("Enter", "Control+A"), on an element when given."""
        ...

    async def key_down(self, key: str) -> None:
        """Press one key and keep it down; `observe` tells it in `held`, `release` lets go."""
        ...

    async def key_up(self, key: str) -> None: ...

    async def fill(self, ref: ElementRef, text: str, *, only_in: FieldPlace | None = None) -> str:
        """Replace the field's content by real editing; dates and times in ISO form. Returns what it now holds."""
        ...

    async def field_place(self, ref: ElementRef | None = None) -> FieldPlace:
        """Where a text for that field, or for what has the focus, would go: told by the surface, not by the page.

        Raises RefusedAction when nothing has the focus.
        """
        ...

    def conceal(self, concealer: Concealer) -> None:
        """Black out in pictures and live frames, and keep out of file names, what is concealed, from now on.

        Password fields are blacked out in any case. Replaces the concealer before.
        """
        ...

    # --- clipboard ---

    async def read_clipboard(self) -> str:
        """The clipboard's text, "" when it holds none."""
        ...

    async def write_clipboard(self, text: str) -> None: ...

    # --- files ---

    async def choose_files(self, paths: Sequence[str], ref: ElementRef | None = None) -> None:
        """Answer the open file dialog, or the page's request for a file, with absolute paths that exist.

        `ref` is the control that opens it, None for the dialog that is open. On the desktop one path may name a file to
        be saved.
        """
        ...

    # --- keeping ---

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


class SiteLimit(Protocol):
    """Which addresses a browser may touch; pure, asked for every request (`safety.sites.SiteRules` is one)."""

    @property
    def watched(self) -> tuple[str, ...]:
        """Patterns of the addresses that have to be judged, `*` for anything; empty when nothing is limited."""
        ...

    def refusal(self, url: str) -> str:
        """Why an absolute address may not be touched, and what a person can do about it; "" when it may."""
        ...

    def connection_refusal(self, url: str, address: str) -> str:
        """Why what an allowed name led to, an IP address, may not be read; "" when it may."""
        ...


class BrowserSurface(Surface, Protocol):
    """A browser page and its tabs. Mouse and keyboard go through the page, never the person's own pointer."""

    @property
    def has_sent(self) -> bool:
        """Whether a page began to load, or to ask its server for something or tell it, since the last act began."""
        ...

    async def limit(self, sites: SiteLimit) -> None:
        """Let no request of any page go to an address outside, from now on, at every hop; replaces the limit before.

        A page outside that is open is left and not read. What was held back is told in `ScreenState.held_back`. Raises
        SurfaceError when the browser cannot be held to it.
        """
        ...

    async def navigate(self, url: str, *, timeout_s: float = 30.0) -> None:
        """Load a page and wait for it. Raises ActionError in words: bad address, host not reachable, time-out."""
        ...

    async def go_back(self) -> None: ...

    async def select_option(self, ref: ElementRef, label: str) -> str:
        """Choose in a native select by label or value. Returns the chosen label. ActionError lists the choices."""
        ...

    async def scroll_into_view(self, ref: ElementRef) -> None: ...

    async def get_attribute(self, ref: ElementRef, name: str) -> str | None: ...

    async def execute_js(self, code: str, *, timeout_s: float) -> str:
        """Run a function body in an isolated world of the top page; its result as JSON text, "" for none.

        Raises ActionError with the script's own error, or when it takes longer.
        """
        ...

    async def new_tab(self, url: str = "") -> None: ...

    async def switch_tab(self, tab_id: int) -> None: ...

    async def close_tab(self, tab_id: int) -> None: ...

    async def answer_dialog(self, *, accept: bool, text: str = "") -> None:
        """Answer the waiting alert, confirm, prompt, beforeunload or print box."""
        ...


class CommandResult(Value):
    """How a command ended. `output` is standard output and error in the order written, cut at a bound and said so."""

    exit_code: int
    output: str


class DesktopSurface(Surface, Protocol):
    """The real desktop: its programs, windows and files. Never acts on Operative's own windows."""

    async def open_app(self, name: str, arguments: Sequence[str] = ()) -> Window:
        """Start an installed program by the name people know it by, wait for its window, bring it to the front.

        Raises ActionError: no such program (close names are listed), or no window came.
        """
        ...

    async def close_app(self, name: str) -> bool:
        """Ask the windows of a program (by program or title) to close. False when one stays (it may ask to save)."""
        ...

    async def switch_app(self, name: str) -> Window:
        """Bring an open program's window to the front and give it the focus."""
        ...

    async def run_command(self, argv: Sequence[str], *, timeout_s: float) -> CommandResult:
        """Run a program without a shell in the person's home folder; ends it and its children at the time-out."""
        ...


class TextReader(Protocol):
    """Reads text off a picture (OCR), where the accessibility tree is poor. Slow; its first call loads a model."""

    def read(self, picture: Picture, box: Box | None = None) -> Sequence[TextBlock]:
        """Lines of text with boxes in picture pixels. Any thread; blocks."""
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
