"""Fields that only the person fills in besides passwords: one-time codes and the numbers of cards and accounts.

Recognised by their own words, in several languages; a promotion code, a postal code, a country code or the code of a
booking is none.
"""

from __future__ import annotations

import re

from operative_app.core.requests import HandOffKind
from operative_app.core.screen import Element, ElementState, ScreenState

_CARD = re.compile(
    r"card(?:['’]s)? (?:number|no\b)|\bcvc\b|\bcvv\b|card security code|security code on|\biban\b"
    r"|kartennummer|kreditkarte|prüfziffer|numéro de (?:la )?carte|número de (?:la )?tarjeta|numero (?:della )?carta"
    r"|kaartnummer|numer karty|カード番号|卡号",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\b(?:one[- ]?time|verification|authentication|authenticator|security|login|sign[- ]?in|sms|two[- ]factor|2fa"
    r"|backup|recovery)[- ](?:pass)?code\b|\bone[- ]time (?:password|pin)\b|\botp\b|\btotp\b|\bm?tan\b"
    r"|\b(?:4|5|6|7|8|four|five|six|seven|eight)[- ]digit code\b|code (?:we|that was) sent|code from your"
    r"|(?:bestätigungs|sicherheits|einmal|verifizierungs|anmelde)[- ]?code|einmalpasswort"
    r"|code de (?:vérification|sécurité)|código de (?:verificación|seguridad)"
    r"|codice di (?:verifica|sicurezza)|código de verificação|verificatiecode|kod weryfikacyjny"
    r"|確認コード|認証コード|验证码|驗證碼",
    re.IGNORECASE,
)


def kind_of_field(element: Element) -> HandOffKind | None:
    """What a person is asked for when this field is theirs alone: a second factor or a payment; None for others."""
    if not element.has(ElementState.EDITABLE) or element.has(ElementState.READONLY):
        return None
    words = " ".join((element.name, element.placeholder, element.description))
    if _CARD.search(words):
        return HandOffKind.PAYMENT
    return HandOffKind.SECOND_FACTOR if _CODE.search(words) else None


def kind_of_words(words: str) -> HandOffKind:
    """What a question for a secret is about, by its words."""
    if _CARD.search(words):
        return HandOffKind.PAYMENT
    return HandOffKind.SECOND_FACTOR if _CODE.search(words) else HandOffKind.SIGN_IN


def code_field(state: ScreenState) -> Element | None:
    """The field that takes a one-time code; None when none is asked for. Beside a card's number it is the card's."""
    kinds = [(one, kind_of_field(one)) for one in state.elements if not one.has(ElementState.DISABLED)]
    if any(kind is HandOffKind.PAYMENT for _, kind in kinds):
        return None
    return next((one for one, kind in kinds if kind is HandOffKind.SECOND_FACTOR), None)
