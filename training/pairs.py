"""Step 3: mine (query, body) pairs from the corpus.

usage: pairs.py --corpus WORK/corpus --out WORK/pairs [--history DIR ...]

Kinds of pair, each of which training can leave out:
  doc        first sentence or paragraph of a doc comment -> the definition below it
  module     the comment at the head of a file            -> the beginning of the file
  content    the comment at the head of a file, or of its
             first documented type                        -> a later piece of the file
  comment    a comment inside code                        -> the lines after it
  name       the words of a defined name                  -> its definition, half of them with the name masked
  path       the words of a path                          -> a piece of the file
  neighbour  a piece of a file                            -> another piece of it
  heading    a heading of a document                      -> its section
  example    the paragraph before a code block            -> the code
  paragraph  a paragraph's first sentence                 -> another paragraph of the section
  commit     subject of a commit (with --history)         -> a hunk of it
A pair is {"kind", "path", "query", "body"}; `path` is the file of the body. Chance is seeded by the repository's name.
"""

import argparse
import hashlib
import json
import random
import re
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

from corpus import HERE, find_mirror, read_table
from definitions import block, definition_name, read_comment, skip_attributes, summary
from history import commit_pairs
from prose import prose_pairs
from words import path_words_text, split_words

MOST_PAIRS_OF_A_FILE = 60
BOILERPLATE = re.compile(
    r"copyright|licen[sc]e|SPDX|TODO|FIXME|eslint|noqa|rubocop|nolint|generated|warrant|pylint|prettier-ignore", re.I
)
DOCSTRING_DEFINITION = re.compile(
    r"(\s*(?:async\s+)?(?:def|class)\b.*?:[ \t]*(?:#.*)?\n)(\s*)[rRbBuU]*(\"\"\"|''')(.*?)\3[ \t]*\n?", re.DOTALL
)
MODULE_DOCSTRING = re.compile(r"\s*[rRuU]?(\"\"\"|''')(.*?)\1", re.DOTALL)
EMPTY_PATH_WORDS = set(
    "src lib main java org com packages pkg internal core source sources index mod init test tests".split()
)


def usable(query, words, characters=15):
    """Whether a comment says enough to be a query."""
    return len(query) >= characters and len(split_words(query)) >= words and not BOILERPLATE.search(query)


def docstring_pair(lines, start, chance):
    """A Python definition with a docstring: (query, body without the docstring), or None."""
    text = "\n".join(lines[start : start + 70])
    found = DOCSTRING_DEFINITION.match(text)
    if not found or len(found.group(1)) > 600:
        return None
    rest = (found.group(1) + text[found.end() :]).split("\n")
    return summary(found.group(4).split("\n"), chance.random() < 0.7), block(rest, 0)


def head_pairs(path, query, lines, start, chance):
    """What the comment at a file's head describes: the file's beginning, and a later piece of it."""
    yield "module", path, query, "\n".join(lines[start : start + 32])[:900]
    yield from later_pairs(path, query, lines, start, chance)


def later_pairs(path, query, lines, start, chance):
    """What describes a whole file, and a piece of it far from the description."""
    if len(lines) > start + 70:
        later = chance.randrange(start + 32, len(lines) - 20)
        yield "content", path, query, "\n".join(lines[later : later + 25])[:800]


def name_pair(path, name, body, chance):
    """The words of a name as the query; in half of the pairs the name itself is hidden."""
    words = split_words(name)
    if len(words) < 2 or len(body) < 120 or chance.random() > 0.4:
        return
    query = " ".join(words)
    if chance.random() < 0.3:
        context = split_words(path_words_text(path))
        query += " " + context[-1] if context else ""
    hidden = chance.random() < 0.5
    yield "name", path, query, re.sub(r"\b" + re.escape(name) + r"\b", "_", body) if hidden else body


def code_pairs(path, language, text, chance):
    """Pairs from the comments and definitions of one file, in the order of its lines."""
    lines = text.split("\n")
    index, documented = 0, 0
    if language == "python" and (found := MODULE_DOCSTRING.match(text)):
        query = summary(found.group(2).split("\n"), chance.random() < 0.7)
        index = text[: found.end()].count("\n") + 1
        if usable(query, 3, 25):
            yield from head_pairs(path, query, lines, index, chance)
    while index < len(lines):
        comment, after = read_comment(lines, index, language)
        if comment is None:
            name = definition_name(lines[index], language)
            if name:
                body = block(lines, index)
                pair = docstring_pair(lines, index, chance) if language == "python" else None
                if pair and usable(pair[0], 3) and len(pair[1]) > 40:
                    yield "doc", path, *pair
                    body = pair[1]
                yield from name_pair(path, name, body, chance)
            index += 1
            continue
        module = language == "elixir" and "@moduledoc" in lines[index]
        target = skip_attributes(lines, after, language)
        name = definition_name(lines[target], language) if target < len(lines) and not module else None
        query = summary(comment, chance.random() < 0.7)
        if name:
            body = block(lines, target)
            if usable(query, 3) and len(body) > 40:
                yield "doc", path, query, body
                if not documented and not lines[target][:1].isspace():
                    yield from later_pairs(path, query, lines, target, chance)
                documented += 1
            yield from name_pair(path, name, body, chance)
            after = target + 1
        elif module or index < 6 or (index < 40 and not documented):
            if usable(query, 4, 40) and not BOILERPLATE.search(" ".join(comment)):
                yield from head_pairs(path, query, lines, after, chance)
        elif chance.random() < 0.3 and usable(query, 4, 25) and not re.search(r"[;{}=]\s*$", query):
            body = "\n".join(lines[after : after + 14])[:500]
            if len(body) > 60:
                yield "comment", path, query, body
        index = max(after, index + 1)


def content_pairs(path, text, chance):
    """Pairs that need no comment: the path's words and pieces of the file, and pieces with each other."""
    lines = text.split("\n")
    path_query = " ".join(word for word in split_words(path_words_text(path)) if word not in EMPTY_PATH_WORDS)
    if len(text) > 500 and path_query:
        for _ in range(2 if len(text) < 6000 else 4):
            start = chance.randrange(0, max(1, len(lines) - 15))
            body = "\n".join(lines[start : start + 25])[:800]
            if len(split_words(body)) > 25:
                yield "path", path, path_query, body
    if len(lines) > 60:
        first, second = chance.randrange(0, len(lines) // 2), chance.randrange(len(lines) // 2, len(lines) - 8)
        query = "\n".join(lines[first : first + 12])[:400]
        body = "\n".join(lines[second : second + 25])[:800]
        if len(split_words(query)) > 15 and len(split_words(body)) > 20:
            yield "neighbour", path, query, body


def file_pairs(file, chance):
    """All pairs of one file, at most a number of them, chosen at random."""
    path, text = file["path"], file["text"]
    if file["language"] == "prose":
        found = list(prose_pairs(path, text, chance))
    else:
        found = list(code_pairs(path, file["language"], text, chance)) + list(content_pairs(path, text, chance))
    return found if len(found) <= MOST_PAIRS_OF_A_FILE else chance.sample(found, MOST_PAIRS_OF_A_FILE)


def mine(job):
    """Write one repository's pairs; returns a line for the log."""
    source, commit, arguments = job
    chance = random.Random(hashlib.blake2b(source.stem.encode(), digest_size=8).digest())
    pairs = []
    with open(source, encoding="utf8") as lines:
        for line in lines:
            pairs.extend(file_pairs(json.loads(line), chance))
    name = source.stem.replace("+", "/", 1)
    repository = next(filter(None, (find_mirror(folder, name) for folder in arguments.history)), None)
    if repository:
        pairs.extend(commit_pairs(repository, commit, chance))
    seen, kinds = set(), Counter()
    with open(Path(arguments.out) / source.name, "w", encoding="utf8") as out:
        for kind, path, query, body in pairs:
            key = (query, body[:200])
            if key not in seen:
                seen.add(key)
                kinds[kind] += 1
                out.write(json.dumps({"kind": kind, "path": path, "query": query, "body": body}) + "\n")
    return f"{source.stem}\t{sum(kinds.values())}\t" + " ".join(f"{kind}:{n}" for kind, n in sorted(kinds.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--history", action="append", default=[], help="mirrors or clones whose commits are mined too")
    parser.add_argument("--table", default=HERE / "repositories.tsv")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    sources = sorted(arguments.corpus.glob("*.jsonl"), key=lambda path: (-path.stat().st_size, path.name))
    commits = {row["repository"].replace("/", "+"): row["commit"] for row in read_table(arguments.table)}
    jobs = [(source, commits[source.stem], arguments) for source in sources]
    with Pool(2) as pool:
        for line in pool.imap_unordered(mine, jobs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
