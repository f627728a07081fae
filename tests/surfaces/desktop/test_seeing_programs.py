"""What real programs tell of their windows."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from operative_app.core.errors import StaleReference
from operative_app.core.screen import ElementState
from tests.desktop_session import DesktopSession, until
from tests.surfaces.desktop.seeing import QT_CONTROLS, Eyes, has, named, names

ROWS = 300


@pytest.fixture(scope="module")
def eyes(desktop_session: DesktopSession) -> Iterator[Eyes]:
    eyes = Eyes(desktop_session.display)
    yield eyes
    eyes.close()


@pytest.fixture(scope="module")
def qt_form(desktop_session: DesktopSession) -> Iterator[None]:
    """A Qt program with one of each kind of control."""
    session = desktop_session.beside()
    session.start(*QT_CONTROLS, "0")
    yield
    session.end_all()


# --- Qt: walked node by node ---


@pytest.mark.usefixtures("desktop", "qt_form")
class TestQtForm:
    def test_fields_are_named_by_their_labels_and_tell_what_they_hold(self, eyes: Eyes) -> None:
        tree = eyes.read_until("Controls", lambda tree: has(tree, "Full name"))

        assert named(tree, "Full name", "textbox").value == "Ada Lovelace"
        assert named(tree, "Guests", "spinbutton").value == "7"
        assert named(tree, "Volume", "slider").value == "30"
        assert named(tree, "Notes", "textbox").value == "first line\nsecond line"
        assert named(tree, "Notes").has(ElementState.MULTILINE)

    def test_states_are_told(self, eyes: Eyes) -> None:
        tree = eyes.read_until("Controls", lambda tree: has(tree, "Order"))

        assert named(tree, "Order").has(ElementState.READONLY)
        assert named(tree, "Full name").has(ElementState.EDITABLE)
        assert named(tree, "Save", "button").has(ElementState.DISABLED)
        assert named(tree, "I agree", "checkbox").has(ElementState.CHECKED)
        assert named(tree, "Express", "radio").has(ElementState.CHECKED)
        assert named(tree, "Standard", "radio").has(ElementState.UNCHECKED)
        assert named(tree, "Form", "tab").has(ElementState.SELECTED)
        assert not named(tree, "Table", "tab").has(ElementState.SELECTED)

    def test_what_a_password_field_holds_is_told_nowhere(self, eyes: Eyes) -> None:
        tree = eyes.read_until("Controls", lambda tree: has(tree, "Password"))
        field = named(tree, "Password")

        assert field.has(ElementState.PASSWORD)
        assert "correct horse" not in tree.model_dump_json()
        assert eyes.run(eyes.accessibility.text_of(field.key)) == ""

    def test_a_combo_box_tells_its_choices_and_what_is_chosen(self, eyes: Eyes) -> None:
        tree = eyes.read_until("Controls", lambda tree: has(tree, "City"))
        city = named(tree, "City", "combobox")

        assert city.value == "Paris"
        assert [one.label for one in city.options] == ["London", "Paris", "Rome"]
        assert [one.is_selected for one in city.options] == [False, True, False]

    def test_a_button_with_an_icon_alone_is_named_by_its_tip(self, eyes: Eyes) -> None:
        tree = eyes.read_until("Controls", lambda tree: has(tree, "Refresh the list"))

        assert named(tree, "Refresh the list", "button").label_source == "title"

    def test_what_stands_in_a_group_says_so(self, eyes: Eyes) -> None:
        tree = eyes.read_until("Controls", lambda tree: has(tree, "Express"))

        assert named(tree, "Express").context == ("Shipping",)
        assert named(tree, "I agree").context == ()

    def test_controls_come_in_the_order_they_are_read(self, eyes: Eyes) -> None:
        tree = eyes.read_until("Controls", lambda tree: has(tree, "Notes"))

        order = [one.name for one in tree.elements]
        wanted = ["File", "Form", "Table", "Full name", "Order", "City", "Express", "Standard", "Save", "Notes"]
        assert [name for name in order if name in wanted] == wanted
        assert tree.texts[-1].text == "Ready."

    def test_a_text_is_put_into_a_field_at_once_and_read_whole(self, eyes: Eyes) -> None:
        tree = eyes.read_until("Controls", lambda tree: has(tree, "Notes"))
        notes = named(tree, "Notes")
        text = "Zażółć 你好 🙂\n" * 600

        assert eyes.run(eyes.accessibility.set_text(notes.key, text))
        assert eyes.run(eyes.accessibility.text_of(notes.key)) == text
        shown = named(eyes.read("Controls"), "Notes").value
        assert text.startswith(shown)
        assert len(shown) < len(text)
        assert eyes.run(eyes.accessibility.set_text(notes.key, "first line\nsecond line"))

    def test_a_text_is_not_put_into_a_button(self, eyes: Eyes) -> None:
        tree = eyes.read_until("Controls", lambda tree: has(tree, "Save"))

        assert not eyes.run(eyes.accessibility.set_text(named(tree, "Save").key, "x"))

    def test_the_items_of_an_open_menu_are_seen(self, eyes: Eyes, desktop: DesktopSession) -> None:
        menu = named(eyes.read_until("Controls", lambda tree: has(tree, "File")), "File", "menuitem")
        desktop.click(*menu.box.center)

        tree = eyes.read_until("Controls", lambda tree: has(tree, "Export…"))

        item = named(tree, "Export…", "menuitem")
        assert item.context == ("File",)
        assert item.box.y_css_px >= menu.box.bottom_css_px - 2
        desktop.press("Escape")
        assert not has(eyes.read_until("Controls", lambda tree: not has(tree, "Export…")), "Export…")


@pytest.mark.usefixtures("desktop")
class TestLongContent:
    def test_of_a_long_table_the_rows_in_sight_are_told(self, eyes: Eyes, desktop: DesktopSession) -> None:
        desktop.start(*QT_CONTROLS, "1")
        tree = eyes.read_until("Controls", lambda tree: has(tree, "Item 3"))

        (table,) = tree.tables
        assert table.headers == ("Item", "Price", "Stock")
        assert table.rows[3] == ("Item 3", "3.50", "3")
        assert 10 < len(table.rows) < 40
        price = named(tree, "3.50", "cell")
        assert (price.table, price.row, price.column, price.list_index) == (0, 3, 1, 3)
        assert price.context == ("Price", "Item 3")
        assert tree.scrollers[0].below_css_px > 5_000

        assert [one.key for one in eyes.read("Controls").elements] == [one.key for one in tree.elements]
        assert eyes.run(eyes.accessibility.text_of(price.key)) == "3.50"
        assert eyes.run(eyes.accessibility.text_of(named(tree, "Price", "columnheader").key)) == "Price"

    def test_what_is_scrolled_out_of_sight_is_told_as_such(self, eyes: Eyes, desktop: DesktopSession) -> None:
        desktop.start(*QT_CONTROLS, "2")
        tree = eyes.read_until("Controls", lambda tree: has(tree, "Choice 1") and has(tree, "Person 3"))

        first, last = named(tree, "Choice 1"), named(tree, "Choice 59")
        assert not first.has(ElementState.OFFSCREEN)
        assert last.has(ElementState.OFFSCREEN)
        area = next(one for one in tree.scrollers if one.key == first.scroller)
        assert area.above_css_px == 0
        assert area.below_css_px > 1_000
        assert last.box.y_css_px > area.box.bottom_css_px
        assert len(names(tree, "listitem")) < 60
        assert named(tree, "Person 3", "listitem").list_index == 3


# --- GTK: the whole tree at once ---


@pytest.mark.usefixtures("desktop")
class TestGtk:
    def test_an_editor_tells_its_text_its_menus_and_the_dialog_it_opens(
        self, eyes: Eyes, desktop: DesktopSession
    ) -> None:
        desktop.start("mousepad")
        tree = eyes.read_until("Mousepad", lambda tree: tree.focus)
        assert {"File", "Edit", "Search"} <= set(names(tree, "menuitem"))
        editor = next(one for one in tree.elements if one.key == tree.focus)
        assert (editor.role, editor.value) == ("textbox", "")

        assert eyes.run(eyes.accessibility.set_text(editor.key, "Grüße"))
        desktop.press("ctrl+a")
        tree = eyes.read_until("Mousepad", lambda tree: tree.selection)
        assert tree.selection == "Grüße"
        assert next(one for one in tree.elements if one.key == tree.focus).value == "Grüße"
        focused = eyes.run(eyes.accessibility.focused())
        assert focused is not None
        assert focused.key == editor.key

        desktop.press("alt+f")
        tree = eyes.read_until("Mousepad", lambda tree: has(tree, "Save As..."))
        assert named(tree, "Save As...").context == ("File",)
        assert named(tree, "File").has(ElementState.EXPANDED)
        desktop.press("Escape", "Escape")
        eyes.read_until("Mousepad", lambda tree: not named(tree, "File").has(ElementState.EXPANDED))
        desktop.press("ctrl+s")

        tree = eyes.read_until("Save As", lambda tree: has(tree, "Home"))
        assert tree.modal == "Save As"
        assert named(tree, "Save").has(ElementState.DISABLED)
        assert tree.tables[0].headers[:2] == ("Name", "Size")
        assert eyes.read("Mousepad").modal == "Save As"

    def test_of_a_long_list_the_rows_in_sight_are_told(self, eyes: Eyes, desktop: DesktopSession) -> None:
        desktop.start("zenity", "--list", "--title=Rows", "--column=Number", *[f"Row {n}" for n in range(ROWS)])
        tree = eyes.read_until("Rows", lambda tree: has(tree, "Row 0") and tree.focus)

        shown = names(tree, "cell")
        assert shown == [f"Row {number}" for number in range(len(shown))]
        assert 2 < len(shown) < 30
        desktop.press("End")
        tree = eyes.read_until("Rows", lambda tree: has(tree, f"Row {ROWS - 1}"))
        last = named(tree, f"Row {ROWS - 1}", "cell")
        assert last.list_index == ROWS - 1
        assert tree.tables[0].rows[last.row] == (f"Row {ROWS - 1}",)
        assert tree.scrollers[0].above_css_px > 1_000

    def test_a_form_is_told_and_its_boxes_are_where_it_is_pressed(self, eyes: Eyes, desktop: DesktopSession) -> None:
        form = ["--add-entry=Name", "--add-password=Secret", "--add-combo=City", "--combo-values=London|Paris"]
        started = desktop.start("zenity", "--forms", "--title=Form", "--text=Fill in", *form)
        tree = eyes.read_until("Form", lambda tree: has(tree, "City") and tree.focus)

        assert [one.label for one in named(tree, "City", "combobox").options] == ["London", "Paris"]
        assert named(tree, "Secret").has(ElementState.PASSWORD)
        assert named(tree, "Name").has(ElementState.FOCUSED)
        window = eyes.window("Form")
        for element in tree.elements:
            assert window.box.contains(*element.box.center)

        desktop.press("Tab")
        until(lambda: (one := eyes.run(eyes.accessibility.focused())) and one.has(ElementState.PASSWORD))
        ok = named(tree, "OK", "button")
        desktop.click(*ok.box.center)
        assert started.wait(60) == 0


# --- programs that do not answer ---


@pytest.mark.usefixtures("desktop")
class TestSilence:
    def test_a_program_that_hangs_is_told_as_such(self, desktop: DesktopSession) -> None:
        started = desktop.start("zenity", "--info", "--title=Hangs", "--text=Wait")
        eyes = Eyes(desktop.display)
        try:
            eyes.read_until("Hangs", lambda tree: has(tree, "OK"))
            os.kill(started.pid, signal.SIGSTOP)

            tree = eyes.read("Hangs")

            assert tree.is_poor
            assert tree.elements == ()
            assert tree.left_out == ("“Hangs” does not answer; it may hang.",)
            os.kill(started.pid, signal.SIGCONT)
            assert has(eyes.read_until("Hangs", lambda tree: tree.elements), "OK")
        finally:
            os.kill(started.pid, signal.SIGCONT)
            eyes.close()

    def test_a_program_that_ended_is_gone(self, eyes: Eyes, desktop: DesktopSession) -> None:
        started = desktop.start("zenity", "--info", "--title=Ends", "--text=Soon")
        tree = eyes.read_until("Ends", lambda tree: has(tree, "OK"))
        window = eyes.window("Ends")
        started.kill()
        started.wait(60)

        with pytest.raises(StaleReference):
            eyes.run(eyes.accessibility.text_of(named(tree, "OK").key))
        after = eyes.run(eyes.accessibility.read(window))
        assert after.elements == ()
        assert after.is_poor

    def test_a_program_without_accessibility_is_poor(self, eyes: Eyes, desktop: DesktopSession) -> None:
        desktop.start("zenity", "--info", "--title=Mute", "--text=Nothing", NO_AT_BRIDGE="1")

        tree = eyes.read("Mute")

        assert tree.is_poor
        assert tree.left_out == ("“Mute” does not tell what it shows.",)

    def test_without_an_accessibility_bus_the_reason_is_told(
        self, desktop: DesktopSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desktop.start("zenity", "--info", "--title=Alone", "--text=x")
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
        eyes = Eyes(desktop.display)
        try:
            tree = eyes.read("Alone")
            assert tree.is_poor
            assert "at-spi2-core" in tree.left_out[0]
            assert eyes.run(eyes.accessibility.focused()) is None
        finally:
            eyes.close()

    def test_after_closing_it_connects_anew(self, eyes: Eyes, desktop: DesktopSession) -> None:
        desktop.start("zenity", "--info", "--title=Again", "--text=x")
        eyes.read_until("Again", lambda tree: has(tree, "OK"))
        eyes.run(eyes.accessibility.close())
        eyes.run(eyes.accessibility.close())

        assert has(eyes.read_until("Again", lambda tree: has(tree, "OK")), "OK")
