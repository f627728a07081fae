"""The planner port, served by a model: one question for each step judges the last one and chooses the next actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from operative_app.actions.registry import Registry
from operative_app.core.coordinates import ImageMap
from operative_app.core.endpoint import LEAST_CONTEXT_TOKENS, TOO_SMALL
from operative_app.core.errors import ModelError
from operative_app.core.plan import Plan, Task
from operative_app.core.requests import HandOffKind
from operative_app.core.screen import ScreenState, SurfaceKind
from operative_app.llm.errors import ContextTooLong, CreditUsedUp, KeyRejected
from operative_app.llm.messages import ModelReply
from operative_app.planning.model import plans
from operative_app.planning.model.briefing import DECISION, MOST_TROUBLES, Briefing
from operative_app.planning.model.catalog import Catalog
from operative_app.planning.model.course import GO_ON, Course, Moment
from operative_app.planning.model.deciding import Decided, checked, claimed, decision_of, of_native_calls, of_present
from operative_app.planning.model.evidence import LEAST_CONFIDENCE, Standing
from operative_app.planning.model.inquiries import Inquiries
from operative_app.planning.model.options import ModelOptions
from operative_app.planning.model.pictures import Shown, computer_screen
from operative_app.planning.model.ports import Model
from operative_app.planning.model.prompts import PromptLibrary
from operative_app.planning.model.replies import (
    DecisionReply,
    GoalRoute,
    ReplyFault,
    Route,
    read_decision,
)
from operative_app.planning.model.schemas import decision_schema
from operative_app.planning.model.sight import see
from operative_app.planning.model.talk import Unusable, ask
from operative_app.planning.model.transcript import Transcript, tokens_of
from operative_app.planning.port import (
    Act,
    Answered,
    AskPerson,
    CannotInterpret,
    Decision,
    Decomposed,
    GiveUp,
    HandOver,
    Misread,
    NotThereYet,
    Revise,
    RunContext,
    TaskDone,
    Trouble,
)

_MOST_MISREADS = 3
_MOST_REVISIONS = 12
_MOST_SHOWS = 2
_MOST_FITTINGS = 3
_FITTING_SHARE = 0.6


class ModelPlanner:
    """Implements `planning.port.Planner`; owned by the agent thread, one for any number of runs, one after the other.

    Args:
        model: The endpoint that decides.
        registry: The declared actions; the same one that the engine has.
        prompts: Where the prompts come from; the shipped ones by default.
        summariser: The endpoint that keeps the memory of long runs and writes the closing words; the first one by
            default.
        today: Gives the day for “tomorrow” and dates without a year.
        name: How the run's record and the window call it.
    """

    def __init__(
        self,
        model: Model,
        registry: Registry,
        *,
        prompts: PromptLibrary | None = None,
        options: ModelOptions | None = None,
        summariser: Model | None = None,
        today: Callable[[], date] = date.today,
        name: str = "model",
    ) -> None:
        self.name = name
        self._model = model
        self._options = options or ModelOptions()
        self._briefing = Briefing(model, prompts or PromptLibrary(), self._options)
        self._inquiries = Inquiries(model, summariser or model, self._briefing, self._options, today)
        self._catalogs = {kind: Catalog(registry, kind) for kind in SurfaceKind}
        self._kept: Course | None = None

    # The port.

    async def decompose(
        self, goal: str, state: ScreenState | None, context: RunContext
    ) -> Decomposed | CannotInterpret | Answered:
        """Perception and plan in one question, asked before anything is opened; the same plan when the page is seen.

        Raises:
            ModelError: The endpoint failed or refused.
            Unusable: Its replies cannot be used.
        """
        course = self._course(context)
        if course.frame is None or (state is not None and state.elements and self._options.plan_on_screen):
            try:
                course.frame = await self._inquiries.understand(course, goal, state, context)
            except Unusable as error:
                raise Unusable(f"The model's replies cannot be used: {str(error).rstrip('.')}.") from error
            course.plan = plans.plan_of(goal, course.frame)
        frame, surface = course.frame, context.request.surface
        if frame.unclear:
            return CannotInterpret(frame.unclear, frame.say or f"I do not understand “{frame.unclear}”.", frame.hint)
        if frame.route is GoalRoute.ANSWER:
            return Answered(frame.answer)
        if frame.route in {GoalRoute.BROWSER, GoalRoute.DESKTOP} and frame.route.value != surface.value:
            say = f"{frame.say} This needs the {frame.route}, and the {surface} is chosen.".strip()
            return CannotInterpret(goal, say, f"Choose the {frame.route} and start again.")
        return Decomposed(course.plan, frame.say)

    async def select_action(self, state: ScreenState, plan: Plan, task: Task, context: RunContext) -> Decision:
        """The next step: from the rest of the last reply when that still holds, otherwise from one question."""
        course = self._course(context)
        if not task.is_open and len(context.wishes) <= course.wishes_told:
            return TaskDone()
        now = self._moment(course, state, plan, task, context)
        course.begin(now)
        rest = course.take_pending(state, context)
        if course.is_condition_met(now) and not course.is_left_to_person(now) and not course.is_at_end(now):
            return TaskDone(task.done_when)
        is_held = rest is not None and _still_holds(course, rest, now)
        if rest is not None and is_held and (decision := await self._next(course, rest, now)) is not None:
            return decision
        return await self._decide(course, now, None)

    async def replan(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        """Another way after a refusal, an unexpected screen, or going back."""
        if trouble.kind == "rolled back":  # nothing was tried since; the loop counts how often it goes back
            course = self._course(context)
            return await self._decide(course, self._moment(course, state, plan, task, context), trouble)
        return await self.handle_error(state, plan, task, trouble, context)

    async def handle_error(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        """Another way after the loop's own retries; after a few of them the person is asked."""
        course = self._course(context)
        course.troubles[task.id] += 1
        if course.troubles[task.id] > MOST_TROUBLES:
            course.troubles[task.id] = 0
            return GiveUp(trouble.reason, may_begin_anew=trouble.kind != "refused")
        return await self._decide(course, self._moment(course, state, plan, task, context), trouble)

    async def summarize(self, plan: Plan, state: ScreenState | None, context: RunContext) -> str:
        """What was done, each claim with the step that shows it, and what was changed."""
        return await self._inquiries.summarize(self._course(context), plan, state, context)

    # One question for a step.

    async def _decide(self, course: Course, now: Moment, trouble: Trouble | None) -> Decision:
        course.pending = None
        if trouble is None and (what := course.is_still_waiting(now.sight, now.context)):
            return NotThereYet(what)
        course.waiting = None
        course.begin(now)
        self._briefing.tell(course, now, trouble)
        await self._inquiries.keep_account(course, now.context)
        try:
            decided = await self._ask(course, now, is_in_trouble=trouble is not None)
        except Unusable as error:
            return _misread(course, str(error))
        except (KeyRejected, CreditUsedUp):
            raise
        except ModelError as error:
            return GiveUp(str(error))
        course.misreads = 0
        return await self._next(course, decided, now) or _misread(course, "it holds nothing to do for the present task")

    async def _ask(self, course: Course, now: Moment, *, is_in_trouble: bool) -> Decided:
        """One question, and a further one for each time the model asks to see more."""
        for shows in range(_MOST_SHOWS + 1):
            shown = await self._briefing.picture(course, now, is_in_trouble=is_in_trouble)
            image = shown.image if shown is not None else None

            is_enough = shows >= _MOST_SHOWS

            def read(
                reply: ModelReply, is_last: bool, *, image: ImageMap | None = image, is_enough: bool = is_enough
            ) -> Decided:
                decision = of_native_calls(reply.calls, reply.text) or read_decision(reply.content)
                if decision.route is Route.SHOW and is_enough:
                    raise ReplyFault("you were shown more already: decide by what you see")
                counted_on = None if reply.calls else image  # native calls name places of the state already
                decision = of_present(decision, now.plan, now.task)
                decided = checked(decision, course.catalog, now.state, course.numbers.of(now.state), counted_on)
                decided = replace(decided, checks=reply.safety_checks)
                _check_claim(course, decided, now, is_last=is_last)
                return decided

            purpose = "recovery" if is_in_trouble else "decision"
            decided = await self._ask_fitting(course, read, now, shown, purpose)
            course.transcript.reply(decided.reply.model_dump_json(exclude_defaults=True, exclude={"last"}))
            if decided.reply.keep:
                course.transcript.note(f"noted: {decided.reply.keep}")
            if decided.reply.route is not Route.SHOW:
                return decided
            self._briefing.show(course, decided.reply.show, now)
        raise AssertionError("unreachable: the last reply cannot ask to be shown more")

    async def _ask_fitting(
        self,
        course: Course,
        read: Callable[[ModelReply, bool], Decided],
        now: Moment,
        shown: Shown | None,
        purpose: str,
    ) -> Decided:
        """Ask with what fits into the context; when the endpoint says that it does not, by the real limit it tells.

        Raises:
            ContextTooLong: It does not fit either without the picture, with a single turn and a short screen.
        """
        system, schema = self._briefing.system(course), decision_schema(course.catalog)
        fixed = tokens_of(system) + tokens_of(str(schema))
        picture = shown.picture if shown is not None else None
        known = self._briefing.context_tokens(course)
        if known < LEAST_CONTEXT_TOKENS and not course.is_small_told:
            course.is_small_told = True
            now.context.warn(f"{self.name} takes {known:,} tokens at a time. {TOO_SMALL}")
        for is_last in (*(_MOST_FITTINGS - 1) * (False,), True):
            course.transcript.fit(self._briefing.room_tokens(course), fixed, has_picture=picture is not None)
            messages = course.transcript.messages(picture)
            request = self._briefing.request(system, messages, schema, DECISION, course)
            if picture is not None and self._model.capabilities.has_computer_use:
                request = replace(request, computer=computer_screen(picture, now.state))
            try:
                return (await ask(self._model, request, read, now.context, purpose, _snapshot)).value
            except ContextTooLong as error:
                if is_last:
                    raise
                known = self._briefing.context_tokens(course)
                told = error.limit_tokens or 0
                course.limit_tokens = told if 0 < told < known else int(known * _FITTING_SHARE)
                picture = None
        raise AssertionError("unreachable: the last fitting returns or raises")

    # What a reply means.

    async def _next(self, course: Course, decided: Decided, now: Moment) -> Decision | None:
        """The task is done, or this is the next step for it; None when the reply says nothing about it."""
        reply, task = decided.reply, now.task
        if not task.is_open:
            return _late(reply, now.plan)
        if new_checks := course.open_checks(decided.checks, now.context):
            return AskPerson(f"The model's provider wants you to know: {' '.join(new_checks)} Go on?", (GO_ON, "No"))
        evidence = claimed(reply, now.plan, task)
        if evidence is not None:
            if course.is_left_to_person(now):
                course.handed.add(task.id)
                return HandOver(HandOffKind.OTHER, "The plan leaves this to you.", task.goal, completes_task=False)
            return await self._judged(course, decided, evidence, now)
        if reply.route is Route.REPLAN:
            course.revisions += 1
            if course.revisions > _MOST_REVISIONS:
                return GiveUp(f"The plan was changed {_MOST_REVISIONS} times and does not lead to the goal.")
            reason = reply.say or reply.thought or "The plan did not fit what is there."
            plan = plans.revised(now.plan, plans.tasks_of(reply.tasks))
            course.has_dropped = course.has_dropped or plans.drops(now.plan, plan)
            return Revise(plan, reason)
        known = "\n".join(course.said(now.context))
        variants = tuple(course.given.reveal(actions, now.state) for actions in decided.variants)
        revealed = replace(decided, variants=variants)
        decision = decision_of(revealed, now.state, task, course.numbers.of(now.state), known)
        course.dropped = decided.dropped
        match decision:
            case Act():
                course.note_choice(decision, now.sight)
                if course.is_left_to_person(now) or course.is_at_end(now):
                    decision = replace(decision, completes_task=False)
                is_left_open = reply.completes and not decided.dropped and not decision.completes_task
                course.completing = task.id if is_left_open and reply.confidence >= LEAST_CONFIDENCE else ""
            case NotThereYet(what=what):
                course.waiting = (now.sight.lines, what)
            case AskPerson():
                course.troubles[task.id] = 0
            case HandOver():
                course.troubles[task.id] = 0
                course.handed.add(task.id)
                if course.is_at_end(now):
                    decision = replace(decision, completes_task=False)
        return decision

    async def _judged(self, course: Course, decided: Decided, evidence: str, now: Moment) -> TaskDone:
        """The task ends: verified when the code or, where it cannot tell, a second look says so."""
        reply = decided.reply
        standing = course.judge(evidence, reply, now).standing
        is_verified = standing is Standing.SHOWN
        if standing is Standing.DOUBTFUL or (is_verified and course.is_at_end(now)):
            is_verified = self._options.second_look and await self._inquiries.look_again(
                course, evidence, reply.answer, now
            )
        course.keep_pending(decided, now.state, now.context)
        answer = "" if reply.answer in course.answers else reply.answer
        course.answers.add(reply.answer)
        if answer and not is_verified:
            answer = f"{answer} (not verified)"
        return TaskDone(reply.answer or evidence, answer, is_verified=is_verified)

    def _course(self, context: RunContext) -> Course:
        if self._kept is None or self._kept.request is not context.request:
            catalog = self._catalogs[context.request.surface]
            self._kept = Course(context.request, catalog, Transcript(self._options.window))
        self._kept.given.cleaned = context.cleaned
        self._kept.given.hear((context.request.goal, *context.wishes, *context.words))
        return self._kept

    def _moment(self, course: Course, state: ScreenState, plan: Plan, task: Task, context: RunContext) -> Moment:
        words = (course.request.goal, task.goal, task.done_when, *context.wishes, *context.words)
        return Moment(state, see(state, course.numbers, words), plan, task, context)


def _still_holds(course: Course, rest: Decided, now: Moment) -> bool:
    """The rest of a reply says nothing of the task that came next, or shows what it says of it."""
    evidence = claimed(rest.reply, now.plan, now.task) if now.task.is_open else None
    return evidence is None or course.judge(evidence, rest.reply, now).standing is not Standing.NOT_SHOWN


def _check_claim(course: Course, decided: Decided, now: Moment, *, is_last: bool) -> None:
    """A claim that nothing shows is told to the model once; a reply must claim or do something."""
    if not now.task.is_open:
        return
    evidence = claimed(decided.reply, now.plan, now.task)
    if evidence is None:
        if decided.reply.route is Route.ACT and not decided.variants:
            raise ReplyFault("the present task is not said to be done, and there is no action in variants")
        return
    verdict = course.judge(evidence, decided.reply, now)
    if verdict.standing is Standing.NOT_SHOWN and not is_last:
        number = plans.numbered(now.plan).get(now.task.id, 0)
        raise ReplyFault(
            f"task {number} is said to be done, but {verdict.fault}; look again, act, or name what shows it"
        )


def _misread(course: Course, fault: str) -> Decision:
    """A failed step; after a few in a row the person is asked."""
    course.misreads += 1
    if course.misreads < _MOST_MISREADS:
        return Misread(fault)
    course.misreads = 0
    return GiveUp(f"The model's replies cannot be used: {fault.rstrip('.')}.")


def _late(reply: DecisionReply, plan: Plan) -> Revise:
    """What becomes of a wish typed while the last task was carried out: new tasks, or a word."""
    said = reply.say or reply.answer or reply.thought or "There is nothing more to do."
    if reply.route is Route.REPLAN:
        return Revise(plans.revised(plan, plans.tasks_of(reply.tasks)), said)
    return Revise(plan, said)


def _snapshot(decided: Decided) -> dict[str, object]:
    """The fields of planning_agents.txt's snapshot of a step's result."""
    reply = decided.reply
    return {
        "route": reply.route.value,
        "goal_achieved": reply.goal_achieved,
        "task_achieved": bool(reply.done),
        "reasoning": reply.thought,
        "last_result": reply.last,
        "confidence": reply.confidence,
        "solution": reply.answer,
    }
