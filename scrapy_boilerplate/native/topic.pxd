# C types of topic.py
cimport cython
from libc.math cimport log, log1p

cdef int PLANE, UNSPACED, MIN_LENGTH, SLOTS, FACTOR, TITLE, DESCRIPTION, WIDTH
cdef const unsigned short[::1] FOLDED


@cython.final
cdef class WordSets:
    cdef int[::1] found, seen
    cdef Py_ssize_t used
    cdef int readings

    @cython.locals(folded="const unsigned short[::1]", code=int, length=int, letter=int, point=int)
    cdef void read(self, str text)
    @cython.locals(slot=int)
    cdef void add(self, int code)


@cython.final
cdef class TopicColumns:
    cdef float[::1] values
    cdef WordSets words
    cdef long long[::1] starts, frequency, main, marks
    cdef Py_ssize_t n, title_words

    @cython.locals(words=WordSets, n=Py_ssize_t, k=Py_ssize_t)
    cdef Py_ssize_t read_mark(self, str text, int mark)
    @cython.locals(words=WordSets, i=Py_ssize_t, k=Py_ssize_t)
    cdef void read_blocks(self, list texts, const unsigned char[::1] is_main)
    @cython.locals(
        first=Py_ssize_t, end=Py_ssize_t, k=Py_ssize_t, in_title=Py_ssize_t, slot=int, weight=double, total=double,
        of_title=double, of_description=double, of_main=double, common=double, others="long long",
    )
    cdef void write_block(self, Py_ssize_t i, long long own)
    @cython.locals(i=Py_ssize_t, k=Py_ssize_t, total=double)
    cdef void write_means(self, Py_ssize_t column, Py_ssize_t target)


@cython.locals(columns=TopicColumns, i=Py_ssize_t)
cpdef write_topic(float[::1] values, list texts, const unsigned char[::1] is_main, str title, str description)
