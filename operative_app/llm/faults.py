"""What an endpoint says when it does not answer, read off its many forms, and put into words.

Bodies differ: `{"error": {"message", "code", "param"}}`, `{"error": "text"}`, `{"message"}`,
`{"detail": [{"loc", "msg"}]}`, a web page, nothing. `Fault` is all of them.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from operative_app.core.endpoint import Endpoint
from operative_app.core.errors import ModelError
from operative_app.core.screen import shorten
from operative_app.llm.errors import (
    ContextTooLong,
    CreditUsedUp,
    EndpointBusy,
    EndpointUnreachable,
    KeyRejected,
    NotAnApi,
    RequestRejected,
)
from operative_app.llm.masking import mask

_MOST_CHARACTERS = 300


class FaultKind(StrEnum):
    """What went wrong, for what is done next."""

    NO_CONNECTION = "no_connection"
    NOT_TRUSTED = "not_trusted"
    TIME_OUT = "time_out"
    CUT = "cut"
    BUSY = "busy"
    SERVER = "server"
    KEY = "key"
    CREDIT = "credit"
    CONTEXT = "context"
    REJECTED = "rejected"
    NOT_AN_API = "not_an_api"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Fault:
    """One failed try.

    Attributes:
        words: What the endpoint said, shortened; "" when it said nothing for people.
        parameter: The request parameter it names as the culprit, "" when it names none.
        wait_s: How long it asked to be left alone.
        limit_tokens: The real context limit, when it was told.
        received: The body as it came.
    """

    kind: FaultKind
    words: str = ""
    status: int = 0
    code: str = ""
    parameter: str = ""
    wait_s: float | None = None
    limit_tokens: int | None = None
    received: str = ""


class FaultError(Exception):
    """Carries a fault from the transport to the client; never leaves this room."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.words)
        self.fault = fault


_CREDIT_CODES = frozenset(("insufficient_quota", "billing_hard_limit_reached", "billing_not_active"))
_CONTEXT_CODES = frozenset(("context_length_exceeded", "exceed_context_size_error", "string_above_max_length"))
_CONTEXT_WORDS = re.compile(
    r"maximum context length|context[ _-]?(?:length|window|size)[^.]{0,40}exceed|exceed[^.]{0,60}context"
    r"|(?:prompt|input|request)[^.]{0,30}\btoo (?:long|large|many tokens)|reduce the length of|larger than[^.]*context"
    r"|longer than[^.]*(?:context|model length)|too many tokens",
    re.IGNORECASE,
)
_LIMITS = (
    re.compile(
        r"(?:maximum|max)[^.\d]{0,40}(?:context|model)[^.\d]{0,20}?(?:length|size|window)?[^.\d]{0,20}(\d[\d,]{2,})",
        re.I,
    ),
    re.compile(r"context[ _-]?(?:length|size|window)[^\d]{0,30}(\d[\d,]{2,})", re.I),
    re.compile(r"n_ctx\D{0,6}(\d[\d,]{2,})", re.I),
    re.compile(r"(\d[\d,]{2,})\s*(?:tokens?)?\s*(?:maximum|limit)|limit (?:of|is) (\d[\d,]{2,})", re.I),
)


def fault_of_status(status: int, headers: Mapping[str, str], body: object, text: str) -> Fault:
    """The fault an HTTP status of 400 or more tells.

    Args:
        body: The decoded JSON, None when it is none.
        text: The body as it came.
    """
    words, code, parameter, limit = _said(body) if isinstance(body, dict | list) else (text, "", "", None)
    if looks_like_a_page(words):
        words = ""
    wait_s = asked_wait_s(headers)
    kind = _kind(status, words, code)
    if kind is FaultKind.CONTEXT and limit is None:
        limit = told_limit(words)
    return Fault(kind, shorten(words, _MOST_CHARACTERS), status, code, parameter, wait_s, limit, text)


def fault_of_error_body(body: Mapping[str, Any], text: str) -> Fault:
    """The fault of a body that came with status 200, or within a stream, and holds an error."""
    error = body.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    status = int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdigit()) else 500
    return fault_of_status(status if 400 <= status < 600 else 500, {}, dict(body), text)


def _said(body: object) -> tuple[str, str, str, int | None]:
    """Words, code, parameter and token limit of an error body."""
    if isinstance(body, list):
        return _said(body[0]) if body else ("", "", "", None)
    if not isinstance(body, dict):
        return str(body or ""), "", "", None
    error = body.get("error", body)
    if isinstance(error, str):
        return error, "", "", None
    if not isinstance(error, dict):
        return "", "", "", None
    details = error.get("detail")
    words = str(error.get("message") or error.get("msg") or "")
    parameter = str(error.get("param") or "")
    if isinstance(details, list):
        lines = [detail for detail in details if isinstance(detail, dict)]
        words = words or "; ".join(f"{_loc(line)}: {line.get('msg', '')}" for line in lines)
        parameter = parameter or (_loc(lines[0]).partition(".")[0] if lines else "")
    elif isinstance(details, str):
        words = words or details
    inner = error.get("metadata")
    if isinstance(inner, dict) and isinstance(inner.get("raw"), str):
        words = f"{words}: {inner['raw']}" if words else inner["raw"]
    code = str(error.get("code") or "")
    kind = str(error.get("type") or "")
    limit = error.get("n_ctx")
    return (
        words,
        kind if kind in _CONTEXT_CODES or not code or code.isdigit() else code,
        parameter,
        (limit if isinstance(limit, int) and limit > 0 else None),
    )


def _loc(detail: Mapping[str, Any]) -> str:
    place = detail.get("loc")
    parts = [str(part) for part in place] if isinstance(place, list | tuple) else []
    return ".".join(part for part in parts if part != "body")


def _kind(status: int, words: str, code: str) -> FaultKind:
    if code in _CREDIT_CODES or status == 402:
        return FaultKind.CREDIT
    if status == 413 or code in _CONTEXT_CODES or (status in (400, 422, 500) and _CONTEXT_WORDS.search(words)):
        return FaultKind.CONTEXT
    if status in (401, 403):
        return FaultKind.KEY
    if status == 429:
        return FaultKind.BUSY
    if status >= 500 or status in (408, 409, 425):
        return FaultKind.SERVER
    return FaultKind.REJECTED


def told_limit(words: str) -> int | None:
    """The context limit an error message tells, in tokens."""
    for pattern in _LIMITS:
        if found := pattern.search(words):
            return int(next(group for group in found.groups() if group).replace(",", ""))
    return None


def asked_wait_s(headers: Mapping[str, str]) -> float | None:
    """How long the server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date."""
    try:
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        pass
    value = headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    date = email.utils.parsedate_tz(value) if value else None
    return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())


def looks_like_a_page(text: str) -> bool:
    return text.lstrip()[:200].lower().startswith(("<!doctype", "<html", "<?xml", "<head", "<title", "<body", "<!--"))


def host_of(endpoint: Endpoint) -> str:
    return urlsplit(endpoint.base_url).netloc.rpartition("@")[2] or endpoint.base_url


def error_of(fault: Fault, endpoint: Endpoint, key: str) -> ModelError:
    """The fault as the error a person reads; keys are masked."""
    host = host_of(endpoint)
    said = mask(fault.words, key).rstrip(". ")
    quote = f" It said: “{said}”." if said else ""
    match fault.kind:
        case FaultKind.NO_CONNECTION:
            return EndpointUnreachable(
                f"{host} cannot be reached. Check the address, and that the server is running.{quote}"
            )
        case FaultKind.NOT_TRUSTED:
            return EndpointUnreachable(
                f"{host} shows a certificate that is not trusted, so nothing was sent to it. Check the address.{quote}"
            )
        case FaultKind.TIME_OUT:
            return EndpointUnreachable(f"{host} did not answer in time{f': {said}' if said else ''}.")
        case FaultKind.CUT:
            return EndpointUnreachable(f"{host} broke off its answer again and again; nothing of it was used.")
        case FaultKind.BUSY:
            wait = f" It asks to wait {in_words_s(fault.wait_s)}." if fault.wait_s else ""
            return EndpointBusy(f"{host} takes no more requests now (rate limit).{wait}{quote}", wait_s=fault.wait_s)
        case FaultKind.SERVER:
            return EndpointBusy(f"{host} has trouble of its own (status {fault.status}).{quote}", wait_s=fault.wait_s)
        case FaultKind.KEY:
            return KeyRejected(
                f"{host} does not accept the key (status {fault.status}). Check it in the settings.{quote}"
            )
        case FaultKind.CREDIT:
            return CreditUsedUp(f"The account at {host} has no credit left.{quote}")
        case FaultKind.CONTEXT:
            limit = f" It takes {fault.limit_tokens:,} tokens." if fault.limit_tokens else ""
            return ContextTooLong(
                f"The request is too long for “{endpoint.model}”.{limit}", limit_tokens=fault.limit_tokens
            )
        case FaultKind.REJECTED:
            hint = " Check the model's name and the address." if fault.status in (404, 405) else ""
            return RequestRejected(f"{host} does not take the request (status {fault.status}).{hint}{quote}")
        case FaultKind.NOT_AN_API:
            return NotAnApi(
                f"What answers at {endpoint.base_url} is not a model's API: {said}. Check the address; it often ends "
                "in /v1."
            )
        case FaultKind.EMPTY:
            return NotAnApi(f"{host} answered, but {said}.")


def in_words_s(seconds: float | None) -> str:
    """A wait in words: 2 s, 3 min."""
    if seconds is None:
        return "a while"
    return f"{seconds:.3g} s" if seconds < 120 else f"{seconds / 60:.0f} min"
