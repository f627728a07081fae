"""Runs that are held to their sites, through the real engine and a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from operative_app.actions.browser import ExecuteJs, Navigate, NewTab
from operative_app.actions.declare import Action
from operative_app.actions.mouse import ClickElement
from operative_app.core.errors import SettingsError
from operative_app.core.events import Event, Notice, event_json
from operative_app.core.run import OutcomeStatus, RunState
from operative_app.core.screen import ScreenState
from tests.engine.desk import Desk, Step, element_step, opened_desk
from tests.surfaces.pages import Pages, cases

KNOWN = cases()
HERE = ("127.0.0.1",)


@pytest.fixture(scope="module")
def open_desk(chromium_path: str) -> Iterator[Desk]:
    """Its browser is started for the sites of these runs."""
    with opened_desk(chromium_path, allow=HERE) as desk:
        yield desk


def press(name: str, role: str = "button") -> Step:
    def act(state: ScreenState, key: str) -> Action | None:
        element = state.element(key)
        return None if element is None else ClickElement(target=state.ref(element))

    return element_step(act, role, name)


def always(action: Action) -> Step:
    return lambda state, context: action


def told(drive_events: list[Event]) -> str:
    return "\n".join(event.text for event in drive_events if isinstance(event, Notice))


def test_a_page_that_leads_out_of_the_sites_stays_and_the_person_is_told(desk: Desk, pages: Pages) -> None:
    case = KNOWN["s07"]

    drive = desk.drive(
        pages.url(case["file"]),
        press("Partner offer", "link"),
        press("I am still here"),
        scripts=(f"!!({case['success_js']})", f"!!({case['bad_js']})"),
        goes_on=True,
        allow=HERE,
    )
    assert drive.end.state is RunState.DONE, drive.end.reason
    assert drive.verdict == [True, False]
    assert "was not opened: localhost" in told(drive.events)
    pressed = drive.of("click_element")[0]
    assert pressed.status is OutcomeStatus.UNVERIFIED
    assert "Add it to the allow list" in pressed.detail
    assert len(drive.of("click_element")) == 2  # what would lead out again is not tried again


def test_links_to_files_scripts_and_the_browser_itself_are_refused_in_a_limited_run(desk: Desk, pages: Pages) -> None:
    case = KNOWN["s05"]
    links = ("open the file", "quick view", "settings", "source")
    drive = desk.drive(
        pages.url(case["file"]),
        *(press(name, "link") for name in links),
        press("region page", "link"),
        scripts=("document.body.innerText.includes('47')", f"!!({case['bad_js']})"),
        goes_on=True,
        allow=HERE,
    )
    assert drive.verdict == [True, False]
    assert [one.status for one in drive.of("click_element")] == [OutcomeStatus.REFUSED] * 4 + [OutcomeStatus.DONE]


def test_what_a_planner_wants_outside_is_refused_before_anything_is_touched(desk: Desk, pages: Pages) -> None:
    address = pages.make("<h1>Here</h1><a href='http://localhost:1/x'>Out</a><a href='http://127.0.0.2/'>Far</a>")
    drive = desk.drive(
        address,
        always(Navigate(url="http://localhost:1/x")),
        always(NewTab(url="http://127.0.0.1@127.0.0.2/")),
        press("Out", "link"),
        press("Far", "link"),
        goes_on=True,
        allow=HERE,
    )
    refused = [one for one in drive.finished.values() if one.status is OutcomeStatus.REFUSED]
    assert len(refused) == 4
    assert all("outside the sites of this run" in one.detail for one in refused)
    assert drive.end.url == address


def test_the_page_a_browser_was_left_on_is_not_read_by_a_run_for_other_sites(desk: Desk, pages: Pages) -> None:
    """A port alone is no other host, so that it is the same browser."""
    desk.drive(pages.make("<title>Private words</title>"), allow=HERE)
    drive = desk.drive("", always(ExecuteJs(code="return document.title")), allow=("127.0.0.1:1",), goes_on=True)
    assert "Private words" not in "".join(event_json(event) for event in drive.events)
    assert "left and not read" in told(drive.events)
    assert drive.end.url == "about:blank"


def test_a_start_outside_ends_the_run_with_the_reason(desk: Desk, pages: Pages) -> None:
    drive = desk.drive(pages.make("<h1>Here</h1>"), always(ExecuteJs(code="return 1")), allow=("127.0.0.1:1",))
    assert drive.end.state is RunState.FAILED
    assert "outside the sites of this run" in drive.end.reason


def test_a_pattern_that_is_none_starts_no_run(desk: Desk) -> None:
    with pytest.raises(SettingsError, match=r"“www\*\.com” is no site pattern"):
        desk.drive("about:blank", allow=("www*.com",))
