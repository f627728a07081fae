"""A Qt program that tells what was done to it, for tests of every action.

SIGUSR1 makes all of it new, and a line is written when that is done.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

from PySide6.QtCore import QEvent, QMimeData, QStringListModel, Qt, QTimer
from PySide6.QtGui import QDrag, QDragEnterEvent, QDropEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QFormLayout,
    QGridLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

FRUIT = ["Apple", "Apricot", "Banana", "Cherry", "Grape", "Lemon", "Melon", "Pear", "Quince"]
FRUIT += [f"Crate {number}" for number in range(1, 81)]
LINES = "\n".join(f"line {number} of the notes" for number in range(1, 121))
LATER_MS = 400


class Told(QLabel):
    """Shows the last thing that was done."""

    def tell(self, words: str) -> None:
        self.setText(f"told: {words}")


class Pad(QPushButton):
    """Tells each mouse event; can be dragged."""

    def __init__(self, name: str, told: Told) -> None:
        super().__init__(name)
        self._told = told
        self._start: QMouseEvent | None = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._told.tell(f"{event.button().name} pressed")
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if "twice" not in self._told.text():
            self._told.tell(f"{event.button().name} clicked")
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._told.tell(f"{event.button().name} twice")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and not self.rect().contains(event.position().toPoint()):
            drag, content = QDrag(self), QMimeData()
            content.setText(self.text())
            drag.setMimeData(content)
            drag.exec(Qt.DropAction.CopyAction)

    def enterEvent(self, event: QEvent) -> None:
        self._told.tell(f"over {self.text()}")


class Basket(QPushButton):
    """Takes what is dropped on it."""

    def __init__(self, told: Told) -> None:
        super().__init__("Basket")
        self._told = told
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self._told.tell(f"{event.mimeData().text()} dropped")
        event.acceptProposedAction()


class Stubborn(QLineEdit):
    """Throws away whatever it is given."""

    def __init__(self) -> None:
        super().__init__("mine")
        self.textChanged.connect(lambda: self.setText("mine"))


class Bench(QWidget):
    """Everything, in one page."""

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        self.told = Told("told: nothing")
        grid.addWidget(self.told, 0, 0, 1, 3)
        off = QPushButton("Off")
        off.setEnabled(False)
        later = QPushButton("Later")
        later.setEnabled(False)
        start = QPushButton("Start")
        start.clicked.connect(lambda: QTimer.singleShot(LATER_MS, lambda: later.setEnabled(True)))
        file = QPushButton("Choose a file")
        file.clicked.connect(self._choose_file)
        buttons = [Pad("Pad", self.told), Basket(self.told), QPushButton("Idle"), off, start, later, file]
        for place, button in enumerate(buttons):
            grid.addWidget(button, 1 + place // 3, place % 3)
        form = QFormLayout()
        fixed, empty = QLineEdit("cannot be changed"), QLineEdit()
        fixed.setReadOnly(True)
        for label, field in (("Name", QLineEdit()), ("City", QLineEdit()), ("Fixed", fixed), ("Stubborn", Stubborn())):
            form.addRow(label, field)
        form.addRow("Empty", empty)
        grid.addLayout(form, 4, 0, 1, 3)
        notes = QPlainTextEdit(LINES)
        notes.setAccessibleName("Notes")
        grid.addWidget(notes, 5, 0, 1, 2)
        found = QVBoxLayout()
        model = QStringListModel(FRUIT)
        search, results = QLineEdit(), QListView()
        search.setAccessibleName("Search")
        results.setAccessibleName("Results")
        results.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        results.setModel(model)
        search.textChanged.connect(
            lambda text: model.setStringList([one for one in FRUIT if text.casefold() in one.casefold()])
        )
        results.clicked.connect(lambda index: self.told.tell(f"chose {index.data()}"))
        found.addWidget(search)
        found.addWidget(results)
        grid.addLayout(found, 5, 2)

    def on_file(self, path: str) -> None:
        self.told.tell(f"file {path}")

    def _choose_file(self) -> None:
        dialog = QFileDialog(self.window(), "Choose")
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.on_file)
        dialog.open()


class Window(QMainWindow):
    """Made anew on SIGUSR1; tells keys that no control takes."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Workbench")
        self.renew()

    def renew(self) -> None:
        for dialog in self.findChildren(QFileDialog):
            dialog.reject()
            dialog.deleteLater()
        self.setCentralWidget(Bench())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bench = self.centralWidget()
        if isinstance(bench, Bench) and event.key() in {Qt.Key.Key_F2, Qt.Key.Key_Shift}:
            bench.told.tell(f"{Qt.Key(event.key()).name} pressed")


def main() -> int:
    """Show the window until the process is ended."""
    application = QApplication(sys.argv)
    window = Window()
    window.resize(760, 640)
    window.show()
    asked: list[int] = []

    def on_signal(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    def look() -> None:
        if asked:
            asked.clear()
            window.renew()
            sys.stdout.write("new\n")
            sys.stdout.flush()

    signal.signal(signal.SIGUSR1, on_signal)
    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(20)
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
