"""The planner port, served without a model: reads the goal, grounds it on the screen, decides one step at a time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import assert_never

from operative_app.core.errors import NotUnderstood
from operative_app.core.plan import Plan, Task
from operative_app.core.run import BUILTIN_PLANNER, RunRequest
from operative_app.core.screen import ScreenState, SurfaceKind
from operative_app.planning.builtin import (
    controls,
    desktop_steps,
    forms,
    moving,
    obstacles,
    page,
    places,
    pressing,
    reading,
    recovery,
    required,
    wishes,
)
from operative_app.planning.builtin.decomposing import decompose
from operative_app.planning.builtin.desktop_instruction import (
    DesktopInstruction,
    EditStep,
    ReadClip,
    TakePicture,
    WriteClip,
)
from operative_app.planning.builtin.grammar import read_goal, read_instruction
from operative_app.planning.builtin.instruction import (
    AddTo,
    CheckShown,
    Choose,
    ChooseFile,
    Count,
    Dismiss,
    DragTo,
    Enter,
    Finish,
    GoBack,
    GoTo,
    Instruction,
    Key,
    OpenAddress,
    PersonDoes,
    Press,
    Provide,
    Read,
    ScrollTo,
    Search,
    SignIn,
    Sort,
    Submit,
    TabStep,
    Tick,
    WaitUntil,
)
from operative_app.planning.builtin.situation import Situation, answer_text
from operative_app.planning.builtin.summary import summarize
from operative_app.planning.port import (
    AskPerson,
    CannotInterpret,
    Decision,
    Decomposed,
    GiveUp,
    HandOver,
    NotThereYet,
    Revise,
    RunContext,
    Trouble,
)

_MOST_REMEMBERED = 200
"""Questions kept in mind at most."""

_MOST_HAND_OVERS = 3


class BuiltinPlanner:
    """Implements `planning.port.Planner`; owned by the agent thread.

    It keeps nothing of a run but the questions it asked, how often it handed over and how many wishes it answered, so that
    an answer can be told from earlier ones; everything else is read anew from the task's words, the screen and the history with each call.

    Args:
        today: Gives the day from which dates without a year, “tomorrow” and “next Friday” are counted.
    """  # noqa: E501 - words and patterns read best on one line

    name = BUILTIN_PLANNER

    def __init__(self, today: Callable[[], date] = date.today) -> None:
        self._today = today
        self._asked: dict[str, tuple[str, int]] = {}
        self._hand_overs: dict[str, int] = {}
        self._request: RunRequest | None = None
        self._wishes_heard = 0

    async def decompose(
        self, goal: str, state: ScreenState | None, context: RunContext
    ) -> Decomposed | CannotInterpret:
        """The plan for a goal in explicit words; one part that is not understood, and nothing is planned."""
        try:
            is_desktop = context.request.surface is SurfaceKind.DESKTOP
            return decompose(goal, read_goal(goal, self._today(), is_desktop=is_desktop))
        except NotUnderstood as fault:
            say = f"{str(fault).rstrip('.')}. Nothing was done."
            if fault.is_for_model:
                say += " Goals in your own words need a model; “Connect a model…” in the window connects one."
            return CannotInterpret(part=fault.part, say=say, hint=fault.hint)

    async def select_action(self, state: ScreenState, plan: Plan, task: Task, context: RunContext) -> Decision:
        """The next step for the task, whose words are read anew: people may have changed them."""
        revised = self._heard(state, plan, task, context)
        if revised is not None:
            return revised
        is_desktop = state.surface is SurfaceKind.DESKTOP
        instruction = self._instruction(task, is_desktop=is_desktop)
        if isinstance(instruction, GiveUp):
            return wishes.split(plan, task, self._today(), is_desktop=is_desktop) or instruction
        sit = self._situation(state, plan, task, context)
        if not is_desktop and not isinstance(instruction, OpenAddress | TabStep | PersonDoes):
            captcha = obstacles.captcha(state)
            if captcha is not None:
                return self._handed(task, captcha)
        return self._noted(task, context, decide(sit, instruction))

    async def replan(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        """Another way after a refusal or an unexpected screen."""
        return self._recovered(recovery.replan, state, plan, task, trouble, context)

    async def handle_error(
        self, state: ScreenState, plan: Plan, task: Task, trouble: Trouble, context: RunContext
    ) -> Decision:
        """What is left after the loop's own retries."""
        return self._recovered(recovery.handle_error, state, plan, task, trouble, context)

    async def summarize(self, plan: Plan, state: ScreenState | None, context: RunContext) -> str:
        """What was done and what was not."""
        is_desktop = context.request.surface is SurfaceKind.DESKTOP
        return desktop_steps.in_screen_words(summarize(plan)) if is_desktop else summarize(plan)

    def _recovered(
        self,
        recover: Callable[[Situation, Instruction, Trouble, recovery.Decide], Decision],
        state: ScreenState,
        plan: Plan,
        task: Task,
        trouble: Trouble,
        context: RunContext,
    ) -> Decision:
        revised = self._heard(state, plan, task, context)
        if revised is not None:
            return revised
        is_desktop = state.surface is SurfaceKind.DESKTOP
        instruction = self._instruction(task, is_desktop=is_desktop)
        if isinstance(instruction, GiveUp):
            return instruction
        captcha = obstacles.captcha(state) if not is_desktop else None
        if captcha is not None:
            return self._handed(task, captcha)
        sit = self._situation(state, plan, task, context)
        if is_desktop:
            other = desktop_steps.recover(sit, instruction, trouble)
            if other is not None:
                return self._noted(task, context, other)
        recovered = recover(sit, instruction, trouble, decide)
        return self._noted(
            task, context, desktop_steps.decision_in_screen_words(recovered) if is_desktop else recovered
        )

    def _heard(self, state: ScreenState, plan: Plan, task: Task, context: RunContext) -> Revise | None:
        """What the oldest wish not yet answered makes of the plan; each is answered once."""
        if context.request is not self._request:
            self._request, self._wishes_heard = context.request, 0
        if len(context.wishes) <= self._wishes_heard:
            return None
        self._wishes_heard += 1
        wish = context.wishes[self._wishes_heard - 1]
        return wishes.answer(wish, plan, task, context, state, self._today())

    def _instruction(self, task: Task, *, is_desktop: bool) -> Instruction | GiveUp:
        try:
            return read_instruction(task.goal, self._today(), is_desktop=is_desktop)
        except NotUnderstood as fault:
            hint = f" {fault.hint}" if fault.hint else ""
            return GiveUp(f"I do not understand the task “{task.goal}”.{hint} Rename it, or connect a model.")

    def _situation(self, state: ScreenState, plan: Plan, task: Task, context: RunContext) -> Situation:
        question = answer = ""
        asked = self._asked.get(task.id)
        if asked is not None and len(context.words) > asked[1]:
            question, answer = asked[0], answer_text(context.words[-1], asked[0])
        return Situation(state, plan, task, context, self._today(), tuple(context.of_task(task.id)), question, answer)

    def _noted(self, task: Task, context: RunContext, decision: Decision) -> Decision:
        if isinstance(decision, AskPerson):
            if len(self._asked) >= _MOST_REMEMBERED:
                self._asked.pop(next(iter(self._asked)))
            self._asked[task.id] = (decision.question, len(context.words))
        if isinstance(decision, HandOver):
            return self._handed(task, decision)
        return decision

    def _handed(self, task: Task, decision: HandOver) -> Decision:
        """Hand over a few times at most: a person who said they are done and is not will not be asked for ever."""
        key = f"{task.id} {decision.why}"
        self._hand_overs[key] = self._hand_overs.get(key, 0) + 1
        if self._hand_overs[key] > _MOST_HAND_OVERS:
            return GiveUp(f"{decision.reason} It is still so after {_MOST_HAND_OVERS} times.")
        return decision


def decide(sit: Situation, instruction: Instruction) -> Decision:
    """The next step for an instruction on a screen; what is not there may be behind a tab that the words name."""
    if sit.state.surface is SurfaceKind.DESKTOP:
        return desktop_steps.decision_in_screen_words(_decide_on_desktop(sit, instruction))
    unread = page.unread(sit.state)
    if unread and not isinstance(instruction, OpenAddress | TabStep | PersonDoes):
        return NotThereYet(unread)
    decision = _decide(sit, instruction)
    if isinstance(decision, NotThereYet):
        return places.tab_of(sit, instruction) or decision
    return decision


def _decide_on_desktop(sit: Situation, instruction: Instruction) -> Decision:
    own = desktop_steps.decide(sit, instruction)
    if own is not None:
        return own
    decision = _decide(sit, instruction)
    return desktop_steps.answer_of(sit, instruction) or decision if isinstance(decision, NotThereYet) else decision


def _decide(sit: Situation, instruction: Instruction) -> Decision:
    if isinstance(instruction, EditStep | TakePicture | ReadClip | WriteClip):
        return desktop_steps.by_name_or_keys(sit, instruction)
    if isinstance(instruction, DesktopInstruction):
        return GiveUp(f"“{sit.task.goal}” is for the desktop; choose it as the place to act.")
    if isinstance(instruction, Press | Submit | AddTo | GoTo | Sort | Dismiss):
        ended = required.after_press(sit)
        if ended is not None:
            return ended
    match instruction:
        case OpenAddress():
            return moving.open_address(sit, instruction)
        case Search():
            return moving.search(sit, instruction)
        case Press():
            return pressing.press(sit, instruction)
        case DragTo():
            return moving.drag(sit, instruction)
        case Enter():
            return pressing.enter(sit, instruction)
        case Choose():
            return pressing.choose(sit, instruction)
        case Tick():
            return pressing.tick(sit, instruction)
        case AddTo():
            return places.add_to(sit, instruction)
        case GoTo():
            return places.go_to(sit, instruction)
        case Submit():
            return controls.submit(sit, instruction)
        case Sort():
            return controls.sort(sit, instruction)
        case Dismiss():
            return controls.dismiss(sit, instruction)
        case ScrollTo():
            return moving.scroll_to(sit, instruction)
        case GoBack():
            return moving.go_back(sit)
        case WaitUntil():
            return moving.wait_until(sit, instruction)
        case Key():
            return moving.key(sit, instruction)
        case TabStep():
            return moving.tab(sit, instruction)
        case ChooseFile():
            return moving.choose_file(sit, instruction)
        case SignIn():
            return moving.sign_in(sit, instruction)
        case PersonDoes():
            return moving.person_does(sit, instruction)
        case Read():
            return reading.read(sit, instruction)
        case Count():
            return reading.count(sit, instruction)
        case CheckShown():
            return reading.check_shown(sit, instruction)
        case Provide():
            return forms.provide(sit, instruction)
        case Finish():
            return forms.finish(sit, instruction)
        case _:
            assert_never(instruction)
