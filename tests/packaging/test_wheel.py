"""What is delivered: the wheel holds everything the application reads at run time, and nothing that it does not."""

from __future__ import annotations

import email
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.packaging.machine import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "content")
    return zipfile.Path(built)


def delivered(wheel: zipfile.Path) -> set[str]:
    return {name for name in wheel.root.namelist() if not name.endswith("/")}


def files_below(folder: str) -> set[str]:
    """Return the files of a folder, without what Python leaves there."""
    found = (path for path in (ROOT / folder).rglob("*") if path.is_file() and path.parent.name != "__pycache__")
    return {path.relative_to(ROOT).as_posix() for path in found}


def test_code_resources_and_prompts_are_delivered(wheel: zipfile.Path) -> None:
    resources = {name for name in files_below("resources") if not name.startswith("resources/screenshots/")}
    wanted = files_below("operative_app") | {f"operative_app/{name}" for name in resources | files_below("prompts")}
    assert wanted
    assert wanted - delivered(wheel) == set()


def test_pictures_of_the_window_and_tests_are_not_delivered(wheel: zipfile.Path) -> None:
    assert [name for name in delivered(wheel) if "screenshots" in name or "tests" in Path(name).parts] == []


def test_the_command_and_the_licence_are_declared(wheel: zipfile.Path) -> None:
    (info,) = (folder for folder in wheel.iterdir() if folder.name.endswith(".dist-info"))
    metadata = email.message_from_string((info / "METADATA").read_text(encoding="utf-8"))
    assert (metadata["Name"], metadata["License-Expression"]) == ("operative", "MIT")
    assert "operative = operative_app.__main__:main" in (info / "entry_points.txt").read_text(encoding="utf-8")
