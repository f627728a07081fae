"""What the desktop surface is made of on one system, as the composition root puts it together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from operative_app.core.ports import TextReader
from operative_app.core.screen import Element, TextBlock
from operative_app.surfaces.desktop.ports import Accessibility, Clipboard, Input, Programs, Screens, Windows, WindowTree

Merge = Callable[[WindowTree, Sequence[TextBlock]], tuple[tuple[Element, ...], tuple[TextBlock, ...]]]
"""What the tree tells and the lines read off the picture (boxes in screen pixels), as one list without doubles."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The adapters of one system; the surface that gets them closes them.

    Attributes:
        reader: Reads text off the picture where a program tells nothing; None leaves such programs unread.
        merge: Joins what the reader read with what the program tells.
    """

    screens: Screens
    windows: Windows
    accessibility: Accessibility
    input: Input
    clipboard: Clipboard
    programs: Programs
    reader: TextReader | None = None
    merge: Merge | None = None
