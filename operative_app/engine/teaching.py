"""From what a person did on a surface to typed actions of the registry, with nothing secret in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from operative_app.actions.browser import Fill, Navigate, SelectOption
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import PressKey
from operative_app.actions.mouse import ClickElement, DoubleClick, RightClick, Scroll
from operative_app.actions.system import SwitchApp
from operative_app.core.taking import Deed, DeedKind, TaughtStep
from operative_app.engine.hub import EventHub

HIDDEN = "(hidden)"
"""Stands for what went into a password field, and for passwords the person has given before."""


@dataclass(frozen=True, slots=True)
class Taught:
    """An action as it was shown, and as it is kept with the plan."""

    action: Action
    step: TaughtStep


def taught(deeds: Sequence[Deed], hub: EventHub) -> tuple[Taught, ...]:
    """The actions that do what a person did, in order.

    Args:
        hub: Knows the texts that no event may hold; a field that got one of them is hidden whole.
    """
    return tuple(_taught(action, hub) for deed in deeds if (action := _action(deed, hub)) is not None)


def _taught(action: Action, hub: EventHub) -> Taught:
    step = TaughtStep(
        action=action.name, arguments=action.model_dump(mode="json", exclude_none=True), label=action.words
    )
    return Taught(action, hub.cleaned(step))


def _action(deed: Deed, hub: EventHub) -> Action | None:
    text = HIDDEN if deed.is_hidden or hub.cleaned(deed).text != deed.text else deed.text
    match deed.kind:
        case DeedKind.CLICK:
            return ClickElement(target=deed.ref) if deed.ref is not None else None
        case DeedKind.DOUBLE_CLICK:
            return DoubleClick(target=deed.ref) if deed.ref is not None else None
        case DeedKind.RIGHT_CLICK:
            return RightClick(target=deed.ref) if deed.ref is not None else None
        case DeedKind.SCROLL:
            return Scroll(dy_css_px=float(deed.text), target=deed.ref)
        case DeedKind.SWITCH:
            return SwitchApp(app=text) if text else None
        case DeedKind.FILL:
            return Fill(target=deed.ref, text=text) if deed.ref is not None else None
        case DeedKind.CHOOSE:
            return SelectOption(target=deed.ref, option=text) if deed.ref is not None else None
        case DeedKind.PRESS:
            return PressKey(key=text, target=deed.ref)
        case DeedKind.GO:
            return Navigate(url=text) if text else None
        case _:
            assert_never(deed.kind)
