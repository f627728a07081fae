"""A small page in memory, a planner that follows a script, and an agent that runs them.

The page is a real BrowserSurface in behaviour: it numbers observations, resolves references by fingerprint and refuses
what is gone. What a click or a text does is given by the test.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from operative_app.actions.browser import Fill
from operative_app.actions.mouse import ClickElement
from operative_app.actions.registry import Registry
from operative_app.core.coordinates import CssPoint, StatePoint
from operative_app.core.errors import StaleReference, StoreError, SurfaceClosed
from operative_app.core.events import Event, RequestRaised, RunFinished, StateChanged
from operative_app.core.plan import Checkpoint, Plan, Task
from operative_app.core.ports import Concealer, MouseButton, SiteLimit, Spot, Surface, WaitState
from operative_app.core.requests import Request
from operative_app.core.run import RunRequest, RunState
from operative_app.core.screen import (
    Box,
    Element,
    ElementRef,
    ElementState,
    Observation,
    PendingDialog,
    Picture,
    ScreenState,
    SurfaceKind,
    Tab,
    TextBlock,
)
from operative_app.core.secrets import FieldPlace, NoSecrets, SecretBook
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts, RunPolicy
from operative_app.planning.port import (
    Act,
    CannotInterpret,
    Decision,
    Decomposed,
    GiveUp,
    RunContext,
    TaskDone,
    Trouble,
)
from operative_app.safety.policy_file import PolicyRules

QUICK = Limits(
    backoff_s=(0.01,), effect_waits_s=(0.01, 0.01), appear_ceiling_s=0.2, answer_timeout_s=60.0, close_timeout_s=2.0
)

RUN_S = 100.0
"""How long a whole run may take on a machine that is busy."""


@dataclass
class FakePage:
    """Buttons and fields by name, texts, and what clicks do."""

    buttons: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    url: str = "http://page.test/"
    on_click: dict[str, Callable[[FakePage], object]] = field(default_factory=dict)
    on_fill: dict[str, Callable[[FakePage], object]] = field(default_factory=dict)
    on_look: Callable[[FakePage], object] = lambda _: None
    dialogs: list[PendingDialog] = field(default_factory=list)
    clicks: list[str] = field(default_factory=list)
    sites: SiteLimit | None = None
    answers: list[bool] = field(default_factory=list)
    click_takes_s: float = 0
    is_closed: bool = False
    is_released: bool = False
    was_shown: int = 0
    files: list[str] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    clipboard: str = ""
    keys: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    file_chooser: str = ""
    modal: str = ""
    passwords: set[str] = field(default_factory=set)
    pictures_taken: list[bool] = field(default_factory=list)
    origin: str = "https://page.test"
    concealer: Concealer | None = None
    has_sent: bool = False

    kind = SurfaceKind.BROWSER
    _observations: int = 0

    def state(self) -> ScreenState:
        box = Box(x_css_px=0, y_css_px=0, width_css_px=80, height_css_px=20)
        elements = [
            Element(
                key=f"b:{name}", mark=place + 1, role="button", name=name, box=_box(place, 0), path=f"button[{place}]"
            )
            for place, name in enumerate(self.buttons)
        ] + [
            Element(
                key=f"f:{name}",
                role="textbox",
                name=name,
                value="" if name in self.passwords else value,
                box=_box(place, 100),
                path=f"input[{name}]",
                states=frozenset({ElementState.EDITABLE, *([ElementState.PASSWORD] if name in self.passwords else [])}),
            )
            for place, (name, value) in enumerate(self.fields.items())
        ]
        return ScreenState(
            observation=self._observations,
            surface=SurfaceKind.BROWSER,
            url=self.url,
            elements=tuple(elements),
            texts=tuple(TextBlock(text=text, box=box) for text in self.texts),
            tabs=(Tab(id=1, url=self.url, is_active=True),),
            dialogs=tuple(self.dialogs),
            held=frozenset(self.held),
            file_chooser=self.file_chooser,
            modal=self.modal,
            viewport_width_css_px=800,
            viewport_height_css_px=600,
        )

    def _name_at(self, at: Spot) -> str:
        if isinstance(at, ElementRef):
            return at.fingerprint.name
        assert isinstance(at, CssPoint)
        element = self.state().element_at(at.x_css_px, at.y_css_px)
        return element.name if element is not None else ""

    async def observe(self, *, with_picture: bool = True) -> Observation:
        if self.is_closed:
            raise SurfaceClosed("The browser was closed.")
        self._observations += 1
        self.on_look(self)
        self.pictures_taken.append(with_picture)
        picture = Picture(data=b"picture", width_px=1, height_px=1) if with_picture else None
        return Observation(state=self.state(), picture=picture)

    async def settle(self, ceiling_s: float = 3.0) -> None:
        return None

    async def release(self) -> None:
        self.is_released = True

    async def show_to_person(self) -> None:
        self.was_shown += 1

    async def checkpoint(self, step: int) -> Checkpoint:
        return Checkpoint(step=step, url=self.url)

    async def restore(self, checkpoint: Checkpoint) -> None:
        self.url = checkpoint.url

    async def close(self) -> None:
        self.is_closed = True

    async def navigate(self, url: str, *, timeout_s: float = 30.0) -> None:
        self.url = url

    async def go_back(self) -> None:
        return None

    async def click(self, at: Spot, *, button: MouseButton = MouseButton.LEFT, count: int = 1) -> None:
        name = self._name_at(at)
        if name not in self.buttons:
            raise StaleReference(f"“{name}” is gone")
        if self.click_takes_s:
            await asyncio.sleep(self.click_takes_s)
        self.clicks.append(name)
        if name in self.on_click:
            self.on_click[name](self)

    async def hover(self, at: Spot) -> None:
        return None

    async def drag(self, start: Spot, end: Spot) -> None:
        return None

    async def mouse_down(self, at: Spot, *, button: MouseButton = MouseButton.LEFT) -> None:
        self.held.add(button)

    async def mouse_up(self, at: Spot, *, button: MouseButton = MouseButton.LEFT) -> None:
        self.held.discard(button)

    async def select_text(self, start: StatePoint, end: StatePoint) -> str:
        return ""

    def conceal(self, concealer: Concealer) -> None:
        self.concealer = concealer

    async def field_place(self, ref: ElementRef | None = None) -> FieldPlace:
        name = ref.fingerprint.name if ref is not None else next(iter(self.fields), "")
        return FieldPlace(key=name, label=f"textbox “{name}”", origin=self.origin, is_password=name in self.passwords)

    async def fill(self, ref: ElementRef, text: str, *, only_in: FieldPlace | None = None) -> str:
        self.fields[ref.fingerprint.name] = text
        if ref.fingerprint.name in self.on_fill:
            self.on_fill[ref.fingerprint.name](self)
        return text

    async def type_text(self, text: str, *, delay_ms: float = 0, only_in: FieldPlace | None = None) -> None:
        self.typed.append(text)

    async def press_key(self, chord: str, ref: ElementRef | None = None) -> None:
        self.keys.append(chord)

    async def key_down(self, key: str) -> None:
        self.held.add(key)

    async def key_up(self, key: str) -> None:
        self.held.discard(key)

    async def read_clipboard(self) -> str:
        return self.clipboard

    async def write_clipboard(self, text: str) -> None:
        self.clipboard = text

    async def choose_files(self, paths: Sequence[str], ref: ElementRef | None = None) -> None:
        self.files.extend(paths)

    async def take_picture(self, ref: ElementRef | None = None) -> Picture:
        return Picture(data=b"lossless", media_type="image/png", width_px=80, height_px=20)

    async def execute_js(self, code: str, *, timeout_s: float) -> str:
        return "null"

    async def select_option(self, ref: ElementRef, label: str) -> str:
        return label

    async def scroll(self, dx_css_px: float, dy_css_px: float, at: Spot | None = None) -> None:
        return None

    async def scroll_into_view(self, ref: ElementRef) -> None:
        return None

    async def get_text(self, ref: ElementRef | None = None) -> str:
        return "\n".join(self.texts)

    async def get_attribute(self, ref: ElementRef, name: str) -> str | None:
        return None

    async def wait_for(self, ref: ElementRef, state: WaitState, *, timeout_s: float) -> bool:
        return True

    async def limit(self, sites: SiteLimit) -> None:
        self.sites = sites

    async def new_tab(self, url: str = "") -> None:
        return None

    async def switch_tab(self, tab_id: int) -> None:
        return None

    async def close_tab(self, tab_id: int) -> None:
        return None

    async def answer_dialog(self, *, accept: bool, text: str = "") -> None:
        self.answers.append(accept)
        self.dialogs.clear()


def _box(place: int, x_css_px: float) -> Box:
    return Box(x_css_px=x_css_px, y_css_px=30 * place, width_css_px=80, height_css_px=20)


Chooser = Callable[[ScreenState, Task, RunContext], Decision]


class ScriptedPlanner:
    """A plan of the given tasks; `choose` decides, by default it clicks the button the task is named after."""

    name = "scripted"

    def __init__(
        self,
        *goals: str,
        choose: Chooser | None = None,
        replan: Callable[[ScreenState, Task, Trouble, RunContext], Decision] | None = None,
    ) -> None:
        self._tasks = tuple(Task(id=f"t{place}", goal=goal) for place, goal in enumerate(goals, start=1))
        self._choose = choose or click_named
        self._replan = replan or (lambda state, task, trouble, context: GiveUp(trouble.reason))
        self.troubles: list[Trouble] = []
        self.contexts: list[RunContext] = []
        self.decomposed_on: list[ScreenState | None] = []

    async def decompose(
        self, goal: str, state: ScreenState | None, context: RunContext
    ) -> Decomposed | CannotInterpret:
        self.decomposed_on.append(state)
        if not self._tasks:
            return CannotInterpret(part=goal, say=f"I do not understand “{goal}”.")
        return Decomposed(Plan(goal=goal, tasks=self._tasks), say="I will do this.")

    async def select_action(self, state: ScreenState, plan: Plan, task: Task, context: RunContext) -> Decision:
        self.contexts.append(context)
        return self._choose(state, task, context)

    async def replan(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        self.troubles.append(trouble)
        self.contexts.append(context)
        return self._replan(state, task, trouble, context)

    async def handle_error(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        return await self.replan(state, plan, task, trouble, context)

    async def summarize(self, plan: Plan, state: ScreenState | None, context: RunContext) -> str:
        return "All done."


def click(state: ScreenState, name: str, *, completes_task: bool = True) -> Act:
    element = next(one for one in state.elements if one.name == name)
    return Act.one(ClickElement(target=state.ref(element)), completes_task=completes_task)


def fill(state: ScreenState, name: str, text: str) -> Act:
    element = next(one for one in state.elements if one.name == name)
    return Act.one(Fill(target=state.ref(element), text=text), completes_task=True)


def click_named(state: ScreenState, task: Task, context: RunContext) -> Decision:
    if any(record.outcome.is_done for record in context.of_task(task.id)):
        return TaskDone()
    return click(state, task.goal)


class Provider:
    def __init__(self, page: FakePage) -> None:
        self.page = page
        self.requests: list[RunRequest] = []
        self.released = 0

    async def acquire(self, request: RunRequest) -> Surface:
        self.requests.append(request)
        return self.page

    async def release(self, surface: Surface) -> None:
        self.released += 1


class ListRecorder:
    """Keeps events and pictures; fails from the n-th record on when told to."""

    def __init__(self, *, fails_at_kind: str = "") -> None:
        self.events: list[Event] = []
        self._fails_at_kind = fails_at_kind

    def record(self, event: Event) -> None:
        if event.kind == self._fails_at_kind:
            raise StoreError("The disk is full.")
        self.events.append(event)

    def keep_picture(self, picture: Picture) -> str:
        return "hash"


class Listener:
    """A sink that lets a test wait for events."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._changed = threading.Condition()

    def emit(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def wait(self, wanted: Callable[[Event], bool], timeout_s: float = 60.0) -> Event:
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while True:
                found = next((event for event in self.events if wanted(event)), None)
                if found is not None:
                    return found
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    kinds = [event.kind for event in self.events]
                    raise AssertionError(f"the event did not come; there were {kinds}")

    def of(self, kind: str) -> list[Event]:
        with self._changed:
            return [event for event in self.events if event.kind == kind]

    def wait_state(self, state: RunState) -> None:
        self.wait(lambda event: isinstance(event, StateChanged) and event.state is state)

    def wait_request(self, number: int = 1) -> Request:
        def is_it(event: Event) -> bool:
            raised = [one for one in self.events if isinstance(one, RequestRaised)]
            return len(raised) >= number and event is raised[number - 1]

        event = self.wait(is_it, timeout_s=RUN_S)
        assert isinstance(event, RequestRaised)
        return event.request

    def wait_end(self) -> RunFinished:
        event = self.wait(lambda event: isinstance(event, RunFinished), timeout_s=RUN_S)
        assert isinstance(event, RunFinished)
        return event


@dataclass
class World:
    """An agent over a fake page; use as a context manager."""

    page: FakePage
    planner: ScriptedPlanner
    limits: Limits = QUICK
    recorder: ListRecorder = field(default_factory=ListRecorder)
    listener: Listener = field(default_factory=Listener)
    secrets: SecretBook = field(default_factory=NoSecrets)
    rules: PolicyRules = field(default_factory=PolicyRules)
    policy_fault: str = ""

    def __post_init__(self) -> None:
        self.provider = Provider(self.page)
        self.agent = Agent(
            Parts(
                planner=self.planner,
                provider=self.provider,
                registry=Registry(),
                resolve=lambda url: url,
                limits=self.limits,
                secrets=self.secrets,
                policy=lambda: RunPolicy(rules=self.rules, fault=self.policy_fault),
            ),
            self.recorder,
        )
        self.agent.add_sink(self.listener)
        self.control = self.agent.control

    def __enter__(self) -> World:
        self.agent.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self.agent.close(timeout_s=60)

    def start(self, goal: str = "the goal", **request: object) -> str:
        return self.control.start(RunRequest.model_validate({"goal": goal, **request}))

    def run(self, goal: str = "the goal", **request: object) -> RunFinished:
        self.start(goal, **request)
        return self.listener.wait_end()
