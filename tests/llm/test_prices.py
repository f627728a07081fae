from __future__ import annotations

from pathlib import Path

import pytest

from operative_app.core.errors import SettingsError
from operative_app.core.resources import resource_path
from operative_app.llm.messages import Usage
from operative_app.llm.prices import PRICES_NAME, load_prices, own_copy, read_prices

USAGE = Usage(input_tokens=1_000_000, cached_input_tokens=400_000, output_tokens=100_000)
MINE = '[[model]]\nname = "house/*"\ninput = 1\noutput = 2.5\n'


def test_the_shipped_prices_can_be_read() -> None:
    prices, notice = load_prices()

    assert notice == ""
    assert prices.cost("gpt-4.1-mini", USAGE) == pytest.approx(0.6 * 0.40 + 0.4 * 0.10 + 0.1 * 1.60)
    assert len(read_prices(resource_path(PRICES_NAME))) > 10


@pytest.mark.parametrize("name", ["gpt-4.1-mini-2025-04-14", "openai/gpt-4.1-mini", "GPT-4.1-mini"])
def test_makers_and_dates_around_a_name_are_passed_over(name: str) -> None:
    prices, _ = load_prices()

    assert prices.cost(name, USAGE) == prices.cost("gpt-4.1-mini", USAGE)


@pytest.mark.parametrize("name", ["gpt-4.1-mini-mine", "llama3.2", ""])
def test_an_unknown_model_has_no_cost(name: str) -> None:
    assert load_prices()[0].cost(name, USAGE) is None


def test_a_persons_own_prices_come_first(tmp_path: Path) -> None:
    own = tmp_path / PRICES_NAME
    own.write_text(MINE + '[[model]]\nname = "gpt-4.1-mini"\ninput = 0\noutput = 0\n')

    prices, notice = load_prices(own)

    assert notice == ""
    assert prices.cost("house/model-7", USAGE) == pytest.approx(1.25)
    assert prices.cost("gpt-4.1-mini", USAGE) == 0
    assert prices.cost("gpt-4.1", USAGE) is not None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[[model]", "cannot be read"),
        ("model = 3", "need one [[model]]"),
        ("[[model]]\ninput = 1\noutput = 1", "Price 1"),
        ('[[model]]\nname = "x"\noutput = 1', "“input” of x"),
        ('[[model]]\nname = "x"\ninput = "cheap"\noutput = 1', "“input” of x"),
        ('[[model]]\nname = "x"\ninput = 1\noutput = -1', "“output” of x"),
        ('[[model]]\nname = "x"\ninput = true\noutput = 1', "“input” of x"),
    ],
)
def test_a_wrong_line_is_named_and_the_shipped_prices_hold(tmp_path: Path, content: str, words: str) -> None:
    own = tmp_path / PRICES_NAME
    own.write_text(content)

    prices, notice = load_prices(own)

    assert words in notice
    assert str(own) in notice
    assert prices.cost("gpt-4.1", USAGE) is not None


def test_the_copy_to_edit_is_made_once(tmp_path: Path) -> None:
    path = own_copy(tmp_path)
    path.write_text(MINE)

    assert own_copy(tmp_path).read_text() == MINE
    with pytest.raises(SettingsError, match="cannot be written"):
        own_copy(tmp_path / "missing")
