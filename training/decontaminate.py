"""Step 2 and 4: keep benchmark text out of the corpus, and prove it on the pairs.

usage: decontaminate.py files --digests FILE WORK/corpus     (before mining: removes copies from the corpus)
       decontaminate.py pairs --digests FILE WORK/pairs      (after mining: removes what is left)
       decontaminate.py proof --digests FILE WORK/pairs      (changes nothing; exit code 1 if a copy is found)

The digest file holds sorted 6-byte little-endian blake2b digests of every line of the benchmark's repositories that
has 40 to 200 characters after white space is folded to single blanks and trimmed. A file with more than 30 % of its
long lines in that set is a copy and is dropped (a licence header at its top is not counted: those are everywhere);
so is a pair whose body has at least four long lines and more than 30 % of them in the set, or whose query is such a
line. A repository that loses more than a quarter of its files is dropped whole.
"""

import argparse
import hashlib
import json
import re
import sys
from multiprocessing import Pool
from pathlib import Path

import numpy as np

COPY_SHARE = 0.30
FEWEST_LINES_FILE, FEWEST_LINES_PAIR = 6, 4
REPOSITORY_SHARE = 0.25
SHORTEST_LINE, LONGEST_LINE = 40, 200

digests = np.empty(0, np.uint64)


def load_digests(path):
    """The sorted digests, widened to 64 bits."""
    packed = np.fromfile(path, np.uint8).reshape(-1, 6)
    wide = np.zeros((len(packed), 8), np.uint8)
    wide[:, :6] = packed
    values = wide.view("<u8").ravel()
    assert bool(np.all(values[1:] > values[:-1])), "the digest file is not sorted"
    return values


def long_lines(text):
    """The lines that are long enough to tell a copy by, white space folded."""
    folded = (" ".join(line.split()) for line in text.split("\n"))
    return [line for line in folded if SHORTEST_LINE <= len(line) <= LONGEST_LINE]


def known_lines(lines):
    """How many of the lines occur in the benchmark."""
    if not lines:
        return 0
    packed = b"".join(hashlib.blake2b(line.encode(), digest_size=6).digest() + b"\0\0" for line in lines)
    values = np.frombuffer(packed, "<u8")
    places = np.minimum(np.searchsorted(digests, values), len(digests) - 1)
    return int((digests[places] == values).sum())


def without_licence_header(text):
    """The text after a first comment block that speaks of a licence or copyright."""
    lines = text.split("\n")
    end = 0
    while end < min(len(lines), 60) and re.match(r"\s*(//|/?\*|#|--|;|\{-|%|<!--|\.\.|$)", lines[end]):
        end += 1
    header = "\n".join(lines[:end])
    return "\n".join(lines[end:]) if re.search(r"licen[sc]e|copyright", header, re.IGNORECASE) else text


def is_copy(text, fewest, share=COPY_SHARE):
    """Whether more than a share of the long lines is known."""
    lines = long_lines(text)
    return len(lines) >= fewest and known_lines(lines) > share * len(lines)


def read_lines(path):
    with open(path, encoding="utf8") as file:
        return [json.loads(line) for line in file]


def write_lines(path, rows):
    with open(path, "w", encoding="utf8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")


def check_files(path):
    """Drop the copies among a repository's files; (name, files, dropped, whether the repository is dropped)."""
    files = read_lines(path)
    kept = [file for file in files if not is_copy(without_licence_header(file["text"]), FEWEST_LINES_FILE)]
    dropped = len(files) - len(kept)
    whole = dropped > REPOSITORY_SHARE * len(files)
    if whole:
        path.unlink()
    elif dropped:
        write_lines(path, kept)
    return path.stem, len(files), dropped, whole


def pair_is_copy(pair):
    """A pair that would teach a piece of the benchmark: its body is a copy, or its query a line of it."""
    query = long_lines(pair["query"])
    return is_copy(pair["body"], FEWEST_LINES_PAIR) or (len(query) > 0 and known_lines(query) == len(query))


def check_pairs(path):
    """(name, pairs, pairs to drop, long lines, known ones among them) and the pairs to keep."""
    pairs = read_lines(path)
    kept = [pair for pair in pairs if not pair_is_copy(pair)]
    lines = [line for pair in kept for line in long_lines(pair["body"])]
    return path.stem, len(pairs), len(pairs) - len(kept), len(lines), known_lines(lines), kept


def drop_pairs(path):
    """Rewrite a repository's pairs without those that are copies."""
    *counts, kept = check_pairs(path)
    if counts[2]:
        write_lines(path, kept)
    return counts


def count_pairs(path):
    """As `drop_pairs`, but only counting."""
    return check_pairs(path)[:5]


def main():
    global digests
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["files", "pairs", "proof"])
    parser.add_argument("--digests", required=True)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    digests = load_digests(arguments.digests)
    work = {"files": check_files, "pairs": drop_pairs, "proof": count_pairs}[arguments.what]
    with Pool(2) as pool:
        results = pool.map(work, sorted(arguments.folder.glob("*.jsonl")), chunksize=1)
    print(f"{len(digests)} digests of benchmark lines; {len(results)} repositories")
    for result in results:
        if result[2]:
            print(*result, sep="\t")
    total = sum(result[1] for result in results)
    dropped = sum(result[2] for result in results)
    if arguments.what == "files":
        print(f"{total} files, {dropped} dropped as copies, {sum(r[3] for r in results)} repositories dropped whole")
        return
    lines, known = sum(r[3] for r in results), sum(r[4] for r in results)
    verb = "found" if arguments.what == "proof" else "dropped"
    print(f"{total} pairs, {dropped} copies {verb}; of {lines} long lines in the other bodies {known} are known "
          f"({100 * known / max(1, lines):.2f} %)")  # fmt: skip
    sys.exit(1 if arguments.what == "proof" and dropped else 0)


if __name__ == "__main__":
    main()
