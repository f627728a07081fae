"""Says that the person has control, how, and how to give it back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from operative_app.core.run import RunState
from operative_app.core.taking import TakeOverKind
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import text_button
from operative_app.gui.widgets.labels import text_label, tip
from operative_app.presentation.view_state import ViewState


class ControlBanner(QWidget):
    """A strip below the toolbar, there while the person has control. Never takes the focus by itself.

    Signals:
        hand_back_pressed(), teach_pressed()
    """

    hand_back_pressed = Signal()
    teach_pressed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("controlBanner")
        self.setAccessibleName(self.tr("You have control"))
        self.setProperty("look", "control")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.heading = text_label(self.tr("You have control"), look="control", wrap=False, name="controlHeading")
        self.detail = text_label("", look="control-detail", name="controlDetail")
        self.teach = text_button(
            self.tr("Show the agent how"),
            "teachButton",
            small=True,
            hint=self.tr("From now on what you click and type becomes steps of the plan. Passwords are left out."),
        )
        self.hand_back = text_button(
            self.tr("Hand back"),
            "handBackButton",
            look="primary",
            small=True,
            hint=self.tr("The agent looks anew and goes on (F8)"),
        )
        theme.set_icon(self.hand_back, "hand-back", "on_accent")
        self.teach.clicked.connect(self.teach_pressed)
        self.hand_back.clicked.connect(self.hand_back_pressed)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(10)
        row.addWidget(self.heading)
        row.addWidget(self.detail, 1)
        row.addWidget(self.teach)
        row.addWidget(self.hand_back)
        self.hide()

    def show_state(self, state: ViewState) -> None:
        """Show or hide the strip, as the run under way stands."""
        has_control = state.state is RunState.TAKEN_OVER
        if has_control:
            is_teaching = state.take_over is TakeOverKind.TEACHING
            self.heading.setText(
                self.tr("You have control: show the agent how") if is_teaching else self.tr("You have control")
            )
            self.detail.setText(state.detail)
            self.detail.setToolTip(tip(state.detail))
            self.teach.setVisible(not is_teaching)
        self.setVisible(has_control)
