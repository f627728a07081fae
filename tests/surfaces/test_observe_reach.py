"""What an observation says beyond the page's own tree: closed parts, scrolling, dragging, what is selected."""

from __future__ import annotations

import pytest

from operative_app.core.screen import ElementState
from operative_app.surfaces.browser import reach
from tests.surfaces.work import Work, matching, one

CLOSED = """<x-outer><b>slotted</b></x-outer><div id=plain style="width:150px;height:30px"></div><script>
const define = (name, inner) => customElements.define(name, class extends HTMLElement {
  constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = inner; } });
define('x-inner', '<input aria-label=Inside><p>words within</p>');
define('x-outer', '<button onclick="window.pressed = true">Outer</button><slot></slot><x-inner></x-inner>');
plain.attachShadow({ mode: 'closed' }).innerHTML = '<a href="/plain">In a plain part</a>';</script>"""


def test_closed_shadow_roots_are_seen_within_each_other_and_pressed(work: Work) -> None:
    async def see() -> None:
        state = await work.show(CLOSED)
        assert [(element.role, element.name) for element in state.elements] == [
            ("button", "Outer"),
            ("textbox", "Inside"),
            ("link", "In a plain part"),
        ]
        assert [block.text for block in state.texts] == ["slotted", "words within"]
        assert state.left_out == ()
        assert not any(element.cover for element in state.elements)
        await work.browser.click(state.ref(one(state, "button", "Outer")))
        assert await work.script("window.pressed") is True
        assert await work.browser.fill(state.ref(one(state, "textbox", "Inside")), "typed") == "typed"
        state = await work.look()
        field = one(state, "textbox", "Inside")
        assert (field.value, field.has(ElementState.FOCUSED), state.focus) == ("typed", True, field.key)

    work.run(see())


def closed_boxes(number: int) -> str:
    return (
        "<x-box></x-box>" * number
        + """<style>x-box { display: block; height: 20px }</style><script>
        customElements.define('x-box', class extends HTMLElement { constructor() { super();
        this.attachShadow({ mode: 'closed' }).innerHTML = '<button>In</button>'; } });</script>"""
    )


def test_more_closed_components_than_are_asked_about_at_once_are_all_seen(work: Work) -> None:
    state = work.run(work.show(closed_boxes(65)))
    assert len(matching(state, "button", "In")) == 65
    assert state.left_out == ()


def test_closed_components_there_was_no_time_for_are_said_and_asked_about_at_the_next_look(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as short:
        short.setattr(reach, "DEADLINE_S", 0.0)
        first = work.run(work.show(closed_boxes(65)))
    assert matching(first, "button", "In") == []
    assert first.left_out == ("closed component here: <x-box>", reach.UNASKED)
    second = work.run(work.look())
    assert (len(matching(second, "button", "In")), second.left_out) == (65, ())


def test_the_inner_parts_of_the_browsers_own_controls_are_never_listed(work: Work) -> None:
    state = work.run(
        work.show(
            """<input type=date aria-label=Day><input type=range aria-label=Volume><video controls width=300></video>
            <details open><summary>More</summary>text</details><input type=file aria-label=Letter>
            <select aria-label=Size><option>S<option>M</select><input type=search aria-label=Find value=x>"""
        )
    )
    names = [element.name for element in state.elements]
    assert names == ["Day", "Volume", "More", "Letter", "Size", "Find"]
    assert [block.text for block in state.texts] == ["text"]


def test_scroll_containers_tell_what_lies_on_each_side(work: Work) -> None:
    async def see() -> None:
        state = await work.show(
            """<div id=terms aria-label=Terms style="height:100px;width:300px;overflow:auto">
            <div style="height:1000px;width:700px"></div><button>Agree</button></div>
            <div style="overflow:auto;height:50px">all of it is in sight</div><button>Outside</button>"""
        )
        (terms,) = state.scrollers
        assert terms.label == "area “Terms”"
        below = await work.script("terms.scrollHeight - terms.clientHeight")
        right = await work.script("terms.scrollWidth - terms.clientWidth")
        assert (terms.above_css_px, terms.below_css_px) == (0, below)
        assert (terms.left_css_px, terms.right_css_px) == (0, right)
        agree = one(state, "button", "Agree")
        assert (agree.scroller, agree.has(ElementState.OFFSCREEN)) == (terms.key, True)
        assert one(state, "button", "Outside").scroller == ""
        await work.script("terms.scrollTo(30, 1e9)")
        state = await work.look()
        (terms,) = state.scrollers
        assert (terms.above_css_px, terms.below_css_px) == (below, 0)
        assert (terms.left_css_px, terms.right_css_px) == (30, right - 30)
        assert not one(state, "button", "Agree").has(ElementState.OFFSCREEN)

    work.run(see())


def test_scrolling_frames_bodies_fields_and_lists_are_scroll_containers(work: Work) -> None:
    tall = "<div style='height:900px'></div><button>Last</button>"
    state = work.run(
        work.show(
            f"""<style>html {{ overflow: hidden; height: 100% }}
            body {{ overflow: auto; height: 100%; margin: 0 }}</style>
            <iframe title=Help srcdoc="{tall}"></iframe>
            <ul tabindex=0 role=listbox aria-label=Cities style="height:60px;overflow:auto">
            <li role=option>A<li role=option>B<li role=option>C<li role=option>D<li role=option>E</ul>
            <textarea aria-label=Notes rows=2>1&#10;2&#10;3&#10;4&#10;5</textarea>
            <div style="height:3000px"></div><button>Far below</button>"""
        )
    )
    labels = {scroller.key: scroller.label for scroller in state.scrollers}
    assert sorted(labels.values()) == ["area “page”", "frame “Help”", "listbox “Cities”", "textbox “Notes”"]
    assert labels[one(state, "button", "Last").scroller] == "frame “Help”"
    assert labels[one(state, "option", "A").scroller] == "listbox “Cities”"
    assert labels[one(state, "button", "Far below").scroller] == "area “page”"
    assert one(state, "listbox", "Cities").has(ElementState.SCROLLABLE)
    assert one(state, "textbox", "Notes").has(ElementState.SCROLLABLE)


def test_what_can_be_dragged_and_where_it_can_be_dropped(work: Work) -> None:
    state = work.run(
        work.show(
            """<div draggable=true>Card A</div><div draggable=true><h3>Card B</h3><button>Edit</button></div>
            <div style="cursor:grab">Handle</div><button draggable=true>Press or drag</button>
            <div style="cursor:col-resize;width:6px;height:40px;background:#888" aria-label=Split></div>
            <div draggable=false>Fixed</div>
            <div id=done style="height:60px"><h2>Done</h2></div>
            <div ondragover="1" style="height:30px">By attribute</div>
            <iframe srcdoc="<div id=q>In a frame</div>
            <script>q.addEventListener('dragover', () => 0)</script>"></iframe>
            <script>done.addEventListener('drop', () => 0); document.addEventListener('drop', () => 0);</script>"""
        )
    )
    dragged = [(one.role, one.name) for one in state.elements if one.has(ElementState.DRAGGABLE)]
    assert dragged == [
        ("item", "Card A"),
        ("item", "Card B"),
        ("item", "Handle"),
        ("button", "Press or drag"),
        ("separator", "Split"),
    ]
    targets = [(one.name, one.frame) for one in state.elements if one.has(ElementState.DROP_TARGET)]
    assert targets == [("Done", ""), ("By attribute", ""), ("In a frame", "0")]
    assert "Card B" in one(state, "button", "Edit").context


def test_the_selection_is_told_but_never_that_of_a_password(work: Work) -> None:
    async def see() -> None:
        state = await work.show(
            "<p id=p>Some words here</p><input id=f aria-label=F value='field text'>"
            "<input id=s type=password value=secret>"
        )
        assert state.selection == ""
        await work.script("getSelection().selectAllChildren(p)")
        assert (await work.look()).selection == "Some words here"
        await work.script("f.focus(); f.setSelectionRange(6, 10)")
        assert (await work.look()).selection == "text"
        await work.script("s.select(); s.focus()")
        assert (await work.look()).selection == ""

    work.run(see())


def test_a_modal_is_told_with_its_place(work: Work) -> None:
    state = work.run(
        work.show(
            """<dialog aria-label=Ask style="position:fixed;left:100px;top:50px;width:200px;height:80px;margin:0;
            padding:0;border:0"><button>Yes</button></dialog><script>document.querySelector('dialog').showModal()</script>"""
        )
    )
    assert state.modal == "Ask"
    assert state.modal_box is not None
    box = state.modal_box
    assert (box.x_css_px, box.y_css_px, box.width_css_px, box.height_css_px) == (100, 50, 200, 80)


def test_a_canvas_is_named_as_such_with_its_place(work: Work) -> None:
    state = work.run(
        work.show(
            "<canvas id=b width=200 height=100>Chess board</canvas><canvas aria-label=Map width=50 height=50></canvas>"
        )
    )
    assert [(element.role, element.name) for element in state.elements] == [
        ("canvas", "Chess board"),
        ("canvas", "Map"),
    ]
    assert state.elements[0].box.width_css_px == 200


def test_controls_of_an_icon_alone_keep_a_name_and_where_it_comes_from(work: Work) -> None:
    state = work.run(
        work.show(
            """<button>×</button><button><i class="fa fa-trash-alt"></i></button>
            <button class="btn icon-bell" style="width:20px;height:20px"></button>
            <a href=#x><svg width=20 height=20><use href="#icon-shoppingCart"/></svg></a>
            <button data-icon="x-mark" style="width:20px;height:20px"></button>
            <button id="css-1a2b3c4d5e" style="width:20px;height:20px"></button>"""
        )
    )
    assert [(element.name, element.label_source) for element in state.elements] == [
        ("×", "accessible"),
        ("trash alt", "markup"),
        ("bell", "markup"),
        ("shopping cart", "markup"),
        ("x mark", "markup"),
        ("", ""),
    ]
