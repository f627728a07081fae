"""The marker secret in a program of the desktop: typed into its password field, repeated in red, told nowhere."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from operative_app.core.endpoint import KeySource
from operative_app.core.screen import ElementState
from operative_app.store.folders import app_folders
from operative_app.store.secret_book import SecretEntry, SecretStore
from tests.desktop_session import DesktopSession, end_programs_left, until
from tests.e2e.test_desktop_goals import run
from tests.security.test_marker_secret import MARKER, all_events, leaks_of, search
from tests.surfaces.desktop.seeing import Eyes

ECHOING = """
pw=$(zenity --password --title=Vault)
printf %s "$pw" > "$1"
red="<span foreground='#f00' size='x-large'>You typed ${pw%%&*}&amp;${pw#*&}</span>"
zenity --info --title=Echo --no-wrap --text="$red"
"""


@pytest.fixture
def eyes(desktop: DesktopSession) -> Iterator[Eyes]:
    eyes = Eyes(desktop.display)
    yield eyes
    eyes.close()


@pytest.fixture
def vault(eyes: Eyes, isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program that asks for a password and shows it afterwards; the file in which it leaves what it got."""
    monkeypatch.setenv("OPERATIVE_HOME", str(isolation / "home" / "operative"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("VAULT_PASSWORD", MARKER)
    got = isolation / "got.txt"
    asking = subprocess.Popen(["sh", "-c", ECHOING, "sh", str(got)], stdin=subprocess.DEVNULL)
    field = {ElementState.PASSWORD, ElementState.FOCUSED}
    eyes.read_until("Vault", lambda tree: any(field <= one.states for one in tree.elements))
    yield got
    asking.terminate()
    asking.wait(timeout=60)
    end_programs_left()


def save(*apps: str) -> None:
    entry = SecretEntry(name="vault", apps=apps, source=KeySource.ENVIRONMENT, variable="VAULT_PASSWORD")
    SecretStore(app_folders().create().config).save(entry)


def test_a_program_gets_its_own_secret_and_no_byte_and_no_picture_holds_it(vault: Path, eyes: Eyes) -> None:
    save("zenity")
    typed = run("Type {{secret:vault}}, then press OK", "--yes")
    assert typed["exit_code"] == 0, typed["reason"]
    assert until(lambda: vault.is_file() and vault.read_text(), what="the password") == MARKER
    eyes.read_until("Echo", lambda tree: any("You typed" in one.text for one in tree.texts))
    told = run("Tell me the text of the window", "--yes")
    assert told["exit_code"] == 0, told["reason"]
    assert "•••" in told["answer"]
    assert search(str(typed) + str(told)) == []
    folders = app_folders()
    found, pictures = leaks_of(folders.data.parent, folders.profile)
    assert found == []
    assert pictures > 1
    assert search(all_events(folders.data)) == []


def test_another_program_gets_nothing(vault: Path) -> None:
    save("keepassxc")
    refused = run("Type {{secret:vault}}", "--yes")
    assert refused["exit_code"] != 0
    assert "was saved for keepassxc and the field belongs to zenity" in refused["reason"]
    assert not vault.exists()
