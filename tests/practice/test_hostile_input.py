from __future__ import annotations

import http.client
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from operative_app.practice import PracticeSite
from operative_app.practice.forms import MalformedFormError, parse_body
from tests.practice.client import BOUNDARY, Client

State = Callable[[str], dict[str, Any]]
SCRIPT = "<script>alert(1)</script>\"'"


@pytest.mark.parametrize("host", ["elsewhere.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.elsewhere.example", ""])
def test_a_foreign_host_is_refused(client: Client, host: str) -> None:
    reply = client.raw("GET /state.json", {"Host": host})
    assert reply.status == 421
    assert b"subscribers" not in reply.body


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_sent_by_another_site_changes_nothing(client: Client, state: State, headers: dict[str, str]) -> None:
    assert client.post("/newsletter/api/subscribe", {"email": "ada@example.com"}, headers).status == 403
    assert state("newsletter")["subscribers"] == []


def test_the_site_itself_may_send_forms(client: Client, state: State) -> None:
    headers = {"Origin": client.base, "Sec-Fetch-Site": "same-origin"}
    assert client.post("/newsletter/api/subscribe", {"email": "ada@example.com"}, headers).status == 200
    assert len(state("newsletter")["subscribers"]) == 1


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../../../etc/passwd",
        "/static/..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/static/%2e%2e/templates/base.html",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/images/../../templates/home.html",
        "/static/",
        "/static/images",
        "/static/" + "a" * 5000 + ".css",
        "/static/nothing.css",
    ],
)
def test_only_the_site_s_own_static_files_can_be_read(client: Client, path: str) -> None:
    assert client.raw(f"GET {path}", {}).status == 404


def test_a_style_sheet_elsewhere_on_the_disk_cannot_be_read(client: Client, tmp_path: Path) -> None:
    elsewhere = tmp_path / "private.css"
    elsewhere.write_text("private")
    up = "../" * 30
    for path in (f"/static/{elsewhere}", f"/static/{quote(str(elsewhere), safe='')}", f"/static/{up}{elsewhere}"):
        assert client.raw(f"GET {path}", {}).status == 404


@pytest.mark.parametrize("target", ["/static/site.css%00.svg", "/shop\\cart", "http://elsewhere.example/", "//x/y\\z"])
def test_addresses_that_no_browser_sends_here_are_refused(client: Client, target: str) -> None:
    assert client.raw(f"GET {target}", {}).status == 400


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_refused_with_the_allowed_ones(client: Client, method: str) -> None:
    reply = client.raw(f"{method} /shop", {})
    assert (reply.status, reply.headers["Allow"]) == (405, "GET, HEAD, POST")
    assert "cannot be used that way" in reply.text


def test_a_known_path_says_which_method_it_wants(client: Client) -> None:
    assert client.post("/shop", {}).headers["Allow"] == "GET, HEAD"
    reply = client.get("/newsletter/api/subscribe")
    assert (reply.status, reply.headers["Allow"]) == (405, "POST")
    assert reply.json["error"]


def test_head_gives_the_headers_of_get_alone(client: Client) -> None:
    head, get = client.raw("HEAD /food", {}), client.raw("GET /food", {})
    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == get.headers["Content-Length"] == str(len(get.body))


def test_an_unknown_address_gives_a_page_with_a_way_back(client: Client) -> None:
    reply = client.get("/nowhere/at/all")
    assert reply.status == 404
    assert "There is no page at this address." in reply.text
    assert 'href="/"' in reply.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Length": "-1"}, 400),
        ({"Content-Length": "many"}, 400),
        ({"Content-Length": "9" * 40}, 413),
        ({"Content-Length": "70000"}, 413),
        ({"Transfer-Encoding": "chunked"}, 411),
    ],
)
def test_a_body_of_bad_or_unknown_length_is_refused(client: Client, headers: dict[str, str], status: int) -> None:
    assert client.raw("POST /shop/checkout", headers).status == status


def test_a_body_that_is_too_large_is_refused_and_the_answer_arrives(client: Client, state: State) -> None:
    reply = client.upload("/pdf/api/convert", "big.pdf", b"%PDF-1.7\n" + bytes(21 * 1024 * 1024))
    assert reply.status == 413
    assert "20 MB" in reply.json["error"]
    assert state("pdf")["conversions"] == []


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data", b"x"),
        (f"multipart/form-data; boundary={BOUNDARY}", b""),
        (f"multipart/form-data; boundary={BOUNDARY}", b"no boundary at all"),
        (f"multipart/form-data; boundary={BOUNDARY}", f"--{BOUNDARY}\r\nno blank line\r\n--{BOUNDARY}--".encode()),
        (f"multipart/form-data; boundary={BOUNDARY}", f"--{BOUNDARY}\r\nX: y\r\n\r\nv\r\n--{BOUNDARY}--".encode()),
        (
            f"multipart/form-data; boundary={BOUNDARY}",
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\ncut off'.encode(),
        ),
        ("application/json", b"{}"),
        ("text/plain", b"a=b"),
        ("application/x-www-form-urlencoded", b"&".join(b"a=1" for _ in range(500))),
    ],
)
def test_a_body_that_breaks_its_format_is_refused(client: Client, content_type: str, body: bytes) -> None:
    with pytest.raises(MalformedFormError):
        parse_body(content_type, body)
    reply = client.raw("POST /food/order", {"Content-Type": content_type, "Content-Length": str(len(body))}, body)
    assert reply.status == 400


def test_an_upload_keeps_every_byte(client: Client) -> None:
    content = bytes(range(256)) * 3 + b"\r\n--almost\r\n\r\n"
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a \u00e9.pdf"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
    upload = parse_body(f"multipart/form-data; boundary={BOUNDARY}", body).uploads["file"]
    assert (upload.filename, upload.content) == ("a \u00e9.pdf", content)


def test_markup_in_every_text_a_visitor_can_leave_stays_text(client: Client, state: State) -> None:
    pages = [client.get("/shop/search?q=%3Cscript%3Ealert(1)%3C/script%3E")]
    client.post("/shop/api/cart", {"slug": "usb-c-hub", "quantity": "1"})
    fields = {"name": SCRIPT, "email": "a@example.com", "address": SCRIPT, "city": SCRIPT, "postcode": SCRIPT}
    pages.append(client.post("/shop/checkout", fields))
    pages.append(client.post("/shop/checkout", {**fields, "country": "France", "delivery": "express", "terms": "yes"}))
    assert "/shop/order/" in pages[-1].url
    client.post("/food/api/basket", {"dish": "slaw", "size": "small", "quantity": "1", "note": SCRIPT})
    pages.append(client.get("/food"))
    pages.append(client.post("/food/order", {"name": SCRIPT, "street": SCRIPT, "time": "As soon as possible"}))
    client.post("/codehost/sign-in", {"username": "demo", "password": "x"})
    pages.append(client.post("/codehost/new", {"name": SCRIPT, "description": SCRIPT}))
    pages.append(client.post("/codehost/new", {"name": "safe", "description": SCRIPT, "readme": "yes"}))
    pages.append(client.get("/codehost"))
    assert [page.url for page in pages if "<script>alert" in page.text] == []
    assert all("&lt;script&gt;" in page.text for page in pages)
    assert state("shop")["orders"][0]["name"] == SCRIPT


def test_control_characters_and_overlong_texts_are_cut(client: Client, state: State) -> None:
    client.post(
        "/food/api/basket", {"dish": "slaw", "size": "small", "quantity": "1", "note": "a\x00\x1b[31m\nb" + "c" * 999}
    )
    note = state("food")["baskets"]["1"][0]["note"]
    assert note.startswith("a[31m\nb")
    assert len(note) == 300


def test_an_unreadable_request_gets_an_error_page(site: PracticeSite) -> None:
    address = urlsplit(site.start())
    for request in (b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + b"/" * 70000 + b" HTTP/1.1\r\n\r\n"):
        with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
            connection.sendall(request)
            with http.client.HTTPResponse(connection) as response:
                response.begin()
                assert response.status in {400, 414, 505}
                assert b"All practice pages" in response.read()
