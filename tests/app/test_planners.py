"""Which planner a run has: the one it began with, however the settings change meanwhile."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from keyring.errors import KeyringLocked

from operative_app.actions.mouse import ClickElement
from operative_app.actions.registry import Registry
from operative_app.app.planners import ModelChoice, Planners
from operative_app.core.endpoint import Endpoint, KeySource, ModelWays
from operative_app.core.run import RunRequest, RunState, done
from operative_app.llm.prices import PRICES_NAME
from operative_app.planning.port import Decomposed, Exchange, RunContext, StepRecord
from operative_app.store.folders import app_folders
from operative_app.store.secrets import KeySafe
from tests.engine.world import FakePage, World
from tests.llm.endpoint_server import EndpointServer, Says
from tests.planning.model.scripted import act, plan, summary


@pytest.fixture
def planners(isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Planners:
    monkeypatch.setenv("OPERATIVE_HOME", str(isolation / "home" / "operative"))
    return Planners(Registry(), app_folders().create())


def choice(server: EndpointServer, model: str, **more: object) -> ModelChoice:
    return ModelChoice(Endpoint(base_url=server.base_url, model=model), lambda: "", **more)  # type: ignore[arg-type]


def context(tell: Callable[[Exchange], None] = lambda _: None) -> RunContext:
    return RunContext(RunRequest(goal="Get help"), tell=tell)


def models_of(server: EndpointServer) -> list[str]:
    return [str(request.body["model"]) for request in server.asked]


def test_a_run_goes_on_with_the_model_it_began_with(planners: Planners) -> None:
    page = FakePage(buttons=["Help"])

    async def ask(server: EndpointServer) -> None:
        planners.choose(choice(server, "first"))
        run = context()
        planned = await planners.decompose("Get help", None, run)
        assert isinstance(planned, Decomposed)
        planners.choose(choice(server, "second"))
        task = planned.plan.tasks[0]
        await planners.select_action(page.state(), planned.plan, task, run)
        await planners.decompose("Get help", None, context())
        planners.choose(None)
        await planners.close()

    help_me = act({"do": "click_element", "element": 1})
    with EndpointServer([Says(plan("Get help")), Says(help_me), Says(plan("Get help"))]) as server:
        asyncio.run(ask(server))
        assert models_of(server) == ["first", "first", "second"]


def test_the_settings_say_which_calls_are_made_and_which_model_sums_up(planners: Planners) -> None:
    page = FakePage(buttons=["Help"])
    state = page.state()
    pressed = ClickElement(target=state.ref(state.elements[0]))
    looked = {"route": "browser", "entities": [], "result": "help", "achieved": False, "reasoning": "", "evidence": ""}

    async def ask(server: EndpointServer) -> None:
        planners.choose(choice(server, "large", summary_model="small", ways=ModelWays(separate_perception=True)))
        run = context()
        planned = await planners.decompose("Get help", None, run)
        assert isinstance(planned, Decomposed)
        steps = [StepRecord(1, planned.plan.tasks[0].id, pressed, done(), state, state)]
        await planners.summarize(planned.plan, state, replace(run, history=steps))
        planners.choose(choice(server, "large", ways=ModelWays(summary_by_model=False)))
        run = context()
        await planners.decompose("Get help", None, run)
        await planners.summarize(planned.plan, state, replace(run, history=steps))
        await planners.close()

    with EndpointServer(
        [Says(looked), Says(plan("Get help")), Says(summary(("Help", 1))), Says(plan("Help"))]
    ) as server:
        asyncio.run(ask(server))
        assert models_of(server) == ["large", "large", "small", "large"]


def test_a_changed_price_counts_from_the_next_run_on(planners: Planners) -> None:
    costs: list[float | None] = []
    own = app_folders().config / PRICES_NAME

    async def ask(server: EndpointServer) -> None:
        planners.choose(choice(server, "mine"))
        for price in ("", "1", "2"):
            if price:
                own.write_text(f'[[model]]\nname = "mine"\ninput = {price}0\noutput = 0\n', encoding="utf-8")
                os.utime(own, (int(price), int(price)))  # the clock of files is coarse
            await planners.decompose("Get help", None, context(lambda told: costs.append(told.cost)))
        await planners.close()

    with EndpointServer([Says(plan("Get help"))]) as server:
        asyncio.run(ask(server))
    assert costs == [None, pytest.approx(0.009), pytest.approx(0.018)]


def test_prices_that_cannot_be_read_are_told_in_each_run(planners: Planners) -> None:
    warned: list[str] = []
    (app_folders().config / PRICES_NAME).write_text("[[model]\n", encoding="utf-8")

    async def ask(server: EndpointServer) -> None:
        planners.choose(choice(server, "mine"))
        for _ in range(2):
            await planners.decompose("Get help", None, replace(context(), warn=warned.append))
        await planners.close()

    with EndpointServer([Says(plan("Get help"))]) as server:
        asyncio.run(ask(server))
    assert [text.startswith("The prices in ") and "cannot be read" in text for text in warned] == [True, True]


class LockedKeyring:
    """A keyring whose owner does not unlock it."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("dismissed")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked("dismissed")

    def delete_password(self, service: str, username: str) -> None:
        raise KeyringLocked("dismissed")


def test_a_locked_keyring_ends_the_run_in_words_before_anything_is_opened(planners: Planners) -> None:
    keys = KeySafe(LockedKeyring(), {})
    endpoint = Endpoint(base_url="http://localhost:1/v1", model="m")
    planners.choose(ModelChoice(endpoint, lambda: keys.key(endpoint.base_url, KeySource.KEYRING)))
    with World(FakePage(buttons=["Help"]), planners) as world:  # type: ignore[arg-type]
        end = world.run()
    assert (end.state, end.steps) == (RunState.FAILED, 0)
    assert "The keyring is locked. Unlock it and try again." in end.reason
    assert "environment variable" in end.reason
    assert world.page.clicks == []
