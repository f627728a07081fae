"""Downloads: safe names, never over an existing file, told as done only when the file is whole on disk."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from playwright.async_api import Download as BrowserDownload
from playwright.async_api import Error

from operative_app.core.screen import Download
from operative_app.safety.paths import safe_name


def free_path(folder: Path, name: str) -> Path:
    """A new empty file in the folder: `name`, or `name (2)` and so on when that exists."""
    path = Path(name)
    suffix = "".join(path.suffixes[-2:]) if path.name.endswith((".tar.gz", ".tar.bz2", ".tar.xz")) else path.suffix
    stem = name[: len(name) - len(suffix)] if suffix else name
    number = 1
    while True:
        candidate = folder / (name if number == 1 else f"{stem} ({number}){suffix}")
        try:
            candidate.open("xb").close()
        except FileExistsError:
            number += 1
            continue
        return candidate


class Downloads:
    """The files of one browser session (agent thread). `clean` takes out of names what must not be told."""

    def __init__(
        self, folder: Path, keep: Callable[[asyncio.Task[None]], None], clean: Callable[[str], str] = str
    ) -> None:
        self._folder = folder
        self._clean = clean
        self._keep = keep
        self._files: list[Download] = []
        self.started = 0
        self._start = asyncio.Event()

    @property
    def files(self) -> tuple[Download, ...]:
        return tuple(self._files)

    @property
    def is_running(self) -> bool:
        return any(file.state == "running" for file in self._files)

    def begin(self, download: BrowserDownload) -> None:
        """Called for each download the browser starts."""
        self.started += 1
        self._start.set()
        index = len(self._files)
        self._files.append(Download(name=safe_name(self._clean(download.suggested_filename)), url=download.url))
        self._keep(asyncio.ensure_future(self._finish(index, download)))

    async def keep_file(self, suggested: str, url: str, data: bytes) -> None:
        """Store a file that was made here, as if it had been downloaded."""
        target = await asyncio.to_thread(_store, self._folder, safe_name(self._clean(suggested)), data)
        self._files.append(Download(name=target.name, url=url, path=str(target), state="done"))

    async def has_started(self, since: int, timeout_s: float) -> bool:
        """Whether another download has begun since; the browser tells it a moment after the page failed to load."""
        self._start.clear()
        if self.started == since:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._start.wait(), timeout_s)
        return self.started > since

    async def _finish(self, index: int, download: BrowserDownload) -> None:
        entry = self._files[index]
        try:
            source = await download.path()
            target = free_path(self._folder, entry.name)
            try:
                await asyncio.to_thread(_copy_whole, source, target)
            except BaseException:
                target.unlink(missing_ok=True)
                raise
        except (Error, OSError):
            self._files[index] = entry.model_copy(update={"state": "failed"})
            return
        self._files[index] = entry.model_copy(update={"state": "done", "name": target.name, "path": str(target)})


def _store(folder: Path, name: str, data: bytes) -> Path:
    target = free_path(folder, name)
    target.write_bytes(data)
    return target


def _copy_whole(source: Path, target: Path) -> None:
    with source.open("rb") as reader, target.open("wb") as writer:
        while block := reader.read(1 << 20):
            writer.write(block)
