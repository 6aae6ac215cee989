# cython: language_level=3, wraparound=False, initializedcheck=False
"""The native twin of `news.trees.BoostedTrees`."""

from libc.stdint cimport int32_t, uint32_t

cdef extern from "tree_leaves.h" nogil:
    int score_trees(
        const float *rows, ptrdiff_t row_step, ptrdiff_t column_step, ptrdiff_t n,
        ptrdiff_t n_columns, const int32_t *features, const float *thresholds,
        const uint32_t *masks, const double *values, ptrdiff_t trees, ptrdiff_t nodes,
        ptrdiff_t leaves, double *sums,
    )


def add_scores(
    const float[:, :] rows,
    const int32_t[:, ::1] features,
    const float[:, ::1] thresholds,
    const uint32_t[:, ::1] masks,
    const double[:, ::1] values,
    double[::1] sums,
):
    """Add the values of the leaves of each row to `sums`.

    A mask has a bit for each leaf, from left to right; it clears those that a row over the
    threshold cannot reach. Raises ValueError if the arrays do not fit each other.
    """
    cdef ptrdiff_t n = rows.shape[0], columns = rows.shape[1], trees = features.shape[0]
    cdef ptrdiff_t nodes = features.shape[1], leaves = values.shape[1], tree, node
    cdef uint32_t kept
    cdef int done
    if (
        sums.shape[0] != n or thresholds.shape[0] != trees or thresholds.shape[1] != nodes
        or masks.shape[0] != trees or masks.shape[1] != nodes or values.shape[0] != trees
        or not 0 < leaves <= 32
    ):
        raise ValueError("the arrays of the trees do not fit each other")
    if not n or not trees:
        return
    for tree in range(trees):
        kept = 0xffffffff
        for node in range(nodes):
            if not 0 <= features[tree, node] < columns:
                raise ValueError("a node reads a column that no row has")
            kept &= masks[tree, node]
        # whatever comparisons clear, one of the leaves is left
        if not kept << (32 - leaves):
            raise ValueError("a tree has a row for which no leaf is left")
    if not columns or not nodes:
        raise ValueError("trees need columns and nodes")
    with nogil:
        done = score_trees(
            &rows[0, 0], rows.strides[0] // <ptrdiff_t>sizeof(float),
            rows.strides[1] // <ptrdiff_t>sizeof(float), n, columns, &features[0, 0],
            &thresholds[0, 0], &masks[0, 0], &values[0, 0], trees, nodes, leaves, &sums[0],
        )
    if done:
        raise MemoryError
