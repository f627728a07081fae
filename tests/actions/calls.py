"""One call of every action, the screens on which it may and may not be done, and what should be seen afterwards.

The screens hold one of each kind of control; a row changes what it needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from operative_app.actions.browser import (
    CloseTab,
    ExecuteJs,
    Fill,
    GetAttribute,
    GetText,
    GoBack,
    Navigate,
    NewTab,
    ScreenshotElement,
    SelectOption,
    SwitchTab,
    WaitFor,
)
from operative_app.actions.composite import DownloadFile, FieldEntry, FillForm, Login, SearchAndClick
from operative_app.actions.declare import Action
from operative_app.actions.finding import ScrollToFind
from operative_app.actions.keyboard import (
    Copy,
    Cut,
    Hotkey,
    KeyDown,
    KeyUp,
    Paste,
    PressKey,
    SelectAll,
    TypeText,
    Undo,
)
from operative_app.actions.mouse import (
    Click,
    ClickElement,
    DoubleClick,
    Drag,
    DragElement,
    Hover,
    MouseDown,
    MouseUp,
    RightClick,
    Scroll,
    SelectText,
    TripleClick,
)
from operative_app.actions.system import (
    CloseApp,
    FileDialog,
    OpenApp,
    ReadClipboard,
    RunCommand,
    SwitchApp,
    TakeScreenshot,
    WriteClipboard,
)
from operative_app.core.run import Outcome, done
from operative_app.core.screen import (
    Box,
    Element,
    ElementRef,
    ElementState,
    Option,
    ScreenState,
    ScrollContainer,
    ScrollPosition,
    SurfaceKind,
    Tab,
    TextBlock,
    Window,
)

OFF = ElementState.DISABLED
E = ElementState


def box(x: float, y: float, width: float = 80, height: float = 20) -> Box:
    return Box(x_css_px=x, y_css_px=y, width_css_px=width, height_css_px=height)


def element(key: str, role: str, place: Box, *states: ElementState, **fields: object) -> Element:
    return Element.model_validate(
        {"key": key, "role": role, "name": key, "path": key, "box": place, "states": states, **fields}
    )


BUTTON = element("Save", "button", box(0, 0))
FIELD = element("Name", "textbox", box(0, 40), E.EDITABLE)
LIST = element("Size", "combobox", box(0, 80), tag="select", options=(Option(label="S"), Option(label="M")))
CARD = element("Card", "listitem", box(0, 120), E.DRAGGABLE)
BASKET = element("Basket", "group", box(0, 160), E.DROP_TARGET)
PASSWORD = element("Password", "textbox", box(0, 200), E.EDITABLE, E.PASSWORD)
ICON = element("icon", "image", box(200, 200), name="")
WORDS = TextBlock(text="A paragraph of words.", box=box(0, 300, 300))
BLANK_PX = (700.0, 500.0)
"""A place where nothing is."""

PAGE = ScreenState(
    observation=1,
    surface=SurfaceKind.BROWSER,
    url="http://a.test/",
    viewport_width_css_px=800,
    viewport_height_css_px=600,
    scroll=ScrollPosition(width_css_px=800, height_css_px=2000),
    elements=(BUTTON, FIELD, LIST, CARD, BASKET, PASSWORD, ICON),
    texts=(WORDS,),
    tabs=(Tab(id=1, url="http://a.test/", is_active=True), Tab(id=2, url="http://b.test/")),
    focus="Name",
    selection="words",
)
WINDOW = Window(id=5, title="letter.txt - Editor", app="editor", box=box(0, 0, 800, 600), is_active=True)
OTHER_WINDOW = Window(id=6, title="Calculator", app="calculator", box=box(0, 0, 200, 300))
DESKTOP = PAGE.model_copy(
    update={"surface": SurfaceKind.DESKTOP, "url": "", "tabs": (), "windows": (WINDOW, OTHER_WINDOW)}
)


def ref(one: Element) -> ElementRef:
    return PAGE.ref(one)


def page(base: ScreenState = PAGE, **fields: object) -> ScreenState:
    """The screen with other fields."""
    return base.model_copy(update=fields)


def with_element(one: Element, base: ScreenState = PAGE, **fields: object) -> ScreenState:
    """The screen with one element changed."""
    changed = one.model_copy(update=fields)
    return page(base, elements=tuple(changed if each.key == one.key else each for each in base.elements))


def without(*gone: Element, base: ScreenState = PAGE) -> ScreenState:
    keys = {one.key for one in gone}
    return page(base, elements=tuple(one for one in base.elements if one.key not in keys))


def held(*names: str) -> ScreenState:
    return page(held=frozenset(names))


def asking(one: Element) -> ScreenState:
    """A dialog lies over the element."""
    return with_element(one, page(modal="Cookies", modal_box=box(0, 0, 400, 400)), cover="dialog “Cookies”")


OVER = page(modal="Cookies", modal_box=box(500, 0, 100, 100))
"""A dialog is open, and not at the places the calls name."""
CHANGED = page(title="Another title")
FAR_PX = 5000.0


@dataclass(frozen=True, slots=True)
class Call:
    """A call and its rows.

    Attributes:
        words: The call as a person reads it.
        before, after, outcome: With these every check passes.
        refused: Calls and screens on which a pre-condition fails, with its reason.
        missing: Screens after, and outcomes, where a declared effect is not seen, with the words for it.
    """

    action: Action
    words: str
    before: ScreenState = PAGE
    after: ScreenState = CHANGED
    outcome: Outcome = field(default_factory=done)
    refused: Sequence[tuple[Action, ScreenState, str]] = ()
    missing: Sequence[tuple[ScreenState, Outcome, str]] = ()


NOTHING = ((PAGE, done(), "nothing on the screen changed"),)


def at_a_place(cls: type[Click | MouseDown]) -> list[tuple[Action, ScreenState, str]]:
    there = cls(x_px=5, y_px=5)
    return [
        (cls(x_px=FAR_PX, y_px=5), PAGE, "the place 5000, 5 is not on the screen, which reaches from 0, 0 to 800, 600"),
        (there, OVER, "the dialog “Cookies” is open over it"),
        (there, with_element(BUTTON, states={OFF}), "button “Save” is disabled"),
    ]


def on_either(cls: type[DoubleClick | RightClick]) -> list[tuple[Action, ScreenState, str]]:
    there, on = cls(x_px=5, y_px=5), cls(target=ref(BUTTON))
    return [
        (on, page(without(BUTTON), observation=2), "button “Save” is no longer on the page"),
        (on, with_element(BUTTON, states={OFF}), "button “Save” is disabled"),
        (on, asking(BUTTON), "the dialog “Cookies” is open over it"),
        (cls(x_px=5, y_px=-1), PAGE, "the place 5, -1 is not on the screen"),
        (there, OVER, "the dialog “Cookies” is open over it"),
        (there, with_element(BUTTON, states={OFF}), "button “Save” is disabled"),
    ]


def gone(action: Action, one: Element, base: ScreenState = PAGE) -> tuple[Action, ScreenState, str]:
    return action, page(without(one, base=base), observation=2), f"{one.label} is no longer on the page"


DRAG_CARD = DragElement(target=ref(CARD), onto=ref(BASKET))
UNKNOWN_KEY = "There is no key “Hyper”"
NOT_HELD = "is not held down"
STILL_HELD = "is still held down"
APP = "no window of “editor” is open"
FORM = FillForm(fields=(FieldEntry(target=ref(FIELD), value="Ada"), FieldEntry(target=ref(LIST), value="M")))
SEARCH = SearchAndClick(field=ref(FIELD), query="lamp", match="Blue lamp")

CALLS: dict[type[Action], Call] = {
    Click: Call(Click(x_px=5, y_px=5), "Click at 5, 5", refused=at_a_place(Click), missing=NOTHING),
    DoubleClick: Call(
        DoubleClick(target=ref(BUTTON)), "Double-click button “Save”", refused=on_either(DoubleClick), missing=NOTHING
    ),
    RightClick: Call(RightClick(x_px=5, y_px=5.5), "Right-click the place 5, 5.5", refused=on_either(RightClick)),
    Drag: Call(
        Drag(x1_px=5, y1_px=5, x2_px=5, y2_px=60),
        "Drag from 5, 5 to 5, 60",
        refused=[
            (Drag(x1_px=-5, y1_px=5, x2_px=5, y2_px=60), PAGE, "the place -5, 5 is not on the screen"),
            (Drag(x1_px=5, y1_px=5, x2_px=5, y2_px=6000), PAGE, "the place 5, 6000 is not on the screen"),
            (Drag(x1_px=5, y1_px=5, x2_px=5, y2_px=60), OVER, "the dialog “Cookies” is open over it"),
            (Drag(x1_px=5, y1_px=5, x2_px=5, y2_px=60), with_element(BUTTON, states={OFF}), "is disabled"),
        ],
        missing=NOTHING,
    ),
    Scroll: Call(
        Scroll(dy_css_px=300, target=ref(FIELD)),
        "Scroll down by 300 px in textbox “Name”",
        refused=[
            gone(Scroll(dy_css_px=300, target=ref(FIELD)), FIELD),
            (Scroll(dy_css_px=3, x_px=FAR_PX, y_px=0), PAGE, "is not on the screen"),
            (Scroll(dy_css_px=-3), PAGE, "there is nothing more to scroll to in that direction"),
            (Scroll(dx_css_px=3), PAGE, "there is nothing more to scroll to in that direction"),
            (Scroll(), PAGE, "scrolling by nothing does nothing"),
        ],
        missing=NOTHING,
    ),
    Hover: Call(
        Hover(target=ref(BUTTON)),
        "Point at button “Save”",
        refused=[
            gone(Hover(target=ref(BUTTON)), BUTTON),
            (Hover(target=ref(BUTTON)), asking(BUTTON), "the dialog “Cookies” is open over it"),
            (Hover(x_px=5, y_px=FAR_PX), PAGE, "is not on the screen"),
            (Hover(x_px=5, y_px=5), OVER, "the dialog “Cookies” is open over it"),
        ],
    ),
    ClickElement: Call(
        ClickElement(target=ref(BUTTON)),
        "Click button “Save”",
        refused=[
            gone(ClickElement(target=ref(BUTTON)), BUTTON),
            (ClickElement(target=ref(BUTTON)), with_element(BUTTON, states={OFF}), "button “Save” is disabled"),
            (ClickElement(target=ref(BUTTON)), asking(BUTTON), "the dialog “Cookies” is open over it"),
        ],
        missing=NOTHING,
    ),
    DragElement: Call(
        DRAG_CARD,
        "Drag listitem “Card” to group “Basket”",
        refused=[
            gone(DRAG_CARD, CARD),
            gone(DRAG_CARD, BASKET),
            (DRAG_CARD, with_element(CARD, states={OFF, E.DRAGGABLE}), "listitem “Card” is disabled"),
            (DRAG_CARD, with_element(CARD, states=set()), "listitem “Card” cannot be dragged"),
            (DRAG_CARD, asking(CARD), "the dialog “Cookies” is open over it"),
            (DRAG_CARD, asking(BASKET), "the dialog “Cookies” is open over it"),
            (DragElement(target=ref(CARD), x_px=FAR_PX, y_px=5), PAGE, "is not on the screen"),
        ],
        missing=NOTHING,
    ),
    SelectText: Call(
        SelectText(x1_px=5, y1_px=305, x2_px=90, y2_px=305),
        "Select the text from 5, 305 to 90, 305",
        after=page(selection="paragraph"),
        refused=[
            (SelectText(x1_px=5, y1_px=FAR_PX, x2_px=90, y2_px=305), PAGE, "is not on the screen"),
            (SelectText(x1_px=5, y1_px=305, x2_px=FAR_PX, y2_px=305), PAGE, "is not on the screen"),
            (SelectText(x1_px=5, y1_px=305, x2_px=90, y2_px=305), OVER, "the dialog “Cookies” is open over it"),
            (SelectText(x1_px=700, y1_px=500, x2_px=90, y2_px=305), PAGE, "there is no text at 700, 500"),
        ],
        missing=[(page(selection=""), done(), "nothing is selected")],
    ),
    TripleClick: Call(
        TripleClick(x_px=5, y_px=305),
        "Triple-click the place 5, 305",
        after=page(selection="A paragraph of words."),
        refused=[
            gone(TripleClick(target=ref(FIELD)), FIELD),
            (TripleClick(target=ref(FIELD)), asking(FIELD), "the dialog “Cookies” is open over it"),
            (TripleClick(x_px=5, y_px=FAR_PX), PAGE, "is not on the screen"),
            (TripleClick(x_px=5, y_px=305), OVER, "the dialog “Cookies” is open over it"),
            (TripleClick(target=ref(ICON)), PAGE, "image has no text"),
        ],
        missing=[(page(selection=""), done(), "nothing is selected")],
    ),
    MouseDown: Call(
        MouseDown(x_px=5, y_px=5),
        "Press the left mouse button at 5, 5 and hold it",
        after=held("left"),
        refused=at_a_place(MouseDown),
        missing=[(PAGE, done(), f"“left” {NOT_HELD}")],
    ),
    MouseUp: Call(
        MouseUp(x_px=5, y_px=5),
        "Let go of the left mouse button at 5, 5",
        before=held("left"),
        refused=[
            (MouseUp(x_px=5, y_px=5), PAGE, f"“left” {NOT_HELD}"),
            (MouseUp(x_px=FAR_PX, y_px=5), held("left"), "is not on the screen"),
        ],
        missing=[(held("left"), done(), f"“left” {STILL_HELD}")],
    ),
    TypeText: Call(
        TypeText(text="Ada\nLovelace"),
        "Type “Ada⏎Lovelace”",
        missing=[
            (PAGE, done(), "nothing on the screen changed"),
        ],
    ),
    PressKey: Call(
        PressKey(key="Enter", target=ref(FIELD)),
        "Press Enter in textbox “Name”",
        refused=[
            (PressKey(key="Hyper"), PAGE, UNKNOWN_KEY),
            gone(PressKey(key="Enter", target=ref(FIELD)), FIELD),
        ],
        missing=NOTHING,
    ),
    Hotkey: Call(
        Hotkey(keys=("Control", "Shift", "s")),
        "Press Control+Shift+s",
        refused=[(Hotkey(keys=("Control", "Hyper")), PAGE, UNKNOWN_KEY)],
        missing=NOTHING,
    ),
    KeyDown: Call(
        KeyDown(key="shift"),
        "Hold the key shift down",
        after=held("Shift"),
        refused=[(KeyDown(key="Hyper"), PAGE, UNKNOWN_KEY)],
        missing=[(PAGE, done(), f"“Shift” {NOT_HELD}")],
    ),
    KeyUp: Call(
        KeyUp(key="Shift"),
        "Let go of the key Shift",
        before=held("Shift"),
        refused=[(KeyUp(key="Shift"), PAGE, f"“Shift” {NOT_HELD}")],
        missing=[(held("Shift"), done(), f"“Shift” {STILL_HELD}")],
    ),
    SelectAll: Call(
        SelectAll(),
        "Select all",
        after=page(selection="everything"),
        missing=[(page(selection=""), done(), "nothing is selected")],
    ),
    Copy: Call(
        Copy(),
        "Copy what is selected",
        outcome=done(value="words"),
        refused=[(Copy(), page(selection=""), "nothing is selected")],
        missing=[
            (PAGE, done(), "the clipboard holds no text"),
            (PAGE, done(value="other"), "the clipboard holds something else than what was selected"),
        ],
    ),
    Paste: Call(
        Paste(),
        "Paste",
        refused=[
            (Paste(), page(focus=""), "no field has the focus"),
            (Paste(), page(focus="Save"), "button “Save” has the focus and does not take text"),
            (Paste(), with_element(FIELD, states={E.EDITABLE, E.READONLY}), "textbox “Name” is read-only"),
        ],
        missing=NOTHING,
    ),
    Cut: Call(
        Cut(),
        "Cut what is selected",
        outcome=done(value="words"),
        refused=[
            (Cut(), page(selection=""), "nothing is selected"),
            (Cut(), page(focus="Save"), "does not take text"),
        ],
        missing=[
            (CHANGED, done(), "the clipboard holds no text"),
            (PAGE, done(value="words"), "nothing on the screen changed"),
        ],
    ),
    Undo: Call(Undo(), "Undo the last change", missing=NOTHING),
    Navigate: Call(
        Navigate(url="http://b.test/"),
        "Open http://b.test/",
        after=page(url="http://b.test/"),
        missing=[
            (page(url=""), done(), "no page was loaded"),
            (page(url="chrome-error://chromewebdata/"), done(), "the browser shows an error page"),
        ],
    ),
    Fill: Call(
        Fill(target=ref(FIELD), text="Ada"),
        "Fill textbox “Name” with “Ada”",
        after=with_element(FIELD, value="Ada"),
        refused=[
            gone(Fill(target=ref(FIELD), text="Ada"), FIELD),
            (Fill(target=ref(FIELD), text="Ada"), with_element(FIELD, states={OFF, E.EDITABLE}), "is disabled"),
            (Fill(target=ref(FIELD), text="Ada"), with_element(FIELD, states={E.EDITABLE, E.READONLY}), "is read-only"),
            (Fill(target=ref(BUTTON), text="Ada"), PAGE, "button “Save” does not take text"),
        ],
        missing=[(with_element(FIELD, value="Adam"), done(), "textbox “Name” holds “Adam” instead of “Ada”")],
    ),
    SelectOption: Call(
        SelectOption(target=ref(LIST), option="M"),
        "Choose “M” in combobox “Size”",
        after=with_element(LIST, options=(Option(label="S"), Option(label="M", is_selected=True))),
        refused=[
            gone(SelectOption(target=ref(LIST), option="M"), LIST),
            (SelectOption(target=ref(LIST), option="M"), with_element(LIST, states={OFF}), "is disabled"),
            (SelectOption(target=ref(FIELD), option="M"), PAGE, "is no native list; open it and click the choice"),
        ],
        missing=[(with_element(LIST, value="S"), done(), "combobox “Size” shows “S” instead of “M”")],
    ),
    WaitFor: Call(WaitFor(target=ref(BUTTON)), "Wait until button “Save” is visible"),
    ExecuteJs: Call(ExecuteJs(code="return 1\n+ 1"), "Run a script in the page: return 1⏎+ 1"),
    ScreenshotElement: Call(
        ScreenshotElement(target=ref(BUTTON)),
        "Take a picture of button “Save”",
        outcome=done(picture="hash"),
        refused=[gone(ScreenshotElement(target=ref(BUTTON)), BUTTON)],
        missing=[(PAGE, done(), "no picture was taken")],
    ),
    GetText: Call(
        GetText(),
        "Read all that is in front",
        outcome=done(value="words"),
        refused=[gone(GetText(target=ref(BUTTON)), BUTTON)],
        missing=[(PAGE, done(value=" \n"), "there was no text to read")],
    ),
    GetAttribute: Call(
        GetAttribute(target=ref(BUTTON), attribute="title"),
        "Read the attribute “title” of button “Save”",
        refused=[gone(GetAttribute(target=ref(BUTTON), attribute="title"), BUTTON)],
    ),
    NewTab: Call(NewTab(url="http://b.test/"), "Open a new tab with http://b.test/", missing=NOTHING),
    CloseTab: Call(
        CloseTab(tab_id=2),
        "Close tab 2",
        after=page(tabs=PAGE.tabs[:1]),
        refused=[(CloseTab(tab_id=9), PAGE, "there is no tab 9")],
        missing=NOTHING,
    ),
    SwitchTab: Call(
        SwitchTab(tab_id=2),
        "Switch to tab 2",
        after=page(tabs=(Tab(id=2, url="http://b.test/", is_active=True),)),
        refused=[(SwitchTab(tab_id=9), PAGE, "there is no tab 9")],
        missing=[(PAGE, done(), "tab 2 is not in front")],
    ),
    GoBack: Call(GoBack(), "Go back", missing=NOTHING),
    OpenApp: Call(
        OpenApp(app="editor", arguments=("/tmp/letter.txt",)),
        "Open the program editor with /tmp/letter.txt",
        before=page(DESKTOP, windows=()),
        after=DESKTOP,
        missing=[
            (page(DESKTOP, windows=()), done(), APP),
            (page(DESKTOP, windows=(WINDOW.model_copy(update={"is_active": False}),)), done(), "is not in front"),
        ],
    ),
    CloseApp: Call(
        CloseApp(app="editor"),
        "Close editor",
        before=DESKTOP,
        after=page(DESKTOP, windows=(OTHER_WINDOW,)),
        refused=[(CloseApp(app="editor"), page(DESKTOP, windows=(OTHER_WINDOW,)), APP)],
        missing=[(DESKTOP, done(), "“letter.txt - Editor” is still open")],
    ),
    SwitchApp: Call(
        SwitchApp(app="editor"),
        "Switch to editor",
        before=DESKTOP,
        after=DESKTOP,
        refused=[(SwitchApp(app="editor"), page(DESKTOP, windows=(OTHER_WINDOW,)), APP)],
        missing=[(page(DESKTOP, windows=(OTHER_WINDOW,)), done(), "“editor” is not in front")],
    ),
    TakeScreenshot: Call(
        TakeScreenshot(),
        "Take a picture of the screen",
        outcome=done(picture="hash"),
        missing=[(PAGE, done(), "no picture was taken")],
    ),
    ReadClipboard: Call(ReadClipboard(), "Read the clipboard"),
    WriteClipboard: Call(
        WriteClipboard(text="a  b"),
        "Put “a b” on the clipboard",
        outcome=done(value="a  b"),
        missing=[(PAGE, done(value="a b"), "the clipboard holds something else")],
    ),
    RunCommand: Call(
        RunCommand(command="ls '/tmp/a b'"),
        "Run the command ls '/tmp/a b'",
        before=DESKTOP,
        refused=[
            (RunCommand(command="ls 'a"), DESKTOP, "the command cannot be read: no closing quotation"),
            (RunCommand(command=" "), DESKTOP, "the command is empty"),
        ],
    ),
    FileDialog: Call(
        FileDialog(paths=(__file__,)),
        f"Choose the file {__file__}",
        before=page(file_chooser="Save"),
        refused=[
            gone(FileDialog(paths=(__file__,), target=ref(BUTTON)), BUTTON),
            (FileDialog(paths=(__file__,)), PAGE, "nothing asks for a file now"),
            (FileDialog(paths=("a.txt",)), page(file_chooser="Save"), "“a.txt” is no absolute path"),
            (FileDialog(paths=("/no/such/file",)), page(file_chooser="Save"), "there is no file “/no/such/file”"),
        ],
        missing=[(page(file_chooser="Save"), done(), "the file dialog is still open")],
    ),
    SearchAndClick: Call(
        SEARCH,
        "Search for “lamp” in textbox “Name” and click “Blue lamp”",
        refused=[
            gone(SEARCH, FIELD),
            (SEARCH, with_element(FIELD, states={OFF, E.EDITABLE}), "is disabled"),
            (SEARCH, with_element(FIELD, states=set()), "does not take text"),
        ],
    ),
    FillForm: Call(
        FORM,
        "Fill in the form (textbox “Name”: Ada, combobox “Size”: M)",
        after=with_element(FIELD, value="ADA"),
        missing=[(with_element(FIELD, value=""), done(), "textbox “Name” holds “” instead of “Ada”")],
    ),
    Login: Call(
        Login(username="ada", password="correct horse"),
        "Sign in as ada",
        after=without(PASSWORD),
        missing=[
            (PAGE, done(), "the page still asks for a password"),
            (
                page(texts=(TextBlock(text="Wrong password", role="alert", box=box(0, 0)),)),
                done(),
                "the page still asks for a password: “Wrong password”",
            ),
        ],
    ),
    DownloadFile: Call(
        DownloadFile(target=ref(BUTTON)),
        "Download with button “Save”",
        outcome=done(value="/tmp/a.pdf"),
        refused=[
            gone(DownloadFile(target=ref(BUTTON)), BUTTON),
            (DownloadFile(target=ref(BUTTON)), with_element(BUTTON, states={OFF}), "is disabled"),
        ],
        missing=[(PAGE, done(), "no file was stored")],
    ),
    ScrollToFind: Call(
        ScrollToFind(text="Total", scroller=ref(CARD), is_upwards=True),
        "Scroll up until “Total” is seen in listitem “Card”",
        outcome=done(value="Total"),
        refused=[gone(ScrollToFind(text="Total", scroller=ref(CARD)), CARD)],
        missing=[(PAGE, done(), "it did not come into sight")],
    ),
}

SCROLLED_PART = ScrollContainer(key="Card", label="list", box=box(0, 120), above_css_px=40)
"""A part that can be scrolled up only."""
