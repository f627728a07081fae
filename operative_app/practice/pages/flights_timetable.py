"""Airports, and a timetable made up from route and day: the same question always gets the same answer."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise

_AIRLINES = (
    ("Skylark", "SK"),
    ("Meridian Air", "MD"),
    ("Blue Heron", "BH"),
    ("Northern Cross", "NX"),
    ("Juniper Jet", "JJ"),
)
_CRUISE_KM_PER_MIN = 13.5
_GROUND_MIN = 45
_HUBS = ("DEN", "ORD", "ATL", "LHR", "FRA")
_FLIGHTS_A_DAY = 8
_PLACES_WITH_STOP = (1, 4, 6)


@dataclass(frozen=True, slots=True)
class Airport:
    """One airport; `offset_h` is its standard time against UTC in hours."""

    code: str
    city: str
    name: str
    latitude: float
    longitude: float
    offset_h: float

    @property
    def label(self) -> str:
        """What lists show."""
        return f"{self.city} ({self.code})"


AIRPORTS = (
    Airport("AMS", "Amsterdam", "Schiphol", 52.31, 4.76, 1),
    Airport("ATL", "Atlanta", "Hartsfield-Jackson", 33.64, -84.43, -5),
    Airport("BOS", "Boston", "Logan", 42.36, -71.01, -5),
    Airport("CDG", "Paris", "Charles de Gaulle", 49.01, 2.55, 1),
    Airport("DEN", "Denver", "Denver International", 39.86, -104.67, -7),
    Airport("DFW", "Dallas", "Fort Worth", 32.90, -97.04, -6),
    Airport("EWR", "New York", "Newark Liberty", 40.69, -74.17, -5),
    Airport("FRA", "Frankfurt", "Frankfurt am Main", 50.03, 8.56, 1),
    Airport("HND", "Tokyo", "Haneda", 35.55, 139.78, 9),
    Airport("JFK", "New York", "John F. Kennedy", 40.64, -73.78, -5),
    Airport("LAX", "Los Angeles", "Los Angeles International", 33.94, -118.41, -8),
    Airport("LGA", "New York", "LaGuardia", 40.78, -73.87, -5),
    Airport("LHR", "London", "Heathrow", 51.47, -0.45, 0),
    Airport("MIA", "Miami", "Miami International", 25.80, -80.29, -5),
    Airport("OAK", "Oakland", "San Francisco Bay Oakland", 37.72, -122.22, -8),
    Airport("ORD", "Chicago", "O'Hare", 41.97, -87.91, -6),
    Airport("ORY", "Paris", "Orly", 48.73, 2.36, 1),
    Airport("SEA", "Seattle", "Seattle-Tacoma", 47.45, -122.31, -8),
    Airport("SFO", "San Francisco", "San Francisco International", 37.62, -122.38, -8),
    Airport("SJC", "San Jose", "Mineta San José", 37.36, -121.93, -8),
    Airport("YYZ", "Toronto", "Pearson", 43.68, -79.63, -5),
    Airport("ZRH", "Zurich", "Kloten", 47.46, 8.55, 1),
)
AIRPORTS_BY_CODE = {airport.code: airport for airport in AIRPORTS}


@dataclass(frozen=True, slots=True)
class Flight:
    """One connection on one day. Times are local; prices are for one person."""

    flight_id: str
    airline: str
    number: str
    origin: str
    destination: str
    departs: datetime
    arrives: datetime
    duration_min: int
    stop_code: str
    price_cents: int

    @property
    def duration_label(self) -> str:
        """Such as "5 h 35 min"."""
        return f"{self.duration_min // 60} h {self.duration_min % 60:02d} min"

    @property
    def stops_label(self) -> str:
        """Such as "Non-stop" or "1 stop in DEN"."""
        return f"1 stop in {self.stop_code}" if self.stop_code else "Non-stop"

    @property
    def days_later(self) -> int:
        """Calendar days between departure and arrival."""
        return (self.arrives.date() - self.departs.date()).days


def find_airports(typed: str, limit: int = 6) -> list[Airport]:
    """Find airports by code, city or name, best first; nothing for an empty text."""
    wanted = typed.casefold().strip()
    if not wanted:
        return []
    ranked = []
    for airport in AIRPORTS:
        code, label, name = airport.code.casefold(), airport.label.casefold(), airport.name.casefold()
        if wanted in {code, label}:
            rank = 0
        elif label.startswith(wanted):
            rank = 1
        elif name.startswith(wanted):
            rank = 2
        elif wanted in label or wanted in name:
            rank = 3
        else:
            continue
        ranked.append((rank, label, airport))
    return [airport for _, _, airport in sorted(ranked, key=lambda entry: entry[:2])[:limit]]


def timetable(origin: Airport, destination: Airport, day: date) -> list[Flight]:
    """List the flights of a day by time of departure."""
    flights = [_flight(origin, destination, day, place) for place in range(_FLIGHTS_A_DAY)]
    return sorted(flights, key=lambda flight: flight.departs)


def _flight(origin: Airport, destination: Airport, day: date, place: int) -> Flight:
    """Make one flight from the digest of what identifies it; each place of the day has an hour window of its own."""
    dice = hashlib.sha256(f"{origin.code}{destination.code}{day.isoformat()}{place}".encode()).digest()
    airline, prefix = _AIRLINES[(ord(origin.code[0]) + day.day + 2 * place) % len(_AIRLINES)]
    hubs = _hubs_between(origin, destination)
    wants_stop = place in _PLACES_WITH_STOP
    stop = hubs[dice[2] % len(hubs)] if hubs and wants_stop else None
    places = (origin, stop, destination) if stop else (origin, destination)
    legs_km = [_distance_km(start, end) for start, end in pairwise(places)]
    duration_min = sum(int(leg_km / _CRUISE_KM_PER_MIN) + _GROUND_MIN for leg_km in legs_km)
    duration_min += 45 + dice[3] % 60 if stop else 0
    duration_min -= duration_min % 5
    departs = datetime(day.year, day.month, day.day, 6 + place * 2, 5 * (dice[4] % 12))
    arrives = departs + timedelta(minutes=duration_min, hours=destination.offset_h - origin.offset_h)
    price_cents = 4900 + int(sum(legs_km) * 5.2) + (dice[5] % 90) * 100 - (4000 if stop else 0)
    return Flight(
        flight_id=f"{prefix}{100 + dice[6]}-{place}",
        airline=airline,
        number=f"{prefix} {100 + dice[6]}",
        origin=origin.code,
        destination=destination.code,
        departs=departs,
        arrives=arrives,
        duration_min=duration_min,
        stop_code=stop.code if stop else "",
        price_cents=price_cents,
    )


def _hubs_between(origin: Airport, destination: Airport) -> list[Airport]:
    """List the hubs where a stop makes sense: less than a third longer, and no leg that is a hop."""
    direct_km = _distance_km(origin, destination)
    hubs = [AIRPORTS_BY_CODE[code] for code in _HUBS if code not in {origin.code, destination.code}]
    legs_km = [(_distance_km(origin, hub), _distance_km(hub, destination)) for hub in hubs]
    return [hub for hub, legs in zip(hubs, legs_km, strict=True) if sum(legs) < direct_km * 1.34 and min(legs) > 400]


def _distance_km(one: Airport, other: Airport) -> float:
    """Great-circle distance by the haversine formula, with an Earth radius of 6,371 km."""
    latitudes = math.radians(one.latitude), math.radians(other.latitude)
    half_latitude = (latitudes[1] - latitudes[0]) / 2
    half_longitude = math.radians(other.longitude - one.longitude) / 2
    chord = (
        math.sin(half_latitude) ** 2 + math.cos(latitudes[0]) * math.cos(latitudes[1]) * math.sin(half_longitude) ** 2
    )
    return 2 * 6371 * math.asin(math.sqrt(chord))
