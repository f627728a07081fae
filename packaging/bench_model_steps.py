"""Measures what Operative adds to each step when a model plans: all of a step's time but the page's.

A goal is carried out on the practice site, in a browser that is not shown, with an endpoint on this machine that
answers at once over real HTTP. So what is left besides the page's time is Operative's: waiting for calm, looking,
putting the question together, sending it, reading the answer, checking, policy, recording. What counts as the page's
time is said in `bench_steps`; the loading of pages that a click opened has a row of its own, and one row counts it in.
"""

from __future__ import annotations

import json
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from bench_statistics import Series
from bench_steps import LOADING, Step, run_once

from operative_app.actions.registry import Registry
from operative_app.core.endpoint import Api, Endpoint
from operative_app.llm.client import ModelClient
from operative_app.planning.model.planner import ModelPlanner

LIMIT_MS = 250.0
GOAL = "put a Mac mini with 512 GB into the cart and go to the checkout"
START = "practice:shop"
Json = dict[str, Any]


def measure(repeat: int) -> list[Series]:
    """Carry out the goal `repeat` times after one warm-up.

    Raises:
        BenchError: A run did not end as done.
    """
    with tempfile.TemporaryDirectory(prefix="bench-model-") as folder:
        _run(Path(folder) / "warm")
        steps = [step for number in range(repeat) for step in _run(Path(folder) / str(number))]
    return [
        Series(
            "added to a step, a model planning",
            tuple(step.added_ms + step.planner_ms for step in steps),
            LIMIT_MS,
            limit_percentile=50,
        ),
        Series("the question and its answer, of that", tuple(step.planner_ms for step in steps)),
        Series(LOADING, tuple(step.loading_ms for step in steps)),
        Series("both together", tuple(step.added_ms + step.planner_ms + step.loading_ms for step in steps)),
        Series("a whole step", tuple(step.whole_ms for step in steps)),
    ]


def _run(folder: Path) -> list[Step]:
    with _answering(_Script()) as address:
        client = ModelClient(Endpoint(base_url=address, model="script", api=Api.CHAT), "")
        return run_once(folder, ModelPlanner(client, Registry()), GOAL, START, client.close)


class _Script:
    """Plays the model: finds each control by its name on the newest screen that it is sent."""

    def __init__(self) -> None:
        self._moves: list[Callable[[str], Json]] = [
            lambda text: _act(_fill(text, "Search products", "Mac mini"), _click(text, "Search")),
            lambda text: _act(_click(text, "Mac mini 512 GB"), done=_done(1, "Results for “Mac mini”")),
            lambda text: _act(_click(text, "Add to cart")),
            lambda text: _act(_click(text, "Go to checkout"), done=_done(2, "Your cart")),
            lambda _: {"route": "finish", "goal_achieved": True, "done": _done(3, "Place order")},
        ]

    def reply(self, body: Json) -> Json:
        name = str(body.get("response_format", {}).get("json_schema", {}).get("name"))
        if name == "plan":
            tasks = [{"goal": "Find the Mac mini"}, {"goal": "Put it into the cart"}, {"goal": "Go to checkout"}]
            return {"route": "browser", "tasks": tasks, "say": "I will do this."}
        if name != "decision":
            return {"summary": "It is in the cart.", "claims": [{"text": "It is in the cart", "step": 5}]}
        text = json.dumps(body["messages"], ensure_ascii=False).replace("\\n", "\n")
        try:
            reply = self._moves[0](text)
        except LookupError as error:
            return {"route": "wait", "say": str(error)}
        del self._moves[0]
        return reply


def _act(*calls: Json, **more: Any) -> Json:
    return {"route": "act", "variants": [list(calls)], "thought": "next", **more}


def _done(task: int, evidence: str) -> list[Json]:
    return [{"task": task, "evidence": evidence}]


def _click(text: str, name: str) -> Json:
    return {"do": "click_element", "element": _number(text, name)}


def _fill(text: str, name: str, value: str) -> Json:
    return {"do": "fill", "element": _number(text, name), "text": value}


def _number(text: str, name: str) -> int:
    screen = text[text.rfind("The screen now:") :]
    found = re.findall(rf"^(?:[=+] )?\[(\d+)\] \w+ “{re.escape(name)}”", screen, re.MULTILINE)
    if not found:
        raise LookupError(name)
    return int(found[-1])


@contextmanager
def _answering(script: _Script) -> Iterator[str]:
    """An endpoint of Chat Completions on the loopback interface; its base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self._send(404, {"error": {"message": "no such path"}})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {"role": "assistant", "content": json.dumps(script.reply(body))}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            self._send(200, {"object": "chat.completion", "model": "script", "choices": [choice], "usage": usage})

        def _send(self, status: int, value: Json) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), name="endpoint")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
