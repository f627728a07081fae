# ruff: noqa: E501 - goals are quoted as they are typed
"""The seven practice goals in other words each time, without a model, in a real browser; the site's own state is read back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from operative_app.core.requests import HandOffKind
from operative_app.core.screen import ElementState, ScreenState
from operative_app.planning.builtin.planner import BuiltinPlanner
from operative_app.planning.port import HandOver
from operative_app.practice.server import PracticeSite
from operative_app.surfaces.browser.surface import ManagedBrowser
from tests.planning.conftest import SharedBrowser
from tests.planning.driver import Drive

TODAY = date(2026, 11, 30)


class Person:
    """Signs in and chooses files; notes what was asked."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.asked: list[HandOffKind] = []

    async def __call__(self, browser: ManagedBrowser, state: ScreenState, handover: HandOver) -> None:
        self.asked.append(handover.why)
        if handover.why is HandOffKind.FILE:
            assert handover.target is not None
            await browser.choose_files([str(self.file)], handover.target)
            return
        assert handover.why is HandOffKind.SIGN_IN
        for one in state.elements:
            if one.has(ElementState.PASSWORD):
                await browser.fill(state.ref(one), "anything")
            elif one.has(ElementState.EDITABLE):
                await browser.fill(state.ref(one), "demo")
        await browser.press_key("Enter")


Carry = Callable[..., tuple[Drive, dict[str, Any], Person]]


@pytest.fixture
def carry_out(shared_browser: SharedBrowser, request: pytest.FixtureRequest, tmp_path: Path) -> Carry:
    """Carries out a goal on a fresh practice site; gives the run, the site's state and the person."""

    on: SharedBrowser = request.getfixturevalue("own_browser") if "pdf" in request.node.name else shared_browser

    def carried(goal: str, answers: Mapping[str, str] | None = None) -> tuple[Drive, dict[str, Any], Person]:
        person = Person(a_pdf(tmp_path))

        async def run() -> tuple[Drive, dict[str, Any]]:
            site = PracticeSite(lambda: TODAY)
            site.start()
            try:
                drive = Drive(
                    BuiltinPlanner(lambda: TODAY), on.browser, goal, person, answers or {},
                    lambda url: site.page_url(url.partition(":")[2]) if url.startswith("practice:") else url,
                )  # fmt: skip
                await drive.run()
                return drive, site.snapshot()
            finally:
                site.stop()

        drive, snapshot = on.run(run())
        assert not drive.failures, "\n".join([*drive.failures, *drive.log])
        return drive, snapshot, person

    return carried


def a_pdf(place: Path) -> Path:
    """A PDF of one empty page."""
    path = place / "paper.pdf"
    Image.new("RGB", (60, 80), "white").save(path)
    return path


@pytest.mark.parametrize(
    "goal",
    [
        "Open practice:shop, search for a Mac mini, open the first result, choose 512 GB, add it to the cart, then go to checkout",
        "hey, can you serach for mac mini on practice:shop → opne the first result & chose 512 GB, then put it in the cart. stop at the checkout",
        "1. open practice:shop\n2. search for mac mini\n3. click the first result\n4. 512 GB\n5. add to cart\n6. go to checkout",
        "buy me a mac mini with 512GB at practice:shop and stop at the checkout",
        "At practice:shop look for “mac mini”. Click on the first result, pick the 512 GB version, put it in the basket and check out.",
    ],
)
def test_shop_order_to_checkout(goal: str, carry_out: Carry) -> None:
    drive, state, _ = carry_out(goal)
    (cart,) = state["shop"]["carts"].values()
    assert [(line["storage"], line["quantity"]) for line in cart] == [("512 GB", 1)]
    assert state["shop"]["orders"] == []
    assert drive.state is not None
    assert "checkout" in drive.state.url


@pytest.mark.parametrize(
    "goal",
    [
        "Open practice:flights and book a flight from SFO to JFK on 15 March for Ada Lovelace",
        "Please book a flight for Ada Lovelace on practice:flights, from SFO to JFK, departing on March 15th 2027",
    ],
)
def test_flight_with_a_chosen_passenger(goal: str, carry_out: Carry) -> None:
    _, state, _ = carry_out(goal)
    (booking,) = state["flights"]["bookings"]
    wanted = {"origin": "SFO", "destination": "JFK", "date": "2027-03-15", "passenger": "Ada Lovelace"}
    assert {key: booking[key] for key in wanted} == wanted


def test_the_flight_that_was_asked_for_and_no_other(carry_out: Carry) -> None:
    _, state, _ = carry_out(
        "Open practice:flights and book the second flight from SFO to JFK on 15 March for Ada Lovelace"
    )
    (booking,) = state["flights"]["bookings"]
    assert booking["total_cents"] == 24947


@pytest.mark.parametrize(
    "goal",
    [
        "On practice:food, order a large Margherita with extra cheese and olives, then place the order",
        "Go to practice:food. Order one Margherita, large, with olives and extra cheese",
        "practice:food - customise the Margherita, choose Large, tick Extra cheese and tick olives, add it to the order, review the order and place the order",
    ],
)
def test_food_with_options(goal: str, carry_out: Carry) -> None:
    drive, state, _ = carry_out(goal, {"“Name”": "Ada Lovelace", "“Street": "12 Loom Lane"})
    (order,) = state["food"]["orders"]
    (line,) = order["lines"]
    assert (line["name"], line["size"], set(line["extras"])) == ("Margherita", "Large", {"Extra cheese", "Olives"})
    assert (order["name"], order["street"]) == ("Ada Lovelace", "12 Loom Lane")
    assert len(drive.questions) == 2


@pytest.mark.parametrize(
    "goal",
    [
        "on practice:food I want a Margherita, large, extra cheese. name Ada Lovelace, street 12 Loom Lane. place the order",
        "get me a large margherita with extra cheese at practice:food, deliver to 12 Loom Lane, name Ada Lovelace",
    ],
)
def test_food_with_details_in_the_goal_asks_nothing(goal: str, carry_out: Carry) -> None:
    drive, state, _ = carry_out(goal)
    (order,) = state["food"]["orders"]
    assert (order["name"], order["street"]) == ("Ada Lovelace", "12 Loom Lane")
    assert [(line["name"], line["size"], line["extras"]) for line in order["lines"]] == [
        ("Margherita", "Large", ["Extra cheese"])
    ]
    assert drive.questions == []


@pytest.mark.parametrize(
    "goal",
    [
        "Open practice:newsletter, press the contact button and subscribe with ada@example.org",
        "visit practice:newsletter, then click Contact, then sign up for the newsletter with the e-mail ada@example.org",
    ],
)
def test_newsletter_through_the_contact_button(goal: str, carry_out: Carry) -> None:
    _, state, _ = carry_out(goal)
    assert [one["email"] for one in state["newsletter"]["subscribers"]] == ["ada@example.org"]


@pytest.mark.parametrize(
    "goal",
    [
        "Open practice:codehost, sign in (the person), create a private repository named engine-notes with description “Notes, and more”",
        "Open practice:codehost. I'll sign in. Then create a new repository called engine-notes with visibility private and description “Notes, and more”.",
    ],
)
def test_repository_with_the_person_signing_in(goal: str, carry_out: Carry) -> None:
    _, state, person = carry_out(goal)
    made = [one for one in state["codehost"]["repositories"] if one["name"] == "engine-notes"]
    assert [(one["description"], one["visibility"]) for one in made] == [("Notes, and more", "private")]
    assert person.asked == [HandOffKind.SIGN_IN]


@pytest.mark.parametrize(
    "goal",
    ["Open practice:pdf and convert my PDF to PNG images", "On practice:pdf: upload my PDF, then convert it to PNG"],
)
def test_pdf_to_images_with_the_person_choosing(goal: str, carry_out: Carry) -> None:
    drive, _, person = carry_out(goal)
    assert person.asked == [HandOffKind.FILE]
    assert drive.state is not None
    assert "1 page" in drive.state.all_text


@pytest.mark.parametrize(
    ("goal", "value"),
    [
        ("Open practice:report and tell me the revenue for March", "$121,533"),
        ("On practice:report, what is the revenue for March 2025?", "$110,500"),
        ("what's the Swiss franc rate on practice:report", "Sell 0.8817"),
        ("whats the euro sell rate at practice:report?", "0.9188"),
        ("practice:report: which month had the highest revenue?", "December 2026 ($183,498)"),
        ("open practice:report, sort by revenue descending and tell me the first row", "December 2026 | 3,598"),
        ("how many units were sold in May 2026? practice:report", "2,637"),
        ("how many results are there for mac mini on practice:shop?", "Results: 4"),
        ('go to practice:shop, look up "mac mini" and tell me what the first result costs', "$599.00"),
        ("which flight from SFO to JFK is cheapest on 15 March on practice:flights?", "$249.47"),
        ("On practice:flights find the cheapest flight from SFO to JFK on 15 March, do not book it", "$249.47"),
        ("what does the Margherita cost on practice:food", "$11.50"),
        ("Could you check if practice:food has a Margherita?", "“Margherita” is shown"),
    ],
)
def test_value_of_a_table(goal: str, value: str, carry_out: Carry) -> None:
    drive, _, _ = carry_out(goal)
    assert value in " ".join(drive.answer)
