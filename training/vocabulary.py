"""Step 6: choose the tokens from the corpus alone.

usage: vocabulary.py --features WORK/features --out WORK/vocabulary.txt [--size 16384]

A token is a word, or a piece that unknown words are cut into. All words of one or two letters and all pairs of
letters are tokens, so that every word can be cut. The rest are words used in at least four repositories and forty
times, by the number of repositories and then by use; and a share of pieces, the beginnings and endings of the words
that were not chosen, by the number of such words in at least two repositories that they would serve.
"""

import argparse
import itertools
import string
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

from encode import pieces
from features import load_repository

FEWEST_REPOSITORIES, FEWEST_USES = 4, 40
MOST_USES_OF_A_REPOSITORY = 20_000
LONGEST_TOKEN = 20
PIECES_SHARE = 0.08
PIECE_LETTERS = range(3, 9)


class Vocabulary:
    """The tokens and the way words become tokens."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.identifiers = {token: identifier for identifier, token in enumerate(tokens)}
        self.longest = max(map(len, tokens))

    def matrix(self, words):
        """A sparse matrix, words by tokens: how much of each token a word is."""
        rows, columns, values = [], [], []
        for row, word in enumerate(words):
            found = pieces(word, self.identifiers, self.longest)
            rows.extend([row] * len(found))
            columns.extend(found)
            values.extend([max(1, len(found)) ** -0.5] * len(found))
        shape = (len(words), len(self.tokens))
        return sparse.csr_matrix((np.array(values, np.float32), (rows, columns)), shape=shape)


def load_vocabulary(path):
    """The vocabulary of a file with a token on each line."""
    return Vocabulary(Path(path).read_text(encoding="ascii").split("\n")[:-1])


def count_words(folder):
    """(uses, repositories) of every word of the corpus; a repository counts at most 20,000 uses of a word."""
    uses, repositories = Counter(), Counter()
    for path in sorted(Path(folder).glob("*.npz")):
        words, matrices, _, _ = load_repository(path)
        totals = sum(np.asarray(matrix.sum(axis=0)).ravel() for matrix in matrices.values())
        for word, total in zip(words, totals, strict=True):
            uses[word] += min(int(total), MOST_USES_OF_A_REPOSITORY)
            repositories[word] += 1
    return uses, repositories


def choose_pieces(words, repositories, number):
    """The beginnings and endings that serve most of the words left over."""
    served = Counter()
    for word, count in repositories.items():
        if word not in words and word.isalpha() and count >= 2:
            for letters in PIECE_LETTERS:
                if letters < len(word):
                    served[word[:letters]] += letters - 1
                    served[word[-letters:]] += letters - 1
    order = sorted(served.items(), key=lambda item: (-item[1], item[0]))
    return [piece for piece, _ in order if piece not in words][:number]


def choose(uses, repositories, size):
    """The tokens, sorted."""
    letters = string.ascii_lowercase
    tokens = set(letters) | {"".join(pair) for pair in itertools.product(letters, letters)} | set(string.digits)
    candidates = [
        word
        for word, count in repositories.items()
        if count >= FEWEST_REPOSITORIES and uses[word] >= FEWEST_USES and len(word) <= LONGEST_TOKEN
    ]
    candidates.sort(key=lambda word: (-repositories[word], -uses[word], word))
    number_of_pieces = int(PIECES_SHARE * size)
    for word in candidates:
        if len(tokens) >= size - number_of_pieces:
            break
        tokens.add(word)
    tokens.update(choose_pieces(tokens, repositories, size - len(tokens)))
    return sorted(tokens)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size", type=int, default=16384)
    arguments = parser.parse_args()
    uses, repositories = count_words(arguments.features)
    tokens = choose(uses, repositories, arguments.size)
    arguments.out.write_text("\n".join(tokens) + "\n", encoding="ascii")
    known = set(tokens)
    covered = sum(count for word, count in uses.items() if word in known) / sum(uses.values())
    print(f"{len(uses)} words, {len(tokens)} tokens, {100 * covered:.2f} % of all uses are whole words")


if __name__ == "__main__":
    main()
