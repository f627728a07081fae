"""`run_goal` in a process of its own: signals, closed pipes, and a person at a real terminal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")

ROOT = Path(__file__).parents[2]
LIMIT_S = 60


@contextmanager
def running(script: str, *flags: str, stdin: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.cli.scripted_agent", script, *flags],
        cwd=ROOT,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(timeout=LIMIT_S)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def read_until(stream: object, pattern: str) -> str:
    """Read a stream character by character, since a prompt ends without a new line."""
    seen = ""
    while not re.search(pattern, seen):
        character = stream.read(1)  # type: ignore[attr-defined]
        assert character, f"the end came before {pattern!r}: {seen!r}"
        seen += character
    return seen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_stops_the_run_and_closes_the_agent(number: signal.Signals) -> None:
    with running("until_stopped") as process:
        read_until(process.stdout, "Search")
        process.send_signal(number)
        out, err = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 3
    assert "Stopped (1 step, 2.0 s): Stopped by the person." in out
    assert err.splitlines() == ["Stopping… (once more ends at once)", "the agent is closed"]


def test_the_second_signal_ends_at_once_what_does_not_stop() -> None:
    with running("deaf") as process:
        read_until(process.stdout, "Search")
        process.send_signal(signal.SIGINT)
        read_until(process.stderr, "ends at once")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 3
    assert "closed" not in err


def test_a_run_that_does_not_stop_in_time_is_left() -> None:
    with running("deaf", "--impatient") as process:
        read_until(process.stdout, "Search")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 3
    assert "operative: The run did not stop in time and was left." in err.splitlines()


def test_a_reader_that_goes_away_ends_the_run_quietly() -> None:
    with running("talker", "--json") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read()
        process.wait(timeout=LIMIT_S)

    assert process.returncode == 3
    assert err == "the agent is closed\n"


def test_a_full_disk_under_the_output_ends_the_run_quietly() -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "tests.cli.scripted_agent", "talker"],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", timeout=LIMIT_S,
            check=False,
        )  # fmt: skip

    assert ended.returncode == 3
    assert ended.stderr == "the agent is closed\n"


class Person:
    """Types at a pseudo-terminal that is the standard input of a run."""

    def __init__(self, process: subprocess.Popen[str], keyboard: int) -> None:
        self.process = process
        self._keyboard = keyboard

    def reads(self, pattern: str) -> str:
        return read_until(self.process.stderr, pattern)

    def types(self, line: str) -> None:
        os.write(self._keyboard, f"{line}\n".encode())

    def presses_end_of_input(self) -> None:
        os.write(self._keyboard, b"\x04")

    def sees_the_end(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode, out


@contextmanager
def person_at(script: str, *flags: str, typed_before: str = "") -> Iterator[Person]:
    keyboard, terminal = os.openpty()
    try:
        os.write(keyboard, typed_before.encode())
        with running(script, "--terminal", *flags, stdin=terminal) as process:
            yield Person(process, keyboard)
    finally:
        os.close(keyboard)
        os.close(terminal)


def test_a_person_is_asked_what_and_why_and_can_say_yes() -> None:
    with person_at("approval") as person:
        shown = person.reads(r"\[y/N\] ")
        person.types("y")
        code, out = person.sees_the_end()

    assert "Click button “Place order”. It spends money." in shown
    assert code == 0
    assert "Go on after approve by person" in out


@pytest.mark.parametrize(
    ("typed", "told"),
    [("", "No: reject"), ("n", "No: reject"), ("take the other one", "No: reject take the other one")],
)
def test_everything_but_a_clear_yes_is_a_no(typed: str, told: str) -> None:
    with person_at("approval") as person:
        person.reads(r"\[y/N\] ")
        person.types(typed)
        code, out = person.sees_the_end()

    assert code == 1
    assert re.search(rf"{told}\.$", out, re.MULTILINE)


def test_the_end_of_input_is_a_no() -> None:
    with person_at("approval") as person:
        person.reads(r"\[y/N\] ")
        person.presses_end_of_input()
        code, out = person.sees_the_end()

    assert code == 1
    assert "No: reject" in out


def test_what_was_typed_before_the_question_does_not_answer_it() -> None:
    with person_at("approval", typed_before="y\ny\n") as person:
        person.reads(r"\[y/N\] ")
        person.types("n")
        code, out = person.sees_the_end()

    assert code == 1
    assert "Go on" not in out


def test_an_answer_to_a_question_that_ran_out_does_not_answer_the_next_one() -> None:
    with person_at("expiring") as person:
        person.reads(r"Harmless[\s\S]*Delete everything[\s\S]*\[y/N\] ")
        person.types("y")
        person.reads(r"for an earlier question[\s\S]*Delete everything[\s\S]*\[y/N\] ")
        person.types("n")
        code, out = person.sees_the_end()

    assert code == 1
    assert "Go on" not in out


def test_a_stop_beats_an_open_question() -> None:
    with person_at("approval") as person:
        person.reads(r"\[y/N\] ")
        person.process.send_signal(signal.SIGINT)
        code, out = person.sees_the_end()

    assert code == 3
    assert "Stopped" in out


def test_what_is_asked_can_be_changed_first() -> None:
    with person_at("editable") as person:
        assert "“edit” to change it first" in person.reads(r"\[y/N\] ")
        person.types("edit")
        person.reads(r"The subject \(Enter keeps “Parts”.*: ")
        person.types("")
        person.reads(r"What it is to hold \(Enter keeps “Dear Ada”.*: ")
        person.types(r"Dear Grace,\nthank you")
        shown = person.reads(r"\[y/N\] ")
        person.types("y")
        code, out = person.sees_the_end()

    assert r"The subject: “Parts”; What it is to hold: “Dear Grace,\nthank you”" in shown
    assert code == 0
    assert "(('text', 'Dear Grace,\\nthank you'),)" in out


def test_what_was_changed_is_not_done_without_a_clear_yes() -> None:
    with person_at("editable") as person:
        person.reads(r"\[y/N\] ")
        for line in ("edit", "Spare parts", ""):
            person.types(line)
            person.reads(r"(?:: |\[y/N\] )$")
        person.types("")
        code, out = person.sees_the_end()

    assert code == 1
    assert "No: reject" in out


def test_a_change_that_was_not_taken_says_why_and_loses_nothing() -> None:
    with person_at("faulty") as person:
        assert "What you typed for “The subject” cannot be taken: It cannot be empty." in person.reads(r"\[y/N\] ")
        person.types("edit")
        person.reads(r"It cannot be empty\. The subject .*: ")
        person.types("Parts")
        person.reads(r"What it is to hold \(Enter keeps “Dear Grace”.*: ")
        person.types("")
        person.reads(r"\[y/N\] ")
        person.types("y")
        _, out = person.sees_the_end()

    assert "(('subject', 'Parts'), ('text', 'Dear Grace'))" in out


def test_a_kind_can_be_allowed_in_words() -> None:
    with person_at("editable") as person:
        assert "“allow” for yes and: Allow mail.example for this task" in person.reads(r"\[y/N\] ")
        person.types("allow")
        code, out = person.sees_the_end()

    assert code == 0
    assert "Go on after approve by person: allowed" in out


def test_what_may_not_be_allowed_is_not_allowed_by_typing_it() -> None:
    with person_at("approval") as person:
        assert "“allow”" not in person.reads(r"\[y/N\] ")
        person.types("allow")
        code, out = person.sees_the_end()

    assert code == 1
    assert "No: reject allow" in out


@pytest.mark.parametrize("script", ["approval", "sign_in"])
def test_the_run_is_stopped_from_where_it_asks(script: str) -> None:
    with person_at(script) as person:
        person.reads(r"(?:\[y/N\]|type “no”:) ")
        person.types("stop")
        code, out = person.sees_the_end()

    assert code == 3
    assert "Stopped" in out


def test_a_hand_off_tells_until_when_it_waits_and_when_it_reminds() -> None:
    with person_at("sign_in") as person:
        shown = person.reads("type “no”: ")
        person.types("")
        person.sees_the_end()

    assert re.search(r"It waits for you until \d\d:\d\d and reminds you at \d\d:\d\d\.", shown)


def test_a_question_is_answered_with_what_is_typed() -> None:
    with person_at("question") as person:
        person.reads("Which colour[^:]*Your answer: ")
        person.types("blue, please")
        code, out = person.sees_the_end()

    assert code == 0
    assert "Go on after reply by person: blue, please" in out


def test_a_hand_off_is_done_when_the_person_says_so() -> None:
    with person_at("sign_in") as person:
        assert "Please sign in" in person.reads("type “no”: ")
        person.types("")
        code, out = person.sees_the_end()

    assert code == 0
    assert "Go on after human_done by person" in out


def test_a_person_can_say_that_it_cannot_be_done() -> None:
    with person_at("sign_in", "--yes") as person:
        person.reads("type “no”: ")
        person.types("no")
        code, out = person.sees_the_end()

    assert code == 1
    assert "No: human_cannot" in out


def test_a_file_is_given_by_its_path_and_must_exist(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(b"%PDF")
    with person_at("file") as person:
        person.reads("Path of the file.*: ")
        person.types(str(tmp_path / "missing.pdf"))
        person.reads(r"There is no file .*missing\.pdf\.[\s\S]*Path of the file.*: ")
        person.types(str(tmp_path / "report.pdf"))
        code, out = person.sees_the_end()

    assert code == 0
    assert "Go on after files_chosen by person" in out


def test_questions_do_not_get_between_the_json_lines() -> None:
    with person_at("approval", "--json") as person:
        person.reads(r"\[y/N\] ")
        person.types("y")
        code, out = person.sees_the_end()

    assert code == 0
    assert all(line.startswith('{"run_id":') for line in out.splitlines())
