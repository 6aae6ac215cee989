"""``scrapy-boilerplate extract``: documents of files, or of JSON lines as they come in."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.cli.lines import STANDARD_INPUT, lines_of, read_record
from scrapy_boilerplate.cli.shared import (
    PIPE_CLOSED,
    complain,
    json_line,
    natural,
    not_read,
)
from scrapy_boilerplate.cli.site import SiteLines, held
from scrapy_boilerplate.record import MARKUP, record_of

if TYPE_CHECKING:
    from scrapy_boilerplate.document import Document
    from scrapy_boilerplate.page.limits import Limits
    from scrapy_boilerplate.steps.extractor import Extractor

    DocumentOf = Callable[[dict[str, Any]], Document]
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

BUDGETS = {
    "bytes": "bytes of a page that are read",
    "elements": "elements of a page that are read",
    "milliseconds": "CPU time of a page",
}
"""The budgets of `limits`, as options."""
PLAIN = ("text", *MARKUP)
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
    parser.add_argument("--format", choices=(*PLAIN, "json", "jsonl"), default="text")
    parser.add_argument(
        "--add",
        choices=MARKUP,
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
    for name, what in BUDGETS.items():
        told = f"{what}; past that the answer is partial (default: no limit)"
        parser.add_argument(f"--max-{name}", type=natural, metavar="N", help=told)
    parser.add_argument("files", nargs="*", metavar="FILE", help="default: standard input")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Answer every file (or line); 1 if a file could not be read or the extractor is unknown."""
    from scrapy_boilerplate.extractors import (
        BALANCED,
        DEFAULT,
        UnknownExtractorError,
        extractor_named,
    )
    from scrapy_boilerplate.extras import MissingExtraError

    try:
        added = _added(options)
        extractor = extractor_named(options.extractor or DEFAULT, options.favor or BALANCED)
        _require(added)
        site = _site(options, extractor)
    except (UnknownExtractorError, MissingExtraError, OSError, _OptionError) as error:
        return complain(error)
    answering = Answering(extractor, added, _limits(options), site, hold=options.hold)
    try:
        status = _answer_all(options, answering)
    finally:  # also when interrupted: what was learnt is kept
        closed = _close(site)
    return status or closed


def _close(site: SiteLines | None) -> int:
    """1 if what was learnt cannot be written."""
    try:
        if site is not None:
            site.close()
    except OSError as error:
        return complain(error)
    return 0


class _OptionError(ValueError):
    """Options that do not go together; the message is for the user."""


def _added(options: argparse.Namespace) -> list[str]:
    """The fields that are built only if asked for. Raises _OptionError."""
    if options.add and options.format in PLAIN:
        raise _OptionError(
            f"--add {options.add[0]} needs --format json or jsonl; "
            f"--format {options.add[0]} prints that alone"
        )
    return [options.format] if options.format in MARKUP else list(options.add)


def _site(options: argparse.Namespace, extractor: Extractor) -> SiteLines | None:
    """Raises StoreError (an OSError), MissingExtraError and _OptionError."""
    if options.site is None:
        if options.hold:
            raise _OptionError("--hold needs --site STORE: memory, a file, or redis://...")
        return None
    if options.format != "jsonl":
        raise _OptionError("--site needs --format jsonl: lines with several pages of a site")
    return SiteLines(options.site, extractor, _limits(options))


@dataclass(frozen=True)
class Answering:
    """How pages are answered: by which extractor, with which markup, under which budgets, and
    which site knowledge."""

    extractor: Extractor
    added: list[str]
    limits: Limits
    site: SiteLines | None = None
    hold: bool = False


def _answer_all(options: argparse.Namespace, answering: Answering) -> int:
    status = 0
    answers: list[dict[str, Any]] = []
    for name in options.files or [STANDARD_INPUT]:
        told = not_read(name, options.format)
        if told:
            status = complain(told)
            continue
        try:
            if options.format == "jsonl":
                _answer_lines(name, answering)
            else:
                answers.append(_answer_page(name, answering))
        except BrokenPipeError:
            return PIPE_CLOSED
        except OSError as error:
            status = complain(error)
    if options.format != "jsonl":
        _print(answers, options.format)
    return status


def _limits(options: argparse.Namespace) -> Limits:
    from scrapy_boilerplate.page.limits import Limits

    return Limits(**{name: getattr(options, f"max_{name}") for name in BUDGETS})


def _require(added: list[str]) -> None:
    """Raises MissingExtraError where a package is missing that every page would miss."""
    from scrapy_boilerplate.extras import optional
    from scrapy_boilerplate.markup.clean import NEEDED

    for name in added:
        for package in NEEDED[name]:
            optional(package, name, "html")


def _answer_page(name: str, answering: Answering) -> dict[str, Any]:
    html = sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
    return _answer({"id": name, "html": html}, answering)


def _print(answers: list[dict[str, Any]], form: str) -> None:
    """One answer as it is; several as one JSON list, or with the file's name above each text."""
    if form == "json" and answers:
        print(json.dumps(answers if answers[1:] else answers[0], ensure_ascii=False, indent=2))
    for answer in answers if form in PLAIN else ():
        if answers[1:]:
            print(f"==> {answer['id']} <==")
        print(answer[form])


def _answer_lines(name: str, answering: Answering) -> None:
    records = (read_record(line) for line in lines_of(name) if line.strip())
    safely = partial(_safely, answering)
    if answering.site is not None and answering.hold:
        answers: Iterable[dict[str, Any]] = held(records, answering.site, safely)
    else:
        answers = (bad or safely(record) for bad, record in records)
    for answer in answers:
        print(json_line(answer, sys.stdout.encoding), flush=True)


def _safely(
    answering: Answering, record: dict[str, Any], document_of: DocumentOf | None = None
) -> dict[str, Any]:
    try:
        return _answer(record, answering, document_of)
    except Exception as error:  # noqa: BLE001 - the next line is served
        return {"id": record.get("id"), "error": f"{type(error).__name__}: {error}"}


def _answer(
    record: dict[str, Any], answering: Answering, document_of: DocumentOf | None = None
) -> dict[str, Any]:
    from scrapy_boilerplate.extraction import extract

    start = process_time()
    if document_of is None and answering.site is not None:
        document_of = answering.site.document
    if document_of is None:
        html, url = record["html"], record.get("url")
        document = extract(html, url, answering.extractor, limits=answering.limits)
    else:
        document = document_of(record)
    values = record_of(document, answering.added)
    milliseconds = 1000 * (process_time() - start)
    return {"id": record.get("id"), **values, "ms": round(milliseconds, 3)}
