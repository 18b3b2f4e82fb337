#!/usr/bin/env python3
"""Prints the notes of a release: the section of a version in `CHANGELOG.md`.

    python3 packaging/notes.py [VERSION]      default: the version of the workspace

Fails if the section is missing or empty, or if VERSION, for example `v1.2.3`, is not that of the workspace.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def section(changelog: str, version: str) -> str:
    """Text below the heading `## VERSION`, which may end with a date."""
    heading = rf"^## \[?v?{re.escape(version)}\]?(?:[ ,(–-][^\n]*)?$"
    found = re.search(rf"(?ms){heading}\n(.*?)(?=^## |\Z)", changelog)
    return found.group(1).strip() if found else ""


def main() -> None:
    with open(ROOT / "Cargo.toml", "rb") as file:
        version = tomllib.load(file)["workspace"]["package"]["version"]
    wanted = sys.argv[1].removeprefix("v") if len(sys.argv) > 1 else version
    if wanted != version:
        sys.exit(f"error: {wanted} is not the version of Cargo.toml, {version}")
    notes = section((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not notes:
        sys.exit(f"error: CHANGELOG.md has no section `## {version}`")
    print(notes)


if __name__ == "__main__":
    main()
