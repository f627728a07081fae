"""May this action be carried out? A pure decision.

Principle: decide before doing, and fail closed. What is asked about is recognised from the action, the element and the
Principle: decide before doing, and fail closed. What is asked about is recognised from the action, the element and the
words around it, never from a planner's opinion; the declared reversibility is a floor that is only raised.
| kind | recognised by | verdict at "risky steps" |
|---|---|---|
| payment | a control that pays or places an order | confirm |
| booking | a control that books or reserves | confirm |
| account | a control that opens or closes an account | confirm |
| creation | a control that creates or publishes something others may see | confirm |
| message | a control that sends or posts | confirm |
| deletion | a control that deletes for good | confirm |
| permission | a control that grants access | confirm |
| consent | a control that accepts terms or all cookies | confirm |
| irreversible | the action is declared irreversible | confirm |
| anything that is not reading | oversight "every step" | confirm |
| the rest | | allow |

Oversight "none" allows what would be confirmed; what is denied stays denied at every level.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from operative_app.actions.declare import Action, EffectKind, Reversibility
from operative_app.core.errors import SettingsError
from operative_app.core.run import Oversight
from operative_app.core.screen import Element, ElementState, ScreenState
from operative_app.core.values import Value
from operative_app.safety.addresses import completed_url, site_of


class Decision(StrEnum):
    ALLOW = "allow"
    CONFIRM = "confirm"
    DENY = "deny"


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
    IRREVERSIBLE = "irreversible"
    ADDRESS = "address"


class Verdict(Value):
    """The decision with its rule, a reason and an effect in words.

    `is_risky` is true for what counts as risky at any oversight; such an action is never repeated by itself.
    """

    decision: Decision
    kind: Kind = Kind.NONE
    rule: str = ""
    reason: str = ""
    effect: str = ""
    site: str = ""
    is_risky: bool = False


class Policy(Value):
    """What is granted in a run. `allowed` holds (kind, site) pairs a person allowed for this run."""

    oversight: Oversight = Oversight.RISKY
    allowed: frozenset[tuple[Kind, str]] = frozenset()

    def allowing(self, kind: Kind, site: str) -> Policy:
        return self.model_copy(update={"allowed": self.allowed | {(kind, site)}})


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


# Whole-label patterns in several languages, tried in this order; a label is the control's name with blanks folded.
_KIND_WORDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
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

_EFFECTS: dict[Kind, tuple[str, str]] = {
    Kind.PAYMENT: ("It looks like it pays or places an order.", "Money may be spent or a contract made."),
    Kind.BOOKING: ("It looks like it books or reserves something.", "A booking may be made in your name."),
    Kind.ACCOUNT: ("It looks like it opens or closes an account.", "An account may be opened or closed in your name."),
    Kind.CREATION: ("It looks like it creates or publishes something.", "Something new is made that others may see."),
    Kind.MESSAGE: ("It looks like it sends or posts something.", "Other people may get it; it cannot be called back."),
    Kind.DELETION: ("It looks like it deletes something.", "What is deleted may be gone for good."),
    Kind.PERMISSION: ("It looks like it grants access.", "Others may get access to what is yours."),
    Kind.CONSENT: ("It looks like it accepts terms.", "You would be agreeing to terms."),
    Kind.IRREVERSIBLE: ("It cannot be undone.", "It cannot be undone afterwards."),
}

_PRESSED = frozenset({"button", "menuitem", "link", "checkbox", "switch", "option", "tab", "generic", "image"})
_SUBMIT_KEYS = frozenset({"enter", "return", "numpadenter", "space", " "})


def decide(action: Action, state: ScreenState, policy: Policy) -> Verdict:
    """The verdict on one action on the present screen."""
    site = site_of(state.url)
    if (fault := _address_fault(action)) != "":
        return Verdict(decision=Decision.DENY, kind=Kind.ADDRESS, rule="address", reason=fault, site=site)
    kind = risk_kind(action, state)
    if kind is not Kind.NONE:
        reason, effect = _EFFECTS[kind]
        allowed = policy.oversight is Oversight.NONE or (kind, site) in policy.allowed
        return Verdict(
            decision=Decision.ALLOW if allowed else Decision.CONFIRM,
            kind=kind,
            rule=kind.value,
            reason=reason,
            effect=effect,
            site=site,
            is_risky=True,
        )
    if policy.oversight is Oversight.EVERY and action.spec.effect is not EffectKind.READ:
        return Verdict(
            decision=Decision.CONFIRM, rule="every step", reason="You asked to be asked before every step.", site=site
        )
    return Verdict(decision=Decision.ALLOW, rule="routine", site=site)


def may_allow_kind(verdict: Verdict) -> bool:
    """Whether "allow this kind on this site for this run" may be offered: only for what can be set right again."""
    return verdict.kind is Kind.CONSENT and verdict.site != ""


def risk_kind(action: Action, state: ScreenState) -> Kind:
    """What the action would do, from the controls it would set off."""
    for element in _set_off(action, state):
        for text in _labels(element):
            for kind, pattern in _KIND_WORDS:
                if pattern.search(text) and not _leads_only(element, kind):
                    return kind
    if action.spec.reversibility is Reversibility.IRREVERSIBLE:
        return Kind.IRREVERSIBLE
    return Kind.NONE


def _address_fault(action: Action) -> str:
    url = getattr(action, "url", "") if action.spec.effect is EffectKind.NAVIGATE else ""
    if not url:
        return ""
    try:
        completed_url(url)
    except SettingsError as error:
        return str(error)
    return ""


def _set_off(action: Action, state: ScreenState) -> Iterable[Element]:
    """The controls an action presses: the target, or for Enter in a field the buttons of the same form."""
    if action.spec.effect is not EffectKind.POINT:
        return ()
    ref = action.target_ref
    element = state.find(ref) if ref is not None else state.element(state.focus) if state.focus else None
    if element is None:
        return ()
    key = str(getattr(action, "key", "")).lower()
    if not key:
        return (element,) if element.role in _PRESSED else ()
    if key not in _SUBMIT_KEYS:
        return ()
    if element.role in _PRESSED:
        return (element,)
    if element.role == "searchbox" or element.input_type == "search" or element.has(ElementState.MULTILINE):
        return ()
    return [
        other
        for other in state.elements
        if other.role == "button" and other.context == element.context and other.frame == element.frame
    ]


def _labels(element: Element) -> Iterable[str]:
    return dict.fromkeys(" ".join(text.split()) for text in (element.name, element.text) if text.strip())


def _leads_only(element: Element, kind: Kind) -> bool:
    """A plain link only leads somewhere; what it leads to is judged there. Deleting and granting links act at once."""
    leads = element.role == "link" and element.href.split(":")[0] in {"http", "https"}
    return leads and kind not in {Kind.DELETION, Kind.PERMISSION}
