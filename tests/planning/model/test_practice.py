"""The seven practice goals with a model over real loopback HTTP, in a real browser, in all four formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Page

from operative_app.core.requests import (
    Approve,
    FilesChosen,
    HandOffKind,
    HandOffRequest,
    HumanDone,
    QuestionRequest,
    Reply,
)
from operative_app.core.run import RunState
from tests.llm.asking import Wire
from tests.planning.model.rig import LIMITS, Model, Rig, open_rig
from tests.planning.model.scripted import act, finish, plan, summary


@pytest.fixture(scope="module")
def rig(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    every_effect_comes = replace(LIMITS, effect_waits_s=(0.1, 0.2, 0.4, 1.0, 2.0, 4.0, 8.0))
    with open_rig(tmp_path_factory.mktemp("practice"), every_effect_comes) as rig:
        yield rig


def test_shop_order_to_checkout(rig: Rig) -> None:
    model = Model(
        plan("Find the Mac mini", "Put the one with 512 GB into the cart", "Go to checkout"),
        [
            lambda view: act(view.fill("Search products", "Mac mini"), view.click("Search", "button")),
            lambda view: act(
                view.click("Mac mini 512 GB", "link"), done=[{"task": 1, "evidence": "Results for “Mac mini”"}]
            ),
            lambda view: act(view.click("Add to cart", "button")),
            lambda view: act(view.click("Go to checkout"), done=[{"task": 2, "evidence": "Your cart"}]),
            lambda _: finish("Place order", done=[{"task": 3, "evidence": "Place order"}]),
        ],
        summary(("The Mac mini with 512 GB is in the cart", 5)),
    )
    end = rig.run("practice:shop: put a Mac mini with 512 GB into the cart and go to checkout", model, Wire.CHAT)
    assert (end.state, end.url.rpartition("/shop")[2]) == (RunState.DONE, "/checkout")
    (cart,) = rig.snapshot["shop"]["carts"].values()
    assert [(line["storage"], line["quantity"]) for line in cart] == [("512 GB", 1)]
    assert rig.snapshot["shop"]["orders"] == []
    assert rig.questions_per_step() <= 1.0


def test_newsletter_through_the_contact_button(rig: Rig) -> None:
    model = Model(
        plan("Open the contact form", "Subscribe with ada@example.org"),
        [
            lambda view: act(view.click("Contact", "button")),
            lambda view: act(
                view.fill("E-mail address", "ada@example.org"),
                view.click("Subscribe", "button"),
                done=[{"task": 1, "evidence": "E-mail address"}],
            ),
            lambda _: finish("", done=[{"task": 2, "evidence": "Thank you, you are subscribed."}]),
        ],
        summary(("ada@example.org is subscribed", 4)),
    )
    end = rig.run("practice:newsletter: subscribe with ada@example.org", model, Wire.CHAT_STREAM, lambda _: Approve())
    assert [one["email"] for one in rig.snapshot["newsletter"]["subscribers"]] == ["ada@example.org"]
    assert end.state is RunState.DONE, end
    assert rig.questions_per_step() <= 1.0


def test_a_value_read_from_a_table_is_the_answer(rig: Rig) -> None:
    evidence = "March 2026 | 2,383 | $121,533"
    model = Model(
        plan("Tell the revenue of March 2026"),
        [
            lambda view: act({"do": "get_text"}),
            lambda view: finish("", done=[{"task": 1, "evidence": evidence}], answer="It was $121,533 in March 2026."),
        ],
        summary(("The revenue of March 2026 was $121,533", 2)),
    )
    end = rig.run("practice:report: what was the revenue of March 2026?", model, Wire.RESPONSES)
    assert (end.state, end.answer) == (RunState.DONE, "It was $121,533 in March 2026.")
    assert end.reason == "The revenue of March 2026 was $121,533. [step 2]"


def test_pdf_to_images_with_the_person_choosing_the_file(rig: Rig, tmp_path: Path) -> None:
    paper = tmp_path / "paper.pdf"
    Image.new("RGB", (60, 80), "white").save(paper)

    def person(request: Any) -> Any:
        assert isinstance(request, HandOffRequest)
        assert request.why is HandOffKind.FILE
        assert request.target is not None
        return FilesChosen(paths=(str(paper),))

    model = Model(
        plan({"goal": "Choose the PDF", "by_human": True}, "Convert it to PNG images"),
        [
            lambda view: {
                "route": "hand_over",
                "person": "file",
                "say": "Please choose your PDF.",
                "element": view.number("Choose PDF", "button"),
            },
            lambda view: act(view.click("Convert", "button"), done=[{"task": 1, "evidence": "paper.pdf"}]),
            lambda _: {"route": "wait", "say": "the pictures"},
            lambda view: finish(
                "", done=[{"task": 2, "evidence": f"{view.seen('1 page ready')}; {view.seen('paper.pdf · PNG')}"}]
            ),
        ],
        summary(("One page became a picture", 3)),
    )
    end = rig.run("practice:pdf: convert my PDF to PNG images", model, Wire.RESPONSES_STREAM, person)
    assert end.state is RunState.DONE, end
    (conversion,) = rig.snapshot["pdf"]["conversions"]
    assert (conversion["filename"], conversion["status"]) == ("paper.pdf", "done")


def test_a_flight_for_a_chosen_passenger_is_booked_after_a_yes(rig: Rig) -> None:
    today = date.today()
    day = date(today.year + today.month // 12, today.month % 12 + 1, 15)
    model = Model(
        plan("Find flights from SFO to JFK", "Take the first one for Grace Hopper", "Book and pay"),
        [
            lambda view: act(view.fill("From", "SFO")),
            lambda view: act(view.click("San Francisco…", "option")),
            lambda view: act(view.fill("To", "JFK")),
            lambda view: act(view.click("New York…", "option"), view.click("Open calendar", "button")),
            lambda view: act(view.click("Next month", "button")),
            lambda view: act(view.click(f"{day:%A}, {day.day} {day:%B %Y}", "button")),
            lambda view: act(view.click("Search flights", "button")),
            lambda view: act(view.click("Select", "button"), done=[{"task": 1, "evidence": view.seen("SFO")}]),
            lambda view: act(
                view.click("Grace Hopper…", "radio"),
                view.click("Continue to review", "button"),
            ),
            lambda view: act(
                view.click("Book and pay", "button"), done=[{"task": 2, "evidence": view.seen("Grace Hopper")}]
            ),
            lambda view: finish("", done=[{"task": 3, "evidence": view.seen("Booking confirmed")}]),
        ],
        summary(("The flight is booked", 8)),
    )
    asked: list[str] = []

    def person(request: Any) -> Any:
        asked.append(request.rule)
        return Approve()

    end = rig.run("practice:flights book a flight from SFO to JFK", model, Wire.RESPONSES_STREAM, person)
    assert end.state is RunState.DONE, end
    (booking,) = rig.snapshot["flights"]["bookings"]
    assert (booking["origin"], booking["destination"], booking["date"]) == ("SFO", "JFK", day.isoformat())
    assert booking["passenger"] == "Grace Hopper"
    assert asked == ["payment"]


def test_food_is_ordered_with_its_options(rig: Rig) -> None:
    model = Model(
        plan("Put a large Margherita with olives into the order", "Place the order"),
        [
            lambda view: act(view.click("Customise", "button", "Margherita")),
            lambda view: act(view.click("Large…", "radio"), view.click("Olives…", "checkbox")),
            lambda view: act(view.click("Add to order…", "button")),
            lambda view: act(
                view.click("Review order", "link"), done=[{"task": 1, "evidence": view.seen("1 × Margherita")}]
            ),
            lambda _: {"route": "ask", "say": "Which name and street should it be delivered to?"},
            lambda view: act(
                view.fill("Name", view.seen("Ada Lovelace")),
                view.fill("Street and number", "12 Loom Lane"),
                view.click("Place order", "button"),
                expect={"text": "We are cooking"},
                completes=True,
            ),
        ],
        summary(("The pizza is ordered", 8)),
    )

    def person(request: Any) -> Any:
        return Reply(text="Ada Lovelace, 12 Loom Lane") if isinstance(request, QuestionRequest) else Approve()

    end = rig.run("practice:food order a large Margherita with olives", model, Wire.CHAT_STREAM, person)
    assert end.state is RunState.DONE, end
    (order,) = rig.snapshot["food"]["orders"]
    (line,) = order["lines"]
    assert (line["name"], line["size"], line["extras"]) == ("Margherita", "Large", ["Olives"])
    assert (order["name"], order["street"]) == ("Ada Lovelace", "12 Loom Lane")


def test_a_repository_is_created_after_the_person_signed_in(rig: Rig) -> None:
    async def sign_in(page: Page) -> None:
        await page.locator("a[href^='/codehost/sign-in']").first.click()
        await page.fill("#username", "demo")
        await page.fill("#password", "a secret of mine")
        await page.press("#password", "Enter")
        await page.wait_for_selector("text=Signed in as")

    def person(request: Any) -> Any:
        if isinstance(request, HandOffRequest):
            assert request.why is HandOffKind.SIGN_IN
            rig.in_page(sign_in)
            return HumanDone()
        return Approve()

    model = Model(
        plan({"goal": "Sign in", "by_human": True}, "Create the private repository engine-notes"),
        [
            lambda view: {
                "route": "hand_over",
                "person": "sign_in",
                "say": "Please sign in.",
                "element": view.number("Sign in", "link"),
            },
            lambda view: act(view.click("New", "link"), done=[{"task": 1, "evidence": view.seen("Your repositories")}]),
            lambda view: act(view.fill("Repository name", "engine-notes"), view.click("Private…", "radio")),
            lambda view: act(view.click("Create repository", "button")),
            lambda view: finish("", done=[{"task": 2, "evidence": view.seen("demo/engine-notes")}]),
        ],
        summary(("The repository is there", 4)),
    )
    end = rig.run("practice:codehost create a private repository engine-notes", model, Wire.RESPONSES, person)
    assert end.state is RunState.DONE, end
    made = next(one for one in rig.snapshot["codehost"]["repositories"] if one["name"] == "engine-notes")
    assert made["visibility"] == "private"
    assert "a secret of mine" not in "".join(model.asked)
