# C types of names.py
cimport cython

cdef int FOUND
cdef const unsigned char[::1] CLASSES


@cython.final
cdef class WordSearch:
    cdef int[::1] next_states

    @cython.locals(state=int)
    cpdef bint holds_word(self, str name) except -1


@cython.locals(bits=object)
cdef unsigned long long find_bits(str name, dict bits_of_names, object read_name) except? 1234567
@cython.locals(classes=list, ids=list, tags=list, roles=list, element=Py_ssize_t, bits="unsigned long long")
cpdef list combine_bits(tuple columns, dict bits_of_names, dict bits_of_tags, dict bits_of_roles, object read_name)
