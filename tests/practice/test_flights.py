from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from operative_app.practice.pages.flights_timetable import AIRPORTS, AIRPORTS_BY_CODE, find_airports, timetable
from tests.practice.client import Client
from tests.practice.conftest import TODAY

State = Callable[[str], dict[str, Any]]
SEARCH = {"from": "SFO", "to": "JFK", "date": "2027-03-15", "passengers": "2"}
QUERY = "from=SFO&to=JFK&date=2027-03-15&passengers=2"


def flight_ids(client: Client, extra: str = "") -> list[str]:
    return re.findall(r'name="flight" value="([^"]+)"', client.get(f"/flights/api/results?{QUERY}{extra}").text)


@pytest.fixture
def traveller(client: Client) -> Client:
    client.post("/flights/select", {**SEARCH, "flight": flight_ids(client)[0]})
    return client


@pytest.mark.parametrize(
    ("typed", "first"),
    [("sfo", "SFO"), ("san fr", "SFO"), ("kennedy", "JFK"), ("New York (JFK)", "JFK"), ("zür", None), ("", None)],
)
def test_airports_are_found_by_code_city_and_name(typed: str, first: str | None) -> None:
    assert next((airport.code for airport in find_airports(typed)), None) == first


@pytest.mark.parametrize("origin", AIRPORTS, ids=lambda airport: airport.code)
def test_every_route_has_plausible_flights_on_every_day(origin: Any) -> None:
    for destination in AIRPORTS:
        if destination == origin:
            continue
        for ahead in (0, 105, 365):
            flights = timetable(origin, destination, TODAY + timedelta(days=ahead))
            assert len(flights) >= 8
            assert len({flight.flight_id for flight in flights}) == len(flights)
            assert all(30 <= flight.duration_min <= 24 * 60 and flight.price_cents > 3000 for flight in flights)


def test_the_same_day_always_has_the_same_flights_of_several_airlines() -> None:
    route = AIRPORTS_BY_CODE["SFO"], AIRPORTS_BY_CODE["JFK"]
    flights = timetable(*route, date(2027, 3, 15))
    assert flights == timetable(*route, date(2027, 3, 15))
    assert flights != timetable(*route, date(2027, 3, 16))
    assert len({flight.airline for flight in flights}) >= 3
    assert {bool(flight.stop_code) for flight in flights} == {True, False}


def test_the_calendar_spans_the_next_twelve_months(client: Client) -> None:
    page = client.get("/flights").text
    assert 'data-first="2026-11-30" data-last="2027-11-30"' in page
    assert "readonly" in page


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("from=&to=JFK&date=2027-03-15", "Choose an airport"),
        ("from=SFO&to=XXX&date=2027-03-15", "Choose an airport"),
        ("from=SFO&to=SFO&date=2027-03-15", "Choose another airport"),
        ("from=SFO&to=JFK&date=", "Choose a date"),
        ("from=SFO&to=JFK&date=15%20March", "Choose a date"),
        ("from=SFO&to=JFK&date=2026-11-29", "within the next twelve months"),
        ("from=SFO&to=JFK&date=2027-12-01", "within the next twelve months"),
    ],
)
def test_an_incomplete_search_says_what_is_missing(client: Client, state: State, change: str, words: str) -> None:
    reply = client.get(f"/flights/results?{change}")
    assert (reply.status, words in reply.text) == (422, True)
    assert client.get(f"/flights/api/results?{change}").status == 422
    assert state("flights")["searches"] == []


@pytest.mark.parametrize("day", ["2026-11-30", "2027-11-30"])
def test_the_first_and_the_last_day_have_flights(client: Client, day: str) -> None:
    assert client.get(f"/flights/api/results?from=SFO&to=JFK&date={day}").text.count(">Select<") >= 8


def test_results_can_be_sorted_and_limited(client: Client) -> None:
    fares = [
        float(text.replace(",", ""))
        for text in re.findall(r"\$([\d,.]+)", client.get(f"/flights/api/results?{QUERY}&sort=price").text)
    ]
    assert fares == sorted(fares)
    assert 0 < len(flight_ids(client, "&nonstop=yes")) < len(flight_ids(client))
    assert "1 stop" not in client.get(f"/flights/api/results?{QUERY}&nonstop=yes").text


def test_a_booking_holds_flight_passenger_and_price(traveller: Client, state: State) -> None:
    traveller.post("/flights/passenger", {"passenger": "grace"})
    assert "Grace Hopper" in traveller.get("/flights/review").text
    reply = traveller.post("/flights/book", {})
    (booking,) = state("flights")["bookings"]
    assert booking["reference"] in reply.text
    first = timetable(AIRPORTS_BY_CODE["SFO"], AIRPORTS_BY_CODE["JFK"], date(2027, 3, 15))[0]
    assert (booking["passenger"], booking["number"], booking["date"]) == ("Grace Hopper", first.number, "2027-03-15")
    assert booking["total_cents"] == 2 * first.price_cents
    assert traveller.post("/flights/book", {}).url.endswith("/flights")
    assert len(state("flights")["bookings"]) == 1


def test_a_new_passenger_can_be_entered(traveller: Client, state: State) -> None:
    new = {"passenger": "new", "first_name": "Emmy", "last_name": "Noether", "birth_date": "1982-03-23"}
    assert traveller.post("/flights/passenger", new).url.endswith("/flights/review")
    traveller.post("/flights/book", {})
    assert state("flights")["bookings"][0]["passenger"] == "Emmy Noether"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"passenger": "nobody"},
        {"passenger": "new", "first_name": "Emmy", "birth_date": "1982-03-23"},
        {"passenger": "new", "first_name": "Emmy", "last_name": "Noether", "birth_date": "2031-01-01"},
        {"passenger": "new", "first_name": "Emmy", "last_name": "Noether", "birth_date": "soon"},
    ],
)
def test_a_passenger_with_something_missing_is_refused(traveller: Client, state: State, fields: dict[str, str]) -> None:
    assert traveller.post("/flights/passenger", fields).status == 422
    assert traveller.post("/flights/book", {}).url.endswith("/flights")
    assert state("flights")["bookings"] == []


def test_a_flight_that_is_not_offered_cannot_be_selected(client: Client, state: State) -> None:
    assert client.post("/flights/select", {**SEARCH, "flight": "XX1-0"}).status == 404
    assert client.get("/flights/passenger").url.endswith("/flights")
    assert state("flights")["selected"] == {}
