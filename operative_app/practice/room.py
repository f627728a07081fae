"""What the pages of the site have in common: routes, a part of the state per visitor, and a share of the snapshot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from http import HTTPStatus
from typing import ClassVar, Generic, TypeVar

from operative_app.practice.exchange import Request, Response, Route
from operative_app.practice.templates import Templates

MAX_RECORDS = 1000
"""How many orders, bookings and the like are kept before the oldest are dropped."""

Visit = TypeVar("Visit")


class Room(ABC, Generic[Visit]):
    """One small web site with state of its own.

    Owned by the site: every method is called with the site's lock held, from any thread. `Visit` is what the room keeps
    for one visitor.
    """

    name: ClassVar[str]

    def __init__(self, templates: Templates) -> None:
        """Start without visitors."""
        self._templates = templates
        self._visits: dict[int, Visit] = {}

    @abstractmethod
    def routes(self) -> tuple[Route, ...]:
        """Name every path this room answers."""

    @abstractmethod
    def snapshot(self) -> dict[str, object]:
        """Give the state as values that JSON can hold; the caller copies them."""

    @abstractmethod
    def _new_visit(self) -> Visit:
        """Make what is kept for a visitor who comes for the first time."""

    def reset(self) -> None:
        """Forget everything."""
        self._visits.clear()

    def forget(self, session: int) -> None:
        """Forget one visitor; what they ordered or created stays."""
        self._visits.pop(session, None)

    def _visit(self, request: Request) -> Visit:
        """Give the visitor's own state."""
        if request.session not in self._visits:
            self._visits[request.session] = self._new_visit()
        return self._visits[request.session]

    def _page(self, template: str, status: HTTPStatus = HTTPStatus.OK, **context: object) -> Response:
        """Render a template as a reply."""
        return Response(self._templates.render(template, **context).encode(), status)
