"""Makes ScreenStates: one read of the tab in front, its picture, and what the browser tells beside the page."""

from __future__ import annotations

import asyncio
import base64
import time
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Error

from operative_app.core.errors import ActionError, SurfaceError
from operative_app.core.screen import Box, Observation, PendingDialog, Picture, ScreenState, SurfaceKind
from operative_app.surfaces.blackening import blackened
from operative_app.surfaces.browser.border import NoAnswer, PageCrashed, Unreadable
from operative_app.surfaces.browser.building import Raw, page_fields, state_of
from operative_app.surfaces.browser.downloads import Downloads
from operative_app.surfaces.browser.numbering import Numbering
from operative_app.surfaces.browser.reading import read_page
from operative_app.surfaces.browser.screencast import QUALITY, Screencast, picture_of
from operative_app.surfaces.browser.tab import Tab
from operative_app.surfaces.browser.tabs import Tabs
from operative_app.surfaces.browser.veil import Veil, Veils

PICTURE_DEADLINE_S = 3.0
TRIES = 3
"""How often a picture is taken again while what is to be blacked out moves."""
_CONCEALED = frozenset({"password", "secret"})
"""The states of fields that are black in pictures."""
GLANCE_DEADLINE_S = 1.0


@dataclass(frozen=True, slots=True)
class _Proof:
    """What must be the same for the last observation to be taken for true again."""

    tab: Tab
    world: str
    token: str
    glimpse: int
    has_picture: bool
    concealed: int


class Observer:
    """Counts observations and remembers the last one (agent thread)."""

    def __init__(self, tabs: Tabs, downloads: Downloads, screencast: Screencast, veils: Veils) -> None:
        self._tabs = tabs
        self._veils = veils
        self._screencast = screencast
        self._proof: _Proof | None = None
        self._downloads = downloads
        self._numbering: dict[int, Numbering] = {}
        self._pictured = 0
        self._last = Observation(state=ScreenState(observation=0, surface=SurfaceKind.BROWSER))

    @property
    def last(self) -> ScreenState:
        return self._last.state

    async def observe(
        self, tab: Tab, dialogs: tuple[PendingDialog, ...], *, with_picture: bool, asked_by: str
    ) -> Observation:
        """See the tab. While a dialog waits, or after a crash, the state says so instead.

        Args:
            asked_by: Key of the control pressed last, for a page that asks for a file through an input of no place.
        """
        if dialogs:
            self._proof = None
            return self.with_dialog(dialogs)
        await self._tabs.refresh_titles()
        if await self._is_unchanged(tab, with_picture=with_picture):
            return self._again()
        self._proof = None
        glimpse = self._screencast.glimpse(tab)
        try:
            raw, picture = await self._look(tab, with_picture=with_picture)
        except PageCrashed as crashed:
            return self._without_page(tab, str(crashed), has_crashed=True)
        except Unreadable as error:
            return self._without_page(tab, str(error))
        except NoAnswer:
            return self._without_page(tab, "the page does not answer, so nothing could be read")
        tab.title = raw["title"]
        chooser = await self._chooser_key(tab, raw, asked_by)
        numbering = self._numbering.setdefault(tab.id, Numbering())
        numbering.apply(tab.top.tag if tab.top else "", raw["elements"])
        if turned_away := self._tabs.turned_away:
            self._tabs.turned_away = 0
            raw["left_out"].append(f"{turned_away} more windows that pages opened were closed at once")
        state = state_of(
            page_fields(raw)
            | {
                "observation": self.last.observation + 1,
                "surface": SurfaceKind.BROWSER,
                "tabs": self._tabs.values(),
                "downloads": self._downloads.files,
                "file_chooser": chooser,
                "pixel_ratio": picture.width_px / raw["width"] if picture and raw["width"] else float(raw["ratio"]),
                "observed_at_s": time.time(),
            }
        )
        self._last = Observation(state=state, picture=picture)
        self._pictured = self._veils.version
        is_plain = not chooser and not turned_away and not any(element.is_restless for element in state.elements)
        if raw["token"] and glimpse is not None and is_plain:
            self._proof = _Proof(
                tab, raw["world"], raw["token"], glimpse,
                has_picture=picture is not None, concealed=self._veils.version,
            )  # fmt: skip
        return self._last

    async def _is_unchanged(self, tab: Tab, *, with_picture: bool) -> bool:
        """Whether looking again would tell the same: nothing visible changed, nor anything the page knows of itself."""
        proof = self._proof
        if proof is None or proof.tab is not tab or (with_picture and not proof.has_picture) or tab.chooser is not None:
            return False
        if proof.concealed != self._veils.version:  # the picture may show what is secret since
            return False
        if self._tabs.turned_away or tab.top is None or not tab.top.context_id or tab.top.tag != proof.world:
            return False
        if self._screencast.glimpse(tab) != proof.glimpse:
            return False
        try:
            token = await tab.run(tab.top, "glance", deadline_s=GLANCE_DEADLINE_S)
        except PageCrashed:  # told by the look that follows
            return False
        except (SurfaceError, NoAnswer, Error):
            tab.border.check()
            return False
        return bool(token == proof.token and self._screencast.glimpse(tab) == proof.glimpse)

    def _again(self) -> Observation:
        """What was seen last, as a new observation in which nothing is new."""
        last = self._last.state
        elements = last.elements
        if any(element.is_new for element in elements):
            elements = tuple(one.model_copy(update={"is_new": False}) if one.is_new else one for one in elements)
        fields = {name: getattr(last, name) for name in ScreenState.model_fields}
        state = state_of(
            fields
            | {
                "observation": last.observation + 1,
                "elements": elements,
                "tabs": self._tabs.values(),
                "downloads": self._downloads.files,
                "observed_at_s": time.time(),
            }
        )
        self._last = Observation(state=state, picture=self._last.picture)
        return self._last

    def forget(self) -> None:
        """What was seen last is told to nobody, also not behind a dialog."""
        self._proof = None
        self._last = Observation(state=ScreenState(observation=self.last.observation, surface=SurfaceKind.BROWSER))

    async def peek(self, tab: Tab) -> ScreenState:
        """Read without a picture and without counting, to find an element again."""
        raw = await read_page(tab)
        return state_of(page_fields(raw) | {"observation": 0, "surface": SurfaceKind.BROWSER})

    async def _look(self, tab: Tab, *, with_picture: bool) -> tuple[Raw, Picture | None]:
        if not with_picture:
            return await read_page(tab), None
        picture = asyncio.ensure_future(self._picture(tab))
        try:
            raw = await read_page(tab, after_frame=True)
            return raw, await self._blackened(tab, raw, await picture)
        finally:
            if not picture.done():
                picture.cancel()
                tab.border.keep(picture)

    async def _blackened(self, tab: Tab, raw: Raw, picture: Picture | None) -> Picture | None:
        """The picture without what must not be seen; taken again while that moves. None when it goes on moving."""
        fields = [Box.model_validate(one["box"]) for one in raw["elements"] if _CONCEALED & set(one["states"])]
        concealed = self._veils.version
        if picture is None or not (fields or concealed):
            return picture
        veil = await self._veils.over(tab)
        before: Veil | None = None
        for _ in range(TRIES if concealed else 0):
            if veil is None or veil == before:
                break
            before = veil
            picture = await self._picture(tab)
            veil = await self._veils.over(tab)
        is_moving = before is not None and veil != before
        if picture is None or veil is None or is_moving or concealed != self._veils.version:
            raw["left_out"].append("no picture was taken, since it might have shown what is secret")
            return None
        return blackened(
            picture, (*fields, *veil.boxes), x_px=0, y_px=0, ratio=picture.width_px / (veil.width_css_px or 1)
        )

    async def _picture(self, tab: Tab) -> Picture | None:
        """A picture of now. The last live frame would cost less, but may show the page as it was before the act."""
        self._screencast.expect_repeat()
        try:
            shot = await tab.send(
                "Page.captureScreenshot",
                {"format": "jpeg", "quality": QUALITY, "optimizeForSpeed": True},
                deadline_s=PICTURE_DEADLINE_S,
            )
        except (ActionError, Error):
            tab.border.check()
            return None
        return picture_of(base64.b64decode(shot["data"]))

    async def _chooser_key(self, tab: Tab, raw: Raw, asked_by: str) -> str:
        """The key of the input for which the page asks for a file."""
        chooser = tab.chooser
        if chooser is None:
            return ""
        world = next((one for one in tab.worlds() if one.session is chooser.session), None)
        if world is None:
            return ""
        known = {element["key"] for element in raw["elements"]}
        try:
            resolved = await tab.send_to(
                world,
                "DOM.resolveNode",
                {"backendNodeId": chooser.backend_node_id, "executionContextId": world.context_id},
            )
            reply = await tab.send_to(
                world,
                "Runtime.callFunctionOn",
                {
                    "objectId": resolved["object"]["objectId"],
                    "functionDeclaration": f"function() {{ return globalThis[{tab.door!r}]('idOf', [this]); }}",
                    "returnByValue": True,
                },
            )
            key = f"{world.tag}n{reply['result']['value']}"
        except (ActionError, Error, KeyError):
            tab.border.check()
            key = ""
        if key in known:
            return key
        return (
            asked_by
            if asked_by in known
            else next((one["key"] for one in raw["elements"] if one["role"] == "file"), asked_by)
        )

    def with_dialog(self, dialogs: tuple[PendingDialog, ...]) -> Observation:
        """What was seen last, with the dialog that waits: nothing can be read behind it."""
        fresh: dict[str, Any] = {
            "dialogs": dialogs,
            "observation": self.last.observation + 1,
            "tabs": self._tabs.values(),
            "downloads": self._downloads.files,
            "observed_at_s": time.time(),
        }
        state = self.last.model_copy(update=fresh)
        is_fit = self._pictured == self._veils.version  # otherwise it may show what is secret since
        self._last = Observation(state=state, picture=self._last.picture if is_fit else None)
        return self._last

    def _without_page(self, tab: Tab, sentence: str, *, has_crashed: bool = False) -> Observation:
        state = ScreenState.model_validate(
            {
                "observation": self.last.observation + 1,
                "surface": SurfaceKind.BROWSER,
                "url": tab.page.url,
                "title": tab.title,
                "tabs": self._tabs.values(),
                "downloads": self._downloads.files,
                "has_crashed": has_crashed,
                "left_out": (sentence,),
                "observed_at_s": time.time(),
            }
        )
        self._last = Observation(state=state)
        return self._last
