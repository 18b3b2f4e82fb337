"""Step 7: first vectors of the tokens, from which tokens stand together in the corpus; no other source.

usage: start.py --features WORK/features --vocabulary WORK/vocabulary.txt --out WORK/start.npy [--dimensions 256]

Counts in how many chunks two tokens stand together, turns that into positive pointwise mutual information and keeps
the strongest directions of it (a truncated singular value decomposition, found from seeded random vectors). A token
that training sees seldom then begins beside its like instead of anywhere.
"""

import argparse
from pathlib import Path

import numba
import numpy as np
import scipy.sparse as sparse

from features import load_repository
from train import is_held_out
from vocabulary import load_vocabulary

SMOOTHING = 0.75
SPARE_DIRECTIONS = 32
POWER_STEPS = 2
MOST_PAIRS = 4000


@numba.njit(parallel=True, cache=True)
def count_together(chunk_starts, chunk_tokens, token_starts, token_chunks, values, size):
    """together[a, b] = sum over chunks of the product of the tokens' values there."""
    together = np.zeros((size, size), np.float32)
    for token in numba.prange(size):
        row = together[token]
        for place in range(token_starts[token], token_starts[token + 1]):
            chunk = token_chunks[place]
            share = values[chunk]
            for entry in range(chunk_starts[chunk], chunk_starts[chunk + 1]):
                row[chunk_tokens[entry]] += share
        row[token] = 0
    return together


def load_chunks(folder, vocabulary, seed):
    """CSR of the tokens of chunks (question and body together), of the repositories that are trained on."""
    chance, parts = np.random.default_rng(seed), []
    for path in sorted(Path(folder).glob("*.npz")):
        if not is_held_out(path.stem):
            words, matrices, kinds, _ = load_repository(path)
            chosen = chance.permutation(len(kinds))[:MOST_PAIRS]
            parts.append((matrices["body"][chosen] + matrices["query"][chosen]) @ vocabulary.matrix(words))
    return sparse.vstack(parts).tocsr()


def mutual_information(together):
    """Positive pointwise mutual information, in place; the context's frequency is smoothed."""
    sums = together.sum(axis=1, dtype=np.float64) + 1e-9
    contexts = sums**SMOOTHING
    contexts /= contexts.sum()
    for row in range(len(together)):
        with np.errstate(divide="ignore"):
            together[row] = np.maximum(0, np.log(together[row] / (sums[row] * contexts).astype(np.float32)))
    return together


def strongest_directions(matrix, dimensions, seed):
    """Rows of U * sqrt(S) of the truncated singular value decomposition, each of length one."""
    chance = np.random.default_rng(seed)
    basis = chance.normal(size=(len(matrix), dimensions + SPARE_DIRECTIONS)).astype(np.float32)
    for _ in range(POWER_STEPS):
        basis, _ = np.linalg.qr(matrix @ basis)
        basis, _ = np.linalg.qr(matrix.T @ basis)
    image = matrix @ basis
    left, strengths, _ = np.linalg.svd(image, full_matrices=False)
    vectors = left[:, :dimensions] * np.sqrt(strengths[:dimensions])
    turn, _ = np.linalg.qr(chance.normal(size=(dimensions, dimensions)))
    vectors = vectors @ turn
    return (vectors / np.maximum(1e-9, np.linalg.norm(vectors, axis=1, keepdims=True))).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--features", required=True)
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    vocabulary = load_vocabulary(arguments.vocabulary)
    chunks = load_chunks(arguments.features, vocabulary, arguments.seed)
    lengths = np.diff(chunks.indptr)
    by_token = chunks.tocsc()
    share = (1 / np.maximum(1, lengths)).astype(np.float32)
    together = count_together(
        chunks.indptr, chunks.indices, by_token.indptr, by_token.indices, share, len(vocabulary.tokens)
    )
    print(f"{len(lengths)} chunks, {chunks.nnz} tokens in them", flush=True)
    vectors = strongest_directions(mutual_information(together), arguments.dimensions, arguments.seed)
    np.save(arguments.out, vectors)
    show_neighbours(vocabulary, vectors)


def show_neighbours(vocabulary, vectors):
    """Print the nearest tokens of a few, for the eye."""
    for word in ("route", "mutex", "json", "cookie", "retry"):
        if word in vocabulary.identifiers:
            near = np.argsort(-(vectors @ vectors[vocabulary.identifiers[word]]))[1:7]
            print(word, "->", " ".join(vocabulary.tokens[place] for place in near))


if __name__ == "__main__":
    main()
