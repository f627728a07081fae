"""Tells file dialogs of programs (GTK and Qt) from other windows, whatever language they speak."""

from __future__ import annotations

import re
from typing import Final

from operative_app.core.screen import Element, ElementState, Window
from operative_app.surfaces.desktop.ports import WindowTree

_PLACE: Final = re.compile(r"^(?:/|[A-Za-z]:[\\/])")


def file_chooser(window: Window | None, tree: WindowTree) -> str:
    """The key of the field that takes the file's name, or of another part of the dialog where none is shown.

    "" when the window is no file dialog. GTK says so itself; Qt's is told by what it consists of: a list of folders
    that shows an absolute path, and a field for a name.
    """
    if window is None or not tree.elements:
        return ""
    field = name_field(tree)
    if tree.asks_for_file:
        return (field or tree.elements[0]).key
    shows_folder = any(one.role == "combobox" and _PLACE.match(one.value) for one in tree.elements)
    return field.key if field is not None and window.is_dialog and shows_folder else ""


def name_field(tree: WindowTree) -> Element | None:
    """The one-line field for the name: the one with the focus, else the last one (the search field stands above)."""
    fields = [
        one
        for one in tree.elements
        if one.role == "textbox"
        and one.has(ElementState.EDITABLE)
        and not one.has(ElementState.MULTILINE)
        and not one.has(ElementState.DISABLED)
    ]
    focused = [one for one in fields if one.has(ElementState.FOCUSED)]
    found = focused or fields
    return found[-1] if found else None
