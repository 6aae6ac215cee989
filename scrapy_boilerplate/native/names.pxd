# C types of names.py
cimport cython

cdef int N_CLASSES
cdef const unsigned char[::1] CLASSES


@cython.final
cdef class WordSearch:
    cdef int all_kinds, start
    cdef int[::1] next_states

    @cython.locals(state=int, bits=int)
    cpdef int find_kinds(self, str name) except -1
    @cython.locals(selected=list, index=Py_ssize_t, bits=int)
    cpdef list select_names(self, list names)
