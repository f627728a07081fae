"""A Qt program with one of each kind of control, for tests that look at programs. Ended from outside."""

from __future__ import annotations

import sys

from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGroupBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSlider,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

ROWS = 400


def main() -> int:
    """Show the window until the process is ended."""
    application = QApplication(sys.argv)
    window = QMainWindow()
    window.setWindowTitle("Controls")
    window.menuBar().addMenu("&File").addAction("&Export…")
    tabs = QTabWidget()
    tabs.addTab(_form(), "Form")
    tabs.addTab(_table(), "Table")
    tabs.addTab(_long(), "Long")
    window.setCentralWidget(tabs)
    window.statusBar().showMessage("Ready.")
    if len(sys.argv) > 1:
        tabs.setCurrentIndex(int(sys.argv[1]))
    window.resize(640, 620)
    window.show()
    return application.exec()


def _form() -> QWidget:
    page = QWidget()
    form = QFormLayout(page)
    name = QLineEdit("Ada Lovelace")
    form.addRow("Full &name:", name)
    secret = QLineEdit("correct horse")
    secret.setEchoMode(QLineEdit.EchoMode.Password)
    form.addRow("Password:", secret)
    fixed = QLineEdit("A-17")
    fixed.setReadOnly(True)
    form.addRow("Order:", fixed)
    city = QComboBox()
    city.addItems(["London", "Paris", "Rome"])
    city.setCurrentIndex(1)
    form.addRow("City:", city)
    count = QSpinBox()
    count.setRange(0, 99)
    count.setValue(7)
    form.addRow("Guests:", count)
    volume = QSlider()
    volume.setOrientation(volume.orientation().Horizontal)
    volume.setValue(30)
    form.addRow("Volume:", volume)
    box = QGroupBox("Shipping")
    inside = QVBoxLayout(box)
    fast, slow = QRadioButton("Express"), QRadioButton("Standard")
    fast.setChecked(True)
    inside.addWidget(fast)
    inside.addWidget(slow)
    form.addRow(box)
    agree = QCheckBox("I agree")
    agree.setChecked(True)
    form.addRow(agree)
    bar = QProgressBar()
    bar.setValue(40)
    form.addRow(bar)
    icon = QToolButton()
    icon.setToolTip("Refresh the list")
    form.addRow(icon)
    save = QPushButton("Save")
    save.setEnabled(False)
    form.addRow(save)
    notes = QPlainTextEdit("first line\nsecond line")
    form.addRow("Notes:", notes)
    return page


def _table() -> QWidget:
    table = QTableWidget(ROWS, 3)
    table.setHorizontalHeaderLabels(["Item", "Price", "Stock"])
    for row in range(ROWS):
        for column, text in enumerate((f"Item {row}", f"{row}.50", str(row % 9))):
            table.setItem(row, column, QTableWidgetItem(text))
    return table


def _long() -> QWidget:
    inner = QWidget()
    column = QVBoxLayout(inner)
    for number in range(60):
        column.addWidget(QPushButton(f"Choice {number}"))
    area = QScrollArea()
    area.setWidget(inner)
    names = QListWidget()
    names.addItems([f"Person {number}" for number in range(1000)])
    page = QWidget()
    both = QVBoxLayout(page)
    both.addWidget(QLabel("Choose one"))
    both.addWidget(area)
    both.addWidget(names)
    return page


if __name__ == "__main__":
    sys.exit(main())
