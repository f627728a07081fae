"""A hand-off: a person acts in the surface, and what came of it is looked at, not believed.

“Done” counts when the screen shows it: the effects the planner named, or at least that anything is different. Otherwise
that is told and asked again; asked as often as it may be, what has effects named counts as not done, and what has none
is taken on the person's word, as not verified.

When its time is over nothing is done. Where a person can come back, the run stays paused and the hand-off open; else
the run ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from operative_app.actions.browser import GetText
from operative_app.core.difference import has_changed
from operative_app.core.events import Said
from operative_app.core.ports import Surface
from operative_app.core.requests import FilesChosen, HandOffKind, HandOffRequest, HumanDone, new_request_id
from operative_app.core.run import done
from operative_app.core.screen import ScreenState
from operative_app.engine.attempt import HumanNeeded
from operative_app.engine.desk import GOES_ON, TIME_OUT, Answered, RequestDesk, minutes_words
from operative_app.engine.eyes import Eyes
from operative_app.engine.hub import EventHub
from operative_app.engine.stepper import Stepper
from operative_app.planning.port import HandOver

NO_SIGN = "nothing on the screen is different from before"

_LOOK = GetText()
"""Stands in for the action where a person acted and only the screens are compared."""


@dataclass(frozen=True, slots=True)
class HandedBack:
    """How a hand-off ended.

    Attributes:
        is_done: The person did it; False also when it was withdrawn: by a take-over, they are at it already, or since
            the run goes on after its time was over.
        is_verified: The screen shows it.
        refusal: Why it is not done and not asked for again, "" otherwise.
        word: What the person said to it when they could not do it.
    """

    is_done: bool = False
    is_verified: bool = True
    refusal: str = ""
    word: str = ""


class HandOffs:
    """The hand-offs of one task. Owned by the agent thread."""

    def __init__(
        self, *, surface: Surface, stepper: Stepper, eyes: Eyes, hub: EventHub, desk: RequestDesk, tries: int
    ) -> None:
        self._surface = surface
        self._stepper = stepper
        self._eyes = eyes
        self._hub = hub
        self._desk = desk
        self._tries = tries
        self._asked: Counter[HandOffKind] = Counter()
        self._note = ""

    async def hand_over(self, decision: HandOver, task_id: str, keep: Callable[[], Awaitable[None]]) -> HandedBack:
        """Ask the person, wait, and look at what came of it.

        Args:
            keep: Awaited when the time is over and the run stays paused: saves what was reached.

        Raises:
            HumanNeeded: Nobody was there, or nobody did it in time and nobody can come back to it.
        """
        self._asked[decision.why] += 1
        before = await self._eyes.state(self._stepper.steps)
        note, self._note = self._note, ""
        request = HandOffRequest(
            task_id=task_id,
            why=decision.why,
            reason=decision.reason,
            instructions=decision.instructions,
            target=decision.target,
            accepts=decision.accepts,
            note=note,
            screenshot=before.screenshot,
        )
        answered = await self._desk.ask(request, detail=decision.instructions, while_open=self._surface.show_to_person)
        if answered.by == TIME_OUT and self._desk.is_attended:
            await keep()
            answered = await self._late(request)
        self._eyes.blink()
        match answered.answer:
            case HumanDone():
                return await self._checked(decision, before, needs_sign=True)
            case FilesChosen(paths=paths):
                if decision.target is None:
                    return HandedBack()
                if fault := await self._stepper.give_files(decision.target, paths, task_id):
                    self._tell(f"The file could not be given to the page: {fault}.")
                    return HandedBack()
                return await self._checked(decision, before, needs_sign=False)
            case _ if answered.by == TIME_OUT:
                raise HumanNeeded(self._ran_out(decision))
            case _ if answered.is_nobody_there:
                raise HumanNeeded(f"A person is needed: {decision.instructions} {decision.reason}".strip())
            case None:
                if answered.by == GOES_ON:
                    self._asked[decision.why] -= 1  # nobody has tried
                return HandedBack()
            case other:
                word = getattr(other, "word", "").strip()
                return HandedBack(refusal="you could not do it", word=word)

    async def _late(self, request: HandOffRequest) -> Answered:
        """The time is over: nothing is done until the person comes back to it."""
        late = request.model_copy(update={"id": new_request_id(), "is_over": True})
        limit = minutes_words(self._desk.hand_off_timeout_s)
        return await self._desk.ask(late, detail=f"Nobody did this within {limit}: {request.instructions}")

    async def _checked(self, decision: HandOver, before: ScreenState, *, needs_sign: bool) -> HandedBack:
        await self._surface.settle()
        after = await self._eyes.look(self._stepper.steps)
        missing = [fault for one in decision.done_when if (fault := one.check(_LOOK, before, after, done()))]
        if needs_sign and not decision.done_when and not has_changed(before, after):
            missing = [NO_SIGN]
        if not missing:
            return HandedBack(is_done=True)
        if self._asked[decision.why] < self._tries:
            self._tell(f"It does not look finished yet: {missing[0]}.")
            return HandedBack()
        if decision.done_when:
            return HandedBack(refusal=missing[0])
        return HandedBack(is_done=True, is_verified=False)

    def _tell(self, note: str) -> None:
        """Say it in the chat, and where it is asked for again."""
        self._note = note
        self._hub.emit(Said, role="agent", text=note)

    def _ran_out(self, decision: HandOver) -> str:
        limit = minutes_words(self._desk.hand_off_timeout_s)
        return (
            f"Nobody did this within {limit}, so it is not done: {decision.instructions} "
            "What was done before stays as it is. Give the goal again when you are there; how long a hand-off waits "
            "can be set."
        )
