"""What can be an input: WARC files, JSON lines, folders of HTML, Scrapy's HTTP cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.batch.http_body import MAX_BYTES, BodyError, decoded, is_html, too_large
from scrapy_boilerplate.batch.http_cache import entries, is_cache, read_entry
from scrapy_boilerplate.batch.lines import read_lines
from scrapy_boilerplate.batch.pages import InputError, StoredPage
from scrapy_boilerplate.batch.warc import read_warc
from scrapy_boilerplate.extras import optional

Reader = Callable[[Path, int], Iterator[StoredPage]]

WARC = (".warc", ".warc.gz")
LINES = (".jsonl", ".jsonl.gz", ".jsonl.xz", ".ndjson")
HTML = (".html", ".htm", ".xhtml")
STATE_BYTES = 16
"""Of the digest of an input's files."""
EXPECTED = ", ".join((*WARC, *LINES, *HTML))


@dataclass(frozen=True)
class Input:
    """A file, or a folder that is read as one, and what reads it; `size` in bytes."""

    path: Path
    reader: Reader
    size: int

    def state(self) -> str:
        """A digest of the paths, sizes and times of its files: another where one was changed,
        renamed, added or taken away."""
        digest = blake2b(digest_size=STATE_BYTES)
        for file in self._files():
            known, name = file.stat(), file.relative_to(self.path).as_posix()
            digest.update(
                f"{name}\0{known.st_size}\0{known.st_mtime_ns}\0".encode(errors="replace")
            )
        return digest.hexdigest()

    def _files(self) -> Iterator[Path]:
        if self.reader is read_cache:
            for folder in entries(self.path):
                yield from sorted(one for one in folder.iterdir() if one.is_file())
        elif self.reader is read_folder:
            yield from _html_files(self.path)
        else:
            yield self.path

    def pages(self, limit: int = MAX_BYTES) -> Iterator[StoredPage]:
        """Its pages, in an order that does not change; one with more than `limit` bytes has an
        error."""
        return self.reader(self.path, limit)


def inputs_of(paths: Sequence[Path]) -> list[Input]:
    """The inputs at `paths`, folders taken apart. Raises InputError, MissingExtraError."""
    found = [one for path in paths for one in _inputs_at(path)]
    if any(one.reader is read_warc for one in found):
        optional("fastwarc", "reading WARC files", "batch")
    return found


def _inputs_at(path: Path) -> list[Input]:
    if not path.exists():
        raise InputError(f"there is no input at {path}")
    if not path.is_dir():
        return [_file(path)]
    if is_cache(path):
        size = sum(one.stat().st_size for one in path.glob("*/??/*/response_body"))
        return [Input(path, read_cache, size)]
    files = sorted(one for one in path.rglob("*") if one.is_file())
    archives = [_file(one) for one in files if one.name.lower().endswith((*WARC, *LINES))]
    pages = [one for one in files if one.name.lower().endswith(HTML)]
    if pages:
        archives.append(Input(path, read_folder, sum(one.stat().st_size for one in pages)))
    if not archives:
        raise InputError(f"{path} is no HTTP cache and holds no file that ends with {EXPECTED}")
    return archives


def _file(path: Path) -> Input:
    name = path.name.lower()
    size = path.stat().st_size
    if name.endswith(WARC):
        return Input(path, read_warc, size)
    if name.endswith(LINES):
        return Input(path, read_lines, size)
    if name.endswith(HTML):
        return Input(path, read_file, size)
    raise InputError(f"{path} is none of {EXPECTED}: rename it, or give its folder")


def read_file(path: Path, limit: int) -> Iterator[StoredPage]:
    """The page in an HTML file; its id is its name."""
    yield _html(path, path.name, limit)


def read_folder(path: Path, limit: int) -> Iterator[StoredPage]:
    """The HTML files in a folder and those below it, by name; the id is the path within it."""
    for file in _html_files(path):
        yield _html(file, file.relative_to(path).as_posix(), limit)


def _html_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name.lower().endswith(HTML):
            yield file


def _html(file: Path, name: str, limit: int) -> StoredPage:
    try:
        size = file.stat().st_size
        if size > limit:
            return StoredPage(id=name, error=str(too_large(limit)), size=size)
        return StoredPage(id=name, html=file.read_bytes(), size=size)
    except OSError as error:
        return StoredPage(id=name, error=f"{file.name} cannot be read ({error.strerror})")


def read_cache(path: Path, limit: int) -> Iterator[StoredPage]:
    """The HTML answers with status 200 to 299 of an HTTP cache; the id is
    ``<spider>/<fingerprint>``."""
    for folder in entries(path):
        name = f"{folder.parent.parent.name}/{folder.name}"
        size, url = 0, None
        try:
            answer = read_entry(folder)
            url = answer.response_url
            kind = answer.content_type
            if is_html(kind) and 200 <= answer.status < 300:
                size = (folder / "response_body").stat().st_size
                html = decoded(answer.body(limit), kind)
                yield StoredPage(id=name, url=url, html=html, size=size)
        except (BodyError, OSError, LookupError, ValueError) as error:
            yield StoredPage(id=name, url=url, error=str(error), size=size)


READERS: Mapping[str, Reader] = MappingProxyType(
    {one.__name__: one for one in (read_warc, read_lines, read_file, read_folder, read_cache)}
)
"""Every reader by its name, which travels where functions cannot."""
