"""Whether the page changed under a batch: actions decided together, on one look at the screen, done in order.

Each action is checked by itself before it is done. What is told here is a change that makes the rest a guess: another
page, a dialog in between, a target that went, moved away with the list around it or was covered. Texts, values and
states that change, and controls that come elsewhere, are no such change; so a batch over a quiet form goes through.
"""

from __future__ import annotations

from collections.abc import Sequence

from operative_app.actions.declare import Action, EffectKind
from operative_app.core.screen import Element, ElementState, ScreenState
from operative_app.safety.aim import aimed_at

_REST_PX = 2.0
"""How far something may move on the page and still be where it was, in pixels of the screen state."""


def change_under(planned: ScreenState, now: ScreenState, rest: Sequence[Action]) -> str:
    """What changed since the batch was decided, in words; "" when the rest still holds.

    Args:
        planned: The screen it was decided on.
        rest: The actions that are still to be done.
    """
    if fault := _page_change(planned, now):
        return fault
    is_moving = _list(planned) != _list(now)
    for action in rest:
        before, after = aimed_at(action, planned), aimed_at(action, now)
        if [one.fingerprint for one in before] != [one.fingerprint for one in after]:
            gone = next((one for one in before if one.fingerprint not in {two.fingerprint for two in after}), None)
            what = gone.label if gone is not None else after[0].label
            return f"{what} is no longer there" if gone is not None else f"{what} is there now"
        for old, new in zip(before, after, strict=True):
            if new.cover and not old.cover:
                return f"{new.cover} lies over {new.label}"
            has_moved = is_moving and _has_moved(old, new, planned, now)
            if has_moved and action.spec.effect is not EffectKind.ENTER:
                return f"the controls around {new.label} changed and it moved"
        if _names_place(action) and _scroll(planned) != _scroll(now):
            return "the page was scrolled"
    return ""


def _page_change(planned: ScreenState, now: ScreenState) -> str:
    old_tab, new_tab = planned.active_tab, now.active_tab
    if now.has_crashed:
        return "the page crashed"
    if old_tab is not None and new_tab is not None and old_tab.id != new_tab.id:
        return "another tab is in front"
    if now.url != planned.url:
        return f"the page is now {now.url}"
    if now.dialogs:
        return f"the page asks “{now.dialogs[0].message}”"
    if now.modal != planned.modal:
        return f"the dialog “{now.modal}” opened" if now.modal else f"the dialog “{planned.modal}” closed"
    if now.file_chooser and not planned.file_chooser:
        return "the page asks for a file"
    old_window, new_window = planned.active_window, now.active_window
    if old_window is not None and new_window is not None and old_window.id != new_window.id:
        return f"the window “{new_window.title}” is in front"
    return ""


def _list(state: ScreenState) -> frozenset[tuple[str, str, str]]:
    return frozenset((one.role, one.path, one.frame) for one in state.elements if not one.is_restless)


def _has_moved(old: Element, new: Element, planned: ScreenState, now: ScreenState) -> bool:
    if old.has(ElementState.OFFSCREEN) or new.has(ElementState.OFFSCREEN) or old.scroller:
        return False
    dx = (new.box.x_css_px + now.scroll.x_css_px) - (old.box.x_css_px + planned.scroll.x_css_px)
    dy = (new.box.y_css_px + now.scroll.y_css_px) - (old.box.y_css_px + planned.scroll.y_css_px)
    return abs(dx) > _REST_PX or abs(dy) > _REST_PX


def _names_place(action: Action) -> bool:
    return any(name.endswith("_px") and getattr(action, name) is not None and name[0] in "xy" for name, _ in action)


def _scroll(state: ScreenState) -> tuple[float, float, tuple[tuple[str, float, float], ...]]:
    inner = tuple((one.key, one.above_css_px, one.left_css_px) for one in state.scrollers)
    return state.scroll.x_css_px, state.scroll.y_css_px, inner
