# cython: language_level=3, boundscheck=False, wraparound=False
"""The digests of `site.fingerprints`, and its search for near-duplicates."""

from cpython.unicode cimport PyUnicode_4BYTE_KIND, PyUnicode_FromKindAndData
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc

from scrapy_boilerplate.native.text cimport DROPPED, LETTER, MARK, SPACE, WORD_SIZES, read_kind

cdef extern from "near.h" nogil:
    const uint64_t BASE
    uint64_t scramble(uint64_t number)
    void compute_simhash(uint64_t *words, ptrdiff_t n, uint64_t *bits)
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


def digest_lines(list lines not None, ptrdiff_t min_words, ptrdiff_t min_line_words):
    """Return letters and numbers of lines, and the simhash of their words, as two numbers.

    The simhash is None for fewer than `min_words` words, 3 or more. Else the letters and numbers are those of
    the lines with `min_line_words` or more, if there are any.
    """
    cdef ptrdiff_t n = 0, of_line, size = sum(map(len, lines))
    cdef uint64_t[2] bits
    cdef str line
    if min_words < 3:
        raise ValueError("a simhash needs the words of a shingle")
    # a word has a character; the second half is for sorting
    cdef uint64_t *words = <uint64_t *>malloc((2 * size + 1) * sizeof(uint64_t))
    if words is NULL:
        raise MemoryError
    kept = []
    try:
        for line in lines:
            of_line = hash_words(line, words + n)
            if of_line >= min_line_words:
                kept.append(line)
            n += of_line
        if n < min_words:
            return list_characters("\n".join(lines)), None
        compute_simhash(words, n, bits)
    finally:
        free(words)
    return list_characters("\n".join(kept or lines)), (bits[0], bits[1])


cdef ptrdiff_t hash_words(str line, uint64_t *hashes) except -1:
    """Write a hash of each word of `split_words`; return their number."""
    cdef ptrdiff_t n = 0, left = 0
    cdef int kind, inside = MARK
    cdef uint64_t code = 0, power = BASE
    cdef bint is_same
    cdef Py_UCS4 character
    for character in line + " ":
        kind = read_kind(character)
        if kind > DROPPED:
            is_same = inside == kind and left > 0
        else:
            is_same = inside == LETTER and kind != SPACE
        if not is_same:
            if inside != MARK:
                hashes[n] = scramble(code)
                n += 1
            inside = kind if kind == LETTER or kind > DROPPED else MARK
            left, code, power = WORD_SIZES[kind], 0, BASE
        left -= 1
        code += <uint64_t>character * power
        power *= BASE
    return n


cdef inline bint is_alnum(Py_UCS4 character):
    # most are ASCII, which need no call
    if character < 128:
        return 48 <= character <= 57 or 97 <= character <= 122 or 65 <= character <= 90
    return character.isalnum()


cdef bint starts_number(str text, ptrdiff_t at):
    if at < len(text) and text[at] in "-\u2013\u2212":
        at += 1
    return at < len(text) and text[at].isdecimal()


cdef str list_characters(str text):
    """Return letters and digits, and a space for each minus sign or break of a number."""
    cdef ptrdiff_t at = 0, end, n = 0
    cdef Py_UCS4 before = " "
    cdef Py_UCS4 *listed = <Py_UCS4 *>malloc((len(text) + 1) * sizeof(Py_UCS4))
    if listed is NULL:
        raise MemoryError
    try:
        while at < len(text):
            end = at + 1
            listed[n] = text[at]
            if is_alnum(listed[n]):
                n += 1
            elif before != "_" and not is_alnum(before) and starts_number(text, at):
                listed[n] = " "
                n += 1
            elif before.isdecimal():
                while end < len(text) and not is_alnum(text[end]) and not starts_number(text, end):
                    end += 1
                if starts_number(text, end):
                    listed[n] = " "
                    n += 1
                else:
                    end = at + 1
            before = text[end - 1]
            at = end
        return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, listed, n)
    finally:
        free(listed)
