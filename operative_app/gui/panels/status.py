"""The line at the foot of the window: state, step, time, what a model took, and the key that stops everything."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from operative_app.core.run import RunState
from operative_app.gui.theme import Theme, text_font
from operative_app.gui.widgets.labels import ElidedLabel, text_label, tip
from operative_app.gui.widgets.status_dot import StatusDot
from operative_app.presentation.view_state import ViewState
from operative_app.presentation.words import STATE_WORDS, plain

_ROLES = {
    RunState.READY: "faint",
    RunState.PLANNING: "accent",
    RunState.WORKING: "accent",
    RunState.WAITING: "warning",
    RunState.PAUSED: "warning",
    RunState.TAKEN_OVER: "warning",
    RunState.STOPPING: "error",
    RunState.DONE: "ok",
    RunState.NOT_VERIFIED: "warning",
    RunState.FAILED: "error",
    RunState.STOPPED: "faint",
}
_KEY_NAMES = {"Escape": "Esc", "Control": "Ctrl"}


class StatusLine(QWidget):
    def __init__(self, theme: Theme, kill_switch_text: str, *, kill_switch_works: bool | None) -> None:
        """`kill_switch_works` None: it is not known yet, and nothing is claimed."""
        super().__init__()
        self.setObjectName("statusLine")
        self.setFixedHeight(28)
        self._said = ""
        self.dot = StatusDot(theme)
        self.state = text_label("", wrap=False, name="statusState")
        self.state.setFont(text_font(small=True))
        self.detail = ElidedLabel()
        self.detail.setObjectName("statusDetail")
        self.detail.setProperty("look", "secondary")
        self.step = text_label("", look="secondary", wrap=False, name="statusStep")
        self.elapsed = text_label("", look="secondary", wrap=False, name="statusElapsed")
        self.tokens = text_label("", look="secondary", wrap=False, name="statusTokens")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(6)
        row.addWidget(self.dot)
        row.addWidget(self.state)
        row.addSpacing(10)
        for label in (self.step, self.elapsed, self.tokens):
            row.addWidget(label)
            row.addSpacing(8)
        row.addWidget(self.detail, 1)
        self._keys: list[QLabel] = []
        self._kill_switch_text = kill_switch_text
        self.kill_switch = text_label("", look="secondary", wrap=False, name="killSwitchText")
        row.addWidget(self.kill_switch)
        for key in kill_switch_text.split("+"):
            cap = text_label(_KEY_NAMES.get(key, key), look="key", wrap=False)
            cap.setFixedHeight(18)
            self._keys.append(cap)
            row.addWidget(cap)
        self.set_kill_switch(works=kill_switch_works)

    def set_kill_switch(self, *, works: bool | None, reason: str = "") -> None:
        """Name the key that stops everything, or say that there is none here; `reason` tells why, in sentences."""
        for cap in self._keys:
            cap.setVisible(works is True)
        if works is None:
            self.kill_switch.setText("")
            return
        if works:
            self.kill_switch.setText(self.tr("Stop everything"))
            self.kill_switch.setToolTip(tip(self.tr("Works while any other program has the focus.")))
            return
        self.kill_switch.setText(self.tr("No global stop key here; use Stop"))
        self.kill_switch.setToolTip(tip(self.deaf_words(reason)))

    def deaf_words(self, reason: str) -> str:
        """That the stop key is not heard here, why, and what stops a run instead."""
        told = self.tr("{keys} does not work here.").format(keys=self._kill_switch_text)
        way = self.tr("The Stop button and Ctrl+. stop the run while this window has the focus.")
        return f"{told} {reason or way}"

    def show_state(self, state: ViewState, now_s: float, *, is_starting: bool, is_past: bool) -> None:
        """Show where the run stands."""
        run_state = RunState.PLANNING if is_starting else state.state
        words = STATE_WORDS[run_state]
        role = _ROLES[run_state]
        if is_past and not run_state.is_final:
            words, role = self.tr("Interrupted"), "faint"
        self.dot.set_role(role)
        self.state.setText(words)
        detail = plain(state.detail)
        self.detail.set_text("" if is_past or is_starting else detail)
        steps = state.step
        shows_steps = bool(state.run_id) and steps > 0
        self.step.setText(
            self.tr("Step {step} of at most {most}").format(step=steps, most=state.max_steps)
            if shows_steps and state.is_active
            else self.tr("Step {step}").format(step=steps)
            if shows_steps
            else ""
        )
        self.tokens.setText(state.ledger.spent.words)
        self.tick(state, now_s, is_past=is_past)
        if words != self._said:
            if self._said and self.isVisible():
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.state, words))
            self._said = words

    def tick(self, state: ViewState, now_s: float, *, is_past: bool) -> None:
        """Show how long the run has been going on."""
        if is_past and not state.ended_at_s:
            self.elapsed.setText("")
            return
        seconds = round(state.elapsed_s(now_s))
        self.elapsed.setText(f"{seconds // 60}:{seconds % 60:02d}" if state.started_at_s else "")
