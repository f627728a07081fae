"""What a model is told before and with each question, and how much of it fits: prompts, what came, the screen."""

from __future__ import annotations

import asyncio

from operative_app.core.coordinates import Grid
from operative_app.core.endpoint import PictureUse
from operative_app.core.plan import Plan, Task
from operative_app.core.screen import ScreenState
from operative_app.llm.messages import Message, ModelRequest
from operative_app.planning.model import plans, telling
from operative_app.planning.model.course import Course, Moment
from operative_app.planning.model.fence import fenced
from operative_app.planning.model.options import ModelOptions
from operative_app.planning.model.pictures import Shown, prepared
from operative_app.planning.model.ports import Model
from operative_app.planning.model.prompts import PromptLibrary, Rendered
from operative_app.planning.model.schemas import Schema
from operative_app.planning.model.sight import find, see
from operative_app.planning.port import Trouble

MOST_TROUBLES = 3
"""How often one task is asked about after the loop's own retries, before the person is asked."""

DECISION = "decision"
"""What the reply to the question of a step is called on the wire."""

FOUND_CHARS = 12_000
_PLACES = {
    Grid.PIXELS: "pixels of that picture",
    Grid.THOUSAND: "numbers from 0 to 1000 across and down that picture",
    Grid.UNIT: "numbers from 0 to 1 across and down that picture",
}
_DEFAULT_CONTEXT_TOKENS = 32_000
_SAFE_SHARE = 0.92
_LEAST_OUTPUT_TOKENS = 256


class Briefing:
    """Puts questions together; asks nothing. Agent thread.

    Args:
        model: Its abilities decide about pictures and the size of a question.
    """

    def __init__(self, model: Model, prompts: PromptLibrary, options: ModelOptions) -> None:
        self._model = model
        self._prompts = prompts
        self._options = options

    def rendered(self, role: str, **inputs: object) -> Rendered:
        """A role's prompt with its inputs. Raises PromptError."""
        return self._prompts.get(role).render(**inputs)

    def alone(self, prompt: Rendered, schema: Schema, name: str, course: Course) -> ModelRequest:
        """A question that stands by itself, without what was told before."""
        return self.request(prompt.system, (Message.user(prompt.message),), schema, name, course)

    def request(
        self, system: str, messages: tuple[Message, ...], schema: Schema, name: str, course: Course
    ) -> ModelRequest:
        takes_other_calls = name == DECISION
        request = ModelRequest(
            system, messages, schema, name, self.output_tokens(course), takes_other_calls=takes_other_calls
        )
        return course.given.hide(request)

    # The parts of a decision's question.

    def system(self, course: Course) -> str:
        """The instructions; they stay the same for a surface, so that an endpoint's cache holds over runs."""
        surface = course.request.surface
        rules = self.rendered(
            f"{surface.value}_decision", has_pictures=self.sees, places=_PLACES[self._options.grid]
        ).system
        return self._decision(course, surface_rules=rules).system

    def head(self, course: Course, plan: Plan) -> str:
        """Goal and plan; they stay the same until the plan is changed."""
        start = course.request.url or "what is open now"
        return self._decision(course, plan=plans.plan_lines(plan), start=start).message

    def tell(self, course: Course, now: Moment, trouble: Trouble | None) -> None:
        """Add to the transcript what came since the last question, and the screen."""
        context, plan, task = now.context, now.plan, now.task
        course.transcript.head = "\n\n".join(
            part for part in (self.head(course, plan), telling.saved(context.secrets)) if part
        )
        records = [one for one in context.history if one.step > course.last_step]
        words = [
            *(f"The person said: “{one}”" for one in context.words[course.words_told :]),
            *(f"The person's newest wish: “{one}”" for one in context.wishes[course.wishes_told :]),
            *(f"The person had control:\n{fenced('control', one)}" for one in context.notes[course.notes_told :]),
        ]
        came = [telling.told(records)]
        if course.dropped:
            dropped = "; ".join(course.dropped)
            came.append(
                f"Of your last actions these cannot be read and were not carried out:\n{fenced('calls', dropped)}"
            )
        came += words
        passing = [standing(plan, task)]
        if trouble is not None:
            passing.append(self._recovery(course, task, trouble))
        course.transcript.add(
            "\n\n".join(one for one in came if one),
            now.sight,
            passing="\n\n".join(one for one in passing if one),
            lines=[telling.line(one) for one in records],
            words=words,
            warnings=course.take_warnings(now),
        )
        course.dropped = ()
        course.last_step = max((course.last_step, *(one.step for one in records)))
        course.words_told, course.wishes_told = len(context.words), len(context.wishes)
        course.notes_told = len(context.notes)

    def show(self, course: Course, what: str, now: Moment) -> None:
        """Show more, as the model asked; it stands in the next question."""
        transcript, word = course.transcript, what.strip().casefold()
        rest = telling.rest_of(what, now.context.history)
        if rest:
            transcript.add(rest, now.sight)
        elif word in {"", "all", "everything", "whole"}:
            everything = see(now.state, course.numbers, (), is_all=True)
            transcript.add("Everything on the screen, as you asked:", everything)
            transcript.show_whole()
        elif word in {"picture", "screenshot", "image"}:
            course.wants_picture = True
            can = now.context.picture is not None and self.sees
            transcript.add("The picture, as you asked." if can else "There is no picture for you here.", now.sight)
        else:
            found = find(now.state, course.numbers, what, max_chars=FOUND_CHARS)
            transcript.add(f"What fits your words:\n{fenced('found', found)}", now.sight)

    async def picture(self, course: Course, now: Moment, *, is_in_trouble: bool) -> Shown | None:
        """The picture that goes with the next question, None when text is enough or the model does not see."""
        picture, state = now.context.picture, now.state
        if picture is None or not self.sees:
            return None
        is_needed = course.wants_picture or is_in_trouble or _says_little(state)
        course.wants_picture = False
        if self._options.pictures is PictureUse.ALWAYS or is_needed:
            return await asyncio.to_thread(prepared, picture, state, grid=self._options.grid)
        return None

    @property
    def sees(self) -> bool:
        return self._options.pictures is not PictureUse.NEVER and bool(self._model.capabilities.has_vision)

    # How much fits.

    def context_tokens(self, course: Course) -> int:
        """What request and reply may take together: the least of what was set, is known, and was told by an error."""
        known = (self._options.context_tokens, self._model.capabilities.context_tokens or 0, course.limit_tokens)
        return min((one for one in known if one > 0), default=_DEFAULT_CONTEXT_TOKENS)

    def output_tokens(self, course: Course) -> int:
        return min(self._options.max_output_tokens, max(_LEAST_OUTPUT_TOKENS, self.context_tokens(course) // 4))

    def room_tokens(self, course: Course) -> int:
        """What a request may take."""
        return int(self.context_tokens(course) * _SAFE_SHARE) - self.output_tokens(course)

    def _decision(self, course: Course, *, surface_rules: str = "", plan: str = "", start: str = "") -> Rendered:
        frame = course.frame
        return self.rendered(
            "decision",
            surface_rules=surface_rules,
            actions=course.catalog.text,
            goal=course.request.goal,
            result=frame.result if frame is not None else "",
            limits="; ".join(frame.limits) if frame is not None else "",
            plan=plan,
            start=start,
        )

    def _recovery(self, course: Course, task: Task, trouble: Trouble) -> str:
        return self.rendered(
            "recovery",
            is_refused=trouble.kind == "refused",
            is_repeating=trouble.kind == "stuck",
            is_rolled_back=trouble.kind == "rolled back",
            is_last_chance=course.troubles[task.id] >= MOST_TROUBLES,
            reason=trouble.reason,
            tried="\n".join(trouble.tried),
        ).system


def standing(plan: Plan, task: Task) -> str:
    """Where the plan stands; it goes with each question, so that the plan itself can stay the same above."""
    numbers = plans.numbered(plan)
    ended = [str(numbers[one.id]) for one in plan.leaves() if not one.is_open and one.id != task.id]
    words = f"Tasks that are over: {', '.join(ended)}. " if ended else ""
    if not task.is_open:
        return f"{words}All tasks are over. Say replan when the person's newest wish asks for more, otherwise finish."
    return f"{words}The present task: {numbers.get(task.id, 0)}. {task.goal}"


def _says_little(state: ScreenState) -> bool:
    """Whether text cannot tell what is there: a drawn surface, or next to nothing listed."""
    is_drawn = any(one.role in {"canvas", "application"} for one in state.elements)
    return is_drawn or (len(state.elements) < 3 and len(state.texts) < 3)
