"""The composite actions for real, through the engine in a browser: what they do, and what they say when they fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from operative_app.actions.composite import DownloadFile, FieldEntry, FillForm, Login, SearchAndClick
from operative_app.actions.declare import Action
from operative_app.actions.finding import ScrollToFind
from operative_app.core.events import Event
from operative_app.core.run import OutcomeStatus
from operative_app.core.screen import ElementRef, ScreenState
from operative_app.planning.port import RunContext
from tests.engine.desk import Desk, Drive, Step
from tests.surfaces.pages import Pages


def ref(state: ScreenState, name: str) -> ElementRef | None:
    found = [one for one in state.elements if one.name == name]
    return state.ref(found[0]) if found else None


def outcome(drive: Drive, action: str) -> tuple[OutcomeStatus, str]:
    ends = drive.of(action)
    assert len(ends) == 1, [one.label for one in drive.started]  # never begun anew by itself
    return ends[0].status, ends[0].detail


def parts(drive: Drive, action: str) -> list[str]:
    whole = next(one.step for one in drive.started if one.action == action)
    return [one.action for one in drive.started if one.part_of == whole and one.attempt == 1]


SEARCH_PAGE = """<h1>Shop</h1><input id=q type=search aria-label=Search><ul id=r></ul><script>
const all = %s, show = () => { r.innerHTML = ''; for (const n of all) if (n.includes(q.value))
  r.insertAdjacentHTML('beforeend', `<li><a href="#${n}" onclick="window.hit='${n}'">${n}</a></li>`) };
q.%s;</script><a href="#about">About blue lamps</a>"""
TYPING = "oninput = () => setTimeout(show, 250)"
NARROWED = "oninput = show; show()"
ENTER = "onkeydown = e => { if (e.key === 'Enter') setTimeout(show, 250) }"


def search(match: str, timeout_s: float = 60) -> Step:
    def step(state: ScreenState, context: RunContext) -> Action | None:
        field = ref(state, "Search")
        return None if field is None else SearchAndClick(field=field, query="lamp", match=match, timeout_s=timeout_s)

    return step


@pytest.mark.parametrize(
    ("way", "part_names"),
    [
        (TYPING, ["fill", "click_element"]),
        (NARROWED, ["fill", "click_element"]),
        (ENTER, ["fill", "press_key", "click_element"]),
    ],
    ids=["while typing", "left of a list", "after enter"],
)
def test_search_and_click_waits_for_the_results_and_clicks_the_one_that_fits(
    desk: Desk, pages: Pages, way: str, part_names: list[str]
) -> None:
    url = pages.make(SEARCH_PAGE % ("['blue lamp', 'blue lamp shade', 'red lamp', 'chair']", way))
    drive = desk.drive(url, search("Blue lamp"), scripts=("window.hit",))
    assert outcome(drive, "search_and_click") == (OutcomeStatus.DONE, "clicked link “blue lamp”")
    assert drive.verdict == ["blue lamp"]
    assert parts(drive, "search_and_click") == part_names


@pytest.mark.parametrize(
    ("names", "timeout_s", "words"),
    [
        ("['blue lamp', 'blue lamp']", 60, "2 results fit “Blue lamp”"),
        ("['red lamp']", 1, "no result “Blue lamp” came within 1 s"),
    ],
)
def test_search_and_click_presses_nothing_when_no_one_result_fits(
    desk: Desk, pages: Pages, names: str, timeout_s: float, words: str
) -> None:
    url = pages.make(SEARCH_PAGE % (names, TYPING))
    drive = desk.drive(url, search("Blue lamp", timeout_s), scripts=("window.hit || 'none'",), goes_on=True)
    status, detail = outcome(drive, "search_and_click")
    assert status is OutcomeStatus.FAILED
    assert words in detail
    assert drive.verdict == ["none"]


FORM_PAGE = """<h1>Apply</h1><form onsubmit="return false"><fieldset><legend>You</legend>
<label>First name <input name=a></label><label>Last name <input name=b></label>
<label>E-mail <input name=c type=email></label><label>Phone <input name=d type=tel></label>
<label>Town <input name=e></label><label>Street <input name=f></label><label>Postcode <input name=g></label>
<label>Born <input name=h type=date></label><label>Guests <input name=i type=number></label>
<label>Country <select name=j><option value=de>Germany<option value=fr>France</select></label>
<label>Note <textarea name=k></textarea></label>
<label><input name=l type=checkbox checked> Paper bill</label>
<label><input name=m type=radio value=x> Slow</label><label><input name=m type=radio value=y> Fast</label>
</fieldset><div role=combobox tabindex=0 aria-label=Colour aria-expanded=false aria-haspopup=listbox id=col>Choose</div>
<label>CV <input type=file name=o></label></form>
<script>col.onclick = () => { col.ariaExpanded = 'true'; const l = document.createElement('ul'); l.role = 'listbox';
for (const n of ['Red', 'Green']) { const o = document.createElement('li'); o.role = 'option'; o.textContent = n;
  o.onclick = () => { col.textContent = n; col.ariaExpanded = 'false'; l.remove() }; l.append(o) } col.after(l) };
window.all = () => [...new FormData(document.forms[0]).entries()]
  .map(([k, v]) => k + '=' + (v.name ?? v)).concat('n=' + col.textContent).join(';');</script>"""


def test_fill_form_fills_every_kind_of_box(desk: Desk, pages: Pages, tmp_path: Path) -> None:
    letter = tmp_path / "cv.txt"
    letter.write_text("A life", encoding="utf-8")
    values = {
        "First name": "Ada", "Last name": "Lovelace", "E-mail": "ada@example.org", "Phone": "555 12", "Town": "Zürich",
        "Street": "Am Ufer 3", "Postcode": "8001", "Born": "1815-12-10", "Guests": "2", "Country": "France",
        "Note": "one\ntwo", "Paper bill": "off", "Fast": "on", "Colour": "Green", "CV": str(letter),
    }  # fmt: skip

    def step(state: ScreenState, context: RunContext) -> Action | None:
        found = {name: ref(state, name) for name in values}
        missing = [name for name, one in found.items() if one is None]
        assert not missing, [one.label for one in state.elements]
        return FillForm(fields=tuple(FieldEntry(target=one, value=values[name]) for name, one in found.items() if one))

    drive = desk.drive(pages.make(FORM_PAGE), step, scripts=("window.all()",))
    assert outcome(drive, "fill_form") == (OutcomeStatus.DONE, "15 fields are filled")
    assert drive.verdict == [
        "a=Ada;b=Lovelace;c=ada@example.org;d=555 12;e=Zürich;f=Am Ufer 3;g=8001;h=1815-12-10;i=2;j=fr;"
        "k=one\ntwo;m=y;o=cv.txt;n=Green"
    ]
    assert parts(drive, "fill_form") == [
        *["fill"] * 9, "select_option", "fill", *["click_element"] * 4, "file_dialog",
    ]  # fmt: skip
    assert [getattr(one, "action", "") for one in drive.requests] == ["file_dialog"]


def test_fill_form_says_how_far_it_came(desk: Desk, pages: Pages) -> None:
    def step(state: ScreenState, context: RunContext) -> Action | None:
        first, country = ref(state, "First name"), ref(state, "Country")
        assert first is not None
        assert country is not None
        fields = (FieldEntry(target=first, value="Ada"), FieldEntry(target=country, value="Spain"))
        return FillForm(fields=fields)

    drive = desk.drive(pages.make(FORM_PAGE), step, scripts=("window.all()",), goes_on=True)
    status, detail = outcome(drive, "fill_form")
    assert status is OutcomeStatus.FAILED
    assert detail.startswith("1 of 2 fields were filled; then: ")
    assert "Germany" in detail
    assert "a=Ada" in str(drive.verdict[0])


ONE_PAGE = """<h1>Sign in</h1><p role=alert id=no></p><form onsubmit="return go()"><label>User <input id=u></label>
<label>Password <input id=p type=password></label><button>Sign in</button>
<button type=button onclick="window.other = 1">Sign in with Example</button></form>
<script>window.tries = 0; function go() { window.tries++;
  if (u.value === 'ada' && p.value === 'correct horse') document.body.innerHTML = '<h1>Welcome</h1>';
  else { no.textContent = 'Wrong name or password'; p.value = '' } return false }</script>"""
TWO_PAGES = """<h1>Sign in</h1><form id=f onsubmit="return false"><label>E-mail <input id=u type=email></label>
<button id=b>Next</button></form><script>b.onclick = () => { const name = u.value; setTimeout(() => {
  f.innerHTML = `<p>${name}</p><label>Password <input id=p type=password></label><button id=c>Continue</button>`;
  c.onclick = () => { if (name === 'ada' && p.value === 'correct horse') document.body.innerHTML = '<h1>Welcome</h1>' }
}, 600) };</script>"""


def login(password: str = "correct horse") -> Step:
    return lambda state, context: Login(username="ada", password=password)


@pytest.mark.parametrize(
    ("page", "part_names"),
    [
        (ONE_PAGE, ["fill", "fill", "click_element"]),  # the button that says nothing else
        (TWO_PAGES, ["fill", "click_element", "fill", "click_element"]),
    ],
    ids=["one page", "two pages"],
)
def test_login_signs_in(desk: Desk, pages: Pages, page: str, part_names: list[str]) -> None:
    drive = desk.drive(pages.make(page), login(), scripts=("document.body.innerText.trim()", "window.other || 0"))
    assert outcome(drive, "login") == (OutcomeStatus.DONE, "")
    assert drive.verdict == ["Welcome", 0]
    assert parts(drive, "login") == part_names


def test_login_tells_a_wrong_password_and_does_not_try_it_again(desk: Desk, pages: Pages) -> None:
    drive = desk.drive(pages.make(ONE_PAGE), login("horse correct"), scripts=("window.tries",), goes_on=True)
    status, detail = outcome(drive, "login")
    assert status is OutcomeStatus.UNVERIFIED
    assert "the page still asks for a password: “Wrong name or password”" in detail
    assert drive.verdict == [1]


def test_login_refuses_a_secret_that_is_not_stored_and_a_page_without_a_form(desk: Desk, pages: Pages) -> None:
    drive = desk.drive(
        pages.make(ONE_PAGE), login("{{secret:bank}}"), scripts=("`entered: ${u.value + p.value}`",), goes_on=True
    )
    status, detail = outcome(drive, "login")
    assert status is OutcomeStatus.REFUSED
    assert "no secret named “bank” is saved" in detail
    assert drive.verdict == ["entered: "]
    drive = desk.drive(pages.make("<h1>News</h1><label>Find <input type=search></label>"), login(), goes_on=True)
    assert "there is no sign-in form on this page" in drive.of("login")[-1].detail


def download(name: str = "Get it", timeout_s: float = 60) -> Step:
    def step(state: ScreenState, context: RunContext) -> Action | None:
        target = ref(state, name)
        return None if target is None else DownloadFile(target=target, timeout_s=timeout_s)

    return step


def test_download_file_waits_until_a_slow_file_is_whole(desk: Desk, pages: Pages) -> None:
    running: list[Event] = []

    def let_go(event: Event) -> None:
        """Only when it was seen that the file is not whole."""
        if event.kind == "observed" and desk.provider.browser._downloads.is_running:
            running.append(event)
            pages.let_go()

    desk.on_event = let_go
    drive = desk.drive(pages.make("<a href=/slow.bin download>Get it</a>"), download())
    assert running
    status, detail = outcome(drive, "download_file")
    assert (status, detail) == (OutcomeStatus.DONE, "“slow.bin”, 8000 bytes")
    assert Path(drive.of("download_file")[0].value).read_bytes() == b"a" * 4000 + b"b" * 4000


@pytest.mark.parametrize(
    ("page", "timeout_s", "words"),
    [
        ("<a href=/cut.bin download>Get it</a>", 60, "the download of “cut.bin” ended as "),
        ("<button onclick='this.textContent += \"!\"'>Get it</button>", 1, "no download began after 1 s"),
        ("<a href=/slow.bin download>Get it</a>", 8, "“slow.bin” is not complete after 8 s"),
        ("<a href=http://127.0.0.1:1/a.zip>Get it</a>", 60, "no download began; the browser shows an error page"),
    ],
    ids=["cut off", "none", "too slow", "unreachable"],
)
def test_download_file_says_when_there_is_no_file(
    desk: Desk, pages: Pages, page: str, timeout_s: float, words: str
) -> None:
    drive = desk.drive(pages.make(page), download(timeout_s=timeout_s), goes_on=True)
    pages.let_go()
    status, detail = outcome(drive, "download_file")
    assert status is OutcomeStatus.FAILED
    assert words in detail
    assert drive.of("download_file")[0].value == ""


PLAIN_LIST = "<h1>List</h1>" + "".join(f"<p style='height:150px'>Word {number}</p>" for number in range(60))
INNER_LIST = (
    f"<h1>Inner</h1><div style='height:300px;overflow:auto' tabindex=0 aria-label=Words>{PLAIN_LIST}</div>".replace(
        "150px", "40px"
    )
)

DRAWN_LATE = """<h1>Drawn</h1><div id=v tabindex=0 style="height:392px;overflow:auto;position:relative">
<div style="height:140000px"></div></div><script>
const draw = () => { for (const old of document.querySelectorAll('p')) old.remove();
for (let n = Math.floor(v.scrollTop / 28), i = 1; i <= 14; i++) v.insertAdjacentHTML('beforeend',
`<p style="position:absolute;margin:0;height:28px;top:${(n + i - 1) * 28}px">Row ${n + i}</p>`) };
draw(); v.onscroll = () => setTimeout(draw, 1500);</script>"""


def test_scroll_to_find_waits_for_rows_that_are_drawn_where_it_jumped_to(desk: Desk, pages: Pages) -> None:
    step: Step = lambda state, context: ScrollToFind(text="Row 4217")  # noqa: E731 - a step is a function
    drive = desk.drive(pages.make(DRAWN_LATE), step)
    status, detail = outcome(drive, "scroll_to_find")
    assert status is OutcomeStatus.DONE, detail
    assert len(parts(drive, "scroll_to_find")) <= 4, detail


@pytest.mark.parametrize(
    ("page", "most"),
    [(PLAIN_LIST, 4), (INNER_LIST, 4), (PLAIN_LIST.replace("Word", "Word of chapter 1 number"), 20)],
    ids=["page", "part of a page", "numbers that do not tell"],
)
def test_scroll_to_find_stops_where_it_is_in_sight(desk: Desk, pages: Pages, page: str, most: int) -> None:
    step: Step = lambda state, context: ScrollToFind(text="47")  # noqa: E731 - a step is a function
    drive = desk.drive(pages.make(page), step, scripts=("innerHeight",))
    status, detail = outcome(drive, "scroll_to_find")
    assert status is OutcomeStatus.DONE
    assert "47" in drive.of("scroll_to_find")[0].value
    assert 1 <= len(parts(drive, "scroll_to_find")) <= most, detail


KEPT_AT_ITS_END = """<style>body{margin:0;overflow-anchor:none}p{height:200px;margin:0}</style><div id=list></div>
<footer id=end>loading more</footer><script>let n = 0;
const add = () => { for (let i = 0; i < 4; i++) list.insertAdjacentHTML('beforeend', `<p>Post ${++n} of them</p>`) };
add(); add(); new IntersectionObserver(seen => { if (!seen[0].isIntersecting || n >= 40) return;
setTimeout(() => { add(); scrollTo(0, 1e6) }, 300) }).observe(end);</script>"""


def test_scroll_to_find_goes_back_a_step_before_it_believes_an_end(desk: Desk, pages: Pages) -> None:
    step: Step = lambda state, context: ScrollToFind(text="Post 40")  # noqa: E731
    drive = desk.drive(pages.make(KEPT_AT_ITS_END), step)
    status, detail = outcome(drive, "scroll_to_find")
    assert status is OutcomeStatus.DONE, detail


def test_scroll_to_find_goes_up_too(desk: Desk, pages: Pages) -> None:
    page = PLAIN_LIST + "<script>scrollTo(0, 1e6)</script>"
    step: Step = lambda state, context: ScrollToFind(text="Word 3", is_upwards=True)  # noqa: E731
    drive = desk.drive(pages.make(page), step)
    assert outcome(drive, "scroll_to_find")[0] is OutcomeStatus.DONE


def test_scroll_to_find_says_when_it_is_not_there(desk: Desk, pages: Pages) -> None:
    page = "<h1>Short</h1>" + "<p style='height:700px'>Word</p>" * 3
    step: Step = lambda state, context: ScrollToFind(text="Banana")  # noqa: E731
    drive = desk.drive(pages.make(page), step, goes_on=True)
    status, detail = outcome(drive, "scroll_to_find")
    assert status is OutcomeStatus.FAILED
    assert "“Banana” was not found up to where the scrolling ended" in detail


def test_scroll_to_find_gives_up_after_so_many_scrolls(desk: Desk, pages: Pages) -> None:
    step: Step = lambda state, context: ScrollToFind(text="Banana", max_scrolls=2)  # noqa: E731
    drive = desk.drive(pages.make(PLAIN_LIST), step, goes_on=True)
    assert "“Banana” was not found within 2 scrolls" in outcome(drive, "scroll_to_find")[1]
    assert parts(drive, "scroll_to_find") == ["scroll", "scroll"]
