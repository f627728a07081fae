"""Command lines by their parts, tricks among them."""

from __future__ import annotations

import pytest

from operative_app.actions.system import RunCommand
from operative_app.core.plan import Grants
from operative_app.safety.commands import CommandClass, command_of
from operative_app.safety.policy import Decision, Policy, decide, may_allow_kind
from operative_app.safety.risk_words import Kind
from tests.safety.screens import desktop

READS, WRITES, NETWORK = CommandClass.READS, CommandClass.WRITES, CommandClass.NETWORK
UNKNOWN, CODE, DESTROYS = CommandClass.UNKNOWN, CommandClass.CODE, CommandClass.DESTROYS

LINES = [
    ("ls /data", READS),
    ("ls -la /data", READS),
    ("cat /data/a.txt", READS),
    ("head -n 5 /data/a.txt", READS),
    ("/usr/bin/wc -l /data/a.txt", READS),
    ("grep -rn 'a|b' /data", READS),
    ("grep 'it;s' /data/a.txt", READS),
    ("find /data -name '*.txt' -type f", READS),
    ("diff /data/a /data/b", READS),
    ("date", READS),
    ("echo hello", READS),
    ("l's' /data", READS),
    ("cat -- -n", READS),
    ("cp /data/a /data/b", WRITES),
    ("mv /data/a /data/b", WRITES),
    ("mkdir /data/new", WRITES),
    ("tee /data/a", WRITES),
    ("tar xf /data/a.tar", WRITES),
    ("curl https://example.com/", NETWORK),
    ("wget -O /data/a https://example.com/", NETWORK),
    ("scp /data/a ada@example.com:", NETWORK),
    ("git status", NETWORK),
    ("git fetch", NETWORK),
    ("sh -c 'ls /data'", CODE),
    ("bash /data/a.sh", CODE),
    ("python -c 'print(1)'", CODE),
    ("python3.11 /data/a.py", CODE),
    ("perl -e 'print 1'", CODE),
    ("node -e 1", CODE),
    ("awk 'BEGIN{system(\"id\")}'", CODE),
    ("sed -n 1p /data/a", CODE),
    ("less /data/a", CODE),
    ("vim /data/a", CODE),
    ("env ls /data", CODE),
    ("env A=1 cat /data/a", CODE),
    ("xargs cat", CODE),
    ("sudo ls /data", CODE),
    ("nohup cat /data/a", CODE),
    ("timeout 5 cat /data/a", CODE),
    ("busybox ls", CODE),
    ("ssh example.com ls", CODE),
    ("docker run x", CODE),
    ("make", CODE),
    ("find /data -exec cat {} ;", CODE),
    ("find /data -ok cat {} ;", CODE),
    ("cmd /c dir", CODE),
    ("powershell -Command Get-Date", CODE),
    ("rm /data/a", DESTROYS),
    ("/bin/rm -rf /", DESTROYS),
    ("r\"m\" -rf /", DESTROYS),
    ("r\\m -rf /", DESTROYS),
    ("RM -rf /", DESTROYS),
    ("/tmp/rm x", DESTROYS),
    ("C:\\\\Windows\\\\del.exe a", DESTROYS),
    ("dd if=/dev/zero of=/dev/sda", DESTROYS),
    ("mkfs.ext4 /dev/sda1", DESTROYS),
    ("shred /data/a", DESTROYS),
    ("truncate -s 0 /data/a", DESTROYS),
    ("kill -9 1", DESTROYS),
    ("shutdown now", DESTROYS),
    ("chown -R ada /data", DESTROYS),
    ("find /data -delete", DESTROYS),
    ("find /data -exec rm {} ;", DESTROYS),
    ("find /data -execdir /bin/rm {} ;", DESTROYS),
    ("xargs rm", DESTROYS),
    ("env A=1 rm -rf /data", DESTROYS),
    ("nice -n 5 /bin/rm a", DESTROYS),
    ("sudo rm -rf /", DESTROYS),
    ("sh -c 'rm -rf /data'", DESTROYS),
    ("bash -c 'ls; rm -rf /data'", DESTROYS),
    ("python -c 'import shutil; shutil.rmtree(\"/data\")'", DESTROYS),
    ("python -c 'import os; os.remove(\"/data/a\")'", DESTROYS),
    ("busybox rm a", DESTROYS),
    ("powershell Remove-Item a", DESTROYS),
    ("git clean -fdx", DESTROYS),
    ("git reset --hard", DESTROYS),
    ("git push --force", DESTROYS),
    ("ls /data > /data/list", UNKNOWN),
    ("ls /data >> /data/list", UNKNOWN),
    ("cat < /etc/shadow", UNKNOWN),
    ("ls /data; reboot", UNKNOWN),
    ("ls /data && reboot", UNKNOWN),
    ("cat /data/a | sh", UNKNOWN),
    ("ls &", UNKNOWN),
    ("cat $HOME/a", UNKNOWN),
    ("cat ${HOME}/a", UNKNOWN),
    ("echo $(id)", UNKNOWN),
    ("echo \"`id`\"", UNKNOWN),
    ("A=1 ls", UNKNOWN),
    ("/tmp/ls /data", UNKNOWN),
    ("./ls /data", UNKNOWN),
    ("~/bin/cat /data/a", UNKNOWN),
    ("c\u0430t /data/a", UNKNOWN),  # a Cyrillic letter
    ("ls\u200b /data", UNKNOWN),
    ("ls /data/\u202etxt.a", UNKNOWN),
    ("\uff52\uff4d /data", UNKNOWN),  # full-width letters
    ("sort -o /data/b /data/a", UNKNOWN),
    ("sort --compress-program=sh /data/a", UNKNOWN),
    ("tree -o /data/x /data", UNKNOWN),
    ("date -s tomorrow", UNKNOWN),
    ("hostname evil", UNKNOWN),
    ("find /data -fprint /data/x", UNKNOWN),
    ("frobnicate", UNKNOWN),
    ("cat '/data/a", UNKNOWN),
    ("", UNKNOWN),
    ("   ", UNKNOWN),
]  # fmt: skip


@pytest.mark.parametrize(("line", "kind"), LINES, ids=lambda value: repr(value) if isinstance(value, str) else "")
def test_a_command_is_told_by_its_parts(line: str, kind: CommandClass) -> None:
    command = command_of(line)
    assert command.kind is kind, command
    assert command.reason


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("cat a.txt", ("~/a.txt",)),
        ("cat ../etc/x", ("~/../etc/x",)),
        ("cat '~/a'", ("~/~/a",)),  # no shell: the sign is a name
        ("ls", ("~/",)),
        ("wc -l", ()),
        ("cat -- -n", ("~/-n",)),
        ("cut --output-delimiter=/ /data/a", ("/", "/data/a")),
        ("grep word /data/a", ("/data/a",)),
        ("grep -e word /data/a", ("~/word", "/data/a")),
        ("grep -f/etc/shadow /data/a", ("/etc/shadow", "/data/a")),
        ("grep -v", ()),
        ("find /data -newer /etc/passwd -name x", ("/data", "/etc/passwd")),
        ("find /data", ("/data",)),
        ("head -n 5 /data/a", ("/data/a",)),
    ],
)
def test_what_a_reader_reads_is_told(line: str, paths: tuple[str, ...]) -> None:
    assert command_of(line).paths == paths


GRANTED = Policy(grants=Grants(folders=("/data",)))


@pytest.mark.parametrize(
    ("line", "decision", "may_allow"),
    [
        ("ls /data", Decision.ALLOW, False),
        ("cat /data/sub/a.txt", Decision.ALLOW, False),
        ("date", Decision.ALLOW, False),
        ("cat /data/../etc/passwd", Decision.CONFIRM, False),
        ("cat /etc/passwd", Decision.CONFIRM, False),
        ("cat /dev/mem", Decision.CONFIRM, False),
        ("cat /data/.ssh/id_rsa", Decision.CONFIRM, False),
        ("ls", Decision.CONFIRM, False),
        ("cp /data/a /data/b", Decision.CONFIRM, True),
        ("curl https://example.com", Decision.CONFIRM, True),
        ("rm /data/a", Decision.CONFIRM, False),
        ("sh -c ls", Decision.CONFIRM, False),
        ("frobnicate", Decision.CONFIRM, False),
    ],
)
def test_readers_in_granted_folders_are_free_and_the_rest_asks(line: str, decision: Decision, may_allow: bool) -> None:
    verdict = decide(RunCommand(command=line), desktop(), GRANTED)
    assert verdict.decision is decision
    assert may_allow_kind(verdict) is may_allow
    assert verdict.kind is (Kind.NONE if decision is Decision.ALLOW else Kind.COMMAND)


def test_allowing_a_command_holds_for_its_program_and_never_for_what_destroys() -> None:
    verdict = decide(RunCommand(command="cp /data/a /data/b"), desktop(), GRANTED)
    assert verdict.allow_words == "Allow the command “cp” for this task"
    granted = Grants(folders=("/data",)) | verdict.widening | Grants(apps=("command:rm", "command:sh"))
    policy = Policy(grants=granted)
    decisions = [
        decide(RunCommand(command=line), desktop(), policy).decision
        for line in ("cp /data/c /data/d", "mv /data/c /data/d", "rm /data/a", "sh -c ls")
    ]
    assert decisions == [Decision.ALLOW, Decision.CONFIRM, Decision.CONFIRM, Decision.CONFIRM]


def test_without_a_plan_nothing_can_be_allowed_for_a_task() -> None:
    assert decide(RunCommand(command="cp a b"), desktop(), Policy()).allow_words == ""
