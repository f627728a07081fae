"""The `operative` command as a process of its own, with a real browser and the practice site."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from operative_app.practice import PracticeSite
from operative_app.store.folders import app_folders
from operative_app.store.settings import Settings, save_settings
from tests.desktop_session import until
from tests.e2e.processes import browser_of, children_of, wait_gone

SHOP = 'Open practice:shop, search for "Mac mini", open the first result'
CHROMIUM_SWITCHES = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


@pytest.fixture
def home(isolation: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = isolation / "home" / "operative"
    monkeypatch.setenv("OPERATIVE_HOME", str(place))
    return place


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "operative_app", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(*arguments: str) -> tuple[int, str, str]:
    process = start(*arguments)
    out, err = process.communicate(timeout=100)
    return process.returncode, out, err


@pytest.fixture
def silent(chromium_path: Path) -> Iterator[str]:
    """An address whose server never answers: what opens it is busy for long."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def started(silent: str) -> subprocess.Popen[str]:
    """A run whose browser is open and which is in the middle of its first step."""
    process = start("run", f"Open {silent}", "--headless", "--json")
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["kind"] == "step_started":
            break
    return process


def test_a_goal_is_done_and_its_steps_are_printed_as_people_read_them(home: Path, chromium_path: Path) -> None:
    code, out, err = run("run", SHOP, "--headless")
    assert (code, err) == (0, "")
    assert "Fill searchbox “Search products” with “Mac mini”  done" in out
    assert "Click link “Mac mini" in out
    assert out.splitlines()[-1].startswith("Done (")


def test_events_come_as_json_lines_and_nothing_else(home: Path, chromium_path: Path) -> None:
    save_settings(app_folders().create().config, Settings(max_steps=50))
    code, out, _ = run("run", "Tell me the revenue for March", "--url", "practice:report", "--headless", "--json")
    assert code == 0
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert events[0]["kind"] == "run_started"
    assert events[0]["request"]["max_steps"] == 50  # that of the settings, since none was typed
    assert events[-1]["kind"] == "run_finished"
    assert events[-1]["state"] == "done"
    assert any(char.isdigit() for char in events[-1]["answer"])


def test_the_record_holds_report_steps_events_and_pictures(home: Path, chromium_path: Path, isolation: Path) -> None:
    record = isolation / "home" / "record"
    code, _, _ = run("run", "Open practice:report", "--headless", "--record", str(record))
    assert code == 0
    assert {"report.html", "steps.txt", "events.jsonl", "pictures"} <= {path.name for path in record.iterdir()}
    assert list((record / "pictures").iterdir())


def test_a_run_is_kept_in_the_store_and_listed(home: Path, chromium_path: Path) -> None:
    run("run", "Open practice:report", "--headless")
    code, out, _ = run("runs")
    assert code == 0
    assert "Open practice:report" in out


def test_a_goal_that_is_not_understood_fails_and_opens_nothing(home: Path) -> None:
    code, out, _ = run("run", "frobnicate the blub", "--headless")
    assert code == 1
    assert "frobnicate the blub" in out
    assert "Nothing was done" in out
    assert not (home / "profile" / "Default").exists()


def test_a_host_that_is_not_there_fails_with_a_sentence(home: Path, chromium_path: Path) -> None:
    with socket.socket() as taken:  # bound but not listening: the port refuses
        taken.bind(("127.0.0.1", 0))
        code, out, _ = run("run", "Scroll down", "--url", f"http://127.0.0.1:{taken.getsockname()[1]}/", "--headless")
    assert code == 1
    assert "could not be opened" in out


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://", "practice:nowhere", "two words"])
def test_a_wrong_address_is_wrong_usage(home: Path, url: str) -> None:
    code, out, err = run("run", "Scroll down", "--url", url, "--headless")
    assert (code, out) == (2, "")
    assert err.startswith("operative: ")
    assert not (home / "profile" / "Default").exists()


def test_no_browser_is_said_with_what_to_install(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPERATIVE_BROWSER", str(home / "no-such-browser"))
    code, out, _ = run("run", "Open practice:shop", "--headless")
    assert code == 1
    assert "no-such-browser" in out


def test_no_display_for_the_window_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    code, _, err = run("window")
    assert code == 1
    assert "no display" in err


def test_a_sign_in_with_nobody_there_needs_a_human(home: Path, chromium_path: Path) -> None:
    code, out, _ = run("run", "Open practice:codehost, sign in, then open the handbook", "--headless")
    assert code == 4
    assert "Sign in" in out


def test_a_payment_with_nobody_there_needs_a_human_and_is_not_made(home: Path, chromium_path: Path) -> None:
    code, out, _ = run(
        "run", "Open practice:flights and book a flight from SFO to JFK on 15 March for Ada Lovelace", "--headless"
    )
    assert code == 4, out
    assert "Booking confirmed" not in out


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_stops_the_run_and_leaves_nothing_behind(home: Path, silent: str, name: str) -> None:
    process = started(silent)
    family = children_of(process.pid)
    assert browser_of(family).is_running()
    process.send_signal(getattr(signal, name))
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 3, out
    assert json.loads(out.splitlines()[-1])["state"] == "stopped"
    wait_gone(family)


def test_the_browser_ended_from_outside_ends_the_run_with_a_sentence(home: Path, silent: str) -> None:
    process = started(silent)
    browser_of(children_of(process.pid)).kill()
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    end = json.loads(out.splitlines()[-1])
    assert end["cause"] == "surface_lost"
    assert "browser" in end["reason"]


def test_the_step_limit_ends_the_run(home: Path, chromium_path: Path) -> None:
    code, out, _ = run("run", SHOP, "--headless", "--max-steps", "2")
    assert code == 1
    assert "after 2 steps" in out


@pytest.fixture
def open_browser(isolation: Path, chromium_path: Path) -> Iterator[str]:
    """A browser a person has open, at a debugging port, on a practice page; yields its address."""
    site = PracticeSite()
    site.start()
    profile = isolation / "tmp" / "person"
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    process = subprocess.Popen(
        [
            str(chromium_path), "--headless", *sandbox, *CHROMIUM_SWITCHES, "--remote-debugging-port=0",
            f"--user-data-dir={profile}", site.page_url("report"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        address = until(lambda: address_told(profile), what="the person's browser")
        until(lambda: any("report" in page for page in pages_of(address)), what="the page in the person's browser")
        yield address
    finally:
        family = children_of(process.pid)
        process.terminate()
        process.wait(timeout=60)
        psutil.wait_procs(family, timeout=60)
        site.stop()


def address_told(profile: Path) -> str:
    """Where a browser listens, as its profile says: the port and a path, a line each; "" while it does not say."""
    try:
        port, path = (profile / "DevToolsActivePort").read_text().splitlines()
    except (OSError, ValueError):
        return ""
    return f"http://127.0.0.1:{port}" if path else ""


def pages_of(address: str) -> list[str]:
    with urllib.request.urlopen(f"{address}/json/list", timeout=60) as reply:
        return [target["url"] for target in json.load(reply) if target["type"] == "page"]


def test_an_open_browser_is_gone_on_with_from_its_tab_and_left_as_it_is(home: Path, open_browser: str) -> None:
    before = pages_of(open_browser)
    code, out, _ = run("run", "Tell me the revenue for March", "--cdp-url", open_browser)
    assert code == 0
    assert "Answer: " in out
    assert pages_of(open_browser) == before


def test_no_open_browser_at_the_address_is_said(home: Path) -> None:
    code, out, _ = run("run", "Scroll down", "--cdp-url", "http://127.0.0.1:9")
    assert code == 1
    assert "127.0.0.1:9" in out


def test_the_practice_site_is_served_until_it_is_told_to_end(home: Path) -> None:
    process = start("practice")
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    with urllib.request.urlopen(address, timeout=60) as reply:
        assert reply.status == 200
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 0
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address, timeout=5)
    process.communicate()


def test_a_profile_in_use_is_said_and_left_alone(home: Path, silent: str) -> None:
    first = started(silent)
    code, out, _ = run("run", "Open practice:report", "--headless")
    first.send_signal(signal.SIGTERM)
    rest, _ = first.communicate(timeout=60)
    assert code == 1
    assert "in use" in out
    assert first.returncode == 3, rest
