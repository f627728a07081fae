"""Downloads: safe names, never over an existing file, told as done only when the file is whole on disk."""

from __future__ import annotations

import asyncio
import contextlib
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

from playwright.async_api import Download as BrowserDownload
from playwright.async_api import Error

from operative_app.core.screen import Download

MAX_NAME_BYTES = 200
_DEVICES = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)$", re.IGNORECASE)


def safe_name(suggested: str) -> str:
    """A file name that stays in its folder and is what it seems, changed as little as needed."""
    name = re.split(r"[/\\]", suggested)[-1]
    name = re.sub(r"^[A-Za-z]:", "", name)
    name = "".join(char for char in name if unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
    name = re.sub(r'[<>:"|?*]', "_", name).rstrip(". ").lstrip()
    if not name.strip("."):
        name = "download"
    stem, dot, rest = name.partition(".")
    if _DEVICES.match(stem.strip()):
        name = f"_{stem}{dot}{rest}"
    return _shortened(name)


def _shortened(name: str) -> str:
    if len(name.encode()) <= MAX_NAME_BYTES:
        return name
    path = Path(name)
    suffix = path.suffix if len(path.suffix.encode()) <= 20 else ""
    room = MAX_NAME_BYTES - len(suffix.encode())
    return name.encode()[:room].decode(errors="ignore").rstrip(". ") + suffix


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
    """The files of one browser session (agent thread)."""

    def __init__(self, folder: Path, keep: Callable[[asyncio.Task[None]], None]) -> None:
        self._folder = folder
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
        self._files.append(Download(name=safe_name(download.suggested_filename), url=download.url))
        self._keep(asyncio.ensure_future(self._finish(index, download)))

    async def keep_file(self, suggested: str, url: str, data: bytes) -> None:
        """Store a file that was made here, as if it had been downloaded."""
        target = await asyncio.to_thread(_store, self._folder, safe_name(suggested), data)
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
