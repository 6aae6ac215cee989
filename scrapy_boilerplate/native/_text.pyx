# cython: language_level=3, wraparound=False, initializedcheck=False
"""The native twins of `page.text` and of the texts and words of `page.page.Page`."""

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from *:
    """
    #if PY_VERSION_HEX < 0x030C0000
    #define MAKE_READY(text) PyUnicode_READY(text)
    #else
    #define MAKE_READY(text) 0
    #endif
    """
    int MAKE_READY(object) except -1

cdef extern from "Python.h":
    int PyUnicode_KIND(object)
    void *PyUnicode_DATA(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)
    Py_UCS4 PyUnicode_READ(int, const void *, Py_ssize_t)
    object PyUnicode_FromKindAndData(int, const void *, Py_ssize_t)

cdef extern from "text_scan.h":
    enum: PLANE, MAX_SCRIPTS, MAX_RANGES

    ctypedef struct character_kinds:
        uint8_t *kinds
        int scripts, ranges
        int *sizes
        Py_UCS4 *first
        Py_UCS4 *last
        uint8_t *script

    ctypedef struct word_state:
        int64_t words
        int inside, left

    ctypedef struct collapsed_text:
        Py_UCS4 *codes
        Py_ssize_t size, capacity
        int pending, changed
        word_state state

    void fill_kinds(character_kinds *)
    void read_leaf(const character_kinds *, collapsed_text *, const void *, Py_ssize_t, int)
    int64_t scan_words(const character_kinds *, const void *, Py_ssize_t, int)
    void scan_lines(
        const character_kinds *, const void *, Py_ssize_t, int, int64_t, int64_t *, int64_t *)
    void scan_kinds(const uint8_t *, const void *, Py_ssize_t, int, double *, int)

    enum: NO_GROUP

    ctypedef struct known_run:
        uint64_t code
        int32_t group, block

    ctypedef struct run_table:
        known_run *slots
        size_t size, used

    Py_ssize_t hash_words(
        const character_kinds *, const void *, Py_ssize_t, int, uint64_t, uint64_t *)
    Py_ssize_t hash_runs(uint64_t *, Py_ssize_t, Py_ssize_t)
    known_run *find_run(const run_table *, uint64_t)
    int reserve_runs(run_table *, size_t)

# hashes of words differ from process to process, as those of str: no page can make them collide
cdef uint64_t seed = hash("the seed of all hashes of words") & 0xffffffff


cdef inline int check_text(object text) except -1:
    if not isinstance(text, str):
        raise TypeError(f"a text is no str: {type(text).__name__}")
    return MAKE_READY(text)


cdef class TextReader:
    """Reads texts by the kinds of their characters.

    `scripts` are those that write without spaces: for each (ranges, characters to a word), ranges
    being pairs of characters, first and last.
    """

    cdef character_kinds table

    def __init__(self, scripts):
        cdef int count = 0, script = 0
        for ranges, size in scripts:
            if script >= MAX_SCRIPTS or size < 1:
                raise ValueError("too many scripts, or words without characters")
            self.table.sizes[script] = size
            for first, last in ranges:
                if count >= MAX_RANGES:
                    raise ValueError("too many ranges of characters")
                self.table.first[count], self.table.last[count] = ord(first), ord(last)
                self.table.script[count] = script
                count += 1
            script += 1
        self.table.scripts, self.table.ranges = script, count
        fill_kinds(&self.table)

    def read_blocks(
        self,
        list texts not None,
        list breaks not None,
        list in_link not None,
        const int64_t[:] first_leaf,
        const int64_t[:] end_leaf,
        int64_t[:] words,
        int64_t[:] link_words,
    ):
        """Return the text of each block; write its words and its words in links.

        `texts`, `breaks` and `in_link` are columns of the leaves.
        """
        cdef Py_ssize_t n = first_leaf.shape[0], n_leaves = len(texts), block, leaf, first, end
        cdef Py_ssize_t length = 0
        cdef int64_t linked
        cdef collapsed_text text
        cdef object of_leaf, collapsed
        cdef list collapsed_texts = []
        if (
            end_leaf.shape[0] != n or words.shape[0] != n or link_words.shape[0] != n
            or len(breaks) != n_leaves or len(in_link) != n_leaves
        ):
            raise ValueError("columns of different lengths")
        text.codes, text.capacity = NULL, 0
        try:
            for block in range(n):
                first, end = first_leaf[block], end_leaf[block]
                if end <= first:
                    end = first + 1
                if first < 0 or end > n_leaves:
                    raise IndexError("a block without leaves")
                text.size = text.pending = text.changed = 0
                text.state = word_state(0, 0, 0)
                linked = 0
                of_leaf = None
                for leaf in range(first, end):
                    of_leaf = texts[leaf]
                    check_text(of_leaf)
                    length = PyUnicode_GET_LENGTH(of_leaf)
                    reserve(&text, length + 1)
                    if leaf > first and breaks[leaf]:
                        text.pending = text.changed = 1
                    read_leaf(
                        &self.table, &text, PyUnicode_DATA(of_leaf), length,
                        PyUnicode_KIND(of_leaf),
                    )
                    if in_link[leaf]:
                        linked += scan_words(
                            &self.table, PyUnicode_DATA(of_leaf), length, PyUnicode_KIND(of_leaf)
                        )
                if end - first == 1 and not text.changed and text.size == length:
                    collapsed = of_leaf if type(of_leaf) is str else str(of_leaf)
                else:
                    collapsed = PyUnicode_FromKindAndData(4, text.codes, text.size)
                collapsed_texts.append(collapsed)
                words[block] = text.state.words
                link_words[block] = min(linked, text.state.words)
        finally:
            PyMem_Free(text.codes)
        return collapsed_texts

    def count_words(self, texts, int64_t[:] counts):
        """Write the number of words of each of the texts."""
        cdef Py_ssize_t number = 0
        cdef object text
        for text in texts:
            check_text(text)
            if number >= counts.shape[0]:
                raise ValueError("more texts than counts")
            counts[number] = scan_words(
                &self.table, PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text), PyUnicode_KIND(text)
            )
            number += 1

    def wrap_lines(self, texts, int64_t width, int64_t[:, :] rows):
        """Write for each text its words on full lines of `width` characters, and these lines."""
        cdef Py_ssize_t number = 0
        cdef object text
        cdef int64_t full_words, full_lines
        if rows.shape[1] != 2:
            raise ValueError("rows of two numbers are needed")
        for text in texts:
            check_text(text)
            if number >= rows.shape[0]:
                raise ValueError("more texts than rows")
            scan_lines(
                &self.table, PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text),
                PyUnicode_KIND(text), width, &full_words, &full_lines,
            )
            rows[number, 0], rows[number, 1] = full_words, full_lines
            number += 1

    def count_kinds(
        self,
        texts,
        const uint8_t[::1] kinds,
        int empty,
        double[:, ::1] counts,
        int64_t[:] first,
        int64_t[:] last,
    ):
        """Write the characters of each kind of each text, and the kinds of its first and last one.

        `kinds` gives the kind of each character of the Basic Multilingual Plane, under 16; others are
        like its last one. An empty text has `empty` at both ends.
        """
        cdef Py_ssize_t number = 0, length, n_kinds = counts.shape[1]
        cdef object text
        cdef const void *data
        if kinds.shape[0] != PLANE or not 0 < n_kinds <= 16:
            raise ValueError("the kinds of characters do not fit")
        for text in texts:
            check_text(text)
            if number >= counts.shape[0] or number >= first.shape[0] or number >= last.shape[0]:
                raise ValueError("more texts than rows")
            data, length = PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text)
            scan_kinds(&kinds[0], data, length, PyUnicode_KIND(text), &counts[number, 0], n_kinds)
            first[number] = last[number] = empty
            if length:
                first[number] = kinds[min(PyUnicode_READ(PyUnicode_KIND(text), data, 0), PLANE - 1)]
                last[number] = kinds[
                    min(PyUnicode_READ(PyUnicode_KIND(text), data, length - 1), PLANE - 1)
                ]
            number += 1

    def find_copies(
        self,
        list texts not None,
        const int64_t[:] groups,
        Py_ssize_t run_words,
        Py_ssize_t min_runs,
        double min_share,
    ):
        """Return the places of the texts of which `min_share` of the runs are in groups before.

        A run is `run_words` words in a row, in any case; a copy has at least `min_runs` different
        ones. `groups` are the numbers of the texts' groups, ascending from 1. Runs of copies are
        not remembered.
        """
        cdef Py_ssize_t place, run, runs, seen, distinct, length, capacity = 0
        cdef uint64_t *hashes = NULL
        cdef uint64_t *larger
        cdef run_table table
        cdef known_run *known
        cdef list copies = []
        cdef object text
        if groups.shape[0] != len(texts) or len(texts) >= NO_GROUP or run_words < 1:
            raise ValueError("columns of different lengths")
        table.slots, table.size, table.used = NULL, 0, 0
        try:
            for place in range(len(texts)):
                if not (groups[place - 1] if place else 1) <= groups[place] < NO_GROUP:
                    raise ValueError("groups out of order")
                text = texts[place]
                check_text(text)
                length = PyUnicode_GET_LENGTH(text)
                runs = scan_words(&self.table, PyUnicode_DATA(text), length, PyUnicode_KIND(text))
                if runs > capacity:
                    capacity = 2 * runs
                    larger = <uint64_t *>PyMem_Realloc(hashes, capacity * sizeof(uint64_t))
                    if larger == NULL:
                        raise MemoryError
                    hashes = larger
                runs = hash_words(
                    &self.table, PyUnicode_DATA(text), length, PyUnicode_KIND(text), seed, hashes
                )
                runs = hash_runs(hashes, runs, run_words)
                if reserve_runs(&table, runs):
                    raise MemoryError
                seen = distinct = 0
                for run in range(runs):
                    known = find_run(&table, hashes[run])
                    if not known.group:
                        known[0] = known_run(hashes[run], NO_GROUP, -1)
                        table.used += 1
                    if known.block != place:
                        known.block = <int32_t>place
                        distinct += 1
                        seen += known.group < groups[place]
                if distinct >= min_runs and seen >= min_share * distinct:
                    copies.append(place)
                    continue
                for run in range(runs):
                    known = find_run(&table, hashes[run])
                    if known.group > groups[place]:
                        known.group = <int32_t>groups[place]
        finally:
            PyMem_Free(hashes)
            PyMem_Free(table.slots)
        return copies


cdef int reserve(collapsed_text *text, Py_ssize_t more) except -1:
    cdef Py_ssize_t needed = text.size + more
    cdef Py_UCS4 *codes
    if needed > text.capacity:
        needed += needed // 2 + 256
        codes = <Py_UCS4 *>PyMem_Realloc(text.codes, needed * sizeof(Py_UCS4))
        if codes == NULL:
            raise MemoryError
        text.codes, text.capacity = codes, needed
    return 0
