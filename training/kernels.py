"""The inner loops of training, compiled: sparse rows times a table, the slope of the loss, Adam on touched rows.

Every output row is written by one thread, so results do not depend on the number of threads.
"""

import numba
import numpy as np
import scipy.sparse as sparse

OPTIONS = {"parallel": True, "fastmath": True, "cache": True}
STRIPE = 64
FIRST_DECAY, SECOND_DECAY, TINY = 0.9, 0.98, 1e-8


@numba.njit(**OPTIONS)
def _multiply(starts, columns, values, table, out):
    for row in numba.prange(len(starts) - 1):
        for place in range(table.shape[1]):
            out[row, place] = 0
        for entry in range(starts[row], starts[row + 1]):
            column, value = columns[entry], values[entry]
            for place in range(table.shape[1]):
                out[row, place] += value * table[column, place]


@numba.njit(**OPTIONS)
def contrast_slope(scores, files, factor):
    """Turn scores of all left with all right rows into the slope of the symmetric cross-entropy, in place.

    Row i belongs to column i. Other columns of the same file count neither for nor against. The slope is multiplied
    by the factor; the loss is returned.
    """
    size = scores.shape[0]
    own = np.empty(size, np.float32)
    rows, columns = np.empty(size, np.float32), np.empty(size, np.float32)
    for row in numba.prange(size):
        own[row] = scores[row, row]
        for column in range(size):
            if column != row and files[row] == files[column]:
                scores[row, column] = -1e4
        highest = scores[row].max()
        total = np.float32(0)
        for column in range(size):
            total += np.exp(scores[row, column] - highest)
        rows[row] = highest + np.log(total)
    for block in numba.prange((size + STRIPE - 1) // STRIPE):
        first, last = block * STRIPE, min(size, (block + 1) * STRIPE)
        highest, total = np.full(last - first, np.float32(-1e9)), np.zeros(last - first, np.float32)
        for row in range(size):
            for place in range(last - first):
                highest[place] = max(highest[place], scores[row, first + place])
        for row in range(size):
            for place in range(last - first):
                total[place] += np.exp(scores[row, first + place] - highest[place])
        for place in range(last - first):
            columns[first + place] = highest[place] + np.log(total[place])
    half = np.float32(factor * 0.5)
    for row in numba.prange(size):
        for column in range(size):
            score = scores[row, column]
            scores[row, column] = half * (np.exp(score - rows[row]) + np.exp(score - columns[column]))
        scores[row, row] -= np.float32(factor)
    return ((rows + columns) * np.float32(0.5) - own).mean()


@numba.njit(**OPTIONS)
def _adam(table, first, second, gradient, rate, first_share, second_share, touched, decay):
    for row in numba.prange(table.shape[0]):
        if touched[row]:
            for place in range(table.shape[1]):
                slope = gradient[row, place]
                first[row, place] = FIRST_DECAY * first[row, place] + (1 - FIRST_DECAY) * slope
                second[row, place] = SECOND_DECAY * second[row, place] + (1 - SECOND_DECAY) * slope * slope
                change = (first[row, place] / first_share) / (np.sqrt(second[row, place] / second_share) + TINY)
                table[row, place] -= rate * (change + decay * table[row, place])


def multiply(matrix, table):
    """A CSR matrix times a dense table, float32."""
    out = np.empty((matrix.shape[0], table.shape[1]), np.float32)
    _multiply(matrix.indptr, matrix.indices, matrix.data, table, out)
    return out


def multiply_transposed(matrix, table):
    """The transposed CSR matrix times a dense table: gradients of rows back to the tokens."""
    return multiply(sparse.csr_matrix(matrix.T), table)


class Adam:
    """A table that is trained: Adam on the rows a step touches, with decay towards zero if asked for."""

    def __init__(self, table, decay=0.0):
        self.table = table
        self.first, self.second = np.zeros_like(table), np.zeros_like(table)
        self.step, self.decay = 0, np.float32(decay)

    def update(self, gradient, touched, rate):
        """One step down the gradient at the rows that are touched."""
        self.step += 1
        shares = np.float32(1 - FIRST_DECAY**self.step), np.float32(1 - SECOND_DECAY**self.step)
        _adam(self.table, self.first, self.second, gradient, np.float32(rate), *shares, touched, self.decay)
