"""The `operative` command: reads the command line, then hands over to the application.

Nothing heavy is imported before the arguments are known to be right, so `--version`, `--help` and wrong usage answer at
once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from operative_app.cli.exit_codes import FAILED, STOPPED, WRONG_USAGE
from operative_app.cli.parser import parse
from operative_app.core.errors import OperativeError, SettingsError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code.

    Args:
        argv: The arguments without the program's name; by default those of the process.
    """
    _open_standard_streams()
    try:
        options = parse(argv)
    except SystemExit as end:  # argparse has said everything
        return end.code if isinstance(end.code, int) else FAILED
    # pydantic would look through all installed packages for plugins at the start; none is used here.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from operative_app import app

        return app.main(options)
    except KeyboardInterrupt:  # before a command took over the signals
        return STOPPED
    except SettingsError as error:
        print(f"operative: {error}", file=sys.stderr)
        return WRONG_USAGE
    except OperativeError as error:
        print(f"operative: {error}", file=sys.stderr)
        return FAILED


def _open_standard_streams() -> None:
    """Give stdin, stdout and stderr that were closed by the caller a place to go.

    Else the next file opened, such as the database, would get their number, and what a child process prints with it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
    sys.stdin = sys.stdin or os.fdopen(0, "r", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


if __name__ == "__main__":
    sys.exit(main())
