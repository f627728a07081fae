"""Saved secrets on their way through the engine: where they are revealed, where refused, that nothing tells them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from operative_app.actions.browser import ExecuteJs, Fill, GetText, Navigate, SelectOption
from operative_app.actions.composite import FieldEntry, FillForm, Login, SearchAndClick
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import PressKey, TypeText
from operative_app.actions.mouse import ClickElement
from operative_app.actions.system import WriteClipboard
from operative_app.core.errors import SettingsError
from operative_app.core.events import RequestRaised, Said, StepFinished, StepStarted
from operative_app.core.requests import ApprovalRequest, Approve, Reject, Reply
from operative_app.core.run import Oversight, RunState
from operative_app.core.screen import ScreenState
from operative_app.core.secrets import FieldPlace, SavedSecret
from operative_app.planning.port import Act, AskPerson, Decision, RunContext, TaskDone
from tests.engine.world import FakePage, ScriptedPlanner, World

MARKER = "Marker-5Tz!7-value"
NAMED = "{{secret:shop}}"


@dataclass
class Book:
    """Secrets for page.test, with what was asked of them."""

    saved: tuple[SavedSecret, ...] = (SavedSecret(name="shop", sites=("page.test",)),)
    fault: str = ""
    asked: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)

    def names(self) -> tuple[SavedSecret, ...]:
        return self.saved

    def note_used(self, name: str) -> None:
        self.used.append(name)

    def value(self, name: str) -> str:
        self.asked.append(name)
        if self.fault:
            raise SettingsError(self.fault)
        return MARKER


class PageWithFocus(FakePage):
    """The first field has the focus."""

    def state(self) -> ScreenState:
        state = super().state()
        return state.model_copy(update={"focus": next((one.key for one in state.elements if one.key[0] == "f"), "")})


def sign_in_page(**more: object) -> FakePage:
    return FakePage(buttons=["Sign in"], fields={"Password": "", "Note": ""}, passwords={"Password"}, **more)  # type: ignore[arg-type]


Doing = Callable[[ScreenState], Action]


def world(page: FakePage, doing: Doing, book: Book | None = None, *more: Doing) -> World:
    """A world whose planner does these actions once each, whatever comes of them."""
    steps = (doing, *more)

    def choose(state: ScreenState, task: object, context: object) -> Decision:
        done = len([one for one in context.history if not one.outcome.detail.startswith("part")])  # type: ignore[attr-defined]
        return Act.one(steps[done](state)) if done < len(steps) else TaskDone()

    def give_up(state: ScreenState, task: object, trouble: object, context: object) -> Decision:
        return TaskDone(is_verified=False)

    return World(page, ScriptedPlanner("the task", choose=choose, replan=give_up), secrets=book or Book())


def fill(name: str, text: str) -> Doing:
    return lambda state: Fill(target=state.ref(next(one for one in state.elements if one.name == name)), text=text)


def everything_told(world: World) -> str:
    states = "".join(map(repr, world.planner.contexts))
    events = "".join(event.model_dump_json() for event in (*world.recorder.events, *world.listener.events))
    return events + states + "".join(trouble.reason for trouble in world.planner.troubles)


def last_step(world: World) -> StepFinished:
    return [event for event in world.listener.events if isinstance(event, StepFinished)][-1]


def test_a_secret_reaches_its_field_and_no_event_and_no_planner() -> None:
    page = sign_in_page()
    with world(page, fill("Password", NAMED)) as desk:
        assert desk.run().state is RunState.DONE
        assert page.fields["Password"] == MARKER
        told = everything_told(desk)
        assert MARKER not in told
        assert NAMED in told
        assert [one.name for one in desk.planner.contexts[0].secrets] == ["shop"]
        kinds = {event.kind for event in desk.recorder.events}  # what is searched is there
        assert {"step_started", "step_finished", "observed", "run_finished"} <= kinds


@pytest.mark.parametrize("where", ["texts", "title", "url", "value"])
def test_what_a_page_repeats_of_it_is_told_to_nobody(where: str) -> None:
    def echo(page: FakePage) -> None:
        match where:
            case "texts":
                page.texts.append(f"You typed {MARKER}")
            case "url":
                page.url = f"http://page.test/?pw={MARKER}"
            case "value":
                page.fields["Note"] = MARKER
            case _:
                page.buttons.append(f"Hello {MARKER}")

    page = sign_in_page(on_fill={"Password": echo})
    with world(page, fill("Password", NAMED), None, lambda state: GetText()) as desk:
        desk.run()
        assert page.fields["Password"] == MARKER
        assert MARKER not in everything_told(desk)


def test_what_is_read_afterwards_is_told_without_it() -> None:
    page = sign_in_page(on_fill={"Password": lambda page: page.texts.append(MARKER.upper())})
    with world(page, fill("Password", NAMED), None, lambda state: GetText()) as desk:
        desk.run()
        assert last_step(desk).value == "•••"


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        ("https://evil.test", "belongs to evil.test"),
        ("http://page.test", "not reached over https"),
        ("null", "without a site"),
        ("https://page.test@evil.test", "without a site"),
        ("https://page.test.evil.test", "belongs to page.test.evil.test"),
    ],
)
def test_the_site_of_the_fields_own_document_counts_not_that_of_the_page(origin: str, words: str) -> None:
    page, book = sign_in_page(origin=origin, url="https://page.test/"), Book()
    with world(page, fill("Password", NAMED), book) as desk:
        desk.run()
        assert page.fields["Password"] == ""
        assert book.asked == []
        assert words in last_step(desk).detail


@pytest.mark.parametrize(
    "doing",
    [
        lambda state: Navigate(url=f"https://page.test/?q={NAMED}"),
        lambda state: ExecuteJs(code=f"return '{NAMED}'"),
        lambda state: WriteClipboard(text=NAMED),
        lambda state: SelectOption(target=state.ref(state.elements[1]), option=NAMED),
        lambda state: PressKey(key=NAMED),
    ],
    ids=["address", "script", "clipboard", "option", "key"],
)
def test_a_secret_goes_into_fields_only(doing: Doing) -> None:
    page, book = sign_in_page(), Book()
    with world(page, doing, book) as desk:
        desk.run()
        assert "a secret goes into a field and nowhere else" in last_step(desk).detail
        assert book.asked == []
        assert page.clipboard == ""


@pytest.mark.parametrize(
    ("book", "words"),
    [
        (Book(saved=()), "no secret named “shop” is saved"),
        (Book(fault="The keyring is locked."), "The keyring is locked."),
        (Book(saved=(SavedSecret(name="shop", apps=("notes",)),)), "was saved for no site"),
    ],
)
def test_a_secret_that_cannot_be_had_is_refused_in_words(book: Book, words: str) -> None:
    page = sign_in_page()
    with world(page, fill("Password", NAMED), book) as desk:
        desk.run()
        assert page.fields["Password"] == ""
        assert words in last_step(desk).detail


@pytest.mark.parametrize("answer", [Approve(), Reject()])
def test_where_it_could_be_read_the_person_is_asked_first(answer: Approve | Reject) -> None:
    page = sign_in_page()
    with world(page, fill("Note", NAMED)) as desk:
        desk.start(oversight=Oversight.NONE)
        request = desk.listener.wait_request()
        assert isinstance(request, ApprovalRequest)
        assert request.reason.startswith("“shop” would be readable in textbox “Note”: it is no password field.")
        assert request.editable == ()
        desk.control.answer(request.id, answer)
        desk.listener.wait_end()
        assert page.fields["Note"] == (MARKER if isinstance(answer, Approve) else "")
        assert MARKER not in everything_told(desk)


def test_nobody_is_asked_for_a_password_field() -> None:
    with world(sign_in_page(), fill("Password", NAMED)) as desk:
        desk.run()
        assert not [event for event in desk.listener.events if isinstance(event, RequestRaised)]


def test_a_field_that_turned_readable_meanwhile_gets_nothing() -> None:
    class Turning(FakePage):
        async def field_place(self, ref: object = None) -> FieldPlace:
            return FieldPlace(key="Password", label="textbox “Password”", origin=self.origin)

    page, book = Turning(fields={"Password": ""}, passwords={"Password"}), Book()
    with world(page, fill("Password", NAMED), book) as desk:
        desk.run()
        assert page.fields["Password"] == ""
        assert book.asked == []
        assert "is no password field" in last_step(desk).detail


def test_it_is_concealed_before_it_is_handed_out() -> None:
    seen: list[str] = []
    page = sign_in_page()

    def note(page: FakePage) -> None:
        assert page.concealer is not None
        seen.append(page.concealer.text(page.fields["Password"]))

    page.on_fill["Password"] = note
    with world(page, fill("Password", NAMED)) as desk:
        desk.run()
        assert seen == ["•••"]


def test_typing_keys_goes_the_same_way() -> None:
    page = PageWithFocus(fields={"Password": ""}, passwords={"Password"})
    with world(page, lambda state: TypeText(text=f"{NAMED}")) as desk:
        desk.run()
        assert page.typed == [MARKER]
        assert MARKER not in everything_told(desk)


@pytest.mark.parametrize(
    "doing",
    [
        lambda state: FillForm(fields=(FieldEntry(target=state.ref(state.elements[1]), value=NAMED),)),
        lambda state: Login(username="ada@example.org", password=NAMED),
    ],
    ids=["form", "sign-in"],
)
def test_composite_actions_reveal_it_in_their_parts(doing: Doing) -> None:
    page = FakePage(buttons=["Sign in"], fields={"Password": ""}, passwords={"Password"})
    with world(page, doing) as desk:
        desk.run()
        assert page.fields["Password"] == MARKER
        told = everything_told(desk)
        assert MARKER not in told
        assert any(isinstance(event, StepStarted) and event.part_of for event in desk.listener.events)


def test_a_search_for_a_secret_asks_since_it_would_be_read() -> None:
    page = sign_in_page()
    doing: Doing = lambda state: SearchAndClick(field=state.ref(state.elements[2]), query=NAMED, match="x")  # noqa: E731
    with world(page, doing) as desk:
        desk.start()
        request = desk.listener.wait_request()
        desk.control.answer(request.id, Reject())
        desk.listener.wait_end()
        assert page.fields["Note"] == ""


def test_a_page_cannot_name_a_secret() -> None:
    page, book = FakePage(buttons=[f"More {NAMED}"]), Book()
    page.on_click[f"More {NAMED}"] = lambda page: page.buttons.append("Less")
    with world(page, lambda state: ClickElement(target=state.ref(state.elements[0])), book) as desk:
        desk.run()
        assert page.clicks == [f"More {NAMED}"]
        assert book.asked == []


def test_a_value_that_looks_like_a_name_is_not_taken_for_one() -> None:
    class Nested(Book):
        def value(self, name: str) -> str:
            self.asked.append(name)
            return "{{secret:other}}" if name == "shop" else MARKER

    book = Nested(saved=(SavedSecret(name="shop", sites=("page.test",)), SavedSecret(name="other", sites=("a.test",))))
    page = sign_in_page()
    with world(page, fill("Password", NAMED), book) as desk:
        desk.run()
        assert page.fields["Password"] == "{{secret:other}}"
        assert book.asked == ["shop"]


def test_what_was_filled_in_before_is_concealed_from_the_start() -> None:
    book = Book(saved=(SavedSecret(name="shop", sites=("page.test",), was_used=True), SavedSecret(name="other")))
    page = FakePage(texts=[f"You typed {MARKER}"])
    with world(page, lambda state: GetText(), book) as desk:
        desk.run()
        assert last_step(desk).value == "You typed •••"
        assert MARKER not in everything_told(desk)
        assert book.asked == ["shop"]


def test_that_it_was_filled_in_is_noted_before_it_is() -> None:
    book, seen = Book(), []
    page = sign_in_page(on_fill={"Password": lambda page: seen.append(list(book.used))})
    with world(page, fill("Password", NAMED), book) as desk:
        desk.run()
        assert seen == [["shop"]]


@pytest.mark.parametrize("is_chat", [False, True])
@pytest.mark.parametrize(
    ("answer", "secret"),
    [("hunter2", "hunter2"), ("sesame", "sesame"), ("It is 483920, I think", "483920"), ("Frühling-7.", "Frühling-7")],
)
def test_a_password_typed_as_the_answer_to_a_question_is_told_to_nobody(
    answer: str, secret: str, is_chat: bool
) -> None:
    """Only the planner that asked gets it; what goes to a model is cleaned of it."""
    heard: list[tuple[str, str]] = []

    def choose(state: ScreenState, task: object, context: RunContext) -> Decision:
        if not context.words:
            return AskPerson("What is the password of the archive?")
        heard.append((context.words[-1], context.cleaned(f"They said {answer}")))
        return TaskDone()

    page = FakePage()
    with World(page, ScriptedPlanner("the task", choose=choose)) as shown:
        shown.start()
        request = shown.listener.wait_request()
        if is_chat:
            shown.control.say(answer)
        else:
            shown.control.answer(request.id, Reply(text=answer))
        shown.listener.wait_end()
    assert [said for said, _ in heard] == [answer]
    assert secret not in heard[0][1]
    told = [one.model_dump_json() for one in (*shown.listener.events, *shown.recorder.events)]
    assert not [one for one in told if secret in one]


def test_an_answer_that_gives_no_secret_away_is_told() -> None:
    def choose(state: ScreenState, task: object, context: RunContext) -> Decision:
        return TaskDone() if context.words else AskPerson("What is the password of the archive?")

    with World(FakePage(), ScriptedPlanner("the task", choose=choose)) as shown:
        shown.start()
        shown.control.answer(shown.listener.wait_request().id, Reply(text="I have none, go on"))
        shown.listener.wait_end()
    assert [event.text for event in shown.listener.events if isinstance(event, Said) and event.role == "person"] == [
        "I have none, go on"
    ]
