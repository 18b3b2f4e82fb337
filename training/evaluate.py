"""Step 10: measure a model file.

usage: evaluate.py --model static.bin --cache WORK/evaluation
           [--trees DIR --queries queries.jsonl --repositories repositories.json]   labelled questions on source trees
           [--set NAME:QUERIES.jsonl:TREE ...]                                     further labelled sets, whole trees
           [--features WORK/features]                                              pairs of the held-out repositories
           [--path-weight 4]                                                       instead of the model's own

Labelled sets: every source file is cut into pieces of about 750 characters at line ends, a file is as near as its
nearest piece, and the measure is NDCG@10 over files: the mean over the questions of a repository, and of those the
mean over repositories. Held-out pairs: the question's own chunk among all chunks of its kind in the repository;
`unshared` are the doc comments without the words that stand in their own chunk or its path.
"""

import argparse
import json
import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

from encode import Encoder
from features import Counter, load_repository
from train import is_held_out, normalise
from vocabulary import Vocabulary
from words import LANGUAGES, MOST_WORDS, distinct_path_words

PIECE_CHARACTERS = 750
LARGEST_FILE = 500_000
SKIPPED_FOLDERS = {".git", "node_modules", "vendor", "_vendor", "third_party", "deps"}
MOST_HELD_OUT_QUERIES, FEWEST_HELD_OUT, FEWEST_WORDS_LEFT = 300, 30, 4
HELD_OUT_KINDS = ("doc", "heading", "module", "example")


def source_files(tree, root):
    """Paths, relative to the tree, of the files to search."""
    for folder, folders, names in os.walk(Path(tree) / root):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder) / name
            known = LANGUAGES.get(path.suffix.lower())
            if known and not path.is_symlink() and path.stat().st_size <= LARGEST_FILE:
                yield str(path.relative_to(tree))


def cut(text):
    """Pieces of whole lines, of at least 750 characters each but the last."""
    piece, size = [], 0
    for line in text.split("\n"):
        piece.append(line)
        size += len(line) + 1
        if size >= PIECE_CHARACTERS:
            yield "\n".join(piece)
            piece, size = [], 0
    if size > 1:
        yield "\n".join(piece)


def count_tree(tree, root, questions, cache):
    """Word counts of a tree's pieces and of the questions; kept in a file, since they do not depend on the model."""
    if cache.exists():
        stored = np.load(cache)
    else:
        counter, texts, paths, files = Counter(), [], [], list(source_files(tree, root))
        owners = []
        for number, path in enumerate(files):
            content = (Path(tree) / path).read_text(encoding="utf8", errors="ignore")
            pieces = list(cut(content))
            texts += pieces
            paths += [distinct_path_words(path)] * len(pieces)
            owners += [number] * len(pieces)
        parts = {
            "body": counter.rows(texts, MOST_WORDS),
            "path": counter.rows(paths, MOST_WORDS),
            "query": counter.rows(questions, MOST_WORDS),
        }
        arrays = {f"{name}_{n}": array for name, part in parts.items() for n, array in enumerate(part)}
        names = {"words": np.array(list(counter.identifiers)), "files": np.array(files), "owners": np.array(owners)}
        cache.parent.mkdir(parents=True, exist_ok=True)
        np.savez(cache, **arrays, **names)
        stored = np.load(cache)
    words = [str(word) for word in stored["words"]]
    matrices = {}
    for name in ("body", "path", "query"):
        starts, columns, counts = (stored[f"{name}_{n}"] for n in range(3))
        matrices[name] = sparse.csr_matrix((counts, columns, starts), shape=(len(starts) - 1, len(words)))
    return words, matrices, [str(file) for file in stored["files"]], stored["owners"]


class Model:
    """The encoder of a model file, for many texts at once."""

    def __init__(self, path, path_weight):
        encoder = Encoder(path)
        self.vocabulary = Vocabulary(encoder.tokens)
        self.table = encoder.table * encoder.scales[:, None]
        weights = encoder.query_weights * encoder.query_scales
        self.query_table = encoder.query_table * weights[:, None]
        self.path_weight = encoder.path_weight if path_weight is None else path_weight

    def encode(self, words, matrices):
        """(vectors of the questions, vectors of the chunks)."""
        tokens = self.vocabulary.matrix(words)
        body = (matrices["body"] @ tokens).tocsr()
        body.data = np.sqrt(body.data)
        chunks = (body + self.path_weight * (matrices["path"] @ tokens)) @ self.table
        questions = matrices["query"] @ tokens @ self.query_table
        return normalise(questions)[0], normalise(chunks)[0]


def ndcg(ranked, relevant):
    """NDCG@10 of a list of files against a set of equally relevant ones."""
    gain = sum(1 / np.log2(place + 2) for place, file in enumerate(ranked[:10]) if file in relevant)
    ideal = sum(1 / np.log2(place + 2) for place in range(min(10, len(relevant))))
    return gain / ideal if ideal else 0.0


def rank_files(scores, owners, number):
    """The ten files with the nearest piece."""
    best = np.full(number, -2.0, np.float32)
    np.maximum.at(best, owners, scores)
    return np.argsort(-best, kind="stable")[:10]


def evaluate_set(model, rows, tree, root, cache):
    """(question's id, category, NDCG@10) of labelled questions on one tree."""
    words, matrices, files, owners = count_tree(tree, root, [row["query"] for row in rows], cache)
    questions, chunks = model.encode(words, matrices)
    results = []
    for row, scores in zip(rows, questions @ chunks.T, strict=True):
        relevant = {target["path"] for target in row["relevant"] + row.get("secondary", [])}
        ranked = [files[number] for number in rank_files(scores, owners, len(files))]
        results.append((row.get("id", ""), row.get("category", ""), ndcg(ranked, relevant)))
    return results


def without_shared_words(matrices):
    """The questions without the words of their own chunk and path."""
    own = ((matrices["body"] + matrices["path"]) > 0).astype(np.float32)
    questions = matrices["query"] - matrices["query"].multiply(own)
    questions.eliminate_zeros()
    return questions.tocsr()


def own_chunk_gain(model, words, matrices, asked):
    """Mean NDCG@10 where each asked question's only right answer is its own chunk."""
    questions, chunks = model.encode(words, matrices | {"query": matrices["query"][asked]})
    scores = questions @ chunks.T
    places = (scores > scores[np.arange(len(asked)), asked][:, None]).sum(axis=1)
    return float(np.where(places < 10, 1 / np.log2(places + 2), 0).mean())


def evaluate_held_out(model, folder):
    """Kind -> mean over held-out repositories of NDCG@10 for one right chunk among all of its kind."""
    figures = defaultdict(list)
    for path in sorted(Path(folder).glob("*.npz")):
        if not is_held_out(path.stem):
            continue
        words, all_matrices, kinds, _ = load_repository(path)
        for kind in HELD_OUT_KINDS:
            chosen = np.flatnonzero(kinds == kind)
            if len(chosen) < FEWEST_HELD_OUT:
                continue
            order = np.random.default_rng(0).permutation(len(chosen))
            matrices = {name: matrix[chosen] for name, matrix in all_matrices.items()}
            figures[kind].append(own_chunk_gain(model, words, matrices, order[:MOST_HELD_OUT_QUERIES]))
            if kind == "doc":
                matrices["query"] = without_shared_words(matrices)
                asked = order[np.diff(matrices["query"].indptr)[order] >= FEWEST_WORDS_LEFT][:MOST_HELD_OUT_QUERIES]
                figures["unshared"].append(own_chunk_gain(model, words, matrices, asked))
    return {kind: float(np.mean(values)) for kind, values in figures.items()}


def read_rows(path):
    with open(path, encoding="utf8") as file:
        return [json.loads(line) for line in file if line.strip()]


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def report_labelled(model, arguments):
    """Print the figures of the questions on many repositories."""
    roots = {row["name"]: row["root"] for row in json.loads(Path(arguments.repositories).read_text(encoding="utf8"))}
    grouped = defaultdict(list)
    for row in read_rows(arguments.queries):
        grouped[row["repo"]].append(row)
    figures, categories = {}, defaultdict(lambda: defaultdict(list))
    for name, rows in grouped.items():
        results = evaluate_set(model, rows, Path(arguments.trees) / name, roots[name], arguments.cache / f"{name}.npz")
        figures[name] = mean(value for _, _, value in results)
        for _, category, value in results:
            categories[category][name].append(value)
    parts = [f"{name} {mean(map(mean, repos.values())):.4f}" for name, repos in sorted(categories.items())]
    print(f"labelled NDCG@10 {mean(figures.values()):.4f} ({', '.join(parts)})")
    if arguments.verbose:
        ordered = sorted(figures.items(), key=lambda item: item[1])
        print("  " + " ".join(f"{name}:{value:.3f}" for name, value in ordered))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--trees")
    parser.add_argument("--queries")
    parser.add_argument("--repositories")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--features")
    parser.add_argument("--path-weight", type=float)
    parser.add_argument("--verbose", action="store_true", help="every repository's figure")
    arguments = parser.parse_args()
    model = Model(arguments.model, arguments.path_weight)
    if arguments.queries:
        report_labelled(model, arguments)
    if arguments.features:
        figures = evaluate_held_out(model, arguments.features)
        parts = [f"{kind} {value:.4f}" for kind, value in figures.items()]
        print(f"held-out pairs NDCG@10 {mean(figures.values()):.4f} ({', '.join(parts)})")
    further = {}
    for item in arguments.set:
        name, queries, tree = item.split(":")
        results = evaluate_set(model, read_rows(queries), tree, "", arguments.cache / f"set-{name}.npz")
        further[name] = mean(value for _, _, value in results)
    if further:
        print(f"sets NDCG@10 {mean(further.values()):.4f} ({', '.join(f'{n} {v:.4f}' for n, v in further.items())})")


if __name__ == "__main__":
    main()
