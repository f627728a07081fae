"""PDF to images: an upload, a conversion that takes its time, and a page of pictures to download."""

from __future__ import annotations

import threading
from collections import deque
from http import HTTPStatus
from typing import ClassVar

from operative_app.practice.exchange import PageError, Request, Response, Route, file_reply, json_reply
from operative_app.practice.pdf_conversion import (
    FORMATS,
    MAX_PAGES,
    RESOLUTIONS_DPI,
    Job,
    JobStatus,
    PageImage,
    PdfWorker,
)
from operative_app.practice.room import Room
from operative_app.practice.templates import Templates

MAX_FILE_BYTES = 20 * 1024 * 1024
_FORM_OVERHEAD_BYTES = 16 * 1024
_MAX_RECORDS = 100
_MAX_KEPT_JOBS = 6
_MAX_WAITING_JOBS = 3
_MEDIA_TYPES = {"png": "image/png", "jpeg": "image/jpeg"}


class PdfRoom(Room[None]):
    """Keeps all conversions; the pictures of the latest few lie in temporary folders until `close`."""

    name: ClassVar[str] = "pdf"

    def __init__(self, templates: Templates, state_lock: threading.RLock) -> None:
        """Open without conversions; `state_lock` is the site's lock, which the background thread takes too."""
        super().__init__(templates)
        self._worker = PdfWorker(state_lock)
        self._state_lock = state_lock
        self._jobs: deque[Job] = deque(maxlen=_MAX_RECORDS)
        self._last_number = 0
        self._refused = 0

    def routes(self) -> tuple[Route, ...]:
        """Name the paths."""
        return (
            Route("GET", "/pdf", self._front),
            Route("POST", "/pdf/api/convert", self._convert, MAX_FILE_BYTES + _FORM_OVERHEAD_BYTES),
            Route("GET", "/pdf/api/job/<number>", self._progress),
            Route("GET", "/pdf/result/<number>", self._result),
            Route("GET", "/pdf/result/<number>/archive", self._archive),
            Route("GET", "/pdf/result/<number>/page/<page>", self._picture),
            Route("GET", "/pdf/result/<number>/thumbnail/<page>", self._thumbnail),
        )

    def snapshot(self) -> dict[str, object]:
        """Conversions, oldest first, and how many uploads were refused before they became one."""
        return {
            "conversions": [
                {
                    "number": job.number,
                    "session": job.session,
                    "filename": job.filename,
                    "format": job.image_format,
                    "resolution_dpi": job.resolution_dpi,
                    "status": job.status.value,
                    "page_count": job.page_count,
                    "pages_done": len(job.images),
                    "sizes_px": [[image.width_px, image.height_px] for image in job.images],
                    "error": job.error,
                }
                for job in self._jobs
            ],
            "refused": self._refused,
        }

    def reset(self) -> None:
        """Forget all conversions and delete their pictures."""
        super().reset()
        self._discard_all()
        self._jobs.clear()
        self._last_number = self._refused = 0

    def close(self, timeout_s: float) -> None:
        """End the background thread and delete all pictures; call without the site's lock, from any thread."""
        self._worker.close(timeout_s)
        with self._state_lock:
            self._discard_all()

    def _new_visit(self) -> None:
        return None

    def _discard_all(self) -> None:
        for job in self._jobs:
            self._worker.discard(job)

    def _front(self, request: Request) -> Response:
        return self._page(
            "pdf/front.html",
            resolutions=RESOLUTIONS_DPI,
            formats=FORMATS,
            max_pages=MAX_PAGES,
            max_bytes=MAX_FILE_BYTES,
        )

    def _convert(self, request: Request) -> Response:
        upload = request.form.uploads.get("file")
        if upload is None or not upload.content:
            raise self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, "Please choose a PDF file.")
        if len(upload.content) > MAX_FILE_BYTES:
            raise self._refuse(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "That file is too large. At most 20 MB can be sent."
            )
        if b"%PDF-" not in upload.content[:1024]:
            raise self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, "This file is not a PDF.")
        if (
            sum(job.status in {JobStatus.WAITING, JobStatus.WORKING} and not job.is_given_up for job in self._jobs)
            >= _MAX_WAITING_JOBS
        ):
            raise self._refuse(
                HTTPStatus.SERVICE_UNAVAILABLE, "Other files are being converted. Please try again in a moment."
            )
        self._last_number += 1
        job = Job(
            number=self._last_number,
            session=request.session,
            filename=upload.filename.replace("\\", "/").rpartition("/")[2] or "document.pdf",
            image_format=request.form.choice("format", FORMATS, "png"),
            resolution_dpi=int(request.form.choice("resolution", [str(dpi) for dpi in RESOLUTIONS_DPI], "150")),
        )
        self._jobs.append(job)
        for old in list(self._jobs)[:-_MAX_KEPT_JOBS]:
            self._worker.discard(old)
        self._worker.submit(job, upload.content)
        return json_reply({"job": job.number}, HTTPStatus.ACCEPTED)

    def _refuse(self, status: HTTPStatus, message: str) -> PageError:
        self._refused += 1
        return PageError(status, message)

    def _progress(self, request: Request) -> Response:
        job = self._job(request)
        values = {"status": job.status.value, "done": len(job.images), "total": job.page_count, "error": job.error}
        return json_reply(values)

    def _result(self, request: Request) -> Response:
        return self._page("pdf/result.html", job=self._finished(request))

    def _archive(self, request: Request) -> Response:
        job = self._finished(request)
        if job.archive is None:
            raise PageError(HTTPStatus.NOT_FOUND, "There is no archive.")
        return file_reply(job.archive, "application/zip", save_as=f"pages-{job.number}.zip")

    def _picture(self, request: Request) -> Response:
        job, image = self._image(request)
        return file_reply(image.path, _MEDIA_TYPES[job.image_format], save_as=image.path.name)

    def _thumbnail(self, request: Request) -> Response:
        return file_reply(self._image(request)[1].thumbnail, "image/png")

    def _job(self, request: Request) -> Job:
        for job in self._jobs:
            if str(job.number) == request.args["number"] and job.session == request.session:
                return job
        raise PageError(HTTPStatus.NOT_FOUND, "There is no such conversion.")

    def _finished(self, request: Request) -> Job:
        job = self._job(request)
        if job.status is not JobStatus.DONE or job.is_given_up:
            raise PageError(HTTPStatus.NOT_FOUND, "These pictures are not there any more, or not yet.")
        return job

    def _image(self, request: Request) -> tuple[Job, PageImage]:
        job = self._finished(request)
        for image in job.images:
            if str(image.page) == request.args["page"]:
                return job, image
        raise PageError(HTTPStatus.NOT_FOUND, "There is no such page.")
