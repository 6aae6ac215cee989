# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The native twin of `news.model.score_labels`."""

from libc.math cimport exp


def score_labels(
    const float[:, :, :] log_odds,
    const double[::1] mix,
    int full_text,
    double least_share,
    double[:, ::1] scores,
):
    """Write float[n, labels] distributions of float[members, n, conventions + labels] log odds.

    Raises ValueError if the sizes do not fit each other.
    """
    cdef Py_ssize_t members = log_odds.shape[0], n = scores.shape[0], labels = scores.shape[1]
    cdef Py_ssize_t conventions = mix.shape[0], row, member, k
    cdef double content, most, total, rest, weight
    cdef double *of_row
    cdef double shares[16]
    if (
        not 0 < members or not 0 < labels <= 16 or not 0 <= full_text < labels
        or log_odds.shape[1] != n or log_odds.shape[2] != conventions + labels
    ):
        raise ValueError("the sizes of the scores do not fit each other")
    with nogil:
        for row in range(n):
            of_row = &scores[row, 0]
            content = 0
            for k in range(conventions):
                if mix[k]:
                    weight = mix[k] / members
                    for member in range(members):
                        content += weight / (1 + exp(-<double>log_odds[member, row, k]))
            for k in range(labels):
                of_row[k] = 0
            for member in range(members):
                most = log_odds[member, row, conventions]
                for k in range(1, labels):
                    if log_odds[member, row, conventions + k] > most:
                        most = log_odds[member, row, conventions + k]
                total = 0
                for k in range(labels):
                    shares[k] = exp(log_odds[member, row, conventions + k] - most)
                    total += shares[k]
                for k in range(labels):
                    of_row[k] += shares[k] / total / members
            rest = 0
            for k in range(labels):
                of_row[k] += least_share
                if k != full_text:
                    rest += of_row[k]
            for k in range(labels):
                of_row[k] *= (1 - content) / rest
            of_row[full_text] = content
