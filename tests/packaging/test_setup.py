"""What `packaging/run` does on a fresh machine, on one that is set up, and on one where it may not install."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.packaging.machine import ROOT, SCRIPTS, Machine

APT = "apt-get -q -o DPkg::Lock::Timeout=300"
WITH_DISPLAY = {"DISPLAY": ":9"}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def is_installed_again(machine: Machine) -> bool:
    installations = [call for call in machine.calls() if " -m pip " in call]
    return len(installations) == 3


@pytest.mark.parametrize("script", [*SCRIPTS, "bench", "lock"])
def test_each_script_is_valid_bash(script: str) -> None:
    subprocess.run(["bash", "-n", str(ROOT / "packaging" / script)], check=True)


def test_a_fresh_machine_gets_system_packages_then_python_packages_then_the_window(machine: Machine) -> None:
    result = machine.start("run", **WITH_DISPLAY)
    calls = machine.calls()
    assert result.returncode == 0, result.stderr
    assert calls[0] == f"{APT} update"
    assert calls[1].startswith(f"{APT} install -y --no-install-recommends ")
    assert {"chromium", "libxcb-cursor0"} <= set(calls[1].split())
    pip = "python -m pip --disable-pip-version-check --no-input install --quiet"
    lock = machine.root / "packaging" / "requirements.lock"
    assert calls[2:] == [
        f"{pip} --upgrade pip==26.0",
        f"{pip} --no-deps --no-build-isolation --requirement {lock}",
        f"{pip} --no-deps --no-build-isolation --editable {machine.root}",
        "operative <window>",
    ]


def test_a_second_start_installs_nothing(machine: Machine) -> None:
    machine.start("run", **WITH_DISPLAY)
    machine.calls()
    assert machine.start("run", **WITH_DISPLAY).stderr == ""
    assert machine.calls() == ["operative <window>"]


def test_a_changed_lock_or_project_is_installed_again(machine: Machine) -> None:
    machine.start("run", **WITH_DISPLAY)
    for change in (
        lambda: machine.write_lock("six==1.18.0"),
        lambda: (machine.root / "pyproject.toml").write_text("[project]\nname='other'\n"),
    ):
        machine.calls()
        change()
        machine.start("run", **WITH_DISPLAY)
        assert is_installed_again(machine)


def test_an_installation_that_failed_is_said_and_tried_again(machine: Machine) -> None:
    failed = machine.start("run", PYTHON_DOES="[[ $* == *--editable* ]] && exit 1; exit 0", **WITH_DISPLAY)
    assert failed.returncode == 1
    assert "Python packages could not be installed" in failed.stderr
    assert not any(call.startswith("operative") for call in machine.calls())
    assert machine.start("run", **WITH_DISPLAY).returncode == 0
    assert is_installed_again(machine)


def test_a_project_that_was_moved_is_installed_again(machine: Machine) -> None:
    machine.start("run", **WITH_DISPLAY)
    machine.calls()
    machine.root = machine.root.rename(machine.root.with_name("moved"))
    machine.start("run", **WITH_DISPLAY)
    assert any(call.endswith(f"--editable {machine.root}") for call in machine.calls())


def test_without_a_display_the_virtual_one_is_installed_too(machine: Machine) -> None:
    machine.start("run", **WITH_DISPLAY)
    assert not {"xvfb", "openbox"} & set(machine.installed.read_text().split())
    machine.start("run")
    assert {"xvfb", "openbox"} <= set(machine.installed.read_text().split())


def test_a_browser_that_is_there_is_used(machine: Machine) -> None:
    machine.program("google-chrome", "exit 0")
    machine.start("run", **WITH_DISPLAY)
    assert "chromium" not in machine.installed.read_text().split()


def test_who_may_not_install_gets_the_one_command_to_type(machine: Machine) -> None:
    machine.program("id", "echo 1000")
    result = machine.start("run", **WITH_DISPLAY)
    lines = [line.strip() for line in result.stderr.splitlines() if "apt-get" in line]
    assert result.returncode == 1
    assert len(lines) == 1
    assert lines[0].startswith("sudo apt-get update && sudo apt-get install -y --no-install-recommends ")
    assert machine.calls() == []


def test_sudo_that_asks_for_a_password_is_not_used(machine: Machine) -> None:
    machine.program("id", "echo 1000")
    machine.program("sudo", '[[ $* == "-n "* ]] && exit 1; echo "sudo asked" >>"$CALLS"')
    assert machine.start("run", **WITH_DISPLAY).returncode == 1
    assert machine.calls() == []


def test_sudo_without_a_password_installs(machine: Machine) -> None:
    machine.program("id", "echo 1000")
    machine.program("sudo", 'shift; [[ $1 == true ]] || echo sudo >>"$CALLS"; [[ $1 == true ]] || exec "$@"')
    assert machine.start("run", **WITH_DISPLAY).returncode == 0
    assert machine.calls()[:3] == ["sudo", f"{APT} update", "sudo"]


def test_apt_that_fails_stops_the_set_up_with_a_reason(machine: Machine) -> None:
    machine.program("apt-get", "exit 100")
    result = machine.start("run", **WITH_DISPLAY)
    assert result.returncode == 1
    assert "apt-get update" in result.stderr
    assert machine.calls() == []


def test_a_python_without_venv_asks_for_its_package(machine: Machine) -> None:
    machine.program("python3.11", "[[ $* == *ensurepip* ]] && exit 1; exit 0")
    machine.program("id", "echo 1000")
    result = machine.start("run", **WITH_DISPLAY)
    assert result.returncode == 1
    assert "python3-venv" in result.stderr


def test_a_python_that_is_too_old_asks_for_another(machine: Machine) -> None:
    machine.program("python3.11", "exit 1")
    machine.program("id", "echo 1000")
    result = machine.start("run", **WITH_DISPLAY)
    assert result.returncode == 1
    assert {"python3", "python3-venv"} <= set(result.stderr.split())
