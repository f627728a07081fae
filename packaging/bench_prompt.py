"""Measures what a model is asked: how long a request is, how much of it is new, and how long it takes to build.

The pages of `tests/cases` are walked through in a browser that is not shown: the model's part is played by a script
that acts on one element after the other and sometimes reads. What is counted is the whole request: schema,
instructions, history and observation.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from bench_peer import first_requests
from bench_reach import Send, unlisted
from bench_start import BenchError
from bench_statistics import Series

from operative_app.actions.mouse import ClickElement
from operative_app.actions.registry import Registry
from operative_app.app.browser_provider import BrowserProvider
from operative_app.core.events import Event, RequestRaised, RunFinished, StepFinished
from operative_app.core.plan import Plan, Task
from operative_app.core.requests import Reject
from operative_app.core.run import RunRequest, done
from operative_app.core.screen import Box, Element, ScreenState, SurfaceKind, TextBlock
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts
from operative_app.llm.messages import ModelReply, ModelRequest, TextPart, Usage
from operative_app.planning.model.numbers import Numbers
from operative_app.planning.model.options import ModelOptions
from operative_app.planning.model.planner import ModelPlanner
from operative_app.planning.model.sight import find, see
from operative_app.planning.port import RunContext, StepRecord
from operative_app.store.runs import RunStore
from operative_app.surfaces.browser.surface import ManagedBrowser

CASES = Path(__file__).parents[1] / "tests" / "cases"
LIMIT_CHARS = 15_300.0
LIMIT_NEW_PERCENT = 20.0
LIMIT_BUILD_MS = 20.0
GOAL = "Do what this page is for, and tell what came of it."
STEPS = 8
LIMIT_SHARE = 1 / 3
BUILD_STEP = 200
END_S = 90.0
_NUMBER = re.compile(r"^[=+ ]*\[(\d+)\] (?!textbox)", re.MULTILINE)


def measure(repeat: int, peer: str = "") -> list[Series]:
    """Walk through the pages once, and build a late request `repeat` times ten.

    Args:
        peer: Another program whose request for a first step on the same pages is compared.

    Raises:
        BenchError: There are no pages, or a run does not end.
    """
    pages = sorted(CASES.glob("p*.html"))
    if not pages:
        raise BenchError(f"There are no pages in {CASES}.")
    walks: list[_Script] = []
    with tempfile.TemporaryDirectory(prefix="bench-prompt-") as folder, _serving(CASES) as address:
        urls = [f"{address}/{page.name}" for page in pages]
        walks.extend(_walk(Path(folder) / page.stem, url) for page, url in zip(pages, urls, strict=True))
        theirs = first_requests(peer, urls, GOAL) if peer else {}
        ours = asyncio.run(_unlisted(urls, Path(folder) / "looks"))
    asked = [size for walk in walks for size in walk.sizes]
    new = [percent for walk in walks for percent in walk.new_percents]
    per_step = [walk.questions / walk.steps for walk in walks if walk.steps]
    compared = []
    if theirs:
        pairs = [(walk.sizes, theirs[url][0]) for walk, url in zip(walks, urls, strict=True) if walk.sizes]
        firsts, longest = [sizes[0] / other for sizes, other in pairs], [max(sizes) / other for sizes, other in pairs]
        compared = [
            Series(
                f"{peer}: the request for a first step", tuple(size for size, _ in theirs.values()), unit="characters"
            ),
            _lacking(f"{peer}: ", {url: missing for url, (_, missing) in theirs.items()}),
            Series(f"our first of a page / {peer}'s first", tuple(firsts), LIMIT_SHARE, unit="times"),
            Series(f"our longest of a page / {peer}'s first", tuple(longest), unit="times"),
        ]
    return [
        *compared,
        _lacking("", ours, limit=0.0),
        Series("a request for a step", tuple(asked), LIMIT_CHARS, unit="characters"),
        Series("part of a request that is new", tuple(new), LIMIT_NEW_PERCENT, unit="%"),
        Series("questions for a step", tuple(per_step), 1.0, unit="questions"),
        Series(f"building the request of step {BUILD_STEP}", tuple(_build_times_ms(10 * repeat)), LIMIT_BUILD_MS),
    ]


def _lacking(whose: str, missing: Mapping[str, Sequence[str]], limit: float | None = None) -> Series:
    """How much is not listed of each page; what it is, is said beside the table."""
    for url, names in missing.items():
        if names:
            print(f"{whose}{url.rpartition('/')[2]} lacks {', '.join(names)}", file=sys.stderr)
    counts = tuple(float(len(names)) for names in missing.values())
    return Series(f"{whose}reachable on a page, but not listed", counts, limit, unit="controls")


async def _unlisted(urls: Sequence[str], folder: Path) -> dict[str, list[str]]:
    """What of each page can be reached, but has no number for a model, in sight or on request."""
    browser = await ManagedBrowser.launch(
        profile_dir=folder / "profile", downloads_dir=folder / "downloads", headless=True
    )
    found: dict[str, list[str]] = {}
    try:
        for url in urls:
            await browser.navigate(url)
            await browser.settle()
            state = (await browser.observe(with_picture=False)).state
            found[url] = await unlisted(*await _page_of(browser, _told(state)))
    finally:
        await browser.close()
    return found


def _told(state: ScreenState) -> list[Element]:
    """The elements whose numbers stand in the text, or in the answer to “show” with their words."""
    numbers = Numbers()
    elements, sight = numbers.of(state), see(state, numbers, ())
    texts = [sight.text]
    if sight.left_out:
        texts += [find(state, numbers, one.name or one.text, max_chars=len(sight.text)) for one in elements.values()]
    told = {int(number) for text in texts for number in re.findall(r"\[(\d+)\] ", text)}
    return [element for number, element in elements.items() if number in told]


async def _page_of(browser: ManagedBrowser, elements: Sequence[Element]) -> tuple[Send, set[int]]:
    """How the page in front is asked, and the browser's numbers for elements."""
    tab = browser._tabs.active
    if tab is None:
        raise BenchError("The browser has no page in front.")

    async def send(method: str, params: dict[str, Any]) -> dict[str, Any]:
        return await tab.send(method, params)

    listed: set[int] = set()
    for element in elements:
        node = tab.node(element.key)
        handle = await tab.object_id(node) if node is not None else ""
        if handle:
            listed.add((await send("DOM.describeNode", {"objectId": handle}))["node"]["backendNodeId"])
    return send, listed


@dataclass
class _Abilities:
    has_vision: bool = False
    has_computer_use: bool = False
    context_tokens: int | None = 128_000


@dataclass
class _Script:
    """Plays the model: acts on the elements in turn, reads now and then, and notes the size of what it is asked."""

    capabilities: _Abilities = field(default_factory=_Abilities)
    sizes: list[float] = field(default_factory=list)
    new_percents: list[float] = field(default_factory=list)
    questions: int = 0
    steps: int = 0
    asked_cpu_s: float = 0.0
    _before: str = ""

    async def ask(self, request: ModelRequest, *, on_wait: Callable[[str], None] | None = None) -> ModelReply:
        self.asked_cpu_s = time.thread_time()
        content = self._content(request)
        text = json.dumps(content)
        return ModelReply(content, text, "", Usage(), "script", 0.0, "", text)

    def _content(self, request: ModelRequest) -> dict[str, Any]:
        if request.schema_name == "plan":
            return {
                "route": "browser",
                "tasks": [{"goal": "Do what the page is for"}, {"goal": "Tell what came of it"}],
            }
        if request.schema_name != "decision":
            return {"summary": "Some steps were done.", "claims": [{"text": "Done", "step": 1}], "achieved": False}
        self.questions += 1
        text = _text(request)
        if self._before:
            shorter = min(len(self._before), len(text))
            same = next((at for at in range(shorter) if self._before[at] != text[at]), shorter)
            self.new_percents.append(100 * (1 - same / len(text)))
        self.sizes.append(len(text))
        self._before = text
        thought = "The last step brought what was expected; the next control of the page is tried."
        numbers = [int(one) for one in _NUMBER.findall(text[text.rfind("<<< ") :])]
        if self.questions % 4 == 0 or not numbers:
            return {"route": "act", "last": thought, "thought": thought, "variants": [[{"do": "get_text"}]]}
        number = numbers[self.questions % len(numbers)]
        call = {"do": "click_element", "element": number}
        return {"route": "act", "last": thought, "thought": thought, "variants": [[call]]}


class _Watch:
    """Answers what is asked, and waits for the end."""

    def __init__(self, script: _Script) -> None:
        self._script = script
        self.agent: Agent | None = None
        self.ended = threading.Event()

    def emit(self, event: Event) -> None:
        if isinstance(event, StepFinished):
            self._script.steps += 1
        elif isinstance(event, RequestRaised) and self.agent is not None:
            self.agent.control.answer(event.request.id, Reject(), by="front end")
        elif isinstance(event, RunFinished):
            self.ended.set()


def _walk(folder: Path, url: str) -> _Script:
    script = _Script()
    planner = ModelPlanner(script, Registry(), options=ModelOptions(second_look=False))
    provider = BrowserProvider(profile_dir=folder / "profile", downloads_dir=folder / "downloads", keep_open=False)
    limits = Limits(action_attempts=1, effect_waits_s=(0.1,), appear_ceiling_s=1.0, same_turns=100)
    parts = Parts(planner=planner, provider=provider, registry=Registry(), resolve=lambda one: one, limits=limits)
    store, watch = RunStore(folder / "data"), _Watch(script)
    agent = watch.agent = Agent(parts, store, shut_down=provider.close)
    agent.add_sink(watch)
    agent.start()
    try:
        agent.control.start(RunRequest(goal=GOAL, url=url, headless=True, max_steps=STEPS, approve_all=True))
        if not watch.ended.wait(END_S):
            raise BenchError(f"The run on {url} did not end within {END_S:g} s.")
    finally:
        agent.close()
        store.close()
    script.steps -= 1  # opening the page is decided by nobody
    return script


def _text(request: ModelRequest) -> str:
    """The whole request in the order in which endpoints read it."""
    parts = [json.dumps(request.schema, separators=(",", ":")), request.system]
    parts += [part.text for message in request.messages for part in message.parts if isinstance(part, TextPart)]
    return "\n".join(parts)


def _build_times_ms(count: int) -> Iterator[float]:
    """Processor time from the question of the loop to that of the model, late in a run, on a page of 300 elements."""
    script = _Script()
    planner = ModelPlanner(script, Registry())
    request = RunRequest(goal="Do what this page is for")
    history: list[StepRecord] = []

    async def run() -> list[float]:
        plan = Plan(goal=request.goal, tasks=(Task(goal="Do it"), Task(goal="Tell it")))
        await planner.decompose(request.goal, None, RunContext(request))
        times: list[float] = []
        for step in range(1, BUILD_STEP + count):
            before, after = _page(step), _page(step + 1)
            action = ClickElement(target=before.ref(before.elements[step % 300]))
            record = StepRecord(step, plan.tasks[0].id, action, done(), before, after, "text “Step” appeared")
            history.append(record)
            context = RunContext(request, tuple(history))
            begun_cpu_s = time.thread_time()
            await planner.select_action(after, plan, plan.tasks[0], context)
            if step >= BUILD_STEP:
                times.append((script.asked_cpu_s - begun_cpu_s) * 1000)
        return times

    yield from asyncio.run(run())


def _page(step: int) -> ScreenState:
    def box(place: int) -> Box:
        return Box(x_css_px=20, y_css_px=24 * place, width_css_px=120, height_css_px=20)

    return ScreenState(
        observation=step,
        surface=SurfaceKind.BROWSER,
        url=f"http://page.test/{step // 7}",
        viewport_width_css_px=1280,
        viewport_height_css_px=800,
        elements=tuple(
            Element(
                key=f"e{place}",
                mark=place + 1,
                role="button",
                name=f"Control {place}",
                box=box(place),
                path=f"b{place}",
            )
            for place in range(300)
        ),
        texts=tuple(TextBlock(text=f"Line {place} of step {step}", box=box(place)) for place in range(60)),
    )


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _serving(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, name="pages")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
