"""What an observation says of a page."""

from __future__ import annotations

import asyncio
from io import BytesIO
from typing import cast

from PIL import Image

from operative_app.core.screen import ElementState
from tests.surfaces.work import Work, matching, one


def test_names_come_from_labels_or_from_nearby_text(work: Work) -> None:
    state = work.run(
        work.show(
            """<form><label for=a>Street</label><input id=a>
            <span id=b>City</span><input aria-labelledby=b>
            <table role=presentation><tr><td>Postcode<td><input></table>
            <input placeholder=Country> <button title="Close it"><svg width=20 height=20></svg></button>
            <button><svg width=20 height=20><title>Print</title></svg></button>
            <a href=#x><img alt="Home page" width=20 height=20></a> <button aria-label=Next>&rsaquo;</button></form>"""
        )
    )
    found = {(element.role, element.name): element.label_source for element in state.elements}
    assert found == {
        ("textbox", "Street"): "accessible",
        ("textbox", "City"): "accessible",
        ("textbox", "Postcode"): "nearby",
        ("textbox", "Country"): "placeholder",
        ("button", "Close it"): "title",
        ("button", "Print"): "accessible",
        ("link", "Home page"): "accessible",
        ("button", "Next"): "accessible",
    }


def test_the_context_tells_equal_controls_apart(work: Work) -> None:
    state = work.run(
        work.show(
            """<nav aria-label=Shop><a href=#1>More</a></nav>
            <section><h2>Plans</h2><div class=card><h3>Small</h3><button>Select</button></div>
            <div class=card><h3>Large</h3><button>Select</button></div></section>
            <fieldset><legend>Billing</legend><label>Name <input></label></fieldset>
            <ul><li>Tea <button>Remove</button><li>Milk <button>Remove</button></ul>"""
        )
    )
    context = [(element.name, element.context, element.list_index) for element in state.elements]
    assert context == [
        ("More", ("Shop",), -1),
        ("Select", ("Plans", "Small"), 0),
        ("Select", ("Plans", "Large"), 1),
        ("Name", ("Billing",), -1),
        ("Remove", ("Tea",), 0),
        ("Remove", ("Milk",), 1),
    ]


def test_the_form_around_a_control_is_told(work: Work) -> None:
    state = work.run(
        work.show(
            """<form id=f action="https://pay.example/take"><h3>Your card</h3><input name=action aria-label=Number
              autocomplete="billing CC-Number"><button>Continue</button><button type=button>Help</button></form>
            <button form=f formaction="/later">Later</button> <input aria-label=Free>
            <dialog open><p>Really?</p><form method=dialog><button>OK</button></form></dialog>"""
        )
    )
    told = {one.name: one for one in state.elements}
    form, dialog = told["Number"].form, told["OK"].form
    assert form
    assert dialog not in {form, ""}
    assert [told[name].form for name in ("Continue", "Help", "Later", "Free")] == [form, form, form, ""]
    assert [told[name].sends_to for name in ("Continue", "Help", "OK", "Number")] == [
        "https://pay.example/take",
        "",
        "",
        "",
    ]
    assert told["Later"].sends_to.endswith("/later")
    assert (told["Number"].purpose, told["Free"].purpose) == ("billing cc-number", "")
    assert {text.text: text.form for text in state.texts} == {"Your card": form, "Really?": dialog}


def test_tables_repeat_merged_cells_and_place_their_controls(work: Work) -> None:
    state = work.run(
        work.show(
            """<table><caption>Sales</caption><thead>
            <tr><th rowspan=2>Region<th colspan=2>2026</tr><tr><th>Q1<th>Q2</tr></thead>
            <tr><th>North<td>1<td><button>Show</button></tr><tr><th>South<td colspan=2>none</tr></table>"""
        )
    )
    (table,) = state.tables
    assert table.caption == "Sales"
    assert table.headers == ("Region", "2026 Q1", "2026 Q2")
    assert table.rows == (("North", "1", "Show"), ("South", "none", "none"))
    assert table.boxes[1].y_css_px > table.boxes[0].y_css_px
    show = one(state, "button", "Show")
    assert (show.table, show.row, show.column) == (0, 0, 2)
    assert show.context[-2:] == ("North", "2026 Q2")


def test_hidden_text_is_not_listed(work: Work) -> None:
    state = work.run(
        work.show(
            """<style>.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}</style><p>seen</p>
            <p style="display:none">h1</p><p style="visibility:hidden">h2</p><p style="opacity:0">h3</p>
            <p style="font-size:1px">h4</p><p style="color:#fff">h5</p><p style="color:transparent">h6</p>
            <p style="position:absolute;left:-999px;width:9px">h7</p><p class=sr>h8</p>
            <div style="height:0;overflow:hidden">h9</div><details><summary>More</summary>h10</details>
            <div style="background:#123;color:#fff">white on dark</div>
            <div style="background:linear-gradient(#111,#222);color:#fff">white on a gradient</div>"""
        )
    )
    assert [block.text for block in state.texts] == ["seen", "white on dark", "white on a gradient"]


def test_one_character_texts_and_text_beside_bold_words_are_kept(work: Work) -> None:
    state = work.run(work.show("<h1>Cart</h1><p>Items: <b>3</b></p><div>7</div><p role=alert>Sold out</p>"))
    assert [(block.role, block.text) for block in state.texts] == [
        ("heading", "Cart"),
        ("paragraph", "Items: 3"),
        ("text", "7"),
        ("alert", "Sold out"),
    ]


def test_states_values_and_options_are_told(work: Work) -> None:
    state = work.run(
        work.show(
            """<input aria-label=a value=v readonly required><input aria-label=p type=password value=secret>
            <input type=checkbox aria-label=c checked>
            <select aria-label=s><option>One<option selected value=2>Two</select>
            <button aria-expanded=true aria-haspopup=menu disabled>m</button><textarea aria-label=t>long</textarea>
            <div contenteditable role=textbox aria-label=e>rich</div>"""
        )
    )
    by_name = {element.name: element for element in state.elements}
    assert by_name["a"].states >= {ElementState.READONLY, ElementState.REQUIRED, ElementState.EDITABLE}
    assert (by_name["p"].value, by_name["p"].has(ElementState.PASSWORD)) == ("", True)
    assert by_name["c"].has(ElementState.CHECKED)
    assert by_name["s"].value == "Two"
    assert [(option.label, option.value, option.is_selected) for option in by_name["s"].options] == [
        ("One", "One", False),
        ("Two", "2", True),
    ]
    assert by_name["m"].states >= {ElementState.EXPANDED, ElementState.POPUP, ElementState.DISABLED}
    assert by_name["t"].has(ElementState.MULTILINE)
    assert by_name["e"].value == "rich"


def test_clickables_without_a_role_are_found_once(work: Work) -> None:
    state = work.run(
        work.show(
            """<div style="cursor:pointer"><span>Open <b>box</b></span></div><div onclick="1">Press</div>
            <div tabindex=0>Stop</div><button><span style="cursor:pointer">Inner</span></button>"""
        )
    )
    assert [(element.role, element.name) for element in state.elements] == [
        ("clickable", "Open box"),
        ("clickable", "Press"),
        ("clickable", "Stop"),
        ("button", "Inner"),
    ]


def test_marks_stay_with_their_elements_and_news_are_told(work: Work) -> None:
    async def see() -> None:
        before = await work.show(
            "<p id=p><button>A</button><button>B</button></p><div style='height:3000px'></div><button>C</button>"
        )
        assert [element.mark for element in before.elements] == [1, 2, 0]
        assert not any(element.is_new for element in before.elements)
        await work.script("document.body.insertAdjacentHTML('afterbegin', '<div><button>Z</button></div>')")
        after = await work.look()
        assert {element.name: element.mark for element in after.elements} == {"Z": 3, "A": 1, "B": 2, "C": 0}
        assert [element.name for element in after.elements if element.is_new] == ["Z"]
        assert one(after, "button", "C").has(ElementState.OFFSCREEN)

    work.run(see())


def test_a_frame_of_another_site_is_read_and_clicked_at_its_place(work: Work) -> None:
    inner = work.pages.make(
        "<button onclick=\"document.body.append('pressed')\">Inside</button><input aria-label=Field>"
    )
    address = inner.replace("127.0.0.1", "localhost")

    async def see() -> None:
        state = await work.show(
            f"<h1>Outer</h1><iframe style='margin:40px' title=box src='{address}'></iframe><button>Last</button>"
        )
        while not matching(state, "button", "Inside"):
            state = await work.look()
        assert [element.name for element in state.elements] == ["Inside", "Field", "Last"]
        button = one(state, "button", "Inside")
        assert button.frame == "0"
        (frame,) = state.frames
        assert (frame.path, frame.url) == ("0", address.rpartition("/")[0])
        assert frame.box.contains(*button.box.center)
        assert "box" in button.context
        assert button.box.x_css_px > 40
        await work.browser.click(state.ref(button))
        assert await work.browser.fill(state.ref(one(state, "textbox", "Field")), "words") == "words"
        state = await work.look()
        assert "pressed" in state.all_text
        assert one(state, "textbox", "Field").value == "words"
        assert "pressed" in await work.browser.get_text()

    work.run(see())


def test_frames_and_zoom_agree_with_where_the_page_is_hit(work: Work) -> None:
    async def see() -> None:
        state = await work.show(
            """<div style="zoom:1.5;padding:20px">
            <iframe style="border:5px solid;padding:7px" srcdoc="<body style='margin:0;zoom:.5'>
            <button style='margin:30px' onclick='parent.hit=true'>Deep</button>"></iframe></div>"""
        )
        assert [frame.url for frame in state.frames] == [state.url.rpartition("/")[0]]
        deep = one(state, "button", "Deep")
        await work.page.mouse.click(*deep.box.center)
        assert await work.script("window.hit") is True

    work.run(see())


def test_the_page_cannot_see_or_change_the_pass(work: Work) -> None:
    async def see() -> None:
        state = await work.show(
            """<script>Element.prototype.getBoundingClientRect = () => ({left:0,top:0,width:0,height:0});
            JSON.stringify = () => '{}'; window.getComputedStyle = () => ({display:'none'});</script>
            <button>Real</button>"""
        )
        assert one(state, "button", "Real").box.width_css_px > 10
        leaked = "Object.getOwnPropertyNames(window).filter((name) => name.startsWith('op_'))"
        assert await work.script(leaked) == []

    work.run(see())


def test_what_a_budget_cut_is_said(work: Work) -> None:
    async def see() -> None:
        state = await work.show("".join(f"<p><button>B{number}</button></p>" for number in range(1200)))
        in_sight = [element for element in state.elements if element.mark]
        assert len(state.elements) == 1000 + len(in_sight)
        assert state.left_out == (f"{1200 - len(state.elements)} more controls were not listed",)
        await work.script("scrollTo(0, 1e6)")
        assert one(await work.look(), "button", "B1199").mark

    work.run(see())


def test_dialogs_modals_and_covers_are_told(work: Work) -> None:
    async def see() -> None:
        state = await work.show(
            "<button>Under</button><dialog aria-label=Ask><button autofocus>Yes</button></dialog>"
            "<script>document.querySelector('dialog').showModal()</script>"
        )
        assert state.modal == "Ask"
        yes = one(state, "button", "Yes")
        assert state.focus == yes.key
        assert yes.has(ElementState.FOCUSED)
        assert "Ask" in yes.context

    work.run(see())


def test_a_picture_has_the_size_of_the_viewport(work: Work) -> None:
    async def see() -> None:
        await work.show("<h1>Here</h1>")
        seen = await work.browser.observe()
        assert seen.picture is not None
        assert seen.picture.width_px == round(seen.state.viewport_width_css_px * seen.state.pixel_ratio)
        assert seen.picture.data[:2] == b"\xff\xd8"

    work.run(see())


def test_what_a_page_does_at_its_next_frame_is_in_the_text_and_in_the_picture(work: Work) -> None:
    async def see() -> None:
        await work.show("<p id=told>waits</p>")
        for turn in range(3):
            await work.browser.execute_js(
                f"""await new Promise(requestAnimationFrame);
                requestAnimationFrame(() => {{
                  told.textContent = 'painted {turn}';
                  document.body.style.background = 'rgb(0, 160, {80 * turn})';
                }});""",
                timeout_s=60,
            )
            seen = await work.browser.observe()
            assert f"painted {turn}" in [text.text for text in seen.state.texts]
            assert seen.picture is not None
            with Image.open(BytesIO(seen.picture.data)) as image:
                red, green, blue = cast("tuple[int, int, int]", image.getpixel((image.width - 20, image.height - 20)))
            assert red < 20
            assert abs(green - 160) < 20
            assert abs(blue - 80 * turn) < 20

    work.run(see())


def test_observations_are_counted_and_cancelled_ones_leave_the_page_usable(work: Work) -> None:
    async def see() -> None:
        before = await work.show("<button>A</button>")
        task = asyncio.ensure_future(work.browser.observe())
        await asyncio.sleep(0)
        task.cancel()
        after = await work.look()
        assert after.observation > before.observation
        assert after.elements

    work.run(see())
