from __future__ import annotations

import base64
import hashlib
import io
import os
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from operative_app.core.errors import StoreError
from operative_app.core.events import (
    EVENT_ADAPTER,
    CheckpointSaved,
    Event,
    EventBase,
    Notice,
    Observed,
    OversightChanged,
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
from operative_app.core.plan import Plan, Task, TaskStatus
from operative_app.core.requests import QuestionRequest, Reply
from operative_app.core.run import EndCause, OutcomeStatus, Oversight, RunRequest, RunState
from operative_app.presentation.report import (
    EVENTS_NAME,
    REPORT_NAME,
    STEPS_NAME,
    record_folder_name,
    report_html,
    steps_text,
    write_record,
)

HOSTILE = (
    "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>\"' onclick='alert(1)' "
    "{{ 7 * 7 }} {% raw %} &lt;b&gt; javascript:alert(1) \x1b[31m \u202e \ud83d"
)


def picture(colour: str, kind: str = "PNG") -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(content, kind)
    return content.getvalue()


def name_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


BEGAN_S = 1_800_000_000.0
FIRST, SECOND = picture("red"), picture("blue", "JPEG")
PICTURES = {name_of(content): content for content in (FIRST, SECOND)}


def run_events(text: str = "harmless") -> list[Event]:
    """A run in which every text that can come from outside is `text`."""
    task = Task(id="t1", goal=text, status=TaskStatus.DONE, result=text, subtasks=(Task(id="t2", goal=text),))
    first = {"step": 1, "observation": 1, "url": text, "title": text, "difference": text}
    wishes = {"action": "click", "target": text, "why": text, "task_id": "t2", "parameters": {text: text}}
    told: list[tuple[type[EventBase], dict[str, object]]] = [
        (RunStarted, {"request": RunRequest(goal=text, url=text), "planner": text}),
        (StateChanged, {"state": RunState.PLANNING, "detail": text}),
        (PlanChanged, {"plan": Plan(goal=text, tasks=(task,)), "reason": text}),
        (Observed, first | {"screenshot": name_of(FIRST)}),
        (StepStarted, wishes | {"step": 1, "label": text}),
        (
            StepFinished,
            {
                "step": 1, "status": OutcomeStatus.FAILED, "detail": text, "value": text, "duration_ms": 1200,
                "tokens": 1204,
            },
        ),
        (RecoveryTried, {"step": 1, "rung": Rung.RETRY, "reason": text, "wait_s": 0.5}),
        (StepStarted, {"step": 1, "action": "click", "label": text, "attempt": 2}),
        (StepFinished, {"step": 1, "status": OutcomeStatus.DONE, "duration_ms": 7}),
        (Observed, first | {"step": 2, "observation": 2, "screenshot": name_of(SECOND)}),
        (CheckpointSaved, {"step": 1, "url": text}),
        (RequestRaised, {"request": QuestionRequest(id="q", text=text, choices=(text,))}),
        (RequestClosed, {"request_id": "q", "answer": Reply(text=text), "by": text}),
        (Said, {"role": "agent", "text": text, "step": 1}),
        (Notice, {"text": text}),
        (OversightChanged, {"oversight": Oversight.NONE}),
        (
            RunFinished,
            {
                "state": RunState.DONE, "cause": EndCause.GOAL_MET, "reason": text, "answer": text, "steps": 2,
                "duration_s": 65,
            },
        ),
    ]  # fmt: skip
    return [
        EVENT_ADAPTER.validate_python(
            kind.model_validate({"run_id": "r1", "sequence": number, "time_s": BEGAN_S + number, **fields})
        )
        for number, (kind, fields) in enumerate(told)
    ]


class Document(HTMLParser):
    """The elements of a document in their order, their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.values: dict[str, list[str]] = {}
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        for name, value in attrs:
            self.values.setdefault(name, []).append(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_text_stays_text() -> None:
    html = report_html(run_events(HOSTILE), PICTURES.get)

    hostile, harmless = Document(html), Document(report_html(run_events(), PICTURES.get))
    assert hostile.elements == harmless.elements
    assert "script" not in {tag for tag, _ in hostile.elements}
    assert hostile.text.count("<script>alert(1)</script>") == harmless.text.count("harmless") > 15
    assert "{{ 7 * 7 }} {% raw %} &lt;b&gt;" in hostile.text
    assert not set("\x1b\u202e\ud83d") & set(html)


def test_the_report_needs_and_reaches_nothing_else() -> None:
    document = Document(report_html(run_events("http://shop.example/"), PICTURES.get))

    assert all(source.startswith("data:image/") for source in document.values["src"])
    assert {href[0] for href in document.values["href"]} == {"#"}
    assert {href[1:] for href in document.values["href"]} <= set(document.values["id"])
    assert len(document.values["id"]) == len(set(document.values["id"])) == 2
    assert document.values["content"][0].startswith("default-src 'none'")


def test_the_pictures_are_inside_as_they_were_seen() -> None:
    sources = Document(report_html(run_events(), PICTURES.get)).values["src"]

    assert [source.partition(";")[0] for source in sources] == ["data:image/png", "data:image/png", "data:image/jpeg"]
    assert [base64.b64decode(source.partition(",")[2]) for source in sources] == [FIRST, FIRST, SECOND]


def test_marks_are_drawn_by_who_can_draw_them() -> None:
    asked: list[tuple[bytes, int, str]] = []
    drawn = picture("green")

    def draw(content: bytes, seen: Observed, started: StepStarted | None) -> bytes:
        asked.append((content, seen.observation, started.label if started else "no step"))
        return drawn

    sources = Document(report_html(run_events(), PICTURES.get, draw=draw)).values["src"]

    assert {base64.b64decode(source.partition(",")[2]) for source in sources} == {drawn}
    assert asked == [(FIRST, 1, "harmless"), (FIRST, 1, "harmless"), (SECOND, 2, "no step")]


def test_a_lost_or_foreign_picture_is_told_and_not_embedded() -> None:
    lost = Document(report_html(run_events(), lambda name: None))
    foreign = Document(report_html(run_events(), lambda name: b"<svg onload=alert(1)>"))

    assert "src" not in lost.values
    assert lost.text.count("The picture is no longer there.") == 2
    assert "src" not in foreign.values


def test_the_report_tells_the_run() -> None:
    text = " ".join(Document(report_html(run_events(), PICTURES.get)).text.split())

    for part in (
        "Done", "2 steps · 1 min 5 s · 1,204 tokens", "What changed", "Step 1: harmless",
        "Trying again after 500 ms: harmless", "failed",
        "1.2 s", "1,204", "Task: harmless", "Operative: harmless", "Answer: “harmless”", "Oversight: None",
    ):  # fmt: skip
        assert part in text, part


def test_a_change_is_credited_to_the_step_before_it() -> None:
    events = run_events()
    second = next(event for event in events if isinstance(event, Observed) and event.observation == 2)
    events[events.index(second)] = second.model_copy(update={"difference": "cart now shows 1"})

    text = " ".join(Document(report_html(events, PICTURES.get)).text.split())

    changes = text.partition("What changed")[2].partition("Plan")[0]
    assert changes.split() == ["Step", "1:", "cart", "now", "shows", "1"]


def test_a_run_that_was_cut_off_is_reported_as_interrupted() -> None:
    document = Document(report_html(run_events()[:5], PICTURES.get))

    assert "Interrupted" in document.text
    assert "cut off" in document.text


def test_no_events_still_give_a_report() -> None:
    document = Document(report_html([], PICTURES.get))

    assert "No step was taken." in document.text
    assert "Nothing was seen to change." in document.text


def test_the_step_log_tells_each_step_with_its_time() -> None:
    lines = steps_text(run_events()).splitlines()

    assert lines[0] == "00:00  Goal: harmless"
    assert "00:05    1  harmless  failed  1.2 s  1,204 tokens  (harmless)" in lines
    assert "00:08    1  harmless  done  7 ms" in lines
    assert lines[-2:] == ["00:16  Done (2 steps, 1 min 5 s): harmless.", "00:16  Answer: harmless"]


def test_the_record_is_written_whole(tmp_path: Path) -> None:
    events = run_events()
    folder = tmp_path / "out" / "run"

    write_record(folder, events, PICTURES.get)
    write_record(folder, events, PICTURES.get)

    assert sorted(path.name for path in folder.iterdir()) == [EVENTS_NAME, "pictures", REPORT_NAME, STEPS_NAME]
    lines = (folder / EVENTS_NAME).read_text(encoding="utf-8").splitlines()
    assert [EVENT_ADAPTER.validate_json(line) for line in lines] == events
    assert (folder / STEPS_NAME).read_text(encoding="utf-8") == steps_text(events)
    assert (folder / REPORT_NAME).read_text(encoding="utf-8") == report_html(events, PICTURES.get)
    assert {path.name: path.read_bytes() for path in (folder / "pictures").iterdir()} == {
        f"{name_of(FIRST)}.png": FIRST,
        f"{name_of(SECOND)}.jpg": SECOND,
    }


def test_hostile_text_can_be_written_too(tmp_path: Path) -> None:
    write_record(tmp_path, run_events(HOSTILE), PICTURES.get)

    assert len((tmp_path / EVENTS_NAME).read_text(encoding="utf-8").splitlines()) == 17


def test_a_folder_that_cannot_be_written_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match=r"The record cannot be written to .*file"):
        write_record(tmp_path / "file", run_events(), PICTURES.get)


@pytest.mark.parametrize(
    ("goal", "name"),
    [
        ("Order a Mac mini!", "order-a-mac-mini-r1"),
        ("../../etc/passwd", "etc-passwd-r1"),
        ("Größe \x00 wählen: CON", "gr-e-w-hlen-con-r1"),
        ("注文", "run-r1"),
    ],
)
def test_a_folder_is_named_safely_after_the_goal(goal: str, name: str) -> None:
    assert record_folder_name(run_events(goal)) == name
    assert os.sep not in name


def test_parts_point_to_their_whole_and_pictures_that_were_taken_are_shown_and_kept(tmp_path: Path) -> None:
    taken = picture("purple")

    def start(step: int, **parts: object) -> StepStarted:
        fields = {"run_id": "r", "sequence": step, "time_s": 0, "step": step, "action": "a", "label": f"Do {step}"}
        return StepStarted.model_validate(fields | parts)

    def end(step: int, **parts: object) -> StepFinished:
        fields = {"run_id": "r", "sequence": step, "time_s": 0, "step": step, "status": "done"}
        return StepFinished.model_validate(fields | parts)

    events: list[Event] = [start(1), start(2, part_of=1), end(2), end(1, picture=name_of(taken))]
    html = report_html(events, {name_of(taken): taken}.get)
    assert 'Part of <a href="#step-1">step 1</a>' in html
    assert html.count("Part of") == 1
    assert base64.b64encode(taken).decode() in html
    write_record(tmp_path, events, {name_of(taken): taken}.get)
    assert [one.name for one in (tmp_path / "pictures").iterdir()] == [f"{name_of(taken)}.png"]
