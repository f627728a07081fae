"""The sites of a run are held to at every hop, whatever a page tries; a server outside is the witness."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from operative_app.core.errors import RefusedAction, SurfaceError
from operative_app.core.screen import ElementRef, Observation, ScreenState
from operative_app.safety.host_rules import host_rules
from operative_app.safety.sites import SiteRules
from operative_app.surfaces.browser.fence import PageOutside
from operative_app.surfaces.browser.surface import ManagedBrowser
from operative_app.surfaces.browser.tab import Tab
from tests.desktop_session import until
from tests.surfaces.hosts import Host
from tests.surfaces.opened import open_browser
from tests.surfaces.work import Work

INSIDE = SiteRules.read(["127.0.0.1"])
SCRIPT = "<script>{}</script>"
GO = "Go"
_TRIES = itertools.count(1)


@dataclass(frozen=True)
class Way:
    """A way out: a page that takes it by itself, or when its control "Go" is pressed."""

    body: str
    is_pressed: bool = False
    worker: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    def new_name(self) -> str:
        """That of its worker's script, another one for each try: browsers keep what a page registered."""
        return f"worker-{next(_TRIES)}"


def link(href: str, more: str = "") -> Way:
    return Way(f'<a href="{href}" {more}>{GO}</a>', is_pressed=True)


def script(code: str) -> Way:
    return Way(SCRIPT.format(code))


WAYS = {
    "link": link("{out}/x"),
    "link in a new tab": link("{out}/x", "target=_blank"),
    "link with a ping": link("/ok", 'ping="{out}/x"'),
    "link by 301": link("/to/301?{out}/x"),
    "link by 307": link("/to/307?{out}/x"),
    "link by a chain": link("/to/302?/to/307?/to/301?/to/308?{out}/x"),
    "link in a new tab by 302": link("/to/302?{out}/x", "target=_blank"),
    "link with a name before": link("http://127.0.0.1@{host}/x"),
    "link with a backslash": link("http:\\\\{host}\\@127.0.0.1/x"),
    "link in wide digits": link("http://\uff11\uff12\uff17\u30020.0.2:{port}/x"),
    "link in one number": link("http://2130706434:{port}/x"),
    "link in IPv6 clothes": link("http://[::ffff:127.0.0.2]:{port}/x"),
    "link to download": link("{out}/x", "download"),
    "form": Way(f'<form action="{{out}}/x"><button>{GO}</button></form>', is_pressed=True),
    "form by post": Way(
        f'<form method=post action="{{out}}/x"><input name=a value=1><button>{GO}</button></form>', is_pressed=True
    ),
    "form by post and 307": Way(
        f'<form method=post action="/to/307?{{out}}/x"><input name=a value=1><button>{GO}</button></form>',
        is_pressed=True,
    ),
    "button of a form elsewhere": Way(
        f'<form action="/ok"><button formaction="{{out}}/x" formtarget=_blank>{GO}</button></form>', is_pressed=True
    ),
    "refresh": Way('<meta http-equiv=refresh content="0;url={out}/x">'),
    "refresh by a header": Way("x", headers=(("Refresh", "0;url={out}/x"),)),
    "location": script("location = '{out}/x'"),
    "location of the frame around": Way("<iframe srcdoc=\"<script>top.location='{out}/x'</script>\"></iframe>"),
    "window": script("window.open('{out}/x')"),
    "window that is led on": script("const w = window.open('about:blank'); w.location = '{out}/x'"),
    "window without an opener": script("window.open('{out}/x', '_blank', 'noopener')"),
    "icon": Way('<link rel=manifest href="{out}/x">'),
    "preload by a header": Way("x", headers=(("Link", "<{out}/x>; rel=preload; as=image"),)),
    "report of a policy": Way(
        "<img src=/i>", headers=(("Content-Security-Policy", "img-src 'none'; report-uri {out}/x"),)
    ),
    "WebSocket": script("new WebSocket('ws://{host}/x')"),
    "worker": Way(SCRIPT.format("new Worker('/{name}.js')"), worker="fetch('{out}/x')"),
    "worker that imports": Way(SCRIPT.format("new Worker('/{name}.js')"), worker="importScripts('{out}/x')"),
    "worker of a blob": script("new Worker(URL.createObjectURL(new Blob([\"fetch('{out}/x')\"])))"),
    "shared worker": Way(SCRIPT.format("new SharedWorker('/{name}.js')"), worker="fetch('{out}/x')"),
    "service worker": Way(
        SCRIPT.format("navigator.serviceWorker.register('/{name}.js')"),
        worker="self.addEventListener('install', () => fetch('{out}/x'))",
    ),
}  # fmt: skip


PARTS = {
    "frame": '<iframe src="{out}/x"></iframe>',
    "frame by 302": '<iframe src="/to/302?{out}/x"></iframe>',
    "frame in a frame": "<iframe srcdoc=\"<iframe src='{out}/x'></iframe>\"></iframe>",
    "frame led on": SCRIPT.format("document.write('<iframe id=f></iframe>'); f.contentWindow.location = '{out}/x'"),
    "object": '<object data="{out}/x"></object>',
    "embedded": '<embed src="{out}/x">',
    "picture": '<img src="{out}/x">',
    "picture by 302": '<img src="/to/302?{out}/x">',
    "picture of a style": "<p style=\"background: url('{out}/x')\">x</p>",
    "style sheet": '<link rel=stylesheet href="{out}/x">',
    "font": "<style>@font-face {{ font-family: f; src: url('{out}/x') }} p {{ font-family: f }}</style><p>x</p>",
    "script of a page": '<script src="{out}/x"></script>',
    "module": '<script type=module src="{out}/x"></script>',
    "film": '<video src="{out}/x"></video>',
    "prefetch": '<link rel=prefetch href="{out}/x">',
    "preload": '<link rel=preload as=image href="{out}/x">',
    "module preload": '<link rel=modulepreload href="{out}/x">',
    "fetch": SCRIPT.format("fetch('{out}/x').catch(() => 0)"),
    "fetch by 302": SCRIPT.format("fetch('/to/302?{out}/x').catch(() => 0)"),
    "fetch by post without asking": SCRIPT.format("fetch('{out}/x', {{method: 'POST', mode: 'no-cors', body: 'a'}})"),
    "fetch kept alive": SCRIPT.format("fetch('{out}/x', {{keepalive: true, mode: 'no-cors'}})"),
    "XMLHttpRequest": SCRIPT.format("const x = new XMLHttpRequest(); x.open('GET', '{out}/x'); x.send()"),
    "beacon": SCRIPT.format("navigator.sendBeacon('{out}/x', 'secret')"),
    "event source": SCRIPT.format("new EventSource('{out}/x')"),
}  # fmt: skip
"""What a page loads without leaving; each is taken in a frame of its own of one page."""


@pytest.fixture(scope="module")
def inside() -> Iterator[Host]:
    with Host("127.0.0.1", "Inside") as host:
        yield host


@pytest.fixture(scope="module")
def outside() -> Iterator[Host]:
    with Host("127.0.0.2", "Outside") as host:
        yield host


@pytest.fixture(scope="module")
def fenced(runner: asyncio.Runner, place: Path, chromium_path: str) -> Iterator[ManagedBrowser]:
    """A browser started for the sites inside, in which one name leads to an address outside."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(place / "home"))
        patch.setenv("OPERATIVE_BROWSER", chromium_path)
        rules = f"MAP rebound.test 127.0.0.3, {host_rules(INSIDE)}"
        browser = runner.run(
            ManagedBrowser.launch(
                profile_dir=place / "fenced", downloads_dir=place / "downloads", headless=True, host_rules=rules
            )
        )
    yield browser
    runner.run(browser.close())


@pytest.fixture
def site(runner: asyncio.Runner, fenced: ManagedBrowser, inside: Host, outside: Host) -> Work:
    """The fenced browser with one empty tab, held to the sites inside; nothing has come to the outside."""
    work = Work(runner, fenced, inside)  # type: ignore[arg-type]

    async def clean() -> None:
        await fenced.limit(INSIDE)
        await fenced.navigate("about:blank")
        await work.close_other_tabs()

    work.run(clean())
    outside.forget()
    inside.forget()
    return work


async def told(browser: ManagedBrowser, host: str) -> tuple[str, ScreenState]:
    """What was told of a host once something was, and the screen then."""
    sentences: list[str] = []
    async with asyncio.timeout(60):
        while True:
            state = (await browser.observe(with_picture=False)).state
            sentences += [sentence for sentence in state.held_back if host in sentence]
            if sentences:
                return " ".join(sentences), state
            await browser.settle(0.2)


def filled(text: str, outside: Host, name: str = "") -> str:
    return text.format(out=outside.url, host=outside.name, port=outside.port, name=name)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_no_way_leads_out(site: Work, inside: Host, outside: Host, way: Way) -> None:
    headers = {name: filled(value, outside) for name, value in way.headers}
    name = way.new_name()
    url = inside.page("/way", f"<!doctype html><title>Inside</title>{filled(way.body, outside, name)}", **headers)
    inside.page(f"/{name}.js", filled(way.worker, outside), "text/javascript")

    async def go() -> tuple[str, ScreenState]:
        await site.browser.navigate(url)
        if way.is_pressed:
            state = (await site.browser.observe(with_picture=False)).state
            await site.browser.click(next(state.ref(element) for element in state.elements if element.name == GO))
        return await told(site.browser, outside.name)

    sentence, state = site.run(go())
    assert (outside.requests, outside.connections) == ([], 0)
    assert "outside the sites of this run" in sentence
    assert state.url.startswith(inside.url)
    assert "Outside" not in " ".join(block.text for block in state.texts)
    assert len(state.tabs) == 1


@pytest.fixture(scope="module")
def turned_back(
    runner: asyncio.Runner, fenced: ManagedBrowser, inside: Host, outside: Host
) -> tuple[set[str], list[str]]:
    """The paths outside for which the browser was refused a request, and the requests that came there."""
    for number, body in enumerate(PARTS.values()):
        inside.page(f"/part-{number}", body.format(out=f"{outside.url}/{number}"))
    url = inside.page("/parts", "".join(f'<iframe src="/part-{number}"></iframe>' for number in range(len(PARTS))))
    failed: set[str] = set()

    async def go() -> None:
        await fenced.limit(INSIDE)
        fenced._session.context.on("requestfailed", lambda request: failed.add(request.url))
        await fenced.navigate(url)
        async with asyncio.timeout(60):
            while len([one for one in failed if outside.name in one]) < len(PARTS):
                await fenced.settle(0.2)
                await asyncio.sleep(0)

    outside.forget()
    with contextlib.suppress(TimeoutError):  # the tests say which are missing
        runner.run(go())
    return {one.removeprefix(outside.url) for one in failed}, list(outside.requests)


@pytest.mark.parametrize("number", range(len(PARTS)), ids=PARTS)
def test_no_part_of_a_page_is_loaded_from_outside(turned_back: tuple[set[str], list[str]], number: int) -> None:
    refused, came = turned_back
    assert f"/{number}/x" in refused
    assert came == []


SOCKET = "const w = new WebSocket('ws://{host}/x'); w.onerror = w.onclose = () => {tell}"
SILENT = {
    "WebSocket of a worker": Way(
        SCRIPT.format("new Worker('/{name}.js').onmessage = () => document.title = 'over'"),
        worker=SOCKET.replace("{tell}", "postMessage(1)"),
    ),
    "WebSocket of a shared worker": Way(
        SCRIPT.format("new SharedWorker('/{name}.js').port.onmessage = () => document.title = 'over'"),
        worker="onconnect = e => {{ " + SOCKET.replace("{tell}", "e.ports[0].postMessage(1)") + " }}",
    ),
    "WebSocket of a service worker": Way(
        SCRIPT.format(
            "navigator.serviceWorker.onmessage = () => document.title = 'over';"
            "navigator.serviceWorker.register('/{name}.js').then(r => (r.installing || r.active).postMessage(1))"
        ),
        worker="onmessage = e => {{ " + SOCKET.replace("{tell}", "e.source.postMessage(1)") + " }}",
    ),
    "WebRTC": script(
        "const p = new RTCPeerConnection({{iceServers: [{{urls: 'turn:{host}?transport=tcp', username: 'a',"
        " credential: 'b'}}]}}); p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o));"
        "p.onicegatheringstatechange = () => p.iceGatheringState == 'complete' && (document.title = 'over')"
    ),
    "identity provider": script(
        "navigator.credentials.get({{identity: {{providers: [{{configURL: '{out}/x', clientId: '1'}}]}}}})"
        ".catch(() => 0); fetch('/ok').then(() => fetch('/ok')).then(() => document.title = 'over')"
    ),
    "connection made ahead": Way(
        "<link rel=preconnect href='{out}/'><link rel=dns-prefetch href='{out}/'>"
        + SCRIPT.format("fetch('/ok').then(() => document.title = 'over')")
    ),
    "page fetched ahead": Way(
        '<script type=speculationrules>{{"prefetch": [{{"urls": ["{out}/x"], "eagerness": "immediate"}}]}}</script>'
        + SCRIPT.format("fetch('/ok').then(() => document.title = 'over')")
    ),
}


@pytest.mark.parametrize("way", SILENT.values(), ids=SILENT)
def test_what_no_request_tells_finds_no_host_outside(site: Work, inside: Host, outside: Host, way: Way) -> None:
    name = way.new_name()
    url = inside.page("/way", f"<!doctype html><title>Inside</title>{filled(way.body, outside, name)}")
    inside.page(f"/{name}.js", filled(way.worker, outside), "text/javascript")

    async def go() -> None:
        await site.browser.navigate(url)
        async with asyncio.timeout(60):
            while (await site.browser.observe(with_picture=False)).state.title != "over":
                await site.browser.settle(0.2)

    site.run(go())
    assert (outside.requests, outside.connections) == ([], 0)


SPELLINGS = [
    "{out}/", "http://127.0.0.1@{host}/", "http://127.0.0.1%2f@{host}/", "http://2130706434:{port}/",
    "http://0x7f.2:{port}/", "http://0177.0.0.2:{port}/", "http://[::ffff:7f00:2]:{port}/", "{host}",
    "http://\uff11\uff12\uff17.0.0.2:{port}/", "HTTP://127.0.0.2.:{port}/", "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/", "http://localhost:{port}/", "http://[::1]:{port}/", "http://10.0.0.1/",
    "http://router.local/", "http://127.0.0.1.example.com/", "http://example.com#127.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize("address", SPELLINGS)
def test_an_address_outside_is_not_opened_however_it_is_spelt(site: Work, outside: Host, address: str) -> None:
    async def go() -> ScreenState:
        before = (await site.browser.observe(with_picture=False)).state
        for open_it in (site.browser.navigate, site.browser.new_tab):
            with pytest.raises(RefusedAction, match=r"outside the sites of this run.*Add it to the allow list"):
                await open_it(filled(address, outside))
        after = (await site.browser.observe(with_picture=False)).state
        assert (after.url, len(after.tabs)) == (before.url, 1)
        return after

    site.run(go())
    assert (outside.requests, outside.connections) == ([], 0)


@pytest.mark.parametrize("hop", ["/to/302?{out}/x", "/to/301?/to/307?/to/302?{out}/x"])
def test_an_address_inside_that_leads_out_is_told_and_the_page_before_stays(
    site: Work, inside: Host, outside: Host, hop: str
) -> None:
    async def go() -> ScreenState:
        await site.browser.navigate(inside.page("/kept", "<title>Kept</title><h1>Kept</h1>"))
        with pytest.raises(RefusedAction, match=outside.name):
            await site.browser.navigate(f"{inside.url}{filled(hop, outside)}")
        return (await site.browser.observe(with_picture=False)).state

    assert site.run(go()).title == "Kept"
    assert (outside.requests, outside.connections) == ([], 0)


@pytest.mark.parametrize(
    "code",
    [
        "window.open(window.URL.createObjectURL(new Blob(['<h1>Hidden word</h1>'], {type: 'text/html'})))",
        "location = window.URL.createObjectURL(new Blob(['<h1>Hidden word</h1>'], {type: 'text/html'}))",
        "window.open('data:text/html,<h1>Hidden word</h1>')",
        "location = 'data:text/html,<h1>Hidden word</h1>'",
        "window.open('file:///etc/passwd')",
        "location = 'view-source:' + location",
        "window.open('chrome://version')",
    ],
)
def test_a_page_that_is_no_web_page_is_not_read(site: Work, inside: Host, code: str) -> None:
    async def go() -> ScreenState:
        await site.browser.navigate(inside.page("/way", f'<title>Inside</title><button onclick="{code}">Go</button>'))
        state = (await site.browser.observe(with_picture=False)).state
        await site.browser.click(next(state.ref(element) for element in state.elements if element.name == GO))
        await site.browser.settle()
        return (await site.browser.observe(with_picture=False)).state

    state = site.run(go())
    assert state.url.startswith(("http://127.0.0.1", "about:blank"))
    assert "Hidden word" not in " ".join(block.text for block in state.texts)


def test_a_page_that_leaves_for_what_is_no_web_page_while_it_is_looked_at_is_not_told(
    site: Work, inside: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = site.browser._observer.observe
    leave = "location = URL.createObjectURL(new Blob(['<h1>Hidden word</h1>'], {type: 'text/html'}))"

    async def look_too_late(tab: Tab, *given: Any, **named: Any) -> Observation:
        monkeypatch.undo()
        async with tab.page.expect_navigation():
            await tab.page.evaluate(leave)
        return await look(tab, *given, **named)

    async def go() -> ScreenState:
        await site.browser.navigate(inside.page("/way", "<title>Inside</title>"))
        monkeypatch.setattr(site.browser._observer, "observe", look_too_late)
        return (await site.browser.observe(with_picture=False)).state

    state = site.run(go())
    assert state.url.startswith(("http://127.0.0.1", "about:blank"))
    assert "Hidden word" not in " ".join(block.text for block in state.texts)


async def _read_all(browser: ManagedBrowser, _ref: ElementRef) -> object:
    return await browser.get_text()


async def _read_one(browser: ManagedBrowser, ref: ElementRef) -> object:
    return await browser.get_text(ref)


async def _read_attribute(browser: ManagedBrowser, ref: ElementRef) -> object:
    return await browser.get_attribute(ref, "title")


async def _picture(browser: ManagedBrowser, _ref: ElementRef) -> object:
    return await browser.take_picture()


async def _picture_of(browser: ManagedBrowser, ref: ElementRef) -> object:
    return await browser.take_picture(ref)


async def _script(browser: ManagedBrowser, _ref: ElementRef) -> object:
    return await browser.execute_js("return document.body.innerText", timeout_s=60)


@pytest.mark.parametrize("read", [_read_all, _read_one, _read_attribute, _picture, _picture_of, _script])
def test_what_is_read_of_a_page_that_came_meanwhile_and_may_not_be_read_is_not_told(
    site: Work,
    inside: Host,
    monkeypatch: pytest.MonkeyPatch,
    read: Callable[[ManagedBrowser, ElementRef], Awaitable[object]],
) -> None:
    body = '<button title="Word of mine">Press</button>'
    leave = f"location = URL.createObjectURL(new Blob([{body!r}], {{type: 'text/html'}}))"
    front = site.browser._front

    async def front_and_gone() -> Tab:
        monkeypatch.undo()
        tab = await front()
        async with tab.page.expect_navigation():
            await tab.page.evaluate(leave)
        return tab

    async def go() -> None:
        await site.browser.navigate(inside.page("/way", f"<title>Inside</title>{body}"))
        _, ref = await site.until("button", "Press")
        monkeypatch.setattr(site.browser, "_front", front_and_gone)
        with pytest.raises(PageOutside, match="only http and https"):
            await read(site.browser, ref)
        assert (await site.browser.observe()).state.url.startswith((inside.url, "about:blank"))

    site.run(go())


def test_a_window_whose_page_is_turned_back_while_it_is_looked_at_is_not_told(
    site: Work, inside: Host, outside: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, judge = site.browser._observer.observe, site.browser._fence._on_paused
    is_seen, is_turned_back = asyncio.Event(), asyncio.Event()

    async def judge_late(session: Any, event: Any) -> None:
        if outside.name not in event["request"]["url"]:
            await judge(session, event)
            return
        await is_seen.wait()
        await judge(session, event)
        is_turned_back.set()

    async def look_too_early(*given: Any, **named: Any) -> Observation:
        seen = await look(*given, **named)
        if len(seen.state.tabs) > 1:
            is_seen.set()
            await is_turned_back.wait()
        return seen

    async def go() -> tuple[str, ScreenState]:
        body = f"<title>Inside</title><script>window.open('about:blank').location = '{outside.url}/x'</script>"
        monkeypatch.setattr(site.browser._fence, "_on_paused", judge_late)
        monkeypatch.setattr(site.browser._observer, "observe", look_too_early)
        await site.browser.navigate(inside.page("/way", body))
        return await told(site.browser, outside.name)

    _, state = site.run(go())
    assert (state.title, len(state.tabs)) == ("Inside", 1)


# --- pages that are there already --------------------------------------------------------------------------------


def test_a_page_that_was_open_before_is_left_and_not_read(site: Work, inside: Host, outside: Host) -> None:
    both = SiteRules.read(["127.0.0.1", "127.0.0.2"])

    async def go() -> None:
        await site.browser.limit(both)
        await site.browser.navigate(inside.page("/one", "<title>One</title><h1>One</h1>"))
        await site.browser.limit(SiteRules.read(["127.0.0.3"]))
        state = (await site.browser.observe()).state
        assert (state.url, state.texts) == ("about:blank", ())
        assert "left and not read" in " ".join(state.held_back)
        with pytest.raises(RefusedAction, match=r"127\.0\.0\.1"):
            await site.browser.go_back()
        assert "One" not in await site.browser.get_text()

    site.run(go())


def test_a_tab_outside_is_neither_brought_to_the_front_nor_told_by_its_title(site: Work, inside: Host) -> None:
    async def go() -> None:
        await site.browser.navigate(inside.page("/one", "<title>Secret title</title><h1>One</h1>"))
        await site.browser.new_tab()
        await site.browser.limit(SiteRules.read([]))
        state = (await site.browser.observe(with_picture=False)).state
        assert [(tab.title, tab.url) for tab in state.tabs] == [("", inside.url), ("", "about:blank")]
        with pytest.raises(RefusedAction, match="not brought to the front"):
            await site.browser.switch_tab(state.tabs[0].id)

    site.run(go())


def test_a_name_that_leads_to_an_address_outside_is_left_and_told(site: Work, inside: Host) -> None:
    with Host("127.0.0.3", "Rebound", inside.port) as rebound:

        async def go() -> ScreenState:
            await site.browser.limit(SiteRules.read(["127.0.0.1", "rebound.test"]))
            await site.browser.navigate(inside.page("/kept", "<title>Kept</title>"))
            await site.browser.navigate(f"http://rebound.test:{rebound.port}/x")
            return (await site.browser.observe()).state

        state = site.run(go())
        assert rebound.requests[0] == "GET /x"  # only the browser knows where a name leads, once it is there
    assert state.title == "Kept"
    assert "leads to this computer (127.0.0.3)" in " ".join(state.held_back)


def test_a_new_tab_a_crash_and_going_back_keep_the_limit(site: Work, inside: Host, outside: Host) -> None:
    async def go() -> None:
        browser = site.browser
        await browser.navigate(inside.page("/one", f"<title>One</title><a href='{outside.url}/x'>Go</a>"))
        checkpoint = await browser.checkpoint(1)
        await browser.new_tab(f"{inside.url}/one")
        await browser._tabs.active.send("Page.enable")  # type: ignore[union-attr]
        crashing = browser._tabs.active
        with pytest.raises(Exception):  # noqa: B017, PT011 - the page is gone before it can answer
            await crashing.send("Page.crash")  # type: ignore[union-attr]
        await crashing.crash  # type: ignore[union-attr]
        assert (await browser.observe()).state.has_crashed
        await browser.navigate(f"{inside.url}/one")
        await browser.restore(checkpoint)
        for _ in range(2):
            state = (await browser.observe(with_picture=False)).state
            await browser.click(next(state.ref(element) for element in state.elements if element.name == GO))
            await told(browser, outside.name)
            await browser.limit(INSIDE)
        with pytest.raises(SurfaceError, match="outside the sites of this run"):
            await browser.restore(checkpoint.model_copy(update={"url": f"{outside.url}/x"}))

    site.run(go())
    assert (outside.requests, outside.connections) == ([], 0)


def test_a_person_who_has_the_browser_in_hand_is_told_in_place_of_the_page(site: Work, outside: Host) -> None:
    async def go() -> ScreenState:
        await site.browser._set_interception(is_on=False)  # as when the browser is shown to the person
        page = site.browser._session.context.pages[0]
        await page.goto(f"{outside.url}/x")
        assert "Not opened" in (text := await page.inner_text("body"))
        assert f"{outside.name} is outside the sites of this run" in text
        return (await site.browser.observe()).state

    state = site.run(go())
    assert state.url == "about:blank"
    assert (outside.requests, outside.connections) == ([], 0)


def test_a_script_of_the_agent_is_held_too(site: Work, inside: Host, outside: Host) -> None:
    async def go() -> str:
        await site.browser.navigate(f"{inside.url}/ok")
        await site.browser.execute_js(f"fetch('{outside.url}/x').catch(() => 0); return 1", timeout_s=60)
        return (await told(site.browser, outside.name))[0]

    assert "were not loaded" in site.run(go())
    assert (outside.requests, outside.connections) == ([], 0)


# --- other lists, in a browser that finds every host -------------------------------------------------------------


@pytest.fixture
def free(work: Work, inside: Host, outside: Host) -> Iterator[Work]:
    outside.forget()
    yield work
    work.run(work.browser.limit(SiteRules()))


@pytest.mark.parametrize(
    ("allow", "deny", "opens"),
    [
        (None, [], True),
        (None, ["127.0.0.2"], False),
        (["127.0.0.2"], [], True),
        (["127.0.0.1", "127.0.0.2"], ["127.0.0.2"], False),
        ([], [], False),
        (["http://127.0.0.2"], [], True),
        (["https://127.0.0.2"], [], False),
        (["127.0.0.2:1"], [], False),
    ],
)
def test_the_lists_decide(free: Work, outside: Host, allow: list[str] | None, deny: list[str], opens: bool) -> None:
    async def go() -> bool:
        await free.browser.limit(SiteRules.read(allow, deny))
        try:
            await free.browser.navigate(f"{outside.url}/x")
        except RefusedAction:
            return False
        return (await free.browser.observe(with_picture=False)).state.title == "Outside /x"

    assert free.run(go()) is opens
    assert ("GET /x" in outside.requests) is opens


@pytest.mark.parametrize(
    ("deny", "to"),
    [(["localhost"], "http://localhost:{port}/x"), ([], "http://169.254.169.254/x"), ([], "http://2852039166/x")],
)
def test_without_an_allow_list_what_is_denied_is_held_at_every_hop(
    free: Work, inside: Host, deny: list[str], to: str
) -> None:
    async def go() -> str:
        await free.browser.limit(SiteRules.read(None, deny))
        url = inside.page("/way", f"<script>location = '/to/302?{to.format(port=inside.port)}'</script>")
        await free.browser.navigate(url)
        return (await told(free.browser, "outside the sites"))[0]

    assert "was not opened" in free.run(go())


def test_without_lists_nothing_waits(free: Work, inside: Host, outside: Host) -> None:
    async def go() -> ScreenState:
        await free.browser.limit(SiteRules())
        await free.browser.navigate(
            inside.page("/way", f"<iframe src='{outside.url}/x'></iframe><img src='{outside.url}/i'>")
        )
        while True:
            state = await free.look()
            if any("Outside" in block.text for block in state.texts):
                return state

    assert free.run(go()).held_back == ()


BOTH = SiteRules.read(["127.0.0.1", "127.0.0.2"])


async def seen_in_frame(free: Work, inside: Host, outside: Host) -> str:
    """A run for both sites has seen a page inside with a frame from outside; the page's address."""
    url = inside.page("/around", f"<title>Around</title><p>Inside words</p><iframe src='{outside.url}/x'></iframe>")
    await free.browser.limit(BOTH)
    await free.browser.navigate(url)
    await free.until_told(lambda state: "Outside /x" in words_of(state))
    return url


def words_of(state: ScreenState) -> str:
    return " ".join(block.text for block in state.texts)


def test_what_a_run_saw_in_a_frame_is_not_told_to_a_run_for_other_sites_behind_a_box(
    free: Work, inside: Host, outside: Host
) -> None:
    async def go() -> Observation:
        await seen_in_frame(free, inside, outside)
        await free.page.evaluate("setTimeout(() => alert('Well?'))")
        await free.until_told(lambda state: state.dialogs)
        await free.browser.limit(INSIDE)
        seen = await free.browser.observe()
        await free.browser.answer_dialog(accept=True)
        return seen

    seen = free.run(go())
    assert [box.message for box in seen.state.dialogs] == ["Well?"]
    assert "Outside" not in words_of(seen.state)
    assert seen.picture is None


@pytest.mark.parametrize("is_asked", [False, True], ids=["seen", "behind a box"])
def test_a_frame_from_outside_that_was_there_before_is_not_read(
    free: Work, inside: Host, outside: Host, is_asked: bool
) -> None:
    async def go() -> tuple[ScreenState, str]:
        url = await seen_in_frame(free, inside, outside)
        if is_asked:
            await free.page.evaluate("setTimeout(() => alert('Well?'))")
            await free.until_told(lambda state: state.dialogs)
        await free.browser.limit(INSIDE)
        if is_asked:
            await free.browser.answer_dialog(accept=True)
        state = (await free.browser.observe()).state
        assert state.url == url
        return state, await free.browser.get_text()

    state, text = free.run(go())
    assert "Inside words" in words_of(state)
    assert "Outside" not in words_of(state) + text
    assert outside.name in " ".join(state.held_back)


# --- a browser that was open before ------------------------------------------------------------------------------


async def visible(browser: ManagedBrowser) -> bool:
    tab = browser._tabs.active
    return tab is not None and bool(await tab.page.evaluate("document.visibilityState === 'visible'"))


def titles_of(cdp: str) -> list[str]:
    with urlopen(f"{cdp}/json/list") as answer:
        return [one["title"] for one in json.load(answer) if one["type"] == "page"]


def test_in_a_browser_that_was_open_only_the_tabs_of_the_session_are_held(
    runner: asyncio.Runner, isolation: Path, chromium_path: str, inside: Host, outside: Host
) -> None:
    ours = inside.page(
        "/ours",
        f"<title>Ours</title><a href='{outside.url}/x' target=_blank>Go</a>"
        f"<button onclick=\"fetch('{outside.url}/x')\">Fetch</button>"
        f"<button onclick=\"window.open('/to/302?{outside.url}/x')\">Open</button>",
    )
    theirs = inside.page("/theirs", "<title>Theirs</title>")

    async def go() -> None:
        browser = await ManagedBrowser.attach(cdp, downloads_dir=isolation / "home" / "d")
        try:
            await browser.limit(INSIDE)
            await browser.navigate(ours)
            outside.forget()
            person = next(page for page in browser._session.context.pages if page.url == theirs)
            for name in (GO, "Fetch", "Open"):
                state = (await browser.observe(with_picture=False)).state
                assert state.url == ours
                await browser.click(next(state.ref(one) for one in state.elements if one.name == name))
                await told(browser, outside.name)
                while not await visible(browser):  # it is brought before the window for nothing
                    await browser.observe(with_picture=False)
                await browser.limit(INSIDE)
            assert outside.requests == []
            with pytest.raises(RefusedAction, match="outside the sites"):
                await browser.new_tab(f"{outside.url}/x")
            await person.goto(f"{outside.url}/person")
            assert outside.requests[0] == "GET /person"
            state = (await browser.observe(with_picture=False)).state
            assert [tab.url for tab in state.tabs if tab.title == ""] == [outside.url]
            assert person.url == f"{outside.url}/person"
            await browser.limit(SiteRules.read(["127.0.0.9"]))
            state = (await browser.observe()).state
            assert state.url == "about:blank"  # the page that was in front is not read, and stays as it is
            assert ours in [page.url for page in browser._session.context.pages]
        finally:
            await browser.close()

    with open_browser(chromium_path, isolation, theirs) as cdp:
        for _ in range(2):  # whichever of them is in front
            with urlopen(Request(f"{cdp}/json/new?{theirs}", method="PUT")):
                pass
        until(lambda: titles_of(cdp) == ["Theirs"] * 3, what="the person's pages")
        runner.run(asyncio.wait_for(go(), 90))
