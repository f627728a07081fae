"""A person's own hands in the pages: followed while they teach, noticed between the agent's acts.

The person here is Playwright's mouse and keyboard beside the surface: to a page that is a hand like any other.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Page

from operative_app.core.errors import RefusedAction
from operative_app.core.taking import Deed, Hand
from operative_app.surfaces.browser import following, pointer
from operative_app.surfaces.browser.following import OWN_S, Acts, Hearing
from operative_app.surfaces.browser.tab import Node, Tab
from tests.surfaces.work import Work

FORM = """
<form action="/sent" onsubmit="event.preventDefault(); document.title = 'sent'">
  <label>Town <input name="town"></label>
  <label>Password <input type="password" name="pw"></label>
  <label>Country <select name="c"><option>Spain</option><option>France</option></select></label>
  <label>Notes <textarea name="n"></textarea></label>
  <label><input type="checkbox" name="t"> Terms</label>
  <button>Save</button>
</form>
<p>Some words</p>
<iframe srcdoc="<button>Inside</button>"></iframe>
"""


def page_of(work: Work) -> Page:
    tab = work.browser._tabs.active
    assert tab is not None
    return tab.page


def told(deeds: Sequence[Deed]) -> list[tuple[str, str, str]]:
    return [(deed.kind.value, deed.ref.label if deed.ref is not None else "", deed.text) for deed in deeds]


async def _taught(work: Work) -> Sequence[Deed]:
    page = page_of(work)
    await work.browser.begin_teaching()
    await page.get_by_label("Town").click()
    await page.keyboard.type("Pariz")
    await page.keyboard.press("Backspace")
    await page.keyboard.type("s")
    await page.get_by_label("Password").click()
    await page.keyboard.type("Tr0ub4dor&3")
    await page.get_by_text("Terms").click()
    await page.frame_locator("iframe").get_by_role("button").click()
    await page.get_by_label("Country").focus()
    await page.keyboard.press("ArrowDown")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_label("Town").click()
    await page.keyboard.press("End")
    await page.keyboard.type("!")
    await page.keyboard.press("Enter")
    await page.get_by_label("Notes").click()
    await page.keyboard.type("left open")
    return await work.browser.end_teaching()


def test_what_a_person_does_is_told_as_typed_deeds_with_the_final_values(work: Work) -> None:
    work.run(work.show(FORM))
    deeds = work.run(_taught(work))
    assert told(deeds) == [
        ("fill", "textbox “Town”", "Paris"),
        ("fill", "textbox “Password”", ""),
        ("click", "checkbox “Terms”", ""),
        ("click", "button “Inside”", ""),
        ("choose", "combobox “Country”", "France"),
        ("click", "button “Save”", ""),
        ("fill", "textbox “Town”", "Paris!"),
        ("press", "textbox “Town”", "Enter"),
        ("fill", "textbox “Notes”", "left open"),
    ]
    assert [deed.is_hidden for deed in deeds[:2]] == [False, True]
    assert "Tr0ub4dor" not in repr(deeds)


def test_after_the_lesson_nothing_is_followed_any_more(work: Work) -> None:
    async def run() -> Sequence[Deed]:
        await work.browser.begin_teaching()
        await work.browser.end_teaching()
        await page_of(work).get_by_role("button", name="Save").click()
        return await work.browser.end_teaching()

    work.run(work.show(FORM))
    assert work.run(run()) == ()


def test_pages_that_were_opened_by_their_address_are_told_and_those_a_click_opened_are_not(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "CONSEQUENCE_S", 60.0)
    other = work.pages.make("<a href='#x'>Stay</a><h1>Other</h1>")
    third = work.pages.make("<h1>Third</h1><button>There</button>")

    async def run() -> Sequence[Deed]:
        page = page_of(work)
        await work.browser.begin_teaching()
        await page.goto(other)
        await page.evaluate(f"document.body.insertAdjacentHTML('beforeend', '<a href=\"{third}\">Go on</a>')")
        await page.get_by_role("link", name="Go on").click()
        await page.get_by_role("button", name="There").click()
        return await work.browser.end_teaching()

    work.run(work.show(FORM))
    assert told(work.run(run())) == [
        ("go", "", other),
        ("click", "link “Go on”", ""),
        ("click", "button “There”", ""),
    ]


def test_a_new_tab_is_followed_too(work: Work) -> None:
    there = work.pages.make("<button>There</button>")

    async def run() -> Sequence[Deed]:
        page = page_of(work)
        await work.browser.begin_teaching()
        async with page.expect_popup() as opened:
            await page.get_by_role("link").click()
        new = await opened.value
        assert work.browser._lesson is not None
        await asyncio.gather(*work.browser._lesson._ears._tasks)  # it is listened to: nobody clicks as fast as a test
        await new.get_by_role("button").click()
        return await work.browser.end_teaching()

    work.run(work.show(f"<a href='{there}' target='_blank'>Open</a>"))
    assert ("click", "button “There”", "") in told(work.run(run()))


def test_a_click_or_a_key_between_the_acts_is_a_persons_and_what_the_agent_sends_is_not(work: Work) -> None:
    async def run() -> None:
        browser, page = work.browser, page_of(work)
        heard: list[Hand] = []
        came = asyncio.Event()
        hearing = Hearing(browser._session.context, browser._border, browser._acts)

        def listen(hand: Hand) -> None:
            heard.append(hand)
            came.set()

        hearing.listener = listen
        try:
            assert await hearing.watch(on=True) > 60
            _, town = await work.until("textbox", "Town")
            await browser.fill(town, "Lisbon")
            await browser.press_key("Control+A")
            await browser.type_text("Porto")
            _, save = await work.until("button", "Save")
            await browser.click(save)
            await page.evaluate("new Promise(done => setTimeout(done, 300))")
            assert heard == []
            await page.get_by_text("Some words").click()
            await came.wait()
            assert heard == [Hand.CLICKED]
            await page.keyboard.press("x")
            assert heard == [Hand.CLICKED]  # told once, until it is watched for anew
            came.clear()
            assert await hearing.watch(on=True) < 60
            await page.keyboard.press("x")
            await came.wait()
            assert heard[-1] is Hand.TYPED
        finally:
            await hearing.close()

    work.run(work.show(FORM))
    work.run(run())


def test_a_click_or_a_key_in_the_middle_of_an_act_is_a_persons() -> None:
    """More than the act sends, of a kind it does not send, or after it."""

    async def run() -> None:
        acts = Acts()
        before = time.time()
        async with acts.act():
            acts.will_send(presses=2)
            now = time.time()
            assert not acts.take(Hand.TYPED, now)
            assert [acts.take(Hand.CLICKED, now) for _ in range(3)] == [True, True, False]
        async with acts.act():
            acts.will_send(keys=3)
            now = time.time()
        assert acts.take(Hand.TYPED, now + OWN_S)  # the last of it came in a moment after its end
        assert not acts.take(Hand.TYPED, time.time() + 2 * OWN_S)
        assert not acts.take(Hand.TYPED, before - 1)

    asyncio.run(run())


@asynccontextmanager
async def listening(work: Work) -> AsyncIterator[asyncio.Queue[Hand]]:
    """The hands of a person that are heard in the browser."""
    browser = work.browser
    heard: asyncio.Queue[Hand] = asyncio.Queue()
    hearing = Hearing(browser._session.context, browser._border, browser._acts)
    hearing.listener = heard.put_nowait
    try:
        await hearing.watch(on=True)
        yield heard
    finally:
        await hearing.close()


@pytest.mark.parametrize("does", [Hand.CLICKED, Hand.TYPED])
def test_one_click_or_key_while_the_agent_types_is_noticed(work: Work, does: Hand) -> None:
    async def run() -> None:
        browser, page = work.browser, page_of(work)
        async with listening(work) as heard:
            _, notes = await work.until("textbox", "Notes")
            await browser.click(notes, count=2)
            typing = asyncio.ensure_future(browser.type_text("words " * 300, delay_ms=20))
            await page.wait_for_function("document.querySelector('textarea').value.length > 3")
            assert heard.empty()
            if does is Hand.CLICKED:
                await page.get_by_text("Some words").click()
            else:
                await page.keyboard.press("F8")
            assert await heard.get() is does
            assert await page.evaluate("document.querySelector('textarea').value.length") < 1700  # not at its end only
            typing.cancel()
            await asyncio.gather(typing, return_exceptions=True)
            assert heard.empty()

    work.run(work.show(FORM))
    work.run(run())


@pytest.mark.parametrize("hand", [Hand.CLICKED, Hand.TYPED])
def test_one_click_or_key_while_the_agent_fills_a_field_is_noticed(
    work: Work, monkeypatch: pytest.MonkeyPatch, hand: Hand
) -> None:
    on = Tab.on

    async def touched_meanwhile(tab: Tab, node: Node, name: str, *given: Any, **named: Any) -> Any:
        if name == "heldBy":  # the text is in the field, and the act not over
            monkeypatch.undo()
            if hand is Hand.CLICKED:
                await tab.page.get_by_text("Some words").click()
            else:
                await tab.page.keyboard.press("Shift")
        return await on(tab, node, name, *given, **named)

    async def run() -> None:
        async with listening(work) as heard:
            _, town = await work.until("textbox", "Town")
            monkeypatch.setattr(Tab, "on", touched_meanwhile)
            await work.browser.fill(town, "Lisbon")
            assert await heard.get() is hand
            assert heard.empty()

    work.run(work.show(FORM))
    work.run(run(), limit_s=90)


def test_a_click_while_the_agent_aims_in_vain_is_noticed(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    async def aim_in_vain(tab: Tab, *_: Any, **__: Any) -> None:
        await tab.page.get_by_text("Some words").click()
        raise RefusedAction("something lies over it")

    async def run() -> None:
        async with listening(work) as heard:
            _, save = await work.until("button", "Save")
            monkeypatch.setattr(pointer, "aim", aim_in_vain)
            with pytest.raises(RefusedAction):
                await work.browser.click(save)
            assert await heard.get() is Hand.CLICKED

    work.run(work.show(FORM))
    work.run(run(), limit_s=90)


STUBBORN = """
<label>Pressed <input onpointerdown="is_pressed = true" onfocus="if (!window.is_pressed) this.blur()"></label>
<label>Keyed <input oninput="this.value = ''"></label>
"""


def test_the_presses_and_keys_that_a_stubborn_field_needs_are_not_taken_for_a_persons(work: Work) -> None:
    async def run() -> None:
        async with listening(work) as heard:
            for name in ("Pressed", "Keyed"):
                _, field = await work.until("textbox", name)
                await work.browser.fill(field, "Lisbon")
            await page_of(work).evaluate("new Promise(done => setTimeout(done, 300))")
            assert heard.empty()
            assert await work.script("is_pressed")

    work.run(work.show(STUBBORN))
    work.run(run())
