#!/usr/bin/env python3
"""Makes a wheel from a program: the same bytes from the same input, on every system.

    python3 packaging/pypi/wheel.py TARGET PROGRAM OUT [--level 9]

The wheel contains the program `lore` as a script, and the module `lorehound`, which starts it. All packages of a release
contain the same program, so its checksum can be compared; a build by maturin would compile another one. Names and texts
come from `pyproject.toml`, the version and the address from `Cargo.toml`, and times from `SOURCE_DATE_EPOCH`. Prints the
path of the wheel. Needs Python 3.11.
"""

import argparse
import base64
import hashlib
import sys
import time
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

from archive import epoch  # noqa: E402

# The systems that the program of a target runs on, as tags of wheels: PEP 600 for glibc, PEP 656 for musl.
TAGS = {
    "x86_64-unknown-linux-gnu": ["manylinux_2_17_x86_64", "manylinux2014_x86_64"],
    "aarch64-unknown-linux-gnu": ["manylinux_2_17_aarch64", "manylinux2014_aarch64"],
    "x86_64-unknown-linux-musl": ["musllinux_1_1_x86_64"],
    "aarch64-unknown-linux-musl": ["musllinux_1_1_aarch64"],
    "x86_64-apple-darwin": ["macosx_11_0_x86_64"],
    "aarch64-apple-darwin": ["macosx_11_0_arm64"],
    "x86_64-pc-windows-msvc": ["win_amd64"],
    "aarch64-pc-windows-msvc": ["win_arm64"],
}


def metadata(project: dict, package: dict) -> str:
    """The fields of version 2.4 of the core metadata, and the description."""
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", project["name"]),
        ("Version", package["version"]),
        ("Summary", project["description"]),
        ("Keywords", ",".join(project["keywords"])),
        ("License-Expression", project["license"]),
        ("License-File", "LICENSE-APACHE"),
        ("License-File", "LICENSE-MIT"),
        ("Requires-Python", project["requires-python"]),
        ("Project-URL", f"Source, {package['repository']}"),
        *(("Classifier", classifier) for classifier in project["classifiers"]),
        ("Description-Content-Type", "text/markdown"),
    ]
    return "".join(f"{name}: {value}\n" for name, value in fields) + "\n" + (HERE / project["readme"]).read_text()


def contents(target: str, program: Path) -> tuple[str, list[tuple[str, bytes, int]]]:
    """The name of the wheel, and the path, bytes and mode of each file."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    package = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    tags = TAGS[target]
    stem = f"{project['name']}-{package['version']}"
    info = f"{stem}.dist-info"
    tag_lines = "".join(f"Tag: py3-none-{tag}\n" for tag in tags)
    scripts = "".join(f"{name} = {function}\n" for name, function in project["scripts"].items())
    texts = {
        "lorehound/__init__.py": (HERE / "lorehound/__init__.py").read_text(),
        "lorehound/__main__.py": (HERE / "lorehound/__main__.py").read_text(),
        f"{info}/METADATA": metadata(project, package),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: lorehound\nRoot-Is-Purelib: false\n{tag_lines}",
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}",
        f"{info}/licenses/LICENSE-APACHE": (ROOT / "LICENSE-APACHE").read_text(),
        f"{info}/licenses/LICENSE-MIT": (ROOT / "LICENSE-MIT").read_text(),
    }
    files = [(path, text.encode(), 0o644) for path, text in texts.items()]
    script = "lore.exe" if "windows" in target else "lore"
    files.append((f"{stem}.data/scripts/{script}", program.read_bytes(), 0o755))
    files.sort()
    rows = [f"{path},sha256={digest(content)},{len(content)}\n" for path, content, _ in files]
    record = f"{info}/RECORD"
    files.append((record, "".join([*rows, f"{record},,\n"]).encode(), 0o644))
    return f"{stem}-py3-none-{'.'.join(tags)}.whl", files


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=TAGS)
    parser.add_argument("program", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--level", type=int, default=9, help="of compression, 1 to 9")
    options = parser.parse_args()
    if not options.program.is_file():
        sys.exit(f"error: there is no program `{options.program}`")
    name, files = contents(options.target, options.program)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / name
    # The earliest time of a zip archive is in 1980.
    when = max(time.gmtime(epoch())[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=options.level) as archive:
        for inner, content, mode in files:
            entry = zipfile.ZipInfo(inner, when)
            entry.create_system = 3  # modes of Unix, on every system
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, options.level)
    print(path)


if __name__ == "__main__":
    main()
