# ruff: noqa: E501 - goals are quoted as they are typed
"""The seven practice goals in other words each time, without a model, in a real browser; the site's own state is read back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
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
from tests.planning.driver import Drive

TODAY = date(2026, 11, 30)
pytestmark = pytest.mark.usefixtures("chromium_path")


class Person:
    """Signs in and chooses files; notes what was asked."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.asked: list[HandOffKind] = []

    async def __call__(self, browser: ManagedBrowser, state: ScreenState, handover: HandOver) -> None:
        self.asked.append(handover.why)
        if handover.why is HandOffKind.FILE:
            assert handover.target is not None
            await browser.set_files(handover.target, [str(self.file)])
            return
        assert handover.why is HandOffKind.SIGN_IN
        for one in state.elements:
            if one.has(ElementState.PASSWORD):
                await browser.fill(state.ref(one), "anything")
            elif one.has(ElementState.EDITABLE):
                await browser.fill(state.ref(one), "demo")
        await browser.press_key("Enter")


def carry_out(goal: str, place: Path, answers: Mapping[str, str] | None = None) -> tuple[Drive, dict[str, Any], Person]:
    person = Person(a_pdf(place))

    async def run() -> tuple[Drive, dict[str, Any]]:
        site = PracticeSite(lambda: TODAY)
        site.start()
        browser = await ManagedBrowser.launch(
            profile_dir=place / "profile", downloads_dir=place / "files", headless=True
        )
        try:
            drive = Drive(
                BuiltinPlanner(lambda: TODAY), browser, goal, person, answers or {},
                lambda url: site.page_url(url.partition(":")[2]) if url.startswith("practice:") else url,
            )  # fmt: skip
            await drive.run()
            return drive, site.snapshot()
        finally:
            await browser.close()
            site.stop()

    drive, snapshot = asyncio.run(run())
    assert not drive.failures, "\n".join([*drive.failures, *drive.log])
    return drive, snapshot, person


def a_pdf(place: Path) -> Path:
    """A PDF of one empty page."""
    path = place / "paper.pdf"
    Image.new("RGB", (60, 80), "white").save(path)
    return path


@pytest.mark.parametrize(
    "goal",
    [
        "Open practice:shop, search for a Mac mini, open the first result, choose 512 GB, add it to the cart, then go to checkout",
        "At practice:shop look for “mac mini”. Click on the first result, pick the 512 GB version, put it in the basket and check out.",
    ],
)
def test_shop_order_to_checkout(goal: str, tmp_path: Path) -> None:
    drive, state, _ = carry_out(goal, tmp_path)
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
def test_flight_with_a_chosen_passenger(goal: str, tmp_path: Path) -> None:
    _, state, _ = carry_out(goal, tmp_path)
    (booking,) = state["flights"]["bookings"]
    wanted = {"origin": "SFO", "destination": "JFK", "date": "2027-03-15", "passenger": "Ada Lovelace"}
    assert {key: booking[key] for key in wanted} == wanted


@pytest.mark.parametrize(
    "goal",
    [
        "On practice:food, order a large Margherita with extra cheese and olives, then place the order",
        "Go to practice:food. Order one Margherita, large, with olives and extra cheese",
    ],
)
def test_food_with_options(goal: str, tmp_path: Path) -> None:
    drive, state, _ = carry_out(goal, tmp_path, {"“Name”": "Ada Lovelace", "“Street": "12 Loom Lane"})
    (order,) = state["food"]["orders"]
    (line,) = order["lines"]
    assert (line["name"], line["size"], set(line["extras"])) == ("Margherita", "Large", {"Extra cheese", "Olives"})
    assert (order["name"], order["street"]) == ("Ada Lovelace", "12 Loom Lane")
    assert len(drive.questions) == 2


@pytest.mark.parametrize(
    "goal",
    [
        "Open practice:newsletter, press the contact button and subscribe with ada@example.org",
        "visit practice:newsletter, then click Contact, then sign up for the newsletter with the e-mail ada@example.org",
    ],
)
def test_newsletter_through_the_contact_button(goal: str, tmp_path: Path) -> None:
    _, state, _ = carry_out(goal, tmp_path)
    assert [one["email"] for one in state["newsletter"]["subscribers"]] == ["ada@example.org"]


@pytest.mark.parametrize(
    "goal",
    [
        "Open practice:codehost, sign in (the person), create a private repository named engine-notes with description “Notes, and more”",
        "Open practice:codehost. I'll sign in. Then create a new repository called engine-notes with visibility private and description “Notes, and more”.",
    ],
)
def test_repository_with_the_person_signing_in(goal: str, tmp_path: Path) -> None:
    _, state, person = carry_out(goal, tmp_path)
    made = [one for one in state["codehost"]["repositories"] if one["name"] == "engine-notes"]
    assert [(one["description"], one["visibility"]) for one in made] == [("Notes, and more", "private")]
    assert person.asked == [HandOffKind.SIGN_IN]


@pytest.mark.parametrize(
    "goal",
    ["Open practice:pdf and convert my PDF to PNG images", "On practice:pdf: upload my PDF, then convert it to PNG"],
)
def test_pdf_to_images_with_the_person_choosing(goal: str, tmp_path: Path) -> None:
    drive, _, person = carry_out(goal, tmp_path)
    assert person.asked == [HandOffKind.FILE]
    assert drive.state is not None
    assert "1 page" in drive.state.all_text


@pytest.mark.parametrize(
    ("goal", "value"),
    [
        ("Open practice:report and tell me the revenue for March", "$121,533"),
        ("On practice:report, what is the revenue for March 2025?", "$110,500"),
    ],
)
def test_value_of_a_table(goal: str, value: str, tmp_path: Path) -> None:
    drive, _, _ = carry_out(goal, tmp_path)
    assert value in " ".join(drive.answer)
