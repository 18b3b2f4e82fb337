"""Measures how many of the source files that a ticket's commit changes `lore context TICKET` names before it.

Usage: python3 measure.py LORE CLONE [COUNT]

CLONE is a clone of the repository that README.md names. A sample is a commit with a ticket in its subject whose
parent has the ticket, and that changes one to twelve source files of the parent. For COUNT of them, spread over the
history, the parent is checked out in a directory of its own without any later commit, and the files that the package
names are compared with those that the commit changes. The search of the title is the baseline.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

MAX_FILES = 12
TICKET = re.compile(r"#([A-Z]{2,6}-\d{3})")
SOURCE = re.compile(r"[\w./-]+\.py")
NOT_SOURCE = ("tests/", "alembic/")


def git(directory, *arguments):
    """Standard output of a git command."""
    command = ["git", "-C", str(directory), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def samples(clone, count):
    """Commits with their ticket and the source files that they change, newest first."""
    seen, found = set(), []
    for line in git(clone, "log", "--no-merges", "--format=%H%x09%s").splitlines():
        commit, subject = line.split("\t", 1)
        named = TICKET.search(subject)
        if not named or named.group(1) in seen:
            continue
        ticket = named.group(1)
        listed = git(clone, "diff-tree", "-r", "--no-commit-id", "--name-only", "--diff-filter=M", commit)
        changed = [path for path in listed.splitlines() if path.endswith(".py")]
        changed = [path for path in changed if not path.startswith(NOT_SOURCE)]
        if not 0 < len(changed) <= MAX_FILES:
            continue
        if ticket not in git(clone, "ls-tree", "-r", "--name-only", f"{commit}^", ".sage"):
            continue
        seen.add(ticket)
        found.append((commit, ticket, changed))
    return found[:: max(1, len(found) // count)][:count]


def check_out(tree, commit):
    """Checks a commit out. No reference leads to a later one."""
    git(tree, "checkout", "-q", "-f", "-B", "sample", commit)
    for reference in git(tree, "for-each-ref", "--format=%(refname)").split():
        if reference != "refs/heads/sample":
            git(tree, "update-ref", "-d", reference)


def paths(value):
    """All source files that an answer names."""
    if isinstance(value, dict):
        return {path for inner in value.values() for path in paths(inner)}
    if isinstance(value, list):
        return {path for inner in value for path in paths(inner)}
    return set(SOURCE.findall(value)) if isinstance(value, str) else set()


def answer(lore, tree, cache, *arguments):
    """A JSON answer of `lore`."""
    command = [lore, *arguments, "--json", "--cache-dir", cache]
    ran = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {ran.stderr}")
    return json.loads(ran.stdout)


def main():
    lore, clone = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    total = in_package = in_search = 0
    with tempfile.TemporaryDirectory() as folder:
        tree, cache = str(pathlib.Path(folder, "tree")), str(pathlib.Path(folder, "cache"))
        subprocess.run(["git", "clone", "-q", "--no-tags", str(clone), tree], check=True)
        git(tree, "remote", "remove", "origin")
        for commit, ticket, changed in samples(clone, count):
            check_out(tree, f"{commit}^")
            named = paths(answer(lore, tree, cache, "context", ticket))
            results = answer(lore, tree, cache, "search", ticket, "--in", "tickets", "--limit", "1")["results"]
            title = results[0]["title"] if results else ticket
            found = paths(answer(lore, tree, cache, "search", title, "--in", "code", "--limit", "20"))
            total += len(changed)
            in_package += sum(path in named for path in changed)
            in_search += sum(path in found for path in changed)
            missed = [path for path in changed if path not in named]
            print(ticket, commit[:10], f"{len(changed) - len(missed)} of {len(changed)}", *missed, flush=True)
    print(f"package {in_package} of {total} = {in_package / total:.3f}")
    print(f"search of the title {in_search} of {total} = {in_search / total:.3f}")


main()
