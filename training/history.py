"""Pairs from a repository's history: the subject of a commit and a hunk of it.

Needs a repository that holds history; a shallow clone gives what it has.
"""

import re
import subprocess

from corpus import SKIPPED
from words import LANGUAGES, split_words

MOST_COMMITS = 300
MOST_BYTES = 60_000_000
MOST_FILES = 3
PREFIX = re.compile(
    r"\s*\(?#\d+\)?|^\[?[\w\s,/-]{1,25}\]?:\s+|^(feat|fix|chore|docs|refactor|perf|style|build|ci|test)(\([^)]*\))?!?:\s*",
    re.IGNORECASE,
)
EMPTY_SUBJECT = re.compile(
    r"(merge|bump|release|update|revert|prepare|version|(fix )?typo|lint|format)\b", re.IGNORECASE
)


def subject_of(line):
    """A commit's subject without prefix and number, or None if it says nothing about code."""
    subject = PREFIX.sub("", line).strip()
    if len(split_words(subject)) < 3 or len(subject) > 140 or EMPTY_SUBJECT.match(subject):
        return None
    return subject


def log_lines(repository, commit):
    """Lines of the history's diffs; each commit begins with a line \\x01SUBJECT."""
    endings = [f"*{ending}" for ending, language in LANGUAGES.items() if language != "prose"]
    command = ["git", "--git-dir", str(repository), "log", "--no-merges", "-n", str(MOST_COMMITS), "--format=%x01%s"]
    command += ["-p", "--unified=4", "--no-renames", "--no-color", "--diff-filter=AM", commit, "--", *endings]
    command += [":!*test*", ":!*vendor*", ":!*spec*"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    read = 0
    for line in process.stdout:
        read += len(line)
        if read > MOST_BYTES:
            process.kill()
            break
        yield line.decode("utf8", "ignore").rstrip("\n")[:400]
    process.wait()


def commit_pairs(repository, commit, chance):
    """The commit pairs of a repository, back from a commit."""
    subject, path, hunk, files = None, None, [], 0
    for line in log_lines(repository, commit):
        begins = line.startswith(("\x01", "diff --git", "@@"))
        told = begins and subject and path and files <= MOST_FILES
        if told and len(body := "\n".join(hunk)) > 150 and chance.random() < 0.7:
            yield "commit", path, subject, body[:900]
        if begins:
            hunk = [line.split("@@")[-1].strip()] if line.startswith("@@") else []
        if line.startswith("\x01"):
            subject, path, files = subject_of(line[1:]), None, 0
        elif line.startswith("diff --git"):
            path = None
        elif line.startswith("+++ b/"):
            path, files = None if SKIPPED.search(line) else line[6:], files + 1
        elif path and not begins and line[:1] in "+ " and len(hunk) < 40:
            hunk.append(line[1:])
