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
| consent | a control that accepts terms or all cookies; free when the person's words ask for it | confirm |
| sharing | a control that sends off personal details the person did not give for this goal (`safety.forms`) | confirm |
| command | `run_command`, unless it only reads granted folders (`safety.commands`) | confirm |
| command | Enter or pasting in a terminal; opening a program with options | confirm |
| script | `execute_js`; a link whose address is a script | confirm |
| upload | `file_dialog`: files given away, or a file written; free for a file the person named | confirm |
| clipboard | reading, pasting or replacing what a person may have copied; not what the agent copied itself | confirm |
| closing | `close_app` and the keys that close programs: unsaved work may be lost | confirm |
| irreversible | the action is declared irreversible | confirm |
| leaving, files, program | another site, folder or program than the active task grants (`safety.contract`) | confirm |
| doubt | the planner itself calls it risky | confirm |
| a kind that a policy file forbids (`safety.policy_file`) | | deny |
| a file that is a device, has a disguised name, or lies outside of a policy file's folders (`safety.paths`) | | deny |
| a composite action | does nothing by itself; each of its parts is judged | allow |
| an address of another kind than http and https, opened or behind a link that is pressed | | deny |
| an address outside the sites of the run (`safety.sites`), opened or behind a link that is pressed | | deny |
| anything that is not reading | oversight "every step" | confirm |
| the rest | opening and switching programs among it | allow |

Which control an action sets off is told by `safety.aim`: also by coordinates, keys and a newline that is typed.
A control whose words say nothing ("Continue", an icon) is of the kind of the form around it.
Oversight "none" allows what would be confirmed; what is denied stays denied at every level.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from operative_app.actions.declare import Action, EffectKind
from operative_app.core.errors import SettingsError
from operative_app.core.plan import Grants
from operative_app.core.run import Oversight
from operative_app.core.screen import ScreenState
from operative_app.core.values import Value
from operative_app.safety.addresses import completed_url, link_fault, site_of
from operative_app.safety.aim import set_off
from operative_app.safety.contract import Outside, outside
from operative_app.safety.forms import Shared
from operative_app.safety.paths import is_granted, path_fault
from operative_app.safety.risk_words import Kind
from operative_app.safety.risks import Known, Risk, files_of, risk_of
from operative_app.safety.sites import SiteRules
from operative_app.safety.whereabouts import addresses_of


class Decision(StrEnum):
    ALLOW = "allow"
    CONFIRM = "confirm"
    DENY = "deny"


class Verdict(Value):
    """The decision with its rule, a reason and an effect in words.

    `is_risky` is true for what counts as risky at any oversight; such an action is never repeated by itself.
    `allow_words` say what a person can allow for the task, which is `widening`; "" when nothing can be.
    """

    decision: Decision
    kind: Kind = Kind.NONE
    rule: str = ""
    reason: str = ""
    effect: str = ""
    site: str = ""
    is_risky: bool = False
    allow_words: str = ""
    widening: Grants = Grants()


class Policy(Value):
    """What is granted in a run.

    Attributes:
        allowed: (kind, site) pairs a person allowed for this run.
        is_clipboard_own: The last thing put on the clipboard in this run was put there by the agent.
        grants: What the active task may touch; None before there is a plan, when only the start page is opened.
        visits: Sites and programs outside of the grants to which a person let the run go this once.
        shared: Personal details a person has agreed to give to a site in this run. Held in memory only.
        words: Everything the person typed for this goal.
        denied: Kinds that a policy file forbids.
        folder_limit: The only folders in which a policy file allows files; None sets no such limit.
        sites: Which sites may be touched; the browser holds every request to the same rules.
    """

    oversight: Oversight = Oversight.RISKY
    allowed: frozenset[tuple[Kind, str]] = frozenset()
    is_clipboard_own: bool = False
    sites: SiteRules = SiteRules()
    grants: Grants | None = None
    visits: frozenset[str] = frozenset()
    shared: frozenset[Shared] = frozenset()
    words: str = ""
    denied: frozenset[Kind] = frozenset()
    folder_limit: tuple[str, ...] | None = None

    @property
    def known(self) -> Known:
        granted = self.grants or Grants()
        commands = tuple(one.removeprefix("command:") for one in granted.apps if one.startswith("command:"))
        return Known(self.words, granted.folders, commands, self.is_clipboard_own, self.shared)

    def visiting(self, site: str) -> Policy:
        return self.model_copy(update={"visits": self.visits | {site}})

    def sharing(self, details: frozenset[Shared]) -> Policy:
        return self.model_copy(update={"shared": self.shared | details})

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
    Kind.CLIPBOARD: ("It uses the clipboard.", "What you have copied may be seen by others, or be replaced."),
    Kind.CLOSING: ("It closes a program.", "What is not saved there may be lost."),
    Kind.IRREVERSIBLE: ("It cannot be undone.", "It cannot be undone afterwards."),
    Kind.SHARING: ("It gives personal details away.", "Who gets them keeps them."),
    Kind.FILES: ("It opens a file that was not named.", "What is in it is seen, or changed."),
    Kind.LEAVING: (
        "It leaves the sites of this task.",
        "Another site is used, which the plan does not name.",
    ),
    Kind.PROGRAM: ("It uses a program that was not named.", "Another program is opened or acted on."),
    Kind.DOUBT: ("The planner itself calls this step risky.", "It may not be possible to set it right afterwards."),
}

_GRANTABLE = frozenset({Kind.CONSENT, Kind.CLIPBOARD})
"""Kinds that need no further question when the person's own words ask for them: what can be set right again."""


def decide(action: Action, state: ScreenState, policy: Policy, *, is_doubted: bool = False) -> Verdict:
    """The verdict on one action on the present screen.

    Args:
        is_doubted: The planner itself calls the action risky; it can only make it asked about.
    """
    site = site_of(addresses_of(action, state)[0])
    fault = _address_fault(action) or _link_fault(action, state) or _path_fault(action, policy.folder_limit)
    if fault:
        return Verdict(decision=Decision.DENY, kind=Kind.ADDRESS, rule="address", reason=fault, site=site)
    for url in _addresses(action, state):
        if refusal := policy.sites.refusal(url):
            rule = policy.sites.judge(url).rule
            return Verdict(decision=Decision.DENY, kind=Kind.ADDRESS, rule=rule, reason=refusal, site=site)
    risk = risk_of(action, state, policy.known)
    if (never := next((kind for kind in (risk.kind, *risk.others) if kind in policy.denied), None)) is not None:
        words = _EFFECTS[never][0]
        reason = f"The policy file allows no such thing: {words[:1].lower()}{words[1:]}"
        return Verdict(decision=Decision.DENY, kind=never, rule="policy file", reason=reason, site=site)
    beyond = _outside(action, state, policy)
    if beyond is not None and beyond.kind in policy.denied:
        return Verdict(decision=Decision.DENY, kind=beyond.kind, rule="policy file", reason=beyond.reason, site=site)
    if risk.kind is not Kind.NONE:
        verdict = _verdict_on_risk(risk, site, policy)
        if beyond is None or verdict.decision is Decision.CONFIRM or policy.oversight is Oversight.NONE:
            return verdict
    if beyond is not None:
        return Verdict(
            decision=Decision.ALLOW if policy.oversight is Oversight.NONE else Decision.CONFIRM,
            kind=beyond.kind,
            rule=beyond.kind.value,
            reason=beyond.reason,
            effect=_EFFECTS[beyond.kind][1],
            site=beyond.what if beyond.kind is Kind.LEAVING else site,
            is_risky=risk.kind is not Kind.NONE,
            allow_words=beyond.allow_words,
            widening=beyond.widening,
        )
    if is_doubted and action.spec.effect is not EffectKind.READ:
        reason, effect = _EFFECTS[Kind.DOUBT]
        return Verdict(
            decision=Decision.ALLOW if policy.oversight is Oversight.NONE else Decision.CONFIRM,
            kind=Kind.DOUBT,
            rule=Kind.DOUBT.value,
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


def _verdict_on_risk(risk: Risk, site: str, policy: Policy) -> Verdict:
    reason, effect = _EFFECTS[risk.kind]
    is_granted = policy.grants is not None and risk.kind in _GRANTABLE and risk.kind.value in policy.grants.kinds
    is_allowed = policy.oversight is Oversight.NONE or (risk.kind, site) in policy.allowed or is_granted
    return Verdict(
        decision=Decision.ALLOW if is_allowed else Decision.CONFIRM,
        kind=risk.kind,
        rule=risk.kind.value,
        reason=risk.reason or reason,
        effect=effect,
        site=site,
        is_risky=True,
        allow_words=f"Allow the command “{risk.program}” for this task"
        if risk.program and policy.grants is not None
        else "",
        widening=Grants(apps=(f"command:{risk.program}",)) if risk.program else Grants(),
    )


def may_allow_kind(verdict: Verdict) -> bool:
    """Whether it may be allowed from now on: only what can be set right again, and what lies outside of the task."""
    return bool(verdict.allow_words) or (verdict.kind is Kind.CONSENT and verdict.site != "")


def _outside(action: Action, state: ScreenState, policy: Policy) -> Outside | None:
    if policy.grants is None:
        return None
    return outside(action, state, policy.grants, visits=policy.visits, words=policy.words)


def _path_fault(action: Action, limit: tuple[str, ...] | None) -> str:
    """Why a file is not touched at all; what a command reads beyond its folders is asked about, not denied."""
    for path in files_of(action):
        if action.spec.effect is not EffectKind.RUN and (fault := path_fault(path)):
            return fault
        if limit is not None and not is_granted(path, limit):
            return f"“{path}” lies outside of the folders that the policy file allows"
    return ""


def _address_fault(action: Action) -> str:
    url = getattr(action, "url", "") if action.spec.effect is EffectKind.NAVIGATE else ""
    if not url:
        return ""
    try:
        completed_url(url)
    except SettingsError as error:
        return str(error)
    return ""


def _addresses(action: Action, state: ScreenState) -> Iterable[str]:
    """The web addresses the action would open: its own, and those of links it would follow."""
    if action.spec.effect is EffectKind.NAVIGATE and (url := getattr(action, "url", "")):
        yield completed_url(url)
    for element in set_off(action, state):
        if element.role == "link" and element.href.split(":")[0].lower() in {"http", "https"}:
            yield element.href
        if element.sends_to.split(":")[0].lower() in {"http", "https"}:
            yield element.sends_to


def _link_fault(action: Action, state: ScreenState) -> str:
    """Why a link that is pressed is not followed: it leads to files or to the browser's own pages."""
    for element in set_off(action, state):
        if element.role == "link" and (fault := link_fault(element.href)):
            return fault
    return ""
