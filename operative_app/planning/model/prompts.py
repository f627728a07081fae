"""The prompts: one file for each role, with declared inputs, rendered strictly in a sandbox.

A file `prompts/<role>.md` is a TOML front matter between two `+++` lines, the system text, and after a line
`=== message ===` the text of the first message where the role has one. Each declared input has a kind:

| kind | what it may hold |
|---|---|
| words | text of the program, of the person or of the model |
| outside | text of pages, programs, files and tools; it is put into a fence before the template sees it |
| flag | true or false |

Files come from the person's own folder first, then from the package or the checkout. An own file that is wrong is an
error in words; it never falls back silently.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from operative_app.core.errors import PromptError
from operative_app.planning.model.fence import fenced

ROLES = (
    "planning",
    "perception",
    "decision",
    "browser_decision",
    "desktop_decision",
    "recovery",
    "history_summary",
    "final_summary",
)
KINDS = frozenset({"words", "outside", "flag"})
MESSAGE_MARK = "=== message ==="

_PACKAGE_DIR = Path(__file__).resolve().parents[2]
_SHIPPED = (_PACKAGE_DIR / "prompts", _PACKAGE_DIR.parent / "prompts")


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt with its inputs put in. `message` is "" where the role has none."""

    system: str
    message: str


@dataclass(frozen=True)
class Prompt:
    """One role's prompt, read and checked.

    Attributes:
        inputs: Kind of each input by name.
        output: Name of the schema its reply is to follow, "" for none of its own.
        token_ceiling: What the text itself, without its inputs, may cost at most.
    """

    id: str
    version: int
    inputs: Mapping[str, str]
    output: str
    token_ceiling: int
    system: str
    message: str
    path: Path

    def render(self, **inputs: object) -> Rendered:
        """Put the inputs in.

        Raises:
            PromptError: An input is missing, unknown or of the wrong kind, or the template cannot be rendered.
        """
        import jinja2
        from jinja2.exceptions import SecurityError

        values = self._checked(inputs)
        try:
            return Rendered(*(template.render(values).strip() for template in self._templates))
        except (jinja2.TemplateError, SecurityError, TypeError, ValueError, ArithmeticError) as error:
            raise PromptError(f"The prompt “{self.id}” cannot be used: {error}. See {self.path}.") from error

    def _checked(self, inputs: Mapping[str, object]) -> dict[str, object]:
        if missing := sorted(self.inputs.keys() - inputs.keys()):
            raise PromptError(f"The prompt “{self.id}” was not given {', '.join(missing)}.")
        if unknown := sorted(inputs.keys() - self.inputs.keys()):
            raise PromptError(f"The prompt “{self.id}” declares no input {', '.join(unknown)}. See {self.path}.")
        values: dict[str, object] = {}
        for name, value in inputs.items():
            kind = self.inputs[name]
            if not isinstance(value, bool if kind == "flag" else str):
                raise PromptError(f"The input {name} of the prompt “{self.id}” is to be of the kind {kind}.")
            is_outside = kind == "outside" and isinstance(value, str) and value.strip()
            values[name] = fenced(name.replace("_", " "), str(value)) if is_outside else value
        return values

    @cached_property
    def _templates(self) -> tuple[Any, Any]:
        import jinja2
        from jinja2 import meta, sandbox

        environment = sandbox.SandboxedEnvironment(
            undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
        )
        try:
            used = meta.find_undeclared_variables(environment.parse(f"{self.system}\n{self.message}"))
            if unknown := sorted(used - self.inputs.keys()):
                raise PromptError(f"The prompt “{self.id}” uses {', '.join(unknown)}, which it does not declare.")
            return environment.from_string(self.system), environment.from_string(self.message)
        except jinja2.TemplateError as error:
            raise PromptError(f"The prompt “{self.id}” cannot be read: {error}. See {self.path}.") from error

    def check(self) -> None:
        """Raise PromptError when the template is none or uses what is not declared."""
        _ = self._templates


class PromptLibrary:
    """Finds, reads and keeps the prompts. Any thread.

    Args:
        own_dir: The person's folder, whose files go before the shipped ones; None for none.
    """

    def __init__(self, own_dir: Path | None = None) -> None:
        self._own_dir = own_dir
        self._read: dict[str, tuple[tuple[str, int], Prompt]] = {}

    @property
    def roles(self) -> tuple[str, ...]:
        return ROLES

    def get(self, role: str) -> Prompt:
        """The prompt of a role; a file that was changed meanwhile is read anew.

        Raises:
            PromptError: There is no such file, or it is wrong.
        """
        path = self.path(role)
        try:
            stamp = (str(path), path.stat().st_mtime_ns)
            known = self._read.get(role)
            if known is not None and known[0] == stamp:
                return known[1]
            prompt = parse_prompt(path.read_text(encoding="utf-8"), path)
        except (OSError, UnicodeDecodeError) as error:
            raise PromptError(f"The prompt file {path} cannot be read: {error}.") from error
        if prompt.id != role:
            raise PromptError(f"The prompt file {path} says it is “{prompt.id}”; it should be “{role}”.")
        prompt.check()
        self._read[role] = (stamp, prompt)
        return prompt

    def path(self, role: str) -> Path:
        """Where the prompt of a role is: the person's own file if there is one."""
        own = self._own_path(role)
        return own if own is not None and own.is_file() else shipped_path(role)

    def text(self, role: str) -> str:
        """The file as it stands, for an editor.

        Raises:
            PromptError: There is no such file, or it is no text.
        """
        path = self.path(role)
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PromptError(f"The prompt file {path} cannot be read: {error}.") from error

    def is_own(self, role: str) -> bool:
        """Whether the person's own file is used."""
        return self.path(role) != shipped_path(role)

    def is_outdated(self, role: str) -> bool:
        """Whether the person's own file was made from an older version than the shipped one."""
        shipped = shipped_path(role)
        newest = parse_prompt(shipped.read_text(encoding="utf-8"), shipped)
        return self.is_own(role) and self.get(role).version < newest.version

    def override(self, role: str, text: str) -> None:
        """Keep the person's own text for a role; it is used from the next request on.

        Raises:
            PromptError: It is no prompt for that role, or there is no folder for own files; nothing was changed.
        """
        own = self._own_path(role)
        if own is None:
            raise PromptError("There is no folder for prompts of your own.")
        prompt = parse_prompt(text, own)
        shipped = shipped_path(role)
        expected = parse_prompt(shipped.read_text(encoding="utf-8"), shipped)
        if prompt.id != role or dict(prompt.inputs) != dict(expected.inputs):
            names = ", ".join(f"{name} ({kind})" for name, kind in expected.inputs.items())
            raise PromptError(f"The prompt “{role}” needs its id and exactly these inputs: {names}.")
        prompt.check()
        try:
            own.parent.mkdir(parents=True, exist_ok=True)
            own.write_text(text, encoding="utf-8")
        except OSError as error:
            raise PromptError(f"The prompt could not be saved to {own}: {error}.") from error

    def reset(self, role: str) -> None:
        """Go back to the shipped text. Idempotent.

        Raises:
            PromptError: The person's own file cannot be taken away.
        """
        own = self._own_path(role)
        if own is None:
            return
        try:
            own.unlink(missing_ok=True)
        except OSError as error:
            raise PromptError(f"Your own prompt {own} could not be taken away: {error}.") from error

    def _own_path(self, role: str) -> Path | None:
        if role not in ROLES:
            raise PromptError(f"There is no prompt “{role}”; there are {', '.join(ROLES)}.")
        return self._own_dir / f"{role}.md" if self._own_dir is not None else None


def shipped_path(role: str) -> Path:
    """The file that ships with the program. Raises PromptError when it is missing."""
    for folder in _SHIPPED:
        if (found := folder / f"{role}.md").is_file():
            return found
    raise PromptError(f"The prompt “{role}” is missing. Reinstall the program.")


def parse_prompt(text: str, path: Path) -> Prompt:
    """Read a prompt file.

    Raises:
        PromptError: The front matter is missing or wrong.
    """
    parts = text.split("+++", 2)
    if len(parts) != 3 or parts[0].strip():
        raise PromptError(f"The prompt file {path} does not begin with a front matter between two lines “+++”.")
    try:
        front = tomllib.loads(parts[1])
        inputs = {str(name): str(kind) for name, kind in dict(front.get("inputs", {})).items()}
        system, _, message = parts[2].partition(f"\n{MESSAGE_MARK}\n")
        prompt = Prompt(
            id=str(front["id"]),
            version=int(front["version"]),
            inputs=inputs,
            output=str(front.get("output", "")),
            token_ceiling=int(front["token_ceiling"]),
            system=system.strip(),
            message=message.strip(),
            path=path,
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise PromptError(f"The front matter of {path} is wrong: {error}.") from error
    if wrong := sorted(set(inputs.values()) - KINDS):
        raise PromptError(f"The front matter of {path} names the unknown kind {', '.join(wrong)}.")
    return prompt
