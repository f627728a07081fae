"""A false “done” never ends as done, whatever it is dressed in; a true one needs no question more (the real engine)."""

from __future__ import annotations

from typing import Any

import pytest

from operative_app.core.events import PlanChanged
from operative_app.core.plan import TaskStatus
from operative_app.core.requests import HandOffRequest, HumanDone
from operative_app.core.run import RunState
from tests.engine.world import FakePage, World
from tests.planning.model.scripted import act, click, fill, finish, plan, purposes, summary
from tests.planning.model.test_runs import shop, world_of

READ = {"do": "get_text"}
NOT_DONE = {"achieved": False, "evidence": "", "reasoning": "nothing was ordered"}
SEEN = {"achieved": True, "evidence": "1 item in your cart"}


def statuses(world: World) -> list[TaskStatus]:
    """How the tasks ended."""
    plans = [event.plan for event in world.listener.events if isinstance(event, PlanChanged)]
    return [task.status for task in plans[-1].leaves()]


def ended(page: FakePage, *replies: Any, goal: str = "order the lamp") -> tuple[RunState, list[TaskStatus], list[str]]:
    """How a run ends in which whatever is doubted is not confirmed."""
    world, model = world_of(page, *replies)
    with world:
        end = world.run(goal)
    return end.state, statuses(world), purposes(model.requests)


@pytest.mark.parametrize(
    "lie",
    [
        act(fill(501, "x"), completes=True),
        act(fill(501, "x"), completes=True, expect={"text": "x"}),
        act({"do": "navigate", "url": "http://page.test/x"}, completes=True),
        act({"do": "navigate", "url": "http://page.test/x"}, completes=True, expect={"url": "page.test/x"}),
        act(click(1), completes=True, expect={"text": "1 item"}, confidence=0.2),
    ],
    ids=["field", "typed text expected", "page", "address expected", "unsure"],
)
def test_actions_that_say_they_complete_the_task_end_nothing_without_an_effect_of_it(lie: dict[str, Any]) -> None:
    claim = finish("Lamp, 12.50")
    state, tasks, asked = ended(shop(), plan("Order the lamp"), lie, claim, NOT_DONE, summary(("x", 1)))
    assert (state, tasks) == (RunState.NOT_VERIFIED, [TaskStatus.UNVERIFIED])
    assert asked[:4] == ["plan", "decision", "decision", "look"]


def test_actions_complete_the_task_when_what_its_condition_quotes_came() -> None:
    task = {"goal": "Put the lamp into the cart", "done_when": "“1 item in your cart” is shown"}
    state, _, asked = ended(shop(), plan(task), act(click(1), completes=True), summary(("In the cart", 1)))
    assert (state, asked) == (RunState.DONE, ["plan", "decision", "summary"])


def test_evidence_for_one_task_ends_no_other() -> None:
    claim = finish("1 item in your cart")
    again = {"route": "finish", "goal_achieved": True, "done": []}
    state, tasks, asked = ended(
        shop(),
        plan("Put the lamp into the cart", "Go to checkout", "Tell the total"),
        act(click(1)),
        claim,
        again,
        again,
        again,
        again,
        summary(("ok", 1)),
    )
    assert state is RunState.NOT_VERIFIED
    assert tasks == [TaskStatus.DONE, TaskStatus.UNVERIFIED, TaskStatus.UNVERIFIED]
    assert asked[:7] == ["plan", *["decision"] * 6]  # each is told once


def test_what_one_task_brought_is_no_evidence_for_the_next() -> None:
    same = [{"task": 1, "evidence": "1 item in your cart"}, {"task": 2, "evidence": "1 item in your cart"}]
    tasks = plan("Put the lamp into the cart", "Place the order")
    claim = {"route": "finish", "done": same}
    state, ends, asked = ended(shop(), tasks, act(click(1)), claim, NOT_DONE, summary(("ok", 1)))
    assert (state, ends) == (RunState.NOT_VERIFIED, [TaskStatus.DONE, TaskStatus.UNVERIFIED])
    assert asked[:4] == ["plan", "decision", "decision", "look"]


def test_a_claim_without_a_number_counts_for_the_present_task_only() -> None:
    claim = {"route": "finish", "done": [{"evidence": "1 item in your cart"}]}
    tasks = plan("Put the lamp into the cart", "Place the order", "Pay")
    state, ends, _ = ended(shop(), tasks, act(click(1)), claim, *[finish("")] * 4, summary(("ok", 1)))
    assert state is RunState.NOT_VERIFIED
    assert ends[0] is TaskStatus.DONE
    assert TaskStatus.DONE not in ends[1:]


@pytest.mark.parametrize("answer", ["", "Lamp, 12.50"])
def test_having_read_a_text_proves_no_deed(answer: str) -> None:
    claim = finish("Lamp, 12.50", answer=answer)
    state, _, asked = ended(shop(), plan("Order the lamp"), act(READ), claim, NOT_DONE, summary(("x", 1)))
    assert (state, asked[3]) == (RunState.NOT_VERIFIED, "look")


def test_having_read_a_text_proves_an_answer_that_repeats_it() -> None:
    claim = finish("Lamp, 12.50", answer="The lamp costs 12.50.")
    goal = "what does the lamp cost?"
    state, _, asked = ended(shop(), plan("Tell the price"), act(READ), claim, summary(("x", 1)), goal=goal)
    assert (state, asked) == (RunState.DONE, ["plan", "decision", "decision", "summary"])


@pytest.mark.parametrize(
    "answer",
    [
        "I ordered the lamp.",
        "The lamp was delivered to Ada Lovelace.",
        "The lamp is not for sale.",
        "The shop sells 3.75 lamps.",
    ],
)
@pytest.mark.parametrize("task", ["Order the lamp", "Tell what became of the lamp"])
def test_an_answer_says_nothing_that_its_evidence_does_not(task: str, answer: str) -> None:
    page = shop()
    page.texts = ["Welcome to the lamp shop", "Delivered by 3.75 lorries"]
    claim = finish("Welcome to the lamp shop", answer=answer)
    state, _, asked = ended(page, plan(task), claim, NOT_DONE, summary(("x", 1)))
    assert (state, asked) == (RunState.NOT_VERIFIED, ["plan", "decision", "look"])


def test_an_answer_that_goes_beyond_what_a_step_brought_is_looked_at_again() -> None:
    claim = finish("1 item in your cart", answer="Your card was charged.")
    tasks = plan("Put the lamp into the cart")
    state, _, asked = ended(shop(), tasks, act(click(1)), claim, NOT_DONE, summary(("x", 1)))
    assert (state, asked[3]) == (RunState.NOT_VERIFIED, "look")


@pytest.mark.parametrize(
    ("task", "evidence", "is_looked_at"),
    [
        ("Order the lamp", "Something else is new here", True),
        ("Order the lamp", "***", True),
        ("Order the lamp", "Lamp: on its way", False),
        ("Set the amount to 3", "Total 3", False),
        ({"goal": "Place the order", "done_when": "the basket is empty"}, "Your basket is empty", False),
    ],
)
def test_what_came_on_the_screen_and_says_nothing_of_the_task_is_looked_at_again(
    task: dict[str, Any] | str, evidence: str, is_looked_at: bool
) -> None:
    page = shop()
    page.on_click["Add to cart"] = lambda shown: shown.texts.append(evidence)
    replies = [act(click(1)), finish(evidence), *([NOT_DONE] if is_looked_at else []), summary(("x", 1))]
    state, _, asked = ended(page, plan(task), *replies)
    assert state is (RunState.NOT_VERIFIED if is_looked_at else RunState.DONE)
    assert ("look" in asked) is is_looked_at


def test_several_pieces_of_evidence_count_when_each_can_be_read() -> None:
    page = shop()
    page.texts = ["Red lamp, 9.75", "Price list", "Blue lamp, 12.50"]
    claim = finish("Red lamp, 9.75; Blue lamp, 12.50", answer="Red 9.75, blue 12.50.")
    state, _, asked = ended(page, plan("Tell the prices"), claim, goal="what do the lamps cost?")
    assert (state, asked) == (RunState.DONE, ["plan", "decision"])


@pytest.mark.parametrize(("look", "state"), [(NOT_DONE, RunState.NOT_VERIFIED), (SEEN, RunState.DONE)])
def test_a_plan_that_left_something_out_is_compared_with_the_goal(look: dict[str, Any], state: RunState) -> None:
    world, model = world_of(
        shop(),
        plan("Order the lamp", "Tell the order number", result="an order number"),
        {"route": "replan", "say": "Simpler.", "tasks": [{"goal": "Put it into the cart"}]},
        act(click(1), expect={"text": "1 item"}, completes=True),
        finish("1 item in your cart"),
        look,
        summary(("ok", 1)),
    )
    with world:
        end = world.run("order the lamp and tell the order number")
    assert end.state is state
    assert purposes(model.requests)[:5] == ["plan", "decision", "decision", "decision", "look"]
    assert "order the lamp and tell the order number" in model.asked(4)
    assert "an order number" in model.asked(4)


def test_a_plan_to_which_something_was_added_needs_no_second_look() -> None:
    tasks = [{"goal": "Put the lamp into the cart"}, {"goal": "Tell the price"}]
    state, _, asked = ended(
        shop(),
        plan("Put the lamp into the cart"),
        {"route": "replan", "say": "And the price.", "tasks": tasks},
        act(click(1)),
        act(READ, done=[{"task": 1, "evidence": "1 item in your cart"}]),
        finish("", done=[{"task": 2, "evidence": "Lamp, 12.50"}], answer="12.50"),
        summary(("ok", 1)),
    )
    assert (state, asked) == (RunState.DONE, ["plan", *["decision"] * 4, "summary"])


def test_a_claim_the_model_is_not_sure_of_is_looked_at_again() -> None:
    tasks, claim = plan("Put the lamp into the cart"), finish("1 item in your cart", confidence=0.0)
    state, _, asked = ended(shop(), tasks, act(click(1)), claim, NOT_DONE, summary(("ok", 1)))
    assert (state, asked[3]) == (RunState.NOT_VERIFIED, "look")
    assert ended(shop(), tasks, act(click(1)), claim, SEEN, summary(("ok", 1)))[0] is RunState.DONE


def test_what_the_plan_leaves_to_the_person_is_ended_by_no_claim() -> None:
    page = shop()
    claims = [finish("Lamp, 12.50"), finish("Signed in as Ada")]
    world, _ = world_of(page, plan({"goal": "Sign in yourself", "by_human": True}), act(READ), *claims)
    with world:
        world.start()
        request = world.listener.wait_request()
        page.texts.append("Signed in as Ada")
        world.control.answer(request.id, HumanDone())
        end = world.listener.wait_end()
    assert isinstance(request, HandOffRequest)
    assert request.instructions == "Sign in yourself"
    assert end.state is RunState.DONE


CLAIMS = {
    "claims": [{"text": "The lamp is in the cart", "step": 1}, {"text": "Your card was charged", "step": 1}],
    "changed": [{"text": "The lamp was added to the cart", "step": 1}, {"text": "Your account is deleted", "step": 1}],
    "open": "",
}


def test_the_summary_says_of_each_claim_whether_its_step_shows_it() -> None:
    world, _ = world_of(
        shop(), plan("Put the lamp into the cart"), act(click(1)), finish("1 item in your cart"), CLAIMS
    )
    with world:
        end = world.run("buy the lamp")
    assert end.reason == (
        "The lamp is in the cart. [step 1] "
        "Your card was charged. [step 1; not verified: the step does not show it]\n"
        "Changed: The lamp was added to the cart. [step 1] "
        "Your account is deleted. [step 1; not verified: the step does not show it]"
    )


@pytest.mark.parametrize(("quote", "is_shown"), [("1 item in your cart", True), ("Your card", False)])
def test_a_claim_in_another_language_is_shown_by_words_of_its_step(quote: str, is_shown: bool) -> None:
    said = {"claims": [{"text": "Lampe im Einkaufswagen", "step": 1, "evidence": quote}], "changed": [], "open": ""}
    world, _ = world_of(shop(), plan("Put the lamp into the cart"), act(click(1)), finish("1 item in your cart"), said)
    with world:
        end = world.run("Lampe kaufen")
    assert ("not verified" not in end.reason) is is_shown
