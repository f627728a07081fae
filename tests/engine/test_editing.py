"""Edit, then approve: what may be changed, and that the changed action goes the whole way again."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from operative_app.actions.browser import Fill, Navigate, WaitFor
from operative_app.actions.composite import FieldEntry, FillForm, Login
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import PressKey, TypeText
from operative_app.actions.mouse import ClickElement
from operative_app.actions.system import OpenApp, RunCommand
from operative_app.core.events import RequestClosed, StepFinished, StepStarted
from operative_app.core.plan import Task
from operative_app.core.requests import ApprovalRequest, Approve, QuestionRequest, Reject, Reply
from operative_app.core.run import RunState
from operative_app.core.screen import Box, ElementRef, ElementState, ScreenState
from operative_app.engine.editing import EditFault, editable_fields, edited
from operative_app.planning.port import Act, Decision, RunContext, TaskDone
from tests.engine.world import FakePage, ScriptedPlanner, World, fill

PAGE = FakePage(buttons=["Send"], fields={"Note": "", "Password": ""}, passwords={"Password"})


def ref(name: str) -> ElementRef:
    state = PAGE.state()
    return state.ref(next(one for one in state.elements if one.name == name))


def as_seen(action: Action) -> list[tuple[str, str, str]]:
    return [(one.name, one.label, one.value) for one in editable_fields(action, PAGE.state())]


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        (Fill(target=ref("Note"), text="hello"), [("text", "What it is to hold", "hello")]),
        (Fill(target=ref("Note"), text=""), [("text", "What it is to hold", "")]),
        (Navigate(url="http://a.test/"), [("url", "The address", "http://a.test/")]),
        (
            OpenApp(app="editor", arguments=("a.txt", "b.txt")),
            [
                ("app", "The program's name", "editor"),
                ("arguments", "Files or addresses to open with it, one a line", "a.txt\nb.txt"),
            ],
        ),
        (ClickElement(target=ref("Send")), []),
        (WaitFor(target=ref("Send")), []),
        (Fill(target=ref("Password"), text="s3cret"), []),
        (Fill(target=ref("Password"), text=""), []),
        (Fill(target=ref("Note"), text="{{secret:mail}}"), []),
        (
            FillForm(
                fields=(
                    FieldEntry(target=ref("Note"), value="hello"),
                    FieldEntry(target=ref("Password"), value="s3cret"),
                    FieldEntry(target=ref("Note"), value="{{secret:mail}}"),
                )
            ),
            [("fields.0", "textbox “Note”", "hello")],
        ),
        (Login(username="ada", password="s3cret"), [("username", "The name or e-mail address to sign in with", "ada")]),
    ],
)
def test_texts_may_be_changed_and_passwords_and_secrets_never(action: Action, fields: list[object]) -> None:
    assert as_seen(action) == fields


def test_what_is_typed_into_a_password_field_is_not_offered() -> None:
    state = PAGE.state()
    focused = next(one.key for one in state.elements if one.name == "Password")
    assert editable_fields(TypeText(text="s3cret"), state.model_copy(update={"focus": focused})) == ()


def test_only_offered_texts_are_changed() -> None:
    action = Fill(target=ref("Note"), text="hello")
    assert edited(action, [("text", "bye")], PAGE.state()) == action.model_copy(update={"text": "bye"})
    with pytest.raises(EditFault):
        edited(action, [("target", "Password")], PAGE.state())
    with pytest.raises(EditFault):
        edited(Fill(target=ref("Password"), text="x"), [("text", "y")], PAGE.state())


def test_the_fields_of_a_form_are_changed_one_by_one() -> None:
    entries = [FieldEntry(target=ref("Note"), value=text) for text in ("a", "b")]
    form = edited(FillForm(fields=tuple(entries)), [("fields.1", "c")], PAGE.state())
    assert form == FillForm(fields=(entries[0], entries[1].model_copy(update={"value": "c"})))
    with pytest.raises(EditFault):
        edited(form, [("fields.2", "d")], PAGE.state())


def test_a_list_is_read_line_by_line() -> None:
    action = edited(OpenApp(app="editor", arguments=("a",)), [("arguments", "b c\n\nd\n")], PAGE.state())
    assert action == OpenApp(app="editor", arguments=("b c", "d"))


def test_the_declaration_says_at_the_field_what_it_does_not_take() -> None:
    with pytest.raises(EditFault) as fault:
        edited(RunCommand(command="ls"), [("command", "")], PAGE.state())
    assert fault.value.faults == {"command": "It cannot be empty."}


# In a run: asked before every step, so that all of it is asked about.


def filling(state: ScreenState, task: Task, context: RunContext) -> Decision:
    return TaskDone() if any(one.outcome.is_done for one in context.history) else fill(state, "Note", "hello")


def asked(world: World, number: int) -> ApprovalRequest:
    request = world.listener.wait_request(number)
    assert isinstance(request, ApprovalRequest)
    return request


def begin(world: World) -> ApprovalRequest:
    world.start(oversight="every")
    world.control.answer(world.listener.wait_request().id, Approve())
    return asked(world, 2)


def page(*buttons: str) -> FakePage:
    return FakePage(buttons=list(buttons), fields={"Note": ""})


def test_the_changed_action_is_carried_out_and_recorded() -> None:
    with World(page(), ScriptedPlanner("note", choose=filling)) as world:
        request = begin(world)
        assert [one.value for one in request.editable] == ["hello"]
        world.control.answer(request.id, Approve(changes=(("text", "good day"),)))
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.fields["Note"] == "good day"
    started = next(one for one in world.recorder.events if isinstance(one, StepStarted))
    assert "good day" in started.label
    assert started.parameters["text"] == "good day"
    closed = [one.answer for one in world.recorder.events if isinstance(one, RequestClosed)]
    assert closed[-1] == Approve(changes=(("text", "good day"),))


def test_a_part_of_a_composite_action_is_changed_and_the_whole_is_verified_by_it() -> None:
    def both(state: ScreenState, task: Task, context: RunContext) -> Decision:
        named = {one.name: state.ref(one) for one in state.elements}
        fields = tuple(FieldEntry(target=named[name], value="x") for name in ("First", "Last"))
        return Act.one(FillForm(fields=fields), completes_task=True)

    form = FakePage(fields={"First": "", "Last": ""})
    missing = ["once"]

    def forget(one: FakePage) -> None:
        """The changed part is tried again as it was changed."""
        if missing:
            missing.clear()
            one.fields["Last"] = ""

    form.on_fill["Last"] = forget
    with World(form, ScriptedPlanner("fill", choose=both)) as world:
        first = begin(world)
        assert (first.action, [one.value for one in first.editable]) == ("fill", ["x"])
        world.control.answer(first.id, Approve())
        second = asked(world, 3)
        world.control.answer(second.id, Approve(changes=(("text", "Lovelace"),)))
        again = asked(world, 4)
        assert [one.value for one in again.editable] == ["Lovelace"]
        world.control.answer(again.id, Approve())
        assert world.listener.wait_end().state is RunState.DONE
    assert form.fields == {"First": "x", "Last": "Lovelace"}
    finished = [one.status.value for one in world.recorder.events if isinstance(one, StepFinished)]
    assert finished.count("done") == 3  # both parts, and the whole


def test_a_change_in_a_part_is_judged_from_the_start() -> None:
    def searching(state: ScreenState, task: Task, context: RunContext) -> Decision:
        field = next(one for one in state.elements if one.name == "Note")
        return Act.one(FillForm(fields=(FieldEntry(target=state.ref(field), value="x"),)), completes_task=True)

    with World(page(), ScriptedPlanner("note", choose=searching)) as world:
        world.control.answer(begin(world).id, Approve(changes=(("text", "{{secret:bank}}"),)))
        assert "bank" in asked(world, 3).editable[0].fault
        world.control.stop()
        world.listener.wait_end()
    assert world.page.fields["Note"] == ""


def test_a_change_that_cannot_be_taken_is_asked_about_again_with_the_fault_at_its_field() -> None:
    def typing(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return Act.one(TypeText(text="hello"), completes_task=True)

    with World(page(), ScriptedPlanner("note", choose=typing)) as world:
        world.control.answer(begin(world).id, Approve(changes=(("text", ""),)))
        (field,) = asked(world, 3).editable
        assert (field.name, field.value) == ("text", "")
        assert field.fault == "It cannot be empty."
        assert world.page.typed == []
        world.control.answer(asked(world, 3).id, Reject())
        guidance = world.listener.wait_request(4)
        assert isinstance(guidance, QuestionRequest)
        world.control.answer(guidance.id, Reply(text="Stop here"))
        world.listener.wait_end()
    assert world.page.typed == []


def test_a_change_that_names_a_secret_nobody_saved_is_told_at_the_field() -> None:
    with World(page(), ScriptedPlanner("note", choose=filling)) as world:
        world.control.answer(begin(world).id, Approve(changes=(("text", "{{secret:bank}}"),)))
        assert "bank" in asked(world, 3).editable[0].fault
        world.control.stop()
        world.listener.wait_end()
    assert world.page.fields["Note"] == ""


def test_a_change_into_what_is_denied_is_told_at_the_field() -> None:
    def opening(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return Act.one(Navigate(url="http://page.test/next"), completes_task=True)

    with World(page(), ScriptedPlanner("go", choose=opening)) as world:
        world.control.answer(begin(world).id, Approve(changes=(("url", "file:///etc/passwd"),)))
        (field,) = asked(world, 3).editable
        assert field.value == "file:///etc/passwd"
        assert field.fault
        world.control.answer(asked(world, 3).id, Approve(changes=(("url", "http://page.test/other"),)))
        assert world.listener.wait_end().state is RunState.DONE
    assert world.page.url == "http://page.test/other"


def test_a_change_into_something_of_another_kind_is_asked_about_as_what_it_is() -> None:
    def pressing(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return Act.one(PressKey(key="Tab"), completes_task=True)

    with World(page(), ScriptedPlanner("go", choose=pressing)) as world:
        first = begin(world)
        assert first.rule == "every step"
        world.control.answer(first.id, Approve(changes=(("key", "Control+v"),)))
        second = asked(world, 3)
        assert (second.rule, world.page.keys) == ("clipboard", [])
        assert second.label == "Press Control+v"
        world.control.answer(second.id, Approve())
        world.listener.wait(lambda event: event.kind == "step_finished")
    assert world.page.keys == ["Control+v"]


@dataclass
class LongPage(FakePage):
    """Its button lies below what is on the screen until the page is scrolled to it."""

    y_css_px: float = 2000
    is_scrolled: bool = False

    def state(self) -> ScreenState:
        state = super().state()
        if self.is_scrolled:
            return state
        box = Box(x_css_px=0, y_css_px=self.y_css_px, width_css_px=80, height_css_px=20)
        out = {ElementState.OFFSCREEN} if self.y_css_px > state.viewport_height_css_px else set()
        below = [one.model_copy(update={"states": one.states | out, "box": box}) for one in state.elements]
        return state.model_copy(update={"elements": tuple(below)})

    async def scroll_into_view(self, ref: ElementRef) -> None:
        self.is_scrolled = True


@pytest.mark.parametrize("y_css_px", [2000, 590, -5])
def test_what_is_asked_about_is_scrolled_into_the_picture_first(y_css_px: float) -> None:
    thanks = {"Place order": lambda page: page.texts.append("Thank you")}
    page = LongPage(buttons=["Place order"], on_click=thanks, y_css_px=y_css_px)
    with World(page, ScriptedPlanner("Place order")) as world:
        world.start()
        request = asked(world, 1)
        assert request.box is not None
        assert request.box.y_css_px == 0
        assert request.screenshot
        world.control.answer(request.id, Approve())
        assert world.listener.wait_end().state is RunState.DONE
    assert page.clicks == ["Place order"]
