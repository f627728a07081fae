"""The page that asks for a human: pick pictures and drag a slider before it lets anybody go on.

Which pictures are right is known to the server alone; it is in neither the page nor the snapshot.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import ClassVar

from operative_app.core.resources import resource_path
from operative_app.practice.exchange import PageError, Request, Response, Route, file_reply, json_reply, redirect
from operative_app.practice.room import Room

KINDS = {"boat": "a boat", "tree": "a tree", "house": "a house", "bicycle": "a bicycle"}
_TILES = 9
_SLIDER_END = 100
_dice = secrets.SystemRandom()


@dataclass(slots=True)
class Riddle:
    """One visitor's pictures, what to look for, and whether it was solved."""

    wanted: str = "boat"
    tiles: list[str] = field(default_factory=list)
    round: int = 0
    attempts: int = 0
    is_solved: bool = False
    has_entered: bool = False

    def deal(self) -> None:
        """Lay new pictures, three or four of which are right."""
        self.wanted = _dice.choice(list(KINDS))
        right = _dice.choice((3, 4))
        wrong = [kind for kind in KINDS if kind != self.wanted]
        self.tiles = [self.wanted] * right + [_dice.choice(wrong) for _ in range(_TILES - right)]
        _dice.shuffle(self.tiles)
        self.round += 1

    @property
    def right_positions(self) -> list[str]:
        """Positions of the right pictures, as the page sends them."""
        return [str(position) for position, kind in enumerate(self.tiles) if kind == self.wanted]


class CaptchaRoom(Room[Riddle]):
    """Keeps one riddle for each visitor."""

    name: ClassVar[str] = "captcha"

    def routes(self) -> tuple[Route, ...]:
        """Name the paths."""
        return (
            Route("GET", "/captcha", self._front),
            Route("GET", "/captcha/picture/<round>/<position>", self._picture),
            Route("POST", "/captcha/api/verify", self._verify),
            Route("POST", "/captcha/continue", self._continue),
            Route("GET", "/captcha/inside", self._inside),
        )

    def snapshot(self) -> dict[str, object]:
        """Attempts and success by session number, and whether anybody solved it."""
        return {
            "solved": any(riddle.is_solved for riddle in self._visits.values()),
            "sessions": {
                str(session): {"attempts": riddle.attempts, "solved": riddle.is_solved, "entered": riddle.has_entered}
                for session, riddle in self._visits.items()
            },
        }

    def _new_visit(self) -> Riddle:
        riddle = Riddle()
        riddle.deal()
        return riddle

    def _front(self, request: Request) -> Response:
        riddle = self._visit(request)
        return self._page("captcha/front.html", riddle=riddle, wanted=KINDS[riddle.wanted], positions=range(_TILES))

    def _picture(self, request: Request) -> Response:
        riddle = self._visit(request)
        position = request.args["position"]
        if request.args["round"] != str(riddle.round) or position not in {str(number) for number in range(_TILES)}:
            raise PageError(HTTPStatus.NOT_FOUND, "There is no such picture.")
        name = f"{riddle.tiles[int(position)]}-{1 + int(position) % 2}.svg"
        return file_reply(resource_path("practice_site", "static", "images", "captcha", name), "image/svg+xml")

    def _verify(self, request: Request) -> Response:
        riddle, form = self._visit(request), request.form
        riddle.attempts += 1
        picked = form.choices("picked", [str(position) for position in range(_TILES)])
        if picked != riddle.right_positions or form.number("slider", 0, _SLIDER_END, 0) != _SLIDER_END:
            riddle.deal()
            raise PageError(HTTPStatus.UNPROCESSABLE_ENTITY, "That was not right. Please try again with new pictures.")
        riddle.is_solved = True
        return json_reply({"message": "Verification successful."})

    def _continue(self, request: Request) -> Response:
        riddle = self._visit(request)
        riddle.has_entered = riddle.is_solved
        return redirect("/captcha/inside" if riddle.is_solved else "/captcha")

    def _inside(self, request: Request) -> Response:
        return self._page("captcha/inside.html") if self._visit(request).is_solved else redirect("/captcha")
