"""A stored page, and the message that takes it to a worker."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch.http_body import MAX_BYTES

# Wall-clock seconds for a page (our choice).
SECONDS = 60.0
# First byte of the HTML in a packed page: its type.
TEXT, BYTES = b"t", b"b"


class InputError(ValueError):
    """An input that cannot be read at all; the message says what to give instead."""


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How inputs are read.

    max_bytes     of a page, packed or not; a page with more has an error
    seconds       of wall time until the next page, record or line is found; then the rest of the
                  input is one error
    follow_links  whether links that lead out of an input folder are followed; else each has an
                  error
    """

    max_bytes: int = MAX_BYTES
    seconds: float = SECONDS
    follow_links: bool = False


DEFAULT_OPTIONS = ReadOptions()
LINK_ERROR = "it is a link that leads out of the folder: read it with --follow-links"


def leads_out(path: Path, folder: Path) -> bool:
    """Return whether symbolic links lead from a path in `folder` to a place outside of it."""
    return not path.resolve().is_relative_to(folder.resolve())


@dataclass(frozen=True, kw_only=True)
class StoredPage:
    """One page of an input.

    id     as the input names it: any JSON value
    url    its address, or None
    html   text, or bytes in the encoding that they declare
    error  why there is no page to read, or None
    size   bytes that the input has been read on for it, for the progress bar
    """

    id: Any
    url: str | None = None
    html: bytes | str = ""
    error: str | None = None
    size: int = 0

    def pack(self) -> bytes:
        """Return the page as one message. Lone surrogates become "?", as in our parser."""
        values = {"id": self.id, "url": self.url, "error": self.error, "size": self.size}
        header = json.dumps(values).encode("ascii")
        if isinstance(self.html, str):
            return b"\n".join((header, TEXT + self.html.encode("utf-8", "replace")))
        return b"\n".join((header, BYTES + self.html))

    @classmethod
    def unpack(cls, message: bytes) -> StoredPage:
        """Return the page of a message."""
        header, _, rest = message.partition(b"\n")
        body = rest[1:]
        return cls(**json.loads(header), html=body.decode() if rest[:1] == TEXT else body)
