"""Connects models for the window: finds them, tries them, keeps settings and keys, and tells the session."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from operative_app.core.endpoint import Endpoint, KeySource
from operative_app.core.errors import ModelError, OperativeError
from operative_app.presentation.models import ConnectionCheck, ModelForm, Service
from operative_app.store.abilities import AbilityStore
from operative_app.store.settings import ModelSettings, Settings, load_settings, save_settings

if TYPE_CHECKING:
    from operative_app.app.session import Session

_T = TypeVar("_T")


class ModelAssistant:
    """A `presentation.models.ModelDesk` over a session. Worker threads, one call at a time; `cancel` on any."""

    def __init__(self, session: Session, on_changed: Callable[[str, Settings], None]) -> None:
        """`on_changed` gets the planner's name and the settings after each change, on the calling thread."""
        self._session = session
        self._on_changed = on_changed
        self._lock = threading.Lock()
        self._under_way: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None

    def current(self) -> ModelForm:
        settings = self._settings()
        return ModelForm(settings.model, settings.budget, max_steps=settings.max_steps)

    def services(self) -> Sequence[Service]:
        from operative_app.llm.local_servers import find_local_servers
        from operative_app.llm.presets import PRESETS

        found = self._run(find_local_servers())
        running = [Service(one.name, one.base_url, models=one.models, is_running=True) for one in found]
        known = {one.base_url for one in running}
        presets = [Service(one.name, one.base_url, one.key_variable) for one in PRESETS if one.base_url not in known]
        return (*running, *presets)

    def model_names(self, form: ModelForm) -> Sequence[str]:
        from operative_app.llm.faults import FaultError, error_of
        from operative_app.llm.find_out import model_names
        from operative_app.llm.transport import Transport
        from operative_app.llm.waiting import Patience

        endpoint, key = self._endpoint(form), self._key(form)

        async def listed() -> list[str]:
            transport = Transport(endpoint, key, Patience())
            try:
                return await model_names(transport)
            except FaultError as error:
                raise error_of(error.fault, endpoint, key) from error
            finally:
                await transport.close()

        return self._run(listed())

    def keyring_trouble(self) -> str:
        trouble = self._session.keys.trouble()
        return "" if trouble is None else str(trouble)

    def test(self, form: ModelForm, on_check: Callable[[ConnectionCheck], None]) -> None:
        from operative_app.llm.connection import try_connection

        trial = try_connection(
            self._endpoint(form),
            self._key(form),
            memory=AbilityStore(self._session.folders.data),
            on_check=lambda check: on_check(ConnectionCheck(check.works, check.sentence)),
        )
        self._run(trial)

    def cancel(self) -> None:
        with self._lock:
            if self._under_way is None:
                return
            loop, task = self._under_way
        with contextlib.suppress(RuntimeError):  # it has just ended
            loop.call_soon_threadsafe(task.cancel)

    def save(self, form: ModelForm) -> None:
        model = form.model.model_copy(update={"base_url": self._endpoint(form).base_url})
        if form.key and model.key_source is KeySource.KEYRING:
            self._session.keys.save(model.base_url, form.key)
        elif form.key and model.key_source is KeySource.SESSION:
            self._session.keys.keep_until_closed(model.base_url, form.key)
        self._session.keys.key(model.base_url, model.key_source, model.key_variable)  # a missing one is told now
        old = self._settings()
        chosen = {"model": model, "budget": form.budget, "max_steps": form.max_steps, "use_model": True}
        self._keep(old.model_copy(update=chosen))
        if old.model.key_source is KeySource.KEYRING and model.key_source is not KeySource.KEYRING:
            self._session.keys.leave_keyring(old.model.base_url)

    def prices(self) -> str:
        from operative_app.llm.prices import own_copy
        from operative_app.store.files import make_private_folder

        make_private_folder(self._session.folders.config)
        return str(own_copy(self._session.folders.config))

    def use_builtin(self) -> None:
        self._keep(self._settings().model_copy(update={"use_model": False}))

    def _keep(self, settings: Settings) -> None:
        save_settings(self._session.folders.config, settings)
        self._session.plan_with(settings.planning_model)
        self._on_changed(self._session.planners.name, settings)

    def _settings(self) -> Settings:
        return load_settings(self._session.folders.config).settings

    def _endpoint(self, form: ModelForm) -> Endpoint:
        from operative_app.llm.presets import checked_base_url

        return form.model.endpoint.model_copy(update={"base_url": checked_base_url(form.model.base_url)})

    def _key(self, form: ModelForm) -> str:
        if form.key:
            return form.key
        model: ModelSettings = form.model
        return self._session.keys.key(self._endpoint(form).base_url, model.key_source, model.key_variable)

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine to its end on this thread, open to `cancel`."""

        async def watched() -> _T:
            task = asyncio.ensure_future(work)
            with self._lock:
                self._under_way = (asyncio.get_running_loop(), task)
            try:
                return await task
            finally:
                with self._lock:
                    self._under_way = None

        try:
            return asyncio.run(watched())
        except asyncio.CancelledError as error:
            raise ModelError("It was not tried to the end.") from error
        except OSError as error:
            raise OperativeError(f"It could not be tried: {error.strerror or error}.") from error
