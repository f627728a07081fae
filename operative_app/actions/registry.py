"""The set of declared actions, and reading a call from outside.

The registry is a value made by the composition root; there is no global one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from operative_app.actions import browser, composite, finding, keyboard, mouse, system
from operative_app.actions.declare import Action
from operative_app.core.errors import ActionError
from operative_app.core.screen import SurfaceKind

ALL_ACTIONS: tuple[type[Action], ...] = (
    mouse.Click,
    mouse.DoubleClick,
    mouse.RightClick,
    mouse.Drag,
    mouse.Scroll,
    mouse.Hover,
    mouse.ClickElement,
    mouse.DragElement,
    mouse.SelectText,
    mouse.TripleClick,
    mouse.MouseDown,
    mouse.MouseUp,
    keyboard.TypeText,
    keyboard.PressKey,
    keyboard.Hotkey,
    keyboard.KeyDown,
    keyboard.KeyUp,
    keyboard.SelectAll,
    keyboard.Copy,
    keyboard.Paste,
    keyboard.Cut,
    keyboard.Undo,
    browser.Navigate,
    browser.Fill,
    browser.SelectOption,
    browser.WaitFor,
    browser.ExecuteJs,
    browser.ScreenshotElement,
    browser.GetText,
    browser.GetAttribute,
    browser.NewTab,
    browser.CloseTab,
    browser.SwitchTab,
    browser.GoBack,
    system.OpenApp,
    system.CloseApp,
    system.SwitchApp,
    system.TakeScreenshot,
    system.ReadClipboard,
    system.WriteClipboard,
    system.RunCommand,
    system.FileDialog,
    composite.SearchAndClick,
    composite.FillForm,
    composite.Login,
    composite.DownloadFile,
    finding.ScrollToFind,
)
"""The 47 of action_space.txt, in its order: 12 mouse, 10 keyboard, 12 browser, 8 system, 5 composite."""


class Registry:
    """Action classes by name."""

    def __init__(self, actions: Iterable[type[Action]] = ALL_ACTIONS) -> None:
        self._by_name: dict[str, type[Action]] = {}
        for cls in actions:
            if cls.spec.name in self._by_name:
                raise ValueError(f"two actions are named {cls.spec.name!r}")
            self._by_name[cls.spec.name] = cls

    def __iter__(self) -> Iterator[type[Action]]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, cls: type[Action]) -> bool:
        return self._by_name.get(cls.spec.name) is cls

    def on(self, surface: SurfaceKind) -> tuple[type[Action], ...]:
        """The actions a surface offers."""
        return tuple(cls for cls in self if surface in cls.spec.surfaces)

    def read(self, name: str, parameters: Mapping[str, Any]) -> Action:
        """An action call from its name and parameters.

        Raises:
            ActionError: Unknown name, or wrong parameters; one short sentence naming them.
        """
        cls = self._by_name.get(name)
        if cls is None:
            raise ActionError(f"there is no action “{name}”; known are {', '.join(self._by_name)}")
        try:
            return cls.model_validate(dict(parameters))
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, fault['loc'])) or 'parameters'}: {fault['msg'].lower()}"
                for fault in error.errors()
            )
            raise ActionError(f"{name} cannot be used like that: {' '.join(faults.split())}") from error

    def schema(self, name: str) -> dict[str, Any]:
        """JSON schema of an action's parameters, with its summary as description."""
        cls = self._by_name[name]
        return cls.model_json_schema() | {"title": name, "description": cls.spec.summary}
