"""The chat: goals, the agent's words, cards that ask, answers, the summary, and the editor below them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from operative_app.core.requests import Request
from operative_app.gui.panels.chat_lines import LineWidget
from operative_app.gui.panels.header import PanelHeader
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import ElidedButton, text_button
from operative_app.gui.widgets.goal_editor import GoalEditor
from operative_app.gui.widgets.labels import hairline, text_label, tip
from operative_app.presentation.chat import LineKind
from operative_app.presentation.ports import Example
from operative_app.presentation.view_state import ViewState

SHOWN_LINES: Final = 150
"""How many lines are widgets at once; older ones come back by a button."""


class ChatPanel(QWidget):
    """Shows the chat of a view state.

    Signals:
        goal_submitted(str): Words were sent from the editor (a goal, or a word during a run).
        goal_changed(): The words in the editor are others now.
        example_chosen(Example), demonstration_requested(), history_requested(), new_requested()
        answered(str, Answer), stop_requested(), step_requested(str, int), look_requested(str): as `LineWidget`.
    """

    goal_submitted = Signal(str)
    goal_changed = Signal()
    example_chosen = Signal(object)
    demonstration_requested = Signal()
    history_requested = Signal()
    new_requested = Signal()
    answered = Signal(str, object)
    stop_requested = Signal()
    step_requested = Signal(str, int)
    look_requested = Signal(str)

    def __init__(self, theme: Theme, examples: Sequence[Example]) -> None:
        super().__init__()
        self.setObjectName("chatPanel")
        self._theme = theme
        self._state: ViewState | None = None
        self._is_live = True
        self._shown_limit = SHOWN_LINES
        self._lines: dict[int, LineWidget] = {}
        self.header = PanelHeader(self.tr("Chat"), "chatHeader")
        self.history = text_button(self.tr("History"), "historyButton", look="link", hint=self.tr("Past runs (Ctrl+H)"))
        self.new = text_button(self.tr("New"), "newButton", look="link", hint=self.tr("Begin anew with an empty chat"))
        self.history.clicked.connect(self.history_requested)
        self.new.clicked.connect(self.new_requested)
        self.header.row.addWidget(self.history)
        self.header.row.addWidget(self.new)
        self.earlier = text_button(self.tr("Show earlier lines"), "earlierButton", look="link")
        self.earlier.clicked.connect(self._show_earlier)
        self.earlier.hide()
        self.empty = self._make_empty(examples)
        page = QWidget()
        page.setProperty("look", "page")
        self._column = QVBoxLayout(page)
        self._column.setContentsMargins(12, 4, 12, 12)
        self._column.setSpacing(12)
        self._column.addWidget(self.earlier)
        self._column.addWidget(self.empty)
        self._column.addStretch(1)
        self.scroll_area = QScrollArea()
        self.scroll_area.setObjectName("chatScroll")
        self.scroll_area.setAccessibleName(self.tr("Chat"))
        self.scroll_area.setWidgetResizable(True)
        self.scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll_area.setWidget(page)
        self._sticks = True
        self.scroll_area.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        self.scroll_area.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.editor = GoalEditor()
        self.editor.submitted.connect(self.goal_submitted)
        self.editor.text_changed.connect(self.goal_changed)
        foot = QVBoxLayout()
        foot.setContentsMargins(12, 10, 12, 10)
        foot.addWidget(self.editor)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.scroll_area, 1)
        column.addWidget(hairline())
        column.addLayout(foot)
        self.setMinimumWidth(250)

    def _make_empty(self, examples: Sequence[Example]) -> QWidget:
        empty = QWidget()
        empty.setObjectName("chatEmpty")
        column = QVBoxLayout(empty)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        column.addWidget(text_label(self.tr("What should be done?"), look="big"))
        column.addWidget(
            text_label(
                self.tr(
                    "Type a goal below. You see the plan and every step, you are asked before anything risky, and you "
                    "can take over or stop at any moment."
                ),
                look="secondary",
            )
        )
        if examples:
            column.addSpacing(4)
            run = text_button(self.tr("Run the demonstration"), "demonstrationButton", look="primary")
            self._theme.set_icon(run, "run", "on_accent")
            run.setToolTip(tip(examples[0].goal))
            run.clicked.connect(self.demonstration_requested)
            column.addWidget(run)
            column.addSpacing(4)
            column.addWidget(text_label(self.tr("Or begin with an example:"), look="secondary"))
        for place, example in enumerate(examples):
            button = ElidedButton(example.title, f"exampleButton{place}", look="example", hint=example.goal)
            button.clicked.connect(lambda _checked=False, one=example: self.example_chosen.emit(one))
            column.addWidget(button)
        return empty

    # Showing

    def show_state(self, state: ViewState, changed: set[int] | None, *, is_live: bool) -> None:
        """Show the chat of this state; `changed` None when it is another state's."""
        if changed is None:
            for widget in self._lines.values():
                self._drop(widget)
            self._lines.clear()
            self._shown_limit = SHOWN_LINES
            self._sticks = True
            changed = set(range(len(state.chat)))
        self._state, self._is_live = state, is_live
        first = max(0, len(state.chat) - self._shown_limit)
        for number in [number for number in self._lines if number < first or number >= len(state.chat)]:
            if number >= first or state.chat[number].request is None or not state.chat[number].is_open:
                self._drop(self._lines.pop(number))
        for number in sorted(number for number in changed if first <= number < len(state.chat)):
            if number in self._lines:
                self._lines[number].show_line(state.chat[number])
            else:
                self._insert(number)
        self.earlier.setVisible(first > 0)
        self.empty.setVisible(all(line.kind is LineKind.NOTICE for line in state.chat))

    def _insert(self, number: int) -> None:
        if self._state is None:
            return
        widget = LineWidget(self._theme, self._state.chat[number], is_live=self._is_live)
        widget.answered.connect(self.answered)
        widget.stop_requested.connect(self.stop_requested)
        widget.step_requested.connect(self.step_requested)
        widget.look_requested.connect(self.look_requested)
        place = 2 + sum(1 for other in self._lines if other < number)
        self._lines[number] = widget
        self._column.insertWidget(place, widget)

    def _drop(self, widget: LineWidget) -> None:
        self._column.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    def _show_earlier(self) -> None:
        if self._state is None:
            return
        self._sticks = False
        first = max(0, len(self._state.chat) - self._shown_limit)
        self._shown_limit += SHOWN_LINES
        self.show_state(self._state, set(range(max(0, first - SHOWN_LINES), first)), is_live=self._is_live)

    def close_card(self, request: Request) -> None:
        """Disable the card of a request that was just answered elsewhere."""
        for widget in self._lines.values():
            if widget.body is not None and widget.body.request.id == request.id:
                widget.body.setEnabled(False)

    def tick(self, now_s: float) -> None:
        for widget in self._lines.values():
            widget.tick(now_s)

    def widget_of(self, number: int) -> LineWidget | None:
        """The widget that shows a line, None when it is not among the shown ones."""
        return self._lines.get(number)

    def _on_range_changed(self, _minimum: int, maximum: int) -> None:
        if self._sticks:
            self.scroll_area.verticalScrollBar().setValue(maximum)

    def _on_scrolled(self, value: int) -> None:
        self._sticks = value >= self.scroll_area.verticalScrollBar().maximum() - 4
