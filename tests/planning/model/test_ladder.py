"""The recovery ladder in a real browser: for each rung a page that needs exactly that rung.

Retry, alternative, roll back and re-plan, escalate (multi_step_planning.txt). A model behind real HTTP plays the
planner, or the built-in one where words alone lead there; each rung is an event with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from operative_app.core.events import CheckpointSaved, Rung
from operative_app.core.requests import QuestionRequest, Reply
from operative_app.core.run import RunState
from operative_app.planning.builtin.planner import BuiltinPlanner
from tests.llm.asking import Wire
from tests.planning.model.rig import Model, Rig, open_rig
from tests.planning.model.scripted import act, finish, plan, summary
from tests.surfaces.pages import Pages

SLOW_TO_WAKE = """<h1>Door</h1><button id=bell>Ring</button><p role=status id=out></p><script>
  let presses = 0;
  bell.onclick = () => { if (++presses === 2) out.textContent = 'Somebody comes'; };
</script>"""

DEAD_BUTTON = """<h1>Archive</h1><button>Open the archive</button> <a href="#open" id=way>Archive by the side door</a>
<p role=status id=out></p><script>way.onclick = () => { out.textContent = 'The archive is open'; };</script>"""

FORM = """<h1>Trip</h1>
<label>Name <input id=name></label> <label><input type=checkbox id=news> News</label>
<label>Seat <select id=seat><option>Aisle<option>Window</select></label>
<div style="height:1500px"></div>
<button id=wrong>Continue with a guide</button> <button id=right>Continue alone</button>
<p role=status id=out></p><div style="height:900px"></div>
<script>
  wrong.onclick = () => { window.open('ADVERT'); location.href = 'ASTRAY'; };
  right.onclick = () => {
    out.textContent = `Booked for ${document.querySelector('#name').value}, ${seat.value}, news ${news.checked}`;
  };
</script>"""

NO_WAY = """<h1>Vault</h1><button>Open the vault</button> <button id=guard>Ask the guard</button>
<p role=status id=out></p><script>guard.onclick = () => { out.textContent = 'The guard opened it'; };</script>"""


@pytest.fixture(scope="module")
def rig(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with open_rig(tmp_path_factory.mktemp("ladder")) as rig:
        yield rig


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        yield pages


def test_retry_is_enough_where_the_first_press_is_not_heard(rig: Rig, pages: Pages) -> None:
    url = pages.make(SLOW_TO_WAKE)
    end = rig.run_with(BuiltinPlanner(), "press Ring", url=url)
    assert end.state is RunState.DONE, end
    model = Model(
        plan("Ring"),
        [
            lambda view: act(view.click("Ring"), expect={"text": "Somebody comes"}, completes=True),
        ],
        summary(("Somebody comes", 2)),
    )
    for_builtin = rig.rungs
    end = rig.run("ring the bell", model, Wire.CHAT, url=url)
    assert end.state is RunState.DONE, end
    for climbed in (for_builtin, rig.rungs):
        assert [rung for rung, _ in climbed] == [Rung.RETRY]
        assert climbed[0][1]


def test_an_alternative_is_needed_where_a_button_does_nothing(rig: Rig, pages: Pages) -> None:
    model = Model(
        plan("Open the archive"),
        [
            lambda view: {
                "route": "act",
                "variants": [[view.click("Open the archive")], [view.click("Archive by the side door")]],
                "expect": {"text": "The archive is open"},
                "completes": True,
            },
        ],
        summary(("The archive is open", 5)),
    )
    end = rig.run("open the archive", model, Wire.RESPONSES, url=pages.make(DEAD_BUTTON))
    assert end.state is RunState.DONE, end
    assert [rung for rung, _ in rig.rungs] == [Rung.RETRY, Rung.RETRY, Rung.ALTERNATIVE]
    assert all("nothing on the screen changed" in reason or "The archive is open" in reason for _, reason in rig.rungs)


def test_rolling_back_restores_tabs_address_scroll_and_form_and_the_rest_is_planned_anew(
    rig: Rig, pages: Pages
) -> None:
    advert = pages.make("<h1>Buy something</h1>", "advert")
    astray = pages.make("<h1>A guide for your trip</h1><p>There is no way on from here.", "astray")
    url = pages.make(FORM.replace("ADVERT", advert).replace("ASTRAY", astray), "trip")
    seen: list[Any] = []

    def fill(view: Any) -> Any:
        return act(
            {
                "do": "fill_form",
                "fields": [
                    {"element": view.number("Name"), "value": "Ada Lovelace"},
                    {"element": view.number("News"), "value": "yes"},
                    {"element": view.number("Seat"), "value": "Window"},
                ],
            },
            {"do": "scroll", "dy_css_px": 1100},
        )

    def back(view: Any) -> Any:
        view.seen("Buy something")
        return {"route": "roll_back", "say": "This leads to an advert."}

    def look(view: Any) -> Any:
        view.seen("the screen was put back to what it was when the present task began")
        seen.append(rig.in_page(lambda page: page.evaluate("[location.href, Math.round(scrollY)]")))
        return {"route": "replan", "tasks": [{"goal": "Book alone"}], "say": "A guide is no way."}

    model = Model(
        plan("Fill in the trip", "Book with a guide"),
        [
            fill,
            lambda view: act(view.click("Continue with a guide"), done=[{"task": 1, "evidence": "Ada Lovelace"}]),
            back,
            look,
            lambda view: act(view.click("Continue alone")),
            lambda view: finish("", done=[{"task": 2, "evidence": view.seen("Booked for Ada Lovelace, Window")}]),
        ],
        summary(("The trip is booked", 8)),
        look={"achieved": True, "evidence": "Booked for Ada Lovelace, Window"},  # the new plan left a task out
    )
    end = rig.run("book the trip", model, Wire.CHAT_STREAM, url=url)
    assert end.state is RunState.DONE, end
    assert [rung for rung, _ in rig.rungs] == [Rung.ROLL_BACK, Rung.REPLAN]
    assert {reason for _, reason in rig.rungs} == {"This leads to an advert."}
    assert seen == [[url, 1100]]
    assert rig.provider.tabs == (url,)
    assert "Booked for Ada Lovelace, Window, news true" in model.asked[-1]
    assert any(isinstance(event, CheckpointSaved) and event.url == url for event in rig.listener.events)


@pytest.mark.parametrize("is_builtin", [True, False], ids=["built-in", "model"])
def test_the_person_is_asked_where_no_way_leads_on(rig: Rig, pages: Pages, is_builtin: bool) -> None:
    asked: list[str] = []

    def person(request: Any) -> Any:
        assert isinstance(request, QuestionRequest)
        asked.append(request.text)
        return Reply(text="press Ask the guard")

    url = pages.make(NO_WAY)
    if is_builtin:
        end = rig.run_with(BuiltinPlanner(), "press Open the vault", person, url=url)
    else:
        model = Model(
            plan("Open the vault"),
            [
                lambda view: act(view.click("Open the vault")),
                lambda _: {"route": "impossible", "say": "The vault's button does nothing."},
                lambda view: act(
                    view.click(view.seen("Ask the guard")), expect={"text": "The guard opened it"}, completes=True
                ),
            ],
            summary(("The guard opened the vault", 5)),
        )
        end = rig.run("open the vault", model, Wire.RESPONSES_STREAM, person, url=url)
    assert end.state is RunState.DONE, end
    (question,) = asked
    assert question.startswith("I could not do “" if is_builtin else "This cannot be done: The vault's button")
    climbed = [rung for rung, _ in rig.rungs]
    assert climbed[:2] == [Rung.RETRY, Rung.RETRY]
    assert climbed[-1] is Rung.ESCALATE
    assert climbed.count(Rung.ESCALATE) == 1
    assert Rung.ALTERNATIVE not in climbed
    assert all(reason for _, reason in rig.rungs)
