"""Named colours and measures; every colour and distance in the window comes from here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

TEXT_PX: Final = 13
SMALL_PX: Final = 12
GRID_PX: Final = 4
CORNER_PX: Final = 6
CARD_CORNER_PX: Final = 8
ICON_PX: Final = 16
CONTROL_HEIGHT_PX: Final = 32
HEADER_HEIGHT_PX: Final = 40


class ThemeName(StrEnum):
    """What the person chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Tokens:
    """One theme's colours as #rrggbb. A `*_soft` colour is the ground on which the colour before it is text."""

    is_dark: bool
    ground: str
    panel: str
    raised: str
    field: str
    line: str
    ink: str
    secondary: str
    faint: str
    accent: str
    on_accent: str
    accent_hover: str
    accent_soft: str
    accent_ink: str
    bubble: str
    on_bubble: str
    ok: str
    ok_soft: str
    warning: str
    warning_soft: str
    error: str
    error_soft: str
    neutral_soft: str
    hover: str
    track: str
    mark: str
    target: str
    on_target: str


LIGHT: Final = Tokens(
    is_dark=False,
    ground="#f6f7f9",
    panel="#ffffff",
    raised="#ffffff",
    field="#f6f7f9",
    line="#e3e6eb",
    ink="#1c2430",
    secondary="#5d6675",
    faint="#a9b1bd",
    accent="#2f6fed",
    on_accent="#ffffff",
    accent_hover="#2560d8",
    accent_soft="#e8f0fe",
    accent_ink="#1f59cc",
    bubble="#2f6fed",
    on_bubble="#ffffff",
    ok="#17703c",
    ok_soft="#e4f4ea",
    warning="#9a4a06",
    warning_soft="#fdf0e1",
    error="#b3261e",
    error_soft="#fdeceb",
    neutral_soft="#f0f2f5",
    hover="#f0f3f8",
    track="#e3e6eb",
    mark="#2f6fed",
    target="#c9480a",
    on_target="#ffffff",
)
DARK: Final = Tokens(
    is_dark=True,
    ground="#14171c",
    panel="#1b1f26",
    raised="#22272f",
    field="#14171c",
    line="#2c323d",
    ink="#e7ebf0",
    secondary="#9aa4b2",
    faint="#626c7a",
    accent="#6ea0ff",
    on_accent="#0d1420",
    accent_hover="#8ab2ff",
    accent_soft="#22304d",
    accent_ink="#8fb6ff",
    bubble="#2b57b3",
    on_bubble="#ffffff",
    ok="#63cd8d",
    ok_soft="#1c3226",
    warning="#f0ab58",
    warning_soft="#3a2b18",
    error="#ff8b84",
    error_soft="#402223",
    neutral_soft="#272c35",
    hover="#262c36",
    track="#2c323d",
    mark="#2f6fed",
    target="#c9480a",
    on_target="#ffffff",
)
