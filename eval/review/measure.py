#!/usr/bin/env python3
"""Measures reviews of commits of which half of the files are hidden. See README.md."""

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

CODE = {
    "c", "cc", "cpp", "cs", "cxx", "ex", "exs", "go", "h", "hpp", "hs", "java", "js", "jsx", "kt", "lua",
    "mjs", "php", "py", "rb", "rs", "scala", "sh", "swift", "ts", "tsx",
}
TEST = re.compile(r"(^|/)(tests?|specs?|__tests__|testdata)(/|$)|(^|[/_.-])tests?[_.-]|[_.-](test|tests|spec)\.|Tests?\.", re.I)
DEFINES = re.compile(r"\b(?:fn|func|def|class|struct|interface|trait|enum|function|type|object|record|val|const)\s+([A-Za-z_]\w{3,})")
METHOD = re.compile(r"^[+-]\s*(?:public|private|protected|internal|static|final|override|async|abstract|virtual|\s)*[\w<>\[\],.?]+\s+([A-Za-z_]\w{3,})\s*\(")
WORD = re.compile(r"[A-Za-z_]\w{3,}")


def git(repo, *arguments):
    done = subprocess.run(["git", "-C", repo, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def changed(repo, commit):
    """The files that a commit modifies, with their changed lines."""
    lines, path = {}, None
    for line in git(repo, "show", "--format=", "--no-renames", "--unified=0", "--diff-filter=M", commit).split("\n"):
        if line.startswith("+++ b/"):
            path = line[6:]
            lines[path] = []
        elif path and line[:1] in "+-" and not line.startswith(("+++", "---")):
            lines[path].append(line)
    return lines


def is_code(path):
    return path.rsplit(".", 1)[-1].lower() in CODE


def split(lines, chance):
    """Visible and hidden files: the visible half contains code that is no test."""
    files = sorted(lines)
    chance.shuffle(files)
    visible = files[: (len(files) + 1) // 2]
    if not any(is_code(path) and not TEST.search(path) for path in visible):
        own = [path for path in files if is_code(path) and not TEST.search(path)]
        visible = [path for path in visible if path != visible[-1]] + own[:1]
    return visible, [path for path in files if path not in visible]


def targets(lines, visible, hidden):
    names = set()
    for path in visible:
        for line in lines[path]:
            names.update(DEFINES.findall(line))
            names.update(METHOD.findall(line))
    found = []
    for path in hidden:
        words = set(WORD.findall("\n".join(lines[path])))
        if is_code(path) and (TEST.search(path) or names & words):
            found.append(path)
    return found


def cases(repo, count, chance, limit):
    """Commits with targets, newest first."""
    head = "refs/lore-review/head"
    if subprocess.run(["git", "-C", repo, "rev-parse", "-q", "--verify", head], capture_output=True).returncode:
        git(repo, "update-ref", head, "HEAD")
    log = git(repo, "log", "--no-merges", "--first-parent", "--format=%H", f"-{limit}", head).split()
    if len(log) < count:
        log = git(repo, "log", "--no-merges", "--format=%H", f"-{limit}", head).split()
    order = log[:]
    chance.shuffle(order)
    found = []
    for commit in order:
        lines = changed(repo, commit)
        if not 3 <= len(lines) <= 30 or not any(is_code(p) and not TEST.search(p) for p in lines):
            continue
        visible, hidden = split(lines, chance)
        wanted = targets(lines, visible, hidden)
        if wanted:
            found.append((log.index(commit), commit, visible, hidden, wanted))
        if len(found) == count:
            break
    return [case[1:] for case in sorted(found)]


def review(lore, cache, repo, commit, visible):
    git(repo, "checkout", "-q", "-f", "--detach", f"{commit}~1")
    git(repo, "clean", "-q", "-f", "-d")
    git(repo, "checkout", "-q", commit, "--", *visible)
    environment = dict(os.environ, LOREHOUND_CACHE_DIR=cache)
    command = [lore, "review", "-C", repo, "--json", "--limit", "100", "--max-seconds", "1"]
    # The first run indexes the tree.
    subprocess.run([lore, "index", "-C", repo], env=environment, capture_output=True)
    started = time.time()
    done = subprocess.run(command, env=environment, capture_output=True)
    if not done.stdout:
        sys.exit(f"{repo} {commit}: {done.stderr.decode()}")
    return json.loads(done.stdout), time.time() - started


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lore")
    parser.add_argument("cache")
    parser.add_argument("clones", nargs="+")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=28)
    parser.add_argument("--limit", type=int, default=3000, help="newest commits to draw from")
    parser.add_argument("--dump", help="write each case as a line of JSON")
    arguments = parser.parse_args()
    total = {"named": 0, "right": 0, "targets": 0, "found": 0, "cases": 0}
    times, dump = [], open(arguments.dump, "w") if arguments.dump else None
    for repo in arguments.clones:
        own = dict.fromkeys(total, 0)
        chance = random.Random(f"{arguments.seed} {Path(repo).name}")
        for commit, visible, hidden, wanted in cases(repo, arguments.count, chance, arguments.limit):
            answer, seconds = review(arguments.lore, arguments.cache, repo, commit, visible)
            times.append(seconds)
            names = [file["path"] for file in answer["related"]][:10]
            code = [path for path in names if is_code(path)]
            own["cases"] += 1
            own["named"] += len(code)
            own["right"] += sum(path in hidden for path in code)
            own["targets"] += len(wanted)
            own["found"] += sum(path in names for path in wanted)
            if dump:
                case = {"repo": Path(repo).name, "commit": commit, "visible": visible, "hidden": hidden}
                dump.write(json.dumps({**case, "targets": wanted, "related": answer["related"]}) + "\n")
                dump.flush()
        git(repo, "checkout", "-q", "-f", "--detach", "refs/lore-review/head")
        report(Path(repo).name, own)
        for key in total:
            total[key] += own[key]
    report("all", total)
    print(f"median {statistics.median(times):.2f} s, slowest {max(times):.2f} s")


def report(name, sums):
    precision = sums["right"] / max(sums["named"], 1)
    recall = sums["found"] / max(sums["targets"], 1)
    print(f"{name}: {sums['cases']} commits, precision {precision:.3f} of {sums['named']} names, "
          f"recall {recall:.3f} of {sums['targets']} targets", flush=True)


if __name__ == "__main__":
    main()
