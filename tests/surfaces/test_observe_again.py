"""Looking again: quick when nothing changed, and never wrong when anything did."""

from __future__ import annotations

import asyncio

import pytest

from operative_app.core.screen import ElementState, Observation
from tests.surfaces.work import Work, one

PAGE = """<style id=sheet>.veil { opacity: 1 }</style><h1>Here</h1><p class=veil>words</p>
<input id=field aria-label=Field value=a><input id=box type=checkbox aria-label=Box>
<select id=list aria-label=List><option>One<option>Two</select>
<div id=area style="height:60px;overflow:auto"><div style="height:500px">tall</div></div>
<canvas id=board width=60 height=60></canvas><iframe id=inner srcdoc="<p>inner words</p>"></iframe>
<div id=host></div><script>host.attachShadow({ mode: 'open' }).innerHTML = '<b>shadow words</b>'</script>
<button popovertarget=pop>Menu</button><div id=pop popover>popped</div>"""


async def quiet_pair(work: Work) -> tuple[Observation, Observation]:
    """Look until looking again gives the very same elements."""
    seen = await work.browser.observe()
    while True:
        await asyncio.sleep(0.05)
        again = await work.browser.observe()
        if again.state.elements is seen.state.elements:
            return seen, again
        seen = again


async def quiet(work: Work) -> Observation:
    return (await quiet_pair(work))[1]


def test_a_page_that_did_not_change_is_not_read_again(work: Work) -> None:
    async def see() -> None:
        await work.show(PAGE)
        first, again = await quiet_pair(work)
        assert again.picture is first.picture
        assert again.state.observation == first.state.observation + 1
        assert again.state.observed_at_s >= first.state.observed_at_s
        assert again.state.element(again.state.elements[0].key) is again.state.elements[0]

    work.run(see())


@pytest.mark.parametrize(
    "change",
    [
        "field.value = 'b'",
        "box.checked = true",
        "box.indeterminate = true",
        "list.selectedIndex = 1",
        "field.title = 'told'",
        "field.setAttribute('aria-invalid', 'true')",
        "document.title = 'other'",
        "history.pushState({}, '', '#elsewhere')",
        "area.scrollTop = 100",
        "field.focus()",
        "getSelection().selectAllChildren(document.querySelector('h1'))",
        "document.querySelector('h1').firstChild.data = 'There'",
        "sheet.sheet.insertRule('h1 { display: none }')",
        "sheet.sheet.cssRules[0].style.opacity = 0",
        "const s = new CSSStyleSheet(); document.adoptedStyleSheets = [s]; s.replaceSync('.veil { opacity: 0 }')",
        "inner.contentDocument.querySelector('p').textContent = 'changed words'",
        "host.shadowRoot.querySelector('b').textContent = 'changed words'",
        "pop.showPopover()",
        "scrollTo(0, 30)",
    ],
)
def test_whatever_changes_is_seen(work: Work, change: str) -> None:
    async def see() -> None:
        await work.show(PAGE + "<div style='height:3000px'></div>")
        before = (await quiet(work)).state
        await work.script(f"{{ {change} }}")
        after = (await work.browser.observe()).state
        assert told(after) != told(before)

    def told(state: object) -> object:
        return state.model_dump(exclude={"observation", "observed_at_s", "pixel_ratio"})  # type: ignore[attr-defined]

    work.run(see())


def test_what_only_the_picture_shows_is_seen(work: Work) -> None:
    async def see() -> None:
        await work.show(PAGE)
        before = await quiet(work)
        assert before.picture is not None
        await work.script("board.getContext('2d').fillRect(0, 0, 60, 60)")
        data = before.picture.data
        while data == before.picture.data:  # until the browser has told that something visible changed
            after = await work.browser.observe()
            assert after.picture is not None
            data = after.picture.data

    work.run(see())


def test_another_tab_and_another_page_are_read(work: Work) -> None:
    async def see() -> None:
        await work.show(PAGE)
        first = (await quiet(work)).state
        await work.browser.new_tab(work.pages.make("<button>Second</button>"))
        second = (await work.browser.observe()).state
        assert one(second, "button", "Second").mark
        assert len(second.tabs) == 2
        await work.browser.switch_tab(first.tabs[0].id)
        back = (await work.browser.observe()).state
        assert one(back, "textbox", "Field").mark
        assert back.tabs[0].is_active

    work.run(see())


def test_new_elements_are_new_only_once(work: Work) -> None:
    async def see() -> None:
        await work.show("<button>A</button>")
        await quiet(work)
        await work.script("document.body.insertAdjacentHTML('beforeend', '<button>B</button>')")
        after = (await work.browser.observe()).state
        assert [element.name for element in after.elements if element.is_new] == ["B"]
        for _ in range(3):
            again = (await work.browser.observe()).state
            assert not any(element.is_new for element in again.elements)
            assert again.element(again.elements[1].key) == again.elements[1]

    work.run(see())


def test_a_frame_of_another_site_is_always_read(work: Work) -> None:
    inner = work.pages.make("<input id=f aria-label=Inside value=a>").replace("127.0.0.1", "localhost")

    async def see() -> None:
        await work.show(f"<iframe src='{inner}'></iframe>")
        state, _ = await work.until("textbox", "Inside")
        await work.browser.observe()
        await work.browser.fill(state.ref(one(state, "textbox", "Inside")), "b")
        frame = next(frame for frame in work.page.frames if "localhost" in frame.url)
        await frame.evaluate("f.value = 'c'")
        state = (await work.browser.observe()).state
        assert one(state, "textbox", "Inside").value == "c"
        assert one(state, "textbox", "Inside").has(ElementState.EDITABLE)

    work.run(see())
