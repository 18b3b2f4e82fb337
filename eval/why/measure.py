"""Measures the hops of `lore why` against labels.

Usage: python3 measure.py LORE CACHE CLONES

CLONES is a directory with the clones of `labels.jsonl`, by name or one level deeper; CACHE is a directory for the
indexes. Measured are, for each kind,

- precision: the share of right hops among the labelled ones that are still shown,
- hops that are no longer shown, right and wrong, and hops of the same targets without a label,
- recall: the share of the expected commits, citations, documents and tests that are shown.
"""

import collections
import json
import pathlib
import subprocess
import sys

LABELS = pathlib.Path(__file__).with_name("labels.jsonl")
INDEX_TIMEOUT = 3_600
WHY_TIMEOUT = 120


def run(clone, *command, timeout=WHY_TIMEOUT):
    """Runs a command in a clone."""
    return subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False, timeout=timeout)


def find_clone(clones, name):
    """The directory of a clone, by its name."""
    found = [path for path in [clones / name, *sorted(clones.glob(f"*/{name}"))] if path.is_dir()]
    if not found:
        sys.exit(f"{clones}: no clone of {name}")
    return found[0]


def hops(lore, cache, clone, target):
    """The hops of a target, as tuples of kind, identifier, the hop that it follows from, and evidence."""
    ran = run(clone, lore, "why", target, "--json", "--cache-dir", cache)
    if ran.returncode not in (0, 1):
        print(f"{clone.name} {target}: {ran.stderr.strip()}", file=sys.stderr)
        return []
    shown = json.loads(ran.stdout)["hops"] if ran.stdout else []
    source = lambda hop: None if hop["from"] is None else shown[hop["from"]]["id"]
    return [(hop["kind"], hop["id"], source(hop), hop["evidence"]) for hop in shown]


def is_expected(identifier, expected):
    """True if an identifier is one of the alternatives, or a part of one: a section or a test of a file."""
    return any(
        identifier == name or identifier.startswith(name if name.endswith(".") else f"{name}#")
        for name in expected.split("|")
    )


def share(count, total):
    """A share, as a text."""
    return f"{count} of {total} ({count / total:.2f})" if total else "none"


def print_precision(labels, shown):
    """Prints the precision by kind."""
    counts = collections.defaultdict(collections.Counter)
    labelled = set()
    for label in labels:
        hop = (label["kind"], label["id"], label["follows"], label["evidence"])
        place = (label["repository"], label["target"])
        labelled.add((place, hop))
        gone = "" if hop in shown[place] else "gone "
        for kind in (label["kind"], "all"):
            counts[kind][gone + label["verdict"]] += 1
        if label["verdict"] == "wrong" and not gone:
            print("wrong:", *place, label["kind"], label["id"], "|", label["evidence"], "|", label["reason"])
    for place, found in shown.items():
        for hop in found:
            if (place, hop) not in labelled:
                counts[hop[0]]["new"] += 1
                counts["all"]["new"] += 1
    print("\nprecision")
    for kind, count in sorted(counts.items()):
        total = count["right"] + count["wrong"]
        rest = f"gone: {count['gone right']} right, {count['gone wrong']} wrong; unlabelled: {count['new']}"
        print(f"  {kind}: {share(count['right'], total)}; {rest}")


def print_recall(expected, shown):
    """Prints the recall by role."""
    found, total = collections.Counter(), collections.Counter()
    for entry in expected:
        place = (entry["repository"], entry["target"])
        is_shown = any(is_expected(hop[1], entry["id"]) for hop in shown[place])
        for role in (entry["role"], "all"):
            total[role] += 1
            found[role] += is_shown
        if not is_shown:
            print("missing:", *place, entry["role"], entry["id"])
    print("\nrecall")
    for role in sorted(total):
        print(f"  {role}: {share(found[role], total[role])}")


def main():
    """Runs all targets and prints precision and recall."""
    lore, cache, clones = str(pathlib.Path(sys.argv[1]).resolve()), *sys.argv[2:4]
    cache = str(pathlib.Path(cache).resolve())
    entries = [json.loads(line) for line in LABELS.read_text().splitlines()]
    of_type = lambda name: [entry for entry in entries if entry["type"] == name]
    labels, expected = of_type("hop"), of_type("expected")
    targets = collections.defaultdict(set)
    for entry in labels + expected:
        targets[entry["repository"]].add(entry["target"])
    shown = {}
    for repository in of_type("repository"):
        name = repository["repository"]
        clone = find_clone(pathlib.Path(clones).resolve(), name)
        revision = run(clone, "git", "rev-parse", "HEAD").stdout.strip()
        if revision != repository["revision"]:
            print(f"{name}: at {revision}, labelled at {repository['revision']}", file=sys.stderr)
        run(clone, lore, "index", "--all-history", "--cache-dir", cache, timeout=INDEX_TIMEOUT)
        for target in sorted(targets[name]):
            shown[name, target] = hops(lore, cache, clone, target)
    print_precision(labels, shown)
    print_recall(expected, shown)


if __name__ == "__main__":
    main()
