"""Controls that say nothing are judged by the form around them; personal details do not leave unasked."""
# ruff: noqa: E501, RUF001 - tables of words; letters of other languages look like Latin ones

from __future__ import annotations

import pytest

from operative_app.actions.keyboard import PressKey
from operative_app.actions.mouse import ClickElement
from operative_app.core.screen import Element, ElementState, FramePlace, ScreenState
from operative_app.safety.policy import Decision, Policy, Verdict, decide
from operative_app.safety.risk_words import Kind
from operative_app.safety.risks import details_in
from tests.safety.screens import box, desktop, element, screen, text


def field(name: str, value: str = "", form: str = "f", **more: object) -> Element:
    return element(name, "textbox", value=value, form=form, states={ElementState.EDITABLE}, **more)


def press(state: ScreenState, name: str, policy: Policy | None = None) -> Verdict:
    target = next(one for one in state.elements if one.key == name)
    return decide(ClickElement(target=state.ref(target)), state, policy or Policy())


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Confirm your payment", "payment"),
        ("Your card will be charged $20", "payment"),
        ("Zahlung freigeben", "payment"),
        ("Confirmer le paiement", "payment"),
        ("Confirmar el pago", "payment"),
        ("Confirma l'acquisto? Conferma il pagamento", "payment"),
        ("Bevestig je bestelling", "payment"),
        ("Potwierdź płatność", "payment"),
        ("Bekräfta köpet", "payment"),
        ("Siparişi onayla", "payment"),
        ("Подтвердите оплату", "payment"),
        ("确认支付", "payment"),
        ("注文の確認", "payment"),
        ("Delete this repository?", "deletion"),
        ("Are you sure you want to delete “letters”?", "deletion"),
        ("Type the name to confirm", "deletion"),
        ("This cannot be undone.", "deletion"),
        ("Diese Datei endgültig löschen?", "deletion"),
        ("Supprimer définitivement ?", "deletion"),
        ("¿Eliminar el archivo?", "deletion"),
        ("Usunąć plik?", "deletion"),
        ("Удалить файл?", "deletion"),
        ("确定要删除吗?", "deletion"),
        ("削除しますか", "deletion"),
        ("Photo Printer wants to access your account", "permission"),
        ("Druckdienst möchte auf deine Fotos zugreifen", "permission"),
        ("Create your account", "account"),
        ("By continuing you agree to the terms", "consent"),
        ("Your message will be sent to 12 people", "message"),
    ],
)
@pytest.mark.parametrize("name", ["OK", "", "Weiter"])
def test_a_control_that_says_nothing_is_judged_by_its_form(said: str, kind: str, name: str) -> None:
    button = element(name, key="b", form="f")
    state = screen(button, texts=(text(said, form="f"),))
    verdict = press(state, "b")
    assert (verdict.decision, verdict.kind) == (Decision.CONFIRM, kind)
    beside = screen(button.model_copy(update={"form": "g"}), texts=(text(said, form="f"),))
    assert press(beside, "b").decision is Decision.ALLOW


def test_one_that_says_what_it_does_is_judged_by_that() -> None:
    state = screen(element("Cancel", form="f"), texts=(text("Delete this repository?", form="f"),))
    assert press(state, "Cancel").decision is Decision.ALLOW


@pytest.mark.parametrize(
    "said",
    ["Where do you want to go?", "Choose a date", "Your cart", "Review your order", "3 items were deleted", "Payment method",
     "Cookie settings", "Sign in to continue", "Delivery to your home", "Deleted items", "Sort by price", "Newsletter",
     "A permanent address is not needed", "Your booking: 2 adults", "Order summary"],
)  # fmt: skip
def test_ordinary_forms_are_not_asked_about(said: str) -> None:
    state = screen(element("Continue", form="f"), field("E-mail", "ada@mail.example"), texts=(text(said, form="f"),))
    assert press(state, "Continue").decision is Decision.ALLOW


@pytest.mark.parametrize(
    "name",
    ["Card number", "Kartennummer", "Numéro de carte", "Número de tarjeta", "Numero della carta", "Número do cartão",
     "Kaartnummer", "Numer karty", "Kortnummer", "Kart numarası", "Номер карты", "卡号", "カード番号", "CVC"],
)  # fmt: skip
def test_a_form_with_a_card_pays(name: str) -> None:
    assert press(screen(element("Continue", form="f"), field(name)), "Continue").kind is Kind.PAYMENT


def test_what_the_page_says_a_field_is_for_counts_in_any_language() -> None:
    state = screen(element("Tiếp tục", form="f", sends_to="https://site.test/x"), field("Số", "1", purpose="cc-number"))
    assert press(state, "Tiếp tục").kind is Kind.SHARING
    assert press(screen(element("OK", form="f"), field("Số", purpose="billing cc-number")), "OK").kind is Kind.PAYMENT


def test_a_sentence_in_a_whole_page_does_not_speak_for_a_control_but_what_stands_above_it_does() -> None:
    many = tuple(text(f"Line {number}", form="f") for number in range(60))
    button = element("OK", form="f")
    state = screen(button, texts=(*many, text("Delete this page?", form="f")))
    assert press(state, "OK").decision is Decision.ALLOW
    below = button.model_copy(update={"context": ("Settings", "Delete this page?")})
    assert press(screen(below, texts=many), "OK").kind is Kind.DELETION


def test_long_texts_are_no_questions() -> None:
    state = screen(element("OK", form="f"), texts=(text("Delete this? " + "x" * 400, form="f"),))
    assert press(state, "OK").decision is Decision.ALLOW


def test_a_hint_tells_what_an_icon_does() -> None:
    state = screen(element("", key="b", description="Delete"))
    assert press(state, "b").kind is Kind.DELETION


def test_a_dialog_of_the_desktop_is_a_form() -> None:
    asked = text("Delete 3 files?", box=box(1, 1, 2, 2))
    button = element("OK", window=7)
    state = desktop(button, is_dialog=True, texts=(asked,))
    assert press(state, "OK").kind is Kind.DELETION
    assert press(desktop(button, texts=(asked,)), "OK").decision is Decision.ALLOW
    elsewhere = text("Delete 3 files?", box=box(500, 500, 2, 2))
    assert press(desktop(button, is_dialog=True, texts=(elsewhere,)), "OK").decision is Decision.ALLOW
    titled = desktop(button, is_dialog=True, title="Delete all 3 files?")
    assert press(titled, "OK").kind is Kind.DELETION


def test_a_list_choice_has_no_form_to_speak_for_it() -> None:
    option = element("OK", "option", form="f")
    assert press(screen(option, texts=(text("Delete this?", form="f"),)), "OK").decision is Decision.ALLOW


PERSONAL = [
    ("Street", "12 Elm Road"), ("Anschrift", "Ulmenweg 12"), ("Dirección", "Calle 3"), ("地址", "X 路"),
    ("Phone", "+44 20 7946 0000"), ("Telefon", "030 901820"), ("电话", "123456"), ("Date of birth", "1990-05-01"),
    ("Passport number", "X123"), ("IBAN", "DE02"), ("Social security number", "078"), ("Card number", "4111"),
]  # fmt: skip


@pytest.mark.parametrize(("label", "value"), PERSONAL, ids=lambda one: str(one))
def test_personal_details_the_person_did_not_give_are_asked_about(label: str, value: str) -> None:
    state = screen(element("Save details", form="f", sends_to="https://site.test/save"), field(label, value))
    verdict = press(state, "Save details")
    assert verdict.kind is Kind.SHARING
    assert label in verdict.reason
    assert (
        press(state.model_copy(update={"elements": (state.elements[0], field(label, ""))}), "Save details").kind
        is Kind.NONE
    )


@pytest.mark.parametrize(
    ("label", "value", "words"),
    [
        ("Phone", "+44 20 7946-0000", "my number is 00 44 20 79460000"),
        ("Street", "12 Elm Road", "send it to 12 elm road"),
        ("Date of birth", "1990-05-01", "I was born on 1 May 1990"),
    ],
)
def test_what_the_person_said_is_theirs_to_give(label: str, value: str, words: str) -> None:
    state = screen(element("Save details", form="f", sends_to="https://site.test/save"), field(label, value))
    assert press(state, "Save details", Policy(words=words)).decision is Decision.ALLOW
    assert press(state, "Save details", Policy(words="something else")).kind is Kind.SHARING


@pytest.mark.parametrize(
    ("labels", "is_asked"),
    [
        (("First name", "Last name"), True),
        (("Prénom", "Nom de famille"), True),
        (("Full name", "E-Mail-Adresse"), True),
        (("Nombre", "Apellidos", "Correo electrónico"), True),
        (("First name",), False),
        (("E-mail",), False),
        (("Nickname", "Team"), False),
    ],
)
def test_a_name_or_an_address_alone_tells_little_and_both_tell_who(labels: tuple[str, ...], is_asked: bool) -> None:
    fields = [field(label, f"Value {place}") for place, label in enumerate(labels)]
    state = screen(element("Save details", form="f", sends_to="https://site.test/save"), *fields)
    assert press(state, "Save details").kind is (Kind.SHARING if is_asked else Kind.NONE)
    assert press(state, "Save details", Policy(words="value 0, value 1, value 2")).kind is Kind.NONE


def test_numbers_of_cards_and_papers_are_asked_about_in_any_case() -> None:
    state = screen(element("Save details", form="f", sends_to="https://site.test/save"), field("IBAN", "DE02"))
    assert press(state, "Save details", Policy(words="my IBAN is DE02")).kind is Kind.SHARING


@pytest.mark.parametrize(
    ("button", "fields"),
    [
        (element("Search", form="f"), (field("Street", "Elm Road"),)),  # sends nothing off
        (element("Sign in", form="f", sends_to="https://site.test/"), (field("E-Mail-Adresse", "ada@mail.example"),)),
        (element("Save details", form="f", sends_to="https://site.test/"), (field("Street", "x", form="g"),)),
        (element("Save details", form="f", sends_to="https://site.test/"), (field("Repository name", "Planning"),)),
        (
            element("Save details", form="f", sends_to="https://site.test/"),
            (field("City", "Paris"), field("Name", "x")),
        ),
    ],
    ids=lambda one: "",
)
def test_other_fields_and_other_forms_are_not(button: Element, fields: tuple[Element, ...]) -> None:
    assert press(screen(button, *fields), button.key).decision is Decision.ALLOW


def test_many_fields_are_counted() -> None:
    fields = [field(f"Phone {number}", "123456") for number in range(6)]
    state = screen(element("Submit", form="f"), *fields)
    assert press(state, "Submit").reason.endswith("and 2 more.")


def test_enter_in_a_field_sends_its_form_off() -> None:
    phone = field("Phone", "555123456")
    state = screen(element("Save details", form="f", sends_to="https://site.test/x"), phone)
    assert decide(PressKey(key="Enter", target=state.ref(phone)), state, Policy()).kind is Kind.SHARING
    other = screen(element("Delete", form="g"), element("Help", form="f"), phone)
    assert decide(PressKey(key="Enter", target=other.ref(phone)), other, Policy()).decision is Decision.ALLOW


def test_fields_without_a_form_belong_to_what_stands_with_them() -> None:
    around = ("Delivery",)
    button = element("Continue", context=around)
    near = field("Phone", "555123456", form="", context=around)
    assert press(screen(button, near), "Continue").kind is Kind.SHARING
    far = near.model_copy(update={"context": ("Elsewhere",)})
    assert press(screen(button, far), "Continue").decision is Decision.ALLOW


@pytest.mark.parametrize("purpose", ["one-time-code", "cc-number"])
def test_a_code_or_a_cards_number_is_not_given_away_unasked_though_it_is_hidden(purpose: str) -> None:
    """Also with words that do not pay, and whatever the person said: what is in the field cannot be read."""
    state = screen(
        element("Remember it", form="f", sends_to="https://site.test/x"), field("Digits", "•••", purpose=purpose)
    )
    verdict = press(state, "Remember it")
    assert (verdict.kind, verdict.decision) == (Kind.SHARING, Decision.CONFIRM)
    empty = screen(
        element("Remember it", form="f", sends_to="https://site.test/x"), field("Digits", "", purpose=purpose)
    )
    assert press(empty, "Remember it").decision is Decision.ALLOW


def profile(phone: str = "+49 170 1234567", sends_to: str = "https://site.test/x", **fields: object) -> ScreenState:
    """A form that the page itself has filled in."""
    return screen(
        element("Next", form="f", sends_to=sends_to),
        field("Phone", phone),
        field("Street", "Main Road 5"),
        **fields,
    )


def agreed(state: ScreenState) -> Policy:
    """What is known after the person agreed to what is given away there."""
    action = ClickElement(target=state.ref(state.elements[0]))
    return Policy().sharing(details_in(action, state, Policy().known))


def test_what_the_person_agreed_to_give_to_a_site_is_not_asked_about_again() -> None:
    """However it is written, and with fewer details; what is new among them is asked about."""
    policy = agreed(profile())
    for again in (profile(), profile(" +49 170 1234567 "), screen(*profile().elements[:2])):
        assert press(again, "Next", policy).decision is Decision.ALLOW
    verdict = press(profile("+49 170 7654321"), "Next", policy)
    assert (verdict.kind, verdict.reason) == (Kind.SHARING, "It gives personal details away: “Phone”.")


@pytest.mark.parametrize(
    "other",
    [
        profile(sends_to="https://other.example/x"),
        profile(sends_to="", url="https://other.example/"),
        screen(
            *(one.model_copy(update={"frame": "0", "sends_to": ""}) for one in profile().elements),
            frames=(FramePlace(path="0", url="https://other.example", box=box()),),
        ),
    ],
    ids=["sent elsewhere", "another page", "a frame of another site"],
)
def test_another_site_gets_nothing_by_that(other: ScreenState) -> None:
    assert press(other, "Next", agreed(profile())).kind is Kind.SHARING


def test_what_is_concealed_or_has_no_site_is_asked_about_each_time() -> None:
    concealed = frozenset({ElementState.EDITABLE, ElementState.SECRET})
    hidden = screen(profile().elements[0], field("Account number", "•••").model_copy(update={"states": concealed}))
    dialog = desktop(element("Next", form="f", window=7), field("Phone", "1234567", window=7), is_dialog=True)
    for state in (hidden, dialog):
        assert press(state, "Next").kind is Kind.SHARING
        assert press(state, "Next", agreed(state)).kind is Kind.SHARING
