# cython: language_level=3, wraparound=False, initializedcheck=False
"""The native twins of `steps.named_containers`: searches over names, and the kinds of blocks."""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

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
    void *PyUnicode_DATA(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)
    bint PyUnicode_IS_ASCII(object)

cdef enum:
    N_CLASSES = 32      # letters, "-", "_", and all else as 0
    MAX_STATES = 100_000
    FOUND = -1
    SLOTS = 512


cdef class NameSearch:
    """Finds the names that hold one of `words`, in any case, or a character beyond ASCII.

    The words are of lower-case letters, hyphens and underscores. An automaton reads each character
    once (Aho, Corasick 1975).
    """

    cdef uint8_t classes[256]
    # the row of the next state by row and class of character; FOUND at the end of a word
    cdef int32_t *next_rows

    def __cinit__(self, words):
        cdef int character
        for character in range(256):
            self.classes[character] = 0
        for character in range(26):
            self.classes[65 + character] = self.classes[97 + character] = character + 1
        self.classes[45], self.classes[95] = 27, 28
        states, last = self._build(words)
        self.next_rows = <int32_t *>PyMem_Malloc(len(states) * N_CLASSES * sizeof(int32_t))
        if self.next_rows == NULL:
            raise MemoryError
        for number, row in enumerate(states):
            for character in range(N_CLASSES):
                self.next_rows[number * N_CLASSES + character] = (
                    FOUND if row[character] in last else row[character] * N_CLASSES
                )

    def __dealloc__(self):
        PyMem_Free(self.next_rows)

    cdef tuple _build(self, words):
        """Return the next state by class of character of each state, and the last states."""
        children, last = [{}], set()
        for word in words:
            state = 0
            if not word:
                raise ValueError("a word without letters")
            for letter in word:
                if not (letter.islower() or letter in "-_") or ord(letter) > 127:
                    raise ValueError(f"a word with other characters: {word!r}")
                kind = self.classes[ord(letter)]
                if kind not in children[state]:
                    children[state][kind] = len(children)
                    children.append({})
                state = children[state][kind]
            last.add(state)
        if len(children) > MAX_STATES:
            raise ValueError("too many words")
        rows = [[0] * N_CLASSES for _ in children]
        waiting, fallback = [0], {0: 0}
        for state in waiting:  # grows: by the length of what was read
            for kind in range(N_CLASSES):
                child = children[state].get(kind)
                shorter = rows[fallback[state]][kind] if state else 0
                if child is None:
                    rows[state][kind] = shorter
                else:
                    rows[state][kind] = child
                    fallback[child] = shorter
                    if shorter in last:
                        last.add(child)
                    waiting.append(child)
        return rows, last

    cdef bint holds_word(self, object name) except -1:
        """Return whether a name holds one of the words, or a character beyond ASCII."""
        cdef Py_ssize_t i
        cdef int32_t row = 0
        cdef const uint8_t *data
        if not isinstance(name, str):
            raise TypeError(f"a name is no str: {type(name).__name__}")
        MAKE_READY(name)
        if not PyUnicode_IS_ASCII(name):
            return True
        data = <const uint8_t *>PyUnicode_DATA(name)
        for i in range(PyUnicode_GET_LENGTH(name)):
            row = self.next_rows[row + self.classes[data[i]]]
            if row == FOUND:
                return True
        return False

    def find_containers(
        self,
        list classes not None,
        list ids not None,
        list tags not None,
        list roles not None,
        dict bits_of_names not None,
        dict bits_of_tags not None,
        dict bits_of_roles not None,
    ):
        """Return (element, bits of its names, tag and role) of each that has any, ascending.

        And the names that `bits_of_names` does not know, which count for nothing.
        """
        cdef Py_ssize_t m = len(classes), element
        cdef uint64_t bits
        cdef object name, known
        cdef list containers = [], unknown = []
        # most elements with one name share its str: names without bits are told by it
        cdef void *without[3][SLOTS]
        cdef size_t slot
        memset(without, 0, sizeof(without))
        if not len(ids) == len(tags) == len(roles) == m:
            raise ValueError("columns of different lengths")
        for element in range(m):
            bits = 0
            for name in (classes[element], ids[element]):
                slot = (<size_t><void *>name >> 4) % SLOTS
                if without[0][slot] == <void *>name:
                    continue
                if not self.holds_word(name):
                    without[0][slot] = <void *>name
                    continue
                known = bits_of_names.get(name)
                if known is None:
                    unknown.append(name)
                else:
                    bits |= <uint64_t>known
            bits |= find_bits(tags[element], bits_of_tags, without[1])
            bits |= find_bits(roles[element], bits_of_roles, without[2])
            if bits:
                containers.append((element, bits))
        return containers, unknown


cdef inline uint64_t find_bits(object name, dict bits_of_names, void **without) except? 0:
    """Return the bits of a name, 0 of one that is unknown."""
    cdef size_t slot = (<size_t><void *>name >> 4) % SLOTS
    cdef object known
    if without[slot] == <void *>name:
        return 0
    known = bits_of_names.get(name)
    if known is None:
        without[slot] = <void *>name
        return 0
    return <uint64_t>known


def find_kinds(
    list containers not None,
    const double[::1] max_shares,
    const int64_t[::1] parents,
    const int64_t[::1] ends,
    const int64_t[::1] own,
    const int64_t[::1] inner,
    const int64_t[::1] words,
    const int64_t[::1] labels,
    int64_t full_text,
    int64_t headline,
    bint of_content,
    int64_t no_kind,
    int64_t[::1] kinds,
):
    """Write the kind of container around each block, and return the bits of those there are.

    As `find_kinds_in_python`. Raises IndexError for numbers of other elements or kinds.
    """
    cdef Py_ssize_t m = parents.shape[0], n = own.shape[0], i
    cdef int64_t element, number, present = 0
    cdef double total
    cdef int64_t *content
    cdef int64_t *headlines
    cdef int64_t *around
    if not (
        ends.shape[0] == m and inner.shape[0] == words.shape[0] == labels.shape[0] == n
        and kinds.shape[0] == n
    ):
        raise ValueError("the columns of a page do not fit each other")
    for i in range(n):
        if not (0 <= own[i] < m and 0 <= inner[i] < m):
            raise IndexError("a block of an element that is not there")
    content = <int64_t *>PyMem_Calloc(3 * (m + 1), sizeof(int64_t))
    if content == NULL:
        raise MemoryError
    headlines, around = content + m + 1, content + 2 * (m + 1)
    try:
        for i in range(n):
            if labels[i] == full_text:
                content[own[i] + 1] += words[i]
            elif labels[i] == headline:
                headlines[own[i] + 1] += 1
        for i in range(m):
            content[i + 1] += content[i]
            headlines[i + 1] += headlines[i]
        total = content[m] if content[m] > 1 else 1
        for element, number in containers:
            if not (0 <= element < m and 0 <= number < max_shares.shape[0]):
                raise IndexError("a container that is not there")
            if not element < ends[element] <= m:
                raise IndexError("an element that ends nowhere")
            if (
                headlines[ends[element]] == headlines[element]
                and (content[ends[element]] - content[element]) / total <= max_shares[number]
            ):
                around[element] = number + 1
        for i in range(m):  # parents come first
            if not around[i] and 0 <= parents[i] < i:
                around[i] = around[parents[i]]
        for i in range(n):
            number = around[inner[i]]
            if not number or labels[i] == headline or (of_content and labels[i] != full_text):
                kinds[i] = no_kind
            else:
                kinds[i] = number - 1
                present |= 1 << (number - 1)
    finally:
        PyMem_Free(content)
    return present
