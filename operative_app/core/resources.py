"""Where the files that ship with the program are: pages, icons, scripts.

A checkout keeps them in `resources` beside the package, a wheel (and a frozen application, which copies the package as
it is) inside the package as `operative_app/resources`. The copy inside the package wins, so an installed program never
picks up a folder that happens to lie beside it.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE_DIR = Path(__file__).resolve().parents[1]
_ROOTS = (_PACKAGE_DIR / "resources", _PACKAGE_DIR.parent / "resources")


class ResourceMissingError(FileNotFoundError):
    """A file or folder that must ship with the program is not there."""

    def __init__(self, relative: Path, looked_in: tuple[Path, ...]) -> None:
        """Say what was wanted and in which folders it was looked for."""
        places = " and ".join(str(folder) for folder in looked_in)
        super().__init__(f"The resource “{relative}” is missing; looked in {places}. Reinstall the program.")
        self.relative = relative


def resource_path(*parts: str) -> Path:
    """Find a shipped file or folder.

    Args:
        parts: The path below the resource folder, one part per folder; none gives the folder itself. They are names
            from the program's own code and are never taken from outside.

    Returns:
        An absolute path that existed a moment ago.

    Raises:
        ResourceMissingError: It is in none of the known places (this is a `FileNotFoundError`).
    """
    relative = Path(*parts)
    for root in _ROOTS:
        found = root / relative
        if found.exists():
            return found
    raise ResourceMissingError(relative, _ROOTS)
