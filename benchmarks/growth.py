"""``python -m benchmarks.growth``: growth of the time of every extractor with the size of a page.

A generated page is doubled from 0.5 to 8 MB: different articles, menus and tables. The time
includes blocks, but not parsing. The exponent is the slope of the times of the last three doublings
on logarithmic axes: 1 is linear. Part of ``make bench``; takes about 20 minutes.

``--shapes [NAME ...]`` measures pages of one kind of element each instead, up to 2 MB, from bytes
to all fields of the default extractor, and their parse (docs/hardness.md). It takes some minutes.
In the nested shapes up to half of the page are wrappers.

``--tables [NAME ...]`` measures small pages of each class name, tag and attribute in the tables of
the package, nested, flat, and nested with many elements on each level. It prints the slowest pages,
and those over a limit, and takes about ten minutes. ``--milliseconds N`` gives the pages of both a
time budget, which each must keep within twice its value.
"""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from time import process_time

import numpy as np
from lxml import etree
from tqdm import tqdm

from benchmarks.markdown import format_table
from benchmarks.table_pages import build_nested_wide, build_page_of, list_pages
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.items import ADDED_FIELDS, RECORD_FIELDS
from scrapy_boilerplate.page.limits import NO_LIMITS, Limits
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.site.rules import NO_RULES, SiteRules

MEGABYTE = 1_000_000
SIZES = (0.5, 1, 2, 4, 8)
# number of sizes for the exponent: times of smaller pages are mostly fixed costs
LAST = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2, help="the best counts (%(default)s)")
    parser.add_argument(
        "--shapes", nargs="*", metavar="NAME", help="pages of one kind of element each"
    )
    parser.add_argument("--tables", nargs="*", metavar="NAME", help="pages of names in our tables")
    parser.add_argument("--milliseconds", type=int, help="time budget of a page (none)")
    options = parser.parse_args()
    limits = Limits(milliseconds=options.milliseconds)
    if options.tables is not None:
        pages = {
            name: build
            for name, build in list_pages().items()
            if not options.tables or name.partition(",")[0] in options.tables
        }
        print(format_table(measure_tables(pages, limits)))
        return
    if options.shapes is not None:
        names = options.shapes or [*SHAPES, *NESTED_SHAPES, *WIDE_SHAPES]
        print(format_table(measure_shapes(names, options.rounds, limits)))
        return
    rounds = options.rounds
    trees = [parse_html(build_page(int(size * MEGABYTE))) for size in SIZES]
    rows = []
    for name in tqdm(EXTRACTORS, unit="extractor", leave=False):
        times = [min(time_extract(tree, name) for _ in range(rounds)) for tree in trees]
        rows.append((fit_exponent(times), name, times))
    table = [["seconds of CPU, by MB", *map(str, SIZES), "exponent"]]
    for exponent, name, times in sorted(rows, reverse=True):
        table.append([name, *(f"{time:.2f}" for time in times), f"{exponent:.2f}"])
    print(format_table(table))


def build_page(characters: int) -> str:
    """Return a page of about that size, in which no two paragraphs are alike."""
    parts, length, number = [], 0, 0
    while length < characters:
        part = _build_section(number)
        parts.append(part)
        length, number = length + len(part), number + 1
    return f"<html><title>Growth</title><body>{''.join(parts)}</body></html>"


def _build_section(number: int) -> str:
    words = " ".join(f"word{number + step}" for step in range(40))
    return (
        f"<div class='story story-{number}'><h2>Part {number} of many</h2>"
        f"<p>{words}, and <a href='/{number}'>a link</a> in it. {words}.</p><p>{words}.</p>"
        f"<ul><li><a href='/1'>One way</a></li><li><a href='/2'>Another {number}</a></li></ul>"
        f"<table><tr><td>{number}<br>{words}.<br><br>{words}.</td></tr></table></div>"
    )


def time_extract(tree: etree._Element, name: str) -> float:
    """Return the CPU seconds of one extraction from a tree, its blocks included."""
    start = process_time()
    blocks = extract(tree, None, name).blocks
    taken = process_time() - start
    assert blocks, "a page of words has blocks"  # noqa: S101 - else nothing is measured
    return taken


def fit_exponent(times: list[float]) -> float:
    """Return the slope of log time over log size (least squares) for the last `LAST` doublings."""
    logs = [math.log2(time) for time in times[-LAST:]]
    return float(np.polyfit(range(len(logs)), logs, 1)[0])


# --- pages of one kind of element ---

SHAPE_SIZES = (0.25, 0.5, 1, 2)
URL = "http://growth.example/sport/2024/05/01/a-title"
# characters; the third size is for pages that are over a limit at the second
TABLE_SIZES = (60_000, 240_000, 960_000)
# limits of the exponent and of the CPU seconds per MB
MAX_EXPONENT, MAX_SECONDS = 1.2, 2.0
# rows that are printed besides the pages over a limit
SLOWEST = 12
LEAD = f"<p>{' '.join(f'word{number}' for number in range(60))}.</p>"
# name -> (start of the page, one element; # is its number): each made a version of the package slow
# or quadratic
SHAPES = {
    "comments": (LEAD, "<!-- x -->"),
    "instructions": (LEAD, "<?x y?>"),
    "text between comments": ("<p>", "a <!-- x -->"),
    "images": (LEAD, "<img src=/i/#.jpg alt='pic #'>"),
    "figures": (LEAD, "<figure><img src=/i/#.jpg><figcaption>caption #</figcaption></figure>"),
    "images of other hosts": (LEAD, "<img src='http://#.example/i.jpg'>"),
    "quoted ends of tags": (LEAD, "<p " + "".join(f"a{n}='>' " for n in range(99)) + ">two words"),
    "scripts": (LEAD, "<script>if (a<b) {}</script>"),
    "nested microdata": (
        LEAD,
        f"{'<div itemscope itemprop=author>' * 50}<b itemprop=name>A</b>{'</div>' * 50}",
    ),
    "metas": ("", "<meta name='article:tag' content='tag #'>"),
    "rows": ("<table>", "<tr><td>#</td><td>b c</td></tr>"),
    "cells of one row": ("<table><tr>", "<td>a"),
    "entries": (f"{LEAD}<ol>", "<li>item #</li>"),
    "definitions": ("<dl>", "<dt>term #<dd>some words of it"),
    "headings": ("", "<h2>Head #</h2><p>x y z w<h3>a</h3>"),
    "inline tags": ("<p>", "<em>a</em><strong>b #</strong> "),
    "formulas": ("<p>", "<math><mrow><mi>x</mi><mo>+</mo></mrow></math>"),
    "lines": ("<p>", "#. a<br>"),
    "links": ("<p>", "<a href=/a/#>link #</a> "),
    "dates": ("", "<p>Published on May 3, 2024 at 10:15, #"),
    "names of classes": ("", "<div class='c# author'>text of #</div>"),
    "marks": ("", "<p>*_`[]()# 1. - > a! "),
    "only breaks": (LEAD, "<br>"),
    "unclosed tags": ("", "<p><b><i>x y "),
    "cells with numbers": ("<table>", "<tr><td colspan=2>#</td><th rowspan=3>b</th></tr>"),
    "entries of paragraphs": ("<ul>", "<li><p>entry #</p><ul><li>a</ul>"),
    "URLs that are not ASCII": ("<p>", "<a href='/ä/#'>link #</a> "),
    "pages of an article": (LEAD, "<a href='/2024/05/01/a-title?page=2'>x #</a>"),
    "combining marks": ("<p>e", "\u0301\u0316"),
    "combining marks in a byline": (f"{LEAD}<p class=byline>By Ann ", "\u0301"),
    "images in a line": ("<p>", "words <img src=a>"),
    "comments beside preformatted text": (
        f"{LEAD}<pre>a b</pre><div id=comments>",
        "<div class=comment><b class=author>Ann B</b><p>one two three four five #</p></div>",
    ),
    "drawings": (LEAD, "<svg><g><path d='M0 0'/><text>a b</text></g></svg>"),
}
MAX_DEPTH = 2_000  # levels; libxml2 drops the rest of a page below 2,048
ARTICLE = f"<h1>A title</h1>{LEAD * 3}"  # only articles have a next page
LONG_NAME = " ".join(f"story-{number}" for number in range(200))
# name -> (start of the page, wrapper, element)
NESTED_SHAPES = {
    "nested links to a next page": (ARTICLE, "<div class=x>", "<a href='?page=2'></a>"),
    "the same in long names": (ARTICLE, f"<div class='{LONG_NAME}'>", "<a href='?page=2'></a>"),
    "entries of a live blog in long names": (
        ARTICLE,
        f"<div class='live-blog {LONG_NAME}'>",
        "<p><time>10:15</time> two words #",
    ),
    "nested paragraphs of a site rule": ("", "<div>", "<p>one two # three</p>"),
    "nested figures": (
        LEAD,
        "<figure>",
        "<img src=/i/#.jpg><figcaption>caption #</figcaption><p>one two # three</p>",
    ),
    "images in nested noscript": (LEAD, "<noscript>", "<p>one two # three <img src=/i/#.jpg>"),
    "nested breadcrumbs": (LEAD, "<div class=breadcrumb>", "<b>x</b>"),
    "nested breadcrumbs by id": (LEAD, "<div id=breadcrumbs>", "<b>x</b>"),
    "nested links to a section": (LEAD, "<a href=/sport/><div>", "<b>x</b>"),
    "nested lists of tags": (LEAD, "<div class=tags>", "<b>x</b>"),
    "nested kickers": ("", "<span class=kicker>", "a b c "),
    "nested walls": ("", "<div class=paywall>", "<i>.</i>"),
    "nested comments": ("", "<div class=comment>", "<p>Comments</p><p>one two # three</p>"),
    "asides of headings in long names": ("<h1>" * 10, f"<span class='{LONG_NAME} #'>", "a b "),
}
# name -> (wrapper, element): WIDE_DEPTH wrappers, with as many elements in each
WIDE_SHAPES = {"tables in tables": ("<table><tr><td>", "x #</td><td>")}
RULES = {
    "nested paragraphs of a site rule": SiteRules.from_mapping(
        {"growth.example": {"content": "div div p", "remove": ["div > div a"]}}
    )
}


def measure_shapes(names: Sequence[str], rounds: int, limits: Limits) -> list[list[str]]:
    """Return a row a shape: seconds by size, and the exponents of all and of the parse."""
    time_all_fields(LEAD)  # models are loaded
    sizes = [*map(str, SHAPE_SIZES), "exponent", "of the parse"]
    table = [["seconds of CPU, by MB", *sizes]]
    for name in tqdm(names, unit="shape", leave=False):
        build = choose_builder(name)
        pages = [build(int(size * MEGABYTE)) for size in SHAPE_SIZES]
        rules = RULES.get(name, NO_RULES)
        times = [min(time_all_fields(page, rules, limits) for _ in range(rounds)) for page in pages]
        parses = [min(time_parse(page) for _ in range(rounds)) for page in pages]
        exponents = (f"{fit_exponent(seconds):.2f}" for seconds in (times, parses))
        table.append([name, *(f"{time:.2f}" for time in times), *exponents])
    return table


def choose_builder(name: str) -> Callable[[int], str]:
    """Return the function from a number of characters to a page of a shape."""
    if name in WIDE_SHAPES:
        wrapper, element = WIDE_SHAPES[name]
        return partial(build_page_of, [wrapper], build_nested_wide, element)
    if name in NESTED_SHAPES:
        return partial(build_nested_shape, *NESTED_SHAPES[name])
    return partial(build_shape, *SHAPES[name])


def measure_tables(pages: Mapping[str, Callable[[int], str]], limits: Limits) -> list[list[str]]:
    """Return a row for each of the slowest pages, and those over the limits, slowest first."""
    time_all_fields(LEAD)  # models are loaded
    rows = []
    for name, build in tqdm(pages.items(), unit="page", leave=False):
        for small, large in pairwise(TABLE_SIZES):
            seconds, exponent = measure_pair(build(small), build(large), limits)
            is_over = seconds > MAX_SECONDS or exponent > MAX_EXPONENT
            if not is_over:
                break
        rows.append((is_over, seconds, exponent, f"{name}{' (over)' * is_over}"))
    rows.sort(reverse=True)
    shown = [row for number, row in enumerate(rows) if row[0] or number < SLOWEST]
    table = [[f"{len(rows)} pages", "seconds of CPU per MB", "exponent"]]
    return table + [
        [name, f"{seconds:.2f}", f"{exponent:.2f}"] for _, seconds, exponent, name in shown
    ]


def measure_pair(small: str, large: str, limits: Limits) -> tuple[float, float]:
    """Return the CPU seconds per MB of a large page, and the exponent from a small one to it."""
    before, after = time_all_fields(small, limits=limits), time_all_fields(large, limits=limits)
    exponent = math.log(after / before) / math.log(len(large) / len(small))
    return after / len(large.encode()) * MEGABYTE, exponent


def build_shape(before: str, element: str, characters: int) -> str:
    times = characters // len(element)
    elements = "".join(element.replace("#", str(number)) for number in range(times))
    return f"<html><title>Growth</title><body>{before}{elements}"


def build_nested_shape(before: str, wrapper: str, element: str, characters: int) -> str:
    """Return a page of about that size, at most half of it wrappers."""
    most = MAX_DEPTH // wrapper.count("<")
    wrappers = wrapper * min(characters // 2 // len(wrapper), most)
    return build_shape(before + wrappers, element, characters - len(wrappers))


def time_all_fields(page: str, rules: SiteRules = NO_RULES, limits: Limits = NO_LIMITS) -> float:
    """Return the CPU seconds from a page to all fields of its document."""
    start = process_time()
    document = extract(page, URL, limits=limits, sites=rules)
    document.to_dict([*RECORD_FIELDS, "next_page", *ADDED_FIELDS, "blocks"])
    return process_time() - start


def time_parse(page: str) -> float:
    """Return the CPU seconds of lxml's own parse."""
    start = process_time()
    etree.fromstring(page, etree.HTMLParser(huge_tree=True))
    return process_time() - start


if __name__ == "__main__":
    main()
