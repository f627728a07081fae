"""One read of a page: the pass in the top world, then in each frame of another process, joined in reading order."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from playwright.async_api import Error

from operative_app.core.errors import SurfaceError
from operative_app.surfaces.browser.border import DialogWaits, NoAnswer, Unreadable
from operative_app.surfaces.browser.building import Raw, box
from operative_app.surfaces.browser.reach import UNASKED, reach
from operative_app.surfaces.browser.tab import READ_DEADLINE_S, Tab, World

MAX_FRAMES = 40
MAX_FOREIGN_DEPTH = 4
MAX_ROUNDS = 3  # closed roots within closed roots


@dataclass(frozen=True, slots=True)
class Budget:
    """What one observation may cost; what it cut off is said in `left_out`."""

    max_nodes: int = 60_000
    max_elements: int = 1_500
    max_offscreen: int = 1_000
    max_chars: int = 120_000
    max_tables: int = 40
    max_depth: int = 400
    whole_nodes: int = 5_000
    heights_above: int = 3
    heights_below: int = 6
    max_scrollers: int = 40
    max_hosts: int = 60
    max_empty_hosts: int = 8
    time_ms: int = 2_000


@dataclass(slots=True)
class _Join:
    frames: int = 0
    left_out: list[str] = field(default_factory=list)


async def read_page(tab: Tab, budget: Budget | None = None, *, after_frame: bool = False) -> Raw:
    """Read the page over all frames.

    Args:
        after_frame: Let the page paint before the pass, for a picture that is taken at the same time: the pass
            would hold it up.

    Raises:
        NoAnswer: It was busy, and stayed busy after its script was stopped.
    """
    limits = budget or Budget()
    was_busy = False
    try:
        first = _options(tab, limits) | {"after_frame": after_frame}
        text = await tab.call("observePage", first, deadline_s=READ_DEADLINE_S)
    except Unreadable:
        raise
    except NoAnswer:
        await tab.stop_busy_script()
        was_busy = True
        text = await tab.call("observePage", _options(tab, limits), deadline_s=READ_DEADLINE_S)
    page: Raw = json.loads(text)
    world = await tab.top_world()
    for _ in range(MAX_ROUNDS):
        if not await reach(tab, world, page):
            break
        page = json.loads(await tab.call("observePage", _options(tab, limits), deadline_s=READ_DEADLINE_S))
    _expand(page, world)
    join = _Join()
    await _enter_frames(tab, world, page, limits, join, depth=0)
    page["left_out"] = [*page["left_out"], *join.left_out]
    page["world"] = world.tag
    if was_busy:
        page["left_out"].append("a script kept the page busy and was stopped")
    if was_busy or UNASKED in page["left_out"]:  # there is more to be seen, though the page does not change
        page["token"] = ""
    return page


def _options(tab: Tab, limits: Budget) -> Raw:
    return {
        "max_nodes": limits.max_nodes,
        "max_elements": limits.max_elements,
        "max_offscreen": limits.max_offscreen,
        "max_chars": limits.max_chars,
        "max_tables": limits.max_tables,
        "max_frames": MAX_FRAMES,
        "max_depth": limits.max_depth,
        "whole_nodes": limits.whole_nodes,
        "heights_above": limits.heights_above,
        "heights_below": limits.heights_below,
        "max_scrollers": limits.max_scrollers,
        "max_hosts": limits.max_hosts,
        "max_empty_hosts": limits.max_empty_hosts,
        "time_ms": limits.time_ms,
        "table_offset": 0,
        "prefix": "",
    }


def _expand(part: Raw, world: World) -> None:
    """From the compact form of the pass to the fields of a ScreenState.

    Keys get the world's tag, which is known for sure only after the read.
    """
    contexts = [tuple(names) for names in part["contexts"]]
    for element in part["elements"]:
        element["key"] = f"{world.tag}n{element['key']}"
        element["box"] = box(element["box"])
        element["context"] = contexts[element["context"]]
        if "scroller" in element:
            element["scroller"] = f"{world.tag}n{element['scroller']}"
        if "form" in element:
            element["form"] = f"{world.tag}n{element['form']}"
    for scroller in part["scrollers"]:
        scroller["key"] = f"{world.tag}n{scroller['key']}"
        scroller["box"] = box(scroller["box"])
    if part["modal_box"] is not None:
        part["modal_box"] = box(part["modal_box"])
    for text in part["texts"]:
        text["box"] = box(text["box"])
        text["context"] = contexts[text["context"]]
        if "scroller" in text:
            text["scroller"] = f"{world.tag}n{text['scroller']}"
        if "form" in text:
            text["form"] = f"{world.tag}n{text['form']}"
    for table in part["tables"]:
        table["boxes"] = [box(sides) for sides in table["boxes"]]
        table["context"] = contexts[table["context"]]
    if part["focus"]:
        part["focus"] = f"{world.tag}n{part['focus']}"


async def _enter_frames(tab: Tab, world: World, part: Raw, limits: Budget, join: _Join, depth: int) -> None:
    shift_elements = shift_texts = shift_tables = 0
    for frame in part["foreign"]:
        join.frames += 1
        if join.frames > MAX_FRAMES or depth >= MAX_FOREIGN_DEPTH:
            join.left_out.append("more frames were not looked at")
            return
        inner = await _read_frame(tab, world, frame, part, limits, join, depth)
        if inner is None:
            continue
        at = frame["elements"] + shift_elements
        part["elements"][at:at] = inner["elements"]
        shift_elements += len(inner["elements"])
        at = frame["texts"] + shift_texts
        part["texts"][at:at] = inner["texts"]
        shift_texts += len(inner["texts"])
        at = frame["tables"] + shift_tables
        _renumber_tables(part, from_index=at, by=len(inner["tables"]), keep=inner["elements"])
        for element in inner["elements"]:
            if "table" in element:
                element["table"] += at
        part["tables"][at:at] = inner["tables"]
        shift_tables += len(inner["tables"])
        part["scrollers"].extend(inner["scrollers"])
        part["frames"].extend(inner["frames"])
        if not part["modal"]:
            part["modal"], part["modal_box"] = inner["modal"], inner["modal_box"]
        part["selection"] = part["selection"] or inner["selection"]
        part["focus"] = inner["focus"] or part["focus"]
        part["is_loading"] = part["is_loading"] or inner["is_loading"]
        join.left_out.extend(inner["left_out"])


def _renumber_tables(part: Raw, *, from_index: int, by: int, keep: list[Raw]) -> None:
    if not by:
        return
    own = {id(element) for element in keep}
    for element in part["elements"]:
        if element.get("table", -1) >= from_index and id(element) not in own:
            element["table"] += by


async def _read_frame(
    tab: Tab, world: World, frame: Raw, parent: Raw, limits: Budget, join: _Join, depth: int
) -> Raw | None:
    where = f"the frame “{frame['ctx'][-1]}”" if frame["ctx"] else f"frame {frame['path']}"
    try:
        inner_world = await tab.foreign_world(world, int(frame["key"]))
        if inner_world is None:
            join.left_out.append(f"{where} is still loading")
            return None
        options = _options(tab, limits) | {
            "x": frame["x"],
            "y": frame["y"],
            "scale": frame["scale"],
            "clip": frame["clip"],
            "area": frame["area"],
            "path": frame["path"],
            "cover": frame["cover"],
            "name": frame["name"],
            "context": frame["ctx"],
            "width": parent["width"],
            "height": parent["height"],
        }
        inner: Raw = json.loads(await tab.run(inner_world, "observePage", options))
        for _ in range(MAX_ROUNDS):
            if not await reach(tab, inner_world, inner):
                break
            inner = json.loads(await tab.run(inner_world, "observePage", options))
    except DialogWaits:
        raise
    except (SurfaceError, NoAnswer, Error):
        tab.border.check()
        tab.forget_frames()
        join.left_out.append(f"{where} could not be read")
        return None
    inner["width"], inner["height"] = parent["width"], parent["height"]
    _expand(inner, inner_world)
    await _enter_frames(tab, inner_world, inner, limits, join, depth + 1)
    return inner
