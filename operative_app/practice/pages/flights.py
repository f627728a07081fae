"""The flight search: airports, calendar, results, passenger, review, booking."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from http import HTTPStatus
from typing import ClassVar
from urllib.parse import urlencode

from operative_app.practice.exchange import PageError, Request, Response, Route, json_reply, redirect
from operative_app.practice.forms import Form
from operative_app.practice.pages.flights_timetable import AIRPORTS_BY_CODE, Airport, Flight, find_airports, timetable
from operative_app.practice.room import MAX_RECORDS, Room
from operative_app.practice.templates import Templates

_DAYS_AHEAD = 365
_MAX_PASSENGERS = 6
_FIRST_BOOKING = 70001


@dataclass(frozen=True, slots=True)
class Passenger:
    """Who flies."""

    name: str
    birth_date: str
    email: str


SAVED_PASSENGERS = {
    "ada": Passenger("Ada Lovelace", "1990-12-10", "ada@example.com"),
    "grace": Passenger("Grace Hopper", "1986-12-09", "grace@example.com"),
    "alan": Passenger("Alan Turing", "1992-06-23", "alan@example.com"),
    "katherine": Passenger("Katherine Johnson", "1988-08-26", "katherine@example.com"),
}


@dataclass(frozen=True, slots=True)
class Search:
    """A search that is complete."""

    origin: Airport
    destination: Airport
    day: date
    passengers: int

    @property
    def query(self) -> str:
        """The same search as a query string."""
        fields = {
            "from": self.origin.code,
            "to": self.destination.code,
            "date": self.day.isoformat(),
            "passengers": self.passengers,
        }
        return urlencode(fields)


@dataclass(slots=True)
class Trip:
    """How far one visitor has come."""

    search: Search | None = None
    flight: Flight | None = None
    passenger: Passenger | None = None


@dataclass(frozen=True, slots=True)
class Booking:
    """A paid booking."""

    reference: str
    session: int
    search: Search
    flight: Flight
    passenger: Passenger

    @property
    def total_cents(self) -> int:
        """Price for all passengers."""
        return self.flight.price_cents * self.search.passengers

    def as_json(self) -> dict[str, object]:
        """Give plain values."""
        return {
            "reference": self.reference,
            "session": self.session,
            "origin": self.flight.origin,
            "destination": self.flight.destination,
            "date": self.search.day.isoformat(),
            "departs": self.flight.departs.isoformat(timespec="minutes"),
            "arrives": self.flight.arrives.isoformat(timespec="minutes"),
            "airline": self.flight.airline,
            "number": self.flight.number,
            "stops": 1 if self.flight.stop_code else 0,
            "passengers": self.search.passengers,
            "passenger": self.passenger.name,
            "birth_date": self.passenger.birth_date,
            "email": self.passenger.email,
            "total_cents": self.total_cents,
        }


class FlightsRoom(Room[Trip]):
    """Keeps each visitor's trip in the making, and all bookings and searches."""

    name: ClassVar[str] = "flights"

    def __init__(self, templates: Templates, today: Callable[[], date]) -> None:
        """Open without bookings; `today` is asked anew for every page."""
        super().__init__(templates)
        self._today = today
        self._bookings: deque[Booking] = deque(maxlen=MAX_RECORDS)
        self._searches: deque[dict[str, object]] = deque(maxlen=MAX_RECORDS)
        self._next_booking = _FIRST_BOOKING

    def routes(self) -> tuple[Route, ...]:
        """Name the paths."""
        return (
            Route("GET", "/flights", self._front),
            Route("GET", "/flights/api/airports", self._airports),
            Route("GET", "/flights/results", self._results),
            Route("GET", "/flights/api/results", self._result_list),
            Route("POST", "/flights/select", self._select),
            Route("GET", "/flights/passenger", self._passenger),
            Route("POST", "/flights/passenger", self._choose_passenger),
            Route("GET", "/flights/review", self._review),
            Route("POST", "/flights/book", self._book),
            Route("GET", "/flights/booking/<reference>", self._confirmation),
        )

    def snapshot(self) -> dict[str, object]:
        """Bookings and searches, oldest first, and the flight each visitor has selected."""
        return {
            "bookings": [booking.as_json() for booking in self._bookings],
            "searches": list(self._searches),
            "selected": {str(session): trip.flight.number for session, trip in self._visits.items() if trip.flight},
        }

    def reset(self) -> None:
        """Forget trips, bookings and searches."""
        super().reset()
        self._bookings.clear()
        self._searches.clear()
        self._next_booking = _FIRST_BOOKING

    def _new_visit(self) -> Trip:
        return Trip()

    def _front(self, request: Request) -> Response:
        return self._front_page({}, request.query)

    def _front_page(self, errors: dict[str, str], given: Form, status: HTTPStatus = HTTPStatus.OK) -> Response:
        today = self._today()
        return self._page(
            "flights/front.html",
            status,
            errors=errors,
            origin=AIRPORTS_BY_CODE.get(given.text("from")),
            destination=AIRPORTS_BY_CODE.get(given.text("to")),
            first_day=today.isoformat(),
            last_day=(today + timedelta(days=_DAYS_AHEAD)).isoformat(),
            passenger_counts=range(1, _MAX_PASSENGERS + 1),
        )

    def _airports(self, request: Request) -> Response:
        found = find_airports(request.query.text("q", limit=60))
        return json_reply([{"code": airport.code, "label": airport.label, "name": airport.name} for airport in found])

    def _results(self, request: Request) -> Response:
        search, errors = self._read_search(request.query)
        if search is None:
            return self._front_page(errors, request.query, HTTPStatus.UNPROCESSABLE_ENTITY)
        self._searches.append(
            {
                "origin": search.origin.code,
                "destination": search.destination.code,
                "date": search.day.isoformat(),
                "passengers": search.passengers,
            }
        )
        self._visit(request).search = search
        return self._page("flights/results.html", search=search)

    def _result_list(self, request: Request) -> Response:
        search, _ = self._read_search(request.query)
        if search is None:
            raise PageError(HTTPStatus.UNPROCESSABLE_ENTITY, "This search is not complete.")
        flights = timetable(search.origin, search.destination, search.day)
        match request.query.choice("sort", ("departure", "price", "duration"), "departure"):
            case "price":
                flights.sort(key=lambda flight: flight.price_cents)
            case "duration":
                flights.sort(key=lambda flight: flight.duration_min)
        if request.query.is_ticked("nonstop"):
            flights = [flight for flight in flights if not flight.stop_code]
        return self._page("flights/result_list.html", search=search, flights=flights)

    def _select(self, request: Request) -> Response:
        search, _ = self._read_search(request.form)
        if search is None:
            return redirect("/flights")
        wanted = request.form.text("flight")
        for flight in timetable(search.origin, search.destination, search.day):
            if flight.flight_id == wanted:
                trip = self._visit(request)
                trip.search, trip.flight, trip.passenger = search, flight, None
                return redirect("/flights/passenger")
        raise PageError(HTTPStatus.NOT_FOUND, "This flight is no longer offered.")

    def _passenger(self, request: Request) -> Response:
        trip = self._visit(request)
        return self._passenger_page(trip, {}, Form()) if trip.flight else redirect("/flights")

    def _passenger_page(
        self, trip: Trip, errors: dict[str, str], given: Form, status: HTTPStatus = HTTPStatus.OK
    ) -> Response:
        return self._page(
            "flights/passenger.html",
            status,
            trip=trip,
            saved=SAVED_PASSENGERS,
            errors=errors,
            given=given,
            chosen=given.text("passenger"),
        )

    def _choose_passenger(self, request: Request) -> Response:
        trip, form = self._visit(request), request.form
        if not trip.flight:
            return redirect("/flights")
        chosen = form.choice("passenger", (*SAVED_PASSENGERS, "new"))
        errors: dict[str, str] = {}
        if not chosen:
            errors["passenger"] = "Please choose who is flying."
        elif chosen != "new":
            trip.passenger = SAVED_PASSENGERS[chosen]
        else:
            first, last, birth = form.text("first_name"), form.text("last_name"), form.text("birth_date")
            errors |= {
                key: "Please fill this in." for key, value in (("first_name", first), ("last_name", last)) if not value
            }
            if not self._is_birth_date(birth):
                errors["birth_date"] = "Please enter a date of birth in the past."
            trip.passenger = Passenger(f"{first} {last}", birth, form.text("email"))
        if errors:
            trip.passenger = None
            return self._passenger_page(trip, errors, form, HTTPStatus.UNPROCESSABLE_ENTITY)
        return redirect("/flights/review")

    def _is_birth_date(self, text: str) -> bool:
        try:
            return date(1900, 1, 1) <= date.fromisoformat(text) < self._today()
        except ValueError:
            return False

    def _review(self, request: Request) -> Response:
        trip = self._visit(request)
        return self._page("flights/review.html", trip=trip) if trip.flight and trip.passenger else redirect("/flights")

    def _book(self, request: Request) -> Response:
        trip = self._visit(request)
        if not (trip.search and trip.flight and trip.passenger):
            return redirect("/flights")
        booking = Booking(f"PR{self._next_booking}", request.session, trip.search, trip.flight, trip.passenger)
        self._bookings.append(booking)
        self._next_booking += 1
        self._visits[request.session] = Trip()
        return redirect(f"/flights/booking/{booking.reference}")

    def _confirmation(self, request: Request) -> Response:
        for booking in self._bookings:
            if booking.reference == request.args["reference"] and booking.session == request.session:
                return self._page("flights/booking.html", booking=booking)
        raise PageError(HTTPStatus.NOT_FOUND, "There is no such booking.")

    def _read_search(self, form: Form) -> tuple[Search | None, dict[str, str]]:
        """Check a search; the first value is None exactly when there are errors."""
        origin = AIRPORTS_BY_CODE.get(form.text("from"))
        destination = AIRPORTS_BY_CODE.get(form.text("to"))
        try:
            day = date.fromisoformat(form.text("date", limit=10))
        except ValueError:
            day = None
        errors: dict[str, str] = {}
        if origin is None:
            errors["from"] = "Choose an airport from the list."
        if destination is None:
            errors["to"] = "Choose an airport from the list."
        elif destination == origin:
            errors["to"] = "Choose another airport than the one you start from."
        if day is None:
            errors["date"] = "Choose a date."
        elif not 0 <= (day - self._today()).days <= _DAYS_AHEAD:
            errors["date"] = "Choose a date within the next twelve months."
        if origin is None or destination is None or day is None or errors:
            return None, errors
        return Search(origin, destination, day, form.number("passengers", 1, _MAX_PASSENGERS, 1)), {}
