"""The newsletter: a company's landing page with a cookie banner and a contact panel."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import ClassVar

from operative_app.practice.exchange import PageError, Request, Response, Route, json_reply
from operative_app.practice.forms import is_email
from operative_app.practice.room import MAX_RECORDS, Room
from operative_app.practice.templates import Templates

TOPICS = {"product": "Product news", "research": "Research notes", "events": "Events near me"}
COOKIE_CHOICES = ("all", "required")


@dataclass(slots=True)
class Guest:
    """What one visitor said about cookies: "all", "required", or "" when not asked yet."""

    cookies: str = ""


class NewsletterRoom(Room[Guest]):
    """Keeps all subscribers; an address that comes twice is kept once, with its latest topics."""

    name: ClassVar[str] = "newsletter"

    def __init__(self, templates: Templates) -> None:
        """Open without subscribers."""
        super().__init__(templates)
        self._topics_by_email: dict[str, list[str]] = {}
        self._refused_count = 0

    def routes(self) -> tuple[Route, ...]:
        """Name the paths."""
        return (
            Route("GET", "/newsletter", self._front),
            Route("POST", "/newsletter/api/subscribe", self._subscribe),
            Route("POST", "/newsletter/api/cookies", self._cookies),
        )

    def snapshot(self) -> dict[str, object]:
        """Subscribers, oldest first, how many addresses were refused, and cookie choices by session number."""
        return {
            "subscribers": [{"email": email, "topics": topics} for email, topics in self._topics_by_email.items()],
            "refused": self._refused_count,
            "cookies": {str(session): guest.cookies for session, guest in self._visits.items() if guest.cookies},
        }

    def reset(self) -> None:
        """Forget subscribers and choices."""
        super().reset()
        self._topics_by_email.clear()
        self._refused_count = 0

    def _new_visit(self) -> Guest:
        return Guest()

    def _front(self, request: Request) -> Response:
        return self._page("newsletter/front.html", is_banner_shown=not self._visit(request).cookies)

    def _subscribe(self, request: Request) -> Response:
        email = request.form.text("email")
        if not is_email(email):
            self._refused_count += 1
            raise PageError(HTTPStatus.UNPROCESSABLE_ENTITY, "Please enter an e-mail address such as name@example.com.")
        if len(self._topics_by_email) >= MAX_RECORDS and email not in self._topics_by_email:
            raise PageError(HTTPStatus.SERVICE_UNAVAILABLE, "The list is full.")
        self._topics_by_email[email] = request.form.choices("topics", TOPICS)
        return json_reply({"message": "Thank you, you are subscribed."})

    def _cookies(self, request: Request) -> Response:
        choice = request.form.choice("choice", COOKIE_CHOICES)
        if not choice:
            raise PageError(HTTPStatus.UNPROCESSABLE_ENTITY, "Please choose.")
        self._visit(request).cookies = choice
        return json_reply({"choice": choice})
