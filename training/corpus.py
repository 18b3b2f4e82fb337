"""Step 1: read the repositories of `repositories.tsv` at their commits into one JSON-lines file each.

usage: corpus.py --out WORK/corpus [--mirrors DIR] [--clones DIR]

With --mirrors, DIR/OWNER+NAME/repo (or DIR/OWNER+NAME) is a local git repository. Without it, or where the commit
is missing, it is cloned from GitHub into --clones, with --depth commits of history. Nothing is read from a repository
whose row has a reason in the column `excluded`, nor from one whose licence files do not say what the row says.
"""

import argparse
import csv
import hashlib
import json
import os
import re
import subprocess
from multiprocessing import Pool
from pathlib import Path

from words import LANGUAGES

HERE = Path(__file__).resolve().parent
MOST_CODE_FILES = 900
MOST_PROSE_FILES = 350
SMALLEST_FILE, LARGEST_FILE = 200, 150_000
LONGEST_LINE = 2000

SKIPPED = re.compile(
    r"(^|/)(_?vendor\w*|bundled|node_modules|third[-_]?party|3rd[-_]?party|external|externals|submodules|deps|dist"
    r"|build|generated|gen|locales?|translations|i18n|fixtures|testdata|__?snapshots_?_?|snapshots|goldens?)/"
    r"|\.min\.|\.pb\.|_pb2|\.d\.ts$|(^|/)(change(s|log)|licen[sc]e|copying|history|news|release-?notes)[^/]*$",
    re.IGNORECASE,
)
TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|bench(es|marks?)?|examples?|samples?)/|[_.](test|spec)\.|(^|/)test_", re.I
)
LICENCE_FILE = re.compile(r"(^|/)((mit-|un)?licen[sc]e|copying|copyright)[^/]*$|^licenses/[^/]+$", re.IGNORECASE)

PERMISSIVE = {
    "Apache-2.0": r"Apache License,? Version 2\.0|apache\.org/licenses/LICENSE-2\.0",
    "MIT": r"Permission is hereby granted, free of charge, to any person obtaining a copy",
    "BSD": r"Redistribution and use in source and binary forms",
    "ISC": r"Permission to use, copy, modify, and(/or)? distribute this software for any purpose",
    "BSL-1.0": r"Boost Software License",
    "Zlib": r"provided 'as-is', without any express or implied warranty",
    "Unlicense": r"free and unencumbered software released into the public domain",
    "CC0-1.0": r"CC0 1\.0 Universal|Creative Commons Zero",
}
RESTRICTIVE = re.compile(
    r"GNU (AFFERO |LESSER |LIBRARY )?GENERAL PUBLIC|Mozilla Public License|Eclipse Public License|Business Source"
    r"|Server Side Public|Commons Clause|European Union Public|Elastic License|Polyform|Redis Source Available",
    re.IGNORECASE,
)


def read_table(path):
    """The rows of repositories.tsv, as dictionaries."""
    with open(path, newline="", encoding="utf8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def kinds_of_licence(text):
    """The known permissive licences that `text` holds, and whether it names one that is not permissive."""
    folded = " ".join(text.split())
    kinds = [name for name, pattern in PERMISSIVE.items() if re.search(pattern, folded, re.IGNORECASE)]
    return kinds, bool(RESTRICTIVE.search(folded))


def git(repository, *arguments, stdin=None):
    """Standard output of a git command, as bytes; never fetches what is missing."""
    environment = dict(os.environ, GIT_NO_LAZY_FETCH="1")
    command = ["git", "--git-dir", str(repository), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, env=environment, check=True).stdout


def find_mirror(mirrors, name):
    """The git directory of `owner/name` under the folder of mirrors, or None."""
    folder = Path(mirrors) / name.replace("/", "+")
    candidates = [folder / "repo", folder / "repo" / ".git", folder, folder / ".git"]
    return next((candidate for candidate in candidates if (candidate / "HEAD").is_file()), None)


def has_commit(repository, commit):
    """Whether a local repository holds the commit."""
    command = ["git", "--git-dir", str(repository), "cat-file", "-e", commit + "^{commit}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def clone(clones, name, commit, depth):
    """Clone the one commit from GitHub, with some of the history before it."""
    folder = Path(clones) / name.replace("/", "+") / "repo"
    if not (folder / "HEAD").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "--bare", "-q", str(folder)], check=True)
    if not has_commit(folder, commit):
        address = f"https://github.com/{name}.git"
        command = ["git", "--git-dir", str(folder), "fetch", "-q", "--depth", str(depth), address, commit]
        subprocess.run(command, check=True)
    return folder


def read_blobs(repository, identifiers):
    """Contents of blobs, in order; None for one that the repository does not hold."""
    output = git(repository, "cat-file", "--batch", stdin="\n".join(identifiers).encode() + b"\n")
    position, blobs = 0, []
    for _ in identifiers:
        end = output.index(b"\n", position)
        header = output[position:end].split()
        position = end + 1
        if header[-1] == b"missing":
            blobs.append(None)
            continue
        size = int(header[2])
        blobs.append(output[position : position + size])
        position += size + 1
    return blobs


def list_files(repository, commit):
    """(path, blob) of every regular file of the commit."""
    files = []
    for entry in git(repository, "ls-tree", "-r", "-z", commit).split(b"\0"):
        if entry:
            meta, path = entry.split(b"\t", 1)
            mode, kind, blob = meta.split()
            if kind == b"blob" and mode != b"120000":
                files.append((path.decode("utf8", "ignore"), blob.decode()))
    return files


def choose_files(files):
    """The files to read: known endings, no vendored or generated folders, at most a number of each sort.

    Files are taken in the order of a digest of their path, code under test folders last, so that the choice is
    spread over the tree and does not depend on the machine.
    """
    code, prose = [], []
    for path, blob in files:
        language = LANGUAGES.get(os.path.splitext(path)[1].lower())
        if language and not SKIPPED.search(path):
            digest = hashlib.blake2b(path.encode(), digest_size=8).digest()
            (prose if language == "prose" else code).append((bool(TEST.search(path)), digest, path, language, blob))
    return [item[2:] for item in sorted(code)[:MOST_CODE_FILES] + sorted(prose)[:MOST_PROSE_FILES]]


def readable(data):
    """The text of a file worth reading, or None: no giant, no stub, no minified or binary file."""
    if data is None or not SMALLEST_FILE <= len(data) <= LARGEST_FILE or b"\0" in data[:4096]:
        return None
    text = data.decode("utf8", "ignore").replace("\r\n", "\n")
    return None if max(map(len, text.split("\n")[:200])) > LONGEST_LINE else text


def read_licences(repository, files):
    """The permissive licences of a repository, and the folders ("" is the root) that hold one of another kind.

    What lies under such a folder is not read. A licence file at the root that only lists the licences of linked
    libraries needs a note in the table.
    """
    texts = [
        (path, blob)
        for path, blob in files
        if LICENCE_FILE.search(path) and LANGUAGES.get(os.path.splitext(path)[1].lower(), "prose") == "prose"
    ]
    kinds, restricted = set(), set()
    for (path, _), data in zip(texts, read_blobs(repository, [blob for _, blob in texts]), strict=True):
        found, forbidden = kinds_of_licence((data or b"").decode("utf8", "ignore"))
        if path.count("/") <= 1:
            kinds.update(found)
        if forbidden:
            restricted.add(os.path.dirname(path))
    return kinds, restricted


def read_repository(job):
    """Write one repository's files; returns a line for the log."""
    row, arguments = job
    name, commit = row["repository"], row["commit"]
    repository = find_mirror(arguments.mirrors, name) if arguments.mirrors else None
    if repository is None or not has_commit(repository, commit):
        repository = clone(arguments.clones, name, commit, arguments.depth)
    files = list_files(repository, commit)
    kinds, restricted = read_licences(repository, files)
    if not kinds.intersection(row["licence"].split(" OR ")):
        return f"{name}\tREFUSED\tlicence {row['licence']} not found in its files: {sorted(kinds)}"
    if "" in restricted and not row["note"]:
        return f"{name}\tREFUSED\tits root names a licence that is not permissive"
    restricted.discard("")
    files = [item for item in files if not item[0].startswith(tuple(folder + "/" for folder in restricted))]
    chosen = choose_files(files)
    written = 0
    destination = Path(arguments.out) / (name.replace("/", "+") + ".jsonl")
    with open(destination, "w", encoding="utf8") as out:
        blobs = read_blobs(repository, [blob for _, _, blob in chosen])
        for (path, language, _), data in zip(chosen, blobs, strict=True):
            text = readable(data)
            if text is not None:
                out.write(json.dumps({"path": path, "language": language, "text": text}) + "\n")
                written += 1
    left_out = f", without {sorted(restricted)[:5]}" if restricted else ""
    return f"{name}\t{commit[:12]}\t{'/'.join(sorted(kinds))}\t{written} files{left_out}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", default=HERE / "repositories.tsv")
    parser.add_argument("--mirrors", help="folder of local mirrors, OWNER+NAME/repo")
    parser.add_argument("--clones", default="clones", help="where to clone what is in no mirror")
    parser.add_argument("--depth", type=int, default=1, help="commits of history to clone")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    Path(arguments.out).mkdir(parents=True, exist_ok=True)
    rows = [row for row in read_table(arguments.table) if not row["excluded"]]
    with Pool(2) as pool:
        for line in pool.imap(read_repository, [(row, arguments) for row in rows]):
            print(line, flush=True)


if __name__ == "__main__":
    main()
