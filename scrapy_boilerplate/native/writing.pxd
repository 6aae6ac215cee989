# C types of writing.py
cimport cython

cdef int TOP, MAX_LEVELS, MAX_INLINE_LEVELS
cdef dict ALLOWED_PARENTS, IMPLIED_CHILDREN, IMPLIED_IN_LISTS, INLINE_TAGS, LIST_TAGS, INLINE_BITS

cpdef str escape(str text)


@cython.final
cdef class Outline:
    cdef readonly list blocks
    cdef list structure, inline, levels, tags_around, structure_of, inline_of, block_of

    @cython.locals(above=str)
    cdef Py_ssize_t _add_structure(self, str tag, Py_ssize_t element, Py_ssize_t parent) except -2
    cdef Py_ssize_t _add_level(self, str tag, Py_ssize_t element, Py_ssize_t parent) except -2
    @cython.locals(written=str)
    cdef Py_ssize_t _add_inline(self, str tag, Py_ssize_t element, Py_ssize_t parent) except -2


@cython.final
cdef class PathNode:
    cdef readonly PathNode parent
    cdef readonly str tag, start, end
    cdef readonly bint own_line, is_open


@cython.final
cdef class TreeWriter:
    cdef readonly PathNode path
    cdef Outline outline
    cdef list tags, stack, parts
    cdef dict starts, block_tags, structures, captions, fills, inlines
    cdef object read_language
    cdef str note
    cdef bint at_line_start, space_pending
    cdef Py_ssize_t paragraph, key
    cdef PathNode top, table_body, above, block, code

    @cython.locals(
        block=Py_ssize_t, key=Py_ssize_t, inline=Py_ssize_t, tag=str, note=str, above=PathNode,
        path=PathNode, node=PathNode,
    )
    cpdef bint add_leaf(
        self, str text, Py_ssize_t element, bint is_line, bint is_caption, bint is_blank
    ) except -1
    cpdef start_paragraph(self, str note=*)
    cdef PathNode _find_code(self, PathNode path, Py_ssize_t block, Py_ssize_t element)
    cdef PathNode _start_block(self, PathNode above, Py_ssize_t key, str tag, str start)
    @cython.locals(number=Py_ssize_t, node=PathNode)
    cpdef PathNode find_structure(self, Py_ssize_t element, bint is_caption)
    @cython.locals(body=PathNode)
    cdef PathNode _add_structure(self, PathNode parent, str tag, str start)
    @cython.locals(below=list, inner=Py_ssize_t, place=Py_ssize_t, tag=str, start=str, node=PathNode)
    cdef PathNode _find_path(self, dict known, list forest, Py_ssize_t number, bint is_inline)
    @cython.locals(missing=list, last=PathNode, inner=PathNode)
    cpdef go_to(self, PathNode node)
    @cython.locals(words=str)
    cpdef add_text(self, str text)
    cdef add_preformatted(self, str text)
    cdef add_break(self)
    cdef _write_space(self)
