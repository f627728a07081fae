"""The lock is complete, and the documents name what is in it."""

from __future__ import annotations

import re

import pytest
import requirements_lock
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.machine import ROOT

DECLARED = requirements_lock.declared(ROOT / "pyproject.toml")
PINNED = requirements_lock.pinned(requirements_lock.LOCK)


HERE = [one for one in DECLARED if one.marker is None or one.marker.evaluate()]
"""Those of the system the lock is for."""


@pytest.mark.parametrize("requirement", HERE, ids=str)
def test_each_dependency_is_locked_in_a_version_it_allows(requirement: Requirement) -> None:
    assert requirement.specifier.contains(PINNED[canonicalize_name(requirement.name)])


def test_the_lock_holds_everything_below_the_dependencies_and_nothing_else() -> None:
    tools = [Requirement(name) for name in requirements_lock.BUILD_TOOLS]
    assert sorted(PINNED) == sorted(requirements_lock.closure([*DECLARED, *tools]))


def test_what_is_not_installed_cannot_be_locked() -> None:
    with pytest.raises(requirements_lock.LockError, match="no-such-package is not installed"):
        requirements_lock.closure([Requirement("no-such-package")])


def test_a_version_that_is_not_asked_for_cannot_be_locked() -> None:
    with pytest.raises(requirements_lock.LockError, match="is asked for"):
        requirements_lock.closure([Requirement("pytest<1")])


def test_the_lock_names_no_place_to_fetch_from() -> None:
    for line in requirements_lock.LOCK.read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z0-9-]+==[0-9a-z.]+", line)


@pytest.mark.parametrize("requirement", DECLARED, ids=str)
def test_each_dependency_has_its_reason(requirement: Requirement) -> None:
    rows = (ROOT / "packaging" / "DEPENDENCIES.md").read_text().splitlines()
    assert any(requirement.name in row.split("|")[1].replace(",", " ").split() for row in rows if "|" in row)
