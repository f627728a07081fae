"""A Qt program with 500 controls, spread over the pages of a tab widget. Ended from outside."""

from __future__ import annotations

import argparse
import sys

from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QLineEdit, QPushButton, QTabWidget, QWidget

CONTROLS = 480
COLUMNS = 24


def main() -> int:
    """Show the window until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1, help="on how many pages the controls are (default: 1)")
    pages = parser.parse_args().pages
    application = QApplication(sys.argv[:1])
    tabs = QTabWidget()
    tabs.setWindowTitle("Many controls")
    tabs.resize(1400, 800)
    for page in range(pages):
        tabs.addTab(_page(page, CONTROLS // pages), f"Page {page + 1}")
    tabs.show()
    return application.exec()


def _page(page: int, count: int) -> QWidget:
    holder = QWidget()
    grid = QGridLayout(holder)
    grid.setSpacing(2)
    for number in range(count):
        name = f"{page + 1}.{number + 1}"
        control: QWidget
        match number % 8:
            case 0:
                control = QLabel(f"Text {name}")
            case 1:
                control = QLineEdit(name)
            case _:
                control = QPushButton(name)
        control.setMaximumWidth(56)
        grid.addWidget(control, number // COLUMNS, number % COLUMNS)
    return holder


if __name__ == "__main__":
    sys.exit(main())
