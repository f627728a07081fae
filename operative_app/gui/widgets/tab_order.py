"""The order in which Tab goes through a window: as its parts are laid out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QLayout, QScrollArea, QSplitter, QStackedWidget, QWidget


def set_tab_order(root: QWidget) -> None:
    """Let Tab go from left to right and from top to bottom through what is in the layouts of `root` now."""
    for before, after in pairwise(list(_stops(root))):
        QWidget.setTabOrder(before, after)


def _stops(widget: QWidget) -> Iterator[QWidget]:
    """What takes the focus by Tab, a widget before what it holds."""
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
        yield widget
    if isinstance(widget, QSplitter | QStackedWidget):
        for place in range(widget.count()):
            if (part := widget.widget(place)) is not None:
                yield from _stops(part)
    elif isinstance(widget, QScrollArea):
        if (inside := widget.widget()) is not None:
            yield from _stops(inside)
    elif not isinstance(widget, QAbstractScrollArea) and (layout := widget.layout()) is not None:
        yield from _stops_in(layout)


def _stops_in(layout: QLayout) -> Iterator[QWidget]:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if item is None:
            continue
        if (widget := item.widget()) is not None:
            yield from _stops(widget)
        elif (inside := item.layout()) is not None:
            yield from _stops_in(inside)
