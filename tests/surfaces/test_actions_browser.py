"""Every action that claims the browser, carried out for real: it works; refused, the page sees no event; without its
effect, that is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from operative_app.actions import mouse as m
from operative_app.actions.declare import Action, ActionContext, run_on
from operative_app.actions.registry import Registry
from operative_app.core.errors import ActionError, RefusedAction
from operative_app.core.run import Outcome, OutcomeStatus
from operative_app.core.screen import ElementRef, Picture, ScreenState, SurfaceKind
from operative_app.core.secrets import Revealed
from tests.surfaces.action_cases import ALWAYS, KNOB, REFUSED, SEEN, UNSEEN, VEIL, WORKS, Case
from tests.surfaces.work import Work, one


class Context:
    """What the engine lends an action, without approvals: checked, carried out, verified."""

    def __init__(self, work: Work, state: ScreenState) -> None:
        self._work = work
        self._state = state
        self.pictures: list[Picture] = []

    @property
    def state(self) -> ScreenState:
        return self._state

    async def look(self) -> ScreenState:
        self._state = await self._work.look()
        return self._state

    async def perform(self, part: Action) -> Outcome:
        outcome, missing = await carry_out(self._work, self, part)
        if missing:
            raise ActionError(missing)
        return outcome

    async def reveal(self, text: str, target: ElementRef | None = None) -> Revealed:
        return Revealed(text)

    def keep_picture(self, picture: Picture) -> str:
        self.pictures.append(picture)
        return "a" * 64


async def carry_out(work: Work, context: Context, action: Action) -> tuple[Outcome, str]:
    """The outcome, and what is missing of the effect.

    Raises:
        RefusedAction: A pre-condition does not hold.
    """
    before = context.state
    for condition in action.spec.pre:
        if reason := condition.check(action, before):
            raise RefusedAction(reason)
    lent: ActionContext = context
    outcome = await run_on(action, work.browser, lent)
    after = await context.look()
    missing = [words for check in action.spec.post if (words := check.check(action, before, after, outcome))]
    return outcome, "; ".join(missing)


async def opened(work: Work, case: Case) -> Context:
    state = await work.show(case.page + SEEN)
    if case.prepare is not None:
        await case.prepare(work, state)
        state = await work.look()
    return Context(work, state)


def by_name() -> dict[str, type[Action]]:
    return {action.spec.name: action for action in Registry().on(SurfaceKind.BROWSER)}


def test_every_action_of_the_browser_has_its_cases() -> None:
    actions = by_name()
    assert len(actions) == 43
    assert set(WORKS) == set(actions)
    assert set(REFUSED) >= {name for name, action in actions.items() if action.spec.pre}
    assert set(UNSEEN) | ALWAYS >= {name for name, action in actions.items() if action.spec.post}
    assert not set(UNSEEN) & ALWAYS


@pytest.mark.parametrize("name", sorted(WORKS))
def test_an_action_works(work: Work, name: str) -> None:
    case = WORKS[name]

    async def act() -> None:
        context = await opened(work, case)
        action = case.make(context.state)
        assert action.name == name
        outcome, missing = await carry_out(work, context, action)
        assert (outcome.status, missing) == (OutcomeStatus.DONE, "")
        assert await work.script(case.after) is True
        expected = {
            "get_text": "Go",
            "get_attribute": "There",
            "copy": "abc",
            "cut": "abc",
            "read_clipboard": "kept",
            "write_clipboard": "é\n1",
            "execute_js": "8",
        }
        if name in expected:
            assert outcome.value == expected[name]
        if outcome.picture:
            size = context.pictures[0].width_px, context.pictures[0].height_px
            assert size == ((80, 40) if name == "screenshot_element" else (1280, 800))
        if name == "download_file":
            assert await asyncio.to_thread(Path(outcome.value).read_text) == "hello"

    work.run(act())


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_refused_action_leaves_the_page_untouched(work: Work, name: str) -> None:
    case = REFUSED[name]

    async def act() -> None:
        context = await opened(work, case)
        url = context.state.url
        await work.script("seen.length = 0")
        with pytest.raises(ActionError, match=case.told):
            await carry_out(work, context, case.make(context.state))
        assert await work.script("seen") == []
        state = await work.look()
        assert (state.url, len(state.tabs)) == (url, 1)
        assert state.held == frozenset()

    work.run(act())


@pytest.mark.parametrize("name", sorted(UNSEEN))
def test_an_effect_that_does_not_come_is_told(work: Work, name: str) -> None:
    case = UNSEEN[name]

    async def act() -> None:
        context = await opened(work, case)
        outcome, missing = await carry_out(work, context, case.make(context.state))
        assert outcome.status is OutcomeStatus.DONE
        assert case.told in missing

    work.run(act())


@pytest.mark.parametrize("name", sorted(ALWAYS))
def test_an_effect_that_always_comes_is_missed_where_it_is_not_there(work: Work, name: str) -> None:
    case = WORKS[name]

    async def act() -> None:
        context = await opened(work, case)
        action = case.make(context.state)
        before = context.state
        if name == "navigate":
            before = before.model_copy(update={"url": "chrome-error://chromewebdata/"})
        nothing = Outcome(status=OutcomeStatus.DONE)
        assert any(check.check(action, before, before, nothing) for check in action.spec.post)

    work.run(act())


@pytest.mark.parametrize("name", ["click_element", "double_click", "right_click", "drag_element", "mouse_down"])
def test_what_came_over_an_element_since_it_was_seen_is_named_and_gets_nothing(work: Work, name: str) -> None:
    """The state says it is free; only the live page can tell that it is not any more."""

    async def act() -> None:
        state = await work.show(KNOB + SEEN)
        knob = state.ref(one(state, "button", "Knob"))
        actions: dict[str, Action] = {
            "click_element": m.ClickElement(target=knob),
            "double_click": m.DoubleClick(target=knob),
            "right_click": m.RightClick(target=knob),
            "drag_element": m.DragElement(target=knob, x_px=340, y_px=230),
        }
        await work.script(f"document.body.insertAdjacentHTML('beforeend', {VEIL!r})")
        await work.script("seen.length = 0")
        held = work.browser.mouse_down(knob) if name == "mouse_down" else None
        with pytest.raises(RefusedAction, match=r"covered by .*Wait"):
            await (held or carry_out(work, Context(work, state), actions[name]))
        assert await work.script("seen") == []

    work.run(act())
