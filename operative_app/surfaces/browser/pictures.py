"""Lossless pictures of the viewport or of one element."""

from __future__ import annotations

import base64
import contextlib
from io import BytesIO
from typing import Any

from PIL import Image
from playwright.async_api import Error

from operative_app.core.errors import ActionError, RefusedAction, StaleReference
from operative_app.core.screen import Picture
from operative_app.surfaces.blackening import blackened
from operative_app.surfaces.browser.aiming import aim, carried_up
from operative_app.surfaces.browser.tab import Node, Tab
from operative_app.surfaces.browser.veil import Veils

PICTURE_DEADLINE_S = 10.0
TRIES = 4
MAX_SIDE_CSS_PX = 16_000.0
"""Longer sides are beyond what the browser paints in one piece."""


async def of_viewport(tab: Tab, veils: Veils) -> Picture:
    """What is visible now, as PNG."""
    return await _blackened(tab, veils, {}, None)


async def of_element(tab: Tab, node: Node, veils: Veils) -> Picture:
    """The element alone, scrolled into view, as PNG; whole also where it is larger than the viewport.

    Raises:
        RefusedAction: It is not visible, or larger than the browser can paint.
        StaleReference: It went.
    """
    with contextlib.suppress(RefusedAction):  # what covers it is in the picture then
        await aim(tab, node)
    box = await tab.on(node, "boxOf", "nearest")
    box = await carried_up(tab, node, box) if box is not None else None
    if box is None:
        raise StaleReference(f"{node.label} is no longer on the page.")
    if box["width"] < 1 or box["height"] < 1:
        raise RefusedAction(f"{node.label} is not visible now.")
    if max(box["width"], box["height"]) > MAX_SIDE_CSS_PX:
        raise RefusedAction(f"{node.label} is too large for one picture.")
    view = await tab.call("viewport")
    metrics = await tab.send("Page.getLayoutMetrics")
    zoom = float(metrics["cssVisualViewport"].get("zoom", 1))  # the clip counts pixels of a page that is not enlarged
    is_inside = (
        box["x"] >= 0
        and box["y"] >= 0
        and box["x"] + box["width"] <= view["width"]
        and box["y"] + box["height"] <= view["height"]
    )
    clip = {
        "x": (box["x"] + view["scroll_x"]) * zoom,
        "y": (box["y"] + view["scroll_y"]) * zoom,
        "width": box["width"] * zoom,
        "height": box["height"] * zoom,
        "scale": 1,
    }
    return await _blackened(tab, veils, {"clip": clip, "captureBeyondViewport": not is_inside}, box)


async def _blackened(tab: Tab, veils: Veils, options: dict[str, Any], box: dict[str, float] | None) -> Picture:
    """A picture without what must not be seen; `box` is the part of the viewport's plane that it shows.

    Raises:
        ActionError: What is secret on it cannot be told, or does not come to rest.
    """
    veil = await veils.over(tab, is_whole=box is not None)
    for _ in range(TRIES):
        version, before = veils.version, veil
        picture = await _capture(tab, options)
        veil = await veils.over(tab, is_whole=box is not None)
        if veil is not None and veil == before and version == veils.version:
            left, top = (box["x"], box["y"]) if box is not None else (0.0, 0.0)
            width = box["width"] if box is not None else veil.width_css_px
            return blackened(picture, veil.boxes, x_px=left, y_px=top, ratio=picture.width_px / (width or 1))
    raise ActionError("No picture was taken: what is secret on the page moves, so that it could not be blacked out.")


async def _capture(tab: Tab, options: dict[str, Any]) -> Picture:
    try:
        shot = await tab.send("Page.captureScreenshot", {"format": "png", **options}, deadline_s=PICTURE_DEADLINE_S)
    except Error as error:
        tab.border.check()
        raise ActionError("The browser could not take the picture.") from error
    data = base64.b64decode(shot["data"])
    with Image.open(BytesIO(data)) as image:
        width, height = image.size
    return Picture(data=data, media_type="image/png", width_px=width, height_px=height)
