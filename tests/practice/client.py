"""A plain HTTP client with cookies, for tests that need no browser."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPErrorProcessor, OpenerDirector, Request, build_opener

Fields = Mapping[str, str | Sequence[str]]
BOUNDARY = "----practice"


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Message
    body: bytes
    url: str

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class _KeepErrors(HTTPErrorProcessor):
    """Follow redirects, but give error pages back like others."""

    def http_response(self, request: Request, response: http.client.HTTPResponse) -> http.client.HTTPResponse:
        if response.status == 303:
            followed: http.client.HTTPResponse = super().http_response(request, response)
            return followed
        return response


class Client:
    """One visitor."""

    def __init__(self, base: str) -> None:
        self.base = base
        self._opener: OpenerDirector = build_opener(HTTPCookieProcessor(), _KeepErrors)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Reply:
        return self.send("GET", path, None, headers)

    def post(self, path: str, fields: Fields, headers: Mapping[str, str] | None = None) -> Reply:
        return self.send("POST", path, urlencode(fields, doseq=True).encode(), headers)

    def upload(self, path: str, name: str, content: bytes, fields: Mapping[str, str] | None = None) -> Reply:
        body = b"".join(
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
            for key, value in (fields or {}).items()
        )
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        body += head.encode() + b"Content-Type: application/pdf\r\n\r\n" + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        return self.send("POST", path, body, {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"})

    def send(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str] | None = None) -> Reply:
        request = Request(self.base + path, data=body, headers=dict(headers or {}), method=method)
        with self._opener.open(request, timeout=60) as response:
            return Reply(response.status, response.headers, response.read(), response.url)

    def raw(self, request_line: str, headers: Mapping[str, str], body: bytes = b"") -> Reply:
        """Send a request as written; only `Host` is added when it is not given."""
        connection = http.client.HTTPConnection(urlsplit(self.base).netloc, timeout=60)
        try:
            method, target = request_line.split(" ", 1)
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": urlsplit(self.base).netloc, **headers}.items():
                connection.putheader(name, value)
            connection.endheaders(body or None)
            response = connection.getresponse()
            return Reply(response.status, response.headers, response.read(), target)
        finally:
            connection.close()
