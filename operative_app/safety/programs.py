"""Programs in which typed text is carried out as commands, and calls of programs that carry out commands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from operative_app.core.screen import Element, ScreenState, SurfaceKind

_TERMINALS = re.compile(
    r"^(?:x-terminal-emulator|u?xterm|lxterm(?:inal)?|u?rxvt\S*|gnome-terminal\S*|konsole|xfce4-terminal|mate-terminal"
    r"|terminator|tilix|alacritty|kitty|wezterm\S*|foot|st|terminology|qterminal|sakura|guake|yakuake|tilda|ptyxis|kgx"
    r"|cool-retro-term|deepin-terminal|hyper|warp|terminal(?:\.app)?|iterm2?|windows ?terminal|wt|conhost|cmd"
    r"|command prompt|windows powershell|powershell|pwsh)(?:\.exe)?$",
    re.IGNORECASE,
)
_SHELLS = re.compile(
    r"^(?:ba|z|da|k|c|tc|fi)?sh$|^(?:python|perl|ruby|node|php|lua|tclsh|env|sudo|pkexec|su|ssh|xargs|nohup|screen|tmux)"
    r"[\d.]*$",
    re.IGNORECASE,
)
_RUN_BOXES = re.compile(r"^(?:run(?: program| application| command)?(?:…|\.\.\.)?|application finder)$", re.IGNORECASE)


def is_command_line(state: ScreenState, focused: Element | None) -> bool:
    """Whether what is typed now goes to a terminal or to a box that starts programs."""
    if focused is not None and focused.role == "terminal":
        return True
    window = state.active_window
    if state.surface is not SurfaceKind.DESKTOP or window is None:
        return False
    return bool(_TERMINALS.match(window.app.strip()) or _RUN_BOXES.match(window.title.strip()))


def runs_command(app: str, arguments: Sequence[str]) -> bool:
    """Whether opening a program like that carries out a command: a terminal or shell with arguments, or options."""
    name = re.split(r"[\\/]", app.strip())[-1]
    is_shell = bool(_TERMINALS.match(name) or _SHELLS.match(name))
    return bool(arguments) and (is_shell or any(one.strip().startswith("-") for one in arguments))
