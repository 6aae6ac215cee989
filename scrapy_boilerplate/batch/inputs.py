"""What can be an input: WARC files, JSON lines, Parquet, folders of HTML, Scrapy's HTTP cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.batch.http_body import create_size_error
from scrapy_boilerplate.batch.http_cache import BODY, is_cache, list_entries, read_cache
from scrapy_boilerplate.batch.json_lines import read_json_lines
from scrapy_boilerplate.batch.pages import (
    DEFAULT_OPTIONS,
    LINK_ERROR,
    InputError,
    ReadOptions,
    StoredPage,
    leads_out,
)
from scrapy_boilerplate.batch.parquet import read_parquet
from scrapy_boilerplate.batch.warc import read_warc
from scrapy_boilerplate.extras import import_optional

Reader = Callable[[Path, ReadOptions], Iterator[StoredPage]]

WARC_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
JSON_LINES_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz", ".ndjson")
PARQUET_SUFFIXES = (".parquet",)
ARCHIVE_SUFFIXES = (*WARC_SUFFIXES, *JSON_LINES_SUFFIXES, *PARQUET_SUFFIXES)
HTML_SUFFIXES = (".html", ".htm", ".xhtml")
EXPECTED = ", ".join((*ARCHIVE_SUFFIXES, *HTML_SUFFIXES))
# Suffix to the package that its files need.
PACKAGES = {".zst": "zstandard", ".parquet": "pyarrow"}
# Bytes of the digest of an input's files.
DIGEST_BYTES = 16


@dataclass(frozen=True)
class Input:
    """A file, or a folder that is read as one, and what reads it; `size` in bytes."""

    path: Path
    reader: Reader
    size: int

    def digest(self) -> str:
        """Return a digest of the paths, sizes and times of its files.

        It changes if a file is changed, renamed, added or removed.
        """
        digest = blake2b(digest_size=DIGEST_BYTES)
        for file in self._list_files():
            stat, name = file.stat(), file.relative_to(self.path).as_posix()
            digest.update(f"{name}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode(errors="replace"))
        return digest.hexdigest()

    def _list_files(self) -> Iterator[Path]:
        if self.reader is read_cache:
            for folder in list_entries(self.path):
                yield from sorted(path for path in folder.iterdir() if path.is_file())
        elif self.reader is read_html_folder:
            yield from _list_html_files(self.path)
        else:
            yield self.path

    def read_pages(self, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[StoredPage]:
        """Yield its pages, in an order that does not change."""
        return self.reader(self.path, options)


def find_inputs(paths: Sequence[Path], *, follow_links: bool = False) -> list[Input]:
    """Return the inputs at `paths` and within folders. Raises InputError, MissingExtraError.

    With `follow_links` files in a folder may be links that lead out of it.
    """
    inputs: list[Input] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"there is no input at {path}")
        inputs.extend(
            _find_in_folder(path, follow_links) if path.is_dir() else [_create_input(path)]
        )
    return inputs


def _find_in_folder(path: Path, follow_links: bool) -> list[Input]:
    if is_cache(path):
        size = sum(file.stat().st_size for file in path.glob(f"*/??/*/{BODY}"))
        return [Input(path, read_cache, size)]
    files = sorted(file for file in path.rglob("*") if file.is_file())
    inputs = [
        _create_input(file)
        if follow_links or not leads_out(file, path)
        else Input(file, read_link, 0)
        for file in files
        if _has_suffix(file, ARCHIVE_SUFFIXES)
    ]
    html_files = [file for file in files if _has_suffix(file, HTML_SUFFIXES)]
    if html_files:
        size = sum(file.stat().st_size for file in html_files)
        inputs.append(Input(path, read_html_folder, size))
    if not inputs:
        raise InputError(f"{path} is no HTTP cache and holds no file that ends with {EXPECTED}")
    return inputs


def _create_input(path: Path) -> Input:
    readers = (
        (WARC_SUFFIXES, read_warc),
        (JSON_LINES_SUFFIXES, read_json_lines),
        (PARQUET_SUFFIXES, read_parquet),
        (HTML_SUFFIXES, read_html_file),
    )
    for suffixes, reader in readers:
        if _has_suffix(path, suffixes):
            if package := PACKAGES.get(path.suffix.lower()):
                import_optional(package, path.name, "batch")
            return Input(path, reader, path.stat().st_size)
    raise InputError(f"{path} is none of {EXPECTED}: rename it, or give its folder")


def _has_suffix(path: Path, suffixes: tuple[str, ...]) -> bool:
    return path.name.lower().endswith(suffixes)


def read_html_file(path: Path, options: ReadOptions) -> Iterator[StoredPage]:
    """Yield the page in an HTML file; its id is its name."""
    yield _read_html(path, path.name, options.max_bytes)


def read_html_folder(path: Path, options: ReadOptions) -> Iterator[StoredPage]:
    """Yield the HTML files in a folder and those below it, by name; the id is the relative path."""
    for file in _list_html_files(path):
        page_id = file.relative_to(path).as_posix()
        if not options.follow_links and leads_out(file, path):
            yield StoredPage(id=page_id, error=LINK_ERROR)
        else:
            yield _read_html(file, page_id, options.max_bytes)


def read_link(path: Path, _options: ReadOptions) -> Iterator[StoredPage]:
    """Yield the error of an archive in a folder that is a link which leads out of it."""
    yield StoredPage(id=path.name, error=LINK_ERROR)


def _list_html_files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and _has_suffix(file, HTML_SUFFIXES):
            yield file


def _read_html(file: Path, page_id: str, limit: int) -> StoredPage:
    try:
        size = file.stat().st_size
        if size > limit:
            return StoredPage(id=page_id, error=str(create_size_error(limit)), size=size)
        return StoredPage(id=page_id, html=file.read_bytes(), size=size)
    except OSError as error:
        return StoredPage(id=page_id, error=f"{file.name} cannot be read ({error.strerror})")


# Name to reader: Spark sends the name.
READERS: Mapping[str, Reader] = MappingProxyType(
    {
        reader.__name__: reader
        for reader in (
            read_warc,
            read_json_lines,
            read_parquet,
            read_html_file,
            read_html_folder,
            read_cache,
            read_link,
        )
    }
)
