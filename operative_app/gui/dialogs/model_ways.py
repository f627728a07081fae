"""How a model works: what it is asked besides the one question for each step, with what each costs."""

from __future__ import annotations

from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from operative_app.core.coordinates import Grid
from operative_app.core.endpoint import Api, ModelWays, PictureUse
from operative_app.gui.dialogs.desk_dialog import field_line
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import CheckBox, ChoiceBox, TickLine
from operative_app.gui.widgets.labels import text_label


class WaysPage(QWidget):
    """A page of the dialog that connects a model. Knows the choices, keeps nothing."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelWaysPage")
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 14, 20, 6)
        column.setSpacing(9)
        column.addWidget(
            text_label(
                self.tr(
                    "Each step is one question: it judges the last step and chooses the next. "
                    "What is ticked here is asked besides."
                ),
                look="secondary",
                wrap=False,
            )
        )
        self._boxes: dict[str, CheckBox] = {}
        for name, words, cost in (
            (
                "separate_perception",
                self.tr("Understand the goal before planning"),
                self.tr("One more question for each run. Helps small models with long goals."),
            ),
            (
                "plan_on_screen",
                self.tr("Plan again when the page is seen"),
                self.tr("One more question for each run, with the page in it. Plans fit better."),
            ),
            (
                "second_look",
                self.tr("Look again with fresh eyes when “done” is in doubt"),
                self.tr("One more question for each doubtful claim, none for others. Off: it ends “not verified”."),
            ),
            (
                "history_by_model",
                self.tr("Sum up what lies further back"),
                self.tr("One more question about every 45 steps. Off: the oldest steps are forgotten."),
            ),
            (
                "summary_by_model",
                self.tr("Write the closing words"),
                self.tr("One more question for each run. Off: how each task ended is listed."),
            ),
        ):
            column.addLayout(self._box(theme, name, words, cost))
        column.addSpacing(4)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(10)
        for column_number in (1, 3):
            grid.setColumnStretch(column_number, 1)
        self.pictures = ChoiceBox(theme, "modelPictures", self.tr("Pictures of the screen"), look="")
        for use, words in (
            (PictureUse.WHEN_NEEDED, self.tr("Where text says too little, or after a failure")),
            (PictureUse.ALWAYS, self.tr("With every question: about 1,300 tokens each")),
            (PictureUse.NEVER, self.tr("Never: drawn pages cannot be worked on")),
        ):
            self.pictures.addItem(words, use)
        self.grid = ChoiceBox(theme, "modelGrid", self.tr("How it counts places in pictures"), look="")
        for places, words in (
            (Grid.PIXELS, self.tr("In its pixels")),
            (Grid.THOUSAND, self.tr("From 0 to 1000")),
            (Grid.UNIT, self.tr("From 0 to 1")),
        ):
            self.grid.addItem(words, places)
        self.api = ChoiceBox(theme, "modelApi", self.tr("API"), look="")
        for api, words in (
            (Api.AUTO, self.tr("The best one known")),
            (Api.CHAT, "Chat Completions"),
            (Api.RESPONSES, "Responses"),
        ):
            self.api.addItem(words, api)
        self.context_tokens = field_line("modelContext", self.tr("as the service says, in tokens"))
        self.context_tokens.setValidator(QIntValidator(0, _MOST_TOKENS, self))
        self.summary_model = QLineEdit()
        self.summary_model.setObjectName("modelSummaryModel")
        self.summary_model.setPlaceholderText(self.tr("the same model"))
        self.summary_model.setToolTip(
            self.tr("Another model there that sums up old steps and the run; a smaller one costs less.")
        )
        for words, field, row, place, columns in (
            (self.tr("Pictures"), self.pictures, 0, 0, 3),
            (self.tr("Places in them"), self.grid, 1, 0, 1),
            (self.tr("API"), self.api, 1, 2, 1),
            (self.tr("Context"), self.context_tokens, 2, 0, 1),
            (self.tr("Sums up"), self.summary_model, 2, 2, 1),
        ):
            label = text_label(words, look="secondary", wrap=False)
            label.setBuddy(field)
            grid.addWidget(label, row, place)
            grid.addWidget(field, row, place + 1, 1, columns)
        self.context_tokens.setAccessibleName(self.tr("The size of its context, in tokens"))
        self.summary_model.setAccessibleName(self.tr("The model that sums up steps and runs"))
        column.addLayout(grid)
        column.addStretch(1)
        self.show_ways(ModelWays(), "", Api.AUTO)

    def show_ways(self, ways: ModelWays, summary_model: str, api: Api) -> None:
        """Show these choices."""
        for name, box in self._boxes.items():
            box.setChecked(bool(getattr(ways, name)))
        for choice, value in ((self.pictures, ways.pictures), (self.grid, ways.grid), (self.api, api)):
            choice.setCurrentIndex(choice.findData(value))
        self.context_tokens.setText(str(ways.context_tokens or ""))
        self.summary_model.setText(summary_model)

    @property
    def ways(self) -> ModelWays:
        """The choices as they are shown."""
        ticked = {name: box.isChecked() for name, box in self._boxes.items()}
        return ModelWays.model_validate(
            {
                **ticked,
                "pictures": self.pictures.currentData(),
                "grid": self.grid.currentData(),
                "context_tokens": int(self.context_tokens.text() or 0),
            }
        )

    def _box(self, theme: Theme, name: str, words: str, cost: str) -> QVBoxLayout:
        line = TickLine(theme, f"modelWay_{name}", words)
        line.box.setAccessibleDescription(cost)
        self._boxes[name] = line.box
        below = QHBoxLayout()
        below.setContentsMargins(line.words_left_px, 0, 0, 0)
        below.addWidget(text_label(cost, look="secondary", wrap=False))
        both = QVBoxLayout()
        both.setSpacing(1)
        both.addWidget(line)
        both.addLayout(below)
        return both


_MOST_TOKENS = 100_000_000
