"""The composition root: the only place that builds concrete things and wires them."""

from __future__ import annotations

import gc
import sys
from typing import assert_never

from operative_app.cli.options import Options, PolicyOptions, PracticeOptions, RunOptions, RunsOptions, WindowOptions


def main(options: Options) -> int:
    """Carry out a command; returns the exit code.

    Raises:
        OperativeError: It cannot be carried out; the message is for the person.
    """
    match options:
        case WindowOptions():
            gc.disable()  # what is made while the window opens stays; collecting is turned on when it is shown
            from operative_app.app.window import open_window

            return open_window(options)
        case RunOptions():
            return _run(options)
        case PracticeOptions():
            from operative_app.cli.practice import serve_practice
            from operative_app.practice import PracticeSite

            return serve_practice(options, PracticeSite(), out=sys.stdout, err=sys.stderr)
        case RunsOptions():
            from operative_app.cli.runs import list_runs
            from operative_app.store.folders import app_folders
            from operative_app.store.runs import RunStore

            store = RunStore(app_folders().create().data)
            try:
                return list_runs(options, store, out=sys.stdout, err=sys.stderr)
            finally:
                store.close()
        case PolicyOptions():
            from operative_app.cli.policy import explain

            return explain(options, out=sys.stdout)
        case _:
            assert_never(options)


def _run(options: RunOptions) -> int:
    from operative_app.app.record import keep_record
    from operative_app.app.session import open_session
    from operative_app.cli.run import run_goal

    session = open_session(keep_browser=False)
    for notice in session.notices:
        sys.stderr.write(f"operative: {notice}\n")
    try:
        if options.url:
            session.addresses.resolve(options.url)  # a wrong name is wrong usage, said before anything is opened
        return run_goal(
            options,
            session.agent,
            out=sys.stdout,
            err=sys.stderr,
            interactive=sys.stdin is not None and sys.stdin.isatty(),
            keep_record=lambda folder, events: keep_record(folder, events, session.store),
        )
    finally:
        session.close()
