"""`operative secrets`: the saved secrets by name. A value is read from a prompt that shows nothing, or from stdin."""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Mapping
from typing import TextIO

from operative_app.cli.exit_codes import DONE
from operative_app.cli.options import SecretsOptions, SecretsTask
from operative_app.cli.screen import Lines, accept_any_text, harmless_json
from operative_app.core.endpoint import KeySource
from operative_app.core.errors import SettingsError
from operative_app.presentation.ports import SecretDesk
from operative_app.presentation.words import plain
from operative_app.safety.secret_rules import words_of_places
from operative_app.store.secret_book import SecretEntry, checked_entry

WITHOUT_KEYRING = "Nothing was changed. With “--env VAR” an environment variable holds the value instead."
_LONGEST = 10_000


def manage_secrets(
    options: SecretsOptions,
    desk: SecretDesk,
    *,
    typed: TextIO,
    out: TextIO,
    environment: Mapping[str, str] = os.environ,
) -> int:
    """Carry out one of the commands; returns the exit code.

    Args:
        typed: Where the value comes from; a terminal is asked without showing what is typed.

    Raises:
        SettingsError: Name, site or value cannot be used.
        StoreError: The list or the keyring cannot be used.
    """
    accept_any_text(out, encoding="utf-8" if options.json else None)
    lines = Lines(out)
    match options.task:
        case SecretsTask.LIST:
            return _list(options, desk, lines)
        case SecretsTask.REMOVE:
            desk.remove(options.name)
            lines.line(f"“{plain(options.name)}” is removed.")
        case SecretsTask.SET:
            entry = _set(options, desk, typed)
            lines.line(f"“{plain(entry.name)}” is saved for {plain(words_of_places(entry.saved))}.")
            if entry.source is KeySource.ENVIRONMENT and not environment.get(entry.variable):
                lines.line(f"{plain(entry.variable)} is not set here: set it before Operative is to use the secret.")
    return DONE


def _list(options: SecretsOptions, desk: SecretDesk, lines: Lines) -> int:
    entries = desk.entries()
    for entry in entries:
        if options.json:
            lines.line(harmless_json(json.dumps(entry.model_dump(mode="json"), ensure_ascii=False)))
        else:
            lines.line(f"{plain(entry.name)}  {plain(words_of_places(entry.saved))}{_kept(entry)}")
    if not entries and not options.json:
        lines.line("No secret is saved yet. Save one with “operative secrets set NAME --site example.com”.")
    return DONE


def _kept(entry: SecretEntry) -> str:
    match entry.source:
        case KeySource.ENVIRONMENT:
            return f"  (in the environment variable {plain(entry.variable)})"
        case KeySource.SESSION:
            return "  (kept only while the window is open)"
        case _:
            return ""


def _set(options: SecretsOptions, desk: SecretDesk, typed: TextIO) -> SecretEntry:
    known = next((one for one in desk.entries() if one.name.casefold() == options.name.strip().casefold()), None)
    entry = SecretEntry(
        name=options.name,
        sites=options.sites or (known.sites if known is not None else ()),
        apps=options.apps or (known.apps if known is not None else ()),
        source=KeySource.ENVIRONMENT if options.variable else KeySource.KEYRING,
        variable=options.variable,
    )
    checked_entry(entry)  # what is wrong is said before a value is asked for
    if options.keeps_value:
        if known is None:
            raise SettingsError(f"No secret named “{options.name}” is saved.")
        return desk.save(entry.model_copy(update={"source": known.source, "variable": known.variable}))
    return desk.save(entry, None if options.variable else _value(options.name, typed))


def _value(name: str, typed: TextIO) -> str:
    if typed.isatty():
        return getpass.getpass(f"Value of “{plain(name)}” (it is not shown): ")
    return typed.readline(_LONGEST)
