"""`operative window`: wires the window to a session and lives until it is closed."""

from __future__ import annotations

import gc
import os
import sys
import time
from typing import TYPE_CHECKING, Final

from operative_app.app.browser_provider import has_display
from operative_app.app.examples import DEMONSTRATION, EXAMPLES
from operative_app.app.model_desk import ModelAssistant
from operative_app.app.planners import PROMPTS_DIR
from operative_app.app.site_desk import SettingsSites
from operative_app.cli.exit_codes import DONE, STOPPED, exit_code_of
from operative_app.cli.options import WindowOptions
from operative_app.core.errors import StoreError, SurfaceMissing
from operative_app.core.events import Event, PlanChanged, RunFinished, StepFinished
from operative_app.core.run import Oversight
from operative_app.core.screen import SurfaceKind
from operative_app.gui.application import create_qapplication
from operative_app.gui.bridge import EventBridge
from operative_app.gui.dialogs.messages import CannotStartDialog
from operative_app.gui.loop import call_later, end_loop, on_stop_signals, run_loop
from operative_app.gui.settings import WindowSettings
from operative_app.gui.window import MainWindow
from operative_app.presentation.words import finish_line
from operative_app.store.settings import Settings

if TYPE_CHECKING:
    from operative_app.app.session import Session

WINDOW_SETTINGS: Final = "window.json"
SWITCH_S: Final = 0.0002
"""How long a busy thread may keep the interpreter from the window's.

Qt gives the interpreter away in many of its calls. With Python's 5 ms a slot or a paint of some dozen calls would wait
hundreds of milliseconds beside a busy agent thread.
"""
PAINTED_MS: Final = 200
"""After this the window has painted what events brought (it repaints every 50 ms)."""


def open_window(options: WindowOptions) -> int:
    """Open the window and stay until it is closed; returns the exit code of the goal given, or 0.

    What keeps the window from opening is also said in a dialog, unless the window was to close by itself.

    Raises:
        SurfaceMissing: There is no display.
        StoreError: The record cannot be opened.
    """
    if not has_display() and os.environ.get("QT_QPA_PLATFORM", "") != "offscreen":
        raise SurfaceMissing(
            "There is no display to open the window on. Use “operative run” to carry out a goal without one, "
            "or “packaging/run”, which brings a virtual one."
        )
    application = create_qapplication(["operative"])
    from operative_app.app.session import open_session

    bridge = EventBridge()
    try:
        session = open_session(keep_browser=True, on_frame=bridge.frame_listener)
    except StoreError as error:
        if not options.quit_when_done:
            dialog = CannotStartDialog(str(error))
            with on_stop_signals(end_loop):
                dialog.open()
                run_loop(application)
        raise
    front = Front(session, bridge, options)
    with on_stop_signals(front.end):
        front.show()
        run_loop(application)
    front.close()
    return front.exit_code


class Front:
    """The window with what lives as long as it does: the agent, the kill switch, a goal given at the start.

    Lives on the GUI thread.
    """

    def __init__(self, session: Session, bridge: EventBridge, options: WindowOptions) -> None:
        from operative_app.app.guarding import Guarding
        from operative_app.planning.model.prompts import PromptLibrary
        from operative_app.surfaces.desktop.input.own import count_as_own
        from operative_app.surfaces.desktop.opening import why_not

        self._switch_s = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_S)
        self._session = session
        self._bridge = bridge
        self._options = options
        self._guarding = Guarding(
            session.settings.hotkey,
            session.agent.control,
            on_started=lambda works, reason: self.window.kill_switch_told.emit(works, reason),
            on_ended=lambda text: self.window.notice_told.emit(text),
        )
        session.surfaces.watch(self._guarding)
        window_settings = WindowSettings.load(session.folders.config / WINDOW_SETTINGS)
        self._models = ModelAssistant(session, self._on_planner_changed)
        self._notices = tuple(text for text in (*session.notices, window_settings.problem) if text)
        self.window = MainWindow(
            control=session.agent.control,
            bridge=bridge,
            runs=session.store,
            settings=window_settings,
            max_steps=session.settings.max_steps,
            hand_off_minutes=session.settings.hand_off_minutes,
            answer_minutes=session.settings.answer_minutes,
            desktop_fault=why_not(),
            examples=EXAMPLES,
            kill_switch_text=chord_words(session.settings.hotkey),
            data_dir=session.folders.data,
            models=self._models,
            prompts=PromptLibrary(session.folders.config / PROMPTS_DIR),
            stop_now=self._guarding.chosen_in_tray,
            stop_line=self._guarding.stop_line,
            secrets=session.secrets,
            sites=SettingsSites(session.folders.config),
        )
        self.window.choose_surface(SurfaceKind(options.surface))
        self._on_planner_changed(session.planners.name, session.settings)
        self.window.closed.connect(end_loop)
        self.window.tray.process_started.connect(count_as_own)
        session.agent.add_sink(bridge)
        self._given = GivenGoal(session, self.window, bridge, options) if options.goal or options.demo else None

    @property
    def exit_code(self) -> int:
        """That of the goal given at the start; 0 without one."""
        return self._given.exit_code if self._given is not None else DONE

    @property
    def stop_key_works(self) -> bool:
        """Whether the global stop key is heard now."""
        return self._guarding.works

    def show(self) -> None:
        """Show the window; what is not needed to look at it and to type a goal is started right after."""
        self._session.agent.start()
        self.window.show()
        call_later(0, self._start)

    def _on_planner_changed(self, _name: str, settings: Settings) -> None:
        """Any thread."""
        model, is_chosen = settings.model.model, settings.planning_model.is_configured
        self.window.planner_told.emit(model, is_chosen, settings.budget, settings.max_steps)

    def end(self) -> None:
        """Stop whatever runs and end the application, for a signal to the process."""
        self._session.agent.control.stop()
        self.window.close_now()  # without asking, and that ends the loop

    def close(self) -> None:
        """Let go of everything. Idempotent, bounded."""
        self._session.close()
        self._guarding.close()  # last: what takes long to close can still be stopped
        self._bridge.close()
        sys.setswitchinterval(self._switch_s)

    def _start(self) -> None:
        gc.freeze()  # what the start made is never looked through again, which would hold up the window
        gc.enable()
        if self._options.ready_file is not None:
            self._options.ready_file.write_text(f"{time.monotonic()}\n", encoding="ascii")
        self._guarding.start()
        self._session.load_soon()
        self.window.tray.start_soon()
        for notice in self._notices:
            self.window.show_notice(notice)
        if self._given is not None:
            self._given.start()


class GivenGoal:
    """A goal given on the command line: run as the window opens, its record and pictures left in a folder.

    Lives on the GUI thread.
    """

    def __init__(self, session: Session, window: MainWindow, bridge: EventBridge, options: WindowOptions) -> None:
        self._session = session
        self._window = window
        self._options = options
        self._events: list[Event] = []
        self._run_id = ""
        self._end: RunFinished | None = None
        self.exit_code = STOPPED  # until it has ended
        bridge.events_arrived.connect(self._on_events)

    def start(self) -> None:
        control = self._session.agent.control
        if self._options.quit_when_done:
            from operative_app.app.unattended import Unattended

            self._session.agent.add_sink(Unattended(control))
        goal = DEMONSTRATION if self._options.demo else self._options.goal
        request = self._window.request_for(goal, self._options.url)
        if self._options.quit_when_done:  # nobody is there to answer more than a risky step would ask
            alone = {"is_attended": False, "review_plan": False, "oversight": Oversight.RISKY}
            request = request.model_copy(update=alone)
        self._run_id = control.start(request.model_copy(update={"approve_all": self._options.yes}))

    def _on_events(self, events: list[Event]) -> None:
        for event in events:
            if event.run_id != self._run_id:
                continue
            self._events.append(event)
            match event:
                case PlanChanged(by="planner"):
                    self._take_picture_soon("1-plan")
                case StepFinished():
                    self._take_picture_soon("2-working")
                case RunFinished():
                    self._end = event
                    self.exit_code = exit_code_of(event)
                    call_later(PAINTED_MS, self._finish)
                case _:
                    pass

    def _take_picture_soon(self, name: str) -> None:
        """A picture of the window, once it has painted what the events brought."""

        def take() -> None:
            if self._end is None:  # the last step's picture would be that of the end
                self._take_picture(name)

        call_later(PAINTED_MS, take)

    def _take_picture(self, name: str) -> None:
        if self._options.out is not None:
            self._options.out.mkdir(parents=True, exist_ok=True)
            self._window.save_picture(self._options.out / f"window-{name}.png")

    def _finish(self) -> None:
        if self._end is not None and self._options.quit_when_done:
            sys.stdout.write(f"{finish_line(self._end)}\n")
        self._take_picture("3-end")
        if self._options.out is not None:
            from operative_app.app.record import keep_record

            try:
                keep_record(self._options.out, self._events, self._session.store)
            except StoreError as error:
                sys.stderr.write(f"operative: {error}\n")
        if self._options.quit_when_done:
            end_loop()


def chord_words(chord: str) -> str:
    """A chord as people read it: Ctrl+Alt+Escape."""
    return "+".join(part.capitalize() for part in chord.split("+"))
