#!/usr/bin/env python3
"""Makes the files for Homebrew, Scoop and winget from the templates beside this script. Uses no network.

    python3 packaging/manifests.py SHA256SUMS OUT

OUT gets `lorehound.rb`, `lorehound.json` and the three files of `winget/`. Version and repository are those of
`Cargo.toml`, the date is that of the last commit (or of `SOURCE_DATE_EPOCH`), and the checksums are those of the
archives in SHA256SUMS. A template contains:

    @version@  @repository@  @date@
    @url TARGET@      address of the target's archive in the release
    @sha256 TARGET@   its checksum; @SHA256 TARGET@ in upper case
"""

import re
import sys
import time
import tomllib
from pathlib import Path

from archive import ROOT, epoch

FOLDER = Path(__file__).resolve().parent
TEMPLATES = [
    ("homebrew/lorehound.rb", "lorehound.rb"),
    ("scoop/lorehound.json", "lorehound.json"),
    ("winget/Lorehound.Lorehound.yaml", "winget/Lorehound.Lorehound.yaml"),
    ("winget/Lorehound.Lorehound.installer.yaml", "winget/Lorehound.Lorehound.installer.yaml"),
    ("winget/Lorehound.Lorehound.locale.en-US.yaml", "winget/Lorehound.Lorehound.locale.en-US.yaml"),
]
HOLE = re.compile(r"@(version|repository|date|url|sha256|SHA256)(?: ([a-z0-9_-]+))?@")
NOTICE = "# A template: `packaging/manifests.py` fills in the words between `@`.\n"


def read_sums(text: str) -> dict[str, str]:
    """Checksum of each file of a `SHA256SUMS`."""
    sums = {}
    for line in text.splitlines():
        found = re.fullmatch(r"([0-9a-f]{64}) [ *](\S+)", line)
        if not found:
            sys.exit(f"error: not a line of SHA256SUMS: `{line}`")
        sums[found[2]] = found[1]
    return sums


def fill(template: str, package: dict[str, str], sums: dict[str, str], date: str) -> str:
    """Replaces the holes of a template."""
    version, repository = package["version"], package["repository"]

    def value(hole: re.Match[str]) -> str:
        kind, target = hole[1], hole[2]
        if kind in ("version", "repository", "date"):
            return {"version": version, "repository": repository, "date": date}[kind]
        name = f"lorehound-{version}-{target}" + (".zip" if "windows" in target else ".tar.gz")
        if name not in sums:
            sys.exit(f"error: SHA256SUMS does not contain {name}")
        if kind == "url":
            return f"{repository}/releases/download/v{version}/{name}"
        return sums[name].upper() if kind == "SHA256" else sums[name]

    return HOLE.sub(value, template.removeprefix(NOTICE))


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: python3 packaging/manifests.py SHA256SUMS OUT")
    sums, out = read_sums(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    with open(ROOT / "Cargo.toml", "rb") as file:
        package = tomllib.load(file)["workspace"]["package"]
    date = time.strftime("%Y-%m-%d", time.gmtime(epoch()))
    for template, name in TEMPLATES:
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (FOLDER / template).read_text(encoding="utf-8")
        path.write_text(fill(text, package, sums, date), encoding="utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main()
