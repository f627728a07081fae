"""What tokens cost. The prices stand in a file that people may edit; what is not in it is shown as tokens only.

The file is TOML, US dollars for a million tokens:

    [[model]]
    name = "gpt-4.1-mini"    # the model's name; * stands for anything
    input = 0.40
    cached_input = 0.10      # optional: the price of `input` when missing
    output = 1.60

A person's own file is read before the shipped one; in a file the first name that fits counts.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from operative_app.core.errors import SettingsError
from operative_app.core.resources import resource_path
from operative_app.llm.messages import Usage

PRICES_NAME = "prices.toml"
_MILLION = 1_000_000
_DATE = re.compile(r"-20\d\d-?\d\d-?\d\d$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    name: str
    input: float
    cached_input: float
    output: float


class Prices:
    """Prices by model name, in the order they are looked up."""

    def __init__(self, prices: Iterable[Price] = ()) -> None:
        self._prices = tuple(prices)

    def price(self, model: str) -> Price | None:
        """The price of a model; a maker before the name and a date behind it are passed over when not listed."""
        bare = model.rpartition("/")[2]
        for name in (model, bare, _DATE.sub("", bare)):
            for price in self._prices:
                if fnmatchcase(name.lower(), price.name.lower()):
                    return price
        return None

    def cost(self, model: str, usage: Usage) -> float | None:
        """US dollars, None when the price is not known."""
        price = self.price(model)
        if price is None:
            return None
        fresh = max(0, usage.input_tokens - usage.cached_input_tokens)
        spent = fresh * price.input + usage.cached_input_tokens * price.cached_input
        return (spent + usage.output_tokens * price.output) / _MILLION


def load_prices(own: Path | None = None) -> tuple[Prices, str]:
    """The prices of the person's own file, when there is one, and of the shipped file.

    Returns:
        The prices, and a sentence for the person when their file could not be read; it is left out then.
    """
    shipped = read_prices(resource_path(PRICES_NAME))
    if own is None or not own.exists():
        return Prices(shipped), ""
    try:
        return Prices([*read_prices(own), *shipped]), ""
    except SettingsError as error:
        return Prices(shipped), str(error)


def read_prices(path: Path) -> list[Price]:
    """The prices of one file.

    Raises:
        SettingsError: It cannot be read, or a line of it is wrong; the sentence names the place.
    """
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8")).get("model", [])
    except OSError as error:
        raise SettingsError(f"The prices in {path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise SettingsError(f"The prices in {path} cannot be read: {error}.") from error
    if not isinstance(listed, list):
        raise SettingsError(f"The prices in {path} need one [[model]] for each model.")
    return [_price(entry, number, path) for number, entry in enumerate(listed, start=1)]


def own_copy(folder: Path) -> Path:
    """The person's own price file in a folder that exists, made from the shipped one when it is missing.

    Raises:
        SettingsError: It cannot be written.
    """
    path = folder / PRICES_NAME
    try:
        with path.open("xb") as file:
            file.write(resource_path(PRICES_NAME).read_bytes())
    except FileExistsError:
        pass
    except OSError as error:
        raise SettingsError(f"The prices cannot be written to {path}: {error.strerror or error}.") from error
    return path


def _price(entry: Any, number: int, path: Path) -> Price:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry["name"]:
        raise SettingsError(f"Price {number} in {path} has no name.")
    figures: dict[str, float] = {}
    for part in ("input", "output", "cached_input"):
        figure = entry.get(part, figures.get("input") if part == "cached_input" else None)
        if not isinstance(figure, int | float) or isinstance(figure, bool) or not 0 <= figure < _MILLION:
            raise SettingsError(f"The price “{part}” of {entry['name']} in {path} must be a number from 0 up.")
        figures[part] = float(figure)
    return Price(entry["name"], figures["input"], figures["cached_input"], figures["output"])
