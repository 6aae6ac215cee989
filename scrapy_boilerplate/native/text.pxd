# C types of text.py
cimport cython

cdef int MARK, SPACE, LETTER, DROPPED, HAN, ASIAN, IN_WORD, BETWEEN_WORDS, ALONE, LINE
cdef unsigned long long SEED, FACTOR, RUN_FACTOR
cdef const unsigned char[::1] KINDS
cdef long long[::1] WORD_SIZES

@cython.locals(
    character=Py_UCS4, category=Py_UCS4, categories=bytearray, characters=str
)
cpdef bytes read_categories()
@cython.locals(character=Py_UCS4, characters=str)
cpdef bytes _build_kinds()
@cython.locals(code=int)
cdef int read_kind(Py_UCS4 character) noexcept
@cython.locals(kind=int)
cdef int find_separation(Py_UCS4 character)
@cython.locals(matches=list, number=Py_ssize_t, text=str)
cpdef list find_matches(list texts, str title, double least, double most)
cpdef str collapse(str text)
@cython.locals(
    words=Py_ssize_t, left=Py_ssize_t, kind=int, inside=int, in_word=int, was_space=int,
    is_word=int, is_space=int, is_spaced=int, is_dropped=int,
)
cpdef Py_ssize_t scan_words(str text) except? -1
@cython.locals(
    runs=dict, words=Py_ssize_t, left=Py_ssize_t, kind=int, inside=int, code="unsigned long long",
    first="unsigned long long", second="unsigned long long", third="unsigned long long",
    last="unsigned long long",
)
cpdef dict encode_runs(str text)
@cython.locals(
    first_of="long long[::1]", end_of="long long[::1]", owner_of="long long[::1]", n=Py_ssize_t,
    leaf=Py_ssize_t, is_line=bint,
)
cpdef tuple cut_blocks(
    const long long[::1] breaks, const long long[::1] owners, const long long[::1] tags,
    long long headline
)
@cython.locals(
    firsts="long long[::1]", ends="long long[::1]", words_of="long long[::1]",
    linked_of="long long[::1]", longest_of="long long[::1]", collapsed=list,
    text=str, parts=list, first=Py_ssize_t, end=Py_ssize_t, block=Py_ssize_t, leaf=Py_ssize_t,
    words=Py_ssize_t, linked=Py_ssize_t, of_leaf=Py_ssize_t, longest=Py_ssize_t, most=Py_ssize_t,
)
cpdef tuple read_blocks(list texts, list breaks, list in_link, bytes first_leaf, bytes end_leaf)
