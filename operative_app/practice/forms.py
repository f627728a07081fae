"""Reading what browsers send: query strings, form bodies and file uploads.

Everything here comes from outside, so values are only ever handed out cleaned and cut to a length, and a body that
does not follow its format is refused as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from email.message import Message
from urllib.parse import parse_qs

_MAX_FIELDS = 100
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")


class MalformedFormError(Exception):
    """The body does not follow the format its headers announce."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file sent by a browser; `filename` is shown only and never used as a path."""

    filename: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of one query string or body."""

    values: Mapping[str, list[str]] = field(default_factory=dict)
    uploads: Mapping[str, Upload] = field(default_factory=dict)

    def text(self, name: str, *, limit: int = 200, is_multiline: bool = False) -> str:
        """Give the first value without control characters and outer blanks, cut to `limit`; "" when absent."""
        raw = self.values.get(name, [""])[0]
        kept = "".join(char for char in raw if char.isprintable() or (is_multiline and char == "\n"))
        return kept.strip()[:limit]

    def choice(self, name: str, options: Collection[str], default: str = "") -> str:
        """Give the first value when it is one of the options, else the default."""
        value = self.text(name)
        return value if value in options else default

    def choices(self, name: str, options: Collection[str]) -> list[str]:
        """Give the known options among all values, each once, in the order of `options`."""
        given = set(self.values.get(name, []))
        return [option for option in options if option in given]

    def number(self, name: str, lowest: int, highest: int, default: int) -> int:
        """Give a whole number within bounds, or the default when it is none or outside of them."""
        value = self.text(name, limit=12)
        if not (value.isascii() and value.isdigit()):
            return default
        return int(value) if lowest <= int(value) <= highest else default

    def is_ticked(self, name: str) -> bool:
        """Tell whether a check box was sent."""
        return bool(self.values.get(name))


def is_email(text: str) -> bool:
    """Tell whether a text has the shape of an e-mail address."""
    return _EMAIL.fullmatch(text) is not None


def parse_urlencoded(text: str) -> Form:
    """Read a query string or an urlencoded body.

    Raises:
        MalformedFormError: There are more fields than any page here has.
    """
    try:
        return Form(parse_qs(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="replace"))
    except ValueError as error:
        raise MalformedFormError from error


def parse_body(content_type: str, body: bytes) -> Form:
    """Read the body of a POST in one of the two formats browsers use.

    Raises:
        MalformedFormError: Another format, or a body that breaks the announced one.
    """
    header = Message()
    header["Content-Type"] = content_type or "application/x-www-form-urlencoded"
    match header.get_content_type():
        case "application/x-www-form-urlencoded":
            return parse_urlencoded(body.decode("utf-8", "replace"))
        case "multipart/form-data":
            return _parse_multipart(header, body)
        case _:
            raise MalformedFormError


def _parse_multipart(header: Message, body: bytes) -> Form:
    """Split by the boundary; strict about the closing line, so that a cut upload is noticed."""
    boundary = header.get_boundary()
    if not boundary or not boundary.isascii() or len(boundary) > 70:
        raise MalformedFormError
    delimiter = b"\r\n--" + boundary.encode("ascii")
    pieces = (b"\r\n" + body).split(delimiter)
    if len(pieces) < 2 or pieces[0].strip() or not pieces[-1].startswith(b"--") or len(pieces) > _MAX_FIELDS:
        raise MalformedFormError
    values: dict[str, list[str]] = {}
    uploads: dict[str, Upload] = {}
    for piece in pieces[1:-1]:
        head, blank_line, content = piece.partition(b"\r\n\r\n")
        if not blank_line:
            raise MalformedFormError
        name, filename = _disposition(head)
        if filename is None:
            values.setdefault(name, []).append(content.decode("utf-8", "replace"))
        elif name not in uploads:
            uploads[name] = Upload(filename, content)
    return Form(values, uploads)


def _disposition(head: bytes) -> tuple[str, str | None]:
    """Read the field name and, for a file, its name out of one part's header lines."""
    for line in head.decode("utf-8", "replace").split("\r\n"):
        key, _, value = line.partition(":")
        if key.strip().lower() != "content-disposition":
            continue
        part = Message()
        part["Content-Disposition"] = "".join(char for char in value.strip() if char.isprintable())
        name = part.get_param("name", header="content-disposition")
        if part.get_content_disposition() != "form-data" or not isinstance(name, str):
            break
        filename = part.get_param("filename", header="content-disposition")
        return name, filename[:200] if isinstance(filename, str) else None
    raise MalformedFormError
