"""The head of a panel: title, chip, actions at the right side."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from operative_app.gui.tokens import HEADER_HEIGHT_PX
from operative_app.gui.widgets.labels import set_look, text_label


class PanelHeader(QWidget):
    """A row as high as those of the other panels; `row` takes more widgets."""

    def __init__(self, title: str, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setFixedHeight(HEADER_HEIGHT_PX)
        self.title = text_label(title, look="title", wrap=False)
        self.chip: QLabel = text_label("", look="chip", wrap=False, name=f"{name}Chip")
        self.chip.hide()
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(12, 4, 8, 4)
        self.row.setSpacing(4)
        self.row.addWidget(self.title)
        self.row.addSpacing(4)
        self.row.addWidget(self.chip)
        self.row.addStretch(1)

    def set_chip(self, text: str, tone: str = "") -> None:
        """Show a chip beside the title; "" hides it."""
        self.chip.setVisible(bool(text))
        self.chip.setText(text)
        set_look(self.chip, f"chip-{tone}" if tone else "chip")
