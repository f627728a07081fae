"""The QApplication: names, style, fonts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from operative_app import __version__
from operative_app.gui.theme import tinted_icon
from operative_app.gui.tokens import LIGHT, TEXT_PX


def create_qapplication(argv: Sequence[str]) -> QApplication:
    """Make the one QApplication, or give back the one there is. Colours come with the window's theme.

    On a machine without a display Qt ends the process: ask for one (or set QT_QPA_PLATFORM=offscreen) first.
    """
    present = QApplication.instance()
    if isinstance(present, QApplication):
        return _prepared(present)
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    QCoreApplication.setApplicationName("operative")
    QCoreApplication.setApplicationVersion(__version__)
    QGuiApplication.setApplicationDisplayName("Operative")
    QGuiApplication.setDesktopFileName("operative")
    return _prepared(QApplication(list(argv) or ["operative"]))


def _prepared(application: QApplication) -> QApplication:
    application.setStyle("Fusion")
    font = application.font()
    font.setPixelSize(TEXT_PX)
    application.setFont(font)
    application.setWindowIcon(tinted_icon("planner", LIGHT.accent, LIGHT.faint))
    return application
