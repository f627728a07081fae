# ruff: noqa: E501 - goals are quoted as they are typed
"""Goals on pages the planner knows nothing about, in a real browser, from the words to the effect on the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest

from operative_app.core.plan import TaskStatus
from operative_app.core.requests import HandOffKind
from operative_app.core.screen import ScreenState
from operative_app.planning.builtin.planner import BuiltinPlanner
from operative_app.planning.port import HandOver
from operative_app.surfaces.browser.surface import ManagedBrowser
from tests.planning.conftest import SharedBrowser
from tests.planning.driver import Drive
from tests.planning.site import serving

TODAY = date(2026, 11, 30)
SAMPLE = Path(__file__).parent / "pages" / "cv.txt"


@dataclass(frozen=True)
class Scenario:
    """A goal, and what the page must say afterwards (and must not)."""

    name: str
    page: str
    goal: str
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    told: str = ""
    handed: tuple[HandOffKind, ...] = ()
    fails_with: str = ""
    is_hopeless: bool = False
    """Something it names is not there: nothing is waited for long."""


SCENARIOS = [
    Scenario(
        "a shop in German behind a cookie notice",
        "keramik.html",
        "Look for cup, open the second result, pick M for Größe, put it in the basket and then go to the checkout",
        says=("Bestellt wird: Cup Sand M", "Cookies: none"),
        never=("Cookies: all",),
    ),
    Scenario(
        "the cheapest of a shop",
        "keramik.html",
        "Please open the cheapest result, then add it to the cart.",
        says=("Cup Sand liegt im Warenkorb",),
    ),
    Scenario(
        "a journey with the cheapest train, and what only the person knows is asked",
        "rail.html",
        "Book the cheapest train from York to Leeds on 3 May for Grace Hopper",
        says=("Ticket: York to Leeds on 2027-05-03 at 08:30 for Grace Hopper, phone 0123",),
        answers={"Mobile": "0123", "conditions": "Yes"},
    ),
    Scenario(
        "a form of an intranet",
        "leave.html",
        "Choose Holiday for kind of leave, set First day to 21 December, set Last day to 31 December 2026, enter 2 as half days,"
        ' type “Grace Hopper” into the Substitute field, write "Back in January, and rested" in Remarks, untick “Tell my team”,'
        " then send the request.",
        says=("holiday | 2026-12-21 | 2026-12-31 | 2 | Grace Hopper | Back in January, and rested | team not told",),
    ),
    Scenario(
        "a form filled from a list",
        "leave.html",
        "Fill in the form with first day 2026-12-21, last day: 2026-12-22 and remarks “short, but sweet”; then press Send request",
        says=("2026-12-21 | 2026-12-22 | 0 |", "short, but sweet"),
    ),
    Scenario(
        "duplicates told apart by their section",
        "settings.html",
        "Under Billing, press Edit. Click Edit in the Security section, then turn on dark mode and untick Weekly summary.",
        says=("[edit billing] [edit security] [dark true] [weekly false]",),
        never=("edit profile",),
    ),
    Scenario(
        "a list drawn by the page, a stepper and the right save button",
        "settings.html",
        "set the time zone to Tokyo, set seats to 5 and save the changes",
        says=("[zone Tokyo] [seats 4] [seats 5] [saved preferences]",),
        never=("header save",),
    ),
    Scenario(
        "duplicates without a telling word are asked about",
        "settings.html",
        "press Edit",
        says=("[edit security]",),
        answers={"called “Edit”": "Security"},
    ),
    Scenario(
        "a row of a table by what it says",
        "invoices.html",
        "Pay invoice 4217, then download the third invoice and press Pay in the row for Cedar GmbH",
        says=("paid 4217; downloaded 4217; paid 4216;",),
        never=("paid 4215",),
    ),
    Scenario("a cell by row and column", "invoices.html", "Tell me the amount for Fir plc", told="€2,100.00"),
    Scenario("a sum", "invoices.html", "What is the total?", told="€5,412.90"),
    Scenario("a term and its value", "invoices.html", "find out the balance", told="€12,004.17"),
    Scenario("a label with its value in one text", "invoices.html", "read the next statement", told="1 January 2027"),
    Scenario("how many", "invoices.html", "how many invoices are there?", told="6"),
    Scenario(
        "a calendar with lists for month and year",
        "guesthouse.html",
        "Reserve a room on 24 April 2027 for 3 guests under the name Ada Lovelace with half board and the e-mail ada@example.org",
        says=("reserved: 2027-4-24 | 3 | Ada Lovelace | ada@example.org | Half board",),
    ),
    Scenario(
        "a day that cannot be chosen",
        "guesthouse.html",
        "set Check-in to 1 April 2027",
        fails_with="1 April 2027 cannot be chosen",
    ),
    Scenario(
        "a form in a dialog with a list of its own",
        "tracker.html",
        "Create an issue titled “Crash, at night” with description 'It dies and says \"no\"' and priority High",
        says=('Issue created: Crash, at night | It dies and says "no" | High',),
    ),
    Scenario(
        "things inside a shadow root, and a menu that is closed",
        "tracker.html",
        "press Close for “Slow export”, then open Archive",
        says=("closed Slow export; archive opened;",),
    ),
    Scenario("a search answered with Enter", "tracker.html", "search for engines", says=("1 hit for engines",)),
    Scenario(
        "results that come late, sorted, and a human check in between",
        "library.html",
        "Search for engine, sort by year, newest first, and press Hold in the first result",
        says=("Hold placed: Engine Notes",),
        handed=(HandOffKind.CAPTCHA,),
    ),
    Scenario(
        "a tab and a number of results",
        "library.html",
        "open the Music tab, search for engine and count the titles",
        says=("tab Music;",),
        told="3",
    ),
    Scenario(
        "a file behind a button, chosen by the person",
        "upload.html",
        "Enter Ada Lovelace as full name, upload my CV and submit the application",
        says=("Application received: Ada Lovelace | cv.txt",),
        handed=(HandOffKind.FILE,),
    ),
    Scenario(
        "a slip of the pen is forgiven",
        "tracker.html",
        "press Nwe isue",
        says=("Create issue",),
        fails_with="",
    ),
    Scenario(
        "a form of an office: a date in three lists and one in three fields, several fields in one clause",
        "permit.html",
        "fill in the form: full name Ada Lovelace, email ada@example.org, date of birth 10 December 1990; choose Plants,"
        " set When does it start to 3 May 2027, tick I confirm and submit the application",
        says=("Application received: Ada Lovelace | ada@example.org | 1990-12-10 | plants | 2027-5-3 |",),
    ),
    Scenario(
        "what a form needs is asked for before it is sent, and taken from later parts of the goal",
        "permit.html",
        "press Submit application, enter Ada Lovelace in full name, set date of birth to 1 February 1985, tick I confirm",
        says=("Application received: Ada Lovelace | ada@example.org | 1985-2-1 |",),
        answers={"Email address": "ada@example.org"},
        never=("There is a problem",),
    ),
    Scenario(
        "details said with the verb that sends the form",
        "permit.html",
        "submit the application with full name Ada Lovelace, email ada@example.org, date of birth 10 December 1990",
        says=("Application received: Ada Lovelace | ada@example.org | 1990-12-10 |",),
        answers={"confirm": "Yes"},
    ),
    Scenario(
        "what the page does not accept is asked for anew, and nothing else",
        "mail.html",
        'write a message to grace@example.com, subject Hello, message "How are you, Grace?", send it',
        says=("sent to grace@example.org | Hello | How are you, Grace?",),
        answers={"does not accept “grace@example.com” as “To”": "grace@example.org"},
    ),
    Scenario(
        "mails by sender, place and title",
        "mail.html",
        "star the message from Ada Lovelace, archive Lunch on Friday and delete the last message",
        says=("starred Engine drawings; archived Lunch on Friday?; deleted Engine drawings;",),
    ),
    Scenario(
        "a mail is opened by its sender and answered",
        "mail.html",
        "open the mail from Grace Hopper and press Reply, enter “Thank you, Grace” as message and send it",
        says=("reply; sent to grace.hopper@example.org | Re: Compiler notes | Thank you, Grace;",),
    ),
    Scenario(
        "a message of several lines",
        "mail.html",
        'press New message, fill in To: ada@example.org, Subject: "Two\nlines" and Message: "Dear Ada,\n\n  thank you.\nGrace", press Send',
        says=("sent to ada@example.org | Two lines | Dear Ada,⏎⏎thank you.⏎Grace;",),
    ),
    Scenario("mails are counted", "mail.html", "how many messages are there?", told="Messages: 4"),
    Scenario(
        "a section of an article, and the control inside its heading",
        "wiki.html",
        "press edit in the History section, then click The dam and press edit next to The dam",
        says=("opened edit The dam",),
    ),
    Scenario(
        "the row with the highest value, and a box of facts",
        "wiki.html",
        "which species has the highest catch? what's the maximum depth?",
        told="Char (54) Maximum depth: 61 m",
    ),
    Scenario(
        "settings behind tabs that the words name",
        "account.html",
        "turn dark mode on and turn push messages on in the notifications tab, set frequency to Weekly and save changes",
        says=("[Dark mode on] [Push messages on] [frequency Weekly] [saved notifications]",),
    ),
    Scenario("whether a switch is on", "account.html", "is dark mode on?", told="off"),
    Scenario(
        "the cheapest of a journey is asked about, nothing is booked",
        "rail.html",
        "cheapest train from york to leeds on 3 may?",
        told="08:30",
        never=("Ticket:",),
        is_hopeless=True,
    ),
    Scenario(
        "details in any order, dates first",
        "leave.html",
        "request leave from 21 december to 31 december, sick leave",
        says=("Request sent: sick | 2026-12-21 | 2026-12-31 |",),
    ),
    Scenario("an invoice by its customer", "invoices.html", "pay the invoice of cedar", says=("paid 4216;",)),
    Scenario(
        "what is not there is named, with what is",
        "invoices.html",
        "press Dowlnoad all as ZIP",
        fails_with="There is no “Dowlnoad all as ZIP”",
    ),
]


async def as_person(browser: ManagedBrowser, state: ScreenState, handover: HandOver) -> None:
    """What the person does when asked."""
    if handover.why is HandOffKind.CAPTCHA:
        box = next(one for one in state.elements if "robot" in one.name)
        await browser.click(state.ref(box))
    elif handover.why is HandOffKind.FILE:
        assert handover.target is not None
        await browser.choose_files([str(SAMPLE)], handover.target)
    else:
        raise AssertionError(handover.reason)


async def carry_out(scenario: Scenario, browser: ManagedBrowser) -> Drive:
    with serving() as address:
        await browser.navigate(f"{address}/{scenario.page}")
        drive = Drive(
            BuiltinPlanner(lambda: TODAY), browser, scenario.goal, as_person, scenario.answers,
            is_hopeless=scenario.is_hopeless or bool(scenario.fails_with),
        )  # fmt: skip
        return await drive.run()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[one.name for one in SCENARIOS])
def test_goal_on_a_page_never_seen(
    scenario: Scenario, shared_browser: SharedBrowser, request: pytest.FixtureRequest
) -> None:
    on: SharedBrowser = shared_browser
    if HandOffKind.FILE in scenario.handed:
        on = request.getfixturevalue("own_browser")
    drive = on.run(carry_out(scenario, on.browser))
    story = "\n".join(drive.log)
    assert drive.state is not None
    if scenario.fails_with:
        assert any(scenario.fails_with in failure for failure in drive.failures), f"{drive.failures}\n{story}"
        return
    assert not drive.failures, f"{drive.failures}\n{story}"
    shown = " ".join([drive.state.all_text, *(one.name for one in drive.state.elements)])
    for words in scenario.says:
        assert words in shown, f"{words!r} is not in {shown}\n{story}"
    for words in scenario.never:
        assert words not in shown, f"{words!r} is in {shown}\n{story}"
    assert scenario.told in " ".join(drive.answer), f"{drive.answer}\n{story}"
    assert tuple(one.why for one in drive.handovers) == scenario.handed
    assert set(drive.statuses.values()) <= {TaskStatus.DONE, TaskStatus.UNVERIFIED}
