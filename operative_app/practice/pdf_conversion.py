"""Turning a PDF into pictures, on one background thread.

PDFium may only be used by one thread at a time, so there is one worker. It starts with the first job and ends with
`close`; between two pages it looks whether it shall stop or whether its job was given up.
"""

from __future__ import annotations

import logging
import queue
import shutil
import tempfile
import threading
import zipfile
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image

_log = logging.getLogger(__name__)

MAX_PAGES = 50
RESOLUTIONS_DPI = (72, 150, 300)
FORMATS = {"png": "PNG", "jpeg": "JPEG"}
_MAX_PIXELS = 24_000_000
_THUMBNAIL_PX = 320
_POINTS_PER_INCH = 72


class JobStatus(StrEnum):
    """How far a job is."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"


class ConversionError(Exception):
    """The file cannot be converted; the text is for the visitor."""


@dataclass(frozen=True, slots=True)
class PageImage:
    """One finished page."""

    page: int
    path: Path
    thumbnail: Path
    width_px: int
    height_px: int


@dataclass(slots=True)
class Job:
    """One conversion. Written by the worker, read by pages, both with the site's lock held."""

    number: int
    session: int
    filename: str
    image_format: str
    resolution_dpi: int
    status: JobStatus = JobStatus.WAITING
    page_count: int = 0
    images: list[PageImage] = field(default_factory=list)
    archive: Path | None = None
    error: str = ""
    folder: Path | None = None
    is_given_up: bool = False


class PdfWorker:
    """Converts one file after the other. `submit`, `close` and `discard` may be called from any thread."""

    def __init__(self, state_lock: threading.RLock) -> None:
        """Remember the lock that guards jobs; nothing runs yet."""
        self._state_lock = state_lock
        self._life_lock = threading.Lock()
        self._inbox: queue.SimpleQueue[tuple[Job, bytes] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._is_stopping = threading.Event()

    def submit(self, job: Job, content: bytes) -> None:
        """Line a job up, starting the thread when needed."""
        with self._life_lock:
            if self._thread is None:
                self._is_stopping = threading.Event()
                self._inbox = queue.SimpleQueue()
                self._thread = threading.Thread(
                    target=self._run, args=(self._inbox, self._is_stopping), name="practice-pdf", daemon=True
                )
                self._thread.start()
            self._inbox.put((job, content))

    def close(self, timeout_s: float) -> None:
        """End the thread after the page it is at; does nothing when it is not running."""
        with self._life_lock:
            thread, self._thread = self._thread, None
            self._is_stopping.set()
            self._inbox.put(None)
        if thread is not None:
            thread.join(timeout_s)

    def discard(self, job: Job) -> None:
        """Give a job up and delete its files; its record stays. Call with the site's lock held, or from the worker."""
        job.is_given_up = True
        if job.folder is not None:
            shutil.rmtree(job.folder, ignore_errors=True)

    def _run(self, inbox: queue.SimpleQueue[tuple[Job, bytes] | None], is_stopping: threading.Event) -> None:
        while (entry := inbox.get()) is not None:
            job, content = entry
            if is_stopping.is_set():
                self._fail(job, "The conversion was stopped.")
                continue
            try:
                self._convert(job, content, is_stopping)
            except ConversionError as error:
                self._fail(job, str(error))
            except (OSError, MemoryError):
                self._fail(job, "There is not enough room for the pictures.")
            except Exception:  # noqa: BLE001 - the top of a thread; it is logged
                _log.exception("The PDF conversion failed")
                self._fail(job, "The conversion failed.")
            if job.is_given_up:
                self.discard(job)

    def _fail(self, job: Job, message: str) -> None:
        with self._state_lock:
            job.status, job.error = JobStatus.FAILED, message

    def _convert(self, job: Job, content: bytes, is_stopping: threading.Event) -> None:
        import pypdfium2

        try:
            document = pypdfium2.PdfDocument(content)
        except pypdfium2.PdfiumError as error:
            raise ConversionError("This file is not a PDF, or it is damaged or locked with a password.") from error
        with document:
            count = len(document)
            if not 1 <= count <= MAX_PAGES:
                raise ConversionError(f"This PDF has {count} pages; from 1 to {MAX_PAGES} can be converted.")
            with self._state_lock:
                if job.is_given_up:
                    return
                job.folder = Path(tempfile.mkdtemp(prefix="operative-pdf-"))
                job.status, job.page_count = JobStatus.WORKING, count
            for index in range(count):
                if is_stopping.is_set():
                    raise ConversionError("The conversion was stopped.")
                try:
                    picture = _render(document, index, job.resolution_dpi)
                except pypdfium2.PdfiumError as error:
                    raise ConversionError(f"Page {index + 1} cannot be read.") from error
                if not self._save(job, job.folder, index + 1, picture):
                    return
        self._pack(job, job.folder)

    def _save(self, job: Job, folder: Path, page: int, picture: Image) -> bool:
        """Write one page; False when the job was given up, in which case its folder may be gone."""
        path = folder / f"page-{page:02d}.{job.image_format}"
        thumbnail = folder / f"thumbnail-{page:02d}.png"
        size = picture.size
        with self._state_lock:
            if job.is_given_up:
                return False
        picture.save(path, FORMATS[job.image_format], dpi=(job.resolution_dpi, job.resolution_dpi))
        picture.thumbnail((_THUMBNAIL_PX, _THUMBNAIL_PX))
        picture.save(thumbnail, "PNG")
        with self._state_lock:
            job.images.append(PageImage(page, path, thumbnail, *size))
            return not job.is_given_up

    def _pack(self, job: Job, folder: Path) -> None:
        archive = folder / "pages.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as packed:
            for image in job.images:
                packed.write(image.path, image.path.name)
        with self._state_lock:
            job.archive, job.status = archive, JobStatus.DONE


def _render(document: Any, index: int, resolution_dpi: int) -> Image:
    """Render one page, smaller than asked when it would have more than 24 million pixels."""
    page = document[index]
    try:
        width_pt, height_pt = page.get_size()
        scale = resolution_dpi / _POINTS_PER_INCH
        pixels = max(1.0, width_pt * height_pt * scale * scale)
        scale *= min(1.0, (_MAX_PIXELS / pixels) ** 0.5)
        picture: Image = page.render(scale=scale).to_pil().convert("RGB")
        return picture
    finally:
        page.close()
