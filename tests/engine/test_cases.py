"""Pages that made other programs fail, carried out through the engine with its checks and approvals.

Each case is a list of wishes a planner would have. A wrong page effect, a step that says done although nothing came of
it, or an approval that is missing where the page asks, fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from operative_app.actions.browser import Fill, SelectOption
from operative_app.actions.declare import Action
from operative_app.actions.mouse import ClickElement, Hover
from operative_app.actions.registry import Registry
from operative_app.app.browser_provider import BrowserProvider
from operative_app.core.events import Event, RequestRaised, RunFinished, StateChanged, StepFinished
from operative_app.core.plan import Task
from operative_app.core.ports import Surface
from operative_app.core.requests import ApprovalRequest, Approve, QuestionRequest, Reject, Reply
from operative_app.core.run import OutcomeStatus, RunRequest, RunState
from operative_app.core.screen import ScreenState
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts
from operative_app.planning.port import Act, Decision, NotThereYet, RunContext
from operative_app.surfaces.browser.surface import ManagedBrowser
from tests.engine.world import Listener, ListRecorder, ScriptedPlanner
from tests.surfaces.pages import Pages, cases

LIMITS = Limits(backoff_s=(0.1, 0.3), effect_waits_s=(0.1, 0.3, 0.6), answer_timeout_s=20.0)


@dataclass(frozen=True, slots=True)
class Wish:
    """Press, fill (`text`), choose (`option`) or point at (`is_hover`) the element of this role and name."""

    role: str
    name: str
    text: str = ""
    option: str = ""
    within: str = ""
    is_hover: bool = False

    def action(self, state: ScreenState) -> Action | None:
        found = [
            element
            for element in state.elements
            if element.role == self.role
            and element.name.startswith(self.name)
            and (not self.within or any(self.within in one for one in element.context))
        ]
        if not found:
            return None
        target = state.ref(found[0])
        if self.text:
            return Fill(target=target, text=self.text)
        if self.option:
            return SelectOption(target=target, option=self.option)
        return Hover(target=target) if self.is_hover else ClickElement(target=target)


def press(name: str, role: str = "button", *, within: str = "") -> Wish:
    return Wish(role, name, within=within)


CASES: dict[str, tuple[Wish, ...]] = {
    "p01": (press("Approve", within="request 12"),),
    "p04": (press("Play lesson"),),
    "p06": (press("Order now", within="Fibre 500"),),
    "p11": (press("Only necessary"), press("Place order")),
    "p13": (press("Open ticket 12"),),
    "p15": (Wish("textbox", "What is new?", text="Meeting moved to 15:00"), press("Post")),
    "p17": (
        Wish("textbox", "Arrival", text="2027-03-09"),
        Wish("textbox", "Pick-up", text="2027-04-05T17:30"),
        press("Book"),
    ),
    "p19": (press("Position", "combobox"), press("Product Manager", "option"), press("Submit")),
    "p21": (
        Wish("combobox", "Pay frequency", option="per hour"),
        Wish("combobox", "Hire type", option="Part time"),
        press("Save"),
    ),
    "p22": (
        Wish("menuitem", "Reports", is_hover=True),
        Wish("menuitem", "Quarterly", is_hover=True),
        press("Export PDF", within="Quarterly"),
    ),
    "p27": (press("Remove", within="Blue lamp"),),
    "p29": (Wish("textbox", "Text", text="Hello"), press("Message list", "link")),
    "p33": (press("Continue"), press("Confirm device")),
    "p37": (Wish("textbox", "Code", text="482915"), press("Verify and continue")),
    "p39": (press("Choose size"), press("Size 6")),
    "p41": (press("Yes"),),
    "p43": (Wish("textbox", "First name", text="Robin"), press("Save")),
    "p45": (press("I have read the rules", "checkbox"), press("Send me offers", "checkbox"), press("Join")),
    "s03": (Wish("textbox", "Minutes", text="35"), press("Save")),
}
ENDLESS = """<p>Item <b id=item>1</b> of many</p><script>window.clicks = 0;</script>
<button onclick="window.clicks++; item.textContent = window.clicks + 1">Mark as read</button>"""
ASKED_BY_THE_PAGE = {"p27", "p29"}


class Provider(BrowserProvider):
    """Keeps the browser, and asks the page for the verdict before a run lets go of it."""

    script = ""
    verdict: object = None

    async def release(self, surface: Surface) -> None:
        assert isinstance(surface, ManagedBrowser)
        tab = surface._tabs.active
        assert tab is not None
        self.verdict = await tab.page.evaluate(self.script)
        await super().release(surface)


class Desk:
    """Runs one case after the other in one browser; a person says yes and types “broken”."""

    def __init__(self, folder: Path) -> None:
        self.provider = Provider(profile_dir=folder / "profile", downloads_dir=folder / "d", keep_open=True)
        self.planner = ScriptedPlanner()
        parts = Parts(
            planner=self.planner, provider=self.provider, registry=Registry(), resolve=str, limits=LIMITS
        )  # fmt: skip
        self.agent = Agent(parts, ListRecorder(), shut_down=self.provider.close)
        self.agent.add_sink(self)

    def emit(self, event: Event) -> None:
        if isinstance(event, RequestRaised):
            request = event.request
            match request:
                case ApprovalRequest():
                    self.agent.control.answer(request.id, Approve())
                case QuestionRequest(text=text) if text.startswith("The page asks"):
                    self.agent.control.answer(request.id, Reply(text="broken"))
                case _:
                    self.agent.control.answer(request.id, Reject())

    def carry_out(self, wishes: tuple[Wish, ...], url: str, script: str) -> tuple[RunFinished, list[Event]]:
        def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
            wish = wishes[int(task.goal)]
            action = wish.action(state)
            return NotThereYet(wish.name) if action is None else Act.one(action, completes_task=True)

        self.planner.__init__(*map(str, range(len(wishes))), choose=choose)  # type: ignore[misc]
        self.provider.script = script
        listener = Listener()
        self.agent.add_sink(listener)
        run_id = self.agent.control.start(RunRequest(goal="the case", url=url, headless=True))
        end = listener.wait(lambda event: event.kind == "run_finished" and event.run_id == run_id, timeout_s=60)
        assert isinstance(end, RunFinished)
        self.agent.remove_sink(listener)
        return end, listener.events


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    desk.agent.start()
    yield desk
    assert desk.agent.close()


def test_difficult_pages_are_done_through_the_engine_and_nothing_wrong_is_touched(desk: Desk) -> None:
    known = cases()
    wrong: dict[str, object] = {}
    with Pages() as pages:
        for case_id, wishes in CASES.items():
            case = known[case_id]
            script = f"[!!({case['success_js']}), !!({case['bad_js']})]"
            end, events = desk.carry_out(wishes, pages.url(case["file"]), script)
            last = [event for event in events if isinstance(event, StepFinished)][-1]
            asked = any(event.kind == "request_raised" for event in events)
            seen = (end.state, last.status, desk.provider.verdict, asked or case_id not in ASKED_BY_THE_PAGE)
            if seen != (RunState.DONE, OutcomeStatus.DONE, [True, False], True):
                wrong[case_id] = (*seen, end.reason)
    assert wrong == {}


def test_nothing_is_pressed_after_the_stop(desk: Desk) -> None:
    listener = Listener()
    desk.agent.add_sink(listener)

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        action = press("Mark as read").action(state)
        return NotThereYet("the button") if action is None else Act.one(action)

    desk.planner.__init__("Read on", choose=choose)  # type: ignore[misc]
    desk.provider.script = "window.clicks"
    with Pages() as pages:
        url = pages.make(ENDLESS)
        desk.agent.control.start(RunRequest(goal="the case", url=url, headless=True, max_steps=500))
        listener.wait(lambda event: isinstance(event, StepFinished) and event.step == 5, timeout_s=40)
        desk.agent.control.stop()
        assert listener.wait_end().state is RunState.STOPPED
    kinds = [event.kind for event in listener.events]
    stopping = next(
        place
        for place, event in enumerate(listener.events)
        if isinstance(event, StateChanged) and event.state is RunState.STOPPING
    )
    assert "step_started" not in kinds[stopping:]
    assert isinstance(desk.provider.verdict, int)
    assert desk.provider.verdict <= kinds.count("step_started") - 1
