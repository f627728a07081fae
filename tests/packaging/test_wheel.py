"""What is delivered: the wheel holds everything the application reads at run time, and nothing that it does not."""

from __future__ import annotations

import email
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.packaging.machine import ROOT


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project which has at least one file of each kind."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("operative_app", "prompts", "resources"):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    for name in ("prompts/planted.md", "resources/planted/page.html", "resources/screenshots/planted.png"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("planted")
    return folder


@pytest.fixture(scope="module")
def wheel(project: Path) -> zipfile.Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", "dist"],
        cwd=project,
        check=True,
        capture_output=True,
    )
    (built,) = (project / "dist").glob("*.whl")
    return zipfile.Path(built)


def files_below(project: Path, folder: str) -> set[str]:
    return {path.relative_to(project).as_posix() for path in (project / folder).rglob("*") if path.is_file()}


def test_code_resources_and_prompts_are_delivered_and_pictures_of_the_window_are_not(
    project: Path, wheel: zipfile.Path
) -> None:
    resources = files_below(project, "resources") - files_below(project, "resources/screenshots")
    others = {f"operative_app/{name}" for name in resources | files_below(project, "prompts")}
    delivered = {name for name in wheel.root.namelist() if not name.endswith("/")}
    information = {name for name in delivered if name.split("/")[0].endswith(".dist-info")}
    assert delivered - information == files_below(project, "operative_app") | others


def test_the_command_and_the_licence_are_declared(wheel: zipfile.Path) -> None:
    (info,) = (folder for folder in wheel.iterdir() if folder.name.endswith(".dist-info"))
    metadata = email.message_from_string((info / "METADATA").read_text(encoding="utf-8"))
    assert (metadata["Name"], metadata["License-Expression"]) == ("operative", "MIT")
    assert "operative = operative_app.__main__:main" in (info / "entry_points.txt").read_text(encoding="utf-8")
