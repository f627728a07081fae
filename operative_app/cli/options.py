"""What was typed, as values. Only the standard library is imported here, so that wrong usage is answered at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operative_app.core.run import RunRequest

SURFACES = ("browser", "desktop")
OVERSIGHTS = ("none", "risky", "every")
DEFAULT_OVERSIGHT = "risky"
PLANNERS = ("builtin", "model")
DEFAULT_MAX_STEPS = 60


@dataclass(frozen=True, slots=True)
class RunOptions:
    """`operative run`. `url` is complete, or `practice:NAME`; "" begins with the surface's current page.

    Attributes:
        yes: Approve what is asked (never hand-offs or questions).
        json: Print events as JSON lines instead of words.
        record: Where to write report, step log and events; None writes none.
        planner: "builtin" or "model"; "" takes the model of the settings, when one is set there.
        base_url: Where the model's endpoint answers; "" takes that of the settings.
        key_env: The environment variable that holds the endpoint's key; "" for an endpoint that wants none.
        max_minutes, max_tokens, max_cost: The run's budget; None takes that of the settings.
    """

    goal: str
    url: str = ""
    surface: str = "browser"
    oversight: str = DEFAULT_OVERSIGHT
    yes: bool = False
    headless: bool = False
    cdp_url: str = ""
    max_steps: int = DEFAULT_MAX_STEPS
    json: bool = False
    record: Path | None = None
    planner: str = ""
    base_url: str = ""
    model: str = ""
    key_env: str = ""
    max_minutes: float | None = None
    max_tokens: int | None = None
    max_cost: float | None = None

    def request(self) -> RunRequest:
        """The options as the engine reads them."""
        from operative_app.core.run import Budget, Oversight, RunRequest
        from operative_app.core.screen import SurfaceKind

        return RunRequest(
            goal=self.goal,
            url=self.url,
            surface=SurfaceKind(self.surface),
            oversight=Oversight(self.oversight),
            approve_all=self.yes,
            max_steps=self.max_steps,
            budget=Budget(max_minutes=self.max_minutes, max_tokens=self.max_tokens, max_cost=self.max_cost),
            cdp_url=self.cdp_url,
            headless=True if self.headless else None,
        )


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """`operative window`, and `operative` alone.

    Attributes:
        goal: Typed and run as soon as the window is open; "" waits for the person.
        demo: Carry out the demonstration goal on the practice site.
        url: Where the goal begins.
        out: Where step log, report and pictures of the window are left; None leaves none.
        quit_when_done: Close the window after the goal.
        surface: Where the goal acts.
        yes: Approve what is asked (never hand-offs or questions).
        ready_file: Gets the reading of the monotonic clock, in seconds, once the window can be used.
    """

    goal: str = ""
    demo: bool = False
    url: str = ""
    out: Path | None = None
    quit_when_done: bool = False
    surface: str = "browser"
    yes: bool = False
    ready_file: Path | None = None


@dataclass(frozen=True, slots=True)
class PracticeOptions:
    """`operative practice`. `port` 0 lets the system choose."""

    port: int = 0


@dataclass(frozen=True, slots=True)
class RunsOptions:
    """`operative runs`."""

    json: bool = False


@dataclass(frozen=True, slots=True)
class PolicyOptions:
    """`operative policy explain`. `allow` None is no list; `json` prints the verdict as JSON.

    `url` is complete, `practice:NAME`, or as typed where it cannot be completed.
    """

    url: str
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    json: bool = False


@dataclass(frozen=True, slots=True)
class ActionsOptions:
    """`operative actions`."""

    json: bool = False


@dataclass(frozen=True, slots=True)
class LookOptions:
    """`operative look`. `url` is complete, or `practice:NAME`; "" looks at the desktop.

    Attributes:
        json: Print the whole ScreenState as JSON.
        picture: Where to write the picture with its marks; None writes none.
    """

    url: str = ""
    json: bool = False
    picture: Path | None = None


Options = RunOptions | WindowOptions | PracticeOptions | RunsOptions | PolicyOptions | ActionsOptions | LookOptions
