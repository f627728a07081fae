"""What the desktop surface needs of a system. One adapter for each stands beside it: X11, Windows, macOS.

Lengths are screen pixels as the pointer counts them, origin at the primary monitor's upper left corner. Unless said
otherwise a method blocks for a bounded time and may be called on a worker thread of the surface, one at a time.

Raises (all methods): SurfaceError in words when the system does not answer; SurfaceClosed when the session is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from operative_app.core.coordinates import ScreenPoint
from operative_app.core.ports import MouseButton
from operative_app.core.screen import Box, Element, Picture, ScrollContainer, Table, TextBlock, Window
from operative_app.core.taking import HandListener
from operative_app.core.values import Value
from operative_app.surfaces.desktop.input.person import Touch


class Monitor(Value):
    """One monitor. `scale` is picture pixels for one screen pixel (2.0 on a retina screen)."""

    box: Box
    scale: float = 1.0
    is_primary: bool = False


class WindowTree(Value):
    """What the accessibility tree says of one window.

    Attributes:
        elements: Controls in reading order, boxes in screen pixels; keys are stable while the control stays.
        focus: Key of the element with the keyboard focus, "" when none of this window has it.
        tables: Tables with columns, the rows in sight; `Element.table` is their index.
        scrollers: What scrolls by itself, in screen pixels.
        selection: The text selected now.
        modal: Title of the modal dialog this window shows, "" when none.
        asks_for_file: It is, or holds, a file dialog of a toolkit that says so itself.
        is_poor: The program tells (nearly) nothing of what it shows: read the picture instead.
        left_out: What was not looked at, in sentences.
    """

    elements: tuple[Element, ...] = ()
    texts: tuple[TextBlock, ...] = ()
    tables: tuple[Table, ...] = ()
    scrollers: tuple[ScrollContainer, ...] = ()
    focus: str = ""
    selection: str = ""
    modal: str = ""
    asks_for_file: bool = False
    is_poor: bool = False
    left_out: tuple[str, ...] = ()


class Screens(Protocol):
    """Pictures of the monitors."""

    def monitors(self) -> Sequence[Monitor]: ...

    def grab(self, area: Box | None = None, *, is_lossless: bool = False) -> Picture:
        """All monitors, or the part of them in `area`. SurfaceError when the picture is of one colour (no access)."""
        ...

    def close(self) -> None: ...


class Windows(Protocol):
    """Windows of other programs."""

    def open_windows(self) -> Sequence[Window]:
        """Front to back, without Operative's own, panels and desktops."""
        ...

    def own_windows(self) -> Sequence[Box]:
        """Where Operative's own windows are now: not shown, not listed, never acted on."""
        ...

    def window_at(self, point: ScreenPoint) -> Window | None:
        """The front window there; None for the desktop itself. SurfaceError when it is Operative's own."""
        ...

    def maker_of(self, window: Window) -> int:
        """The process the system itself names as the window's; 0 when it does not say."""
        ...

    def activate(self, window_id: int) -> None:
        """Bring it to the front with the focus; ActionError when it does not come."""
        ...

    def ask_to_close(self, window_id: int) -> None: ...

    def close(self) -> None: ...


class Accessibility(Protocol):
    """The accessibility tree. Coroutines on the agent thread."""

    async def read(self, window: Window) -> WindowTree:
        """What the window shows; bounded in nodes and time."""
        ...

    async def text_of(self, key: str) -> str:
        """The whole text or value of an element read before; StaleReference when it is gone."""
        ...

    async def set_text(self, key: str, text: str) -> bool:
        """Put a text into a field at once, where the program allows it; False where it does not."""
        ...

    async def focused(self) -> Element | None:
        """What has the keyboard focus now, in any program; None when nothing tells."""
        ...

    async def close(self) -> None: ...


class Input(Protocol):
    """Mouse and keyboard, injected by a process of its own. Coroutines on the agent thread.

    Each is sent in small slices; cancelling the awaiting task stops within one slice and lets go of what the call held.
    SurfaceClosed when the input process was ended (by the kill switch); `start` makes a new one.
    """

    @property
    def process_id(self) -> int:
        """For the guard, which ends it; 0 while it does not run."""
        ...

    @property
    def held(self) -> frozenset[str]:
        """Keys and buttons held down now, in the names of `core.keys` and "left", "right", "middle"."""
        ...

    async def start(self) -> None: ...

    async def position(self) -> ScreenPoint:
        """Where the pointer is now."""
        ...

    async def move(self, point: ScreenPoint) -> None: ...

    async def click(self, point: ScreenPoint, button: MouseButton, count: int) -> None: ...

    async def drag(self, start: ScreenPoint, end: ScreenPoint) -> None: ...

    async def button_down(self, point: ScreenPoint, button: MouseButton) -> None: ...

    async def button_up(self, point: ScreenPoint, button: MouseButton) -> None: ...

    async def scroll(self, dx_px: float, dy_px: float, point: ScreenPoint | None) -> None:
        """Turn the wheel by about that many pixels."""
        ...

    async def press(self, chord: Sequence[str]) -> None:
        """Keys by their names (`core.keys`), pressed in order and let go in reverse."""
        ...

    async def key_down(self, key: str) -> None: ...

    async def key_up(self, key: str) -> None: ...

    async def type_text(self, text: str, *, delay_ms: float = 0, window_id: int = 0) -> None:
        """Every character exactly, whatever the keyboard layout; newline is Enter.

        Raises ActionError naming how many characters arrived when the window `window_id` loses the focus meanwhile.
        """
        ...

    async def release(self) -> None:
        """Let go of everything held. Idempotent."""
        ...

    def tell_of_person(self, listener: HandListener) -> None:
        """Call back the moment a person takes mouse or keyboard while they are watched for; all is let go of then."""
        ...

    async def watch(self, *, on: bool) -> float:
        """Watch for a person's hand from now on, or no longer. While one acts nothing is sent until this is called.

        Returns:
            For how many seconds their hands have rested.
        """
        ...

    async def follow(self, listener: Callable[[Touch], None] | None) -> None:
        """Tell each press of a person's from now on, on the agent thread; None ends that."""
        ...

    async def close(self) -> None: ...


class Clipboard(Protocol):
    """The system's clipboard."""

    def read_text(self) -> str:
        """Its text, "" when it holds none."""
        ...

    def write_text(self, text: str) -> None: ...

    def save(self) -> object:
        """All formats it holds now, to be given back to `restore`."""
        ...

    def restore(self, saved: object) -> None: ...

    def close(self) -> None: ...


class Program(Value):
    """An installed program.

    Attributes:
        id: How the system names it: a desktop entry's path, a bundle, a shell name.
        name: How people know it, in the language of the session.
        window_names: Names its windows may carry as their program, folded.
        takes_files: It can be started with files or addresses.
    """

    id: str
    name: str
    window_names: frozenset[str] = frozenset()
    takes_files: bool = False


class Started(Protocol):
    """A program that was just started; it lives on by itself."""

    @property
    def pid(self) -> int: ...

    def exit_code(self) -> int | None:
        """None while it runs; a program that handed over to one already open ends with 0."""
        ...


class Programs(Protocol):
    """The installed programs."""

    def find(self, name: str) -> Program:
        """By the name people know it by, slips of the pen forgiven; RefusedAction lists close names when none fits."""
        ...

    def start(self, program: Program, arguments: Sequence[str]) -> Started:
        """Start it apart from this process; ActionError when that fails or it takes no files."""
        ...
