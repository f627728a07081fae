"""Where paths lead, which are never touched, and names of what is fetched."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from operative_app.safety.paths import folder_of, is_granted, is_named, path_fault, safe_name

NAMES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "cases" / "download_names.json").read_text("utf-8")
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (tmp_path / "secret.txt").write_text("s")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / ".ssh").mkdir()
    (folder / ".ssh" / "id").write_text("k")
    return folder


@pytest.mark.parametrize(
    ("path", "is_in"),
    [
        ("a.txt", True),
        ("sub/new.txt", True),
        ("sub/../a.txt", True),
        ("", True),
        ("../secret.txt", False),
        ("sub/../../secret.txt", False),
        ("link.txt", False),
        ("up/secret.txt", False),
        ("up/work/a.txt", True),  # leads back in
        ("../work2/a.txt", False),
        (".ssh/id", False),
        (".ssh", False),
    ],
)
def test_links_and_dots_are_followed_before_comparing(work: Path, path: str, is_in: bool) -> None:
    assert is_granted(f"{work}/{path}", [str(work)]) is is_in


def test_a_private_place_can_be_granted_by_name(work: Path) -> None:
    assert is_granted(f"{work}/.ssh/id", [f"{work}/.ssh/id"])
    assert is_granted(f"{work}/.ssh/id", [f"{work}/.ssh"])


def test_a_file_that_is_granted_grants_nothing_beside_it(work: Path) -> None:
    assert is_granted(f"{work}/a.txt", [f"{work}/a.txt"])
    assert not is_granted(f"{work}/b.txt", [f"{work}/a.txt"])
    assert is_named(f"{work}/a.txt", [f"{work}/a.txt"])
    assert not is_named(f"{work}/a.txt", [str(work)])
    assert not is_named(str(work), [str(work)])


def test_the_home_sign_is_understood() -> None:
    assert is_granted("~/a/b.txt", ["~/a"])
    assert not is_granted("~/b.txt", ["~/a"])


def test_the_folder_to_allow_is_the_one_it_really_is_in(work: Path) -> None:
    assert folder_of(f"{work}/link.txt") == str(work.parent)
    assert folder_of(f"{work}/sub") == f"{work}/sub"


@pytest.mark.parametrize(
    "path",
    [
        "/dev/sda", "/dev/stdin", "/proc/self/environ", "/sys/power/state", "/tmp/../dev/mem", "/tmp/a\nb", "/tmp/a\0b",
        "/tmp/a\u202ecod.exe", "/tmp/a\u200b.txt", "a.txt", "../a.txt", "", "\\\\.\\PhysicalDrive0", "//./COM1",
        "C:\\a\\con.txt", "C:\\nul", "/data/COM1", "/data/lpt9.txt", "/data/com\u00b9", "C:\\a.txt:stream", "C:a.txt",
    ],
)  # fmt: skip
def test_what_is_never_touched(path: str) -> None:
    assert path_fault(path)


@pytest.mark.parametrize("path", ["/data/a.txt", "~/a.txt", "/data/конец.txt", "C:\\papers\\a.txt", "/data/con_t.txt"])
def test_ordinary_names_have_no_fault(path: str) -> None:
    assert path_fault(path) == ""


def test_pipes_and_links_to_devices_have_a_fault(work: Path) -> None:
    os.mkfifo(work / "pipe")
    (work / "null").symlink_to("/dev/null")
    assert path_fault(f"{work}/pipe")
    assert path_fault(f"{work}/null")
    assert path_fault(f"{work}/a.txt") == ""


@pytest.mark.parametrize("case", NAMES, ids=lambda case: repr(case["suggested"]))
def test_names_of_downloads_are_made_safe(case: dict[str, Any], tmp_path: Path) -> None:
    name = safe_name(case["suggested"])
    assert case["expect"] in {None, name}
    assert is_granted(f"{tmp_path}/{name}", [str(tmp_path)])
    assert path_fault(f"{tmp_path}/{name}") == ""
    assert name.strip(". ") != ""
    assert name == name.rstrip(". ")


@pytest.mark.parametrize(
    ("suggested", "stored"),
    [
        ("x" * 400 + ".tar.gz", None),
        ("ä" * 300 + ".pdf", None),
        ("a" * 300 + "." + "b" * 40, None),
        ("my..notes.txt", "my..notes.txt"),
    ],
    ids=["long", "wide", "long ending", "dots inside"],
)  # fmt: skip
def test_long_names_keep_their_ending_and_good_ones_stay(suggested: str, stored: str | None) -> None:
    name = safe_name(suggested)
    assert len(name.encode()) <= 200
    assert stored in {None, name}
    assert len(Path(suggested).suffix) > 20 or name.endswith(Path(suggested).suffix)
