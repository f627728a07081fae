"""A real browser that stays open, the real engine, a planner that follows a script, and a person who answers.

One desk serves the tests of a module: each test is a run of its own in the same browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Error, Page

from operative_app.actions.declare import Action
from operative_app.actions.registry import Registry
from operative_app.actions.system import TakeScreenshot
from operative_app.app.browser_provider import BrowserProvider
from operative_app.core.events import Event, RequestRaised, RunFinished, StepFinished, StepStarted
from operative_app.core.plan import Task
from operative_app.core.ports import Surface
from operative_app.core.requests import Answer, ApprovalRequest, Approve, QuestionRequest, Reject, Reply, Request
from operative_app.core.run import RunRequest
from operative_app.core.screen import Picture, ScreenState
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts
from operative_app.planning.port import Act, Decision, GiveUp, NotThereYet, RunContext, TaskDone, Trouble
from operative_app.surfaces.browser.surface import ManagedBrowser
from tests.engine.world import RUN_S, Listener, ListRecorder, ScriptedPlanner

LIMITS = Limits(backoff_s=(0.1, 0.3), effect_waits_s=(0.1, 0.3, 0.6), appear_ceiling_s=60.0, answer_timeout_s=60.0)
END_S = 30.0
"""How long after the end a page may take to show that it was done right."""
CLOSE_S = 60.0

Step = Callable[[ScreenState, RunContext], Action | None]
"""What to do on this screen; None: not there yet."""


@dataclass
class Drive:
    """How a run went."""

    end: RunFinished
    events: list[Event]
    verdict: list[object]
    troubles: list[Trouble]

    @property
    def started(self) -> list[StepStarted]:
        return [event for event in self.events if isinstance(event, StepStarted)]

    @property
    def finished(self) -> dict[int, StepFinished]:
        return {event.step: event for event in self.events if isinstance(event, StepFinished)}

    @property
    def requests(self) -> list[Request]:
        return [event.request for event in self.events if isinstance(event, RequestRaised)]

    def of(self, action: str) -> list[StepFinished]:
        """The ends of the steps of this action."""
        return [self.finished[one.step] for one in self.started if one.action == action]


class Provider(BrowserProvider):
    """Keeps the browser, and asks the page for the verdict before a run lets go of it."""

    scripts: Sequence[str] = ()
    verdict: list[object]
    on_open: Callable[[Page], object] | None = None

    async def acquire(self, request: RunRequest) -> Surface:
        await asyncio.to_thread(int)  # the worker thread of the loop is there from now on
        surface = await super().acquire(request)
        if self.on_open is not None:
            opening = self.on_open(self.page_of(surface))
            if asyncio.iscoroutine(opening):
                await opening
        return surface

    async def release(self, surface: Surface) -> None:
        page = self.page_of(surface)
        self.verdict = []
        if self.scripts:
            with contextlib.suppress(Error):
                await page.wait_for_function(self.scripts[0], timeout=END_S * 1000)
            self.verdict = [await page.evaluate(script) for script in self.scripts]
        await super().release(surface)

    def page_of(self, surface: Surface | None) -> Page:
        assert isinstance(surface, ManagedBrowser)
        tab = surface._tabs.active
        assert tab is not None
        return tab.page

    @property
    def browser(self) -> ManagedBrowser:
        assert self._kept is not None
        return self._kept


class Recorder(ListRecorder):
    """Keeps the last picture."""

    picture: Picture | None = None

    def keep_picture(self, picture: Picture) -> str:
        self.picture = picture
        return super().keep_picture(picture)


def yes_and_broken(request: Request) -> Answer:
    """Approves, types “broken” where a page asks, and gives no other guidance."""
    match request:
        case ApprovalRequest():
            return Approve()
        case QuestionRequest(text=text) if text.startswith("The page asks"):
            return Reply(text="broken")
        case _:
            return Reject()


@dataclass
class Desk:
    """Use `drive`; `person` answers (None: it answers by itself), `on_event` hears everything on the agent's thread."""

    folder: Path
    person: Callable[[Request], Answer | None] = yes_and_broken
    on_event: Callable[[Event], object] = field(default=lambda _: None)

    def __post_init__(self) -> None:
        self.downloads = self.folder / "d"
        self.provider = Provider(profile_dir=self.folder / "profile", downloads_dir=self.downloads, keep_open=True)
        self.planner = ScriptedPlanner()
        self.recorder = Recorder()
        parts = Parts(
            planner=self.planner, provider=self.provider, registry=Registry(), resolve=str, limits=LIMITS
        )  # fmt: skip
        self.agent = Agent(parts, self.recorder, shut_down=self.provider.close)
        self.agent.add_sink(self)

    def emit(self, event: Event) -> None:
        self.on_event(event)
        if isinstance(event, RequestRaised) and (answer := self.person(event.request)) is not None:
            self.agent.control.answer(event.request.id, answer)

    def reset(self) -> None:
        self.person, self.on_event, self.provider.on_open = yes_and_broken, lambda _: None, None

    def drive(
        self,
        url: str,
        *steps: Step,
        scripts: Sequence[str] = (),
        goes_on: bool = False,
        while_running: Callable[[Listener], object] | None = None,
        **request: object,
    ) -> Drive:
        """A run with one task for each step.

        Args:
            scripts: Evaluated in the page at the end; the first one is waited for until it is true.
            goes_on: A step that does not work ends its task, and the next one is done.
            while_running: Called with the run's events once it was started.
        """

        def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
            action = steps[int(task.goal)](state, context)
            return NotThereYet(task.goal) if action is None else Act.one(action, completes_task=True)

        def replan(state: ScreenState, task: Task, trouble: Trouble, context: RunContext) -> Decision:
            return TaskDone(trouble.reason) if goes_on else GiveUp(trouble.reason)

        self.planner.__init__(*map(str, range(len(steps))), choose=choose, replan=replan)  # type: ignore[misc]
        self.provider.scripts = scripts
        listener = Listener()
        self.agent.add_sink(listener)
        try:
            fields = {"goal": "the case", "url": url, "headless": True, **request}
            run_id = self.agent.control.start(RunRequest.model_validate(fields))
            if while_running is not None:
                while_running(listener)
            end = listener.wait(lambda event: event.kind == "run_finished" and event.run_id == run_id, timeout_s=RUN_S)
        finally:
            self.agent.remove_sink(listener)
        assert isinstance(end, RunFinished)
        return Drive(end, listener.events, self.provider.verdict, self.planner.troubles)


@contextlib.contextmanager
def opened_desk(
    chromium_path: str, *, allow: tuple[str, ...] | None = None, deny: tuple[str, ...] = ()
) -> Iterator[Desk]:
    """A desk with its browser open; its home is a short path of its own. The first run is held to these sites."""
    folder = Path(tempfile.mkdtemp(prefix="opd-"))
    (folder / "home").mkdir()
    before = dict(os.environ)
    os.environ |= {
        "HOME": str(folder / "home"),
        "XDG_CONFIG_HOME": str(folder / "home"),
        "OPERATIVE_BROWSER": chromium_path,
    }
    desk = Desk(folder)
    try:
        desk.agent.start()
        desk.drive("about:blank", lambda state, context: TakeScreenshot(), allow=allow, deny=deny)
    except BaseException:
        desk.agent.close(timeout_s=CLOSE_S)
        raise
    finally:
        os.environ.clear()
        os.environ |= before
    yield desk
    assert desk.agent.close(timeout_s=CLOSE_S)
    shutil.rmtree(folder, ignore_errors=True)


def element_step(make: Callable[[ScreenState, str], Action | None], role: str, name: str, within: str = "") -> Step:
    """A step on the first element of this role whose name begins so; `make` gets the state and the element's key."""

    def step(state: ScreenState, context: RunContext) -> Action | None:
        for one in state.elements:
            is_inside = not within or any(within in part for part in one.context)
            if one.role == role and one.name.startswith(name) and is_inside:
                return make(state, one.key)
        return None

    return step
