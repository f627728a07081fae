"""Which files may be touched: names that never are, folders a task may use, and names for what is fetched.

Principle: judge where a path really leads, not how it is written. Links and ".." are followed before anything is
compared; what cannot be followed is outside.

| path | |
|---|---|
| a device, pipe or socket; below /dev, /proc, /sys; a device name of Windows; a hidden stream | never |
| control or direction characters in it, or relative | never: a person would read another name than is meant |
| in a granted folder, or a granted file itself | free |
| a place where keys and passwords lie (.ssh, .gnupg, keyrings, browser profiles …), unless granted by name | asks |
| the rest | asks |

Between this look and the use of a path another program may put a link in its place: that is not noticed here.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PureWindowsPath

MAX_NAME_BYTES = 200
"""Room is left below the 255 bytes of most file systems for what is put before and after a name."""

_CLOSED_ROOTS = ("/dev", "/proc", "/sys")
_DEVICES = re.compile(r"^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$|clock\$)$", re.IGNORECASE)
_DEVICE_PATH = re.compile(r"^(?:\\\\|//)[.?][\\/]")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_HIDING = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories of characters that show nothing, or turn the direction of what follows."""

_PRIVATE = frozenset(
    {
        ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".mozilla", ".thunderbird", ".password-store", ".netrc",
        ".pgpass", ".git-credentials", ".npmrc", ".pypirc", ".env", "keyrings", "kwalletd", "keychains", "gcloud",
        "google-chrome", "chromium", "firefox", "browser-profile",
    }
)  # fmt: skip


def path_fault(path: str) -> str:
    """Why a path is never touched, "" when it may be."""
    if any(unicodedata.category(char) in _HIDING for char in path):
        return f"the name “{_shown(path)}” holds characters that cannot be seen"
    if not Path(path).is_absolute() and not path.startswith("~/") and not _DRIVE.match(path):
        return f"“{path}” is no absolute path"
    real = str(where_it_leads(path))
    if _DEVICE_PATH.match(path) or any(real == root or real.startswith(f"{root}/") for root in _CLOSED_ROOTS):
        return f"“{path}” leads to a device, not to a file"
    for part in PureWindowsPath(path).parts[1:]:
        if _DEVICES.match(part.partition(".")[0].strip()):
            return f"“{part}” is the name of a device"
        if _DRIVE.match(path) and ":" in part:
            return f"“{part}” names a hidden part of a file"
    return "" if _is_plain(real) else f"“{path}” is neither a file nor a folder"


def is_granted(path: str, granted: Iterable[str]) -> bool:
    """Whether a path that has no fault lies in a granted folder, or is a granted file itself."""
    real = where_it_leads(path)
    for one in granted:
        root = where_it_leads(one)
        if real == root:
            return True
        if root in real.parents and not _PRIVATE.intersection(part.lower() for part in real.relative_to(root).parts):
            return True
    return False


def is_named(path: str, granted: Iterable[str]) -> bool:
    """Whether the file itself is granted, not only a folder around it."""
    real = where_it_leads(path)
    return any(where_it_leads(one) == real for one in granted) and not real.is_dir()


def folder_of(path: str) -> str:
    """The folder that would have to be granted for a path: the path itself when it is a folder."""
    real = where_it_leads(path)
    return str(real if real.is_dir() else real.parent)


def where_it_leads(path: str) -> Path:
    """The path with links and ".." followed as far as it exists."""
    return Path(os.path.realpath(Path(path).expanduser()))


def safe_name(suggested: str) -> str:
    """A file name that stays in its folder and is what it seems, changed as little as needed."""
    name = re.split(r"[/\\]", suggested)[-1]
    name = re.sub(r"^[A-Za-z]:", "", name)
    name = "".join(char for char in name if unicodedata.category(char) not in _HIDING)
    name = re.sub(r'[<>:"|?*]', "_", name).rstrip(". ").lstrip()
    if not name.strip("."):
        name = "download"
    stem, dot, rest = name.partition(".")
    if _DEVICES.match(stem.strip()):
        name = f"_{stem}{dot}{rest}"
    return _shortened(name)


def _shortened(name: str) -> str:
    if len(name.encode()) <= MAX_NAME_BYTES:
        return name
    path = Path(name)
    suffix = path.suffix if len(path.suffix.encode()) <= 20 else ""
    room = MAX_NAME_BYTES - len(suffix.encode())
    return name.encode()[:room].decode(errors="ignore").rstrip(". ") + suffix


def _is_plain(real: str) -> bool:
    """A file, a folder, or nothing yet; whether that is so cannot be told for what may not be looked at."""
    try:
        mode = os.stat(real).st_mode  # noqa: PTH116 - on the string that is compared
    except (OSError, ValueError):
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _shown(path: str) -> str:
    return "".join(char if unicodedata.category(char) not in _HIDING else "�" for char in path)
