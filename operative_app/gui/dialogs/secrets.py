"""Saved secrets: their names, where each may be used, and new values; a value once saved is never shown again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from operative_app.core.endpoint import KeySource
from operative_app.gui.dialogs.desk_dialog import DeskDialog, field_grid, field_line
from operative_app.gui.dialogs.kept_value import KeptValue
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import text_button
from operative_app.gui.widgets.labels import hairline, text_label
from operative_app.presentation.ports import SecretDesk
from operative_app.safety.secret_rules import words_of_places
from operative_app.store.secret_book import SecretEntry

_WIDTH_PX = 540
_FIELD_PX = 456
_LIST_PX = 132


class SecretsDialog(DeskDialog):
    """The list of saved secrets above the fields of the chosen one, or of a new one."""

    def __init__(self, theme: Theme, desk: SecretDesk, parent: QWidget) -> None:
        super().__init__("secretsDialog", parent)
        self.setWindowTitle(self.tr("Saved secrets"))
        self._desk = desk
        self._entries: Sequence[SecretEntry] = ()
        self._make_list()
        self._make_fields(theme)
        self._make_buttons()
        self._compose()
        self.kept.show()
        self.ask(self._desk.entries, lambda entries: self._show_entries(entries, ""))

    # Composing

    def _make_list(self) -> None:
        self.empty = text_label(
            self.tr(
                "No secret is saved yet. A saved password is filled in on its own site or in its own program only. "
                "Planners, records and pictures never hold it. "
                "In a goal, name it: sign in as Ada with the secret “shop”."
            ),
            look="secondary",
            name="secretsEmpty",
        )
        self.empty.setFixedWidth(_WIDTH_PX)
        self.empty.hide()
        self.list = QListWidget()
        self.list.setObjectName("secretsList")
        self.list.setAccessibleName(self.tr("Saved secrets"))
        self.list.setFixedSize(_WIDTH_PX, _LIST_PX)
        self.list.hide()
        self.list.currentItemChanged.connect(lambda _now, _before: self._show_chosen())

    def _make_fields(self, theme: Theme) -> None:
        self.name = field_line("secretName", self.tr("shop password"))
        self.sites = field_line("secretSites", "shop.example, *.bank.example")
        self.apps = field_line("secretApps", self.tr("names of programs, such as keepassxc"))
        self.value = field_line("secretValue", self.tr("Value"))
        self.variable = field_line("secretVariable", "SHOP_PASSWORD")
        self.kept = KeptValue(
            self,
            theme,
            source=("secretSource", self.tr("Where the value is kept")),
            sources=(KeySource.KEYRING, KeySource.SESSION, KeySource.ENVIRONMENT),
            value=self.value,
            variable=self.variable,
            trouble=lambda: str(self._desk.trouble() or ""),
            on_changed=self._name_value,
        )
        self.source = self.kept.box

    def _make_buttons(self) -> None:
        self.new_button = text_button(self.tr("New"), "secretsNewButton")
        self.new_button.clicked.connect(self._on_new)
        self.remove_button = text_button(self.tr("Remove"), "secretsRemoveButton")
        for button in (self.new_button, self.remove_button):
            button.setEnabled(False)
        self.remove_button.clicked.connect(self._on_remove)
        self.close_button = text_button(self.tr("Close"), "secretsCloseButton")
        self.close_button.clicked.connect(self.close)
        self.save_button = text_button(self.tr("Save"), "secretsSaveButton", look="primary")
        self.save_button.clicked.connect(self._on_save)

    def _compose(self) -> None:
        column = self._compose_column()
        top = QVBoxLayout()
        top.setContentsMargins(20, 14, 20, 12)
        top.addWidget(self.empty)
        top.addWidget(self.list)
        column.addLayout(top)
        column.addWidget(hairline())
        grid = field_grid(bottom_px=12)
        grid.setColumnMinimumWidth(1, _FIELD_PX)
        for words, field in (
            (self.tr("Name"), self.name),
            (self.tr("Sites"), self.sites),
            (self.tr("Programs"), self.apps),
            (self.tr("Kept"), self.source),
            (self.tr("Value"), self.value),
        ):
            row = grid.rowCount()
            label = text_label(words, look="secondary", wrap=False)
            label.setBuddy(field)
            field.setAccessibleName(words)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
            if field is self.value:
                self._value_label = label
                self.variable.setAccessibleName(self.tr("Environment variable"))
                grid.addWidget(self.variable, row, 1)
        grid.addWidget(self.told, grid.rowCount(), 0, 1, 2)
        column.addLayout(grid)
        self._compose_foot(column, (self.new_button, self.remove_button), (self.close_button, self.save_button))

    # The list

    def _show_entries(self, entries: Sequence[SecretEntry], chosen: str) -> None:
        self._entries = entries
        self.list.blockSignals(True)
        self.list.clear()
        for entry in entries:
            places = self.tr("for {places}").format(places=words_of_places(entry.saved))
            item = QListWidgetItem(f"{entry.name}\n{places}")
            self.list.addItem(item)
            if entry.name == chosen:
                self.list.setCurrentItem(item)
        self.list.blockSignals(False)
        self.list.setVisible(bool(entries))
        self.empty.setVisible(not entries)
        self._show_chosen()
        self.is_ready = True

    @property
    def _chosen(self) -> SecretEntry | None:
        row = self.list.currentRow()
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def _show_chosen(self) -> None:
        """The chosen secret in the fields, or empty fields for a new one; never a value."""
        entry = self._chosen
        self.name.setText(entry.name if entry is not None else "")
        self.name.setReadOnly(entry is not None)
        self.sites.setText(", ".join(entry.sites) if entry is not None else "")
        self.apps.setText(", ".join(entry.apps) if entry is not None else "")
        self.variable.setText(entry.variable if entry is not None else "")
        self.kept.choose(entry.source if entry is not None else KeySource.KEYRING)
        self.value.clear()
        kept = entry is not None and entry.source is not KeySource.ENVIRONMENT
        self.value.setPlaceholderText(self.tr("Kept. Type a new one to replace it.") if kept else self.tr("Value"))
        self.remove_button.setEnabled(entry is not None and not self.is_busy)
        self.new_button.setEnabled(entry is not None and not self.is_busy)
        self.tell("")
        self.kept.show()

    def _name_value(self) -> None:
        is_variable = self.kept.source is KeySource.ENVIRONMENT
        self._value_label.setText(self.tr("Variable") if is_variable else self.tr("Value"))

    # What the person asks for

    def _on_new(self) -> None:
        self.list.setCurrentRow(-1)
        self.name.setFocus()

    def _on_remove(self) -> None:
        if (entry := self._chosen) is not None:
            self._begin(self.tr("Removing…"))
            words = self.tr("“{name}” is removed.").format(name=entry.name)
            self.ask(lambda: self._desk.remove(entry.name), lambda _none: self._on_kept("", words))

    def _on_save(self) -> None:
        if self.is_busy:
            return
        entry = SecretEntry(
            name=self.name.text(),
            sites=_parts(self.sites.text()),
            apps=_parts(self.apps.text()),
            source=self.kept.source,
            variable=self.variable.text() if self.kept.source is KeySource.ENVIRONMENT else "",
        )
        value = self.value.text() if self.value.isVisible() and self.value.text() else None
        self._begin(self.tr("Saving…"))
        self.ask(lambda: self._desk.save(entry, value), self._on_saved)

    def _on_saved(self, entry: SecretEntry) -> None:
        self._on_kept(entry.name, self.tr("“{name}” is saved.").format(name=entry.name))

    def _on_kept(self, chosen: str, words: str) -> None:
        self._end("")
        self.value.clear()

        def shown(entries: Sequence[SecretEntry]) -> None:
            self._show_entries(entries, chosen)
            self.tell(words)

        self.ask(self._desk.entries, shown)

    def _show_busy(self) -> None:
        self.save_button.setEnabled(not self.is_busy)
        for button in (self.new_button, self.remove_button):
            button.setEnabled(not self.is_busy and self._chosen is not None)

    def done(self, result: int) -> None:
        self.value.clear()
        super().done(result)


def _parts(text: str) -> tuple[str, ...]:
    """What is written in a field, one for each comma, semicolon or blank."""
    return tuple(part for part in re.split(r"[,;\s]+", text) if part)
