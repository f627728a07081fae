"""What was typed, as values. Only the standard library is imported here, so that wrong usage is answered at once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operative_app.core.run import RunRequest

SURFACES = ("browser", "desktop")
OVERSIGHTS = ("none", "risky", "every")
DEFAULT_OVERSIGHT = "risky"
PLANNERS = ("builtin", "model")
DEFAULT_MAX_STEPS = 60
PICTURE_USES = ("when_needed", "always", "never")
GRIDS = ("image", "0-1000", "0-1")
APIS = ("auto", "chat", "responses")
CALLS = {
    "perception": "separate_perception",
    "page-plan": "plan_on_screen",
    "second-look": "second_look",
    "history": "history_by_model",
    "summary": "summary_by_model",
}
"""What a model can be asked besides the one question for each step, with the setting each is."""


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
        summary_model: The model that sums up old steps and the run; "" takes that of the settings.
        pictures: When a model that sees gets the picture; "" takes what the settings say.
        grid, context_tokens, api: How it counts places in pictures, the size of its context, the wire format; the same.
        asked, not_asked: What the model is asked and not asked besides; the rest is as in the settings. See `CALLS`.
        max_steps: None takes that of the settings.
        max_minutes, max_tokens, max_cost: The run's budget; None takes that of the settings.
        hand_off_minutes: How long a person has for what only they can do; None takes that of the settings.
        answer_minutes: How long a person has to answer approvals and questions; None takes that of the settings.
        allow: Patterns of the only sites that may be touched; None sets no such limit.
        deny: Patterns of sites that may not be touched.
    """

    goal: str
    url: str = ""
    surface: str = "browser"
    oversight: str = DEFAULT_OVERSIGHT
    yes: bool = False
    headless: bool = False
    cdp_url: str = ""
    max_steps: int | None = None
    json: bool = False
    record: Path | None = None
    planner: str = ""
    base_url: str = ""
    model: str = ""
    key_env: str = ""
    summary_model: str = ""
    pictures: str = ""
    grid: str = ""
    context_tokens: int | None = None
    api: str = ""
    asked: tuple[str, ...] = ()
    not_asked: tuple[str, ...] = ()
    max_minutes: float | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    hand_off_minutes: float | None = None
    answer_minutes: float | None = None
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()

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
            max_steps=self.max_steps or DEFAULT_MAX_STEPS,
            budget=Budget(max_minutes=self.max_minutes, max_tokens=self.max_tokens, max_cost=self.max_cost),
            cdp_url=self.cdp_url,
            headless=True if self.headless else None,
            hand_off_minutes=self.hand_off_minutes,
            answer_minutes=self.answer_minutes,
            allow=self.allow,
            deny=self.deny,
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
class PricesOptions:
    """`operative prices`."""


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


class SecretsTask(StrEnum):
    LIST = "list"
    SET = "set"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class SecretsOptions:
    """`operative secrets`. A value is never among them.

    Attributes:
        sites, apps: Where the secret may be used; empty leaves a saved one as it is.
        variable: The environment variable that holds the value; "" for the keyring.
        keeps_value: Change only where it may be used.
        json: Print the list as JSON lines.
    """

    task: SecretsTask
    name: str = ""
    sites: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()
    variable: str = ""
    keeps_value: bool = False
    json: bool = False


Options = (
    RunOptions
    | WindowOptions
    | PracticeOptions
    | RunsOptions
    | PricesOptions
    | PolicyOptions
    | SecretsOptions
    | ActionsOptions
    | LookOptions
)
