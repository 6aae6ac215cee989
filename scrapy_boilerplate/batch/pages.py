"""A stored page, the options of the readers, and a file with a time limit."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.batch.http_body import MAX_BYTES, BodyError, create_size_error

if TYPE_CHECKING:
    from typing_extensions import Buffer

# Wall-clock seconds for a page.
SECONDS = 60.0
# Bytes of a character in UTF-8.
MAX_CHARACTER_BYTES = 4
NO_HTML = 'there is no "html": give the HTML of the pages, not the items of a crawl'
LINK_ERROR = "skipped: a link that leads out of the folder (see --follow-links)"


class InputError(ValueError):
    """An input cannot be used; the message says what to give instead."""


class ReaderTimeoutError(OSError):
    """The next page of an input was not found in time; the rest of the input is not read."""


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Limits and options of the readers.

    max_bytes     maximum bytes of a page, packed or unpacked
    seconds       maximum wall-clock time to find the next page, record or line
    follow_links  whether to follow links that lead out of an input folder
    keeps_lines   whether pages of JSON lines may keep their `line`
    """

    max_bytes: int = MAX_BYTES
    seconds: float = SECONDS
    follow_links: bool = False
    keeps_lines: bool = False


DEFAULT_OPTIONS = ReadOptions()


@dataclass(frozen=True, kw_only=True)
class StoredPage:
    """One page of an input.

    id       identifier from the input: any JSON value
    url      URL of the page, or None
    html     text, or bytes in the encoding that they declare
    error    why the page cannot be read, or None
    partial  TRUNCATED if the input has only the beginning of the page
    headers  the HTTP headers of the response that declare reservations
    line     the page as JSON, which a worker decodes (`json_lines.decode_page`): without a `url`,
             and with the `id` of the line
    """

    id: Any
    url: str | None = None
    html: bytes | str = ""
    error: str | None = None
    partial: str | None = None
    headers: Sequence[tuple[str, str]] = ()
    line: bytes | None = None

    def decode(self) -> str:
        """Return the HTML as text, in the encoding that bytes declare."""
        from scrapy_boilerplate.page.decoding import decode_html  # noqa: PLC0415 - imports lxml

        return self.html if isinstance(self.html, str) else decode_html(self.html)


def create_page(
    values: Mapping[str, Any], default_id: str | None, limit: int = MAX_BYTES
) -> StoredPage:
    """Return the page with the `id`, `url` and `html` in `values`, or a page with an error.

    `limit` is the maximum size of the HTML in bytes.
    """
    page_id, url, html = (values.get(name) for name in ("id", "url", "html"))
    error = None
    if not isinstance(html, str | bytes):
        error = NO_HTML if html is None else '"html" is not text'
    elif not isinstance(url, str | None):
        error = '"url" is not text'
    elif _is_longer(html, limit):
        error = str(create_size_error(limit))
    return StoredPage(
        id=default_id if page_id is None else page_id,
        url=url if isinstance(url, str) else None,
        html="" if error or html is None else html,
        error=error,
    )


def _is_longer(html: bytes | str, limit: int) -> bool:
    if isinstance(html, str) and len(html) <= limit < MAX_CHARACTER_BYTES * len(html):
        html = html.encode("utf-8", "replace")
    return len(html) > limit


class TimedFile(io.FileIO):
    """A file whose reads raise ReaderTimeoutError `seconds` after the last `restart`."""

    def __init__(self, path: Path, seconds: float) -> None:
        super().__init__(path)
        self._seconds = seconds
        self.restart()

    def restart(self) -> None:
        """Start the clock for the next page."""
        self._end = monotonic() + self._seconds

    def check(self) -> None:
        """Raise ReaderTimeoutError if the time is over."""
        if monotonic() > self._end:
            raise ReaderTimeoutError(f"finding the next page took more than {self._seconds:g} s")

    def readinto(self, buffer: Buffer) -> int | None:
        """Read into a buffer. Raises ReaderTimeoutError, OSError."""
        self.check()
        return super().readinto(buffer)


def check_link(path: Path, folder: Path, options: ReadOptions) -> None:
    """Raise BodyError for a link out of `folder`, unless the options allow it."""
    if not options.follow_links and is_link_out_of(path, folder):
        raise BodyError(LINK_ERROR)


def is_link_out_of(path: Path, folder: Path) -> bool:
    """Return whether symbolic links lead from a path in `folder` to a place outside of it."""
    return not path.resolve().is_relative_to(folder.resolve())
