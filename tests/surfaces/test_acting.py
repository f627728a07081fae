"""Acting on a page: what is typed, pressed, scrolled, chosen, awaited; and what is refused."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from operative_app.core.errors import ActionError, RefusedAction, StaleReference, SurfaceError
from operative_app.core.ports import MouseButton, WaitState
from operative_app.core.screen import ElementRef
from operative_app.safety.paths import safe_name
from operative_app.surfaces.browser import navigation, tabs
from operative_app.surfaces.browser.downloads import free_path
from operative_app.surfaces.browser.keys import known_chord
from operative_app.surfaces.browser.navigation import address_of
from tests.surfaces.pages import CASES
from tests.surfaces.work import Work, matching, one


def test_a_reference_outlives_a_rerender_and_dies_with_its_element(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<main><button>Keep</button><button>Drop</button></main><p id=o></p>")
        keep, drop = state.ref(one(state, "button", "Keep")), state.ref(one(state, "button", "Drop"))
        await work.script(
            "document.querySelector('main').innerHTML = '<button onclick=\"o.textContent=1\">Keep</button>'"
        )
        await work.browser.click(keep)
        assert await work.script("o.textContent") == "1"
        with pytest.raises(StaleReference, match="Drop"):
            await work.browser.click(drop)

    work.run(act())


def test_a_reused_row_is_refused(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<ul><li><span>Ada</span> <button onclick='window.bad=1'>Delete</button><li><span>Bob</span></ul>"
        )
        delete = state.ref(one(state, "button", "Delete"))
        await work.script("document.querySelector('span').firstChild.data = 'Eve'")
        with pytest.raises(StaleReference, match="Eve"):
            await work.browser.click(delete)
        assert await work.script("window.bad") is None

    work.run(act())


def test_a_reference_does_not_mean_another_page_after_a_navigation(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<button>First</button>")
        first = state.ref(state.elements[0])
        await work.show("<button>Second</button>")
        with pytest.raises(StaleReference, match="First"):
            await work.browser.click(first)

    work.run(act())


def test_buttons_double_clicks_and_hovering_are_real(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            """<button id=b>B</button><script>window.log=[]; for (const n of ['dblclick','contextmenu','mouseover'])
            b.addEventListener(n, e => log.push(n + e.isTrusted))</script>"""
        )
        ref = state.ref(state.elements[0])
        await work.browser.hover(ref)
        await work.browser.click(ref, count=2)
        await work.browser.click(ref, button=MouseButton.RIGHT)
        assert await work.script("log") == ["mouseovertrue", "dblclicktrue", "contextmenutrue"]

    work.run(act())


def test_keys_and_chords_reach_the_focused_field_and_none_stays_held(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<input aria-label=f onkeydown='window.k=e=>0' value=old>")
        ref = state.ref(state.elements[0])
        await work.browser.press_key("Control+A", ref)
        await work.browser.type_text("Grüße – 日本")
        assert one(await work.look(), "textbox", "f").value == "Grüße – 日本"
        with pytest.raises(ActionError, match="no key “Bogus”"):
            await work.browser.press_key("Shift+Bogus")
        await work.browser.type_text("a")
        assert one(await work.look(), "textbox", "f").value.endswith("a")

    work.run(act())


def test_a_cancelled_typing_stops_and_releases(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<input aria-label=f>")
        await work.browser.press_key("Tab")
        task = asyncio.ensure_future(work.browser.type_text("x" * 500, delay_ms=20))
        await work.page.wait_for_function("document.querySelector('input').value.length > 1")
        task.cancel()
        await work.browser.release()
        length = len(await work.script("document.querySelector('input').value"))
        state = await work.look()
        assert len(one(state, "textbox", "f").value) <= length + 1 < 500

    work.run(act())


@pytest.mark.parametrize(
    ("field", "text", "held"),
    [
        ("<input type=time aria-label=f>", "17:30", "17:30"),
        ("<input type=month aria-label=f>", "2027-03", "2027-03"),
        ("<input type=week aria-label=f>", "2027-W10", "2027-W10"),
        ("<input type=color aria-label=f>", "#2F6FED", "#2f6fed"),
        ("<input type=range aria-label=f max=10>", "7", "7"),
        ("<input type=number aria-label=f>", "-3.5", "-3.5"),
        ("<input maxlength=3 aria-label=f>", "abcdef", "abc"),
        ("<input value=old aria-label=f>", "", ""),
        ("<textarea aria-label=f>old</textarea>", "one\ntwo", "one\ntwo"),
        ("<input aria-label=f onkeydown='if(!/^[0-9]$/.test(event.key))event.preventDefault()'>", "12", "12"),
    ],
)
def test_fields_are_filled_and_read_back(work: Work, field: str, text: str, held: str) -> None:
    async def act() -> None:
        state = await work.show(field)
        assert await work.browser.fill(state.ref(state.elements[0]), text) == held

    work.run(act())


def test_what_takes_no_text_is_refused(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<button>b</button><input aria-label=r readonly><input aria-label=d disabled><select aria-label=s></select>"
        )
        for name, reason in {"b": "does not take text", "r": "read-only", "d": "disabled", "s": "choose one"}.items():
            element = next(element for element in state.elements if element.name == name)
            with pytest.raises(RefusedAction, match=reason):
                await work.browser.fill(state.ref(element), "x")

    work.run(act())


def test_scrolling_moves_the_page_or_the_container(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<div id=d style='height:90px;overflow:auto'><button>In</button><p style='height:900px'></p></div>"
            "<p style='height:4000px'></p>"
        )
        await work.browser.scroll(0, 50, state.ref(state.elements[0]))
        assert await work.script("[d.scrollTop, scrollY]") == [50, 0]
        await work.browser.scroll(0, 300)
        assert (await work.look()).scroll.y_css_px == 300

    work.run(act())


def test_waiting_tells_whether_the_state_came(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<button id=b disabled>Go</button><script>setTimeout(() => b.disabled = false, 150)</script>"
        )
        ref = state.ref(one(state, "button", "Go"))
        assert await work.browser.wait_for(ref, WaitState.ENABLED, timeout_s=60)
        assert not await work.browser.wait_for(ref, WaitState.HIDDEN, timeout_s=0.2)
        await work.script("b.remove()")
        assert await work.browser.wait_for(ref, WaitState.HIDDEN, timeout_s=60)

    work.run(act())


def test_what_comes_between_a_look_and_the_end_of_the_wait_is_seen(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    look = work.browser._is_in

    async def look_and_show(ref: ElementRef, state: WaitState) -> bool:
        monkeypatch.undo()
        found = await look(ref, state)
        await work.script("b.disabled = false")
        return found

    async def act() -> None:
        state = await work.show("<button id=b disabled>Go</button>")
        ref = state.ref(one(state, "button", "Go"))
        monkeypatch.setattr(work.browser, "_is_in", look_and_show)
        assert await work.browser.wait_for(ref, WaitState.ENABLED, timeout_s=0.05)

    work.run(act())


def test_texts_and_attributes_are_read(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<p>Price <b>5</b></p><a href=/x data-id=k>Link <i>two</i></a>")
        link = state.ref(one(state, "link", "Link two"))
        assert await work.browser.get_text(link) == "Link two"
        assert await work.browser.get_attribute(link, "data-id") == "k"
        assert await work.browser.get_attribute(link, "title") is None
        assert "Price 5" in await work.browser.get_text()

    work.run(act())


def test_tabs_are_opened_switched_and_closed(work: Work) -> None:
    async def act() -> None:
        first = (await work.show("<h1>One</h1>")).active_tab
        assert first is not None
        await work.browser.new_tab(work.pages.make("<h1>Two</h1>"))
        state = await work.look()
        assert len(state.tabs) == 2
        assert "Two" in state.all_text
        second = state.active_tab
        assert second is not None
        await work.browser.close_tab(second.id)
        state = await work.look()
        assert state.active_tab == first.model_copy(update={"is_active": True})
        with pytest.raises(ActionError, match="no tab 999"):
            await work.browser.switch_tab(999)

    work.run(act())


def test_going_back_without_a_page_before_is_an_error(work: Work) -> None:
    async def act() -> None:
        await work.browser.new_tab()
        with pytest.raises(ActionError, match="no page before"):
            await work.browser.go_back()
        one_address = work.pages.make("<h1>One</h1>")
        await work.browser.navigate(one_address)
        await work.browser.navigate(work.pages.make("<h1>Two</h1>"))
        await work.browser.go_back()
        assert (await work.look()).url == one_address

    work.run(act())


def test_a_checkpoint_brings_page_scroll_and_fields_back(work: Work) -> None:
    async def act() -> None:
        body = """<input aria-label=Name><input type=checkbox aria-label=News><input type=password aria-label=Word>
            <select aria-label=Size><option>S<option>L</select><p style='height:3000px'>"""
        state = await work.show(body)
        await work.browser.fill(state.ref(one(state, "textbox", "Name")), "Ada")
        await work.browser.fill(state.ref(one(state, "textbox", "Word")), "hidden")
        await work.browser.click(state.ref(one(state, "checkbox", "News")))
        await work.browser.select_option(state.ref(one(state, "combobox", "Size")), "L")
        await work.browser.scroll(0, 700)
        kept = await work.browser.checkpoint(3)
        assert "hidden" not in kept.model_dump_json()
        await work.browser.navigate("about:blank")
        await work.browser.restore(kept)
        state = await work.look()
        assert state.scroll.y_css_px == 700
        assert await work.browser.checkpoint(3) == kept
        await work.script("document.querySelector('select').remove()")
        await work.browser.restore(kept)  # the page is loaded again
        assert one((await work.look()), "combobox", "Size").value == "L"
        with pytest.raises(SurfaceError, match="Colour"):
            await work.browser.restore(kept.model_copy(update={"forms": (*kept.forms, ("Colour\t\tx", "red"))}))

    work.run(act())


def test_settling_awaits_requests_and_rendering_but_not_streams(work: Work) -> None:
    async def act() -> None:
        await work.show(
            """<button onclick="fetch('/held/settling').then(r => r.text())
            .then(() => document.body.append('arrived'))">Load</button>
            <script>new EventSource('/stream'); setInterval(() => document.title = Math.random(), 30)</script>"""
        )
        state, ref = await work.until("button", "Load")
        await work.browser.click(ref)
        waiting = asyncio.ensure_future(work.browser.settle(60))
        await work.pages.until_held("/held/settling")
        done, _ = await asyncio.wait({waiting}, timeout=0.4)
        assert not done
        work.pages.let_go()
        await waiting
        state = (await work.browser.observe(with_picture=False)).state
        assert "arrived" in state.all_text

    work.run(act())


def test_a_busy_page_is_freed_and_said_to_be_busy(work: Work) -> None:
    async def act() -> None:
        await work.show("<button>Still here</button>")
        async with work.page.expect_console_message():  # it is busy from then on
            await work.script("setTimeout(() => { console.log('busy'); for (;;); }, 0)")
        state = (await work.browser.observe(with_picture=False)).state
        assert matching(state, "button", "Still here")
        assert any("busy" in sentence for sentence in state.left_out)

    work.run(act())


def test_a_site_that_asks_for_a_password_in_the_browsers_own_box_is_told_as_that(work: Work) -> None:
    async def act() -> None:
        with pytest.raises(ActionError, match="wants a name and a password in a box of the browser's own"):
            await work.browser.navigate(work.pages.url("/locked"))

    work.run(act())


def test_a_cancelled_navigation_leaves_the_page_usable(work: Work) -> None:
    async def act() -> None:
        await work.show("<button>Here</button>")
        task = asyncio.ensure_future(work.browser.navigate(work.pages.url("/held/cancelled")))
        await work.pages.until_held("/held/cancelled")
        task.cancel()
        state = await work.look()
        assert matching(state, "button", "Here")
        with pytest.raises(ActionError, match="did not answer within"):
            await work.browser.navigate(work.pages.url("/held"), timeout_s=0.3)
        assert matching(await work.look(), "button", "Here")
        work.pages.let_go()

    work.run(act())


@pytest.mark.parametrize(
    "url",
    [
        "",
        "no page",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "chrome://version",
        "http://",
        "word",
        "http://a b/",
        "data:text/html,x",
    ],
)
def test_bad_addresses_change_nothing(work: Work, url: str) -> None:
    async def act() -> None:
        before = await work.show("<h1>Stay</h1>")
        with pytest.raises(ActionError):
            await work.browser.navigate(url)
        assert (await work.look()).url == before.url

    work.run(act())


def test_an_unreachable_host_is_told_in_words(work: Work) -> None:
    async def act() -> None:
        with pytest.raises(ActionError, match=r"127\.0\.0\.1:9.* (refuses|port)"):
            await work.browser.navigate("http://127.0.0.1:9/")
        with pytest.raises(ActionError, match="not known"):
            await work.browser.navigate("http://nowhere.invalid/")

    work.run(act())


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("example.com/a", "https://example.com/a"),
        ("localhost:80", "http://localhost:80"),
        ("127.0.0.1:5/x", "http://127.0.0.1:5/x"),
        (" http://a.b ", "http://a.b"),
        ("http://[::1]:8/", "http://[::1]:8/"),
    ],
)
def test_addresses_are_completed(written: str, address: str) -> None:
    assert address_of(written) == address


@pytest.mark.parametrize("chord", ["Bogus", "Shift+Bogus", "F13", "Control+é", "Control+Control"])
def test_keys_a_page_cannot_be_sent_are_refused_by_name(chord: str) -> None:
    with pytest.raises(ActionError, match=chord.rpartition("+")[2]):
        known_chord(chord)


def test_download_names_are_made_safe_and_never_overwrite(tmp_path: Path) -> None:
    for case in json.loads((CASES / "download_names.json").read_text(encoding="utf-8")):
        name = safe_name(case["suggested"])
        assert case["expect"] in {None, name}, case
        paths = [free_path(tmp_path, name) for _ in range(2)]
        assert len(set(paths)) == 2
        for path in paths:
            assert path.resolve().parent == tmp_path.resolve()
            assert path.name.strip(". ")
    assert safe_name("x" * 400 + ".tar.gz").endswith(".gz")
    assert len(safe_name("ä" * 400 + ".pdf").encode()) <= 200


def test_a_downloaded_attachment_is_whole_under_a_safe_name(work: Work) -> None:
    async def act() -> None:
        await work.browser.navigate(work.pages.url("/attach?name=..%2F..%2Fescape.bin"))
        state = await work.look()
        while state.downloads[-1].state == "running":
            state = await work.look()
        stored = Path(state.downloads[-1].path)
        assert (await asyncio.to_thread(stored.read_bytes)) == b"attached\n"
        assert re.search(r"escape( \(\d+\))?\.bin$", stored.name)  # numbered on a second try

    work.run(act())


def test_a_page_that_moves_the_focus_away_gets_nothing_typed_elsewhere(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<input aria-label=Field id=f><input aria-label=Other id=g><script>f.oninput = () => g.focus()</script>"
        )
        assert await work.browser.fill(state.ref(one(state, "textbox", "Field")), "hello") == "hello"
        assert await work.script("g.value") == ""

    work.run(act())


def test_a_page_that_never_comes_to_its_end_is_opened_as_far_as_it_is_there(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(navigation, "DOCUMENT_S", 0.5)

    async def act() -> None:
        await work.browser.navigate(work.pages.url("/endless"))
        await work.click("button", "Early")
        assert await work.script("window.pressed") is True
        await work.browser.navigate("about:blank")

    work.run(act())
    work.pages.let_go()


def test_windows_opened_without_end_are_closed_at_once(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabs, "MAX_TABS", 4)

    async def act() -> None:
        state = await work.show(
            "<button onclick=\"for (let i = 0; i < 9; i++) window.open('about:blank')\">Storm</button>"
        )
        await work.browser.click(state.ref(one(state, "button", "Storm")))
        closed = 0
        while closed < 6:
            state = await work.look()
            told = [re.match(r"(\d+) more windows", words) for words in state.left_out]
            closed += sum(int(match[1]) for match in told if match)
        assert (closed, len(state.tabs)) == (6, 4)

    work.run(act())


def test_a_form_whose_fields_are_named_like_dom_properties_is_read_and_pressed(work: Work) -> None:
    async def act() -> None:
        names = ("parentNode", "id", "attributes", "children", "childNodes", "firstChild", "nextSibling", "title")
        more = ("getAttribute", "name", "action", "type", "value", "closest", "target", "style", "lang")
        fields = "".join(f"<input name={name} aria-label={name}>" for name in (*names, *more))
        state = await work.show(
            f"<form>{fields}<button type=button onclick='window.pressed = true'>Send</button></form>"
        )
        assert len(matching(state, "textbox", "parentNode")) == 1
        await work.browser.fill(state.ref(one(state, "textbox", "closest")), "x")
        await work.browser.click(state.ref(one(state, "button", "Send")))
        assert await work.script("window.pressed") is True

    work.run(act())


def test_a_link_that_starts_another_program_is_refused_and_the_page_stays_usable(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<a href='tel:123'><b>Call</b></a><button onclick='window.pressed = true'>Go</button>")
        with pytest.raises(RefusedAction, match="another program"):
            await work.browser.click(state.ref(one(state, "link", "Call")))
        await work.browser.click(state.ref(one(state, "button", "Go")))
        assert await work.script("window.pressed") is True

    work.run(act())


def test_a_choice_or_value_the_page_asks_about_went_through(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<select aria-label=Size onchange='confirm(value)'><option>S<option>M</select>"
            "<input type=date aria-label=Day onchange='alert(value)'>"
        )
        assert await work.browser.select_option(state.ref(one(state, "combobox", "Size")), "M") == "M"
        assert [box.message for box in (await work.look()).dialogs] == ["M"]
        await work.browser.answer_dialog(accept=True)
        state, day = await work.until("textbox", "Day")
        assert one(state, "combobox", "Size").value == "M"
        assert await work.browser.fill(day, "2027-03-09") == "2027-03-09"
        await work.browser.answer_dialog(accept=True)
        assert one(await work.look(), "textbox", "Day").value == "2027-03-09"

    work.run(act())
