"""The `operative` command: reads the command line, then hands over to the application.

Nothing heavy is imported before the arguments are known to be right, so `--version`, `--help` and wrong usage answer at
once.
"""

from __future__ import annotations

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
    try:
        options = parse(argv)
    except SystemExit as end:  # argparse has said everything
        return end.code if isinstance(end.code, int) else FAILED
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


if __name__ == "__main__":
    sys.exit(main())
