"""Decides the next step for addresses, searching, scrolling, keys, tabs, waiting, and what people do themselves."""

from __future__ import annotations

import re

from operative_app.actions.browser import CloseTab, Fill, GoBack, Navigate, NewTab, SwitchTab
from operative_app.actions.composite import Login
from operative_app.actions.keyboard import PressKey
from operative_app.actions.mouse import ClickElement, DragElement, Scroll
from operative_app.core.requests import HandOffKind
from operative_app.core.screen import Element, ElementState, Tab
from operative_app.planning.builtin import effects, obstacles, page
from operative_app.planning.builtin.effects import PageMovedOn
from operative_app.planning.builtin.grounding import Purpose, ground
from operative_app.planning.builtin.instruction import (
    LAST,
    ChooseFile,
    DragTo,
    Gesture,
    Key,
    OpenAddress,
    PersonDoes,
    Press,
    ScrollTo,
    Search,
    SignIn,
    TabAct,
    TabStep,
    Target,
    WaitUntil,
)
from operative_app.planning.builtin.pressing import press, use
from operative_app.planning.builtin.situation import Situation, find
from operative_app.planning.builtin.words import GOOD, SAME_MEANING, fold, similarity, tokens
from operative_app.planning.port import Act, Decision, GiveUp, HandOver, NotThereYet, TaskDone, Variant

_PAGE_SHARE = 0.8
"""Part of the window's height that one scroll moves."""

_MOST_SCROLLS = 15
_SEARCH_NAMES = ("search", "find", "suche", "what are you looking for", "query", "keywords", "q")
_FILE_KINDS = {
    "pdf": (".pdf",), "photo": (".jpg", ".jpeg", ".png", ".webp"), "picture": (".jpg", ".jpeg", ".png", ".webp"),
    "image": (".jpg", ".jpeg", ".png", ".webp", ".gif"), "csv": (".csv",), "spreadsheet": (".xlsx", ".xls", ".csv"),
}  # fmt: skip


def open_address(sit: Situation, instruction: OpenAddress) -> Decision:
    action = NewTab(url=instruction.url) if instruction.new_tab else Navigate(url=instruction.url)
    return Act.one(action, why="the task names the address", completes_task=True)


def drag(sit: Situation, instruction: DragTo) -> Decision:
    """Drag onto an element, or to the middle of a text of that name: what things are dropped on need be no control."""
    what = find(sit, instruction.target, Purpose.PRESS)
    if what.element is None:
        return what.otherwise or NotThereYet("it is not on the page")
    onto = find(sit, instruction.onto, Purpose.PRESS)
    if onto.element is not None and onto.element.key != what.element.key:
        action = DragElement(target=sit.ref(what.element), onto=sit.ref(onto.element))
        return Act.one(action, why="as asked", completes_task=True)
    texts = [one for one in sit.state.texts if similarity(instruction.onto.name, one.text) >= SAME_MEANING]
    if len(texts) != 1:
        return onto.otherwise or NotThereYet(f"“{instruction.onto.name}” is not on the page")
    x_px, y_px = texts[0].box.center
    action = DragElement(target=sit.ref(what.element), x_px=x_px, y_px=y_px)
    return Act.one(action, why="as asked", completes_task=True)


def search(sit: Situation, instruction: Search) -> Decision:
    """Use the page's own search; a button that is called so (“Search flights”) is what “search flights” means."""
    whole = f"search {instruction.query}"
    named = ground(sit.state, Target(whole, "button"), Purpose.PRESS).element
    is_meant = named is not None and named.role == "button" and similarity(whole, named.name) >= SAME_MEANING
    if named is not None and is_meant and not instruction.place:
        return use(sit, named)
    field = _search_field(sit, instruction.place)
    if isinstance(field, Element):
        blocked = obstacles.clear_the_way(sit, field)
        if blocked:
            return blocked
        ref = sit.ref(field)
        fill = Fill(target=ref, text=instruction.query)
        variants = [Variant((fill, PressKey(key="Enter", target=ref)))]
        button = _search_button(sit, field)
        if button is not None:
            variants.append(Variant((fill, ClickElement(target=sit.ref(button))), name="B"))
        return Act(
            tuple(variants),
            why=f"“{field.name or 'search'}” is the page's search",
            expect=(PageMovedOn(),),
            completes_task=True,
        )
    if field is not None:
        return field
    opener = next(
        (
            one
            for one in sit.state.elements
            if one.role in {"button", "link"}
            and fold(one.name) in {"search", "open search", "suche"}
            and not sit.times_done(one)
        ),
        None,
    )
    if opener is not None:
        return Act.one(ClickElement(target=sit.ref(opener)), why="the search field is behind it")
    return NotThereYet("there is no search field on the page")


def _search_field(sit: Situation, place: str) -> Element | Decision | None:
    if place:
        found = find(sit, Target(place), Purpose.FIELD)
        return found.element or found.otherwise
    fields = [
        one
        for one in sit.state.elements
        if page.takes_text(one) and page.is_enabled(one) and not one.has(ElementState.PASSWORD)
    ]
    scored: list[tuple[float, Element]] = []
    for one in fields:
        points = 0.0
        if one.role == "searchbox" or one.input_type == "search":
            points = 90
        likeness = max(
            similarity(name, text) for name in _SEARCH_NAMES for text in (one.name, one.placeholder, one.description)
        )
        points = max(points, likeness if likeness >= GOOD else 0)
        if any(tag == "search" for tag in page.tags_of(one)) or "search" in one.context:
            points = max(points, 80)
        if points:
            points += 5 if one.role == "searchbox" else 0
            points -= 4 if re.search(r"(?i)newsletter|e-?mail|filter", one.name) else 0
            scored.append((points + (1 if page.is_in_view(one) else 0), one))
    return max(scored, key=lambda pair: pair[0])[1] if scored else None


def _search_button(sit: Situation, field: Element) -> Element | None:
    buttons = [
        one for one in sit.state.elements
        if one.role == "button" and one.frame == field.frame and set(tokens(one.name)) & {"search", "find", "go", "suche", "suchen"}  # noqa: E501 - words and patterns read best on one line
    ]  # fmt: skip
    return min(buttons, key=lambda one: page.distance(one.box, field.box), default=None)


def scroll_to(sit: Situation, instruction: ScrollTo) -> Decision:
    height = sit.state.viewport_height_css_px or 700
    scrolls = sum(1 for record in sit.records if isinstance(record.action, Scroll))
    if instruction.is_direction:
        position = sit.state.scroll
        at_end = position.y_css_px + height >= position.height_css_px - 2
        at_top = position.y_css_px <= 1
        match instruction.place:
            case "up" | "down":
                if (instruction.place == "down" and at_end) or (instruction.place == "up" and at_top):
                    return TaskDone("the page is at its end already")
                step = height * _PAGE_SHARE
                return Act.one(
                    Scroll(dy_css_px=step if instruction.place == "down" else -step),
                    completes_task=True,
                    why="as asked",
                )
            case "bottom":
                if at_end or scrolls >= _MOST_SCROLLS:
                    return TaskDone("the page is at its end", is_verified=at_end)
                return Act.one(Scroll(dy_css_px=max(position.height_css_px, height)), why="to the end of the page")
            case _:
                if at_top:
                    return TaskDone("the page is at its top")
                return Act.one(
                    Scroll(dy_css_px=-max(position.height_css_px, position.y_css_px)), why="to the top of the page"
                )
    for box in page.anchors(sit.state, instruction.place, GOOD):
        offset = box.center[1]
        if 0 <= offset <= height:
            return TaskDone(f"“{instruction.place}” is in view")
        if scrolls < _MOST_SCROLLS:
            return Act.one(Scroll(dy_css_px=round(offset - height / 3)), why=f"“{instruction.place}” is out of view")
    return scroll_on(sit, instruction.place)


def scroll_on(sit: Situation, what: str) -> Decision:
    """Look further down, as long as the page gets longer or has an end to reach."""
    height = sit.state.viewport_height_css_px or 700
    scrolls = sum(1 for record in sit.records if isinstance(record.action, Scroll))
    at_end = sit.state.scroll.y_css_px + height >= sit.state.scroll.height_css_px - 2
    if scrolls >= _MOST_SCROLLS or at_end:
        return NotThereYet(f"“{what}” is not on the page")
    return Act.one(Scroll(dy_css_px=height * _PAGE_SHARE), why=f"“{what}” may be further down")


def go_back(sit: Situation) -> Decision:
    return Act.one(GoBack(), why="as asked", completes_task=True)


def wait_until(sit: Situation, instruction: WaitUntil) -> Decision:
    is_there = effects.shows(sit.state, instruction.text)
    if not is_there and fold(instruction.text) in {"page", "results", "it to load", "page to load", "loading"}:
        is_there = page.is_waiting(sit.state) == instruction.gone
    if is_there != instruction.gone:
        return TaskDone(f"“{instruction.text}” is {'gone' if instruction.gone else 'there'}")
    return NotThereYet(f"“{instruction.text}” is {'still there' if instruction.gone else 'not there yet'}")


def key(sit: Situation, instruction: Key) -> Decision:
    ref = None
    if instruction.target is not None:
        found = find(sit, instruction.target, Purpose.FIELD)
        element = found.element or ground(sit.state, instruction.target, Purpose.PRESS).element
        if element is None:
            return found.otherwise or NotThereYet("it is not on the page")
        ref = sit.ref(element)
    return Act.one(PressKey(key=instruction.chord, target=ref), why="as asked", completes_task=True)


def tab(sit: Situation, instruction: TabStep) -> Decision:
    if instruction.act is TabAct.NEW:
        return Act.one(NewTab(), why="as asked", completes_task=True)
    tabs = sit.state.tabs
    chosen = _tab(tabs, instruction)
    if chosen is None:
        if instruction.name and instruction.act is TabAct.SWITCH:
            return press(sit, Press(Target(instruction.name, "tab"), Gesture.PRESS))
        names = ", ".join(f"“{one.title or one.url}”" for one in tabs)
        return GiveUp(f"There is no such tab; open are {names}.")
    if instruction.act is TabAct.CLOSE:
        return Act.one(CloseTab(tab_id=chosen.id), why="as asked", completes_task=True)
    if chosen.is_active:
        return TaskDone(f"“{chosen.title or chosen.url}” is in front already")
    return Act.one(SwitchTab(tab_id=chosen.id), why="as asked", completes_task=True)


def _tab(tabs: tuple[Tab, ...], instruction: TabStep) -> Tab | None:
    if instruction.name:
        scored = [
            (max(similarity(instruction.name, one.title), similarity(instruction.name, one.url)), place)
            for place, one in enumerate(tabs)
        ]
        score, place = max(scored, default=(0.0, 0))
        return tabs[place] if score >= GOOD else None
    if instruction.ordinal:
        index = len(tabs) - 1 if instruction.ordinal == LAST else instruction.ordinal - 1
        return tabs[index] if 0 <= index < len(tabs) else None
    if instruction.act is TabAct.CLOSE:
        return next((one for one in tabs if one.is_active), None)
    others = [one for one in tabs if not one.is_active]
    return others[-1] if others else None


def choose_file(sit: Situation, instruction: ChooseFile) -> Decision:
    """The person chooses; the planner only finds the control that takes the file."""
    controls = [one for one in sit.state.elements if one.input_type == "file" or one.role == "file"]
    chooser = sit.state.element(sit.state.file_chooser) if sit.state.file_chooser else None
    control = chooser or max(controls, key=lambda one: similarity(instruction.what, one.name), default=None)
    if control is None:
        opener = _file_button(sit)
        if opener is None:
            return NotThereYet("there is no control on the page that takes a file")
        control = opener
    if control.value and not sit.records:
        return TaskDone(f"“{control.value}” is chosen already")
    accepts = next((kinds for word, kinds in _FILE_KINDS.items() if word in fold(instruction.what).split()), ())
    return HandOver(
        HandOffKind.FILE,
        reason="Only you may choose files of this computer.",
        instructions=f"Choose the {instruction.what} for “{control.name or 'the file field'}”.",
        target=sit.ref(control),
        accepts=accepts,
        done_when=(effects.FileIsChosen(control.path, control.frame),),
    )


def _file_button(sit: Situation) -> Element | None:
    for one in sit.state.elements:
        if one.role in {"button", "clickable"} and re.search(
            r"\b(?:(?:choose|select|add|browse|upload|pick|attach)\b.{0,20}\b(?:file|pdf|document|photo|image|picture)s?|browse|upload)\b",
            fold(one.name),
        ):
            return one
    return None


def sign_in(sit: Situation, instruction: SignIn) -> Decision:
    """Hand over at the sign-in form, or fill a saved secret in; get there by the page's own link.

    It is done when one is signed in already.
    """
    if instruction.secret and sit.did(Login) and not effects.asks_password(sit.state):
        return obstacles.second_factor(sit.state, completes_task=True) or TaskDone("signed in")
    if instruction.secret and effects.asks_password(sit.state):
        return _with_secret(sit, instruction)
    if effects.asks_password(sit.state):
        return obstacles.sign_in("You asked to sign in yourself.", completes_task=True)
    if (code := obstacles.second_factor(sit.state, completes_task=True)) is not None:
        return code
    for name in ("sign out", "abmelden"):
        out = ground(sit.state, Target(name), Purpose.PRESS)
        if out.element is not None or out.rivals:
            return TaskDone("signed in already")
    link = ground(sit.state, Target("sign in"), Purpose.OPEN)
    element = link.element or next(iter(link.rivals), None)
    if element is not None and page.is_enabled(element) and sit.times_done(element) < 2:
        blocked = obstacles.clear_the_way(sit, element)
        return blocked or Act.one(ClickElement(target=sit.ref(element)), why="the sign-in form is behind it")
    return NotThereYet("there is no sign-in form on the page")


def _with_secret(sit: Situation, instruction: SignIn) -> Decision:
    """Enter name and secret once; a page that still asks afterwards is the person's."""
    fields = [one for one in sit.state.elements if one.has(ElementState.PASSWORD) and page.is_enabled(one)]
    if sit.did(Login) or sit.did(PressKey) or len(fields) > 1:
        return obstacles.sign_in("The page still asks to sign in.", completes_task=True)
    if instruction.username:
        login = Login(username=instruction.username, password=instruction.secret)
        return Act.one(login, why="the page asks to sign in", completes_task=True)
    fill = Fill(target=sit.ref(fields[0]), text=instruction.secret)
    enter = PressKey(key="Enter", target=sit.ref(fields[0]))
    return Act.one(fill, enter, why="the page asks to sign in", completes_task=True)


def person_does(sit: Situation, instruction: PersonDoes) -> Decision:
    return HandOver(
        HandOffKind.OTHER,
        reason="You said that you do this yourself.",
        instructions=f"Please {instruction.what}, then press Done.",
    )
