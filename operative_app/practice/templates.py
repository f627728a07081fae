"""Turning templates into pages: one Jinja environment with escaping on and undefined names as errors."""

from __future__ import annotations

from datetime import date

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from operative_app.core.resources import resource_path


class Templates:
    """The templates of the practice site; reading is thread-safe."""

    def __init__(self) -> None:
        """Prepare the environment; templates are compiled on first use.

        Raises:
            FileNotFoundError: The templates did not ship with the program.
        """
        self._environment = Environment(
            loader=FileSystemLoader(resource_path("practice_site", "templates")),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters["money"] = money
        self._environment.filters["long_date"] = long_date

    def render(self, template: str, **context: object) -> str:
        """Fill one template in."""
        return self._environment.get_template(template).render(**context)


def money(cents: int) -> str:
    """Write an amount of cents as people read it: 129900 becomes "$1,299.00"."""
    return f"${cents / 100:,.2f}"


def long_date(day: date) -> str:
    """Write a day as "Monday, 15 March 2027", whatever the locale."""
    return f"{day:%A}, {day.day} {day:%B} {day.year}"
