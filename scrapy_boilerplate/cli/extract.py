"""``scrapy-boilerplate extract``: documents of files, or of JSON lines as they come in."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.cli.shared import complain
from scrapy_boilerplate.record import MARKUP, record_of

if TYPE_CHECKING:
    from scrapy_boilerplate.extractor import Extractor

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

STANDARD_INPUT = "-"
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
    parser.add_argument("files", nargs="*", metavar="FILE", help="default: standard input")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Answer every file (or line); 1 if a file could not be read or the extractor is unknown."""
    from scrapy_boilerplate.catalog import BALANCED, DEFAULT, UnknownExtractorError, extractor_named
    from scrapy_boilerplate.extras import MissingExtraError

    added = [options.format] if options.format in MARKUP else options.add
    try:
        extractor = extractor_named(options.extractor or DEFAULT, options.favor or BALANCED)
        _require(added)
    except (UnknownExtractorError, MissingExtraError) as error:
        return complain(error)
    status = 0
    answers: list[dict[str, Any]] = []
    for name in options.files or [STANDARD_INPUT]:
        try:
            if options.format == "jsonl":
                _answer_lines(name, extractor, added)
            else:
                answers.append(_answer_page(name, extractor, added))
        except BrokenPipeError:
            return 1
        except OSError as error:
            status = complain(error)
    if options.format != "jsonl":
        _print(answers, options.format)
    return status


def _require(added: list[str]) -> None:
    """Raises MissingExtraError where a package is missing that every page would miss."""
    from scrapy_boilerplate.extras import optional
    from scrapy_boilerplate.markup.clean import NEEDED

    for name in added:
        for package in NEEDED[name]:
            optional(package, name, "html")


def _answer_page(name: str, extractor: Extractor, added: list[str]) -> dict[str, Any]:
    html = sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
    return _answer({"id": name, "html": html}, extractor, added)


def _print(answers: list[dict[str, Any]], form: str) -> None:
    """One answer as it is; several as one JSON list, or with the file's name above each text."""
    if form == "json" and answers:
        print(json.dumps(answers if answers[1:] else answers[0], ensure_ascii=False, indent=2))
    for answer in answers if form in PLAIN else ():
        if answers[1:]:
            print(f"==> {answer['id']} <==")
        print(answer[form])


def _answer_lines(name: str, extractor: Extractor, added: list[str]) -> None:
    for line in _lines(name):
        if line.strip():
            answer = _answer_line(line, extractor, added)
            print(json.dumps(answer), flush=True)


def _lines(name: str) -> Iterator[bytes]:
    if name == STANDARD_INPUT:
        yield from sys.stdin.buffer
        return
    with Path(name).open("rb") as file:
        yield from file


def _answer_line(line: bytes, extractor: Extractor, added: list[str]) -> dict[str, Any]:
    try:
        record = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return {"id": None, "error": f"no JSON: {error}"}
    if not isinstance(record, dict):
        return {"id": None, "error": 'no JSON object with "html"'}
    if not isinstance(record.get("html"), str):
        return {"id": record.get("id"), "error": 'no text under "html"'}
    try:
        return _answer(record, extractor, added)
    except Exception as error:  # noqa: BLE001 - the next line is served
        return {"id": record.get("id"), "error": f"{type(error).__name__}: {error}"}


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _answer(record: dict[str, Any], extractor: Extractor, added: list[str]) -> dict[str, Any]:
    from scrapy_boilerplate.extraction import extract

    start = process_time()
    document = extract(record["html"], record.get("url"), extractor)
    values = record_of(document, added)
    milliseconds = 1000 * (process_time() - start)
    return {"id": record.get("id"), **values, "ms": round(milliseconds, 3)}
