"""What was seen: a ScreenState and its parts.

Lengths are CSS pixels of the top page's viewport (`_css_px`), origin at its upper left corner, for the browser; the
desktop surface uses screen pixels in the same fields and says so by its `surface`.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

from pydantic import Field

from operative_app.core.coordinates import Area, CssPoint, Grid, ImageMap, ScreenPoint, StatePoint
from operative_app.core.outside import quoted
from operative_app.core.values import Value


class SurfaceKind(StrEnum):
    """Where actions land."""

    BROWSER = "browser"
    DESKTOP = "desktop"


class ElementState(StrEnum):
    """What is true of an element beside its role, name and value."""

    DISABLED = "disabled"
    READONLY = "readonly"
    EDITABLE = "editable"
    REQUIRED = "required"
    INVALID = "invalid"
    CHECKED = "checked"
    UNCHECKED = "unchecked"
    MIXED = "mixed"
    SELECTED = "selected"
    PRESSED = "pressed"
    EXPANDED = "expanded"
    COLLAPSED = "collapsed"
    FOCUSED = "focused"
    OFFSCREEN = "offscreen"
    BUSY = "busy"
    PASSWORD = "password"  # noqa: S105 - the name of a state
    SECRET = "secret"  # noqa: S105 - a one-time code or a card's number, which the page says the field is for
    MULTILINE = "multiline"
    MULTISELECT = "multiselect"
    POPUP = "popup"
    DRAGGABLE = "draggable"
    DROP_TARGET = "drop_target"
    SCROLLABLE = "scrollable"


class Box(Value):
    """A rectangle in CSS pixels of the viewport."""

    x_css_px: float
    y_css_px: float
    width_css_px: float
    height_css_px: float

    @property
    def center(self) -> tuple[float, float]:
        return self.x_css_px + self.width_css_px / 2, self.y_css_px + self.height_css_px / 2

    @property
    def right_css_px(self) -> float:
        return self.x_css_px + self.width_css_px

    @property
    def bottom_css_px(self) -> float:
        return self.y_css_px + self.height_css_px

    @property
    def area_css_px2(self) -> float:
        return self.width_css_px * self.height_css_px

    def contains(self, x_css_px: float, y_css_px: float) -> bool:
        return self.x_css_px <= x_css_px < self.right_css_px and self.y_css_px <= y_css_px < self.bottom_css_px


class Fingerprint(Value):
    """What makes an element itself across observations: role, name, place in the tree, frame.

    `path` is the list of tag names with sibling numbers from the frame's root, shadow roots included;
    `frame` is the frame's place ("" is the top page, "0.1" the second frame of the first).
    """

    role: str
    name: str
    path: str
    frame: str = ""


class ElementRef(Value):
    """Points at an element of one observation.

    Valid for that observation only: a surface resolves it again by fingerprint, or refuses.
    `label` is how a person reads it: button “Add to cart”.
    """

    observation: int
    key: str
    fingerprint: Fingerprint
    label: str = ""


class Option(Value):
    """One choice of a native select or an open list."""

    label: str
    value: str = ""
    is_selected: bool = False
    is_disabled: bool = False


class Element(Value):
    """Something that can be acted on.

    Attributes:
        key: Names the element within its observation.
        mark: The number drawn on the picture; 0 for an element without one (not visible now).
        name: Accessible name; falls back to a nearby label, placeholder, title or own text.
        label_source: Where the name came from: "accessible", "nearby", "placeholder", "title", "text", "markup" (only
            what its icon or attributes are called in the markup; weak) or "".
        value: What it holds now (never the content of a password field; "•••" of one that holds another secret).
        text: Its own visible text, shortened.
        context: Names of what surrounds it, outermost first: landmarks, dialogs, groups, headings above, row and
            column headers.
        cover: Words for the element that lies over its centre, "" when nothing does.
        table: Index of `ScreenState.tables` it is in, -1 when in none; `row` counts body rows from 0, `column` from 0.
        list_index: Its place from 0 in the list, grid or run of similar siblings around it, -1 when in none.
        href: Where a link leads.
        scroller: Key of the scroll container it is in (`ScreenState.scrollers`), "" for the page itself.
        form: Names the form or dialog it belongs to; "" when it is in none, or that is not known.
        sends_to: Where its form is sent when it submits it, "" for other controls.
        purpose: What the page says the field is for, in the words of the "autocomplete" attribute.
        window: Id of the window it is in (desktop), 0 in the browser.
        is_restless: It changes by itself again and again, so that a change of it proves nothing about an act.
    """

    key: str
    mark: int = 0
    role: str
    name: str = ""
    label_source: str = ""
    value: str = ""
    description: str = ""
    placeholder: str = ""
    text: str = ""
    tag: str = ""
    input_type: str = ""
    states: frozenset[ElementState] = frozenset()
    box: Box
    frame: str = ""
    path: str = ""
    context: tuple[str, ...] = ()
    cover: str = ""
    table: int = -1
    row: int = -1
    column: int = -1
    list_index: int = -1
    href: str = ""
    scroller: str = ""
    form: str = ""
    sends_to: str = ""
    purpose: str = ""
    window: int = 0
    options: tuple[Option, ...] = ()
    is_new: bool = False
    is_restless: bool = False

    def has(self, state: ElementState) -> bool:
        return state in self.states

    @property
    def is_concealed(self) -> bool:
        """Whether what it holds must not be told or pictured."""
        return ElementState.PASSWORD in self.states or ElementState.SECRET in self.states

    @property
    def label(self) -> str:
        """How a person reads it: role and name."""
        name = self.name or self.text or self.placeholder or self.value
        return f"{self.role} {quoted(shorten(name, 60))}" if name else self.role

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint(role=self.role, name=self.name, path=self.path, frame=self.frame)


class TextBlock(Value):
    """Visible text that is not itself a control, in reading order.

    `role` is heading, paragraph, status, alert, label, cell, listitem, dialog, text, or read (off the picture, where a
    program does not tell); `level` is a heading's level.
    `is_restless` text changes by itself again and again (a clock, a carousel). `scroller` is the key of the scroll
    container it is in, "" for the page itself; `form` names the form or dialog it stands in, as in `Element`.
    """

    text: str
    role: str = "text"
    level: int = 0
    box: Box
    frame: str = ""
    context: tuple[str, ...] = ()
    scroller: str = ""
    form: str = ""
    is_restless: bool = False


class FramePlace(Value):
    """A frame of the page and where what is in it comes from.

    `path` is as in `Element.frame`; `url` its origin, its address when it has none, "" when it has that of what is
    around it; `box` is where it lies.
    """

    path: str
    url: str = ""
    box: Box


class Table(Value):
    """A table's texts. `headers` are the column headers (merged cells repeated); `rows` the body, row header first.

    `boxes` are the rows' boxes, one for each of `rows`; a row out of sight keeps its box with the true position.
    """

    caption: str = ""
    headers: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    boxes: tuple[Box, ...] = ()
    frame: str = ""
    context: tuple[str, ...] = ()


class Tab(Value):
    """One open page. `opener` is the id of the tab that opened it, -1 if none did."""

    id: int
    url: str
    title: str = ""
    is_active: bool = False
    opener: int = -1


class PendingDialog(Value):
    """An alert, confirm, prompt or beforeunload that waits for an answer."""

    kind: str
    message: str
    default_text: str = ""


class Download(Value):
    """A file the browser is fetching or has fetched. `path` is "" until it is complete on disk."""

    name: str
    url: str
    path: str = ""
    state: str = "running"


class ScrollContainer(Value):
    """A part that scrolls by itself, and how much of it lies out of sight on each side, in CSS pixels.

    `key` names it among the elements when it is listed there; `label` says in words what it is.
    """

    key: str
    label: str
    box: Box
    frame: str = ""
    above_css_px: float = 0
    below_css_px: float = 0
    left_css_px: float = 0
    right_css_px: float = 0


class Window(Value):
    """A program's window on the desktop. `box` is its frame in screen pixels; `app` the program's name.

    `id` is the window system's own number. Windows are listed from the front to the back.
    """

    id: int
    title: str
    app: str
    pid: int = 0
    box: Box
    is_active: bool = False
    is_minimized: bool = False
    is_dialog: bool = False


class ScrollPosition(Value):
    """How far the page is scrolled, in CSS pixels."""

    x_css_px: float = 0
    y_css_px: float = 0
    width_css_px: float = 0
    height_css_px: float = 0


class ScreenState(Value):
    """One observation.

    Attributes:
        observation: Counts up within a run; references carry it.
        texts: Visible text in reading order, with headings.
        frames: The frames of the page that were looked at (browser).
        viewport_x_css_px, viewport_y_css_px: Its upper left corner: 0 in the browser; on the desktop negative when a
            monitor stands left of or above the primary one.
        modal: Name of the open modal dialog, "" when none is.
        modal_box: Where that dialog is, None when none is or its place is not known.
        scrollers: What scrolls by itself besides the page.
        windows: Open windows of other programs, front to back (desktop).
        selection: The text selected now, shortened; "" when none is.
        held: Keys and mouse buttons that the agent holds down now, in the names of `press_key` and "left", "right",
            "middle".
        file_chooser: Key of the element for which the page asks for a file, "" when it does not.
        has_crashed: The page's process ended; nothing can be done there until it is opened again.
        left_out: Sentences that say what was not looked at (budget of nodes, frames, time); empty when all was seen.
        held_back: Sentences about what was not opened or loaded since the look before, outside the run's sites.
        screenshot: Content hash under which the picture is stored, "" when none was taken.
        pixel_ratio: Picture pixels for one CSS pixel.
    """

    observation: int
    surface: SurfaceKind
    url: str = ""
    title: str = ""
    viewport_x_css_px: float = 0
    viewport_y_css_px: float = 0
    viewport_width_css_px: float = 0
    viewport_height_css_px: float = 0
    scroll: ScrollPosition = ScrollPosition()
    elements: tuple[Element, ...] = ()
    texts: tuple[TextBlock, ...] = ()
    tables: tuple[Table, ...] = ()
    frames: tuple[FramePlace, ...] = ()
    tabs: tuple[Tab, ...] = ()
    focus: str = ""
    modal: str = ""
    modal_box: Box | None = None
    scrollers: tuple[ScrollContainer, ...] = ()
    windows: tuple[Window, ...] = ()
    selection: str = ""
    held: frozenset[str] = frozenset()
    dialogs: tuple[PendingDialog, ...] = ()
    downloads: tuple[Download, ...] = ()
    file_chooser: str = ""
    is_loading: bool = False
    has_crashed: bool = False
    left_out: tuple[str, ...] = ()
    held_back: tuple[str, ...] = ()
    screenshot: str = ""
    pixel_ratio: float = 1.0
    observed_at_s: float = Field(default=0.0, description="Unix time in seconds")

    @cached_property
    def _by_key(self) -> dict[str, Element]:
        return {element.key: element for element in self.elements}

    def element(self, key: str) -> Element | None:
        return self._by_key.get(key)

    def find(self, ref: ElementRef) -> Element | None:
        """The element a reference means in this observation, by key or by fingerprint; None when gone or ambiguous."""
        if ref.observation == self.observation:
            return self.element(ref.key)
        same = [element for element in self.elements if element.fingerprint == ref.fingerprint]
        return same[0] if len(same) == 1 else None

    def ref(self, element: Element) -> ElementRef:
        return ElementRef(
            observation=self.observation,
            key=element.key,
            fingerprint=element.fingerprint,
            label=element.label,
        )

    def element_at(self, x_css_px: float, y_css_px: float) -> Element | None:
        """The smallest element whose box holds the point."""
        hits = [element for element in self.elements if element.box.contains(x_css_px, y_css_px)]
        return min(hits, key=lambda element: element.box.area_css_px2, default=None)

    @property
    def viewport(self) -> Box:
        return Box(
            x_css_px=self.viewport_x_css_px,
            y_css_px=self.viewport_y_css_px,
            width_css_px=self.viewport_width_css_px,
            height_css_px=self.viewport_height_css_px,
        )

    def point(self, x_px: float, y_px: float) -> StatePoint:
        """A place on this state in its own unit: CSS pixels in the browser, screen pixels on the desktop."""
        if self.surface is SurfaceKind.BROWSER:
            return CssPoint(x_css_px=x_px, y_css_px=y_px)
        return ScreenPoint(x_screen_px=x_px, y_screen_px=y_px)

    def map_of(self, picture: Picture, grid: Grid = Grid.PIXELS) -> ImageMap:
        """How places on a picture of this state, of whatever size it was made, lead back to the state."""
        shown = picture.area or self.viewport
        return ImageMap(
            shown=Area(
                left_px=shown.x_css_px,
                top_px=shown.y_css_px,
                width_px=shown.width_css_px,
                height_px=shown.height_css_px,
            ),
            is_screen=self.surface is SurfaceKind.DESKTOP,
            width_px=picture.width_px,
            height_px=picture.height_px,
            grid=grid,
        )

    def address_in(self, frame: str) -> str:
        """The address of the document in a frame; one without its own (srcdoc, blank) has that of what is around it."""
        addresses = {one.path: one.url for one in self.frames}
        while frame:
            if address := addresses.get(frame, ""):
                return address
            frame = frame.rpartition(".")[0]
        return self.url

    @property
    def active_window(self) -> Window | None:
        return next((window for window in self.windows if window.is_active), None)

    @property
    def active_tab(self) -> Tab | None:
        return next((tab for tab in self.tabs if tab.is_active), None)

    @property
    def all_text(self) -> str:
        """All visible text in reading order, one block a line."""
        return "\n".join(block.text for block in self.texts)


class Picture(Value):
    """Encoded image bytes of one observation or live frame. `data` is JPEG or PNG, as `media_type` says.

    `area` is the part of the surface that it shows, in the state's pixels; None for the whole viewport.
    """

    data: bytes = Field(repr=False)
    media_type: str = "image/jpeg"
    width_px: int = 0
    height_px: int = 0
    area: Box | None = None


class Observation(Value):
    """A ScreenState with its picture; only the state is passed on to planners and events."""

    state: ScreenState
    picture: Picture | None = None


def shorten(text: str, limit: int) -> str:
    """Fold white space and cut at `limit` characters with an ellipsis."""
    folded = " ".join(text.split())
    return folded if len(folded) <= limit else folded[: limit - 1].rstrip() + "…"


def folded(text: str) -> str:
    """A text for comparing: case and repeated white space do not count."""
    return " ".join(text.casefold().split())
