"""The short numbers by which a model names elements: the marks on the picture, and further ones for what has no mark.

What is out of sight has no mark. It gets a number from 501 up that stays its own as long as the page does, so that
two descriptions of one page can be compared line by line.
"""

from __future__ import annotations

from operative_app.core.screen import Element, Fingerprint, ScreenState

FIRST_UNMARKED = 501


class Numbers:
    """Numbers of one run's elements. Owned by the agent thread."""

    def __init__(self) -> None:
        self._page = ""
        self._unmarked: dict[Fingerprint, int] = {}
        self._observation = -1
        self._elements: dict[int, Element] = {}
        self._numbers: dict[str, int] = {}
        self._seen: tuple[Element, ...] = ()
        self._numbered: tuple[Element, ...] = ()

    def of(self, state: ScreenState) -> dict[int, Element]:
        """The elements of a state by number."""
        if state.observation != self._observation and state.elements is self._seen and self._page == _page_of(state):
            self._observation = state.observation  # it was looked at again, unchanged
        elif state.observation != self._observation:
            self._observe(state)
        return self._elements

    def number(self, state: ScreenState, key: str) -> int:
        """The number of an element, 0 when there is none of that key."""
        self.of(state)
        return self._numbers.get(key, 0)

    def numbered(self, state: ScreenState) -> tuple[Element, ...]:
        """The state's elements in their order, each with its number as its mark."""
        self.of(state)
        return self._numbered if state.elements is self._seen else self._with_numbers(state)

    def _with_numbers(self, state: ScreenState) -> tuple[Element, ...]:
        return tuple(
            one if one.mark else one.model_copy(update={"mark": self._numbers[one.key]}) for one in state.elements
        )

    def _observe(self, state: ScreenState) -> None:
        page = _page_of(state)
        if page != self._page:
            self._page, self._unmarked = page, {}
        elements = {one.mark: one for one in state.elements if one.mark}
        following = max((FIRST_UNMARKED - 1, *elements, *self._unmarked.values())) + 1
        present: dict[Fingerprint, int] = {}
        for one in state.elements:
            if one.mark:
                continue
            fingerprint = one.fingerprint
            number = self._unmarked.get(fingerprint, 0)
            if not number or number in elements:
                number, following = following, following + 1
            present[fingerprint] = elements_number = number
            elements[elements_number] = one
        self._unmarked = present if len(self._unmarked) > 4 * max(len(present), 500) else self._unmarked | present
        self._observation, self._elements = state.observation, elements
        self._numbers = {one.key: number for number, one in elements.items()}
        self._seen = state.elements
        self._numbered = self._with_numbers(state)


def _page_of(state: ScreenState) -> str:
    return f"{state.surface} {state.url.split('#')[0]}"
