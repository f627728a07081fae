from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from operative_app import __version__
from operative_app.cli.options import (
    APIS,
    CALLS,
    DEFAULT_MAX_STEPS,
    GRIDS,
    OVERSIGHTS,
    PICTURE_USES,
    SURFACES,
    Options,
    PracticeOptions,
    PricesOptions,
    RunOptions,
    RunsOptions,
    WindowOptions,
)
from operative_app.cli.parser import parse
from operative_app.core.coordinates import Grid
from operative_app.core.endpoint import Api, ModelWays, PictureUse
from operative_app.core.run import DEFAULT_MAX_STEPS as CORE_MAX_STEPS
from operative_app.core.run import Oversight
from operative_app.core.screen import SurfaceKind


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ([], WindowOptions()),
        (["window"], WindowOptions()),
        (
            [
                "window",
                "--goal",
                "buy",
                "--url",
                "shop.example",
                "--out",
                "o",
                "--quit-when-done",
                "--yes",
                "--ready-file",
                "r",
            ],
            WindowOptions(
                goal="buy",
                url="https://shop.example",
                out=Path("o"),
                quit_when_done=True,
                yes=True,
                ready_file=Path("r"),
            ),
        ),
        (["window", "--demo"], WindowOptions(demo=True)),
        (["run", "buy  a\nMac mini"], RunOptions(goal="buy a Mac mini")),
        (["run", "--yes", "buy", "a", "Mac", "mini"], RunOptions(goal="buy a Mac mini", yes=True)),
        (["run", "--", "--goal"], RunOptions(goal="--goal")),
        (
            [
                "run",
                "x",
                "--url",
                "practice:shop",
                "--oversight",
                "every",
                "--yes",
                "--headless",
                "--cdp-url",
                "http://127.0.0.1:9222",
                "--max-steps",
                "7",
                "--json",
                "--record",
                "d",
            ],
            RunOptions(
                goal="x",
                url="practice:shop",
                oversight="every",
                yes=True,
                headless=True,
                cdp_url="http://127.0.0.1:9222",
                max_steps=7,
                json=True,
                record=Path("d"),
            ),
        ),
        (["run", "x", "--surface", "desktop"], RunOptions(goal="x", surface="desktop")),
        (["run", "x", "--planner", "builtin"], RunOptions(goal="x", planner="builtin")),
        (
            ["run", "x", "--planner", "model", "--base-url", "localhost:1/v1", "--model", "m", "--key-env", "K"],
            RunOptions(goal="x", planner="model", base_url="localhost:1/v1", model="m", key_env="K"),
        ),
        (
            ["run", "x", "--summary-model", "s", "--pictures", "never", "--ask", "perception", "--no-ask", "summary"],
            RunOptions(goal="x", summary_model="s", pictures="never", asked=("perception",), not_asked=("summary",)),
        ),
        (
            ["run", "x", "--grid", "0-1000", "--context", "8192", "--api", "responses"],
            RunOptions(goal="x", grid="0-1000", context_tokens=8192, api="responses"),
        ),
        (["prices"], PricesOptions()),
        (
            ["run", "x", "--max-minutes", "2.5", "--max-tokens", "9000", "--max-cost", "0.1"],
            RunOptions(goal="x", max_minutes=2.5, max_tokens=9000, max_cost=0.1),
        ),
        (["run", "x", "--url", "about:blank"], RunOptions(goal="x", url="about:blank")),
        (["run", "x", "--url", "localhost:8000/a"], RunOptions(goal="x", url="http://localhost:8000/a")),
        (["practice"], PracticeOptions()),
        (["practice", "--port", "8000"], PracticeOptions(port=8000)),
        (["runs", "--json"], RunsOptions(json=True)),
    ],
)
def test_what_is_typed_becomes_options(line: list[str], options: Options) -> None:
    assert parse(line) == options


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (["frobnicate"], "'frobnicate'"),
        (["run"], "GOAL"),
        (["run", ""], "The goal is empty"),
        (["run", "  ", "\n"], "The goal is empty"),
        (["run", "\u200b", "\ufeff"], "The goal is empty"),
        (["window", "--goal", " "], "The goal is empty"),
        (["window", "--demo", "--goal", "x"], "either --demo or --goal"),
        (["run", "x", "--url", ""], "--url: “” is not a web address."),
        (["run", "x", "--url", "javascript:alert(1)"], "only http and https addresses are"),
        (["run", "x", "--url", "file:///etc/passwd"], "only http and https addresses are"),
        (["window", "--url", "http://"], "is not a web address"),
        (["run", "x", "--surface", "desktop", "--headless"], "are for the browser"),
        (["run", "x", "--planner", "builtin", "--base-url", "b", "--model", "m"], "belong to --planner model"),
        (["run", "x", "--planner", "model", "--model", "m"], "needs both --base-url and --model"),
        (["run", "x", "--base-url", "b"], "needs both --base-url and --model"),
        (["run", "x", "--key-env", "K"], "belongs to --base-url"),
        (["run", "x", "--planner", "builtin", "--ask", "summary"], "belongs to --planner model"),
        (["run", "x", "--ask", "summary", "--no-ask", "summary"], "cannot be both asked and not asked"),
        (["run", "x", "--ask", "the weather"], "'the weather'"),
        (["run", "x", "--max-cost", "0"], "a number above 0"),
        (["run", "x", "--max-minutes", "nan"], "a number above 0"),
        (["run", "x", "--surface", "phone"], "'phone'"),
        (["run", "x", "--oversight", "always"], "'always'"),
        (["run", "x", "--max-steps", "0"], "“0” is not a limit"),
        (["run", "x", "--max-steps", "many"], "“many” is not a limit"),
        (["run", "x", "--max-steps", "²"], "“²” is not a limit"),
        (["run", "x", "--cdp-url", "9222"], "“9222” is not the address of an open browser"),
        (["run", "x", "--cdp-url", "http://[::1"], "is not the address of an open browser"),
        (["run", "x", "--record", "/dev/null"], "“/dev/null” is not a folder."),
        (["run", "x", "--max", "3"], "--max"),
        (["practice", "--port", "65536"], "“65536” is not a port"),
        (["practice", "--port", "-1"], "port"),
        (["runs", "extra"], "extra"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(
    line: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parse(line)

    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.startswith("operative: ")
    assert err.count("\n") == 1
    assert "--help” tells how it is used." in err


def test_the_choices_are_those_of_the_engine() -> None:
    assert set(PICTURE_USES) == {str(use) for use in PictureUse}
    assert set(GRIDS) == {str(grid) for grid in Grid}
    assert set(APIS) == {str(api) for api in Api}
    assert {*CALLS.values(), "pictures", "grid", "context_tokens"} == set(ModelWays.model_fields)
    assert set(OVERSIGHTS) == {str(oversight) for oversight in Oversight}
    assert set(SURFACES) == {str(kind) for kind in SurfaceKind}
    assert DEFAULT_MAX_STEPS == CORE_MAX_STEPS


@pytest.mark.parametrize("line", [["--help"], ["run", "--help"], ["window", "--help"], ["practice", "--help"]])
def test_help_is_printed(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse(line)

    assert end.value.code == 0
    assert "usage: operative" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "code"), [(["--version"], 0), (["run"], 2), (["run", "x", "--url", "file:///x"], 2), (["--help"], 0)]
)
def test_what_needs_no_application_loads_none(line: list[str], code: int) -> None:
    script = (
        "import sys; from operative_app.__main__ import main; code = main(sys.argv[1:]);"
        "heavy = {'pydantic', 'PySide6', 'playwright', 'asyncio', 'sqlite3', 'operative_app.app'} & set(sys.modules);"
        "print(sorted(heavy), file=sys.stderr); sys.exit(code)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, *line], capture_output=True, text=True, timeout=60, check=False
    )

    assert ended.returncode == code
    assert ended.stderr.splitlines()[-1] == "[]"


def test_the_version_is_that_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--version"])

    assert capsys.readouterr().out == f"operative {__version__}\n"
