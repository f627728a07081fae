"""Reading the one object out of what a model wrote.

Principle: be patient with wrapping (fences, thoughts, prose, raw newlines, small slips of the pen), never with content:
nothing is taken that was cut off, and a repair that would lose, add or reorder a single word is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from operative_app.llm.characters import whole_in
from operative_app.llm.schema import Schema, Unfit, fit

_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"\s*<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_WHOLE_FENCE = re.compile(r"\s*```[\w+-]*[ \t]*\r?\n?(.*?)\r?\n?[ \t]*```\s*", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CUT_TOKEN = re.compile(r"[\w.+-]{0,6}", re.ASCII)
"""What may be left of an escape, a literal or a number that was cut, from where JSON cannot be read any further."""
_LETTERS = re.compile(r"[\W_]+")
_WRAPPERS = ({"name", "arguments"}, {"name", "parameters"})


class Unreadable(ValueError):
    """There is no usable object; the message says in one sentence for the model what is wrong.

    Attributes:
        is_json: An object was there, but it did not fit.
    """

    def __init__(self, message: str, *, is_json: bool = False) -> None:
        super().__init__(message)
        self.is_json = is_json


class Incomplete(Unreadable):
    """The text ends before the object does."""


def split_thoughts(text: str) -> tuple[str, str]:
    """The thoughts in tags at the beginning of a text, and the answer after them.

    An opening tag without an end makes all of it a thought; an end without a beginning (the beginning was part of the
    prompt) makes everything before it one. Tags inside an answer are content.
    """
    thoughts: list[str] = []
    while found := _THOUGHT.match(text):
        thoughts.append(found[2].strip())
        text = text[found.end() :]
    if _OPEN_THOUGHT.match(text):
        return "\n".join([*thoughts, _OPEN_THOUGHT.sub("", text, count=1).strip()]), ""
    if not thoughts and not text.lstrip().startswith(("{", "```")) and (end := _THOUGHT_END.search(text)):
        return text[: end.start()].strip(), text[end.end() :].strip()
    return "\n".join(thoughts), text.strip()


_IN_THE_MIDDLE = "invalid JSON: it stops in the middle"
_TOO_DEEP = "invalid JSON: it is nested too deeply"


def read_object(text: str, schema: Schema, name: str = "") -> dict[str, Any]:
    """The single object in a text that fits a schema; thoughts are to be split off before.

    Args:
        name: When given, an object `{"name": name, "arguments": {…}}` stands for its arguments.

    Raises:
        Unreadable: There is none, or there are several different ones.
    """
    if not text.strip():
        raise Unreadable("the reply is empty")
    try:
        return _read(text, schema, name)
    except RecursionError as error:
        raise Unreadable(_TOO_DEEP) from error


def _read(text: str, schema: Schema, name: str) -> dict[str, Any]:
    fenced = _WHOLE_FENCE.fullmatch(text)
    inner = fenced[1] if fenced else text
    whole = _loaded(inner)
    if isinstance(whole, list) and len(whole) == 1:
        whole = whole[0]
    if isinstance(whole, dict):
        return _fitted(_unwrapped(whole, name), schema)
    if whole is not None:
        raise Unreadable("the reply must be one JSON object", is_json=True)
    candidates = [_unwrapped(candidate, name) for candidate in _objects(inner)]
    if candidates:
        return _the_one(candidates, schema)
    return _fitted(_unwrapped(_repaired(inner), name), schema)


def _loaded(text: str) -> Any:
    """What a text is as JSON, raw newlines in strings allowed; None when it is not JSON."""
    try:
        return json.loads(text, strict=False, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError):
        return None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise Unreadable(f"“{key}” stands twice in one object, with different values", is_json=True)
        found[key] = value
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost complete objects within a text."""
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_without_doubles)
    place = text.find("{")
    while place >= 0:
        try:
            found, end = decoder.raw_decode(text, place)
        except Unreadable:
            raise
        except (ValueError, RecursionError):
            # What follows an object that cannot be read may be a part of it: a part must not pass for the whole.
            return
        if isinstance(found, dict):
            yield found
        place = text.find("{", end)


def _the_one(candidates: list[dict[str, Any]], schema: Schema) -> dict[str, Any]:
    fitting: list[dict[str, Any]] = []
    faults: list[str] = []
    for candidate in candidates:
        try:
            fitted = fit(whole_in(candidate), schema)
        except Unfit as error:
            faults.append(str(error))
        else:
            if fitted not in fitting:
                fitting.append(fitted)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise Unreadable(f"the reply holds {len(fitting)} different objects; write exactly one", is_json=True)
    raise Unreadable(faults[0], is_json=True)


def _fitted(value: dict[str, Any], schema: Schema) -> dict[str, Any]:
    try:
        fitted = fit(whole_in(value), schema)
    except Unfit as error:
        raise Unreadable(str(error), is_json=True) from error
    if not isinstance(fitted, dict):
        raise Unreadable("the reply must be one JSON object", is_json=True)
    return fitted


def _unwrapped(value: dict[str, Any], name: str) -> dict[str, Any]:
    if not name or value.get("name") != name or set(value) not in _WRAPPERS:
        return value
    inner = value.get("arguments", value.get("parameters"))
    if isinstance(inner, str):
        inner = _loaded(inner)
    return inner if isinstance(inner, dict) else value


def _repaired(text: str) -> dict[str, Any]:
    """The object of a text with small slips: other quotes, missing commas, quotes within strings, True for true."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        raise Unreadable("the reply holds no JSON object")
    if end < start or text[end + 1 :].count("{") or _ends_early(text[start:]):
        raise Incomplete(_IN_THE_MIDDLE)
    part = text[start : end + 1]
    import json_repair

    try:
        repaired = json_repair.repair_json(part, return_objects=True, skip_json_loads=True)
    except ValueError as error:  # it has a limit of its own
        raise Unreadable(_TOO_DEEP) from error
    if not isinstance(repaired, dict) or not _says_the_same(part, repaired):
        raise Unreadable(f"invalid JSON: {_where(part)}")
    return repaired


def _ends_early(text: str) -> bool:
    """Whether a text is right as far as it goes."""
    text = text.rstrip()
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return bool(_CUT_TOKEN.fullmatch(text, error.pos)) or error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return False


def _says_the_same(text: str, value: dict[str, Any]) -> bool:
    """Whether a value holds all words of a text in the same order, and no fewer or more braces."""
    written = json.dumps(value, ensure_ascii=False)
    if any(text.count(brace) != written.count(brace) for brace in "{}"):
        return False
    return _letters(text) == _letters(written)


def _letters(text: str) -> str:
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _escaped(found[2]), text)
    return _LETTERS.sub("", re.sub(r"\bNone\b", "null", plain)).casefold()


def _escaped(character: str) -> str:
    return " " if character in "nrtbf" else character


def _where(text: str) -> str:
    try:
        json.loads(text, strict=False)
    except RecursionError:
        return _TOO_DEEP.removeprefix("invalid JSON: ")
    except ValueError as error:
        position = getattr(error, "pos", 0)
        return f"{getattr(error, 'msg', error)} near “{text[max(0, position - 15) : position + 15]}”"
    return "its words cannot be kept as they are"
