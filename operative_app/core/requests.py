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
    SECOND_FACTOR = "second_factor"
    CAPTCHA = "captcha"
    FILE = "file"
    PAYMENT = "payment"
    OTHER = "other"


class EditableField(Value):
    """A text of an action that the person may change before approving it. Never a password or a secret.

    Attributes:
        name: The parameter's; a part of it by its place, such as "fields.0".
        label: What the person reads beside it.
        is_long: It may hold several lines.
        fault: Why the text typed last cannot be taken, "" when it can.
    """

    name: str
    label: str
    value: str
    is_long: bool = False
    fault: str = ""


class ApprovalRequest(Value):
    """May this action be carried out?

    Attributes:
        label: The action in words.
        reason: Why it is asked.
        effect: What it would change.
        rule: Name of the rule that asks.
        box: Where its target is on the last picture, None when it has none.
        mark: The target's number on that picture, 0 when it has none.
        may_allow_kind: Whether it can also be allowed from now on: this kind on this site for this run, or what
            `allow_words` say.
        allow_words: What allowing it from now on would allow ("Allow shop.example for this task"), "" for the kind.
        screenshot: Content hash of the picture on which the target is shown.
        editable: The texts that may be changed before it is approved; empty when there are none.
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
    allow_words: str = ""
    screenshot: str = ""
    editable: tuple[EditableField, ...] = ()
    expires_at_s: float = 0


class HandOffRequest(Value):
    """A person must do something in the surface, then say so.

    Attributes:
        reason: Why a person is needed.
        instructions: What to do, one sentence.
        target: For `FILE`: the control that takes the file; the window may offer its own file dialog.
        accepts: For `FILE`: file endings the control takes, such as ".pdf"; empty takes any.
        note: What was seen after the person said that it was done, "" when it is asked for the first time.
        is_over: Its time has run out, and the run is paused; it can still be answered, without a limit.
        expires_at_s: Unix time at which the engine gives up waiting; 0 never.
        remind_at_s: Unix time at which the person is reminded; 0 never.
    """

    kind: Literal["hand_off"] = "hand_off"
    id: str = Field(default_factory=new_request_id)
    task_id: str = ""
    why: HandOffKind = HandOffKind.OTHER
    reason: str
    instructions: str
    target: ElementRef | None = None
    accepts: tuple[str, ...] = ()
    note: str = ""
    is_over: bool = False
    screenshot: str = ""
    expires_at_s: float = 0
    remind_at_s: float = 0


class QuestionRequest(Value):
    """The agent needs a word from the person. `choices` may be empty: free text.

    Attributes:
        is_optional: An end is told and something else offered: without an answer nothing is missing.
    """

    kind: Literal["question"] = "question"
    id: str = Field(default_factory=new_request_id)
    task_id: str = ""
    text: str
    choices: tuple[str, ...] = ()
    is_optional: bool = False
    expires_at_s: float = 0


class PlanReviewRequest(Value):
    """The plan is shown and may be edited; acting starts when it is accepted."""

    kind: Literal["plan_review"] = "plan_review"
    id: str = Field(default_factory=new_request_id)
    plan: Plan
    expires_at_s: float = 0


Request = Annotated[ApprovalRequest | HandOffRequest | QuestionRequest | PlanReviewRequest, Field(discriminator="kind")]


class Approve(Value):
    """Yes to an approval, a plan review.

    Attributes:
        allow_kind: Also allow this kind on this site for this run.
        changes: Name and new text of the editable fields that were changed; the changed action is what is carried out.
    """

    kind: Literal["approve"] = "approve"
    allow_kind: bool = False
    changes: tuple[tuple[str, str], ...] = ()


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
