"""All rooms of the site put together: their routes, their visitors, and one lock around their state."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from datetime import date
from http import HTTPStatus
from typing import Any

from operative_app.practice.exchange import Request, Response, Route
from operative_app.practice.pages.captcha import CaptchaRoom
from operative_app.practice.pages.codehost import CodehostRoom
from operative_app.practice.pages.flights import FlightsRoom
from operative_app.practice.pages.food import FoodRoom
from operative_app.practice.pages.home import HomeRoom
from operative_app.practice.pages.newsletter import NewsletterRoom
from operative_app.practice.pages.pdf import PdfRoom
from operative_app.practice.pages.report import ReportRoom
from operative_app.practice.pages.shop import ShopRoom
from operative_app.practice.room import Room
from operative_app.practice.sessions import Sessions
from operative_app.practice.templates import Templates


class PracticeApplication:
    """What the web server serves. Every method may be called from any thread; one lock orders them."""

    def __init__(self, today: Callable[[], date]) -> None:
        """Open all rooms.

        Args:
            today: The clock that the flight search goes by.

        Raises:
            FileNotFoundError: The pages did not ship with the program.
        """
        self._templates = Templates()
        self._lock = threading.RLock()
        self._sessions = Sessions()
        self._pdf = PdfRoom(self._templates, self._lock)
        self._rooms: tuple[Room[Any], ...] = (
            ShopRoom(self._templates),
            FlightsRoom(self._templates, today),
            FoodRoom(self._templates),
            NewsletterRoom(self._templates),
            CodehostRoom(self._templates),
            self._pdf,
            CaptchaRoom(self._templates),
            ReportRoom(self._templates),
        )
        home = HomeRoom(self._templates, self.snapshot)
        self._routes = tuple(route for room in (home, *self._rooms) for route in room.routes())

    def snapshot(self) -> dict[str, object]:
        """Copy the whole state as JSON values: dicts, lists, texts, numbers, true, false."""
        with self._lock:
            state: dict[str, object] = json.loads(json.dumps({room.name: room.snapshot() for room in self._rooms}))
        return state

    def reset(self) -> None:
        """Forget all visitors and all they did."""
        with self._lock:
            self._sessions.reset()
            for room in self._rooms:
                room.reset()

    def close(self, timeout_s: float) -> None:
        """End background work, waiting up to `timeout_s` seconds; it starts anew when it is needed."""
        self._pdf.close(timeout_s)

    def routes(self) -> Sequence[Route]:
        """List all routes."""
        return self._routes

    def session_of(self, token: str) -> tuple[int, str]:
        """Find or open the session of a visitor: its number, and the cookie value to set ("" when it is known)."""
        with self._lock:
            known = self._sessions.find(token)
            if known is not None:
                return known, ""
            new_token, number = self._sessions.open()
            excess = self._sessions.pop_excess()
            if excess is not None:
                for room in self._rooms:
                    room.forget(excess)
            return number, new_token

    def answer(self, route: Route, request: Request) -> Response:
        """Carry one request out while no other one runs."""
        with self._lock:
            return route.handle(request)

    def error_page(self, status: HTTPStatus, message: str) -> bytes:
        """Render an error page."""
        return self._templates.render("error.html", status=status, message=message).encode()
