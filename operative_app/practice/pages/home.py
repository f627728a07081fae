"""The index page, the shared style sheets, scripts and pictures, and the state as JSON."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import ClassVar

from operative_app.core.resources import resource_path
from operative_app.practice.exchange import PageError, Request, Response, Route, file_reply, json_reply
from operative_app.practice.room import Room
from operative_app.practice.templates import Templates

_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class HomeRoom(Room[None]):
    """Everything that belongs to no single page."""

    name: ClassVar[str] = "home"

    def __init__(self, templates: Templates, read_state: Callable[[], dict[str, object]]) -> None:
        """Remember how the whole state is read."""
        super().__init__(templates)
        self._read_state = read_state
        self._static_dir = resource_path("practice_site", "static").resolve()

    def routes(self) -> tuple[Route, ...]:
        """Name the paths."""
        return (
            Route("GET", "/", self._index),
            Route("GET", "/state.json", self._state),
            Route("GET", "/favicon.ico", self._icon),
            Route("GET", "/static/<file*>", self._static),
        )

    def snapshot(self) -> dict[str, object]:
        """There is no state here."""
        return {}

    def _new_visit(self) -> None:
        return None

    def _index(self, request: Request) -> Response:
        return self._page("home.html")

    def _state(self, request: Request) -> Response:
        return json_reply(self._read_state())

    def _icon(self, request: Request) -> Response:
        return file_reply(self._static_dir / "images" / "icon.svg", _MEDIA_TYPES[".svg"])

    def _static(self, request: Request) -> Response:
        """Only files of known kinds, and only below the folder, whatever the path says."""
        missing = PageError(HTTPStatus.NOT_FOUND, "There is no file at this address.")
        try:
            path = (self._static_dir / request.args["file"]).resolve()
            is_ours = path.is_relative_to(self._static_dir) and path.suffix in _MEDIA_TYPES and path.is_file()
        except (OSError, ValueError) as error:
            raise missing from error
        if not is_ours:
            raise missing
        return file_reply(path, _MEDIA_TYPES[path.suffix])
