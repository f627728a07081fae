"""Explicit instructions for the desktop: read, written as tasks that are read back, and decided on a screen."""

from __future__ import annotations

import asyncio
from datetime import date

import pytest

from operative_app.actions.browser import GetText
from operative_app.actions.declare import Action
from operative_app.actions.keyboard import PressKey, TypeText
from operative_app.actions.mouse import ClickElement, DoubleClick
from operative_app.actions.system import CloseApp, FileDialog, OpenApp, RunCommand, SwitchApp
from operative_app.core.errors import NotUnderstood
from operative_app.core.plan import Plan, Task
from operative_app.core.run import Outcome, OutcomeStatus, RunRequest, done
from operative_app.core.screen import Box, Element, ElementState, ScreenState, SurfaceKind, TextBlock, Window
from operative_app.planning.builtin.decomposing import decompose
from operative_app.planning.builtin.grammar import read_goal, read_instruction
from operative_app.planning.builtin.instruction import sentence
from operative_app.planning.builtin.planner import BuiltinPlanner
from operative_app.planning.port import (
    Act,
    AskPerson,
    CannotInterpret,
    Decision,
    GiveUp,
    NotThereYet,
    RunContext,
    StepRecord,
    TaskDone,
    Trouble,
)

TODAY = date(2026, 11, 30)
REQUEST = RunRequest(goal="", surface=SurfaceKind.DESKTOP)


def tasks_of(goal: str) -> list[str]:
    read = read_goal(goal, TODAY, is_desktop=True)
    return [task.goal for task in decompose(goal, read).plan.leaves()]


@pytest.mark.parametrize(
    ("goal", "tasks"),
    [
        (
            "Open Mousepad, type “Hello”, press Ctrl+S, save it as /tmp/notes.txt and close Mousepad",
            [
                "Open the program “Mousepad”",
                "Enter “Hello” in the focused field",
                "Press the key Control+S",
                "Save the document as “/tmp/notes.txt”",
                "Close the program “Mousepad”",
            ],
        ),
        (
            "open the calculator, press 7, press + and press =, then tell me what the display shows",
            [
                "Open the program “calculator”",
                "Press “7”",
                "Press “+”",
                "Press “=”",
                "Read the text of “display”",
            ],
        ),
        ("choose File > Save As…, then quit", ["Choose the menu path “File > Save As…”", "Close the window in front"]),
        ("click File → Open Recent", ["Choose the menu path “File > Open Recent”"]),
        ("choose Save As from the File menu", ["Choose the menu path “File > Save As”"]),
        ("open the Edit menu", ["Choose the menu path “Edit”"]),
        (
            "Switch to Mousepad, select all, copy it, switch to FeatherPad and paste",
            [
                "Switch to the program “Mousepad”",
                "Select all",
                "Copy what is selected",
                "Switch to the program “FeatherPad”",
                "Paste",
            ],
        ),
        ("In Mousepad, type “a”", ["Switch to the program “Mousepad”", "Enter “a” in the focused field"]),
        ("run the command “ls -l”", ["Run the command “ls -l”"]),
        ("take a screenshot", ["Take a picture of the screen"]),
        ("put “abc” on the clipboard, undo", ["Put “abc” on the clipboard", "Undo the last change"]),
        ("What is on the clipboard?", ["Read the clipboard"]),
        ("which windows are open?", ["Tell which windows are open"]),
        ("close Mousepad without saving", ["Close the program “Mousepad” without saving"]),
        ("open “/tmp/a b.txt” with FeatherPad", ["Open the program “FeatherPad” with “/tmp/a b.txt”"]),
        ("open the folder Documents", ["Open the item “Documents”"]),
        ("double-click “Documents”, right-click “a.txt”", ["Double-click “Documents”", "Right-click “a.txt”"]),
        ("close the dialog", ["Dismiss “dialog”"]),
        ("choose the file /tmp/a.txt in the dialog", ["Give the file dialog “/tmp/a.txt”"]),
        ("read the text", ["Read the text of the window"]),
    ],
)
def test_goal_becomes_tasks_that_are_read_back(goal: str, tasks: list[str]) -> None:
    assert tasks_of(goal) == tasks
    for task in tasks:
        assert sentence(read_instruction(task, TODAY, is_desktop=True)) == task


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("open example.org and press Sign up", "is for a page in the browser"),
        ("open Mousepad and open a new tab", "is for a page in the browser"),
        ("if Mousepad is open, close it", "without a model"),
        ("do something nice", "I do not understand"),
    ],
)
def test_what_has_no_meaning_on_the_desktop_is_said_before_anything_is_done(goal: str, words: str) -> None:
    with pytest.raises(NotUnderstood, match=words):
        tasks_of(goal)


def test_words_for_the_desktop_keep_their_meaning_in_the_browser() -> None:
    planner = BuiltinPlanner(lambda: TODAY)
    made = asyncio.run(planner.decompose("open example.org and press Sign up", None, RunContext(RunRequest(goal=""))))
    assert not isinstance(made, CannotInterpret)
    assert [task.goal for task in made.plan.leaves()] == ["Open example.org", "Press “Sign up”"]


# --- decisions ---

WINDOW = Window(
    id=1, title="notes - Mousepad", app="Mousepad",
    box=Box(x_css_px=0, y_css_px=0, width_css_px=800, height_css_px=600), is_active=True,
)  # fmt: skip
OTHER = WINDOW.model_copy(update={"id": 2, "title": "galculator", "app": "Galculator", "is_active": False})


def control(role: str, name: str, *states: ElementState, value: str = "") -> Element:
    place = (len(name) * 7) % 90
    return Element(
        key=f"{role}-{name}", role=role, name=name, value=value, states=frozenset(states), path=f"{role}/{name}",
        box=Box(x_css_px=place, y_css_px=place, width_css_px=40, height_css_px=20), window=1,
    )  # fmt: skip


def screen(*elements: Element, windows: tuple[Window, ...] = (WINDOW, OTHER), **more: object) -> ScreenState:
    fields = {"observation": 1, "surface": SurfaceKind.DESKTOP, "elements": elements, "windows": windows}
    return ScreenState.model_validate(fields | more)


def decide(goal: str, state: ScreenState, *records: StepRecord, trouble: Trouble | None = None) -> Decision:
    task = Task(goal=goal, id="task")
    plan = Plan(goal=goal, tasks=(task,))
    context = RunContext(REQUEST, history=records)
    planner = BuiltinPlanner(lambda: TODAY)
    if trouble is not None:
        return asyncio.run(planner.handle_error(state, plan, task, trouble, context))
    return asyncio.run(planner.select_action(state, plan, task, context))


def action_of(decision: Decision) -> Action:
    assert isinstance(decision, Act), decision
    return decision.variants[0].actions[0]


def took(action: Action, state: ScreenState, outcome: Outcome | None = None) -> StepRecord:
    return StepRecord(1, "task", action, outcome or done(), state, state)


def test_program_is_opened_by_its_name() -> None:
    assert action_of(decide("Open the program “Mousepad”", screen())) == OpenApp(app="Mousepad")


def test_item_on_the_screen_of_that_name_is_opened_by_a_double_click() -> None:
    state = screen(control("listitem", "Documents"))
    for goal in ("Open the program “Documents”", "Open the item “Documents”"):
        assert action_of(decide(goal, state)) == DoubleClick(target=state.ref(state.elements[0]))


def test_program_that_is_not_installed_is_asked_about_with_the_close_names() -> None:
    reason = "No program “Mousepat Pro” is installed. Close to it: “Mousepad”, “Pad”."
    trouble = Trouble("failed", reason, OpenApp(app="Mousepat Pro"), Outcome(status=OutcomeStatus.FAILED))
    asked = decide("Open the program “Mousepat Pro”", screen(), trouble=trouble)
    assert asked == AskPerson("No program “Mousepat Pro” is installed. Which one do you mean?", ("Mousepad", "Pad"))


def test_window_is_closed_switched_to_or_told_to_be_missing() -> None:
    assert action_of(decide("Close the program “mousepad”", screen())) == CloseApp(app="Mousepad")
    assert action_of(decide("Close the window in front", screen())) == CloseApp(app="Mousepad")
    assert action_of(decide("Switch to the program “galculator”", screen())) == SwitchApp(app="Galculator")
    assert isinstance(decide("Switch to the program “Mousepad”", screen()), TaskDone)
    missing = decide("Close the program “Lantern”", screen())
    assert isinstance(missing, GiveUp)
    assert "“galculator”" in missing.reason


def test_one_window_of_several_of_a_program_is_named_by_its_title() -> None:
    second = WINDOW.model_copy(update={"id": 3, "title": "list - Mousepad", "is_active": False})
    state = screen(windows=(WINDOW, second))
    assert action_of(decide("Close the window in front", state)) == CloseApp(app="notes - Mousepad")


def question(*buttons: str) -> ScreenState:
    asking = WINDOW.model_copy(update={"id": 9, "title": "Save changes", "is_dialog": True})
    box = asking.box
    return screen(
        *(control("button", name) for name in buttons),
        windows=(asking, WINDOW.model_copy(update={"is_active": False})),
        texts=(TextBlock(text="Do you want to save?", box=box),),
    )


def test_question_before_closing_is_handed_on_with_its_buttons() -> None:
    state = question("Cancel", "Don't Save", "Save")
    record = took(CloseApp(app="Mousepad"), state, Outcome(status=OutcomeStatus.UNVERIFIED))
    asked = decide("Close the program “Mousepad”", state, record)
    assert isinstance(asked, AskPerson)
    assert "Do you want to save?" in asked.question
    assert asked.choices == ("Cancel", "Don't Save", "Save")


def test_question_before_closing_is_answered_when_nothing_is_to_be_saved() -> None:
    state = question("Cancel", "Don't Save", "Save")
    record = took(CloseApp(app="Mousepad"), state, Outcome(status=OutcomeStatus.UNVERIFIED))
    pressed = action_of(decide("Close the program “Mousepad” without saving", state, record))
    assert pressed == ClickElement(target=state.ref(state.elements[1]))


def test_menus_are_opened_one_after_the_other() -> None:
    bar = screen(control("menuitem", "File"), control("menuitem", "Edit"))
    first = action_of(decide("Choose the menu path “File > Save As…”", bar))
    assert first == ClickElement(target=bar.ref(bar.elements[0]))
    opened = screen(control("menuitem", "File"), control("menuitem", "Save"), control("menuitem", "Save _As..."))
    last = decide("Choose the menu path “File > Save As…”", opened, took(first, bar))
    assert action_of(last) == ClickElement(target=opened.ref(opened.elements[2]))
    assert isinstance(last, Act)
    assert last.completes_task
    missing = decide("Choose the menu path “File > Print”", opened, took(first, bar))
    assert missing == NotThereYet("“Print” is not in the menu “File”")


def test_text_goes_to_what_has_the_focus_or_into_the_window_named() -> None:
    assert action_of(decide("Enter “a b” in the focused field", screen())) == TypeText(text="a b")
    assert action_of(decide("Enter “a” in “Mousepad”", screen())) == TypeText(text="a")
    assert action_of(decide("Enter “a” in “galculator”", screen())) == SwitchApp(app="Galculator")


def test_name_of_a_key_is_pressed_where_no_control_has_it() -> None:
    assert action_of(decide("Press “7”", screen())) == PressKey(key="7")
    state = screen(control("button", "7"))
    assert action_of(decide("Press “7”", state)) == ClickElement(target=state.ref(state.elements[0]))


def test_document_is_saved_by_the_dialog_that_is_open_or_opened_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    asking = screen(control("textbox", "Name", ElementState.EDITABLE), file_chooser="textbox-Name")
    assert action_of(decide("Save the document as “/tmp/a”", asking)) == FileDialog(paths=("/tmp/a",))
    assert action_of(decide("Save the document as “a.txt”", asking)) == FileDialog(paths=("/home/ada/a.txt",))
    bar = screen(control("menuitem", "File"))
    assert action_of(decide("Save the document as “/tmp/a”", bar)) == ClickElement(target=bar.ref(bar.elements[0]))
    assert action_of(decide("Save the document as “/tmp/a”", screen())) == PressKey(key="Control+Shift+s")
    assert action_of(decide("Save the document", screen())) == PressKey(key="Control+s")


def test_what_a_command_printed_and_what_a_field_holds_is_told() -> None:
    run = RunCommand(command="uname")
    assert action_of(decide("Run the command “uname”", screen())) == run
    told = decide("Run the command “uname”", screen(), took(run, screen(), done(value="Linux\n")))
    assert told == TaskDone("Linux", answer="Linux")
    state = screen(control("textbox", "", ElementState.READONLY, value="56"))
    read = action_of(decide("Tell “result”", state))
    assert read == GetText(target=state.ref(state.elements[0]))
    assert decide("Tell “result”", state, took(read, state, done(value="56"))) == TaskDone("56", answer="56")


def test_press_that_shows_no_effect_is_told_as_not_verified_and_not_repeated() -> None:
    state = screen(control("button", "="))
    press = ClickElement(target=state.ref(state.elements[0]))
    unseen = Outcome(status=OutcomeStatus.UNVERIFIED, detail="nothing on the screen changed")
    trouble = Trouble("unexpected", unseen.detail, press, unseen)
    ended = decide("Press “=”", state, took(press, state, unseen), trouble=trouble)
    assert isinstance(ended, TaskDone)
    assert not ended.is_verified


def test_words_about_what_is_missing_speak_of_the_screen() -> None:
    missing = decide("Press “Publish on the page”", screen(control("button", "Save")))
    assert missing == NotThereYet("“Publish on the page” is not on the screen")
