"""Sites: which ones may be touched at all, and which never; two lists, one pattern a line."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from operative_app.core.errors import SettingsError
from operative_app.gui.dialogs.desk_dialog import DeskDialog
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import TickLine, text_button
from operative_app.gui.widgets.labels import text_label
from operative_app.presentation.ports import SiteDesk, SiteLists
from operative_app.safety.sites import SitePattern

_WIDTH_PX = 500
_LIST_PX = 96


class SitesDialog(DeskDialog):
    """Both lists at once; what is wrong in one is told with its line, and nothing is saved then."""

    def __init__(self, theme: Theme, desk: SiteDesk, parent: QWidget) -> None:
        super().__init__("sitesDialog", parent)
        self.setWindowTitle(self.tr("Sites"))
        self.told.setFixedWidth(_WIDTH_PX)
        self._desk = desk
        self._lists = SiteLists()
        self.only = TickLine(theme, "sitesOnlyBox", self.tr("Only the sites of this list may be touched"))
        self.allow = _list("sitesAllow", self.tr("Only these sites"), "shop.example\n*.bank.example")
        self.allow.setEnabled(False)
        self.only.box.toggled.connect(self.allow.setEnabled)
        self.deny = _list("sitesDeny", self.tr("Never these sites"), "ads.example\nintranet.example:8443")
        self.close_button = text_button(self.tr("Close"), "sitesCloseButton")
        self.close_button.clicked.connect(self.close)
        self.save_button = text_button(self.tr("Save"), "sitesSaveButton", look="primary")
        self.save_button.setEnabled(False)
        self.save_button.clicked.connect(self._on_save)
        self._compose()
        self.ask(desk.current, self._show)

    def _compose(self) -> None:
        words = text_label(
            self.tr(
                "One site a line: example.com, or *.example.com with all below it. The browser is held to them at "
                "every link, redirect, frame and download, from the next run on. A policy file can narrow this further."
            ),
            look="secondary",
        )
        words.setFixedWidth(_WIDTH_PX)
        never = text_label(self.tr("Never these sites, whatever is allowed"))
        never.setBuddy(self.deny)
        column = self._compose_column()
        inner = QVBoxLayout()
        inner.setContentsMargins(20, 14, 20, 12)
        inner.setSpacing(8)
        for widget in (words, self.only, self.allow, never, self.deny, self.told):
            inner.addWidget(widget)
        column.addLayout(inner)
        self._compose_foot(column, (), (self.close_button, self.save_button))

    def _show(self, lists: SiteLists) -> None:
        self._lists = lists
        self.only.box.setChecked(lists.allow is not None)
        self.allow.setPlainText("\n".join(lists.allow or ()))
        self.deny.setPlainText("\n".join(lists.deny))
        self.save_button.setEnabled(True)
        self.is_ready = True
        if lists.fault:
            more = self.tr("Saving here keeps that file under another name and begins with new settings.")
            self.tell(f"{lists.fault} {more}", look="error")

    def _on_save(self) -> None:
        faults = [*_faults(self.allow), *_faults(self.deny)] if self.only.box.isChecked() else _faults(self.deny)
        if faults:
            self.tell("\n".join(faults), look="error")
            return
        allow = tuple(_lines(self.allow)) if self.only.box.isChecked() else None
        self._lists = SiteLists(allow=allow, deny=tuple(_lines(self.deny)))
        self._begin(self.tr("Saving…"))
        lists = self._lists
        self.ask(lambda: self._desk.save(lists), self._on_saved)

    def _on_saved(self, _none: None) -> None:
        words = self.tr("Saved. It counts from the next run on.")
        is_closed = self._lists.allow == ()
        self._end(f"{words} {self.tr('The list is empty, so no site may be touched.')}" if is_closed else words)

    def _show_busy(self) -> None:
        self.save_button.setEnabled(not self.is_busy)


def _list(name: str, words: str, placeholder: str) -> QPlainTextEdit:
    edit = QPlainTextEdit()
    edit.setObjectName(name)
    edit.setAccessibleName(words)
    edit.setPlaceholderText(placeholder)
    edit.setTabChangesFocus(True)
    edit.setFixedSize(_WIDTH_PX, _LIST_PX)
    return edit


def _lines(edit: QPlainTextEdit) -> list[str]:
    return [line.strip() for line in edit.toPlainText().splitlines() if line.strip()]


def _faults(edit: QPlainTextEdit) -> list[str]:
    """What is wrong, by its line."""
    faults = []
    for number, line in enumerate(edit.toPlainText().splitlines(), start=1):
        if line.strip():
            try:
                SitePattern.read(line.strip())
            except SettingsError as error:
                faults.append(
                    edit.tr("{list}, line {number}: {why}").format(list=edit.accessibleName(), number=number, why=error)
                )
    return faults
