from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from operative_app.practice.pages.shop_catalogue import PRODUCTS, search
from tests.practice.client import Client

State = Callable[[str], dict[str, Any]]
ADDRESS = {
    "name": "Ada Lovelace",
    "email": "ada@example.com",
    "address": "12 St James Square",
    "city": "London",
    "postcode": "SW1Y",
    "country": "United Kingdom",
    "delivery": "express",
    "terms": "yes",
}


@pytest.fixture
def shopper(client: Client) -> Client:
    client.post("/shop/api/cart", {"slug": "mac-mini-256", "storage": "512 GB", "colour": "Silver", "quantity": "2"})
    return client


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ("mac mini", ["Mac mini 256 GB", "Mac mini 512 GB", "Mac mini stand with hub", "Travel case for Mac mini"]),
        ("  MAC   MINI 512 ", ["Mac mini 512 GB"]),
        ("keyboard", ["Compact keyboard", "Full keyboard with number pad"]),
        ("zeppelin", []),
    ],
)
def test_search_puts_what_is_named_first(words: str, titles: list[str]) -> None:
    assert [product.title for product in search(words)] == titles


def test_a_search_without_words_shows_everything() -> None:
    assert len(search("")) == len(PRODUCTS) >= 12


def test_the_result_page_comes_without_results_and_is_counted(client: Client, state: State) -> None:
    page = client.get("/shop/search?q=mac+mini").text
    assert "Loading…" in page
    assert "Mac mini 256 GB" not in page
    assert state("shop")["searches"] == ["mac mini"]


def test_results_can_be_sorted_by_price(client: Client) -> None:
    prices = [
        [
            float(text.replace(",", ""))
            for text in re.findall(r"\$([\d,.]+)", client.get(f"/shop/api/search?{sort}").text)
        ]
        for sort in ("sort=low", "sort=high")
    ]
    assert prices[0] == sorted(prices[0])
    assert prices[1] == prices[0][::-1]


def test_the_same_variant_added_twice_is_one_line_named_after_its_storage(shopper: Client, state: State) -> None:
    again = {"slug": "mac-mini-256", "storage": "512 GB", "colour": "Silver", "quantity": "1"}
    reply = shopper.post("/shop/api/cart", again).json
    assert reply["count"] == 3
    assert reply["message"] == "Mac mini 512 GB was added to your cart."
    (line,) = state("shop")["carts"]["1"]
    assert (line["name"], line["quantity"], line["unit_cents"]) == ("Mac mini 512 GB", 3, 79900)


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"colour": ""}, 422, "choose a colour"),
        ({"colour": "Plaid"}, 422, "choose a colour"),
        ({"quantity": "0"}, 422, "from 1 to 10"),
        ({"quantity": "11"}, 422, "from 1 to 10"),
        ({"quantity": "٣"}, 422, "from 1 to 10"),
        ({"slug": "moon"}, 404, "do not sell"),
    ],
)
def test_what_cannot_be_bought_is_refused(
    client: Client, state: State, change: dict[str, str], status: int, words: str
) -> None:
    reply = client.post("/shop/api/cart", {"slug": "macbook-air-13", "colour": "Silver", "quantity": "1"} | change)
    assert (reply.status, words in reply.json["error"]) == (status, True)
    assert not any(state("shop")["carts"].values())


def test_quantities_change_and_lines_go(shopper: Client, state: State) -> None:
    reply = shopper.post("/shop/api/cart/1", {"quantity": "5"}).json
    assert reply == {"count": 5, "line_cents": 399500, "total_cents": 399500}
    assert shopper.post("/shop/api/cart/1", {"quantity": "x"}).status == 422
    assert "Your cart is empty" in shopper.post("/shop/cart/1/remove", {}).text
    assert shopper.post("/shop/cart/1/remove", {}).status == 404
    assert state("shop")["carts"]["1"] == []


def test_an_order_is_kept_whole_and_empties_the_cart(shopper: Client, state: State) -> None:
    reply = shopper.post("/shop/checkout", ADDRESS)
    assert "Thank you, Ada Lovelace" in reply.text
    (order,) = state("shop")["orders"]
    assert order["total_cents"] == 2 * 79900 + 1500
    assert {key: order[key] for key in ADDRESS if key != "terms"} == {k: v for k, v in ADDRESS.items() if k != "terms"}
    assert state("shop")["carts"]["1"] == []


@pytest.mark.parametrize("missing", sorted(ADDRESS))
def test_an_order_with_something_missing_is_not_placed(shopper: Client, state: State, missing: str) -> None:
    reply = shopper.post("/shop/checkout", {key: value for key, value in ADDRESS.items() if key != missing})
    assert (reply.status, "error-text" in reply.text) == (422, True)
    assert state("shop")["orders"] == []


def test_an_empty_cart_cannot_be_ordered(client: Client, state: State) -> None:
    assert client.post("/shop/checkout", ADDRESS).url.endswith("/shop/cart")
    assert state("shop")["orders"] == []


def test_nobody_sees_the_order_of_somebody_else(shopper: Client) -> None:
    path = shopper.post("/shop/checkout", ADDRESS).url.removeprefix(shopper.base)
    assert shopper.get(path).status == 200
    assert Client(shopper.base).get(path).status == 404
