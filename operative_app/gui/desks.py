"""What outlives a run, as the menus of the toolbar offer it: the model, prices, secrets, sites, the folder of data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from operative_app.core.events import NoticeLevel
from operative_app.gui.background import Background
from operative_app.gui.dialogs.messages import AboutDialog
from operative_app.gui.dialogs.model import ModelDialog
from operative_app.gui.dialogs.secrets import SecretsDialog
from operative_app.gui.dialogs.sites import SitesDialog
from operative_app.gui.panels.toolbar import Toolbar
from operative_app.gui.theme import Theme
from operative_app.presentation.models import ModelDesk
from operative_app.presentation.ports import SecretDesk, SiteDesk


class Desks(QObject):
    """Opens their dialogs over the window. GUI thread; desks are asked on the worker.

    Args:
        show_notice: Takes a sentence for the person, a warning unless a level is given.
        models, secrets, sites, data_dir: None hides or disables what the toolbar offers of them.
    """

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        toolbar: Toolbar,
        background: Background,
        show_notice: Callable[..., None],
        *,
        models: ModelDesk | None,
        secrets: SecretDesk | None,
        sites: SiteDesk | None,
        data_dir: Path | None,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._background = background
        self._show_notice = show_notice
        for widget in (toolbar.planner, toolbar.prices):
            widget.setVisible(models is not None)
        toolbar.secrets.setVisible(secrets is not None)
        toolbar.sites.setVisible(sites is not None)
        toolbar.data_folder.setEnabled(data_dir is not None)
        toolbar.about_requested.connect(lambda: AboutDialog(window).open())
        if models is not None:
            toolbar.connect_requested.connect(lambda: self._connect_model(models))
            toolbar.builtin_chosen.connect(lambda: self._ask(models.use_builtin))
            toolbar.model_chosen.connect(lambda: self._ask(lambda: models.save(models.current())))
            toolbar.prices_requested.connect(lambda: self._ask(models.prices, self._show_prices))
        if secrets is not None:
            toolbar.secrets_requested.connect(lambda: SecretsDialog(theme, secrets, window).open())
        if sites is not None:
            toolbar.sites_requested.connect(lambda: SitesDialog(theme, sites, window).open())
        if data_dir is not None:
            toolbar.data_folder_requested.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(data_dir))))

    def _ask(self, work: Callable[[], object], then: Callable[..., None] = lambda _result: None) -> None:
        self._background.call(work, then, self._show_notice)

    def _connect_model(self, models: ModelDesk) -> None:
        dialog = ModelDialog(self._theme, models, self._window)
        dialog.prices_ready.connect(self._show_prices)
        dialog.open()

    def _show_prices(self, path: str) -> None:
        """Open the person's own price file in the program they edit texts with; where it is, is said in any case."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(path))
        words = self.tr("Your prices are in {path}. What you change there counts from the next run on.")
        self._show_notice(words.format(path=path), NoticeLevel.INFO)
