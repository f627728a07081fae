"""The toolbar: the commands of a run, where it acts, how often it asks, who plans."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget

from operative_app.core.run import Oversight
from operative_app.core.screen import SurfaceKind
from operative_app.gui.theme import Theme
from operative_app.gui.tokens import ThemeName
from operative_app.gui.widgets.buttons import Segmented, icon_button, text_button
from operative_app.gui.widgets.labels import tip
from operative_app.presentation.controls import Controls

_HEIGHT_PX = 48
_MODEL_SIGNS = 24
"""A longer name of a model is cut in the bar; the tooltip has it whole."""


WAITS_MINUTES: Final = (5.0, 10.0, 30.0, 60.0)
"""How long a hand-off or an approval may be let wait, in minutes; other times can stand in the settings."""


class Toolbar(QWidget):
    """Signals tell what was pressed; `show_controls` says what makes sense.

    Signals:
        run_pressed(), resume_pressed(), pause_pressed(), step_pressed(), take_over_pressed(), hand_back_pressed(),
        stop_pressed(), oversight_chosen(Oversight), review_toggled(bool), theme_chosen(ThemeName),
        wait_chosen(float): how many minutes a hand-off waits,
        answer_wait_chosen(float): how many minutes an approval or a question waits,
        prompts_requested(), secrets_requested(), sites_requested(), prices_requested(), data_folder_requested(),
        about_requested(),
        connect_requested(), builtin_chosen(), model_chosen()
    """

    run_pressed = Signal()
    resume_pressed = Signal()
    pause_pressed = Signal()
    step_pressed = Signal()
    take_over_pressed = Signal()
    hand_back_pressed = Signal()
    stop_pressed = Signal()
    oversight_chosen = Signal(object)
    review_toggled = Signal(bool)
    theme_chosen = Signal(object)
    wait_chosen = Signal(float)
    answer_wait_chosen = Signal(float)
    prompts_requested = Signal()
    secrets_requested = Signal()
    sites_requested = Signal()
    prices_requested = Signal()
    data_folder_requested = Signal()
    about_requested = Signal()
    connect_requested = Signal()
    builtin_chosen = Signal()
    model_chosen = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("toolbar")
        self.setProperty("look", "bar")
        self.setFixedHeight(_HEIGHT_PX)
        self._theme = theme
        self._controls = Controls()
        self._level = -1
        self.run = self._command("run", "runButton", self.tr("Run"), self.tr("Carry out the goal (F5)"), look="primary")
        self.pause = self._command(
            "pause", "pauseButton", self.tr("Pause"), self.tr("Pause before the next action (F6)")
        )
        self.step = self._command("step", "stepButton", self.tr("Step"), self.tr("Take one step, then pause (F10)"))
        self.take_over = self._command(
            "hand", "takeOverButton", self.tr("Take over"), self.tr("Take control of the page yourself (F8)")
        )
        self.stop = self._command(
            "stop", "stopButton", self.tr("Stop"), self.tr("Stop everything at once (Ctrl+.)"), look="danger"
        )
        self.run.clicked.connect(lambda: (self.resume_pressed if self._controls.is_resume else self.run_pressed).emit())
        self.pause.clicked.connect(self.pause_pressed)
        self.step.clicked.connect(self.step_pressed)
        self.take_over.clicked.connect(
            lambda: (self.hand_back_pressed if self._controls.is_hand_back else self.take_over_pressed).emit()
        )
        self.stop.clicked.connect(self.stop_pressed)
        self.surface = Segmented(
            "surfaceChoice",
            self.tr("Where it acts"),
            [(SurfaceKind.BROWSER, self.tr("Browser")), (SurfaceKind.DESKTOP, self.tr("Desktop"))],
        )
        self.surface.set_value(SurfaceKind.BROWSER)
        self._desktop_fault = ""
        self.set_desktop_fault("")
        self.oversight = Segmented(
            "oversightChoice",
            self.tr("When it asks"),
            [
                (Oversight.EVERY, self.tr("Every step")),
                (Oversight.RISKY, self.tr("Risky steps")),
                (Oversight.NONE, self.tr("Never ask")),
            ],
        )
        for key, words in (
            (Oversight.EVERY, self.tr("Ask before every action.")),
            (Oversight.RISKY, self.tr("Ask before actions that change, send, buy or delete something.")),
            (Oversight.NONE, self.tr("Never ask for approval. What is forbidden stays forbidden.")),
        ):
            self.oversight.button(key).setToolTip(tip(words))
        self.oversight.chosen.connect(lambda key: self.oversight_chosen.emit(Oversight(key)))
        self.review = text_button(
            self.tr("Review plan first"),
            "reviewPlanButton",
            hint=self.tr("Show the plan and wait until you accept it, before anything is done."),
        )
        self.review.setCheckable(True)
        self.review.toggled.connect(self._on_review_toggled)
        theme.set_icon(self.review, "review", "secondary")
        self.planner = self._make_planner()
        self.settings = icon_button(theme, "gear", "settingsButton", self.tr("Settings"))
        self.settings.setMenu(self._make_settings_menu())
        self.settings.setPopupMode(self.settings.ToolButtonPopupMode.InstantPopup)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(8)
        for button in (self.run, self.pause, self.step, self.take_over, self.stop):
            row.addWidget(button)
        row.addStretch(1)
        for widget in (self.surface, self.oversight, self.review, self.planner, self.settings):
            row.addWidget(widget)
        self.show_planner("", is_chosen=False)
        self.show_controls(Controls(can_choose=True))

    def _command(self, icon: str, name: str, text: str, hint: str, *, look: str = "") -> QPushButton:
        button = text_button(text, name, look=look, hint=hint)
        button.setProperty("words", text)
        self._theme.set_icon(button, icon, {"primary": "on_accent", "danger": "error"}.get(look, "ink"))
        return button

    def _make_planner(self) -> QPushButton:
        planner = text_button("", "plannerButton")
        self._theme.set_icon(planner, "planner", "secondary")
        menu = QMenu(planner)
        menu.setObjectName("plannerMenu")
        self._builtin = QAction(self.tr("Built-in planner"), menu)
        self._builtin.setObjectName("builtinPlannerAction")
        self._builtin.setCheckable(True)
        self._builtin.triggered.connect(self._on_builtin)
        self._model = QAction(menu)
        self._model.setObjectName("modelPlannerAction")
        self._model.setCheckable(True)
        self._model.triggered.connect(self._on_model)
        connect = QAction(self.tr("Connect a model…"), menu)
        connect.setObjectName("connectModelAction")
        connect.triggered.connect(self.connect_requested)
        menu.addActions([self._builtin, self._model])
        menu.addSeparator()
        menu.addAction(connect)
        planner.setMenu(menu)
        return planner

    def show_planner(self, model: str, *, is_chosen: bool) -> None:
        """Show who plans the next run: the model named, when one is connected and chosen, or the built-in planner."""
        words = model if model and is_chosen else self.tr("Built-in planner")
        shown = words if len(words) <= _MODEL_SIGNS else f"{words[: _MODEL_SIGNS - 1]}…"
        self.planner.setProperty("words", f"{shown} ▾")
        self.planner.setAccessibleName(self.tr("Who plans: {name}").format(name=words))
        told = self.tr("Who plans: the built-in planner needs no key and no network.")
        if model and is_chosen:
            told = self.tr("Who plans: {name}. What is on the screen is sent to it.").format(name=model)
        self.planner.setToolTip(tip(told))
        self._builtin.setChecked(not (model and is_chosen))
        self._model.setChecked(bool(model and is_chosen))
        self._model.setVisible(bool(model))
        self._model.setText(model.replace("&", "&&"))
        if self._level >= 0:
            self._fit()

    def _on_builtin(self) -> None:
        self._builtin.setChecked(True)
        self.builtin_chosen.emit()

    def _on_model(self) -> None:
        self._model.setChecked(True)
        self.model_chosen.emit()

    def _make_settings_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setObjectName("settingsMenu")
        group = QActionGroup(menu)
        self._theme_actions: dict[ThemeName, QAction] = {}
        for name, text in (
            (ThemeName.SYSTEM, self.tr("Theme: as the system")),
            (ThemeName.LIGHT, self.tr("Theme: light")),
            (ThemeName.DARK, self.tr("Theme: dark")),
        ):
            action = QAction(text, menu)
            action.setObjectName(f"theme_{name}")
            action.setCheckable(True)
            action.setChecked(name is self._theme.name)
            action.triggered.connect(lambda _checked=False, one=name: self.theme_chosen.emit(one))
            group.addAction(action)
            menu.addAction(action)
            self._theme_actions[name] = action
        menu.addSeparator()
        self._waits: dict[float, QAction] = {}
        self._answer_waits: dict[float, QAction] = {}
        words = self.tr("When I am needed, wait")
        menu.addMenu(self._make_waiting_menu(menu, words, "wait", self._waits, self.wait_chosen))
        words = self.tr("When I am asked, wait")
        menu.addMenu(self._make_waiting_menu(menu, words, "answerWait", self._answer_waits, self.answer_wait_chosen))
        self.prompts = menu.addAction(self.tr("Prompts…"))
        self.prompts.setObjectName("promptsAction")
        self.prompts.triggered.connect(self.prompts_requested)
        self.secrets = menu.addAction(self.tr("Saved secrets…"))
        self.secrets.setObjectName("secretsAction")
        self.secrets.triggered.connect(self.secrets_requested)
        self.sites = menu.addAction(self.tr("Sites…"))
        self.sites.setObjectName("sitesAction")
        self.sites.setToolTip(self.tr("Which sites may be touched, and which never."))
        self.sites.triggered.connect(self.sites_requested)
        self.prices = menu.addAction(self.tr("Prices…"))
        self.prices.setObjectName("pricesAction")
        self.prices.setToolTip(self.tr("What tokens cost, in a file of your own."))
        self.prices.triggered.connect(self.prices_requested)
        self.data_folder = menu.addAction(self.tr("Open the data folder"))
        self.data_folder.setObjectName("dataFolderAction")
        self.data_folder.triggered.connect(self.data_folder_requested)
        menu.addSeparator()
        about = menu.addAction(self.tr("About Operative"))
        about.setObjectName("aboutAction")
        about.triggered.connect(self.about_requested)
        return menu

    def _make_waiting_menu(
        self, parent: QMenu, words: str, name: str, waits: dict[float, QAction], chosen: SignalInstance
    ) -> QMenu:
        """How long something waits for the person."""
        menu = QMenu(words, parent)
        menu.setObjectName(f"{name}Menu")
        group = QActionGroup(menu)
        for minutes in WAITS_MINUTES:
            action = menu.addAction(self.tr("{minutes:g} minutes").format(minutes=minutes))
            action.setObjectName(f"{name}_{minutes:g}")
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, one=minutes: chosen.emit(one))
            group.addAction(action)
            waits[minutes] = action
        return menu

    def show_waits(self, hand_off_minutes: float, answer_minutes: float) -> None:
        """Show how long each waits; a time that the menus do not offer is ticked nowhere."""
        for waits, minutes in ((self._waits, hand_off_minutes), (self._answer_waits, answer_minutes)):
            for offered, action in waits.items():
                action.setChecked(offered == minutes)

    def show_controls(self, controls: Controls) -> None:
        """Enable what makes sense, and turn buttons into what does."""
        self._controls = controls
        self._word(self.run, self.tr("Resume") if controls.is_resume else self.tr("Run"))
        self._word(self.take_over, self.tr("Hand back") if controls.is_hand_back else self.tr("Take over"))
        self._theme.set_icon(self.take_over, "hand-back" if controls.is_hand_back else "hand", "ink")
        self.take_over.setToolTip(
            tip(
                self.tr("Give control back; the page is looked at anew (F8)")
                if controls.is_hand_back
                else self.tr("Take control of the page yourself (F8)")
            )
        )
        self.run.setToolTip(tip(self.tr("Go on (F5)") if controls.is_resume else self.tr("Carry out the goal (F5)")))
        self.run.setEnabled(controls.can_run)
        self.pause.setEnabled(controls.can_pause)
        self.step.setEnabled(controls.can_step)
        self.take_over.setEnabled(controls.can_take_over)
        self.stop.setEnabled(controls.can_stop)
        self.surface.button(SurfaceKind.BROWSER).setEnabled(controls.can_choose)
        self.surface.button(SurfaceKind.DESKTOP).setEnabled(controls.can_choose and not self._desktop_fault)
        self.review.setEnabled(controls.can_choose)
        self.planner.setEnabled(controls.can_choose)

    def set_desktop_fault(self, fault: str) -> None:
        """Offer the desktop, or say in words why it cannot be driven here ("" offers it)."""
        self._desktop_fault = fault
        button = self.surface.button(SurfaceKind.DESKTOP)
        button.setEnabled(not fault)
        button.setToolTip(tip(fault or self.tr("Act on the programs and windows of this computer.")))

    def set_review(self, *, on: bool) -> None:
        """Show the toggle's state without telling `review_toggled`."""
        self.review.blockSignals(True)
        self.review.setChecked(on)
        self.review.blockSignals(False)
        self._theme.set_icon(self.review, "review", "accent_ink" if on else "secondary")

    def _on_review_toggled(self, on: bool) -> None:
        self._theme.set_icon(self.review, "review", "accent_ink" if on else "secondary")
        self.review_toggled.emit(on)

    def _word(self, button: QPushButton, text: str) -> None:
        if button.property("words") != text:
            button.setProperty("words", text)
            button.setAccessibleName(text)
            if button.text():
                button.setText(text)
            self._level = -1
            self._fit()

    # Narrow windows: words give way to icons, the most familiar icons first

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        orders: tuple[tuple[QPushButton, ...], ...] = (
            (),
            (self.review,),
            (self.review, self.planner),
            (self.review, self.planner, self.pause, self.step),
            (self.review, self.planner, self.pause, self.step, self.take_over),
            (self.review, self.planner, self.pause, self.step, self.take_over, self.run),
        )
        everyone = orders[-1]
        for level, short in enumerate(orders):
            for button in everyone:
                words = str(button.property("words") or self.tr("Review plan first"))
                button.setText("" if button in short else words)
            self._row.invalidate()
            if self._row.sizeHint().width() <= self.width() or level == len(orders) - 1:
                self._level = level
                return
