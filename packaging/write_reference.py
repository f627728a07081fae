"""Writes operative_app/actions/REFERENCE.md from the declarations; `--check` only tells whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from operative_app.actions.reference import reference, reference_page  # noqa: E402 - found from a checkout
from operative_app.actions.registry import ALL_ACTIONS  # noqa: E402

PAGE = ROOT / "operative_app" / "actions" / "REFERENCE.md"


def main(arguments: list[str]) -> int:
    page = reference_page(reference(ALL_ACTIONS))
    if "--check" not in arguments:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page:
        return 0
    print(f"{PAGE.relative_to(ROOT)} is not current; packaging/write-reference renews it.")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
