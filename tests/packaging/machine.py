"""A machine for the set-up scripts: a copy of them, and a PATH which holds only what the test puts there.

The scripts run for real. What would change the machine (apt-get, sudo, pip) is a small program which writes down how
it was called.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import textwrap
from pathlib import Path

from tests.leftovers import MARK_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
TOOLS = (
    *("bash", "cat", "comm", "dirname", "env", "flock", "grep", "mkdir", "mkfifo", "mktemp", "rm", "sed"),
    *("setpriv", "sh", "sha256sum", "sleep", "sort", "uname"),
)
SCRIPTS = ("run", "setup.sh", "test", "with-display")
LIMIT_S = 60


class Machine:
    """A fresh Debian machine in a folder; the user is root, nothing is installed but Python."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a project" / "operative"
        self.path = folder / "path"
        self.log = folder / "calls"
        self.installed = folder / "installed"
        self.environment = {
            "PATH": str(self.path),
            "HOME": str(folder),
            "TMPDIR": os.environ["TMPDIR"],
            MARK_VARIABLE: os.environ[MARK_VARIABLE],
            "CALLS": str(self.log),
            "INSTALLED": str(self.installed),
        }
        (self.root / "packaging").mkdir(parents=True)
        self.path.mkdir()
        self.log.touch()
        self.installed.touch()
        for script in SCRIPTS:
            shutil.copy(ROOT / "packaging" / script, self.root / "packaging")
        self.write_lock("six==1.17.0")
        (self.root / "pyproject.toml").write_text("[project]\n")
        for tool in TOOLS:
            self.link(tool)
        self.program("id", "echo 0")
        self.program(
            "dpkg-query",
            """
            for name in "${@:4}"; do
                if grep -qx "$name" "$INSTALLED"; then echo "installed $name"; else echo "config-files $name"; fi
            done
            exit 1
            """,
        )
        self.program(
            "apt-get",
            """
            echo "apt-get $*" >>"$CALLS"
            [[ $* == *install* ]] && printf '%s\\n' "$@" >>"$INSTALLED"
            exit 0
            """,
        )
        # Makes an environment of two programs which write down their calls.
        self.program(
            "python3.11",
            """
            [[ $1 == -m ]] || exit 0
            mkdir -p "$4/bin"
            printf '#!/bin/bash\\n%s\\n' 'echo "python $*" >>"$CALLS"; eval "${PYTHON_DOES:-}"' >"$4/bin/python"
            printf '#!/bin/bash\\n%s\\n' \
                'printf "operative" >>"$CALLS"; printf " <%s>" "$@" >>"$CALLS"; echo >>"$CALLS"
                 eval "${OPERATIVE_DOES:-}"' >"$4/bin/operative"
            chmod +x "$4/bin/python" "$4/bin/operative"
            """,
        )
        self.link("chmod")

    def link(self, tool: str) -> None:
        """Let the machine have a real program of this one."""
        found = shutil.which(tool)
        assert found, f"{tool} is not installed"
        (self.path / tool).symlink_to(found)

    def program(self, name: str, body: str) -> None:
        """Let the machine have a program made of these lines of bash."""
        (self.path / name).unlink(missing_ok=True)
        (self.path / name).write_text("#!/bin/bash\n" + textwrap.dedent(body))
        (self.path / name).chmod(0o755)

    def write_lock(self, *lines: str) -> None:
        """Replace the lock file."""
        content = "\n".join(["pip==26.0", *lines, ""])
        (self.root / "packaging" / "requirements.lock").write_text(content)

    def command(self, script: str, *arguments: str) -> list[str]:
        """Return the command that starts a script of the machine."""
        return [str(self.path / "bash"), str(self.root / "packaging" / script), *arguments]

    def start(self, script: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a script to its end, from a folder that is not the project's."""
        return subprocess.run(
            self.command(script, *arguments),
            cwd=self.path,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )

    def calls(self) -> list[str]:
        """Return what was called since the last time, one line for each call."""
        lines = self.log.read_text().splitlines()
        self.log.write_text("")
        return lines
