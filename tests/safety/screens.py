"""Screens for the tests of this folder."""

from __future__ import annotations

from operative_app.core.screen import Box, Element, ScreenState, SurfaceKind, TextBlock, Window


def box(x: float = 0, y: float = 0, width: float = 10, height: float = 10) -> Box:
    return Box(x_css_px=x, y_css_px=y, width_css_px=width, height_css_px=height)


def element(name: str, role: str = "button", **fields: object) -> Element:
    return Element.model_validate({"key": name, "role": role, "name": name, "path": name, "box": box(), **fields})


def text(words: str, **fields: object) -> TextBlock:
    return TextBlock.model_validate({"text": words, "box": box(), **fields})


def screen(*elements: Element, **fields: object) -> ScreenState:
    return ScreenState.model_validate(
        {
            "observation": 1,
            "surface": SurfaceKind.BROWSER,
            "url": "https://site.test/x",
            "elements": elements,
            **fields,
        }
    )


def desktop(*elements: Element, app: str = "editor", title: str = "A window", **fields: object) -> ScreenState:
    """A desktop with one window, which is in front and has the number 7."""
    is_dialog = bool(fields.pop("is_dialog", False))
    window = Window(id=7, title=title, app=app, box=box(), is_active=True, is_dialog=is_dialog)
    return screen(*elements, surface=SurfaceKind.DESKTOP, url="", windows=(window,), **fields)
