"""Pictures by content hash: read and decoded on the worker, a few kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from PySide6.QtGui import QImage

from operative_app.core.screen import Picture
from operative_app.gui.background import Background
from operative_app.presentation.ports import RunReader

_KEPT: Final = 12

ShowPicture = Callable[[QImage], None]


class Pictures:
    """Lives on the GUI thread; a null image stands for a picture that is not there."""

    def __init__(self, runs: RunReader, background: Background) -> None:
        self._runs = runs
        self._background = background
        self._kept: OrderedDict[str, QImage] = OrderedDict()

    def kept(self, content_hash: str) -> QImage | None:
        """The picture when it is at hand, None when it has to be asked for."""
        return self._kept.get(content_hash)

    def ask(self, content_hash: str, then: ShowPicture) -> None:
        """Call `then(image)` on the GUI thread, at once when the picture is at hand."""
        image = self._kept.get(content_hash)
        if image is not None:
            self._kept.move_to_end(content_hash)
            then(image)
            return

        def read() -> QImage:
            data = self._runs.picture(content_hash)
            return QImage.fromData(data) if data else QImage()

        def keep(image: QImage) -> None:
            if not image.isNull():
                self._kept[content_hash] = image
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            then(image)

        self._background.call(read, keep, lambda _sentence: then(QImage()))

    def decode(self, picture: Picture, then: ShowPicture) -> None:
        """Decode a live frame; `then(image)` on the GUI thread."""
        self._background.call(lambda: QImage.fromData(picture.data), then)
