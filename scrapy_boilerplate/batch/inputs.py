"""Inputs of a batch: WARC files, JSON lines, Parquet, folders of HTML, Scrapy's HTTP cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.batch.http_body import create_size_error
from scrapy_boilerplate.batch.http_cache import is_cache, read_cache
from scrapy_boilerplate.batch.json_lines import read_json_lines
from scrapy_boilerplate.batch.pages import (
    DEFAULT_OPTIONS,
    LINK_ERROR,
    InputError,
    ReadOptions,
    StoredPage,
    is_link_out_of,
)
from scrapy_boilerplate.batch.parquet import read_parquet

Reader = Callable[[Path, ReadOptions], Iterator[StoredPage]]

WARC_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
JSON_LINES_SUFFIXES = (".ndjson", ".jsonl", ".jsonl.gz", ".jsonl.bz2", ".jsonl.xz", ".jsonl.zst")
PARQUET_SUFFIXES = (".parquet",)
ARCHIVE_SUFFIXES = (*WARC_SUFFIXES, *JSON_LINES_SUFFIXES, *PARQUET_SUFFIXES)
HTML_SUFFIXES = (".html", ".htm", ".xhtml")
EXPECTED = ", ".join((*ARCHIVE_SUFFIXES, *HTML_SUFFIXES))
# Part of a file name to the package that such files need.
PACKAGES = {".warc": "warcio", ".zst": "zstandard", ".parquet": "pyarrow"}
# Bytes of the digest of files.
DIGEST_BYTES = 16


@dataclass(frozen=True)
class Input:
    """An input file or folder, the `files` to read, and their reader."""

    path: Path
    reader: Reader
    files: Sequence[Path]

    def read_pages(self, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[StoredPage]:
        """Yield the pages, always in the same order."""
        if self.path.is_file() and not self.path.stat().st_size:
            return iter([StoredPage(id=self.path.name, error="the file is empty")])
        return self.reader(self.path, options)


def digest_files(files: Iterable[Path]) -> str:
    """Return a digest of the paths, sizes and modification times of files."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    for file in files:
        stat = file.stat()
        line = f"{file.resolve()}\0{stat.st_size}\0{stat.st_mtime_ns}\0"
        digest.update(line.encode(errors="replace"))
    return digest.hexdigest()


def find_inputs(paths: Sequence[Path], *, follow_links: bool = False) -> list[Input]:
    """Return the inputs at `paths` and within folders. Raises InputError, MissingExtraError.

    With `follow_links`, links in a folder may lead out of it.
    """
    inputs: list[Input] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"no such file or folder: {path}")
        inputs += _find_in_folder(path, follow_links) if path.is_dir() else [_create_input(path)]
    return inputs


def _find_in_folder(path: Path, follow_links: bool) -> list[Input]:
    files = sorted(file for file in path.rglob("*") if file.is_file())
    if is_cache(path):
        return [Input(path, read_cache, files)]
    inputs = [
        _create_input(file)
        if follow_links or not is_link_out_of(file, path)
        else Input(file, read_link, ())
        for file in files
        if _has_suffix(file, ARCHIVE_SUFFIXES)
    ]
    if html_files := [file for file in files if _has_suffix(file, HTML_SUFFIXES)]:
        inputs.append(Input(path, read_html, html_files))
    if not inputs:
        raise InputError(f"{path} is not an HTTP cache and has no file that ends with {EXPECTED}")
    return inputs


def _create_input(path: Path) -> Input:
    for part in path.suffixes[-2:]:
        if package := PACKAGES.get(part.lower()):
            import_optional(package, path.name, "batch")
    if _has_suffix(path, WARC_SUFFIXES):
        from scrapy_boilerplate.batch.warc import read_warc  # noqa: PLC0415 - needs warcio

        return Input(path, read_warc, (path,))
    for suffixes, reader in READERS.items():
        if _has_suffix(path, suffixes):
            return Input(path, reader, (path,))
    raise InputError(f"{path} does not end with {EXPECTED}")


def _has_suffix(path: Path, suffixes: tuple[str, ...]) -> bool:
    return path.name.lower().endswith(suffixes)


def read_html(path: Path, options: ReadOptions) -> Iterator[StoredPage]:
    """Yield an HTML file, or the HTML files of a folder and its subfolders, sorted by name.

    The id is the name, or the path in the folder.
    """
    is_folder = path.is_dir()
    files = sorted(path.rglob("*")) if is_folder else [path]
    for file in files:
        if is_folder and not (file.is_file() and _has_suffix(file, HTML_SUFFIXES)):
            continue
        page_id = file.relative_to(path).as_posix() if is_folder else file.name
        try:
            if is_folder and not options.follow_links and is_link_out_of(file, path):
                yield StoredPage(id=page_id, error=LINK_ERROR)
            elif file.stat().st_size > options.max_bytes:
                yield StoredPage(id=page_id, error=str(create_size_error(options.max_bytes)))
            else:
                yield StoredPage(id=page_id, html=file.read_bytes())
        except OSError as error:
            yield StoredPage(id=page_id, error=f"{file.name} cannot be read ({error.strerror})")


def read_link(path: Path, _options: ReadOptions) -> Iterator[StoredPage]:
    """Yield an error for an archive that is a link out of the input folder."""
    yield StoredPage(id=path.name, error=LINK_ERROR)


READERS: Mapping[tuple[str, ...], Reader] = {
    JSON_LINES_SUFFIXES: read_json_lines,
    PARQUET_SUFFIXES: read_parquet,
    HTML_SUFFIXES: read_html,
}
