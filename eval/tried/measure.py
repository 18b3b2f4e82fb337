"""Measures how well reverted work is linked and shown.

Usage: python3 measure.py LORE CACHE CLONE...

Each CLONE is a repository with its history; CACHE is a directory for the indexes. From the messages that name a full
hash, pairs of a commit and its revert are drawn. Measured are

- the pairs of which `lore why` and `lore tried` show the link,
- the searches about reverted work whose answer has the line `tried_before`: the subject of the commit without its
  prefix and number, and without every third word,
- the searches about other work whose answer has such a line: subjects of commits that nothing reverts.
"""

import json
import pathlib
import random
import re
import subprocess
import sys

PAIRS = 40
SEARCHES = 60
OTHERS = 200
REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40})")


def git(clone, *arguments):
    """Standard output of a git command."""
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def answer(lore, cache, clone, *arguments):
    """A JSON answer of `lore`."""
    command = [lore, arguments[0], "--json", "--cache-dir", cache, *arguments[1:]]
    ran = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        print(f"{' '.join(command)}: {ran.stderr}", file=sys.stderr)
        return {}
    return json.loads(ran.stdout)


def commits(clone):
    """Hash, subject and message of every commit."""
    log = git(clone, "log", "--no-merges", "--format=%H%x1f%s%x1f%B%x1e")
    fields = (entry.strip().split("\x1f") for entry in log.split("\x1e"))
    return [entry for entry in fields if len(entry) == 3]


def pairs_of(clone):
    """Commits with their reverts, and the subjects that nothing reverts. Reverts of reverts are no pair."""
    all_commits = commits(clone)
    subjects = {commit: subject for commit, subject, _ in all_commits}
    pairs, undone, reverts = [], set(), {}
    for commit, subject, message in all_commits:
        found = REVERTS.search(message)
        if found and found.group(1) in subjects:
            reverts[commit] = found.group(1)
    for revert, commit in reverts.items():
        is_again = commit in reverts or "revert" in subjects[commit].lower()
        if not is_again and revert not in reverts.values():
            pairs.append((commit, revert))
            undone.add(subjects[commit])
    repeated = [subject for _, subject, _ in all_commits]
    pairs = [(commit, revert) for commit, revert in pairs if repeated.count(subjects[commit]) == 1]
    others = [subject for _, subject, _ in all_commits if "revert" not in subject.lower() and subject not in undone]
    return pairs, subjects, others


def reworded(subject, skip):
    """A subject as a query: without type, number and punctuation; `skip` leaves every third word out."""
    text = re.sub(r"\(#\d+\)|#\d+", "", subject)
    text = text.split(": ", 1)[-1]
    words = re.findall(r"[\w./-]+", text)
    if skip:
        words = [word for at, word in enumerate(words) if at % 3 != 2 or len(words) < 5]
    return " ".join(words)


def has_line(found):
    """Whether a hit of an answer says that something was tried before."""
    return any(pair["name"] == "tried_before" for hit in found.get("results", []) for pair in hit["extra"])


def main():
    lore, cache = str(pathlib.Path(sys.argv[1]).resolve()), str(pathlib.Path(sys.argv[2]).resolve())
    clones = [pathlib.Path(name) for name in sys.argv[3:]]
    draw = random.Random(2811)
    linked = listed = shown = searches = wrong = asked = total = 0
    for clone in clones:
        subprocess.run([lore, "index", "--all-history", "--cache-dir", cache], cwd=clone, capture_output=True, check=True)
        pairs, subjects, others = pairs_of(clone)
        pairs = draw.sample(pairs, min(len(pairs), PAIRS // len(clones)))
        attempts = answer(lore, cache, clone, "tried", "--limit", "1000").get("attempts", [])
        known = {attempt["id"]: attempt["by"] for attempt in attempts}
        for commit, revert in pairs:
            total += 1
            hops = answer(lore, cache, clone, "why", commit).get("hops", [])
            is_linked = any(hop["id"] == f"git:{revert[:10]}" for hop in hops)
            is_listed = known.get(f"git:{commit[:10]}") == revert[:10]
            linked += is_linked
            listed += is_listed
            if not (is_linked and is_listed):
                print("not linked", clone.name, commit[:10], revert[:10], subjects[commit])
        queries = [reworded(subjects[commit], skip) for skip in (False, True) for commit, _ in pairs]
        for query in queries[: SEARCHES // len(clones)]:
            searches += 1
            if has_line(answer(lore, cache, clone, "search", "--", query)):
                shown += 1
            else:
                print("not shown", clone.name, query)
        for subject in draw.sample(others, min(len(others), OTHERS // len(clones))):
            asked += 1
            found = answer(lore, cache, clone, "search", "--", reworded(subject, False))
            if has_line(found):
                wrong += 1
                lines = [pair["value"] for hit in found["results"] for pair in hit["extra"] if pair["name"] == "tried_before"]
                print("line", clone.name, subject, "|", lines[0])
    print(f"pairs linked by why {linked} of {total}, listed by tried {listed} of {total}")
    print(f"searches about reverted work with the line {shown} of {searches}; other searches with a line {wrong} of {asked}")


main()
