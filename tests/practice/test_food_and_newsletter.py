from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.practice.client import Client

State = Callable[[str], dict[str, Any]]
PIZZA = {
    "dish": "margherita",
    "size": "large",
    "extras": ["olives", "cheese", "gold"],
    "sauce": "Hot chilli",
    "quantity": "2",
    "note": "Well done,\nplease",
}


def test_a_dish_keeps_its_options_and_adds_up(client: Client, state: State) -> None:
    reply = client.post("/food/api/basket", PIZZA).json
    assert "2 × Margherita" in reply["basket"]
    (line,) = state("food")["baskets"]["1"]
    assert (line["size"], line["extras"], line["sauce"], line["note"]) == (
        "Large",
        ["Extra cheese", "Olives"],
        "Hot chilli",
        "Well done,\nplease",
    )
    assert line["unit_cents"] == 1150 + 350 + 150 + 100


@pytest.mark.parametrize("change", [{"size": "huge"}, {"quantity": "0"}, {"quantity": "21"}, {"dish": "moon"}])
def test_a_dish_nobody_offers_is_refused(client: Client, state: State, change: dict[str, str]) -> None:
    assert client.post("/food/api/basket", PIZZA | change).status in {404, 422}
    assert not any(state("food")["baskets"].values())


def test_a_line_can_be_removed_once(client: Client, state: State) -> None:
    client.post("/food/api/basket", PIZZA)
    assert "Nothing in it yet" in client.post("/food/api/basket/1/remove", {}).json["basket"]
    assert client.post("/food/api/basket/1/remove", {}).status == 404
    assert state("food")["baskets"]["1"] == []


def test_an_order_needs_a_name_a_street_and_a_known_time(client: Client, state: State) -> None:
    client.post("/food/api/basket", PIZZA)
    whole = {"name": "Ada Lovelace", "street": "Mill Lane 3", "time": "18:00 to 18:30", "cutlery": "yes"}
    for missing in ("name", "street", "time"):
        assert client.post("/food/order", whole | {missing: ""}).status == 422
    assert state("food")["orders"] == []
    assert "We are cooking" in client.post("/food/order", whole).text
    (order,) = state("food")["orders"]
    assert (order["time"], order["is_cutlery_wanted"], order["total_cents"]) == ("18:00 to 18:30", True, 2 * 1750 + 290)
    assert client.post("/food/order", whole).url.endswith("/food")
    assert len(state("food")["orders"]) == 1


@pytest.mark.parametrize("email", ["", "ada", "ada@", "@example.com", "ada@example", "a b@example.com", "a@b@c.de"])
def test_what_is_no_address_is_not_subscribed(client: Client, state: State, email: str) -> None:
    reply = client.post("/newsletter/api/subscribe", {"email": email})
    assert (reply.status, "such as name@example.com" in reply.json["error"]) == (422, True)
    assert (state("newsletter")["subscribers"], state("newsletter")["refused"]) == ([], 1)


def test_subscribing_twice_keeps_one_entry_with_the_latest_topics(client: Client, state: State) -> None:
    client.post("/newsletter/api/subscribe", {"email": "ada@example.com", "topics": ["events", "product"]})
    client.post("/newsletter/api/subscribe", {"email": "ada@example.com", "topics": ["research", "spam"]})
    assert state("newsletter")["subscribers"] == [{"email": "ada@example.com", "topics": ["research"]}]


def test_the_cookie_banner_goes_when_a_choice_was_made(client: Client, state: State) -> None:
    assert "cookie-banner" in client.get("/newsletter").text
    assert client.post("/newsletter/api/cookies", {"choice": "some"}).status == 422
    assert client.post("/newsletter/api/cookies", {"choice": "required"}).status == 200
    assert "cookie-banner" not in client.get("/newsletter").text
    assert state("newsletter")["cookies"] == {"1": "required"}
