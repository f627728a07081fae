from __future__ import annotations

import io
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from operative_app.practice import PracticeSite
from tests.practice.client import Client, Reply

State = Callable[[str], dict[str, Any]]
PdfOf = Callable[..., bytes]


def convert(client: Client, content: bytes, name: str = "minutes.pdf", **fields: str) -> Reply:
    """Upload a file and follow its job to the end; the last reply about the job."""
    started = client.upload("/pdf/api/convert", name, content, fields)
    if started.status != 202:
        return started
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        job = client.get(f"/pdf/api/job/{started.json['job']}")
        if job.json["status"] in {"done", "failed"}:
            return job
    pytest.fail("The conversion did not end.")


def folders() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob("operative-pdf-*"))


def test_every_page_becomes_a_picture_of_the_chosen_kind(client: Client, state: State, pdf_of: PdfOf) -> None:
    assert convert(client, pdf_of(3), format="jpeg", resolution="150").json["done"] == 3
    picture = client.get("/pdf/result/1/page/2")
    assert picture.headers["Content-Disposition"] == 'attachment; filename="page-02.jpeg"'
    with Image.open(io.BytesIO(picture.body)) as image:
        assert (image.format, image.size) == ("JPEG", (417, 584))
        red, green, blue = image.convert("RGB").getpixel((200, 300))  # type: ignore[misc]
        assert abs(red - 20) < 6
        assert abs(green - 120) < 6
        assert abs(blue - 180) < 6
    (conversion,) = state("pdf")["conversions"]
    assert (conversion["filename"], conversion["format"], conversion["resolution_dpi"]) == ("minutes.pdf", "jpeg", 150)
    assert conversion["sizes_px"] == [[417, 584]] * 3


def test_all_pictures_come_in_one_archive(client: Client, pdf_of: PdfOf) -> None:
    convert(client, pdf_of(2), resolution="72")
    with zipfile.ZipFile(io.BytesIO(client.get("/pdf/result/1/archive").body)) as archive:
        assert archive.namelist() == ["page-01.png", "page-02.png"]
        assert archive.read("page-01.png") == client.get("/pdf/result/1/page/1").body
    with Image.open(io.BytesIO(client.get("/pdf/result/1/thumbnail/1").body)) as thumbnail:
        assert max(thumbnail.size) <= 320


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"<html>not a pdf</html>"])
def test_what_is_no_pdf_is_refused_at_once(client: Client, state: State, content: bytes) -> None:
    reply = convert(client, content)
    assert (reply.status, "PDF" in reply.json["error"]) == (422, True)
    assert (state("pdf")["conversions"], state("pdf")["refused"]) == ([], 1)


def test_a_damaged_pdf_fails_with_a_reason(client: Client, state: State) -> None:
    job = convert(client, b"%PDF-1.7\nthis is all there is").json
    assert (job["status"], "damaged" in job["error"]) == ("failed", True)
    assert client.get("/pdf/result/1").status == 404
    assert state("pdf")["conversions"][0]["error"] == job["error"]


def test_fifty_pages_are_converted_and_fifty_one_refused(client: Client, pdf_of: PdfOf) -> None:
    assert convert(client, pdf_of(50, (20, 20)), resolution="72").json["done"] == 50
    assert "51 pages" in convert(client, pdf_of(51, (20, 20)), resolution="72").json["error"]


def test_a_huge_page_is_made_smaller(client: Client, state: State, pdf_of: PdfOf) -> None:
    convert(client, pdf_of(1, (3000, 3000)), resolution="300")
    ((width, height),) = state("pdf")["conversions"][0]["sizes_px"]
    assert 23_000_000 < width * height < 25_000_000


def test_a_file_name_is_only_shown(client: Client, state: State, pdf_of: PdfOf) -> None:
    convert(client, pdf_of(1), name="..\\..\\up/<b>x.pdf", resolution="72")
    assert state("pdf")["conversions"][0]["filename"] == "<b>x.pdf"
    assert "&lt;b&gt;x.pdf" in client.get("/pdf/result/1").text


def test_nobody_sees_the_pictures_of_somebody_else(client: Client, pdf_of: PdfOf) -> None:
    convert(client, pdf_of(1), resolution="72")
    stranger = Client(client.base)
    for path in ("/pdf/result/1", "/pdf/result/1/archive", "/pdf/result/1/page/1", "/pdf/api/job/1"):
        assert client.get(path).status == 200
        assert stranger.get(path).status == 404


def test_pictures_are_deleted_with_the_seventh_next_job_and_with_a_reset(
    site: PracticeSite, client: Client, pdf_of: PdfOf
) -> None:
    for _ in range(7):
        convert(client, pdf_of(1), resolution="72")
    assert client.get("/pdf/result/1").status == 404
    assert client.get("/pdf/result/2").status == 200
    assert len(folders()) == 6
    site.reset()
    assert folders() == []


def test_stopping_in_the_middle_of_a_job_leaves_no_pictures(site: PracticeSite, client: Client, pdf_of: PdfOf) -> None:
    client.upload("/pdf/api/convert", "long.pdf", pdf_of(50, (400, 500)), {"resolution": "300"})
    deadline = time.monotonic() + 60
    while client.get("/pdf/api/job/1").json["done"] == 0:
        assert time.monotonic() < deadline
    site.stop()
    assert folders() == []
    conversion = site.snapshot()["pdf"]["conversions"][0]  # type: ignore[index]
    assert (conversion["status"], conversion["error"]) == ("failed", "The conversion was stopped.")


def test_conversions_work_again_after_a_stop(site: PracticeSite, client: Client, pdf_of: PdfOf) -> None:
    convert(client, pdf_of(1), resolution="72")
    site.stop()
    assert convert(Client(site.start()), pdf_of(2), resolution="72").json["done"] == 2
