"""Measures another program on the same pages in the same run, and how many times as long it takes.

The program is installed from its registry into an environment of its own, below the user's cache folder, once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench_start import BenchError
from bench_statistics import Series
from platformdirs import user_cache_path

from operative_app.surfaces.browser.launch import find_browser

VERSIONS = {"browser-use": "0.13.14"}
INSTALL_S = 900
RUN_S = 1800


def compare(peer: str, pages: Mapping[str, str], change: str, repeat: int, own: Mapping[str, Series]) -> list[Series]:
    """Look at the same pages with the peer.

    Args:
        pages: Addresses, with what each is called.
        change: The script that changes the page before each look.
        own: The series of Operative by address.

    Returns:
        For each page the peer's times, and the ratio of the medians as a series of one value.

    Raises:
        BenchError: It cannot be installed, or does not run.
    """
    values: dict[str, list[float]] = _asked(peer, list(pages), change=change, repeat=repeat)["values_ms"]
    series = []
    for url, name in pages.items():
        theirs = Series(f"{peer} {VERSIONS[peer]}: observe {name}", tuple(values[url]))
        series += [theirs, Series(f"{peer} / Operative, {name}", (theirs.p50_ms / own[url].p50_ms,), unit="times")]
    return series


def first_requests(peer: str, pages: Sequence[str], goal: str) -> dict[str, tuple[float, list[str]]]:
    """The length of the peer's request for a first step on each page, and what can be reached there but is not listed.

    The request is put together by the peer's own classes.

    Raises:
        BenchError: It cannot be installed, or does not run.
    """
    told = _asked(peer, pages, goal=goal)
    return {url: (float(size), told["unlisted"][url]) for url, size in told["request_characters"].items()}


def _asked(peer: str, pages: Sequence[str], *, change: str = "", repeat: int = 0, goal: str = "") -> dict[str, Any]:
    """What the peer's script answers."""
    python = _installed(peer)
    task = {
        "browser": str(find_browser()),
        "pages": list(pages),
        "change": change,
        "repeat": repeat,
        "is_root": hasattr(os, "geteuid") and os.geteuid() == 0,
        "goal": goal,
    }
    script = Path(__file__).with_name(f"bench_peer_{peer.replace('-', '_')}.py")
    environment = os.environ | {"ANONYMIZED_TELEMETRY": "false", "BROWSER_USE_LOGGING_LEVEL": "result"}
    answer = _run([str(python), str(script), json.dumps(task)], RUN_S, f"{peer} did not run", environment)
    told: dict[str, Any] = json.loads(answer.splitlines()[-1])
    return told


def _installed(peer: str) -> Path:
    version = VERSIONS[peer]
    place = user_cache_path("operative") / "bench-peers" / f"{peer}-{version}"
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    stamp = place / "installed"
    if not stamp.exists():
        print(f"Installing {peer} {version} …", file=sys.stderr)
        try:
            venv.create(place, clear=True, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise BenchError(f"{peer} cannot be installed: {error}") from error
        command = [str(python), "-m", "pip", "install", "--quiet", f"{peer}=={version}"]
        _run(command, INSTALL_S, f"{peer} cannot be installed")
        stamp.touch()
    return python


def _run(command: Sequence[str], limit_s: float, failure: str, environment: Mapping[str, str] | None = None) -> str:
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, env=environment, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchError(f"{failure}: {error}") from error
    if ended.returncode:
        lines = ended.stderr.strip().splitlines()
        raise BenchError(f"{failure}: {lines[-1] if lines else f'exit code {ended.returncode}'}")
    return ended.stdout
