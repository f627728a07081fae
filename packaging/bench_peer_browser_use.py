"""Runs inside the environment of browser-use: looks at pages as its agent does before each step.

Takes one JSON argument {"browser", "pages", "change", "repeat", "is_root"}; prints {"values_ms": {address: [...]}}.
Its pauses for loading pages are set to none, so that only the work of looking is measured.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import tempfile
import time
from typing import Any


async def _measure(task: dict[str, Any]) -> dict[str, list[float]]:
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
            return {url: await _look_at(session, url, task) for url in task["pages"]}
        finally:
            await session.kill()


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
    print(json.dumps({"values_ms": asyncio.run(_measure(json.loads(sys.argv[1])))}))
