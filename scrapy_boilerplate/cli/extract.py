"""``scrapy-boilerplate extract``: the content of files, URLs or JSON lines."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.cli.options import (
    PIPE_CLOSED,
    Commands,
    OptionError,
    add_timeout,
    check_markup_packages,
    dump_json,
    dump_json_line,
    parse_positive,
    print_error,
)
from scrapy_boilerplate.items import (
    ADDED_FIELDS,
    MARKUP_FIELDS,
    RECORD_FIELDS,
    describe_unknown_field,
)

if TYPE_CHECKING:
    from scrapy_boilerplate.batch.pages import StoredPage
    from scrapy_boilerplate.page.limits import Limits
    from scrapy_boilerplate.steps.extractor import Extractor


# The printed values of one page, from its document (`Document.to_dict`) or its error.
OutputRecord = dict[str, Any]

STANDARD_INPUT = "-"
NO_HTML_FILES = '--format jsonl reads JSON lines {"id", "url", "html"}; for HTML use --format json'
# Budgets of `Limits` to their meaning; each has an option.
BUDGETS = {
    "bytes": "bytes of a page",
    "elements": "elements of a page",
    "milliseconds": "CPU time of a page",
}
# Formats that print only one field.
PLAIN_FORMATS = ("text", *MARKUP_FIELDS)
METADATA_FORMATS = ("text", "markdown")
# Of the files of `--urls`.
SUFFIXES = {"text": ".txt", "markdown": ".md", "html": ".html", "json": ".json"}
NAME_LENGTH = 120  # characters of the name of a file without its suffix


def add_to(commands: Commands) -> None:
    parser = commands.add_parser(
        "extract",
        help="print the main content of HTML files or URLs",
        description="Print the main content of HTML files or URLs. With --format jsonl the input "
        'is one JSON object per line, {"id", "url", "html"}. For each line, it prints an object '
        'with the fields of the document, or {"id", "error"}.',
    )
    add = parser.add_argument
    add("--extractor", metavar="NAME", help="see: scrapy-boilerplate extractors")
    add("--favor", metavar="WHAT", help="balanced (default), precision or recall")
    add("--format", choices=(*PLAIN_FORMATS, "json", "jsonl"), default="text")
    add("--add", choices=ADDED_FIELDS, action="append", default=[],
        help="add this field to json and jsonl (repeatable)")  # fmt: skip
    add("--fields", metavar="NAME,NAME", help="only these fields of json and jsonl, in this order")
    add("--no-blocks", action="store_true", help="json and jsonl without blocks")
    add("--with-metadata", action="store_true",
        help="print title, date, authors and URL as YAML above text and markdown")  # fmt: skip
    add("--url", metavar="BASE", help="URL of the page, for one file")
    add("--urls", type=Path, metavar="FILE",
        help="list of URLs, one a line, requested as robots.txt allows; needs -o")  # fmt: skip
    add("-o", "--out", type=Path, metavar="FOLDER", help="for --urls: a file for each page")
    for name, meaning in BUDGETS.items():
        text = f"maximum {meaning}; beyond it the result is partial (default: no limit)"
        add(f"--max-{name}", type=parse_positive, metavar="N", help=text)
    add_timeout(parser)
    add("files", nargs="*", metavar="FILE", help="file or URL (default: standard input)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the content; return 1 if a file cannot be read."""
    from scrapy_boilerplate.extractors import BALANCED, DEFAULT, get_extractor
    from scrapy_boilerplate.page.limits import Limits

    limits = Limits(**{name: getattr(options, f"max_{name}") for name in BUDGETS})
    _check_options(options)
    fields = _choose_fields(options)
    extractor = get_extractor(options.extractor or DEFAULT, options.favor or BALANCED)
    check_markup_packages(fields)
    builder = RecordBuilder(extractor, fields, limits)
    if options.urls is None:
        return _extract_files(options, builder)

    def write(page: StoredPage) -> str:
        return _format_record(builder.build(page), options, "utf-8")

    suffix = SUFFIXES[options.format]
    return extract_urls(options.urls, options.out, suffix, options.timeout, write)


def _check_options(options: argparse.Namespace) -> None:
    form, is_plain = options.format, options.format in PLAIN_FORMATS
    if options.add and is_plain:
        raise OptionError(
            f"--add {options.add[0]} needs --format json or jsonl; to print only this field, "
            f"use --format {options.add[0]}"
        )
    if is_plain and (options.fields is not None or options.no_blocks):
        name = "--no-blocks" if options.no_blocks else "--fields"
        raise OptionError(f"{name} needs --format json or jsonl; --format {form} prints one field")
    if (options.urls is None) != (options.out is None):
        raise OptionError("--urls FILE and -o FOLDER need each other")
    if options.urls is not None and (options.files or options.url or form == "jsonl"):
        raise OptionError("--urls does not go with files, --url and --format jsonl: omit them")
    if options.with_metadata and form not in METADATA_FORMATS:
        raise OptionError(f"--with-metadata needs --format {' or '.join(METADATA_FORMATS)}")
    if options.url is not None:
        if form == "jsonl":
            raise OptionError('--url does not apply to jsonl: each line has its own "url"')
        if len(options.files) > 1:
            raise OptionError("--url is the URL of one page: give one file")
        if not options.url.lower().startswith(("http://", "https://")):
            raise OptionError(f"--url {options.url} does not start with http:// or https://")


def _choose_fields(options: argparse.Namespace) -> tuple[str, ...]:
    added = [options.format] if options.format in MARKUP_FIELDS else options.add
    names = ["id", *RECORD_FIELDS, *added, "blocks", "ms"]
    if options.fields is not None:
        known = dict.fromkeys((*names[:-2], *ADDED_FIELDS, *names[-2:]))
        names = [name.strip() for name in options.fields.split(",")]
        if unknown := [name for name in names if name not in known]:
            raise OptionError(f"--fields: {describe_unknown_field(unknown[0], known)}")
        names += added
    return tuple(name for name in dict.fromkeys(names) if name != "blocks" or not options.no_blocks)


@dataclass(frozen=True)
class RecordBuilder:
    """Builds the printed record of each page; `fields` are its keys, in order."""

    extractor: Extractor
    fields: Sequence[str]
    limits: Limits

    def build(self, page: StoredPage) -> OutputRecord:
        """Return the record of a page: `id`, the fields of its document, `ms` of CPU time."""
        from scrapy_boilerplate.extraction import extract

        start = process_time()
        document = extract(page.html, page.url, self.extractor, limits=self.limits)
        values = document.to_dict(name for name in self.fields if name not in ("id", "ms"))
        milliseconds = 1000 * (process_time() - start)
        record = {"id": page.id, **values, "ms": round(milliseconds, 3)}
        return {name: record[name] for name in self.fields}

    def build_of_line(self, line: bytes) -> OutputRecord:
        """Return the record of the page in a line of JSON, or its error."""
        from scrapy_boilerplate.batch.json_lines import decode_page
        from scrapy_boilerplate.batch.pages import StoredPage

        page = decode_page(StoredPage(id=None, line=line))
        if line.lstrip().startswith(b"<"):
            return {"id": None, "error": f"not JSON: {NO_HTML_FILES}"}
        if page.error is not None:
            return {"id": page.id, "error": page.error}
        try:
            return self.build(page)
        except Exception as error:  # noqa: BLE001 - the next line is served
            return {"id": page.id, "error": f"{type(error).__name__}: {error}"}


def _extract_files(options: argparse.Namespace, builder: RecordBuilder) -> int:
    from scrapy_boilerplate.cli.sources import SourceError

    status = 0
    outputs: list[tuple[str, OutputRecord]] = []
    for name in options.files or [STANDARD_INPUT]:
        if advice := _advise(name, options.format):
            status = print_error(advice)
            continue
        try:
            if options.format == "jsonl":
                _print_lines(name, builder)
            else:
                for source in _read_sources(name, options.timeout):
                    page = replace(source, id=name, url=options.url or source.url)
                    outputs.append((name, builder.build(page)))
        except BrokenPipeError:
            return PIPE_CLOSED
        except (OSError, SourceError) as error:
            status = print_error(error)
    _print_outputs(outputs, options)
    return status


def _print_lines(name: str, builder: RecordBuilder) -> None:
    is_piped = name == STANDARD_INPUT
    with nullcontext(sys.stdin.buffer) if is_piped else Path(name).open("rb") as lines:
        for line in filter(bytes.strip, lines):
            record = builder.build_of_line(line)
            print(dump_json_line(record, sys.stdout.encoding), flush=True)


def _advise(name: str, format_: str) -> str | None:
    from scrapy_boilerplate.batch.inputs import HTML_SUFFIXES, JSON_LINES_SUFFIXES
    from scrapy_boilerplate.cli.sources import is_url

    if Path(name).is_dir():
        return f"{name} is a folder: give files, or run: scrapy-boilerplate batch {name} -o OUT"
    if format_ != "jsonl" and not is_url(name) and name.lower().endswith(JSON_LINES_SUFFIXES):
        batch = f"scrapy-boilerplate batch {name} -o OUT"
        return f"{name} has JSON lines: add --format jsonl, or run: {batch}"
    if format_ == "jsonl" and (is_url(name) or name.lower().endswith(HTML_SUFFIXES)):
        return f"{name}: {NO_HTML_FILES}"
    return None


def _read_sources(name: str, timeout: int) -> Iterable[StoredPage]:
    from scrapy_boilerplate.cli.sources import fetch_source, is_url, read_pages, read_standard_input

    if name == STANDARD_INPUT:
        return [read_standard_input()]
    return [fetch_source(name, timeout)] if is_url(name) else read_pages(Path(name))


def _print_outputs(
    outputs: Sequence[tuple[str, OutputRecord]], options: argparse.Namespace
) -> None:
    has_several = max(len(outputs), len(options.files)) > 1
    if options.format == "json" and outputs:
        records = [record for _, record in outputs]
        value = records if has_several else records[0]
        print(dump_json(value, sys.stdout.encoding, indent=2))
    elif options.format in PLAIN_FORMATS:
        for name, record in outputs:
            if not record["text"]:
                print_error(f"no text found in {name}; render pages that need JavaScript")
            if has_several:
                print(f"==> {name} <==")
            print(_format_record(record, options, sys.stdout.encoding))


def _format_record(record: OutputRecord, options: argparse.Namespace, encoding: str) -> str:
    if options.format == "json":
        return dump_json(record, encoding, indent=2)
    if options.with_metadata:
        return add_metadata(record, options.format)
    return str(record[options.format])


# Front matter: the metadata of a page, in YAML above its text

# Characters of a JSON string that YAML 1.1 does not print (5.1), and ends of lines.
_escape_unprintable = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]").sub


def write_front_matter(record: Mapping[str, Any]) -> str:
    """Return the known title, date, authors and URL of a record between lines of ``---``."""
    values = {
        "title": record["headline"],
        "date": record["date_published"],
        "authors": list(record["authors"]),
        "url": record["url"] or record["canonical_url"],
    }
    lines = [f"{name}: {_quote(value)}" for name, value in values.items() if value]
    return "\n".join(["---", *lines, "---"])


def add_metadata(record: Mapping[str, Any], format_: str) -> str:
    """Return the front matter of a record and its field `format_`; Markdown gets a heading."""
    from scrapy_boilerplate.markup.markdown import write_markdown

    parts = [write_front_matter(record)]
    if format_ == "markdown" and record["headline"]:
        parts.append(write_markdown(f"<h1>{escape(record['headline'])}</h1>"))
    return "\n\n".join(filter(None, (*parts, record[format_])))


def _quote(value: str | list[str]) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return _escape_unprintable(lambda match: f"\\u{ord(match[0]):04x}", text)


# `extract --urls FILE`: the content of a list of URLs, a file for each


def extract_urls(
    file: Path, folder: Path, suffix: str, seconds: float, write: Callable[[Any], str]
) -> int:
    """Write what `write` makes of the page of each URL in `file` to `folder`.

    Return 1 if a page cannot be read. Raises OptionError for a line that is no URL, and OSError.
    """
    from scrapy_boilerplate.batch.file_kinds import find_other_kind
    from scrapy_boilerplate.batch.pages import StoredPage
    from scrapy_boilerplate.crawl.url_list import fetch_urls

    urls = read_urls(file)
    folder.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []
    names = choose_names(urls)

    def handle(url: str, response: Any, error: str | None) -> None:
        if response is not None:
            kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
            other = find_other_kind(response.body, kind)
            error = None if other is None else f"it is {other}"
        if error is not None:
            failed.append(url)
            print_error(f"{url} cannot be read: {error}")
            return
        text = write(StoredPage(id=url, url=response.url, html=response))
        (folder / (names[url] + suffix)).write_text(text + "\n", encoding="utf-8")

    fetch_urls(urls, handle, seconds)
    return int(bool(failed))


def read_urls(file: Path) -> list[str]:
    """Return the URLs in a file, one a line, without comments that begin with "#"."""
    from scrapy_boilerplate.cli.sources import is_url

    lines = [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines()]
    urls = [line for line in lines if line and not line.startswith("#")]
    if wrong := [line for line in urls if not is_url(line)]:
        raise OptionError(f"--urls {file}: {wrong[0]!r} does not start with http:// or https://")
    return list(dict.fromkeys(urls))


def choose_names(urls: list[str]) -> Mapping[str, str]:
    """Return a name for the file of each URL: its host and path, with a number if it is taken."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for url in urls:
        page = re.sub(r"\.x?html?$", "", url.partition("://")[2])
        readable = re.sub(r"[^\w.-]+", "-", page)[:NAME_LENGTH].strip("-.")
        name, number = readable, 1
        while name.lower() in taken:
            number += 1
            name = f"{readable}-{number}"
        taken.add(name.lower())
        names[url] = name
    return names
