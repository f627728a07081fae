"""What goes wrong while a secret is typed is told without a word of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from operative_app.core.errors import ActionError, RefusedAction, StaleReference
from operative_app.core.secrets import FieldPlace


@contextmanager
def untold(place: FieldPlace) -> Iterator[None]:
    """Errors of the act inside keep their kind and lose their words where those may repeat what was typed."""
    try:
        yield
    except StaleReference as error:
        raise StaleReference(f"{place.label} went while it was filled.") from error
    except RefusedAction:
        raise
    except ActionError:
        raise ActionError(f"The secret was not, or not wholly, typed into {place.label}.") from None
