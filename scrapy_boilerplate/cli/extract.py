"""``scrapy-boilerplate extract``: documents of files, or of JSON lines as they come in."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.extract_jsonl import (
    NO_HTML_FILES,
    STANDARD_INPUT,
    JsonPage,
    OutputRecord,
    SiteSession,
    build_error_record,
    build_records,
    read_lines,
)
from scrapy_boilerplate.cli.options import (
    Commands,
    OptionError,
    check_markup_packages,
    parse_positive,
)
from scrapy_boilerplate.cli.output import PIPE_CLOSED, dump_json_line, print_error
from scrapy_boilerplate.items import MARKUP_FIELDS

if TYPE_CHECKING:
    from scrapy_boilerplate.page.limits import Limits
    from scrapy_boilerplate.steps.extractor import Extractor

# Budgets of `Limits` to their meaning; each has an option.
BUDGETS = {
    "bytes": "bytes of a page that are read",
    "elements": "elements of a page that are read",
    "milliseconds": "CPU time of a page",
}
# Formats that print one field as it is.
PLAIN_FORMATS = ("text", *MARKUP_FIELDS)


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "extract",
        help="print the main content of HTML files",
        description="Print the main content of HTML files. With --format jsonl a file holds lines "
        '{"id", "url", "html"}; each is answered at once, a bad one with {"id", "error"}.',
    )
    parser.add_argument("--extractor", metavar="NAME", help="see: scrapy-boilerplate extractors")
    parser.add_argument("--favor", metavar="WHAT", help="balanced (default), precision or recall")
    parser.add_argument("--format", choices=(*PLAIN_FORMATS, "json", "jsonl"), default="text")
    parser.add_argument(
        "--add",
        choices=MARKUP_FIELDS,
        action="append",
        default=[],
        help="into json and jsonl (repeatable)",
    )
    parser.add_argument(
        "--site",
        metavar="STORE",
        help="with jsonl: learn sites from the lines, and use it; memory, a file, or redis://...",
    )
    parser.add_argument("--hold", action="store_true", help="with --site: read all lines first")
    for name, meaning in BUDGETS.items():
        text = f"{meaning}; past that the answer is partial (default: no limit)"
        parser.add_argument(f"--max-{name}", type=parse_positive, metavar="N", help=text)
    parser.add_argument("files", nargs="*", metavar="FILE", help="default: standard input")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what was extracted; 1 if a file could not be read or the extractor is unknown."""
    from scrapy_boilerplate.extractors import (
        BALANCED,
        DEFAULT,
        UnknownExtractorError,
        get_extractor,
    )
    from scrapy_boilerplate.extras import MissingExtraError
    from scrapy_boilerplate.page.limits import Limits

    limits = Limits(**{name: getattr(options, f"max_{name}") for name in BUDGETS})
    site = None
    try:
        fields = _choose_fields(options)
        extractor = get_extractor(options.extractor or DEFAULT, options.favor or BALANCED)
        check_markup_packages(fields)
        _check_site_options(options)
        if options.site is not None:
            site = SiteSession(options.site, extractor, limits)
    except (UnknownExtractorError, MissingExtraError, OSError, OptionError) as error:
        return print_error(error)
    builder = RecordBuilder(extractor, fields, limits, site)
    try:
        status = _extract_files(options, builder)
    finally:  # also when interrupted: what was learned is kept
        close_status = 0 if site is None else site.close()
    return status or close_status


def _choose_fields(options: argparse.Namespace) -> list[str]:
    """Return the MARKUP_FIELDS that the options ask for. Raises OptionError."""
    if options.add and options.format in PLAIN_FORMATS:
        raise OptionError(
            f"--add {options.add[0]} needs --format json or jsonl; "
            f"--format {options.add[0]} prints that alone"
        )
    return [options.format] if options.format in MARKUP_FIELDS else list(options.add)


def _check_site_options(options: argparse.Namespace) -> None:
    if options.site is None and options.hold:
        raise OptionError("--hold needs --site STORE: memory, a file, or redis://...")
    if options.site is not None and options.format != "jsonl":
        raise OptionError("--site needs --format jsonl: lines with several pages of a site")


@dataclass(frozen=True)
class RecordBuilder:
    """Builds the records that are printed for pages.

    fields  those of MARKUP_FIELDS to add
    site    site knowledge to use, or None
    """

    extractor: Extractor
    fields: Sequence[str]
    limits: Limits
    site: SiteSession | None = None

    def build(self, page: JsonPage) -> OutputRecord:
        """Return the record of a page: `id`, the fields of its document, `ms` of CPU time."""
        from scrapy_boilerplate.document import build_record
        from scrapy_boilerplate.extraction import extract

        start = process_time()
        if self.site is not None:
            document = self.site.extract(page)
        else:
            html, url = page["html"], page.get("url")
            document = extract(html, url, self.extractor, limits=self.limits)
        values = build_record(document, self.fields)
        milliseconds = 1000 * (process_time() - start)
        return {"id": page.get("id"), **values, "ms": round(milliseconds, 3)}

    def build_or_report(self, page: JsonPage) -> OutputRecord:
        """Return the record of a page, or of the error that it raises."""
        try:
            return self.build(page)
        except Exception as error:  # noqa: BLE001 - the next line is served
            return build_error_record(page, error)


def _extract_files(options: argparse.Namespace, builder: RecordBuilder) -> int:
    status = 0
    records: list[OutputRecord] = []
    learn_first = builder.site if options.hold else None
    for name in options.files or [STANDARD_INPUT]:
        if advice := _advise(name, options.format):
            status = print_error(advice)
            continue
        try:
            if options.format == "jsonl":
                lines = read_lines(name)
                for record in build_records(lines, builder.build_or_report, learn_first):
                    print(dump_json_line(record, sys.stdout.encoding), flush=True)
            else:
                is_input = name == STANDARD_INPUT
                html = sys.stdin.buffer.read() if is_input else Path(name).read_bytes()
                records.append(builder.build({"id": name, "html": html}))
        except BrokenPipeError:
            return PIPE_CLOSED
        except OSError as error:
            status = print_error(error)
    _print_records(records, options.format)
    return status


def _advise(name: str, format_: str) -> str | None:
    """Return the error of a `name` that is no file for `format_`, with what to do; or None."""
    from scrapy_boilerplate.batch.inputs import HTML_SUFFIXES

    if name.startswith(("http://", "https://")):
        return f"{name} is an address: give a file, or use: scrapy-boilerplate inspect {name}"
    if Path(name).is_dir():
        return f"{name} is a folder: give files, or use: scrapy-boilerplate batch {name} -o OUT"
    if format_ == "jsonl" and name.lower().endswith(HTML_SUFFIXES):
        return f"{name}: {NO_HTML_FILES}"
    return None


def _print_records(records: Sequence[OutputRecord], format_: str) -> None:
    """Print one record as it is; several as a JSON list, or with the file's name above each."""
    has_several = len(records) > 1
    if format_ == "json" and records:
        print(json.dumps(records if has_several else records[0], ensure_ascii=False, indent=2))
    elif format_ in PLAIN_FORMATS:
        for record in records:
            if has_several:
                print(f"==> {record['id']} <==")
            print(record[format_])
