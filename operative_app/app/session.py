"""What one process of the application consists of: the record, the planner, browsers, addresses and the agent."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from operative_app.actions.registry import Registry
from operative_app.app.addresses import AddressBook
from operative_app.app.browser_provider import BrowserProvider
from operative_app.app.desktop_provider import DesktopProvider
from operative_app.app.logs import keep_out_of_logs
from operative_app.app.planners import ModelChoice, Planners
from operative_app.app.policy import run_policy
from operative_app.app.surface_provider import Surfaces
from operative_app.core.errors import SettingsError
from operative_app.core.ports import FrameListener
from operative_app.engine.agent import Agent
from operative_app.engine.limits import Limits
from operative_app.engine.run import Parts, RunPolicy
from operative_app.guard.chords import parse_chord
from operative_app.store.folders import Folders, app_folders
from operative_app.store.runs import RunStore
from operative_app.store.secret_book import SecretStore
from operative_app.store.secrets import KeySafe
from operative_app.store.settings import DEFAULT_HOTKEY, LoadedSettings, ModelSettings, Settings, load_settings


@dataclass(frozen=True, slots=True)
class Session:
    """Everything wired together. `close` ends it all; idempotent and bounded.

    Attributes:
        policy: What narrows a run that begins now, read anew. Any thread.
        notices: Sentences for the person about what was found damaged or missing at the start.
    """

    folders: Folders
    settings: Settings
    store: RunStore
    addresses: AddressBook
    agent: Agent
    notices: tuple[str, ...]
    policy: Callable[[], RunPolicy]
    planners: Planners
    keys: KeySafe
    surfaces: Surfaces
    secrets: SecretStore
    _end_log_guard: Callable[[], None]

    def load_soon(self) -> None:
        """Load what a run needs and the window does not, on a thread of its own that ends with it.

        Left to the first run, reading these large modules would hold up the window in the middle of it.
        """
        threading.Thread(target=self._load, name="operative-loading", daemon=True).start()

    def _load(self) -> None:
        self.planners.load()
        importlib.import_module("operative_app.surfaces.browser.surface")

    def plan_with(self, model: ModelSettings) -> None:
        """Plan the next run with this model, or with the built-in planner when none is set. Any thread."""
        if not model.is_configured:
            self.planners.choose(None)
            return
        self.planners.choose(
            ModelChoice(
                model.endpoint,
                lambda: self.keys.key(model.base_url, model.key_source, model.key_variable),
                model.summary_model,
                model.ways,
            )
        )

    def close(self) -> bool:
        """Stop the run, close browsers, the practice site and the record. False when the agent did not end in time."""
        has_ended = self.agent.close()
        self.addresses.close()
        self.store.close()
        self._end_log_guard()
        return has_ended


def open_session(*, keep_browser: bool, on_frame: FrameListener | None = None, limits: Limits | None = None) -> Session:
    """Build a session; the agent's thread is not started yet.

    Args:
        keep_browser: Keep the managed browser between runs.

    Raises:
        StoreError: The record cannot be opened, or a folder cannot be made.
    """
    folders = app_folders().create()
    loaded = _with_sound_hotkey(load_settings(folders.config))
    policy = partial(run_policy, folders.config)
    store = RunStore(folders.data)
    addresses = AddressBook()
    browser = BrowserProvider(
        profile_dir=folders.profile,
        downloads_dir=folders.downloads,
        keep_open=keep_browser,
        on_frame=on_frame,
        sites=lambda: policy().sites,
    )
    stop_keys = parse_chord(loaded.settings.hotkey).key_names
    provider = Surfaces(browser, DesktopProvider(on_frame, stop_keys=stop_keys))
    secrets = SecretStore(folders.config)
    registry = Registry()
    planners = Planners(registry, folders)
    parts = Parts(
        planner=planners,
        provider=provider,
        registry=registry,
        resolve=addresses.resolve,
        limits=limits or Limits(),
        secrets=secrets,
        own_folders=(str(folders.downloads),),
        policy=policy,
    )

    async def shut_down() -> None:
        await planners.close()
        await provider.close()

    agent = Agent(parts, store, shut_down=shut_down)
    notices = tuple(text for text in (*store.notices, loaded.notice, policy().fault) if text)
    session = Session(
        folders, loaded.settings, store, addresses, agent, notices, policy, planners, KeySafe(), provider,
        secrets, _end_log_guard=keep_out_of_logs(agent.concealer.text),
    )  # fmt: skip
    session.plan_with(loaded.settings.planning_model)
    return session


def _with_sound_hotkey(loaded: LoadedSettings) -> LoadedSettings:
    """A hotkey that is none must not keep the program from starting, nor leave a person without one."""
    try:
        parse_chord(loaded.settings.hotkey)
    except SettingsError as error:
        notice = (
            f"{loaded.notice} The stop key in the settings cannot be used: {error} {DEFAULT_HOTKEY} is used.".strip()
        )
        return LoadedSettings(loaded.settings.model_copy(update={"hotkey": DEFAULT_HOTKEY}), notice, loaded.fault)
    return loaded
