"""The fuzzed public functions, called with any bytes; a fault is an unexpected exception.

The first byte of an input chooses the target (and the extractor), the rest is its input.
"""

import json
from collections.abc import Callable, Mapping
from time import thread_time
from typing import Any

from lxml import etree

from scrapy_boilerplate import EXTRACTORS, Limits, extract
from scrapy_boilerplate.cli.extract import RecordBuilder
from scrapy_boilerplate.document import LAZY_FIELDS
from scrapy_boilerplate.page.limits import MILLISECONDS, NO_LIMITS
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.workers.worker import dump_document, load_document
from tests.markup.safety import check_html, check_markdown

NAMES = tuple(EXTRACTORS)
URL = "http://fuzz.example/a/b?c"
# CPU seconds after which an input of at most `LONGEST` bytes hangs.
HANG = 20.0
LONGEST = 65_536
# First bytes of inputs that are not pages for the extractor with that number, counted round.
LATE, LINES, CUT = 249, 250, 252
LATE_EXTRACTORS = ("news", "container")
# First byte of a page with late fields from which it has a budget.
UNLIMITED = 128
# CPU seconds that a page may take beyond its budget.
SLACK = 2.0


class HangError(AssertionError):
    """An input took too long."""


def run(data: bytes) -> None:
    """Run one input. Raises the faults."""
    if not data:
        return
    first, content = data[0], data[1 : LONGEST + 1]
    start = thread_time()
    if first in SPECIAL:
        SPECIAL[first](content)
    else:
        check_page(content, NAMES[first % len(NAMES)])
    if (spent := thread_time() - start) > HANG:
        raise HangError(f"{spent:.1f} s for {len(content)} bytes")


def check_page(content: bytes, name: str) -> None:
    """Parse, extractor, metadata, HTML; and nothing of the tree is changed."""
    root = parse_html(content)
    before = etree.tostring(root, with_tail=False)
    document = extract(root, URL, name)
    values = dump_document(document, LAZY_FIELDS)
    if etree.tostring(root, with_tail=False) != before:
        raise AssertionError(f"{name} changed the tree")
    again = load_document(json.loads(json.dumps(values)))
    if again != document or any(
        getattr(again, late) != getattr(document, late) for late in LAZY_FIELDS
    ):
        raise AssertionError("a document changed on its way through JSON")
    if not 0 <= document.confidence <= 1:
        raise AssertionError(f"a confidence of {document.confidence}")


def check_limited(content: bytes) -> None:
    """Pages that are cut, by a budget in the first bytes."""
    n_bytes, n_elements = (content[0] * 16, content[1]) if len(content) > 1 else (0, 0)
    limits = Limits(bytes=n_bytes, elements=n_elements, milliseconds=10_000)
    dump_document(extract(content[2:], URL, limits=limits), LAZY_FIELDS)


# Late fields that most pages lack.
MAY_BE_NONE = ("next_page", "stub")


def check_late(content: bytes) -> None:
    """The late fields of a page under a budget of time: safe and whole, or None and `partial`."""
    if len(content) < 2:
        return
    milliseconds = None if content[0] < UNLIMITED else float(content[0] - UNLIMITED)
    start = thread_time()
    extractor = LATE_EXTRACTORS[content[1] % len(LATE_EXTRACTORS)]
    limits = Limits(milliseconds=milliseconds)
    document = extract(content[2:], URL, extractor, limits=limits)
    late = {name: getattr(document, name) for name in LAZY_FIELDS}
    spent = thread_time() - start
    if milliseconds is not None and spent > milliseconds / 1_000 + SLACK:
        raise HangError(f"{spent:.1f} s instead of {milliseconds} ms")
    missing = [name for name in late if late[name] is None and name not in MAY_BE_NONE]
    if document.partial != MILLISECONDS and missing:
        raise AssertionError(f"no {missing}, and not partial")
    told = document.to_dict(["blocks", "html"])
    if document.partial != MILLISECONDS and None in (told["blocks"], told["html"]):
        raise AssertionError("a record without late fields, and not partial")
    if late["html"] is not None:
        check_html(late["html"])
    if late["markdown"] is not None:
        check_markdown(late["markdown"])
    if not 0 <= (late["article_probability"] or 0) <= 1:
        raise AssertionError(f"a probability of {late['article_probability']}")


def check_line(content: bytes) -> None:
    """A line of ``extract --format jsonl``: an answer that is JSON, for any line."""
    builder = RecordBuilder(EXTRACTORS["container"], ["html", "markdown"], NO_LIMITS)
    for line in filter(bytes.strip, content.split(b"\n")):
        json.dumps(builder.build_of_line(line))


Target = Callable[[bytes], Any]
SPECIAL: Mapping[int, Target] = {LATE: check_late, LINES: check_line, CUT: check_limited}
