"""The plan as the contract of a run: what each task may touch, and who may widen it.

| from | counts |
|---|---|
| the person's own words: goal, wishes, answers typed by hand, tasks added or renamed | always, for the whole run |
| the start address, the page or program that is open when the run begins | always, for the whole run |
| a program the agent has opened or switched to, as was judged | for the whole run, by the name of its window |
| sites, folders and programs a planner names before it has seen anything | always, for the task that names them |
| those it names after it has seen a page | only when the person accepted the plan, or one of the above has them, too |
| the person's answer "allow for this task" | for that task and what is below it |
| a later plan of the planner | never: tasks keep what they had, new ones get what the whole run has |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from operative_app.core.errors import SettingsError
from operative_app.core.plan import Grants, Plan, Task
from operative_app.core.screen import ScreenState
from operative_app.engine.plan_book import PlanBook
from operative_app.safety.naming import named_in
from operative_app.safety.policy import Policy
from operative_app.safety.site_names import site_name


class Contract:
    """Of one run. Owned by the agent thread.

    Args:
        folders: Those any run may use: where its downloads go.
    """

    def __init__(self, book: PlanBook, resolve: Callable[[str], str], folders: Iterable[str] = ()) -> None:
        self._book = book
        self._resolve = resolve
        self._own = Grants(folders=tuple(folders))
        self._words: list[str] = []
        self._early = Grants()

    def hear(self, text: str) -> None:
        """Take what a person typed for this run; never the words of a page or of a model."""
        self._words.append(text)
        self._own |= named_in(text, self._resolve)

    def begin_at(self, url: str) -> None:
        """The run begins at this address; an address that is none grants nothing."""
        with suppress(SettingsError):
            self._grant_site(self._resolve(url))

    def see_start(self, state: ScreenState) -> None:
        """What is open when the run begins: its page, the program in front."""
        self._grant_site(state.url)
        if (window := state.active_window) is not None:
            self._own |= Grants(apps=(window.app, window.title))

    def see_opened(self, state: ScreenState) -> None:
        """A program was opened, as was allowed; its window may have another name for it."""
        if (window := state.active_window) is not None and window.app:
            self._own |= Grants(apps=(window.app,))

    def note_early(self, plan: Plan) -> None:
        """A plan that was made before anything outside was seen: what it names counts."""
        self._early |= _all_of(plan)

    def signed(self, plan: Plan, *, is_accepted: bool = False) -> Plan:
        """The plan with what its tasks may touch, without what was named after something outside was seen.

        Args:
            is_accepted: The person is shown the plan before it begins: what it names counts.
        """
        known, top = self._own | self._early, {task.id for task in plan.tasks}

        def granted(task: Task) -> Grants:
            grants = task.grants if is_accepted else task.grants & known
            return self._own | grants if task.id in top else grants

        return _with_grants(plan, granted)

    def words_on(self, plan: Plan) -> str:
        """A sentence on what the plan would touch that the person did not name; "" when there is nothing."""
        named = _all_of(plan)
        more = [one for name, values in named for one in values if one not in getattr(self._own, name)]
        return f"The plan also uses {', '.join(more)}." if more else ""

    def policy(self, policy: Policy, task_id: str) -> Policy:
        """The policy for an action of a task; as it is before there is a plan."""
        if not self._book.plan.tasks:
            return policy
        grants = self._own | self._book.plan.grants_of(task_id)
        return policy.model_copy(update={"grants": grants, "words": "\n".join(self._words)})

    def widen(self, task_id: str, more: Grants) -> None:
        """The person allowed it for the task."""
        self._book.widen(task_id, more)

    def _grant_site(self, url: str) -> None:
        if site := site_name(url):
            self._own |= Grants(sites=(site,))


def _all_of(plan: Plan) -> Grants:
    granted = Grants()
    for task in plan.walk():
        granted |= task.grants
    return granted


def _with_grants(plan: Plan, grants_of: Callable[[Task], Grants]) -> Plan:
    for task in plan.walk():
        grants = grants_of(task)
        if grants != task.grants:
            plan = plan.with_task(task.id, lambda one, grants=grants: one.model_copy(update={"grants": grants}))  # type: ignore[misc]
    return plan
