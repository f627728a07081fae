"""What passes between the web server and the rooms of the site: requests, replies and routes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote

from operative_app.practice.forms import Form

SMALL_BODY_BYTES = 64 * 1024
"""Largest body an ordinary form may send."""


class PageError(Exception):
    """Ends a request with an error page (or JSON, on paths with an `api` part)."""

    def __init__(self, status: HTTPStatus, message: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        """Keep the status and the sentence shown to the visitor."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


@dataclass(frozen=True, slots=True)
class Request:
    """One request after it was read and checked; `session` is the number of the visitor's session."""

    method: str
    path: str
    query: Form
    form: Form
    session: int
    args: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Response:
    """A whole reply. `file` is streamed from disk and stands in for `body`."""

    body: bytes = b""
    status: HTTPStatus = HTTPStatus.OK
    content_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    file: Path | None = None


Handle = Callable[[Request], Response]


@dataclass(frozen=True, slots=True)
class Route:
    """A path pattern such as `/shop/product/<slug>`, and what answers it; a last `<rest*>` takes all parts left."""

    method: str
    pattern: str
    handle: Handle
    max_body_bytes: int = SMALL_BODY_BYTES

    def match(self, path: str) -> dict[str, str] | None:
        """Give the decoded named parts when the still percent-encoded path fits the pattern, else None."""
        wanted = self.pattern.strip("/").split("/")
        given = path.strip("/").split("/")
        args: dict[str, str] = {}
        for position, part in enumerate(wanted):
            if part.endswith("*>"):
                args[part[1:-2]] = unquote("/".join(given[position:]))
                return args
            if position >= len(given):
                return None
            if part.startswith("<"):
                args[part[1:-1]] = unquote(given[position])
            elif part != given[position]:
                return None
        return args if len(given) == len(wanted) else None


def redirect(location: str) -> Response:
    """Send the browser on with a GET; `location` is a path of this site that is already percent-encoded."""
    return Response(status=HTTPStatus.SEE_OTHER, headers=(("Location", location),))


def json_reply(value: object, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Reply with JSON."""
    return Response(json.dumps(value).encode(), status, "application/json; charset=utf-8")


def file_reply(path: Path, content_type: str, *, save_as: str = "") -> Response:
    """Reply with a file from disk.

    Args:
        path: The file; it must not change while it is sent.
        content_type: Its media type.
        save_as: A plain ASCII name without quotes; when given, browsers download instead of showing it.
    """
    headers = (("Content-Disposition", f'attachment; filename="{save_as}"'),) if save_as else ()
    return Response(content_type=content_type, headers=headers, file=path)
