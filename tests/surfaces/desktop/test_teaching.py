"""What a person does with a real program becomes deeds: presses by their controls, typing by what fields hold."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.ext.xtest import fake_input

from operative_app.core.screen import Element, ScreenState
from operative_app.core.taking import Deed
from operative_app.surfaces.desktop.opening import open_parts
from operative_app.surfaces.desktop.surface import ManagedDesktop
from tests.desktop_session import DesktopSession
from tests.display import program

LIMIT_S = 60


class Learner:
    """The surface while somebody else uses the desktop."""

    def __init__(self, surface: ManagedDesktop) -> None:
        self.surface = surface

    async def sees(self, wanted: Callable[[ScreenState], bool]) -> ScreenState:
        async with asyncio.timeout(LIMIT_S):
            while True:
                state = (await self.surface.observe(with_picture=False)).state
                if wanted(state):
                    return state

    async def person_clicks(self, name: str, role: str) -> None:
        state = await self.sees(lambda state: bool(named(state, name, role)))
        x, y = named(state, name, role)[0].box.center
        await person("mousemove", str(round(x)), str(round(y)), "click", "1")


def named(state: ScreenState, name: str, role: str) -> list[Element]:
    return [one for one in state.elements if one.role == role and name in one.name]


async def person(*arguments: str) -> None:
    await asyncio.to_thread(subprocess.run, [program("xdotool"), *arguments], check=True, timeout=LIMIT_S)


def press_twice(name: str) -> None:
    """The server waits in between: a tool that does is held up on a busy machine, and presses two times once."""
    display = Display(name)
    try:
        for delay_ms in (0, 20):
            fake_input(display, X.ButtonPress, 1, delay_ms)
            fake_input(display, X.ButtonRelease, 1)
        display.sync()
    finally:
        display.close()


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(ThreadPoolExecutor(max_workers=2))
        yield runner


def told(deeds: tuple[Deed, ...]) -> list[tuple[str, str, str, bool]]:
    return [
        (deed.kind.value, deed.ref.fingerprint.name if deed.ref is not None else "", deed.text, deed.is_hidden)
        for deed in deeds
    ]


def test_fields_passwords_and_buttons_of_a_program_are_followed(
    desktop: DesktopSession, runner: asyncio.Runner
) -> None:
    desktop.start(
        "zenity", "--forms", "--title=Member", "--add-entry=Name", "--add-entry=City", "--add-password=Password"
    )

    async def run() -> tuple[Deed, ...]:
        surface = await ManagedDesktop.open(open_parts(reader=None, merge=None))
        try:
            learner = Learner(surface)
            await learner.sees(lambda state: bool(named(state, "OK", "button")))
            await surface.begin_teaching()
            await learner.person_clicks("Name", "textbox")
            await learner.sees(lambda state: any(one.key == state.focus for one in named(state, "Name", "textbox")))
            await person("type", "Ada")
            await learner.sees(lambda state: any(one.value == "Ada" for one in named(state, "Name", "textbox")))
            await learner.person_clicks("City", "textbox")
            await person("type", "Paris")
            await learner.sees(lambda state: any(one.value == "Paris" for one in named(state, "City", "textbox")))
            await learner.person_clicks("Password", "textbox")
            await learner.sees(lambda state: any(one.key == state.focus for one in named(state, "Password", "textbox")))
            await person("type", "Tr0ub4dor")
            await learner.person_clicks("OK", "button")
            await learner.sees(lambda state: not named(state, "OK", "button"))
            deeds = tuple(await surface.end_teaching())
            assert await surface.end_teaching() == ()
            return deeds
        finally:
            await surface.close()

    deeds = runner.run(run())
    assert told(deeds) == [
        ("fill", "Name", "Ada", False),
        ("fill", "City", "Paris", False),
        ("fill", "Password", "", True),
        ("click", "OK", "", False),
    ]
    assert "Tr0ub4dor" not in repr(deeds)


def test_clicks_of_all_kinds_chords_the_wheel_and_other_windows_are_followed(
    desktop: DesktopSession, runner: asyncio.Runner
) -> None:
    towns = [f"Town {number}" for number in range(40)]
    desktop.start("zenity", "--info", "--title=Other", "--text=Hello")
    desktop.start("zenity", "--list", "--title=Towns", "--height=300", "--column=Name", *towns)

    async def run() -> tuple[Deed, ...]:
        surface = await ManagedDesktop.open(open_parts(reader=None, merge=None))
        try:
            learner = Learner(surface)
            state = await learner.sees(lambda state: bool(named(state, "Town 2", "cell")))
            x, y = (str(round(one)) for one in named(state, "Town 2", "cell")[0].box.center)
            await surface.begin_teaching()
            await person("mousemove", x, y, "click", "3")
            await person("mousemove", x, y, "click", "5", "click", "5", "click", "4")
            await person("key", "ctrl+shift+a", "key", "F5")
            deeds = await surface.end_teaching()
            await surface.begin_teaching()
            await person("key", "alt+Tab")
            await learner.sees(lambda state: any(one.title == "Other" and one.is_active for one in state.windows))
            return (*deeds, *await surface.end_teaching())
        finally:
            await surface.close()

    deeds = told(runner.run(run()))
    assert [(kind, text) for kind, _, text, _ in deeds] == [
        ("right_click", ""),
        ("scroll", "60"),
        ("press", "Control+Shift+a"),
        ("press", "F5"),
        ("switch", "Zenity"),
    ]
    assert deeds[0][1] == deeds[1][1] == "Town 2"


def test_two_presses_of_one_control_are_one_step(desktop: DesktopSession, runner: asyncio.Runner) -> None:
    desktop.start("zenity", "--list", "--title=Towns", "--column=Name", "Paris", "Rome")

    async def run() -> tuple[Deed, ...]:
        surface = await ManagedDesktop.open(open_parts(reader=None, merge=None))
        try:
            learner = Learner(surface)
            state = await learner.sees(lambda state: bool(named(state, "Rome", "cell")))
            x, y = (str(round(one)) for one in named(state, "Rome", "cell")[0].box.center)
            await surface.begin_teaching()
            await person("mousemove", x, y)
            await asyncio.to_thread(press_twice, desktop.display)
            await learner.sees(lambda state: not state.windows)
            return tuple(await surface.end_teaching())
        finally:
            await surface.close()

    assert told(runner.run(run())) == [("double_click", "Rome", "", False)]
