"""Composite actions: common patterns of several steps.

Each part goes the one path by itself (`ActionContext.perform`): checked, judged by the policy, recorded and verified. A
part that is refused or fails ends the whole, and the outcome says how far it came.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from pathlib import Path

from pydantic import Field

from operative_app.actions.browser import Fill, SelectOption
from operative_app.actions.conditions import Editable, Enabled, Present
from operative_app.actions.declare import BOTH, Action, ActionContext, Category, EffectKind, Reversibility, action
from operative_app.actions.effects import FormShows, GaveText, SignInLeft
from operative_app.actions.keyboard import PressKey
from operative_app.actions.looking import seen
from operative_app.actions.mouse import ClickElement
from operative_app.actions.system import FileDialog
from operative_app.actions.targeting import stand_together
from operative_app.core.errors import ActionError
from operative_app.core.ports import Surface
from operative_app.core.run import Outcome, done
from operative_app.core.screen import Download, Element, ElementRef, ElementState, Fingerprint, ScreenState, folded
from operative_app.core.values import Value

PASSWORD_S = 10.0
DOWNLOAD_CEILING_S = 600.0
MAX_SCROLLS = 100
_ON = frozenset({"on", "yes", "true", "checked", "1"})
_OFF = frozenset({"off", "no", "false", "unchecked", "0", ""})
_LISTS = frozenset({"combobox", "listbox", "button"})
_CHOICES = frozenset({"option", "menuitem", "menuitemradio", "treeitem"})
_TOGGLES = frozenset({"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"})
_SIGN_IN = re.compile(
    r"(?:(?:sign|log)[ -]?in|continue|next|submit|anmelden|einloggen|weiter|se connecter|connexion|iniciar sesión"
    r"|entrar|accedi|inloggen|zaloguj(?: się)?)\b|登录|ログイン",
    re.IGNORECASE,
)


class FieldEntry(Value):
    """One field of a form and what it is to hold: text, an option's label, or "on" and "off" for what is ticked."""

    target: ElementRef = Field(description="the field, list or box")
    value: str = Field(description="the text, the option's label, or “on” or “off”")


@action(
    label="Fill in the form ({fields})",
    category=Category.COMPOSITE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.COMPOSITE,
    surfaces=BOTH,
    post=[FormShows("fields")],
)
class FillForm(Action):
    """Fill several fields one after the other: texts, lists and boxes to tick. It does not submit."""

    fields: tuple[FieldEntry, ...] = Field(min_length=1, description="the fields in the order of filling")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        for number, entry in enumerate(self.fields):
            try:
                await _enter(ctx, entry)
            except ActionError as error:
                raise type(error)(f"{number} of {len(self.fields)} fields were filled; then: {error}") from error
        return done(f"{len(self.fields)} fields are filled")


async def _enter(ctx: ActionContext, entry: FieldEntry) -> None:
    element = ctx.state.find(entry.target)
    if element is None:
        raise ActionError(f"{entry.target.label or 'a field'} is no longer there")
    ref = ctx.state.ref(element)
    if element.role in _TOGGLES:
        wanted = _as_switch(entry.value)
        if wanted is not (element.has(ElementState.CHECKED) or element.has(ElementState.SELECTED)):
            await ctx.perform(ClickElement(target=ref))
    elif element.tag == "select":
        await ctx.perform(SelectOption(target=ref, option=entry.value))
    elif element.input_type == "file":
        await ctx.perform(FileDialog(paths=(entry.value,), target=ref))
    elif element.role in _LISTS and not element.has(ElementState.EDITABLE):
        await _choose(ctx, element, entry.value)
    else:
        await ctx.perform(Fill(target=ref, text=entry.value))


async def _choose(ctx: ActionContext, element: Element, wanted: str) -> None:
    """Open a list that is no native one and click the choice; one that shows it already is left alone."""
    if folded(wanted) == folded(element.value):
        return
    before = {one.fingerprint for one in ctx.state.elements if one.role in _CHOICES}
    await ctx.perform(ClickElement(target=ctx.state.ref(element)))
    choices = [one for one in ctx.state.elements if one.role in _CHOICES and one.fingerprint not in before]
    fitting = [one for one in choices if folded(wanted) in {folded(one.name), folded(one.text)}]
    if len(fitting) != 1:
        offered = ", ".join(f"“{one.name}”" for one in choices[:12]) or "nothing"
        raise ActionError(f"{element.label} offers {offered}; “{wanted}” is not one of them")
    await ctx.perform(ClickElement(target=ctx.state.ref(fitting[0])))


def _as_switch(value: str) -> bool:
    word = value.strip().lower()
    if word in _ON or word in _OFF:
        return word in _ON
    raise ActionError(f"“{value}” is neither on nor off")


@action(
    label="Search for “{query}” in {field} and click “{match}”",
    category=Category.COMPOSITE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.COMPOSITE,
    surfaces=BOTH,
    pre=[Present("field"), Enabled("field"), Editable("field")],
)
class SearchAndClick(Action):
    """Type into a search field, wait for the results, and click the one that matches."""

    field: ElementRef = Field(description="the search field")
    query: str = Field(min_length=1, description="what to search for")
    match: str = Field(min_length=1, description="the name of the result to click")
    timeout_s: float = Field(default=10.0, gt=0, le=60, description="how long to wait for the result, in seconds")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        first = ctx.state
        before = {element.fingerprint for element in first.elements if _matches(element, self.match)}
        url = first.url
        await ctx.perform(Fill(target=self.field, text=self.query))
        found = await seen(ctx, lambda state: _match(state, self, before), timeout_s=min(1.5, self.timeout_s))
        found = found or _left_of_a_list(first, ctx.state, self)
        if found is None:
            field = ctx.state.find(self.field)
            if field is None:
                raise ActionError("the search field went before there was a result")
            with contextlib.suppress(ActionError):  # that nothing changed at once is no fault: the results may be slow
                await ctx.perform(PressKey(key="Enter", target=ctx.state.ref(field)))
            known = before if ctx.state.url == url else set()
            found = await seen(ctx, lambda state: _match(state, self, known), timeout_s=self.timeout_s)
        if found is None:  # what was there before may be what is left of a list that was narrowed
            left = [one for one in _hits(ctx.state, self) if folded(one.name) == folded(self.match)]
            found = _the_one(left, self) if left else None
        if found is None:
            raise ActionError(f"no result “{self.match}” came within {self.timeout_s:g} s")
        await ctx.perform(ClickElement(target=ctx.state.ref(found)))
        return done(f"clicked {found.label}")


def _match(state: ScreenState, search: SearchAndClick, known: set[Fingerprint]) -> Element | None:
    """The one new element that fits; None when none came. ActionError when several fit equally well."""
    hits = [one for one in _hits(state, search) if one.fingerprint not in known]
    return _the_one(hits, search) if hits else None


def _left_of_a_list(first: ScreenState, now: ScreenState, search: SearchAndClick) -> Element | None:
    """The one that bears the very name, was there before, and stayed when others of its list went."""
    exact = [one for one in _hits(now, search) if folded(one.name) == folded(search.match)]
    if len(exact) != 1:
        return None
    kind = _kind(exact[0])
    names = {one.name for one in now.elements if _kind(one) == kind}
    is_narrowed = any(_kind(one) == kind and one.name not in names for one in first.elements)
    return exact[0] if is_narrowed else None


def _kind(element: Element) -> tuple[str, str, str]:
    """What the entries of one list have in common: the path without the numbers."""
    return element.role, element.frame, re.sub(r"\[[^\]]*\]", "", element.path)


def _hits(state: ScreenState, search: SearchAndClick) -> list[Element]:
    return [one for one in state.elements if _matches(one, search.match) and not _is_field(one, search.field)]


def _the_one(hits: list[Element], search: SearchAndClick) -> Element:
    exact = [one for one in hits if folded(one.name) == folded(search.match)] or hits
    if len(exact) > 1:
        places = "; ".join(f"{one.label} ({', '.join(one.context) or 'no surroundings'})" for one in exact[:5])
        raise ActionError(f"{len(exact)} results fit “{search.match}”: {places}. Name one more exactly.")
    return exact[0]


def _matches(element: Element, match: str) -> bool:
    wanted = rf"(?<!\w){re.escape(folded(match))}(?!\w)"
    is_named = re.search(wanted, folded(f"{element.name} {element.text}")) is not None
    return is_named and not element.has(ElementState.EDITABLE)


def _is_field(element: Element, field: ElementRef) -> bool:
    return (element.path, element.frame) == (field.fingerprint.path, field.fingerprint.frame)


@action(
    label="Sign in as {username}",
    category=Category.COMPOSITE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.COMPOSITE,
    post=[SignInLeft()],
)
class Login(Action):
    """Find the sign-in form, enter name and password, and submit it; also where the password comes on a second page."""

    username: str = Field(min_length=1, description="the name or e-mail address to sign in with")
    password: str = Field(min_length=1, repr=False, description="best as {{secret:name}}, never shown or recorded")

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        secret = _password_field(ctx.state)
        name = _name_field(ctx.state, secret)
        if name is None and secret is None:
            raise ActionError("there is no sign-in form on this page")
        if name is not None:
            await ctx.perform(Fill(target=ctx.state.ref(name), text=self.username))
        secret = _password_field(ctx.state)
        if secret is None and name is not None:
            await _submit(ctx, ctx.state.find(ctx.state.ref(name)) or name)
            secret = await seen(ctx, _password_field, timeout_s=PASSWORD_S)
        if secret is None:
            raise ActionError("no field for the password came")
        await ctx.perform(Fill(target=ctx.state.ref(secret), text=self.password))
        await _submit(ctx, _password_field(ctx.state) or secret)
        return done()


def _password_field(state: ScreenState) -> Element | None:
    fields = [one for one in state.elements if one.has(ElementState.PASSWORD) and not one.has(ElementState.DISABLED)]
    if len(fields) > 1:
        raise ActionError("there are several password fields here; this is no sign-in form")
    return fields[0] if fields else None


def _name_field(state: ScreenState, secret: Element | None) -> Element | None:
    """The last single-line text field before the password, or the only one of a page that asks for the name first."""
    texts = [
        one
        for one in state.elements
        if one.has(ElementState.EDITABLE)
        and not one.has(ElementState.PASSWORD)
        and not one.has(ElementState.DISABLED)
        and not one.has(ElementState.READONLY)
        and one.input_type in {"", "text", "email", "tel"}
        and one.role in {"textbox", "combobox"}
        and not one.has(ElementState.MULTILINE)
    ]
    if secret is None:
        return texts[0] if len(texts) == 1 else None
    place = state.elements.index(secret)
    before = [one for one in texts if one.frame == secret.frame and state.elements.index(one) < place]
    return before[-1] if before else None


async def _submit(ctx: ActionContext, field: Element) -> None:
    """Press the form's own button; where none is told apart, Enter in the field."""
    buttons = [
        one
        for one in ctx.state.elements
        if one.role == "button"
        and stand_together(one, field)
        and not one.has(ElementState.DISABLED)
        and _SIGN_IN.match(folded(one.name))
    ]
    exact = [one for one in buttons if _SIGN_IN.fullmatch(folded(one.name))] or buttons
    if len(exact) == 1:
        await ctx.perform(ClickElement(target=ctx.state.ref(exact[0])))
    else:
        await ctx.perform(PressKey(key="Enter", target=ctx.state.ref(field)))


@action(
    label="Download with {target}",
    category=Category.COMPOSITE,
    reversibility=Reversibility.REVERSIBLE,
    effect=EffectKind.COMPOSITE,
    pre=[Present("target"), Enabled("target")],
    post=[GaveText("no file was stored")],
)
class DownloadFile(Action):
    """Click what starts a download, wait until the file is complete on disk; the outcome holds its path."""

    target: ElementRef = Field(description="the control that starts the download")
    timeout_s: float = Field(
        default=120.0, gt=0, le=DOWNLOAD_CEILING_S, description="how long the download may take, in seconds"
    )

    async def run(self, surface: Surface, ctx: ActionContext) -> Outcome:
        known = len(ctx.state.downloads)
        await ctx.perform(ClickElement(target=self.target))
        file = await seen(ctx, lambda state: _ended(state, known), timeout_s=self.timeout_s)
        if file is None:
            started = ctx.state.downloads[known:]
            what = f"“{started[0].name}” is not complete" if started else "no download began"
            raise ActionError(f"{what} after {self.timeout_s:g} s")
        if not file.path:
            raise ActionError(f"the download of “{file.name}” ended as {file.state}")
        path = Path(file.path)
        size_bytes = await asyncio.to_thread(lambda: path.stat().st_size if path.is_file() else -1)
        if size_bytes < 0:
            raise ActionError(f"“{path.name}” was downloaded but is not on the disk")
        return done(f"“{path.name}”, {size_bytes} bytes", value=str(path))


def _ended(state: ScreenState, known: int) -> Download | None:
    """The first new download that has come to its end. ActionError when none will begin."""
    started = state.downloads[known:]
    if not started and state.url.startswith("chrome-error:"):
        raise ActionError("no download began; the browser shows an error page")
    return next((one for one in started if one.state != "running"), None)
