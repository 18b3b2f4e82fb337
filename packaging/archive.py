#!/usr/bin/env python3
"""Makes the archive of a program for one target: the same bytes from the same input, on every system.

    python3 packaging/archive.py TARGET PROGRAM OUT [--extras DIR]

OUT gets `lorehound-VERSION-TARGET.tar.gz`, or `.zip` for Windows, with one folder of the same name: the program, the
README, the changelog, the licences, `man/` and `completions/`. The program itself writes the last two, so PROGRAM must
run on this machine; for the program of another system, `--extras` names a folder that already contains both.
Times come from `SOURCE_DATE_EPOCH`, or else from the last commit.
"""

import argparse
import gzip
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]
EXTRAS = ["man", "completions"]


def version() -> str:
    with open(ROOT / "Cargo.toml", "rb") as file:
        return tomllib.load(file)["workspace"]["package"]["version"]


def epoch() -> int:
    """Seconds since 1970 of the last commit, unless the environment states them."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    log = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return int(subprocess.run(log, check=True, capture_output=True, text=True).stdout)


def make_extras(program: Path, folder: Path) -> None:
    """Writes the man pages and completions with the program."""
    for kind in EXTRAS:
        subprocess.run([program, "generate", kind, "--out", folder / kind], check=True)


def contents(target: str, program: Path, extras: Path) -> list[tuple[str, bytes, int]]:
    """Path, bytes and mode of each file, sorted by path."""
    files = [("lore.exe" if "windows" in target else "lore", program.read_bytes(), 0o755)]
    files += [(name, (ROOT / name).read_bytes(), 0o644) for name in TEXTS]
    for kind in EXTRAS:
        found = sorted(path for path in (extras / kind).rglob("*") if path.is_file())
        if not found:
            sys.exit(f"error: {extras / kind} contains no file")
        files += [(path.relative_to(extras).as_posix(), path.read_bytes(), 0o644) for path in found]
    return sorted(files)


def write_tar(path: Path, folder: str, files: list[tuple[str, bytes, int]], when: int) -> None:
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, data, mode in files:
                entry = tarfile.TarInfo(f"{folder}/{name}")
                entry.size, entry.mode, entry.mtime = len(data), mode, when
                tar.addfile(entry, io.BytesIO(data))


def write_zip(path: Path, folder: str, files: list[tuple[str, bytes, int]], when: int) -> None:
    # The format of zip starts in 1980.
    date = max(time.gmtime(when)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(f"{folder}/{name}", date)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data, compresslevel=9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target")
    parser.add_argument("program", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--extras", type=Path, help="folder with `man` and `completions`")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        extras = arguments.extras or Path(made)
        if not arguments.extras:
            make_extras(arguments.program.resolve(), extras)
        files = contents(arguments.target, arguments.program, extras)
    folder = f"lorehound-{version()}-{arguments.target}"
    is_zip = "windows" in arguments.target
    path = arguments.out / (folder + (".zip" if is_zip else ".tar.gz"))
    (write_zip if is_zip else write_tar)(path, folder, files, epoch())
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
