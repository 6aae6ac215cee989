# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The nets of `news.net` and the scores of `news.model`; sums are added in another order."""

from libc.math cimport exp
from libc.stdint cimport int64_t

cdef extern from "net_layers.h" nogil:
    ctypedef struct net_sizes:
        int members, columns, channels, depth, width, kinds, queries, heads

    size_t count_layer_weights(const net_sizes *net)
    size_t count_pool_weights(const net_sizes *net)
    int run_net_layers(
        const net_sizes *net, const float *weights, const float *mean, const float *scale,
        float limit, const float *rows, ptrdiff_t row_step, ptrdiff_t column_step, ptrdiff_t n,
        float *written, int widest,
    )
    int run_net_pool(
        const net_sizes *net, const float *weights, const float *hidden, const int64_t *groups,
        ptrdiff_t n, float *log_odds, int heads_kept, int widest,
    )


def run_layers(
    const float[:, :] rows,
    const float[::1] weights,
    const float[::1] mean,
    const float[::1] scale,
    float[:, :, ::1] hidden,
    int depth,
    int width,
    float limit,
    int widest=16,
):
    """Write to `hidden` (float[members, n, channels]) what the layers make of the rows.

    `weights` are those that `news.net` packs: channels are padded to panels of 32. `widest` is the
    number of floats of a vector at most. Raises ValueError if the sizes do not fit each other.
    """
    cdef net_sizes net
    cdef ptrdiff_t n = rows.shape[0]
    cdef int channels = <int>hidden.shape[2], done
    net.members, net.columns = <int>hidden.shape[0], <int>rows.shape[1]
    net.channels, net.depth, net.width = channels, depth, width
    if (
        not 0 < channels <= 4096 or channels % 32
        or not 0 <= depth <= 64 or not 0 < width <= 99 or width % 2 == 0
        or hidden.shape[1] != n
        or mean.shape[0] != net.columns or scale.shape[0] != net.columns
        or <size_t>weights.shape[0] != net.members * count_layer_weights(&net)
    ):
        raise ValueError("the sizes of the net do not fit each other")
    if n == 0 or net.members == 0:
        return
    if net.columns == 0:
        raise ValueError("the net reads no columns")
    with nogil:
        done = run_net_layers(
            &net, &weights[0], &mean[0], &scale[0], limit, &rows[0, 0],
            rows.strides[0] // <ptrdiff_t>sizeof(float),
            rows.strides[1] // <ptrdiff_t>sizeof(float), n, &hidden[0, 0, 0], widest,
        )
    if done:
        raise MemoryError


def run_pool(
    const float[:, :, ::1] hidden,
    const int64_t[:, ::1] groups,
    const float[::1] weights,
    float[:, :, ::1] log_odds,
    int queries,
    int heads,
    int widest=16,
):
    """Write to `log_odds` (float[members, n, heads kept]) the outputs of the hidden rows.

    `groups` is int[kinds of groups, n]: numbers below n, negative for a row without a group. Heads
    are padded to panels of 32. Raises ValueError if the sizes do not fit each other.
    """
    cdef net_sizes net
    cdef ptrdiff_t n = hidden.shape[1], row, kind
    cdef int kept = <int>log_odds.shape[2], done
    net.members, net.channels = <int>hidden.shape[0], <int>hidden.shape[2]
    net.kinds, net.queries, net.heads = <int>groups.shape[0], queries, heads
    if (
        not 0 < net.channels <= 4096 or net.channels % 32
        or not 0 < heads <= 65536 or heads % 32 or not 0 < kept <= heads
        or not 0 <= queries <= 32 or net.kinds > 64 or groups.shape[1] != n
        or log_odds.shape[0] != net.members or log_odds.shape[1] != n
        or <size_t>weights.shape[0] != net.members * count_pool_weights(&net)
    ):
        raise ValueError("the sizes of the net do not fit each other")
    for kind in range(net.kinds):
        for row in range(n):
            if groups[kind, row] >= n:
                raise ValueError("a group has a number that no block has")
    if n == 0 or net.members == 0:
        return
    with nogil:
        done = run_net_pool(
            &net, &weights[0], &hidden[0, 0, 0], &groups[0, 0] if net.kinds else NULL, n,
            &log_odds[0, 0, 0], kept, widest,
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
