# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: binding=False, embedsignature=False
"""Twin of `page.encoding`: whether bytes are valid UTF-8."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

# the first bit of each of eight bytes: characters beyond ASCII
cdef uint64_t BEYOND_ASCII = 0x8080808080808080ULL


cdef inline bint continues(unsigned char byte) noexcept:
    return byte & 0xC0 == 0x80


def is_utf_8(bytes html not None):
    """Return whether Python's strict decoder reads all bytes (RFC 3629)."""
    cdef const unsigned char *at = html
    cdef const unsigned char *end = at + len(html)
    cdef uint64_t eight
    cdef unsigned char first, least, most
    while at < end:
        if end - at >= 8:
            memcpy(&eight, at, 8)
            if not eight & BEYOND_ASCII:
                at += 8
                continue
        first = at[0]
        at += 1
        if first < 0x80:
            continue
        if first < 0xC2 or first > 0xF4:
            return False
        least, most = 0x80, 0xBF
        if first == 0xE0:  # could be shorter
            least = 0xA0
        elif first == 0xED:  # surrogates
            most = 0x9F
        elif first == 0xF0:  # could be shorter
            least = 0x90
        elif first == 0xF4:  # beyond U+10FFFF
            most = 0x8F
        if at == end or not least <= at[0] <= most:
            return False
        at += 1
        if first >= 0xE0:
            if at == end or not continues(at[0]):
                return False
            at += 1
        if first >= 0xF0:
            if at == end or not continues(at[0]):
                return False
            at += 1
    return True
