"""The clipboard against other programs: xclip, an editor, one that hangs, a clipboard manager."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from Xlib import X
from Xlib.display import Display
from Xlib.protocol import event

from operative_app.core.errors import SurfaceClosed, SurfaceError
from operative_app.surfaces.desktop.clipboard_x11 import X11Clipboard
from tests.desktop_session import until
from tests.display import program
from tests.surfaces.desktop.stage import Hand, Opened, Stage, running_hand, running_stage

WORDS = "Grüße, 你好, שלום 👩‍👩‍👧‍👦\n\tend"
LONG = "äß€ 123 " * 200_000


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with running_stage() as running:
        yield running


@pytest.fixture(scope="module")
def mousepad(stage: Stage) -> Opened:
    return stage.open("mousepad")


@pytest.fixture(scope="module")
def hand(stage: Stage) -> Iterator[Hand]:
    with running_hand(stage) as running:
        yield running


@pytest.fixture
def clipboard(stage: Stage) -> Iterator[X11Clipboard]:
    clipboard = X11Clipboard(stage.display)
    yield clipboard
    clipboard.close()


@pytest.fixture
def owner(stage: Stage) -> Iterator[Stage]:
    """Programs that own the clipboard during a test, and end with it."""
    yield stage
    stage.empty_clipboard()


@pytest.mark.parametrize("text", [WORDS, "", "a\x00b", LONG], ids=["words", "nothing", "a null", "long"])
def test_what_another_program_copied_is_read(owner: Stage, clipboard: X11Clipboard, text: str) -> None:
    owner.copy(text)
    assert clipboard.read_text() == text


@pytest.mark.parametrize("text", [WORDS, "plain", LONG], ids=["words", "plain", "long"])
def test_what_is_written_can_be_pasted_and_read_again(stage: Stage, clipboard: X11Clipboard, text: str) -> None:
    clipboard.write_text(text)
    assert stage.clipboard() == text
    assert clipboard.read_text() == text
    assert clipboard.times_taken == 1


def test_an_empty_clipboard_reads_as_nothing(stage: Stage, clipboard: X11Clipboard) -> None:
    assert clipboard.read_text() == ""
    assert clipboard.save() == {}


def test_a_newer_copy_of_another_program_counts(owner: Stage, clipboard: X11Clipboard) -> None:
    clipboard.write_text("ours")
    owner.copy("theirs")
    assert clipboard.read_text() == "theirs"


def test_all_formats_are_given_back_after_a_paste(
    stage: Stage, clipboard: X11Clipboard, hand: Hand, mousepad: Opened
) -> None:
    """An editor's copy holds several formats; a picture none that is text."""
    stage.activate(mousepad.process)
    hand.run(hand.process.type_text("kept", window_id=mousepad.window))
    hand.run(hand.process.press(("Control", "a")))
    hand.run(hand.process.press(("Control", "c")))
    until(lambda: clipboard.read_text() == "kept", what="the copy")
    formats = _targets(stage)

    saved = clipboard.save()
    clipboard.write_text("pasted " + WORDS)
    before = clipboard.times_taken
    hand.run(hand.process.press(("Control", "v")))
    assert clipboard.wait_until_taken(before, 60)
    clipboard.restore(saved)

    assert stage.clipboard() == "kept"
    assert {"UTF8_STRING", "TEXT", "STRING"} <= formats & _targets(stage)
    hand.run(hand.process.press(("Control", "a")))
    hand.run(hand.process.press(("Control", "c")))
    assert until(lambda: (found := clipboard.read_text()) != "kept" and found, what="the pasted text") == (
        "pasted " + WORDS
    )


@pytest.mark.parametrize("size", [8, 700], ids=["small", "in parts"])
def test_a_picture_survives_a_text_written_over_it(owner: Stage, clipboard: X11Clipboard, size: int) -> None:
    raw = BytesIO()
    Image.frombytes("RGB", (size, size), os.urandom(size * size * 3)).save(raw, "png")
    picture = raw.getvalue()
    subprocess.run(
        [program("xclip"), "-selection", "clipboard", "-t", "image/png"],
        env=owner.variables,
        input=picture,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )
    until(lambda: "image/png" in _targets(owner), what="the picture")
    assert clipboard.read_text() == ""

    saved = clipboard.save()
    clipboard.write_text("over it")
    assert owner.clipboard() == "over it"
    clipboard.restore(saved)

    pasted = subprocess.run(
        [program("xclip"), "-o", "-selection", "clipboard", "-t", "image/png"],
        env=owner.variables,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert pasted.stdout == picture


def test_restoring_an_empty_clipboard_empties_it(stage: Stage, clipboard: X11Clipboard) -> None:
    saved = clipboard.save()
    clipboard.write_text("for a moment")
    clipboard.restore(saved)
    assert stage.clipboard() == ""
    assert clipboard.read_text() == ""


def test_an_owner_that_hangs_is_told_not_waited_for(owner: Stage, clipboard: X11Clipboard) -> None:
    hanging = owner.start("xclip", "-quiet", "-selection", "clipboard", "/dev/null")
    until(lambda: clipboard.save() != {}, what="the owner")
    os.kill(hanging.pid, signal.SIGSTOP)
    try:
        with pytest.raises(SurfaceError, match="holds the clipboard does not answer"):
            clipboard.read_text()
        clipboard.write_text("goes on")
        assert owner.clipboard() == "goes on"
    finally:
        os.kill(hanging.pid, signal.SIGKILL)
        owner.end_one(hanging)


def test_the_content_is_handed_to_a_clipboard_manager_at_the_end(stage: Stage) -> None:
    clipboard = X11Clipboard(stage.display)
    clipboard.write_text(WORDS)
    with clipboard_manager(stage):
        clipboard.close()
        assert stage.clipboard() == WORDS
    clipboard.close()
    with pytest.raises(SurfaceClosed):
        clipboard.read_text()


def test_a_display_that_is_gone_or_absent_is_told() -> None:
    with running_stage() as other:
        clipboard = X11Clipboard(other.display)
        clipboard.write_text("x")
    for _ in range(2):
        with pytest.raises(SurfaceClosed, match="clipboard"):
            clipboard.read_text()
    clipboard.close()


def _targets(stage: Stage) -> set[str]:
    return set(stage.tool("xclip", "-o", "-selection", "clipboard", "-t", "TARGETS").split())


class clipboard_manager:  # noqa: N801 - used like a function
    """A program that keeps what others copied, as the freedesktop clipboard manager specification has it."""

    def __init__(self, stage: Stage) -> None:
        self._display = Display(stage.display)
        self._thread = threading.Thread(target=self._serve, name="manager")

    def __enter__(self) -> None:
        self._window = self._display.screen().root.create_window(0, 0, 1, 1, 0, 0)
        self._manager = self._display.intern_atom("CLIPBOARD_MANAGER")
        self._window.set_selection_owner(self._manager, X.CurrentTime)
        self._display.sync()
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        other = Display(self._display.get_display_name())
        message = event.ClientMessage(window=self._window, client_type=self._manager, data=(32, [0] * 5))
        other.create_resource_object("window", self._window.id).send_event(message)
        other.sync()  # the server throws away what it has not read yet of a connection that was closed
        other.close()
        self._thread.join(60)
        self._display.close()

    def _serve(self) -> None:
        """Fetch the text when asked to save, tell that it is done, then offer it."""
        kept = b""
        clipboard, text = self._display.intern_atom("CLIPBOARD"), self._display.intern_atom("UTF8_STRING")
        asking = None
        while (seen := self._display.next_event()).type != X.ClientMessage:
            if seen.type == X.SelectionRequest and seen.selection == self._manager:
                asking = seen
                self._window.convert_selection(clipboard, text, text, X.CurrentTime)
            elif seen.type == X.SelectionNotify and asking is not None:
                kept = self._window.get_full_property(text, X.AnyPropertyType).value
                self._window.set_selection_owner(clipboard, X.CurrentTime)
                self._answer(asking)
            elif seen.type == X.SelectionRequest:
                seen.requestor.change_property(seen.property, text, 8, kept)
                self._answer(seen)

    def _answer(self, asked: Any) -> None:
        asked.requestor.send_event(
            event.SelectionNotify(
                time=asked.time,
                requestor=asked.requestor,
                selection=asked.selection,
                target=asked.target,
                property=asked.property,
            )
        )
        self._display.flush()
