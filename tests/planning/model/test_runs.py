"""Whole runs through the real engine, with a page in memory and a model that replies by a script."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from operative_app.actions.registry import Registry
from operative_app.cli.exit_codes import exit_code_of
from operative_app.cli.person import nobody_answer
from operative_app.core.events import (
    ModelAsked,
    PlanChanged,
    RecoveryTried,
    Rung,
    Said,
    StateChanged,
    StepFinished,
    StepStarted,
)
from operative_app.core.plan import TaskStatus
from operative_app.core.requests import (
    ApprovalRequest,
    Approve,
    HandOffKind,
    HandOffRequest,
    HumanCannot,
    HumanDone,
    QuestionRequest,
    Reject,
    Reply,
)
from operative_app.core.run import EndCause, OutcomeStatus, RunState
from operative_app.core.screen import ElementState
from operative_app.core.taking import TakeOverKind
from operative_app.llm.errors import BadReply, ContextTooLong, KeyRejected, ModelRefused
from operative_app.llm.messages import ModelRequest
from operative_app.planning.model.options import ModelOptions
from operative_app.planning.model.planner import ModelPlanner
from tests.engine.shared_page import SharedPage
from tests.engine.world import FakePage, World
from tests.planning.model.scripted import ScriptedModel, act, click, fill, finish, plan, purposes, summary


def shop() -> FakePage:
    """A button that puts something into the cart, and one that does nothing."""
    return FakePage(
        buttons=["Add to cart", "Help"],
        fields={"Name": ""},
        texts=["Lamp, 12.50"],
        on_click={"Add to cart": lambda page: page.texts.append("1 item in your cart")},
    )


def world_of(page: FakePage, *replies: Any, **options: Any) -> tuple[World, ScriptedModel]:
    model = ScriptedModel(list(replies))
    planner = ModelPlanner(model, Registry(), options=ModelOptions(**options))
    return World(page, planner), model  # type: ignore[arg-type]


def told(world: World) -> list[str]:
    return [event.text for event in world.listener.events if isinstance(event, Said) and event.role == "agent"]


def rungs(world: World) -> list[Rung]:
    return [event.rung for event in world.listener.events if isinstance(event, RecoveryTried)]


def outcomes(world: World) -> list[OutcomeStatus]:
    return [event.status for event in world.listener.events if isinstance(event, StepFinished)]


def test_a_goal_is_planned_carried_out_verified_and_summed_up_with_its_step() -> None:
    world, model = world_of(
        shop(),
        plan("Put the lamp into the cart"),
        act(click(1)),
        finish("1 item in your cart"),
        summary(("The lamp is in the cart", 1)),
    )
    with world:
        end = world.run("buy the lamp")
    assert end.state is RunState.DONE
    assert end.reason == "The lamp is in the cart. [step 1]"
    assert world.page.clicks == ["Add to cart"]
    assert purposes(model.requests) == ["plan", "decision", "decision", "summary"]


def test_several_tasks_and_actions_take_one_question_for_each_step() -> None:
    page = FakePage(
        buttons=["Send"],
        fields={f"Field {number}": "" for number in range(14)},
        on_click={"Send": lambda page: page.texts.append("Thank you")},
    )
    fields = [{"element": 501 + number, "value": f"value {number}"} for number in range(14)]
    world, model = world_of(
        page,
        plan("Fill in the form and send it"),
        act({"do": "fill_form", "fields": fields}, click(1), expect={"text": "Thank you"}, completes=True),
        summary(("It was sent", 16)),
    )
    with world:
        end = world.run("send the form", approve_all=True)
    assert end.state is RunState.DONE
    assert page.clicks == ["Send"]
    assert page.fields["Field 13"] == "value 13"
    assert purposes(model.requests) == ["plan", "decision", "summary"]


def test_one_reply_ends_a_task_and_begins_the_next() -> None:
    page = FakePage(
        buttons=["One", "Two"],
        on_click={name: lambda page, name=name: page.texts.append(f"{name} pressed") for name in ("One", "Two")},  # type: ignore[misc]
    )
    world, model = world_of(
        page,
        plan("Press One", "Press Two"),
        act(click(1)),
        act(click(2), done=[{"task": 1, "evidence": "One pressed"}]),
        {"route": "finish", "done": [{"task": 2, "evidence": "Two pressed"}]},
        summary(("Both were pressed", 2)),
    )
    with world:
        end = world.run()
    assert end.state is RunState.DONE
    assert page.clicks == ["One", "Two"]
    assert purposes(model.requests).count("decision") == 3


def test_a_second_way_is_taken_when_the_first_shows_no_effect() -> None:
    world, _ = world_of(
        shop(),
        plan("Put the lamp into the cart"),
        {"route": "act", "variants": [[click(2)], [click(1)]], "expect": {"text": "1 item"}, "completes": True},
        summary(("Done", 2)),
    )
    with world:
        end = world.run()
    assert end.state is RunState.DONE
    assert world.page.clicks[-1] == "Add to cart"
    assert Rung.ALTERNATIVE in rungs(world)


def test_a_step_without_effect_is_planned_anew_and_the_model_is_told_so() -> None:
    world, model = world_of(
        shop(),
        plan("Put the lamp into the cart"),
        act(click(2)),
        act(click(1)),
        finish("1 item in your cart"),
        summary(("Done", 2)),
    )
    with world:
        end = world.run()
    assert end.state is RunState.DONE
    assert Rung.REPLAN in rungs(world)
    asked = model.asked(2)
    assert "That did not work" in asked
    assert "its effect is not to be seen: nothing on the screen changed" in asked


def test_a_revised_plan_takes_the_place_of_what_was_open() -> None:
    world, _ = world_of(
        shop(),
        plan("Put the lamp into the cart", "Pay"),
        {"route": "replan", "say": "There is no way to pay.", "tasks": [{"goal": "Add the lamp"}]},
        act(click(1)),
        finish("1 item in your cart"),
        {"achieved": True, "evidence": "1 item in your cart"},
        summary(("Done", 1)),
    )
    with world:
        end = world.run()
    changes = [event.plan for event in world.listener.events if isinstance(event, PlanChanged)]
    assert [task.goal for task in changes[-1].leaves()] == ["Add the lamp"]
    assert "There is no way to pay." in told(world)
    assert end.state is RunState.DONE


def test_a_question_goes_to_the_person_and_the_answer_back() -> None:
    world, model = world_of(
        shop(),
        plan("Put a lamp into the cart"),
        {"route": "ask", "say": "Which lamp?", "choices": ["the lamp", "none"]},
        act(click(1)),
        finish("1 item in your cart"),
        summary(("Done", 1)),
    )
    with world:
        world.start()
        request = world.listener.wait_request()
        assert isinstance(request, QuestionRequest)
        assert (request.text, request.choices) == ("Which lamp?", ("the lamp", "none"))
        world.control.answer(request.id, Reply(text="the lamp, of course"))
        end = world.listener.wait_end()
    assert end.state is RunState.DONE
    assert "The person said: “the lamp, of course”" in model.asked(2)


def test_a_hand_off_waits_for_the_person_and_is_judged_by_the_screen() -> None:
    page = shop()
    world, model = world_of(
        page,
        plan({"goal": "Sign in", "by_human": True}),
        {"route": "hand_over", "person": "sign_in", "say": "Please sign in.", "thought": "Only you can."},
        finish("Signed in as Ada"),
        summary(("You are signed in", 1)),
    )
    with world:
        world.start()
        request = world.listener.wait_request()
        assert isinstance(request, HandOffRequest)
        assert (request.why, request.instructions) == (HandOffKind.SIGN_IN, "Please sign in.")
        page.texts.append("Signed in as Ada")
        world.control.answer(request.id, HumanDone())
        end = world.listener.wait_end()
    assert end.state is RunState.DONE
    assert "Signed in as Ada" in model.asked(2)


def test_the_word_of_a_person_who_cannot_is_the_next_thing_the_model_hears() -> None:
    """Theirs, not text from outside; and the model may go another way."""
    world, model = world_of(
        shop(),
        plan("Put the lamp into the cart"),
        {"route": "hand_over", "person": "sign_in", "say": "Please sign in."},
        act(click(1)),
        finish("1 item in your cart"),
        summary(("Done", 1)),
    )
    with world:
        world.start()
        world.control.answer(world.listener.wait_request().id, HumanCannot(word="go on as a guest"))
        end = world.listener.wait_end()
    assert end.state is RunState.DONE
    assert model.asked(2).count("go on as a guest") == 1
    assert "The person said: “go on as a guest”" in model.asked(2)
    assert "It was refused." in model.asked(2)


def test_the_word_with_a_no_is_the_persons_and_is_told_once() -> None:
    page = FakePage(buttons=["Place order", "Help"], on_click={"Help": lambda page: page.texts.append("Call us")})
    world, model = world_of(
        page, plan("Order"), act(click(1)), act(click(2)), finish("Call us"), summary(("Help was called", 2))
    )
    with world:
        world.start()
        world.control.answer(world.listener.wait_request().id, Reject(word="too dear, get help instead"))
        world.listener.wait_end()
    assert page.clicks == ["Help"]
    assert model.asked(2).count("too dear, get help instead") == 1
    assert "The person said: “too dear, get help instead”" in model.asked(2)
    assert "you said no" in model.asked(2)


def test_what_the_plan_leaves_to_the_person_is_handed_over_though_the_model_acts() -> None:
    world, _ = world_of(shop(), plan({"goal": "Sign in yourself", "by_human": True}), act(click(1)))
    with world:
        world.start()
        request = world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert isinstance(request, HandOffRequest)
    assert world.page.clicks == []


def test_an_impossible_goal_is_told_to_the_person_with_its_reason() -> None:
    world, _ = world_of(shop(), plan("Fly"), {"route": "impossible", "say": "This shop sells lamps only."})
    with world:
        world.start()
        request = world.listener.wait_request()
        assert isinstance(request, QuestionRequest)
        assert request.text.startswith("This cannot be done: This shop sells lamps only.")
        assert "What else shall I try?" in request.text
        world.control.answer(request.id, Reply(text="Stop here"))
        end = world.listener.wait_end()
    assert (end.state, end.cause) == (RunState.FAILED, EndCause.IMPOSSIBLE)
    assert end.reason == "This cannot be done: This shop sells lamps only. It is about: “Fly”."


def test_an_impossible_goal_ends_unattended_with_what_was_done_before() -> None:
    world, _ = world_of(
        shop(),
        plan("Put the lamp into the cart", "Fly", "Land"),
        act(click(1)),
        {
            "route": "impossible",
            "say": "There is no airport.",
            "done": [{"task": 1, "evidence": "1 item in your cart"}],
        },
    )
    with world:
        world.start()
        request = world.listener.wait_request()
        assert isinstance(request, QuestionRequest)
        assert request.is_optional
        world.control.answer(request.id, nobody_answer(request), by="front end")
        end = world.listener.wait_end()
    assert (end.state, end.cause, exit_code_of(end)) == (RunState.FAILED, EndCause.IMPOSSIBLE, 1)
    assert end.reason == (
        "This cannot be done: There is no airport. It is about: “Fly”. Done before: “Put the lamp into the cart”. "
        "Not done: “Land”."
    )


def test_a_person_may_say_what_to_try_instead_of_the_impossible() -> None:
    world, _ = world_of(
        shop(),
        plan("Fly"),
        {"route": "impossible", "say": "There is no airport."},
        act(click(1)),
        finish("1 item in your cart"),
        summary(("Done", 1)),
    )
    with world:
        world.start()
        request = world.listener.wait_request()
        world.control.answer(request.id, Reply(text="put the lamp into the cart"))
        end = world.listener.wait_end()
    assert end.state is RunState.DONE


def wrong_door(label: str = "Help") -> FakePage:
    """A button that leads to another page, where nothing does anything."""
    page = shop()
    page.buttons = list(dict.fromkeys((*page.buttons, label)))
    page.on_click[label] = lambda page: setattr(page, "url", "http://page.test/help")
    page.on_click["Add to cart"] = lambda page: (
        page.texts.append("1 item in your cart") if page.url == "http://page.test/" else None
    )
    return page


def test_the_loop_goes_back_by_itself_once_before_it_asks_the_person() -> None:
    page = wrong_door()
    tries = [act(click(2)), *[act(click(1))] * 4]
    world, _ = world_of(
        page,
        plan("Put the lamp into the cart"),
        *tries,
        act(click(1)),
        finish("1 item in your cart"),
        summary(("x", 1)),
    )
    with world:
        end = world.run()
    assert end.state is RunState.DONE
    assert rungs(world).count(Rung.ROLL_BACK) == 1
    assert Rung.ESCALATE not in rungs(world)
    climbed = [one for one in world.listener.events if isinstance(one, RecoveryTried) and one.rung is Rung.ROLL_BACK]
    assert climbed[0].reason.endswith("Once more from where the task began.")


@pytest.mark.parametrize("label", ["Help", "Place order"])
def test_going_back_by_itself_is_tried_once_and_never_after_what_commits_the_person(label: str) -> None:
    page = wrong_door(label)
    page.on_click["Add to cart"] = lambda page: None
    astray = act(click(2 if label == "Help" else 3))
    world, _ = world_of(page, plan("Put the lamp into the cart"), astray, *[act(click(1))] * 4, astray, act(click(1)))
    with world:
        world.start(approve_all=True)
        request = world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert isinstance(request, QuestionRequest)
    assert request.text.startswith("I could not do")
    assert rungs(world).count(Rung.ROLL_BACK) == (1 if label == "Help" else 0)


def test_a_false_done_is_shown_to_the_model_once_and_then_not_verified() -> None:
    claim = finish("The order was placed", answer="I placed the order.")
    world, model = world_of(shop(), plan("Place the order"), claim, claim, summary(("It was placed", 7)))
    with world:
        end = world.run()
    assert end.state is RunState.NOT_VERIFIED
    assert "can be read neither on the screen nor in what was read" in model.asked(2)
    assert "Not verified: “Place the order”" in end.reason
    assert world.page.clicks == []


def test_a_claim_on_words_that_were_there_before_needs_a_second_look() -> None:
    page = shop()
    refuses = {"achieved": False, "evidence": "", "reasoning": "nothing is in a cart"}
    world, model = world_of(page, plan("Order the lamp"), finish("Lamp, 12.50"), refuses, summary(("x", 1)))
    with world:
        end = world.run()
    assert end.state is RunState.NOT_VERIFIED
    assert purposes(model.requests) == ["plan", "decision", "look"]


def test_a_second_look_counts_only_with_words_that_are_on_the_screen() -> None:
    page = shop()
    lies = {"achieved": True, "evidence": "Your order number is 99"}
    world, _ = world_of(page, plan("Order the lamp"), finish("Lamp, 12.50"), lies)
    with world:
        end = world.run()
    assert end.state is RunState.NOT_VERIFIED


def test_an_answer_that_is_on_the_screen_goes_to_the_chat() -> None:
    world, _ = world_of(shop(), plan("Tell the price"), finish("Lamp, 12.50", answer="It costs 12.50."))
    with world:
        end = world.run("what does the lamp cost?")
    assert end.state is RunState.DONE
    assert end.answer == "It costs 12.50."


def test_an_answer_with_a_number_that_is_nowhere_is_not_verified() -> None:
    reply = finish("Lamp, 12.50", answer="It costs 99.90.")
    world, _ = world_of(shop(), plan("Tell the price"), reply, reply)
    with world:
        end = world.run()
    assert end.state is RunState.NOT_VERIFIED


@pytest.mark.parametrize("answer", ["It costs 2.50.", "It costs 250.", "There are 7 of the lamp."])
def test_a_part_of_a_number_or_a_number_out_of_nowhere_is_no_answer(answer: str) -> None:
    reply = finish("Lamp, 12.50", answer=answer)
    replies = [reply] if answer.endswith("lamp.") else [reply, reply]
    world, _ = world_of(shop(), plan("Tell the price"), *replies, {"achieved": False, "evidence": ""})
    with world:
        end = world.run()
    assert end.state is RunState.NOT_VERIFIED
    assert end.answer == f"{answer} (not verified)"


def test_an_answer_that_has_nothing_of_its_evidence_needs_a_second_look() -> None:
    lies = finish("Lamp, 12.50", answer="I placed the order.")
    world, model = world_of(shop(), plan("Order it"), lies, {"achieved": False, "evidence": ""})
    with world:
        end = world.run()
    assert end.state is RunState.NOT_VERIFIED
    assert purposes(model.requests) == ["plan", "decision", "look"]


@pytest.mark.parametrize("task", ["Order it", {"goal": "Order it", "done_when": "“Order placed” is shown"}])
def test_an_action_that_is_to_end_the_task_by_what_was_there_before_ends_nothing(task: Any) -> None:
    page = shop()
    page.on_click["Help"] = lambda page: page.texts.append("How may I help?")
    shown = "Lamp, 12.50" if task == "Order it" else "How may I help?"
    lies = act(click(2), expect={"text": shown}, completes=True)
    world, model = world_of(page, plan(task), lies, {"route": "impossible", "say": "No."})
    with world:
        world.start()
        assert isinstance(world.listener.wait_request(), QuestionRequest)
        world.control.stop()
        world.listener.wait_end()
    assert outcomes(world) == [OutcomeStatus.DONE]
    assert purposes(model.requests) == ["plan", "decision", "decision"]


def test_a_question_that_needs_nothing_is_answered_without_opening_anything() -> None:
    world, model = world_of(shop(), {"route": "answer", "answer": "Seven."})
    with world:
        end = world.run("how many days has a week?")
    assert (end.state, end.answer, end.steps) == (RunState.DONE, "Seven.", 0)
    assert world.provider.requests == []
    assert len(model.requests) == 1


def test_a_goal_that_is_not_understood_opens_nothing() -> None:
    world, _ = world_of(shop(), {"unclear": "frobnicate", "say": "I do not know “frobnicate”.", "tasks": []})
    with world:
        end = world.run("frobnicate it")
    assert end.cause is EndCause.NOT_UNDERSTOOD
    assert world.provider.requests == []


def test_a_goal_for_the_other_surface_says_so() -> None:
    world, _ = world_of(shop(), plan("Open the editor", route="desktop"))
    with world:
        end = world.run("write a text in the editor")
    assert end.cause is EndCause.NOT_UNDERSTOOD
    assert "needs the desktop" in end.reason


def test_replies_that_cannot_be_used_are_failed_steps_and_then_the_person_is_asked() -> None:
    world, model = world_of(shop(), plan("Click"), act({"do": "click_element", "element": 404}))
    with world:
        world.start()
        request = world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert isinstance(request, QuestionRequest)
    assert "there is no element 404 on the screen now" in request.text
    assert outcomes(world) == [OutcomeStatus.FAILED, OutcomeStatus.FAILED]
    assert len(model.requests) == 1 + 3 * 2
    assert "That reply cannot be used" in model.asked(2)


def test_a_reply_that_is_no_json_is_shown_to_the_model_once() -> None:
    world, model = world_of(
        shop(),
        plan("Add to cart"),
        BadReply("I would click", "there is no JSON object in it"),
        act(click(1)),
        finish("1 item in your cart"),
        summary(("Done", 1)),
    )
    with world:
        end = world.run()
    assert end.state is RunState.DONE
    assert "there is no JSON object in it" in model.asked(2)
    faults = [event.fault for event in world.listener.events if isinstance(event, ModelAsked) and event.fault]
    assert faults == ["there is no JSON object in it"]


def test_a_refusal_is_shown_to_the_person_and_not_asked_again() -> None:
    world, model = world_of(shop(), plan("Add"), ModelRefused("I can't help with that."))
    with world:
        world.start()
        request = world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert isinstance(request, QuestionRequest)
    assert "I can't help with that." in request.text
    assert len(model.requests) == 2


def test_a_rejected_key_ends_the_run_before_anything_is_opened() -> None:
    world, model = world_of(shop(), KeyRejected("The key was not accepted. Check it in the settings."))
    with world:
        end = world.run()
    assert end.reason == "The key was not accepted. Check it in the settings."
    assert world.provider.requests == []
    assert len(model.requests) == 1


def test_a_request_that_is_too_long_is_shortened_by_the_real_limit_and_asked_again() -> None:
    page = shop()
    page.texts += [f"Paragraph {number} " + "word " * 40 for number in range(120)]
    page.buttons += [f"Button {number}" for number in range(150)]
    world, model = world_of(
        page,
        plan("Add to cart"),
        ContextTooLong("too long", limit_tokens=6144),
        act(click(1)),
        finish("1 item in your cart"),
        summary(("Done", 1)),
    )
    with world:
        end = world.run("buy the lamp")
    assert end.state is RunState.DONE
    assert len(model.asked(2)) < len(model.asked(1))
    assert "Goal, in the person's words: buy the lamp" in model.asked(2)
    assert "1. Add" in model.asked(2)


def test_a_request_that_never_fits_ends_in_words() -> None:
    world, model = world_of(shop(), plan("Add"), ContextTooLong("The model takes 100 tokens only.", limit_tokens=100))
    with world:
        world.start()
        request = world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert isinstance(request, QuestionRequest)
    assert "The model takes 100 tokens only." in request.text
    assert len(model.requests) == 1 + 3


def test_the_same_choice_on_the_same_screen_is_warned_of_once_and_then_escalates() -> None:
    page = shop()
    page.on_click["Help"] = lambda page: page.fields.__setitem__("Name", "" if page.fields["Name"] else "x")
    page.texts.append("-")
    world, model = world_of(page, plan("Get help"), act({"do": "get_text"}))
    with world:
        world.start()
        request = world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert isinstance(request, QuestionRequest)
    warned = [place for place, _ in enumerate(model.requests) if "Warning: you chose the same" in model.asked(place)]
    assert len(warned) == 1
    newest = model.requests[warned[0]].messages[-1].parts[0]
    assert not newest.text.rstrip().endswith("another kind.")  # type: ignore[union-attr]
    assert any(
        "The same action on the same screen brings nothing" in model.asked(at)
        for at in range(warned[0], len(model.requests))
    )


def test_the_same_choice_on_a_screen_that_only_grows_is_warned_of_and_then_escalates() -> None:
    page = shop()
    page.on_click["Help"] = lambda page: page.texts.append(f"Line {len(page.texts)}")
    world, model = world_of(page, plan("Get help"), act(click(2)))
    with world:
        world.start()
        request = world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert isinstance(request, QuestionRequest)
    assert "the screen only got longer" in request.text
    assert len(page.clicks) < 15
    warned = [place for place, _ in enumerate(model.requests) if "the screen only gets longer." in model.asked(place)]
    assert len(warned) == 1


def test_scrolling_on_through_a_list_that_grows_is_no_loop() -> None:
    page = shop()
    page.on_look = lambda page: page.texts.append(f"Row {len(page.texts)}")
    scroll = act({"do": "scroll", "dy_css_px": 300})
    world, _ = world_of(page, plan("Find row 40"), *[scroll] * 12, finish("Row 9"), summary(("Found", 12)))
    with world:
        end = world.run()
    assert end.state is RunState.DONE


def test_a_model_is_told_of_the_last_steps_before_a_reply_can_use_them_up() -> None:
    page = shop()
    page.on_click["Help"] = lambda page: page.texts.append(f"Line {len(page.texts)}")
    world, model = world_of(page, plan("Get help"), act(*[click(2)] * 3))
    with world:
        world.run(max_steps=14)
    warned = [place for place, _ in enumerate(model.requests) if "steps are left" in model.asked(place)]
    assert len(warned) == 1
    assert "Warning: 8 of 14 steps are left." in model.asked(warned[0])


@pytest.mark.parametrize(
    ("budget", "warning", "at"),
    [
        ({"max_tokens": 660}, "Warning: 110 of 660 tokens are left.", 5),
        ({"max_cost": 0.01}, "Warning: $0.002 of $0.01 are left.", 8),
    ],
)
def test_a_model_is_warned_once_when_most_of_a_limit_is_used(budget: dict[str, Any], warning: str, at: int) -> None:
    """At 80 %, and not as the last word: each reply here takes 110 tokens and a tenth of a cent."""
    page = shop()
    page.on_click["Help"] = lambda page: page.texts.append(f"Line {len(page.texts)}")
    world, model = world_of(page, plan("Get help"), *[act(click(2)), act(click(1))] * 6)
    with world:
        world.run(max_steps=60, budget=budget)
    kind = warning.split(" of ")[-1]
    assert [place for place, _ in enumerate(model.requests) if kind in model.asked(place)] == [at]
    newest = model.requests[at].messages[-1].parts[0].text  # type: ignore[union-attr]
    assert warning in newest
    assert not newest.rstrip().endswith("most first.")


def test_a_model_that_works_long_on_one_task_is_warned_once_that_the_plan_may_not_fit() -> None:
    page = shop()
    page.on_look = lambda page: page.texts.append(f"Row {len(page.texts)}")
    scroll = act({"do": "scroll", "dy_css_px": 300})
    world, model = world_of(page, plan("Find row 40"), *[scroll] * 18, finish("Row 9"), summary(("Found", 18)))
    with world:
        world.run(max_steps=90)
    words = "Warning: the present task has been worked on for 15 turns."
    assert [place for place, _ in enumerate(model.requests) if words in model.asked(place)] == [15]


def test_general_tools_are_named_to_the_model_and_reached_by_their_route() -> None:
    """Through the same gate as everything else: the clipboard is the person's, so they are asked."""
    page = shop()
    page.clipboard = "Order 4711"
    world, model = world_of(
        page,
        plan("Read the clipboard", route="tools"),
        act({"do": "read_clipboard"}),
        finish("Order 4711", answer="It holds: Order 4711"),
        summary(("It was read", 1)),
    )
    with world:
        world.start("what is on the clipboard?")
        assert isinstance(world.listener.wait_request(), ApprovalRequest)
        world.control.answer(world.listener.wait_request().id, Approve())
        end = world.listener.wait_end()
    assert end.answer.startswith("It holds: Order 4711")
    asked = model.asked(0)
    assert "read_clipboard: read the text on the clipboard" in asked
    assert "run_command" not in asked  # the desktop's
    assert "tools" in str(model.requests[0].schema)


def test_rolling_back_goes_to_the_last_task_border_and_is_an_event() -> None:
    page = shop()
    page.on_click["Help"] = lambda page: setattr(page, "url", "http://page.test/help")
    world, _ = world_of(
        page,
        plan("Put the lamp into the cart"),
        act(click(2)),
        {"route": "roll_back", "say": "The help page leads nowhere."},
        act(click(1)),
        finish("1 item in your cart"),
        summary(("Done", 2)),
    )
    with world:
        end = world.run()
    assert end.state is RunState.DONE
    assert Rung.ROLL_BACK in rungs(world)
    assert page.url == "http://page.test/"


def test_a_wish_reaches_the_next_question_as_the_newest() -> None:
    page = shop()
    world, model = world_of(
        page, plan("Add", "Look"), act(click(1)), act({"do": "get_text"}, done=[{"task": 1, "evidence": "1 item"}])
    )

    def added(page: FakePage) -> None:
        page.texts.append("1 item in your cart")
        world.control.say("and two candles")

    page.on_click["Add to cart"] = added
    with world:
        world.start()
        world.listener.wait(lambda event: isinstance(event, StepStarted) and event.action == "get_text")
        world.control.stop()
        world.listener.wait_end()
    assert "The person's newest wish: “and two candles”" in model.asked(2)


def test_what_happened_while_the_person_had_control_is_told_as_text_from_outside() -> None:
    page = SharedPage(buttons=["Add to cart"], click_takes_s=30)
    world, model = world_of(
        page, plan("Add"), act(click(1)), act({"do": "get_text"}, done=[{"task": 1, "evidence": "1 item"}])
    )
    with world:
        world.start()
        world.listener.wait(lambda event: isinstance(event, StepStarted))
        world.control.take_over(is_teaching=True)
        world.listener.wait(lambda event: isinstance(event, StepFinished))
        world.listener.wait(lambda event: isinstance(event, StateChanged) and event.take_over is TakeOverKind.TEACHING)
        page.texts.append("1 item in your cart")
        world.control.resume()
        world.listener.wait_end()
    asked = model.asked(2)
    told = asked[asked.index("The person had control:") :]
    assert told.index("1 item in your cart") < told.index("The present task")


def test_waiting_asks_nothing_as_long_as_the_screen_stays_the_same() -> None:
    page = shop()
    looks: list[int] = []

    def comes(page: FakePage) -> None:
        looks.append(1)
        if len(looks) == 4:
            page.texts.append("Your order arrived")

    page.on_look = comes
    world, model = world_of(
        page,
        plan("Wait for the order"),
        {"route": "wait", "say": "the order"},
        finish("Your order arrived", answer="It arrived."),
        summary(("Done", 1)),
    )
    with world:
        end = world.run()
    assert end.state is RunState.DONE
    assert purposes(model.requests).count("decision") == 2


def test_a_password_the_person_did_not_give_is_never_typed() -> None:
    page = shop()
    state = page.state

    def with_password() -> Any:
        seen = state()
        elements = [
            one.model_copy(update={"states": one.states | {ElementState.PASSWORD}}) if one.role == "textbox" else one
            for one in seen.elements
        ]
        return seen.model_copy(update={"elements": tuple(elements)})

    page.state = with_password  # type: ignore[method-assign]
    world, _ = world_of(page, plan("Sign in"), act(fill(501, "hunter2")))
    with world:
        world.start()
        request = world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert isinstance(request, HandOffRequest)
    assert request.why is HandOffKind.SIGN_IN
    assert page.fields["Name"] == ""


class SilentModel(ScriptedModel):
    """Never answers once its replies are used up."""

    async def ask(self, request: ModelRequest, **options: Any) -> Any:
        if not self.replies:
            await asyncio.Event().wait()
        self.replies.append({})
        reply = await super().ask(request)
        self.replies.pop()
        return reply


@pytest.mark.parametrize("replies", [[], [plan("Add")]])
def test_the_limit_of_minutes_ends_a_run_whose_model_does_not_answer(replies: list[Any]) -> None:
    model = SilentModel(replies)
    with World(shop(), ModelPlanner(model, Registry())) as world:  # type: ignore[arg-type]
        end = world.run(budget={"max_minutes": 0.005})
    assert end.cause is EndCause.BUDGET
    assert "the limit set for this run" in end.reason


def test_a_used_up_budget_buys_no_closing_words() -> None:
    world, model = world_of(
        shop(), plan("Add to cart"), act(click(1)), finish("1 item in your cart"), summary(("Done", 1))
    )
    with world:
        end = world.run(budget={"max_tokens": 330})
    assert end.state is RunState.DONE
    assert purposes(model.requests) == ["plan", "decision", "decision"]


SECRET = 'hunter"2-x'
NAMED = "{{secret:password}}"


def sign_in_page() -> FakePage:
    """It repeats the password after signing in."""
    return FakePage(
        buttons=["Sign in"],
        fields={"Name": "", "Password": ""},
        passwords={"Password"},
        on_click={"Sign in": lambda page: page.texts.append(f"You are signed in, {page.fields['Password']}")},
    )


@pytest.mark.parametrize(
    "enter",
    [
        fill(502, NAMED),
        {"do": "fill_form", "fields": [{"element": 502, "value": NAMED}]},
    ],
)
def test_a_password_of_the_goal_reaches_its_field_and_stands_in_no_prompt_and_no_event(enter: dict[str, Any]) -> None:
    page = sign_in_page()
    world, model = world_of(
        page, plan("Sign in"), act(enter, click(1)), finish("You are signed in"), summary(("In", 2))
    )
    with world:
        end = world.run(f"sign in with the password {SECRET}", approve_all=True)
    assert end.state is RunState.DONE
    assert page.fields["Password"] == SECRET
    events = "".join(event.model_dump_json() for event in (*world.recorder.events, *world.listener.events))
    prompts = "".join(model.asked(at) for at in range(len(model.requests)))
    assert SECRET not in prompts
    assert NAMED in prompts
    assert SECRET not in events
    assert "hunter" not in events


def test_a_password_of_the_goal_goes_into_no_other_field() -> None:
    page = sign_in_page()
    world, _ = world_of(page, plan("Search"), act(fill(501, NAMED)), {"route": "impossible", "say": "No."})
    with world:
        world.start(f"sign in with the password {SECRET}")
        world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert page.fields == {"Name": "", "Password": ""}
    assert OutcomeStatus.REFUSED in outcomes(world)


@pytest.mark.parametrize(
    "way",
    [[[fill(502, "made-up-1")]], [[click(1)], [fill(502, "made-up-1")]], [[fill(501, "x"), fill(502, "made-up-1")]]],
)
def test_a_password_the_person_did_not_give_is_typed_in_no_variant(way: list[Any]) -> None:
    page = sign_in_page()
    page.on_click["Sign in"] = lambda page: None
    reply = {"route": "act", "variants": way, "thought": "next"}
    world, _ = world_of(page, plan("Sign in"), reply, {"route": "impossible", "say": "No."})
    with world:
        world.start(approve_all=True)
        world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert page.fields["Password"] == ""


@pytest.mark.parametrize(
    ("field", "why"), [("Verification code", HandOffKind.SECOND_FACTOR), ("Card number", HandOffKind.PAYMENT)]
)
def test_a_code_or_card_number_the_person_did_not_give_is_never_made_up(field: str, why: HandOffKind) -> None:
    page = shop()
    page.fields[field] = ""
    number = 501 + list(page.fields).index(field)
    world, _ = world_of(page, plan("Go on"), act(fill(number, "123456")), {"route": "impossible", "say": "No."})
    with world:
        world.start()
        request = world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert isinstance(request, HandOffRequest)
    assert request.why is why
    assert page.fields[field] == ""


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("What is your bank password?", HandOffKind.SIGN_IN),
        ("Please tell me the verification code", HandOffKind.SECOND_FACTOR),
        ("Which card number shall I use?", HandOffKind.PAYMENT),
    ],
)
@pytest.mark.parametrize("choices", [[], ["I type it below", "Skip it"]])
def test_a_question_for_a_secret_becomes_a_hand_off(question: str, why: HandOffKind, choices: list[str]) -> None:
    world, _ = world_of(shop(), plan("Pay"), {"route": "ask", "say": question, "choices": choices})
    with world:
        world.start()
        request = world.listener.wait_request()
        world.control.stop()
        world.listener.wait_end()
    assert isinstance(request, HandOffRequest)
    assert request.why is why


def test_each_exchange_is_recorded_and_its_tokens_stand_with_the_step() -> None:
    world, _ = world_of(shop(), plan("Add to cart"), act(click(1)), finish("1 item in your cart"), summary(("Done", 1)))
    with world:
        world.run()
    told_of = [event for event in world.recorder.events if isinstance(event, ModelAsked)]
    assert [event.purpose for event in told_of] == ["planning", "decision", "decision", "final_summary"]
    assert told_of[1].sent == "sent 2"
    assert told_of[1].snapshot["route"] == "act"
    (finished,) = [event for event in world.recorder.events if isinstance(event, StepFinished)]
    assert finished.tokens == 110


@pytest.mark.parametrize("what", ["all", "Help", "step 1"])
def test_the_model_may_ask_to_see_more(what: str) -> None:
    world, model = world_of(
        shop(),
        plan("Add to cart"),
        {"route": "show", "show": what},
        act(click(1)),
        finish("1 item in your cart"),
        summary(("Done", 1)),
    )
    with world:
        end = world.run()
    assert end.state is RunState.DONE
    expected = {"all": "Everything on the screen", "Help": "What fits your words", "step 1": "Step 1 read nothing"}
    assert expected[what] in model.asked(2)


def test_the_plan_a_person_changed_is_the_one_the_model_gets() -> None:
    page = shop()
    world, model = world_of(page, plan("Add", "Check"), act(click(1)), act(click(1)))
    add = page.on_click["Add to cart"]

    def added(page: FakePage) -> None:
        add(page)
        if len(page.clicks) == 2:
            world.control.stop()

    page.on_click["Add to cart"] = added
    with world:
        world.run()
    changes = [event.plan for event in world.listener.events if isinstance(event, PlanChanged)]
    assert TaskStatus.ACTIVE in {task.status for task in changes[-1].leaves()}
    assert "1. Add\n2. Check" in model.asked(1)
