"""The main window: composes the panels, gives them what the events say, and turns what is pressed into commands."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QMainWindow, QSplitter, QVBoxLayout, QWidget

from operative_app.core.errors import SettingsError
from operative_app.core.events import Event, Notice, NoticeLevel, Observed, PlanChanged, RequestRaised, RunFinished
from operative_app.core.requests import Answer, HandOffRequest
from operative_app.core.run import (
    BUILTIN_PLANNER,
    DEFAULT_ANSWER_MINUTES,
    DEFAULT_HAND_OFF_MINUTES,
    DEFAULT_MAX_STEPS,
    Budget,
    EndCause,
    Oversight,
    RunRequest,
)
from operative_app.core.screen import Picture, SurfaceKind
from operative_app.engine.control import RunControl
from operative_app.gui.aside import StepAside
from operative_app.gui.attention import Attention
from operative_app.gui.background import Background
from operative_app.gui.bridge import EventBridge
from operative_app.gui.desks import Desks
from operative_app.gui.dialogs.history import HistoryDialog
from operative_app.gui.dialogs.messages import CloseDuringRunDialog
from operative_app.gui.panels.chat import ChatPanel
from operative_app.gui.panels.control_banner import ControlBanner
from operative_app.gui.panels.control_strip import ControlStrip
from operative_app.gui.panels.live_view import LiveViewPanel
from operative_app.gui.panels.plan import PlanPanel
from operative_app.gui.panels.status import StatusLine
from operative_app.gui.panels.step_log import StepLogPanel
from operative_app.gui.panels.toolbar import Toolbar
from operative_app.gui.pictures import Pictures
from operative_app.gui.requests_desk import RequestDesk
from operative_app.gui.settings import WindowSettings
from operative_app.gui.side_windows import SideWindows
from operative_app.gui.theme import Theme
from operative_app.gui.tokens import ThemeName
from operative_app.gui.tray import Tray
from operative_app.gui.widgets.labels import hairline
from operative_app.gui.widgets.tab_order import set_tab_order
from operative_app.presentation.controls import Controls, controls
from operative_app.presentation.models import ModelDesk
from operative_app.presentation.ports import Example, PromptDesk, RunReader, SecretDesk, SiteDesk
from operative_app.presentation.view_state import ViewState

CLOSE_DEADLINE_MS: Final = 8_000
"""How long closing waits for a stopped run to tell its end."""
_SMALLEST_PX: Final = (800, 480)
_FIRST_SIZE_PX: Final = (1280, 800)
_FRAME_PX: Final = 40
_TICK_MS: Final = 1_000


class MainWindow(QMainWindow):
    """Lives on the GUI thread. Shows what comes through the bridge; commands go out through the control.

    Signals:
        closed(): The window is closed for good; no run is under way or it did not end in time.
        kill_switch_told(bool, str): Whether the key that stops everything works, and why not; emitted by any thread.
        notice_told(str): A line for the chat that belongs to no run; emitted by any thread.
        planner_told(str, bool, Budget, int): The model that is connected ("" for none), whether it plans the next run,
            and what a run may take, the last in steps; emitted by any thread.
    """

    closed = Signal()
    kill_switch_told = Signal(bool, str)
    notice_told = Signal(str)
    planner_told = Signal(str, bool, object, int)

    def __init__(
        self,
        *,
        control: RunControl,
        bridge: EventBridge,
        runs: RunReader,
        settings: WindowSettings,
        examples: Sequence[Example] = (),
        kill_switch_text: str = "Ctrl+Alt+Escape",
        kill_switch_works: bool | None = None,
        data_dir: Path | None = None,
        max_steps: int = DEFAULT_MAX_STEPS,
        hand_off_minutes: float = DEFAULT_HAND_OFF_MINUTES,
        answer_minutes: float = DEFAULT_ANSWER_MINUTES,
        desktop_fault: str = "",
        models: ModelDesk | None = None,
        prompts: PromptDesk | None = None,
        secrets: SecretDesk | None = None,
        sites: SiteDesk | None = None,
        stop_now: Callable[[], None] | None = None,
        stop_line: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle("Operative")
        self._control = control
        self._bridge = bridge
        self._runs = runs
        self._settings = settings
        self._examples = tuple(examples)
        self._max_steps = max_steps
        self._hand_off_minutes = settings.hand_off_minutes or hand_off_minutes
        self._answer_minutes = settings.answer_minutes or answer_minutes
        self._budget = Budget()
        self._clock = clock
        self._starting = ""
        self._deaf = ""
        self._told_deaf = ""
        self._live = ViewState()
        self._shown = self._live
        self._must_close = False
        self._example: Example | None = None
        self._close_dialog: CloseDuringRunDialog | None = None
        self.theme = Theme(settings.theme, self)
        self.theme.apply()  # before there are widgets, which are then polished once
        self._background = Background(self)
        self._pictures = Pictures(runs, self._background)
        self.toolbar = Toolbar(self.theme)
        self.toolbar.set_desktop_fault(desktop_fault)
        self._aside = StepAside(self)
        self.banner = ControlBanner(self.theme)
        self.strip = ControlStrip(self.theme, self)
        self._stop_now = stop_now or control.stop
        self.tray = Tray(self, stop_line=stop_line)
        self._attention = Attention(self, self.tray)
        self.chat = ChatPanel(self.theme, self._examples)
        self.live_view = LiveViewPanel(self.theme, self._pictures)
        self.plan = PlanPanel(self.theme)
        self.step_log = StepLogPanel(self.theme, self._pictures)
        self.status = StatusLine(self.theme, kill_switch_text, kill_switch_works=kill_switch_works)
        self._desk = RequestDesk(self.theme, self._pictures, self)
        self._beside = SideWindows(self.theme, prompts, self)
        self.toolbar.prompts.setVisible(prompts is not None)
        Desks(
            self, self.theme, self.toolbar, self._background, self.show_notice,
            models=models, secrets=secrets, sites=sites, data_dir=data_dir,
        )  # fmt: skip
        self._compose()
        self._connect()
        self._add_shortcuts()
        self._ticker = QTimer(self)
        self._ticker.setInterval(_TICK_MS)
        self._ticker.timeout.connect(self._on_tick)
        self._deadline = QTimer(self)
        self._deadline.setSingleShot(True)
        self._deadline.setInterval(CLOSE_DEADLINE_MS)
        self._deadline.timeout.connect(self.close_now)
        self.theme.changed.connect(lambda: self.theme.tint_icons(self))
        self._restore()
        self._refresh_all()
        self.chat.editor.setFocus()

    # Composing

    def _compose(self) -> None:
        self._columns = _splitter(Qt.Orientation.Horizontal, "columnsSplitter")
        self._rows = _splitter(Qt.Orientation.Vertical, "rowsSplitter")
        self._right = _splitter(Qt.Orientation.Horizontal, "rightSplitter")
        self._right.addWidget(self.live_view)
        self._right.addWidget(self.plan)
        self._right.setStretchFactor(0, 4)
        self._right.setStretchFactor(1, 1)
        self._rows.addWidget(self._right)
        self._rows.addWidget(self.step_log)
        self._rows.setStretchFactor(0, 3)
        self._rows.setStretchFactor(1, 1)
        self._columns.addWidget(self.chat)
        self._columns.addWidget(self._rows)
        self._columns.setStretchFactor(0, 1)
        self._columns.setStretchFactor(1, 4)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.toolbar, hairline(), self.banner, self._columns, hairline(), self.status):
            column.addWidget(widget, 1 if widget is self._columns else 0)
        self.setCentralWidget(middle)
        self.setMinimumSize(*_SMALLEST_PX)
        set_tab_order(middle)

    def _connect(self) -> None:
        self.kill_switch_told.connect(self._on_kill_switch_told, Qt.ConnectionType.QueuedConnection)
        self.notice_told.connect(self._on_notice_told, Qt.ConnectionType.QueuedConnection)
        self.planner_told.connect(self._on_planner_told, Qt.ConnectionType.QueuedConnection)
        self._bridge.events_arrived.connect(self._on_events)
        self._bridge.frame_arrived.connect(self._on_frame)
        bar, control = self.toolbar, self._control
        bar.run_pressed.connect(self._on_run_pressed)
        bar.surface.chosen.connect(self._on_surface_chosen)
        bar.resume_pressed.connect(control.resume)
        bar.pause_pressed.connect(control.pause)
        bar.step_pressed.connect(control.step)
        bar.take_over_pressed.connect(control.take_over)
        bar.hand_back_pressed.connect(control.resume)
        for place in (self.banner, self.strip):
            place.hand_back_pressed.connect(control.resume)
            place.teach_pressed.connect(lambda: control.take_over(is_teaching=True))
        bar.stop_pressed.connect(self._stop)
        bar.oversight_chosen.connect(self._on_oversight_chosen)
        bar.review_toggled.connect(self._on_review_toggled)
        bar.theme_chosen.connect(self._on_theme_chosen)
        bar.wait_chosen.connect(self._on_wait_chosen)
        bar.answer_wait_chosen.connect(self._on_answer_wait_chosen)
        bar.show_waits(self._hand_off_minutes, self._answer_minutes)
        bar.prompts_requested.connect(self._beside.show_prompts)
        chat = self.chat
        chat.goal_submitted.connect(self._on_submitted)
        chat.goal_changed.connect(self._refresh_controls)
        chat.example_chosen.connect(self._on_example_chosen)
        chat.demonstration_requested.connect(self._on_demonstration)
        chat.history_requested.connect(self._open_history)
        chat.new_requested.connect(self._on_new)
        chat.answered.connect(self._answer)
        chat.stop_requested.connect(self._stop)
        chat.step_requested.connect(self._on_step_link)
        chat.look_requested.connect(lambda request_id: self._desk.look(request_id, self._live))
        self.plan.edit_requested.connect(control.edit_plan)
        self.plan.undo_requested.connect(control.undo_plan_edit)
        self.plan.redo_requested.connect(control.redo_plan_edit)
        self.plan.checkpoint_requested.connect(control.save_checkpoint)
        self.plan.answered.connect(self._answer)
        self.step_log.step_selected.connect(self._on_step_selected)
        self.step_log.exchanges_requested.connect(lambda step: self._beside.show_exchanges(self._shown, step))
        self.live_view.step_shown.connect(self.step_log.select_step)
        self.live_view.now_requested.connect(self._back_to_now)
        self.live_view.marks_toggled.connect(self._on_marks_toggled)
        self._desk.answered.connect(self._answer)
        self._desk.stop_requested.connect(self._stop)
        self._desk.take_over_requested.connect(control.take_over)
        self.tray.stop_requested.connect(self._stop_now)
        self.tray.pause_requested.connect(control.pause)
        self.tray.resume_requested.connect(control.resume)
        self.tray.take_over_requested.connect(control.take_over)
        self.tray.show_requested.connect(self._show_window)
        self.tray.lost.connect(self._on_tray_lost)

    def _add_shortcuts(self) -> None:
        bar, live = self.toolbar, self.live_view
        for keys, call in (
            ("F5", bar.run.click),
            ("F6", bar.pause.click),
            ("F8", bar.take_over.click),
            ("F10", bar.step.click),
            ("Ctrl+.", bar.stop.click),
            ("Ctrl+H", self._open_history),
            ("Ctrl+L", lambda: self.chat.editor.setFocus()),
            ("Alt+Left", lambda: live.go(-1)),
            ("Alt+Right", lambda: live.go(1)),
            ("Ctrl+0", lambda: live.view.set_zoom(None)),
            ("Ctrl+1", lambda: live.view.set_zoom(1.0)),
            ("Ctrl+M", live.toggle_marks),
            ("Ctrl+F", lambda: self.step_log.search.setFocus()),
        ):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.activated.connect(call)

    def _restore(self) -> None:
        settings = self._settings
        self.resize(QSize(*_FIRST_SIZE_PX).boundedTo(self._room()))
        self.toolbar.oversight.set_value(settings.oversight)
        self.toolbar.set_review(on=settings.review_plan)
        self.live_view.set_marks(on=settings.has_marks)
        self._columns.setSizes([300, 980])
        self._right.setSizes([700, 280])
        self._rows.setSizes([560, 220])
        if settings.geometry:
            self.restoreGeometry(QByteArray(settings.geometry))
        if settings.columns:
            self._columns.restoreState(QByteArray(settings.columns))
        if settings.rows:
            self._rows.restoreState(QByteArray(settings.rows))

    def _room(self) -> QSize:
        """What the screen has room for, less the frame a window manager draws around a window."""
        return self.screen().availableSize() - QSize(0, _FRAME_PX)

    def set_kill_switch(self, *, works: bool, reason: str = "") -> None:
        """Show whether the stop key works; `reason` says in sentences why it does not, and what stops a run instead."""
        self._deaf = "" if works else self.status.deaf_words(reason)
        self.status.set_kill_switch(works=works, reason=reason)
        self._tell_deaf()

    def _tell_deaf(self) -> None:
        """Programs of the desktop are acted on and no key stops that: said once in the chat of each such run."""
        live = self._live
        is_desktop = live.request is not None and live.request.surface is SurfaceKind.DESKTOP
        if self._deaf and live.is_active and is_desktop and self._told_deaf != live.run_id:
            self._told_deaf = live.run_id
            self.show_notice(self._deaf)

    def save_picture(self, path: Path) -> None:
        """Save what the window shows now as a PNG."""
        self.grab().save(str(path))

    @Slot(bool, str)
    def _on_kill_switch_told(self, works: bool, reason: str) -> None:
        self.set_kill_switch(works=works, reason=reason)

    @Slot(str)
    def _on_notice_told(self, text: str) -> None:
        self.show_notice(text)

    def _on_tray_lost(self) -> None:
        words = self.tr(
            "The tray icon is gone, since its process has ended. The buttons of this window work as before."
        )
        self.show_notice(words, NoticeLevel.INFO)

    @Slot(str, bool, object, int)
    def _on_planner_told(self, model: str, is_chosen: bool, budget: Budget, max_steps: int) -> None:
        self._budget, self._max_steps = budget, max_steps
        self.toolbar.show_planner(model, is_chosen=is_chosen)
        chosen = model if is_chosen else self.tr("the built-in planner")
        if self._live.is_active and self._live.planner not in {"", model if is_chosen else BUILTIN_PLANNER}:
            words = self.tr("This run goes on with the planner it began with; {name} plans the next one.")
            self.show_notice(words.format(name=chosen), NoticeLevel.INFO)

    def show_notice(self, text: str, level: NoticeLevel = NoticeLevel.WARNING) -> None:
        """Add a line to the chat that belongs to no run, such as that a damaged record was set aside."""
        self._live.add_notice(text, level, self._clock())
        changes = self._live.take_changes()
        if self._shown is self._live:
            self.chat.show_state(self._live, changes.chat, is_live=True)

    @property
    def view_state(self) -> ViewState:
        """What is shown: the run under way or the last one, or a past one."""
        return self._shown

    # Events in

    def _on_events(self, events: list[Event]) -> None:
        live = self._live
        for event in events:
            if event.run_id == self._starting:
                self._starting = ""
            live.fold(event)
            if isinstance(event, PlanChanged) and event.by == "person":
                self.plan.waits_for_edit = False
            elif isinstance(event, Notice) and self.plan.waits_for_edit:
                self.plan.waits_for_edit = False  # the edit was refused: said where the person looks
                self.plan.show_notice(event.text)
        changes = live.take_changes()
        is_reset = changes.run and changes.plan and changes.timeline and changes.requests and not live.rows
        if self._shown is live:
            if changes.chat:
                self.chat.show_state(live, changes.chat, is_live=True)
            if changes.rows or is_reset:
                self.step_log.show_state(live, None if is_reset else changes.rows)
            elif changes.run:
                self.step_log.show_thinking(live)
            if changes.plan or changes.rows or changes.requests or changes.run:
                self._show_plan()
            if changes.timeline or changes.run or changes.requests:
                self._show_live_view()
        end = next((event for event in events if isinstance(event, RunFinished) and event.run_id == live.run_id), None)
        if end is not None and end.cause is EndCause.NOT_UNDERSTOOD and live.request is not None:
            self.chat.editor.offer(live.request.goal)
        if live.oversight is not None and changes.run:
            self.toolbar.oversight.set_value(live.oversight)
        if changes.run:
            self._tell_deaf()
        self._desk.show_state(live)
        self._beside.follow(live)
        self._aside.take(events)
        self._come_forward(events)
        self._refresh_controls()
        self._on_tick()
        if live.is_active:
            self._ticker.start()
        else:
            self._ticker.stop()
            if self._must_close:
                self.close_now()

    def _come_forward(self, events: list[Event]) -> None:
        """Come before the browser when it has just opened or when an answer is wanted; else ask for attention only.

        A hand-off is done in the browser, which comes to the front itself.
        """
        self._attention.take(events)
        is_first_look = not self._aside.is_desktop and any(
            isinstance(event, Observed) and event.observation == 1 for event in events
        )
        asks = any(
            isinstance(event, RequestRaised) and not isinstance(event.request, HandOffRequest) for event in events
        )
        if is_first_look or asks:
            self.raise_()
            self.activateWindow()

    def _show_window(self) -> None:
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def _on_frame(self, picture: Picture) -> None:
        if self._shown is self._live:
            self.live_view.show_live_frame(picture)

    # Showing

    def _refresh_all(self) -> None:
        """Show another state from scratch."""
        state, is_live = self._shown, self._shown is self._live
        self.chat.show_state(state, None, is_live=is_live)
        self.step_log.show_state(state, None)
        self._show_plan()
        self._show_live_view()
        self._refresh_controls()

    def _show_plan(self) -> None:
        is_live = self._shown is self._live
        self.plan.show_state(self._shown, is_editable=self._controls().can_edit_plan, is_live=is_live)

    def _show_live_view(self) -> None:
        can_type = self._controls().can_choose and self._shown is self._live
        self.live_view.show_state(self._shown, is_past=self._shown is not self._live, is_editable=can_type)

    def _controls(self) -> Controls:
        if self._shown is not self._live:
            return Controls(can_stop=self._live.is_active)
        return self._live_controls()

    def _live_controls(self) -> Controls:
        return controls(
            self._live.state,
            has_goal=bool(self.chat.editor.text),
            has_plan=self._live.plan is not None,
            is_starting=bool(self._starting),
        )

    def _refresh_controls(self) -> None:
        now = self._controls()
        is_past = self._shown is not self._live
        self.toolbar.show_controls(now)
        self.banner.show_state(self._live)
        self.strip.show_state(self._live, is_aside=self._aside.is_aside)
        self.tray.show_state(self._live, self._live_controls())
        editor = self.chat.editor
        if now.can_say:
            editor.set_purpose(
                button=self.tr("Send"),
                placeholder=self.tr("Correct me, or add something…"),
                words=self.tr("A word to the agent"),
                hint=self.tr("Enter sends"),
                can_submit=True,
            )
        else:
            editor.set_purpose(
                button=self.tr("Run"),
                placeholder=self.tr("Type a goal, such as “open practice:shop”"),
                words=self.tr("Goal"),
                hint=self.tr("Enter runs"),
                can_submit=now.can_choose,
            )
        editor.setEnabled(not is_past)
        self.chat.new.setEnabled(not is_past and not self._live.is_active and not self._starting)
        self.status.show_state(
            self._shown, self._clock(), is_starting=bool(self._starting) and not is_past, is_past=is_past
        )

    def _on_tick(self) -> None:
        now_s = self._clock()
        self.status.tick(self._shown, now_s, is_past=self._shown is not self._live)
        if self._live.requests:
            self._desk.tick(now_s)
            self._attention.tick(self._live, now_s)
            self.chat.tick(now_s)

    # Commands out

    def _on_submitted(self, text: str) -> None:
        if self._controls().can_say:
            self._control.say(text)
            self.chat.editor.set_text("")
        else:
            self._start(text)

    def choose_surface(self, surface: SurfaceKind) -> None:
        """Choose where the next run acts, as if its button had been pressed."""
        self.toolbar.surface.set_value(surface)
        self._on_surface_chosen(surface)

    @Slot(str)
    def _on_surface_chosen(self, surface: str) -> None:
        self.live_view.address.setVisible(surface != SurfaceKind.DESKTOP)  # programs have no address to begin at

    def _on_run_pressed(self) -> None:
        if self.chat.editor.text:
            self._start(self.chat.editor.text)

    def request_for(self, goal: str, url: str) -> RunRequest:
        """What a run for this goal is asked, as the person has chosen it in the window."""
        return RunRequest(
            goal=goal,
            url=url,
            surface=SurfaceKind(self.toolbar.surface.value),
            oversight=Oversight(self.toolbar.oversight.value),
            review_plan=self.toolbar.review.isChecked(),
            max_steps=self._max_steps,
            budget=self._budget,
            hand_off_minutes=self._hand_off_minutes,
            answer_minutes=self._answer_minutes,
            is_attended=True,
        )

    def _start(self, goal: str) -> None:
        if not self._controls().can_choose or self._shown is not self._live:
            return
        is_browser = self.toolbar.surface.value == SurfaceKind.BROWSER
        request = self.request_for(goal, self.live_view.typed_address() if is_browser else "")
        try:
            self._starting = self._control.start(request)
        except SettingsError:
            return
        self.live_view.set_typed_address("")
        self.chat.editor.set_text("")
        self.plan.show_notice("")
        self._refresh_controls()

    def _stop(self) -> None:
        self._control.stop()

    def _answer(self, request_id: str, answer: Answer) -> None:
        request = next((one for one in self._live.requests if one.id == request_id), None)
        if request is None:
            return
        self._control.answer(request_id, answer)
        self.chat.close_card(request)
        self._desk.take_answer(request_id, self._live)

    def _on_oversight_chosen(self, oversight: Oversight) -> None:
        self._settings.oversight = oversight
        self._save_settings()
        if self._live.is_active:
            self._control.set_oversight(oversight)

    def _on_review_toggled(self, on: bool) -> None:
        self._settings.review_plan = on
        self._save_settings()

    def _on_marks_toggled(self, on: bool) -> None:
        self._settings.has_marks = on

    def _on_theme_chosen(self, name: ThemeName) -> None:
        self.theme.choose(name)
        self._settings.theme = name
        self._save_settings()

    def _on_wait_chosen(self, minutes: float) -> None:
        self._hand_off_minutes = self._settings.hand_off_minutes = minutes
        self._save_settings()

    def _on_answer_wait_chosen(self, minutes: float) -> None:
        self._answer_minutes = self._settings.answer_minutes = minutes
        self._save_settings()

    def _on_example_chosen(self, example: Example) -> None:
        self.chat.editor.set_text(example.goal)
        self.live_view.set_typed_address(example.url)
        self.chat.editor.setFocus()

    def _on_demonstration(self) -> None:
        if self._examples:
            self._on_example_chosen(self._examples[0])
            self._start(self._examples[0].goal)

    def _on_new(self) -> None:
        self._live.clear()
        self._live.take_changes()
        self._refresh_all()
        self.chat.editor.setFocus()

    # Steps, past runs

    def _on_step_selected(self, step: int) -> None:
        if step:
            self.live_view.show_step(step)
        else:
            self.live_view.show_live()

    def _on_step_link(self, run_id: str, step: int) -> None:
        if run_id == self._shown.run_id:
            self.step_log.select_step(step)
            self.live_view.show_step(step)
        else:
            self._open_run(run_id, step)

    def _open_history(self) -> None:
        if self.findChild(HistoryDialog) is not None:
            return
        dialog = HistoryDialog(self.theme, self)
        dialog.run_chosen.connect(lambda run_id: self._open_run(run_id, 0))
        self._background.call(self._runs.list_runs, dialog.show_runs, dialog.show_error)
        dialog.open()

    def _open_run(self, run_id: str, step: int) -> None:
        if run_id == self._live.run_id:
            self._back_to_now()
            return

        def show(state: ViewState) -> None:
            self._shown = state
            self._refresh_all()
            if step:
                self.step_log.select_step(step)
                self.live_view.show_step(step)

        self._background.call(
            lambda: ViewState.of(self._runs.events(run_id)), show, lambda sentence: self.plan.show_notice(sentence)
        )

    def _back_to_now(self) -> None:
        if self._shown is not self._live:
            self._shown = self._live
            self._live.take_changes()
            self._refresh_all()

    # Closing

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._must_close and self._background.is_closed:
            event.accept()
            return
        if self._live.is_active or self._starting:
            event.ignore()
            if self._close_dialog is None:
                self._close_dialog = CloseDuringRunDialog(self, self._stop_then_close)
                self._close_dialog.destroyed.connect(self._on_close_dialog_gone)
                self._close_dialog.open()
            return
        if not self._must_close and self._beside.keeps_open():
            event.ignore()
            return
        self._shut_down()
        event.accept()

    def close_after_stop(self) -> None:
        """Stop a run that is under way, wait for its end up to the deadline, then close. Asks nothing."""
        if self._live.is_active or self._starting:
            self._stop_then_close()
        else:
            self._must_close = True
            self.close()

    def _on_close_dialog_gone(self) -> None:
        self._close_dialog = None

    def _stop_then_close(self) -> None:
        self._must_close = True
        self._deadline.start()
        self._stop()

    def close_now(self) -> None:
        """Close without a question and without waiting for a run. Idempotent."""
        self._must_close = True
        self._shut_down()
        self.close()

    def _shut_down(self) -> None:
        """Stop everything the window started. Idempotent."""
        if self._background.is_closed:
            return
        self._must_close = True
        self._deadline.stop()
        self._ticker.stop()
        self._desk.close()
        self.tray.close()
        self._beside.close()
        if self._close_dialog is not None:
            self._close_dialog.close()
        self._bridge.close()
        self._background.close()
        self._save_settings()
        self.closed.emit()

    def _save_settings(self) -> None:
        self._settings.geometry = bytes(self.saveGeometry().data())
        self._settings.columns = bytes(self._columns.saveState().data())
        self._settings.rows = bytes(self._rows.saveState().data())
        self._settings.save()


def _splitter(orientation: Qt.Orientation, name: str) -> QSplitter:
    splitter = QSplitter(orientation)
    splitter.setObjectName(name)
    splitter.setHandleWidth(1)
    splitter.setChildrenCollapsible(False)
    return splitter
