"""The plan is the contract: what is outside asks once, the person widens, pages and models do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from operative_app.actions.browser import Navigate
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import TypeText
from operative_app.actions.system import OpenApp
from operative_app.core.events import Event, PlanChanged, RequestRaised, Said, StepStarted
from operative_app.core.plan import AddTask, Grants, Plan, Task
from operative_app.core.requests import ApprovalRequest, Approve, PlanReviewRequest, Reject, Reply
from operative_app.core.run import EndCause, OutcomeStatus, Oversight, RunState
from operative_app.core.screen import Box, ScreenState, SurfaceKind, Window
from operative_app.core.secrets import FieldPlace
from operative_app.planning.port import Act, AskPerson, Decision, Decomposed, Revise, RunContext, TaskDone
from operative_app.safety.policy_file import PolicyRules
from operative_app.safety.risk_words import Kind
from tests.engine.world import FakePage, ScriptedPlanner, World, click

OTHER = "https://other.example/"


class GrantingPlanner(ScriptedPlanner):
    """Names sites before and after it has seen the page."""

    early: Grants = Grants()
    late: Grants = Grants()

    async def decompose(self, goal: str, state: ScreenState | None, context: RunContext) -> Decomposed:
        decomposed = await super().decompose(goal, state, context)
        assert isinstance(decomposed, Decomposed)
        grants = self.early if state is None else self.early | self.late
        tasks = tuple(task.model_copy(update={"grants": grants}) for task in decomposed.plan.tasks)
        return Decomposed(Plan(goal=goal, tasks=tasks), decomposed.say)


def goes_to(*urls: str) -> GrantingPlanner:
    """One task for each address: go there, then press “Next”."""

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        done = [one for one in context.of_task(task.id) if one.outcome.is_done]
        if not done:
            return Act.one(Navigate(url=task.goal))
        return click(state, "Next") if len(done) == 1 else TaskDone()

    return GrantingPlanner(*urls, choose=choose)


def page() -> FakePage:
    """Each press of “Next” shows one line more."""
    return FakePage(
        buttons=["Next"],
        url="https://start.example/",
        on_click={"Next": lambda one: one.texts.append(f"Line {len(one.texts)}")},
    )


def asked(events: list[Event]) -> list[ApprovalRequest]:
    requests = [one.request for one in events if isinstance(one, RequestRaised)]
    return [one for one in requests if isinstance(one, ApprovalRequest)]


def plans(world: World) -> list[PlanChanged]:
    return [one for one in world.listener.events if isinstance(one, PlanChanged)]


def sites(world: World) -> set[str]:
    """All that any plan of the run granted."""
    return {site for one in plans(world) for task in one.plan.walk() for site in task.grants.sites}


def test_another_site_asks_once_and_allowing_it_widens_the_task_on_record() -> None:
    with World(page(), goes_to(OTHER, f"{OTHER}again")) as world:
        world.start("do it")
        first = world.listener.wait_request(1)
        assert isinstance(first, ApprovalRequest)
        assert (first.rule, first.site, first.allow_words) == (
            "leaving", "other.example", "Allow other.example for this task",
        )  # fmt: skip
        world.control.answer(first.id, Approve(allow_kind=True))
        end = world.listener.wait_end()
        assert end.state is RunState.DONE
        assert len(asked(world.listener.events)) == 1  # the second task begins there: going on is no leaving
        told = next(one for one in plans(world) if one.reason == "allowed: other.example")
        assert told.by == "person"
        assert [one.grants.sites for one in told.plan.tasks] == [("start.example", "other.example"), ("start.example",)]
        assert told in world.recorder.events


def test_a_plain_yes_holds_while_the_run_is_there_and_not_for_coming_again() -> None:
    with World(page(), goes_to(OTHER, "https://start.example/", OTHER)) as world:
        world.start("do it")
        for number in (1, 2):
            request = world.listener.wait_request(number)
            assert isinstance(request, ApprovalRequest)
            assert request.task_id == f"t{2 * number - 1}"
            world.control.answer(request.id, Approve())
        assert world.listener.wait_end().state is RunState.DONE
        assert sites(world) == {"start.example"}


def test_no_means_that_nothing_is_opened() -> None:
    with World(page(), goes_to(OTHER)) as world:
        world.start("do it")
        world.control.answer(world.listener.wait_request().id, Reject())
        world.listener.wait(lambda event: isinstance(event, RequestRaised) and event.request.kind == "question")
        assert world.page.url == "https://start.example/"
        assert not [one for one in world.listener.of("step_finished") if one.status is OutcomeStatus.DONE]  # type: ignore[union-attr]
        world.control.stop()
        world.listener.wait_end()


@pytest.mark.parametrize(
    ("goal", "url"),
    [
        ("go to https://other.example and press next", ""),
        ("do it", OTHER),
        ("open https://www.other.example/deep", ""),
    ],
)
def test_what_the_person_named_is_granted(goal: str, url: str) -> None:
    with World(page(), goes_to(OTHER)) as world:
        assert world.run(goal, url=url).state is RunState.DONE
        assert asked(world.listener.events) == []


def test_the_page_that_is_open_at_the_start_is_granted() -> None:
    with World(page(), goes_to("https://www.start.example/next")) as world:
        assert world.run("do it").state is RunState.DONE
        assert asked(world.listener.events) == []


def test_what_a_planner_names_before_it_sees_a_page_counts_and_is_told() -> None:
    planner = goes_to(OTHER)
    planner.early = Grants(sites=("other.example",))
    with World(page(), planner) as world:
        assert world.run("do it").state is RunState.DONE
        assert asked(world.listener.events) == []
        said = [one.text for one in world.listener.events if isinstance(one, Said)]
        assert said[0].endswith("The plan also uses other.example.")


def test_what_it_names_afterwards_does_not_count() -> None:
    planner = goes_to(OTHER)
    planner.late = Grants(sites=("other.example",), kinds=("payment",), folders=("/",))
    with World(page(), planner) as world:
        world.start("do it")
        request = world.listener.wait_request()
        assert isinstance(request, ApprovalRequest)
        assert request.rule == "leaving"
        assert sites(world) == {"start.example"}
        assert not any(task.grants.kinds or task.grants.folders for one in plans(world) for task in one.plan.walk())
        world.control.stop()
        world.listener.wait_end()


def test_it_counts_when_the_person_accepted_the_plan() -> None:
    planner = goes_to(OTHER)
    planner.late = Grants(sites=("other.example",))
    with World(page(), planner) as world:
        world.start("do it", review_plan=True)
        review = world.listener.wait_request()
        assert isinstance(review, PlanReviewRequest)
        assert review.plan.tasks[0].grants.sites == ("start.example", "other.example")
        world.control.answer(review.id, Approve())
        assert world.listener.wait_end().state is RunState.DONE
        assert asked(world.listener.events) == []


def test_a_revised_plan_widens_nothing_and_keeps_what_was_allowed() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        done = [one for one in context.history if one.outcome.is_done]
        if task.id == "t1" and len(done) == 1:
            wide = Task(id="new", goal=OTHER, grants=Grants(sites=("other.example", "start.example")))
            return Revise(Plan(goal="do it", tasks=(Task(id="t1", goal="first"), wide)), "better")
        if task.id == "new":
            return Act.one(Navigate(url=OTHER), completes_task=True)
        return TaskDone() if done else click(state, "Next", completes_task=False)

    with World(page(), GrantingPlanner("first", choose=choose)) as world:
        world.start("do it")
        world.listener.wait(lambda event: isinstance(event, PlanChanged) and event.reason == "better")
        world.control.stop()
        world.listener.wait_end()
        assert sites(world) == {"start.example"}


def test_words_typed_by_hand_widen_and_choices_of_the_planner_do_not() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        if len(context.words) < 1:
            return AskPerson("Where to?", ("Go to https://other.example",))
        return Act.one(Navigate(url=OTHER), completes_task=True)

    for reply, is_asked in (("Go to https://other.example", True), ("to https://other.example, please", False)):
        with World(page(), ScriptedPlanner("first", choose=choose)) as world:
            world.start("do it")
            world.control.answer(world.listener.wait_request().id, Reply(text=reply))
            if is_asked:
                request = world.listener.wait_request(2)
                assert isinstance(request, ApprovalRequest)
                world.control.stop()
            end = world.listener.wait_end()
            assert (end.state is RunState.STOPPED) is is_asked


def test_a_task_the_person_adds_grants_what_it_names() -> None:
    planner = goes_to("https://start.example/", OTHER)
    with World(page(), planner) as world:
        world.start("do it", review_plan=True)
        review = world.listener.wait_request()
        world.control.edit_plan(AddTask(goal="https://third.example/"))
        world.listener.wait(lambda event: isinstance(event, PlanChanged) and event.by == "person")
        world.control.answer(review.id, Approve())
        request = world.listener.wait_request(2)
        assert isinstance(request, ApprovalRequest)
        assert request.site == "other.example"
        world.control.answer(request.id, Approve())
        assert world.listener.wait_end().state is RunState.DONE
        assert len(asked(world.listener.events)) == 1


def test_a_step_the_planner_calls_risky_is_asked_about() -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        act = click(state, "Next")
        return Act(act.variants, completes_task=True, is_risky=True)

    with World(page(), ScriptedPlanner("first", choose=choose)) as world:
        world.start("do it")
        request = world.listener.wait_request()
        assert isinstance(request, ApprovalRequest)
        assert (request.rule, request.may_allow_kind) == ("doubt", False)
        world.control.answer(request.id, Approve())
        assert world.listener.wait_end().state is RunState.DONE


def test_a_broken_policy_file_keeps_runs_from_starting() -> None:
    with World(page(), goes_to(OTHER), policy_fault="The policy file x cannot be used: line 3: why.") as world:
        end = world.run("go to other.example")
        assert (end.state, end.cause) == (RunState.FAILED, EndCause.ERROR)
        assert "line 3" in end.reason
        assert world.provider.requests == []
        assert not [one for one in world.listener.events if isinstance(one, StepStarted)]


def test_a_policy_file_narrows_every_run() -> None:
    rules = PolicyRules(denied=frozenset({Kind.LEAVING}), oversight=Oversight.RISKY, may_approve_beforehand=False)
    with World(page(), goes_to(OTHER), rules=rules) as world:
        world.start("do it", oversight=Oversight.NONE, approve_all=True)
        world.listener.wait(lambda event: isinstance(event, RequestRaised) and event.request.kind == "question")
        assert world.page.url == "https://start.example/"
        world.control.stop()
        world.listener.wait_end()


def test_a_policy_file_wants_a_person_to_approve() -> None:
    risky = FakePage(buttons=["Pay now"], url="https://start.example/")
    rules = PolicyRules(oversight=Oversight.RISKY, may_approve_beforehand=False)
    with World(risky, ScriptedPlanner("Pay now"), rules=rules) as world:
        world.start("do it", oversight=Oversight.NONE, approve_all=True)
        world.control.set_oversight(Oversight.NONE)
        request = world.listener.wait_request()
        world.control.answer(request.id, Approve(), by="front end")
        assert world.listener.wait_end().cause is EndCause.HUMAN_NEEDED
        assert risky.clicks == []


class Windows(FakePage):
    """Two programs: what is typed goes to the one in front; opening “the text editor” brings up Mousepad."""

    kind = SurfaceKind.DESKTOP
    front = "Mailer"

    def state(self) -> ScreenState:
        here = Box(x_css_px=0, y_css_px=0, width_css_px=800, height_css_px=600)
        window = Window(id=1, title=f"{self.front} window", app=self.front, box=here, is_active=True)
        changes = {"surface": SurfaceKind.DESKTOP, "url": "", "tabs": (), "windows": (window,)}
        return super().state().model_copy(update=changes)

    async def open_app(self, app: str, arguments: Sequence[str] = ()) -> Window:
        self.front = "Mousepad"
        return self.state().windows[0]

    async def type_text(self, text: str, *, delay_ms: float = 0, only_in: FieldPlace | None = None) -> None:
        await super().type_text(text)
        self.texts.append(f"{text} {len(self.typed)}")


def types(*steps: Action) -> ScriptedPlanner:
    """One task for each step."""

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        if any(one.outcome.is_done for one in context.of_task(task.id)):
            return TaskDone()
        return Act.one(steps[int(task.goal)])

    return ScriptedPlanner(*(str(number) for number in range(len(steps))), choose=choose)


@pytest.mark.parametrize("is_allowed", [True, False])
def test_acting_in_the_window_of_another_program_asks_once(is_allowed: bool) -> None:
    """Another program comes to the front while the first task is done; a plain yes holds as long as an allowance."""
    desk = Windows()
    with World(desk, types(TypeText(text="a"), TypeText(text="b"), TypeText(text="c"))) as world:
        desk.on_look = lambda page: setattr(page, "front", "Bank") if page.typed else None
        world.start("do it", surface=SurfaceKind.DESKTOP)
        request = world.listener.wait_request(1)
        assert isinstance(request, ApprovalRequest)
        assert (request.rule, request.allow_words) == ("program", "Allow “Bank” for this task")
        assert desk.typed == ["a"]
        world.control.answer(request.id, Approve(allow_kind=is_allowed))
        assert world.listener.wait_end().state is RunState.DONE
        assert desk.typed == ["a", "b", "c"]
        assert len(asked(world.listener.events)) == 1


def test_a_program_the_agent_opened_is_acted_in_whatever_its_window_calls_it() -> None:
    desk = Windows()
    with World(desk, types(OpenApp(app="the text editor"), TypeText(text="a"))) as world:
        assert world.run("Open the text editor", surface=SurfaceKind.DESKTOP).state is RunState.DONE
        assert (desk.typed, asked(world.listener.events)) == (["a"], [])


class Profile(FakePage):
    """A form the site has filled in itself; “Next” sends it."""

    def state(self) -> ScreenState:
        seen = super().state()
        changes = {"form": "f"}
        elements = tuple(
            one.model_copy(update=changes | ({"sends_to": f"{self.url}next"} if one.role == "button" else {}))
            for one in seen.elements
        )
        return seen.model_copy(update={"elements": elements})


def test_prefilled_details_are_asked_about_once_and_new_ones_again() -> None:
    profile = Profile(
        buttons=["Next"], url="https://start.example/", fields={"Phone": "+49 170 1234567", "Street": "Main Road 5"}
    )

    def sent(page: FakePage) -> None:
        page.texts.append(f"Page {len(page.clicks)}")
        if len(page.clicks) == 2:
            page.fields["Street"] = "Side Road 6"

    profile.on_click["Next"] = sent
    planner = ScriptedPlanner("1", "2", "3", choose=lambda state, task, context: click(state, "Next"))
    with World(profile, planner) as world:
        world.start("Go on")
        first = world.listener.wait_request(1)
        assert isinstance(first, ApprovalRequest)
        assert first.reason == "It gives personal details away: “Phone”, “Street”."
        world.control.answer(first.id, Approve())
        second = world.listener.wait_request(2)
        assert isinstance(second, ApprovalRequest)
        assert second.reason == "It gives personal details away: “Street”."
        assert len(profile.clicks) == 2
        world.control.answer(second.id, Approve())
        assert world.listener.wait_end().state is RunState.DONE
