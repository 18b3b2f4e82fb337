"""Step 5: words of the pairs as counts, so that vocabularies and training runs need not read text again.

usage: features.py --pairs WORK/pairs --out WORK/features

One .npz a repository: its words, and for every pair sparse rows of word counts for the query, the body and the path,
the pair's kind and its file.
"""

import argparse
import json
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

from words import MOST_WORDS, path_words_text, split_words

MOST_QUERY_WORDS = 60


class Counter:
    """Collects sparse rows of word counts over one growing list of words."""

    def __init__(self):
        self.identifiers = {}

    def rows(self, texts, limit):
        """A CSR matrix with a row for each text; the number of columns is that of the words known at the end."""
        starts, columns, counts = [0], [], []
        for text in texts:
            row = {}
            for word in split_words(text, limit):
                identifier = self.identifiers.setdefault(word, len(self.identifiers))
                row[identifier] = row.get(identifier, 0) + 1
            columns.extend(row)
            counts.extend(row.values())
            starts.append(len(columns))
        return np.array(starts), np.array(columns, np.int32), np.array(counts, np.float32)

    def matrix(self, parts):
        """The CSR matrix of rows counted before."""
        starts, columns, counts = parts
        return sparse.csr_matrix((counts, columns, starts), shape=(len(starts) - 1, len(self.identifiers)))


def count_repository(job):
    """Count one repository's pairs."""
    source, out = job
    with open(source, encoding="utf8") as file:
        pairs = [json.loads(line) for line in file]
    counter = Counter()
    parts = {
        "query": counter.rows((pair["query"] for pair in pairs), MOST_QUERY_WORDS),
        "body": counter.rows((pair["body"] for pair in pairs), MOST_WORDS),
        "path": counter.rows((path_words_text(pair["path"]) for pair in pairs), MOST_WORDS),
    }
    files = {}
    arrays = {
        "words": np.array(list(counter.identifiers)),
        "kinds": np.array([pair["kind"] for pair in pairs]),
        "files": np.array([files.setdefault(pair["path"], len(files)) for pair in pairs], np.int32),
    }
    for name, (starts, columns, counts) in parts.items():
        arrays |= {f"{name}_starts": starts, f"{name}_columns": columns, f"{name}_counts": counts}
    np.savez(Path(out) / source.stem, **arrays)
    return len(pairs)


def load_repository(path):
    """(words, {"query", "body", "path"} -> CSR of word counts, kinds, files) of one repository."""
    arrays = np.load(path)
    words = [str(word) for word in arrays["words"]]
    matrices = {}
    for name in ("query", "body", "path"):
        starts = arrays[f"{name}_starts"]
        matrices[name] = sparse.csr_matrix(
            (arrays[f"{name}_counts"], arrays[f"{name}_columns"], starts), shape=(len(starts) - 1, len(words))
        )
    return words, matrices, arrays["kinds"], arrays["files"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    sources = sorted(arguments.pairs.glob("*.jsonl"), key=lambda path: -path.stat().st_size)
    with Pool(2) as pool:
        total = sum(pool.imap_unordered(count_repository, [(source, arguments.out) for source in sources]))
    print(f"{total} pairs of {len(sources)} repositories")


if __name__ == "__main__":
    main()
