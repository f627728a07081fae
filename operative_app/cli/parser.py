"""Reads the command line. Wrong usage is answered with one sentence and exit code 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from operative_app import __version__
from operative_app.cli.exit_codes import WRONG_USAGE
from operative_app.cli.options import (
    APIS,
    CALLS,
    DEFAULT_OVERSIGHT,
    GRIDS,
    OVERSIGHTS,
    PICTURE_USES,
    PLANNERS,
    SURFACES,
    ActionsOptions,
    LookOptions,
    Options,
    PolicyOptions,
    PracticeOptions,
    PricesOptions,
    RunOptions,
    RunsOptions,
    SecretsOptions,
    SecretsTask,
    WindowOptions,
)
from operative_app.core.outside import harmless_line

PRACTICE = "practice:"
DESKTOP = "desktop"
_EPILOG = """\
exit codes:
  0  done
  1  failed, not understood or not verified
  2  wrong usage
  3  stopped
  4  a person is needed and none is there

Wherever a URL is accepted, practice:shop, practice:flights and so on name a page of the practice site.
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, and where to read more."""

    def error(self, message: str) -> NoReturn:
        sentence = " ".join(message.split()).removeprefix("argument ")
        sentence = sentence[:1].upper() + sentence[1:]
        ending = "" if sentence.endswith((".", "!", "?")) else "."
        self.exit(WRONG_USAGE, f"operative: {sentence}{ending} “{self.prog} --help” tells how it is used.\n")


def parse(arguments: Sequence[str] | None = None) -> Options:
    """Read the arguments, by default those of the process.

    Raises:
        SystemExit: 2 after wrong usage, 0 after `--help` and `--version`; everything was said.
    """
    parser = _parser()
    given = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    match given.command:
        case "run":
            if given.surface == "desktop" and (given.url or given.cdp_url or given.headless):
                given.run_parser.error("--url, --cdp-url and --headless are for the browser, not for the desktop")
            if given.surface == "desktop" and (given.allow is not None or given.deny):
                given.run_parser.error(
                    "--allow and --deny are for the browser; programs of the desktop are not limited"
                )
            _check_planner(given)
            return RunOptions(
                goal=_goal(given.run_parser, given.goal),
                url=given.url or "",
                surface=given.surface,
                oversight=given.oversight,
                yes=given.yes,
                headless=given.headless,
                cdp_url=given.cdp_url or "",
                max_steps=given.max_steps,
                json=given.json,
                record=given.record,
                planner=given.planner or ("model" if given.base_url or given.model else ""),
                base_url=given.base_url or "",
                model=given.model or "",
                key_env=given.key_env or "",
                summary_model=given.summary_model or "",
                pictures=given.pictures or "",
                grid=given.grid or "",
                context_tokens=given.context,
                api=given.api or "",
                asked=tuple(given.asked),
                not_asked=tuple(given.not_asked),
                max_minutes=given.max_minutes,
                max_tokens=given.max_tokens,
                max_cost=given.max_cost,
                hand_off_minutes=given.hand_off_minutes,
                answer_minutes=given.answer_minutes,
                allow=None if given.allow is None else tuple(given.allow),
                deny=tuple(given.deny),
            )
        case "window":
            if given.demo and given.goal is not None:
                given.run_parser.error("--demo has a goal of its own; give either --demo or --goal")
            if given.surface == "desktop" and (given.url or given.demo):
                given.run_parser.error("--url and --demo are for the browser, not for the desktop")
            return WindowOptions(
                goal="" if given.goal is None else _goal(given.run_parser, [given.goal]),
                demo=given.demo,
                url=given.url or "",
                out=given.out,
                quit_when_done=given.quit_when_done,
                surface=given.surface,
                yes=given.yes,
                ready_file=given.ready_file,
            )
        case "practice":
            return PracticeOptions(port=given.port)
        case "prices":
            return PricesOptions()
        case "runs":
            return RunsOptions(json=given.json)
        case "policy":
            allow = None if given.allow is None else tuple(given.allow)
            return PolicyOptions(url=_judged_url(given.url), allow=allow, deny=tuple(given.deny), json=given.json)
        case "secrets":
            return SecretsOptions(
                task=SecretsTask(given.task),
                name=getattr(given, "name", ""),
                sites=tuple(getattr(given, "site", ())),
                apps=tuple(getattr(given, "app", ())),
                variable=getattr(given, "env", ""),
                keeps_value=getattr(given, "keep_value", False),
                json=getattr(given, "json", False),
            )
        case "actions":
            return ActionsOptions(json=given.json)
        case "look":
            return LookOptions(url=given.where, json=given.json, picture=given.picture)
        case _:
            return WindowOptions()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="operative",
        description="Type a goal, watch the plan, and let it be carried out. Without a command the window opens.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"operative {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=_Parser)
    _add_run(commands)
    _add_window(commands)
    _add_practice(commands)
    _add_runs(commands)
    _add_prices(commands)
    _add_policy(commands)
    _add_secrets(commands)
    _add_actions(commands)
    _add_look(commands)
    return parser


_Commands = argparse._SubParsersAction  # the type of what add_subparsers returns has no public name


def _add_run(commands: _Commands[_Parser]) -> None:
    run = commands.add_parser("run", help="carry out a goal without a window", allow_abbrev=False)
    run.set_defaults(run_parser=run)
    run.add_argument("goal", nargs="+", metavar="GOAL", help="what is to be done, in ordinary words")
    run.add_argument("--url", type=_url, help="where to begin; by default the current page")
    run.add_argument("--surface", choices=SURFACES, default="browser", help="where to act (default: browser)")
    run.add_argument(
        "--oversight", choices=OVERSIGHTS, default=DEFAULT_OVERSIGHT, help="when to ask (default: risky steps)"
    )
    run.add_argument("--yes", action="store_true", help="approve what is asked; sign-ins and files still need a person")
    run.add_argument("--headless", action="store_true", help="use a browser that is not shown")
    run.add_argument(
        "--cdp-url",
        type=_cdp_url,
        metavar="URL",
        help="use a browser that is open, at its debugging address",
    )
    run.add_argument(
        "--max-steps", type=_count, metavar="N", help="stop after N steps (default: that of the settings, 60)"
    )
    run.add_argument(
        "--planner",
        choices=PLANNERS,
        help="who plans; by default the model of the settings, or the built-in planner when none is set there",
    )
    run.add_argument("--base-url", metavar="URL", help="the model's endpoint, such as http://localhost:11434/v1")
    run.add_argument("--model", metavar="NAME", help="the model's name there")
    run.add_argument("--key-env", metavar="VAR", help="the environment variable that holds the endpoint's key")
    run.add_argument("--summary-model", metavar="NAME", help="another model there that sums up old steps and the run")
    run.add_argument("--pictures", choices=PICTURE_USES, help="when a model that sees gets the picture of the screen")
    run.add_argument("--grid", choices=GRIDS, help="how it counts places in a picture: in pixels, or on a grid")
    run.add_argument("--context", type=_count, metavar="TOKENS", help="use no more than this of the model's context")
    run.add_argument("--api", choices=APIS, help="the wire format, where the best one is not found by itself")
    run.add_argument(
        "--ask",
        dest="asked",
        action="append",
        choices=CALLS,
        default=[],
        help="ask the model this too, besides the one question for each step; may be given more than once",
    )
    run.add_argument(
        "--no-ask",
        dest="not_asked",
        action="append",
        choices=CALLS,
        default=[],
        help="do not ask the model this; may be given more than once",
    )
    run.add_argument("--max-minutes", type=_amount, metavar="N", help="stop after N minutes")
    run.add_argument("--max-tokens", type=_count, metavar="N", help="stop after N tokens sent and received")
    run.add_argument("--max-cost", type=_amount, metavar="DOLLARS", help="stop after spending that much on the model")
    run.add_argument(
        "--allow",
        action="append",
        metavar="PATTERN",
        help="touch no site but this one: example.com, *.example.com, example.com:8443; may be given more than once",
    )
    run.add_argument(
        "--deny",
        action="append",
        default=[],
        metavar="PATTERN",
        help="never touch this site; may be given more than once",
    )
    run.add_argument(
        "--hand-off-minutes",
        type=_amount,
        metavar="N",
        help="wait N minutes for what only you can do, such as signing in (default: 10)",
    )
    run.add_argument(
        "--answer-minutes",
        type=_amount,
        metavar="N",
        help="wait N minutes for an answer before what is asked counts as not approved (default: 10)",
    )
    run.add_argument("--json", action="store_true", help="print events as JSON, one a line")
    run.add_argument("--record", type=_folder, metavar="DIR", help="write a report, the steps and the events there")


def _add_window(commands: _Commands[_Parser]) -> None:
    window = commands.add_parser("window", help="open the window", allow_abbrev=False)
    window.set_defaults(run_parser=window)
    window.add_argument("--goal", metavar="TEXT", help="type this goal and run it")
    window.add_argument("--demo", action="store_true", help="carry out the demonstration goal on the practice site")
    window.add_argument("--url", type=_url, help="where the goal begins")
    window.add_argument("--surface", choices=SURFACES, default="browser", help="where to act (default: browser)")
    window.add_argument("--out", type=_folder, metavar="DIR", help="leave step log, report and pictures there")
    window.add_argument("--quit-when-done", action="store_true", help="close the window after the goal")
    window.add_argument("--yes", action="store_true", help="approve what is asked")
    window.add_argument("--ready-file", type=Path, metavar="PATH", help="write the clock there once it can be used")


def _add_practice(commands: _Commands[_Parser]) -> None:
    practice = commands.add_parser("practice", help="serve the practice site", allow_abbrev=False)
    practice.add_argument("--port", type=_port, default=0, metavar="N", help="serve there (default: a free port)")


def _add_prices(commands: _Commands[_Parser]) -> None:
    commands.add_parser(
        "prices", help="make your own copy of the file of token prices, and tell where it is", allow_abbrev=False
    )


def _add_runs(commands: _Commands[_Parser]) -> None:
    runs = commands.add_parser("runs", help="list the recorded runs", allow_abbrev=False)
    runs.add_argument("--json", action="store_true", help="print them as JSON, one a line")


def _add_policy(commands: _Commands[_Parser]) -> None:
    policy = commands.add_parser("policy", help="ask what the policy says", allow_abbrev=False)
    questions = policy.add_subparsers(metavar="QUESTION", required=True, parser_class=_Parser)
    explain = questions.add_parser(
        "explain", help="whether an address may be opened, by which rule and why (exit 0 or 1)", allow_abbrev=False
    )
    explain.add_argument("url", metavar="URL", help="the address, as a page or a person writes it")
    explain.add_argument(
        "--allow",
        action="append",
        metavar="PATTERN",
        help="a site that may be opened: example.com, *.example.com, example.com:8443; without one there is no limit",
    )
    explain.add_argument("--deny", action="append", default=[], metavar="PATTERN", help="a site that may not be opened")
    explain.add_argument("--json", action="store_true", help="print the verdict as JSON")


def _add_secrets(commands: _Commands[_Parser]) -> None:
    secrets = commands.add_parser(
        "secrets", help="passwords kept for sites and programs, told to no planner", allow_abbrev=False
    )
    tasks = secrets.add_subparsers(dest="task", metavar="TASK", required=True, parser_class=_Parser)
    listed = tasks.add_parser("list", help="list their names and where each may be used", allow_abbrev=False)
    listed.add_argument("--json", action="store_true", help="print them as JSON, one a line")
    kept = tasks.add_parser(
        "set",
        help="save one, or change it; its value is asked for, or read from the standard input",
        allow_abbrev=False,
    )
    kept.add_argument("name", metavar="NAME", help="how a goal names it: {{secret:NAME}}")
    kept.add_argument(
        "--site",
        action="append",
        default=[],
        metavar="PATTERN",
        help="a site it may be used on: example.com, *.example.com; may be given more than once",
    )
    kept.add_argument(
        "--app",
        action="append",
        default=[],
        metavar="PROGRAM",
        help="a program of the desktop it may be used in, by the name of its executable; may be given more than once",
    )
    kept.add_argument("--env", default="", metavar="VAR", help="an environment variable holds the value, no keyring")
    kept.add_argument("--keep-value", action="store_true", help="change only where it may be used")
    removed = tasks.add_parser("remove", help="remove one, from the keyring too", allow_abbrev=False)
    removed.add_argument("name", metavar="NAME", help="its name")


_OF_MODELS = {
    "summary_model": "--summary-model", "pictures": "--pictures", "grid": "--grid", "context": "--context",
    "api": "--api", "asked": "--ask", "not_asked": "--no-ask",
}  # fmt: skip


def _check_planner(given: argparse.Namespace) -> None:
    if given.planner == "builtin" and (given.base_url or given.model or given.key_env):
        given.run_parser.error("--base-url, --model and --key-env belong to --planner model")
    if bool(given.base_url) is not bool(given.model):
        given.run_parser.error("an endpoint needs both --base-url and --model")
    if given.key_env and not given.base_url:
        given.run_parser.error("--key-env belongs to --base-url and --model")
    typed = [name for name in _OF_MODELS if getattr(given, name)]
    if given.planner == "builtin" and typed:
        given.run_parser.error(f"{_OF_MODELS[typed[0]]} belongs to --planner model")
    if both := sorted(set(given.asked) & set(given.not_asked)):
        given.run_parser.error(f"{both[0]} cannot be both asked and not asked")


def _add_actions(commands: _Commands[_Parser]) -> None:
    actions = commands.add_parser("actions", help="list what can be done, with parameters", allow_abbrev=False)
    actions.add_argument("--json", action="store_true", help="print them as one JSON array")


def _add_look(commands: _Commands[_Parser]) -> None:
    look = commands.add_parser("look", help="print what the agent sees on a page or the desktop", allow_abbrev=False)
    look.add_argument("where", type=_url_or_desktop, metavar="URL|desktop", help="the page, or the word desktop")
    look.add_argument("--json", action="store_true", help="print all of it as JSON")
    look.add_argument("--picture", type=_picture_file, metavar="FILE", help="write the picture with its numbers there")


def _goal(parser: argparse.ArgumentParser, words: Sequence[str]) -> str:
    goal = harmless_line(" ".join(words))
    if not goal:
        parser.error("the goal is empty; type what is to be done")
    return goal


def _url(text: str) -> str:
    from operative_app.core.errors import SettingsError
    from operative_app.safety.addresses import completed_url

    if text.strip().lower().startswith(PRACTICE):
        return text.strip()
    try:
        return completed_url(text)
    except SettingsError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _judged_url(text: str) -> str:
    """Completed as for a run; what cannot be completed stays as typed, for the policy to say what is wrong."""
    try:
        return _url(text)
    except argparse.ArgumentTypeError:
        return text


def _url_or_desktop(text: str) -> str:
    """The complete URL, "" for the desktop."""
    return "" if text.strip().lower() == DESKTOP else _url(text)


def _picture_file(text: str) -> Path:
    path = Path(text).expanduser()
    if path.suffix.lower() not in {".jpg", ".jpeg", ".png"}:
        raise argparse.ArgumentTypeError(f"“{text}” is no picture file; its name ends in .jpg or .png.")
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"“{text}” cannot be written: there is no such folder.")
    return path


def _cdp_url(text: str) -> str:
    try:
        parts = urlsplit(text.strip())
        is_address = parts.scheme in {"http", "https", "ws", "wss"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise argparse.ArgumentTypeError(
            f"“{text}” is not the address of an open browser; it looks like http://127.0.0.1:9222."
        )
    return text.strip()


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 1_000_000_000:
        raise argparse.ArgumentTypeError(f"“{text}” is not a limit; it is a whole number from 1 up.")
    return int(text)


def _amount(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = 0.0
    if not 0 < amount < 1e9:
        raise argparse.ArgumentTypeError(f"“{text}” is not a limit; it is a number above 0, such as 2.5.")
    return amount


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"“{text}” is not a port; it is a whole number from 0 to 65535.")
    return int(text)


def _folder(text: str) -> Path:
    folder = Path(text).expanduser()
    if not text.strip() or (folder.exists() and not folder.is_dir()):
        raise argparse.ArgumentTypeError(f"“{text}” is not a folder.")
    return folder
