"""What a command line does, told by its parts. Commands run without a shell, so every part is what it looks like.

Principle: only what is known to read is let through; what is not known asks.

| class | what | verdict of the policy |
|---|---|---|
| reads | a known reader with options that only read, its files in granted folders | free, else asks |
| writes | copies, moves, makes files | asks; may be allowed for the task |
| network | fetches or sends | asks; may be allowed for the task |
| runs code | shells, interpreters, what starts other programs (env, xargs, sudo, find -exec) | asks each time |
| destroys | deletes, overwrites disks, ends programs, also behind one of the above | asks each time |
| unknown | the rest; a reader from an odd folder, in look-alike letters, or with signs of a shell | asks each time |
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterator, Sequence
from enum import StrEnum

from operative_app.core.values import Value


class CommandClass(StrEnum):
    """What a command does, from harmless to grave; what is not known stands above what can be allowed."""

    READS = "reads"
    WRITES = "writes"
    NETWORK = "network"
    UNKNOWN = "unknown"
    CODE = "runs code"
    DESTROYS = "destroys"


class Command(Value):
    """A command line, understood as far as it can be.

    Attributes:
        program: Its name without folder, "" when there is none.
        reason: A clause that says why it counts as that.
        paths: What it reads, for readers.
    """

    kind: CommandClass
    program: str = ""
    reason: str = ""
    paths: tuple[str, ...] = ()


_PLACES = frozenset({"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin"})
_SAYS_ONLY = frozenset(
    {
        "date", "whoami", "uname", "hostname", "uptime", "id", "arch", "nproc", "free", "cal", "true", "echo",
        "basename", "dirname", "tr",
    }
)  # fmt: skip
_READS_HERE = frozenset({"ls", "dir", "find", "tree", "du", "pwd"})
"""Without a file named they read the folder they are started in."""
_READERS = _READS_HERE | frozenset(
    {
        "cat", "head", "tail", "wc", "stat", "df", "file", "grep", "egrep", "fgrep", "sort", "cut", "diff", "cmp",
        "comm", "nl", "tac", "rev", "od", "hexdump", "strings", "md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum",
        "realpath", "readlink", "paste", "fold", "join", "expand",
    }
)  # fmt: skip
_WRITERS = frozenset(
    {
        "cp", "mv", "mkdir", "touch", "tee", "ln", "install", "tar", "zip", "unzip", "gzip", "gunzip", "chmod",
        "rename", "patch", "convert", "copy", "move", "md",
    }
)  # fmt: skip
_NETWORK = frozenset(
    {
        "curl", "wget", "scp", "sftp", "ftp", "rsync", "nc", "ncat", "netcat", "telnet", "ping", "dig", "nslookup",
        "host", "git", "pip", "npm", "mail", "sendmail",
    }
)  # fmt: skip
_STARTERS = frozenset(
    {
        "env", "xargs", "sudo", "doas", "su", "pkexec", "runuser", "nohup", "nice", "ionice", "time", "timeout",
        "watch", "setsid", "stdbuf", "script", "parallel", "busybox", "toybox", "chroot", "unshare", "nsenter", "flock",
        "exec", "command", "start", "systemd-run", "at", "batch", "strace", "gdb", "ssh", "screen", "tmux", "docker",
        "podman", "kubectl", "make", "entr", "open", "xdg-open", "gio",
    }
)  # fmt: skip
_INTERPRETER = re.compile(
    r"^(?:(?:ba|z|da|k|c|tc|fi|a|pw)?sh|cmd|powershell|python|pythonw|perl|ruby|node|nodejs|deno|bun|php|lua|tclsh|wish|awk|gawk"
    r"|mawk|nawk|sed|vi|vim|nvim|ex|ed|emacs|less|more|man|osascript|wscript|cscript|mshta|java|Rscript|julia|guile|jq"
    r"|sqlite3|psql|mysql|bc|dc|m4|expect)[\d.]*$",
    re.IGNORECASE,
)
_DESTROYERS = re.compile(
    r"^(?:rm|rmdir|del|erase|rd|shred|srm|unlink|truncate|dd|mkfs(?:\..+)?|mke2fs|fdisk|sfdisk|parted|wipefs|format"
    r"|diskpart|diskutil|blkdiscard|kill|killall|pkill|taskkill|shutdown|reboot|halt|poweroff|init|telinit|systemctl"
    r"|service|userdel|groupdel|passwd|chpasswd|usermod|visudo|chown|crontab|iptables|nft|umount|swapoff|apt|apt-get|dpkg"
    r"|dnf|yum|pacman|snap|brew|launchctl|reg|trash|gsettings|dconf)$",
    re.IGNORECASE,
)
_DESTROYING_WORDS = re.compile(
    r"(?<![\w-])(?:rm|rmdir|shred|mkfs|dd|del|erase|truncate|unlink|rmtree|killall|pkill|shutdown|reboot)(?![\w-])"
    r"|\bremove(?:dirs)?\(|\bformat\s+[a-z]:|-delete\b|--hard\b|Remove-Item",
    re.IGNORECASE,
)
_GIT_DESTROYS = re.compile(
    r"^(?:clean|reset|push|rebase|filter-branch|gc|checkout|restore|branch|tag|stash|rm|reflog)$"
)
_BAD_OPTIONS: dict[str, re.Pattern[str]] = {
    "find": re.compile(r"^-(?:exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls|files0-from)$"),
    "sort": re.compile(r"^(?:-[a-zA-Z]*[oT]|--output|--compress-program|--temporary-directory|--files0-from)"),
    "tree": re.compile(r"^(?:-[a-zA-Z]*[oR]|--output)"),
    "file": re.compile(r"^(?:-[a-zA-Z]*[CmfzZ]|--compile|--magic-file|--files-from|--uncompress)"),
    "date": re.compile(r"^(?:-s|--set|\d)"),
    "hostname": re.compile(r"^(?!-)"),
    "tail": re.compile(r"^--pid"),
    "wc": re.compile(r"^--files0-from"),
    "du": re.compile(r"^--files0-from"),
    "diff": re.compile(r"^--to-file|^-l$|^--paginate"),
}
"""Options (and words) with which a reader writes, starts a program, or reads what is not named."""
_PATTERN_OPTION = re.compile(r"^-(?:[a-zA-Z]*[ef]|-regexp|-file)")
_SHELL_SIGNS = frozenset("();<>|&")


def command_of(line: str) -> Command:
    """A command line by its parts."""
    try:
        parts = shlex.split(line)
    except ValueError:
        return Command(kind=CommandClass.UNKNOWN, reason="its quotation marks do not match")
    if not parts:
        return Command(kind=CommandClass.UNKNOWN, reason="there is no program in it")
    found = _classed(parts)
    if found.kind is CommandClass.READS and (sign := _shell_sign(line)):
        reason = f"it holds “{sign}”, which only a shell understands"
        return found.model_copy(update={"kind": CommandClass.UNKNOWN, "reason": reason, "paths": ()})
    return found


def _classed(parts: Sequence[str]) -> Command:
    """The class of a program with its arguments; `parts` is not empty."""
    folder, _, name = parts[0].replace("\\", "/").rpartition("/")
    program, arguments = name.lower().removesuffix(".exe"), parts[1:]

    def command(kind: CommandClass, reason: str, paths: Sequence[str] = ()) -> Command:
        return Command(kind=kind, program=program, reason=reason, paths=tuple(paths))

    if _DESTROYERS.match(program):
        return command(CommandClass.DESTROYS, f"“{program}” deletes, ends or changes what cannot be brought back")
    if not all(char.isascii() and char.isprintable() for char in parts[0]) or _hides(parts):
        return command(CommandClass.UNKNOWN, "it holds letters that look like others, or cannot be seen")
    if program in _STARTERS or _INTERPRETER.match(program):
        return _started(program, arguments)
    if program == "find" and "-delete" in arguments:
        return command(CommandClass.DESTROYS, "“-delete” deletes what is found")
    if program in _BAD_OPTIONS and (bad := next(filter(_BAD_OPTIONS[program].search, arguments), "")):
        if bad.startswith(("-exec", "-ok")):
            return _started(program, arguments[arguments.index(bad) + 1 :])
        return command(CommandClass.UNKNOWN, f"“{bad}” makes “{program}” do more than read")
    if "/" in parts[0].replace("\\", "/") and folder not in _PLACES:
        return command(CommandClass.UNKNOWN, f"“{program}” is not taken from where the system keeps its programs")
    if program in _SAYS_ONLY:
        return command(CommandClass.READS, f"“{program}” only tells something")
    if program in _READERS:
        return command(CommandClass.READS, f"“{program}” only reads", _paths_read(program, arguments))
    if program == "git" and any(_GIT_DESTROYS.match(one) for one in arguments):
        return command(CommandClass.DESTROYS, "it may throw away changes")
    if program in _WRITERS:
        return command(CommandClass.WRITES, f"“{program}” makes or changes files")
    if program in _NETWORK:
        return command(CommandClass.NETWORK, f"“{program}” reaches into the network")
    return command(CommandClass.UNKNOWN, f"what “{program}” does is not known")


def _started(program: str, arguments: Sequence[str]) -> Command:
    """What starts something else: it destroys when anything in it does, whatever is between."""
    if any(_DESTROYERS.match(_bare(word)) or _DESTROYING_WORDS.search(word) for word in arguments):
        reason = f"“{program}” starts something that deletes or ends"
        return Command(kind=CommandClass.DESTROYS, program=program, reason=reason)
    return Command(kind=CommandClass.CODE, program=program, reason=f"“{program}” runs whatever it is given")


def _bare(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")


def _paths_read(program: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """What stands where files stand, values of options among it; "~/…" below the home folder, where it is started."""
    if program.endswith("grep") and not any(_PATTERN_OPTION.match(one) for one in arguments):
        pattern = next((one for one in arguments if not one.startswith("-")), None)
        arguments = [one for one in arguments if one is not pattern]
    if program == "find":  # places come first; what follows are tests
        tests = next((place for place, one in enumerate(arguments) if one.startswith("-")), len(arguments))
        arguments = [*arguments[:tests], *(one for one in arguments[tests:] if "/" in one)]
    found = list(_values(arguments))
    return tuple(found) if found or program not in _READS_HERE else ("~/",)


def _values(arguments: Sequence[str]) -> Iterator[str]:
    is_plain = False  # after "--" nothing is an option
    for one in arguments:
        if one.isdecimal() and not is_plain:
            continue  # a number of lines, bytes, levels
        if is_plain or not one.startswith("-"):
            yield one if one.startswith("/") else f"~/{one}"
        elif one == "--":
            is_plain = True
        elif "=" in one:
            yield from _values([one.partition("=")[2]])
        elif "/" in one:
            yield one[one.index("/") :]


def _hides(parts: Sequence[str]) -> bool:
    return any(unicodedata.category(char) in {"Cc", "Cf", "Co", "Cs"} for part in parts for char in part)


def _shell_sign(line: str) -> str:
    """A sign outside of quotation marks that would mean something to a shell, "" when there is none."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    for token in lexer:
        if token and set(token) <= _SHELL_SIGNS:
            return token
    bare = re.sub(r"'[^']*'", "", line)
    found = re.search(r"\$[({\w]|`", bare)
    return found.group() if found else ""
