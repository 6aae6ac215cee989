# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The nets of `news.net` and the scores of `news.model`; sums are added in another order."""

from libc.math cimport exp
from libc.stdint cimport int64_t

cdef extern from "net_layers.h" nogil:
    ctypedef struct net_sizes:
        int members, columns, channels, depth, width, kinds, queries, heads

    int count_group(int widest)
    size_t count_bytes(const net_sizes *net, int widest)
    size_t count_floats(const net_sizes *net)
    int run_net(
        const net_sizes *net, const void *weights, const float *floats, const float *mean,
        const float *factor, float step, const float *columns, const int64_t *groups, ptrdiff_t n,
        float *log_odds, int heads_kept, int widest,
    )


def group_size(int widest=16):
    """Return how many whole numbers are one group of bytes; if it is 1, they are floats."""
    return count_group(widest)


def run(
    const float[::1, :] rows,
    const int64_t[:, ::1] groups,
    const unsigned char[::1] weights,
    const float[::1] floats,
    const float[::1] mean,
    const float[::1] factor,
    float step,
    float[:, :, ::1] log_odds,
    int channels,
    int depth,
    int width,
    int queries,
    int heads,
    int widest=16,
):
    """Write to `log_odds` (float[members, n, heads kept]) the outputs of a net for rows.

    `groups` is int[kinds of groups, n]: numbers below n, negative for a row without a group.
    `weights` and `floats` are those that `news.net` packs: channels and heads are padded to panels
    of 32. `widest` is the number of floats of a vector at most. Raises ValueError if the sizes do
    not fit each other.
    """
    cdef net_sizes net
    cdef ptrdiff_t n = rows.shape[0], row, kind
    cdef int kept = <int>log_odds.shape[2], done
    net.members, net.columns = <int>log_odds.shape[0], <int>rows.shape[1]
    net.channels, net.depth, net.width = channels, depth, width
    net.kinds, net.queries, net.heads = <int>groups.shape[0], queries, heads
    if (
        not 0 < channels <= 4096 or channels % 32
        or not 0 <= depth <= 64 or not 0 < width <= 99 or width % 2 == 0
        or not 0 < heads <= 65536 or heads % 32 or not 0 < kept <= heads
        or not 0 < queries <= 32 or net.kinds > 64
        or groups.shape[1] != n or log_odds.shape[1] != n
        or mean.shape[0] != net.columns or factor.shape[0] != net.columns
        or <size_t>weights.shape[0] != net.members * count_bytes(&net, widest)
        or <size_t>floats.shape[0] != net.members * count_floats(&net)
    ):
        raise ValueError("the sizes of the net do not fit each other")
    for kind in range(net.kinds):
        for row in range(n):
            if groups[kind, row] >= n:
                raise ValueError("a group has a number that no block has")
    if n == 0 or net.members == 0:
        return
    if net.columns == 0:
        raise ValueError("the net reads no columns")
    with nogil:
        done = run_net(
            &net, &weights[0], &floats[0], &mean[0], &factor[0], step, &rows[0, 0],
            &groups[0, 0] if net.kinds else NULL, n, &log_odds[0, 0, 0], kept, widest,
        )
    if done:
        raise MemoryError


def score_labels(
    const float[:, :, :] log_odds,
    const double[::1] mix,
    int full_text,
    double least_share,
    double[:, ::1] scores,
):
    """Write the result of `news.model.score_labels` to `scores` (float[n, labels]).

    Raises ValueError if the sizes do not fit each other.
    """
    cdef Py_ssize_t members = log_odds.shape[0], n = scores.shape[0], labels = scores.shape[1]
    cdef Py_ssize_t conventions = mix.shape[0], row, member, k
    cdef double content, most, total, rest
    cdef double *of_row
    cdef double shares[16]
    if (
        members < 1 or not 0 < labels <= 16 or not 0 <= full_text < labels
        or log_odds.shape[1] != n or log_odds.shape[2] != conventions + labels
    ):
        raise ValueError("the sizes of the scores do not fit each other")
    for row in range(n):
        of_row, content = &scores[row, 0], 0
        for k in range(labels):
            of_row[k] = least_share
        for member in range(members):
            most, total = log_odds[member, row, conventions], 0
            for k in range(conventions):
                if mix[k]:
                    content += mix[k] / members / (1 + exp(-<double>log_odds[member, row, k]))
            for k in range(labels):
                most = max(most, log_odds[member, row, conventions + k])
            for k in range(labels):
                shares[k] = exp(log_odds[member, row, conventions + k] - most)
                total += shares[k]
            for k in range(labels):
                of_row[k] += shares[k] / total / members
        of_row[full_text] = rest = 0
        for k in range(labels):
            rest += of_row[k]
        for k in range(labels):
            of_row[k] *= (1 - content) / rest
        of_row[full_text] = content
