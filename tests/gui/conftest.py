"""A window with recorded commands and pictures in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from operative_app.core.errors import StoreError
from operative_app.core.events import Event
from operative_app.engine.control import Command, RunControl
from operative_app.gui.bridge import EventBridge
from operative_app.gui.panels.request_body import RequestBody
from operative_app.gui.settings import WindowSettings
from operative_app.gui.window import MainWindow
from operative_app.presentation.ports import Example, PromptDesk
from tests.gui.sample_run import START_S, Pictures, events_after_approval, events_until_approval

_T = TypeVar("_T", bound=QObject)
EXAMPLES = (
    Example("Shop", "Search for a Mac mini and add it to the cart", "practice:shop"),
    Example("Flight", "Book a flight from SFO to JFK", "practice:flights"),
    Example("Report", "What is the total of March?", "practice:report"),
)


@dataclass(frozen=True)
class Summary:
    run_id: str
    goal: str
    state: str = "done"
    started_at_s: float = START_S
    steps: int = 7
    duration_s: float = 14.2


@dataclass
class Runs:
    """Recorded runs in memory; `fault` is raised instead when it is set."""

    pictures: Pictures = field(default_factory=Pictures)
    summaries: list[Summary] = field(default_factory=list)
    recorded: dict[str, list[Event]] = field(default_factory=dict)
    fault: str = ""
    threads: set[str] = field(default_factory=set)

    def list_runs(self) -> Sequence[Summary]:
        self._note()
        return self.summaries

    def events(self, run_id: str) -> Sequence[Event]:
        self._note()
        return self.recorded.get(run_id, [])

    def picture(self, content_hash: str, /) -> bytes | None:
        self._note()
        return self.pictures.by_hash.get(content_hash)

    def _note(self) -> None:
        self.threads.add(threading.current_thread().name)
        if self.fault:
            raise StoreError(self.fault)


@dataclass
class Stage:
    """The window under test and what stands around it."""

    window: MainWindow
    bridge: EventBridge
    runs: Runs
    commands: list[Command]
    qtbot: QtBot

    def feed(self, *events: Event) -> None:
        """Emit events from another thread, as the engine does, and wait until the window has taken the last one."""
        taken: list[Event] = []
        self.bridge.events_arrived.connect(taken.extend)

        def emit_all() -> None:
            for event in events:
                self.bridge.emit(event)

        thread = threading.Thread(target=emit_all)
        thread.start()
        thread.join()
        self.qtbot.waitUntil(lambda: len(taken) == len(events))
        self.bridge.events_arrived.disconnect(taken.extend)

    def feed_all(self, events: Iterable[Event]) -> None:
        self.feed(*events)

    def until_approval(self) -> None:
        self.feed_all(events_until_approval(self.runs.pictures))

    def after_approval(self) -> None:
        self.feed_all(events_after_approval(self.runs.pictures))

    def of(self, kind: type[_T], name: str) -> _T:
        """The only living child of the window with that name."""
        found = self.window.findChildren(kind, name)
        assert len(found) == 1, f"{len(found)} of {name}"
        return found[0]

    def button(self, name: str) -> QPushButton:
        return self.of(QPushButton, name)

    def has(self, name: str) -> bool:
        return bool(self.window.findChildren(QObject, name))


def part(parent: QObject, kind: type[_T], name: str) -> _T:
    """The child with that name."""
    found = parent.findChild(kind, name)
    assert found is not None, name
    return found


MakeStage = Callable[..., Stage]


@pytest.fixture
def make_stage(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeStage]:
    """Makes windows; each is closed at the end without a question. Answers count at once."""
    made: list[MainWindow] = []
    monkeypatch.setattr(RequestBody, "ARM_MS", 0)

    def make(
        *,
        settings: WindowSettings | None = None,
        kill_switch_works: bool | None = True,
        stop_now: Callable[[], None] | None = None,
        now_s: float = START_S,
        prompts: PromptDesk | None = None,
    ) -> Stage:
        commands: list[Command] = []
        bridge, runs = EventBridge(), Runs()
        window = MainWindow(
            control=RunControl(commands.append),
            bridge=bridge,
            runs=runs,
            settings=settings or WindowSettings(),
            examples=EXAMPLES,
            kill_switch_works=kill_switch_works,
            stop_now=stop_now,
            prompts=prompts,
            clock=lambda: now_s,
        )
        made.append(window)
        window.resize(1280, 800)
        with qtbot.waitActive(window):  # before it is, keys reach no shortcut of it
            window.show()
        return Stage(window, bridge, runs, commands, qtbot)

    yield make
    for window in made:
        window.close_now()
        window.deleteLater()
    QApplication.sendPostedEvents(None, 0)
    QApplication.processEvents()


@pytest.fixture
def stage(make_stage: MakeStage) -> Stage:
    return make_stage()
