"""Finds values that are asked for: in tables, lists of terms, after labels, in fields; and counts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from operative_app.core.screen import ScreenState, Table, TextBlock
from operative_app.planning.builtin import effects, page
from operative_app.planning.builtin.instruction import CheckShown, Count, Read
from operative_app.planning.builtin.reading_items import SUMS, answer_of_item, answer_of_row
from operative_app.planning.builtin.situation import Situation
from operative_app.planning.builtin.targets import KINDS
from operative_app.planning.builtin.words import GOOD, fold, has_phrase, similarity, tokens
from operative_app.planning.port import AskPerson, Decision, NotThereYet, TaskDone

_SEPARATORS = re.compile(r"\s+(?:of|for|in|from|on|at|by|per)\s+(?:the\s+|an?\s+)?|['’]s\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """A value found, with the words that say where."""

    value: str
    where: str
    score: float


def read(sit: Situation, instruction: Read) -> Decision:
    question = instruction.question
    if page.is_waiting(sit.state) and sit.context.attempts == 0:
        return NotThereYet("the page is still loading")
    item = answer_of_item(sit.state, question)
    if item is not None:
        return TaskDone(result=item[0], answer=f"{question[:1].upper()}{question[1:]}: {item[0]}")
    found = find_values(sit.state, question)
    row = None if found else answer_of_row(sit.state, question)
    if row is not None:
        return TaskDone(result=row[0], answer=f"{question[:1].upper()}{question[1:]}: {row[0]}")
    if not found:
        if page.is_waiting(sit.state):
            return NotThereYet("the page is still loading")
        return NotThereYet(f"“{question}” is not on the page")
    best = found[0]
    rivals = [one for one in found if one.score >= best.score - 1.5]
    values = list(dict.fromkeys(one.value for one in rivals))
    if len(values) > 1 and rivals[0].score - 1.5 < 100:
        answer = sit.answer_to(f"“{question}” can be read")
        chosen = next(
            (
                one
                for one in rivals
                if answer and (similarity(answer, f"{one.value} – {one.where}") >= 90 or answer == one.value)
            ),
            None,
        )
        chosen = chosen or _latest(rivals, sit.today)
        if chosen is None:
            labels = tuple(dict.fromkeys(f"{one.value} – {one.where}" for one in rivals))
            return AskPerson(f"“{question}” can be read in {len(labels)} places. Which one do you mean?", labels[:6])
        best = chosen
    year = _year_of(best.where)
    period = f" ({year})" if year and str(year) not in question and len(values) > 1 else ""
    sentence = f"{question[:1].upper()}{question[1:]}{period}: {best.value}"
    return TaskDone(result=best.value, answer=sentence)


def _latest(rivals: list[Reading], today: date) -> Reading | None:
    """“March” without a year is the last one that was; None when something else than the year tells the places apart."""  # noqa: E501 - words and patterns read best on one line
    by_year: dict[int, Reading] = {}
    rests = {re.sub(r"\b(?:19|20)\d\d\b", "", one.where) for one in rivals}
    for one in rivals:
        year = _year_of(one.where)
        if year and year <= today.year:
            by_year.setdefault(year, one)
    return by_year[max(by_year)] if by_year and len(rests) == 1 else None


def _year_of(where: str) -> int:
    years = re.findall(r"\b((?:19|20)\d\d)\b", where)
    return int(years[0]) if len(set(years)) == 1 else 0


def find_values(state: ScreenState, question: str) -> list[Reading]:
    """All values that answer the question, the surest first."""
    parts = [part.strip() for part in _SEPARATORS.split(question) if part.strip()]
    found: list[Reading] = []
    for table in state.tables:
        found += _in_table(table, question, parts)
    found += _in_texts(state, question, parts)
    found += _in_elements(state, question)
    found += _of_page(state, question)
    return sorted((one for one in found if one.score >= GOOD), key=lambda one: -one.score)


def count(sit: Situation, instruction: Count) -> Decision:
    """A number the page says about them, otherwise the rows or items that are listed."""
    things = instruction.things
    singular = fold(re.sub(r"(?i)^(?:the|all)\s+", "", things)).removesuffix("s")
    for block in sit.state.texts:
        folded = fold(block.text)
        said = re.search(rf"(?:^|\D)(\d[\d.,]*) (?:\w+ ){{0,2}}?{re.escape(singular)}", folded)
        if said and len(block.text) < 120:
            return _counted(things, said[1])
    for table in sit.state.tables:
        if (
            re.search(r"(?i)^rows?$|^lines?$|^entries$", things)
            or similarity(things, table.caption) >= GOOD
            or any(similarity(things, text) >= GOOD for text in table.context)
        ):
            return _counted(things, str(len(table.rows)))
    elements = page.result_elements(sit.state)
    if page.is_waiting(sit.state) and sit.context.attempts == 0:
        return NotThereYet("the page is still loading")
    if re.search(r"(?i)result|item|product|hit|match|entr|offer|link", things) or KINDS.get(singular) == "item":
        if elements:
            return _counted(things, str(len(elements)))
        none = page.nothing_found(sit.state)
        if none:
            return _counted(things, "0")
    role = {"button": "button", "link": "link", "checkbox": "checkbox", "field": "textbox", "image": "image"}.get(
        singular
    )
    if role:
        return _counted(things, str(sum(one.role == role for one in sit.state.elements)))
    wanted = [token.rstrip("s") for token in tokens(things) if token not in {"the", "all"}]
    named = [item for item in page.items_of(sit.state, elements) if all(token in fold(item.text) for token in wanted)]
    if named:
        return _counted(things, str(len(named)))
    rows = [
        row for table in sit.state.tables for row in table.rows if all(token in fold(" ".join(row)) for token in wanted)
    ]
    if rows:
        return _counted(things, str(len(rows)))
    headed = [table for table in sit.state.tables if table.headers and similarity(singular, table.headers[0]) >= GOOD]
    if len(headed) == 1:
        return _counted(things, str(len(headed[0].rows)))
    return NotThereYet(f"there are no {things} to count on the page")


def check_shown(sit: Situation, instruction: CheckShown) -> Decision:
    is_shown = effects.shows(sit.state, instruction.text)
    if is_shown is not instruction.absent:
        return TaskDone(
            f"“{instruction.text}” is {'shown' if is_shown else 'not shown'}",
            answer=f"“{instruction.text}” is {'shown' if is_shown else 'not shown'} on the page.",
        )
    return NotThereYet(f"“{instruction.text}” is {'still shown' if is_shown else 'not shown'}")


def _counted(things: str, number: str) -> TaskDone:
    return TaskDone(result=number, answer=f"{things[:1].upper()}{things[1:]}: {number}")


def _in_table(table: Table, question: str, parts: list[str]) -> list[Reading]:
    """Cells whose row, column and caption together say all parts of the question."""
    found: list[Reading] = []
    around = " ".join((table.caption, *table.context))
    for row in table.rows:
        labels = [cell for cell in row if not re.fullmatch(r"[\d.,\s%€$£+−-]*", cell)]
        row_scores = [max((_cell_likeness(part, cell) for cell in labels), default=0.0) for part in parts]
        if not any(score >= GOOD for score in row_scores):
            continue
        for column, cell in enumerate(row):
            if not cell.strip() or (column == 0 and len(row) > 1):
                continue
            header = table.headers[column] if column < len(table.headers) else ""
            score = _cell_score(parts, row_scores, header, around, columns=len(row))
            if score >= GOOD and not any(_cell_likeness(part, cell) >= GOOD for part in parts):
                where = " / ".join(text for text in (table.caption, row[0], header) if text)
                found.append(Reading(cell, where, score))
    if not found and len(parts) == 1 and _is_total(question):
        return found
    return found


def _cell_likeness(part: str, cell: str) -> float:
    if fold(part) in SUMS and fold(cell) in SUMS:
        return 96.0
    months = {"jan": "january", "feb": "february", "mar": "march", "apr": "april", "jun": "june", "jul": "july", "aug": "august",  # noqa: E501 - words and patterns read best on one line
              "sep": "september", "sept": "september", "oct": "october", "nov": "november", "dec": "december"}  # fmt: skip  # noqa: E501 - words and patterns read best on one line
    wanted, shown = fold(part), fold(cell)
    for short, full in months.items():
        wanted = re.sub(rf"\b{short}\b", full, wanted)
        shown = re.sub(rf"\b{short}\b", full, shown)
    return similarity(wanted, shown)


def _cell_score(parts: list[str], row_scores: list[float], header: str, around: str, *, columns: int) -> float:
    """The mean of the parts' best places; row and column must each be said, the column only where it can be doubted."""
    points: list[float] = []
    in_row = in_column = False
    for part, row_score in zip(parts, row_scores, strict=True):
        column_score = _cell_likeness(part, header) if header else 0.0
        around_score = 88.0 if around and has_phrase(around, part) else 0.0
        best = max(row_score, column_score, around_score)
        if best < GOOD:
            return 0.0
        in_row = in_row or (row_score == best and row_score >= GOOD)
        in_column = in_column or (column_score == best and column_score >= GOOD)
        points.append(best)
    if not in_row or (not in_column and columns > 2):
        return 0.0
    return sum(points) / len(points) + (2 if in_column and in_row else 0)


def _is_total(question: str) -> bool:
    return fold(question) in SUMS


def _in_texts(state: ScreenState, question: str, parts: list[str]) -> list[Reading]:
    """“Label: value” in one text, or a label and the text right of it or under it."""
    found: list[Reading] = []
    blocks = [block for block in state.texts if len(block.text) < 300]
    subject = parts[1] if len(parts) > 1 else ""
    wants_price = fold(parts[0]) in {"price", "cost", "fare"} if parts else False
    for index, block in enumerate(blocks):
        within = re.match(r"^(?P<label>[^:\uff1a]{2,60}?)\s*[:\uff1a]\s*(?P<value>\S.*)$", block.text)
        if within:
            score = _label_score(within["label"], block, question, parts)
            if score:
                found.append(Reading(within["value"], within["label"], score))
                continue
        said = re.search(
            rf"(?i)\b{re.escape(parts[0])}\b\s*(?:is|are|was|number|no\.?|#|:)\s*(?P<value>\S.{{0,60}}?)(?:[.,;](?:\s|$)|$)",
            block.text,
        )
        if said:
            found.append(Reading(said["value"].strip(), block.text[:60], 84.0))
        score = _label_score(block.text, block, question, parts)
        if score and len(block.text) < 80:
            value = _value_beside(blocks, index)
            if value is not None:
                found.append(Reading(value.text, block.text, score - (0 if block.role in {"label", "cell"} else 2)))
    if wants_price:
        found += _prices(state, subject)
    return found


def _label_score(label: str, block: TextBlock, question: str, parts: list[str]) -> float:
    whole = similarity(question, label)
    if whole >= GOOD:
        return whole
    first = similarity(parts[0], label) if parts else 0.0
    if len(parts) == 1 or first < GOOD:
        return 0.0
    around = " ".join((*block.context, label))
    rest = [
        88.0 if has_phrase(around, part) else max((similarity(part, text) for text in block.context), default=0.0)
        for part in parts[1:]
    ]
    return (first + sum(rest)) / len(parts) if all(score >= GOOD for score in rest) else 0.0


def _value_beside(blocks: list[TextBlock], index: int) -> TextBlock | None:
    label = blocks[index]
    for other in blocks[index + 1 : index + 3]:
        same_line = abs(other.box.center[1] - label.box.center[1]) < max(label.box.height_css_px, 12)
        below = 0 <= other.box.y_css_px - label.box.bottom_css_px < 40 and other.box.x_css_px < label.box.right_css_px
        if (same_line and other.box.x_css_px >= label.box.x_css_px) or below:
            return other if other.role not in {"heading", "label"} or same_line else None
    return None


def _prices(state: ScreenState, subject: str) -> list[Reading]:
    """The price nearest to the words it is asked for; without words, the one nearest to the main heading."""
    anchors = (
        page.named_anchors(state, subject, GOOD)
        if subject
        else [(block.text, block.box) for block in state.texts if block.role == "heading" and block.level == 1]
    )
    prices = [block for block in state.texts if page.price_in(block.text) is not None and len(block.text) < 60]
    if not prices:
        return []
    found = []
    for name, anchor in anchors:
        nearest = min(prices, key=lambda block: page.distance(block.box, anchor))
        value = re.search(r"(?:[€$£¥₹]\s?)?\d[\d.,]*(?:\s?[€$£¥₹]|\s?(?:EUR|USD|GBP|CHF|kr))?", nearest.text)
        found.append(Reading(value[0].strip() if value else nearest.text, name or "price", 80.0))
    return found


def _in_elements(state: ScreenState, question: str) -> list[Reading]:
    bare = re.sub(r"(?i)\s+(?:field|box)$|^(?:value|content|text) (?:of|in) (?:the )?", "", question)
    found = []
    state_of = re.match(r"(?i)^state of (?P<what>\S.*)$", question)
    for one in state.elements:
        if state_of and one.role in page.TICK_ROLES:
            found.append(
                Reading("on" if page.is_chosen(one) else "off", one.name, similarity(state_of["what"], one.name))
            )
        if one.value and page.is_field(one):
            score = similarity(bare, one.name)
            if score >= GOOD:
                found.append(Reading(one.value, one.name, score - 1))
    return found


def _of_page(state: ScreenState, question: str) -> list[Reading]:
    folded = fold(question)
    words = set(tokens(question))
    if words & {"title"} and words <= {"title", "of", "the", "page", "tab"}:
        return [Reading(state.title, "title", 90.0)]
    if folded in {"address", "url", "address of the page", "url of the page", "page url"}:
        return [Reading(state.url, "address", 90.0)]
    if folded in {"heading", "main heading", "headline", "heading of the page", "page heading"}:
        return [Reading(block.text, "heading", 90.0) for block in state.texts if block.role == "heading"][:1]
    if words & {"message", "error", "alert", "status", "notice", "confirmation"} and len(words) <= 4:
        return [Reading(block.text, block.role, 82.0) for block in page.alerts(state)][:1]
    return []
