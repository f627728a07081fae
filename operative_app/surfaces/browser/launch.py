"""Finding, starting and attaching to a browser."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from filelock import FileLock, Timeout
from playwright.async_api import BrowserContext, Error, Playwright, async_playwright

from operative_app.core.errors import SurfaceError, SurfaceMissing
from operative_app.surfaces.browser.processes import OwnProcesses, is_browser_of

BROWSER_VARIABLE = "OPERATIVE_BROWSER"
START_DEADLINE_S = 45.0
ATTACH_DEADLINE_S = 15.0
HEADLESS_VIEWPORT = (1280, 800)

_NAMES = (
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
    "chromium",
    "chromium-browser",
    "brave-browser",
)
_MAC_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_WINDOWS_PLACES = (
    r"Google\Chrome\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
    r"Chromium\Application\chrome.exe",
)
_LINUX_PLACES = (
    "/opt/google/chrome/chrome",
    "/opt/microsoft/msedge/msedge",
    "/snap/bin/chromium",
    "/usr/lib/chromium/chromium",
)
_QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-search-engine-choice-screen",
    "--hide-crash-restore-bubble",
)


_OTHER_PROGRAMS = (
    "tel", "sms", "callto", "sip", "sips", "facetime", "facetime-audio", "skype", "zoommtg", "msteams", "slack", "tg",
    "whatsapp", "viber", "discord", "steam", "spotify", "itms", "itms-apps", "itms-services", "market", "intent", "ssh",
    "vscode", "magnet", "webcal", "maps", "geo", "ms-windows-store", "ms-word", "ms-excel", "ms-powerpoint",
)  # fmt: skip
"""Schemes of links that other programs answer. Not mailto: people use it when they have the browser in hand."""

_SINGLETONS = ("SingletonLock", "SingletonCookie", "SingletonSocket")


@dataclass(slots=True)
class Session:
    """A browser that runs and the connection to it.

    Attributes:
        processes: What was started for it, to be ended by pid when it does not end by itself.
        profile_lock: Held while the managed profile is in use; None for an attached browser.
    """

    playwright: Playwright
    context: BrowserContext
    processes: OwnProcesses
    is_managed: bool
    is_headless: bool
    profile_lock: FileLock | None = None


def find_browser() -> Path:
    """The browser to start: what `OPERATIVE_BROWSER` names, else an installed Chrome, Edge or Chromium.

    Raises:
        SurfaceMissing: There is none; the sentence says what to install.
    """
    wanted = os.environ.get(BROWSER_VARIABLE, "").strip()
    if wanted:
        found = shutil.which(wanted) or (wanted if Path(wanted).is_file() else "")
        if not found:
            raise SurfaceMissing(f"{BROWSER_VARIABLE} names “{wanted}”, which is no program here. Correct or unset it.")
        return Path(found)
    for place in _places():
        if place.is_file():
            return place
    raise SurfaceMissing(
        "No browser was found. Install Google Chrome, Microsoft Edge or Chromium, "
        f"or set {BROWSER_VARIABLE} to the program of one."
    )


def _places() -> list[Path]:
    on_path = [Path(found) for name in _NAMES if (found := shutil.which(name))]
    if sys.platform == "darwin":
        mac = [Path(place) for place in _MAC_PLACES]
        return [*mac, *(Path.home() / str(place).lstrip("/") for place in mac), *on_path]
    if sys.platform == "win32":
        roots = [os.environ.get(name, "") for name in ("ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA")]
        return [*(Path(root) / place for place in _WINDOWS_PLACES for root in roots if root), *on_path]
    return [*on_path, *(Path(place) for place in _LINUX_PLACES)]


async def launch(profile_dir: Path, *, downloads_dir: Path, headless: bool, host_rules: str = "") -> Session:
    """Start the managed browser on its own profile.

    Args:
        host_rules: Which hosts can be found at all, in the words of Chromium's `--host-resolver-rules`; "" all.

    Raises:
        SurfaceMissing: No browser is installed, or it cannot be started here.
        SurfaceError: The profile is in use, or a folder cannot be written.
    """
    program = find_browser()
    lock = _hold_profile(profile_dir, downloads_dir)
    bar_other_programs(profile_dir)
    processes = OwnProcesses(profile_dir)
    playwright: Playwright | None = None
    try:
        playwright = await _start_driver(processes)
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        width, height = HEADLESS_VIEWPORT
        context = await playwright.chromium.launch_persistent_context(
            profile_dir,
            executable_path=program,
            headless=headless,
            args=[*_QUIET, *_limiting(host_rules), *(["--no-sandbox"] if is_root else [])],
            chromium_sandbox=not is_root,
            accept_downloads=True,
            downloads_path=profile_dir / "incoming",
            artifacts_dir=profile_dir / "artifacts",  # in the temporary folder a killed driver would leave them
            viewport={"width": width, "height": height} if headless else None,
            no_viewport=None if headless else True,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=START_DEADLINE_S * 1000,
        )
        processes.note()
    except Error as error:
        await _give_up(playwright, processes, lock)
        raise _start_error(program, headless=headless) from error
    except BaseException:
        await _give_up(playwright, processes, lock)
        raise
    return Session(playwright, context, processes, is_managed=True, is_headless=headless, profile_lock=lock)


def _limiting(host_rules: str) -> list[str]:
    """Switches for a browser that may find only some hosts; WebRTC's own packets ask no resolver."""
    if not host_rules:
        return []
    return [f"--host-resolver-rules={host_rules}", "--webrtc-ip-handling-policy=disable_non_proxied_udp"]


async def attach(cdp_url: str, *, downloads_dir: Path) -> Session:
    """Connect to a browser that is already open and has a debugging port.

    Raises:
        SurfaceError: The address is wrong, or nothing answers there.
    """
    parts = urlsplit(cdp_url)
    if parts.scheme not in {"http", "https", "ws", "wss"} or not parts.hostname:
        raise SurfaceError(f"“{cdp_url}” is no debugging address; it looks like http://127.0.0.1:9222.")
    _make_folder(downloads_dir)
    processes = OwnProcesses(None)
    playwright = await _start_driver(processes)
    try:
        browser = await playwright.chromium.connect_over_cdp(
            cdp_url, timeout=ATTACH_DEADLINE_S * 1000, no_defaults=True, is_local=True
        )
        context = browser.contexts[0] if browser.contexts else await browser.new_context()
    except Error as error:
        await _give_up(playwright, processes, None)
        raise SurfaceError(
            f"No browser answers at {cdp_url}. Start it with --remote-debugging-port "
            "and its own --user-data-dir, then try again."
        ) from error
    except BaseException:
        await _give_up(playwright, processes, None)
        raise
    return Session(playwright, context, processes, is_managed=False, is_headless=False)


async def _start_driver(processes: OwnProcesses) -> Playwright:
    try:
        playwright = await asyncio.wait_for(async_playwright().start(), START_DEADLINE_S)
    except Exception as error:  # Playwright raises a bare Exception when its driver ends while it starts
        processes.note()
        processes.end()
        raise SurfaceMissing(
            "The browser driver could not be started, or was ended while it started. Try again; if it stays so, "
            "install the program again."
        ) from error
    processes.note()
    return playwright


async def _give_up(playwright: Playwright | None, processes: OwnProcesses, lock: FileLock | None) -> None:
    processes.note()
    if playwright is not None:
        try:
            await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(playwright.stop())), 3.0)
        except (Error, TimeoutError, asyncio.CancelledError):
            processes.end()
    processes.end()
    if lock is not None:
        remove_socket_folder(Path(lock.lock_file).parent)
        lock.release()


def _start_error(program: Path, *, headless: bool) -> SurfaceError:
    if (
        not headless
        and sys.platform.startswith("linux")
        and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    ):
        return SurfaceMissing(
            "There is no display to show a browser on. Use --headless, or start from a desktop session."
        )
    return SurfaceMissing(
        f"The browser {program} could not be started. Start it once by hand to see why, "
        f"or name another one in {BROWSER_VARIABLE}."
    )


def _hold_profile(profile_dir: Path, downloads_dir: Path) -> FileLock:
    try:
        _make_folder(profile_dir)
        _make_folder(downloads_dir)
        lock = FileLock(profile_dir / "operative.lock", blocking=False, is_singleton=False)
        lock.acquire()
    except Timeout as error:
        raise SurfaceError(
            f"The browser profile {profile_dir} is in use by another Operative. "
            "Close that one, or keep this one's things elsewhere with OPERATIVE_HOME."
        ) from error
    except OSError as error:
        raise SurfaceError(
            f"The folder {error.filename or profile_dir} cannot be written: {error.strerror}."
        ) from error
    try:
        _clear_stale_lock(profile_dir)
    except BaseException:
        lock.release()
        raise
    return lock


def bar_other_programs(profile_dir: Path) -> None:
    """Let the profile follow no link to another program, wherever it comes from (a redirect, a frame).

    The browser would ask about it in a box of its own that takes all input. `page/sentry.js` catches most such links
    before; this is for those no script can see. Call it only when no browser runs on the profile.
    """
    path = profile_dir / "Default" / "Preferences"
    try:
        wishes = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        barred = wishes.setdefault("policy", {}).setdefault("url_blocklist", [])
        missing = [f"{scheme}:*" for scheme in _OTHER_PROGRAMS if f"{scheme}:*" not in barred]
        if not missing:
            return
        barred.extend(missing)
        path.parent.mkdir(exist_ok=True)
        fresh = path.with_name("Preferences.new")
        fresh.write_text(json.dumps(wishes), encoding="utf-8")
        fresh.replace(path)
    except (OSError, ValueError, AttributeError):  # the browser makes its own when it cannot read this one
        return


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SurfaceError(f"The folder {folder} cannot be made: {error.strerror}.") from error


def _clear_stale_lock(profile_dir: Path) -> None:
    """Remove Chromium's own lock when its owner is gone; refuse when it lives.

    Chromium itself refuses a lock that another host wrote, although on a private profile, held by our own lock, that
    owner can only be a machine (or container) that is gone.
    """
    link = profile_dir / "SingletonLock"
    if not link.is_symlink():
        return
    match = re.match(r"^(?P<host>.*)-(?P<pid>\d+)$", str(link.readlink()))
    if match is not None and is_browser_of(int(match["pid"]), profile_dir):
        raise SurfaceError(
            f"The browser profile {profile_dir} is in use by a browser (process {match['pid']}). "
            "Close it, or keep Operative's things elsewhere with OPERATIVE_HOME."
        )
    for process in psutil.process_iter():
        if is_browser_of(process.pid, profile_dir):
            raise SurfaceError(
                f"The browser profile {profile_dir} is in use by a browser (process {process.pid}). "
                "Close it, or keep Operative's things elsewhere with OPERATIVE_HOME."
            )
    remove_socket_folder(profile_dir)
    for name in _SINGLETONS:
        (profile_dir / name).unlink(missing_ok=True)


def remove_socket_folder(profile_dir: Path) -> None:
    """Remove the folder Chromium made for its socket in the temporary folder; one that was killed leaves it behind.

    Call it only when no browser runs on the profile. Only Chromium's own files go, and the folder once it is empty.
    """
    link = profile_dir / "SingletonSocket"
    try:
        folder = link.readlink().parent
        if not folder.is_absolute() or folder == profile_dir:
            return
        for name in _SINGLETONS:
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()
    except OSError:  # it removed all that by itself
        return
