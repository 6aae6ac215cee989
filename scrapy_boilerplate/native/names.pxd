# C types of names.py
cimport cython

cdef int FOUND
cdef const unsigned char[::1] CLASSES


@cython.final
cdef class WordSearch:
    cdef int[::1] next_states

    @cython.locals(state=int)
    cpdef bint holds_word(self, str name) except -1


@cython.locals(classes=list, ids=list, tags=list, roles=list, element=Py_ssize_t, bits="unsigned long long")
cpdef list combine_bits(tuple columns, dict bits_of_names, dict bits_of_tags, dict bits_of_roles)
@cython.locals(
    n=Py_ssize_t, m=Py_ssize_t, no_kind="long long", block=Py_ssize_t, element=Py_ssize_t, end=Py_ssize_t,
    present="long long", kind="long long", n_words="long long", has_headline=bint, total=double,
    words_before="long long[::1]", headlines_before="long long[::1]", kinds="long long[::1]",
    around="long long[::1]",
)
cpdef tuple find_kinds(
    list containers,
    const double[::1] max_shares,
    const long long[::1] parents,
    const long long[::1] ends,
    const long long[::1] own,
    const long long[::1] inner,
    const long long[::1] words,
    const unsigned char[::1] headlines,
    const unsigned char[::1] skipped,
)
