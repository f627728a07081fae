"""A realistic run as events with pictures, for tests of the window and for looking at it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from operative_app.core.events import (
    CheckpointSaved,
    Event,
    MarkSeen,
    ModelAsked,
    Observed,
    PlanChanged,
    RecoveryTried,
    RequestClosed,
    RequestRaised,
    RunFinished,
    Rung,
    RunStarted,
    Said,
    StateChanged,
    StepFinished,
    StepStarted,
)
from operative_app.core.plan import Checkpoint, Plan, Task, TaskStatus
from operative_app.core.requests import ApprovalRequest, Approve, HandOffKind, HandOffRequest, Request
from operative_app.core.run import BUILTIN_PLANNER, EndCause, OutcomeStatus, RunRequest, RunState
from operative_app.core.screen import Box

RUN_ID = "run-sample"
GOAL = "Search the shop for a Mac mini, choose the 512 GB one, add it to the cart and go to checkout."
START_S = 1_773_583_331.0
SIZE_PX = (1280, 760)
_URL = "http://127.0.0.1:8800/shop/product/mac-mini"
Buttons = tuple[tuple[int, str, tuple[int, int, int, int]], ...]
RESULTS: Buttons = (
    (3, "searchbox “Search the shop”", (420, 24, 420, 36)),
    (5, "link “Mac mini 256 GB”", (60, 150, 240, 28)),
    (6, "link “Mac mini 512 GB”", (60, 230, 240, 28)),
    (7, "link “Mac mini 1 TB”", (60, 310, 240, 28)),
)
PRODUCT: Buttons = (
    (3, "searchbox “Search the shop”", (420, 24, 420, 36)),
    (12, "radio “256 GB”", (520, 210, 110, 44)),
    (13, "radio “512 GB”", (646, 210, 110, 44)),
    (14, "radio “1 TB”", (772, 210, 86, 44)),
    (15, "spinbutton “Quantity”", (600, 280, 60, 36)),
    (16, "button “Add to cart”", (520, 340, 170, 52)),
)


def event_maker(run_id: str = RUN_ID, start_s: float = START_S) -> Callable[..., Event]:
    """A function that makes events with rising sequence and time."""
    counter = iter(range(1, 10_000_000))

    def make(kind: type[Any], **parts: Any) -> Event:
        number = next(counter)
        event: Event = kind(run_id=run_id, sequence=number, time_s=start_s + number * 0.4, **parts)
        return event

    return make


@dataclass
class Pictures:
    """Pictures by hash, as the record keeps them."""

    by_hash: dict[str, bytes] = field(default_factory=dict)

    def keep(self, title: str, boxes: Buttons) -> str:
        image = Image.new("RGB", SIZE_PX, "#ffffff")
        draw = ImageDraw.Draw(image)
        draw.rectangle((0, 0, SIZE_PX[0], 84), fill="#f3f4f6")
        font = ImageFont.load_default(20)
        draw.text((60, 30), "The little shop", fill="#1d1d1f", font=ImageFont.load_default(24))
        draw.text((60, 104), title, fill="#111111", font=ImageFont.load_default(28))
        if boxes is PRODUCT:
            draw.rounded_rectangle((60, 160, 460, 480), 16, fill="#cfd6de")
        for number, label, (x, y, width, height) in boxes:
            is_main = number == 16
            draw.rounded_rectangle(
                (x, y, x + width, y + height), 8, fill="#1f8a4c" if is_main else "#ffffff", outline="#9aa4b2"
            )
            draw.text(
                (x + 12, y + height // 2 - 11),
                label.split("“")[1].rstrip("”"),
                fill="#ffffff" if is_main else "#222222",
                font=font,
            )
        out = BytesIO()
        image.save(out, "PNG")
        name = hashlib.sha256(out.getvalue()).hexdigest()
        self.by_hash[name] = out.getvalue()
        return name


def marks(boxes: Buttons) -> tuple[MarkSeen, ...]:
    return tuple(MarkSeen(mark=number, label=label, box=box(place)) for number, label, place in boxes)


def box(place: tuple[int, int, int, int]) -> Box:
    x, y, width, height = place
    return Box(x_css_px=x, y_css_px=y, width_css_px=width, height_css_px=height)


def sample_plan(done: int = 0) -> Plan:
    """The plan of the sample with so many of its tasks done; the next one is active."""

    def status(place: int) -> TaskStatus:
        return TaskStatus.DONE if place < done else TaskStatus.ACTIVE if place == done else TaskStatus.PENDING

    checkpoint = Checkpoint(step=1, url=_URL)
    return Plan(
        goal=GOAL,
        tasks=(
            Task(id="t1", goal="Search for “Mac mini”", status=status(0), checkpoint=checkpoint if done > 0 else None),
            Task(id="t2", goal="Open the 512 GB model", status=status(1), checkpoint=checkpoint if done > 1 else None),
            Task(
                id="t3",
                goal="Add it to the cart",
                status=status(2),
                subtasks=(
                    Task(id="t3a", goal="Choose 512 GB", status=TaskStatus.DONE if done >= 2 else TaskStatus.PENDING),
                    Task(
                        id="t3b",
                        goal="Press “Add to cart”",
                        status=TaskStatus.WAITING if done == 2 else status(2),
                        alternatives=("press Enter on it", "use the menu"),
                    ),
                ),
            ),
            Task(id="t4", goal="Go to checkout", done_when="the address form shows", breakpoint=True),
            Task(id="t5", goal="You: check the address", by_human=True),
        ),
    )


def approval(screenshot: str = "") -> ApprovalRequest:
    return ApprovalRequest(
        id="ask-cart",
        task_id="t3b",
        action="click",
        label="Press “Add to cart”",
        reason="the task changes data on this site for the first time",
        effect="It puts one Mac mini 512 GB into your cart. Nothing is paid.",
        rule="changes on a site",
        site="127.0.0.1:8800",
        box=box(PRODUCT[-1][2]),
        mark=16,
        may_allow_kind=True,
        screenshot=screenshot,
    )


def hand_off(
    *, why: HandOffKind = HandOffKind.SIGN_IN, expires_at_s: float = 0, is_over: bool = False
) -> HandOffRequest:
    return HandOffRequest(
        id=f"hand-{why}{'-over' if is_over else ''}",
        task_id="t5",
        why=why,
        reason="The password is yours alone.",
        instructions="Sign in on the page, then press Done.",
        accepts=(".pdf",) if why is HandOffKind.FILE else (),
        expires_at_s=expires_at_s,
        is_over=is_over,
    )


def events_until_approval(pictures: Pictures) -> Iterator[Event]:
    """A run up to the moment at which it asks whether to press “Add to cart”."""
    make = event_maker()
    start = pictures.keep("Welcome", RESULTS[:1])
    results = pictures.keep("3 results for “Mac mini”", RESULTS)
    product = pictures.keep("Mac mini", PRODUCT)
    yield make(RunStarted, request=RunRequest(goal=GOAL, url="practice:shop"), planner=BUILTIN_PLANNER)
    yield make(StateChanged, state=RunState.PLANNING, detail="Reading the goal")
    yield make(Said, role="agent", text="I will do this in 5 tasks on the shop. Placing the order is not part of it.")
    yield make(PlanChanged, plan=sample_plan(0), by="planner")
    yield make(StateChanged, state=RunState.WORKING, detail="Search for “Mac mini”")
    number = 0

    def step(
        task_id: str, action: str, label: str, target: str, boxes: Buttons, mark: int, shot: str, **more: Any
    ) -> Iterator[Event]:
        nonlocal number
        number += 1
        title = "Mac mini" if boxes is PRODUCT else "The little shop"
        yield make(
            Observed,
            step=number,
            observation=number,
            url=_URL,
            title=title,
            screenshot=shot,
            marks=marks(boxes),
            element_count=len(boxes) + 9,
            difference=more.pop("difference", ""),
        )
        place = next((one[2] for one in boxes if one[0] == mark), None)
        yield make(
            StepStarted,
            task_id=task_id,
            step=number,
            action=action,
            label=label,
            target=target,
            parameters={"target": {"label": target}, **more.pop("parameters", {})},
            box=box(place) if place else None,
            mark=mark,
            why=more.pop("why", ""),
            observation=number,
            screenshot=shot,
        )
        for rung in more.pop("rungs", ()):
            yield make(RecoveryTried, step=number, rung=rung, reason="the list was still loading", wait_s=0.5)
        yield make(
            StepFinished,
            step=number,
            status=more.pop("status", OutcomeStatus.DONE),
            duration_ms=more.pop("ms", 140.0),
            value=more.pop("value", ""),
            detail=more.pop("detail", ""),
        )

    yield from step(
        "t1",
        "fill",
        "Fill “Search the shop” with “Mac mini”",
        RESULTS[0][1],
        RESULTS[:1],
        3,
        start,
        ms=148.0,
        parameters={"text": "Mac mini"},
    )
    yield from step("t1", "press_key", "Press Enter", RESULTS[0][1], RESULTS[:1], 3, start, ms=61.0)
    yield make(CheckpointSaved, task_id="t1", step=2, url=_URL)
    yield make(PlanChanged, plan=sample_plan(1))
    yield from step(
        "t2",
        "click",
        "Click result 2",
        RESULTS[2][1],
        RESULTS,
        6,
        results,
        ms=1312.0,
        why="“512 GB” stands in its name.",
        rungs=(Rung.RETRY,),
        difference="address is now /shop/results; 3 links appeared",
    )
    yield make(Said, role="agent", text="Found 3 results; the second is the 512 GB model.", step=3)
    yield make(PlanChanged, plan=sample_plan(2))
    yield from step("t3a", "click", "Choose 512 GB", PRODUCT[2][1], PRODUCT, 13, product, ms=148.0)
    yield from step("t3a", "get_text", "Read the price", "text “749 €”", PRODUCT, 0, product, ms=61.0, value="749 €")
    yield from step(
        "t3a",
        "click",
        "Close the newsletter banner",
        "button “No thanks”",
        PRODUCT,
        0,
        product,
        ms=2034.0,
        status=OutcomeStatus.UNVERIFIED,
        detail="The banner was still there afterwards.",
    )
    yield make(
        Observed,
        step=7,
        observation=7,
        url=_URL,
        title="Mac mini",
        screenshot=product,
        marks=marks(PRODUCT),
        element_count=14,
    )
    yield make(StateChanged, state=RunState.WAITING, detail="May I press “Add to cart”?")
    yield make(RequestRaised, task_id="t3b", request=approval(product))


def events_after_approval(pictures: Pictures) -> Iterator[Event]:
    """The rest of the run."""
    make = event_maker(start_s=START_S + 60)
    product = pictures.keep("Mac mini", PRODUCT)
    yield make(RequestClosed, request_id="ask-cart", answer=Approve(), by="person")
    yield make(StateChanged, state=RunState.WORKING)
    yield make(
        StepStarted,
        task_id="t3b",
        step=7,
        action="click",
        label="Press “Add to cart”",
        target=PRODUCT[-1][1],
        box=box(PRODUCT[-1][2]),
        mark=16,
        observation=7,
        screenshot=product,
    )
    yield make(StepFinished, step=7, status=OutcomeStatus.DONE, duration_ms=312)
    yield make(PlanChanged, plan=sample_plan(4))
    yield make(
        RunFinished,
        state=RunState.DONE,
        cause=EndCause.GOAL_MET,
        reason="The Mac mini 512 GB is in the cart and the address form shows. Nothing was ordered.",
        answer="749 €",
        steps=7,
        duration_s=14.2,
        url=_URL,
    )


def exchange(step: int, purpose: str = "decision", **parts: Any) -> ModelAsked:
    """One exchange with a model in the sample run."""
    request = {
        "model": "gpt-5.4-mini",
        "messages": [
            {"role": "system", "content": "You decide the next actions.\nReply with one JSON object."},
            {"role": "user", "content": f"Goal: {GOAL}\nStep {step} went well.\n<<<\n[16] button “Add to cart”\n>>>"},
        ],
        "stream": True,
    }
    reply = {"say": "Next I choose the 512 GB one.", "actions": [{"action": "click", "target": 13}]}
    known = {"model": "gpt-5.4-mini", "input_tokens": 3412, "cached_input_tokens": 2900, "output_tokens": 96}
    return ModelAsked(
        run_id=RUN_ID,
        sequence=0,
        time_s=START_S + step,
        step=step,
        purpose=purpose,
        **{
            **known,
            "cost": 0.0034,
            "duration_ms": 2310.0,
            "sent": json.dumps(request, ensure_ascii=False),
            "received": json.dumps({"choices": [{"message": {"content": json.dumps(reply)}}]}),
            "snapshot": {
                "route": "act",
                "goal_achieved": False,
                "task_achieved": True,
                "reasoning": "Next I choose the 512 GB one.",
                "last_result": f"Step {step} went well.",
                "confidence": 0.9,
                "solution": "",
            },
            **parts,
        },
    )


def planned_by_model(events: Iterable[Event]) -> Iterator[Event]:
    """The sample run as a model would plan it; its fifth step was decided together with the fourth."""
    for event in events:
        if isinstance(event, PlanChanged) and event.by == "planner":
            yield exchange(0, "planning", input_tokens=1810, cached_input_tokens=0, output_tokens=402, cost=0.0061)
        if isinstance(event, StepStarted) and event.step != 5:
            fault = "The reply named an action that there is none of: “clik”." if event.step == 3 else ""
            if fault:
                yield exchange(event.step - 1, fault=fault, snapshot={})
            yield exchange(event.step - 1)
        if isinstance(event, RunFinished):
            yield exchange(event.steps, "final_summary", input_tokens=900, output_tokens=80, cost=0.0012)
        yield event


def raised(request: Request, make: Callable[..., Event]) -> Event:
    return make(RequestRaised, request=request)
