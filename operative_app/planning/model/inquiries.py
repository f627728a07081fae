"""The questions beside the one for each step: what the goal wants, a look with fresh eyes, the memory, the summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from operative_app.core.errors import ModelError
from operative_app.core.plan import Plan
from operative_app.core.screen import ScreenState
from operative_app.planning.model import plans, telling
from operative_app.planning.model.briefing import Briefing
from operative_app.planning.model.course import Course, Moment
from operative_app.planning.model.evidence import LEAST_CONFIDENCE, Sighting, was_read
from operative_app.planning.model.options import ModelOptions
from operative_app.planning.model.ports import Model
from operative_app.planning.model.replies import (
    LookReply,
    PlanReply,
    read_history,
    read_look,
    read_plan,
    read_summary,
)
from operative_app.planning.model.schemas import HISTORY_SCHEMA, LOOK_SCHEMA, SUMMARY_SCHEMA, plan_schema
from operative_app.planning.model.sight import see
from operative_app.planning.model.summary import plain_summary, summary_of
from operative_app.planning.model.talk import Unusable, ask, plain
from operative_app.planning.port import RunContext

_ACCOUNT_KEEPS_LINES = 15
_SUMMARY_STEPS = 80
_SCREEN_CHARS = 12_000


class Inquiries:
    """Each method is one call of a model, two when the first reply cannot be used. Agent thread.

    Args:
        summariser: Keeps the memory of long runs and writes the closing words.
    """

    def __init__(
        self,
        model: Model,
        summariser: Model,
        briefing: Briefing,
        options: ModelOptions,
        today: Callable[[], date],
    ) -> None:
        self._model = model
        self._summariser = summariser
        self._briefing = briefing
        self._options = options
        self._today = today

    async def understand(self, course: Course, goal: str, state: ScreenState | None, context: RunContext) -> PlanReply:
        """Perception of the goal and its plan in one call; perception in a call of its own when that is set.

        Raises:
            ModelError: The endpoint failed or refused.
            Unusable: Its replies cannot be used.
        """
        surface = course.request.surface.value
        screen = see(state, course.numbers, (goal,)).text[:_SCREEN_CHARS] if state is not None else ""
        perceived = ""
        if self._options.separate_perception:
            prompt = self._briefing.rendered(
                "perception",
                is_step_result=False,
                surface=surface,
                goal=goal,
                claim="",
                evidence="",
                steps="",
                screen=screen,
            )
            request = self._briefing.alone(prompt, LOOK_SCHEMA, "look", course)
            look = (await ask(self._model, request, plain(read_look), context, "perception", _look_snapshot)).value
            perceived = f"route {look.route}; {look.result}; {', '.join(look.entities)}"
        has_page = state is not None and bool(state.elements)
        prompt = self._briefing.rendered(
            "planning",
            surface=surface,
            goal=goal,
            start=course.request.url or ("the page that is open" if has_page else ""),
            tools=course.catalog.tools,
            today=f"{self._today():%A, %d %B %Y}",
            perceived=perceived,
            screen=screen,
        )
        if secrets := telling.saved(context.secrets):
            prompt = replace(prompt, message=f"{prompt.message}\n\n{secrets}")
        request = self._briefing.alone(prompt, plan_schema(), "plan", course)
        return (await ask(self._model, request, plain(read_plan), context, "planning", _plan_snapshot)).value

    async def look_again(self, course: Course, evidence: str, answer: str, now: Moment) -> bool:
        """Whether what is claimed is so, by eyes that know nothing of how it was worked on; False when in doubt.

        At the end of a plan that left out something of the first one it is the whole goal that is claimed.
        """
        state, context = now.state, now.context
        sight = see(state, course.numbers, (), is_all=True, max_chars=_SCREEN_CHARS)
        steps = context.history[-_SUMMARY_STEPS:] if course.is_at_end(now) else context.of_task(now.task.id)
        prompt = self._briefing.rendered(
            "perception",
            is_step_result=True,
            surface=course.request.surface.value,
            goal=course.request.goal,
            claim=_claim(course, now),
            evidence=f"{evidence}\nAnswer given: {answer}" if answer else evidence,
            steps="\n".join(telling.line(one) for one in steps) or "nothing was carried out for it",
            screen=sight.text,
        )
        request = self._briefing.alone(prompt, LOOK_SCHEMA, "look", course)
        try:
            look = (await ask(self._model, request, plain(read_look), context, "perception", _look_snapshot)).value
        except (ModelError, Unusable):
            return False
        is_there = Sighting.of(state, sight).holds(look.evidence) or was_read(look.evidence, context.history)
        return look.achieved and is_there and look.confidence >= LEAST_CONFIDENCE

    async def keep_account(self, course: Course, context: RunContext) -> None:
        """Summarise the oldest steps when many have come together; when that fails, the oldest are let go."""
        transcript = course.transcript
        if not transcript.needs_account:
            return
        count = len(transcript.lines) - _ACCOUNT_KEEPS_LINES
        if self._options.history_by_model:
            prompt = self._briefing.rendered(
                "history_summary",
                goal=course.request.goal,
                earlier=transcript.account,
                steps="\n".join(transcript.lines[:count]),
            )
            request = self._briefing.alone(prompt, HISTORY_SCHEMA, "history", course)
            try:
                answer = await ask(self._summariser, request, plain(read_history), context, "history_summary")
            except (ModelError, Unusable):
                pass
            else:
                transcript.take_account(answer.value.summary, count)
                return
        transcript.drop_lines(count)

    async def summarize(self, course: Course, plan: Plan, state: ScreenState | None, context: RunContext) -> str:
        """The closing words; without a usable reply, how the tasks ended."""
        if not self._options.summary_by_model or not context.history:
            return plain_summary(plan)
        goal = course.request.goal
        account = course.transcript.account
        steps = [*([account] if account else []), *telling.remembered(context.history, _SUMMARY_STEPS)]
        prompt = self._briefing.rendered(
            "final_summary",
            goal=goal,
            plan=plans.plan_lines(plan, with_status=True),
            steps="\n".join(steps),
            screen=see(state, course.numbers, (goal,)).text[:_SCREEN_CHARS] if state is not None else "",
        )
        request = self._briefing.alone(prompt, SUMMARY_SCHEMA, "summary", course)
        try:
            answer = await ask(self._summariser, request, plain(read_summary), context, "final_summary")
        except (ModelError, Unusable):
            return plain_summary(plan)
        return summary_of(answer.value, context.history, state, goal)


def _claim(course: Course, now: Moment) -> str:
    """What the second look is about, in words."""
    if not course.is_at_end(now):
        condition = f" (done when: {now.task.done_when})" if now.task.done_when else ""
        return f"{now.task.goal}{condition}"
    parts = ["the whole goal, by a plan that was changed"]
    if course.frame is not None and course.frame.result:
        parts.append(f"what must come of it: {course.frame.result}")
    parts += [f"the person added: {said}" for said in (*now.context.wishes, *now.context.words)]
    return "; ".join(parts)


def _plan_snapshot(reply: PlanReply) -> dict[str, object]:
    return {
        "route": reply.route.value,
        "entities": list(reply.entities),
        "result_requirement": reply.result,
        "reasoning": reply.understanding,
    }


def _look_snapshot(look: LookReply) -> dict[str, object]:
    return {
        "route": look.route,
        "entities": list(look.entities),
        "result_requirement": look.result,
        "task_achieved": look.achieved,
        "reasoning": look.reasoning,
        "confidence": look.confidence,
    }
