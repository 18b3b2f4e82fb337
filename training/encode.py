"""The reference encoder: reads `static.bin` and turns queries and chunks into vectors. A port must give the same.

usage: encode.py static.bin query TEXT
       encode.py static.bin chunk TEXT [PATH]
       encode.py static.bin check golden.jsonl

The file, little-endian: the magic `LOREEMB1`; six u32: number of tokens V, dimensions D, the most words of a text,
the weighting of counts in chunks (0 the count, 1 its square root, 2 one plus its logarithm), number of tables (1, or
2 when queries have their own), bytes of the token list; one f32, the weight of path words; one u32 that is 0. Then
V f32 scales of the rows, V f32 query weights, V*D i8, with a second table V f32 and V*D i8 more, and at last the
tokens in the order of their ids, each followed by a line feed.
"""

import json
import math
import struct
import sys
from pathlib import Path

import numpy as np

from words import distinct_path_words, split_words

MAGIC = b"LOREEMB1"
HEADER = "<8s6IfI"
TOLERANCE = 1e-4
WEIGHTINGS = [lambda count: count, math.sqrt, lambda count: 1 + math.log(count)]


def pieces(word, identifiers, longest):
    """Token ids of a word: itself if known, else the longest known prefixes (two letters at least), one by one.

    Letters that begin no known prefix are skipped; an unknown number is nothing.
    """
    if word in identifiers:
        return [identifiers[word]]
    if word[0].isdigit():
        return []
    found, start = [], 0
    while start < len(word):
        for end in range(min(len(word), start + longest), start + 1, -1):
            if word[start:end] in identifiers:
                found.append(identifiers[word[start:end]])
                start = end
                break
        else:
            start += 1
    return found


class Encoder:
    """A model file in memory."""

    def __init__(self, path):
        data = Path(path).read_bytes()
        header = struct.unpack_from(HEADER, data)
        magic, size, dimensions, most_words, weighting, tables, token_bytes, path_weight, zero = header
        assert magic == MAGIC and zero == 0 and tables in (1, 2)
        position = struct.calcsize(HEADER)

        def take(kind, count):
            nonlocal position
            values = np.frombuffer(data, kind, count, position)
            position += values.nbytes
            return values

        self.scales, self.query_weights = take("<f4", size), take("<f4", size)
        self.table = take("i1", size * dimensions).reshape(size, dimensions)
        self.query_scales, self.query_table = self.scales, self.table
        if tables == 2:
            self.query_scales = take("<f4", size)
            self.query_table = take("i1", size * dimensions).reshape(size, dimensions)
        assert len(data) == position + token_bytes
        self.tokens = data[position:].decode("ascii").split("\n")[:-1]
        assert len(self.tokens) == size
        self.identifiers = {token: identifier for identifier, token in enumerate(self.tokens)}
        self.longest = max(map(len, self.tokens))
        self.dimensions, self.most_words, self.path_weight = dimensions, most_words, path_weight
        self.weighting = WEIGHTINGS[weighting]

    def counts(self, text):
        """Token id -> summed count; each of the k pieces of a cut word counts 1/sqrt(k)."""
        counted = {}
        for word in split_words(text, self.most_words):
            found = pieces(word, self.identifiers, self.longest)
            for token in found:
                counted[token] = counted.get(token, 0.0) + 1.0 / math.sqrt(len(found))
        return counted

    def pool(self, weights, scales, table):
        """The weighted sum of rows, of length one; zero if there is nothing to sum."""
        vector = np.zeros(self.dimensions, np.float32)
        for token in sorted(weights):
            vector += np.float32(weights[token] * scales[token]) * table[token].astype(np.float32)
        length = float(np.linalg.norm(vector))
        return vector / length if length > 0 else vector

    def encode_query(self, text):
        """The vector of a question."""
        weights = {token: count * float(self.query_weights[token]) for token, count in self.counts(text).items()}
        return self.pool(weights, self.query_scales, self.query_table)

    def encode_chunk(self, text, path=""):
        """The vector of a piece of a file; the words of its path are added with a weight of their own."""
        weights = {token: self.weighting(count) for token, count in self.counts(text).items()}
        for token, count in self.counts(distinct_path_words(path)).items():
            weights[token] = weights.get(token, 0.0) + self.path_weight * count
        return self.pool(weights, self.scales, self.table)


def check(encoder, path):
    """Compare the vectors of a golden file; returns the number of texts and the largest difference."""
    count, worst = 0, 0.0
    with open(path, encoding="utf8") as file:
        for line in file:
            row = json.loads(line)
            encode = encoder.encode_query if row["kind"] == "query" else encoder.encode_chunk
            arguments = [row["text"]] if row["kind"] == "query" else [row["text"], row["path"]]
            vector = encode(*arguments)
            worst = max(worst, max(abs(float(a) - b) for a, b in zip(vector, row["v"], strict=False)))
            count += 1
    return count, worst


def main():
    encoder = Encoder(sys.argv[1])
    if sys.argv[2] == "check":
        count, worst = check(encoder, sys.argv[3])
        print(f"{count} texts, largest difference {worst:.2e}")
        sys.exit(0 if worst <= TOLERANCE else 1)
    vector = encoder.encode_query(sys.argv[3]) if sys.argv[2] == "query" else encoder.encode_chunk(*sys.argv[3:5])
    print(" ".join(f"{value:.7f}" for value in vector))


if __name__ == "__main__":
    main()
