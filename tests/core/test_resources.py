from __future__ import annotations

from pathlib import Path

import pytest

from operative_app.core import resources
from operative_app.core.resources import ResourceMissingError, resource_path


def test_a_checkout_keeps_resources_beside_the_package() -> None:
    assert resource_path("practice_site", "templates", "base.html").is_file()
    assert resource_path().is_dir()


def test_a_wheel_keeps_resources_inside_the_package_and_that_copy_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, beside = tmp_path / "operative_app" / "resources", tmp_path / "resources"
    for folder in (inside, beside):
        folder.mkdir(parents=True)
        (folder / "both.txt").write_text("here")
    (beside / "outer.txt").write_text("here")
    monkeypatch.setattr(resources, "_ROOTS", (inside, beside))
    assert resource_path("both.txt") == inside / "both.txt"
    assert resource_path("outer.txt") == beside / "outer.txt"


def test_a_missing_resource_is_named_with_the_places_looked_in() -> None:
    with pytest.raises(ResourceMissingError, match=r"no_such.*folder.*missing; looked in .*resources and .*resources"):
        resource_path("no_such", "folder")
    assert issubclass(ResourceMissingError, FileNotFoundError)
