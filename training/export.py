"""Step 9: quantise a trained model to eight bits and write `static.bin`, and texts with their vectors to check ports.

usage: export.py --model WORK/model.npz --vocabulary WORK/vocabulary.txt --out FOLDER [--path-weight 4]
"""

import argparse
import hashlib
import json
import struct
from pathlib import Path

import numpy as np

from encode import HEADER, MAGIC, Encoder
from golden import CHUNKS, QUERIES
from vocabulary import load_vocabulary
from words import MOST_WORDS

SQUARE_ROOT = 1
FULL_VECTORS = 4


def quantise(table):
    """(i8 rows, f32 scale of each row), the largest value of a row being 127."""
    scales = np.maximum(np.abs(table).max(axis=1) / 127, 1e-12).astype("<f4")
    return np.clip(np.rint(table / scales[:, None]), -127, 127).astype(np.int8), scales


def write_model(path, tokens, tables, weights, path_weight):
    """Write the one-file format that `encode.py` describes."""
    listed = "".join(token + "\n" for token in tokens).encode("ascii")
    size, dimensions = tables[0].shape
    header = struct.pack(
        HEADER, MAGIC, size, dimensions, MOST_WORDS, SQUARE_ROOT, len(tables), len(listed), path_weight, 0
    )
    (first, first_scales), *second = [quantise(table) for table in tables]
    parts = [header, first_scales.tobytes(), weights.astype("<f4").tobytes(), first.tobytes()]
    for table, scales in second:
        parts += [scales.tobytes(), table.tobytes()]
    path.write_bytes(b"".join([*parts, listed]))


def write_golden(path, encoder):
    """Texts and the first eight values of their vectors; every fourth with all values."""
    rows = [("query", text, "") for text in QUERIES] + [("chunk", text, where) for where, text in CHUNKS]
    with open(path, "w", encoding="utf8") as out:
        for number, (kind, text, where) in enumerate(rows):
            vector = encoder.encode_query(text) if kind == "query" else encoder.encode_chunk(text, where)
            shown = vector if number % FULL_VECTORS == 0 else vector[:8]
            values = [round(float(value), 7) for value in shown]
            out.write(json.dumps({"kind": kind, "text": text, "path": where, "v": values}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--path-weight", type=float, default=4.0)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    model = np.load(arguments.model)
    tables = [model["table"], model["query_table"]] if model["two"] else [model["table"]]
    tokens = load_vocabulary(arguments.vocabulary).tokens
    destination = arguments.out / "static.bin"
    write_model(destination, tokens, tables, model["weights"], arguments.path_weight)
    write_golden(arguments.out / "golden.jsonl", Encoder(destination))
    digest = hashlib.sha256(destination.read_bytes()).hexdigest()
    (arguments.out / "static.bin.sha256").write_text(f"{digest}  static.bin\n")
    print(f"{destination}: {destination.stat().st_size} bytes")


if __name__ == "__main__":
    main()
