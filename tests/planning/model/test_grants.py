"""What a model says a task touches, as grants; whether it counts is for the engine to say."""

from __future__ import annotations

from operative_app.core.plan import Grants
from operative_app.planning.model.plans import tasks_of
from operative_app.planning.model.replies import TaskReply, read_decision


def grants_of(**fields: object) -> Grants:
    (task,) = tasks_of([TaskReply.model_validate({"goal": "Do it", **fields})])
    return task.grants


def test_sites_are_named_as_the_rules_name_them() -> None:
    told = ["https://www.shop.example/x", "shop.example", "javascript:x", "not a site", ""]
    assert grants_of(sites=told).sites == ("shop.example",)


def test_only_whole_folders_and_programs_are_taken() -> None:
    told = grants_of(folders=["/data/work", "~/a", "/", "~/", "work"], apps=["Mail", "x", "command:rm"])
    assert (told.folders, told.apps) == (("/data/work", "~/a"), ("Mail",))


def test_what_a_task_names_goes_with_its_only_part() -> None:
    (task,) = tasks_of(
        [
            TaskReply.model_validate(
                {"goal": "All", "sites": ["a.example"], "tasks": [{"goal": "Part", "apps": ["Mail"]}]}
            )
        ]
    )
    assert (task.goal, task.grants) == ("Part", Grants(sites=("a.example",), apps=("Mail",)))


def test_a_step_is_risky_only_when_the_model_says_so() -> None:
    calls = {"route": "act", "variants": [[{"do": "press_key", "key": "Enter"}]]}
    assert read_decision({**calls, "risky": True}).risky
    assert not read_decision(calls).risky
