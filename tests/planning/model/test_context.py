"""What a model is shown of screens and of a long run: whole, as a difference, folded, within its context."""

from __future__ import annotations

import asyncio
from io import BytesIO
from itertools import pairwise
from typing import Any

import pytest
from PIL import Image

from operative_app.actions.browser import GetText
from operative_app.actions.mouse import Click, ClickElement
from operative_app.actions.registry import Registry
from operative_app.core.coordinates import CssPoint, ImagePoint
from operative_app.core.endpoint import LEAST_CONTEXT_TOKENS, PictureUse
from operative_app.core.plan import Plan, Task
from operative_app.core.run import Outcome, OutcomeStatus, RunRequest, done
from operative_app.core.screen import Box, Element, ElementState, Picture, ScreenState, SurfaceKind, TextBlock
from operative_app.llm.messages import NamedCall, PicturePart
from operative_app.planning.model import telling
from operative_app.planning.model.numbers import Numbers
from operative_app.planning.model.options import ModelOptions
from operative_app.planning.model.pictures import prepared
from operative_app.planning.model.planner import ModelPlanner
from operative_app.planning.model.sight import changes, find, see
from operative_app.planning.model.transcript import tokens_of
from operative_app.planning.port import Act, AskPerson, Misread, RunContext, StepRecord, TaskDone
from tests.planning.model.scripted import Abilities, ScriptedModel, act, click, plan, text_of


def element(number: int, name: str = "", *, is_seen: bool = True, **more: Any) -> Element:
    box = Box(x_css_px=20, y_css_px=24 * number if is_seen else 9000 + number, width_css_px=90, height_css_px=20)
    states = more.pop("states", frozenset()) | (frozenset() if is_seen else {ElementState.OFFSCREEN})
    mark = number if is_seen else 0
    name = name or f"Control {number}"
    return Element(
        key=f"e{number}", mark=mark, role="button", name=name, box=box, path=f"b{number}", states=states, **more
    )


def screen(
    observation: int, *elements: Element, texts: tuple[str, ...] = (), url: str = "http://page.test/"
) -> ScreenState:
    box = Box(x_css_px=0, y_css_px=0, width_css_px=300, height_css_px=20)
    return ScreenState(
        observation=observation,
        surface=SurfaceKind.BROWSER,
        url=url,
        viewport_width_css_px=800,
        viewport_height_css_px=600,
        elements=elements,
        texts=tuple(TextBlock(text=text, box=box) for text in texts),
    )


def large(observation: int, **more: Any) -> ScreenState:
    """A page with far more controls below than can be seen."""
    seen = [element(number) for number in range(1, 20)]
    unseen = [
        element(number, f"Distant control number {number} of the page", is_seen=False) for number in range(100, 300)
    ]
    return screen(observation, *seen, *unseen, **more)


def record(step: int, before: ScreenState, after: ScreenState, **more: Any) -> StepRecord:
    action = more.pop("action", None) or ClickElement(target=before.ref(before.elements[0]))
    outcome = more.pop("outcome", None) or done()
    return StepRecord(step, "t1", action, outcome, before, after, **more)


# Screens.


def test_a_small_screen_is_shown_whole() -> None:
    state = screen(1, element(1), element(2, is_seen=False), texts=("Hello",))
    sight = see(state, Numbers(), ())
    assert "[1] button “Control 1”" in sight.text
    assert "[501] button “Control 2” (below)" in sight.text
    assert "Hello" in sight.text
    assert sight.left_out == 0


def test_of_a_large_screen_what_is_near_or_named_is_shown_and_the_rest_is_counted() -> None:
    state = large(1)
    sight = see(state, Numbers(), ("find the distant control number 250",))
    assert "[1] button" in sight.text
    assert "number 250" in sight.text
    assert len(sight.text) < len(see(state, Numbers(), (), is_all=True).text)
    nothing_named = see(state, Numbers(), ("zzz",))
    assert "number 250" not in nothing_named.text
    assert "! not shown: 200 x button" in nothing_named.text
    assert nothing_named.left_out == 200


def test_of_a_wordy_screen_all_controls_are_shown_and_the_words_that_matter_with_how_to_get_the_rest() -> None:
    words = [
        f"Paragraph {place} of a long story about nothing in particular, and on it goes. " * 4 for place in range(60)
    ]
    words[41] = "The delivery to Lisbon costs 12 euros."
    state = screen(1, *(element(number) for number in range(1, 30)), texts=tuple(words))
    numbers = Numbers()
    sight = see(state, numbers, ("what does the delivery to lisbon cost",))
    assert all(f"[{number}] button" in sight.text for number in range(1, 30))
    assert words[41] in sight.text
    assert len(sight.text) < 4200
    assert "ask with “show”" in sight.text
    assert "get_text" in sight.text
    assert words[7].strip() in see(state, numbers, (), is_all=True).text


def test_everything_left_out_is_there_on_request() -> None:
    state, numbers = large(1), Numbers()
    everything = see(state, numbers, (), is_all=True).text
    for one in state.elements:
        assert one.name in everything
    assert "number 123" in find(state, numbers, "number 123", max_chars=4000)
    assert "Nothing on this screen is called" in find(state, numbers, "zebra", max_chars=4000)


def test_numbers_of_what_is_out_of_sight_stay_and_lead_to_the_element() -> None:
    numbers = Numbers()
    first = screen(1, element(1), element(7, is_seen=False), element(8, is_seen=False))
    assert numbers.number(first, "e8") == 502
    second = screen(2, element(1), element(7), element(8, is_seen=False))
    assert numbers.number(second, "e8") == 502
    assert numbers.of(second)[502].name == "Control 8"
    elsewhere = screen(3, element(8, is_seen=False), url="http://other.test/")
    assert numbers.number(elsewhere, "e8") == 501


def test_a_change_is_told_as_a_difference_when_that_is_shorter() -> None:
    numbers = Numbers()
    before = see(screen(1, *(element(n) for n in range(1, 15)), texts=("Total 10",)), numbers, ())
    states = frozenset({ElementState.CHECKED})
    after = see(
        screen(2, element(1, states=states), *(element(n) for n in range(2, 14)), element(20), texts=("Total 12",)),
        numbers,
        (),
    )
    told = changes(before, after)
    assert told is not None
    assert "= [1] button “Control 1” (checked)" in told
    assert "+ [20] button “Control 20”" in told
    assert "- [14] went" in told
    assert "+ Total 12" in told
    assert "Control 5" not in told
    assert changes(before, see(screen(3, element(1), url="http://other.test/"), numbers, ())) is None
    assert changes(after, after) == "The screen is exactly as it was."


# What came of actions.


def test_a_long_value_is_given_in_parts_that_can_be_asked_for() -> None:
    state = screen(1, element(1))
    value = "".join(chr(ord("a") + place % 26) for place in range(5000))
    read = record(7, state, state, action=GetText(), outcome=done(value=value))
    told = telling.told([read])
    assert value[:2000] in told
    assert value[:2001] not in told
    assert "choose show with “step 7 from 2000”" in told
    rest = telling.rest_of("step 7 from 2000", [read])
    assert value[2000:4000] in rest
    assert telling.rest_of("step 9", [read]) == "Step 9 read nothing."
    assert telling.rest_of("the picture", [read]) == ""


@pytest.mark.parametrize(
    ("outcome", "difference", "words"),
    [
        (done(), "text “Saved” appeared", "done. text “Saved” appeared"),
        (done(), "", "done. Nothing on the screen changed"),
        (
            Outcome(status=OutcomeStatus.UNVERIFIED, detail="nothing changed"),
            "",
            "its effect is not to be seen: nothing",
        ),
        (Outcome(status=OutcomeStatus.FAILED, detail="covered by a banner"), "", "failed: covered by a banner"),
        (Outcome(status=OutcomeStatus.REFUSED, detail="you said no"), "", "not carried out: you said no"),
    ],
)
def test_only_what_was_seen_is_told(outcome: Outcome, difference: str, words: str) -> None:
    state = screen(1, element(1))
    assert words in telling.told([record(1, state, state, outcome=outcome, difference=difference)])


def test_what_was_typed_into_a_password_field_is_not_told() -> None:
    state = screen(1, element(1))
    hidden = record(1, state, state, words="Fill textbox “Password” with “•••”")
    assert "•••" in telling.told([hidden])
    assert "Click" not in telling.line(hidden)


# Long runs.


def long_run(steps: int, **options: Any) -> ScriptedModel:
    """So many steps on pages that change, one decision each."""

    def decide(request: Any) -> dict[str, Any]:
        if request.schema_name == "history":
            return {"summary": "Many controls were clicked [step 3]."}
        return act(
            click(1), last="It went on.", keep=f"value {len(model.requests)}" if len(model.requests) == 5 else ""
        )

    model = ScriptedModel([plan("Go on", "Tell"), decide], Abilities(context_tokens=16_000))
    planner = ModelPlanner(model, Registry(), options=ModelOptions(**options))

    async def run() -> None:
        request = RunRequest(goal="Count all sheep of the meadow, exactly")
        await planner.decompose(request.goal, None, RunContext(request))
        made = Plan(goal=request.goal, tasks=(Task(id="t1", goal="Go on"), Task(id="t2", goal="Tell")))
        history: list[StepRecord] = []
        for step in range(1, steps + 1):
            url = f"http://page.test/{step // 5}"
            before = screen(2 * step, *(element(n) for n in range(1, 40)), texts=(f"Sheep {step}",), url=url)
            after = screen(2 * step + 1, *(element(n) for n in range(1, 40)), texts=(f"Sheep {step + 1}",), url=url)
            history.append(record(step, before, after, difference=f"text “Sheep {step + 1}” appeared"))
            wishes = ("but no lambs",) if step >= 20 else ()
            words = ("the white ones",) if step >= 30 else ()
            context = RunContext(request, tuple(history), wishes, words)
            assert isinstance(await planner.select_action(after, made, made.tasks[0], context), Act)

    asyncio.run(run())
    return model


@pytest.mark.parametrize(("context_tokens", "warned"), [(4096, 1), (LEAST_CONTEXT_TOKENS, 0)])
def test_a_context_too_small_for_the_questions_is_told_once(context_tokens: int, warned: int) -> None:
    """What counts as large enough holds the goal, the screen and the reply."""
    model = ScriptedModel([plan("Go on", "Tell"), act(click(1))], Abilities(context_tokens=context_tokens))
    planner = ModelPlanner(model, Registry())
    told: list[str] = []

    async def ask() -> None:
        context = RunContext(RunRequest(goal="Count all sheep"), warn=told.append)
        await planner.decompose("Count all sheep", None, context)
        made = Plan(goal="Count all sheep", tasks=(Task(id="t1", goal="Go on"), Task(id="t2", goal="Tell")))
        for number in range(2):
            state = screen(number + 1, *(element(n) for n in range(1, 40)), texts=("Sheep 7",))
            await planner.select_action(state, made, made.tasks[0], context)

    asyncio.run(ask())
    assert len(told) == warned
    assert all(text.startswith("model takes 4,096 tokens at a time. Operative needs") for text in told)
    request = model.requests[-1]
    size = tokens_of(text_of(request)) + tokens_of(str(request.schema))
    assert "Sheep 7" in model.asked()
    if not warned:
        assert size + request.max_output_tokens <= context_tokens


@pytest.fixture(scope="module")
def model_of_300() -> ScriptedModel:
    return long_run(300)


def test_a_run_of_300_steps_stays_within_16k_tokens(model_of_300: ScriptedModel) -> None:
    sizes = [
        tokens_of(text_of(one)) + tokens_of(str(one.schema)) + one.max_output_tokens for one in model_of_300.requests
    ]
    assert len(sizes) > 300
    assert max(sizes) <= 16_000


def test_goal_plan_and_the_persons_words_are_never_dropped(model_of_300: ScriptedModel) -> None:
    decisions = [one for one in model_of_300.requests if one.schema_name == "decision"]
    for asked in map(text_of, decisions):
        assert "Count all sheep of the meadow, exactly" in asked
        assert "1. Go on\n2. Tell" in asked
    for asked in map(text_of, decisions[40:]):
        assert "but no lambs" in asked
        assert "the white ones" in asked


def test_the_newest_screens_are_whole_or_follow_from_one_that_is(model_of_300: ScriptedModel) -> None:
    decisions = [one for one in model_of_300.requests if one.schema_name == "decision"]
    for request in decisions[10::25]:
        screens = [
            text for text in map(str, request.messages) if "The screen now:" in text or "The same screen" in text
        ]
        assert len(screens) >= 5
        assert "The screen now:" in screens[0]


def test_older_steps_become_an_account_now_and_then(model_of_300: ScriptedModel) -> None:
    accounts = [one for one in model_of_300.requests if one.schema_name == "history"]
    assert 3 <= len(accounts) <= 12
    assert "Many controls were clicked [step 3]." in text_of(model_of_300.requests[-1])
    assert "noted: value 5" in text_of(accounts[0])


def test_what_was_sent_before_is_mostly_sent_again(model_of_300: ScriptedModel) -> None:
    decisions = [text_of(one) for one in model_of_300.requests if one.schema_name == "decision"]
    shares: list[float] = []
    for old, new in pairwise(decisions):
        same = next((place for place, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
        shares.append(same / len(new))
    assert sum(shares) / len(shares) >= 0.8


def test_without_a_model_for_it_old_steps_are_let_go() -> None:
    model = long_run(90, history_by_model=False)
    assert not [one for one in model.requests if one.schema_name == "history"]
    assert "earlier steps are left out here" in text_of(model.requests[-1])


# Pictures.


def picture(width: int = 1600, height: int = 1200) -> Picture:
    buffer = BytesIO()
    Image.new("RGB", (width, height), "white").save(buffer, "JPEG")
    return Picture(data=buffer.getvalue(), width_px=width, height_px=height)


def asked_with_picture(state: ScreenState, model: ScriptedModel, **options: Any) -> Any:
    planner = ModelPlanner(model, Registry(), options=ModelOptions(**options))

    async def run() -> Any:
        request = RunRequest(goal="Look")
        context = RunContext(request, picture=picture())
        await planner.decompose(request.goal, None, context)
        task = Task(id="t1", goal="Look")
        return await planner.select_action(state, Plan(goal="Look", tasks=(task,)), task, context)

    return asyncio.run(run())


def has_picture(model: ScriptedModel) -> bool:
    return any(isinstance(part, PicturePart) for message in model.requests[-1].messages for part in message.parts)


def test_a_picture_is_shrunk_for_the_model_and_its_places_lead_back() -> None:
    state = screen(1, element(1))
    shown = prepared(picture(3200, 2400), state)
    assert shown is not None
    assert max(shown.picture.width_px, shown.picture.height_px) <= 1280
    assert shown.picture.width_px * shown.picture.height_px <= 1_150_000
    middle = ImagePoint(x_image_px=shown.picture.width_px / 2, y_image_px=shown.picture.height_px / 2)
    assert shown.image.to_state(middle) == CssPoint(x_css_px=400, y_css_px=300)
    assert prepared(Picture(data=b"no picture"), state) is None


@pytest.mark.parametrize(
    ("state", "sees", "use", "is_sent"),
    [
        (screen(1, *(element(n) for n in range(1, 9))), True, PictureUse.WHEN_NEEDED, False),
        (screen(1, element(1)), True, PictureUse.WHEN_NEEDED, True),
        (screen(1, *(element(n) for n in range(1, 9))), True, PictureUse.ALWAYS, True),
        (screen(1, element(1)), True, PictureUse.NEVER, False),
        (screen(1, element(1)), False, PictureUse.ALWAYS, False),
    ],
)
def test_a_picture_is_sent_where_text_says_little(
    state: ScreenState, sees: bool, use: PictureUse, is_sent: bool
) -> None:
    model = ScriptedModel([plan("Look"), act(click(1))], Abilities(has_vision=sees))
    asked_with_picture(state, model, pictures=use)
    assert has_picture(model) is is_sent


def test_a_place_on_the_picture_is_clicked_where_it_is_on_the_page() -> None:
    model = ScriptedModel([plan("Look"), act({"do": "click", "x_px": 640, "y_px": 480})], Abilities(has_vision=True))
    decision = asked_with_picture(screen(1, element(1)), model)
    assert isinstance(decision, Act)
    (action,) = decision.variants[0].actions
    assert isinstance(action, Click)
    assert action.x_px == pytest.approx(640 / model.requests[-1].messages[-1].parts[1].picture.width_px * 800)  # type: ignore[union-attr]


def test_native_calls_of_an_endpoint_are_actions_and_its_checks_go_to_the_person() -> None:
    abilities = Abilities(has_vision=True, has_computer_use=True)
    model = ScriptedModel([plan("Look"), {}], abilities, calls=(NamedCall("click", {"x_px": 300.0, "y_px": 200.0}),))
    decision = asked_with_picture(screen(1, element(1)), model)
    assert isinstance(decision, Act)
    assert decision.variants[0].actions == (Click(x_px=300, y_px=200),)
    computer = model.requests[-1].computer
    assert computer is not None
    assert computer.viewport.width_css_px == 800
    model = ScriptedModel([plan("Look"), {}], abilities, calls=model.calls, checks=("This page asks for money.",))
    asked = asked_with_picture(screen(1, element(1)), model)
    assert isinstance(asked, AskPerson)
    assert "This page asks for money." in asked.question


@pytest.mark.parametrize(("word", "is_agreed"), [("Go on", True), ("No", False), ("Who asks?", False)])
def test_only_a_yes_lets_calls_with_a_check_of_the_endpoint_through(word: str, is_agreed: bool) -> None:
    abilities = Abilities(has_vision=True, has_computer_use=True)
    calls = (NamedCall("click", {"x_px": 300.0, "y_px": 200.0}),)
    model = ScriptedModel([plan("Look"), {}], abilities, calls=calls, checks=("This page asks for money.",))
    planner, request, task = ModelPlanner(model, Registry()), RunRequest(goal="Look"), Task(id="t1", goal="Look")

    async def run() -> Any:
        await planner.decompose(request.goal, None, RunContext(request))
        for words in (("Go on",), ("Go on", word)):  # the first word was an answer to something else
            context = RunContext(request, picture=picture(), words=words)
            yield await planner.select_action(screen(1, element(1)), Plan(goal="Look", tasks=(task,)), task, context)

    async def both() -> list[Any]:
        return [decision async for decision in run()]

    first, second = asyncio.run(both())
    assert isinstance(first, AskPerson)
    assert isinstance(second, Act if is_agreed else AskPerson)


# Replies that say nothing for the task.


def test_a_task_that_is_over_without_a_new_wish_asks_nothing() -> None:
    model = ScriptedModel([plan("Look"), {"route": "act"}])
    planner = ModelPlanner(model, Registry())

    async def run() -> Any:
        request = RunRequest(goal="Look")
        over = Task(id="t1", goal="Look").model_copy(update={"status": "done"})
        task = Task(id="t2", goal="Look on")
        plan_of = Plan(goal="Look", tasks=(task,))
        await planner.decompose("Look", None, RunContext(request))
        first = await planner.select_action(screen(1, element(1)), plan_of, over, RunContext(request))
        return first, await planner.select_action(screen(1, element(1)), plan_of, task, RunContext(request))

    first, second = asyncio.run(run())
    assert first == TaskDone()
    assert isinstance(second, Misread)
    assert len(model.requests) == 3
