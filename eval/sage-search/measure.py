"""Measures how often `lore search --as sage` ranks a right document first, for questions and for keywords.

Usage: python3 measure.py LORE CLONE CACHE [--show]

CLONE is a clone of the repository that README.md names, and CACHE a directory for the index. A query
counts with the rank of its first right hit among twenty; a commit is `git:` and the beginning of its hash.
`--show` also prints the first three hits of each query whose first hit is wrong.
"""

import json
import pathlib
import subprocess
import sys

LIMIT = 20


def ranked(lore, clone, cache, query):
    """The hits of an answer, best first: each a list of the documents with that text."""
    command = [lore, "search", "--as", "sage", "--json", "--limit", str(LIMIT), "--cache-dir", cache, "--", query]
    run = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{query}: {run.stderr}")
    # The same text elsewhere is one hit, which names the other places as `source:path`.
    return [
        [hit["path"], *(place.split(":", 1)[1] for place in hit["also_found_in"])]
        for hit in json.loads(run.stdout)["results"]
    ]


def is_right(documents, relevant):
    """Whether one of the documents is labelled; a commit is labelled by the beginning of its hash."""
    return any(
        document == label or (label.startswith("git:") and document.startswith(label))
        for document in documents
        for label in relevant
    )


def main():
    lore = str(pathlib.Path(sys.argv[1]).resolve())
    clone = pathlib.Path(sys.argv[2])
    cache = str(pathlib.Path(sys.argv[3]).resolve())
    lines = (pathlib.Path(__file__).parent / "queries.jsonl").read_text().splitlines()
    queries = [json.loads(line) for line in lines if line]
    subprocess.run([lore, "index", "--all-history", "--cache-dir", cache], cwd=clone, capture_output=True, check=True)

    ranks = {}
    for query in queries:
        hits = ranked(lore, clone, cache, query["query"])
        right = [rank for rank, names in enumerate(hits, 1) if is_right(names, query["relevant"])]
        rank = right[0] if right else None
        for group in ((query["category"], "all"), (query["category"], query["source"])):
            ranks.setdefault(group, []).append(rank)
        if "--show" in sys.argv and rank != 1:
            print(f"{query['id']} rank {rank or '-'} of {len(hits)}: {query['query']}")
            for names in hits[:3]:
                print(f"    {' = '.join(names)}")
            print(f"    right: {', '.join(query['relevant'])}")

    print("| queries | of | number | top 1 | top 3 | MRR |\n|---|---|---:|---:|---:|---:|")
    for (category, source), found in sorted(ranks.items()):
        first = sum(rank == 1 for rank in found) / len(found)
        three = sum(rank is not None and rank <= 3 for rank in found) / len(found)
        mrr = sum(1 / rank for rank in found if rank) / len(found)
        print(f"| {category} | {source} | {len(found)} | {first:.3f} | {three:.3f} | {mrr:.3f} |")


main()
