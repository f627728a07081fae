from __future__ import annotations

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit

import pytest

from operative_app.core.errors import SettingsError
from operative_app.practice import PAGE_NAMES, PracticeSite, UnknownPageError
from operative_app.practice.sessions import MAX_SESSIONS
from tests.practice.client import Client


def practice_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("practice-")]


def test_starting_twice_gives_the_same_address(site: PracticeSite) -> None:
    assert site.start() == site.start()
    assert site.start().startswith("http://127.0.0.1:")


@pytest.mark.parametrize("name", ["home", *PAGE_NAMES])
def test_every_named_page_opens_and_is_not_cached(site: PracticeSite, client: Client, name: str) -> None:
    reply = client.get(urlsplit(site.page_url(name)).path)
    assert reply.status == 200
    assert "<h1" in reply.text
    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


def test_the_index_links_to_every_page(client: Client) -> None:
    index = client.get("/").text
    assert [name for name in PAGE_NAMES if f'href="/{name}"' not in index] == []


def test_naming_a_page_starts_the_site() -> None:
    site = PracticeSite()
    try:
        assert Client(site.page_url("shop")).get("").status == 200
    finally:
        site.stop()


def test_an_unknown_page_is_refused_with_the_known_names(site: PracticeSite) -> None:
    with pytest.raises(UnknownPageError, match=r"“bank”.*home, shop, flights, food, newsletter, codehost, pdf"):
        site.page_url("bank")
    assert issubclass(UnknownPageError, SettingsError)
    assert issubclass(UnknownPageError, LookupError)


def test_stopping_twice_is_harmless_and_leaves_no_thread_or_listener() -> None:
    site = PracticeSite()
    base = site.start()
    assert Client(base).get("/").status == 200
    site.stop()
    site.stop()
    assert practice_threads() == []
    with pytest.raises(URLError):
        Client(base).get("/")


def test_stopping_cuts_a_request_that_is_half_sent() -> None:
    site = PracticeSite()
    address = urlsplit(site.start())
    with socket.create_connection((address.hostname, address.port), timeout=60) as half:
        half.sendall(
            f"POST /shop/checkout HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 500\r\n\r\nname=".encode()
        )
        Client(site.start()).get("/")  # by now the thread of the half request has been started
        site.stop()
        with suppress(ConnectionResetError):  # where not all that was sent had been read
            assert half.recv(1) == b""
    assert practice_threads() == []


def test_stopping_waits_for_connections_that_are_just_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    is_closed, may_end = threading.Event(), threading.Event()
    close = ThreadingHTTPServer.shutdown_request

    def close_slowly(server: ThreadingHTTPServer, request: Any) -> None:
        close(server, request)
        is_closed.set()
        may_end.wait(60)

    monkeypatch.setattr(ThreadingHTTPServer, "shutdown_request", close_slowly)
    site = PracticeSite()
    Client(site.start()).get("/")
    assert is_closed.wait(60)
    later = threading.Timer(0.5, may_end.set)
    later.start()
    site.stop()
    assert practice_threads() == []
    later.join()


def test_state_outlives_a_stop_and_goes_with_a_reset(site: PracticeSite, client: Client) -> None:
    client.post("/newsletter/api/subscribe", {"email": "ada@example.com"})
    site.stop()
    assert "ada@example.com" in json.dumps(site.snapshot())
    site.start()
    site.reset()
    assert site.snapshot() == PracticeSite().snapshot()


def test_the_snapshot_is_a_copy_that_json_can_hold(site: PracticeSite, client: Client) -> None:
    client.post("/newsletter/api/subscribe", {"email": "ada@example.com"})
    copy = site.snapshot()
    assert copy == json.loads(json.dumps(copy)) == client.get("/state.json").json
    copy.clear()
    assert set(site.snapshot()) == set(PAGE_NAMES)


def test_two_visitors_have_carts_of_their_own(site: PracticeSite) -> None:
    ada, grace = Client(site.start()), Client(site.start())
    ada.post("/shop/api/cart", {"slug": "usb-c-hub", "quantity": "1"})
    grace.post("/shop/api/cart", {"slug": "usb-c-hub", "quantity": "3"})
    assert "Your cart is empty" not in ada.get("/shop/cart").text
    carts = site.snapshot()["shop"]["carts"]  # type: ignore[index]
    assert {session: [line["quantity"] for line in lines] for session, lines in carts.items()} == {"1": [1], "2": [3]}


def test_the_visitor_who_was_idle_longest_is_forgotten_first(site: PracticeSite) -> None:
    first = Client(site.start())
    first.post("/shop/api/cart", {"slug": "usb-c-hub", "quantity": "1"})
    for _ in range(MAX_SESSIONS):
        Client(site.start()).get("/state.json")
    assert site.snapshot()["shop"]["carts"] == {}  # type: ignore[index]
    assert "Your cart is empty" in first.get("/shop/cart").text


def test_fifty_requests_at_once_are_all_answered_and_counted(site: PracticeSite) -> None:
    client = Client(site.start())
    client.get("/shop")

    def add(number: int) -> int:
        return client.post("/newsletter/api/subscribe", {"email": f"person{number}@example.com"}).status

    with ThreadPoolExecutor(50) as pool:
        statuses = list(pool.map(add, range(50)))
    assert statuses == [200] * 50
    assert len(site.snapshot()["newsletter"]["subscribers"]) == 50  # type: ignore[index]


def test_the_site_writes_nothing_to_the_terminal(
    site: PracticeSite, client: Client, capfd: pytest.CaptureFixture[str]
) -> None:
    client.get("/shop")
    client.get("/nowhere")
    assert client.raw("GET /", {"Host": "elsewhere.example"}).status == 421
    assert capfd.readouterr() == ("", "")
