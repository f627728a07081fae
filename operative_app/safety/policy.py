"""May this action be carried out? A pure decision.

Principle: decide before doing, and fail closed. What is asked about is recognised from the action, the element and the
words around it, never from a planner's opinion; the declared reversibility is a floor that is only raised.

| kind | recognised by | verdict at "risky steps" |
|---|---|---|
| payment | a control that pays or places an order | confirm |
| booking | a control that books or reserves | confirm |
| account | a control that opens or closes an account | confirm |
| creation | a control that creates or publishes something others may see | confirm |
| message | a control that sends or posts | confirm |
| deletion | a control that deletes for good; the Delete key on a thing of the desktop | confirm |
| permission | a control that grants access | confirm |
| consent | a control that accepts terms or all cookies | confirm |
| command | `run_command`; Enter or pasting in a terminal; opening a program with options | confirm |
| script | `execute_js`; a link whose address is a script | confirm |
| upload | `file_dialog`: files given away, or a file written | confirm |
| clipboard | reading or pasting what a person may have copied; not what the agent copied itself | confirm |
| closing | `close_app` and the keys that close programs: unsaved work may be lost | confirm |
| irreversible | the action is declared irreversible | confirm |
| a composite action | does nothing by itself; each of its parts is judged | allow |
| an address of another kind than http and https, opened or behind a link that is pressed | | deny |
| anything that is not reading | oversight "every step" | confirm |
| the rest | opening and switching programs among it | allow |

Which control an action sets off is told by `safety.aim`: also by coordinates, keys and a newline that is typed.
Oversight "none" allows what would be confirmed; what is denied stays denied at every level.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from operative_app.actions.declare import Action, EffectKind, Reversibility
from operative_app.actions.keyboard import Copy, Cut, Paste
from operative_app.actions.system import CloseApp, OpenApp, ReadClipboard
from operative_app.core.errors import SettingsError
from operative_app.core.run import Oversight
from operative_app.core.screen import Element, ElementState, ScreenState, SurfaceKind
from operative_app.core.values import Value
from operative_app.safety.addresses import completed_url, is_script, link_fault, site_of
from operative_app.safety.aim import enter_like, keys_of, set_off, texts_at
from operative_app.safety.programs import is_command_line, runs_command
from operative_app.safety.risk_words import Kind, kinds_of


class Decision(StrEnum):
    ALLOW = "allow"
    CONFIRM = "confirm"
    DENY = "deny"


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
    """What is granted in a run.

    Attributes:
        allowed: (kind, site) pairs a person allowed for this run.
        is_clipboard_own: The last thing put on the clipboard in this run was put there by the agent.
    """

    oversight: Oversight = Oversight.RISKY
    allowed: frozenset[tuple[Kind, str]] = frozenset()
    is_clipboard_own: bool = False

    def allowing(self, kind: Kind, site: str) -> Policy:
        return self.model_copy(update={"allowed": self.allowed | {(kind, site)}})


_EFFECTS: dict[Kind, tuple[str, str]] = {
    Kind.PAYMENT: ("It looks like it pays or places an order.", "Money may be spent or a contract made."),
    Kind.BOOKING: ("It looks like it books or reserves something.", "A booking may be made in your name."),
    Kind.ACCOUNT: ("It looks like it opens or closes an account.", "An account may be opened or closed in your name."),
    Kind.CREATION: ("It looks like it creates or publishes something.", "Something new is made that others may see."),
    Kind.MESSAGE: ("It looks like it sends or posts something.", "Other people may get it; it cannot be called back."),
    Kind.DELETION: ("It looks like it deletes something.", "What is deleted may be gone for good."),
    Kind.PERMISSION: ("It looks like it grants access.", "Others may get access to what is yours."),
    Kind.CONSENT: ("It looks like it accepts terms.", "You would be agreeing to terms."),
    Kind.COMMAND: ("It runs a command on this computer.", "The command can do whatever you can do here."),
    Kind.SCRIPT: ("It runs a script in the page.", "The script can do in the page whatever you can do there."),
    Kind.UPLOAD: (
        "It gives files away, or saves one.",
        "What is in the files may leave your hands, or a file be replaced.",
    ),
    Kind.CLIPBOARD: ("It uses what is on the clipboard.", "You may have copied something that is not meant for this."),
    Kind.CLOSING: ("It closes a program.", "What is not saved there may be lost."),
    Kind.IRREVERSIBLE: ("It cannot be undone.", "It cannot be undone afterwards."),
}

_KIND_OF_EFFECT = {
    EffectKind.RUN: Kind.COMMAND,
    EffectKind.SCRIPT: Kind.SCRIPT,
    EffectKind.UPLOAD: Kind.UPLOAD,
}
_CLOSING_KEYS = frozenset({("Alt", "F4"), ("Control", "q"), ("Control", "w"), ("Meta", "q"), ("Meta", "w")})
_PASTING_KEYS = frozenset({("Control", "v"), ("ControlOrMeta", "v"), ("Meta", "v"), ("Shift", "Insert")})


def decide(action: Action, state: ScreenState, policy: Policy) -> Verdict:
    """The verdict on one action on the present screen."""
    site = site_of(state.url)
    if (fault := _address_fault(action) or _link_fault(action, state)) != "":
        return Verdict(decision=Decision.DENY, kind=Kind.ADDRESS, rule="address", reason=fault, site=site)
    kind = risk_kind(action, state, policy)
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
    if policy.oversight is Oversight.EVERY and action.spec.effect not in {EffectKind.READ, EffectKind.COMPOSITE}:
        return Verdict(
            decision=Decision.CONFIRM, rule="every step", reason="You asked to be asked before every step.", site=site
        )
    return Verdict(decision=Decision.ALLOW, rule="routine", site=site)


def may_allow_kind(verdict: Verdict) -> bool:
    """Whether "allow this kind on this site for this run" may be offered: only for what can be set right again."""
    return verdict.kind is Kind.CONSENT and verdict.site != ""


def risk_kind(action: Action, state: ScreenState, policy: Policy) -> Kind:
    """What the action would do, from what it does by itself and the controls it would set off."""
    kind = _KIND_OF_EFFECT.get(action.spec.effect, Kind.NONE)
    if kind is Kind.NONE:
        kind = _kind_of_controls(action, state)
    if kind is Kind.NONE and any(is_script(one.href) for one in set_off(action, state) if one.role == "link"):
        kind = Kind.SCRIPT
    if kind is Kind.NONE:
        kind = _kind_of_typing(action, state)
    if kind is Kind.NONE:
        kind = _kind_of_programs(action)
    if kind is Kind.NONE and _uses_clipboard(action, state, policy):
        kind = Kind.CLIPBOARD
    if kind is Kind.NONE and action.spec.reversibility is Reversibility.IRREVERSIBLE:
        kind = Kind.IRREVERSIBLE
    return kind


def risky_controls(action: Action, state: ScreenState) -> tuple[Element, ...]:
    """The controls the action sets off whose words commit a person to something."""
    return tuple(element for element in set_off(action, state) if _kind_of(element) is not Kind.NONE)


def _kind_of_controls(action: Action, state: ScreenState) -> Kind:
    for element in risky_controls(action, state):
        return _kind_of(element)
    return next((kind for text in texts_at(action, state) for kind in kinds_of(" ".join(text.split()))), Kind.NONE)


def _kind_of(element: Element) -> Kind:
    kinds = (kind for text in _labels(element) for kind in kinds_of(text) if not _leads_only(element, kind))
    return next(kinds, Kind.NONE)


def _kind_of_typing(action: Action, state: ScreenState) -> Kind:
    """Commands in a terminal, and keys of the desktop that delete or close."""
    ref = action.target_ref
    focused = state.find(ref) if ref is not None else state.element(state.focus) if state.focus else None
    if is_command_line(state, focused):
        is_entered = enter_like(action, state)[-1:] == ("Enter",)
        is_entered = is_entered or isinstance(action, Paste) or _key_tail(keys_of(action), "v", "Insert")
        return Kind.COMMAND if is_entered else Kind.NONE
    if state.surface is not SurfaceKind.DESKTOP:
        return Kind.NONE
    keys = keys_of(action)
    if keys[-1:] == ("Delete",) and focused is not None and not focused.has(ElementState.EDITABLE):
        return Kind.DELETION
    return Kind.CLOSING if _folded(keys) in _CLOSING_KEYS else Kind.NONE


def _kind_of_programs(action: Action) -> Kind:
    if isinstance(action, CloseApp):
        return Kind.CLOSING
    if isinstance(action, OpenApp) and runs_command(action.app, action.arguments):
        return Kind.COMMAND
    return Kind.NONE


def _uses_clipboard(action: Action, state: ScreenState, policy: Policy) -> bool:
    """Whether what a person may have copied is read or given to a page. What the agent selected on a page is not."""
    if isinstance(action, ReadClipboard):
        return True
    if isinstance(action, Copy | Cut):  # with nothing selected the clipboard keeps what the person has put there
        return not state.selection
    is_pasting = isinstance(action, Paste) or _folded(keys_of(action)) in _PASTING_KEYS
    return is_pasting and not policy.is_clipboard_own


def _key_tail(keys: tuple[str, ...], *names: str) -> bool:
    return len(keys) > 1 and keys[-1] in names


def _folded(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key.lower() if len(key) == 1 else key for key in keys)


def _address_fault(action: Action) -> str:
    url = getattr(action, "url", "") if action.spec.effect is EffectKind.NAVIGATE else ""
    if not url:
        return ""
    try:
        completed_url(url)
    except SettingsError as error:
        return str(error)
    return ""


def _link_fault(action: Action, state: ScreenState) -> str:
    """Why a link that is pressed is not followed: it leads to files or to the browser's own pages."""
    for element in set_off(action, state):
        if element.role == "link" and (fault := link_fault(element.href)):
            return fault
    return ""


def _labels(element: Element) -> Iterable[str]:
    return dict.fromkeys(" ".join(text.split()) for text in (element.name, element.text) if text.strip())


def _leads_only(element: Element, kind: Kind) -> bool:
    """A plain link only leads somewhere; what it leads to is judged there. Deleting and granting links act at once."""
    leads = element.role == "link" and element.href.split(":")[0] in {"http", "https"}
    return leads and kind not in {Kind.DELETION, Kind.PERMISSION}
