"""Inputs of a batch: archives, saved pages, JSON lines, Parquet, folders, Scrapy's HTTP cache."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.batch.file_kinds import (
    ARC,
    HAR,
    HEADER_BYTES,
    MHTML,
    WARC,
    ZIP,
    begins_with_html,
    find_other_kind,
)
from scrapy_boilerplate.batch.http_body import BodyError, read_file
from scrapy_boilerplate.batch.http_cache import is_cache, read_cache
from scrapy_boilerplate.batch.json_lines import read_json_lines
from scrapy_boilerplate.batch.pages import (
    DEFAULT_OPTIONS,
    LINK_ERROR,
    InputError,
    ReadOptions,
    StoredPage,
    check_link,
    is_link_out_of,
)
from scrapy_boilerplate.batch.parquet import read_parquet
from scrapy_boilerplate.batch.saved_pages import (
    create_saved_page,
    has_pages,
    read_har,
    read_mhtml,
    read_zip,
)

Reader = Callable[[Path, ReadOptions], Iterator[StoredPage]]

WARC_SUFFIXES = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")
JSON_LINES_SUFFIXES = (".ndjson", ".jsonl", ".jsonl.gz", ".jsonl.bz2", ".jsonl.xz", ".jsonl.zst")
PARQUET_SUFFIXES = (".parquet",)
ARCHIVE_SUFFIXES = (*WARC_SUFFIXES, *JSON_LINES_SUFFIXES, *PARQUET_SUFFIXES)
HTML_SUFFIXES = (".html", ".htm", ".xhtml")
EXPECTED = "HTML, MHTML, HAR, WACZ, " + ", ".join(ARCHIVE_SUFFIXES)
# The list of pages beside the WARC files of an unpacked WACZ archive, by its first line.
PAGE_LIST = b'"json-pages-1.0"'
# The folder in which HTTrack keeps what its mirror was made of.
HTTRACK_CACHE = "hts-cache"
# Part of a file name to the package that such files need.
PACKAGES = {".warc": "warcio", ".arc": "warcio", ".zst": "zstandard", ".parquet": "pyarrow"}
# Bytes of the digest of files.
DIGEST_BYTES = 16


@dataclass(frozen=True)
class Input:
    """An input file or folder, the `files` to read, and their reader.

    skipped  names of other files in a folder to their kind, such as "an image"
    """

    path: Path
    reader: Reader
    files: Sequence[Path]
    skipped: Mapping[str, str] = field(default_factory=dict)

    def read_pages(self, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[StoredPage]:
        """Yield the pages, always in the same order."""
        name = self.path.name
        if self.path.is_file() and not self.path.stat().st_size:
            yield StoredPage(id=name, error="the file is empty")
            return
        try:
            yield from self.reader(self.path, options)
        except Exception as error:  # noqa: BLE001 - each library has its own
            yield StoredPage(id=name, error=f"{name} cannot be read: {error}")


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
        inputs += _find_in_folder(path, follow_links) if path.is_dir() else [create_input(path)]
    return inputs


def _find_in_folder(path: Path, follow_links: bool) -> list[Input]:
    files = sorted(file for file in path.rglob("*") if file.is_file())
    if is_cache(path):
        return [Input(path, read_cache, files)]
    inputs, pages, skipped = [], [], {}
    for file in files:
        reader: Reader | str = "a link out of the folder"
        if follow_links or not is_link_out_of(file, path):
            reader = _find_reader(file)
        elif _has_suffix(file, (*ARCHIVE_SUFFIXES, *HTML_SUFFIXES)):
            reader = read_html if _has_suffix(file, HTML_SUFFIXES) else read_link
        if reader is read_html:
            pages.append(file)
        elif not isinstance(reader, str):
            inputs.append(Input(file, reader, () if reader is read_link else (file,)))
        elif HTTRACK_CACHE not in file.parts:
            skipped[file.relative_to(path).as_posix()] = reader
    if pages or skipped:
        inputs.append(Input(path, partial(read_html, files=pages), pages, skipped))
    if not any(source.files or source.reader is read_link for source in inputs):
        raise InputError(f"{path} is not an HTTP cache and has no file of the kinds {EXPECTED}")
    return inputs


def create_input(path: Path) -> Input:
    """Return the input at the path of a file. Raises InputError, MissingExtraError."""
    reader = _find_reader(path)
    if isinstance(reader, str):
        raise InputError(f"{path} is {reader}: give {EXPECTED}")
    return Input(path, reader, (path,))


def _find_reader(path: Path) -> Reader | str:
    # by its suffix or its first bytes; a file that is not read has a kind
    for part in path.suffixes[-2:]:
        if package := PACKAGES.get(part.lower()):
            import_optional(package, path.name, "batch")
    try:
        with path.open("rb") as file:
            head = file.read(HEADER_BYTES)
    except OSError as error:
        head, unknown = b"", f"unreadable ({error.strerror})"
    else:
        unknown = "empty" if not head else f"text, {path.suffix or 'no suffix'}"
    for suffixes, reader in READERS.items():
        if _has_suffix(path, suffixes):
            return "a list of URLs" if PAGE_LIST in head else reader
    kind = find_other_kind(head) if head else None
    if kind in KIND_READERS and (kind != ZIP or has_pages(path)):
        return KIND_READERS[kind]
    if _has_suffix(path, HTML_SUFFIXES) or begins_with_html(head):
        return read_html
    return kind or unknown


def _has_suffix(path: Path, suffixes: tuple[str, ...]) -> bool:
    return path.name.lower().endswith(suffixes)


def read_html(
    path: Path, options: ReadOptions, files: Sequence[Path] | None = None
) -> Iterator[StoredPage]:
    """Yield an HTML file, or the given files of a folder.

    The id is the name, or the path in the folder.
    """
    for file in [path] if files is None else files:
        page_id = file.name if files is None else file.relative_to(path).as_posix()
        try:
            if files is not None:
                check_link(file, path, options)
            yield create_saved_page(page_id, read_file(file, options.max_bytes), options)
        except BodyError as error:
            yield StoredPage(id=page_id, error=str(error))
        except OSError as error:
            yield StoredPage(id=page_id, error=f"{file.name} cannot be read ({error.strerror})")


def _read_warc(path: Path, options: ReadOptions) -> Iterator[StoredPage]:
    from scrapy_boilerplate.batch.warc import read_warc  # noqa: PLC0415 - needs warcio

    return read_warc(path, options)


def read_link(path: Path, _options: ReadOptions) -> Iterator[StoredPage]:
    """Yield an error for an archive that is a link out of the input folder."""
    yield StoredPage(id=path.name, error=LINK_ERROR)


READERS: Mapping[tuple[str, ...], Reader] = {
    WARC_SUFFIXES: _read_warc,
    JSON_LINES_SUFFIXES: read_json_lines,
    PARQUET_SUFFIXES: read_parquet,
}
KIND_READERS: Mapping[str | None, Reader] = {
    WARC: _read_warc,
    ARC: _read_warc,
    MHTML: read_mhtml,
    HAR: read_har,
    ZIP: read_zip,
}
