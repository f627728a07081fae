"""Measures how long it takes to see the desktop: what a program shows, and a picture of the screen.

Real programs are looked at on the virtual display, with buses of their own: a text editor and a form of the GTK kind,
and programs of the Qt kind with 500 controls.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench_input import input_series
from bench_start import BenchError
from bench_statistics import Series

from operative_app.core.errors import OperativeError
from operative_app.surfaces.desktop.opening import open_parts
from operative_app.surfaces.desktop.surface import ManagedDesktop
from tests.desktop_session import DesktopSession, running_buses

GTK_LIMIT_MS = 60.0
QT_LIMIT_MS = 400.0
END_S = 30.0
FORM_FIELDS = 70
QT_PROGRAM = Path(__file__).with_name("bench_desktop_qt.py")


def measure(repeat: int) -> list[Series]:
    """Look at each program `repeat` times after two warm-ups.

    Raises:
        BenchError: A program did not show what it should.
    """
    with session() as running:
        return asyncio.run(_measured(running, repeat))


async def _measured(session: DesktopSession, repeat: int) -> list[Series]:
    fields = [f"--add-entry=Field {number}" for number in range(FORM_FIELDS)]
    python = [sys.executable, str(QT_PROGRAM)]
    looks = (
        ("GTK text editor of 320 nodes, with screenshot", ["mousepad"], 6, GTK_LIMIT_MS),
        (f"GTK form, {FORM_FIELDS} fields in sight, with screenshot", ["zenity", "--forms", *fields], 50, None),
        ("Qt program of 500 nodes, 100 in sight, with screenshot", [*python, "--pages=5"], 80, QT_LIMIT_MS),
        ("Qt program of 500 nodes, all in sight, with screenshot", [*python, "--pages=1"], 400, QT_LIMIT_MS),
    )
    series = []
    for name, command, least, limit_ms in looks:
        session.start(command[0], *command[1:])
        try:
            series.append(Series(name, tuple(await _looks(name, least, repeat)), limit_ms))
        finally:
            session.end_all()
    return [*series, *await input_series(session, repeat)]


async def _looks(name: str, least: int, repeat: int) -> Sequence[float]:
    """Milliseconds of each look at the active window."""
    try:
        desktop = await ManagedDesktop.open(open_parts(reader=None, merge=None))
    except OperativeError as error:
        raise BenchError(str(error)) from error
    try:
        end_s = time.monotonic() + END_S
        while len((await desktop.observe()).state.elements) < least:
            if time.monotonic() > end_s:
                raise BenchError(f"{name}: fewer than {least} controls are seen.")
            await asyncio.sleep(0.1)
        values = []
        for _ in range(repeat + 1):
            begun_s = time.perf_counter()
            seen = await desktop.observe()
            values.append((time.perf_counter() - begun_s) * 1000)
            if seen.picture is None or len(seen.state.elements) < least:
                raise BenchError(f"{name}: {len(seen.state.elements)} controls, {' '.join(seen.state.left_out)}")
        return values[1:]
    finally:
        await desktop.close()


@contextmanager
def session() -> Iterator[DesktopSession]:
    display = os.environ.get("DISPLAY", "")
    if not display:
        raise BenchError("There is no display to measure on; packaging/bench starts one.")
    with tempfile.TemporaryDirectory(prefix="opb-") as folder:
        try:
            with running_buses(display, Path(folder)) as address:
                session = DesktopSession(display, address, Path(folder))
                os.environ.update(session.variables)
                try:
                    yield session
                finally:
                    session.end_all()
        except (OSError, subprocess.SubprocessError) as error:
            raise BenchError(f"The buses of a desktop could not be started: {error}") from error
