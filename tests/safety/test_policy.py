"""Verdicts: what is asked about, what is not, what is denied."""

from __future__ import annotations

import pytest

from operative_app.actions.browser import CloseTab, Fill, GetText, Navigate, SelectOption
from operative_app.actions.keyboard import PressKey
from operative_app.actions.mouse import ClickElement
from operative_app.core.run import Oversight
from operative_app.core.screen import Box, Element, ElementState, ScreenState, SurfaceKind
from operative_app.safety.policy import Decision, Policy, Verdict, decide, may_allow_kind
from operative_app.safety.risk_words import Kind

BOX = Box(x_css_px=0, y_css_px=0, width_css_px=10, height_css_px=10)


def element(name: str, role: str = "button", **fields: object) -> Element:
    return Element.model_validate({"key": name, "role": role, "name": name, "path": name, "box": BOX, **fields})


def screen(*elements: Element, **fields: object) -> ScreenState:
    return ScreenState.model_validate(
        {
            "observation": 1,
            "surface": SurfaceKind.BROWSER,
            "url": "https://site.test/x",
            "elements": elements,
            **fields,
        }
    )


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
