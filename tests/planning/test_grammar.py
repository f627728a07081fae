# ruff: noqa: E501 - goals are quoted as they are typed
"""What people write and what it is taken for; each canonical sentence is read back as the same instruction."""

from __future__ import annotations

from datetime import date

import pytest

from operative_app.core.errors import NotUnderstood
from operative_app.planning.builtin.decomposing import decompose
from operative_app.planning.builtin.grammar import read_goal, read_instruction
from operative_app.planning.builtin.instruction import FillForm, FormGoal, Leave, Several, sentence

TODAY = date(2026, 11, 30)


def meanings(goal: str) -> list[str]:
    """The canonical sentences of a goal; known task shapes in short."""
    found = []
    for one in read_goal(goal, TODAY):
        match one.meaning:
            case FormGoal(verb, thing, slots, options, item, preference):
                parts = [f"{slot}={value}" for slot, value in slots] + [f"+{option}" for option in options]
                found.append(" ".join([verb, item or thing, *parts, *([f"<{preference}>"] if preference else [])]))
            case FillForm(pairs):
                found.append("fill " + "; ".join(f"{label}={value}" for label, value in pairs))
            case Several(steps):
                found += [sentence(step) for step in steps]
            case Leave(what):
                found.append(f"not: {what}")
            case instruction:
                found.append(sentence(instruction))
    return found


CASES: list[tuple[str, list[str]]] = [
    # opening
    ("Open https://example.org/a?b=c.", ["Open https://example.org/a?b=c"]),
    ("go to example.org/path, please", ["Open example.org/path"]),
    ("Visit www.example.com!", ["Open www.example.com"]),
    ("navigate to practice:shop", ["Open practice:shop"]),
    ("open localhost:8080/x in a new tab", ["Open localhost:8080/x in a new tab"]),
    ("Open “https://example.org/with (brackets)”", ["Open “https://example.org/with (brackets)”"]),
    ("open 127.0.0.1:9000", ["Open 127.0.0.1:9000"]),
    ("(see https://example.org/a_(b))", []),
    ("On practice:shop, search for lamps", ["Open practice:shop", "Search for “lamps”"]),
    ("At example.org: press Sign up", ["Open example.org", "Press “Sign up”"]),
    ("search for lamps on example.org", ["Open example.org", "Search for “lamps”"]),
    ("Go to the settings page", ["Go to “settings”"]),
    ("go to checkout", ["Go to “checkout”"]),
    ("check out", ["Go to “checkout”"]),
    ("then proceed to the check-out", ["Go to “checkout”"]),
    ("go back", ["Go back"]),
    ("return to the previous page", ["Go back"]),
    # searching
    ("search for a Mac mini", ["Search for “Mac mini”"]),
    ("Search the shop for a blue lamp", ["Search for “blue lamp”"]),
    ("look for salt and pepper", ["Search for “salt and pepper”"]),
    ('search for "The Who"', ["Search for “The Who”"]),
    ("find cheap lamps", ["Search for “cheap lamps”"]),
    (
        "search for Black and Decker and open the second result",
        ["Search for “Black and Decker”", "Open the second result"],
    ),
    ("search for books by Ada, Grace, and Katherine", ["Search for “books by Ada, Grace, and Katherine”"]),
    ("search for engines in the catalogue field", ["Search for “engines” in “catalogue”"]),
    # pressing
    ("click Save", ["Press “Save”"]),
    ("Could you please click on the Contact link, thanks!", ["Press the link “Contact”"]),
    ("I want you to go ahead and press the button “Add to cart”", ["Press the button “Add to cart”"]),
    ("tap Sign up", ["Press “Sign up”"]),
    ("press Edit in the second row", ["Press “Edit” in the second row"]),
    ("press the second Edit under Billing", ["Press the second “Edit” under “Billing”"]),
    ("click Delete in the row for Elm SA", ["Press “Delete” in the row “Elm SA”"]),
    ("click Save next to Company name", ["Press “Save” next to “Company name”"]),
    ("press OK in the dialog", ["Press “OK” in the dialog"]),
    ("In the dialog, press Delete", ["Press “Delete” in the dialog"]),
    ("Under Billing, press Edit", ["Press “Edit” in “Billing”"]),
    ("press Buy for Mac mini 512 GB", ["Press “Buy” for “Mac mini 512 GB”"]),
    ("press “Save and close”", ["Press “Save and close”"]),
    ("press 'it's done'", ["Press “it's done”"]),
    ("open the first result", ["Open the first result"]),
    ("open the last row", ["Open the last row"]),
    ("open result 3", ["Open the third result"]),
    ("Sort by price and open the cheapest", ["Sort by “price”", "Open the cheapest item"]),
    ("open the cheapest flight", ["Open the cheapest item"]),
    ("select the third result", ["Press the third result"]),
    ("open the Reviews tab", ["Open the tab “Reviews”"]),
    ("delete the second row", ["Press “delete” in the second row"]),
    ("pay invoice 4217", ["Press “pay” for “invoice 4217”"]),
    ("approve request 12 of Dana", ["Press “approve” for “request 12 of Dana”"]),
    ("log out", ["Press “log out”"]),
    ("double-click the file “a and b.txt”", ["Double-click the item “a and b.txt”"]),
    ("right-click the chart", ["Right-click “chart”"]),
    ("hover over Products", ["Point at “Products”"]),
    ("drag the Blue card to the Done column", ["Drag “Blue card” onto “Done column”"]),
    ("drag and drop Apples onto Cheese", ["Drag “Apples” onto “Cheese”"]),
    (
        "click into Notes, select all, copy, and paste it into Copy",
        ["Press “Notes”", "Select all", "Copy what is selected", "Press “Copy”", "Paste"],
    ),
    ("take a screenshot", ["Take a picture of the screen"]),
    ("copy the price of the lamp", ["Tell “price of the lamp”"]),
    ("press Enter", ["Press the key Enter"]),
    ("press Ctrl + A in the Title field", ["Press the key Control+A in “Title”"]),
    ("hit the Escape key", ["Press the key Escape"]),
    ("press Delete", ["Press “Delete”"]),
    ("press the key Delete", ["Press the key Delete"]),
    ("press Home", ["Press “Home”"]),
    # entering
    ("type hello into the Title field", ["Enter “hello” in “Title”"]),
    ("enter ada@example.org as e-mail", ["Enter “ada@example.org” in “e-mail”"]),
    ("write “Hello,\n  Ada” in Message", ["Enter “Hello,⏎Ada” in “Message”"]),
    ("press “Add to\ncart”", ["Press “Add to cart”"]),
    ("write “Hello, and ‘bye’” in Message", ["Enter “Hello, and ‘bye’” in “Message”"]),
    ('type "1,299.00 in total" in Amount', ["Enter “1,299.00 in total” in “Amount”"]),
    ("type a day in Paris in Title", ["Enter “a day in Paris” in “Title”"]),
    ("set Country to Germany", ["Enter “Germany” in “Country”"]),
    ("set the date to 15 March", ["Enter “15 March 2027” in “date”"]),
    ("change Seats to 5", ["Enter “5” in “Seats”"]),
    ("put 5 in Quantity and press Enter", ["Enter “5” in “Quantity”", "Press the key Enter"]),
    ("fill in Name with Ada Lovelace", ["Enter “Ada Lovelace” in “Name”"]),
    ("type hello", ["Enter “hello” in the focused field"]),
    (
        "fill in the form with name Ada Lovelace, e-mail ada@example.org and city London, then submit it",
        ["fill name=Ada Lovelace; e-mail=ada@example.org; city=London", "Submit the form"],
    ),
    (
        "Fill in: Name: Ada, Message: Hello, how are you, City: London",
        ["fill Name=Ada; Message=Hello, how are you; City=London"],
    ),
    ("fill out the form with title “A, B and C” and note “x”", ["fill title=A, B and C; note=x"]),
    # choosing
    ("choose 512 GB", ["Choose “512 GB”"]),
    ("choose Large for Size", ["Choose “Large” for “Size”"]),
    ("select Express from the delivery dropdown", ["Choose “Express” for “delivery”"]),
    ("pick the blue one", ["Choose “blue”"]),
    ("choose Rock and Roll", ["Choose “Rock and Roll”"]),
    ("tick I agree", ["Tick “I agree”"]),
    ("check “Send me news, offers and more”", ["Tick “Send me news, offers and more”"]),
    ("uncheck the Newsletter checkbox", ["Untick “Newsletter”"]),
    ("turn on dark mode", ["Tick “dark mode”"]),
    ("turn notifications off", ["Untick “notifications”"]),
    ("set Dark mode to on", ["Tick “Dark mode”"]),
    ("accept the terms and conditions", ["Tick “terms and conditions”"]),
    # cart, forms
    ("add it to the cart", ["Add it to the cart"]),
    ("put a Mac mini in my basket", ["Add “Mac mini” to the basket"]),
    ("add to cart", ["Add it to the cart"]),
    ("submit", ["Submit the form"]),
    ("Save the changes", ["Save the changes"]),
    ("send it", ["Send the form"]),
    ("then place the order", ["Finish: place the order"]),
    ("confirm my booking", ["Finish: confirm the booking"]),
    ("sort by price, low to high", ["Sort by “price”, lowest first"]),
    ("sort the results by date (newest first)", ["Sort by “date”, highest first"]),
    ("reject cookies", ["Dismiss “reject cookies”"]),
    ("close the popup", ["Dismiss “popup”"]),
    # moving, waiting, tabs, people
    ("scroll down", ["Scroll down"]),
    ("scroll to the bottom of the page", ["Scroll to the bottom"]),
    ("scroll to Reviews", ["Scroll to “Reviews”"]),
    ("wait for “Order complete”", ["Wait for “Order complete”"]),
    ("wait until Results appears", ["Wait for “Results”"]),
    ("wait until the spinner disappears", ["Wait until “spinner” is gone"]),
    ("switch to the second tab", ["Switch to the second tab"]),
    ("close the tab", ["Close the current tab"]),
    ("open a new tab", ["Open a new tab"]),
    ("upload my CV", ["You: choose the cv"]),
    ("choose the file report.pdf", ["You: choose the “report.pdf”"]),
    ("sign in (the person)", ["You: sign in"]),
    ("log in as dana", ["You: sign in"]),
    ("let me solve the puzzle", ["You: “solve the puzzle”"]),
    # reading
    ("tell me the revenue for March", ["Tell “revenue for March”"]),
    ("What is the price of the Mac mini?", ["Tell “price of the Mac mini”"]),
    ("how much is the Cup Blue?", ["Tell “price of Cup Blue”"]),
    ("read the total", ["Tell “total”"]),
    ("find out the balance", ["Tell “balance”"]),
    ("get the amount of invoice 7", ["Tell “amount of invoice 7”"]),
    ("How many results are there?", ["Count “results”"]),
    ("count the rows", ["Count “rows”"]),
    ("check that “Thank you” is shown", ["Check that “Thank you” is shown"]),
    ("make sure the page does not say Error", ["Check that “Error” is not shown"]),
    # known task shapes
    (
        "book a flight from SFO to JFK on 15 March for Ada Lovelace",
        ["book flight origin=SFO destination=JFK date=15 March 2027 passenger=Ada Lovelace"],
    ),
    (
        "Please book the cheapest flight from San Francisco to New York tomorrow for Ada",
        ["book flight origin=San Francisco destination=New York date=1 December 2026 passenger=Ada <cheapest>"],
    ),
    (
        "book a table for 4 people next Friday at 19:00 under the name Ada Lovelace",
        ["book table date=4 December 2026 time=19:00 people=4 name=Ada Lovelace"],
    ),
    ("subscribe with ada@example.org", ["subscribe  e-mail=ada@example.org"]),
    ("subscribe to the newsletter with ada@example.org", ["subscribe newsletter e-mail=ada@example.org"]),
    (
        "create a private repository named engine-notes with description “Notes, on engines and looms”",
        ["create repository visibility=private name=engine-notes description=Notes, on engines and looms"],
    ),
    ("convert my PDF to PNG images", ["convert PDF format=PNG"]),
    (
        "order a large Margherita with extra cheese, olives and mushrooms, then place the order",
        ["order Margherita +large +extra cheese +olives +mushrooms", "Finish: place the order"],
    ),
    (
        "buy 2 Mac minis with 512 GB from practice:shop but do not place the order",
        ["Open practice:shop", "buy Mac minis quantity=2 +512 GB", "not: place the order"],
    ),
    (
        "search for flights from Berlin to Rome on 3 May",
        ["search flights origin=Berlin destination=Rome date=3 May 2027"],
    ),
    # several at once
    (
        "1. Open example.org\n2. Type “x. y; then z” into Title\n3) Press Save",
        ["Open example.org", "Enter “x. y; then z” in “Title”", "Press “Save”"],
    ),
    (
        "First open example.com, next click Sign up, finally go back.",
        ["Open example.com", "Press “Sign up”", "Go back"],
    ),
    ("OPEN EXAMPLE.COM THEN PRESS SAVE", ["Open EXAMPLE.COM", "Press “SAVE”"]),
    ("- open example.org\n- press Save", ["Open example.org", "Press “Save”"]),
    ("press Save; press Close. Go back!", ["Press “Save”", "Press “Close”", "Go back"]),
]
CASES = [case for case in CASES if case[1]]


@pytest.mark.parametrize(("goal", "expected"), CASES, ids=[goal[:60] for goal, _ in CASES])
def test_goal_is_understood(goal: str, expected: list[str]) -> None:
    assert meanings(goal) == expected


@pytest.mark.parametrize("goal", [goal for goal, _ in CASES])
def test_canonical_sentence_means_the_same(goal: str) -> None:
    for one in read_goal(goal, TODAY):
        if not isinstance(one.meaning, FormGoal | FillForm | Several | Leave):
            assert read_instruction(sentence(one.meaning), TODAY) == one.meaning


NOT_UNDERSTOOD: list[tuple[str, str]] = [
    ("", ""),
    ("   \n ", ""),
    ("frobnicate the widget", "frobnicate the widget"),
    ("Open example.org, press Save and frobnicate the widget", "frobnicate the widget"),
    ("asdf qwer", "asdf qwer"),
    ("Öffne die Seite und klicke auf Speichern", "Öffne die Seite und klicke auf Speichern"),
    ("Busca el precio del billete", "Busca el precio del billete"),
    ("press Save if the price is below 500", "if the price is below 500"),
    ("press Like for every post", "for every post"),
    ("Open example.org. Make me rich", "Make me rich"),
    ("do not place the order", "do not place the order"),
    ("press Save, then do not press “Save”", "do not press “Save”"),
    ("do not tick Gift wrap, enter “Ada” in Name and tick Gift wrap", "do not tick Gift wrap"),
    ("wait 3 seconds", "wait 3 seconds"),
    ("book a flight from SFO to JFK on 31 February", "31 February"),
    ("compare the two offers", "compare the two offers"),
    ("Subscribe to the newsletter with my e-mail", "my e-mail"),
    ("enter my phone number in Phone", "my phone number"),
    ("enter the code and verify", "enter the code"),
    ("x" * 9000, "x" * 80 + "…"),
    ("👍", "👍"),
    ("fill in the form with whatever fits", "fill in the form with whatever fits"),
]


@pytest.mark.parametrize(("goal", "part"), NOT_UNDERSTOOD, ids=[goal[:40] or "empty" for goal, _ in NOT_UNDERSTOOD])
def test_part_not_understood_is_named_in_the_persons_words(goal: str, part: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        read_goal(goal, TODAY)
    assert caught.value.part == part


@pytest.mark.parametrize(
    ("goal", "tasks"),
    [
        (
            "place the order with name Ada Lovelace, phone 555 0100, address 12 Harbour Street",
            ["Provide name: “Ada Lovelace”", "Provide phone: “555 0100”", "Provide address: “12 Harbour Street”", "Finish: place the order"],
        ),
        (
            "customise the Margherita, choose Large, review the order and place the order",
            ["Press “customise” for “Margherita”", "Choose “Large”", "Press “review” for “order”", "Finish: place the order"],
        ),
        ("search for lamps and compare “Lamp Two”", ["Search for “lamps”", "Press “compare” for “Lamp Two”"]),
    ],
)  # fmt: skip
def test_the_label_of_a_control_is_pressed(goal: str, tasks: list[str]) -> None:
    assert [task.goal for task in decompose(goal, read_goal(goal, TODAY)).plan.leaves()] == tasks


@pytest.mark.parametrize("goal", ["compare “Lamp Two”", "search for lamps and compare the prices"])
def test_what_has_to_be_judged_is_refused(goal: str) -> None:
    with pytest.raises(NotUnderstood):
        read_goal(goal, TODAY)
