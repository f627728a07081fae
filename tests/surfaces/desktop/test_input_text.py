"""Text arrives exactly, in real programs of three kinds, on the layouts people use."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operative_app.core.errors import ActionError
from operative_app.surfaces.desktop.input.text_entry import as_typed
from tests.desktop_session import until
from tests.surfaces.desktop.stage import Hand, Opened, Stage, running_hand, running_input, running_stage, text_of

TEXT = (
    "Hello, Wörld! É@/:€ ñ ~^`{}[]|\\ 你好 Привет Ελλάδα שלום مرحبا नमस्ते ❤️ e\u0301 “q” – ABC\n"
    "https://example.org/a?b=c&d=%20#e\tåß∂ƒ ÀÈÌÒÙ àèìòù 日本語 한국어 ½ № ‰\n"
    "👩‍👩‍👧‍👦 🇩🇪 👍🏽 end"
)
LAYOUTS = {
    "us": ("us",),
    "french": ("fr",),
    "german": ("de",),
    "greek": ("gr",),
    "russian": ("ru",),
    "dvorak, then russian": ("us,ru", "-variant", "dvorak,"),
}


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with running_stage() as running:
        yield running


@pytest.fixture(scope="module")
def hand(stage: Stage) -> Iterator[Hand]:
    with running_hand(stage) as running:
        yield running


@pytest.fixture(scope="module")
def programs(stage: Stage) -> dict[str, Opened]:
    """A GTK program, a Qt program and a terminal, open for all tests of this module."""
    return {name: stage.open(name) for name in ("mousepad", "featherpad", "xterm")}


@pytest.fixture
def mousepad(programs: dict[str, Opened]) -> Opened:
    return programs["mousepad"]


@pytest.fixture
def xterm(programs: dict[str, Opened]) -> Opened:
    return programs["xterm"]


@pytest.fixture(autouse=True)
def on_stage(stage: Stage, isolation: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process under test sees the module's display; the layout is the usual one afterwards."""
    monkeypatch.setenv("DISPLAY", stage.display)
    yield
    stage.layout("us")


async def type_into_editor(hand: Hand, stage: Stage, editor: Opened, text: str) -> str:
    """Replace an editor's text by typing; what it holds then."""
    stage.activate(editor.process)
    process = hand.process
    await process.press(("Control", "a"))
    await process.press(("Delete",))
    await process.type_text(text, window_id=editor.window)
    return await text_of(stage, process)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["mousepad", "featherpad"])
def test_text_is_exact_in_an_editor_on_each_layout(
    hand: Hand, stage: Stage, programs: dict[str, Opened], name: str, layout: str
) -> None:
    stage.layout(*LAYOUTS[layout])
    spare = stage.spare_keys()

    assert hand.run(type_into_editor(hand, stage, programs[name], TEXT)) == TEXT
    assert stage.down() == set()
    assert stage.spare_keys() == spare


@pytest.mark.parametrize("layout", ["us", "french", "greek"])
def test_text_is_exact_in_a_terminal(hand: Hand, stage: Stage, xterm: Opened, layout: str) -> None:
    stage.layout(*LAYOUTS[layout])
    stage.activate(xterm.process)
    before = xterm.file.read_text()
    line = TEXT.replace("\t", " ") + "\n"

    hand.run(hand.process.type_text(line, window_id=xterm.window))

    until(lambda: len(xterm.file.read_text()) >= len(before + line), what="the text")
    assert xterm.file.read_text() == before + line


def test_the_chosen_one_of_two_layouts_is_used(hand: Hand, stage: Stage, mousepad: Opened) -> None:
    stage.layout("us,ru")
    stage.choose(1)
    text = "Мама said “да”: q@/?"
    try:
        assert hand.run(type_into_editor(hand, stage, mousepad, text)) == text
    finally:
        stage.choose(0)


def test_caps_lock_changes_nothing_and_stays_on(hand: Hand, stage: Stage, mousepad: Opened) -> None:
    stage.activate(mousepad.process)
    stage.tool("xdotool", "key", "Caps_Lock")
    try:
        assert hand.run(type_into_editor(hand, stage, mousepad, "abc ABC äÖ é")) == "abc ABC äÖ é"
        assert stage.is_caps_on()
    finally:
        stage.tool("xdotool", "key", "Caps_Lock")


def test_a_layout_changed_in_the_middle_is_noticed(stage: Stage, xterm: Opened) -> None:
    text = "qwerty QWERTY @/:; äé\n" * 12
    stage.activate(xterm.process)
    before = xterm.file.read_text()

    def arrived() -> str:
        return xterm.file.read_text()[len(before) :]

    async def run() -> None:
        async with running_input() as process:
            typing = asyncio.create_task(process.type_text(text, delay_ms=10, window_id=xterm.window))
            for count, layout in enumerate(("fr", "ru", "de"), start=1):
                await asyncio.to_thread(until, lambda count=count: arrived().count("\n") >= count, what="lines")
                await asyncio.to_thread(stage.layout, layout)
                assert not typing.done()
            await typing

    asyncio.run(run())
    until(lambda: len(arrived()) >= len(text), what="the text")
    assert arrived() == text


def test_every_kind_of_line_end_is_one_enter(hand: Hand, stage: Stage, mousepad: Opened) -> None:
    assert hand.run(type_into_editor(hand, stage, mousepad, "a\r\nb\rc\n\nd")) == "a\nb\nc\n\nd"


ANY_TEXT = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Cn", "Co", "Zl", "Zp"], include_characters="\n"),
    min_size=1,
    max_size=30,
)


def test_any_text_is_exact(hand: Hand, stage: Stage, xterm: Opened) -> None:
    """Into a program that takes bytes as they come: editors change some characters by themselves."""
    stage.activate(xterm.process)

    @given(text=ANY_TEXT)
    @settings(max_examples=20, deadline=None, database=None)
    def is_exact(text: str) -> None:
        before = xterm.file.read_bytes()
        hand.run(hand.process.type_text(text + "\n", window_id=xterm.window))
        expected = before + text.encode() + b"\n"
        until(lambda: len(xterm.file.read_bytes()) >= len(expected), what="the text")
        assert xterm.file.read_bytes() == expected

    is_exact()


@pytest.mark.parametrize("text", ["a\x07b", "a\x1b[2J", "\x03", "a\ud800", "a\ufffe"])
def test_what_is_no_character_is_refused_before_anything_is_typed(text: str) -> None:
    with pytest.raises(ActionError, match=r"U\+[0-9A-F]{4} cannot be typed; nothing was"):
        as_typed(text)
