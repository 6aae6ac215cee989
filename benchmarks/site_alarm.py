"""``python -m benchmarks.site_alarm``: delay and false alarms of the monitor of redesigns.

A stream consists of random pages of a site of the corpora, drawn with replacement. The first
BASELINE pages come from one half of the pages of the site. Streams without a redesign continue with
all pages of the site, or with the other half. After a redesign, the pages come from another site.
Prints the table of docs/usage/monitoring.md. ``--pages 700`` takes a minute.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.corpora import corpus_file, create_parser
from benchmarks.markdown import format_table
from scrapy_boilerplate.extraction import extract_page
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.site.monitors import (
    FALSE_ALARM_PAGES,
    WATCHED_FIELDS,
    Observation,
    SiteMonitor,
    observe,
)
from scrapy_boilerplate.site.page_records import find_content_paths
from scrapy_boilerplate.training.corpora import read_pages

CORPORA = ("waddle", "fundus", "cleanportaleval", "article-extraction")
# minimum pages of a site, pages before a redesign, and maximum pages after it
MIN_SITE, BASELINE, AFTER = 8, 100, 200
# lengths of streams without a redesign, and streams of each site
QUIET, STREAMS, SWAPS = 1_000, 15, 5
# share of the pages that a redesign empties, and fields that another one loses
HALF = 0.5
LOST = frozenset({"authors", "date_published"})

Pages = list[Observation]
Sites = dict[str, list[Observation]]


def read_observations(options: argparse.Namespace) -> Sites:
    """Return the observations of the pages of each site with MIN_SITE pages, by site."""
    pages = [
        page
        for name in CORPORA
        for page in read_pages(corpus_file(options.corpora, name), options.pages)
    ]
    counts = Counter((page.dataset, page.site) for page in pages)
    observations = defaultdict(list)
    for page in pages:
        if counts[page.dataset, page.site] < MIN_SITE:
            continue
        document = extract_page(page.html, page.url, Options())
        places = find_content_paths(*document.get_page())
        values = [getattr(document, name) for name in WATCHED_FIELDS]
        seen = observe(document.text, document.confidence, values, places)
        observations[f"{page.dataset}/{page.site}"].append(seen)
    return dict(observations)


def draw(pages: Sequence[Observation], n: int, random: np.random.Generator) -> Pages:
    return [pages[index] for index in random.integers(len(pages), size=n)]


def find_alarms(stream: Sequence[Observation]) -> list[tuple[int, tuple[str, ...]]]:
    """Return the number of the page of each alarm, and its reasons."""
    monitor, alarms = SiteMonitor("example.com"), []
    for number, page in enumerate(stream):
        change = monitor.watch(page, "http://example.com/", number)
        if change is not None:
            alarms.append((number, change.reasons))
    return alarms


def lose(page: Observation) -> Observation:
    return Observation(page.words, page.confidence, page.places, page.missing | LOST)


def empty(page: Observation) -> Observation:
    return Observation(0, 0.0, frozenset(), page.missing)


def draw_redesigns(
    sites: Sites, name: str, random: np.random.Generator
) -> Iterator[tuple[str, Pages]]:
    """Yield each kind of redesign of a site, and its pages."""
    new = sites[name][1::2]
    other = str(random.choice([other for other in sorted(sites) if other != name]))
    yield "the template of another site", draw(sites[other], AFTER, random)
    yield "authors and dates are lost", list(map(lose, draw(new, AFTER, random)))
    yield "no text any more", list(map(empty, draw(new, AFTER, random)))
    pages = draw(new, AFTER, random)
    yield "no text on half of the pages", [empty(p) if random.random() < HALF else p for p in pages]


def count_false_alarms(sites: Sites, random: np.random.Generator, *, goes_on_with_all: bool) -> str:
    """Return a sentence on streams without a redesign."""
    counts, reasons, n_pages = Counter[str](), Counter[str](), 0
    for name, pages in sites.items():
        later = pages if goes_on_with_all else pages[1::2]
        for _ in range(STREAMS):
            stream = draw(pages[::2], BASELINE, random) + draw(later, QUIET, random)
            alarms, n_pages = find_alarms(stream), n_pages + len(stream)
            counts[name] += len(alarms)
            reasons.update(told[0] for _, told in alarms)
    total = counts.total()
    kind = "all pages" if goes_on_with_all else "the other half"
    return (
        f"{kind}: {total} false alarms in {n_pages} pages, {10_000 * total / n_pages:.1f} in "
        f"10,000; aim: one in {FALSE_ALARM_PAGES}; sites: {dict(+counts)}; reasons: {dict(reasons)}"
    )


def measure_delays(sites: Sites, random: np.random.Generator) -> list[list[object]]:
    """Return the rows of a table of redesigns."""
    delays: dict[str, list[int | None]] = defaultdict(list)
    for name, pages in sites.items():
        for _ in range(SWAPS):
            for kind, after in draw_redesigns(sites, name, random):
                alarms = find_alarms(draw(pages[::2], BASELINE, random) + after)
                late = [number - BASELINE + 1 for number, _ in alarms if number >= BASELINE]
                delays[kind].append(late[0] if late else None)
    rows: list[list[object]] = []
    for kind, values in delays.items():
        found = [value for value in values if value is not None]
        quantiles = [f"{np.quantile(found, q):.0f}" for q in (0.5, 0.9)] if found else ["", ""]
        rows.append([kind, f"{len(found)} of {len(values)}", *quantiles])
    return rows


def main() -> None:
    sites = dict(sorted(read_observations(create_parser(__doc__).parse_args()).items()))
    random = np.random.default_rng(23)
    print(f"{len(sites)} sites, {sum(map(len, sites.values()))} pages")
    for goes_on_with_all in (True, False):
        print(count_false_alarms(sites, random, goes_on_with_all=goes_on_with_all))
    head = ["redesign at page 101", "reported within 200 pages", "pages until then: median", "90 %"]
    print(format_table([head, *measure_delays(sites, random)]))


if __name__ == "__main__":
    main()
