"""The look of the window: palette, style sheet and tinted icons made from the tokens."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from operative_app.core.resources import resource_path
from operative_app.gui.style_sheet import style_sheet
from operative_app.gui.tokens import DARK, LIGHT, SMALL_PX, TEXT_PX, ThemeName, Tokens

_ICON_SIZES_PX = (16, 32)


class Theme(QObject):
    """The theme in use.

    Signals:
        changed: The tokens are others now; what paints by hand repaints.
    """

    changed = Signal()

    def __init__(self, name: ThemeName = ThemeName.SYSTEM, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.tokens = self._wanted()
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_scheme_changed)

    def choose(self, name: ThemeName) -> None:
        """Use this theme from now on."""
        self.name = name
        self.apply()

    def apply(self) -> None:
        """Give palette, style sheet and fonts to the application unless it has them, and tell `changed`."""
        self.tokens = self._wanted()
        application = QApplication.instance()
        sheet = style_sheet(self.tokens)
        if isinstance(application, QApplication) and application.styleSheet() != sheet:
            application.setPalette(palette(self.tokens))
            application.setStyleSheet(sheet)
        self.changed.emit()

    def icon(self, name: str, color: str = "") -> QIcon:
        """One of the set, in a token's colour (default: ink)."""
        return tinted_icon(name, color or self.tokens.ink, self.tokens.faint)

    def set_icon(self, button: QAbstractButton, name: str, role: str = "ink") -> None:
        """Give a button an icon that follows the theme. `role` names a token."""
        if button.property("iconName") == name and button.property("iconRole") == role and not button.icon().isNull():
            return
        button.setProperty("iconName", name)
        button.setProperty("iconRole", role)
        button.setIcon(self.icon(name, getattr(self.tokens, role)))

    def tint_icons(self, root: QWidget) -> None:
        """Tint the icons of all buttons below a widget anew."""
        for button in root.findChildren(QAbstractButton):
            name = button.property("iconName")
            if isinstance(name, str):
                button.setIcon(self.icon(name, getattr(self.tokens, str(button.property("iconRole")))))

    def _wanted(self) -> Tokens:
        if self.name is ThemeName.SYSTEM:
            is_dark = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
            return DARK if is_dark else LIGHT
        return DARK if self.name is ThemeName.DARK else LIGHT

    def _on_scheme_changed(self) -> None:
        if self.name is ThemeName.SYSTEM and self._wanted() is not self.tokens:
            self.apply()


@lru_cache(maxsize=64)
def _svg(name: str) -> str:
    return resource_path("icons", f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=512)
def tinted_pixmap(name: str, color: str, side_px: int) -> QPixmap:
    """An icon of the set as a picture; `side_px` counts device pixels."""
    renderer = QSvgRenderer(QByteArray(_svg(name).replace("currentColor", color).encode()))
    pixmap = QPixmap(side_px, side_px)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, side_px, side_px))
    painter.end()
    return pixmap


def tinted_icon(name: str, color: str, disabled_color: str) -> QIcon:
    icon = QIcon()
    for side_px in _ICON_SIZES_PX:
        icon.addPixmap(tinted_pixmap(name, color, side_px), QIcon.Mode.Normal)
        icon.addPixmap(tinted_pixmap(name, disabled_color, side_px), QIcon.Mode.Disabled)
    return icon


def paint_icon(painter: QPainter, name: str, color: str, rect: QRectF) -> None:
    """Paint an icon by hand at the painter's resolution."""
    ratio = painter.device().devicePixelRatioF()
    pixmap = tinted_pixmap(name, color, max(1, round(rect.width() * ratio)))
    painter.drawPixmap(rect, pixmap, QRectF(pixmap.rect()))


def text_font(*, small: bool = False, bold: bool = False, tabular: bool = False) -> QFont:
    """The application's font at one of its two sizes; `tabular` gives all digits one width."""
    font = QFont(QApplication.font())
    font.setPixelSize(SMALL_PX if small else TEXT_PX)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    if tabular:
        font.setFeature(QFont.Tag("tnum"), 1)
    return font


def code_font() -> QFont:
    """The system's font whose characters are all of one width, at the small size."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(SMALL_PX)
    return font


def palette(tokens: Tokens) -> QPalette:
    """The Qt palette of a theme, also for what the style sheet does not reach (native parts, new dialogs)."""
    made = QPalette()
    role = QPalette.ColorRole
    for name, color in (
        (role.Window, tokens.panel),
        (role.WindowText, tokens.ink),
        (role.Base, tokens.panel),
        (role.AlternateBase, tokens.ground),
        (role.Text, tokens.ink),
        (role.PlaceholderText, tokens.secondary),
        (role.Button, tokens.raised),
        (role.ButtonText, tokens.ink),
        (role.BrightText, tokens.on_accent),
        (role.ToolTipBase, tokens.raised),
        (role.ToolTipText, tokens.ink),
        (role.Highlight, tokens.accent),
        (role.HighlightedText, tokens.on_accent),
        (role.Link, tokens.accent_ink),
        (role.LinkVisited, tokens.accent_ink),
        (role.Light, tokens.raised),
        (role.Midlight, tokens.hover),
        (role.Mid, tokens.line),
        (role.Dark, tokens.line),
        (role.Shadow, tokens.ground),
        (role.Accent, tokens.accent),
    ):
        made.setColor(name, QColor(color))
    for name in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, name, QColor(tokens.faint))
    return made
