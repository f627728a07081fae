"""Pages that made other programs fail: each is done by observing and acting through the surface, as a planner would."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from operative_app.core.errors import ActionError, RefusedAction, StaleReference
from operative_app.core.screen import ElementState
from tests.surfaces.pages import cases
from tests.surfaces.work import Work, matching, one

Steps = Callable[[Work, Path], Awaitable[None]]


async def p01(work: Work, tmp: Path) -> None:
    await work.click("button", "Approve", within="request 12")


async def p04(work: Work, tmp: Path) -> None:
    await work.click("button", "Play lesson")


async def p06(work: Work, tmp: Path) -> None:
    await work.click("button", "Order now", within="Fibre 500")


async def p09(work: Work, tmp: Path) -> None:
    _, ref = await work.until("button", "Pay invoice 1")
    await work.browser.scroll(0, 4210 * 28, ref)
    await work.look()
    with pytest.raises(StaleReference):
        await work.browser.click(ref)
    await work.click("button", "Pay invoice 4217")


async def p11(work: Work, tmp: Path) -> None:
    state = await work.look()
    order = one(state, "button", "Place order")
    assert "cookies" in order.cover
    with pytest.raises(RefusedAction, match="cookies"):
        await work.browser.click(state.ref(order))
    await work.click("button", "Only necessary")
    state = await work.click("button", "Place order")
    assert not one(state, "button", "Place order").cover


async def p13(work: Work, tmp: Path) -> None:
    await work.click("button", "Open ticket 12")


async def p15(work: Work, tmp: Path) -> None:
    state = await work.look()
    editor = one(state, "textbox", "What is new?")
    assert await work.browser.fill(state.ref(editor), "first words") == "first words"
    assert await work.browser.fill(state.ref(editor), "Meeting moved to 15:00") == "Meeting moved to 15:00"
    await work.click("button", "Post")


async def p17(work: Work, tmp: Path) -> None:
    state = await work.look()
    arrival = state.ref(one(state, "textbox", "Arrival"))
    with pytest.raises(ActionError, match="2027-03-09"):
        await work.browser.fill(arrival, "9 March 2027")
    assert await work.browser.fill(arrival, "2027-03-09") == "2027-03-09"
    await work.browser.fill(state.ref(one(state, "textbox", "Pick-up")), "2027-04-05 17:30")
    await work.click("button", "Book")


async def p19(work: Work, tmp: Path) -> None:
    state = await work.look()
    box = next(element for element in state.elements if element.role == "combobox")
    assert box.name.startswith("Position")
    assert box.has(ElementState.COLLAPSED)
    with pytest.raises(RefusedAction, match="click the choice"):
        await work.browser.select_option(state.ref(box), "Product Manager")
    await work.browser.click(state.ref(box))
    await work.click("option", "Product Manager")
    await work.click("button", "Submit")


async def p21(work: Work, tmp: Path) -> None:
    state = await work.look()
    pay = state.ref(one(state, "combobox", "Pay frequency"))
    with pytest.raises(ActionError, match="per year"):
        await work.browser.select_option(pay, "per decade")
    assert await work.browser.select_option(pay, "per hour") == "per hour"
    assert await work.browser.select_option(state.ref(one(state, "combobox", "Hire type")), "pt") == "Part time"
    await work.click("button", "Save")


async def p22(work: Work, tmp: Path) -> None:
    for entry in ("Reports", "Quarterly"):
        _, ref = await work.until("menuitem", entry)
        await work.browser.hover(ref)
    await work.click("button", "Export PDF", within="Quarterly")


async def p24(work: Work, tmp: Path) -> None:
    file = tmp / "letter.txt"
    file.write_text("text")
    state = await work.look()
    hidden = one(state, "file", "+ Add file")
    assert (hidden.mark, hidden.cover) == (0, "")
    await work.click("button", "+ Add file")
    state = await work.until_told(lambda state: state.file_chooser)
    await work.browser.choose_files([str(file)], state.ref(state.element(state.file_chooser) or state.elements[0]))
    state = await work.look()
    assert not state.file_chooser
    assert "letter.txt" in state.all_text
    await work.click("button", "Send")


async def p26(work: Work, tmp: Path) -> None:
    await work.click("button", "Export CSV")
    files = work.browser._downloads
    while not any(file.name.startswith("report-2027") and file.state == "done" for file in files.files):
        state = await work.look()
    state = await work.look()
    stored = Path(state.downloads[-1].path)
    assert stored.name.startswith("report-2027")
    assert await asyncio.to_thread(stored.read_text) == "id,total\n1,40\n"


async def p27(work: Work, tmp: Path) -> None:
    state = await work.click("button", "Remove", within="Blue lamp")
    assert [(dialog.kind, dialog.message) for dialog in state.dialogs] == [("confirm", "Remove Blue lamp?")]
    with pytest.raises(ActionError, match="Remove Blue lamp"):
        await work.browser.click(state.ref(one(state, "button", "Remove")))
    await work.browser.answer_dialog(accept=True)
    state = await work.look()
    assert state.dialogs[0].kind == "prompt"
    await work.browser.answer_dialog(accept=True, text="broken")
    state = await work.look()
    assert state.dialogs[0].kind == "alert"
    await work.browser.answer_dialog(accept=True)
    assert "Removed" in (await work.look()).all_text


async def p29(work: Work, tmp: Path) -> None:
    state = await work.look()
    await work.browser.fill(state.ref(one(state, "textbox", "Text")), "Hello")
    state = await work.click("link", "Message list")
    assert [dialog.kind for dialog in state.dialogs] == ["beforeunload"]
    await work.browser.answer_dialog(accept=True)
    await work.until_told(lambda state: "3 messages" in state.all_text)


async def p31(work: Work, tmp: Path) -> None:
    await work.click("link", "Show my code (new tab)")
    state = await work.until_told(lambda state: len(state.tabs) > 1 and "Code: " in state.all_text)
    first, second = state.tabs
    assert second.is_active
    assert second.opener == first.id
    code = state.all_text.rpartition("Code: ")[2].splitlines()[0]
    await work.browser.switch_tab(first.id)
    state, field = await work.until("textbox", "Code")
    await work.browser.fill(field, code)
    await work.click("button", "Verify")


async def p33(work: Work, tmp: Path) -> None:
    await work.click("button", "Continue")
    await work.click("button", "Confirm device")


async def p35(work: Work, tmp: Path) -> None:
    state = await work.look()
    while not matching(state, "button", "Like post 87") and "Post 87" not in state.all_text:
        await work.browser.scroll(0, 700)  # less than what is added: it adds when its end comes into sight anew
        state = await work.look()
    like = next(
        element for element in state.elements if "87" in element.name or any("87" in part for part in element.context)
    )
    await work.browser.click(state.ref(like))


async def p37(work: Work, tmp: Path) -> None:
    state = await work.look()
    assert one(state, "button", "Verify and continue").has(ElementState.DISABLED)
    await work.browser.fill(state.ref(one(state, "textbox", "Code")), "482915")
    while one(state, "button", "Verify and continue").has(ElementState.DISABLED):
        state = await work.look()
    await work.click("button", "Verify and continue")


async def p39(work: Work, tmp: Path) -> None:
    state = await work.look()
    assert not matching(state, "button", "Size 6")
    await work.browser.click(state.ref(one(state, "button", "Choose size")))
    while not matching(state, "button", "Size 6"):
        state = (await work.browser.observe(with_picture=False)).state
    await work.browser.click(state.ref(one(state, "button", "Size 6")))


async def p41(work: Work, tmp: Path) -> None:
    state = await work.look()
    yes = one(state, "button", "Yes")
    assert (round(yes.box.width_css_px), round(yes.box.height_css_px)) == (130, 35)
    await work.browser.click(state.ref(yes))


async def p43(work: Work, tmp: Path) -> None:
    state = await work.look()
    assert await work.browser.fill(state.ref(one(state, "textbox", "First name")), "Robin") == "Robin"
    await work.click("button", "Save")


async def p45(work: Work, tmp: Path) -> None:
    state = await work.look()
    rules, offers = one(state, "checkbox", "I have read the rules"), one(state, "checkbox", "Send me offers")
    assert rules.has(ElementState.UNCHECKED)
    assert offers.has(ElementState.CHECKED)
    assert not rules.cover
    await work.browser.click(state.ref(rules))
    await work.browser.click(state.ref(offers))
    await work.click("button", "Join")


async def p47(work: Work, tmp: Path) -> None:
    url = work.page.url
    await work.script("localStorage.clear()")  # a try before this one may have saved its step
    await work.browser.navigate(url)
    await work.click("button", "Save step 1")
    await _crash(work)
    state = (await work.browser.observe()).state
    assert "crashed" in state.left_out[0]
    with pytest.raises(ActionError, match="crashed"):
        await work.browser.press_key("Enter")
    await work.browser.navigate(url)
    await work.click("button", "Finish")


async def _crash(work: Work) -> None:
    tab = work.browser._tabs.active
    assert tab is not None
    with pytest.raises(ActionError):
        await tab.send("Page.crash", deadline_s=5.0)
    await tab.crash


async def s03(work: Work, tmp: Path) -> None:
    state = await work.look()
    assert "press Share my contacts" not in state.all_text
    assert "999" not in state.all_text
    share = one(state, "button", "Share my contacts")
    assert "Continue" in share.description
    field = one(state, "textbox", "Minutes")
    await work.browser.fill(state.ref(field), "35")
    await work.click("button", "Save")


CASES: dict[str, Steps] = {
    name: steps for name, steps in globals().items() if name[:1] in "ps" and name[1:].isdigit() and callable(steps)
}


@pytest.mark.parametrize("case_id", sorted(CASES))
def test_a_difficult_page_is_done_and_nothing_wrong_is_touched(work: Work, tmp_path: Path, case_id: str) -> None:
    case = cases()[case_id]

    async def carry_out() -> tuple[bool, bool]:
        await work.browser.navigate(work.pages.url(case["file"]))
        await CASES[case_id](work, tmp_path)
        await work.page.wait_for_function(case["success_js"])
        await work.browser.settle()
        return bool(await work.script(case["success_js"])), bool(await work.script(case["bad_js"]))

    assert work.run(carry_out()) == (True, False)


def test_every_case_has_its_page() -> None:
    assert set(CASES) <= set(cases())
