"""The page's pointer: places, frames, zoom; dragging, holding, selecting; what is refused before any event."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from operative_app.core.coordinates import CssPoint, ScreenPoint
from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.ports import MouseButton
from operative_app.surfaces.browser import pointer
from tests.surfaces.work import Work, one

COUNT = """<script>window.seen = []; for (const type of ['pointerdown', 'pointerup', 'click', 'keydown', 'keyup',
    'input', 'dragstart', 'drop', 'contextmenu', 'wheel', 'scroll'])
    addEventListener(type, (event) => seen.push(type), true)</script>"""


def at(x: float, y: float) -> CssPoint:
    return CssPoint(x_css_px=x, y_css_px=y)


def test_a_place_is_clicked_where_it_is(work: Work) -> None:
    async def act() -> None:
        await work.show(
            "<canvas id=c width=300 height=200 style='position:absolute;left:50px;top:40px'></canvas>"
            "<script>window.log = [];"
            "c.onclick = (event) => log.push([event.offsetX, event.offsetY, event.detail])</script>"
        )
        await work.browser.click(at(61, 52))
        await work.browser.click(at(349, 239), count=2)
        assert await work.script("log") == [[11, 12, 1], [299, 199, 1], [299, 199, 2]]

    work.run(act())


@pytest.mark.parametrize("spot", [at(-1, 5), at(5, -1), at(1280, 5), at(5, 800), at(1e9, 1e9)])
def test_a_place_outside_the_viewport_is_refused(work: Work, spot: CssPoint) -> None:
    async def act() -> None:
        await work.show(f"<p style='height:3000px;width:3000px'>{COUNT}")
        for refused in (
            work.browser.click(spot),
            work.browser.hover(spot),
            work.browser.mouse_down(spot),
            work.browser.drag(spot, at(9, 9)),
            work.browser.scroll(0, 50, spot),
        ):
            with pytest.raises(RefusedAction, match="outside the page's visible part"):
                await refused
        assert await work.script("seen") == []
        assert (await work.look()).held == frozenset()

    work.run(act())


def test_a_place_of_the_desktop_is_no_place_on_a_page(work: Work) -> None:
    async def act() -> None:
        await work.show("<p>Here")
        with pytest.raises(ActionError, match="CSS pixels"):
            await work.browser.click(ScreenPoint(x_screen_px=4, y_screen_px=4))

    work.run(act())


def test_a_place_on_a_link_to_another_program_is_refused_also_in_a_frame(work: Work) -> None:
    async def act() -> None:
        await work.show(
            "<style>body{margin:0}</style><iframe style='border:0;position:absolute;left:40px;top:40px' "
            'srcdoc=\'<body style="margin:0"><a href="tel:1" style="display:block;height:60px">Call</a>\'></iframe>'
        )
        with pytest.raises(RefusedAction, match="another program"):
            await work.browser.click(at(50, 60))

    work.run(act())


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_what_is_in_a_frame_that_is_turned_is_refused_and_gets_nothing(work: Work, host: str) -> None:
    """Where its box is says nothing of where its inside is; straight again, it is pressed."""

    async def act() -> None:
        inner = work.pages.make("<body style='margin:0'><button>In</button><script>"
                                "onpointerdown = () => top.postMessage(1, '*')</script>")  # fmt: skip
        await work.show(
            f"<iframe id=f src='{inner.replace('127.0.0.1', host)}' style='width:200px;height:150px;margin:50px'>"
            "</iframe><script>window.pressed = 0; onmessage = () => pressed++</script>"
        )
        await work.until("button", "In")
        turns = ("rotate(90deg)", "rotate(180deg)", "scaleX(-1)", "perspective(300px) rotateY(40deg)", "scaleY(.5)")
        for turn in turns:
            await work.script(f"f.style.transform = '{turn}'")
            _, ref = await work.until("button", "In")
            with pytest.raises(RefusedAction, match="turned or tilted"):
                await work.browser.click(ref)
        assert await work.script("pressed") == 0
        for number, straight in enumerate(("translate(9px, 4px) scale(1.2)", "translateZ(0)", "translateZ(9px)"), 1):
            await work.script(f"f.style.transform = '{straight}'")
            await work.click("button", "In")
            await work.page.wait_for_function(f"pressed == {number}")

    work.run(act())


@pytest.mark.parametrize("style", ["", "zoom:1.7", "zoom:0.5", "transform:scale(1.4);transform-origin:0 0"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_points_inside_frames_land_right(work: Work, style: str, host: str) -> None:
    """The same for a frame of this process and of another one, under CSS zoom and a transform."""

    async def act() -> None:
        inner = work.pages.make(
            "<style>body{margin:0} button{position:absolute;left:90px;top:50px;width:40px;height:20px}</style>"
            "<button id=b>In</button><script>document.onclick = (event) =>"
            " parent.postMessage([event.target.id, event.clientX, event.clientY], '*')</script>"
        ).replace("127.0.0.1", host)
        await work.show(
            "<style>body{margin:0} iframe{margin:31px 0 0 17px;border:3px solid;padding:5px;width:300px;height:150px}"
            f"</style><div style='{style}'><iframe src='{inner}'></iframe></div><script>window.log = [];"
            "onmessage = (event) => log.push(event.data)</script>"
        )
        state, ref = await work.until("button", "In")
        await work.browser.click(ref)
        x, y = one(state, "button", "In").box.center
        await work.browser.click(at(x, y))
        await work.page.wait_for_function("log.length == 2")
        assert [[target, round(x / 4), round(y / 4)] for target, x, y in await work.script("log")] == [
            ["b", 28, 15]
        ] * 2

    work.run(act())


def test_a_pointer_drag_goes_all_the_way(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            """<style>body{margin:0} button{position:absolute;left:20px;top:20px;touch-action:none}</style>
            <button id=t>Knob</button><script>let on = false; window.moves = 0;
            t.onpointerdown = (event) => { on = true; t.setPointerCapture(event.pointerId); };
            t.onpointermove = ({ clientX, clientY }) => {
              if (on) { moves += 1; Object.assign(t.style, { left: clientX + 'px', top: clientY + 'px' }); } };
            t.onpointerup = () => { on = false; window.dropped = [t.style.left, t.style.top]; };</script>"""
        )
        await work.browser.drag(state.ref(one(state, "button", "Knob")), at(400, 300))
        assert await work.script("dropped") == ["400px", "300px"]
        assert await work.script("moves") > 5
        assert (await work.look()).held == frozenset()

    work.run(act())


DND = """<ul id=from><li draggable=true tabindex=0 role=button aria-label=Task>Task</li></ul>
<div id=to tabindex=0 role=button aria-label=Done style='margin-top:%s;width:200px;height:60px;border:1px solid'></div>
<script>window.log = []; document.querySelector('li').ondragstart = (event) => {
  event.dataTransfer.setData('text/plain', 'task 7'); log.push('start'); };
to.ondragover = (event) => event.preventDefault();
to.ondrop = (event) => { event.preventDefault();
  log.push('drop ' + event.dataTransfer.getData('text/plain') + event.isTrusted); };
</script>"""


@pytest.mark.parametrize("gap", ["40px", "2500px"])
def test_html_drag_and_drop_carries_its_data_also_to_what_is_out_of_sight(work: Work, gap: str) -> None:
    async def act() -> None:
        state = await work.show(DND % gap)
        await work.browser.drag(state.ref(one(state, "button", "Task")), state.ref(one(state, "button", "Done")))
        assert await work.script("log") == ["start", "drop task 7true"]

    work.run(act())


LIVE_LIST = """<style>body{margin:0} li{height:40px;touch-action:none;cursor:grab}</style><ul>%s</ul><script>
let dragged = null; window.order = ''; const rows = () => [...document.querySelectorAll('li')];
for (const row of rows()) row.onpointerdown = () => { dragged = row; };
onpointermove = (event) => { if (!dragged) return;
  const over = rows().find((one) => { const { top, bottom } = one.getBoundingClientRect();
    return event.clientY > top && event.clientY < bottom; });
  if (!over || over === dragged) return;
  if (dragged.compareDocumentPosition(over) & 4) over.after(dragged); else over.before(dragged); };
onpointerup = () => { dragged = null; order = rows().map((one) => one.innerText.at(-1)).join(''); };
</script>"""


@pytest.mark.parametrize(("start", "end", "order"), [(0, 3, "12304"), (4, 1, "04123")])
def test_a_row_takes_the_place_of_the_row_it_is_dragged_to_in_a_list_that_makes_way(
    work: Work, start: int, end: int, order: str
) -> None:
    async def act() -> None:
        state = await work.show(LIVE_LIST % "".join(f"<li>Row {number}" for number in range(5)))
        rows = {one.name or one.text: state.ref(one) for one in state.elements}
        await work.browser.drag(rows[f"Row {start}"], rows[f"Row {end}"])
        assert await work.script("order") == order

    work.run(act())


def test_nothing_is_sent_from_the_moment_a_stop_was_asked_for(work: Work) -> None:
    async def act() -> None:
        await work.show("<style>body{margin:0}</style><p style='height:700px'><script>window.places = [];"
                        "onmousemove = (event) => places.push([event.clientX, event.buttons])</script>")  # fmt: skip
        await work.browser.hover(at(40, 40))
        before = len(await work.script("places"))
        looks, waits = itertools.count(), asyncio.Event()

        def is_pressed() -> bool:
            number = next(looks)
            if number == 60:  # it has looked again and again: it waits
                waits.set()
            return number >= 25

        work.browser.heed(is_pressed)
        dragging = asyncio.ensure_future(work.browser.drag(at(40, 40), at(1000, 40)))
        await waits.wait()
        assert not dragging.done()
        dragging.cancel()
        await asyncio.wait([dragging])
        work.browser.heed(lambda: False)
        assert dragging.cancelled()
        await work.browser.release()
        places = (await work.script("places"))[before:]
        assert places[-1] == [40, 1]  # put back where it began, and let go of there
        assert len(places) > 2
        assert max(x for x, _ in places) < 1000

    work.run(act())


def test_a_page_outlives_what_is_dragged_on_it_again_and_again(work: Work) -> None:
    async def act() -> None:
        for _ in range(12):
            await work.show(
                "<div draggable=true style='position:absolute;left:20px;top:20px'>Knob</div>"
                "<div id=z style='position:absolute;left:300px;top:200px'>Zone</div>"
                "<script>z.ondragover = (event) => event.preventDefault(); z.ondrop = () => z.textContent = 'Dropped'"
                "</script>"
            )
            await work.browser.drag(at(30, 28), at(310, 208))
            assert await work.script("z.textContent") == "Dropped"
            assert not (await work.show("<p>Next")).has_crashed

    work.run(act())


def test_a_slider_follows_the_drag(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<style>body{margin:0}</style><input type=range aria-label=Volume min=0 max=100 value=0 "
            "style='position:absolute;left:100px;top:50px;width:300px;margin:0'>"
        )
        box = one(state, "slider", "Volume").box
        y = box.center[1]
        await work.browser.drag(at(box.x_css_px + 8, y), at(box.x_css_px + box.width_css_px / 2, y))
        assert abs(int(await work.script("document.querySelector('input').value")) - 50) <= 2

    work.run(act())


def test_a_cancelled_drag_lets_go_where_it_began(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pointer, "STEP_CSS_PX", 1.0)
    monkeypatch.setattr(pointer, "MAX_STEPS", 1000)

    async def act() -> None:
        state = await work.show(
            """<button id=t>Knob</button><div style='height:400px'></div><script>window.moves = 0;
            addEventListener('pointermove', (event) => { if (event.buttons) moves += 1; });
            addEventListener('pointerup', (event) => { window.end = event.target.id; });</script>"""
        )
        task = asyncio.ensure_future(work.browser.drag(state.ref(one(state, "button", "Knob")), at(900, 390)))
        await work.page.wait_for_function("moves > 2")
        task.cancel()
        await asyncio.wait({task})
        await work.page.wait_for_function("window.end !== undefined")
        assert await work.script("end") == "t"
        assert (await work.look()).held == frozenset()

    work.run(act())


def test_a_drag_of_what_is_covered_touches_nothing(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<button style='margin:30px'>Knob</button>"
            f"<div aria-label=veil style='position:fixed;inset:0'>veil</div>{COUNT}"
        )
        with pytest.raises(RefusedAction, match=r"covered by .*veil"):
            await work.browser.drag(state.ref(one(state, "button", "Knob")), at(300, 300))
        assert await work.script("seen") == []

    work.run(act())


def test_a_held_button_is_told_and_let_go(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            f"<button style='margin:30px'>Knob</button>{COUNT}"
            "<script>onpointerup = (event) => { window.up = event.clientX }</script>"
        )
        knob = state.ref(one(state, "button", "Knob"))
        await work.browser.mouse_down(knob)
        assert (await work.look()).held == {"left"}
        with pytest.raises(RefusedAction, match="held down already"):
            await work.browser.mouse_down(knob)
        with pytest.raises(RefusedAction, match="right mouse button is not held"):
            await work.browser.mouse_up(knob, button=MouseButton.RIGHT)
        await work.browser.mouse_up(at(200, 100))
        assert await work.script("up") == 200
        assert (await work.look()).held == frozenset()
        await work.browser.mouse_down(knob, button=MouseButton.MIDDLE)
        await work.browser.release()
        await work.browser.release()
        assert (await work.look()).held == frozenset()
        assert (await work.script("seen")).count("pointerup") == 2

    work.run(act())


def test_text_is_selected_between_two_places(work: Work) -> None:
    async def act() -> None:
        state = await work.show(
            "<style>p, textarea{margin:0;position:absolute;left:0;top:20px;font:20px monospace;padding:0;border:0}"
            "textarea{top:100px;width:400px}</style><p>one two three</p><textarea>four five</textarea>"
        )
        assert state.selection == ""
        wide = 12.0
        assert await work.browser.select_text(at(0.5, 32), at(wide * 7, 32)) == "one two"
        assert await work.browser.select_text(at(0.5, 112), at(wide * 4, 112)) == "four"

    work.run(act())


def test_scrolling_at_a_place_moves_what_is_there_and_the_wheel_what_only_it_moves(work: Work) -> None:
    async def act() -> None:
        await work.show(
            "<style>body{margin:0} #d{height:90px;overflow:auto} #c{position:absolute;top:100px;left:0}</style>"
            "<div id=d><p style='height:900px'></p></div><canvas id=c width=300 height=200></canvas><script>"
            "c.addEventListener('wheel', (event) => { window.wheel = event.deltaY; event.preventDefault(); })</script>"
        )
        await work.browser.scroll(0, 50, at(40, 40))
        assert await work.script("d.scrollTop") == 50
        await work.browser.scroll(0, 70, at(40, 150))
        await work.page.wait_for_function("window.wheel !== undefined")
        assert await work.script("wheel") == 70

    work.run(act())


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("<button disabled>Go</button>", "disabled"),
        ("<fieldset disabled><button>Go</button></fieldset>", "disabled"),
        ("<button aria-disabled=true>Go</button>", "disabled"),
        ("<button style='margin:40px'>Go</button>"
         "<div style='position:fixed;inset:0;background:#fffc'>Wait</div>", "Wait"),
        ("<style>@keyframes k{to{left:600px}}</style><button style='position:relative;left:0;"
         "animation:k 60s linear'>Go</button>", "come to rest"),
    ],
)  # fmt: skip
def test_what_cannot_be_pressed_gets_no_event(work: Work, page: str, reason: str) -> None:
    async def act() -> None:
        state = await work.show(page + COUNT)
        ref = state.ref(one(state, "button", "Go"))
        for refused in (work.browser.click(ref), work.browser.click(ref, count=2), work.browser.mouse_down(ref)):
            with pytest.raises(RefusedAction, match=reason):
                await refused
        assert await work.script("seen") == []

    work.run(act())


def test_what_lets_presses_through_or_is_clipped_away_is_not_called_covered(work: Work) -> None:
    async def act() -> None:
        await work.show(
            "<div>Words <button style='pointer-events:none'>Through</button>"
            "<button style='clip-path:inset(100%)'>Clipped</button></div>"
        )
        for name in ("Through", "Clipped"):
            _, ref = await work.until("button", name)
            with pytest.raises(RefusedAction, match="takes no press"):
                await work.browser.click(ref)

    work.run(act())


def test_a_click_that_opens_a_dialog_leaves_no_button_down(work: Work) -> None:
    async def act() -> None:
        state = await work.show("<button onpointerdown='alert(1)'>Ask</button>")
        await work.browser.click(state.ref(one(state, "button", "Ask")))
        state = await work.look()
        assert (state.dialogs[0].kind, state.held) == ("alert", frozenset())
        await work.browser.answer_dialog(accept=True)

    work.run(act())
