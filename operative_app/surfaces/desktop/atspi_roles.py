"""Names for the numbers of AT-SPI, and what they are called here (the same role names as in a browser).

The numbers are those of `atspi-constants.h` (at-spi2-core); they are part of its protocol and do not change.
"""

from __future__ import annotations

from enum import IntEnum


class Role(IntEnum):
    """What an accessible object is. Only those that are told apart here."""

    INVALID = 0
    ALERT = 2
    CALENDAR = 5
    CANVAS = 6
    CHECK_BOX = 7
    CHECK_MENU_ITEM = 8
    COLUMN_HEADER = 10
    COMBO_BOX = 11
    DATE_EDITOR = 12
    DESKTOP_ICON = 13
    DIAL = 15
    DIALOG = 16
    DRAWING_AREA = 18
    FILE_CHOOSER = 19
    FILLER = 20
    FRAME = 23
    ICON = 26
    IMAGE = 27
    INTERNAL_FRAME = 28
    LABEL = 29
    LAYERED_PANE = 30
    LIST = 31
    LIST_ITEM = 32
    MENU = 33
    MENU_BAR = 34
    MENU_ITEM = 35
    PAGE_TAB = 37
    PAGE_TAB_LIST = 38
    PANEL = 39
    PASSWORD_TEXT = 40
    POPUP_MENU = 41
    PROGRESS_BAR = 42
    PUSH_BUTTON = 43
    RADIO_BUTTON = 44
    RADIO_MENU_ITEM = 45
    ROW_HEADER = 47
    SCROLL_BAR = 48
    SCROLL_PANE = 49
    SEPARATOR = 50
    SLIDER = 51
    SPIN_BUTTON = 52
    SPLIT_PANE = 53
    STATUS_BAR = 54
    TABLE = 55
    TABLE_CELL = 56
    TABLE_COLUMN_HEADER = 57
    TABLE_ROW_HEADER = 58
    TEAROFF_MENU_ITEM = 59
    TERMINAL = 60
    TEXT = 61
    TOGGLE_BUTTON = 62
    TOOL_BAR = 63
    TOOL_TIP = 64
    TREE = 65
    TREE_TABLE = 66
    UNKNOWN = 67
    VIEWPORT = 68
    WINDOW = 69
    PARAGRAPH = 73
    APPLICATION = 75
    EDITBAR = 77
    ENTRY = 79
    CAPTION = 81
    DOCUMENT_FRAME = 82
    HEADING = 83
    PAGE = 84
    SECTION = 85
    FORM = 87
    LINK = 88
    TABLE_ROW = 90
    TREE_ITEM = 91
    DOCUMENT_SPREADSHEET = 92
    DOCUMENT_PRESENTATION = 93
    DOCUMENT_TEXT = 94
    DOCUMENT_WEB = 95
    LIST_BOX = 98
    GROUPING = 99
    NOTIFICATION = 101
    INFO_BAR = 102
    LEVEL_BAR = 103
    TITLE_BAR = 104
    LANDMARK = 110
    STATIC = 116
    PUSH_BUTTON_MENU = 129
    SWITCH = 130


class State(IntEnum):
    """Numbers of the bits of a state set."""

    ACTIVE = 1
    BUSY = 3
    CHECKED = 4
    COLLAPSED = 5
    DEFUNCT = 6
    EDITABLE = 7
    ENABLED = 8
    EXPANDABLE = 9
    EXPANDED = 10
    FOCUSABLE = 11
    FOCUSED = 12
    ICONIFIED = 15
    MODAL = 16
    MULTI_LINE = 17
    MULTISELECTABLE = 18
    PRESSED = 20
    SELECTABLE = 22
    SELECTED = 23
    SENSITIVE = 24
    SHOWING = 25
    VISIBLE = 30
    MANAGES_DESCENDANTS = 31
    INDETERMINATE = 32
    REQUIRED = 33
    INVALID_ENTRY = 36
    CHECKABLE = 41
    HAS_POPUP = 42
    READ_ONLY = 43


LABELLED_BY = 2
"""Number of the relation from a control to its label."""

CONTROLS: dict[int, str] = {
    Role.CALENDAR: "grid",
    Role.CHECK_BOX: "checkbox",
    Role.CHECK_MENU_ITEM: "menuitemcheckbox",
    Role.COLUMN_HEADER: "columnheader",
    Role.COMBO_BOX: "combobox",
    Role.DATE_EDITOR: "textbox",
    Role.DESKTOP_ICON: "icon",
    Role.DIAL: "slider",
    Role.EDITBAR: "textbox",
    Role.ENTRY: "textbox",
    Role.ICON: "icon",
    Role.LINK: "link",
    Role.LIST_ITEM: "listitem",
    Role.MENU: "menuitem",
    Role.MENU_ITEM: "menuitem",
    Role.PAGE_TAB: "tab",
    Role.PASSWORD_TEXT: "textbox",
    Role.PUSH_BUTTON: "button",
    Role.PUSH_BUTTON_MENU: "button",
    Role.RADIO_BUTTON: "radio",
    Role.RADIO_MENU_ITEM: "menuitemradio",
    Role.ROW_HEADER: "rowheader",
    Role.SLIDER: "slider",
    Role.SPIN_BUTTON: "spinbutton",
    Role.SWITCH: "switch",
    Role.TABLE_CELL: "cell",
    Role.TABLE_COLUMN_HEADER: "columnheader",
    Role.TABLE_ROW: "row",
    Role.TABLE_ROW_HEADER: "rowheader",
    Role.TEAROFF_MENU_ITEM: "menuitem",
    Role.TERMINAL: "textbox",
    Role.TEXT: "textbox",
    Role.TOGGLE_BUTTON: "button",
    Role.TREE_ITEM: "treeitem",
}
"""What can be acted on."""

COLLECTIONS: dict[int, str] = {
    Role.LIST: "listbox",
    Role.LIST_BOX: "listbox",
    Role.LAYERED_PANE: "listbox",
    Role.TABLE: "table",
    Role.TREE: "tree",
    Role.TREE_TABLE: "treegrid",
}
"""What holds items; acted on itself only when it takes the keyboard."""

TEXTS: dict[int, str] = {
    Role.ALERT: "alert",
    Role.CAPTION: "text",
    Role.HEADING: "heading",
    Role.INFO_BAR: "status",
    Role.LABEL: "text",
    Role.NOTIFICATION: "status",
    Role.PARAGRAPH: "paragraph",
    Role.STATIC: "text",
    Role.STATUS_BAR: "status",
    Role.TOOL_TIP: "text",
}
"""What is read only."""

METERS: dict[int, str] = {Role.PROGRESS_BAR: "progressbar", Role.LEVEL_BAR: "meter"}
"""What shows a value that people cannot change."""

DRAWN = frozenset({Role.CANVAS, Role.DRAWING_AREA, Role.DOCUMENT_PRESENTATION})
"""What paints its content itself: the tree says nothing of it."""

FIELDS = frozenset(
    {Role.TEXT, Role.ENTRY, Role.EDITBAR, Role.DATE_EDITOR, Role.SPIN_BUTTON, Role.TERMINAL, Role.PASSWORD_TEXT}
)
DOCUMENTS = frozenset({Role.DOCUMENT_FRAME, Role.DOCUMENT_TEXT, Role.DOCUMENT_WEB, Role.DOCUMENT_SPREADSHEET})
VALUED = frozenset({Role.SLIDER, Role.DIAL, Role.PROGRESS_BAR, Role.LEVEL_BAR})
CHECKED_ROLES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
MENUS = frozenset({Role.MENU, Role.MENU_BAR, Role.POPUP_MENU})
NAMING = frozenset(
    {
        Role.ALERT,
        Role.CALENDAR,
        Role.COLUMN_HEADER,
        Role.DIALOG,
        Role.DOCUMENT_FRAME,
        Role.DOCUMENT_WEB,
        Role.FILE_CHOOSER,
        Role.FORM,
        Role.GROUPING,
        Role.INFO_BAR,
        Role.INTERNAL_FRAME,
        Role.LANDMARK,
        Role.LIST,
        Role.LIST_BOX,
        Role.MENU,
        Role.MENU_ITEM,
        Role.PAGE_TAB,
        Role.PANEL,
        Role.SECTION,
        Role.TABLE,
        Role.TOOL_BAR,
        Role.TREE,
        Role.TREE_TABLE,
    }
)
"""What gives its name to what it holds."""

SCROLLED = frozenset({Role.SCROLL_PANE, Role.VIEWPORT})
"""What is made to show a part of what it holds."""

CLIPS = frozenset({*SCROLLED, *COLLECTIONS, Role.FILLER, Role.PANEL, Role.SPLIT_PANE})
"""What never shows more than lies within its box. (Qt says of what scrolls only that it fills.)"""

TOP_LEVEL = frozenset({Role.FRAME, Role.DIALOG, Role.ALERT, Role.FILE_CHOOSER, Role.WINDOW, Role.INTERNAL_FRAME})
POPUPS = frozenset({Role.WINDOW, Role.POPUP_MENU, Role.MENU, Role.TOOL_TIP, Role.LIST, Role.COMBO_BOX})
"""What may stand beside a program's windows without being one: menus, lists of choices, tips."""

LEAVES = frozenset(
    {
        Role.CHECK_BOX,
        Role.CHECK_MENU_ITEM,
        Role.ICON,
        Role.IMAGE,
        Role.LABEL,
        Role.LEVEL_BAR,
        Role.PASSWORD_TEXT,
        Role.PROGRESS_BAR,
        Role.PUSH_BUTTON,
        Role.RADIO_BUTTON,
        Role.RADIO_MENU_ITEM,
        Role.SCROLL_BAR,
        Role.SEPARATOR,
        Role.SLIDER,
        Role.STATIC,
        Role.SWITCH,
        Role.TEAROFF_MENU_ITEM,
    }
)
"""What is not looked into when a program is walked through: it holds nothing to act on."""

NAMELESS = frozenset(
    {Role.FILLER, Role.LAYERED_PANE, Role.SCROLL_BAR, Role.SCROLL_PANE, Role.SEPARATOR, Role.SPLIT_PANE, Role.VIEWPORT}
)
"""What is not asked for its name when a program is walked through."""


def has(states: int, state: State) -> bool:
    return bool(states >> state & 1)
