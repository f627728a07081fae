"""The planner's door: plans, decisions on screens, what it does after failures and refusals, the closing words."""

from __future__ import annotations

import asyncio
import statistics
import time
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operative_app.actions.browser import Fill, SelectOption
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import Paste, PressKey, SelectAll
from operative_app.actions.mouse import ClickElement
from operative_app.core.plan import Plan, Task, TaskStatus
from operative_app.core.requests import HandOffKind
from operative_app.core.run import Outcome, OutcomeStatus, RunRequest, done
from operative_app.core.screen import Download, ElementState, ScreenState, Table
from operative_app.planning.builtin.grammar import read_instruction
from operative_app.planning.builtin.instruction import (
    AddTo,
    CheckShown,
    Choose,
    Enter,
    Finish,
    Gesture,
    GoTo,
    Instruction,
    Press,
    Provide,
    Read,
    Region,
    Relation,
    Search,
    Submit,
    Superlative,
    Target,
    Tick,
    WaitUntil,
    sentence,
)
from operative_app.planning.builtin.planner import BuiltinPlanner
from operative_app.planning.port import (
    Act,
    AskPerson,
    CannotInterpret,
    Decision,
    Decomposed,
    GiveUp,
    HandOver,
    NotThereYet,
    RunContext,
    StepRecord,
    TaskDone,
    Trouble,
)
from tests.planning.screens import element, options, screen, text

TODAY = date(2026, 11, 30)
GOAL = RunRequest(goal="goal")


def planner() -> BuiltinPlanner:
    return BuiltinPlanner(lambda: TODAY)


def decomposed(goal: str) -> Decomposed | CannotInterpret:
    return asyncio.run(planner().decompose(goal, None, RunContext(GOAL)))


def decide(
    sentence_: str,
    state: ScreenState,
    *records: StepRecord,
    words: tuple[str, ...] = (),
    using: BuiltinPlanner | None = None,
) -> Decision:
    task = Task(id="t", goal=sentence_)
    context = RunContext(GOAL, records, (), words)
    return asyncio.run((using or planner()).select_action(state, Plan(goal="goal", tasks=(task,)), task, context))


def recover(
    sentence_: str, state: ScreenState, trouble: Trouble, *records: StepRecord, words: tuple[str, ...] = ()
) -> Decision:
    task = Task(id="t", goal=sentence_)
    plan, context = Plan(goal="goal", tasks=(task,)), RunContext(GOAL, records, (), words)
    ask = planner().replan if trouble.kind in {"refused", "unexpected"} else planner().handle_error
    return asyncio.run(ask(state, plan, task, trouble, context))


def tried(
    action: Action, before: ScreenState, after: ScreenState | None = None, status: OutcomeStatus = OutcomeStatus.DONE
) -> StepRecord:
    return StepRecord(1, "t", action, Outcome(status=status), before, after or before)


def first(decision: Decision) -> Any:
    assert isinstance(decision, Act), decision
    return decision.variants[0].actions[0]


# --- plans -----------------------------------------------------------------------------------------------------------


def test_plan_has_a_task_for_each_clause_and_says_what_is_left() -> None:
    made = decomposed("Open practice:shop, search for a Mac mini, add it to the cart, then go to checkout")
    assert isinstance(made, Decomposed)
    assert [task.goal for task in made.plan.tasks] == [
        "Open practice:shop", "Search for “Mac mini”", "Add it to the cart", "Go to “checkout”",
    ]  # fmt: skip
    assert made.say == "I will do this in 4 tasks on shop. Placing the order is not part of it."


def test_known_shape_becomes_a_tree_and_says_what_it_assumes() -> None:
    made = decomposed("book a flight from SFO to JFK on 15 March for Ada Lovelace")
    assert isinstance(made, Decomposed)
    assert [task.goal for task in made.plan.leaves()] == [
        "Provide origin: “SFO”", "Provide destination: “JFK”", "Provide date: “15 March 2027”",
        "Provide passenger: “Ada Lovelace”", "Finish: book the flight",
    ]  # fmt: skip
    assert made.plan.tasks[0].goal == "Book a flight from SFO to JFK on 15 March for Ada Lovelace"
    assert "I take the first one offered" in made.say


def test_what_must_not_be_done_is_not_in_the_plan() -> None:
    made = decomposed("Order a Margherita with olives, but do not place the order")
    assert isinstance(made, Decomposed)
    assert [task.goal for task in made.plan.leaves()] == ["Open “Margherita”", "Choose “olives”", "Add it to the order"]
    assert "Placing the order is not part of it." in made.say


def test_tasks_of_the_person_are_marked() -> None:
    made = decomposed("sign in, then convert my PDF to PNG images")
    assert isinstance(made, Decomposed)
    assert [task.goal for task in made.plan.leaves() if task.by_human] == ["You: sign in", "You: choose the pdf file"]
    assert "You sign in and choose the pdf file yourself." in made.say


def test_one_part_not_understood_and_nothing_is_planned() -> None:
    made = decomposed("Open example.org and frobnicate the widget")
    assert isinstance(made, CannotInterpret)
    assert made.part == "frobnicate the widget"
    assert "Connect a model" in made.say


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ("press Save, do not press Save", "opposite"),
        ("book a flight from SFO to JFK on 29 February 2027", "There is no day “29 February 2027”"),
    ],
)
def test_what_no_model_would_understand_is_no_reason_to_connect_one(goal: str, told: str) -> None:
    made = decomposed(goal)
    assert isinstance(made, CannotInterpret)
    assert told in made.say
    assert "model" not in made.say


def test_task_renamed_to_something_not_understood_is_given_up_in_words() -> None:
    decision = decide("do the thing with the stuff", screen())
    assert isinstance(decision, GiveUp)
    assert "“do the thing with the stuff”" in decision.reason


# --- round trip ------------------------------------------------------------------------------------------------------

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Co", "Zs", "Zl", "Zp"]), min_size=1, max_size=24
).filter(
    lambda name: not set(name) & set("“”„«»‘’`「」\"'") and " ".join(name.split()) == name and name.strip() == name
)
VALUES = st.builds(lambda words: " ".join(words), st.lists(NAMES, min_size=1, max_size=4))
REGIONS = st.one_of(
    st.none(),
    st.builds(Region, st.sampled_from(list(Relation)), VALUES),
    st.builds(Region, st.just(Relation.ROW), st.just(""), st.integers(1, 40)),
    st.builds(
        Region,
        st.just(Relation.IN),
        st.one_of(st.just(""), VALUES),
        st.just(0),
        st.sampled_from(["dialog", "section", "table", "header"]),
    ),
)
TARGETS = st.one_of(
    st.builds(
        Target,
        VALUES,
        st.sampled_from(["", "button", "link", "tab"]),
        st.sampled_from([0, 1, 2, 12, -1]),
        st.none(),
        REGIONS,
    ),
    st.builds(Target, st.just(""), st.sampled_from(["result", "row", "item"]), st.integers(1, 30)),
    st.builds(
        Target, st.just(""), st.just("result"), st.just(0), st.sampled_from([Superlative.CHEAPEST, Superlative.NEWEST])
    ),
)
INSTRUCTIONS: st.SearchStrategy[Instruction] = st.one_of(
    st.builds(Search, VALUES, st.one_of(st.just(""), VALUES)),
    st.builds(Press, TARGETS, st.sampled_from(list(Gesture))),
    st.builds(Enter, VALUES, st.builds(Target, VALUES, st.just(""), st.just(0), st.none(), REGIONS)),
    st.builds(Choose, VALUES, st.one_of(st.just(""), VALUES)),
    st.builds(Tick, st.builds(Target, VALUES, st.just(""), st.just(0), st.none(), REGIONS), st.booleans()),
    st.builds(AddTo, st.sampled_from(["cart", "basket", "order"]), st.one_of(st.just(""), VALUES)),
    st.builds(GoTo, VALUES),
    st.builds(Submit, st.sampled_from(["save", "send", "submit"]), st.one_of(st.just(""), VALUES)),
    st.builds(WaitUntil, VALUES, st.booleans()),
    st.builds(Read, VALUES),
    st.builds(CheckShown, VALUES, st.booleans()),
    st.builds(Provide, st.sampled_from(["origin", "date", "e-mail", "first name"]), VALUES),
    st.builds(
        Finish, st.sampled_from(["book", "create", "place"]), VALUES, st.sampled_from([None, Superlative.CHEAPEST])
    ),
)


@settings(max_examples=400)
@given(INSTRUCTIONS)
def test_every_instruction_survives_its_sentence(instruction: Instruction) -> None:
    assert read_instruction(sentence(instruction), TODAY) == instruction


@settings(max_examples=200)
@given(st.text(max_size=120))
def test_any_text_is_answered(goal: str) -> None:
    assert isinstance(decomposed(goal), Decomposed | CannotInterpret)


# --- decisions -------------------------------------------------------------------------------------------------------


def test_search_fills_and_presses_enter_with_the_button_as_the_other_way() -> None:
    state = screen(element("searchbox", "Search products"), element("button", "Search"))
    decision = decide("search for lamps", state)
    assert isinstance(decision, Act)
    assert [[type(action) for action in one.actions] for one in decision.variants] == [
        [Fill, PressKey],
        [Fill, ClickElement],
    ]
    assert decision.completes_task


def test_choice_that_is_made_already_is_not_clicked() -> None:
    state = screen(element("radio", "256 GB"), element("radio", "512 GB", ElementState.CHECKED))
    assert isinstance(decide("choose 512 GB", state), TaskDone)
    assert first(decide("choose 256 GB", state)).target.key == "e1"


def test_native_list_is_chosen_in_without_clicking() -> None:
    state = screen(
        element(
            "combobox", "Country", tag="select", options=options("France", "Germany", chosen="France"), value="France"
        )
    )
    action = first(decide("set Country to germany", state))
    assert isinstance(action, SelectOption)
    assert action.option == "Germany"
    assert isinstance(decide("set Country to France", state), TaskDone)
    refused = decide("set Country to Atlantis", state)
    assert isinstance(refused, GiveUp)
    assert "“France”, “Germany”" in refused.reason


def test_native_date_gets_iso() -> None:
    action = first(decide("enter 15 March as Arrival", screen(element("textbox", "Arrival", input_type="date"))))
    assert action.text == "2027-03-15"


def test_covered_target_is_freed_first_without_agreeing() -> None:
    state = screen(
        element("button", "Accept all", context=("Cookie notice",)),
        element("button", "Reject all", context=("Cookie notice",)),
        element("button", "Place order", cover="dialog “Cookie notice”"),
    )
    decision = decide("press Place order", state)
    assert first(decision).target.key == "e2"
    assert isinstance(decision, Act)
    assert not decision.completes_task


@pytest.mark.parametrize("words", ["Verify you are human", "I'm not a robot", "Please enter the characters you see"])
def test_captcha_is_handed_over_at_any_time(words: str) -> None:
    decision = decide("press Save", screen(element("button", "Save"), texts=[text(words, "heading")]))
    assert isinstance(decision, HandOver)
    assert decision.why is HandOffKind.CAPTCHA
    assert not decision.completes_task


def test_link_to_a_captcha_demo_is_no_captcha() -> None:
    assert isinstance(decide("press Save", screen(element("button", "Save"), element("link", "CAPTCHA"))), Act)


def test_sign_in_goes_to_the_form_hands_over_and_sees_that_it_is_done() -> None:
    assert first(decide("sign in", screen(element("link", "Log in")))).target.key == "e1"
    form = screen(element("textbox", "User"), element("textbox", "Password", ElementState.PASSWORD))
    handed = decide("sign in", form)
    assert isinstance(handed, HandOver)
    assert handed.why is HandOffKind.SIGN_IN
    assert [
        one.check(ClickElement(target=form.ref(form.elements[0])), form, form, done()) for one in handed.done_when
    ] == ["the sign-in form is still there", ""]
    assert isinstance(decide("sign in", screen(element("button", "Sign out"))), TaskDone)


CODES = ["Verification code", "6-digit code", "Einmalcode", "Code de vérification", "验证码"]


@pytest.mark.parametrize("name", CODES)
def test_a_one_time_code_is_the_persons_after_signing_in(name: str) -> None:
    state = screen(element("textbox", name), element("button", "Continue"))
    handed = decide("sign in", state)
    assert isinstance(handed, HandOver)
    assert handed.why is HandOffKind.SECOND_FACTOR
    assert handed.target == state.ref(state.elements[0])
    assert name in handed.reason
    click = ClickElement(target=state.ref(state.elements[1]))
    (sign,) = handed.done_when
    assert sign.check(click, state, state, done()) == "the code is still asked for"
    assert sign.check(click, state, screen(element("button", "Sign out")), done()) == ""


def test_a_sign_in_that_led_to_a_code_is_not_done_yet() -> None:
    form = screen(element("textbox", "Password", ElementState.PASSWORD))
    handed = decide("sign in", form)
    assert isinstance(handed, HandOver)
    code = screen(element("textbox", "Verification code"))
    click = ClickElement(target=form.ref(form.elements[0]))
    faults = [one.check(click, form, code, done()) for one in handed.done_when]
    assert faults == ["", "the code is still asked for"]


@pytest.mark.parametrize("name", ["Promo code", "Postal code", "Country code", "Confirmation code", "Code", "PIN"])
def test_other_codes_are_not_taken_for_a_second_factor(name: str) -> None:
    state = screen(element("textbox", name, ElementState.REQUIRED), element("button", "Book"))
    decision = decide("press Book", state)
    assert not isinstance(decision, HandOver)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Card number", HandOffKind.PAYMENT),
        ("Kartennummer", HandOffKind.PAYMENT),
        ("CVC", HandOffKind.PAYMENT),
        ("IBAN", HandOffKind.PAYMENT),
        ("Security code", HandOffKind.SECOND_FACTOR),
    ],
)
def test_required_fields_that_are_the_persons_alone_are_handed_over(name: str, why: HandOffKind) -> None:
    state = screen(element("textbox", name, ElementState.REQUIRED), element("button", "Place order"))
    decision = decide("press Place order", state)
    assert isinstance(decision, HandOver)
    assert decision.why is why


def test_a_security_code_beside_a_card_number_is_the_cards() -> None:
    state = screen(element("textbox", "Card number"), element("textbox", "Security code"), element("button", "Pay"))
    assert not isinstance(decide("sign in", state), HandOver)


def test_file_is_the_persons_to_choose() -> None:
    decision = decide("upload my PDF", screen(element("file", "Document", input_type="file")))
    assert isinstance(decision, HandOver)
    assert decision.why is HandOffKind.FILE
    assert decision.target is not None
    assert decision.accepts == (".pdf",)


def test_late_content_is_waited_for() -> None:
    assert isinstance(decide("open the first result", screen(texts=[text("Searching…")])), NotThereYet)
    assert isinstance(decide("press Save", screen()), NotThereYet)


def test_no_results_is_said_in_the_words_of_the_page() -> None:
    decision = decide("open the first result", screen(texts=[text("No results for “lmap”")]))
    assert isinstance(decision, GiveUp)
    assert "No results for" in decision.reason


def test_rivals_are_asked_about_and_the_answer_decides() -> None:
    state = screen(element("button", "Edit", context=("Billing",)), element("button", "Edit", context=("Profile",)))
    one = planner()
    asked = decide("press Edit", state, using=one)
    assert isinstance(asked, AskPerson)
    assert asked.choices == ("Edit – Billing", "Edit – Profile")
    assert first(decide("press Edit", state, words=("the profile one",), using=one)).target.key == "e2"
    assert isinstance(decide("press Edit", state, words=("an older word",)), AskPerson)


def test_what_the_page_requires_and_the_goal_does_not_say_is_asked() -> None:
    state = screen(
        element("textbox", "Phone", ElementState.REQUIRED), element("button", "Book now"),
    )  # fmt: skip
    one = planner()
    asked = decide("Finish: book the room", state, using=one)
    assert isinstance(asked, AskPerson)
    assert "“Phone”" in asked.question
    assert first(decide("Finish: book the room", state, words=("0123",), using=one)).text == "0123"


def test_password_is_never_entered_as_a_detail() -> None:
    state = screen(element("textbox", "Name", ElementState.PASSWORD))
    assert not isinstance(decide("Provide name: “x”", state), Act)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("the revenue for March", "$20"),
        ("units in Feb", "1"),
        ("the total of revenue", "$30"),
        ("March revenue", "$20"),
    ],
)
def test_table_is_read_by_row_and_column(question: str, value: str) -> None:
    rows = (("February", "1", "$10"), ("March", "2", "$20"), ("Total", "3", "$30"))
    decision = decide(
        f"tell me {question}", screen(tables=[Table(caption="Sales", headers=("Month", "Units", "Revenue"), rows=rows)])
    )
    assert (decision.result if isinstance(decision, TaskDone) else "") == value


def test_value_beside_its_label_is_read() -> None:
    state = screen(
        texts=[
            text("Order number", "label", at=(10, 10)),
            text("A-17", at=(120, 10)),
            text("Delivery: Friday", at=(10, 60)),
        ]
    )
    for question, value in [("the order number", "A-17"), ("delivery", "Friday")]:
        decision = decide(f"read {question}", state)
        assert isinstance(decision, TaskDone)
        assert decision.result == value


# --- after failures --------------------------------------------------------------------------------------------------


def test_click_that_could_not_be_carried_out_is_tried_in_other_ways() -> None:
    state = screen(element("button", "Save"))
    click = ClickElement(target=state.ref(state.elements[0]))
    failed = Outcome(status=OutcomeStatus.FAILED, detail="it moved")
    trouble = Trouble("failed", "it moved", click, failed)
    decision = recover("press Save", state, trouble, tried(click, state, status=OutcomeStatus.FAILED))
    assert isinstance(decision, Act)
    assert [one.actions[0].words for one in decision.variants] == [
        "Press Enter in button “Save”",
        "Press Space in button “Save”",
    ]
    again = recover(
        "press Save", state, trouble, tried(click, state, status=OutcomeStatus.FAILED),
        tried(PressKey(key="Enter", target=click.target), state, status=OutcomeStatus.FAILED),
        tried(PressKey(key="Space", target=click.target), state, status=OutcomeStatus.FAILED),
    )  # fmt: skip
    assert isinstance(again, GiveUp)


def test_click_that_may_have_worked_is_not_repeated() -> None:
    state = screen(element("button", "Pay"))
    click = ClickElement(target=state.ref(state.elements[0]))
    unseen = Outcome(status=OutcomeStatus.UNVERIFIED, detail="nothing on the screen changed")
    assert isinstance(recover("press Pay", state, Trouble("failed", unseen.detail, click, unseen)), GiveUp)


def test_page_that_never_comes_to_rest_is_used_after_the_wait() -> None:
    state = screen(
        element("clickable", "spinner", ElementState.BUSY),
        *(element("link", name, list_index=place) for place, name in enumerate(["One", "Two"])),
    )
    assert isinstance(decide("open the second result", state), NotThereYet)
    task = Task(id="t", goal="open the second result")
    context = RunContext(GOAL, (), (), (), attempts=1)
    plan = Plan(goal="goal", tasks=(task,))
    decision = asyncio.run(planner().handle_error(state, plan, task, Trouble("missing", "still loading"), context))
    assert first(decision).target.key == "e3"


def test_missing_thing_is_named_with_what_is_like_it() -> None:
    state = screen(element("button", "Checkout"), element("link", "Cart"))
    decision = recover("press Chocolate", state, Trouble("missing", "it is not there"))
    assert isinstance(decision, GiveUp)
    assert decision.reason.startswith("There is no “Chocolate” on the page")


def test_an_address_that_gave_a_file_is_told_as_that() -> None:
    file = Download(name="report.pdf", url="https://shop.example/report.pdf")
    state = screen(url="about:blank", downloads=(file,))
    decision = recover("press Save", state, Trouble("missing", "it is not there"))
    assert isinstance(decision, GiveUp)
    assert "the address gave the file “report.pdf” and no page" in decision.reason


@pytest.mark.parametrize("goal", ["press Save", "check that Error is not shown", "wait until Loading goes away"])
def test_nothing_is_said_of_a_page_that_could_not_be_read(goal: str) -> None:
    unread = screen(left_out=("the page does not answer, so nothing could be read",))
    assert decide(goal, unread) == NotThereYet("the page does not answer, so nothing could be read")
    decision = recover(goal, unread, Trouble("missing", "it is not there"))
    assert isinstance(decision, GiveUp)
    assert decision.reason == "The page does not answer, so nothing could be read."


def test_refusal_by_the_person_ends_the_task_with_their_words() -> None:
    state = screen(element("button", "Pay"))
    click = ClickElement(target=state.ref(state.elements[0]))
    decision = recover("press Pay", state, Trouble("refused", "you said no", click), words=("too expensive",))
    assert isinstance(decision, GiveUp)
    assert "too expensive" in decision.reason


def test_unexpected_sign_in_is_handed_over() -> None:
    state = screen(element("textbox", "Password", ElementState.PASSWORD))
    decision = recover("press Save", state, Trouble("unexpected", "another page"))
    assert isinstance(decision, HandOver)
    assert decision.why is HandOffKind.SIGN_IN
    assert not decision.completes_task


def test_unexpected_dialog_is_closed() -> None:
    state = screen(
        element("button", "No thanks", context=("Offer",)),
        element("button", "Yes, buy", context=("Offer",)),
        modal="Offer",
    )
    decision = recover("press Save", state, Trouble("unexpected", "a dialog"))
    assert first(decision).target.key == "e1"


def test_finish_without_confirmation_is_not_verified() -> None:
    state = screen(element("button", "Book now"))
    click = ClickElement(target=state.ref(state.elements[0]))
    decision = recover("Finish: book the room", state, Trouble("missing", "no confirmation"), tried(click, state))
    assert isinstance(decision, TaskDone)
    assert not decision.is_verified


def test_hand_overs_end() -> None:
    one, state = planner(), screen(texts=[text("Verify you are human", "heading")])
    kinds = [type(decide("press Save", state, using=one)) for _ in range(4)]
    assert kinds == [HandOver, HandOver, HandOver, GiveUp]


# --- the end ---------------------------------------------------------------------------------------------------------


def test_summary_quotes_values_and_names_what_is_not_done() -> None:
    tasks = (
        Task(goal="Tell “revenue for March”", status=TaskStatus.DONE, result="$20"),
        Task(goal="Press “Save”", status=TaskStatus.FAILED, result="There is no “Save” on the page."),
        Task(goal="Press “Close”", status=TaskStatus.SKIPPED),
    )
    said = asyncio.run(planner().summarize(Plan(goal="g", tasks=tasks), None, RunContext(GOAL)))
    assert said == (
        "1 of 3 tasks are done. Revenue for March: “$20”. Failed: Press “Save” (There is no “Save” on the page)."
        " Skipped: Press “Close”."
    )


def main() -> None:
    """Print how long decisions take on a page of 300 elements (no test asserts on time)."""
    names = [f"Thing {number}, {word}" for number in range(75) for word in ("open", "edit", "delete", "share")]
    state = screen(*(element("button", name, context=("List", name[:8])) for name in names))
    for goal in (
        "press “Thing 70, share”",
        "choose Thing 12",
        "enter x in Name",
        "Finish: book the flight",
        "tell me the total",
    ):
        samples = []
        for round_ in range(30):
            fresh = screen(*(one.model_copy(update={"name": f"{one.name} {round_}"}) for one in state.elements))
            begun = time.perf_counter()
            decide(goal, fresh)
            samples.append((time.perf_counter() - begun) * 1000)
        print(f"{goal:40} p50 {statistics.median(samples):6.1f} ms   max {max(samples):6.1f} ms")  # noqa: T201


if __name__ == "__main__":
    main()


def test_drag_ends_on_an_element_or_on_the_text_of_that_name() -> None:
    card = element("button", "Blue card")
    onto = first(decide("drag the Blue card onto Done", screen(card, element("region", "Done", at=(400, 100)))))
    assert (onto.target.key, onto.onto.key) == ("e1", "e2")
    place = first(decide("drag the Blue card onto Done", screen(card, texts=(text("Done", at=(400, 100)),))))
    assert (place.onto, place.x_px, place.y_px) == (None, 440, 109)


def test_the_page_s_own_select_all_comes_before_the_keys() -> None:
    assert isinstance(first(decide("select all", screen(element("textbox", "Notes")))), SelectAll)
    assert first(decide("select all", screen(element("checkbox", "Select all")))).target.key == "e1"


def test_reason_of_giving_up_does_not_name_the_task_again() -> None:
    given_up = recover(
        "paste", screen(), Trouble("failed", "no field has the focus", Paste(), Outcome(status=OutcomeStatus.FAILED))
    )
    assert given_up == GiveUp("No field has the focus.")
