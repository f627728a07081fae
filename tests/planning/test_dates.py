"""Dates in people's words, with the clock at Monday, 30 November 2026."""

from __future__ import annotations

from datetime import date

import pytest

from operative_app.planning.builtin.dates import month_of, parse_date, written_like

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("15 March", date(2027, 3, 15)),
        ("March 15th", date(2027, 3, 15)),
        ("the 15th of March", date(2027, 3, 15)),
        ("15 Mar 2028", date(2028, 3, 15)),
        ("March 15, 2027", date(2027, 3, 15)),
        ("Monday, 15 March 2027", date(2027, 3, 15)),
        ("2027-03-15", date(2027, 3, 15)),
        ("15/03/2027", date(2027, 3, 15)),
        ("03/15/2027", date(2027, 3, 15)),
        ("15.3.2027", date(2027, 3, 15)),
        ("30 November", TODAY),
        ("29 November", date(2027, 11, 29)),
        ("29 February", date(2028, 2, 29)),
        ("today", TODAY),
        ("tomorrow", date(2026, 12, 1)),
        ("the day after tomorrow", date(2026, 12, 2)),
        ("next Friday", date(2026, 12, 4)),
        ("on Monday", date(2026, 12, 7)),
        ("in 3 days", date(2026, 12, 3)),
        ("in two weeks", date(2026, 12, 14)),
    ],
)
def test_words_mean_a_day(words: str, day: date) -> None:
    assert parse_date(words, TODAY) == day


@pytest.mark.parametrize("words", ["31 February", "2027-13-01", "March", "Friday night", "15", "JFK", "", "99/99/2027"])
def test_other_words_mean_none(words: str) -> None:
    assert parse_date(words, TODAY) is None


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("dd/mm/yyyy", "05/03/2027"),
        ("MM/DD/YYYY", "03/05/2027"),
        ("TT.MM.JJJJ", "05.03.2027"),
        ("d-m-yy", "5-3-27"),
        ("", "2027-03-05"),
    ],
)
def test_written_as_the_field_shows(pattern: str, written: str) -> None:
    assert written_like(date(2027, 3, 5), pattern) == written


@pytest.mark.parametrize(
    ("heading", "month"),
    [
        ("March 2027", (2027, 3)),
        ("März 2027", (2027, 3)),
        ("2027-04", (2027, 4)),
        ("04/2027", (2027, 4)),
        ("Choose a day", None),
    ],
)
def test_heading_of_a_calendar(heading: str, month: tuple[int, int] | None) -> None:
    assert month_of(heading) == month
