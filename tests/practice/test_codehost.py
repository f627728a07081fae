from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from operative_app.practice import PracticeSite
from tests.practice.client import Client

State = Callable[[str], dict[str, Any]]


@pytest.fixture
def member(client: Client) -> Client:
    client.post("/codehost/sign-in", {"username": "demo", "password": "pa55-w0rd"})
    return client


def test_a_password_is_never_kept(member: Client, site: PracticeSite, state: State) -> None:
    member.post("/codehost/sign-out", {})
    member.post("/codehost/sign-in", {"username": "ada", "password": "pa55-w0rd"})
    assert "pa55-w0rd" not in json.dumps(site.snapshot())
    assert (state("codehost")["sign_ins"], state("codehost")["failed_sign_ins"]) == (1, 1)
    assert state("codehost")["signed_in"] == {}


@pytest.mark.parametrize(
    "fields", [{}, {"username": "demo"}, {"username": "demo", "password": " "}, {"username": "x", "password": "y"}]
)
def test_a_wrong_sign_in_shows_an_error(client: Client, state: State, fields: dict[str, str]) -> None:
    reply = client.post("/codehost/sign-in", fields)
    assert (reply.status, "Incorrect username or password." in reply.text) == (401, True)
    assert state("codehost")["signed_in"] == {}


def test_new_leads_to_the_sign_in_and_back(client: Client) -> None:
    asked = client.get("/codehost/new")
    assert asked.url.endswith("/codehost/sign-in?next=%2Fcodehost%2Fnew")
    assert 'name="next" value="/codehost/new"' in asked.text
    fields = {"username": "demo", "password": "x", "next": "/codehost/new"}
    assert client.post("/codehost/sign-in", fields).url.endswith("/codehost/new")


@pytest.mark.parametrize("onward", ["//elsewhere.example", "http://elsewhere.example/", "/shop", "/codehost/../shop"])
def test_the_sign_in_leads_nowhere_else(client: Client, onward: str) -> None:
    fields = {"username": "demo", "password": "x", "next": onward}
    assert client.post("/codehost/sign-in", fields).url == f"{client.base}/codehost"


def test_a_repository_is_created_with_all_its_choices(member: Client, state: State) -> None:
    fields = {
        "owner": "demo-team",
        "name": "weather-station",
        "description": "Reads the sensors on the roof",
        "visibility": "private",
        "readme": "yes",
        "gitignore": "Python",
    }
    reply = member.post("/codehost/new", fields)
    assert reply.url.endswith("/codehost/demo-team/weather-station")
    assert [name in reply.text for name in (".gitignore", "README.md", "Private")] == [True] * 3
    created = state("codehost")["repositories"][-1]
    assert created == {key: value for key, value in fields.items() if key != "readme"} | {"has_readme": True}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hello-world", "already exists"),
        ("Hello-World", "already exists"),
        ("", "enter a name"),
        ("two words", "Use up to 64 letters"),
        ("../up", "Use up to 64 letters"),
        ("-dash", "Use up to 64 letters"),
        ("x" * 65, "Use up to 64 letters"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused_both_times(member: Client, state: State, name: str, words: str) -> None:
    before = state("codehost")["repositories"]
    verdict = member.get("/codehost/api/name?owner=demo&name=" + name.replace(" ", "+")).json
    assert (verdict["is_valid"], words in verdict["message"]) == (False, True)
    reply = member.post("/codehost/new", {"owner": "demo", "name": name})
    assert (reply.status, words in reply.text) == (422, True)
    assert state("codehost")["repositories"] == before


def test_the_same_name_is_free_for_another_owner(member: Client) -> None:
    assert member.get("/codehost/api/name?owner=demo-team&name=hello-world").json["is_valid"]


def test_strangers_neither_create_nor_see_what_is_private(client: Client, state: State) -> None:
    before = state("codehost")["repositories"]
    assert "/codehost/sign-in" in client.post("/codehost/new", {"name": "mine"}).url
    assert client.get("/codehost/api/name?name=mine").status == 401
    assert client.get("/codehost/demo/recipes").status == 404
    assert client.get("/codehost/demo/hello-world").status == 200
    assert state("codehost")["repositories"] == before
