"""Screens made by hand, with just what a test is about."""

from __future__ import annotations

from collections.abc import Sequence

from operative_app.core.screen import (
    Box,
    Element,
    ElementState,
    Option,
    ScreenState,
    ScrollPosition,
    SurfaceKind,
    Table,
    TextBlock,
)

TAGS = {
    "button": "button",
    "link": "a",
    "textbox": "input",
    "searchbox": "input",
    "checkbox": "input",
    "radio": "input",
}


def element(
    role: str,
    name: str,
    *states: ElementState,
    context: tuple[str, ...] = (),
    at: tuple[float, float] = (10, 10),
    within: str = "main[1]",
    **more: object,
) -> Element:
    """One element; text fields can be edited, check boxes and radio buttons are off unless said otherwise."""
    own = set(states)
    if role in {"textbox", "searchbox"} and ElementState.READONLY not in own:
        own.add(ElementState.EDITABLE)
    if role in {"checkbox", "radio", "switch"} and ElementState.CHECKED not in own:
        own.add(ElementState.UNCHECKED)
    tag = str(more.pop("tag", TAGS.get(role, "div")))
    return Element.model_validate(
        {
            "key": "",
            "role": role,
            "name": name,
            "tag": tag,
            "states": frozenset(own),
            "box": Box(x_css_px=at[0], y_css_px=at[1], width_css_px=80, height_css_px=20),
            "context": context,
            "path": f"body>{within}>{tag}",
            **more,
        }
    )


def text(
    words: str, role: str = "text", *, at: tuple[float, float] = (10, 10), level: int = 0, **more: object
) -> TextBlock:
    box = Box(x_css_px=at[0], y_css_px=at[1], width_css_px=80, height_css_px=18)
    return TextBlock.model_validate({"text": words, "role": role, "level": level, "box": box, **more})


def screen(
    *elements: Element,
    texts: Sequence[TextBlock] = (),
    tables: Sequence[Table] = (),
    observation: int = 1,
    **more: object,
) -> ScreenState:
    """A screen of 1200 by 800 CSS pixels; every element gets a key and a path of its own."""
    named = tuple(
        one.model_copy(update={"key": f"e{place}", "path": f"{one.path}[{place}]"})
        for place, one in enumerate(elements, start=1)
    )
    return ScreenState.model_validate(
        {
            "observation": observation,
            "surface": SurfaceKind.BROWSER,
            "url": "https://example.org/",
            "viewport_width_css_px": 1200,
            "viewport_height_css_px": 800,
            "scroll": ScrollPosition(height_css_px=800, width_css_px=1200),
            "elements": named,
            "texts": tuple(texts),
            "tables": tuple(tables),
            **more,
        }
    )


def options(*labels: str, chosen: str = "") -> tuple[Option, ...]:
    return tuple(Option(label=label, value=label.casefold(), is_selected=label == chosen) for label in labels)
