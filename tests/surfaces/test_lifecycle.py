"""Starting, losing and ending browsers: every fault in words, and nothing left behind."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from operative_app.core.errors import SurfaceClosed, SurfaceError, SurfaceMissing
from operative_app.core.screen import Picture, ScreenState
from operative_app.surfaces.browser.launch import find_browser
from operative_app.surfaces.browser.surface import ManagedBrowser
from tests.surfaces.opened import open_browser
from tests.surfaces.pages import Pages
from tests.surfaces.work import one


@pytest.fixture(autouse=True)
def chosen_browser(monkeypatch: pytest.MonkeyPatch, chromium_path: str, request: pytest.FixtureRequest) -> None:
    monkeypatch.setenv("OPERATIVE_BROWSER", chromium_path)


def run(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner() as runner:
        runner.run(asyncio.wait_for(work, 90))


async def loaded(browser: ManagedBrowser, url: str) -> ScreenState:
    """What is seen once the page is there, which was opened by somebody else and may be on its way still."""
    while True:
        await browser.settle()
        state = (await browser.observe()).state
        if state.url == url and not state.is_loading:
            return state


async def launch(place: Path, on_frame: Callable[[Picture], None] | None = None) -> ManagedBrowser:
    return await ManagedBrowser.launch(
        profile_dir=place / "home" / "p", downloads_dir=place / "home" / "d", headless=True, on_frame=on_frame
    )


def alive(pids: tuple[int, ...]) -> list[int]:
    found = []
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
    return found


def process_of(browser: ManagedBrowser, name: str) -> psutil.Process:
    """The "driver" or the "browser"; parts of the browser, which come and go, are known after it."""
    for pid in browser.process_ids:
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            if ("run-driver" in process.cmdline()) == (name == "driver"):
                return process
    pytest.fail(f"there is no {name}")


def test_no_browser_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPERATIVE_BROWSER", "/nowhere/browser")
    with pytest.raises(SurfaceMissing, match="OPERATIVE_BROWSER"):
        find_browser()
    monkeypatch.delenv("OPERATIVE_BROWSER")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(Path, "is_file", lambda self: False)
    with pytest.raises(SurfaceMissing, match="Install Google Chrome"):
        find_browser()


def test_a_program_that_is_no_browser_is_told(isolation: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPERATIVE_BROWSER", "/bin/false")

    async def work() -> None:
        with pytest.raises(SurfaceMissing, match="could not be started"):
            await launch(isolation)
        monkeypatch.undo()

    run(work())


def test_no_display_is_told(isolation: Path) -> None:
    async def work() -> None:
        with pytest.raises(SurfaceMissing, match="no display"):
            await ManagedBrowser.launch(
                profile_dir=isolation / "home" / "p", downloads_dir=isolation / "home" / "d", headless=False
            )

    run(work())


def test_a_profile_in_use_is_told_and_a_stale_lock_is_taken_over(isolation: Path) -> None:
    async def work() -> None:
        profile = isolation / "home" / "p"
        profile.mkdir(parents=True)
        (profile / "SingletonLock").symlink_to("another-host-99")
        browser = await launch(isolation)
        try:
            with pytest.raises(SurfaceError, match="in use by another Operative"):
                await launch(isolation)
            assert (await browser.observe()).state.observation == 1
        finally:
            await browser.close()
        again = await launch(isolation)
        await again.close()

    run(work())


def test_closing_leaves_no_process_and_does_not_ask_the_page(isolation: Path) -> None:
    async def work() -> None:
        with Pages() as pages:
            browser = await launch(isolation)
            pids = browser.process_ids
            assert len(alive(pids)) > 1
            await browser.navigate(
                pages.make("<input aria-label=t><script>onbeforeunload = e => e.preventDefault()</script>")
            )
            state = (await browser.observe()).state
            await browser.fill(state.ref(one(state, "textbox", "t")), "x")
            await browser.close()
            await browser.close()
            assert alive(pids) == []
            with pytest.raises(SurfaceClosed):
                await browser.observe()

    run(work())


def test_closing_ends_by_pid_what_does_not_answer(isolation: Path) -> None:
    async def work() -> None:
        browser = await launch(isolation)
        pids = browser.process_ids
        process_of(browser, "driver").suspend()
        await browser.close()
        assert alive(pids) == []

    run(work())


@pytest.mark.parametrize("ended", ["browser", "driver"])
def test_what_is_killed_leaves_nothing_in_the_temporary_folder(isolation: Path, ended: str) -> None:
    async def work() -> None:
        browser = await launch(isolation)
        try:
            process_of(browser, ended).kill()
        finally:
            await browser.close()
        left = {path.name for path in (isolation / "tmp").iterdir()}
        assert not {name for name in left if "hromium" in name or "playwright" in name}

    run(work())


def test_a_driver_that_ends_while_it_starts_is_told(isolation: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", "/bin/false")

    async def work() -> None:
        with pytest.raises(SurfaceMissing, match="driver could not be started"):
            await launch(isolation)
        monkeypatch.delenv("PLAYWRIGHT_NODEJS_PATH")
        await (await launch(isolation)).close()

    run(work())


@pytest.mark.parametrize("ended", ["browser", "driver"])
def test_an_ended_browser_ends_pending_and_later_calls(isolation: Path, ended: str) -> None:
    async def work() -> None:
        with Pages() as pages:
            browser = await launch(isolation)
            try:
                pending = asyncio.ensure_future(browser.navigate(pages.url("/held")))
                await pages.until_held("/held")
                process_of(browser, ended).kill()
                with pytest.raises(SurfaceClosed, match="browser"):
                    await asyncio.wait_for(pending, 60)
                with pytest.raises(SurfaceClosed):
                    await browser.settle()
            finally:
                await browser.close()

    run(work())


def test_a_window_closed_by_the_person_is_told(isolation: Path) -> None:
    async def work() -> None:
        browser = await launch(isolation)
        try:
            tab = browser._tabs.active
            assert tab is not None
            await tab.page.close()
            with pytest.raises(SurfaceClosed, match="closed"):
                await browser.observe()
        finally:
            await browser.close()

    run(work())


def test_live_frames_come_and_stop(isolation: Path) -> None:
    async def work() -> None:
        frames: asyncio.Queue[Picture] = asyncio.Queue()
        with Pages() as pages:
            browser = await launch(isolation, on_frame=frames.put_nowait)
            try:
                await browser.navigate(pages.make("<h1>Frame</h1>"))
                frame = await frames.get()
                assert frame.data[:2] == b"\xff\xd8"
                assert frame.width_px > 0
            finally:
                await browser.close()

    run(work())


def test_nothing_listening_and_wrong_addresses_are_told(isolation: Path) -> None:
    async def work() -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        for address, reason in {
            f"http://127.0.0.1:{port}": "No browser answers",
            "ftp://x": "no debugging address",
        }.items():
            with pytest.raises(SurfaceError, match=reason):
                await ManagedBrowser.attach(address, downloads_dir=isolation / "home" / "d")

    run(work())


def test_attaching_goes_on_from_the_open_tab_and_leaves_it(isolation: Path, chromium_path: str) -> None:
    async def work() -> None:
        with Pages() as pages:
            address = pages.make("<h1>Open before</h1><input aria-label=Name>")
            with open_browser(chromium_path, isolation, address) as cdp:
                for turn in ("first", "second"):
                    browser = await ManagedBrowser.attach(cdp, downloads_dir=isolation / "home" / "d")
                    try:
                        state = await loaded(browser, address)
                        field = one(state, "textbox", "Name")
                        assert field.value == ("" if turn == "first" else "first")
                        await browser.fill(state.ref(field), turn)
                    finally:
                        await browser.close()

    run(work())
