"""Every action that claims the desktop, for real: it works; refused, nothing is sent; without effect, it is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from operative_app.actions import browser, composite, finding, keyboard, mouse, system
from operative_app.actions.registry import ALL_ACTIONS
from operative_app.core.ports import MouseButton, WaitState
from operative_app.core.screen import ElementState, SurfaceKind
from tests.desktop_session import DesktopSession, end_programs_left, until
from tests.surfaces.desktop.hands import GONE, Hands, opened_hands

OUTSIDE = "is not on the screen"
UNCHANGED = "nothing on the screen changed"


@pytest.fixture(scope="module")
def opened(desktop_session: DesktopSession) -> Iterator[Hands]:
    with opened_hands(desktop_session) as hands:
        yield hands


@pytest.fixture
def h(opened: Hands, desktop: DesktopSession) -> Iterator[Hands]:
    opened.renew()
    yield opened
    end_programs_left()


def test_there_is_a_test_for_every_action_of_the_desktop() -> None:
    names = {cls.spec.name for cls in ALL_ACTIONS if SurfaceKind.DESKTOP in cls.spec.surfaces}
    assert {f"test_{name}" for name in names} <= set(globals())
    assert len(names) == 37


# --- mouse ---


def blank(h: Hands) -> tuple[float, float]:
    """A place of the workbench on which nothing is."""
    box = h.element("Choose a file").box
    return h.element("Idle").box.x_css_px + 100, box.center[1]


def test_click(h: Hands) -> None:
    x, y = h.middle("Pad")
    h.works(mouse.Click(x_px=x, y_px=y))
    h.tells("LeftButton clicked")
    h.works(mouse.Click(x_px=x, y_px=y, button=MouseButton.MIDDLE))
    h.tells("MiddleButton clicked")
    h.refuses(mouse.Click(x_px=-5, y_px=y), OUTSIDE)
    h.refuses(mouse.Click(x_px=h.middle("Off")[0], y_px=h.middle("Off")[1]), "“Off” is disabled")
    x, y = blank(h)
    h.works(mouse.Hover(x_px=x, y_px=y))
    h.misses(mouse.Click(x_px=x, y_px=y), UNCHANGED)


def test_click_element(h: Hands) -> None:
    h.works(mouse.ClickElement(target=h.ref("Pad")))
    h.tells("LeftButton clicked")
    h.refuses(mouse.ClickElement(target=h.ref("Off")), "“Off” is disabled")
    h.refuses(mouse.ClickElement(target=GONE), "Gone is no longer")
    h.misses(mouse.ClickElement(target=h.ref("Idle")), UNCHANGED)


def test_double_click(h: Hands) -> None:
    h.works(mouse.DoubleClick(target=h.ref("Pad")))
    h.tells("LeftButton twice")
    h.refuses(mouse.DoubleClick(target=h.ref("Off")), "is disabled")
    h.misses(mouse.DoubleClick(target=h.ref("Idle")), UNCHANGED)


def test_triple_click(h: Hands) -> None:
    h.focus("Name")
    h.works(keyboard.TypeText(text="one two three"))
    h.works(mouse.TripleClick(target=h.ref("Name")))
    until(lambda: h.see().selection == "one two three", what="the third press")  # the second one selects a word
    x, y = blank(h)
    h.refuses(mouse.TripleClick(x_px=x, y_px=y), "there is no text")
    h.focus("Empty")
    h.misses(mouse.TripleClick(target=h.ref("Empty")), "nothing is selected")


def test_right_click(h: Hands) -> None:
    h.works(mouse.RightClick(target=h.ref("Pad")))
    h.tells("RightButton clicked")
    h.refuses(mouse.RightClick(target=h.ref("Off")), "is disabled")
    assert mouse.RightClick.spec.post == ()


def test_hover(h: Hands) -> None:
    h.works(mouse.Hover(target=h.ref("Idle")))
    h.works(mouse.Hover(target=h.ref("Pad")))
    h.tells("over Pad")
    h.refuses(mouse.Hover(x_px=10_000, y_px=5), OUTSIDE)
    assert mouse.Hover.spec.post == ()


def test_drag(h: Hands) -> None:
    (x1, y1), (x2, y2) = h.middle("Pad"), h.middle("Basket")
    h.works(mouse.Drag(x1_px=x1, y1_px=y1, x2_px=x2, y2_px=y2))
    h.tells("Pad dropped")
    h.refuses(mouse.Drag(x1_px=-1, y1_px=-1, x2_px=x2, y2_px=y2), OUTSIDE)
    x, y = blank(h)
    h.works(mouse.Hover(x_px=x, y_px=y))
    h.misses(mouse.Drag(x1_px=x, y1_px=y, x2_px=x + 60, y2_px=y), UNCHANGED)
    assert h.see().held == frozenset()


def test_drag_element(h: Hands) -> None:
    h.works(mouse.DragElement(target=h.ref("Pad"), onto=h.ref("Basket")))
    h.tells("Pad dropped")
    h.refuses(mouse.DragElement(target=h.ref("Off"), onto=h.ref("Basket")), "is disabled")
    h.renew()
    h.misses(mouse.DragElement(target=h.ref("Idle"), onto=h.ref("Start")), UNCHANGED)


def test_scroll(h: Hands) -> None:
    h.works(mouse.Scroll(dy_css_px=400, target=h.ref("Results", "listbox")))
    until(lambda: "Crate 20" in in_sight(h), what="the last notch of the wheel")
    assert "Apple" not in in_sight(h)
    h.refuses(mouse.Scroll(dy_css_px=100, target=GONE), "Gone is no longer")
    x, y = blank(h)
    h.misses(mouse.Scroll(dy_css_px=100, x_px=x, y_px=y), UNCHANGED)


def in_sight(h: Hands) -> list[str]:
    return [one.name for one in h.see().elements if one.role == "listitem" and not one.has(ElementState.OFFSCREEN)]


def test_select_text(h: Hands) -> None:
    box = h.element("Notes").box
    x, y = box.x_css_px + 6, box.y_css_px + 10
    selected = h.works(mouse.SelectText(x1_px=x, y1_px=y, x2_px=x + 40, y2_px=y)).value
    assert selected
    assert "line 1 of the notes".startswith(selected)
    empty_x, empty_y = blank(h)
    h.refuses(mouse.SelectText(x1_px=empty_x, y1_px=empty_y, x2_px=x, y2_px=y), "there is no text")
    name = next(block.box for block in h.see().texts if block.text == "City")
    x, y = name.center
    h.focus("Empty")
    h.misses(mouse.SelectText(x1_px=x - 6, y1_px=y, x2_px=x + 6, y2_px=y), "nothing is selected")


def test_mouse_down(h: Hands) -> None:
    x, y = h.middle("Pad")
    h.works(mouse.MouseDown(x_px=x, y_px=y))
    h.tells("LeftButton pressed")
    assert h.see().held == {"left"}
    h.run(h.surface.release())
    h.refuses(mouse.MouseDown(x_px=-9, y_px=-9), OUTSIDE)
    h.misses(mouse.MouseDown(x_px=x, y_px=y), "“left” is not held down", between=h.surface.release)


def test_mouse_up(h: Hands) -> None:
    x, y = h.middle("Pad")
    h.works(mouse.MouseDown(x_px=x, y_px=y))
    h.works(mouse.MouseUp(x_px=x, y_px=y))
    h.tells("LeftButton clicked")
    h.refuses(mouse.MouseUp(x_px=x, y_px=y), "“left” is not held down")
    spot = h.state.point(x, y)
    h.works(mouse.MouseDown(x_px=x, y_px=y))
    h.misses(mouse.MouseUp(x_px=x, y_px=y), "“left” is still held", between=lambda: h.surface.mouse_down(spot))


# --- keyboard ---


def test_type_text(h: Hands) -> None:
    h.focus("Name")
    h.works(keyboard.TypeText(text="Zoë 東京 🙂 שלום"))
    assert h.element("Name").value == "Zoë 東京 🙂 שלום"
    h.focus("Stubborn")
    h.misses(keyboard.TypeText(text="yours"), "still holds “mine”|does not appear")


def test_type_text_never_goes_into_a_window_that_came_to_the_front_meanwhile(h: Hands, desktop: DesktopSession) -> None:
    h.focus("Name")
    h.see()
    started = desktop.start("zenity", "--entry", "--title=Other")
    until(lambda: h.run(in_front(h)) == "Other", what="the other window")
    with pytest.raises(Exception, match="came to the front meanwhile"):
        h.run(h.surface.type_text("secret"))
    desktop.end(started)
    assert h.element("Name").value == ""


async def in_front(h: Hands) -> str:
    """The title of the window in front, without an observation that the surface remembers."""
    look = await h.surface._observer.look()
    return look.active.title if look.active is not None else ""


def test_press_key(h: Hands) -> None:
    h.works(keyboard.PressKey(key="F2"))
    h.tells("Key_F2 pressed")
    h.works(keyboard.PressKey(key="x", target=h.ref("Name")))
    assert h.element("Name").value == "x"
    h.refuses(keyboard.PressKey(key="Nokey"), "There is no key “Nokey”")
    h.refuses(keyboard.PressKey(key="Enter", target=h.ref("Idle")), "without being pressed")
    h.misses(keyboard.PressKey(key="F9"), UNCHANGED)


def test_hotkey(h: Hands) -> None:
    h.focus("Name")
    h.works(keyboard.TypeText(text="abc"))
    h.works(keyboard.Hotkey(keys=("Control", "Backspace")))
    assert h.element("Name").value == ""
    h.refuses(keyboard.Hotkey(keys=("Control", "Nokey")), "There is no key")
    h.misses(keyboard.Hotkey(keys=("Control", "F9")), UNCHANGED)


def test_key_down(h: Hands) -> None:
    h.works(keyboard.KeyDown(key="Shift"))
    assert h.see().held == {"Shift"}
    h.run(h.surface.release())
    h.refuses(keyboard.KeyDown(key="Nokey"), "There is no key")
    h.misses(keyboard.KeyDown(key="Shift"), "“Shift” is not held down", between=h.surface.release)


def test_key_up(h: Hands) -> None:
    h.works(keyboard.KeyDown(key="Shift"))
    h.works(keyboard.KeyUp(key="Shift"))
    assert h.see().held == frozenset()
    h.refuses(keyboard.KeyUp(key="Shift"), "is not held down")
    h.works(keyboard.KeyDown(key="Shift"))
    h.misses(keyboard.KeyUp(key="Shift"), "is still held", between=lambda: h.surface.key_down("Shift"))


def test_select_all(h: Hands) -> None:
    h.focus("Name")
    h.works(keyboard.TypeText(text="all of it"))
    h.works(keyboard.SelectAll())
    assert h.see().selection == "all of it"
    h.focus("Empty")
    h.misses(keyboard.SelectAll(), "nothing is selected")


def test_copy(h: Hands) -> None:
    h.focus("Name")
    h.works(keyboard.TypeText(text="copy me"))
    h.works(keyboard.SelectAll())
    assert h.works(keyboard.Copy()).value == "copy me"
    h.works(system.WriteClipboard(text=""))
    h.focus("Empty")
    h.misses(keyboard.Copy(), "the clipboard holds no text")


def test_cut(h: Hands) -> None:
    h.focus("Name")
    h.works(keyboard.TypeText(text="cut me"))
    h.works(keyboard.SelectAll())
    assert h.works(keyboard.Cut()).value == "cut me"
    assert h.element("Name").value == ""
    h.focus("Fixed")
    h.refuses(keyboard.Cut(), "is read-only")
    h.works(system.WriteClipboard(text=""))
    h.focus("Empty")
    h.misses(keyboard.Cut(), "the clipboard holds no text")


def test_paste(h: Hands) -> None:
    h.works(system.WriteClipboard(text="pasted ü"))
    h.focus("Name")
    h.works(keyboard.Paste())
    assert h.element("Name").value == "pasted ü"
    h.focus("Fixed")
    h.refuses(keyboard.Paste(), "is read-only")
    h.focus("Stubborn")
    h.misses(keyboard.Paste(), UNCHANGED)


def test_undo(h: Hands) -> None:
    h.focus("Name")
    h.works(keyboard.TypeText(text="typed"))
    h.works(keyboard.Undo())
    assert h.element("Name").value != "typed"
    h.focus("Empty")
    h.misses(keyboard.Undo(), UNCHANGED)


# --- reading and filling ---


def test_fill(h: Hands) -> None:
    h.works(browser.Fill(target=h.ref("Name"), text="first"))
    h.works(browser.Fill(target=h.ref("Name"), text="Łódź 🚲"))
    assert h.element("Name").value == "Łódź 🚲"
    h.works(browser.Fill(target=h.ref("Name"), text=""))
    h.works(browser.Fill(target=h.ref("Notes"), text="two\nlines"))
    h.refuses(browser.Fill(target=h.ref("Fixed"), text="x"), "“Fixed” is read-only")
    h.refuses(browser.Fill(target=h.ref("Name"), text="two\nlines"), "takes one line only")
    h.misses(browser.Fill(target=h.ref("Stubborn"), text="yours"), "holds “mine” instead of “yours”")


def test_wait_for(h: Hands) -> None:
    later = h.ref("Later")
    h.misses(browser.WaitFor(target=later, state=WaitState.ENABLED, timeout_s=0.3), "was not enabled within 0.3 s")
    h.run(h.surface.click(h.ref("Start")))
    h.works(browser.WaitFor(target=later, state=WaitState.ENABLED, timeout_s=60))
    h.works(browser.WaitFor(target=later, state=WaitState.VISIBLE, timeout_s=60))
    h.misses(browser.WaitFor(target=later, state=WaitState.HIDDEN, timeout_s=0.3), "was not hidden")


def test_get_text(h: Hands) -> None:
    text = h.works(browser.GetText(target=h.ref("Notes"))).value
    assert text.splitlines()[-1] == "line 120 of the notes"
    assert "cannot be changed" in h.works(browser.GetText()).value
    h.refuses(browser.GetText(target=GONE), "Gone is no longer")
    h.misses(browser.GetText(target=h.ref("Search")), "there was no text|not the")


def test_screenshot_element(h: Hands) -> None:
    h.works(browser.ScreenshotElement(target=h.ref("Pad")))
    box, picture = h.element("Pad").box, h.pictures[-1]
    assert (picture.media_type, picture.width_px) == ("image/png", round(box.width_css_px))
    h.refuses(browser.ScreenshotElement(target=GONE), "Gone is no longer")


# --- programs, clipboard, commands, files ---


def test_open_app(h: Hands, tmp_path: Path) -> None:
    file = tmp_path / "greeting.txt"
    file.write_text("good morning")
    h.works(system.OpenApp(app="mousepad", arguments=(str(file),)))
    assert "good morning" in h.run(h.surface.get_text())
    h.refuses(system.OpenApp(app="No Such Program"), "No program “No Such Program” is installed")
    h.refuses(system.OpenApp(app="mousepad", arguments=("--help",)), "no file that exists")
    h.works(system.CloseApp(app="mousepad"))
    h.misses(system.OpenApp(app="mousepad"), "no window of “mousepad”", between=lambda: h.surface.close_app("mousepad"))


def test_close_app(h: Hands) -> None:
    h.works(system.OpenApp(app="mousepad"))
    h.refuses(system.CloseApp(app="galculator"), "no window of “galculator” is open")
    h.works(keyboard.TypeText(text="not saved"))
    h.misses(system.CloseApp(app="mousepad"), "is still open")
    h.works(mouse.ClickElement(target=h.ref("Don't Save")))
    until(lambda: all(one.app != "Mousepad" for one in h.see().windows), what="its end")


def test_switch_app(h: Hands) -> None:
    h.works(system.OpenApp(app="galculator"))
    h.works(system.SwitchApp(app="Workbench"))
    h.works(system.SwitchApp(app="galculator"))
    h.refuses(system.SwitchApp(app="mousepad"), "no window of “mousepad” is open")
    h.misses(system.SwitchApp(app="Workbench"), "is not in front", between=lambda: h.surface.switch_app("galculator"))
    h.works(system.CloseApp(app="galculator"))


def test_take_screenshot(h: Hands) -> None:
    h.works(system.TakeScreenshot())
    view, picture = h.state.viewport, h.pictures[-1]
    assert (picture.media_type, picture.width_px, picture.height_px) == (
        "image/png",
        view.width_css_px,
        view.height_css_px,
    )


def test_read_clipboard(h: Hands) -> None:
    h.works(system.WriteClipboard(text="zwei Zeilen\nü"))
    assert h.works(system.ReadClipboard()).value == "zwei Zeilen\nü"


def test_write_clipboard(h: Hands) -> None:
    text = "emoji 👩‍👩‍👧 and all"
    assert h.works(system.WriteClipboard(text=text)).value == text


def test_run_command(h: Hands) -> None:
    assert h.works(system.RunCommand(command="printf '%s' 'a b'")).value == "a b"
    h.refuses(system.RunCommand(command="echo 'unclosed"), "cannot be read")
    h.misses(system.RunCommand(command="sh -c 'echo no; exit 4'"), "exit code 4: no")


def test_file_dialog(h: Hands, tmp_path: Path) -> None:
    file = tmp_path / "chosen ü.txt"
    file.write_text("x")
    h.refuses(system.FileDialog(paths=(str(file),)), "nothing asks for a file")
    h.works(mouse.ClickElement(target=h.ref("Choose a file")))
    until(lambda: h.see().file_chooser, what="the dialog")
    h.refuses(system.FileDialog(paths=(str(tmp_path / "none" / "x"),)), "there is no file")
    h.works(system.FileDialog(paths=(str(file),)))
    h.tells(f"file {file}")
    h.works(mouse.ClickElement(target=h.ref("Choose a file")))
    h.misses(system.FileDialog(paths=(str(tmp_path / "new.txt"),)), "The program asks|stays open")
    until(lambda: h.see().title == "Workbench" or h.run(h.surface.press_key("Escape")), what="the end of the dialogs")


# --- composites ---


def test_fill_form(h: Hands) -> None:
    entry = composite.FieldEntry
    fields = (entry(target=h.ref("Name"), value="Ada"), entry(target=h.ref("City"), value="Zürich"))
    h.works(composite.FillForm(fields=fields))
    assert (h.element("Name").value, h.element("City").value) == ("Ada", "Zürich")
    stubborn = composite.FillForm(fields=(entry(target=h.ref("Stubborn"), value="yours"),))
    h.misses(stubborn, "holds “mine” instead of “yours”")


def test_search_and_click(h: Hands) -> None:
    h.works(composite.SearchAndClick(field=h.ref("Search"), query="ap", match="Apricot"))
    h.tells("chose Apricot")
    assert h.watched.sent[-2:] == ["type_text", "click"]  # no Enter: the list was narrowed to it at once
    h.refuses(composite.SearchAndClick(field=h.ref("Fixed"), query="ap", match="Apricot"), "read-only")
    h.misses(
        composite.SearchAndClick(field=h.ref("Search"), query="ap", match="Zucchini", timeout_s=1), "Zucchini|no result"
    )


def test_scroll_to_find(h: Hands) -> None:
    h.works(finding.ScrollToFind(text="Crate 70", scroller=h.ref("Results", "listbox")))
    h.works(mouse.ClickElement(target=h.ref("Crate 70")))
    h.tells("chose Crate 70")
    h.refuses(finding.ScrollToFind(text="x", scroller=GONE), "Gone is no longer")
    h.misses(
        finding.ScrollToFind(text="Crate 900", scroller=h.ref("Results", "listbox"), max_scrolls=3), "was not found"
    )
