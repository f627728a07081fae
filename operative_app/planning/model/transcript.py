"""What a model is told of a run so far, within its context: newest last, and as little as possible changed before that.

The order is: the goal and the plan; what is remembered of the time before; the newest turns, each what came of the last
actions with the screen, and what the model replied. A turn is only ever added; the oldest are folded into short lines
several at a time, so that what was sent before is mostly sent again and an endpoint's cache holds. Goal, plan and the
person's words are never dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from operative_app.core.screen import Picture
from operative_app.llm.messages import Message, PicturePart, TextPart
from operative_app.planning.model.fence import fenced
from operative_app.planning.model.sight import Sight, changes

PICTURE_TOKENS = 1300
"""What a picture of at most 1.15 million pixels costs with the usual vision models."""

_CHARS_FOR_A_TOKEN = 3.3
_SHORTEST_SCREEN_CHARS = 1500
_MOST_LINES_KEPT = 60
_LONG_CHARS = 3600
"""Turns of this length together are folded as soon as there are two more than are kept, shorter ones later."""

_TOO_LONG_CHARS = 4000
"""Turns of this length together are folded to those few that are short together."""

_FEW_CHARS = 2600
"""How long those may be: after folding, too, what is new in a request is to be a small part of it."""


def tokens_of(text: str) -> int:
    """How many tokens a text costs, rather too many than too few: other scripts cost about one for each character."""
    if text.isascii():
        return int(len(text) / _CHARS_FOR_A_TOKEN) + 1
    plain = len(text.encode("ascii", "ignore"))
    return int(plain / _CHARS_FOR_A_TOKEN) + (len(text) - plain) + 1


@dataclass(slots=True)
class Turn:
    """What was told, and what the model replied to it ("" as long as it has not).

    Attributes:
        came: What came of the last actions, words of the person; fenced where it is from outside.
        passing: The present task, trouble: it goes when the turn is no longer the newest and is sent anew anyway.
        warnings: True at this moment only; shown while the turn is the newest.
        is_whole: The screen is shown whole, not as a difference from the turn before.
        lines: What is kept of the turn when it is folded; `words`, what the person said in it, is kept for ever.
    """

    came: str
    sight: Sight
    shown: str
    is_whole: bool
    warnings: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    reply: str = ""
    passing: str = ""

    def text(self, *, is_newest: bool) -> str:
        """Warnings stand in the middle: the screen is the last word."""
        parts = [self.came, self.passing, *(self.warnings if is_newest else ()), self.shown]
        return "\n\n".join(part for part in parts if part)


@dataclass(slots=True)
class Transcript:
    """Owned by the agent thread; one for each run.

    Attributes:
        head: Goal and plan.
        account: A summary of what was folded first.
        lines: One line for each folded step since the account.
        words: What the person said in folded turns, oldest first.
    """

    window: int
    head: str = ""
    account: str = ""
    lines: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)

    def add(
        self,
        came: str,
        sight: Sight,
        *,
        passing: str = "",
        lines: Sequence[str] = (),
        words: Sequence[str] = (),
        warnings: Sequence[str] = (),
    ) -> None:
        """A new turn: what came, and the screen, as a difference where that is shorter.

        A turn that was not replied to becomes part of the new one.
        """
        if self.turns and not self.turns[-1].reply:
            old = self.turns.pop()
            came, passing = f"{old.came}\n\n{came}".strip(), passing or old.passing
            lines, words = (*old.lines, *lines), (*old.words, *words)
        different = changes(self.turns[-1].sight, sight) if self.turns else None
        shown = _whole(sight) if different is None else _difference(different)
        turn = Turn(came, sight, shown, different is None, tuple(warnings), tuple(lines), tuple(words), passing=passing)
        self.turns.append(turn)
        is_long = len(self.turns) > self.window + 1 and self._chars() > _LONG_CHARS
        if is_long or len(self.turns) > 2 * self.window:
            self.fold(self.window)
        if self._chars() > _TOO_LONG_CHARS and (kept := self._few()) < len(self.turns):
            self.fold(kept)

    def show_whole(self) -> None:
        """Show the newest screen whole, for instance when the model asks to see more."""
        newest = self.turns[-1]
        newest.shown, newest.is_whole = _whole(newest.sight), True

    def reply(self, text: str) -> None:
        self.turns[-1].reply = text

    def note(self, text: str) -> None:
        """Keep a line beyond the turn."""
        newest = self.turns[-1]
        newest.lines = (*newest.lines, text)

    def fold(self, kept: int) -> None:
        """Keep the newest turns only, the first of them with its screen whole; the others become lines."""
        folded, self.turns = self.turns[:-kept], self.turns[-kept:]
        for turn in folded:
            self.lines.extend(turn.lines)
            self.words.extend(turn.words)
        for turn in self.turns[:-1]:
            turn.passing = ""
        if folded and self.turns and not self.turns[0].is_whole:
            self.turns[0].shown, self.turns[0].is_whole = _whole(self.turns[0].sight), True

    def fit(self, budget_tokens: int, fixed_tokens: int, *, has_picture: bool) -> None:
        """Make the messages fit: fold turns, then drop the oldest lines, then cut the newest screen.

        Args:
            budget_tokens: What request and reply may take together, less the reply.
            fixed_tokens: Instructions and schema.
        """
        room = budget_tokens - fixed_tokens - (PICTURE_TOKENS if has_picture else 0)
        while self._tokens() > room and len(self.turns) > 1:
            self.fold(max(1, len(self.turns) // 2))
        while self._tokens() > room and len(self.lines) > _MOST_LINES_KEPT // 4:
            self.drop_lines(max(2, len(self.lines) // 2))
        over = self._tokens() - room
        if over > 0:
            newest = self.turns[-1]
            length = max(_SHORTEST_SCREEN_CHARS, len(newest.shown) - int(over * _CHARS_FOR_A_TOKEN) - 200)
            newest.shown, newest.is_whole = _whole(newest.sight, length), True

    def messages(self, picture: Picture | None = None) -> tuple[Message, ...]:
        """The messages of the next request; the newest has the picture, no older one has any."""
        made = [Message("user", (TextPart(self._opening()),))]
        for turn in self.turns:
            is_newest = turn is self.turns[-1]
            parts = (TextPart(turn.text(is_newest=is_newest)),)
            pictured = (*parts, PicturePart(picture)) if is_newest and picture is not None else parts
            made.append(Message("user", pictured))
            if turn.reply:
                made.append(Message("assistant", (TextPart(turn.reply),)))
        return tuple(made)

    @property
    def needs_account(self) -> bool:
        """Many lines have come together since the last account."""
        return len(self.lines) >= _MOST_LINES_KEPT

    def drop_lines(self, count: int) -> None:
        """Let the oldest lines go; that is told."""
        self.lines = [f"({count} earlier steps are left out here.)", *self.lines[count:]]

    def take_account(self, account: str, lines_in_it: int) -> None:
        """An account now stands for that many of the oldest lines, and for the account before."""
        self.account, self.lines = account, self.lines[lines_in_it:]

    def _opening(self) -> str:
        parts = [self.head]
        if self.words:
            parts.append(
                "What the person said meanwhile, oldest first:\n" + "\n".join(f"- {one}" for one in self.words)
            )
        if self.account:
            parts.append(fenced("account of earlier steps", self.account))
        if self.lines:
            parts.append(fenced("earlier steps", "\n".join(self.lines)))
        return "\n\n".join(parts)

    def _chars(self) -> int:
        return sum(len(turn.came) + len(turn.passing) + len(turn.shown) + len(turn.reply) for turn in self.turns)

    def _few(self) -> int:
        """How many of the newest turns are short together, one at least.

        What is folded is sent anew in every part, so it is done rarely and in large pieces.
        """
        kept, length = 1, len(_whole(self.turns[-1].sight)) + len(self.turns[-1].came)
        for place in range(len(self.turns) - 2, max(-1, len(self.turns) - self.window - 1), -1):
            turn, following = self.turns[place], self.turns[place + 1]
            length += len(following.shown) - len(_whole(following.sight))  # only the first one is shown whole
            length += len(_whole(turn.sight)) + len(turn.came) + len(turn.reply)
            if length > _FEW_CHARS:
                break
            kept += 1
        return kept

    def _tokens(self) -> int:
        total = tokens_of(self._opening())
        for turn in self.turns:
            total += tokens_of(turn.text(is_newest=turn is self.turns[-1])) + tokens_of(turn.reply) + 8
        return total


def _whole(sight: Sight, max_chars: int = 0) -> str:
    text = sight.text
    if max_chars and len(text) > max_chars:
        text = (
            f"{text[:max_chars].rsplit(chr(10), 1)[0]}\n! the rest does not fit here; ask with “show” for what you need"
        )
    return f"The screen now:\n{fenced('screen', text)}"


def _difference(text: str) -> str:
    return f"The same screen, changed as follows:\n{fenced('changes of the screen', text)}"
