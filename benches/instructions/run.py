#!/usr/bin/env python3
"""Counts the instructions of `lore` on small committed trees with callgrind, and fails if they grow.

    python3 benches/instructions/run.py LORE                    compare with `baseline.toml`
    python3 benches/instructions/run.py LORE --against OTHER    compare with another program, for example the merge base
    python3 benches/instructions/run.py LORE --record           write `baseline.toml`

Counts vary by less than a percent between runs, on any load of the machine. They depend on the compiler and the profile.
So CI builds the merge base and the change with one compiler and uses `--against`. `baseline.toml` names the compiler it
was recorded with; under another one, differences are printed and nothing fails. Needs valgrind.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BASELINE = HERE / "baseline.toml"

# A case starts with the index of the case before it, so the first one builds it.
CASES = {
    "index": ["index"],
    "question": ["how is a refund retried?", "--json"],
    "name": ["symbol", "Refunds", "--json"],
    "literal": ["--literal", "refund", "--json"],
    "answer of an agent": ["where are payments sent?", "--format", "agent"],
}


def make_tree(folder: Path) -> Path:
    """A fixture of the tests as a repository with fixed dates. More languages would measure their queries, which each
    process compiles when it first parses them."""
    tree = folder / "tree"
    shutil.copytree(ROOT / "crates/cli/tests/fixtures/shop", tree)
    date = "2024-01-01T00:00:00Z"
    names = ["-c", "user.name=Tests", "-c", "user.email=tests@example.org"]
    env = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "shop: payments"]):
        subprocess.run(["git", "-C", tree, *names, *words], check=True, env=env)
    return tree


def count(program: Path, tree: Path, cache: Path, words: list[str]) -> int:
    """Instructions of a command, with those of the processes that it starts."""
    with tempfile.TemporaryDirectory() as out:
        call = ["valgrind", "--tool=callgrind", "--trace-children=yes", f"--callgrind-out-file={out}/%p"]
        env = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        # One thread: the work of several depends on their order.
        env |= {"LOREHOUND_CACHE_DIR": str(cache), "LOREHOUND_INDEX_THREADS": "1", "LOREHOUND_LIMITS_CORES": "1"}
        done = subprocess.run([*call, program, *words, "-C", tree], env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: {words} failed with {done.returncode}\n{done.stderr}")
    return sum(int(found) for found in re.findall(r"Collected\s*:\s*(\d+)", done.stderr))


def measure(program: Path) -> dict[str, int]:
    with tempfile.TemporaryDirectory(prefix="lore-instructions-") as name:
        folder = Path(name)
        tree = make_tree(folder)
        return {case: count(program, tree, folder / "cache", words) for case, words in CASES.items()}


def compiler() -> str:
    return subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--against", type=Path, metavar="OTHER")
    group.add_argument("--record", action="store_true")
    parser.add_argument("--threshold", type=float, default=5.0, help="percent of growth that fails (default: 5)")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        print("NOT CHECKED: the number of instructions. Install valgrind.")
        return
    new = measure(arguments.program.resolve())
    if arguments.record:
        lines = ["# Instructions of each case, by `run.py --record`, with a program of the release profile.", f'compiler = "{compiler()}"', "", "[instructions]"]
        BASELINE.write_text("\n".join(lines + [f'"{case}" = {number}' for case, number in new.items()]) + "\n")
        print(BASELINE)
        return
    counts_apply = True
    if arguments.against:
        old = measure(arguments.against.resolve())
    elif not BASELINE.exists():
        old = {}
        print("NOT CHECKED: growth. There is no baseline; `--record` writes one.")
    else:
        recorded = tomllib.loads(BASELINE.read_text())
        old, counts_apply = recorded["instructions"], recorded["compiler"] == compiler()
        if not counts_apply:
            print(f"NOT CHECKED: growth. The baseline is of {recorded['compiler']}, this is {compiler()}.")
    grown = []
    for case, number in new.items():
        change = (number / old[case] - 1) * 100 if case in old else 0.0
        print(f"{case:20} {number / 1e6:10.1f} M instructions  {change:+6.2f} %")
        if counts_apply and change > arguments.threshold:
            grown.append(case)
    if grown:
        sys.exit(f"error: more than {arguments.threshold:g} % growth: {', '.join(grown)}")


if __name__ == "__main__":
    main()
