"""Installed programs are found by the names people use, in any language, and started with files in their places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from operative_app.core.errors import ActionError
from operative_app.surfaces.desktop.apps import DesktopEntries, command_line, read_entry

EDITOR = """[Desktop Entry]
Type=Application
Name=Inkpot
Name[de]=Tintenfass
Name[ja]=インク壺
GenericName=Text Editor
GenericName[de]=Texteditor
Exec=true --name %c %F
StartupWMClass=Inkpot-Window
"""
VIEWER = "[Desktop Entry]\nType=Application\nName=Lantern\nExec=true\n\n[Desktop Action new]\nName=Other\nExec=false\n"

Installed = Callable[[str, str], Path]


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    """Write a desktop entry into the one folder that is looked at."""
    folder = tmp_path / "share" / "applications"
    folder.mkdir(parents=True)

    def write(name: str, content: str) -> Path:
        (folder / name).write_text(content, encoding="utf-8")
        return folder / name

    return write


@pytest.fixture
def entries(tmp_path: Path, installed: Installed) -> DesktopEntries:
    installed("org.example.inkpot.desktop", EDITOR)
    installed("lantern.desktop", VIEWER)
    return entries_of(tmp_path)


def entries_of(place: Path, **variables: str) -> DesktopEntries:
    nowhere = str(place / "none")
    return DesktopEntries({"XDG_DATA_HOME": nowhere, "XDG_DATA_DIRS": str(place / "share"), **variables})


@pytest.mark.parametrize(
    "name",
    [
        "Inkpot",
        "inkpot",
        " INKPOT ",
        "Tintenfass",
        "インク壺",
        "org.example.inkpot",
        "text editor",
        "Texteditor",
        "Inkpto",
    ],
)
def test_program_is_found_by_any_name_people_use(entries: DesktopEntries, name: str) -> None:
    assert entries.find(name).name == "Inkpot"


def test_program_is_shown_in_the_language_of_the_session(tmp_path: Path, installed: Installed) -> None:
    installed("inkpot.desktop", EDITOR)
    assert entries_of(tmp_path, LANG="de_DE.UTF-8").find("inkpot").name == "Tintenfass"


def test_unknown_program_is_refused_with_close_names(entries: DesktopEntries) -> None:
    with pytest.raises(ActionError, match=r"No program “Inkpots and pens” is installed\. Close to it: “Inkpot”"):
        entries.find("Inkpots and pens")


def test_short_name_is_not_taken_for_another_program(entries: DesktopEntries) -> None:
    with pytest.raises(ActionError, match="No program “ink” is installed"):
        entries.find("ink")


@pytest.mark.parametrize(
    "content",
    [
        VIEWER.replace("Exec=true\n\n", "Exec=no-such-program-anywhere\n\n"),
        VIEWER.replace("Name=Lantern", "Name=Lantern\nHidden=true"),
        VIEWER.replace("Type=Application", "Type=Link"),
        VIEWER.replace("Exec=true\n\n", 'Exec=true "unclosed\n\n'),
        "no entry at all",
    ],
)
def test_entry_that_cannot_be_started_is_no_program(tmp_path: Path, installed: Installed, content: str) -> None:
    installed("lantern.desktop", content)
    with pytest.raises(ActionError, match="is installed"):
        entries_of(tmp_path).find("Lantern")


def test_program_that_is_shown_goes_before_a_hidden_one_of_the_same_name(tmp_path: Path, installed: Installed) -> None:
    installed("a.desktop", VIEWER.replace("Name=Lantern", "Name=Lantern\nNoDisplay=true"))
    shown = installed("b.desktop", VIEWER)
    assert entries_of(tmp_path).find("Lantern").id == str(shown)


def test_program_itself_goes_before_a_part_of_it_with_the_same_command(tmp_path: Path, installed: Installed) -> None:
    installed("a-preferences.desktop", "[Desktop Entry]\nName=Preferences\nExec=true --preferences\n")
    itself = installed("b.desktop", "[Desktop Entry]\nName=Inkpot\nExec=true %F\n")
    assert entries_of(tmp_path).find("true").id == str(itself)


def test_windows_may_go_by_class_command_or_name(entries: DesktopEntries) -> None:
    names = entries.find("Inkpot").window_names
    assert {"inkpot", "inkpot-window", "true", "tintenfass"} <= names


def test_files_take_the_place_of_the_field_code(installed: Installed) -> None:
    entry = read_entry(installed("inkpot.desktop", EDITOR))
    assert entry is not None
    assert command_line(entry, ["/a b", "/c"]) == ["true", "--name", "Inkpot", "/a b", "/c"]
    assert command_line(entry, []) == ["true", "--name", "Inkpot"]


def test_program_without_a_place_for_files_refuses_them(installed: Installed) -> None:
    entry = read_entry(installed("lantern.desktop", VIEWER))
    assert entry is not None
    with pytest.raises(ActionError, match="“Lantern” takes no files"):
        command_line(entry, ["/a"])


def test_started_program_runs_on_by_itself_and_its_end_is_noted(tmp_path: Path, installed: Installed) -> None:
    written = tmp_path / "written"
    installed("note.desktop", f'[Desktop Entry]\nName=Note\nExec=sh -c "pwd >{written}; exit 3"\n')
    programs = entries_of(tmp_path)
    started = programs.start(programs.find("Note"), [])
    started.wait(timeout_s=60)
    assert (started.exit_code(), written.read_text().strip()) == (3, str(Path.home()))
