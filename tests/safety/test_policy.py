"""Verdicts: what is asked about, what is not, what is denied."""

from __future__ import annotations

import pytest

from operative_app.actions.browser import CloseTab, ExecuteJs, Fill, GetText, Navigate, NewTab, SelectOption
from operative_app.actions.composite import FieldEntry, FillForm, Login
from operative_app.actions.declare import Action
from operative_app.actions.finding import ScrollToFind
from operative_app.actions.keyboard import Copy, Cut, Hotkey, Paste, PressKey, TypeText
from operative_app.actions.mouse import Click, ClickElement, Drag, MouseDown, MouseUp, Scroll
from operative_app.actions.system import (
    CloseApp,
    FileDialog,
    OpenApp,
    ReadClipboard,
    RunCommand,
    SwitchApp,
    TakeScreenshot,
    WriteClipboard,
)
from operative_app.core.run import Oversight
from operative_app.core.screen import ElementState, ScreenState
from operative_app.safety.policy import Decision, Policy, Verdict, decide, may_allow_kind
from operative_app.safety.risk_words import Kind
from operative_app.safety.risks import risky_controls
from tests.safety.screens import desktop, element, screen, text


def verdict_on_click(name: str, role: str = "button", oversight: str = "risky", **fields: object) -> Verdict:
    state = screen(element(name, role, **fields))
    return decide(ClickElement(target=state.ref(state.elements[0])), state, Policy(oversight=Oversight(oversight)))


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Place order", "payment"),
        ("Place your order", "payment"),
        ("Pay $20", "payment"),
        ("Buy now", "payment"),
        ("Book and pay", "payment"),
        ("Complete purchase", "payment"),
        ("Confirm order", "payment"),
        ("Donate", "payment"),
        ("Zahlungspflichtig bestellen", "payment"),
        ("Jetzt kaufen", "payment"),
        ("Acheter", "payment"),
        ("Comprar ahora", "payment"),
        ("立即购买", "payment"),
        ("Book", "booking"),
        ("Book now", "booking"),
        ("Reserve a table", "booking"),
        ("Jetzt buchen", "booking"),
        ("Create account", "account"),
        ("Create your account", "account"),
        ("Sign up", "account"),
        ("Register", "account"),
        ("Close my account", "account"),
        ("Create repository", "creation"),
        ("Publish", "creation"),
        ("Send", "message"),
        ("Send message", "message"),
        ("Nachricht senden", "message"),
        ("Post", "message"),
        ("Delete", "deletion"),
        ("Delete repository", "deletion"),
        ("Löschen", "deletion"),
        ("Cancel my subscription", "deletion"),
        ("Grant access", "permission"),
        ("Allow", "permission"),
        ("Accept all", "consent"),
        ("I agree to the terms", "consent"),
        ("Alle akzeptieren", "consent"),
    ],
)
def test_what_commits_a_person_is_asked_about(label: str, kind: str) -> None:
    verdict = verdict_on_click(label)
    assert (verdict.decision, verdict.kind) == (Decision.CONFIRM, kind)
    assert verdict.is_risky
    assert verdict.reason
    assert verdict.effect


@pytest.mark.parametrize(
    "label",
    [
        "Search", "Add to cart", "Go to checkout", "Checkout", "Continue", "Next", "Contact", "Subscribe", "New",
        "Sign in", "Convert", "Select", "Choose 512 GB", "Remove", "Order history", "Your orders", "Bookmarks",
        "Booking details", "Payments", "Payment method", "Accept only necessary cookies", "Reject optional",
        "Customise",
        "Add to order", "Review order", "Send code", "Postcode", "PayPal", "Creative", "Close", "Cancel", "Edit",
    ],
)  # fmt: skip
def test_what_does_not_commit_anybody_is_not(label: str) -> None:
    assert verdict_on_click(label).decision is Decision.ALLOW


def test_a_link_that_only_leads_to_a_page_is_judged_there() -> None:
    plain = verdict_on_click("Book now", "link", href="https://site.test/book")
    acting = verdict_on_click("Delete", "link", href="https://site.test/delete/1")
    script = verdict_on_click("Pay now", "link", href="javascript:pay()")
    assert [one.decision for one in (plain, acting, script)] == ["allow", "confirm", "confirm"]


def test_text_fields_and_options_are_not_buttons() -> None:
    state = screen(element("Pay", "textbox", states={ElementState.EDITABLE}), element("Buy", "combobox"))
    pay, buy = (state.ref(one) for one in state.elements)
    assert decide(Fill(target=pay, text="x"), state, Policy()).decision is Decision.ALLOW
    assert decide(SelectOption(target=buy, option="x"), state, Policy()).decision is Decision.ALLOW


def test_enter_in_a_form_counts_as_its_button() -> None:
    form = ("Checkout",)
    state = screen(
        element("Card", "textbox", context=form),
        element("Pay now", context=form),
        element("Delete", context=("Elsewhere",)),
    )
    ref = state.ref(state.elements[0])
    assert decide(PressKey(key="Enter", target=ref), state, Policy()).kind is Kind.PAYMENT
    assert decide(PressKey(key="Tab", target=ref), state, Policy()).decision is Decision.ALLOW
    focused = state.model_copy(update={"focus": "Card"})
    assert decide(PressKey(key="Enter"), focused, Policy()).kind is Kind.PAYMENT
    assert decide(PressKey(key="Enter"), state, Policy()).decision is Decision.ALLOW
    assert decide(PressKey(key="Enter", target=state.ref(state.elements[1])), state, Policy()).kind is Kind.PAYMENT


def test_enter_in_a_search_field_is_a_search() -> None:
    state = screen(element("Search", "searchbox"), element("Buy now"))
    action = PressKey(key="Enter", target=state.ref(state.elements[0]))
    assert decide(action, state, Policy()).decision is Decision.ALLOW


def test_what_is_declared_irreversible_is_asked_about() -> None:
    assert decide(CloseTab(tab_id=1), screen(), Policy()).kind is Kind.IRREVERSIBLE


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "chrome://settings"])
@pytest.mark.parametrize("oversight", list(Oversight))
def test_other_schemes_are_denied_at_every_level(url: str, oversight: Oversight) -> None:
    verdict = decide(Navigate(url=url), screen(), Policy(oversight=oversight))
    assert (verdict.decision, verdict.rule) == (Decision.DENY, "address")


def test_every_step_asks_for_all_but_reading() -> None:
    policy = Policy(oversight=Oversight.EVERY)
    assert decide(Navigate(url="https://a.test/"), screen(), policy).decision is Decision.CONFIRM
    assert decide(GetText(), screen(), policy).decision is Decision.ALLOW


def test_never_asking_still_knows_what_is_risky() -> None:
    verdict = verdict_on_click("Pay now", oversight="none")
    assert (verdict.decision, verdict.is_risky) == (Decision.ALLOW, True)


def test_allowing_a_kind_holds_for_its_site_alone() -> None:
    state = screen(element("Accept all"))
    action = ClickElement(target=state.ref(state.elements[0]))
    verdict = decide(action, state, Policy())
    assert may_allow_kind(verdict)
    policy = Policy().allowing(verdict.kind, verdict.site)
    assert decide(action, state, policy).decision is Decision.ALLOW
    elsewhere = state.model_copy(update={"url": "https://other.test/"})
    assert decide(action, elsewhere, policy).decision is Decision.CONFIRM


def test_payment_is_never_offered_to_be_allowed_for_the_run() -> None:
    assert not may_allow_kind(verdict_on_click("Pay now"))


OWN = Policy(is_clipboard_own=True)
TERMINAL = desktop(app="xterm")
EDITOR = desktop(element("Text", "textbox", states={ElementState.EDITABLE}), focus="Text")
FILES = desktop(element("letter.txt", "listitem"), app="files", focus="letter.txt")


@pytest.mark.parametrize(
    ("action", "state", "kind"),
    [
        (RunCommand(command="ls"), desktop(), Kind.COMMAND),
        (ExecuteJs(code="return 1"), screen(), Kind.SCRIPT),
        (FileDialog(paths=("/tmp/a.txt",)), screen(), Kind.UPLOAD),
        (ReadClipboard(), screen(), Kind.CLIPBOARD),
        (Copy(), desktop(), Kind.CLIPBOARD),
        (Copy(), screen(selection="a price"), Kind.NONE),
        (Cut(), screen(selection="a price"), Kind.NONE),
        (Paste(), screen(), Kind.CLIPBOARD),
        (PressKey(key="ctrl+V"), screen(), Kind.CLIPBOARD),
        (Hotkey(keys=("Shift", "Insert")), screen(), Kind.CLIPBOARD),
        (PressKey(key="ctrl+c"), screen(), Kind.NONE),
        (WriteClipboard(text="a"), screen(), Kind.CLIPBOARD),
        (OpenApp(app="Text Editor"), desktop(), Kind.NONE),
        (OpenApp(app="Text Editor", arguments=("/tmp/a.txt",)), desktop(), Kind.NONE),
        (OpenApp(app="xterm", arguments=("-e", "reboot")), desktop(), Kind.COMMAND),
        (OpenApp(app="/usr/bin/bash", arguments=("a.sh",)), desktop(), Kind.COMMAND),
        (OpenApp(app="viewer", arguments=("--run=reboot",)), desktop(), Kind.COMMAND),
        (SwitchApp(app="Text Editor"), desktop(), Kind.NONE),
        (CloseApp(app="Text Editor"), desktop(), Kind.CLOSING),
        (PressKey(key="Alt+F4"), EDITOR, Kind.CLOSING),
        (Hotkey(keys=("ctrl", "Q")), EDITOR, Kind.CLOSING),
        (PressKey(key="ctrl+w"), screen(), Kind.NONE),
        (PressKey(key="Delete"), FILES, Kind.DELETION),
        (PressKey(key="Shift+Delete"), FILES, Kind.DELETION),
        (PressKey(key="Delete"), EDITOR, Kind.NONE),
        (PressKey(key="Delete"), desktop(), Kind.NONE),
        (PressKey(key="Delete"), screen(element("Row", "row"), focus="Row"), Kind.NONE),
        (PressKey(key="Enter"), TERMINAL, Kind.COMMAND),
        (TypeText(text="ls\n"), TERMINAL, Kind.COMMAND),
        (TypeText(text="ls -l"), TERMINAL, Kind.NONE),
        (Paste(), TERMINAL, Kind.COMMAND),
        (Hotkey(keys=("Control", "Shift", "v")), TERMINAL, Kind.COMMAND),
        (PressKey(key="v"), TERMINAL, Kind.NONE),
        (PressKey(key="Enter"), desktop(title="Run Program…"), Kind.COMMAND),
        (PressKey(key="Enter"), desktop(element("t", "terminal"), focus="t"), Kind.COMMAND),
        (PressKey(key="Enter"), desktop(), Kind.NONE),
        (PressKey(key="Enter"), desktop().model_copy(update={"windows": ()}), Kind.NONE),
        (TakeScreenshot(), desktop(), Kind.NONE),
    ],
    ids=lambda value: value.words if isinstance(value, Action) else "",
)
def test_what_an_action_does_by_itself(action: Action, state: ScreenState, kind: Kind) -> None:
    verdict = decide(action, state, Policy())
    assert verdict.kind is kind
    assert verdict.decision is (Decision.ALLOW if kind is Kind.NONE else Decision.CONFIRM)
    assert decide(action, state, Policy(oversight=Oversight.NONE)).decision is Decision.ALLOW


def test_what_the_agent_put_on_the_clipboard_may_be_pasted_but_reading_asks_always() -> None:
    assert decide(Paste(), screen(), OWN).decision is Decision.ALLOW
    assert decide(PressKey(key="Control+v"), screen(), OWN).decision is Decision.ALLOW
    assert decide(ReadClipboard(), screen(), OWN).decision is Decision.CONFIRM
    assert decide(Paste(), TERMINAL, OWN).kind is Kind.COMMAND


@pytest.mark.parametrize(
    "action",
    [
        Click(x_px=5, y_px=5),
        MouseDown(x_px=5, y_px=5),
        MouseUp(x_px=5, y_px=5),
        Drag(x1_px=2, y1_px=2, x2_px=5, y2_px=5),
    ],
    ids=lambda one: one.words,
)
def test_a_place_is_judged_by_what_is_there(action: Action) -> None:
    assert decide(action, screen(element("Pay now")), Policy()).kind is Kind.PAYMENT
    assert decide(action, screen(element("Next")), Policy()).decision is Decision.ALLOW


def test_a_place_without_a_control_is_judged_by_the_words_there() -> None:
    click = Click(x_px=5, y_px=5)
    assert decide(click, screen(texts=(text("Pay  now"),)), Policy()).kind is Kind.PAYMENT
    assert decide(click, screen(texts=(text("Next"),)), Policy()).decision is Decision.ALLOW


def test_a_newline_that_is_typed_counts_as_enter() -> None:
    state = screen(element("Card", "textbox"), element("Pay now"), focus="Card")
    assert decide(TypeText(text="4111\n"), state, Policy()).kind is Kind.PAYMENT
    assert decide(TypeText(text="4111"), state, Policy()).decision is Decision.ALLOW


@pytest.mark.parametrize("oversight", list(Oversight))
def test_a_composite_action_is_allowed_and_its_parts_are_judged(oversight: Oversight) -> None:
    state = screen(element("Pay now"))
    whole = FillForm(fields=(FieldEntry(target=state.ref(state.elements[0]), value="on"),))
    for action in (whole, Login(username="ada", password="x"), ScrollToFind(text="x")):
        assert decide(action, state, Policy(oversight=oversight)).decision is Decision.ALLOW


def test_an_empty_tab_has_no_address_to_judge() -> None:
    assert decide(NewTab(), screen(), Policy()).decision is Decision.ALLOW
    assert decide(Scroll(dy_css_px=5), screen(), Policy()).decision is Decision.ALLOW


def test_the_gravest_word_decides_and_the_control_is_told() -> None:
    state = screen(element("Book and pay"))
    action = ClickElement(target=state.ref(state.elements[0]))
    assert risky_controls(action, state) == state.elements
    assert risky_controls(action, screen()) == ()


@pytest.mark.parametrize("oversight", list(Oversight))
def test_a_link_out_of_the_web_is_denied_and_one_that_is_a_script_asked_about(oversight: Oversight) -> None:
    def verdict(href: str) -> Verdict:
        return verdict_on_click("Open it", "link", oversight, href=href)

    assert verdict("file:///etc/passwd").decision is Decision.DENY
    assert verdict("javascript:show()").kind is Kind.SCRIPT
    assert verdict("javascript:void(0)").kind is Kind.NONE
    assert verdict("https://site.test/").kind is Kind.NONE
