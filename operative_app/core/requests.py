"""What the engine asks a person, and what they can answer. The first answer wins; stop beats every answer."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal
from uuid import uuid4

from pydantic import Field

from operative_app.core.plan import Plan
from operative_app.core.screen import Box, ElementRef
from operative_app.core.values import Value


def new_request_id() -> str:
    return uuid4().hex[:12]


class HandOffKind(StrEnum):
    """What only a person can do."""

    SIGN_IN = "sign_in"
    CAPTCHA = "captcha"
    FILE = "file"
    PAYMENT = "payment"
    OTHER = "other"


class ApprovalRequest(Value):
    """May this action be carried out?

    Attributes:
        label: The action in words.
        reason: Why it is asked.
        effect: What it would change.
        rule: Name of the rule that asks.
        box: Where its target is on the last picture, None when it has none.
        mark: The target's number on that picture, 0 when it has none.
        may_allow_kind: Whether "allow this kind on this site for this run" is offered.
        screenshot: Content hash of the picture on which the target is shown.
    """

    kind: Literal["approval"] = "approval"
    id: str = Field(default_factory=new_request_id)
    task_id: str = ""
    action: str
    label: str
    reason: str
    effect: str = ""
    rule: str = ""
    site: str = ""
    box: Box | None = None
    mark: int = 0
    may_allow_kind: bool = False
    screenshot: str = ""
    expires_at_s: float = 0


class HandOffRequest(Value):
    """A person must do something in the surface, then say so.

    Attributes:
        reason: Why a person is needed.
        instructions: What to do, one sentence.
        target: For `FILE`: the control that takes the file; the window may offer its own file dialog.
        accepts: For `FILE`: file endings the control takes, such as ".pdf"; empty takes any.
        expires_at_s: Unix time at which the engine gives up waiting; 0 never.
    """

    kind: Literal["hand_off"] = "hand_off"
    id: str = Field(default_factory=new_request_id)
    task_id: str = ""
    why: HandOffKind = HandOffKind.OTHER
    reason: str
    instructions: str
    target: ElementRef | None = None
    accepts: tuple[str, ...] = ()
    screenshot: str = ""
    expires_at_s: float = 0


class QuestionRequest(Value):
    """The agent needs a word from the person. `choices` may be empty: free text."""

    kind: Literal["question"] = "question"
    id: str = Field(default_factory=new_request_id)
    task_id: str = ""
    text: str
    choices: tuple[str, ...] = ()
    expires_at_s: float = 0


class PlanReviewRequest(Value):
    """The plan is shown and may be edited; acting starts when it is accepted."""

    kind: Literal["plan_review"] = "plan_review"
    id: str = Field(default_factory=new_request_id)
    plan: Plan
    expires_at_s: float = 0


Request = Annotated[ApprovalRequest | HandOffRequest | QuestionRequest | PlanReviewRequest, Field(discriminator="kind")]


class Approve(Value):
    """Yes to an approval, a plan review; `allow_kind` also allows this kind on this site for this run."""

    kind: Literal["approve"] = "approve"
    allow_kind: bool = False


class Reject(Value):
    """No; `word` tells the agent why or what to do instead."""

    kind: Literal["reject"] = "reject"
    word: str = ""


class HumanDone(Value):
    """The person did what was asked."""

    kind: Literal["human_done"] = "human_done"


class HumanCannot(Value):
    kind: Literal["human_cannot"] = "human_cannot"
    word: str = ""


class FilesChosen(Value):
    """The person chose files in the window's own dialog; absolute paths."""

    kind: Literal["files_chosen"] = "files_chosen"
    paths: tuple[str, ...]


class Reply(Value):
    """A typed answer to a question."""

    kind: Literal["reply"] = "reply"
    text: str


Answer = Annotated[Approve | Reject | HumanDone | HumanCannot | FilesChosen | Reply, Field(discriminator="kind")]
