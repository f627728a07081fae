"""Points land right whatever the scale: two device pixels for one of CSS, and a browser that shows pages at 150 %."""

from __future__ import annotations

import asyncio
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from operative_app.core.coordinates import CssPoint
from operative_app.core.errors import RefusedAction
from operative_app.surfaces.browser.surface import ManagedBrowser
from tests.surfaces.pages import Pages, cases
from tests.surfaces.test_acting_boxes import colours
from tests.surfaces.work import Work, one

PAGE = """<style>body{margin:0} button{position:absolute;left:211px;top:107px;width:50px;height:30px;border:0;
background:#f0f;color:transparent}</style><button>Go</button>
<iframe style='position:absolute;left:300px;top:200px;border:0' srcdoc='<body style="margin:0">
<button style="margin:50px;width:40px" onclick="parent.log.push([7, 7])">In</button>'></iframe>
<script>window.log = []; document.onclick = (event) => log.push([event.clientX, event.clientY])</script>"""


@pytest.fixture(scope="module")
def enlarged(runner: asyncio.Runner, place: Path, chromium_path: str, pages: Pages) -> Iterator[Work]:
    """A browser whose profile shows every page at 150 %."""
    profile = place / "enlarged"
    (profile / "Default").mkdir(parents=True)
    zoom = {"partition": {"default_zoom_level": {"x": math.log(1.5, 1.2)}}}
    (profile / "Default" / "Preferences").write_text(json.dumps(zoom))
    before = dict(os.environ)
    os.environ |= {
        "HOME": str(place / "home"),
        "XDG_CONFIG_HOME": str(place / "home"),
        "OPERATIVE_BROWSER": chromium_path,
    }
    try:
        browser = runner.run(ManagedBrowser.launch(profile_dir=profile, downloads_dir=place / "d2", headless=True))
    finally:
        os.environ.clear()
        os.environ |= before
    yield Work(runner, browser, pages)
    runner.run(browser.close())


@pytest.fixture(params=["two device pixels", "150 %"])
def scaled(request: pytest.FixtureRequest, work: Work, enlarged: Work) -> Iterator[Work]:
    if request.param == "150 %":
        yield enlarged
        return
    size = {"width": 1280, "height": 800, "deviceScaleFactor": 2, "mobile": False}

    async def set_scale(*, is_on: bool) -> None:
        tab = await work.browser._front()
        await tab.send("Emulation.setDeviceMetricsOverride", size if is_on else size | {"deviceScaleFactor": 1})

    work.run(set_scale(is_on=True))
    yield work
    work.run(set_scale(is_on=False))


def test_elements_places_frames_and_pictures_agree(scaled: Work) -> None:
    async def act() -> None:
        state = await scaled.show(PAGE)
        assert await scaled.script("devicePixelRatio") > 1.4
        go = state.ref(one(state, "button", "Go"))
        await scaled.browser.click(go)
        await scaled.browser.click(CssPoint(x_css_px=213, y_css_px=109))
        await scaled.browser.click(state.ref(one(state, "button", "In")))
        x, y = one(state, "button", "In").box.center
        await scaled.browser.click(CssPoint(x_css_px=x, y_css_px=y))
        log = await scaled.script("log")
        assert [(round(x / 3), round(y / 3)) for x, y in log] == [(79, 41), (71, 36), (2, 2), (2, 2)]
        assert colours((await scaled.browser.take_picture(go)).data) == {(255, 0, 255)}
        width, height = await scaled.script("[innerWidth, innerHeight]")
        assert (state.viewport_width_css_px, state.viewport_height_css_px) == (width, height)
        with pytest.raises(RefusedAction, match="outside"):
            await scaled.browser.click(CssPoint(x_css_px=width, y_css_px=5))

    scaled.run(act())


@pytest.mark.parametrize("case_id", ["p08", "p41"])
def test_drawn_and_zoomed_parts_are_pressed_at_any_scale(scaled: Work, case_id: str) -> None:
    case = cases()[case_id]

    async def act() -> None:
        state = await scaled.open(scaled.pages.url(case["file"]))
        if case_id == "p41":
            await scaled.browser.click(state.ref(one(state, "button", "Yes")))
        else:
            left, top = await scaled.script("(() => { const r = c.getBoundingClientRect(); return [r.left, r.top] })()")
            await scaled.browser.click(CssPoint(x_css_px=left + 1 + 200 * 1.5, y_css_px=top + 1 + 100 * 1.5))
        await scaled.page.wait_for_function(case["success_js"])
        assert not await scaled.script(case["bad_js"])

    scaled.run(act())
