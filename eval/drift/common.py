"""Shared helpers: git, `lore drift`, and the statements of documents."""

import json
import os
import re
import subprocess

DOCUMENTS = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt")
HISTORIES = re.compile(
    r"(^|/)(change|news|history|release|migrat|upgrad|whatsnew|contributors|authors|license)"
    r"|(^|/)(archive|archived|blog|posts|changes|changelog\.d|newsfragments)/",
    re.I,
)
BESIDE = re.compile(
    r"(^|/)(tests?|__tests__|testdata|fixtures|docs?|documentation|examples?|samples|demos?|bench\w*"
    r"|website|vendor|third_party|node_modules|spec|\.github)/|(^|/)test_|_test\.|\.test\.|\.spec\."
)
SPAN = re.compile(r"``([^`\n]+)``|`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)")


def git(folder, *arguments, check=True):
    """Runs git and returns its output."""
    ran = subprocess.run(
        ["git", "-C", folder, *arguments], capture_output=True, text=True, errors="replace", check=False
    )
    if check and ran.returncode:
        raise RuntimeError(f"git {arguments}: {ran.stderr}")
    return ran.stdout


def clone(repository, target):
    """Clones a local repository without copying its objects."""
    subprocess.run(["git", "clone", "-q", "--shared", repository, target], check=True)
    return target


def drift(lore, folder, *arguments):
    """The answer of `lore drift` as JSON."""
    command = [lore, "drift", "-C", folder, "--no-write", "--json", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{command}: {ran.stderr}")
    return json.loads(ran.stdout)


def files(folder):
    """The tracked files of a repository."""
    return [path for path in git(folder, "ls-files", "-z").split("\0") if path]


def read(folder, path):
    """The text of a file; empty for links, large files and binary files."""
    full = os.path.join(folder, path)
    if os.path.islink(full) or not os.path.isfile(full) or os.path.getsize(full) > 1_000_000:
        return ""
    with open(full, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return "" if "\0" in text[:8000] else text


def is_document(path):
    """True for documents that describe the current state."""
    return path.lower().endswith(DOCUMENTS) and not HISTORIES.search(path)


def is_code(path):
    """True for files that are neither documents nor data."""
    return not path.lower().endswith(DOCUMENTS + (".lock", ".svg", ".sum"))


def is_own(path):
    """True for code of the project itself: no tests, examples or pages."""
    return is_code(path) and not BESIDE.search(path)
