from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from operative_app.practice.application import PracticeApplication
from operative_app.practice.exchange import Request, Response, Route
from operative_app.practice.forms import Form
from tests.practice.conftest import TODAY


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Let threads take turns as often as the interpreter can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("hasty_threads")
def test_requests_are_carried_out_one_after_the_other() -> None:
    application = PracticeApplication(lambda: TODAY)
    visits: list[int] = []

    def count(request: Request) -> Response:
        seen = len(visits)
        busy = sum(range(2000))  # room for another thread to come between
        visits.append(seen + 0 * busy)
        return Response()

    route, request = Route("GET", "/", count), Request("GET", "/", Form(), Form(), 1)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: application.answer(route, request), range(400)))
    assert visits == list(range(400))


@pytest.mark.parametrize(
    ("pattern", "path", "args"),
    [
        ("/", "/", {}),
        ("/shop", "/shop/", {}),
        ("/shop", "/shop/cart", None),
        ("/shop/<slug>", "/shop/a%2Fb", {"slug": "a/b"}),
        ("/shop/<slug>/buy", "/shop/x/sell", None),
        ("/static/<file*>", "/static/a/b.css", {"file": "a/b.css"}),
        ("/static/<file*>", "/other/a", None),
    ],
)
def test_a_route_fits_whole_paths_and_decodes_their_parts(pattern: str, path: str, args: dict[str, str] | None) -> None:
    assert Route("GET", pattern, lambda _: Response()).match(path) == args
