# cython: language_level=3, wraparound=False, initializedcheck=False, cdivision=True
"""The native twin of the feature tables of `news.features`: all columns of a page in one pass."""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject
from libc.math cimport log1p
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset

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
    uint32_t PyUnicode_READ(int, const void *, Py_ssize_t)
    bint PyUnicode_IS_ASCII(object)
    object PyUnicode_Substring(object, Py_ssize_t, Py_ssize_t)
    int PyUnicode_Contains(object, object) except -1
    bint Py_UNICODE_ISSPACE(uint32_t)
    uint32_t Py_UNICODE_TOLOWER(uint32_t)

cdef extern from "text_scan.h":
    enum: PLANE
    void scan_kinds(const uint8_t *, const void *, Py_ssize_t, int, double *, int)

cdef enum:
    LOGARITHMS = 8192
    LEVELS = 4          # elements whose names describe a block, and levels of containers
    HEADER = 256        # slots of the caches of tags and classes
    MAX_START = 128     # characters of the start of a text
    MAX_RANGES = 64

# kinds of characters: those of news/features/text.py
cdef enum:
    SPACE, LETTER, UPPER, DIGIT, STOP, COMMA, QUOTE, SEPARATOR, SYMBOL, N_KINDS

cdef double logarithms[LOGARITHMS]

cdef int _number
for _number in range(LOGARITHMS):
    logarithms[_number] = log1p(_number)


cdef inline double log1p_of_count(double count) noexcept nogil:
    """log(1 + count) of a count, which is a whole number."""
    if 0 <= count < LOGARITHMS:
        return logarithms[<int>count]
    return log1p(count)


cdef inline double larger(double a, double b) noexcept nogil:
    return a if a > b else b


cdef inline double smaller(double a, double b) noexcept nogil:
    return a if a < b else b


cdef inline double clip(double value, double size) noexcept nogil:
    return smaller(larger(value, -size), size)


cdef inline uint64_t mix(uint64_t code, uint64_t more) noexcept nogil:
    code = (code ^ more) * <uint64_t>0x9E3779B97F4A7C15
    return code ^ (code >> 29)


cdef inline int check_text(object text) except -1:
    if not isinstance(text, str):
        raise TypeError(f"a text is no str: {type(text).__name__}")
    return MAKE_READY(text)


cdef class Memory:
    """One piece of memory, freed with the object; parts are taken from it one after another."""

    cdef char *start
    cdef size_t used, size

    def __cinit__(self, size_t size):
        self.start = <char *>PyMem_Calloc(size, 1)  # what is not written takes no memory
        if self.start == NULL:
            raise MemoryError
        self.used, self.size = 0, size

    def __dealloc__(self):
        PyMem_Free(self.start)

    cdef void *take(self, size_t size) except NULL:
        """Return zeros."""
        cdef char *part = self.start + self.used
        size = (size + 15) // 16 * 16
        if size > self.size - self.used:
            raise MemoryError("too little memory was asked for")
        self.used += size
        return part


cdef struct weighted_word:
    uint64_t code
    double first, second


cdef class WordTable:
    """Weights of words, found by their characters without a str for each.

    `weights` is word to a tuple of two weights. Unknown words weigh nothing. A word is told by 64
    bits of its hash: no two words of a table have the same, and one word in 10**15 that is not in
    it is taken for one that is.
    """

    cdef readonly object weights
    cdef Memory memory
    cdef weighted_word *words
    cdef int32_t *slots
    cdef uint64_t slot_mask

    def __init__(self, weights):
        cdef Py_ssize_t size = 16, number
        cdef uint64_t code
        self.weights = dict(weights)
        while size < 2 * len(self.weights):
            size *= 2
        self.memory = Memory(
            size * sizeof(int32_t) + (len(self.weights) + 1) * sizeof(weighted_word) + 64
        )
        self.slots = <int32_t *>self.memory.take(size * sizeof(int32_t))
        self.words = <weighted_word *>self.memory.take(
            (len(self.weights) + 1) * sizeof(weighted_word)
        )
        self.slot_mask = size - 1
        for number, (word, (first, second)) in enumerate(self.weights.items(), 1):
            check_text(word)
            code = hash_word(PyUnicode_DATA(word), PyUnicode_KIND(word), 0, len(word))
            if self.find_code(code) != NULL:
                raise ValueError("two words have one hash")
            self.words[number] = weighted_word(code, first, second)
            while self.slots[code & self.slot_mask]:
                code += 1
            self.slots[code & self.slot_mask] = number

    def __reduce__(self):
        return type(self), (self.weights,)

    cdef weighted_word *find(
        self, const void *data, int kind, Py_ssize_t start, Py_ssize_t end
    ) noexcept:
        """Return a word with its weights; NULL of one that is unknown."""
        return self.find_code(hash_word(data, kind, start, end))

    cdef inline weighted_word *find_code(self, uint64_t code) noexcept:
        cdef uint64_t slot = code
        cdef int32_t number
        while True:
            number = self.slots[slot & self.slot_mask]
            if number == 0:
                return NULL
            if self.words[number].code == code:
                return self.words + number
            slot += 1


cdef inline uint64_t hash_word(
    const void *data, int kind, Py_ssize_t start, Py_ssize_t end
) noexcept:
    cdef uint64_t code = end - start
    cdef Py_ssize_t i
    if kind == 1:
        for i in range(start, end):
            code = mix(code, (<const uint8_t *>data)[i])
    else:
        for i in range(start, end):
            code = mix(code, PyUnicode_READ(kind, data, i))
    return code


cdef inline bint is_in(const uint32_t *text, Py_ssize_t length, const uint32_t *part,
                       Py_ssize_t size) noexcept:
    """Return whether a text holds a part of at least one character."""
    cdef Py_ssize_t i
    for i in range(length - size + 1):
        if text[i] == part[0] and memcmp(text + i, part, size * sizeof(uint32_t)) == 0:
            return True
    return False


cdef inline bint is_long_lower(uint32_t code) noexcept:
    """Whether the lower case is two characters, or depends on what is around (sigma)."""
    return code == 0x130 or code == 0x3a3


cdef inline bint is_upper(uint32_t code) noexcept:
    return c'A' <= code <= c'Z'


cdef inline bint is_lower(uint32_t code) noexcept:
    return c'a' <= code <= c'z'


cdef int add_name(WordTable table, object name, double *sums) except -1:
    """Add the weights of the words in a class or id: ``[A-Z]?[a-z]{2,}|[A-Z]{2,}``."""
    cdef Py_ssize_t i = 0, start, k, length
    cdef int kind
    cdef const void *data
    cdef weighted_word *found
    cdef char word[64]
    check_text(name)
    data, kind, length = PyUnicode_DATA(name), PyUnicode_KIND(name), PyUnicode_GET_LENGTH(name)
    while i < length:
        start = i
        if is_upper(PyUnicode_READ(kind, data, i)):
            i += 1
        k = i
        while i < length and is_lower(PyUnicode_READ(kind, data, i)):
            i += 1
        if i - k < 2:
            i = start
            while i < length and is_upper(PyUnicode_READ(kind, data, i)):
                i += 1
            if i - start < 2:
                i = start + 1
                continue
        if i - start > 64:
            found = find_long(table, name[start:i].lower())
        else:
            for k in range(start, i):
                word[k - start] = <char>(PyUnicode_READ(kind, data, k) | 0x20)
            found = table.find(word, 1, 0, i - start)
        if found != NULL:
            sums[0] += found.first
            sums[1] += found.second
    return 0


cdef weighted_word *find_long(WordTable table, object word) noexcept:
    return table.find(PyUnicode_DATA(word), PyUnicode_KIND(word), 0, PyUnicode_GET_LENGTH(word))


cdef bint is_same_name(object a, object b) noexcept:
    """Whether two classes are equal but for their digits."""
    cdef Py_ssize_t i = 0, k = 0
    cdef Py_ssize_t length_a = PyUnicode_GET_LENGTH(a), length_b = PyUnicode_GET_LENGTH(b)
    cdef int kind_a = PyUnicode_KIND(a), kind_b = PyUnicode_KIND(b)
    cdef const void *data_a = PyUnicode_DATA(a)
    cdef const void *data_b = PyUnicode_DATA(b)
    if a is b:
        return True
    while True:
        while i < length_a and c'0' <= PyUnicode_READ(kind_a, data_a, i) <= c'9':
            i += 1
        while k < length_b and c'0' <= PyUnicode_READ(kind_b, data_b, k) <= c'9':
            k += 1
        if i == length_a or k == length_b:
            return i == length_a and k == length_b
        if PyUnicode_READ(kind_a, data_a, i) != PyUnicode_READ(kind_b, data_b, k):
            return False
        i += 1
        k += 1


# hashes of classes differ from process to process, as those of str: no page can make them collide
cdef uint64_t seed = hash("the seed of all hashes of classes") & 0xffffffff


cdef uint64_t hash_name(object name) noexcept:
    cdef uint64_t code = seed
    cdef Py_ssize_t i
    cdef int kind = PyUnicode_KIND(name)
    cdef const void *data = PyUnicode_DATA(name)
    cdef uint32_t character
    for i in range(PyUnicode_GET_LENGTH(name)):
        character = PyUnicode_READ(kind, data, i)
        if not c'0' <= character <= c'9':
            code = mix(code, character)
    return code


cdef class Columns:
    """Columns of the n blocks and m elements of one page, as `block_columns.BlockColumns` has them.

    Those that end in `within` are sums over the elements before, m + 1 of them. `matrix` is the
    first column that is not written yet.
    """

    cdef Memory memory
    cdef Py_ssize_t n, m, best, slot_mask
    cdef int64_t title
    cdef const int64_t *parents
    cdef const int64_t *ends
    cdef const int64_t *depths
    cdef const int64_t *own
    cdef double total_words, total_linked, total_good
    cdef double *words
    cdef double *linked
    cdef double *density
    cdef double *good_words
    cdef double *good_before
    cdef uint8_t *good
    cdef int64_t *container
    cdef int64_t *place
    cdef double *counts
    cdef double *sums
    cdef int64_t *kinds
    cdef int64_t *around
    cdef int32_t *tag
    cdef uint8_t *named
    cdef double *names
    cdef double *article
    cdef double *direct
    cdef double *direct_count
    cdef int64_t *signature
    cdef double *good_within
    cdef double *words_within
    cdef double *linked_within
    cdef double *count_within
    cdef double *media
    cdef int32_t *slots
    cdef float *matrix

    def __cinit__(self, Py_ssize_t n, Py_ssize_t m):
        cdef Py_ssize_t slots = 64
        while slots < 8 * n:  # three elements of each block have a signature
            slots *= 2
        self.n, self.m, self.slot_mask = n, m, slots - 1
        self.memory = Memory((24 * (n + 3) + 16 * (m + 3)) * 8 + 4 * slots + 1024)
        self.words = <double *>self.memory.take(n * 8)
        self.linked = <double *>self.memory.take(n * 8)
        self.density = <double *>self.memory.take(n * 8)
        self.good_words = <double *>self.memory.take(n * 8)
        self.good_before = <double *>self.memory.take((n + 1) * 8)
        self.good = <uint8_t *>self.memory.take(n)
        self.container = <int64_t *>self.memory.take(n * 8)
        self.place = <int64_t *>self.memory.take(n * 8)
        self.counts = <double *>self.memory.take(3 * n * 8)
        self.sums = <double *>self.memory.take(12 * n * 8)
        self.kinds = <int64_t *>self.memory.take(m * 8)
        self.around = <int64_t *>self.memory.take(m * 8)
        self.tag = <int32_t *>self.memory.take(m * 4)
        self.named = <uint8_t *>self.memory.take(m)
        self.names = <double *>self.memory.take(2 * m * 8)
        self.article = <double *>self.memory.take(m * 8)
        self.direct = <double *>self.memory.take(m * 8)
        self.direct_count = <double *>self.memory.take(m * 8)
        self.signature = <int64_t *>self.memory.take(m * 8)
        self.good_within = <double *>self.memory.take((m + 1) * 8)
        self.words_within = <double *>self.memory.take((m + 1) * 8)
        self.linked_within = <double *>self.memory.take((m + 1) * 8)
        self.count_within = <double *>self.memory.take((m + 1) * 8)
        self.media = <double *>self.memory.take((m + 1) * 8)
        self.slots = <int32_t *>self.memory.take(slots * 4)

    cdef inline Py_ssize_t above(self, Py_ssize_t element) noexcept:
        """Return the parent of an element; that of a root is the first element."""
        return self.parents[element] if self.parents[element] > 0 else 0

    cdef inline void put(self, float **to, double value) noexcept:
        """Write one value, and go on to the same block in the next column."""
        to[0][0] = <float>value
        to[0] += self.n

    cdef inline void advance(self, Py_ssize_t columns) noexcept:
        self.matrix += columns * self.n

    cdef void fill(self, double value) noexcept:
        cdef Py_ssize_t i
        for i in range(self.n):
            self.matrix[i] = <float>value
        self.advance(1)


cdef int write_paths(Columns page, Py_ssize_t paths) except -1:
    """Write what the blocks with the same path are together; `place` is the path of each."""
    cdef Py_ssize_t i, path, n = page.n
    cdef double *words = page.sums
    cdef double *linked = words + paths
    cdef double *good_words = linked + paths
    cdef double *good = good_words + paths
    cdef double total_good = larger(page.total_good, 1e-9)
    cdef float *to
    memset(page.sums, 0, 4 * paths * sizeof(double))
    for i in range(n):
        path = page.place[i]
        page.counts[path] += 1
        words[path] += page.words[i]
        linked[path] += page.linked[i]
        good_words[path] += page.good_words[i]
        good[path] += page.good[i]
    for i in range(n):
        path = page.place[i]
        to = page.matrix + i
        page.put(&to, log1p_of_count(page.counts[path]))
        page.put(&to, log1p(words[path] / page.counts[path]))
        page.put(&to, linked[path] / larger(words[path], 1))
        page.put(&to, good_words[path] / total_good)
        page.put(&to, good[path] / page.counts[path])
    memset(page.counts, 0, paths * sizeof(double))
    page.advance(5)
    return 0


cdef class FeatureReader:
    """Computes the columns of `news.features` with the constants of its modules.

    `tags` tag to the bits of its kind, `never_bit` one of them; `roles` ARIA role to the bits of
    the columns of AROUND; `own_mask`, `around_shift`, `n_own`, `n_around`, `article_bit`,
    `media_bit` are the layout of the bits. `characters` is the kind of each character of the Basic
    Multilingual Plane, `unspaced` the ranges of characters, first and last, that are words of their
    own. The rest is named as there.
    """

    cdef dict tags, roles
    cdef int64_t never_bit, own_mask, article_bit, media_bit
    cdef int around_shift, n_own, n_around, max_container_hops, max_hops, first_words
    cdef Py_ssize_t first_characters, start_length, min_start
    cdef double good_words, good_link_density, max_distance, depth_scale, max_score
    cdef tuple windows
    cdef const uint8_t[::1] characters
    cdef Memory lower_cases
    cdef uint16_t *lower
    cdef int unspaced
    cdef uint32_t unspaced_first[MAX_RANGES]
    cdef uint32_t unspaced_last[MAX_RANGES]

    def __init__(self, **constants):
        self.tags, self.roles = constants["tags"], constants["roles"]
        self.never_bit, self.own_mask = constants["never_bit"], constants["own_mask"]
        self.article_bit, self.media_bit = constants["article_bit"], constants["media_bit"]
        self.around_shift, self.n_own = constants["around_shift"], constants["n_own"]
        self.n_around, self.max_hops = constants["n_around"], constants["max_hops"]
        self.max_container_hops = constants["max_container_hops"]
        self.first_words = constants["first_words"]
        self.first_characters = constants["first_characters"]
        self.start_length, self.min_start = constants["start_length"], constants["min_start"]
        self.good_words = constants["good_words"]
        self.good_link_density = constants["good_link_density"]
        self.max_distance, self.depth_scale = constants["max_distance"], constants["depth_scale"]
        self.max_score, self.windows = constants["max_score"], tuple(constants["windows"])
        self.characters = constants["characters"]
        if self.characters.shape[0] != PLANE or not 0 <= self.first_words <= 16:
            raise ValueError("constants that do not fit")
        if not 0 < self.first_characters <= MAX_START or not 0 < self.start_length <= MAX_START:
            raise ValueError("constants that do not fit")
        self.unspaced = len(constants["unspaced"])
        if self.unspaced > MAX_RANGES:
            raise ValueError("too many ranges of characters")
        for number, (first, last) in enumerate(constants["unspaced"]):
            self.unspaced_first[number], self.unspaced_last[number] = ord(first), ord(last)
        self.lower_cases = Memory(PLANE * sizeof(uint16_t))
        self.lower = <uint16_t *>self.lower_cases.take(PLANE * sizeof(uint16_t))
        for number in range(PLANE):
            self.lower[number] = <uint16_t>Py_UNICODE_TOLOWER(number)
        if self.n_around + self.around_shift > 62 or self.n_own > self.own_mask:
            raise ValueError("constants that do not fit")

    def compute(
        self,
        list texts not None,
        list tags not None,
        list classes not None,
        list ids not None,
        list roles not None,
        const int64_t[::1] parents,
        const int64_t[::1] ends,
        const int64_t[::1] depths,
        const int64_t[::1] own,
        const int64_t[::1] word_counts,
        const int64_t[::1] linked_counts,
        int64_t title,
        str page_title not None,
        str description not None,
        WordTable first_weights not None,
        WordTable name_weights not None,
        float[:, ::1] columns,
    ):
        """Write float[columns, n] for the n blocks of a page; the arguments are columns of a page.

        `title` is the block of the title, `page_title` and `description` are in lower case.
        """
        cdef Py_ssize_t n = len(texts), m = len(tags)
        cdef Py_ssize_t i, e
        if (
            len(classes) != m or len(ids) != m or len(roles) != m or parents.shape[0] != m
            or ends.shape[0] != m or depths.shape[0] != m or own.shape[0] != n
            or word_counts.shape[0] != n or linked_counts.shape[0] != n or columns.shape[1] != n
            or m >= 1 << 30 or n >= 1 << 30
            or columns.shape[0] != 87 + self.n_own + self.n_around + len(self.windows)
        ):
            raise ValueError("columns of different lengths")
        for e in range(m):
            if not -1 <= parents[e] < e or not e < ends[e] <= m:
                raise ValueError("elements out of order")
        for i in range(n):
            if not 0 <= own[i] < m:
                raise ValueError("a block without element")
        if not n:
            return
        cdef Columns page = Columns(n, m)
        page.parents, page.ends, page.depths = &parents[0], &ends[0], &depths[0]
        page.own, page.title = &own[0], title
        page.matrix = &columns[0, 0]
        for i in range(n):
            page.words[i], page.linked[i] = word_counts[i], linked_counts[i]
            page.density[i] = page.linked[i] / larger(page.words[i], 1)
            page.good[i] = (
                page.words[i] >= self.good_words and page.density[i] <= self.good_link_density
            )
            page.good_words[i] = page.words[i] if page.good[i] else 0
        self.read_tags(page, tags, roles)
        self.find_containers(page)
        self.write_shallow(page, texts)
        self.write_position(page)
        self.write_tags(page)
        self.write_containers(page)
        self.write_signatures(page, classes)
        self.write_likeness(page, texts, page_title, description)
        self.write_words(page, texts, classes, ids, first_weights, name_weights)

    cdef int read_tags(self, Columns page, list tags, list roles) except -1:
        """Number the tags, and find their kinds; those of roles are bits of AROUND."""
        cdef dict numbers = {}
        cdef list bits_of_number = []
        cdef void *cached[HEADER]
        cdef int32_t cached_number[HEADER]
        cdef Py_ssize_t e, slot
        cdef int64_t bits
        cdef object tag, role, number
        memset(cached, 0, sizeof(cached))
        for e in range(page.m):
            tag = tags[e]
            slot = (<size_t><void *>tag >> 4) % HEADER
            if cached[slot] != <void *>tag:
                number = numbers.get(tag)
                if number is None:
                    check_text(tag)
                    number = len(numbers)
                    numbers[tag] = number
                    bits_of_number.append(self.tags.get(tag, 0))
                cached[slot], cached_number[slot] = <void *>tag, number
            page.tag[e] = cached_number[slot]
        for e in range(page.m):
            bits = bits_of_number[page.tag[e]]
            page.kinds[e] = bits
            bits = bits >> self.around_shift & ((<int64_t>1 << self.n_around) - 1)
            role = roles[e]
            check_text(role)
            if PyUnicode_GET_LENGTH(role):
                bits |= <int64_t>self.roles.get(role, 0)
            page.around[e] = bits | (page.around[page.parents[e]] if page.parents[e] >= 0 else 0)
        return 0

    cdef int find_containers(self, Columns page) except -1:
        """Sum blocks by element, and find the container of each block and the best one."""
        cdef Py_ssize_t i, e, k
        cdef double total
        for i in range(page.n):
            e = page.own[i] + 1
            page.good_within[e] += page.good_words[i]
            page.words_within[e] += page.words[i]
            page.linked_within[e] += page.linked[i]
            page.count_within[e] += 1
        for e in range(page.m):
            page.good_within[e + 1] += page.good_within[e]
            page.words_within[e + 1] += page.words_within[e]
            page.linked_within[e + 1] += page.linked_within[e]
            page.count_within[e + 1] += page.count_within[e]
            page.media[e + 1] = page.media[e] + (page.kinds[e] & self.media_bit != 0)
        for i in range(page.n):
            e = page.own[i]
            for k in range(self.max_container_hops):
                if page.parents[e] < 0 or not (
                    page.kinds[e] & self.never_bit
                    or page.count_within[page.ends[e]] - page.count_within[e] <= 1
                ):
                    break
                e = page.parents[e]
            page.container[i] = e
            page.direct[e] += page.good_words[i]
        page.best, total = 0, page.direct[0]
        for e in range(page.m):
            if page.direct[e] > total:
                page.best, total = e, page.direct[e]
        for e in range(page.m):
            page.direct[e] = 0
        page.total_words = page.total_linked = page.total_good = 0
        for i in range(page.n):
            page.total_words += page.words[i]
            page.total_linked += page.linked[i]
            page.total_good += page.good_words[i]
        return 0

    cdef int write_shallow(self, Columns page, list texts) except -1:
        cdef Py_ssize_t i, length
        cdef double counts[N_KINDS]
        cdef double visible, words
        cdef int first, last, kind
        cdef float *to
        cdef object text
        cdef const void *data
        for i in range(page.n):
            text = texts[i]
            check_text(text)
            data, length, kind = (
                PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text), PyUnicode_KIND(text)
            )
            scan_kinds(&self.characters[0], data, length, kind, counts, N_KINDS)
            first = last = SPACE
            if length:
                first = self.characters[min(PyUnicode_READ(kind, data, 0), PLANE - 1)]
                last = self.characters[min(PyUnicode_READ(kind, data, length - 1), PLANE - 1)]
            visible, words = larger(length - counts[SPACE], 1), larger(page.words[i], 1)
            to = page.matrix + i
            page.put(&to, log1p_of_count(page.words[i]))
            page.put(&to, log1p_of_count(page.words[i] - page.linked[i]))
            page.put(&to, page.density[i])
            page.put(&to, log1p_of_count(length))
            page.put(&to, visible / words / 10.0)
            page.put(&to, counts[UPPER] / visible)
            page.put(&to, counts[DIGIT] / visible)
            page.put(&to, counts[STOP] / words)
            page.put(&to, counts[COMMA] / words)
            page.put(&to, counts[QUOTE] / words)
            page.put(&to, counts[SEPARATOR] / words)
            page.put(&to, counts[SYMBOL] / visible)
            page.put(&to, log1p_of_count(counts[STOP]))
            page.put(&to, log1p_of_count(counts[COMMA]))
            page.put(&to, last == STOP)
            page.put(&to, last == SEPARATOR)
            page.put(&to, first == UPPER)
            page.put(&to, first == DIGIT)
            page.put(&to, first == QUOTE)
            page.put(&to, page.good[i])
        page.advance(20)
        return 0

    cdef int write_position(self, Columns page) except -1:
        cdef Py_ssize_t i, n = page.n, width, number
        cdef double words = 0, good = 0, last_good = -self.max_distance, next_good
        cdef double total = larger(page.total_words, 1e-9), total_good = larger(page.total_good, 1e-9)
        cdef float *to
        cdef float *matrix = page.matrix
        for i in range(n):
            page.good_before[i + 1] = page.good_before[i] + page.good_words[i]
        for i in range(n):
            if page.good[i]:
                last_good = i
            to = matrix + i
            page.put(&to, i / <double>n)
            page.put(&to, words / total)
            page.put(&to, good / total_good)
            page.put(&to, log1p_of_count(i))
            page.put(&to, log1p_of_count(n - i))
            page.put(&to, clip(i - page.title, self.max_distance) / self.max_distance)
            page.put(&to, i > page.title if page.title >= 0 else 0.5)
            page.put(&to, log1p_of_count(smaller(i - last_good, self.max_distance)))
            words += page.words[i]
            good += page.good_words[i]
        next_good = n + self.max_distance
        for i in range(n - 1, -1, -1):
            if page.good[i]:
                next_good = i
            matrix[8 * n + i] = <float>log1p_of_count(smaller(next_good - i, self.max_distance))
        for number in range(len(self.windows)):
            width = self.windows[number]
            for i in range(n):
                good = page.good_before[min(i + width + 1, n)] - page.good_before[max(i - width, 0)]
                matrix[(9 + number) * n + i] = <float>log1p_of_count(larger(good, 0))
        page.advance(9 + len(self.windows))
        page.fill(log1p_of_count(n))
        page.fill(log1p_of_count(page.total_good))
        page.fill(page.total_linked / total)
        page.fill(page.total_good / total)
        return 0

    cdef int write_tags(self, Columns page) except -1:
        cdef Py_ssize_t i, e, articles = 0, bit
        cdef double best = 0, good
        cdef float *to
        for e in range(page.m):
            if page.kinds[e] & self.article_bit:
                articles += 1
                good = page.good_within[page.ends[e]] - page.good_within[e]
                page.article[e] = good
                best = larger(best, good)
            elif page.parents[e] >= 0:
                page.article[e] = page.article[page.parents[e]]
        for i in range(page.n):
            e = page.own[i]
            to = page.matrix + i
            for bit in range(1, self.n_own + 1):
                page.put(&to, page.kinds[e] & self.own_mask == bit)
            for bit in range(self.n_around):
                page.put(&to, page.around[e] >> bit & 1)
            page.put(&to, log1p_of_count(articles))
            page.put(&to, page.article[e] / larger(best, 1))
            good = (page.media[page.ends[e]] - page.media[e]) / larger(page.words[i], 1)
            page.put(&to, log1p(good))
        page.advance(self.n_own + self.n_around + 3)
        return 0

    cdef int write_containers(self, Columns page) except -1:
        cdef Py_ssize_t i, e, k, n = page.n, start, best = page.best
        cdef double words, linked, count, good, most
        cdef double total_good = larger(page.total_good, 1e-9)
        cdef float *to
        cdef int hops
        for i in range(n):
            e = page.container[i]
            to = page.matrix + i
            for k in range(LEVELS):
                good = page.good_within[page.ends[e]] - page.good_within[e]
                words = page.words_within[page.ends[e]] - page.words_within[e]
                linked = page.linked_within[page.ends[e]] - page.linked_within[e]
                count = page.count_within[page.ends[e]] - page.count_within[e]
                page.put(&to, good / total_good)
                page.put(&to, linked / larger(words, 1))
                page.put(&to, log1p_of_count(words))
                page.put(&to, log1p(words / larger(count, 1)))
                e = page.above(e)
        page.advance(4 * LEVELS)
        for k in range(3):
            memset(page.direct, 0, page.m * sizeof(double))
            memset(page.direct_count, 0, page.m * sizeof(double))
            most = 0
            for i in range(n):
                e = page.container[i]
                if k:
                    e = page.above(page.own[i])
                if k == 2:
                    e = page.above(e)
                page.place[i] = e
                page.direct[e] += page.good_words[i]
                page.direct_count[e] += page.good[i]
                most = larger(most, page.direct[e])
            for i in range(n):
                to = page.matrix + i
                page.put(&to, page.direct[page.place[i]] / larger(most, 1e-9))
                page.put(&to, log1p_of_count(page.direct_count[page.place[i]]))
            page.advance(2)
        start = 0
        while start < n:
            k, good = start, 0
            while k < n and page.container[k] == page.container[start]:
                good += page.good_words[k]
                k += 1
            for i in range(start, k):
                page.matrix[7 * n + i] = <float>log1p_of_count(k - start)
                page.matrix[8 * n + i] = <float>(good / total_good)
            start = k
        for i in range(n):
            e, hops = page.own[i], 0
            for k in range(self.max_hops):
                if e <= best < page.ends[e]:
                    break
                hops += 1
                e = page.above(e)
            to = page.matrix + i
            page.put(&to, hops / <double>self.max_hops)
            page.put(&to, (page.depths[best] - page.depths[e]) / self.depth_scale)
            page.put(&to, (page.depths[page.own[i]] - page.depths[best]) / self.depth_scale)
            page.put(&to, page.own[i] < best)
            page.put(&to, page.own[i] >= page.ends[best])
            page.put(&to, page.container[i] == best)
            page.put(&to, smaller(page.depths[page.own[i]] / self.depth_scale, 4))
        page.advance(9)
        return 0

    cdef int write_signatures(self, Columns page, list classes) except -1:
        """Two blocks have one class path if tags and classes without digits are the same."""
        cdef Py_ssize_t i, e, level, slot, n = page.n, found = 0, other
        cdef uint64_t code
        cdef object name
        cdef int64_t path[3]
        for i in range(n):
            e = page.own[i]
            for level in range(3):
                if not page.signature[e]:
                    name = classes[e]
                    check_text(name)
                    code = mix(hash_name(name), page.tag[e])
                    slot = code & page.slot_mask
                    while True:
                        other = page.slots[slot]
                        if not other:
                            found += 1
                            page.slots[slot] = <int32_t>(e + 1)
                            page.signature[e] = found
                            break
                        other -= 1
                        if page.tag[other] == page.tag[e] and is_same_name(classes[other], name):
                            page.signature[e] = page.signature[other]
                            break
                        slot = (slot + 1) & page.slot_mask
                e = page.above(e)
        for i in range(n):
            page.place[i] = page.signature[page.own[i]] - 1
        write_paths(page, found)
        memset(page.slots, 0, (page.slot_mask + 1) * sizeof(int32_t))
        found = 0
        for i in range(n):
            code, e = seed, page.own[i]
            for level in range(3):
                path[level] = page.signature[e]
                code = mix(code, path[level])
                e = page.above(e)
            slot = code & page.slot_mask
            while True:
                other = page.slots[slot]
                if not other:
                    page.slots[slot] = <int32_t>(i + 1)
                    page.place[i] = found
                    found += 1
                    break
                e = page.own[other - 1]
                for level in range(3):
                    if page.signature[e] != path[level]:
                        break
                    e = page.above(e)
                else:
                    page.place[i] = page.place[other - 1]
                    break
                slot = (slot + 1) & page.slot_mask
        write_paths(page, found)
        return 0

    cdef inline uint32_t find_lower(self, uint32_t code) noexcept:
        return self.lower[code] if code < PLANE else Py_UNICODE_TOLOWER(code)

    cdef Py_ssize_t read_start(self, object text, Py_ssize_t most, uint32_t *codes) except -1:
        """Write the first characters of a text in lower case, 2 * `most` at most; return how many.
        """
        cdef Py_ssize_t i, length = min(PyUnicode_GET_LENGTH(text), most)
        cdef int kind = PyUnicode_KIND(text)
        cdef const void *data = PyUnicode_DATA(text)
        cdef object start
        for i in range(length):
            codes[i] = PyUnicode_READ(kind, data, i)
            if is_long_lower(codes[i]):
                start = PyUnicode_Substring(text, 0, most).lower()
                length = min(PyUnicode_GET_LENGTH(start), 2 * most)
                for i in range(length):
                    codes[i] = PyUnicode_READ(PyUnicode_KIND(start), PyUnicode_DATA(start), i)
                return length
            codes[i] = self.find_lower(codes[i])
        return length

    cdef bint holds_part(self, object text, object part) except -1:
        """Return whether a text in lower case holds a part."""
        cdef Py_ssize_t i, k, length = PyUnicode_GET_LENGTH(text), size = PyUnicode_GET_LENGTH(part)
        cdef int kind = PyUnicode_KIND(text), part_kind = PyUnicode_KIND(part)
        cdef const void *data = PyUnicode_DATA(text)
        cdef const void *part_data = PyUnicode_DATA(part)
        cdef uint32_t first = PyUnicode_READ(part_kind, part_data, 0), code
        cdef bint found = False
        for i in range(length):
            code = PyUnicode_READ(kind, data, i)
            if is_long_lower(code):
                return PyUnicode_Contains(text.lower(), part)
            if not found and i <= length - size and self.find_lower(code) == first:
                k = 1
                while k < size and (
                    self.find_lower(PyUnicode_READ(kind, data, i + k))
                    == PyUnicode_READ(part_kind, part_data, k)
                ):
                    k += 1
                found = k == size
        return found

    cdef int write_likeness(
        self, Columns page, list texts, str title, str description
    ) except -1:
        cdef Py_ssize_t i, n = page.n, length, found = 0, slot, other
        cdef Py_ssize_t title_length = len(title), description_length = len(description)
        cdef bint compared = description_length >= self.min_start
        cdef object opening = description[:self.start_length]
        cdef uint32_t codes[2 * MAX_START]
        cdef uint64_t code
        cdef uint64_t *hashes = <uint64_t *>page.sums
        cdef Memory memory = Memory((title_length + description_length + 8) * sizeof(uint32_t))
        cdef uint32_t *of_title = <uint32_t *>memory.take(title_length * sizeof(uint32_t))
        cdef uint32_t *of_description = of_title + title_length
        cdef float *to
        for i in range(title_length):
            of_title[i] = PyUnicode_READ(PyUnicode_KIND(title), PyUnicode_DATA(title), i)
        for i in range(description_length):
            of_description[i] = PyUnicode_READ(
                PyUnicode_KIND(description), PyUnicode_DATA(description), i
            )
        memset(page.slots, 0, (page.slot_mask + 1) * sizeof(int32_t))
        for i in range(n):
            length = self.read_start(texts[i], self.start_length, codes)
            to = page.matrix + i
            if length > 3 and is_in(of_title, title_length, codes, length):
                page.put(&to, smaller(length / <double>title_length, 1))
            else:
                page.put(&to, 0)
            page.put(&to, compared and length >= self.min_start
                     and is_in(of_description, description_length, codes, length))
            page.put(&to, compared and PyUnicode_GET_LENGTH(texts[i]) > len(opening)
                     and self.holds_part(texts[i], opening))
            # two starts are alike if their hashes are: 64 bits
            code = seed
            for other in range(length):
                code = mix(code, codes[other])
            hashes[i], slot = code, code & page.slot_mask
            while page.slots[slot] and hashes[page.slots[slot] - 1] != code:
                slot = (slot + 1) & page.slot_mask
            if not page.slots[slot]:
                page.slots[slot] = <int32_t>(i + 1)
                page.place[i] = found
                found += 1
            else:
                page.place[i] = page.place[page.slots[slot] - 1]
            page.matrix[4 * n + i] = page.counts[page.place[i]] > 0
            page.counts[page.place[i]] += 1
            page.matrix[5 * n + i] = i == page.title
        for i in range(n):
            page.matrix[3 * n + i] = <float>log1p_of_count(page.counts[page.place[i]] - 1)
        page.advance(6)
        return 0

    cdef bint is_unspaced(self, uint32_t code) noexcept:
        cdef int number
        for number in range(self.unspaced):
            if self.unspaced_first[number] <= code <= self.unspaced_last[number]:
                return True
        return False

    cdef double score_start(self, WordTable table, object text) except *:
        """Return the sum of the weights of the first words of a text, each once."""
        cdef uint32_t codes[2 * MAX_START]
        cdef Py_ssize_t i = 0, start, length = self.read_start(text, self.first_characters, codes)
        cdef uint64_t words[16]
        cdef int found = 0, other
        cdef double total = 0.0
        cdef weighted_word *word
        while found < self.first_words:
            while i < length and Py_UNICODE_ISSPACE(codes[i]):
                i += 1
            if i == length:
                break
            start = i
            i += 1
            if codes[start] < 0x80 or not self.is_unspaced(codes[start]):
                while i < length and not Py_UNICODE_ISSPACE(codes[i]) and (
                    codes[i] < 0x80 or not self.is_unspaced(codes[i])
                ):
                    i += 1
            words[found] = hash_word(codes, 4, start, i)
            other = 0
            while words[other] != words[found]:
                other += 1
            if other == found:
                word = table.find_code(words[found])
                if word != NULL:
                    total += word.first
            found += 1
        return total

    cdef int write_words(
        self, Columns page, list texts, list classes, list ids, WordTable first, WordTable names
    ) except -1:
        cdef Py_ssize_t i, e, level, n = page.n
        cdef double sums[2]
        cdef double score
        cdef void *scored[HEADER]
        cdef double of_class[HEADER][2]
        cdef size_t slot
        memset(scored, 0, sizeof(scored))
        memset(page.direct, 0, page.m * sizeof(double))
        memset(page.direct_count, 0, page.m * sizeof(double))
        for i in range(n):
            score = clip(self.score_start(first, texts[i]), self.max_score)
            page.matrix[i] = <float>score
            e = page.above(page.own[i])
            page.direct[e] += score
            page.direct_count[e] += 1
        for i in range(n):
            e = page.own[i]
            score = page.direct[page.above(e)] / larger(page.direct_count[page.above(e)], 1)
            page.matrix[n + i] = <float>score
            sums[0] = sums[1] = 0
            for level in range(LEVELS):
                if not page.named[e]:
                    page.named[e] = 1
                    # most elements with one class share its str
                    slot = (<size_t><void *>classes[e] >> 4) % HEADER
                    if scored[slot] != <void *>classes[e]:
                        scored[slot] = <void *>classes[e]
                        of_class[slot][0] = of_class[slot][1] = 0
                        add_name(names, classes[e], of_class[slot])
                    page.names[2 * e] = of_class[slot][0]
                    page.names[2 * e + 1] = of_class[slot][1]
                    if len(<str?>ids[e]):
                        add_name(names, ids[e], page.names + 2 * e)
                sums[0] += page.names[2 * e]
                sums[1] += page.names[2 * e + 1]
                e = page.above(e)
            page.matrix[2 * n + i] = <float>clip(sums[0], self.max_score)
            page.matrix[3 * n + i] = <float>clip(sums[1], self.max_score)
        page.advance(4)
        return 0
