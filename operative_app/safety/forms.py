"""The form around a control: what it asks for, what it says of itself, where it is sent.

| | recognised by |
|---|---|
| the form | the same `form` or dialog of the page; without one the same surroundings; on the desktop the dialog |
| it pays | fields for a card (their names in several languages, or `autocomplete="cc-…"`) |
| it is grave | headings, questions and sentences in it, for a control that says nothing itself |
| it gives personal data away | filled fields for addresses, phones, birthdays, numbers of papers, cards, accounts; two for names and e-mail |

What the person gave in their own words for this goal is theirs to give: it is not asked about again, but for numbers of
cards, accounts and papers. What they have agreed to give to a site is not asked about again in the run, whoever filled it
in; another value, another site, and what is concealed is.
"""
# ruff: noqa: E501, RUF001 - patterns read best on one line; letters of other languages look like Latin ones

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from operative_app.actions.targeting import stand_together
from operative_app.core.screen import Element, ElementState, ScreenState, folded
from operative_app.safety.risk_words import Kind, is_neutral, kinds_around
from operative_app.safety.site_names import site_name

_MOST_TEXTS = 40
"""A form with more of them is a whole page: only what stands above the control speaks for it."""
_LONGEST = 300

_CARD = re.compile(
    r"\bcard ?(?:number|no\.?)|\bcard ?holder|\bcv[cv]2?\b|\bsecurity code\b|\bkarten(?:nummer|inhaber)|\bprüf(?:ziffer|nummer)\b"
    r"|\bnuméro de (?:la )?carte\b|\bnúmero (?:de (?:la )?tarjeta|do cartão)\b|\bnumero (?:della )?carta\b|\bkaartnummer\b"
    r"|\bnumer karty\b|\bkortnummer\b|\bkart numarası\b|\bномер карты\b|卡号|卡號|カード番号",
    re.IGNORECASE,
)
_PAPERS = re.compile(
    r"\biban\b|\b(?:bank )?account (?:number|no\.?)|\bsort code\b|\brouting number\b|\bkontonummer\b|\bpassport\b|\breisepass"
    r"|\bpasseport\b|\bpasaporte\b|\bpassaporto\b|\bpassaporte\b|\bpaspoort\b|\bpaszport\b|\bpassnummer\b|\bpasaport\b|\bпаспорт"
    r"|\bsocial security\b|\bssn\b|\bnational (?:id|insurance)\b|\bid (?:card )?number\b|\btax (?:id|number)\b|\bausweis(?:nummer|nr)"
    r"|\bsteuer(?:nummer|-?id)\b|\bdni\b|\bcodice fiscale\b|\bcpf\b|\bbsn\b|\bpesel\b|\bpersonnummer\b|\bdriving licen[cs]e\b"
    r"|护照|身份证|銀行口座|口座番号|パスポート|マイナンバー",
    re.IGNORECASE,
)
_NAMES = re.compile(
    r"\b(?:first|last|full|given|family|middle|sur)[ -]?name\b|\b(?:vor|nach|familien)name\b|\bprénom\b|\bnom de famille\b"
    r"|\bapellidos?\b|\bcognome\b|\bsobrenome\b|\b(?:voor|achter)naam\b|\bimię\b|\bnazwisko\b|\b(?:för|efter)namn\b|\bsoyadı?\b"
    r"|\bфамилия\b|姓名|氏名|\bnombre(?: completo)?\b",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\bstreet\b|\bhome address\b|\b(?:delivery|shipping|billing|postal|mailing) address\b|\baddress line\b|\bstraße\b|\banschrift\b"
    r"|\badresse(?: postale)?\b|\brue\b|\bdirección\b|\bindirizzo\b|\bendereço\b|\badres\b|\bgatuadress\b|\bадрес\b|地址|住所"
    r"|\b(?:tele)?phone\b|\bmobile(?: number)?\b|\btelefon|\btéléphone\b|\btel[eé]fono\b|\btelefone\b|\btelefoon|\bтелефон\b|电话|電話"
    r"|\bdate of birth\b|\bbirth(?:day|date)\b|\bgeburts(?:datum|tag)\b|\bdate de naissance\b|\bfecha de nacimiento\b"
    r"|\bdata di nascita\b|\bdata de nascimento\b|\bgeboortedatum\b|\bdata urodzenia\b|\bfödelsedatum\b|\bdoğum tarihi\b"
    r"|\bдата рождения\b|生日|出生日期|生年月日",
    re.IGNORECASE,
)
_MAIL = re.compile(r"mail|correo|электронн|邮|メール", re.IGNORECASE)
_CARD_PURPOSE = re.compile(r"\bcc-(?:number|csc|exp|name)")
_CODE_PURPOSE = re.compile(r"\bone-time-code\b")
_NAMES_PURPOSE = re.compile(r"\b(?:name|given-name|family-name)\b")
_PERSONAL_PURPOSE = re.compile(r"\b(?:street-address|address-line\d|postal-code|tel(?:-national)?|bday)\b")


class Shared(NamedTuple):
    """A personal detail and the site that has got it."""

    site: str
    value: str


def fields_with(element: Element, state: ScreenState) -> tuple[Element, ...]:
    """The fields of the form a control is in, itself left out."""
    return tuple(
        one
        for one in state.elements
        if one.key != element.key and one.has(ElementState.EDITABLE) and is_same_form(one, element)
    )


def is_same_form(one: Element, other: Element) -> bool:
    """Whether both are in one form or dialog; where the page has none, whether they stand in the same surroundings."""
    if one.form or other.form:
        return one.form == other.form
    return one.window == other.window and stand_together(one, other)


def kind_around(element: Element, state: ScreenState) -> Kind:
    """What pressing the control would do, going by its form; NONE for a control that says itself what it does."""
    if not is_neutral(element.name or element.text):
        return Kind.NONE
    fields = fields_with(element, state)
    if any(_is_for(one, _CARD, _CARD_PURPOSE) for one in fields):
        return Kind.PAYMENT
    spoken = (*_texts_around(element, state), *(one.name for one in fields))
    return next((kind for text in spoken for kind in kinds_around(" ".join(text.split()))), Kind.NONE)


def is_sending(element: Element) -> bool:
    """Whether a control sends off its form: it submits it, or its words leave open that it does."""
    return bool(element.sends_to) or (element.role == "button" and is_neutral(element.name or element.text))


def given_away(
    element: Element, state: ScreenState, words: str, shared: Collection[Shared] = ()
) -> tuple[Element, ...]:
    """The filled personal fields that a control would send off, those the person named for this goal left out.

    Args:
        words: Everything the person typed for this goal.
        shared: What they have agreed to give away in this run; the same value to the same site is nothing new.
    """
    if not is_sending(element):
        return ()
    there = _receiver(element, state)
    filled = [
        one
        for one in fields_with(element, state)
        if one.value.strip()
        and not one.has(ElementState.PASSWORD)
        and (one.is_concealed or Shared(there, folded(one.value)) not in shared)
    ]
    ungiven = [one for one in filled if not _is_in(one.value, words)]
    found = [one for one in filled if _is_secretive(one) or (one in ungiven and _is_personal(one))]
    weak = [one for one in ungiven if one not in found and _is_name_or_mail(one)]
    return (*found, *weak) if found or len(weak) > 1 else ()


def shared_by(element: Element, state: ScreenState, fields: Iterable[Element]) -> frozenset[Shared]:
    """What is given away with these fields, as far as it can be known again; nothing where no site gets it."""
    there = _receiver(element, state)
    return frozenset(Shared(there, folded(one.value)) for one in fields if there and not one.is_concealed)


def _receiver(element: Element, state: ScreenState) -> str:
    """The site that gets the form: where it is sent, else where it stands."""
    return site_name(element.sends_to) or site_name(state.address_in(element.frame))


def _is_secretive(field: Element) -> bool:
    is_code = bool(_CODE_PURPOSE.search(field.purpose))
    return is_code or _is_for(field, _CARD, _CARD_PURPOSE) or bool(_PAPERS.search(_label(field)))


def _is_personal(field: Element) -> bool:
    if _MAIL.search(_label(field)):  # "E-Mail-Adresse", "dirección de correo"
        return False
    return _is_for(field, _PERSONAL, _PERSONAL_PURPOSE)


def _is_name_or_mail(field: Element) -> bool:
    """What tells who somebody is only together with more."""
    return field.input_type == "email" or bool(_MAIL.search(_label(field))) or _is_for(field, _NAMES, _NAMES_PURPOSE)


def _is_for(field: Element, words: re.Pattern[str], purpose: re.Pattern[str]) -> bool:
    return bool(words.search(_label(field)) or purpose.search(field.purpose))


def _label(field: Element) -> str:
    return f"{field.name} · {field.placeholder} · {field.description}"


def _is_in(value: str, words: str) -> bool:
    """Whether the person said it, in whatever spelling of blanks, case, digits and dates."""
    if folded(value) in folded(words):
        return True
    digits = re.sub(r"\D", "", value)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value.strip()):
        return digits[:4] in words
    return len(digits) >= 5 and len(digits) >= len(re.sub(r"[\s()+./-]", "", value)) - 1 and (
        digits in re.sub(r"\D", "", words)
    )  # fmt: skip


def _texts_around(element: Element, state: ScreenState) -> Iterator[str]:
    window = state.active_window
    if window is not None and window.is_dialog and element.window in {0, window.id}:
        yield window.title
        yield from _short(block.text for block in state.texts if window.box.contains(*block.box.center))
        return
    texts = [block.text for block in state.texts if block.form == element.form] if element.form else []
    if len(texts) <= _MOST_TEXTS:
        yield from _short(texts)
    yield from element.context[-2:]


def _short(texts: Iterable[str]) -> Iterator[str]:
    return (text for text in texts if len(text) <= _LONGEST)
