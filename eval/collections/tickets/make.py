#!/usr/bin/env python3
"""Make a collection out of the tickets of a tree that are kept the way sage does.

A ticket of `.sage/tickets/index.json` names the documents that it belongs to, in
`docs` or in `context`. That is a label which somebody gave at work: who holds the
ticket and looks for its specification is right with one of these documents.

* What is asked is the title of a ticket and, where there is one, its description.
* Right are the documents that the ticket names, as far as they exist. Tickets with
  the same text are one question, for which the documents of all of them are right.
* The paths that serve as labels are taken out of every text of the copy that is
  searched and out of the questions: nothing may be found by them.

    python3 make.py TREE OUT                 # writes OUT, which must not exist
    python3 make.py TREE OUT --field spec    # only the specification is right
    lore eval OUT --measure Success@3,Success@1,nDCG@10

OUT belongs outside this repository: it holds a copy of somebody else's tree. The
script needs nothing but Python. Its exit code is 1 if the tree has no labelled
ticket, and 2 if the arguments are wrong.
"""

import argparse
import json
import sys
from pathlib import Path

LARGEST = 1_000_000
"""Files of more bytes are no documents, and are not copied."""

FIELDS = {"spec": "spec", "specs": "spec", "plan": "plan", "plans": "plan", "tasks": "tasks"}
"""What the fields of a ticket are called, and which of the three they name."""

MANIFEST = """name = "{name}"
description = "Tickets and the documents that they name."
# Tickets hold the questions word by word, and the history holds the tickets.
sources = ["docs", "specs"]
"""


def labels(ticket, wanted):
    """The documents that a ticket names, in the order of its fields."""
    named = []
    for place in ("docs", "context"):
        fields = ticket.get(place)
        for field, value in fields.items() if isinstance(fields, dict) else ():
            kind = FIELDS.get(field)
            if kind and isinstance(value, str) and (wanted is None or kind == wanted):
                # A section after the path (`spec.md#goals`) is of no interest here.
                named.append(value.split("#")[0].strip())
    return list(dict.fromkeys(named))


def without(text, strings):
    """The text without the strings, the longest first, as one may start another."""
    for string in sorted(strings, key=len, reverse=True):
        text = text.replace(string, "")
    return text


def copy(tree, out, strings):
    """Copies the texts of a tree without its history and without the strings."""
    for source in sorted(tree.rglob("*")):
        relative = source.relative_to(tree)
        if ".git" in relative.parts or source.is_symlink() or not source.is_file():
            continue
        if source.stat().st_size > LARGEST:
            continue
        try:
            text = source.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        target = out / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(without(text, strings), encoding="utf-8")


def main():
    """Makes one collection."""
    parser = argparse.ArgumentParser(description="Make a collection out of sage tickets.")
    parser.add_argument("tree", type=Path, help="a tree with .sage/tickets/index.json")
    parser.add_argument("out", type=Path, help="the folder that is written")
    parser.add_argument("--field", choices=sorted(set(FIELDS.values())), help="only this is right")
    arguments = parser.parse_args()
    if arguments.out.exists():
        parser.error(f"{arguments.out} exists already")
    index = arguments.tree / ".sage" / "tickets" / "index.json"
    try:
        tickets = json.loads(index.read_text(encoding="utf-8"))["tickets"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.error(f"{index} holds no tickets: {error}")

    strings = {path for ticket in tickets for path in labels(ticket, None)}
    questions = {}
    for ticket in tickets:
        right = [path for path in labels(ticket, arguments.field) if (arguments.tree / path).is_file()]
        words = without(f"{ticket.get('title', '')} {ticket.get('description', '')}", strings)
        text = " ".join(words.split())
        if not right or not text:
            continue
        identifier, known = questions.setdefault(text, (ticket["id"], []))
        known.extend(path for path in right if path not in known)
    if not questions:
        print("no ticket names a document that exists", file=sys.stderr)
        return 1

    copy(arguments.tree, arguments.out / "corpus", strings)
    manifest = MANIFEST.format(name=arguments.out.name)
    (arguments.out / "collection.toml").write_text(manifest, encoding="utf-8")
    with (
        (arguments.out / "queries.jsonl").open("w", encoding="utf-8") as queries,
        (arguments.out / "qrels.txt").open("w", encoding="utf-8") as qrels,
    ):
        for text, (identifier, right) in questions.items():
            row = {"id": identifier, "category": "ticket", "query": text}
            queries.write(json.dumps(row, ensure_ascii=False) + "\n")
            qrels.writelines(f"{identifier} 0 {path} 1\n" for path in right)
    print(f"{len(questions)} questions from {len(tickets)} tickets")
    return 0


if __name__ == "__main__":
    sys.exit(main())
