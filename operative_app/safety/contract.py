"""The plan is the contract: what of an action lies outside of what the active task grants.

| outside | asked about |
|---|---|
| a link, an address, a form or a tab that leads to another site | once for the site and the task |
| acting on a page of another site, where a redirect or a script has led | once for the site and the task |
| acting in a frame that comes from another site than the page | once for the site and the task |
| opening, saving or giving away a file in no granted folder | once for the folder and the task |
| opening or switching to a program that was not named | once for the program and the task |
| acting in the window of a program that was neither named nor opened by the agent | once for the program and the task |

Reading, pointing, scrolling and going back are free everywhere. A person's answer widens the task, or lets the run stay
where it led this once; what a page says, or a model after it has seen a page, never does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from operative_app.actions.browser import CloseTab, GoBack, Navigate, NewTab, SwitchTab
from operative_app.actions.declare import Action, EffectKind
from operative_app.actions.mouse import Hover, Scroll
from operative_app.actions.system import OpenApp, SwitchApp
from operative_app.core.plan import Grants
from operative_app.core.screen import ScreenState, SurfaceKind, folded
from operative_app.safety.aim import set_off
from operative_app.safety.paths import folder_of, is_granted
from operative_app.safety.risk_words import Kind
from operative_app.safety.risks import files_of
from operative_app.safety.site_names import site_name
from operative_app.safety.whereabouts import addresses_of, windows_of

_FREE_EFFECTS = frozenset({EffectKind.READ, EffectKind.COMPOSITE, EffectKind.CLIPBOARD, EffectKind.APP, EffectKind.RUN})
_FREE = (GoBack, CloseTab, Hover, Scroll)


@dataclass(frozen=True, slots=True)
class Outside:
    """What lies outside, and what a person can allow.

    Attributes:
        what: The site, the folder or the program.
        widening: What allowing it for the task adds to its grants.
    """

    kind: Kind
    what: str
    reason: str
    allow_words: str
    widening: Grants


def outside(
    action: Action, state: ScreenState, granted: Grants, *, visits: frozenset[str] = frozenset(), words: str = ""
) -> Outside | None:
    """What of an action lies outside of the grants; None when nothing does.

    Args:
        visits: Sites and programs a person let the run go to this once: it may act there while it is there.
        words: Everything the person typed for this goal; the programs in it are granted.
    """
    if state.surface is SurfaceKind.DESKTOP:
        return _outside_program(action, state, granted, words, visits) or _outside_folder(action, granted)
    return _outside_site(action, state, granted, visits) or _outside_folder(action, granted)


def _outside_site(action: Action, state: ScreenState, granted: Grants, visits: frozenset[str]) -> Outside | None:
    here = site_name(state.url)
    for url in destinations(action, state):
        there = site_name(url)
        if there and there != here and there not in granted.sites:
            return _leaving(there, f"It leads to {there}, which is not among the sites of this task.")
    if action.spec.effect in _FREE_EFFECTS or action.spec.effect is EffectKind.NAVIGATE or isinstance(action, _FREE):
        return None
    known = granted.sites if not visits else (*granted.sites, *visits)
    if here and here not in known:
        return _leaving(here, f"The page is on {here} now, which is not among the sites of this task.")
    for url in addresses_of(action, state):
        inside = site_name(url)
        if inside and inside != here and inside not in known:
            return _leaving(
                inside, f"This part of the page comes from {inside}, which is not among the sites of this task."
            )
    return None


def _leaving(site: str, reason: str) -> Outside:
    return Outside(Kind.LEAVING, site, reason, f"Allow {site} for this task", Grants(sites=(site,)))


def destinations(action: Action, state: ScreenState) -> Iterator[str]:
    """The addresses to which an action leads by itself, by links and by forms."""
    match action:
        case Navigate() | NewTab():
            yield action.url
        case SwitchTab():
            yield from (tab.url for tab in state.tabs if tab.id == action.tab_id)
    for control in set_off(action, state):
        if control.role == "link":
            yield control.href
        yield control.sends_to


def _outside_program(
    action: Action, state: ScreenState, granted: Grants, words: str, visits: frozenset[str]
) -> Outside | None:
    if not isinstance(action, OpenApp | SwitchApp):
        return _outside_window(action, state, granted, words, visits)
    app, said = folded(action.app), folded(words)
    open_ones = (window for window in state.windows if app in {folded(window.app), folded(window.title)})
    names = (app, *(folded(window.app) for window in open_ones))
    if any(len(name) > 2 and name in said for name in names):
        return None
    if any(_is_same_program(name, folded(one)) for name in names for one in granted.apps):
        return None
    reason = f"“{action.app}” is not among the programs of this task."
    return Outside(Kind.PROGRAM, action.app, reason, f"Allow “{action.app}” for this task", Grants(apps=(action.app,)))


def _outside_window(
    action: Action, state: ScreenState, granted: Grants, words: str, visits: frozenset[str]
) -> Outside | None:
    """The program whose window is acted in; titles do not count, since documents and pages give them."""
    if action.spec.effect in _FREE_EFFECTS or isinstance(action, _FREE):
        return None
    said = folded(words)
    for window in windows_of(action, state):
        name = window.app or window.title
        app = folded(name)
        is_known = (len(app) > 2 and app in said) or any(_is_same_program(app, folded(one)) for one in granted.apps)
        if app and not is_known and name not in visits:
            reason = f"The window belongs to “{name}”, which is not among the programs of this task."
            return Outside(Kind.PROGRAM, name, reason, f"Allow “{name}” for this task", Grants(apps=(name,)))
    return None


def _is_same_program(one: str, other: str) -> bool:
    """Whether two names mean one program: "text editor" is in "text editor – notes.txt"."""
    return one == other or (len(one) > 2 and one in other) or (len(other) > 2 and other in one)


def _outside_folder(action: Action, granted: Grants) -> Outside | None:
    if action.spec.effect is EffectKind.RUN:
        return None  # a command is asked about as one
    for path in files_of(action):
        if not is_granted(path, granted.folders):
            folder = folder_of(path)
            reason = f"“{path}” is in no folder of this task."
            return Outside(
                Kind.FILES, folder, reason, f"Allow the folder {folder} for this task", Grants(folders=(folder,))
            )
    return None
