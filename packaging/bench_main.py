"""`packaging/bench`: measures what was promised about speed, and prints it.

Each measurement is a module `bench_<name>.py` with `measure(repeat: int) -> list[Series]`; it is found by its name.
That of `observe` also takes an address and another program to compare with.
No test asserts on the figures, because they belong to a machine: compare ratios.
"""

from __future__ import annotations

import argparse
import importlib
import sys

from bench_report import as_json, as_table
from bench_start import BenchError

MEASUREMENTS = {
    "acts": "what a click and a keystroke cost beyond the browser library's own call",
    "control": "how soon the agent gives way to a person's hand on mouse or keyboard",
    "desktop": "how long it takes to see the desktop and to act on it",
    "observe": "how long it takes to see a page, with its picture and the text for a model",
    "start": "process start to usable window",
    "steps": "what Operative adds to each step beyond page and planner time",
    "stop": "how long after the stop key something is still sent, also while the application hangs",
    "model-steps": "what Operative adds to each step when a model plans, the endpoint answering at once",
    "prompt": "how long a request to a model is, how much of it is new, and how long it takes to build",
    "window": "how long the window's thread is held up during a run",
}
STOP_PARTS = ("usual", "page", "desktop-hangs", "browser-hangs")
"""The parts of `stop`, for a computer that cannot be left alone long enough for all."""


def main() -> int:
    """Run one measurement; returns 0, 1 when it could not be measured, or 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="packaging/bench", description="Measure Operative on this machine.")
    commands = parser.add_subparsers(dest="measurement", required=True)
    for name, summary in MEASUREMENTS.items():
        command = commands.add_parser(name, help=summary, description=f"Measures {summary}.")
        command.add_argument("--json", action="store_true", help="print JSON instead of a table")
        command.add_argument("--repeat", type=_positive, default=7, metavar="N", help="how often (default: 7)")
        if name == "observe":
            command.add_argument("--url", default="", help="look at this page instead of generated ones")
        if name in {"observe", "prompt"}:
            command.add_argument("--peer", default="", choices=("browser-use",), help="compare with another program")
        if name == "stop":
            command.add_argument("--part", default="", choices=STOP_PARTS, help="one part of the trials alone")
    arguments = parser.parse_args()
    module = f"bench_{arguments.measurement.replace('-', '_')}"
    extra = {name: value for name in ("url", "peer", "part") if (value := getattr(arguments, name, ""))}
    try:
        series = importlib.import_module(module).measure(arguments.repeat, **extra)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        print(f"There is no measurement of {arguments.measurement} yet.", file=sys.stderr)
        return 1
    except BenchError as error:
        print(error, file=sys.stderr)
        return 1
    print(as_json(series) if arguments.json else as_table(series))
    return 0


def _positive(value: str) -> int:
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
