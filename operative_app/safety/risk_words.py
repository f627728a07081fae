"""The words on a control by which it is known what it commits a person to, in several languages."""

from __future__ import annotations

import re
from enum import StrEnum


class Kind(StrEnum):
    """What an action would do, as far as asking goes."""

    NONE = "none"
    PAYMENT = "payment"
    BOOKING = "booking"
    ACCOUNT = "account"
    CREATION = "creation"
    MESSAGE = "message"
    DELETION = "deletion"
    PERMISSION = "permission"
    CONSENT = "consent"
    COMMAND = "command"
    SCRIPT = "script"
    UPLOAD = "upload"
    CLIPBOARD = "clipboard"
    CLOSING = "closing"
    IRREVERSIBLE = "irreversible"
    ADDRESS = "address"


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


# Whole-label patterns in several languages, tried in this order; a label is the control's name with blanks folded.
KIND_WORDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.PAYMENT,
        _words(
            r"\bpay(?!pal\b|ment (?:method|option|detail|plan)|ments?$)\b",
            r"\bplace (?:the |my |your |this )?order\b",
            r"\bbuy(?: it)?(?: now)?\b(?!.*\b(?:guide|advice)\b)",
            r"\bpurchase\b",
            r"\bdonate\b",
            r"\bcomplete (?:the |my |your )?order\b",
            r"\b(?:submit|confirm) (?:the |my |your )?(?:order|payment)\b",
            r"\border now\b",
            r"\bsubscribe (?:and|&) pay\b",
            r"\b(?:transfer|send) (?:money|funds)\b",
            r"\bupgrade (?:now|plan)\b",
            r"\bstart (?:paid|my) (?:plan|subscription)\b",
            r"\bzahlungspflichtig\b",
            r"\bjetzt (?:kaufen|bezahlen|bestellen)\b",
            r"\bbezahlen\b",
            r"\bkaufen\b",
            r"\bbestellung (?:abschicken|absenden|aufgeben)\b",
            r"\bpayer\b",
            r"\bacheter\b",
            r"\b(?:valider|passer) (?:la |ma )?commande\b",
            r"\bpagar\b",
            r"\bcomprar\b",
            r"\brealizar (?:el )?pedido\b",
            r"\bfinalizar compra\b",
            r"\bacquista\b",
            r"\bpaga(?:re)?\b",
            r"\bbetalen\b",
            r"\bbestelling plaatsen\b",
            r"\bkup(?:uję)?\b",
            r"\bzapłać\b",
            "支付",
            "付款",
            "购买",
            "注文を確定",
            "購入",
            "결제",
        ),
    ),
    (
        Kind.BOOKING,
        _words(
            r"^book(?!s\b|ing|let|mark)\b(?!.*\b(?:details|reviews?)$)",
            r"\bbook (?:now|it|this|flight|room|table|seat|trip)\b",
            r"^reserve\b",
            r"\breserve (?:now|it|this)\b",
            r"\b(?:confirm|complete) (?:the |my |your )?(?:booking|reservation)\b",
            r"\b(?:jetzt )?buchen\b",
            r"\breservieren\b",
            r"\bréserver\b",
            r"\breservar\b",
            r"\bprenota\b",
            r"\breserveren\b",
            "预订",
            "予約する",
            "예약하기",
        ),
    ),
    (
        Kind.ACCOUNT,
        _words(
            r"\bcreate (?:an? |my |your |new )*account\b",
            r"^sign up\b(?!.*newsletter)",
            r"^register\b",
            r"\b(?:close|deactivate|delete) (?:my |your |this )?account\b",
            r"\bkonto (?:erstellen|anlegen|löschen)\b",
            r"^registrieren\b",
            r"\bcréer (?:un|mon) compte\b",
            r"\bcrear (?:una )?cuenta\b",
            r"\bcrea (?:un )?account\b",
            "注册",
            "アカウントを作成",
        ),
    ),
    (
        Kind.DELETION,
        _words(
            r"^delete\b",
            r"\bdelete (?:forever|permanently|repository|project|all)\b",
            r"\bdestroy\b",
            r"\berase\b",
            r"\bempty (?:the )?(?:trash|bin)\b",
            r"\bcancel (?:my |the |your )?(?:subscription|order|booking|contract)\b",
            r"\blöschen\b",
            r"\bkündigen\b",
            r"\bsupprimer\b",
            r"\bresilier\b",
            r"\beliminar\b",
            r"\bborrar\b",
            r"\belimina\b",
            r"\bverwijderen\b",
            "删除",
            "削除",
        ),
    ),
    (
        Kind.CREATION,
        _words(
            r"^create\b(?! (?:an? |my |your |new )*account)(?!.*\b(?:filter|search|view|alert)s?$)",
            r"^publish\b",
            r"\bgo live\b",
            r"^deploy\b",
            r"\bmake public\b",
            r"\bveröffentlichen\b",
            r"\b(?:erstellen|anlegen)$",
            r"\bpublier\b",
            r"^créer\b",
            r"\bpublicar\b",
            r"^crear\b",
            r"\bpubblica\b",
            r"^crea\b",
            "发布",
            "公開する",
        ),
    ),
    (
        Kind.MESSAGE,
        _words(
            r"^send\b(?!.*\b(?:code|link)\b)",
            r"\bsend (?:message|e-?mail|now|reply|invitation)s?\b",
            r"^post\b(?! ?code)",
            r"^(?:tweet|reply|comment)$",
            r"^reply all\b",
            r"^invite\b",
            r"^share\b",
            r"\b(?:nachricht )?(?:senden|abschicken)\b",
            r"\benvoyer\b",
            r"\benviar\b",
            r"\binvia\b",
            r"\bversturen\b",
            r"^verzenden\b",
            "发送",
            "送信",
        ),
    ),
    (
        Kind.PERMISSION,
        _words(
            r"^authori[sz]e\b",
            r"^grant\b",
            r"\bgrant access\b",
            r"^allow\b",
            r"\bgive (?:admin|access)\b",
            r"\bmake (?:admin|owner)\b",
            r"\btransfer ownership\b",
            r"\bautorisieren\b",
            r"\bzugriff (?:erlauben|gewähren)\b",
            r"\bautoriser\b",
            r"\bautorizar\b",
            r"\bautorizza\b",
            "授权",
            "許可する",
        ),
    ),
    (
        Kind.CONSENT,
        _words(
            r"\b(?:accept|agree|consent)\b(?!.*\b(?:only|necessary|essential)\b)",
            r"\bi have read\b",
            r"^allow all\b",
            r"\b(?:alle |allem )?(?:akzeptieren|zustimmen|einverstanden)\b",
            r"\b(?:tout )?accepter\b",
            r"\bj.accepte\b",
            r"\bacept(?:ar|o)\b",
            r"\baccett(?:a|o)\b",
            r"\bakkoord\b",
            "同意",
        ),
    ),
)


def kinds_of(text: str) -> list[Kind]:
    """The kinds whose words stand in a label, the gravest first."""
    return [kind for kind, pattern in KIND_WORDS if pattern.search(text)]
