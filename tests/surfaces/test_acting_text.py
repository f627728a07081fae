"""Text entry: exact for every character, read back, and never into anything but the field that had the focus."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from operative_app.core.errors import ActionError, RefusedAction, StaleReference
from operative_app.core.screen import ElementRef
from tests.surfaces.work import Work, one

SPECIAL = [
    "é", "e\u0301", "ß", "ﬁ", "日本語", "한국어", "שלום", "مرحبا", "नमस्ते", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "❤️",
    "€", "«»", "\u200f", "\u00ad", "@", "~", "^", "`", "\\", "\"", "'", "<b>", "&amp;", "  ", "\t", "½", "Ω",
]  # fmt: skip
SIGNS = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters="\u00a0")
LINE = st.lists(st.one_of(st.sampled_from(SPECIAL), st.text(SIGNS, max_size=6)), max_size=6).map("".join)
TEXT = st.lists(LINE, min_size=1, max_size=4).map("\n".join)
FIELDS = {
    "input": "<input aria-label=f value=old>",
    "textarea": "<textarea aria-label=f>old</textarea>",
    "editor": "<div contenteditable role=textbox aria-label=f style='white-space:pre-wrap'>old</div>",
    "controlled": "<input aria-label=f><script>const i = document.querySelector('input'); let kept = '';"
    "i.oninput = () => { kept = i.value; setTimeout(() => { if (i.value !== kept) i.value = kept; }) }</script>",
    "frame": "<iframe srcdoc='<textarea aria-label=f></textarea>'></iframe>",
}
VALUE = """(() => { const field = (document.querySelector('iframe')?.contentDocument ?? document)
    .querySelector('input, textarea, [contenteditable]');
    field.normalize(); return field.value ?? [...field.childNodes].map((part, place) =>
    (place && part.nodeName === 'DIV' ? '\\n' : '') + part.textContent).join('') })()"""
"""A line of an editor is a block of its own; a tab stands in a span."""
few = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def field_of(work: Work, kind: str) -> ElementRef:
    async def open_() -> ElementRef:
        _, ref = await work.until("textbox", "f") if kind == "frame" else (None, None)
        state = await work.look()
        return ref or state.ref(one(state, "textbox", "f"))

    work.run(work.show(FIELDS[kind]))
    return work.run(open_())


@pytest.mark.parametrize("kind", FIELDS)
def test_what_is_filled_in_is_held_exactly(work: Work, kind: str) -> None:
    ref = field_of(work, kind)

    @few
    @given(text=LINE if kind in {"input", "controlled"} else TEXT)
    def holds(text: str) -> None:
        held = work.run(work.browser.fill(ref, text))
        assert held == text
        assert work.run(work.script(VALUE)).replace("\u00a0", " ") == text

    holds()


@pytest.mark.parametrize("kind", FIELDS)
def test_what_is_typed_is_held_exactly(work: Work, kind: str) -> None:
    ref = field_of(work, kind)

    @few
    @given(text=LINE if kind in {"input", "controlled"} else TEXT)
    def holds(text: str) -> None:
        async def act() -> None:
            await work.browser.fill(ref, "")
            await work.browser.type_text(text)

        work.run(act())
        assert work.run(work.script(VALUE)).replace("\u00a0", " ") == text

    holds()


def test_a_newline_is_enter_and_keys_are_real(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<form onsubmit='window.sent = this.q.value; return false'><input name=q aria-label=f></form>"
            "<script>window.keys = []; onkeydown = (event) => keys.push(event.key + event.isTrusted)</script>"
        )
        await work.browser.fill(state.ref(one(state, "textbox", "f")), "")
        await work.script("keys.length = 0")
        await work.browser.type_text("A b\n")
        assert await work.script("sent") == "A b"
        assert await work.script("keys") == ["Atrue", " true", "btrue", "Entertrue"]

    work.run(act())


@pytest.mark.parametrize("text", ["a\x00b", "\x1b", "\ud83d", "a\x7f"])
def test_what_no_keyboard_enters_is_refused_before_anything_is_typed(work: Work, text: str) -> None:
    async def act() -> None:
        state = await work.show("<input aria-label=f value=old autofocus>")
        ref = state.ref(one(state, "textbox", "f"))
        for refused in (work.browser.fill(ref, text), work.browser.type_text(text)):
            with pytest.raises(ActionError, match=r"U\+"):
                await refused
        assert await work.script("document.querySelector('input').value") == "old"

    work.run(act())


OTHER = "<input aria-label=other id=g>"


@pytest.mark.parametrize(
    ("at_three", "reason"),
    [
        ("g.focus()", "focus went to textbox “other”"),
        ("f.blur()", "lost the focus"),
        ("f.remove()", "lost the focus"),
        ("document.querySelector('iframe').contentDocument.querySelector('input').focus()", "focus went"),
        ("alert('wait')", "a dialog opened"),
        ("window.open('about:blank')", "another tab came to the front"),
        ("location.href = 'about:blank'", "the page was left"),
    ],
)
def test_typing_stops_when_the_focus_goes_and_says_how_much_arrived(work: Work, at_three: str, reason: str) -> None:
    async def act() -> None:
        state = await work.show(
            f"""<input aria-label=f id=f>{OTHER}<iframe srcdoc='<input id=h>'></iframe><script>window.kept = '';
            f.oninput = () => {{ kept = f.value; if (f.value.length == 3) {at_three} }}</script>"""
        )
        await work.browser.press_key("ArrowLeft", state.ref(one(state, "textbox", "f")))
        with pytest.raises(ActionError, match=reason) as stopped:
            await work.browser.type_text("abcdéfghijklmnopqrstuvwxyz" * 40)
        words = str(stopped.value)
        state = await work.look()
        if state.dialogs:
            await work.browser.answer_dialog(accept=True)
        if len(state.tabs) > 1:
            await work.browser.close_tab(state.tabs[1].id)
            await work.browser.switch_tab(state.tabs[0].id)
        if "left" in reason:
            assert state.url == "about:blank"
            return
        arrived = len(await work.script("kept"))
        assert f"{arrived} of 1040 characters arrived" in words
        assert arrived == 3 or "tab" in reason
        assert (
            await work.script("g.value + document.querySelector('iframe').contentDocument.body.firstChild.value") == ""
        )

    work.run(act())


def test_typing_stops_when_a_frame_of_another_process_takes_the_focus(work: Work) -> None:
    async def act() -> None:
        inner = work.pages.make(
            "<input id=h aria-label=inner><script>onmessage = () => h.focus();"
            "h.oninput = () => parent.postMessage(h.value, '*')</script>"
        ).replace("127.0.0.1", "localhost")
        await work.show(
            f"<input aria-label=f id=f><iframe src='{inner}'></iframe><script>window.leaked = '';"
            "onmessage = (event) => leaked = event.data;"
            "f.oninput = () => { if (f.value.length == 3) frames[0].postMessage(1, '*') }</script>"
        )
        await work.until("textbox", "inner")
        state = await work.look()
        await work.browser.press_key("ArrowLeft", state.ref(one(state, "textbox", "f")))
        with pytest.raises(ActionError, match="characters arrived") as stopped:
            await work.browser.type_text("x" * 1000)
        arrived = len(await work.script("f.value"))
        assert f"{arrived} of 1000" in str(stopped.value)
        assert await work.script("leaked") == ""

    work.run(act())


def test_typing_goes_on_in_a_frame_of_another_process(work: Work) -> None:
    async def act() -> None:
        inner = work.pages.make(
            "<input id=h aria-label=inner oninput='parent.postMessage(this.value, \"*\")'>"
        ).replace("127.0.0.1", "localhost")
        await work.show(
            f"<iframe src='{inner}'></iframe><script>onmessage = (event) => window.got = event.data</script>"
        )
        _, ref = await work.until("textbox", "inner")
        await work.browser.fill(ref, "filled é")
        await work.browser.type_text(" typed 日本")
        await work.page.wait_for_function("window.got === 'filled é typed 日本'")

    work.run(act())


def test_the_boxes_of_a_code_and_a_field_that_is_made_anew_are_followed(work: Work) -> None:
    async def act() -> None:
        boxes = "".join(f"<input class=c maxlength=1 aria-label='digit {n}' size=1>" for n in range(4))
        state = await work.show(
            f"""{boxes}<script>const all = [...document.querySelectorAll('.c')];
            all.forEach((one, n) => one.oninput = () => all[n + 1]?.focus())</script>"""
        )
        await work.browser.press_key("End", state.ref(one(state, "textbox", "digit 0")))
        await work.browser.type_text("4829")
        assert await work.script("all.map((one) => one.value).join('')") == "4829"
        state = await work.show(
            """<div id=d></div><script>const draw = (text) => { d.innerHTML = '<input id=f aria-label=f>';
            f.value = text; f.focus(); f.oninput = () => draw(f.value) }; draw('')</script>"""
        )
        await work.browser.press_key("End", state.ref(one(state, "textbox", "f")))
        await work.browser.type_text("again and again")
        assert await work.script("f.value") == "again and again"

    work.run(act())


def test_a_filled_field_that_hands_the_focus_on_gets_all_and_the_next_nothing(work: Work) -> None:
    async def act() -> None:
        state = await work.show(f"<input aria-label=f id=f>{OTHER}<script>f.oninput = () => g.focus()</script>")
        assert await work.browser.fill(state.ref(one(state, "textbox", "f")), "hello") == "hello"
        assert await work.script("[f.value, g.value]") == ["hello", ""]

    work.run(act())


def test_limits_and_masks_are_told_by_what_the_field_holds(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<input aria-label=f maxlength=3><input aria-label=m id=m><script>m.oninput = () => { const d ="
            "m.value.replace(/\\D/g, '').slice(0, 6); m.value = d.replace(/(\\d{2})(?=\\d)/g, '$1-') }</script>"
        )
        assert await work.browser.fill(state.ref(one(state, "textbox", "f")), "abcdef") == "abc"
        assert await work.browser.fill(state.ref(one(state, "textbox", "m")), "12ab34567") == "12-34-56"

    work.run(act())


def test_no_key_stays_down_after_a_cancelled_typing_or_a_failed_chord(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<input aria-label=f><script>window.down = new Set(); onkeydown = (event) => down.add(event.code);"
            "onkeyup = (event) => down.delete(event.code)</script>"
        )
        await work.browser.press_key("End", state.ref(one(state, "textbox", "f")))
        task = asyncio.ensure_future(work.browser.type_text("y" * 400, delay_ms=2))
        await work.page.wait_for_function("document.querySelector('input').value.length > 3")
        task.cancel()
        await asyncio.wait({task})
        with pytest.raises(ActionError, match="F20"):
            await work.browser.press_key("Control+Shift+F20")
        await work.page.wait_for_function("down.size === 0")
        assert (await work.look()).held == frozenset()

    work.run(act())


def test_a_held_key_is_told_works_with_others_and_is_let_go(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<input aria-label=f value=abc><script>window.ups = []; onkeyup = (event) => ups.push(event.key)</script>"
        )
        await work.browser.press_key("End", state.ref(one(state, "textbox", "f")))
        await work.browser.key_down("shift")
        assert (await work.look()).held == {"Shift"}
        with pytest.raises(RefusedAction, match="held down already"):
            await work.browser.key_down("Shift")
        await work.browser.press_key("Home")
        state = await work.look()
        assert state.selection == "abc"
        assert state.held == {"Shift"}
        await work.browser.key_up("Shift")
        with pytest.raises(RefusedAction, match="not held"):
            await work.browser.key_up("Shift")
        await work.browser.key_down("Alt")
        await work.browser.release()
        assert (await work.look()).held == frozenset()
        assert "Alt" in await work.script("ups")

    work.run(act())


def test_a_field_that_goes_when_text_arrives_is_told_and_nothing_is_typed_elsewhere(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<p><input aria-label=f></p><input aria-label=other>"
            "<script>document.querySelector('p').oninput = function () { this.remove(); }</script>"
        )
        with pytest.raises(StaleReference, match="went while it was filled"):
            await work.browser.fill(state.ref(one(state, "textbox", "f")), "Ada")
        assert one(await work.look(), "textbox", "other").value == ""

    work.run(act())
