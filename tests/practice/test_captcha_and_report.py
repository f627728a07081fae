from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from operative_app.core.resources import resource_path
from operative_app.practice import PracticeSite
from operative_app.practice.pages.captcha import KINDS
from tests.practice.client import Client

State = Callable[[str], dict[str, Any]]


def right_tiles(client: Client) -> list[str]:
    """Solve the riddle as a human does: look at the pictures."""
    page = client.get("/captcha").text
    wanted = next(kind for kind, words in KINDS.items() if f"<strong>{words}</strong>" in page)
    folder = resource_path("practice_site", "static", "images", "captcha")
    looks = {file.read_bytes(): file.name.split("-")[0] for file in folder.glob("*.svg")}
    pictures = re.findall(r'src="(/captcha/picture/\d+/(\d))"', page)
    return [position for path, position in pictures if looks[client.get(path).body] == wanted]


class Tables(HTMLParser):
    """Collect the texts of all cells, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._is_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._is_cell &= tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        if self._is_cell:
            self.rows[-1][-1] += data


def rows_of(html: str) -> dict[str, list[str]]:
    tables = Tables()
    tables.feed(html)
    return {row[0]: row[1:] for row in tables.rows}


def test_only_who_picks_the_right_pictures_and_drags_to_the_end_gets_in(client: Client, state: State) -> None:
    tiles = right_tiles(client)
    assert client.post("/captcha/api/verify", {"picked": tiles, "slider": "100"}).status == 200
    assert (state("captcha")["solved"], state("captcha")["sessions"]["1"]["entered"]) == (True, False)
    assert "Welcome inside" in client.post("/captcha/continue", {}).text
    assert state("captcha")["sessions"]["1"] == {"attempts": 1, "solved": True, "entered": True}


@pytest.mark.parametrize("slip", ["no picture", "one too few", "all", "slider"])
def test_a_wrong_answer_brings_new_pictures_and_no_entry(client: Client, state: State, slip: str) -> None:
    tiles = right_tiles(client)
    picked = {"no picture": [], "one too few": tiles[1:], "all": list("012345678"), "slider": tiles}[slip]
    fields = {"picked": picked, "slider": "99" if slip == "slider" else "100"}
    before = client.get("/captcha").text
    assert client.post("/captcha/api/verify", fields).status == 422
    assert client.get("/captcha").text != before
    assert client.get("/captcha/picture/1/0").status == 404
    assert client.post("/captcha/continue", {}).url.endswith("/captcha")
    assert client.get("/captcha/inside").url.endswith("/captcha")
    assert state("captcha")["solved"] is False


def test_the_answer_is_neither_in_the_page_nor_in_the_state(client: Client, site: PracticeSite) -> None:
    page = client.get("/captcha").text
    assert "Verify you are human" in page
    assert "CAPTCHA" in page
    assert "Continue" not in page
    others = [kind for kind in KINDS if f"<strong>{KINDS[kind]}</strong>" not in page]
    assert [kind for kind in others if kind in page] == []
    assert [kind for kind in KINDS if kind in json.dumps(site.snapshot()["captcha"])] == []


def test_the_tables_show_the_figures_of_the_state(client: Client, state: State) -> None:
    shown = rows_of(client.get("/report").text)
    figures = state("report")
    for month in figures["months"][:24]:
        cells = [int(re.sub(r"[$,]", "", cell)) for cell in shown[month["label"]]]
        assert cells == [month[key] for key in ("units", "revenue", "returns", "profit")]
    for region in figures["regions"]:
        assert [int(cell.replace(",", "")) for cell in shown[region["name"]]] == [*region["quarters"], region["total"]]
    total = figures["regions"][-1]
    assert total["quarters"] == [
        sum(quarter) for quarter in zip(*(one["quarters"] for one in figures["regions"][:-1]), strict=True)
    ]


def test_older_figures_and_rates_come_from_addresses_of_their_own(client: Client, state: State) -> None:
    assert "December 2024" not in client.get("/report").text
    older = client.post("/report/api/older", {}).text
    assert older.count("<tr ") == 12
    assert state("report")["older_loads"] == 1
    assert rows_of(client.get("/report/rates").text)["Swiss franc"] == ["CHF", "0.8842", "0.8817"]
