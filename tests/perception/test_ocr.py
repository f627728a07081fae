from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from operative_app.core.errors import SurfaceError
from operative_app.core.screen import Box, Picture
from operative_app.perception.ocr import LIMIT_PX, RapidTextReader, blocks


def drawn(size: tuple[int, int], *texts: tuple[int, int, str]) -> Image.Image:
    image = Image.new("RGB", size, (245, 245, 245))
    canvas = ImageDraw.Draw(image)
    for x, y, text in texts:
        canvas.text((x, y), text, fill=(20, 20, 20), font=ImageFont.load_default(18))
    return image


def picture(image: Image.Image) -> Picture:
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return Picture(data=buffer.getvalue(), media_type="image/png", width_px=image.width, height_px=image.height)


@pytest.fixture(scope="module")
def reader() -> RapidTextReader:
    """One reader for the module: loading its models takes seconds, on a busy machine all of its usual budget."""
    return RapidTextReader(budget_s=200.0)


def test_lines_are_read_with_their_places(reader: RapidTextReader) -> None:
    lines = reader.read(picture(drawn((420, 160), (30, 20, "Export the report"), (200, 110, "Cancel"))))

    assert [one.text for one in lines] == ["Export the report", "Cancel"]
    assert lines[1].box.contains(230, 122)
    assert lines[0].box.contains(100, 32)
    assert lines[0].box.height_css_px < 50


def test_a_part_is_read_with_places_in_the_whole_picture(reader: RapidTextReader) -> None:
    whole = picture(drawn((420, 160), (30, 20, "Export the report"), (200, 110, "Cancel")))

    (line,) = reader.read(whole, Box(x_css_px=180, y_css_px=90, width_css_px=200, height_css_px=60))

    assert line.text == "Cancel"
    assert line.box.contains(230, 122)


def test_what_did_not_change_is_not_read_again(reader: RapidTextReader, monkeypatch: pytest.MonkeyPatch) -> None:
    above = (40, 30, "Unchanged words")
    first = reader.read(picture(drawn((700, 900), above, (40, 850, "Before"))))
    engine, read = reader._engine, []

    def counted(part: Image.Image, **settings: Any) -> Any:
        read.append(part.size)
        return engine(part, **settings)

    monkeypatch.setattr(reader, "_engine", counted)
    again = reader.read(picture(drawn((700, 900), above, (40, 850, "Afterwards"))))

    assert [one.text for one in first] == ["Unchanged words", "Before"]
    assert [one.text for one in again] == ["Unchanged words", "Afterwards"]
    assert len(read) == 1


def test_an_empty_picture_has_no_text_and_loads_no_model() -> None:
    reader = RapidTextReader()

    assert reader.read(picture(drawn((300, 200)))) == []
    assert reader._engine is None


def test_a_reading_ends_when_its_time_is_over(reader: RapidTextReader) -> None:
    hurried = RapidTextReader(budget_s=-1.0)

    assert hurried.read(picture(drawn((300, 100), (20, 20, "Never read")))) == []
    assert hurried._engine is None


def test_a_damaged_picture_is_told_as_such(reader: RapidTextReader) -> None:
    with pytest.raises(SurfaceError, match="damaged"):
        reader.read(Picture(data=b"no picture"))


def test_blocks_are_small_enough_and_hold_all_that_is_drawn() -> None:
    places = [(60 + 300 * column, 40 + 90 * row) for row in range(12) for column in range(5)]
    image = drawn((1600, 1150), *((x, y, "Some words") for x, y in places))

    found = blocks(image)

    assert max(max(right - left, bottom - top) for left, top, right, bottom in found) <= LIMIT_PX
    for x, y in places:
        assert any(
            left <= x + 2 and right >= x + 80 and top <= y + 4 and bottom >= y + 18
            for left, top, right, bottom in found
        )


def test_a_picture_without_gaps_is_cut_all_the_same() -> None:
    noise = Image.effect_noise((1500, 800), 90).convert("RGB")

    assert all(max(right - left, bottom - top) <= LIMIT_PX for left, top, right, bottom in blocks(noise))
