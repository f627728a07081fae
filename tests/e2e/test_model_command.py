"""`operative run --planner model` as a process: real browser, practice site, scripted endpoint on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_command import run
from tests.llm.endpoint_server import EndpointServer, Received, Says
from tests.planning.model.scripted import act, click, fill, finish, plan, summary

KEY = "sk-marker-55e1c0ffee"


@pytest.fixture
def home(isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = isolation / "home" / "operative"
    monkeypatch.setenv("OPERATIVE_HOME", str(place))
    return place


def number_of(request: Received, name: str) -> int:
    """The number under which the request lists an element."""
    texts = json.dumps(request.body, ensure_ascii=False).replace('\\"', '"').replace("\\n", "\n")
    found = re.findall(rf"\[(\d+)\][^\n]*?{re.escape(name)}", texts)
    assert found, f"“{name}” is not in the request"
    return int(found[-1])


def steps(*replies: Callable[[Received], dict[str, Any]] | dict[str, Any]) -> Callable[[Received], Says]:
    """One reply for each question, the last one again and again."""
    left = list(replies)

    def reply(request: Received) -> Says:
        one = left.pop(0) if len(left) > 1 else left[0]
        return Says(one(request) if callable(one) else one)

    return reply


SEARCH = (
    plan("Search the shop for “Mac mini”"),
    lambda request: act(fill(number_of(request, "Search products"), "Mac mini"), click(number_of(request, "Search"))),
    lambda request: finish("Mac mini"),
    summary(("The shop lists Mac mini", 2)),
)


def arguments(server: EndpointServer, *more: str) -> list[str]:
    return ["--planner", "model", "--base-url", server.base_url, "--model", "stub", "--headless", *more]


def test_a_model_carries_out_a_goal(home: Path, chromium_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARKER_KEY", KEY)
    with EndpointServer(steps(*SEARCH), key=KEY) as server:
        code, out, err = run(
            "run",
            "look for a Mac mini",
            "--url",
            "practice:shop",
            "--json",
            *arguments(server, "--key-env", "MARKER_KEY"),
        )
    events = [json.loads(line) for line in out.splitlines()]
    assert (code, events[-1]["state"]) == (0, "done"), events[-1]
    assert events[0]["planner"] == "stub"
    assert [event["action"] for event in events if event["kind"] == "step_started"][-2:] == ["fill", "click_element"]
    assert sum(event["input_tokens"] for event in events if event["kind"] == "model_asked") > 0
    assert err == ""
    assert all(KEY not in path.read_bytes().decode(errors="ignore") for path in home.rglob("*") if path.is_file())
    assert KEY not in out


def test_the_built_in_planner_can_be_forced_and_is_the_default(home: Path, chromium_path: Path) -> None:
    for planner in ([], ["--planner", "builtin"]):
        code, out, _ = run("run", 'Search for "Mac mini"', "--url", "practice:shop", "--headless", "--json", *planner)
        assert (code, json.loads(out.splitlines()[0])["planner"]) == (0, "built-in")


def test_a_budget_of_tokens_ends_the_run_with_a_word(home: Path, chromium_path: Path) -> None:
    with EndpointServer(steps(*SEARCH)) as server:
        code, out, _ = run(
            "run", "look", "--url", "practice:shop", "--json", *arguments(server, "--max-tokens", "1000")
        )
    end = json.loads(out.splitlines()[-1])
    assert (code, end["cause"]) == (1, "budget")
    assert "of 1,000 tokens, the limit set for this run" in end["reason"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--planner", "model"], "No model is set"),
        (["--base-url", "ftp://x", "--model", "m"], "is not the address of a model"),
        (["--base-url", "localhost:1/v1", "--model", "m", "--key-env", "NOT_SET_HERE"], "NOT_SET_HERE is not set"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_is_opened(home: Path, more: list[str], said: str) -> None:
    code, _, err = run("run", "look", *more)
    assert code == 2
    assert said in err


def test_an_endpoint_that_is_not_there_is_told(home: Path, chromium_path: Path) -> None:
    with EndpointServer() as server:
        address = server.base_url
    code, out, _ = run(
        "run", "look", "--url", "practice:shop", "--headless", "--base-url", address, "--model", "m", "--json"
    )
    end = json.loads(out.splitlines()[-1])
    assert (code, end["state"]) == (1, "failed")
    assert "127.0.0.1" in end["reason"]
