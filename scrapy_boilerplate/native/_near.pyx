# cython: language_level=3, boundscheck=False, wraparound=False
"""The search for near-duplicates of `site.fingerprints`."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from "near.h" nogil:
    ptrdiff_t find_near_rows(
        const uint64_t *ones, const uint64_t *others, ptrdiff_t n, uint64_t one, uint64_t other,
        int most, int64_t *found,
    )


def find_near(
    const uint64_t[:, ::1] simhashes, ptrdiff_t n, const uint64_t[::1] bits, int most,
    int64_t[::1] found,
):
    """Write to `found` which of the first `n` simhashes differ in at most `most` bits.

    `simhashes` are uint64[2, rows], and `bits` uint64[2]. Return the number of rows. Raises
    ValueError if the sizes do not fit each other.
    """
    if (
        simhashes.shape[0] != 2 or bits.shape[0] != 2
        or not 0 <= n <= min(simhashes.shape[1], found.shape[0])
    ):
        raise ValueError("the sizes of the simhashes do not fit each other")
    if n == 0:
        return 0
    return find_near_rows(
        &simhashes[0, 0], &simhashes[1, 0], n, bits[0], bits[1], most, &found[0]
    )
