"""What other programs got wrong when they looked at pages, one test for each kind."""

from __future__ import annotations

import pytest

from operative_app.core.errors import RefusedAction
from operative_app.core.screen import ElementState
from tests.surfaces.work import Work, matching, one


def cards(count: int) -> str:
    """Nine elements each."""
    return "".join(
        f"<div class=card><h3>Item {n}</h3><p>Costs <b>{n}</b></p><ul><li>a<li>b<li>c</ul>"
        f"<button>Buy {n}</button></div>"
        for n in range(count)
    )


def test_the_same_button_in_nested_frames_and_shadow_roots_is_listed_once_for_each_place(work: Work) -> None:
    async def see() -> None:
        inner = "<button onclick=\\\"top.pressed='inner'\\\">Go</button>"
        state = await work.show(
            f"""<button onclick="pressed='outer'">Go</button><x-host></x-host>
            <iframe title=Outer srcdoc="<button>Go</button><iframe title=Inner srcdoc='&lt;button
            onclick=&quot;top.pressed=1&quot;>Go&lt;/button>'></iframe>"></iframe><script>const inner = "{inner}";
            customElements.define('x-host', class extends HTMLElement {{ constructor() {{ super();
            this.attachShadow({{ mode: 'open' }}).innerHTML = inner.replace('inner', 'shadow'); }} }});</script>"""
        )
        while len(matching(state, "button", "Go")) < 4:
            state = await work.look()
        assert [element.frame for element in matching(state, "button", "Go")] == ["", "", "0", "0.0"]
        deepest = matching(state, "button", "Go")[-1]
        assert deepest.context[-2:] == ("Outer", "Inner")
        await work.browser.click(state.ref(deepest))
        assert await work.script("pressed") == 1
        await work.browser.click(state.ref(matching(state, "button", "Go")[1]))
        assert await work.script("pressed") == "shadow"

    work.run(see())


def test_slotted_children_of_a_shadow_host_are_listed_beside_its_own(work: Work) -> None:
    state = work.run(
        work.show(
            """<div id=host><button slot=end>Light</button><input aria-label=Plain></div><script>
            host.attachShadow({ mode: 'open' }).innerHTML = '<slot></slot><button>Own</button><slot name=end></slot>';
            </script>"""
        )
    )
    assert [element.name for element in state.elements] == ["Plain", "Own", "Light"]


def test_a_field_within_a_component_is_filled_not_refused(work: Work) -> None:
    async def see() -> None:
        state = await work.show(
            """<x-field></x-field><script>customElements.define('x-field', class extends HTMLElement {
            constructor() { super(); this.attachShadow({ mode: 'open' })
            .innerHTML = '<label>Name <input></label>'; } });</script>"""
        )
        assert await work.browser.fill(state.ref(one(state, "textbox", "Name")), "Ada") == "Ada"

    work.run(see())


def test_content_of_a_frame_out_of_sight_is_listed_and_said_to_be_out_of_sight(work: Work) -> None:
    state = work.run(
        work.show("<div style='height:3000px'></div><iframe title=Low srcdoc='<button>Deep</button>'></iframe>")
    )
    deep = one(state, "button", "Deep")
    assert (deep.frame, deep.has(ElementState.OFFSCREEN), deep.mark) == ("0", True, 0)


def test_what_lies_over_a_control_is_named_and_a_press_is_refused(work: Work) -> None:
    async def see() -> None:
        state = await work.show(
            """<button style="position:absolute;left:20px;top:60px">Order</button>
            <aside role=dialog aria-label="Cookie settings" style="position:fixed;inset:0;background:#fffc">
            We use cookies <button>Accept</button></aside>"""
        )
        order = one(state, "button", "Order")
        assert order.cover == "dialog “Cookie settings”"
        assert not one(state, "button", "Accept").cover
        with pytest.raises(RefusedAction, match="Cookie settings"):
            await work.browser.click(state.ref(order))

    work.run(see())


def test_labels_over_hidden_inputs_are_no_cover(work: Work) -> None:
    state = work.run(
        work.show(
            """<style>input { position: absolute; opacity: 0 }</style>
            <input type=checkbox id=a><label for=a>Terms</label>
            <label><input type=radio name=r checked><span>Yearly</span></label>
            <div style="position:relative"><b>knob</b>
            <input type=checkbox style="left:0;top:0;width:90px;height:20px" aria-label=Switch></div>"""
        )
    )
    assert [(one.role, one.name, one.cover) for one in state.elements] == [
        ("checkbox", "Terms", ""),
        ("radio", "Yearly", ""),
        ("checkbox", "Switch", ""),
    ]


def test_a_page_of_fifty_thousand_parts_is_read_near_the_view_and_the_rest_is_said(work: Work) -> None:
    async def see() -> None:
        state = await work.show(
            f"<h1>Goods</h1>{cards(5500)}<dialog aria-label=Ask open>Sure? <button>Yes</button></dialog>"
        )
        assert await work.script("document.querySelectorAll('*').length") > 49_000
        assert one(state, "button", "Buy 0").mark
        assert not matching(state, "button", "Buy 5400")
        assert any("further down were not listed" in sentence for sentence in state.left_out)
        assert not any("further up" in sentence for sentence in state.left_out)

    work.run(see(), limit_s=60.0)


def test_a_long_jump_is_followed(work: Work) -> None:
    async def see() -> None:
        await work.show(
            f"<h1>Goods</h1>{cards(2000)}"
            "<div id=pop role=dialog style='position:fixed;top:0'><button>Yes</button></div>"
        )
        await work.script("scrollTo(0, document.documentElement.scrollHeight)")
        state = await work.look()
        assert one(state, "button", "Buy 1999").mark
        assert one(state, "button", "Buy 1999").context[-1] == "Item 1999"
        assert one(state, "button", "Yes").mark
        assert not matching(state, "button", "Buy 0")
        assert any("further up were not listed" in sentence for sentence in state.left_out)
        assert not any("further down" in sentence for sentence in state.left_out)
        below = state.scroll.height_css_px - state.scroll.y_css_px - state.viewport_height_css_px
        assert below < 2
        await work.script("scrollBy(0, -100000)")
        state = await work.look()
        ups = [sentence for sentence in state.left_out if "further" in sentence]
        assert len(ups) == 2

    work.run(see(), limit_s=60.0)


def test_tables_of_a_large_page_are_read_wherever_they_are(work: Work) -> None:
    async def see() -> None:
        rows = "".join(f"<tr><td>{n}<td>Name {n}<td><a href=#{n}>Open</a></tr>" for n in range(400))
        state = await work.show(f"{cards(1000)}<div><table><tr><th>No<th>Name<th>Open</tr>{rows}</table></div>")
        (table,) = state.tables
        assert len(table.rows) == 400
        assert table.rows[399] == ("399", "Name 399", "Open")

    work.run(see(), limit_s=60.0)


def test_rows_of_a_virtual_list_are_those_shown_now(work: Work) -> None:
    async def see() -> None:
        state = await work.show(
            """<div id=list role=listbox aria-label=Rows tabindex=0 style="height:200px;overflow:auto">
            <div id=all style="height:200000px;position:relative"></div></div><script>
            const draw = () => { const first = Math.floor(list.scrollTop / 20); all.innerHTML = '';
            for (let n = first; n < first + 11; n += 1) all.insertAdjacentHTML('beforeend',
            `<div role=option style="position:absolute;top:${n * 20}px">Row ${n}</div>`); };
            list.onscroll = draw; draw();</script>"""
        )
        assert one(state, "option", "Row 0").mark
        await work.script("list.scrollTop = 150000")
        while not matching(state, "option", "Row 7500"):
            state = await work.look()
        assert not matching(state, "option", "Row 0")
        (scroller,) = state.scrollers
        assert (scroller.above_css_px, scroller.below_css_px) == (150000, 49800)

    work.run(see())


def test_nothing_is_called_loading_or_empty_that_is_not(work: Work) -> None:
    state = work.run(
        work.show("<div class='loading spinner' aria-busy=false>Ready</div><button class=loading>Send</button>")
    )
    assert not state.is_loading
    assert state.left_out == ()
    assert not one(state, "button", "Send").has(ElementState.BUSY)
    assert "Ready" in state.all_text
