"""The composition root: the only place that builds concrete things and wires them."""

from __future__ import annotations

import gc
import sys
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from operative_app.cli.options import (
    ActionsOptions,
    LookOptions,
    Options,
    PolicyOptions,
    PracticeOptions,
    PricesOptions,
    RunOptions,
    RunsOptions,
    SecretsOptions,
    WindowOptions,
)

if TYPE_CHECKING:
    from operative_app.app.guarding import Guarding
    from operative_app.app.session import Session
    from operative_app.safety.redaction import Redactor
    from operative_app.store.settings import ModelSettings


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
        case PricesOptions():
            from operative_app.llm.prices import own_copy
            from operative_app.store.folders import app_folders

            sys.stdout.write(f"{own_copy(app_folders().create().config)}\n")
            return 0
        case PolicyOptions():
            from operative_app.app.addresses import AddressBook, is_practice
            from operative_app.app.policy import written_layers
            from operative_app.cli.policy import explain
            from operative_app.store.folders import app_folders

            if is_practice(options.url):
                with closing(AddressBook()) as book:
                    options = replace(options, url=book.resolve(options.url))
            return explain(options, written_layers(app_folders().config), out=sys.stdout)
        case SecretsOptions():
            from operative_app.cli.secrets import WITHOUT_KEYRING, manage_secrets
            from operative_app.store.folders import app_folders
            from operative_app.store.secret_book import SecretStore

            secrets = SecretStore(app_folders().create().config, instead=WITHOUT_KEYRING)
            return manage_secrets(options, secrets, typed=sys.stdin, out=sys.stdout)
        case ActionsOptions():
            from operative_app.cli.actions import list_actions

            return list_actions(options, out=sys.stdout)
        case LookOptions():
            return _look(options)
        case _:
            assert_never(options)


def _look(options: LookOptions) -> int:
    """Look with a browser of its own, in a profile that is gone afterwards."""
    import tempfile
    from pathlib import Path

    from operative_app.app.addresses import AddressBook
    from operative_app.app.browser_provider import BrowserProvider
    from operative_app.app.desktop_provider import DesktopProvider
    from operative_app.app.surface_provider import Surfaces
    from operative_app.cli.look import look

    addresses = AddressBook()
    with tempfile.TemporaryDirectory(prefix="operative-look-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        browser = BrowserProvider(profile_dir=place / "profile", downloads_dir=place / "downloads", keep_open=False)
        try:
            options = replace(options, url=addresses.resolve(options.url) if options.url else "")
            return look(options, Surfaces(browser, DesktopProvider()), out=sys.stdout, redactor=_redactor())
        finally:
            addresses.close()


def _redactor() -> Redactor:
    """Knows the saved secrets that were filled in before, as far as they can be had."""
    import contextlib

    from operative_app.core.errors import OperativeError
    from operative_app.safety.redaction import Redactor
    from operative_app.store.folders import app_folders
    from operative_app.store.secret_book import SecretStore

    book, redactor = SecretStore(app_folders().config), Redactor()
    for secret in book.names():
        if secret.was_used:
            with contextlib.suppress(OperativeError):
                redactor.add(book.value(secret.name))
    return redactor


def _choose_planner(options: RunOptions, session: Session) -> None:
    """What was typed goes before the settings.

    Raises:
        SettingsError: A model is wanted and none is named, or its address or key cannot be used.
    """
    from operative_app.core.endpoint import KeySource
    from operative_app.core.errors import SettingsError
    from operative_app.store.settings import ModelSettings

    model = session.settings.planning_model
    if options.planner == "builtin":
        model = ModelSettings()
    elif options.base_url:
        from operative_app.llm.presets import checked_base_url

        model = ModelSettings(
            base_url=checked_base_url(options.base_url),
            model=options.model,
            key_source=KeySource.ENVIRONMENT if options.key_env else KeySource.NONE,
            key_variable=options.key_env,
        )
        session.keys.key(model.base_url, model.key_source, model.key_variable)  # a missing one is told at once
    elif options.planner == "model" and not (model := session.settings.model).is_configured:
        raise SettingsError("No model is set. Name one with --base-url and --model, or connect one in the window.")
    session.plan_with(_as_typed(options, model))


def _as_typed(options: RunOptions, model: ModelSettings) -> ModelSettings:
    """How the model works, with what was typed before what the settings say."""
    from operative_app.cli.options import CALLS
    from operative_app.core.endpoint import Api

    ways: dict[str, object] = {CALLS[call]: True for call in options.asked}
    ways |= {CALLS[call]: False for call in options.not_asked}
    typed = {"pictures": options.pictures, "grid": options.grid, "context_tokens": options.context_tokens}
    ways |= {name: value for name, value in typed.items() if value}
    return model.model_copy(
        update={
            "ways": model.ways.model_validate({**dict(model.ways), **ways}),
            "summary_model": options.summary_model or model.summary_model,
            "api": Api(options.api) if options.api else model.api,
        }
    )


def _with_budget(options: RunOptions, session: Session) -> RunOptions:
    """What was not typed is that of the settings."""
    budget = session.settings.budget
    return replace(
        options,
        max_steps=options.max_steps or session.settings.max_steps,
        max_minutes=options.max_minutes or budget.max_minutes,
        max_tokens=options.max_tokens or budget.max_tokens,
        max_cost=options.max_cost or budget.max_cost,
        hand_off_minutes=options.hand_off_minutes or session.settings.hand_off_minutes,
        answer_minutes=options.answer_minutes or session.settings.answer_minutes,
    )


def _run(options: RunOptions) -> int:
    from operative_app.app.record import keep_record
    from operative_app.app.session import open_session
    from operative_app.cli.run import run_goal
    from operative_app.core.errors import SettingsError

    session = open_session(keep_browser=False)
    if fault := session.policy().fault:
        session.close()
        raise SettingsError(fault)
    for notice in session.notices:
        sys.stderr.write(f"operative: {notice}\n")
    guarding = _guarded(options, session)
    try:
        _choose_planner(options, session)
        options = _with_budget(options, session)
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
        if guarding is not None:
            guarding.close()  # last: what takes long to close can still be stopped


def _guarded(options: RunOptions, session: Session) -> Guarding | None:
    """The stop key, for a run that acts where a person is: on the desktop, or in a browser that is shown."""
    from operative_app.app.browser_provider import has_display
    from operative_app.app.guarding import Guarding

    if options.headless or not has_display():
        return None

    def told(works: bool, reason: str) -> None:
        if not works and options.surface == "desktop":
            sys.stderr.write(f"operative: {reason}\n")

    def ended(text: str) -> None:
        sys.stderr.write(f"operative: {text}\n")

    guarding = Guarding(session.settings.hotkey, session.agent.control, on_started=told, on_ended=ended)
    session.surfaces.watch(guarding)
    guarding.start()
    return guarding
