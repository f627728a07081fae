"""Show the window with a recorded run and keep pictures of it: `python tests/gui/take_pictures.py FOLDER`.

Needs a display; on a machine without one run it through `packaging/with-display`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QMenu, QWidget

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from operative_app.core.events import Event, RequestClosed, RunStarted, StateChanged
from operative_app.core.requests import ApprovalRequest, EditableField, HandOffKind, PlanReviewRequest, QuestionRequest
from operative_app.core.run import RunRequest, RunState
from operative_app.core.taking import TakeOverKind
from operative_app.engine.control import RunControl
from operative_app.gui.application import create_qapplication
from operative_app.gui.bridge import EventBridge
from operative_app.gui.settings import WindowSettings
from operative_app.gui.tokens import ThemeName
from operative_app.gui.tray_icon import Shown, TrayIcon
from operative_app.gui.window import MainWindow
from operative_app.presentation.ports import Example
from tests.gui.sample_run import (
    START_S,
    Pictures,
    event_maker,
    events_after_approval,
    events_until_approval,
    hand_off,
    raised,
    sample_plan,
)

EXAMPLES = (
    Example("Order a Mac mini in the practice shop", "Search for a Mac mini and add it to the cart", "practice:shop"),
    Example("Book a flight from SFO to JFK", "Book a flight from SFO to JFK on 15 March", "practice:flights"),
    Example("Read a value from a report", "What is the total of March in the report?", "practice:report"),
)


class _Runs:
    """The sample run as the only past one."""

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    def list_runs(self) -> Sequence[_Summary]:
        return [_Summary(str(number)) for number in range(6)]

    def events(self, run_id: str) -> Sequence[Event]:
        return [*events_until_approval(self._pictures), *events_after_approval(self._pictures)] if run_id else []

    def picture(self, content_hash: str, /) -> bytes | None:
        return self._pictures.by_hash.get(content_hash)


class _Summary:
    goal = "Search the shop for a Mac mini, choose the 512 GB one and add it to the cart"
    started_at_s = START_S
    steps = 7
    duration_s = 14.2

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.state = ("done", "failed", "not_verified", "stopped", "interrupted", "done")[int(run_id)]


def main() -> int:
    """Take the pictures one after another; returns 0."""
    parser = argparse.ArgumentParser(description="Keep pictures of the window with a recorded run.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", default="1280x800")
    parser.add_argument("--theme", default="light", choices=[str(name) for name in ThemeName])
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    width, height = (int(part) for part in options.size.split("x"))
    options.folder.mkdir(parents=True, exist_ok=True)
    application = create_qapplication(sys.argv[:1])
    pictures = Pictures()
    bridge = EventBridge()
    window = MainWindow(
        control=RunControl(lambda _command: None),
        bridge=bridge,
        runs=_Runs(pictures),
        settings=WindowSettings(theme=ThemeName(options.theme)),
        examples=EXAMPLES,
        clock=lambda: START_S + 74,
    )
    window.resize(width, height)
    window.show()
    tray = window.tray.icon or TrayIcon(window)  # there is no tray where pictures are taken
    tray.show_state(Shown(can_stop=True, can_pause=True, can_take_over=True))
    make = event_maker(start_s=START_S + 40)

    def feed(*events: Event) -> None:
        for event in events:
            bridge.emit(event)

    def press(name: str) -> Callable[[], None]:
        def call() -> None:
            for widget in QApplication.topLevelWidgets():
                button = widget.findChild(QWidget, name)
                if button is not None:
                    button.click()  # type: ignore[attr-defined]
                    return

        return call

    def let_run_out() -> None:
        feed(make(RequestClosed, request_id="hand-file", by="time-out"))
        feed(raised(hand_off(is_over=True), make), make(StateChanged, state=RunState.PAUSED))

    def select_step() -> None:
        window.step_log.table.selectRow(2)

    def begin_review() -> None:
        start = event_maker("run-review", START_S + 60)
        feed(
            start(RunStarted, request=RunRequest(goal="Order food", review_plan=True), planner="Built-in planner"),
            start(StateChanged, state=RunState.WAITING, detail="The plan waits for you"),
        )
        from operative_app.core.events import PlanChanged

        feed(start(PlanChanged, plan=sample_plan(0), can_undo=True))
        feed(raised(PlanReviewRequest(id="review", plan=sample_plan(0)), start))
        feed(raised(QuestionRequest(id="q", text="Which drink?", choices=("Water", "Juice", "None")), start))

    def open_menu(name: str) -> None:
        menu = window.findChild(QMenu, name)
        assert menu is not None
        parent = menu.parent()
        if isinstance(parent, QMenu):
            parent.setActiveAction(menu.menuAction())
            return
        menu.popup(window.mapToGlobal(window.rect().topRight()) - QPoint(menu.sizeHint().width() + 12, -64))

    def close_menus() -> None:
        for menu in window.findChildren(QMenu):
            menu.close()

    def yielded() -> Event:
        words = "You moved the mouse, so the agent stopped."
        return make(StateChanged, state=RunState.TAKEN_OVER, take_over=TakeOverKind.YIELDED, detail=words)

    def ask_about_texts() -> None:
        feed(
            raised(
                ApprovalRequest(
                    id="texts",
                    action="fill_form",
                    label="Fill in the form with 3 texts and press “Send”",
                    reason="a message is sent",
                    effect="It sends your words to everybody who reads this page. That cannot be taken back.",
                    site="board.example",
                    editable=(
                        EditableField(name="text", label="Subject", value="Garden table"),
                        EditableField(
                            name="text2",
                            label="Message",
                            is_long=True,
                            value=f"It is still to be had. {'Call me. ' * 30}",
                        ),
                        EditableField(name="text3", label="Your e-mail address", value="ada@example.org"),
                    ),
                ),
                make,
            )
        )

    scenes: list[tuple[str, Callable[[], None]]] = [
        ("empty", lambda: None),
        ("settings-menu", lambda: open_menu("settingsMenu")),
        ("answer-menu", lambda: open_menu("answerWaitMenu")),
        ("tray-menu", lambda: open_menu("trayMenu")),
        ("after-menu", close_menus),
        ("approval-dialog", lambda: feed(*events_until_approval(pictures))),
        ("approval-card", press("dialogLaterButton")),
        ("step-details", select_step),
        ("texts", ask_about_texts),
        ("texts-edit", press("dialogEditButton")),
        ("texts-later", press("dialogLaterButton")),
        ("texts-card-edit", press("cardEditButton")),
        ("hand-off", lambda: feed(raised(hand_off(why=HandOffKind.FILE, expires_at_s=START_S + 214), make))),
        ("hand-off-over", let_run_out),
        ("hand-off-over-card", press("dialogLaterButton")),
        ("control", lambda: feed(yielded())),
        ("done", lambda: feed(*events_after_approval(pictures))),
        ("history", press("historyButton")),
        ("past", press("historyOpenButton")),
        ("now", press("backToNowButton")),
        ("review", begin_review),
    ]

    def take(place: int) -> None:
        name, _prepare = scenes[place]
        if not options.only or options.only in name:
            path = options.folder / f"{options.theme}-{options.size}-{name}.png"
            screen = application.primaryScreen()
            place_on_screen = window.frameGeometry()
            x, y = place_on_screen.x(), place_on_screen.y()
            picture = screen.grabWindow(0, x, y, place_on_screen.width(), place_on_screen.height())
            picture.save(str(path))
        if place + 1 < len(scenes):
            scenes[place + 1][1]()
            QTimer.singleShot(700, lambda: take(place + 1))
        else:
            for event in finish():
                bridge.emit(event)
            window.close_after_stop()
            QTimer.singleShot(500, application.quit)

    def finish() -> list[Event]:
        return [event_maker("run-review", START_S + 90)(StateChanged, state=RunState.STOPPED)]

    QTimer.singleShot(900, lambda: take(0))
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
