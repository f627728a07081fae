"""The one style sheet, made from tokens. Rules go by widget type and by the property `look`."""

from __future__ import annotations

from dataclasses import asdict
from string import Template

from operative_app.gui.tokens import CARD_CORNER_PX, CORNER_PX, SMALL_PX, TEXT_PX, Tokens

_SHEET = Template("""
* { font-size: ${text_px}px; }
QMainWindow, QDialog { background: $panel; color: $ink; }
QWidget[look="bar"] { background: $panel; }
QWidget[look="ground"] { background: $ground; }
QFrame[look="hairline"] { background: $line; border: none; }
QToolTip { background: $raised; color: $ink; border: 1px solid $line; padding: 4px 6px; }

QLabel { background: transparent; color: $ink; }
QLabel[look="secondary"], QLabel[look="empty"] { color: $secondary; font-size: ${small_px}px; }
QLabel[look="title"] { font-weight: 600; color: $secondary; font-size: ${small_px}px; }
QLabel[look="heading"] { font-weight: 600; }
QLabel[look="big"] { font-weight: 600; font-size: 16px; }
QLabel[look="found"] { color: $ok; font-size: ${small_px}px; }
QLabel[look="urgent"] { color: $warning; font-size: ${small_px}px; font-weight: 600; }
QLabel[look="error"] { color: $error; font-size: ${small_px}px; }
QLabel[look="chip"], QLabel[look="chip-ok"], QLabel[look="chip-warning"], QLabel[look="chip-error"],
QLabel[look="chip-accent"] {
    border-radius: 9px; padding: 2px 8px; font-size: 11px; font-weight: 600; min-height: 14px; max-height: 14px; }
QLabel[look="chip"] { background: $neutral_soft; color: $secondary; }
QLabel[look="chip-ok"] { background: $ok_soft; color: $ok; }
QLabel[look="chip-warning"] { background: $warning_soft; color: $warning; }
QLabel[look="chip-error"] { background: $error_soft; color: $error; }
QLabel[look="chip-accent"] { background: $accent_soft; color: $accent_ink; }
QLabel[look="key"] { border: 1px solid $line; border-radius: 4px; padding: 0 5px; color: $secondary; font-size: 11px; }
QWidget[look="control"] { background: $warning_soft; }
QLabel[look="control"] { color: $warning; font-weight: 600; }
QLabel[look="control-detail"] { color: $ink; font-size: ${small_px}px; }
QLabel[look="banner"] { background: $accent_soft; color: $accent_ink; padding: 0 4px; font-size: ${small_px}px; }

QPushButton { background: $raised; color: $ink; border: 1px solid $line; border-radius: ${corner_px}px; padding: 0 11px;
    min-height: 30px; }
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $accent_soft; }
QPushButton:focus { border: 1px solid $accent; }
QPushButton:disabled { color: $faint; background: $panel; }
QPushButton:checked { background: $accent_soft; color: $accent_ink; border-color: $accent_soft; }
QPushButton:checked:focus { border-color: $accent; }
QPushButton[look="primary"] { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[look="primary"]:hover { background: $accent_hover; border-color: $accent_hover; }
QPushButton[look="primary"]:focus { border: 2px solid $ink; padding: 0 10px; min-height: 28px; }
QPushButton[look="primary"]:disabled { background: $neutral_soft; color: $faint; border-color: $neutral_soft; }
QPushButton[look="danger"] { color: $error; border-color: $error; }
QPushButton[look="danger"]:hover { background: $error_soft; }
QPushButton[look="danger"]:focus { border: 2px solid $error; padding: 0 10px; min-height: 28px; }
QPushButton[look="danger"]:disabled { color: $faint; border-color: $line; background: $panel; }
QPushButton[size="small"] { min-height: 26px; padding: 0 9px; }
QPushButton[look="primary"][size="small"]:focus { min-height: 24px; padding: 0 8px; }
QPushButton[look="danger"][size="small"]:focus { min-height: 24px; padding: 0 8px; }
QPushButton[look="link"] { background: transparent; border: 1px solid transparent; color: $secondary; padding: 0 2px;
    min-height: 22px; font-size: ${small_px}px; text-align: left; }
QPushButton[look="link"]:hover { color: $accent_ink; }
QPushButton[look="link"]:focus { border-color: $accent; }
QPushButton[look="link"]:disabled { color: $faint; }
QPushButton[look="link"]:checked { color: $accent_ink; background: transparent; }
QPushButton[look="example"] { text-align: left; padding: 0 12px; min-height: 38px; border-radius: ${card_px}px; }
QPushButton[segment="first"], QPushButton[segment="middle"], QPushButton[segment="last"] { color: $secondary; }
QPushButton[segment="first"] { border-top-right-radius: 0; border-bottom-right-radius: 0; }
QPushButton[segment="middle"] { border-radius: 0; border-left: none; }
QPushButton[segment="last"] { border-top-left-radius: 0; border-bottom-left-radius: 0; border-left: none; }
QPushButton[segment="first"]:checked, QPushButton[segment="middle"]:checked, QPushButton[segment="last"]:checked {
    background: $accent_soft; color: $accent_ink; border-color: $line; }
QPushButton[segment="first"]:focus, QPushButton[segment="middle"]:focus, QPushButton[segment="last"]:focus {
    border: 1px solid $accent; }
QPushButton[segment="first"]:disabled, QPushButton[segment="middle"]:disabled, QPushButton[segment="last"]:disabled {
    color: $faint; }
QPushButton::menu-indicator { width: 0; image: none; }

QToolButton { background: transparent; border: 1px solid transparent; border-radius: ${corner_px}px; padding: 3px; }
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $accent_soft; }
QToolButton:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QPlainTextEdit, QTextBrowser { background: $field; color: $ink; placeholder-text-color: $secondary;
    border: 1px solid $line;
    border-radius: ${corner_px}px; selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit { padding: 0 8px; min-height: 26px; }
QLineEdit:focus, QPlainTextEdit:focus { border-color: $accent; }
QLineEdit:read-only { color: $secondary; }
QLineEdit[look="address"] { background: $field; border-radius: 14px; padding: 0 12px; }
QPlainTextEdit[look="bare"] { background: transparent; border: none; padding: 0; }
QPlainTextEdit[look="code"] { padding: 2px; font-size: ${small_px}px; }
QTextBrowser[look="bare"] { background: transparent; border: none; }
QFrame[look="editor"] { background: $field; border: 1px solid $line; border-radius: ${card_px}px; }
QFrame[look="editor"][focused="true"] { border-color: $accent; }
QFrame[look="card"] { background: $raised; border: 1px solid $line; border-radius: ${card_px}px; }
QFrame[look="notice-warning"] { background: $warning_soft; border: none; border-radius: ${corner_px}px; }
QFrame[look="notice-error"] { background: $error_soft; border: none; border-radius: ${corner_px}px; }
QFrame[look="banner"] { background: $accent_soft; border: none; }
QFrame[look="review"] { background: $warning_soft; border: none; }
QFrame[look="picture"] { background: $ground; border: 1px solid $line; border-radius: ${card_px}px; }

QCheckBox { color: $ink; spacing: 7px; padding: 2px 3px; border: 1px solid transparent; border-radius: ${corner_px}px; }
QCheckBox:focus { border-color: $accent; }
QCheckBox::indicator { width: 15px; height: 15px; border: 1px solid $secondary; border-radius: 4px;
    background: $field; }
QCheckBox::indicator:hover { border-color: $accent; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; }

QComboBox { background: $raised; border: 1px solid $line; border-radius: ${corner_px}px; padding: 0 8px;
    min-height: 26px; }
QComboBox[look="link"] { background: transparent; border-color: transparent; color: $secondary;
    font-size: ${small_px}px; min-height: 22px; padding: 0 4px; }
QComboBox:focus { border-color: $accent; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: none; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $line; selection-background-color: $accent_soft;
    selection-color: $ink; outline: none; }

QMenu { background: $raised; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; color: $ink; }
QMenu::item:selected { background: $accent_soft; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $line; margin: 4px 6px; }
QMenu::indicator { left: 6px; }

QTableView, QTreeView, QListView { background: $panel; border: none; color: $ink; outline: none;
    selection-background-color: $accent_soft; selection-color: $ink; gridline-color: $line; }
QTableView::item { border-bottom: 1px solid $line; padding: 0 8px; }
QTableView::item:selected { background: $accent_soft; color: $ink; }
QTreeView::item { border: none; }
QTreeView QLineEdit { min-height: 20px; background: $panel; border-color: $accent; padding: 0 4px; }
QListWidget[look="entries"] { padding: 6px 0; }
QListWidget[look="entries"]::item { padding: 7px 12px; border: none; }
QListWidget[look="entries"]::item:selected { background: $accent_soft; color: $ink; }
QHeaderView { background: $panel; border: none; }
QHeaderView::section { background: $panel; color: $secondary; border: none; border-bottom: 1px solid $line;
    padding: 0 8px 0 11px; font-size: ${small_px}px; }
QTableCornerButton::section { background: $panel; border: none; }

QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget[look="page"] { background: transparent; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $track; border-radius: 3px; }
QScrollBar::handle:vertical { min-height: 28px; margin: 2px; }
QScrollBar::handle:horizontal { min-width: 28px; margin: 2px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }

QSplitter::handle { background: $line; }
QSplitter[look="gap"]::handle { background: transparent; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QSplitter::handle:hover { background: $accent; }

QSlider { min-height: 22px; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: $track; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $accent; width: 10px; height: 10px; margin: -4px 0; border-radius: 6px;
    border: 1px solid $panel; }
QSlider::handle:horizontal:focus { border: 2px solid $ink; }
QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled { background: $track; }
""")


def style_sheet(tokens: Tokens) -> str:
    """The style sheet of a theme."""
    return _SHEET.substitute(
        asdict(tokens),
        text_px=TEXT_PX,
        small_px=SMALL_PX,
        corner_px=CORNER_PX,
        card_px=CARD_CORNER_PX,
    )
