"""The seven practice goals: typed into the real window, acted on by real Chromium, checked in the site's own state.

Risky steps are answered in the real dialogs; what only a person can do is done with the real pointer and keyboard in
the browser's window.
"""

from __future__ import annotations

import io
from datetime import date
from pathlib import Path

from PIL import Image
from PySide6.QtWidgets import QFileDialog

from operative_app.core.run import RunState
from tests.e2e.desk import Desk, Human


def next_fifteenth_of_march(today: date) -> str:
    this_year = date(today.year, 3, 15)
    return (this_year if this_year >= today else this_year.replace(year=today.year + 1)).isoformat()


def test_shop_order_to_checkout(desk: Desk) -> None:
    desk.type_goal(
        'Open practice:shop, search for "Mac mini", open the first result, choose 512 GB, add it to the cart, '
        "then go to checkout"
    )
    end = desk.wait_end()
    assert (end.state, desk.raised()) == (RunState.DONE, [])
    assert end.url.endswith("/shop/checkout")
    (cart,) = desk.site["shop"]["carts"].values()
    (line,) = cart if isinstance(cart, list) else cart["lines"]
    assert "Mac mini" in str(line)
    assert "512" in str(line)
    assert desk.site["shop"]["orders"] == []


def test_flight_with_a_chosen_passenger(desk: Desk) -> None:
    desk.type_goal("Open practice:flights and book a flight from SFO to JFK on 15 March for Grace Hopper")
    desk.dialog()
    assert desk.site["flights"]["bookings"] == []
    desk.approve()
    assert desk.wait_end().state is RunState.DONE
    (booking,) = desk.site["flights"]["bookings"]
    assert (booking["origin"], booking["destination"]) == ("SFO", "JFK")
    assert booking["date"] == next_fifteenth_of_march(date.today())
    assert "Grace Hopper" in str(booking["passenger"])
    assert [event.request.rule for event in desk.raised("approval")] == ["payment"]  # type: ignore[union-attr]


def test_food_order_with_options(desk: Desk) -> None:
    desk.type_goal("On practice:food, order a large Margherita with extra cheese and olives, then place the order")
    known = {"Name": "Ada Lovelace", "Street": "12 Loom Lane"}
    while desk.wait_for_person() is not None:
        question = desk.open_question()
        if question is None:
            desk.approve()
        else:  # what the goal does not say is asked for, never made up
            desk.reply(next(value for name, value in known.items() if f"“{name}" in question))
    assert desk.wait_end().state is RunState.DONE
    (order,) = desk.site["food"]["orders"]
    (line,) = order["lines"]
    assert (line["name"], line["size"], set(line["extras"])) == ("Margherita", "Large", {"Extra cheese", "Olives"})
    assert (order["name"], order["street"]) == ("Ada Lovelace", "12 Loom Lane")
    assert {event.request.rule for event in desk.raised("approval")} == {"payment"}  # type: ignore[union-attr]


def test_newsletter_through_the_contact_button(desk: Desk) -> None:
    desk.type_goal("Open practice:newsletter, press the contact button and subscribe with ada@example.org")
    end = desk.wait_end()
    assert (end.state, desk.raised()) == (RunState.DONE, [])
    assert [one["email"] for one in desk.site["newsletter"]["subscribers"]] == ["ada@example.org"]


def test_repository_with_the_human_signing_in(desk: Desk, human: Human) -> None:
    desk.type_goal(
        'Open practice:codehost, sign in, create a private repository named engine-notes with description "Notes"'
    )
    dialog = desk.dialog()
    assert desk.raised()[0].request.kind == "hand_off"
    human.click("Username")
    human.type("demo")
    human.key("Tab")
    human.type("a secret of mine")
    human.key("Return")
    desk.wait(lambda: bool(desk.site["codehost"]["signed_in"]))
    desk.press(dialog, "dialogDoneButton")
    desk.wait(lambda: len(desk.raised()) > 1 or bool(desk.ends()))
    desk.approve()
    assert desk.wait_end().state is RunState.DONE
    made = next(one for one in desk.site["codehost"]["repositories"] if one["name"] == "engine-notes")
    assert made["description"] == "Notes"
    assert "private" in str(made).lower()
    assert "a secret of mine" not in "".join(event.model_dump_json() for event in desk.events)


def paper(path: Path, pages: int = 2) -> Path:
    """A real PDF."""
    first, *others = (Image.new("RGB", (300, 400), shade) for shade in ["white", "grey", "black"][:pages])
    content = io.BytesIO()
    first.save(content, "PDF", save_all=True, append_images=others)
    path.write_bytes(content.getvalue())
    return path


def test_pdf_to_images_with_the_human_choosing_the_file(desk: Desk, isolation: Path) -> None:
    chosen = paper(isolation / "home" / "paper.pdf")
    desk.type_goal("Open practice:pdf and convert my PDF to PNG images")
    desk.press(desk.dialog(), "dialogChooseFileButton")
    file_dialog = desk.window.findChild(QFileDialog, "fileDialog") or desk.dialog().findChild(QFileDialog, "fileDialog")
    assert isinstance(file_dialog, QFileDialog)
    file_dialog.setDirectory(str(chosen.parent))
    file_dialog.selectFile(chosen.name)
    file_dialog.accept()
    assert desk.wait_end().state is RunState.DONE
    (conversion,) = desk.site["pdf"]["conversions"]
    assert (conversion["filename"], conversion["status"], conversion["pages_done"]) == ("paper.pdf", "done", 2)


def test_a_value_read_from_a_table_is_answered_in_the_chat(desk: Desk) -> None:
    desk.type_goal("Open practice:report and tell me the revenue for March")
    end = desk.wait_end()
    assert end.state is RunState.DONE
    months = desk.site["report"]["months"]
    march = next(month for month in months if "March" in str(month) and "2026" in str(month))
    digits = "".join(char for char in end.answer if char.isdigit())
    assert str(march["revenue"]) in digits.replace("2026", "", 1) or str(march["revenue"]) in digits
