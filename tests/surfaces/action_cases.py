"""Pages and calls for every action that claims the browser; used by `test_actions_browser`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from operative_app.actions import browser as b
from operative_app.actions import composite as c
from operative_app.actions import finding
from operative_app.actions import keyboard as k
from operative_app.actions import mouse as m
from operative_app.actions import system as s
from operative_app.actions.declare import Action
from operative_app.core.ports import MouseButton, WaitState
from operative_app.core.screen import ElementRef, ScreenState
from tests.surfaces.work import Work, matching

SEEN = """<script>window.seen = []; for (const type of ['pointerdown', 'pointerup', 'click', 'keydown', 'keyup',
 'beforeinput', 'input', 'change', 'dragstart', 'drop', 'contextmenu', 'wheel', 'scroll', 'copy', 'cut', 'paste'])
 addEventListener(type, (event) => seen.push(type), true)</script>"""
GO = "<style>body{margin:0} button{position:absolute;left:100px;top:100px;width:80px;height:40px}</style>"
VEIL = "<div role=dialog aria-modal=true aria-label=Wait style='position:fixed;inset:0;background:#fff9'>Wait</div>"
FIELD = "<input aria-label=Name id=f value='%s'>"
TALL = "<p style='height:4000px'>tall</p>"
KNOB = """<style>body{margin:0} #t{position:absolute;left:20px;top:20px;width:60px;height:40px}</style>
<div id=t tabindex=0 role=button draggable=true>Knob</div>
<div id=z style='position:absolute;left:300px;top:200px;width:90px;height:60px'>Zone</div><script>
z.ondragover = (event) => event.preventDefault(); z.ondrop = () => z.textContent = 'Dropped'</script>"""
SIGN_IN = """<form onsubmit='%s; return false'><input aria-label=User><input type=password aria-label=Password>
<button>Sign in</button></form><p role=alert id=o></p>"""

Prepare = Callable[[Work, ScreenState], Awaitable[object]]


@dataclass(frozen=True)
class Case:
    """A page, what is done before, the action made from what is seen, and a script that is true once it worked."""

    page: str
    make: Callable[[ScreenState], Action]
    after: str = "true"
    prepare: Prepare | None = None
    told: str = ""


def ref(state: ScreenState, name: str) -> ElementRef:
    return state.ref(next(one for one in state.elements if one.name == name))


def pressed(name: str, key: str = "Home") -> Prepare:
    """Gives the focus to an element."""
    return lambda work, state: work.browser.press_key(key, ref(state, name))


async def _selected(work: Work, state: ScreenState) -> None:
    await work.browser.press_key("ControlOrMeta+a", ref(state, "Name"))


async def _copied(work: Work, state: ScreenState) -> None:
    await work.browser.write_clipboard("Ada")
    await work.browser.press_key("End", ref(state, "Name"))


async def _typed(work: Work, state: ScreenState) -> None:
    await work.browser.press_key("End", ref(state, "Name"))
    await work.browser.type_text("xyz")


async def _held(work: Work, state: ScreenState) -> None:
    await work.browser.mouse_down(ref(state, "Go"))


async def _shift(work: Work, state: ScreenState) -> None:
    await work.browser.key_down("Shift")


async def _second(work: Work, state: ScreenState) -> None:
    await work.browser.new_tab(work.pages.make("<h1>Two</h1>"))


async def _asked(work: Work, state: ScreenState) -> None:
    await work.browser.click(ref(state, "Pick"))


def tab_id(state: ScreenState, *, is_active: bool) -> int:
    return next((tab.id for tab in state.tabs if tab.is_active is is_active), 999)


BUTTON = GO + "<button onclick='document.title += 1'>Go</button>"
DEAD = GO + "<button>Go</button>"
WORKS: dict[str, Case] = {
    "click": Case(BUTTON, lambda _: m.Click(x_px=140, y_px=120), "document.title == 'made1'"),
    "double_click": Case(
        GO + "<button ondblclick='document.title = 2'>Go</button>",
        lambda state: m.DoubleClick(target=ref(state, "Go")),
        "document.title == 2",
    ),
    "right_click": Case(
        GO + "<button oncontextmenu='document.title = 3; return false'>Go</button>",
        lambda _: m.RightClick(x_px=140, y_px=120),
        "document.title == 3",
    ),
    "drag": Case(KNOB, lambda _: m.Drag(x1_px=40, y1_px=40, x2_px=340, y2_px=230), "z.textContent == 'Dropped'"),
    "scroll": Case(TALL, lambda _: m.Scroll(dy_css_px=300), "scrollY == 300"),
    "hover": Case(
        GO + "<button onmouseover='document.title = 4'>Go</button>",
        lambda state: m.Hover(target=ref(state, "Go")),
        "document.title == 4",
    ),
    "click_element": Case(BUTTON, lambda state: m.ClickElement(target=ref(state, "Go")), "document.title == 'made1'"),
    "drag_element": Case(
        KNOB, lambda state: m.DragElement(target=ref(state, "Knob"), x_px=340, y_px=230), "z.textContent == 'Dropped'"
    ),
    "select_text": Case(
        "<style>p{margin:0;position:absolute;left:0;top:20px;font:20px monospace}</style><p>one two</p>",
        lambda _: m.SelectText(x1_px=0.5, y1_px=32, x2_px=36.5, y2_px=32),
        "getSelection() == 'one'",
    ),
    "triple_click": Case(
        "<p style='margin:0'>one two</p>", lambda _: m.TripleClick(x_px=10, y_px=8), "getSelection() == 'one two'"
    ),
    "mouse_down": Case(
        GO + "<button onmousedown='document.title = 5'>Go</button>",
        lambda _: m.MouseDown(x_px=140, y_px=120),
        "document.title == 5",
    ),
    "mouse_up": Case(
        GO + "<button onmouseup='document.title = 6'>Go</button>",
        lambda _: m.MouseUp(x_px=141, y_px=121),
        "document.title == 6",
        _held,
    ),
    "type_text": Case(FIELD % "", lambda _: k.TypeText(text="Ada é"), "f.value == 'Ada é'", pressed("Name")),
    "press_key": Case(
        FIELD % "ab",
        lambda state: k.PressKey(key="Delete", target=ref(state, "Name")),
        "f.value == 'b'",
        pressed("Name"),
    ),
    "hotkey": Case(
        FIELD % "ab c", lambda _: k.Hotkey(keys=("Control", "Backspace")), "f.value == 'ab '", pressed("Name", "End")
    ),
    "key_down": Case(
        "<script>onkeydown = (event) => document.title = event.key</script>",
        lambda _: k.KeyDown(key="Shift"),
        "document.title == 'Shift'",
    ),
    "key_up": Case(
        "<script>onkeyup = (event) => document.title = event.key</script>",
        lambda _: k.KeyUp(key="Shift"),
        "document.title == 'Shift'",
        _shift,
    ),
    "select_all": Case(FIELD % "abc", lambda _: k.SelectAll(), "f.selectionEnd == 3", pressed("Name")),
    "copy": Case(FIELD % "abc", lambda _: k.Copy(), "f.value == 'abc'", _selected),
    "paste": Case(FIELD % "Hi ", lambda _: k.Paste(), "f.value == 'Hi Ada'", _copied),
    "cut": Case(FIELD % "abc", lambda _: k.Cut(), "f.value == ''", _selected),
    "undo": Case(FIELD % "abc", lambda _: k.Undo(), "f.value != 'abcxyz'", _typed),
    "fill": Case(FIELD % "old", lambda state: b.Fill(target=ref(state, "Name"), text="new"), "f.value == 'new'"),
    "select_option": Case(
        "<select aria-label=Size id=f><option>S<option>L</select>",
        lambda state: b.SelectOption(target=ref(state, "Size"), option="L"),
        "f.value == 'L'",
    ),
    "wait_for": Case(
        "<button disabled id=f>Go</button><script>setTimeout(() => f.disabled = false, 300)</script>",
        lambda state: b.WaitFor(target=ref(state, "Go"), state=WaitState.ENABLED),
        "!f.disabled",
    ),
    "execute_js": Case("<p id=o>", lambda _: b.ExecuteJs(code="o.textContent = 8; return 8"), "o.textContent == 8"),
    "screenshot_element": Case(BUTTON, lambda state: b.ScreenshotElement(target=ref(state, "Go"))),
    "get_text": Case(BUTTON, lambda state: b.GetText(target=ref(state, "Go"))),
    "get_attribute": Case(
        "<a href=/x title=There>Link</a>", lambda state: b.GetAttribute(target=ref(state, "Link"), attribute="title")
    ),
    "new_tab": Case("<p>One", lambda _: b.NewTab(url="about:blank"), "location == 'about:blank'"),
    "close_tab": Case(
        "<h1>One</h1>",
        lambda state: b.CloseTab(tab_id=tab_id(state, is_active=True)),
        "document.body.innerText == 'One'",
        _second,
    ),
    "switch_tab": Case(
        "<h1>One</h1>",
        lambda state: b.SwitchTab(tab_id=tab_id(state, is_active=False)),
        "document.body.innerText == 'One'",
        _second,
    ),
    "navigate": Case("<p>One", lambda _: b.Navigate(url="about:blank"), "location == 'about:blank'"),
    "go_back": Case(
        "<h1>One</h1>",
        lambda _: b.GoBack(),
        "document.body.innerText == 'One'",
        lambda work, _: work.browser.navigate(work.pages.make("<h1>Two</h1>")),
    ),
    "take_screenshot": Case("<p>One", lambda _: s.TakeScreenshot()),
    "read_clipboard": Case(
        "<p>One", lambda _: s.ReadClipboard(), prepare=lambda work, _: work.browser.write_clipboard("kept")
    ),
    "write_clipboard": Case("<p>One", lambda _: s.WriteClipboard(text="é\n1")),
    "file_dialog": Case(
        "<button onclick='f.click()'>Pick</button><input type=file id=f hidden>",
        lambda _: s.FileDialog(paths=(__file__,)),
        "f.files[0].name.endsWith('.py')",
        _asked,
    ),
    "search_and_click": Case(
        """<input type=search aria-label=Find id=f><p id=o></p><script>f.oninput = () =>
        o.innerHTML = "<a href=# onclick='document.title = 9'>Result two</a>"</script>""",
        lambda state: c.SearchAndClick(field=ref(state, "Find"), query="two", match="Result two"),
        "document.title == 9",
    ),
    "fill_form": Case(
        FIELD % ""
        + "<input type=checkbox aria-label=News id=g><select aria-label=Size id=h><option>S<option>L</select>",
        lambda state: c.FillForm(
            fields=(
                c.FieldEntry(target=ref(state, "Name"), value="Ada"),
                c.FieldEntry(target=ref(state, "News"), value="on"),
                c.FieldEntry(target=ref(state, "Size"), value="L"),
            )
        ),
        "f.value == 'Ada' && g.checked && h.value == 'L'",
    ),
    "login": Case(
        SIGN_IN % 'document.body.innerHTML = "<h1>Welcome</h1>"',
        lambda _: c.Login(username="ada", password="Lovelace1"),
        "document.body.innerText == 'Welcome'",
    ),
    "download_file": Case(
        "<a href='data:text/plain,hello' download=note.txt>Get</a>",
        lambda state: c.DownloadFile(target=ref(state, "Get")),
    ),
    "scroll_to_find": Case(TALL + "<h2>The end</h2>", lambda _: finding.ScrollToFind(text="The end"), "scrollY > 1000"),
}
BACK = lambda state: m.ClickElement(target=ref(state, "Go"))  # noqa: E731
COVERED = DEAD + VEIL
GREY = GO + "<button disabled>Go</button>"
REFUSED: dict[str, Case] = {
    "click": Case(COVERED, lambda _: m.Click(x_px=-4, y_px=120), told="not on the screen"),
    "double_click": Case(GREY, lambda _: m.DoubleClick(x_px=140, y_px=120), told="disabled"),
    "right_click": Case(COVERED, lambda state: m.RightClick(target=ref(state, "Go")), told="Wait"),
    "drag": Case(KNOB, lambda _: m.Drag(x1_px=40, y1_px=40, x2_px=5000, y2_px=9), told="not on the screen"),
    "scroll": Case("<p>Short", lambda _: m.Scroll(dy_css_px=300), told="nothing more to scroll"),
    "hover": Case(COVERED, lambda state: m.Hover(target=ref(state, "Go")), told="Wait"),
    "click_element": Case(GREY, BACK, told="disabled"),
    "drag_element": Case(
        "<input aria-label=Name><h2>Text</h2>",
        lambda state: m.DragElement(target=ref(state, "Name"), x_px=5, y_px=5),
        told="cannot be dragged",
    ),
    "select_text": Case(
        GO + "<p>one", lambda _: m.SelectText(x1_px=700, y1_px=500, x2_px=800, y2_px=500), told="no text"
    ),
    "triple_click": Case("<p>one", lambda _: m.TripleClick(x_px=700, y_px=500), told="no text"),
    "mouse_down": Case("<p>one", lambda _: m.MouseDown(x_px=5, y_px=801), told="not on the screen"),
    "mouse_up": Case("<p>one", lambda _: m.MouseUp(x_px=5, y_px=8, button=MouseButton.RIGHT), told="not held"),
    "press_key": Case("<p>one", lambda _: k.PressKey(key="Bogus"), told="no key"),
    "hotkey": Case("<p>one", lambda _: k.Hotkey(keys=("Control", "Bogus")), told="no key"),
    "key_down": Case("<p>one", lambda _: k.KeyDown(key="Bogus"), told="no key"),
    "key_up": Case("<p>one", lambda _: k.KeyUp(key="Shift"), told="not held"),
    "copy": Case("<p>one", lambda _: k.Copy(), told="nothing is selected"),
    "paste": Case("<p>one", lambda _: k.Paste(), told="no field has the focus"),
    "cut": Case("<p>one", lambda _: k.Cut(), told="nothing is selected"),
    "fill": Case(
        "<input aria-label=Name readonly>", lambda state: b.Fill(target=ref(state, "Name"), text="x"), told="read-only"
    ),
    "select_option": Case(
        "<div role=combobox tabindex=0 aria-label=Size>S</div>",
        lambda state: b.SelectOption(
            target=ref(state, "Size S" if matching(state, "combobox", "Size S") else "Size"), option="L"
        ),
        told="no native list",
    ),
    "get_text": Case(BUTTON, lambda state: b.GetText(target=gone(state)), told="no longer"),
    "get_attribute": Case(BUTTON, lambda state: b.GetAttribute(target=gone(state), attribute="id"), told="no longer"),
    "screenshot_element": Case(BUTTON, lambda state: b.ScreenshotElement(target=gone(state)), told="no longer"),
    "close_tab": Case("<p>one", lambda _: b.CloseTab(tab_id=999), told="no tab 999"),
    "switch_tab": Case("<p>one", lambda _: b.SwitchTab(tab_id=999), told="no tab 999"),
    "navigate": Case("<p>one", lambda _: b.Navigate(url="file:///x"), told="only http"),
    "file_dialog": Case("<p>one", lambda _: s.FileDialog(paths=(__file__,)), told="nothing asks for a file"),
    "search_and_click": Case(
        BUTTON, lambda state: c.SearchAndClick(field=ref(state, "Go"), query="x", match="y"), told="does not take text"
    ),
    "fill_form": Case(
        "<input aria-label=Name disabled>",
        lambda state: c.FillForm(fields=(c.FieldEntry(target=ref(state, "Name"), value="x"),)),
        told="disabled",
    ),
    "login": Case("<p>one", lambda _: c.Login(username="a", password="b"), told="no sign-in form"),
    "download_file": Case(GREY, lambda state: c.DownloadFile(target=ref(state, "Go")), told="disabled"),
    "scroll_to_find": Case(
        BUTTON, lambda state: finding.ScrollToFind(text="x", scroller=gone(state)), told="no longer"
    ),
}
UNSEEN: dict[str, Case] = {
    "click": Case(DEAD, lambda _: m.Click(x_px=440, y_px=120), told="nothing on the screen changed"),
    "double_click": Case(
        DEAD + "<style>*{user-select:none}</style>", lambda _: m.DoubleClick(x_px=440, y_px=120), told="nothing"
    ),
    "drag": Case(KNOB, lambda _: m.Drag(x1_px=700, y1_px=400, x2_px=720, y2_px=400), told="nothing"),
    "click_element": Case(DEAD, BACK, told="nothing"),
    "drag_element": Case(
        KNOB, lambda state: m.DragElement(target=ref(state, "Knob"), x_px=700, y_px=500), told="nothing"
    ),
    "select_text": Case(
        "<p style='user-select:none;margin:0'>one two",
        lambda _: m.SelectText(x1_px=12, y1_px=14, x2_px=50, y2_px=14),
        told="nothing is selected",
    ),
    "triple_click": Case(
        "<p style='user-select:none;margin:0'>one two",
        lambda _: m.TripleClick(x_px=20, y_px=14),
        told="nothing is selected",
    ),
    "type_text": Case(
        FIELD % "" + "<script>f.onkeydown = () => false</script>",
        lambda _: k.TypeText(text="Ada"),
        told="holds",
        prepare=pressed("Name"),
    ),
    "press_key": Case("<p>one", lambda _: k.PressKey(key="F9"), told="nothing"),
    "hotkey": Case("<p>one", lambda _: k.Hotkey(keys=("Control", "F9")), told="nothing"),
    "select_all": Case(FIELD % "", lambda _: k.SelectAll(), told="nothing is selected", prepare=pressed("Name")),
    "copy": Case(
        FIELD % "abc" + "<script>f.oncopy = (event) => { event.clipboardData.setData('text/plain', 'other');"
        "event.preventDefault() }</script>",
        lambda _: k.Copy(),
        told="something else",
        prepare=_selected,
    ),
    "cut": Case(
        FIELD % "abc" + "<script>f.oncut = (event) => { event.clipboardData.setData('text/plain', 'abc');"
        "event.preventDefault() }</script>",
        lambda _: k.Cut(),
        told="nothing on the screen changed",
        prepare=_selected,
    ),
    "paste": Case(
        FIELD % "" + "<script>f.onpaste = () => false</script>", lambda _: k.Paste(), told="nothing", prepare=_copied
    ),
    "undo": Case("<p>one", lambda _: k.Undo(), told="nothing"),
    "fill": Case(
        "<input aria-label=Name maxlength=2>",
        lambda state: b.Fill(target=ref(state, "Name"), text="new"),
        told="holds “ne”",
    ),
    "select_option": Case(
        "<select aria-label=Size onchange='setTimeout(() => this.value = \"S\", 40)'><option>S<option>L</select>",
        lambda state: b.SelectOption(target=ref(state, "Size"), option="L"),
        told="instead of “L”",
    ),
    "get_text": Case(
        "<button aria-label=Go style='width:40px;height:40px'></button>",
        lambda state: b.GetText(target=ref(state, "Go")),
        told="no text",
    ),
    "login": Case(
        SIGN_IN % 'o.textContent = "Wrong password"',
        lambda _: c.Login(username="ada", password="Lovelace1"),
        told="still asks for a password: “Wrong password”",
    ),
}
ALWAYS = {
    "scroll",
    "mouse_down",
    "mouse_up",
    "key_down",
    "key_up",
    "screenshot_element",
    "new_tab",
    "close_tab",
    "switch_tab",
    "navigate",
    "go_back",
    "take_screenshot",
    "write_clipboard",
    "file_dialog",
    "fill_form",
    "download_file",
    "scroll_to_find",
}
"""A page cannot take their effect away (or they say themselves that it did not come): judged on a state without it."""


def gone(state: ScreenState) -> ElementRef:
    element = state.ref(state.elements[0])
    return element.model_copy(
        update={"key": "w0n0", "fingerprint": element.fingerprint.model_copy(update={"name": "-"})}
    )
