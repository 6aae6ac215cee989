"""Files of gzip members, xz streams or frames of zstd, and plain files.

They are unpacked piece by piece under a clock.
"""

from __future__ import annotations

import lzma
import re
import zlib
from time import monotonic
from typing import Any, BinaryIO

from scrapy_boilerplate.batch.http_body import (
    GZIP_BITS,
    PACKED_BYTES,
    ZSTD,
    BodyError,
    decompress_body,
    is_skippable,
)
from scrapy_boilerplate.extras import MissingExtraError, import_optional

# Bytes that are read from a file at once, and that are unpacked at once (our choice).
CHUNK_BYTES = 16_384
PIECE_BYTES = 262_144
# First bytes of a gzip member (with deflate, the only method) and of an xz stream.
GZIP_MEMBER = b"\x1f\x8b\x08"
XZ_STREAM = b"\xfd7zXZ\x00"
# First bytes of a frame of zstd that is passed over and holds the dictionary of those after it
# (https://iipc.github.io/warc-specifications/specifications/warc-zstd/), and of a dictionary.
DICTIONARY_FRAME = b"\x5d\x2a\x4d\x18"
DICTIONARY = b"\x37\xa4\x30\xec"
# Bytes of the head of a frame that is to be passed over.
FRAME_HEAD = 8
# Bytes of a dictionary, packed or not (our choice: those of archives have 1 MB).
DICTIONARY_BYTES = 10_000_000
# Bytes of what a frame of zstd may refer back to: 128 MB (`zstd --long` takes as much).
ZSTD_WINDOW = 1 << 27
# Bytes that may stand between members: tapes and some tools pad with zeros.
PADDING = b"\0\r\n"
# Bytes that unpacking an xz stream may take (`xz -9` takes 67 MB; our choice).
XZ_MEMORY = 200_000_000
# Bytes that are unpacked to see whether there is a member; of zstd a block, which has 128 kB.
TRIAL_BYTES = 2_048
ZSTD_TRIAL_BYTES = 132_000
# Times the bytes of a file that may be searched for members behind broken ones (our choice).
MAX_SEARCHES = 4


class MemberError(ValueError):
    """A file is cut off or broken; the message says how."""


class ReaderTimeoutError(OSError):
    """The reader of an input takes too long; nothing more is read from it."""


class ReadDeadline:
    """The `seconds` of wall time that the reader of an input may take for a record or a line."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.restart()

    def restart(self) -> None:
        """Begin a record or a line."""
        self._end = monotonic() + self._seconds

    def check(self) -> None:
        """Raise ReaderTimeoutError if the time is over."""
        if monotonic() > self._end:
            raise ReaderTimeoutError(f"finding the next page takes more than {self._seconds:g} s")


_find_magic = re.compile(b"|".join(map(re.escape, (GZIP_MEMBER, ZSTD)))).search


class _ZstdFrame:
    """A frame of zstd, unpacked as `zlib.decompressobj` does. Raises MemberError.

    A call gives 8 MB at most, whatever the frame declares.
    """

    def __init__(self, decompressor: Any) -> None:
        self._decompressor = decompressor.decompressobj()
        self.eof = False
        self.unused_data = self.unconsumed_tail = b""

    def decompress(self, packed: bytes, _size: int) -> bytes:
        """Return the next bytes; what was not read of `packed` is in `unconsumed_tail`."""
        content, position = b"", 0
        while not content and not self.eof and position < len(packed):
            chunk = packed[position : position + PACKED_BYTES]
            position += len(chunk)
            try:
                content = self._decompressor.decompress(chunk)
            except Exception as error:  # of the package, which may be missing
                raise MemberError(f"it is broken: {error}") from error
            self.eof = self._decompressor.eof
        self.unconsumed_tail = packed[position:]
        if self.eof:
            self.unused_data = self._decompressor.unused_data + self.unconsumed_tail
        return content


def _create_decompressor(dictionary: bytes = b"") -> Any:
    """Return what unpacks frames of zstd. Raises MemberError."""
    try:
        module = import_optional("zstandard", "a file packed as zstd", "batch")
    except MissingExtraError as error:
        raise MemberError(str(error)) from error
    options = {"dict_data": module.ZstdCompressionDict(dictionary)} if dictionary else {}
    try:
        decompressor = module.ZstdDecompressor(max_window_size=ZSTD_WINDOW, **options)
    except module.ZstdError as error:
        raise MemberError(f"its dictionary cannot be read: {error}") from error
    return decompressor


class MemberFile:
    """The unpacked bytes of `raw`, a file that can be searched; memory is bounded by a piece.

    Empty members and padding are passed over. A frame that holds a dictionary is for the frames of
    zstd after it. What begins as no member is read as it is, up to the
    end of the file. A member that begins with `head` goes on with nothing from the member before.
    `has_members` tells whether there was a member. Methods raise MemberError, ReaderTimeoutError
    and OSError.
    """

    def __init__(self, raw: BinaryIO, clock: ReadDeadline, head: bytes = b"") -> None:
        self._raw = raw
        self._clock = clock
        self._head = head
        self._packed = b""  # read from the file, not unpacked
        self._content = b""  # unpacked; returned up to `_position`
        self._position = 0
        self._member: Any = None
        self.is_plain = False
        self._starts_member = False
        self.has_members = False
        self._member_start = self._read_start = 0
        self._decompressor: Any = None  # of zstd
        self._searched_bytes = 0

    @property
    def offset(self) -> int:
        """Bytes of the file that are unpacked; of what is not packed, bytes that are returned."""
        unread = len(self._content) - self._position if self.is_plain else 0
        return self._raw.tell() - len(self._packed) - unread

    @property
    def is_at_head(self) -> bool:
        """Whether the next byte is the first of a member that begins with `head`."""
        return self._starts_member and not self._position

    def readline(self, size: int) -> bytes:
        """Return the next line, or `size` bytes of it; b"" at the end of the file."""
        return self._read(size, is_line=True)

    def read(self, size: int) -> bytes:
        """Return `size` bytes; fewer at the end of the file, and before a member with `head`."""
        return self._read(size, is_line=False)

    def _read(self, size: int, *, is_line: bool) -> bytes:
        pieces: list[bytes] = []
        self._read_start = self.offset
        while size > 0 and self._fill() and not (pieces and self.is_at_head):
            end = min(len(self._content), self._position + size)
            if is_line:
                end = self._content.find(b"\n", self._position, end) + 1 or end
            pieces.append(self._content[self._position : end])
            size, self._position = size - len(pieces[-1]), end
            if is_line and pieces[-1].endswith(b"\n"):
                break
        return b"".join(pieces)

    def skip(self, size: int) -> int:
        """Pass over `size` bytes, or as many as `read` would return; return their number."""
        skipped = 0
        while skipped < size and self._fill() and not (skipped and self.is_at_head):
            end = min(len(self._content), self._position + size - skipped)
            skipped, self._position = skipped + end - self._position, end
        return skipped

    def _fill(self) -> bool:
        """Unpack until there are bytes to return; False at the end of the file."""
        while self._position >= len(self._content):
            self._clock.check()
            self._content, self._position, self._starts_member = b"", 0, False
            is_first = self._member is None and not self.is_plain
            if is_first and not self._open_member():
                return False
            self._content = self._unpack()
            if self.is_plain and not self._content:
                return False
            if is_first:
                while len(self._content) < len(self._head) and self._member is not None:
                    self._content += self._unpack()
                self._starts_member = bool(self._head) and self._content.startswith(self._head)
        return True

    def _open_member(self) -> bool:
        """Begin the next member; False at the end of the file."""
        self._read_head()
        while is_skippable(self._packed, 0):
            self._skip_frame()
            self._read_head()
        if not self._packed:
            return False
        if self._packed.startswith(GZIP_MEMBER):
            self._member = zlib.decompressobj(wbits=GZIP_BITS)
        elif self._packed.startswith(ZSTD):
            self._member = self._create_frame()
        elif self._packed.startswith(XZ_STREAM):
            self._member = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
        elif any(magic.startswith(self._packed) for magic in (GZIP_MEMBER, XZ_STREAM, ZSTD)):
            raise MemberError("it is cut off")
        elif self.has_members and not self._head:
            raise MemberError("what follows is not packed")
        else:
            self.is_plain = True
        self.has_members = not self.is_plain or self.has_members
        return True

    def _read_head(self) -> None:
        """Read as many bytes as tell what begins here, without padding."""
        self._packed = self._packed.lstrip(PADDING)
        while len(self._packed) < FRAME_HEAD and (chunk := self._raw.read(CHUNK_BYTES)):
            self._clock.check()
            self._packed = (self._packed + chunk).lstrip(PADDING)
        self._member_start = self.offset

    def _skip_frame(self) -> None:
        """Pass over a frame of zstd without content; read its dictionary."""
        self._clock.check()
        self.has_members = True
        start, is_dictionary = self._member_start, self._packed.startswith(DICTIONARY_FRAME)
        length = int.from_bytes(self._packed[4:FRAME_HEAD], "little")
        size = self._raw.seek(0, 2)
        if start + FRAME_HEAD + length > size:
            self._packed, self._member_start = b"", size
            raise MemberError("it is cut off")
        self._raw.seek(start + FRAME_HEAD)
        if is_dictionary:
            self._member_start = start + FRAME_HEAD + length - 1  # a search begins behind it
            self._read_dictionary(length)
        self._raw.seek(start + FRAME_HEAD + length)
        self._packed = b""

    def _read_dictionary(self, length: int) -> None:
        if length > DICTIONARY_BYTES:
            raise MemberError(f"its dictionary has more than {DICTIONARY_BYTES:,} bytes")
        dictionary = self._raw.read(length)
        if dictionary.startswith(ZSTD):
            try:
                dictionary = decompress_body(dictionary, "zstd", DICTIONARY_BYTES)
            except BodyError as error:
                raise MemberError(f"its dictionary cannot be read: {error}") from error
        if not dictionary.startswith(DICTIONARY):
            raise MemberError("its dictionary is none of zstd")
        self._decompressor = _create_decompressor(dictionary)

    def _create_frame(self) -> _ZstdFrame:
        if self._decompressor is None:
            self._decompressor = _create_decompressor()
        return _ZstdFrame(self._decompressor)

    def _unpack(self) -> bytes:
        """Return the next bytes of the member, perhaps none; it is over if it is None then."""
        if not self._packed and (self.is_plain or getattr(self._member, "needs_input", True)):
            self._packed = self._raw.read(CHUNK_BYTES)
        if self.is_plain:
            content, self._packed = self._packed, b""
            return content
        was_given = bool(self._packed)
        try:
            content = self._member.decompress(self._packed, PIECE_BYTES)
        except (zlib.error, lzma.LZMAError) as error:
            raise MemberError(f"it is broken: {error}") from error
        self._packed = getattr(self._member, "unconsumed_tail", b"")
        if self._member.eof:
            self._packed, self._member = self._member.unused_data, None
        elif not was_given and not content:
            raise MemberError("it is cut off")
        return bytes(content)

    def find_member(self) -> bool:
        """Go to the next gzip member or frame after a broken one; False if none is found.

        In plain bytes the search begins with those that were read last, and the member begins with
        `head`. A file of many broken members is
        searched no more than MAX_SEARCHES times as a whole.
        """
        start = self._read_start if self.is_plain else self._member_start + 1
        head = self._head if self.is_plain else b""
        self._searched_bytes += max(0, self.offset - start)
        size = self._raw.seek(0, 2)
        self._packed, self._content, self._position = b"", b"", 0
        self._member, self.is_plain = None, False
        while self._searched_bytes <= MAX_SEARCHES * size:
            self._clock.check()
            self._raw.seek(start)
            chunk = self._raw.read(CHUNK_BYTES)
            magic = _find_magic(chunk)
            if magic is None and len(chunk) < CHUNK_BYTES:
                break
            if magic is None:
                start += len(chunk) - len(ZSTD) + 1
                continue
            start += magic.start()
            self._raw.seek(start)
            trial = self._raw.read(TRIAL_BYTES if magic[0] == GZIP_MEMBER else ZSTD_TRIAL_BYTES)
            if self._is_member(trial, head):
                self._raw.seek(start)
                return True
            start += 1
            self._searched_bytes += len(trial)
        self._raw.seek(0, 2)
        return False

    def _is_member(self, packed: bytes, head: bytes) -> bool:
        """Return whether a member or frame begins here that is not empty, by `head` if there is."""
        try:
            if packed.startswith(ZSTD):
                content = self._create_frame().decompress(packed, 1)
            else:
                content = zlib.decompressobj(wbits=GZIP_BITS).decompress(packed, len(head) or 1)
        except (zlib.error, MemberError):
            return False
        return bool(content) and content.startswith(head)
