"""``scrapy-boilerplate extract``: documents of files, or of JSON lines as they come in."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.cli.json_lines import (
    NO_HTML_FILES,
    STANDARD_INPUT,
    Answer,
    JsonLineSites,
    JsonPage,
    answer_error,
    answer_lines,
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

BUDGETS = {
    "bytes": "bytes of a page that are read",
    "elements": "elements of a page that are read",
    "milliseconds": "CPU time of a page",
}
"""The budgets of `Limits`, as options."""
PLAIN_FORMATS = ("text", *MARKUP_FIELDS)
"""The formats that are printed as they are."""


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
    """Answer every file (or line); 1 if a file could not be read or the extractor is unknown."""
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
        fields = _added_fields(options)
        extractor = get_extractor(options.extractor or DEFAULT, options.favor or BALANCED)
        check_markup_packages(fields)
        _check_site_options(options)
        if options.site is not None:
            site = JsonLineSites(options.site, extractor, limits)
    except (UnknownExtractorError, MissingExtraError, OSError, OptionError) as error:
        return print_error(error)
    answerer = PageAnswerer(extractor, fields, limits, site)
    try:
        status = _answer_files(options, answerer)
    finally:  # also when interrupted: what was learned is kept
        close_status = 0 if site is None else site.close()
    return status or close_status


def _added_fields(options: argparse.Namespace) -> list[str]:
    """Return the fields that are built only if asked for. Raises OptionError."""
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
class PageAnswerer:
    """Answers pages with the plain records of their documents.

    `fields` are those of MARKUP_FIELDS that are added; `site` is what is known of sites, if any.
    """

    extractor: Extractor
    fields: Sequence[str]
    limits: Limits
    site: JsonLineSites | None = None

    def answer(self, page: JsonPage) -> Answer:
        """Return the answer to a page {"id", "url", "html"}."""
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

    def answer_any(self, page: JsonPage) -> Answer:
        """Return the answer to a page, or to its error."""
        try:
            return self.answer(page)
        except Exception as error:  # noqa: BLE001 - the next line is served
            return answer_error(page, error)


def _answer_files(options: argparse.Namespace, answerer: PageAnswerer) -> int:
    status = 0
    answers: list[Answer] = []
    hold_for = answerer.site if options.hold else None
    for name in options.files or [STANDARD_INPUT]:
        if advice := _advise(name, options.format):
            status = print_error(advice)
            continue
        try:
            if options.format == "jsonl":
                for answer in answer_lines(read_lines(name), answerer.answer_any, hold_for):
                    print(dump_json_line(answer, sys.stdout.encoding), flush=True)
            else:
                is_input = name == STANDARD_INPUT
                html = sys.stdin.buffer.read() if is_input else Path(name).read_bytes()
                answers.append(answerer.answer({"id": name, "html": html}))
        except BrokenPipeError:
            return PIPE_CLOSED
        except OSError as error:
            status = print_error(error)
    _print_answers(answers, options.format)
    return status


def _advise(name: str, format_: str) -> str | None:
    """Return what to do instead where `name` is no file that `format_` reads, or None."""
    if name.startswith(("http://", "https://")):
        return f"{name} is an address: give a file, or use: scrapy-boilerplate inspect {name}"
    if Path(name).is_dir():
        return f"{name} is a folder: give files, or use: scrapy-boilerplate batch {name} -o OUT"
    if format_ == "jsonl" and name.lower().endswith((".html", ".htm", ".xhtml")):
        return f"{name}: {NO_HTML_FILES}"
    return None


def _print_answers(answers: Sequence[dict[str, Any]], format_: str) -> None:
    """Print one answer as it is; several as a JSON list, or with the file's name above each."""
    has_several = len(answers) > 1
    if format_ == "json" and answers:
        print(json.dumps(answers if has_several else answers[0], ensure_ascii=False, indent=2))
    elif format_ in PLAIN_FORMATS:
        for answer in answers:
            if has_several:
                print(f"==> {answer['id']} <==")
            print(answer[format_])
