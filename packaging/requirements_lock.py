"""Writes `requirements.lock`: every package Operative needs, pinned to the version that is installed here.

The lock starts at the dependencies in `pyproject.toml` (the extras `test` and `check` among them) and follows the
requirements of what is installed. It is installed without resolving anything, so it has to be complete, and a
package can be left out on purpose; `LEFT_OUT` names each with the reason.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "packaging" / "requirements.lock"
LEFT_OUT = {
    "evdev": "pynput's back end for consoles without X11; it has to be compiled, and Operative never uses it",
    "mouseinfo": "a tool beside pyautogui; importing it ends the program where tkinter is missing",
    "python3-xlib": "an old copy of python-xlib which overwrites its files; pynput needs the newer ones",
}
# What builds the packages that come as source. Building happens in the environment itself, with these versions.
BUILD_TOOLS = ("pip", "setuptools", "wheel", "hatchling", "editables")


class LockError(Exception):
    """The environment does not hold what `pyproject.toml` asks for."""


def declared(pyproject: Path) -> list[Requirement]:
    """Return the dependencies of the project, those of all its extras included."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    extras = project.get("optional-dependencies", {})
    return [Requirement(line) for line in [*project["dependencies"], *(e for ls in extras.values() for e in ls)]]


def pinned(lock: Path) -> dict[str, str]:
    """Return the versions in a lock file, by canonical name."""
    lines = (line.partition("#")[0].strip() for line in lock.read_text(encoding="utf-8").splitlines())
    pairs = (line.split("==") for line in lines if line)
    return {canonicalize_name(name): version for name, version in pairs}


def closure(requirements: list[Requirement]) -> dict[str, str]:
    """Return the installed version of each requirement and of everything below it, by name.

    Raises:
        LockError: One is not installed, or in a version that is not asked for.
    """
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(requirement, "") for requirement in requirements]
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in LEFT_OUT or (requirement.marker and not requirement.marker.evaluate({"extra": extra})):
            continue
        try:
            installed = distribution(requirement.name)
        except PackageNotFoundError as error:
            raise LockError(f"{requirement} is not installed.") from error
        if not requirement.specifier.contains(installed.version, prereleases=True):
            raise LockError(f"{requirement} is asked for, but {installed.version} is installed.")
        found[name] = installed.version
        for wanted in {"", *requirement.extras}:
            if (name, wanted) not in seen:
                seen.add((name, wanted))
                waiting += [(Requirement(line), wanted) for line in installed.requires or []]
    return found


def text(versions: dict[str, str]) -> str:
    """Return the content of a lock file."""
    return "".join(
        [
            "# Made by packaging/lock from a tested environment; do not edit. Left out on purpose:\n",
            *(f"#   {name}: {reason}\n" for name, reason in LEFT_OUT.items()),
            *(f"{name}=={version}\n" for name, version in sorted(versions.items())),
        ]
    )


def main() -> int:
    """Write the lock file, or with `--check` say whether it is current; returns the exit code."""
    parser = argparse.ArgumentParser(prog="packaging/lock", description="Pin what is installed in .venv.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when the lock is not current")
    arguments = parser.parse_args()
    build_tools = [Requirement(name) for name in BUILD_TOOLS]
    try:
        content = text(closure([*declared(ROOT / "pyproject.toml"), *build_tools]))
    except LockError as error:
        print(error, file=sys.stderr)
        return 1
    if arguments.check:
        if content == LOCK.read_text(encoding="utf-8"):
            return 0
        print("requirements.lock is not what is installed; run packaging/lock.", file=sys.stderr)
        return 1
    LOCK.write_text(content, encoding="utf-8")
    print(f"{LOCK.relative_to(ROOT)}: {len(content.splitlines())} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
