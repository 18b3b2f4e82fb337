"""Runs `lore drift` before commits that only mended documents, and counts what it reports of them."""

import argparse
import collections
import os
import random
import re
import tempfile

import common

MENDS = re.compile(
    r"\b(fix|fixes|fixed|correct|corrects|corrected|update|updates|updated|outdated|out of date|stale|broken|dead"
    r"|wrong|rename|renamed|obsolete|old|missing|invalid|incorrect)\b",
    re.I,
)
STYLE = re.compile(
    r"typo|spell|grammar|wording|format|whitespace|lint|style|translat|changelog|release|version|bump|merge"
    r"|punctuation|badge|sponsor|copyright|year|revert",
    re.I,
)
SHAPE = re.compile(
    r"^--[a-z][\w-]+$|^[\w.-]*(?:/[\w.-]+)+/?$|^[\w-]+\.(?:rs|py|go|js|ts|rb|java|c|h|md|rst|toml|yaml|yml|json|sh)$"
    r"|^[A-Za-z]\w*(?:(?:::|\.)\w+)*(?:\(\))?!?$"
)
MAX_LINES = 40


def hunks(diff):
    """The removed and added lines of each hunk, with the old number of each removed line."""
    path, found, old = None, [], 0
    for line in diff.split("\n"):
        if line.startswith("--- "):
            path = line[6:] if line.startswith("--- a/") else None
        elif line.startswith("@@"):
            old = int(re.match(r"@@ -(\d+)", line)[1])
            found.append((path, [], []))
        elif found and line.startswith("-") and not line.startswith("---"):
            found[-1][1].append((old, line[1:]))
            old += 1
        elif found and line.startswith("+") and not line.startswith("+++"):
            found[-1][2].append(line[1:])
    return [hunk for hunk in found if hunk[0]]


def names(line):
    """Checkable names of a line."""
    spans = [a or b for a, b in common.SPAN.findall(line)]
    words = [word for span in spans for word in (span.split() if span.startswith(("-", "$")) else [span])]
    words = [word.strip("'\",;:") for word in words]
    found = {word for word in words if SHAPE.match(word) and len(word) > 3}
    links = {link for link in common.LINK.findall(line) if "://" not in link and not link.startswith(("mailto:", "/"))}
    flags = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9]+(?:-[a-z0-9]+)*", line))
    return found | links | flags


def mended(repository, commit):
    """The statements that a commit mended: path, lines and name."""
    changed = [path for path in common.git(repository, "diff-tree", "--no-commit-id", "--name-only", "-r", commit).split("\n") if path]
    if not changed or not all(common.is_document(path) for path in changed) or len(changed) > 8:
        return []
    diff = common.git(repository, "diff", "-U0", "--no-renames", f"{commit}~1", commit)
    parts = hunks(diff)
    if sum(len(removed) + len(added) for _, removed, added in parts) > MAX_LINES:
        return []
    kept = "\n".join(line for _, _, added in parts for line in added)
    found = []
    for path, removed, added in parts:
        if not added:
            continue
        for number, line in removed:
            found += [(path, number, name) for name in sorted(names(line)) if name not in kept]
    return found


def is_gone(folder, name):
    """True if the code of a checkout does not contain the last part of a name, or the path."""
    if name.startswith("--") or not ("/" in name or "#" in name or "." in name):
        word = re.split(r"::|\.", name.rstrip("()!"))[-1]
        out = common.git(folder, "grep", "-lwF", "-e", word, "--", ":!*.md", ":!*.rst", ":!*.mdx", ":!*.txt", check=False)
        return not out.strip()
    return True


def was_true(folder, path, name):
    """True if the name was in the code of an earlier commit, or the path or link in its files."""
    if name.startswith("#"):
        return True
    if not name.startswith("--") and ("/" in name or name.lower().endswith(common.DOCUMENTS)):
        target = name.split("#")[0]
        options = {target, os.path.normpath(os.path.join(os.path.dirname(path), target))}
        options = [option for option in options if not option.startswith("..")]
        return any(common.git(folder, "log", "-1", "--format=%H", "HEAD", "--", option, check=False).strip() for option in options)
    word = re.split(r"::|\.", name.rstrip("()!"))[-1] if not name.startswith("--") else name
    code = [":!*.md", ":!*.rst", ":!*.mdx", ":!*.txt", ":!docs", ":!doc", ":!test", ":!tests", ":!examples"]
    return bool(common.git(folder, "log", "-1", "--format=%H", "-S", word, "HEAD", "--", ".", *code, check=False).strip())


def measure(lore, repository, count, start, verbose):
    """Measures the mending commits of one repository."""
    rng = random.Random(f"{start}/{os.path.basename(repository)}")
    log = common.git(repository, "log", "--no-merges", "--format=%H %s", "-n", "20000")
    commits = []
    for line in log.split("\n"):
        commit, _, subject = line.partition(" ")
        if MENDS.search(subject) and not STYLE.search(subject):
            commits.append((commit, subject))
    rng.shuffle(commits)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = common.clone(repository, os.path.join(temporary, "tree"))
        for commit, subject in commits:
            if counts["commits"] == count:
                break
            if not common.git(repository, "rev-parse", "-q", "--verify", f"{commit}~1", check=False).strip():
                continue
            statements = mended(repository, commit)
            if not statements:
                continue
            common.git(folder, "checkout", "-q", "-f", f"{commit}~1")
            counts["mending commits"] += 1
            statements = [
                (path, number, name) for path, number, name in statements
                if is_gone(folder, name) and was_true(folder, path, name)
            ]
            if not statements:
                continue
            wanted = sorted({path for path, _, _ in statements})
            findings = common.drift(lore, folder, *(os.path.join(folder, path) for path in wanted))["findings"]
            counts["commits"] += 1
            hit = 0
            for path, number, name in statements:
                own = [
                    finding for finding in findings
                    if finding["path"] == path and abs(finding["line"] - number) <= 1
                    and (finding["name"] in name or name in finding["text"])
                ]
                counts["statements"] += 1
                counts["reported"] += bool(own)
                hit += bool(own)
                if verbose:
                    state = own[0]["state"] if own else "-"
                    print(f"  {commit[:8]} {path}:{number} {name}: {state}  [{subject[:60]}]", flush=True)
            counts["hit"] += hit > 0
    return counts


def report(name, counts):
    """Prints one line of figures."""
    share = lambda part, whole: part / whole if whole else 0.0
    print(
        f"{name}: {counts['mending commits']} mending commits, {counts['commits']} of them with statements that "
        f"were true once: {counts['reported']} of {counts['statements']} statements reported "
        f"({share(counts['reported'], counts['statements']):.2f}), in {counts['hit']} commits",
        flush=True,
    )


def main():
    """Measures all repositories."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lore")
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--commits", type=int, default=12)
    parser.add_argument("--random", type=int, default=28)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    total = collections.Counter()
    for repository in arguments.repositories:
        counts = measure(arguments.lore, repository, arguments.commits, arguments.random, arguments.verbose)
        total.update(counts)
        report(os.path.basename(repository), counts)
    report("all", total)


if __name__ == "__main__":
    main()
