"""What would open a box of the browser: printing, other programs, files; and clipboard, scripts, pictures."""

from __future__ import annotations

import asyncio
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from operative_app.core.errors import ActionError
from operative_app.surfaces.browser.files import is_accepted
from tests.surfaces.work import Work, matching, one

# --- printing and other programs -------------------------------------------------------------------------------------


def test_printing_is_told_and_decided_and_becomes_a_file(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<h1>Bill 7</h1><button onclick='print(); window.after = true'>Print</button>")
        await work.click("button", "Print")
        state = await work.until_told(lambda state: state.dialogs)
        assert await work.script("after") is True
        assert [(box.kind, box.message) for box in state.dialogs] == [("print", "Print “made”")]
        assert matching(state, "button", "Print")
        known = len(state.downloads)
        await work.browser.answer_dialog(accept=False)
        state = await work.look()
        assert (state.dialogs, len(state.downloads)) == ((), known)
        await work.click("button", "Print")
        await work.until_told(lambda state: state.dialogs)
        await work.browser.answer_dialog(accept=True)
        state = await work.look()
        assert state.dialogs == ()
        file = state.downloads[-1]
        assert (file.name.startswith("made"), file.state) == (True, "done")
        assert (await asyncio.to_thread(Path(file.path).read_bytes)).startswith(b"%PDF-")

    work.run(act())


def test_a_page_that_prints_while_it_loads_or_in_a_frame_or_a_new_window_is_not_held_up(work: Work) -> None:
    async def act() -> None:
        await work.show("<script>print(); document.title = 'went on'</script><p>Body")
        state = await work.until_told(lambda state: state.dialogs)
        assert (state.title, [box.kind for box in state.dialogs]) == ("went on", ["print"])
        await work.show("<iframe srcdoc='<script>print(); parent.after = 1</script>'></iframe>")
        state = await work.until_told(lambda state: state.dialogs)
        assert [box.kind for box in state.dialogs] == ["print"]
        assert await work.script("after") == 1
        state = await work.show(
            """<button onclick="window.open('').document.write('<p>Slip<script>print()</scr' + 'ipt>')">Slip</button>"""
        )
        assert state.dialogs == ()
        await work.click("button", "Slip")
        state = await work.until_told(lambda state: state.dialogs and len(state.tabs) > 1)
        assert ([box.kind for box in state.dialogs], len(state.tabs)) == (["print"], 2)

    work.run(act())


@pytest.mark.parametrize(
    "script",
    [
        "location = 'tel:123'",
        "location.href = 'made-up-scheme:x'",
        "window.open('tel:123')",
        "document.body.append(Object.assign(document.createElement('iframe'), { src: 'tel:123' }))",
        "Object.assign(document.createElement('a'), { href: 'mailto:a@b.example' }).click()",
    ],
)
def test_a_script_that_calls_another_program_changes_nothing_and_the_page_stays_usable(work: Work, script: str) -> None:
    async def act() -> None:
        await work.show(f'<button onclick="{script}">Call</button><button onclick="window.pressed = true">Go</button>')
        state = await work.click("button", "Call")
        assert len(state.tabs) == 1
        state = await work.click("button", "Go")
        assert await work.script("window.pressed") is True

    work.run(act())


def test_what_was_not_started_is_said_once(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<button onclick=\"location = 'tel:123'\">Call</button>")
        await work.browser.click(state.ref(one(state, "button", "Call")))
        await work.until_told(
            lambda state: any("another program on this computer (tel:)" in words for words in state.left_out)
        )
        assert not any("another program" in words for words in (await work.look()).left_out)

    work.run(act())


# --- the clipboard ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["plain", "two\nlines\tand  blanks ", "👩‍👩‍👧 שלום é e\u0301 日本", "<b>&amp;</b>", "x" * 50_000, ""]
)
def test_the_clipboard_keeps_a_text_exactly(work: Work, text: str) -> None:
    async def act() -> None:
        await work.show("<input aria-label=f autofocus>")
        await work.browser.write_clipboard("before")
        await work.browser.write_clipboard(text)
        assert await work.browser.read_clipboard() == text

    work.run(act())


def test_copy_cut_paste_and_undo_are_the_browsers_own(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<textarea aria-label=f>one two</textarea><input aria-label=g>")
        first, second = state.ref(one(state, "textbox", "f")), state.ref(one(state, "textbox", "g"))
        await work.browser.press_key("ControlOrMeta+a", first)
        await work.browser.press_key("ControlOrMeta+c")
        assert await work.browser.read_clipboard() == "one two"
        assert await work.script("document.activeElement.ariaLabel") == "f"
        await work.browser.press_key("ControlOrMeta+x")
        assert one(await work.look(), "textbox", "f").value == ""
        await work.browser.press_key("ControlOrMeta+v", second)
        assert one(await work.look(), "textbox", "g").value == "one two"
        await work.browser.press_key("ControlOrMeta+z")
        assert one(await work.look(), "textbox", "g").value == ""
        await work.browser.write_clipboard("from outside")
        await work.browser.press_key("ControlOrMeta+v")
        state = await work.look()
        assert (one(state, "textbox", "g").value, len(state.tabs)) == ("from outside", 1)

    work.run(act())


def test_pages_see_nothing_of_the_clipboard_being_read_and_get_no_permission(work: Work) -> None:
    async def act() -> None:
        await work.show(
            """<input autofocus><script>window.seen = [];
            for (const type of ['focus', 'blur', 'paste', 'copy', 'keydown', 'visibilitychange'])
              addEventListener(type, (event) => seen.push(type), true)</script>"""
        )
        await work.look()
        await work.script("seen.length = 0")
        await work.browser.write_clipboard("secret")
        assert await work.browser.read_clipboard() == "secret"
        assert await work.script("seen") == []
        permission = "navigator.permissions.query({ name: 'clipboard-read' }).then((one) => one.state)"
        assert await work.script(permission) != "granted"

    work.run(act())


# --- scripts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("return 1 + 1", "2"),
        ("return { a: [document.title, null] }", '{"a":["made",null]}'),
        ("const x = 4", ""),
        ("return () => 1", ""),
        ("return await Promise.resolve('é')", '"é"'),
        ("document.body.dataset.by = 'agent'; // the end", ""),
    ],
)
def test_a_script_runs_and_its_result_is_json(work: Work, code: str, result: str) -> None:
    async def act() -> None:
        await work.show("<p>Here")
        assert await work.browser.execute_js(code, timeout_s=60) == result

    work.run(act())


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("throw new Error('no bread')", "no bread"),
        ("return missing", "missing is not defined"),
        ("return (", "SyntaxError"),
        ("const a = {}; a.a = a; return a", "circular"),
        ("throw 5", "5"),
    ],
)
def test_a_scripts_own_error_is_told(work: Work, code: str, reason: str) -> None:
    async def act() -> None:
        await work.show("<p>Here")
        with pytest.raises(ActionError, match=reason):
            await work.browser.execute_js(code, timeout_s=60)

    work.run(act())


def test_the_page_and_the_script_do_not_see_each_other(work: Work) -> None:
    async def act() -> None:
        await work.show("<script>window.own = 1; JSON.stringify = () => 'fooled'; Object.prototype.evil = 1</script>")
        assert await work.browser.execute_js("window.mine = 2; return [typeof own]", timeout_s=60) == '["undefined"]'
        assert await work.script("typeof mine") == "undefined"

    work.run(act())


def test_a_script_without_end_is_ended_at_the_time_out_and_on_cancel(work: Work) -> None:
    async def act() -> None:
        await work.show("<button onclick='window.pressed = true'>Go</button>")
        with pytest.raises(ActionError, match=r"did not end within 0\.3 s"):
            await work.browser.execute_js("for (;;);", timeout_s=0.3)
        with pytest.raises(ActionError, match="did not end"):
            await work.browser.execute_js("await new Promise(() => {})", timeout_s=0.2)
        async with work.page.expect_console_message():
            busy = work.browser.execute_js("console.log('busy'); for (;;);", timeout_s=60)
            task = asyncio.ensure_future(busy)
        task.cancel()
        await work.click("button", "Go")
        assert await work.script("pressed") is True

    work.run(act())


# --- pictures --------------------------------------------------------------------------------------------------------


def colours(data: bytes) -> set[tuple[int, ...]]:
    with Image.open(BytesIO(data)) as image:
        colours = image.convert("RGB").getcolors(1 << 20) or []
    return {colour for _, colour in colours if isinstance(colour, tuple)}


def test_a_picture_of_an_element_is_that_element_alone_and_lossless(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            """<style>body{margin:0} button{border:0;padding:0;color:transparent;display:block}</style>
            <p style='height:2000px'></p><button style='background:#f00;width:120px;height:33px'>Red</button>
            <button style='background:#00f;width:120px;height:3000px'>Blue</button>
            <div style='overflow:auto;height:80px;width:200px'><p style='height:500px'></p>
            <button style='background:#0f0;width:50px;height:20px'>Green</button></div>"""
        )
        for name, colour, size in (
            ("Red", (255, 0, 0), (120, 33)),
            ("Blue", (0, 0, 255), (120, 3000)),
            ("Green", (0, 255, 0), (50, 20)),
        ):
            picture = await work.browser.take_picture(state.ref(one(state, "button", name)))
            assert (picture.media_type, (picture.width_px, picture.height_px)) == ("image/png", size)
            assert colours(picture.data) == {colour}
        whole = await work.browser.take_picture()
        assert (whole.media_type, whole.width_px, whole.height_px) == ("image/png", 1280, 800)

    work.run(act())


def test_a_picture_of_something_in_a_frame_of_another_process(work: Work) -> None:
    async def act() -> None:
        inner = work.pages.make(
            "<style>body{margin:0} button{margin:900px 0 0 30px;border:0;width:60px;height:40px;background:#0ff;"
            "color:transparent}</style><button>In</button>"
        ).replace("127.0.0.1", "localhost")
        await work.show(f"<p style='height:1500px'></p><iframe src='{inner}' style='margin:7px;height:200px'></iframe>")
        _, ref = await work.until("button", "In")
        while colours((await work.browser.take_picture(ref)).data) != {(0, 255, 255)}:
            continue  # the frame paints for itself, and has not yet what was scrolled into view

    work.run(act())


def test_there_is_no_picture_of_what_cannot_be_seen(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<button id=b>Here</button>")
        await work.script("b.style.display = 'none'")
        with pytest.raises(ActionError, match=r"not visible|no longer"):
            await work.browser.take_picture(state.ref(one(state, "button", "Here")))

    work.run(act())


# --- files -----------------------------------------------------------------------------------------------------------

SENT = "<script>window.sent = (input) => [...input.files].map((file) => file.name)</script>"


def test_the_pages_request_for_files_is_answered(work: Work, tmp_path: Path) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b é.txt"
    first.write_text("1")
    second.write_text("2")

    async def act() -> None:
        await work.show("<p>Nothing")
        with pytest.raises(ActionError, match="No page asks"):
            await work.browser.choose_files([str(first)])
        await work.show(
            f"""<button onclick="const i = document.createElement('input'); i.type = 'file'; i.multiple = true;
            i.onchange = () => document.body.append(sent(i).join('+')); i.click()">Pick</button>{SENT}"""
        )
        session = await work.page.context.new_cdp_session(work.page)
        state = await work.look()
        await work.browser.click(state.ref(one(state, "button", "Pick")))
        while not work.asks_for_file():  # a look would keep hold of it, too
            await work.script("0")
        await session.send("HeapProfiler.collectGarbage")  # the input stands in no page
        await session.detach()
        state = await work.look()
        assert state.file_chooser
        with pytest.raises(ActionError, match="no file"):
            await work.browser.choose_files([str(tmp_path / "none")])
        await work.browser.choose_files([str(first), str(second)])
        state = await work.look()
        assert not state.file_chooser
        assert "a.txt+b é.txt" in state.all_text

    work.run(act())


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("<input type=file aria-label=f accept='.png, image/*'>", r"takes only \.png, image/\*; “a\.txt”"),
        ("<input type=file aria-label=f disabled>", "disabled"),
        ("<input type=file aria-label=f webkitdirectory>", "whole folder"),
        ("<div id=zone tabindex=0 role=button aria-label=f>Drop files here</div>", "no file field"),
        ("<input type=file aria-label=f>", "one file only"),
    ],
)
def test_files_a_field_does_not_take_are_refused_in_words(work: Work, tmp_path: Path, field: str, reason: str) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("1")
    second.write_text("2")
    paths = [str(first), str(second)] if "one file" in reason else [str(first)]

    async def act() -> None:
        state = await work.show(f"{field}<script>window.n = 0; oninput = onchange = () => n += 1</script>")
        element = next(element for element in state.elements if element.name == "f" or "f" in element.name)
        with pytest.raises(ActionError, match=reason):
            await work.browser.choose_files(paths, state.ref(element))
        assert await work.script("n") == 0

    work.run(act())


def test_files_are_put_into_hidden_inputs_drop_zones_with_one_and_frames(work: Work, tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(b"\x89PNG")

    async def act() -> None:
        state = await work.show(
            f"<div class=zone tabindex=0 role=button >Drop here<input id=i type=file hidden accept=image/*></div>{SENT}"
        )
        await work.browser.choose_files([str(file)], state.ref(one(state, "button", "Drop here")))
        assert await work.script("sent(i)") == ["a.png"]
        inner = work.pages.make(
            "<button onclick='i.click()'>Pick</button><input id=i type=file hidden "
            "onchange='parent.postMessage(this.files[0].name, \"*\")'>"
        ).replace("127.0.0.1", "localhost")
        await work.show(
            f"<iframe src='{inner}'></iframe><script>onmessage = (event) => window.got = event.data</script>"
        )
        await work.click("button", "Pick")
        await work.until_told(lambda state: state.file_chooser)
        await work.browser.choose_files([str(file)])
        await work.page.wait_for_function("window.got === 'a.png'")

    work.run(act())


@pytest.mark.parametrize(
    ("name", "accepted", "fits"),
    [
        ("a.txt", [], True),
        ("a.PNG", [".png"], True),
        ("a.txt", [".png"], False),
        ("a.jpg", ["image/*"], True),
        ("a.pdf", ["application/pdf"], True),
        ("a.pdf", ["image/*", ".doc"], False),
        ("a.unheard-of", ["image/*"], True),
        ("a.unheard-of", [".doc"], False),
        ("a.txt", ["*/*"], True),
    ],
)
def test_what_a_field_accepts(name: str, accepted: list[str], fits: bool) -> None:
    assert is_accepted(name, accepted) is fits
