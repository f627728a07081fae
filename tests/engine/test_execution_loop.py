"""One test for each scenario of the requirement text on the execution loop, in a real browser.

The planner is scripted, so that each scenario is forced; the page is served on the loopback interface and acted on by
real Chromium through the engine's public doors.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from operative_app.core.events import PlanChanged, RecoveryTried
from operative_app.core.plan import Task, TaskStatus
from operative_app.core.run import EndCause, OutcomeStatus, RunState
from operative_app.core.screen import ScreenState
from operative_app.planning.port import Decision, GiveUp, RunContext, TaskDone, Trouble
from tests.engine.loop import LIMITS, Loop
from tests.engine.world import ScriptedPlanner, click, click_named, fill

PAGE = """<!doctype html><title>Loop</title>
<h1>Small shop</h1>
<label>Search <input id=q></label> <button id=go>Find</button>
<button id=dead>Dead</button> <button id=twice>Twice</button> <button id=odd>Odd</button>
<p id=out role=status></p>
<script>
  const out = document.getElementById('out');
  document.getElementById('go').onclick = () => {
    setTimeout(() => { out.textContent = 'Results for ' + document.getElementById('q').value; }, 150);
  };
  let presses = 0;
  document.getElementById('twice').onclick = () => { if (++presses === 2) out.textContent = 'Second press counted'; };
  document.getElementById('odd').onclick = () => { document.getElementById('odd').remove();
    out.outerHTML = '<button id=plan-b onclick="this.textContent=\\'Plan B done\\'">Plan B</button>'; };
</script>"""


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return None


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Page)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    thread.join()
    server.server_close()


def until(text: str, state: ScreenState, otherwise: Decision) -> Decision:
    return TaskDone() if text in state.all_text else otherwise


def test_loop_continues_until_goal_is_met(tmp_path: Path, url: str) -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        if task.goal == "Type the words":
            return fill(state, "Search", "Mac mini")
        return until("Results for Mac mini", state, click(state, "Find", completes_task=False))

    loop = Loop(tmp_path, url, ScriptedPlanner("Type the words", "Find", choose=choose))
    end = loop.run()
    assert (end.state, end.cause) == (RunState.DONE, EndCause.GOAL_MET)
    kinds = [
        event.kind for event in loop.listener.events if event.kind in {"observed", "step_started", "step_finished"}
    ]
    first_act = kinds.index("step_started", kinds.index("observed"))
    assert "observed" in kinds[:first_act]
    assert "observed" in kinds[kinds.index("step_finished") :]
    plan = [event for event in loop.listener.events if isinstance(event, PlanChanged)][-1].plan
    assert plan.is_complete


def test_loop_stops_after_max_steps(tmp_path: Path, url: str) -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return replace(fill(state, "Search", f"word {len(context.history)}"), completes_task=False)

    loop = Loop(tmp_path, url, ScriptedPlanner("Never ends", choose=choose))
    end = loop.run(max_steps=5)
    assert (end.state, end.cause, end.steps) == (RunState.FAILED, EndCause.STEP_LIMIT, 5)
    assert "5 steps" in end.reason
    assert "“Never ends”" in end.reason


def test_planner_emits_steps_for_a_new_goal(tmp_path: Path, url: str) -> None:
    planner = ScriptedPlanner("Find")
    loop = Loop(tmp_path, url, planner)
    loop.run()
    first_plan = next(event for event in loop.listener.events if isinstance(event, PlanChanged)).plan
    assert [task.goal for task in first_plan.tasks] == ["Find"]
    scene = planner.decomposed_on[-1]
    assert scene is not None
    assert scene.title == "Loop"
    assert {"Find", "Dead"} <= {element.name for element in scene.elements}


def test_planner_re_plans_after_unexpected_scene(tmp_path: Path, url: str) -> None:
    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return click(state, "Dead")

    def replan(state: ScreenState, task: Task, trouble: Trouble, context: RunContext) -> Decision:
        return click(state, "Odd")

    planner = ScriptedPlanner("Go on", choose=choose, replan=replan)
    loop = Loop(tmp_path, url, planner)
    end = loop.run()
    assert end.state is RunState.DONE
    assert [trouble.kind for trouble in planner.troubles] == ["unexpected"]
    assert "nothing on the screen changed" in planner.troubles[0].reason
    assert loop.labels()[-1] == "Click button “Odd”"
    assert any(isinstance(event, RecoveryTried) and event.rung == "replan" for event in loop.listener.events)


def test_executor_retries_a_transient_failure(tmp_path: Path, url: str) -> None:
    loop = Loop(tmp_path, url, ScriptedPlanner("Twice", choose=lambda state, task, context: click(state, "Twice")))
    end = loop.run()
    assert end.state is RunState.DONE
    assert loop.outcomes()[-2:] == [OutcomeStatus.UNVERIFIED, OutcomeStatus.DONE]
    retries = [event for event in loop.listener.events if isinstance(event, RecoveryTried)]
    assert [(retry.rung, retry.attempt) for retry in retries] == [("retry", 2)]
    assert retries[0].wait_s > 0


def test_executor_gives_up_after_retry_ceiling(tmp_path: Path, url: str) -> None:
    planner = ScriptedPlanner(
        "Dead",
        choose=lambda state, task, context: click(state, "Dead"),
        replan=lambda state, task, trouble, context: GiveUp(trouble.reason),
    )
    loop = Loop(tmp_path, url, planner)
    end = loop.run()
    assert (end.state, end.cause) == (RunState.FAILED, EndCause.TASK_FAILED)
    assert loop.outcomes() == [OutcomeStatus.DONE] + [OutcomeStatus.UNVERIFIED] * LIMITS.action_attempts
    assert "nothing on the screen changed" in end.reason
    plan = [event for event in loop.listener.events if isinstance(event, PlanChanged)][-1].plan
    assert plan.tasks[0].status is TaskStatus.FAILED


def test_re_planning_uses_prior_step_history(tmp_path: Path, url: str) -> None:
    seen: list[list[tuple[str, str]]] = []

    def choose(state: ScreenState, task: Task, context: RunContext) -> Decision:
        return click_named(state, task, context)

    def replan(state: ScreenState, task: Task, trouble: Trouble, context: RunContext) -> Decision:
        seen.append([(record.action.words, record.outcome.status.value) for record in context.history])
        return click(state, "Odd")

    loop = Loop(tmp_path, url, ScriptedPlanner("Find", "Dead", choose=choose, replan=replan))
    loop.run()
    words = [words for words, _ in seen[0]]
    assert words[0] == "Click button “Find”"
    assert words[1:] == ["Click button “Dead”"] * LIMITS.action_attempts
    assert {status for _, status in seen[0][1:]} == {"unverified"}
