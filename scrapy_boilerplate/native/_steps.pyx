# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The native twins of steps of `news.content`."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int64_t
from libc.stdlib cimport qsort

cdef struct scored_block:
    double score
    int64_t block


cdef int compare(const void *a, const void *b) noexcept nogil:
    """Order the highest score first, and equals as on the page."""
    cdef const scored_block *first = <const scored_block *>a
    cdef const scored_block *second = <const scored_block *>b
    if first.score != second.score:
        return -1 if first.score > second.score else 1
    return -1 if first.block < second.block else 1


def find_threshold(
    const double[:] scores, const int64_t[:] words, double lowest, double highest
):
    """As `find_threshold_in_numpy`. Raises ValueError for columns of different lengths."""
    cdef Py_ssize_t n = scores.shape[0], i
    cdef double total = 0, right = 0, kept = 0, weight, f1, best = -1, threshold = highest
    cdef scored_block *blocks
    if words.shape[0] != n:
        raise ValueError("columns of different lengths")
    blocks = <scored_block *>PyMem_Malloc((n + 1) * sizeof(scored_block))
    if blocks == NULL:
        raise MemoryError
    for i in range(n):
        # no number comes last: an order that contradicts itself would lead qsort astray
        blocks[i].score, blocks[i].block = scores[i] if scores[i] == scores[i] else -1, i
    qsort(blocks, n, sizeof(scored_block), compare)
    for i in range(n):
        total += blocks[i].score * max(words[blocks[i].block], 1)
    for i in range(n):
        weight = max(words[blocks[i].block], 1)
        right += blocks[i].score * weight
        kept += weight
        f1 = 2 * right / (kept + total + 1e-9)
        if f1 > best:
            best, threshold = f1, blocks[i].score
    PyMem_Free(blocks)
    return min(max(threshold, lowest), highest)


def find_holes(
    const int64_t[:] labels,
    const double[:] scores,
    const int64_t[:] words,
    const int64_t[:] link_words,
    const int64_t[:] own,
    const int64_t[:] parents,
    int64_t full_text,
    int64_t longest,
    double min_score,
    double max_link_density,
):
    """As `find_holes_in_numpy`. Raises ValueError for columns that do not fit each other."""
    cdef Py_ssize_t n = labels.shape[0], m = parents.shape[0], block, before = -1, inside
    cdef list holes = []
    if not scores.shape[0] == words.shape[0] == link_words.shape[0] == own.shape[0] == n:
        raise ValueError("columns of different lengths")
    for block in range(n):
        if not 0 <= own[block] < m:
            raise ValueError("a block of an element that is not there")
    for block in range(n):
        if labels[block] != full_text:
            continue
        if (
            before >= 0 and 0 < block - before - 1 <= longest
            and parents[own[block]] == parents[own[before]]
        ):
            for inside in range(before + 1, block):
                if not (
                    scores[inside] > min_score
                    and link_words[inside] / <double>max(words[inside], 1) <= max_link_density
                    and parents[own[inside]] == parents[own[before]]
                ):
                    break
            else:
                holes.extend(range(before + 1, block))
        before = block
    return holes
