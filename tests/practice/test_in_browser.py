"""Every flow by hand in a real browser, and the state that it leaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from operative_app.practice import PAGE_NAMES, PracticeSite
from operative_app.practice.pages.captcha import KINDS
from tests.practice.client import Client

State = Callable[[str], dict[str, Any]]


@contextmanager
def held(page: Page, address: str) -> Iterator[None]:
    """What the page asks for there is answered when the block ends; what it shows until then stays."""
    asked: list[Route] = []
    page.route(address, lambda route: asked.append(route))
    yield
    page.unroute(address)
    for route in asked:
        route.continue_()


def test_shop_from_the_search_to_the_order(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(site.page_url("shop"))
    page.get_by_role("searchbox", name="Search products").fill("Mac mini")
    with held(page, "**/shop/api/search*"):
        page.get_by_role("searchbox", name="Search products").press("Enter")
        expect(page.get_by_text("Loading…")).to_be_visible()
    results = page.get_by_role("list", name="Search results").get_by_role("listitem")
    expect(results).to_have_count(4)
    results.first.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Mac mini 256 GB")
    page.get_by_role("radio", name="512 GB").check(force=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("Mac mini 512 GB")
    expect(page.locator("#price")).to_have_text("$799.00")
    page.get_by_role("combobox", name="Colour").click()
    page.get_by_role("option", name="Space Grey").click()
    page.locator("input[name=quantity]").fill("2")
    page.get_by_role("button", name="Add to cart").click()
    expect(page.get_by_role("status")).to_have_text("Mac mini 512 GB was added to your cart.")
    expect(page.locator("#cart-count")).to_have_text("2")
    page.get_by_role("complementary", name="Your cart").get_by_role("link", name="Go to checkout").click()
    page.get_by_label("Full name").fill("Ada Lovelace")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Address", exact=True).fill("12 St James Square")
    page.get_by_placeholder("City").fill("London")
    page.get_by_placeholder("Postcode").fill("SW1Y")
    page.get_by_label("Country").select_option("United Kingdom")
    page.get_by_role("radio", name="Express").check()
    page.get_by_role("button", name="Place order").click()
    expect(page.get_by_text("Please accept the terms of sale.")).to_be_visible()
    assert state("shop")["orders"] == []
    page.get_by_role("checkbox", name="I accept the terms of sale").check()
    page.get_by_role("button", name="Place order").click()
    expect(page.get_by_role("heading", name="Thank you, Ada Lovelace")).to_be_visible()
    (order,) = state("shop")["orders"]
    expect(page.get_by_text(str(order["number"]))).to_be_visible()
    (line,) = order["lines"]
    assert (line["name"], line["colour"], line["quantity"]) == ("Mac mini 512 GB", "Space Grey", 2)
    assert (order["delivery"], order["total_cents"]) == ("express", 2 * 79900 + 1500)


def test_shop_asks_for_a_colour_and_the_drop_down_works_with_the_keyboard(
    page: Page, site: PracticeSite, state: State
) -> None:
    page.goto(f"{site.start()}/shop/product/macbook-air-13")
    page.get_by_role("button", name="Add to cart").click()
    expect(page.get_by_role("alert")).to_have_text("Please choose a colour.")
    colour = page.get_by_role("combobox", name="Colour")
    for key in ("Enter", "ArrowDown", "Enter"):
        colour.press(key)
    expect(colour).to_have_text("Space Grey")
    page.get_by_role("button", name="Add to cart").click()
    expect(page.locator("#cart-count")).to_have_text("1")
    assert state("shop")["carts"]["1"][0]["colour"] == "Space Grey"


def test_shop_cart_is_changed_in_place(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(f"{site.start()}/shop/product/usb-c-hub")
    page.get_by_role("button", name="Add to cart").click()
    page.get_by_role("link", name="View cart").click()
    quantity = page.get_by_label("Quantity of USB-C hub, 7 ports")
    quantity.fill("4")
    quantity.press("Tab")
    expect(page.locator("#cart-total")).to_have_text("$216.00")
    assert state("shop")["carts"]["1"][0]["quantity"] == 4
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Your cart is empty")).to_be_visible()


def test_flights_from_the_airports_to_the_booking(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(site.page_url("flights"))
    expect(page.locator(".suggestions [role=option]")).to_have_count(0)
    page.get_by_role("combobox", name="From").press_sequentially("san fran")
    page.get_by_role("option", name="San Francisco (SFO)").click()
    page.get_by_role("combobox", name="To").press_sequentially("jfk")
    expect(page.get_by_role("listbox", name="To: airports").get_by_role("option")).to_have_count(1)
    page.get_by_role("combobox", name="To").press("ArrowDown")
    page.get_by_role("combobox", name="To").press("Enter")
    expect(page.get_by_role("combobox", name="To")).to_have_value("New York (JFK)")
    assert not page.get_by_label("Departure", exact=True).is_editable()
    page.get_by_role("button", name="Open calendar").click()
    calendar = page.get_by_role("dialog", name="Choose a departure date")
    expect(calendar.get_by_text("November 2026")).to_be_visible()
    expect(calendar.get_by_role("button", name="Previous month")).to_be_disabled()
    for month in ("December 2026", "January 2027", "February 2027", "March 2027"):
        calendar.get_by_role("button", name="Next month").click()
        expect(calendar.get_by_text(month)).to_be_visible()
    calendar.get_by_role("button", name="Monday, 15 March 2027").click()
    expect(page.get_by_label("Departure", exact=True)).to_have_value("Monday, 15 March 2027")
    with held(page, "**/flights/api/results*"):
        page.get_by_role("button", name="Search flights").click()
        expect(page.get_by_text("Looking for flights…")).to_be_visible()
    rows = page.get_by_role("list", name="Flights").get_by_role("listitem")
    expect(rows).to_have_count(8)
    with held(page, "**/flights/api/results*"):
        page.get_by_label("Sort by").select_option("Lowest price")
        expect(page.get_by_text("Looking for flights…")).to_be_visible()
    expect(rows).to_have_count(8)
    number = rows.first.locator(".small").first.inner_text()
    rows.first.get_by_role("button", name="Select").click()
    page.get_by_role("radio", name="Grace Hopper").check()
    page.get_by_role("button", name="Continue to review").click()
    page.get_by_role("button", name="Book and pay").click()
    expect(page.get_by_role("heading", name="Booking confirmed")).to_be_visible()
    (booking,) = state("flights")["bookings"]
    expect(page.get_by_text(booking["reference"])).to_be_visible()
    assert (booking["origin"], booking["destination"], booking["date"]) == ("SFO", "JFK", "2027-03-15")
    assert (booking["passenger"], booking["number"]) == ("Grace Hopper", number)


def test_flights_typed_but_not_chosen_is_no_airport(page: Page, site: PracticeSite) -> None:
    page.goto(site.page_url("flights"))
    page.get_by_role("combobox", name="From").fill("SFO")
    page.get_by_role("button", name="Search flights").click()
    expect(page.get_by_text("Choose an airport from the list.")).to_have_count(2)


def test_flights_form_for_somebody_new_appears_when_asked_for(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(f"{site.start()}/flights/results?from=SFO&to=JFK&date=2027-03-15")
    page.get_by_role("button", name="Select").first.click()
    expect(page.get_by_label("First name")).to_be_hidden()
    page.get_by_role("radio", name="Someone else").check()
    page.get_by_label("First name").fill("Emmy")
    page.get_by_label("Last name").fill("Noether")
    page.get_by_label("Date of birth").fill("1982-03-23")
    page.get_by_role("button", name="Continue to review").click()
    page.get_by_role("button", name="Book and pay").click()
    expect(page.get_by_role("heading", name="Booking confirmed")).to_be_visible()
    assert state("flights")["bookings"][0]["passenger"] == "Emmy Noether"


def test_food_from_the_dialog_to_the_order(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(site.page_url("food"))
    page.get_by_role("listitem").filter(has_text="Margherita").get_by_role("button", name="Customise").click()
    dialog = page.get_by_role("dialog", name="Margherita")
    dialog.get_by_role("radio", name="Large").check()
    dialog.get_by_role("checkbox", name="Olives").check()
    dialog.get_by_label("Sauce").select_option("Hot chilli")
    dialog.get_by_label("Note to the kitchen").fill("Well done")
    dialog.get_by_role("button", name="Increase quantity").click()
    dialog.get_by_role("button", name="Increase quantity").press("Enter")
    dialog.get_by_role("button", name="Decrease quantity").click()
    expect(dialog.locator("#dish-quantity")).to_have_text("2")
    dialog.get_by_role("button", name="Add to order").click()
    expect(dialog).to_be_hidden()
    basket = page.get_by_role("complementary", name="Your order")
    expect(basket.get_by_text("2 × Margherita")).to_be_visible()
    expect(basket.get_by_text("$32.00").first).to_be_visible()
    basket.get_by_role("link", name="Review order").click()
    page.get_by_label("Delivery time").select_option("19:00 to 19:30")
    page.get_by_label("Name").fill("Ada Lovelace")
    page.get_by_label("Street and number").fill("Mill Lane 3")
    page.get_by_role("checkbox", name="Bring cutlery").check()
    page.get_by_role("button", name="Place order").click()
    expect(page.get_by_role("heading", name="We are cooking")).to_be_visible()
    (order,) = state("food")["orders"]
    assert (order["name"], order["time"], order["is_cutlery_wanted"]) == ("Ada Lovelace", "19:00 to 19:30", True)
    (line,) = order["lines"]
    assert (line["size"], line["extras"], line["sauce"]) == ("Large", ["Olives"], "Hot chilli")
    assert (line["quantity"], line["note"]) == (2, "Well done")


def test_food_dialog_can_be_closed_and_a_line_removed(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(site.page_url("food"))
    page.get_by_role("button", name="Customise").nth(4).click()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.get_by_role("button", name="Customise").nth(4).click()
    page.get_by_role("button", name="Add to order").click()
    page.get_by_role("button", name="Remove Green bowl").click()
    expect(page.get_by_text("Nothing in it yet")).to_be_visible()
    assert state("food")["baskets"]["1"] == []


def test_newsletter_through_the_banner_and_the_shadow_root(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(site.page_url("newsletter"))
    page.get_by_role("button", name="Reject optional").click()
    expect(page.get_by_role("region", name="Cookies")).to_have_count(0)
    page.get_by_role("button", name="Contact").click()
    assert page.evaluate("document.querySelector('contact-panel').shadowRoot.mode") == "open"
    email = page.get_by_label("E-mail address")
    email.fill("ada at example")
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_role("alert")).to_contain_text("such as name@example.com")
    assert state("newsletter")["subscribers"] == []
    email.fill("ada@example.com")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("checkbox", name="Product news").uncheck()
    page.get_by_role("checkbox", name="Research notes").check()
    page.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_text("Thank you, you are subscribed")).to_be_visible()
    assert state("newsletter")["subscribers"] == [{"email": "ada@example.com", "topics": ["research"]}]
    assert state("newsletter")["cookies"] == {"1": "required"}


def test_codehost_from_the_sign_in_to_the_repository(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(f"{site.start()}/codehost/new")
    page.get_by_label("Username").fill("demo")
    page.get_by_label("Password").fill("whatever")
    page.locator("main").get_by_role("button", name="Sign in").click()
    create = page.get_by_role("button", name="Create repository")
    expect(create).to_be_disabled()
    name = page.get_by_label("Repository name")
    name.fill("hello-world")
    expect(page.get_by_text("already exists")).to_be_visible()
    expect(create).to_be_disabled()
    name.fill("weather-station")
    expect(page.get_by_text("weather-station is available.")).to_be_visible()
    page.get_by_label("Description").fill("Reads the sensors")
    page.get_by_role("radio", name="Private").check()
    page.get_by_role("checkbox", name="Add a README").check()
    page.get_by_role("combobox", name=".gitignore template").click()
    page.get_by_role("option", name="Python").click()
    create.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("demo/weather-station")
    created = state("codehost")["repositories"][-1]
    assert (created["name"], created["visibility"]) == ("weather-station", "private")
    assert (created["gitignore"], created["has_readme"]) == ("Python", True)
    page.get_by_role("link", name="New").click()
    expect(page.get_by_role("heading", name="Create a new repository")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


def test_pdf_is_chosen_converted_and_downloaded(
    page: Page, site: PracticeSite, state: State, pdf_of: Callable[..., bytes]
) -> None:
    page.goto(site.page_url("pdf"))
    expect(page.get_by_role("button", name="Convert")).to_be_disabled()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose PDF").click()
    chooser.value.set_files({"name": "minutes.pdf", "mimeType": "application/pdf", "buffer": pdf_of(4, (600, 800))})
    expect(page.get_by_text("minutes.pdf")).to_be_visible()
    page.get_by_label("Format").select_option("JPEG")
    page.get_by_label("Resolution").select_option("72 dpi")
    page.get_by_role("button", name="Convert").click()
    expect(page.get_by_role("heading", name="4 pages ready")).to_be_visible()
    for number in (1, 4):
        picture = page.get_by_role("img", name=f"Page {number}")
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", value=True)
        assert picture.evaluate("image => image.naturalWidth") > 0
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all").click()
    assert download.value.suggested_filename == "pages-1.zip"
    assert download.value.path().read_bytes().startswith(b"PK")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download", exact=True).nth(2).click()
    assert download.value.suggested_filename == "page-03.jpeg"
    assert state("pdf")["conversions"][0]["status"] == "done"


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"GIF89a", "This file is not a PDF."), (b"%PDF-1.7 broken", "not a PDF, or it is damaged")],
)
def test_pdf_says_why_a_file_cannot_be_converted(page: Page, site: PracticeSite, content: bytes, message: str) -> None:
    page.goto(site.page_url("pdf"))
    page.locator("#file").set_input_files({"name": "x.pdf", "mimeType": "application/pdf", "buffer": content})
    page.get_by_role("button", name="Convert").click()
    expect(page.get_by_role("alert")).to_contain_text(message)
    expect(page.get_by_role("button", name="Convert")).to_be_enabled()


def test_pdf_that_is_too_large_is_not_even_sent(page: Page, site: PracticeSite, state: State, tmp_path: Path) -> None:
    large = tmp_path / "large.pdf"
    with large.open("wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)
    page.goto(site.page_url("pdf"))
    page.locator("#file").set_input_files(large)
    expect(page.get_by_role("alert")).to_contain_text("too large")
    expect(page.get_by_role("button", name="Convert")).to_be_disabled()
    assert state("pdf")["refused"] == 0


def test_captcha_lets_in_who_picks_and_drags(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(site.page_url("captcha"))
    expect(page.get_by_role("heading", name="Verify you are human")).to_be_visible()
    expect(page.get_by_role("button", name="Continue")).to_have_count(0)
    wanted = next(kind for kind, words in KINDS.items() if words == page.locator(".captcha-head strong").inner_text())
    looks = {
        Client(site.start()).get(f"/static/images/captcha/{kind}-{look}.svg").text: kind
        for kind in KINDS
        for look in (1, 2)
    }
    for tile in page.get_by_role("button", name=re.compile("Picture")).all():
        look = tile.locator("img").evaluate("image => fetch(image.src).then(reply => reply.text())")
        if looks[look] == wanted:
            tile.click()
    knob, slider = page.get_by_role("slider").bounding_box(), page.locator("#slider").bounding_box()
    assert knob
    assert slider
    page.mouse.move(knob["x"] + 20, knob["y"] + 20)
    page.mouse.down()
    page.mouse.move(slider["x"] + slider["width"], knob["y"] + 20, steps=8)
    page.mouse.up()
    page.get_by_role("button", name="Verify").click()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Welcome inside")).to_be_visible()
    assert state("captcha")["sessions"]["1"] == {"attempts": 1, "solved": True, "entered": True}


def test_captcha_says_when_it_was_not_right(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(site.page_url("captcha"))
    with held(page, site.page_url("captcha")):  # it loads itself again a moment later
        page.get_by_role("button", name="Verify").click()
        expect(page.get_by_role("alert")).to_contain_text("try again")
    assert state("captcha")["solved"] is False


def test_report_sorts_filters_and_loads_older_figures(page: Page, site: PracticeSite, state: State) -> None:
    page.goto(site.page_url("report"))
    months = page.get_by_role("table", name="Sales by month")
    first = months.locator("tbody tr:visible").first
    by_profit = sorted(state("report")["months"][:24], key=lambda month: month["profit"])
    months.get_by_role("button", name="Profit").click()
    expect(first.get_by_role("rowheader")).to_have_text(by_profit[0]["label"])
    months.get_by_role("button", name="Profit").click()
    expect(first.get_by_role("rowheader")).to_have_text(by_profit[-1]["label"])
    page.get_by_label("Year").select_option("2025")
    expect(months.locator("tbody tr:visible")).to_have_count(12)
    with held(page, "**/report/api/older"):
        page.get_by_role("button", name="Load older figures").click()
        expect(page.get_by_role("button", name="Loading…")).to_be_disabled()
    expect(months.locator("tbody tr")).to_have_count(36)
    expect(months.locator("tbody tr:visible")).to_have_count(12)
    page.get_by_label("Year").select_option("2024")
    best = max(state("report")["months"][24:], key=lambda month: month["profit"])
    expect(first.get_by_role("rowheader")).to_have_text(best["label"])
    assert state("report")["older_loads"] == 1
    rates = page.frame_locator("iframe").get_by_role("row", name="Swiss franc").get_by_role("cell")
    expect(rates).to_have_text(["CHF", "0.8842", "0.8817"])
    regions = page.get_by_role("table", name=re.compile("Revenue by region"))
    expect(regions.get_by_role("columnheader", name="First half")).to_have_attribute("colspan", "2")
    expect(regions.get_by_role("rowheader", name="Total")).to_be_visible()


@pytest.mark.parametrize("name", ["home", *PAGE_NAMES])
@pytest.mark.parametrize("width", [1280, 420])
def test_no_page_is_wider_than_the_window_or_breaks_its_own_rules(
    page: Page, site: PracticeSite, name: str, width: int
) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(site.page_url(name), wait_until="networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelectorAll('h1').length") == 1
    assert complaints == []
