# C types of steps.py
cimport cython

cdef int N_CLASSES, ROW_SIZE, DASH, UNDERSCORE, FULL_TEXT, HEADLINE, BOILERPLATE, RELATED
cdef int TABLE, LIST, CODE, QUOTE, BOX, DETAILS, KIND_MASK, BARS, MEDIUM, ROW, CELL, IS_TABLE
cdef int ENTRY, HEADER
cdef int MAX_BOX_WORDS, MAX_BOX_BLOCKS, MIN_ROWS
cdef double MARGIN, MAX_LINK_DENSITY, MAX_ENTRY_BLOCKS, MAX_NAMED_SHARE
cdef const unsigned char[::1] CLASSES


@cython.locals(
    listed=list, most=Py_ssize_t, size=int, number=int, word=str, before=int, state=int, letter=int,
    table="int[::1]", fallback="int[::1]", waiting="int[::1]", end=Py_ssize_t, turn=Py_ssize_t,
    behind=int, child=int, other=int,
)
cdef object _build_table(kinds)


@cython.final
cdef class WordSearch:
    cdef int all_kinds, start
    cdef unsigned short[::1] next_states

    @cython.locals(state=int, bits=int)
    cpdef int find_kinds(self, str name) except -1
    @cython.locals(selected=list, index=Py_ssize_t, bits=int)
    cpdef list select_names(self, list names)
    @cython.locals(matched=list, index=Py_ssize_t, last_bit=int, maybe=int, bits=int, name=str)
    cpdef list match_names(self, list names, list searches, drop_states)


@cython.locals(bits=int, number=Py_ssize_t)
cdef int _match_searches(str name, int maybe, list searches) except -1


@cython.locals(
    selected=list, tags="const long long[::1]", classes="const long long[::1]",
    ids="const long long[::1]", roles="const long long[::1]", by_string="long long[::1]",
    number=Py_ssize_t, element=Py_ssize_t, bits="long long", of_tag="long long",
)
cpdef list select_elements(names, list of_tags, list of_names, list of_roles)

@cython.locals(element=Py_ssize_t, number=Py_ssize_t, bits=int, selected=list)
cpdef list select_containers(list marked, list places)

@cython.locals(
    n_elements=Py_ssize_t, around=int, block=Py_ssize_t, element=Py_ssize_t, bits=int,
    before="long long[::1]",
)
cpdef int find_bits_around(
    list marked, const long long[::1] ends, const long long[::1] inner, const unsigned char[::1] mask
) except -1


@cython.final
cdef class BlockMatch:
    cdef list rows

    @cython.locals(
        own="const long long[::1]",
        inner="const long long[::1]", words="const long long[::1]",
        link_words="const long long[::1]", old="const long long[::1]", marks="long long[::1]",
        block=Py_ssize_t, number="long long", min_words="long long", max_link_density=double,
        label="long long", density=double, fits=bint, matches=bytearray,
    )
    cpdef bytearray label_blocks(
        self, tuple of_page, list containers, list headings, long long[::1] labels, bint of_content
    )
    @cython.locals(
        parents="const long long[::1]", ends="const long long[::1]", own="const long long[::1]",
        words="const long long[::1]", old="const long long[::1]",
        zeros=bytes, text="long long[::1]", headlines="long long[::1]", marks="long long[::1]",
        n_elements=Py_ssize_t, block=Py_ssize_t, element=Py_ssize_t, number=Py_ssize_t,
        parent=Py_ssize_t, end=Py_ssize_t, inside="long long", total="long long", max_share=double,
    )
    cdef object mark_elements(self, tuple of_page, list containers, list headings)


@cython.locals(
    n=Py_ssize_t, block=Py_ssize_t, threshold=double, before=double, wanted=double, least=double,
    right=double, kept=double,
)
cpdef double find_threshold(const double[:] scores, const long long[::1] words) except? -1

@cython.locals(ends=bytearray, known=dict, number=Py_ssize_t, text=str)
cpdef bytearray find_ends(list texts)


@cython.final
cdef class Units:
    cdef Py_ssize_t n, m
    cdef const long long[::1] parents, ends
    cdef const unsigned char[::1] content, aside, closed
    cdef int[::1] tags, firsts, counts, own, barred, media, beside, entries
    cdef int[::1] before, after, named, last
    cdef double[::1] weights, scores, chosen, links

    @cython.locals(block=Py_ssize_t, used=int, weight=double)
    cpdef read_blocks(
        self, const long long[::1] holders, const long long[::1] words,
        const long long[::1] linked, const double[:] scores
    )
    @cython.locals(block=Py_ssize_t, element=Py_ssize_t, tag="long long")
    cpdef read_elements(
        self, const long long[::1] tags, const long long[::1] bits, const long long[::1] opened
    )
    @cython.locals(
        element=Py_ssize_t, is_fact_box=bint, first=Py_ssize_t, end=Py_ssize_t, is_note=bint,
        inside="long long", total="long long", before="long long", block=Py_ssize_t, is_own=bint,
        is_beside=bint,
    )
    cpdef read_named(self, list containers)
    cdef Py_ssize_t find_end(self, Py_ssize_t element) except -1
    cdef Py_ssize_t count_own(self, Py_ssize_t element) except -1
    @cython.locals(
        units=list, candidates=list, wrapped=set, end_element=Py_ssize_t, element=Py_ssize_t,
        kind=int, own=Py_ssize_t, first=Py_ssize_t, end=Py_ssize_t, weight=double, is_linked=bint,
        n_beside=int, n_named="long long", score=double,
    )
    cpdef list find(self)
    @cython.locals(
        kind=int, end_element=Py_ssize_t, own=Py_ssize_t, first=Py_ssize_t, end=Py_ssize_t,
        weight=double, is_small=bint, has_media=bint, is_plain=bint, is_barred=bint,
        entries="long long",
    )
    cdef bint may_be_unit(self, Py_ssize_t element) except -1
    @cython.locals(
        rows=int, lines=int, filled=int, headers=int, element=Py_ssize_t, tag="long long",
        first=Py_ssize_t, end=Py_ssize_t, is_short=bint,
    )
    cdef bint is_data(self, Py_ssize_t table) except -1
    @cython.locals(
        first=Py_ssize_t, end=Py_ssize_t, own=Py_ssize_t, around=Py_ssize_t, element=Py_ssize_t,
        start=Py_ssize_t, stop=Py_ssize_t, before=Py_ssize_t, after=Py_ssize_t, n_beside=int,
    )
    cdef int count_beside(self, list row) except -1
    @cython.locals(before=Py_ssize_t, after=Py_ssize_t, is_after=bint)
    cdef bint is_near(self, list row) except -1
    @cython.locals(before=Py_ssize_t)
    cdef bint is_announced(self, Py_ssize_t first) except -1
    @cython.locals(rows=dict, near=list, row=list, element=Py_ssize_t, place="long long")
    cdef list find_candidates(self)
    cdef bint follows(self, Py_ssize_t element, Py_ssize_t last) except -1
    @cython.locals(
        n_beside=int, is_near=bint, near=list, element=Py_ssize_t, first=Py_ssize_t,
        end=Py_ssize_t, is_box=bint,
    )
    cdef list select_near(self, list row)
