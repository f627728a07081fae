"""What a page's own boxes get for an answer: alert, confirm, prompt, beforeunload.

Principle: an alert is only acknowledged; everything else is a decision, made by the person unless they chose never to
be asked. Unanswered means dismissed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from operative_app.core.errors import ActionError
from operative_app.core.events import Notice
from operative_app.core.outside import quoted
from operative_app.core.ports import BrowserSurface, Surface
from operative_app.core.requests import ApprovalRequest, Approve, QuestionRequest, Reply
from operative_app.core.run import Oversight
from operative_app.core.screen import PendingDialog, ScreenState, shorten
from operative_app.engine.desk import Answered, RequestDesk
from operative_app.engine.hub import EventHub
from operative_app.safety.addresses import site_of
from operative_app.safety.policy import Policy

_MOST_CHARS = 300


@dataclass(frozen=True, slots=True)
class DialogsEnd:
    """What came of the boxes.

    Attributes:
        refusal: Why what the page asked was declined, "" when it was not.
        is_nobody_there: It was declined since nobody was there to be asked.
        is_left: The person took over meanwhile and answers it on the page.
    """

    refusal: str = ""
    is_nobody_there: bool = False
    is_left: bool = False


async def answer_dialogs(
    surface: Surface, state: ScreenState, policy: Policy, desk: RequestDesk, hub: EventHub, task_id: str
) -> DialogsEnd:
    """Answer the boxes that wait on the page."""
    browser = cast(BrowserSurface, surface)
    end = DialogsEnd()
    for dialog in state.dialogs:
        accept, text, answered = await _decide(dialog, state, policy, desk, task_id)
        if answered is not None and answered.by == "take over":
            return DialogsEnd(is_left=True)
        try:
            await browser.answer_dialog(accept=accept, text=text)
        except ActionError as error:  # a person or the page itself was faster
            hub.emit(Notice, task_id=task_id, text=str(error))
            continue
        verb = "acknowledged" if dialog.kind == "alert" else "accepted" if accept else "dismissed"
        hub.emit(Notice, task_id=task_id, text=f"The page's {dialog.kind} {_said(dialog)} was {verb}.")
        if not accept:
            is_nobody_there = answered is not None and answered.is_nobody_there
            who = "nobody was there to answer" if is_nobody_there else "you said no to"
            end = DialogsEnd(f"{who} the page's question {_said(dialog)}", is_nobody_there)
    return end


async def _decide(
    dialog: PendingDialog, state: ScreenState, policy: Policy, desk: RequestDesk, task_id: str
) -> tuple[bool, str, Answered | None]:
    if dialog.kind == "alert":
        return True, "", None
    if dialog.kind == "prompt":
        question = QuestionRequest(task_id=task_id, text=f"The page asks: {_said(dialog)}")
        answered = await desk.ask(question, detail=dialog.message)
        reply = answered.answer
        return (True, reply.text, answered) if isinstance(reply, Reply) else (False, "", answered)
    if policy.oversight is Oversight.NONE:
        return True, "", None
    label, reason, effect = _words_of(dialog)
    request = ApprovalRequest(
        task_id=task_id,
        action="answer_dialog",
        label=label,
        reason=reason,
        effect=effect,
        rule="page dialog",
        site=site_of(state.url),
        screenshot=state.screenshot,
    )
    answered = await desk.ask(request, detail=request.label)
    return isinstance(answered.answer, Approve), "", answered


def _words_of(dialog: PendingDialog) -> tuple[str, str, str]:
    """What accepting it is, why it asks, and what it would change."""
    match dialog.kind:
        case "beforeunload":
            reason = "The page asks whether to leave it; what was entered may be lost."
            return "Leave the page", reason, "What was entered on the page may be lost."
        case "print":
            return "Print the page to a file", "The page wants to be printed.", "A PDF file is put among the downloads."
        case _:
            return f"Press OK: {_said(dialog)}", "The page asks this.", "It does what the page's question says."


def _said(dialog: PendingDialog) -> str:
    """What the box says, as one line in quotation marks: a page must not seem to speak as the application."""
    return quoted(shorten(dialog.message or dialog.kind, _MOST_CHARS))
