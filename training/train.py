"""Step 8: train the table of token vectors on the pairs.

usage: train.py --features WORK/features --vocabulary WORK/vocabulary.txt --start WORK/start.npy --out WORK/model.npz

Without --start, vectors begin as random numbers.

Each pair is a question and a chunk; both are sums of token vectors, as in `encode.py`. The loss is the symmetric
cross-entropy of telling a question's own chunk from the other chunks of the batch, and the other way round. A batch
is made of groups of one repository each, so that most of what must be told apart is of the same project; pairs of
one file are not set against each other. A token's vector is the sum of its own row and of rows it shares with the
tokens that begin with the same letters; the sum is what is exported.
"""

import argparse
import hashlib
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

from features import load_repository
from kernels import Adam, contrast_slope, multiply, multiply_transposed
from vocabulary import load_vocabulary
from words import split_words

FEWEST_BODY_TOKENS = 5
WARM_UP_STEPS = 30
PREFIX_LETTERS = range(4, 8)
TEMPLATES = [
    "how does work", "how is implemented", "how are handled", "how to", "where is defined", "where are",
    "what happens when", "which code", "function that", "class for", "the code that", "logic for", "support for",
]  # fmt: skip


def is_held_out(name):
    """Whether a repository is kept from training, for evaluation: about one in twenty, by a digest of its name."""
    return hashlib.blake2b(name.encode(), digest_size=2).digest()[0] % 20 == 7


def load_pairs(folder, vocabulary, arguments, chance):
    """(questions, bodies, paths) as CSR matrices over tokens, and the repository and file of each pair."""
    kinds_wanted = arguments.kinds.split(",")
    parts, repositories, files, kinds, next_file = [], [], [], [], 0
    for number, path in enumerate(sorted(Path(folder).glob("*.npz"))):
        if is_held_out(path.stem):
            continue
        words, matrices, kind, file = load_repository(path)
        tokens = vocabulary.matrix(words)
        chosen = chance.permutation(np.flatnonzero(np.isin(kind, kinds_wanted)))[: arguments.most_pairs]
        query, body, path_words = (matrices[name][chosen] @ tokens for name in ("query", "body", "path"))
        body.data = np.sqrt(body.data)
        path_words = sparse.diags((kind[chosen] != "path").astype(np.float32)) @ path_words
        good = (np.diff(query.indptr) > 0) & (np.diff(body.indptr) >= FEWEST_BODY_TOKENS)
        parts.append((query[good], body[good], path_words[good]))
        repositories.append(np.full(good.sum(), number))
        files.append(file[chosen][good] + next_file)
        kinds.append(kind[chosen][good])
        next_file += int(file.max(initial=0)) + 1
    joined = [sparse.vstack(matrices).tocsr().astype(np.float32) for matrices in zip(*parts, strict=True)]
    return *joined, np.concatenate(repositories), np.concatenate(files), np.concatenate(kinds)


def shared_rows(tokens):
    """A matrix, tokens by shared beginnings of four to seven letters, each row of length one."""
    beginnings = {}
    for token in tokens:
        for letters in PREFIX_LETTERS:
            if len(token) >= letters and token.isalpha():
                beginnings[token[:letters]] = beginnings.get(token[:letters], 0) + 1
    columns = {beginning: column for column, beginning in enumerate(sorted(b for b, n in beginnings.items() if n > 1))}
    rows, places, values = [], [], []
    for row, token in enumerate(tokens):
        own = [columns[token[:n]] for n in PREFIX_LETTERS if n <= len(token) and token[:n] in columns]
        rows.extend([row] * len(own))
        places.extend(own)
        values.extend([max(1, len(own)) ** -0.5] * len(own))
    return sparse.csr_matrix((np.array(values, np.float32), (rows, places)), shape=(len(tokens), max(1, len(columns))))


def template_rows(vocabulary):
    """Sparse rows of the words that questions are dressed in; the first row is empty."""
    counts = [sparse.csr_matrix((1, len(vocabulary.tokens)), dtype=np.float32)]
    for template in TEMPLATES:
        matrix = vocabulary.matrix(split_words(template))
        counts.append(sparse.csr_matrix(matrix.sum(axis=0), dtype=np.float32))
    return sparse.vstack(counts).tocsr()


def make_batches(repositories, batch, group, chance):
    """Cut every repository's pairs into groups, shuffle the groups, and join them into batches."""
    groups = []
    for number in np.unique(repositories):
        members = chance.permutation(np.flatnonzero(repositories == number))
        groups += [members[start : start + group] for start in range(0, len(members), group)]
    order = np.concatenate([groups[place] for place in chance.permutation(len(groups))])
    return [order[start : start + batch] for start in range(0, len(order) - batch // 2, batch)]


def normalise(vectors):
    """(rows of length one, their lengths)."""
    lengths = np.maximum(1e-6, np.linalg.norm(vectors, axis=1, keepdims=True))
    return vectors / lengths, lengths


def contrast(left, right, files, scale):
    """The loss, and its gradients at the two matrices of unit vectors."""
    scores = left @ right.T
    scores *= np.float32(scale)
    loss = contrast_slope(scores, files, np.float32(scale / len(left)))
    return float(loss), scores @ right, scores.T @ left


def through_norm(gradient, unit, lengths):
    """The gradient at a vector, from that at its normalised form."""
    return (gradient - unit * (unit * gradient).sum(axis=1, keepdims=True)) / lengths


class Trainer:
    """The trained tables and one step on them."""

    def __init__(self, vocabulary, frequencies, arguments):
        self.arguments = arguments
        self.chance = np.random.default_rng(arguments.seed)
        size, dimensions = len(vocabulary.tokens), arguments.dimensions
        common = (arguments.rarity / (arguments.rarity + frequencies)).astype(np.float32)[:, None]
        self.shared = shared_rows(vocabulary.tokens)

        def draw(rows):
            return (self.chance.normal(size=(rows, dimensions)) / dimensions**0.5).astype(np.float32)

        share = np.float32(arguments.shared)
        if arguments.start:
            self.own = Adam(np.load(arguments.start) * common)
            self.beginnings = Adam(np.zeros((self.shared.shape[1], dimensions), np.float32))
        else:
            self.own = Adam(draw(size) * common * (1 - share) ** 0.5)
            self.beginnings = Adam(draw(self.shared.shape[1]) * share**0.5 * float(np.median(common)))
        self.difference = Adam(np.zeros((size, dimensions), np.float32), arguments.query_decay)
        self.weights = Adam(np.zeros((size, 1), np.float32))
        self.templates = template_rows(vocabulary)

    def tables(self):
        """(chunk table, query table, query weights)."""
        table = self.own.table
        if self.arguments.shared:
            table = table + multiply(self.shared, self.beginnings.table)
        query_table = table + self.difference.table if self.arguments.query_table else table
        return table, query_table, np.exp(self.weights.table[:, 0])

    def dress(self, questions):
        """Put the words of a question's form around some of the questions."""
        count = questions.shape[0]
        form = self.chance.integers(1, self.templates.shape[0], count)
        form[self.chance.random(count) >= self.arguments.templates] = 0
        return (questions + self.templates[form]).astype(np.float32)

    def with_paths(self, bodies, paths):
        """Bodies with the weighted words of their paths, as the encoder adds them; some are left without."""
        with_path = self.chance.random(bodies.shape[0]) < self.arguments.path_share
        weight = np.where(with_path, self.arguments.path_weight, 0)
        return (bodies + sparse.diags(weight.astype(np.float32)) @ paths).tocsr().astype(np.float32)

    def hide_shared(self, questions, bodies):
        """Some of the bodies without the tokens of their question, so that other words must tell the pair."""
        if not self.arguments.hide_shared:
            return bodies
        hidden = (self.chance.random(bodies.shape[0]) < self.arguments.hide_shared).astype(np.float32)
        asked = questions.copy()
        asked.data = np.ones_like(asked.data)
        shared = bodies.multiply(sparse.diags(hidden) @ asked)
        return (bodies - shared).tocsr().astype(np.float32)

    def step(self, questions, bodies, paths, files, rate):
        """One step of all tables; returns the loss."""
        table, query_table, weights = self.tables()
        bodies = self.hide_shared(questions, self.with_paths(bodies, paths))
        questions = self.dress(questions)
        if self.arguments.dropout:
            bodies.data *= self.chance.random(len(bodies.data)) >= self.arguments.dropout
        weighted = questions.copy()
        weighted.data = weighted.data * weights[weighted.indices]
        left, left_lengths = normalise(multiply(weighted, query_table))
        right, right_lengths = normalise(multiply(bodies, table))
        loss, left_slope, right_slope = contrast(left, right, files, self.arguments.scale)
        query_gradient = multiply_transposed(weighted, through_norm(left_slope, left, left_lengths))
        gradient = query_gradient + multiply_transposed(bodies, through_norm(right_slope, right, right_lengths))
        asked = np.zeros(len(table), bool)
        asked[questions.indices] = True
        touched = asked.copy()
        touched[bodies.indices] = True
        self.weights.update((query_gradient * query_table).sum(axis=1, keepdims=True), asked, rate * 3)
        self.own.update(gradient, touched, rate)
        if self.arguments.shared:
            shared_gradient = multiply_transposed(self.shared, gradient)
            self.beginnings.update(shared_gradient, np.abs(shared_gradient).any(axis=1), rate)
        if self.arguments.query_table:
            self.difference.update(query_gradient, asked, rate * self.arguments.query_rate)
        return loss


def run(trainer, pairs, arguments):
    """All epochs; returns the tables, averaged over the last part of training if asked for."""
    questions, bodies, paths, repositories, files, _ = pairs
    steps = arguments.epochs * max(1, round(len(repositories) / arguments.batch))
    total, averaged, step, began = None, 0, 0, time.time()
    for epoch in range(arguments.epochs):
        losses = []
        for chosen in make_batches(repositories, arguments.batch, arguments.group, trainer.chance):
            step += 1
            rate = arguments.rate * min(1, step / WARM_UP_STEPS) * max(arguments.last_rate, 1 - step / (steps + 1))
            losses.append(trainer.step(questions[chosen], bodies[chosen], paths[chosen], files[chosen], rate))
            if step > steps * arguments.average_from and step % 5 == 0:
                tables = trainer.tables()
                total = tables if total is None else [sum_ + table for sum_, table in zip(total, tables, strict=True)]
                averaged += 1
            if step % 100 == 0:
                print(f"step {step}/{steps} loss {np.mean(losses[-100:]):.4f} {time.time() - began:.0f} s", flush=True)
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, {step} steps, {time.time() - began:.0f} s", flush=True)
    return [table / averaged for table in total] if averaged else trainer.tables()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    option = parser.add_argument
    option("--features", required=True)
    option("--vocabulary", required=True)
    option("--out", required=True)
    option("--start", help="first vectors, of start.py, instead of random ones")
    option("--kinds", default="doc,module,content,comment,name,path,neighbour,heading,example,paragraph,commit")
    option("--most-pairs", type=int, default=9000, help="of one repository")
    option("--dimensions", type=int, default=256)
    option("--epochs", type=int, default=1)
    option("--batch", type=int, default=1024)
    option("--group", type=int, default=512, help="pairs of one repository in a batch")
    option("--rate", type=float, default=6e-3)
    option("--last-rate", type=float, default=0.03)
    option("--scale", type=float, default=20.0)
    option("--rarity", type=float, default=1e-3, help="a token of this share of all uses starts at half length")
    option("--path-weight", type=float, default=3.0)
    option("--path-share", type=float, default=0.6, help="share of the pairs whose chunk has its path")
    option("--templates", type=float, default=0.3, help="share of the questions put into a form")
    option("--hide-shared", type=float, default=0.0, help="share of the chunks that lose the tokens of their question")
    option("--shared", type=float, default=0.5, help="share of a vector that tokens of the same beginning start with")
    option("--query-table", action="store_true", help="learn a second table for questions")
    option("--query-decay", type=float, default=0.0)
    option("--query-rate", type=float, default=0.3)
    option("--dropout", type=float, default=0.0)
    option("--average-from", type=float, default=1.0, help="share of the steps after which tables are averaged")
    option("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(vars(arguments), flush=True)
    vocabulary = load_vocabulary(arguments.vocabulary)
    began = time.time()
    pairs = load_pairs(arguments.features, vocabulary, arguments, np.random.default_rng(arguments.seed))
    kinds, counts = np.unique(pairs[5], return_counts=True)
    used = dict(zip(kinds.tolist(), counts.tolist(), strict=True))
    print(f"{len(pairs[5])} pairs of {len(np.unique(pairs[3]))} repositories {used}", flush=True)
    print(f"loaded in {time.time() - began:.0f} s", flush=True)
    uses = sum(np.asarray(matrix.sum(axis=0)).ravel() for matrix in pairs[:2]) + 1
    table, query_table, weights = run(Trainer(vocabulary, uses / uses.sum(), arguments), pairs, arguments)
    np.savez(arguments.out, table=table, query_table=query_table, weights=weights, two=arguments.query_table)


if __name__ == "__main__":
    main()
