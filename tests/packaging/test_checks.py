"""`packaging/test` runs every check, names those that fail, and ends with the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.machine import Machine

CHECKS = ("ruff check", "ruff format", "mypy", "import-linter", "vulture", "deptry")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.start("test")
    machine.calls()
    return machine


def test_all_checks_pass_and_arguments_reach_the_tests(machine: Machine) -> None:
    result = machine.start("test", "tests/core", "-k", "plan", PYTHON_DOES="[[ $2 != pytest ]] || echo 1 passed")
    assert result.returncode == 0
    assert [line.split(maxsplit=1)[0] for line in result.stdout.splitlines()[:-1]] == ["ok"] * len(CHECKS)
    assert result.stdout.splitlines()[-1] == "1 passed"
    assert machine.calls()[-1].endswith(" tests/core -k plan")


@pytest.mark.parametrize(("module", "name"), [("mypy", "mypy"), ("importlinter.cli", "import-linter")])
def test_a_failed_check_is_named_and_the_rest_still_runs(machine: Machine, module: str, name: str) -> None:
    does = f"[[ $2 != {module} ]] || {{ echo what is wrong; exit 1; }}; [[ $2 != pytest ]] || echo 1 passed"
    result = machine.start("test", PYTHON_DOES=does)
    lines = result.stdout.splitlines()
    assert result.returncode == 1
    assert "what is wrong" in lines
    assert f"Checks that failed: {name}" in lines
    assert lines[-1] == "1 passed"
    assert len(machine.calls()) == len(CHECKS) + 1


def test_failed_tests_decide_the_exit_code(machine: Machine) -> None:
    assert machine.start("test", PYTHON_DOES="[[ $2 != pytest ]] || exit 2").returncode == 2
