"""The ceilings of a run: every wait ends, every retry is counted."""

from __future__ import annotations

from dataclasses import dataclass

from operative_app.core.run import DEFAULT_ANSWER_MINUTES, DEFAULT_HAND_OFF_MINUTES


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings of one run.

    Attributes:
        action_attempts: How often one way is tried before the next variant (execution_loop.txt, retry ceiling).
        backoff_s: Waits between attempts; the last one repeats.
        effect_waits_s: Waits between looks for a late effect; they add up to the time an effect may take.
        appear_ceiling_s: How long to wait for something that is not on the screen yet.
        turns_per_task: Decisions for one task before it counts as stuck.
        same_turns: The same action on an unchanged screen this often counts as stuck.
        growing_turns: The same action one time after the other counts as stuck after this often when the screen only
            gets longer by it.
        action_timeout_s: Ceiling of one action.
        answer_timeout_s: How long a person has to answer, when the run sets no time itself.
        hand_off_timeout_s: How long a person has for what only they can do, when the run sets no time itself.
        close_timeout_s: Ceiling for letting go of the surface at the end.
        dialogs_in_a_row: How many boxes of a page are answered one after the other before it counts as never ending.
        reopenings: How often one task opens a crashed page again.
        roll_backs: How often one task is begun anew from its border.
        hand_off_tries: How often a kind of hand-off is asked for in one task before its result counts as missing.
    """

    action_attempts: int = 3
    backoff_s: tuple[float, ...] = (0.25, 0.75, 1.5)
    effect_waits_s: tuple[float, ...] = (0.1, 0.25, 0.6, 1.2)
    appear_ceiling_s: float = 10.0
    turns_per_task: int = 40
    same_turns: int = 4
    growing_turns: int = 8
    action_timeout_s: float = 60.0
    answer_timeout_s: float = DEFAULT_ANSWER_MINUTES * 60
    hand_off_timeout_s: float = DEFAULT_HAND_OFF_MINUTES * 60
    close_timeout_s: float = 10.0
    dialogs_in_a_row: int = 120
    reopenings: int = 2
    hand_off_tries: int = 2
    roll_backs: int = 2

    def wait_before(self, attempt: int) -> float:
        """Seconds to wait before the second, third … attempt."""
        return self.backoff_s[min(attempt - 2, len(self.backoff_s) - 1)]
