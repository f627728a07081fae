from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operative_app.core.coordinates import (
    Area,
    CssPoint,
    Grid,
    ImageMap,
    ImagePoint,
    PagePlace,
    ScreenPoint,
    WindowPlace,
    WindowPoint,
    area_around,
    area_at,
    scale_of,
)
from operative_app.core.errors import RefusedAction
from operative_app.core.screen import Box, Picture, ScreenState, SurfaceKind

CASES = json.loads((Path(__file__).parent.parent / "cases" / "desktop_coordinate_cases.json").read_text())["cases"]

RETINA = Area(left_px=0, top_px=0, width_px=1512, height_px=982)
LEFT = Area(left_px=-2560, top_px=-200, width_px=2560, height_px=1440)


def monitor_of(case: dict[str, Any]) -> Area:
    (left, top), (width, height) = case["monitor_origin"], case["logical_size"]
    return Area(left_px=left, top_px=top, width_px=width, height_px=height)


def image_of(case: dict[str, Any]) -> ImageMap:
    width, height = case["image_sent_px"]
    return ImageMap(
        shown=monitor_of(case), is_screen=True, width_px=width, height_px=height, grid=Grid(case["model_space"])
    )


def image_point(x: float, y: float) -> ImagePoint:
    return ImagePoint(x_image_px=x, y_image_px=y)


@pytest.mark.parametrize("case", [case for case in CASES if case["expect_point"]], ids=lambda case: case["id"])
def test_a_place_a_model_names_is_the_place_the_pointer_goes_to(case: dict[str, Any]) -> None:
    place = image_of(case).to_state(image_point(*case["model_point"]))

    assert isinstance(place, ScreenPoint)
    assert (place.x_screen_px, place.y_screen_px) == pytest.approx(tuple(case["expect_point"]), abs=1)


@pytest.mark.parametrize("case", [case for case in CASES if not case["expect_point"]], ids=lambda case: case["id"])
def test_a_wild_place_is_refused_in_the_models_own_numbers(case: dict[str, Any]) -> None:
    with pytest.raises(RefusedAction, match=r"-3, 20 is not on the picture.*1366, 768"):
        image_of(case).to_state(image_point(*case["model_point"]))


@pytest.mark.parametrize(
    ("grid", "x", "y", "is_on"),
    [
        (Grid.PIXELS, 1280, 720, True),
        (Grid.PIXELS, 1281, 10, False),
        (Grid.THOUSAND, 1000, 1000, True),
        (Grid.THOUSAND, 1001, 0, False),
        (Grid.UNIT, 1.0, 0.5, True),
        (Grid.UNIT, 2.0, 0.5, False),  # pixels named on a grid of one: not the far corner
        (Grid.PIXELS, float("nan"), 5, False),
        (Grid.PIXELS, float("inf"), 5, False),
    ],
)
def test_bounds_are_checked_where_the_model_counts(grid: Grid, x: float, y: float, is_on: bool) -> None:
    image = ImageMap(shown=LEFT, is_screen=True, width_px=1280, height_px=720, grid=grid)
    if is_on:
        place = image.to_state(image_point(x, y))
        assert isinstance(place, ScreenPoint)
        assert area_at(place, [LEFT]) == LEFT
    else:
        with pytest.raises(RefusedAction):
            image.to_state(image_point(x, y))


def test_a_place_of_a_page_is_never_taken_for_one_of_the_screen() -> None:
    image = ImageMap(shown=RETINA, is_screen=True, width_px=100, height_px=100)

    with pytest.raises(RefusedAction):
        image.to_image(CssPoint(x_css_px=1, y_css_px=1))


def test_a_place_the_picture_does_not_show_has_no_place_on_it() -> None:
    image = ImageMap(shown=LEFT, is_screen=True, width_px=1280, height_px=720)

    with pytest.raises(RefusedAction, match="does not show"):
        image.to_image(ScreenPoint(x_screen_px=10, y_screen_px=10))


def test_a_picture_of_another_monitor_leads_back_to_that_monitor() -> None:
    taken = Box(x_css_px=-2560, y_css_px=-200, width_css_px=2560, height_css_px=1440)
    state = ScreenState(
        observation=1,
        surface=SurfaceKind.DESKTOP,
        viewport_x_css_px=-2560,
        viewport_y_css_px=-200,
        viewport_width_css_px=4480,
        viewport_height_css_px=1440,
    )
    shrunk = Picture(data=b"", width_px=1280, height_px=720, area=taken)

    assert state.map_of(shrunk).to_state(image_point(10, 10)) == ScreenPoint(x_screen_px=-2540, y_screen_px=-180)


def test_a_picture_of_all_that_is_seen_leads_back_to_the_page() -> None:
    state = ScreenState(
        observation=1, surface=SurfaceKind.BROWSER, viewport_width_css_px=1512, viewport_height_css_px=982
    )
    huge = Picture(data=b"", width_px=3024, height_px=1964)

    assert state.map_of(huge).to_state(image_point(1512, 982)) == CssPoint(x_css_px=756, y_css_px=491)


def test_a_place_in_a_window_is_counted_from_its_content() -> None:
    window = WindowPlace(content=Area(left_px=-1900, top_px=40, width_px=800, height_px=600))

    assert window.to_screen(WindowPoint(x_window_px=5, y_window_px=7)) == ScreenPoint(x_screen_px=-1895, y_screen_px=47)
    assert window.to_window(ScreenPoint(x_screen_px=-1895, y_screen_px=47)) == WindowPoint(x_window_px=5, y_window_px=7)


@pytest.mark.parametrize("place", [(-1, 0), (800, 0), (0, 600)])
def test_a_place_beside_the_window_is_refused(place: tuple[float, float]) -> None:
    window = WindowPlace(content=Area(left_px=0, top_px=0, width_px=800, height_px=600))

    with pytest.raises(RefusedAction, match="not in the window"):
        window.to_screen(WindowPoint(x_window_px=place[0], y_window_px=place[1]))


@pytest.mark.parametrize(
    ("ratio", "scale", "x_screen_px"),
    [
        (1.0, 1.0, 300.0),  # no zoom, X11
        (1.5, 1.0, 400.0),  # page zoom of 150 %
        (2.0, 2.0, 300.0),  # retina, no zoom: the pointer counts logical pixels
        (3.0, 2.0, 400.0),  # retina and page zoom of 150 %
    ],
)
def test_a_place_in_a_page_is_found_on_the_screen_at_every_zoom(ratio: float, scale: float, x_screen_px: float) -> None:
    page = PagePlace(
        viewport=Area(left_px=100, top_px=90, width_px=1200, height_px=700),
        device_pixel_ratio=ratio,
        monitor_scale=scale,
    )

    assert page.to_screen(CssPoint(x_css_px=200, y_css_px=0)).x_screen_px == x_screen_px


def test_a_place_below_the_viewport_is_not_in_view() -> None:
    page = PagePlace(viewport=Area(left_px=0, top_px=90, width_px=1200, height_px=700))

    with pytest.raises(RefusedAction, match="not in view"):
        page.to_screen(CssPoint(x_css_px=10, y_css_px=701))


def test_monitors_left_of_and_above_the_primary_one_give_a_negative_corner() -> None:
    primary = Area(left_px=0, top_px=0, width_px=1920, height_px=1080)

    assert area_around([primary, LEFT]) == Area(left_px=-2560, top_px=-200, width_px=4480, height_px=1440)
    assert area_at(ScreenPoint(x_screen_px=-1, y_screen_px=-200), [primary, LEFT]) == LEFT
    assert area_at(ScreenPoint(x_screen_px=100, y_screen_px=-200), [primary, LEFT]) is None  # above the primary one


def test_the_scale_is_told_by_the_image_itself() -> None:
    assert scale_of(3024, 1512) == 2.0
    assert scale_of(0, 0) == 1.0


sides = st.integers(min_value=64, max_value=8000)
origins = st.integers(min_value=-8000, max_value=8000)


@given(
    origin=st.tuples(origins, origins),
    size=st.tuples(sides, sides),
    sent=st.tuples(sides, sides),
    grid=st.sampled_from(Grid),
    at=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_every_place_shown_comes_back_within_a_pixel(
    origin: tuple[int, int], size: tuple[int, int], sent: tuple[int, int], grid: Grid, at: tuple[float, float]
) -> None:
    shown = Area(left_px=origin[0], top_px=origin[1], width_px=size[0], height_px=size[1])
    image = ImageMap(shown=shown, is_screen=True, width_px=sent[0], height_px=sent[1], grid=grid)
    place = ScreenPoint(x_screen_px=origin[0] + at[0] * size[0], y_screen_px=origin[1] + at[1] * size[1])

    back = image.to_state(image.to_image(place))

    assert isinstance(back, ScreenPoint)
    assert abs(back.x_screen_px - place.x_screen_px) <= 1
    assert abs(back.y_screen_px - place.y_screen_px) <= 1
    assert area_at(back, [shown]) == shown


@given(
    corner=st.tuples(origins, origins),
    ratio=st.sampled_from([0.5, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0]),
    scale=st.sampled_from([1.0, 1.25, 1.5, 2.0]),
    at=st.tuples(st.floats(0, 0.999), st.floats(0, 0.999)),
)
def test_every_place_of_a_page_comes_back_from_the_screen(
    corner: tuple[int, int], ratio: float, scale: float, at: tuple[float, float]
) -> None:
    viewport = Area(left_px=corner[0], top_px=corner[1], width_px=1280, height_px=720)
    page = PagePlace(viewport=viewport, device_pixel_ratio=ratio, monitor_scale=scale)
    per_css = page.screen_px_for_css_px
    place = CssPoint(x_css_px=at[0] * 1280 / per_css, y_css_px=at[1] * 720 / per_css)

    back = page.to_page(page.to_screen(place))

    assert abs(back.x_css_px - place.x_css_px) <= 1
    assert abs(back.y_css_px - place.y_css_px) <= 1
