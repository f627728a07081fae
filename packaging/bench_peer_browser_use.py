"""Runs inside the environment of browser-use: looks at pages as its agent does before each step.

Takes one JSON argument {"browser", "pages", "change", "repeat", "is_root", "goal"}; prints {"values_ms": {address:
[...]}, "request_characters": {address: number}, "unlisted": {address: [...]}}. Its pauses for loading pages are set to
none, so that only the work of looking is measured. With a goal, the request of a first step is put together by its own
classes, without a model: instructions, messages and the schema of the answer, pictures not counted; and what can be
reached on the page, but is not in its list of the page, is told.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import tempfile
import time
from typing import Any

from bench_reach import unlisted


async def _measure(task: dict[str, Any]) -> dict[str, Any]:
    profile_of = importlib.import_module("browser_use.browser.profile").BrowserProfile
    session_of = importlib.import_module("browser_use.browser.session").BrowserSession
    with tempfile.TemporaryDirectory(prefix="bench-peer-", ignore_cleanup_errors=True) as folder:
        profile = profile_of(
            executable_path=task["browser"],
            headless=True,
            user_data_dir=folder,
            chromium_sandbox=not task["is_root"],
            enable_default_extensions=False,
            minimum_wait_page_load_time=0,
            wait_for_network_idle_page_load_time=0,
            viewport={"width": 1280, "height": 720},
        )
        session = session_of(browser_profile=profile)
        await session.start()
        try:
            values = {url: await _look_at(session, url, task) for url in task["pages"]} if task["repeat"] else {}
            asked = (
                {url: await _request_of(session, url, task, folder) for url in task["pages"]} if task["goal"] else {}
            )
            sizes = {url: size for url, (size, _) in asked.items()}
            missing = {url: unlisted for url, (_, unlisted) in asked.items()}
            return {"values_ms": values, "request_characters": sizes, "unlisted": missing}
        finally:
            await session.kill()


async def _request_of(session: Any, url: str, task: dict[str, Any], folder: str) -> tuple[int, list[str]]:
    """The characters of the request for a first step on a page, and what can be reached there that it does not list."""
    prompts = importlib.import_module("browser_use.agent.prompts")
    views = importlib.import_module("browser_use.agent.views")
    files = importlib.import_module("browser_use.filesystem.file_system").FileSystem(folder)
    tools = importlib.import_module("browser_use.tools.service").Tools()
    manager_of = importlib.import_module("browser_use.agent.message_manager.service").MessageManager
    await session.navigate_to(url)
    seen = await session.get_browser_state_summary(include_screenshot=False)
    manager = manager_of(task["goal"], prompts.SystemPrompt().get_system_message(), files)
    manager.create_state_messages(seen, use_vision=False, step_info=views.AgentStepInfo(step_number=0, max_steps=8))
    answer = views.AgentOutput.type_with_custom_actions(tools.registry.create_action_model())
    schema = json.dumps(answer.model_json_schema(), separators=(",", ":"))
    cdp = await session.get_or_create_cdp_session()

    async def send(method: str, params: dict[str, Any]) -> dict[str, Any]:
        return dict(await cdp.cdp_client.send_raw(method, params, cdp.session_id))

    listed = {node.backend_node_id for node in seen.dom_state.selector_map.values()}
    missing = await unlisted(send, listed)
    return len(schema) + sum(len(message.text) for message in manager.get_messages()), missing


async def _look_at(session: Any, url: str, task: dict[str, Any]) -> list[float]:
    await session.navigate_to(url)
    values: list[float] = []
    failures = 0
    while len(values) <= task["repeat"]:
        cdp = await session.get_or_create_cdp_session()
        await cdp.cdp_client.send.Runtime.evaluate(params={"expression": task["change"]}, session_id=cdp.session_id)
        begun_s = time.perf_counter()
        seen = await session.get_browser_state_summary(include_screenshot=True)
        text = seen.dom_state.llm_representation()
        spent_ms = (time.perf_counter() - begun_s) * 1000
        if seen.screenshot and text:
            values.append(spent_ms)
        elif (failures := failures + 1) > task["repeat"]:
            raise RuntimeError(f"it saw no picture or no text of {url} in {failures} looks")
    return values[1:]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure(json.loads(sys.argv[1])))))
