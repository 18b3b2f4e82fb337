#!/usr/bin/env python3
"""Reports the origin of the bytes of a program, and its size when compressed.

    RUSTFLAGS=-Clink-arg=-Wl,-Map=/tmp/lore.map cargo build --profile dist --locked --config 'profile.dist.strip="none"'
    python3 packaging/size.py target/dist/lore --map /tmp/lore.map

Without a map, for a stripped program, only the totals are printed. `--max-mb` and `--max-gzip-mb` set
maximums; the exit code is 1 if one of them is exceeded. MB are millions of bytes. The compressed size is
that of gzip at level 9, the method of npm packages and wheels.
"""

import argparse
import collections
import gzip
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# A section of an object file in a map of lld: addresses, size, alignment, file and section.
# Those at address 0, such as debug information, are not loaded.
MAP_LINE = re.compile(r"^\s*(?!0\s)[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+\s{9}(\S.*?):\((\S*?)\)$")
ARCHIVE = re.compile(r"lib([a-zA-Z0-9_]+?)-[0-9a-f]{16}\.rlib")
# The path of a Rust symbol starts with its crate, after brackets and keywords of implementations.
CRATE = re.compile(r"^[<&*\[(]*(?:(?:mut|dyn|const|unsafe|fn) )*[<&*\[(]*([a-z_][a-z0-9_]*)(?:\[[0-9a-f]+\])?::")


def parts_of_map(path):
    """Bytes of each archive that is not part of the optimised Rust code, by its name."""
    sizes = collections.Counter()
    for line in path.read_text(errors="replace").splitlines():
        match = MAP_LINE.match(line)
        archive = match and ARCHIVE.search(match[2])
        if archive and ".bss" not in match[3]:
            sizes[archive[1]] += int(match[1], 16)
    return sizes


def parts_of_symbols(program):
    """Bytes of the Rust functions and constants of each crate. Generic code counts for the crate that
    defines it."""
    command = ["nm", "--demangle", "--print-size", "--defined-only", program]
    sizes = collections.Counter()
    seen = set()
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        match = re.match(r"([0-9a-f]+) ([0-9a-f]+) ([A-Za-z]) (.*)", line)
        # Merged functions share an address. Zeroes (b) are not stored.
        if match and match[3] not in "bB" and match[1] not in seen:
            seen.add(match[1])
            crate = CRATE.match(match[4])
            if crate:
                sizes[crate[1]] += int(match[2], 16)
    return sizes


def sections(program):
    """Bytes of each stored section."""
    listing = subprocess.run(["readelf", "-SW", program], check=True, capture_output=True, text=True).stdout
    sizes = {}
    for line in listing.splitlines():
        match = re.match(r"\s*\[\s*\d+\]\s+(\.\S+)\s+(\S+)\s+\S+\s+\S+\s+([0-9a-f]+)", line)
        if match and match[2] != "NOBITS" and not re.match(r"\.(symtab|strtab|shstrtab|debug|comment)", match[1]):
            sizes[match[1]] = int(match[3], 16)
    return sizes


def print_table(title, sizes, rows):
    print(f"\n{title}")
    ordered = sorted(sizes.items(), key=lambda item: -item[1])
    for name, size in ordered[:rows]:
        print(f"  {size / 1e6:8.2f} MB  {name}")
    rest = sum(size for _, size in ordered[rows:])
    if rest:
        print(f"  {rest / 1e6:8.2f} MB  ({len(ordered) - rows} more)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--map", type=Path)
    parser.add_argument("--rows", type=int, default=30)
    parser.add_argument("--max-mb", type=float)
    parser.add_argument("--max-gzip-mb", type=float)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        stripped = Path(folder) / "lore"
        subprocess.run(["strip", "-o", stripped, options.program], check=True)
        content = stripped.read_bytes()
    totals = {"unpacked": (len(content), options.max_mb), "gzip": (len(gzip.compress(content, 9)), options.max_gzip_mb)}

    print_table("sections", sections(options.program), options.rows)
    if options.map:
        print_table("grammars and other C code", parts_of_map(options.map), options.rows)
        print_table("Rust crates", parts_of_symbols(options.program), options.rows)
    print("\nstripped program")
    failed = False
    for name, (size, maximum) in totals.items():
        over = maximum is not None and size > maximum * 1e6
        failed |= over
        limit = "" if maximum is None else f"  (at most {maximum:g}){'  EXCEEDED' if over else ''}"
        print(f"  {size / 1e6:8.2f} MB  {name}{limit}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
