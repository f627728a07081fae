"""What a person does at the window besides typing a goal: pauses, edits, rejects, stops, closes, comes back."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QTableWidget
from pytestqt.qtbot import QtBot

from operative_app.cli.options import WindowOptions
from operative_app.core.events import Event, StepStarted
from operative_app.core.plan import Task, TaskStatus
from operative_app.core.requests import ApprovalRequest
from operative_app.core.run import EndCause, OutcomeStatus, RunState
from operative_app.core.taking import TakeOverKind
from operative_app.store.runs import DATABASE_NAME
from tests.e2e.desk import Desk, Human, open_desk

SHOP = 'Open practice:shop, search for "Mac mini", open the first result, choose 512 GB, add it to the cart'
ENDLESS = 'Open practice:report, wait until "never there" appears'
REPORT = "Open practice:report and tell me the revenue for March"
NEWSLETTER = "Open practice:newsletter, press the contact button and subscribe with ada@example.org"
FLIGHT = "Open practice:flights and book a flight from SFO to JFK on 15 March for Ada Lovelace"


def browsers() -> list[psutil.Process]:
    """The browsers this test has started, the oldest first: those with the profile of its own home."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            words = child.cmdline()
            if f"--user-data-dir={os.environ['OPERATIVE_HOME']}/profile" in words and "--type=" not in " ".join(words):
                found.append(child)
    return found


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def test_pause_step_take_over_and_hand_back(desk: Desk) -> None:
    with desk.held_after_step(1):
        desk.type_goal(SHOP)
        desk.wait_steps(1)
        desk.press_here("pauseButton")
    desk.wait_state(RunState.PAUSED)
    steps = len(desk.done_steps())

    desk.press_here("stepButton")
    desk.wait(lambda: len(desk.done_steps()) == steps + 1 and desk.state is RunState.PAUSED)

    desk.press_here("takeOverButton")
    desk.wait_state(RunState.TAKEN_OVER)
    looks = kinds(desk.events).count("observed")
    desk.press_here("takeOverButton")  # hands back
    desk.wait(lambda: kinds(desk.events).count("observed") > looks or bool(desk.ends()))
    assert desk.wait_end().state is RunState.DONE
    assert len(desk.done_steps()) > steps + 1
    ((line,),) = desk.site["shop"]["carts"].values()
    assert "512" in str(line)


def test_a_hand_in_the_browser_takes_control_and_shows_the_agent_how(desk: Desk, human: Human) -> None:
    desk.type_goal('Open practice:newsletter, wait until "never there" appears')
    desk.wait_steps(1)
    human.click("Contact")  # the agent is only waiting: the click is a person's
    desk.wait_state(RunState.TAKEN_OVER)
    assert desk.window.view_state.take_over is TakeOverKind.YIELDED
    desk.press_here("teachButton")
    desk.wait(lambda: desk.window.view_state.take_over is TakeOverKind.TEACHING)
    human.click("Accept all")
    desk.wait(lambda: bool(desk.site["newsletter"]["cookies"]))  # the page has taken the click
    desk.press_here("handBackButton")
    desk.wait_said("You showed:")
    plan = desk.window.view_state.plan
    assert plan is not None
    (shown,) = [task for task in plan.walk() if task.taught]
    assert shown.status is TaskStatus.DONE
    assert [step.action for step in shown.taught] == ["click_element"]
    assert "Accept all" in shown.taught[0].label
    desk.press_here("stopButton")
    assert desk.wait_end().state is RunState.STOPPED


def test_the_plan_is_carried_out_as_edited_while_it_runs(desk: Desk) -> None:
    with desk.held_after_step(1):
        desk.type_goal(f"{SHOP}, then go to checkout")
        desk.wait_steps(1)
        desk.press_here("pauseButton")
    desk.wait_state(RunState.PAUSED)
    tree = desk.window.plan.tree

    def tasks() -> list[Task]:
        plan = desk.window.view_state.plan
        assert plan is not None
        return list(plan.tasks)

    def select(words: str) -> None:
        task = next(one for one in tasks() if words in one.goal)
        tree.setCurrentIndex(desk.window.plan.model.index_of(task.id))

    def type_into_tree(words: str) -> None:
        desk.wait(lambda: bool(tree.findChildren(QLineEdit)))
        editor = tree.findChildren(QLineEdit)[-1]
        editor.selectAll()
        QTest.keyClicks(editor, words)
        QTest.keyClick(editor, Qt.Key.Key_Return)
        desk.wait(lambda: any(one.goal == words for one in tasks()))

    def trigger(action: str) -> None:
        before = tasks()
        found = desk.window.plan.findChild(QAction, action)
        assert found is not None
        found.trigger()
        desk.wait(lambda: tasks() != before)

    desk.come_back()
    tree.setFocus()
    select("512 GB")
    QTest.keyClick(tree, Qt.Key.Key_F2)
    type_into_tree("Choose 1 TB")
    desk.press_here("planAddButton")  # after the renamed one
    type_into_tree("Set Quantity to 2")
    select("checkout")
    QTest.keyClick(tree, Qt.Key.Key_Delete)
    desk.wait(lambda: not any("checkout" in one.goal for one in tasks()))
    trigger("planUndoAction")
    select("checkout")
    trigger("planSkipAction")
    select("Quantity")
    QTest.keyClick(tree, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    desk.wait(lambda: [one.goal for one in tasks()].index("Set Quantity to 2") == 3)

    desk.press_here("runButton")  # resumes
    end = desk.wait_end()
    assert end.state is RunState.DONE
    assert "/checkout" not in end.url
    ((line,),) = desk.site["shop"]["carts"].values()
    assert ("1 TB" in str(line), line["quantity"]) == (True, 2)
    order = [event.label for event in desk.events if isinstance(event, StepStarted)]
    assert next(n for n, one in enumerate(order) if "Quantity" in one) < next(
        n for n, one in enumerate(order) if "1 TB" in one
    )
    assert tasks()[-1].status is TaskStatus.SKIPPED


def test_every_step_is_asked_for_after_the_plan_was_accepted_and_can_be_changed(desk: Desk) -> None:
    desk.press_here("reviewPlanButton")
    desk.press_here("oversightChoice_every")
    desk.type_goal(NEWSLETTER)
    desk.wait(lambda: bool(desk.raised("plan_review")) or bool(desk.ends()))
    assert not [event for event in desk.events if isinstance(event, StepStarted) and event.action != "navigate"]
    desk.accept_plan()
    while (request := desk.wait_for_person()) is not None:
        assert request.kind == "approval"
        assert desk.site["newsletter"]["subscribers"] == []
        assert isinstance(request, ApprovalRequest)
        texts = {one.value: one.name for one in request.editable}
        if "ada@example.org" in texts:
            desk.change(texts["ada@example.org"], "grace@example.org")
        desk.approve()
    assert desk.wait_end().state is RunState.DONE
    assert [one["email"] for one in desk.site["newsletter"]["subscribers"]] == ["grace@example.org"]
    filled = [event.label for event in desk.events if isinstance(event, StepStarted) and event.action == "fill"]
    assert any("grace@example.org" in label for label in filled)
    assert not any("ada@example.org" in label for label in filled)
    assert len(desk.raised("approval")) >= len(desk.done_steps()) - 1 > 1  # opening the start page is the goal's own


def test_what_is_rejected_is_not_done(desk: Desk) -> None:
    desk.type_goal(FLIGHT)
    dialog = desk.dialog()
    desk.press(dialog, "dialogRejectButton")
    word = dialog.findChild(QLineEdit, "dialogWordEdit")
    assert word is not None
    QTest.keyClicks(word, "not today")
    desk.press(dialog, "dialogWordButton")
    desk.wait(lambda: desk.open_question() is not None)
    assert "not today" in (desk.open_question() or "")
    desk.reply("Stop here")
    assert desk.wait_end().state is RunState.STOPPED
    assert desk.site["flights"]["bookings"] == []
    paying = {event.step for event in desk.events if isinstance(event, StepStarted) and "Book and pay" in event.label}
    assert paying
    assert {event.status for event in desk.done_steps() if event.step in paying} == {OutcomeStatus.REFUSED}


def test_the_stop_key_stops_while_the_browser_has_the_focus(desk: Desk, human: Human) -> None:
    desk.wait(lambda: desk.front.stop_key_works)
    desk.type_goal(ENDLESS)
    desk.wait_steps(1)
    human.focus_browser()
    human.key("ctrl+alt+Escape")
    end = desk.wait_end()
    assert (end.state, end.cause) == (RunState.STOPPED, EndCause.STOPPED_BY_PERSON)
    assert kinds(desk.events)[-1] == "run_finished"
    stopped = len(desk.events)
    assert desk.window.status.state.text() == "Stopped"
    desk.wait_said("All keys and mouse buttons.")

    desk.type_goal(REPORT)  # and the window goes on working
    assert desk.wait_end(2).state is RunState.DONE
    assert {event.run_id for event in desk.events[stopped:]} == {desk.ends()[1].run_id}


def test_a_browser_closed_by_the_person_ends_the_run_and_the_next_opens_a_new_one(desk: Desk, human: Human) -> None:
    desk.type_goal(ENDLESS)
    desk.wait_steps(1)
    first = browsers()[0].pid
    human.focus_browser()
    human.key("alt+F4")
    end = desk.wait_end()
    assert (end.state, end.cause) == (RunState.FAILED, EndCause.SURFACE_LOST)
    assert "browser" in end.reason.lower()
    desk.wait_said(end.reason)

    desk.type_goal(REPORT)
    assert desk.wait_end(2).state is RunState.DONE
    assert browsers()[0].pid != first


def test_closing_during_a_run_asks_then_stops_and_leaves_nothing(desk: Desk, app_home: Path, qtbot: QtBot) -> None:
    desk.type_goal(ENDLESS)
    desk.wait_steps(1)
    assert browsers()
    desk.window.close()
    question = desk.window.findChild(QDialog, "closeDialog")
    assert question is not None
    assert desk.window.isVisible()
    desk.press(question, "closeKeepButton")
    desk.wait(lambda: desk.window.findChild(QDialog, "closeDialog") is None)
    assert not desk.ends()
    desk.window.close()
    question = desk.window.findChild(QDialog, "closeDialog")
    assert question is not None
    with qtbot.waitSignal(desk.window.closed, timeout=60_000):
        desk.press(question, "closeStopButton")
    assert desk.ends()[0].state is RunState.STOPPED
    desk.front.close()
    assert browsers() == []
    assert not (app_home / "profile" / "SingletonLock").is_symlink()


def test_a_past_run_opens_read_only_after_a_restart_and_a_damaged_record_is_set_aside(
    app_home: Path, chromium_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    with open_desk(qapp, qtbot) as desk:
        desk.type_goal(REPORT)
        first = desk.wait_end()
        desk.wait_said(first.answer)
        looks = len(desk.window.view_state.frames)

    with open_desk(qapp, qtbot) as desk:
        window = desk.window
        table = open_history(desk)
        assert [index.data() for index in (table.model().index(row, 0) for row in range(table.rowCount()))] == [REPORT]
        desk.press_here("historyOpenButton")
        desk.wait(window.live_view.banner.isVisible)
        desk.wait_said(first.answer)
        assert window.live_view.slider.maximum() == looks - 1
        desk.wait(lambda: window.live_view.view.canvas.has_picture)
        window.live_view.slider.setValue(0)
        assert window.live_view.place.text() == f"1 of {looks}"
        assert window.step_log.model.rowCount() == first.steps
        assert not window.chat.editor.isEnabled()
        assert not any(button.isEnabled() for button in (window.toolbar.run, window.toolbar.pause, window.plan._add))
        desk.press_here("backToNowButton")
        assert REPORT not in desk.said()
        assert window.chat.editor.isEnabled()

    record = app_home / "data" / DATABASE_NAME
    record.write_bytes(b"this is no database" * 400)
    with open_desk(qapp, qtbot) as desk:
        desk.wait_said("a new record was begun")
        assert open_history(desk).rowCount() == 0
        desk.press_here("historyCloseButton")
        assert any(b"this is no database" in one.read_bytes() for one in record.parent.glob("runs*") if one != record)
        desk.type_goal("Please frobnicate the blub")
        assert desk.wait_end().cause is EndCause.NOT_UNDERSTOOD


def open_history(desk: Desk) -> QTableWidget:
    """Press History and wait until the list has come."""
    desk.press_here("historyButton")
    dialog = desk.window.findChild(QDialog, "historyDialog")
    assert dialog is not None
    words = dialog.findChild(QLabel, "historyWords")
    assert words is not None
    desk.wait(lambda: "Reading" not in words.text())
    table = dialog.findChild(QTableWidget)
    assert table is not None
    return table


def test_goals_that_cannot_be_carried_out_are_told_in_the_chat(
    app_home: Path, chromium_path: Path, qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_desk(qapp, qtbot, WindowOptions(goal="Please frobnicate the blub")) as desk:
        end = desk.wait_end()
        assert (end.state, end.cause, end.steps) == (RunState.FAILED, EndCause.NOT_UNDERSTOOD, 0)
        assert "frobnicate the blub" in end.reason
        desk.wait_said(end.reason)
        assert browsers() == []
        assert desk.window.chat.editor.text == "Please frobnicate the blub"  # to be said in other words
        monkeypatch.setenv("OPERATIVE_BROWSER", "/nonexistent/browser")
        desk.type_goal(REPORT)
        end = desk.wait_end(2)
        assert (end.state, end.steps) == (RunState.FAILED, 0)
        desk.wait_said("/nonexistent/browser")
    monkeypatch.delenv("OPERATIVE_BROWSER")
    with socket.socket() as taken:  # bound but not listening: the port refuses
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        with open_desk(qapp, qtbot, WindowOptions(goal="Scroll down", url=url)) as desk:
            end = desk.wait_end()
            assert end.state is RunState.FAILED
            desk.wait_said(f"{url} could not be opened")
            desk.window.live_view.address.setFocus()
            QTest.keyClicks(desk.window.live_view.address, "two words")
            desk.type_goal("Scroll down")
            assert desk.wait_end(2).state is RunState.FAILED
            desk.wait_said("two words")


def test_a_full_disk_ends_the_run_in_words_before_anything_is_done(desk: Desk) -> None:
    desk.type_goal(REPORT)
    assert desk.wait_end().state is RunState.DONE
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))  # every write to a file fails from now on
    try:
        desk.type_goal(NEWSLETTER)
        end = desk.wait_end(2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (end.state, end.cause, end.steps) == (RunState.FAILED, EndCause.STORE_FAILED, 0)
    assert "record" in end.reason
    desk.wait_said(end.reason)
    assert desk.site["newsletter"]["subscribers"] == []
