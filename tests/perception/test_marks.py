"""Marks on a picture: where labels go, what they may hide, which colours they have."""

from __future__ import annotations

from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from operative_app.core.screen import Box, Element, Picture, ScreenState, SurfaceKind
from operative_app.perception.marks import (
    MARK_COLOUR,
    TARGET_COLOUR,
    TARGET_LABEL_COLOUR,
    Rect,
    Scale,
    clipped,
    draw_marks,
    label_place,
    label_size,
)

WHOLE = Rect(0, 0, 800, 600)
sides = st.floats(min_value=-200, max_value=1000, allow_nan=False)
lengths = st.floats(min_value=1, max_value=500, allow_nan=False)
rects = st.builds(lambda x, y, w, h: Rect(x, y, x + w, y + h), sides, sides, lengths, lengths)


def element(key: str, mark: int, x: float, y: float, width: float = 100, height: float = 30) -> Element:
    box = Box(x_css_px=x, y_css_px=y, width_css_px=width, height_css_px=height)
    return Element(key=key, mark=mark, role="button", name=key, box=box)


def seen(
    *elements: Element, ratio: float = 1.0, ground: str = "white", media_type: str = "image/png"
) -> tuple[Picture, ScreenState]:
    image = Image.new("RGB", (round(400 * ratio), round(300 * ratio)), ground)
    buffer = BytesIO()
    image.save(buffer, "PNG" if media_type == "image/png" else "JPEG")
    state = ScreenState(
        observation=1,
        surface=SurfaceKind.BROWSER,
        viewport_width_css_px=400,
        viewport_height_css_px=300,
        elements=elements,
        pixel_ratio=ratio,
    )
    return Picture(data=buffer.getvalue(), media_type=media_type, width_px=image.width, height_px=image.height), state


def pixels(picture: Picture) -> Image.Image:
    return Image.open(BytesIO(picture.data)).convert("RGB")


def colours(picture: Picture, rect: Rect) -> set[object]:
    part = pixels(picture).crop((int(rect.left_px), int(rect.top_px), int(rect.right_px), int(rect.bottom_px)))
    return {colour for _, colour in part.getcolors(1 << 20) or []}


@given(own=rects, others=st.lists(rects, max_size=6), taken=st.lists(rects, max_size=6), mark=st.integers(1, 999))
def test_a_label_is_always_whole_on_the_picture(own: Rect, others: list[Rect], taken: list[Rect], mark: int) -> None:
    size = label_size(mark, 1.0)
    place = label_place(own, size, WHOLE, others, taken)
    assert WHOLE.left_px <= place.left_px < place.right_px <= WHOLE.right_px + 1e-6
    assert WHOLE.top_px <= place.top_px < place.bottom_px <= WHOLE.bottom_px + 1e-6


@given(first=rects, second=rects)
def test_overlap_is_symmetric_and_within_both(first: Rect, second: Rect) -> None:
    overlap = first.overlap_px2(second)
    assert overlap == second.overlap_px2(first)
    area = (first.right_px - first.left_px) * (first.bottom_px - first.top_px)
    assert 0 <= overlap <= area * (1 + 1e-9)


@given(rect=rects)
def test_clipping_keeps_a_rectangle_on_the_picture(rect: Rect) -> None:
    part = clipped(rect, WHOLE)
    if part.right_px > part.left_px and part.bottom_px > part.top_px:
        assert part.left_px >= 0
        assert part.top_px >= 0
        assert part.right_px < WHOLE.right_px
        assert part.bottom_px < WHOLE.bottom_px


@given(x=sides, y=sides, ratio=st.sampled_from([0.5, 1.0, 1.25, 2.0, 3.0]))
def test_boxes_scale_with_the_pixel_ratio(x: float, y: float, ratio: float) -> None:
    rect = Scale(ratio).rect(element("e", 1, x, y).box)
    assert rect.left_px == x * ratio
    assert abs((rect.right_px - rect.left_px) - 100 * ratio) < 1e-6


def test_a_label_leaves_the_text_of_its_element_free() -> None:
    own = Rect(100, 100, 260, 140)
    place = label_place(own, label_size(7, 1.0), WHOLE, [], [])
    middle = Rect(110, 108, 250, 132)
    assert place.overlap_px2(middle) == 0


def test_labels_of_close_elements_do_not_lie_on_each_other() -> None:
    size = label_size(10, 1.0)
    first = label_place(Rect(100, 100, 130, 120), size, WHOLE, [], [])
    second = label_place(Rect(104, 100, 130, 120), size, WHOLE, [], [first])
    assert second.overlap_px2(first) == 0


def test_marks_are_blue_and_the_target_is_orange() -> None:
    picture, state = seen(element("a", 1, 50, 100), element("b", 2, 250, 200))
    drawn = draw_marks(picture, state, target_key="b")
    assert MARK_COLOUR in colours(drawn, Rect(0, 60, 200, 150))
    assert TARGET_COLOUR not in colours(drawn, Rect(0, 60, 200, 150))
    assert TARGET_COLOUR in colours(drawn, Rect(210, 160, 400, 260))
    assert colours(picture, Rect(0, 0, 400, 300)) == {(255, 255, 255)}


def test_marks_stand_out_from_ground_of_their_own_colour() -> None:
    picture, state = seen(element("a", 1, 50, 100), ground="#2f6fed")
    drawn = draw_marks(picture, state)
    assert (255, 255, 255) in colours(drawn, Rect(20, 80, 100, 120))


def test_elements_without_a_mark_are_not_drawn_but_a_target_is_outlined() -> None:
    picture, state = seen(element("a", 0, 50, 100))
    assert colours(draw_marks(picture, state), Rect(0, 0, 400, 300)) == {(255, 255, 255)}
    assert TARGET_COLOUR in colours(draw_marks(picture, state, target_key="a"), Rect(0, 0, 400, 300))


def test_marks_lie_at_the_same_place_at_twice_the_pixels() -> None:
    picture, state = seen(element("a", 1, 50, 100), ratio=2.0)
    drawn = draw_marks(picture, state)
    assert (drawn.width_px, drawn.height_px) == (800, 600)
    assert MARK_COLOUR in colours(drawn, Rect(96, 240, 106, 250))
    assert colours(drawn, Rect(320, 300, 800, 600)) == {(255, 255, 255)}


def test_marks_lie_right_on_a_monitor_left_of_the_primary_one() -> None:
    picture, state = seen(element("a", 1, -350, 100))
    state = state.model_copy(update={"viewport_x_css_px": -400.0})
    drawn = draw_marks(picture, state)
    assert MARK_COLOUR in colours(drawn, Rect(48, 110, 54, 125))
    assert colours(drawn, Rect(200, 150, 400, 300)) == {(255, 255, 255)}


def test_media_type_is_kept_and_broken_bytes_are_given_back() -> None:
    picture, state = seen(element("a", 1, 50, 100), media_type="image/jpeg")
    assert draw_marks(picture, state).data[:2] == b"\xff\xd8"
    broken = Picture(data=b"no image")
    assert draw_marks(broken, state) is broken


def test_labels_are_legible_on_any_ground() -> None:
    def luminance(colour: tuple[int, int, int]) -> float:
        parts = [part / 255 for part in colour]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for colour in (MARK_COLOUR, TARGET_LABEL_COLOUR):
        assert 1.05 / (luminance(colour) + 0.05) >= 4.5
    for ground in ("white", "black", "#2f6fed", "#c2410c", "#808080"):
        picture, state = seen(element("a", 1, 50, 100), element("b", 2, 250, 100), ground=ground)
        drawn = draw_marks(picture, state, target_key="b")
        for place in (Rect(30, 70, 90, 110), Rect(230, 70, 290, 110)):
            assert (255, 255, 255) in colours(drawn, place)
        assert MARK_COLOUR in colours(drawn, Rect(30, 70, 90, 110))
        assert TARGET_LABEL_COLOUR in colours(drawn, Rect(230, 70, 290, 110))


def test_a_label_leaves_the_text_beside_its_element_free() -> None:
    own, size = Rect(100, 100, 120, 120), label_size(7, 1.0)
    heading = Rect(60, 82, 300, 99)
    assert label_place(own, size, WHOLE, [], []).overlap_px2(heading) > 0
    assert label_place(own, size, WHOLE, [], [], [heading]).overlap_px2(heading) < 5


def test_what_is_covered_has_no_mark_on_the_cover() -> None:
    covered = element("a", 1, 50, 100).model_copy(update={"cover": "dialog “Menu”"})
    picture, state = seen(covered)
    assert colours(draw_marks(picture, state), Rect(0, 0, 400, 300)) == {(255, 255, 255)}
