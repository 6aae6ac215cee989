# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: binding=False, embedsignature=False
"""Twin of `page.reading`: one pass over the nodes of libxml2, which lxml keeps.

The structs of lxml and libxml2 that are read are declared here, by hand: building needs neither
their headers nor their libraries, and one build serves every version of lxml whose structs begin
like this. `find_obstacle` checks that. They have begun like this since libxml2 2.6 and lxml 2.

Nodes are only read, and only while `Reader._walk` runs. It makes no object that the garbage
collector counts, so no other Python code runs in it and the tree stays as it is. Whatever is
unusual (documents of XML, references to entities, bytes that are not UTF-8) ends the walk, and
`Reader.read` returns None: the walk of Python reads such trees.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.ref cimport Py_INCREF, PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memchr, memcmp, memcpy, memset, strchr, strcmp, strlen, strrchr, strstr

import gc

cdef struct TreeNamespace:
    TreeNamespace *next
    int type
    const char *href


cdef struct TreeDtd:
    void *own
    int type
    void *names_and_links[9]
    void *attributes


cdef struct TreeDocument:
    void *own
    int type
    void *names_and_links[7]
    int flags[2]
    TreeDtd *internal
    TreeDtd *external


cdef struct TreeAttribute:
    void *own
    int type
    const char *name
    TreeNode *children
    void *links[2]
    TreeAttribute *next
    void *others[2]
    TreeNamespace *ns


cdef struct TreeNode:
    void *own
    int type
    const char *name
    TreeNode *children
    void *last
    TreeNode *parent
    TreeNode *next
    void *before
    TreeDocument *doc
    TreeNamespace *ns
    char *content
    TreeAttribute *properties


cdef struct LxmlElement:
    PyObject head
    PyObject *doc
    TreeNode *node
    PyObject *tag


cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 character)

# types of nodes in libxml2
cdef enum:
    ELEMENT = 1
    ATTRIBUTE = 2
    TEXT = 3
    CDATA = 4
    ENTITY = 5
    INSTRUCTION = 7
    COMMENT = 8
    HTML_DOCUMENT = 13

# attributes whose values are read; NOTHING is any other
cdef enum:
    CLASS, ID, ROLE, HREF, REL, SRC, DATETIME, CONTENT, PROPERTY, NAME, HTTP_EQUIV, KIND, ITEMPROP
    ITEMTYPE, ITEMSCOPE, STYLE, HIDDEN, N_ATTRIBUTES, NOTHING

cdef const char **ATTRIBUTE_NAMES = [
    "class", "id", "role", "href", "rel", "src", "datetime", "content", "property", "name",
    "http-equiv", "type", "itemprop", "itemtype", "itemscope",
    "style", "hidden",
]

# what the name of an element tells; those of the second line by its exact name
cdef enum TagFlag:
    IS_BLOCK = 1, IS_INVISIBLE = 2, IS_A = 4, IS_BR = 8, IS_IMG = 16, IS_TIME = 32, IS_HEAD = 64
    META = 128, LINK = 256, SCRIPT = 512, TITLE = 1024, HEAD = 2048, METADATA = 4096
    IMAGE = 8192, IS_SUP = 16384, IS_CONCEALED = 32768

cdef enum:
    FACTS = META | LINK | SCRIPT | TITLE | HEAD

cdef dict FLAGS_OF_NAMES = {
    "a": IS_A, "br": IS_BR, "sup": IS_SUP, "img": IS_IMG, "time": IS_TIME, "head": IS_HEAD
}
cdef dict FLAGS_OF_EXACT_NAMES = {
    "meta": META, "link": LINK, "script": SCRIPT, "title": TITLE, "head": HEAD, "svg": IMAGE
}

cdef const char *EMPTY = ""

# entries of a table of names; a page has about 60 names of elements and attributes, and 200 values
cdef enum:
    NAMES = 512
    CODES = 4096


cdef struct Tag:
    const char *key
    int32_t number
    int flags


cdef struct Value:
    const char *text
    size_t size
    int32_t number


cdef struct AttributeName:
    const char *key
    int attribute


cdef struct Numbers:
    int32_t *items
    Py_ssize_t length
    Py_ssize_t room


cdef int append(Numbers *numbers, int32_t value) except -1:
    cdef Py_ssize_t room
    cdef void *items
    if numbers.length == numbers.room:
        room = 2 * numbers.room + 512
        items = PyMem_Realloc(numbers.items, room * sizeof(int32_t))
        if items is NULL:
            raise MemoryError
        numbers.items, numbers.room = <int32_t *>items, room
    numbers.items[numbers.length] = value
    numbers.length += 1
    return 0


cdef inline int32_t last(Numbers *numbers) noexcept:
    return numbers.items[numbers.length - 1]


cdef list to_list(Numbers *numbers, list values, int32_t first=0):
    """Return of each number its value; `values` begin with that of `first`.

    Columns share their values: an object for each number would take four times the memory.
    """
    cdef list column = PyList_New(numbers.length)
    cdef object value
    cdef Py_ssize_t i
    for i in range(numbers.length):
        value = values[numbers.items[i] - first]
        Py_INCREF(value)
        PyList_SET_ITEM(column, i, value)
    return column


cdef bytearray to_bytes(Numbers *numbers):
    """Return the numbers as int64, for numpy."""
    cdef bytearray column = PyByteArray_FromStringAndSize(NULL, numbers.length * sizeof(int64_t))
    cdef int64_t *items = <int64_t *>PyByteArray_AS_STRING(column)
    cdef Py_ssize_t i
    for i in range(numbers.length):
        items[i] = numbers.items[i]
    return column


cdef inline str decode(const char *text):
    """Return the text of bytes in UTF-8. Raises UnicodeDecodeError."""
    return PyUnicode_DecodeUTF8(text, strlen(text), NULL)


cdef str decode_start(const char *text, Py_ssize_t n):
    """Return the first `n` characters of a text; the time does not depend on its length."""
    cdef Py_ssize_t size = 4 * n
    cdef const char *end = <const char *>memchr(text, 0, size + 1)
    if end is not NULL:
        size = end - text
    while size and (<unsigned char>text[size] & 0xC0) == 0x80:  # inside of a character
        size -= 1
    return PyUnicode_DecodeUTF8(text, size, NULL)[:n]


cdef uint64_t compute_slot(const char *text, size_t size) noexcept:
    cdef uint64_t code = size, part
    while size >= sizeof(part):
        memcpy(&part, text, sizeof(part))
        code = (code ^ part) * 0x9E3779B97F4A7C15ULL
        code ^= code >> 29
        text, size = text + sizeof(part), size - sizeof(part)
    part = 0
    memcpy(&part, text, size)
    code = (code ^ part) * 0x9E3779B97F4A7C15ULL
    return (code ^ code >> 29) % NAMES


cdef uint32_t mix_byte(uint32_t code, unsigned char byte) noexcept:
    """Return the code of a word (FNV-1a) with another byte."""
    return (code ^ byte) * 0x01000193U


cdef bint is_element(TreeNode *node) noexcept:
    """As `_isElement` of lxml."""
    return node is not NULL and (
        node.type == ELEMENT or node.type == COMMENT or node.type == ENTITY or node.type == INSTRUCTION
    )


cdef inline bint has_namespace(TreeNode *node) noexcept:
    return node.ns is not NULL and node.ns.href is not NULL


cdef bint equals_lower(const char *text, const char *lower) noexcept:
    """Whether `text` in lower case is `lower`, letters of ASCII without k.

    No other character becomes one of them by `str.lower`.
    """
    cdef Py_ssize_t i = 0
    cdef char byte
    if text is NULL:
        return False
    while True:
        byte = text[i]
        if 65 <= byte <= 90:
            byte += 32
        if byte != lower[i]:
            return False
        if byte == 0:
            return True
        i += 1


cdef const char *read_value(TreeAttribute *attribute, bint *is_usual) noexcept:
    """Return the value as `xmlGetNsProp` does; "" for an attribute without one."""
    cdef TreeNode *text = attribute.children
    if text is NULL:
        return EMPTY
    if text.next is NULL and (text.type == TEXT or text.type == CDATA) and text.content is not NULL:
        return text.content
    is_usual[0] = False
    return EMPTY


cdef const char *find_value(TreeNode *node, const char *name, bint *is_usual) noexcept:
    """Return the value of an attribute without namespace, or NULL."""
    cdef TreeAttribute *attribute = node.properties
    while attribute is not NULL:
        if attribute.ns is NULL and strcmp(attribute.name, name) == 0:
            return read_value(attribute, is_usual)
        attribute = attribute.next
    return NULL


cdef bint is_blank(str text):
    """As `page.text.is_blank`."""
    cdef Py_UCS4 character
    for character in text:
        if not (
            character < 0x20
            or character == 0x7F
            or character == 0xAD
            or 0x200B <= character <= 0x200F
            or character == 0x2060
            or 0xD800 <= character <= 0xDFFF
            or character == 0xFEFF
            or character == 0xFFFE
            or character == 0xFFFF
            or Py_UNICODE_ISSPACE(character)
        ):
            return False
    return True


cdef bint is_blank_bytes(const char *text) noexcept:
    """Whether a text has only spaces and control characters of ASCII."""
    cdef Py_ssize_t i = 0
    while text[i]:
        if (<unsigned char>text[i] > 0x20) and text[i] != 0x7F:
            return False
        i += 1
    return True


# flags of `page.lines.Style`
cdef enum:
    OWN_LINES = 1
    CONCEALED = 2
    LINED = 4

# what lies between two leaves: `page.columns.Break`
cdef enum:
    NONE = 0
    LINE = 1
    PARAGRAPH = 2


def has_break_end(bytes html not None):
    """Return whether markup has what may be an end tag of `br`."""
    cdef const char *at = html
    cdef const char *end = at + len(html)
    while True:
        at = <const char *>memchr(at, c"<", end - at)
        if at is NULL:
            return False
        # the byte after the last one is 0
        if at[1] == c"/" and at[2] | 32 == c"b" and at[3] | 32 == c"r":
            return True
        at += 1


# words that are checked at once; numbers that pages share
cdef enum:
    WORDS = 4
    MOST_SHARED = 10000


def is_utf_8(bytes html not None):
    """Return whether all bytes are valid UTF-8."""
    cdef const unsigned char *at = html
    cdef const unsigned char *end = at + len(html)
    cdef uint64_t words[WORDS]
    cdef uint64_t unusual
    cdef unsigned char lowest, highest
    cdef int i, n
    while at < end:
        if end - at >= <Py_ssize_t>sizeof(words):
            memcpy(words, at, sizeof(words))
            unusual = 0
            for i in range(WORDS):
                unusual |= words[i]
            if not unusual & 0x8080808080808080ULL:
                at += sizeof(words)
                continue
        # the byte after the last one is 0, which continues no character
        for i in range(<int>sizeof(words)):
            n, lowest, highest = 0, 0x80, 0xBF
            if 0xC2 <= at[0] < 0xF5:
                n = 1 + (at[0] >= 0xE0) + (at[0] >= 0xF0)
                lowest = 0xA0 if at[0] == 0xE0 else 0x90 if at[0] == 0xF0 else lowest
                highest = 0x9F if at[0] == 0xED else 0x8F if at[0] == 0xF4 else highest
                if not lowest <= at[1] <= highest:
                    return False
                if n > 1 and (at[2] & 0xC0 != 0x80 or (n > 2 and at[3] & 0xC0 != 0x80)):
                    return False
            elif at[0] >= 0x80:
                return False
            at += n + 1
            if at >= end:
                break
    return True


cdef class Reader:
    """Reads trees. The arguments are the constants of the walk of Python, by their names there."""

    cdef type element_type
    cdef frozenset block_level, preformatted, invisible, hidden_tags, metadata
    cdef tuple breaks
    cdef object name_link, read_style, is_link_mark, write_raised
    cdef Py_ssize_t json_ld_limit, value_limit, max_name, max_linked
    # whether a hidden class has this code
    cdef bint hides[CODES]
    cdef int microdata_limit, scope_limit, node_limit
    cdef list numbers

    def __init__(
        self, *, type element_type, frozenset block_level, frozenset preformatted,
        frozenset invisible, frozenset hidden_tags, frozenset hidden_classes,
        frozenset metadata, tuple breaks,
        Py_ssize_t json_ld_limit, Py_ssize_t value_limit, int microdata_limit, int scope_limit, int node_limit,
        Py_ssize_t max_name, Py_ssize_t max_linked, name_link, read_style, is_link_mark, write_raised,
    ):
        self.element_type = element_type
        cdef uint32_t code
        cdef int byte
        for name in hidden_classes:
            code = 0
            for byte in name.encode():
                code = mix_byte(code, byte)
            self.hides[code % CODES] = True
        self.block_level, self.preformatted = block_level, preformatted
        self.invisible, self.hidden_tags, self.metadata = invisible, hidden_tags, metadata
        self.name_link, self.read_style = name_link, read_style
        self.is_link_mark = is_link_mark
        self.write_raised, self.max_linked = write_raised, max_linked
        self.breaks, self.numbers = breaks, []
        self.json_ld_limit, self.value_limit = json_ld_limit, value_limit
        self.microdata_limit, self.scope_limit = microdata_limit, scope_limit
        self.node_limit, self.max_name = node_limit, max_name

    cdef list list_numbers(self, Py_ssize_t n):
        """Return NO_ELEMENT, 0, 1 and so on, at least `n` numbers; pages of usual size share them."""
        if n > MOST_SHARED:
            return list(range(-1, n - 1))
        if len(self.numbers) < n:
            self.numbers += range(len(self.numbers) - 1, n - 1)
        return self.numbers

    def read(self, element):
        """Return the columns of the tree of `element` in the order of `Walk.columns`, or None."""
        cdef TreeNode *node
        cdef Walk walk
        if not isinstance(element, self.element_type):
            return None
        walk = Walk(self)
        node = (<LxmlElement *><PyObject *>element).node
        if node is NULL or node.type != ELEMENT or node.doc is NULL:
            return None
        if node.doc.type != HTML_DOCUMENT or declares_attributes(node.doc):
            return None
        try:
            if not walk.walk_roots(node):
                return None
        except UnicodeDecodeError:
            return None
        return walk.columns()


cdef bint declares_attributes(TreeDocument *document) noexcept:
    """Whether a document type may give values to attributes that an element does not have."""
    return (document.internal is not NULL and document.internal.attributes is not NULL) or (
        document.external is not NULL and document.external.attributes is not NULL
    )


cdef class Walk:
    """The state of one walk, and the columns so far; the same names as in `page.reading`."""

    cdef Reader reader
    cdef Tag tag_table[NAMES]
    cdef Value value_table[NAMES]
    cdef AttributeName attribute_table[NAMES]
    cdef const char *values[N_ATTRIBUTES]
    cdef bint is_usual, is_first, is_head_known, any_namespace
    # the root, the outermost svg around, the element whose subtree is invisible, the head of the
    # first root
    cdef TreeNode *root
    cdef TreeNode *image
    cdef TreeNode *skipped
    cdef TreeNode *head
    cdef int state
    cdef int properties_left
    cdef Py_ssize_t json_ld_left
    cdef Numbers parents, ends, depths, url_elements, time_elements, rel_elements
    # numbers of `strings`
    cdef Numbers tags, classes, ids, roles
    cdef Numbers leaf_elements, leaf_owners, leaf_opened, leaf_in_link, leaf_breaks
    cdef Numbers path, owners, own_lines, hidden
    # numbers of the strings that may be names of hidden classes
    cdef Numbers hiding
    # the open link, its first leaf, and the outermost open elements of these kinds; -1 without one
    cdef int32_t link, raised, lined
    cdef Py_ssize_t link_leaf, linked
    cdef bint is_local
    # the text of several nodes beside each other
    cdef char *joined
    cdef Py_ssize_t room
    # string to its number
    cdef dict known
    cdef list strings, urls, times, rels, texts, pieces
    cdef list metas, declared_links, scripts, microdata, titles
    cdef list content_languages, locales, languages

    def __cinit__(self, Reader reader):
        self.reader = reader
        self.is_usual = True
        self.json_ld_left = reader.json_ld_limit
        self.known, self.strings = {"": 0}, [""]
        self.urls, self.times, self.rels, self.texts, self.pieces = [], [], [], [], []
        self.metas, self.declared_links, self.scripts, self.microdata = [], [], [], []
        self.titles, self.content_languages, self.locales, self.languages = [], [], [], []

    def __dealloc__(self):
        PyMem_Free(self.tags.items)
        PyMem_Free(self.classes.items)
        PyMem_Free(self.ids.items)
        PyMem_Free(self.roles.items)
        PyMem_Free(self.parents.items)
        PyMem_Free(self.ends.items)
        PyMem_Free(self.depths.items)
        PyMem_Free(self.url_elements.items)
        PyMem_Free(self.time_elements.items)
        PyMem_Free(self.rel_elements.items)
        PyMem_Free(self.leaf_elements.items)
        PyMem_Free(self.leaf_owners.items)
        PyMem_Free(self.leaf_opened.items)
        PyMem_Free(self.leaf_in_link.items)
        PyMem_Free(self.leaf_breaks.items)
        PyMem_Free(self.path.items)
        PyMem_Free(self.owners.items)
        PyMem_Free(self.own_lines.items)
        PyMem_Free(self.hidden.items)
        PyMem_Free(self.hiding.items)
        PyMem_Free(self.joined)

    cdef tuple columns(self):
        """Return the columns; the nodes are not read any more."""
        cdef list numbers = self.reader.list_numbers(self.tags.length + 2)
        return (
            (
                to_list(&self.tags, self.strings), to_list(&self.parents, numbers, -1),
                to_list(&self.ends, numbers, -1), to_list(&self.depths, numbers, -1),
                to_list(&self.classes, self.strings), to_list(&self.ids, self.strings),
                to_list(&self.roles, self.strings),
                dict(zip(to_list(&self.url_elements, numbers, -1), self.urls)),
            ),
            (
                self.texts, to_list(&self.leaf_elements, numbers, -1),
                to_list(&self.leaf_owners, numbers, -1), to_list(&self.leaf_opened, numbers, -1),
                to_list(&self.leaf_in_link, [False, True]),
                to_list(&self.leaf_breaks, list(self.reader.breaks)),
            ),
            tuple(zip(to_list(&self.time_elements, numbers, -1), self.times)),
            tuple(zip(to_list(&self.rel_elements, numbers, -1), self.rels)),
            tuple(zip(self.metas[::2], self.metas[1::2])),
            tuple(zip(self.declared_links[::2], self.declared_links[1::2])),
            tuple(self.scripts),
            list(zip(self.microdata[::3], self.microdata[1::3], self.microdata[2::3])),
            self.titles[0] if self.titles else "",
            self.content_languages + self.locales + self.languages,
            to_list(&self.hidden, numbers, -1),
            [self.strings[self.hiding.items[i]] for i in range(self.hiding.length)],
            (to_bytes(&self.parents), to_bytes(&self.ends), to_bytes(&self.depths)),
            (
                to_bytes(&self.leaf_elements), to_bytes(&self.leaf_owners),
                to_bytes(&self.leaf_opened), to_bytes(&self.leaf_breaks),
            ),
            self.strings,
            self.known,
            (
                to_bytes(&self.tags), to_bytes(&self.classes), to_bytes(&self.ids),
                to_bytes(&self.roles),
            ),
        )

    # --- the walk ---

    cdef bint walk_roots(self, TreeNode *root) except -1:
        """Read `root` and its siblings; return False if something is unusual."""
        cdef bint is_inside = is_element(root.parent)
        append(&self.path, -1)
        self.is_first = True
        while root is not NULL:
            if root.type == ELEMENT:
                append(&self.owners, <int32_t>self.tags.length)
                self.state = PARAGRAPH
                self.link = self.raised = self.lined = -1
                self.own_lines.length = 0
                self.root = root
                self.skipped = NULL
                self.image = root.parent if is_in_image(root) else NULL
                self.any_namespace = has_namespace(root) or strchr(root.name, c"}") is not NULL
                self.properties_left = self.reader.microdata_limit
                self.walk_root()
                self.is_first = False
            if is_inside or not self.is_usual:
                break
            root = root.next
        return self.is_usual

    cdef int walk_root(self) except -1:
        cdef TreeNode *node = self.root
        cdef TreeNode *child
        self.enter(node)
        child = node.children
        while self.is_usual:
            if child is NULL:
                self.leave(node)
                if node is self.root:
                    break
                child, node = node.next, node.parent
            elif child.type == TEXT or child.type == CDATA:
                child = child.next if self.skipped is not NULL else self.read_text(child)
            elif child.type == ELEMENT:
                node = child
                self.enter(node)
                child = node.children
            elif child.type == COMMENT or child.type == INSTRUCTION:
                child = child.next
            else:
                self.is_usual = False
        return 0

    cdef int enter(self, TreeNode *node) except -1:
        """Add the element, if it is not invisible, and what it declares."""
        cdef Tag *tag = self.find_tag(node.name)
        cdef int32_t index
        cdef int flags = tag.flags, style = 0
        self.read_attributes(node)
        if flags & FACTS:
            self.read_facts(node, flags)
        elif flags & IMAGE and self.image is NULL:
            self.image = node
        if self.values[ITEMPROP] is not NULL and node is not self.root and self.properties_left > 0:
            self.properties_left -= 1
            self.read_property(node)
        if self.skipped is not NULL:
            return 0
        index = <int32_t>self.tags.length
        append(&self.tags, tag.number)
        append(&self.parents, last(&self.path))
        append(&self.depths, <int32_t>(self.path.length - 1))
        append(&self.ends, index + 1)
        append(&self.classes, self.find_number(self.values[CLASS]))
        append(&self.ids, self.find_number(self.values[ID]))
        append(&self.roles, self.find_number(self.values[ROLE]))
        append(&self.path, index)
        if self.values[STYLE] is not NULL:
            style = self.reader.read_style(self.get_value(STYLE))
        if flags & IS_BLOCK:
            self.state = PARAGRAPH
            if node is not self.root:  # a root is always an owner already
                append(&self.owners, index)
        elif flags & IS_BR:
            self.state = PARAGRAPH if self.state else LINE
        else:
            if style & OWN_LINES and not self.is_preformatted():
                self.state = self.state or LINE
                append(&self.own_lines, index)
            if flags & IS_CONCEALED:
                append(&self.hidden, index)
                append(&self.owners, index)
            elif style & CONCEALED or self.values[HIDDEN] is not NULL:
                append(&self.hidden, index)
            if flags & IS_A:
                self.enter_link(index)
            elif flags & IS_SUP:
                if self.raised == -1:
                    self.raised = index
            elif flags & IS_IMG:
                append(&self.url_elements, index)
                self.urls.append(self.get_value(SRC))
            elif flags & IS_TIME:
                append(&self.time_elements, index)
                self.times.append(self.get_value(DATETIME))
        if style & LINED and self.lined == -1 and not self.is_preformatted():
            self.lined = index
        if flags & IS_INVISIBLE or (flags & IS_HEAD and not self.holds_text(node)):
            self.skipped = node
        return 0

    cdef int enter_link(self, int32_t index) except -1:
        if self.link != -1:  # its end tag is missing: the next link ends it
            self.end_link()
        if self.values[HREF] is not NULL:
            self.link, self.link_leaf, self.linked = index, self.leaf_breaks.length, 0
            self.is_local = strchr(self.values[HREF], c"#") is not NULL
            append(&self.url_elements, index)
            self.urls.append(self.get_value(HREF))
            if self.values[REL] is not NULL and (
                strstr(self.values[REL], "author") is not NULL
                or strstr(self.values[REL], "tag") is not NULL
            ):
                append(&self.rel_elements, index)
                self.rels.append(self.get_value(REL))
        return 0

    cdef void end_link(self) noexcept:
        """As `_end_link` of `page.reading`."""
        cdef Py_ssize_t leaf
        cdef bint ends = False
        for leaf in range(self.link_leaf + 1, self.leaf_breaks.length):
            ends = ends or self.leaf_breaks.items[leaf] == PARAGRAPH
            if ends:
                self.leaf_in_link.items[leaf] = False
        self.link = -1

    cdef bint is_indent(self) except -1:
        """Whether white space would start a line of a listing."""
        owner = self.tags.items[last(&self.owners)]
        return self.state == LINE and self.strings[owner] in self.reader.preformatted

    cdef bint is_preformatted(self) except -1:
        """Whether one of the open elements shows white space."""
        cdef Py_ssize_t i
        for i in range(1, self.path.length):
            if self.strings[self.tags.items[self.path.items[i]]] in self.reader.preformatted:
                return True
        return False

    cdef int leave(self, TreeNode *node) except -1:
        cdef int32_t index
        if node is self.head:
            self.head = NULL
        elif node is self.image:
            self.image = NULL
        if self.skipped is not NULL:
            if node is not self.skipped:
                return 0
            self.skipped = NULL
        index = last(&self.path)
        self.path.length -= 1
        self.ends.items[index] = <int32_t>self.tags.length
        if last(&self.owners) == index:
            if not self.find_tag(node.name).flags & IS_CONCEALED:
                self.state = PARAGRAPH
            self.owners.length -= 1
        elif self.own_lines.length and last(&self.own_lines) == index:
            self.state = self.state or LINE
            self.own_lines.length -= 1
        if self.link == index:
            if self.linked > self.reader.max_linked:
                self.end_link()
            self.link = -1
        elif self.raised == index:
            self.raised = -1
        if self.lined == index:
            self.lined = -1
        return 0

    cdef TreeNode *read_text(self, TreeNode *node) except? NULL:
        """Add a leaf, but for a blank one that ends or starts a block; return the next node."""
        cdef const char *text
        cdef TreeNode *after = self.join_text(node, &text)
        cdef str leaf, piece, before
        cdef bint is_linked = self.link != -1 and self.is_local, is_first = True
        if not text[0] or (
            self.state and self.lined == -1 and is_blank_bytes(text) and not self.is_indent()
        ):
            return after
        leaf = decode(text)
        if is_linked and self.reader.is_link_mark(leaf):
            return after
        if self.raised != -1:
            before = "" if self.state else self.texts[len(self.texts) - 1]
            leaf = self.reader.write_raised(leaf, before, is_linked)
        if self.lined == -1:
            self.add_leaf(leaf)
            return after
        for piece in leaf.split("\n"):
            if not is_first:
                self.state = PARAGRAPH if self.state else LINE
            is_first = False
            self.add_leaf(piece)
        return after

    cdef int add_leaf(self, str leaf) except -1:
        """Add a leaf, but for a blank one that starts a block."""
        if leaf and not (self.state and is_blank(leaf) and not self.is_indent()):
            append(&self.leaf_breaks, self.state)
            self.texts.append(leaf)
            append(&self.leaf_elements, last(&self.path))
            append(&self.leaf_owners, last(&self.owners))
            append(&self.leaf_opened, <int32_t>self.tags.length)
            append(&self.leaf_in_link, self.link != -1)
            self.linked += len(leaf)
            self.state = NONE
        return 0

    cdef TreeNode *join_text(self, TreeNode *node, const char **text) except? NULL:
        """Set `text` to that of `node` and the text nodes behind it; return the node after them.

        It holds until the next call.
        """
        cdef Py_ssize_t size = 0, n
        cdef void *joined
        cdef TreeNode *after = node.next
        text[0] = EMPTY if node.content is NULL else node.content
        if after is NULL or (after.type != TEXT and after.type != CDATA):
            return after
        while node is not NULL and (node.type == TEXT or node.type == CDATA):
            if node.content is not NULL:
                n = strlen(node.content)
                if size + n + 1 > self.room:
                    joined = PyMem_Realloc(self.joined, 2 * (size + n + 1))
                    if joined is NULL:
                        raise MemoryError
                    self.joined, self.room = <char *>joined, 2 * (size + n + 1)
                memcpy(self.joined + size, node.content, n)
                size += n
            node = node.next
        if size:
            self.joined[size] = 0
            text[0] = self.joined
        return node

    cdef bint holds_text(self, TreeNode *head) except -1:
        """As `_holds_text` of `page.reading`."""
        cdef TreeNode *child = head.children
        cdef const char *text
        while child is not NULL:
            if child.type == TEXT or child.type == CDATA:
                child = self.join_text(child, &text)
                if text[0] and not is_blank_bytes(text) and not is_blank(decode(text)):
                    return True
                continue
            if child.type != ELEMENT or has_namespace(child):
                return True
            if not self.find_tag(child.name).flags & METADATA:
                return True
            child = child.next
        return False

    # --- names and values ---

    cdef Tag *find_tag(self, const char *key) except NULL:
        """Return what a name tells; names of a document are kept once, so their pointers identify them."""
        cdef Tag *tag = &self.tag_table[(<uintptr_t>key ^ <uintptr_t>key >> 9) % NAMES]
        cdef const char *bracket
        cdef str name
        cdef int flags
        if tag.key is key:
            return tag
        bracket = strrchr(key, c"}")
        name = decode(key if bracket is NULL else bracket + 1).lower()
        flags = FLAGS_OF_NAMES.get(name, 0) | FLAGS_OF_EXACT_NAMES.get(decode(key), 0)
        if name in self.reader.block_level:
            flags |= IS_BLOCK
        if name in self.reader.invisible:
            flags |= IS_INVISIBLE
        if name in self.reader.hidden_tags:
            flags |= IS_CONCEALED
        if decode(key) in self.reader.metadata:
            flags |= METADATA
        tag.key, tag.number, tag.flags = key, self.number_string(name), flags
        return tag

    cdef int read_attributes(self, TreeNode *node) except -1:
        """Set `values`: the first attribute of each name, without namespace; NULL where absent."""
        cdef TreeAttribute *attribute = node.properties
        cdef AttributeName *entry
        cdef int i
        memset(self.values, 0, sizeof(self.values))
        while attribute is not NULL:
            if attribute.ns is NULL:
                entry = &self.attribute_table[
                    (<uintptr_t>attribute.name ^ <uintptr_t>attribute.name >> 9) % NAMES
                ]
                if entry.key is not attribute.name:
                    entry.key, entry.attribute = attribute.name, NOTHING
                    for i in range(N_ATTRIBUTES):
                        if strcmp(attribute.name, ATTRIBUTE_NAMES[i]) == 0:
                            entry.attribute = i
                if entry.attribute != NOTHING and self.values[entry.attribute] is NULL:
                    self.values[entry.attribute] = read_value(attribute, &self.is_usual)
            elif attribute.ns.href is NULL:
                self.is_usual = False
            attribute = attribute.next
        return 0

    cdef str get_value(self, int attribute):
        """Return a value as written, "" where it is absent."""
        cdef const char *value = self.values[attribute]
        return "" if value is NULL or value[0] == 0 else decode(value)

    cdef int32_t find_number(self, const char *text) except -1:
        """Return the number of a value, which is decoded once; 0 where it is absent."""
        cdef Value *value
        cdef size_t size
        cdef str string
        if text is NULL or text[0] == 0:
            return 0
        size = strlen(text)
        value = &self.value_table[compute_slot(text, size)]
        if value.size != size or memcmp(value.text, text, size) != 0:
            string = PyUnicode_DecodeUTF8(text, size, NULL)[: self.reader.max_name]
            value.number = self.number_string(string)
            if self.may_hide(text):
                append(&self.hiding, value.number)
            value.text, value.size = text, size
        return value.number

    cdef bint may_hide(self, const char *text) noexcept:
        """Whether one of the words of a class may hide words, or is not ASCII."""
        cdef uint32_t code = 0
        cdef unsigned char byte
        while True:
            byte = text[0]
            if byte & 0x80:
                return True
            if byte <= 0x20:
                if code and self.reader.hides[code % CODES]:
                    return True
                if byte == 0:
                    return False
                code = 0
            else:
                code = mix_byte(code, byte)
            text += 1

    cdef int32_t number_string(self, str string) except -1:
        number = self.known.get(string)
        if number is None:
            number = self.known[string] = len(self.strings)
            self.strings.append(string)
        return number

    # --- what the page declares ---

    cdef int read_facts(self, TreeNode *node, int flags) except -1:
        if flags & HEAD:
            if self.is_first and node.parent is self.root and not self.is_head_known:
                self.is_head_known, self.head = True, node
        elif flags & TITLE:
            if self.is_first and not self.titles and self.image is NULL:
                self.titles.append(self.read_first_texts(node, True))
        else:
            if flags & META and self.head is not NULL:
                self.read_language()
            if self.any_namespace or not (has_namespace(node) and node.ns.href[0]):
                if flags & META:
                    self.read_meta()
                elif flags & LINK:
                    self.read_link()
                else:
                    self.read_script(node)
        return 0

    cdef int read_language(self) except -1:
        """As the meta elements of `read_language`."""
        if self.values[CONTENT] is not NULL:
            if equals_lower(self.values[HTTP_EQUIV], "content-language"):
                self.content_languages.append(self.get_value(CONTENT))
            if equals_lower(self.values[PROPERTY], "og:locale"):
                self.locales.append(self.get_value(CONTENT))
            if equals_lower(self.values[NAME], "language"):
                self.languages.append(self.get_value(CONTENT))
        return 0

    cdef int read_meta(self) except -1:
        cdef str content = self.get_value(CONTENT)
        cdef str name
        name = (
            self.get_value(PROPERTY)
            or self.get_value(NAME)
            or self.get_value(ITEMPROP)
            or self.get_value(HTTP_EQUIV)
        )
        if name and content and not content.isspace():
            self.metas.append(name.strip().lower())
            self.metas.append(content[: self.reader.value_limit])
        return 0

    cdef int read_link(self) except -1:
        cdef str name
        if self.values[REL] is not NULL and self.values[HREF] is not NULL and self.values[HREF][0]:
            name = self.reader.name_link(self.get_value(REL), self.get_value(KIND))
            if name:
                self.declared_links.append(name)
                self.declared_links.append(self.get_value(HREF).strip()[: self.reader.value_limit])
        return 0

    cdef int read_script(self, TreeNode *node) except -1:
        cdef const char *text
        cdef str script
        if self.values[KIND] is NULL or "ld+json" not in self.get_value(KIND).lower():
            return 0
        if node.children is NULL or not (node.children.type == TEXT or node.children.type == CDATA):
            return 0
        self.join_text(node.children, &text)
        script = decode(text)
        if 0 < len(script) <= self.json_ld_left:
            self.scripts.append(script)
            self.json_ld_left -= len(script)
        return 0

    cdef int read_property(self, TreeNode *node) except -1:
        """As `_read_microdata`, but for white space and empty values."""
        cdef str value = ""
        cdef Py_ssize_t limit = self.reader.value_limit
        cdef str name = decode_start(self.values[ITEMPROP], limit).lower()
        cdef const char *outer
        cdef const char *scope
        cdef TreeNode *ancestor = node.parent
        cdef str item_type = ""
        cdef bint is_nested = False
        cdef int i
        if self.values[ITEMSCOPE] is not NULL:
            return 0
        value = (
            self.get_value(CONTENT)
            or self.get_value(DATETIME)
            or self.get_value(HREF)
            or self.get_value(SRC)
            or self.read_first_texts(node, False)
        )
        for i in range(self.reader.scope_limit):
            if not is_element(ancestor):
                break
            if find_value(ancestor, "itemscope", &self.is_usual) is not NULL:
                outer = find_value(ancestor, "itemprop", &self.is_usual)
                if is_nested or outer is NULL or outer[0] == 0:
                    scope = find_value(ancestor, "itemtype", &self.is_usual)
                    item_type = "" if scope is NULL else decode_start(scope, limit)
                    break
                name = (decode_start(outer, limit).lower() + "." + name)[:limit]
                is_nested = True
            ancestor = ancestor.parent
        self.microdata.append(name)
        self.microdata.append(value[:limit])
        self.microdata.append(item_type)
        return 0

    cdef str read_first_texts(self, TreeNode *top, bint is_whole):
        """Return what `read_first_texts` yields, joined; if not whole as `_read_value_texts`."""
        cdef TreeNode *node = top
        cdef const char *text
        cdef int texts_left = self.reader.scope_limit, nodes_left = self.reader.node_limit
        self.pieces.clear()
        while is_whole or texts_left:
            if not is_whole and is_element(node):
                if not nodes_left:
                    break
                nodes_left -= 1
            if node.type == ELEMENT and node.children is not NULL:
                if node.children.type == TEXT or node.children.type == CDATA:
                    self.join_text(node.children, &text)
                    if is_whole:
                        self.pieces.append(decode(text))
                    else:
                        self.pieces.append(decode_start(text, self.reader.value_limit))
                        texts_left -= 1
                node = node.children
                continue
            while node is not top and node.next is NULL:
                node = node.parent
            if node is top:
                break
            node = node.next
        return "".join(self.pieces)


cdef bint is_in_image(TreeNode *node) noexcept:
    """Whether an ancestor is an svg."""
    node = node.parent
    while is_element(node):
        if node.type == ELEMENT and strcmp(node.name, "svg") == 0:
            return True
        node = node.parent
    return False


def find_obstacle(etree):
    """Return why the structs of the module `lxml.etree` cannot be read, or ""."""
    cdef PyObject *document
    if not (4, 9) <= etree.LXML_VERSION[:2] < (7,):
        return f"lxml {'.'.join(map(str, etree.LXML_VERSION))} is unknown"
    if not (2, 9) <= etree.LIBXML_VERSION[:2] < (2, 16):
        return f"libxml2 {'.'.join(map(str, etree.LIBXML_VERSION))} is unknown"
    if etree._Element.__basicsize__ != sizeof(LxmlElement):
        return f"elements of lxml have {etree._Element.__basicsize__} bytes"
    element = etree.HTML("<p>")
    document = (<LxmlElement *><PyObject *>element).doc
    if <uintptr_t>document not in map(id, gc.get_referents(element)):
        return "elements of lxml do not begin with their document"
    return ""
