"""Secrets at the browser's border: which document a field belongs to, the very field and no other, and black pictures.

What shows a secret is written in red: a picture is black enough when no red is left in it.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.screen import ElementRef, ElementState, Picture
from operative_app.safety.redaction import Redactor
from operative_app.surfaces.browser.surface import ManagedBrowser
from tests.surfaces.pages import Pages
from tests.surfaces.work import Work, one

MARKER = "Marker-6Vw4q-value"
HALF, REST = MARKER[:9], MARKER[9:]
RED = "<style>body{margin:20px;font:20px sans-serif} .s, .s *, input.s{color:#f00;background:#fff}</style>"


@pytest.fixture(autouse=True)
def concealed(work: Work) -> Iterator[Redactor]:
    redactor = Redactor()
    redactor.add(MARKER)
    work.browser.conceal(redactor)
    yield redactor
    work.browser.conceal(Redactor())


def image_of(picture: Picture | None) -> Image.Image:
    assert picture is not None
    return Image.open(BytesIO(picture.data)).convert("RGB")


def pixels(image: Image.Image, tests: tuple[Callable[[int], bool], ...]) -> int:
    """How many pixels of an image pass the tests of their red, green and blue part."""
    masks = [
        part.point([255 * test(value) for value in range(256)]) for part, test in zip(image.split(), tests, strict=True)
    ]
    return ImageChops.multiply(ImageChops.multiply(masks[0], masks[1]), masks[2]).histogram()[255]


def red_pixels(picture: Picture | None) -> int:
    return pixels(image_of(picture), (lambda red: red > 140, lambda green: green < 110, lambda blue: blue < 110))


def black_share(picture: Picture | None, box: tuple[float, float, float, float]) -> float:
    """How much of a part of a picture is black; the small lock is not."""
    part = image_of(picture).crop((round(box[0]), round(box[1]), round(box[0] + box[2]), round(box[1] + box[3])))
    return pixels(part, (lambda value: value < 40,) * 3) / (part.width * part.height)


def pictures(work: Work) -> list[Picture | None]:
    """The picture of an observation and that of an action."""
    return [work.run(work.browser.observe()).picture, work.run(work.browser.take_picture())]


def foreign(work: Work, body: str) -> str:
    """The address of a page of another process: another site that leads to the same server."""
    return work.pages.make(RED + body).replace("127.0.0.1", "localhost")


SHADOW = f"<div id=h></div><script>h.attachShadow({{mode:'MODE'}}).innerHTML=`{RED}<p class=s>{MARKER}</p>`</script>"
FRAMED = (
    "<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML=`<iframe srcdoc=\"INSIDE\"></iframe>`</script>"
)
SHOWN = {
    "a paragraph": f"<p class=s>You typed {MARKER}!</p>",
    "parts of a line": f"<p class=s>{HALF}<b>{REST}</b></p>",
    "two lines": f"<p class=s>{HALF}<br>{REST}</p>",
    "two blocks": f"<div class=s><div>{HALF}</div><div>{REST}</div></div>",
    "cells": f"<table class=s><tr><td>{HALF}<td>{REST}</table>",
    "other case": f"<p class=s>{MARKER.upper()}</p>",
    "a text field": f"<input class=s value='{MARKER}' size=40>",
    "a placeholder": f"<style>::placeholder{{color:#f00}}</style><input placeholder='{MARKER}' size=40>",
    "a text area": f"<textarea class=s cols=40>x {MARKER}</textarea>",
    "a list": f"<select class=s><option>{MARKER}</select>",
    "a button": f"<input type=button class=s value='{MARKER}'>",
    "a rich editor": f"<div contenteditable class=s>{MARKER}</div>",
    "base64": f"<p class=s>{base64.b64encode(f'ada:{MARKER}'.encode()).decode()}</p>",
    "percent-encoded": "<p class=s>?q=" + "".join(f"%{ord(sign):02X}" for sign in "-") + f"{MARKER}</p>",
    "soft hyphens": f"<p class=s>{'&shy;'.join(MARKER)}</p>",
    "backwards": f"<p class=s>{MARKER[::-1]}</p>",
    "a shadow root": SHADOW.replace("MODE", "open"),
    "a closed shadow root": SHADOW.replace("MODE", "closed"),
    "a frame in a shadow root": FRAMED.replace("INSIDE", f"{RED}<p class=s>{MARKER}</p>"),
    "a frame": f'<iframe srcdoc="{RED}<p class=s>{MARKER}</p>"></iframe>',
    "a page that is enlarged": f"<div style='zoom:1.7'><p class=s>{MARKER}</p></div>",
    "what is turned": f"<p class=s style='display:inline-block;margin:120px;transform:rotate(40deg)'>{MARKER}</p>",
    "what is scrolled": f"<p style='height:3000px'><p class=s>{MARKER}</p><script>onload=()=>scrollTo(0,9999)</script>",
}  # fmt: skip


@pytest.mark.parametrize("body", SHOWN.values(), ids=SHOWN)
def test_what_shows_a_secret_is_black_in_pictures(work: Work, body: str, concealed: Redactor) -> None:
    work.run(work.browser.navigate(work.pages.make(RED + body)))
    work.browser.conceal(Redactor())
    assert red_pixels(work.run(work.browser.take_picture())) > 20, "the page does not show it at all"
    work.browser.conceal(concealed)
    for picture in pictures(work):
        assert red_pixels(picture) == 0


def test_a_frame_of_another_process_is_black_where_it_shows_it(work: Work) -> None:
    inner = foreign(work, f"<p style='margin-top:30px' class=s>{MARKER}</p>")
    work.run(work.show(f"{RED}<iframe src='{inner}' style='margin:40px;border:7px solid;width:420px'></iframe>"))
    for picture in pictures(work):
        assert red_pixels(picture) == 0


def test_a_frame_of_another_process_that_nobody_has_looked_into_is_black(work: Work) -> None:
    inner = foreign(work, f"<p class=s>{MARKER}</p><script>onload = () => parent.postMessage(1, '*')</script>")
    other = foreign(work, f"<p class=s>{MARKER}</p><script>onload = () => parent.postMessage(2, '*')</script>")
    work.run(work.show(f"{RED}<h1>Here</h1><script>onmessage = (event) => window.there = event.data</script>"))
    work.run(work.script(f"document.body.insertAdjacentHTML('beforeend', `<iframe id=f src='{inner}'></iframe>`)"))
    work.run(work.page.wait_for_function("window.there === 1"))
    assert red_pixels(work.run(work.browser.take_picture())) == 0
    work.run(work.look())
    work.run(work.script(f"f.src = '{other}'"))
    work.run(work.page.wait_for_function("window.there === 2"))
    assert red_pixels(work.run(work.browser.take_picture())) == 0


def test_what_shows_no_secret_stays_in_sight(work: Work) -> None:
    work.run(work.show(f"{RED}<p class=s>Nothing to hide here</p><p style='margin-top:200px'>{MARKER}</p>"))
    for picture in pictures(work):
        assert red_pixels(picture) > 20


def test_a_picture_of_one_element_is_black_too_also_out_of_sight(work: Work) -> None:
    block = "display:block;height:1800px;width:300px;padding-top:1700px;box-sizing:border-box"

    async def pictured() -> Picture:
        state = await work.show(f"{RED}<a href='#x' class=s style='{block}'>{MARKER}</a>")
        return await work.browser.take_picture(state.ref(state.elements[0]))

    picture = work.run(pictured())
    assert picture.height_px > 1700
    assert red_pixels(picture) == 0


def test_what_moves_all_the_time_is_black_wherever_it_is_or_there_is_no_picture(work: Work) -> None:
    moving = "<style>@keyframes m{from{left:0;top:0}to{left:500px;top:300px}}</style>"
    work.run(
        work.show(
            f"{RED}{moving}<p class=s style='position:absolute;animation:m .3s linear infinite alternate'>{MARKER}"
        )
    )
    picture = work.run(work.browser.observe()).picture
    assert picture is None or red_pixels(picture) == 0
    with pytest.raises(ActionError, match="could not be blacked out"):
        work.run(work.browser.take_picture())


def test_what_became_secret_after_a_look_is_black_in_the_next_one(work: Work, concealed: Redactor) -> None:
    later = "Later-8Rr3-value"
    work.run(work.show(f"{RED}<p class=s>{later}</p>"))
    assert red_pixels(work.run(work.browser.observe()).picture) > 20
    concealed.add(later)
    assert red_pixels(work.run(work.browser.observe()).picture) == 0


SIGN_IN = (
    "<style>input{display:block;width:300px;height:30px;margin:20px}</style><label>Name<input id=n value=Ada></label>"
    "<label>Password<input id=p type=password value='unknown-3Kx'></label>"
)


@pytest.mark.parametrize("purpose", ["one-time-code", "section-a billing cc-number", "CC-CSC"])
def test_fields_for_codes_and_card_numbers_are_black_and_tell_only_that_they_hold_something(
    work: Work, purpose: str
) -> None:
    body = f"{RED}<input id=f class=s size=40 aria-label=Code autocomplete='{purpose}' value='12{MARKER}'>"
    state = work.run(work.show(f"{body}<input aria-label=Empty autocomplete='{purpose}'>"))
    field, empty = (next(one for one in state.elements if one.name == name) for name in ("Code", "Empty"))
    assert (field.value, empty.value) == ("•••", "")
    assert (field.is_concealed, field.has(ElementState.PASSWORD)) == (True, False)
    for picture in pictures(work):
        assert red_pixels(picture) == 0
    work.run(work.script("f.removeAttribute('autocomplete')"))
    state = work.run(work.look())
    assert MARKER not in state.model_dump_json()
    assert work.run(work.browser.get_text(state.ref(field))) == "•••"
    assert work.run(work.browser.get_attribute(state.ref(field), "value")) == ""
    assert work.run(work.browser.fill(state.ref(field), "98")) == "98"


def test_password_fields_are_black_and_stay_so_while_the_page_shows_them(work: Work, concealed: Redactor) -> None:
    work.browser.conceal(Redactor())  # nobody knows what is in it
    state = work.run(work.show(SIGN_IN))
    for is_shown in (False, True):
        if is_shown:
            work.run(work.script("p.type = 'text'"))
            state = work.run(work.look())
        rect = work.run(work.script("JSON.stringify(p.getBoundingClientRect())"))
        box = json.loads(rect)
        field = one(state, "textbox", "Password")
        assert field.has(ElementState.PASSWORD)
        assert field.value == ""
        assert "unknown-3Kx" not in state.model_dump_json()
        assert work.run(work.browser.get_text(state.ref(field))) == ""
        assert work.run(work.browser.get_attribute(state.ref(field), "value")) == ""
        for picture in pictures(work):
            assert black_share(picture, (box["x"], box["y"], box["width"], box["height"])) > 0.9
            assert black_share(picture, (box["x"], box["y"] - 80, box["width"], 30)) < 0.1


def placed(work: Work, body: str, *, field: str = "Password", click: bool = False) -> tuple[ElementRef, object]:
    async def found() -> tuple[ElementRef, object]:
        await work.show(body)
        _, ref = await work.until("textbox", field)
        if click:
            await work.browser.click(ref)
        return ref, await work.browser.field_place(None if click else ref)

    return work.run(found())


FIELD = "<label>Password<input type=password></label>"


@pytest.mark.parametrize("click", [False, True], ids=["named", "with the focus"])
@pytest.mark.parametrize(
    ("body", "host"),
    [
        (FIELD, "127.0.0.1"),
        ('<iframe srcdoc="<label>Password<input type=password></label>"></iframe>', "127.0.0.1"),
        ("<iframe src='{foreign}'></iframe>", "localhost"),
        ("<iframe sandbox='allow-scripts' src='{same}'></iframe>", "null"),
    ],
    ids=["page", "srcdoc", "another site", "sandbox"],
)
def test_a_field_belongs_to_the_site_of_its_own_document(work: Work, body: str, host: str, click: bool) -> None:
    inner = work.pages.make(FIELD)
    body = body.replace("{foreign}", inner.replace("127.0.0.1", "localhost")).replace("{same}", inner)
    _, where = placed(work, body, click=click)
    assert where.origin == "null" if host == "null" else f"//{host}:" in where.origin  # type: ignore[attr-defined]
    assert where.is_password and where.takes_text  # type: ignore[attr-defined]  # noqa: PT018


@pytest.mark.parametrize(
    ("markup", "is_password", "takes_text"),
    [
        ("<label>Field<input></label>", False, True),
        ("<label>Field<input type=date></label>", False, False),
        ("<label>Field<input type=password readonly></label>", True, False),
        ("<label>Field<textarea></textarea></label>", False, True),
    ],
)
def test_what_kind_of_field_it_is_comes_from_the_browser(
    work: Work, markup: str, is_password: bool, takes_text: bool
) -> None:
    async def found() -> object:
        state = await work.show(markup)
        return await work.browser.field_place(state.ref(next(one for one in state.elements if one.name == "Field")))

    where = work.run(found())
    assert (where.is_password, where.takes_text) == (is_password, takes_text)  # type: ignore[attr-defined]


@pytest.mark.parametrize("change", ["p.type = 'text'", "p.replaceWith(p.cloneNode())", "location.reload()"])
def test_a_field_that_is_another_one_since_gets_nothing(work: Work, change: str) -> None:
    body = "<label>Password<input id=p type=password oninput='window.got = this.value'></label>"

    async def tried() -> object:
        await work.show(body)
        _, ref = await work.until("textbox", "Password")
        where = await work.browser.field_place(ref)
        async with work.page.expect_navigation() if "reload" in change else nullcontext():
            await work.script(change)
        with pytest.raises((RefusedAction, ActionError)) as refused:
            await work.browser.fill(ref, MARKER, only_in=where)
        assert MARKER not in str(refused.value)
        return await work.script("[window.got, p.value].join('')")

    assert work.run(tried()) == ""


def test_a_secret_is_typed_only_where_the_focus_was_judged(work: Work) -> None:
    body = "<label>Password<input id=p type=password></label><label>Note<input id=n></label>"

    async def typed() -> list[str]:
        await work.show(body)
        _, ref = await work.until("textbox", "Password")
        await work.browser.click(ref)
        where = await work.browser.field_place()
        await work.browser.type_text(MARKER, only_in=where)
        await work.script("n.focus()")
        with pytest.raises(RefusedAction, match="no longer the focus"):
            await work.browser.type_text(MARKER, only_in=where)
        return list(await work.script("[p.value, n.value]"))

    assert work.run(typed()) == [MARKER, ""]


def test_an_error_while_it_is_typed_repeats_no_part_of_it(work: Work) -> None:
    body = (
        "<label>Password<input id=p type=password oninput='if (this.value.length > 6) n.focus()'></label><input id=n>"
    )

    async def failed() -> tuple[str, str]:
        await work.show(body)
        _, ref = await work.until("textbox", "Password")
        await work.browser.click(ref)
        where = await work.browser.field_place()
        with pytest.raises(ActionError) as error:
            await work.browser.type_text(MARKER, delay_ms=1, only_in=where)
        return str(error.value), str(await work.script("n.value"))

    words, elsewhere = work.run(failed())
    assert elsewhere == ""
    assert MARKER[:4] not in words


def test_a_file_is_not_named_by_a_secret(work: Work) -> None:
    async def names() -> list[str]:
        await work.show(f"<a href='/attach?name={MARKER}.txt'>Get it</a>")
        await work.click("link", "Get it")
        while True:
            state = await work.look()
            if state.downloads and all(one.state == "done" for one in state.downloads):
                return [name for one in state.downloads for name in (one.name, one.path)]

    assert all(MARKER not in name for name in work.run(names()))


def test_live_frames_are_black_too(runner: asyncio.Runner, place: Path, pages: Pages, concealed: Redactor) -> None:
    frames: list[Picture] = []
    came = asyncio.Event()
    body = f"{RED}<p>Password</p><input type=password value=x style='width:300px'><p class=s id=e></p>"
    body += f"<script>let n = 0; setInterval(() => {{ e.textContent = ++n + ' {MARKER} ' + n; }}, 150)</script>"

    def keep(frame: Picture) -> None:
        frames.append(frame)
        came.set()

    async def watch() -> None:
        browser = await ManagedBrowser.launch(
            profile_dir=place / "frames", downloads_dir=place / "downloads", headless=True, on_frame=keep
        )
        try:
            browser.conceal(concealed)
            await browser.navigate(pages.make(body))
            while len(frames) < 4 or not shows_a_bar(frames[-1]):  # the first may be of the empty page
                came.clear()
                await came.wait()
        finally:
            await browser.close()

    def shows_a_bar(frame: Picture) -> bool:
        return pixels(image_of(frame), (lambda value: value < 40,) * 3) > 5_000

    runner.run(asyncio.wait_for(watch(), 100))
    assert [red_pixels(frame) for frame in frames] == [0] * len(frames)
