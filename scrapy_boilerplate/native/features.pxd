# C types of features.py
cimport cython
from libc.math cimport log1p

from scrapy_boilerplate.native.text cimport ALONE, BETWEEN_WORDS, IN_WORD, find_separation

cdef int SPACE, LETTER, UPPER, DIGIT, STOP, COMMA, QUOTE, SEPARATOR, SYMBOL, N_KINDS
cdef int OWN_MASK, N_OWN, AROUND_SHIFT, N_AROUND, AROUND_MASK, ARTICLE_BIT, MEDIA_BIT, NEVER_BIT
cdef int PART_BIT, MIN_ITEMS
cdef int LOWERED, START_LENGTH, MIN_START, FIRST_WORDS, N_LOGS
cdef int NUMBER_BITS
cdef int PLANE, UNSPACED, MIN_LENGTH, SLOTS, HASH_FACTOR, TITLE, DESCRIPTION, MEAN_WIDTH
cdef const unsigned short[::1] FOLDED
cdef unsigned long long FACTOR, PARENT_FACTOR, TAG_FACTOR, CLASS_FACTOR
cdef int MAX_HOPS, MAX_DISTANCE, MAX_CONTAINER_HOPS
cdef double DEPTH_SCALE, MAX_SCORE
cdef const unsigned char[::1] KINDS
cdef double[::1] LOGS
cdef dict TAG_KINDS, ROLE_BITS

cdef int read_kind(Py_UCS4 character) noexcept
cdef double _log_count(long long count)
@cython.locals(words=list)
cpdef list split_first_words(str start)
cdef double clip(double value, double size)
cdef str _drop_digits(str name)
@cython.locals(code="unsigned long long")
cdef unsigned long long _encode_word(str word)


@cython.final
cdef class WordTable:
    cdef Py_ssize_t mask
    cdef list weights
    cdef unsigned long long[::1] slots

    @cython.locals(code="unsigned long long", slot=Py_ssize_t)
    cdef int find(self, unsigned long long code)


@cython.final
cdef class WordScores:
    cdef object of_first, of_names
    cdef WordTable first, names
    cdef double[::1] first_weights, name_weights
    cdef unsigned long long[::1] codes, entries
    cdef double sum, comment_sum

    @cython.locals(i=Py_ssize_t, k=Py_ssize_t, table=WordTable)
    cdef int score_starts(self, list starts, double[::1] scores) except -1
    @cython.locals(place=Py_ssize_t, kind=int, code="unsigned long long")
    cdef int read_start(self, str start, Py_ssize_t first) except -1
    @cython.locals(earlier=Py_ssize_t)
    cdef Py_ssize_t add_code(self, unsigned long long code, Py_ssize_t first, Py_ssize_t place) except -1
    @cython.locals(is_upper=bint, is_lower=bint, upper=int, lower=int, number=int, code="unsigned long long")
    cdef int score_name(self, str name) except -1


@cython.final
cdef class PageWords:
    cdef int[::1] slots, counts
    cdef Py_ssize_t used
    cdef int readings

    @cython.locals(
        folded="const unsigned short[::1]", code=int, length=int, letter=int, point=int, before=Py_ssize_t
    )
    cdef Py_ssize_t read(self, str text, int in_blocks, int in_main, int mark) except -1
    @cython.locals(slot=Py_ssize_t, k=Py_ssize_t, counts="int[::1]")
    cdef int add(self, int code, int in_blocks, int in_main, int mark) except -1


@cython.final
cdef class FeatureMatrix:
    cdef Py_ssize_t n, m, first, title, used
    cdef readonly Py_ssize_t best
    cdef readonly int[::1] container
    cdef long long total_words, total_linked, total_good, n_signatures
    cdef double whole_good
    cdef readonly object matrix, groups
    cdef list lowered
    cdef float[::1] values
    cdef readonly int[::1] above
    cdef const long long[::1] parents, ends, depths, tags, classes, ids, roles, own, words, linked
    cdef int[::1] space, kinds, around, media, starts, signatures, of_article, keys
    cdef int[::1] good, good_words, good_before, good_sums, word_sums, linked_sums
    cdef int[::1] direct, direct_blocks, slots, first_alike, items, known
    cdef long long[::1] last, numbers, of_plain, kinds_of_tags, bits_of_roles, counts, sums
    cdef signed char[::1] marks, main
    cdef double[::1] density, held, means, scores, of_names, of_starts

    cdef int[::1] take(self, Py_ssize_t size)
    cpdef read_blocks(self)
    @cython.locals(kind="long long", bits="long long")
    cpdef read_elements(self, dict names)
    cpdef find_containers(self)
    @cython.locals(text=str)
    cpdef write_shallow(self, list texts)
    @cython.locals(width=Py_ssize_t)
    cpdef write_position(self)
    cpdef write_tags(self)
    @cython.locals(levels=int)
    cpdef write_containers(self)
    cpdef write_direct(self, int[::1] keys)
    cpdef write_way(self)
    @cython.locals(levels=int, number="long long", known="long long", name="long long", path="long long", tag="long long", size=Py_ssize_t)
    cpdef read_names(self, list names, WordScores weights)
    cdef int score_name(self, long long name, list names, WordScores weights) except -1
    @cython.locals(width="long long", path="long long")
    cpdef write_signatures(self)
    @cython.locals(slot="unsigned long long", mask="unsigned long long")
    cpdef find_items(self)
    cdef bint is_alike(self, Py_ssize_t a, Py_ssize_t b)
    cpdef number_groups(self)
    cpdef number_kind(self, Py_ssize_t kind)
    cpdef write_sums(self, Py_ssize_t n_keys)
    @cython.locals(start=str, text=str, opening=str, number="long long", is_compared=bint, lowered=list)
    cpdef write_likeness(self, list texts, str title, str description)
    @cython.locals(levels=int, of_class="long long", of_id="long long")
    cpdef write_words(self, WordScores weights)
    @cython.locals(
        words=PageWords, starts="long long[::1]", size=Py_ssize_t,
        title_words=Py_ssize_t, first=Py_ssize_t, end=Py_ssize_t, k=Py_ssize_t, slot=Py_ssize_t, mark=int,
        in_title="long long", others="long long", weight=double, total=double, of_title=double,
        of_description=double, of_main=double, common=double,
    )
    cpdef write_topic(self, list texts, str title, str description)
    @cython.locals(total=double, k=Py_ssize_t)
    cdef int write_means(self, Py_ssize_t column, Py_ssize_t target) except -1
