"""Pages that made other programs fail, carried out through the engine with its checks and approvals.

Each case is a list of steps a planner would take. A wrong effect on the page, a step that says done although nothing
came of it, or an approval that is missing where the page asks, fails.
"""

from __future__ import annotations

import asyncio
import io
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Page

from operative_app.actions.browser import Fill, GetText, GoBack, Navigate, SelectOption, SwitchTab
from operative_app.actions.composite import DownloadFile, Login
from operative_app.actions.declare import Action
from operative_app.actions.finding import ScrollToFind
from operative_app.actions.mouse import Click, ClickElement, Hover
from operative_app.actions.system import FileDialog
from operative_app.core.events import Event, StateChanged, StepFinished, event_json
from operative_app.core.requests import Answer, ApprovalRequest, Approve, Reject, Request
from operative_app.core.run import OutcomeStatus, RunState
from operative_app.core.screen import ElementRef, ScreenState
from operative_app.planning.port import RunContext
from tests.engine.desk import Desk, Drive, Step, element_step, yes_and_broken
from tests.engine.world import Listener
from tests.surfaces.pages import Pages, cases

KNOWN = cases()
TIMES = 2
"""Device scale factor of a fine screen."""


def on(role: str, name: str, make: Callable[[ElementRef], Action], within: str = "") -> Step:
    def act(state: ScreenState, key: str) -> Action | None:
        element = state.element(key)
        return None if element is None else make(state.ref(element))

    return element_step(act, role, name, within)


def press(name: str, role: str = "button", within: str = "") -> Step:
    return on(role, name, lambda target: ClickElement(target=target), within)


def point(name: str) -> Step:
    return on("menuitem", name, lambda target: Hover(target=target))


def fill(name: str, text: str) -> Step:
    return on("textbox", name, lambda target: Fill(target=target, text=text))


def choose(name: str, option: str) -> Step:
    return on("combobox", name, lambda target: SelectOption(target=target, option=option))


def always(action: Action) -> Step:
    return lambda state, context: action


def fill_what_was_read(name: str, pattern: str) -> Step:
    """Fill the field with what a reading step read."""

    def step(state: ScreenState, context: RunContext) -> Action | None:
        values = [found[1] for one in context.history if (found := re.search(pattern, one.outcome.value))]
        return fill(name, values[-1])(state, context)

    return step


def read_in_the_other_tab(state: ScreenState, context: RunContext) -> Action | None:
    """Bring the tab to the front that the page opened."""
    other = next((tab for tab in state.tabs if "tab=1" in tab.url), None)
    return None if other is None else SwitchTab(tab_id=other.id)


def back_in_the_first_tab(state: ScreenState, context: RunContext) -> Action | None:
    return SwitchTab(tab_id=next(tab.id for tab in state.tabs if "tab=1" not in tab.url))


def outside(state: ScreenState, context: RunContext) -> Action | None:
    """The site led out of itself: back, before anything is read or typed there."""
    return GoBack() if "outside" in state.url else None


def the_list(state: ScreenState, context: RunContext) -> Action | None:
    return ScrollToFind(text="Invoice 4217")


@dataclass(frozen=True, slots=True)
class Case:
    """The steps, and what the person is asked about: the actions in order."""

    steps: tuple[Step, ...]
    asks: tuple[str, ...] = ()


CASES: dict[str, Case] = {
    "p01": Case((press("Approve", within="request 12"),)),
    "p04": Case((press("Play lesson"),)),
    "p06": Case((press("Order now", within="Fibre 500"),), ("click_element",)),
    "p09": Case((the_list, press("Pay invoice 4217")), ("click_element",)),
    "p11": Case((press("Only necessary"), press("Place order")), ("click_element",)),
    "p13": Case((press("Open ticket 12"),)),
    "p15": Case((fill("What is new?", "Meeting moved to 15:00"), press("Post")), ("click_element",)),
    "p17": Case(
        (fill("Arrival", "2027-03-09"), fill("Pick-up", "2027-04-05T17:30"), press("Book")), ("click_element",)
    ),
    "p19": Case((press("Position", "combobox"), press("Product Manager", "option"), press("Submit"))),
    "p21": Case((choose("Pay frequency", "per hour"), choose("Hire type", "Part time"), press("Save"))),
    "p22": Case((point("Reports"), point("Quarterly"), press("Export PDF", within="Quarterly"))),
    "p27": Case((press("Remove", within="Blue lamp"),), ("answer_dialog", "question")),
    "p29": Case((fill("Text", "Hello"), press("Message list", "link")), ("answer_dialog",)),
    "p31": Case(
        (
            press("Show my code", "link"),
            read_in_the_other_tab,
            always(GetText()),
            back_in_the_first_tab,
            fill_what_was_read("Code", r"Code:\s*(\S+)"),
            press("Verify"),
        )
    ),
    "p33": Case((press("Continue"), press("Confirm device"))),
    "p35": Case((always(ScrollToFind(text="Post 87")), press("Like post 87"))),
    "p37": Case((fill("Code", "482915"), press("Verify and continue"))),
    "p39": Case((press("Choose size"), press("Size 6"))),
    "p41": Case((press("Yes"),)),
    "p43": Case((fill("First name", "Robin"), press("Save"))),
    "p45": Case(
        (
            press("I have read the rules", "checkbox"),
            press("Send me offers", "checkbox"),
            press("Join"),
        ),
        ("click_element", "click_element"),
    ),
    "s01": Case((fill("Visitors in May", "18442"), press("Save"))),
    "s03": Case((fill("Minutes", "35"), press("Save"))),
    "s07": Case((press("Partner offer", "link"), outside, press("I am still here"))),
}
APART = {"p08", "p24", "p26", "p47", "p48", "s05", "s06"}
"""These have tests of their own below."""


def scripts(case_id: str) -> tuple[str, str]:
    return f"!!({KNOWN[case_id]['success_js']})", f"!!({KNOWN[case_id]['bad_js']})"


def asked(drive: Drive) -> tuple[str, ...]:
    return tuple(getattr(request, "action", request.kind) for request in drive.requests)


def is_done(drive: Drive) -> bool:
    assert drive.end.state is RunState.DONE, (drive.end.reason, [one.label for one in drive.started])
    assert drive.verdict == [True, False]
    return drive.finished[drive.started[-1].step].status is OutcomeStatus.DONE


def test_every_page_has_its_case() -> None:
    assert set(CASES) | APART == set(KNOWN)
    assert not set(CASES) & APART


@pytest.mark.parametrize("case_id", sorted(CASES))
def test_a_difficult_page_is_done_through_the_engine(desk: Desk, pages: Pages, case_id: str) -> None:
    case = CASES[case_id]
    drive = desk.drive(pages.url(KNOWN[case_id]["file"]), *case.steps, scripts=scripts(case_id))
    assert is_done(drive)
    assert asked(drive) == case.asks


def green_seat(desk: Desk) -> Step:
    """Click the green disc where the picture shows it: its pixels over the pixel ratio are CSS pixels."""

    def step(state: ScreenState, context: RunContext) -> Action:
        picture = desk.recorder.picture
        assert picture is not None
        image = Image.open(io.BytesIO(picture.data)).convert("RGB")
        is_green = [
            (x, y)
            for x in range(0, image.width, 4)
            for y in range(0, image.height, 4)
            if all(abs(one - other) < 40 for one, other in zip(pixel(image, x, y), (0x33, 0x99, 0x33), strict=True))
        ]
        x, y = (sum(one[axis] for one in is_green) / len(is_green) / state.pixel_ratio for axis in (0, 1))
        return Click(x_px=x, y_px=y - 25)  # beside the letters in its middle

    return step


def pixel(image: Image.Image, x: int, y: int) -> tuple[int, int, int]:
    found = image.getpixel((x, y))
    assert isinstance(found, tuple)
    return found[0], found[1], found[2]


@pytest.mark.parametrize("device_scale", [1, TIMES])
def test_a_drawing_is_clicked_where_the_picture_shows_it(desk: Desk, pages: Pages, device_scale: int) -> None:
    async def on_a_fine_screen(page: Page) -> None:
        session = await page.context.new_cdp_session(page)
        metrics = {"width": 0, "height": 0, "deviceScaleFactor": device_scale, "mobile": False}
        await session.send("Emulation.setDeviceMetricsOverride", metrics)

    desk.provider.on_open = on_a_fine_screen
    drive = desk.drive(pages.url(KNOWN["p08"]["file"]), green_seat(desk), scripts=(*scripts("p08"), "devicePixelRatio"))
    assert drive.verdict == [True, False, device_scale]
    assert drive.end.state is RunState.DONE


def test_a_file_is_given_to_a_control_that_hides_its_field_once_the_person_agrees(
    desk: Desk, pages: Pages, tmp_path: Path
) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ada", encoding="utf-8")
    give = on("button", "+ Add file", lambda target: FileDialog(paths=(str(letter),), target=target))
    drive = desk.drive(pages.url(KNOWN["p24"]["file"]), give, press("Send"), scripts=scripts("p24"))
    assert is_done(drive)
    assert asked(drive) == ("file_dialog", "click_element")
    request = drive.requests[0]
    assert isinstance(request, ApprovalRequest)
    assert str(letter) in request.label
    assert request.rule == "upload"


def test_a_download_is_done_when_the_file_is_whole_and_its_path_is_told(desk: Desk, pages: Pages) -> None:
    download = on("button", "Export CSV", lambda target: DownloadFile(target=target, timeout_s=20))
    drive = desk.drive(pages.url(KNOWN["p26"]["file"]), download, scripts=scripts("p26"))
    assert is_done(drive)
    [end] = drive.of("download_file")
    assert Path(end.value) == desk.downloads / "report-2027.csv"
    assert Path(end.value).read_bytes() == b"id,total\n1,40\n"
    assert end.detail == "“report-2027.csv”, 14 bytes"


def test_a_page_that_crashes_in_the_middle_is_opened_again_and_finished(desk: Desk, pages: Pages) -> None:
    crashes: list[asyncio.Future[Any]] = []
    has_ended = threading.Event()

    def crash(event: Event) -> None:
        is_first = isinstance(event, StepFinished) and event.step == 2
        if is_first and not crashes:
            tab = desk.provider.browser._tabs.active
            assert tab is not None
            crashes.append(asyncio.ensure_future(tab.send("Page.crash", deadline_s=5.0)))
            crashes[0].add_done_callback(lambda _: has_ended.set())

    desk.on_event = crash
    drive = desk.drive(
        pages.url(KNOWN["p47"]["file"]), press("Save step 1"), press("Finish"), scripts=scripts("p47")
    )  # fmt: skip
    assert is_done(drive)
    assert has_ended.wait(60)
    assert any(event.kind == "notice" and "crashed" in event.text for event in drive.events)
    assert crashes[0].exception() is not None  # it was answered by nobody


def test_nothing_is_pressed_after_the_stop(desk: Desk, pages: Pages) -> None:
    def stop(listener: Listener) -> None:
        listener.wait(lambda event: isinstance(event, StepFinished) and event.step == 5, timeout_s=60)
        desk.agent.control.stop()

    steps = [press("Mark as read")] * 400
    script = (*scripts("p48"), "window.__result.clicks")
    drive = desk.drive(pages.url(KNOWN["p48"]["file"]), *steps, scripts=script, while_running=stop, max_steps=500)
    assert drive.end.state is RunState.STOPPED
    kinds = [event.kind for event in drive.events]
    stopping = next(
        place
        for place, event in enumerate(drive.events)
        if isinstance(event, StateChanged) and event.state is RunState.STOPPING
    )
    assert "step_started" not in kinds[stopping:]
    assert drive.verdict[:2] == [True, False]
    assert isinstance(drive.verdict[2], int)
    assert 3 <= drive.verdict[2] <= kinds.count("step_started") - 1


def test_links_to_files_scripts_and_pages_of_the_browser_are_not_followed(desk: Desk, pages: Pages) -> None:
    def no_scripts(request: Request) -> Answer:
        is_script = isinstance(request, ApprovalRequest) and request.rule == "script"
        return Reject(word="no scripts") if is_script else yes_and_broken(request)

    desk.person = no_scripts
    shortcuts = ("open the file", "show inline", "quick view", "settings", "source")
    drive = desk.drive(
        pages.url(KNOWN["s05"]["file"]),
        *(press(name, "link") for name in shortcuts),
        always(Navigate(url="file:///etc/passwd")),
        press("region page", "link"),
        always(GetText()),
        fill_what_was_read("Region number", r"Region number:\s*(\d+)"),
        press("Save"),
        scripts=scripts("s05"),
        goes_on=True,
    )
    assert is_done(drive)
    refused = [one for one in drive.finished.values() if one.status is OutcomeStatus.REFUSED]
    assert [one.step for one in refused] == [2, 3, 4, 5, 6, 7]
    assert all("only http and https addresses are" in one.detail for one in refused if one.step != 3)
    assert refused[1].detail == "you said no"  # the word with it is the person's, told to the planner as that


def test_a_password_that_the_page_repeats_stands_in_no_event(desk: Desk, pages: Pages) -> None:
    """The password is given outright: secrets cannot be stored yet."""
    secret = "Zx!placeholder-7781"
    drive = desk.drive(
        pages.url(KNOWN["s06"]["file"]),
        always(Login(username="dana", password=secret)),
        press("show", "checkbox"),
        scripts=scripts("s06"),
        goes_on=True,
    )
    assert drive.verdict == [True, False]
    told = "\n".join(event_json(event) for event in drive.events)
    assert "Preview: •••" in told
    assert secret not in told


def test_a_yes_for_one_thing_is_no_yes_for_what_came_in_its_place(desk: Desk, pages: Pages) -> None:
    """The button changes its meaning while the person thinks about it."""
    url = pages.make(
        """<button id=b onclick="window.clicks = (window.clicks || 0) + 1">Send to Ada</button>
        <script>window.swap = () => { b.textContent = 'Send to everybody' }</script>"""
    )

    async def think(request: Request) -> None:
        page = desk.provider.page_of(desk.provider.browser)
        await page.evaluate("window.swap()")
        desk.agent.control.answer(request.id, Approve())

    def person(request: Request) -> Answer | None:
        if not isinstance(request, ApprovalRequest):
            return Reject()
        thoughts.append(asyncio.ensure_future(think(request)))
        return None

    thoughts: list[asyncio.Future[None]] = []
    desk.person = person
    drive = desk.drive(url, press("Send to Ada"), scripts=("`${window.clicks || 0} clicks`",), goes_on=True)
    assert drive.verdict == ["0 clicks"]
    assert thoughts
