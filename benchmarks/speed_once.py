"""``python -m benchmarks.speed_once SYSTEM``: one system of `benchmarks.speed`, in its own process.

Every page is parsed with lxml, then read by the system, so that both meet the same state of the
machine. The first round is not timed: models, names of months and the like are loaded. Times are
CPU time of all threads of the process. Prints the figures as JSON.
"""

from __future__ import annotations

import gc
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from itertools import chain
from operator import attrgetter
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from parsel import Selector

from benchmarks.contest import parse_with_lxml
from benchmarks.corpora import create_parser, read_articles
from benchmarks.peers import PEERS, Run
from scrapy_boilerplate import native
from scrapy_boilerplate.document import Document, build_document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import EXTRACTORS, find_model_folder
from scrapy_boilerplate.news.features import compute_features
from scrapy_boilerplate.news.model import NewsParts, read_parts
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import load_shipped
from scrapy_boilerplate.training.corpora import LabelledPage

NAMES = ("fundus", "wcxb", "article-extraction")
# The corpora of the table by corpus and size.
SETS = (*NAMES, "trafilatura", "waddle", "dragnet")
# Name of a size class to the kilobytes below which a page is in it.
SIZES = {"under 100 KB": 100, "100 to 300 KB": 300, "over 300 KB": float("inf")}

WITHOUT_METADATA = "news, from bytes, without metadata"
NEWS, NEWS_ON_TREE, NUM_WORDS = "news, from bytes", "news, on a tree", "num-words, from bytes"
SHORT_PAGE = "news, from bytes, a page of 9 blocks"
STAGES = "stages"
WITH_METADATA = "trafilatura, with metadata"

SENTENCE = "The council has approved the plan for a bridge over the river, after a long debate. "
NINE_BLOCKS = f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>A bridge for the town - The Daily Post</title>
<meta property="og:title" content="A bridge for the town">
<meta property="og:site_name" content="The Daily Post">
<meta property="article:published_time" content="2024-05-01T10:00:00+02:00">
<meta name="author" content="Jane Miller"></head>
<body><nav><a href="/">Home</a></nav><article><h1>A bridge for the town</h1>
<p class="byline">By Jane Miller</p><time datetime="2024-05-01T10:00:00+02:00">1 May 2024</time>
<p>{SENTENCE * 2}</p><p>{SENTENCE * 3}</p><p>{SENTENCE}</p><p>{SENTENCE * 2}</p>
</article><footer><p>Copyright The Daily Post</p></footer></body></html>""".encode()

# bytes that are allocated before the timing: at such a request glibc sorts the memory of the
# previous tree, which would take .07 of a parse on a page of 9 blocks
SETTLING = 1 << 14

# Name to seconds.
Times = dict[str, float]


@dataclass(frozen=True)
class System:
    """A timed system.

    run       the timed function of the result of `prepare`, which is not timed
    by_lxml   whether the system parses the page with lxml
    failed    the pages on which a peer raised an error, with its name
    """

    run: Callable[[Any], object]
    prepare: Callable[[LabelledPage], Any]
    by_lxml: bool = True
    failed: dict[LabelledPage, str] = field(default_factory=dict)


def _encode(page: LabelledPage) -> bytes:
    return page.html.encode()


def _parse_as_scrapy(page: LabelledPage) -> Any:
    return Selector(body=_encode(page), encoding="utf-8", type="html").root


def extract_all(source: Any, extractor: str = "news") -> Document:
    """Return the document of a page with all metadata, which is computed on first use."""
    document = extract(source, extractor=extractor)
    _ = document.evidence
    return document


OURS: Mapping[str, System] = {
    NEWS: System(extract_all, _encode),
    WITHOUT_METADATA: System(extract, _encode),
    NEWS_ON_TREE: System(extract_all, _parse_as_scrapy, by_lxml=False),
    SHORT_PAGE: System(extract_all, lambda _: NINE_BLOCKS),
    NUM_WORDS: System(partial(extract_all, extractor="num-words"), _encode),
    "container, from bytes": System(partial(extract_all, extractor="container"), _encode),
}
# The systems of the table by corpus and size.
BY_SIZE = (
    *(NEWS, WITHOUT_METADATA, "trafilatura", WITH_METADATA),
    *("readability-lxml", "newspaper4k", "resiliparse", "turbohtml"),
)

# peers, and whether lxml parses in them
COMPARED = {
    "trafilatura": True,
    "readability-lxml": True,
    "newspaper4k": True,
    "boilerpy3": False,
    "resiliparse": False,
    "turbohtml": False,
}


def list_peers() -> Iterator[tuple[str, bool]]:
    """Yield (name, whether it is installed) of the peers that are timed."""
    for peer in PEERS:
        if peer.package in COMPARED:
            yield peer.name, peer.installed


def load_system(name: str) -> System:
    """Return one of OURS, or a peer."""
    if name in OURS:
        return OURS[name]
    if name == WITH_METADATA:
        trafilatura = import_module("trafilatura")
        return _wrap_peer(
            lambda page: trafilatura.bare_extraction(
                page.html, url=page.url, include_comments=False, with_metadata=True
            ),
        )
    peer = next(peer for peer in PEERS if peer.name == name)
    return _wrap_peer(peer.load(), by_lxml=COMPARED[peer.package])


def _wrap_peer(run: Run, *, by_lxml: bool = True) -> System:
    """Return a system whose errors are counted; their time counts, as in `benchmarks.contest`."""
    failed: dict[LabelledPage, str] = {}

    def run_careful(page: LabelledPage) -> None:
        try:
            run(page)
        except Exception as error:  # noqa: BLE001 - peers raise anything
            failed[page] = type(error).__name__

    return System(run_careful, lambda page: page, by_lxml, failed)


def main() -> None:
    """Time, and print."""
    parser = create_parser(__doc__, pages=60)
    parser.add_argument("system")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--by-size", action="store_true", help="by corpus of SETS and size")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)  # what peers log about pages
    if options.by_size:
        sets = {
            name: list(_read_articles(options.corpora, options.pages, (name,))) for name in SETS
        }
        print(json.dumps(measure_sizes(options.system, sets, options.rounds)))
        return
    pages = list(_read_articles(options.corpora, options.pages, NAMES))
    if options.system == STAGES:
        figures = measure_stages(pages, options.rounds)
    else:
        figures = measure_system(options.system, pages, options.rounds)
    print(json.dumps({**figures, "native": native.describe()}))


def _read_articles(corpora: Path, limit: int, names: Sequence[str]) -> Iterator[LabelledPage]:
    for name in names:
        for page in read_articles(corpora, name, limit):
            yield replace(page, html=page.html.encode("utf-8", "replace").decode())


def measure_system(name: str, pages: list[LabelledPage], rounds: int) -> dict[str, Any]:
    """Return the times of a system, as multiples of the mean parse of a page.

    `ratio` is the median round, `p50` and `p99` are pages of all rounds; `parse` is the share that
    lxml's parse has in it, `ms` the mean parse, `errors` the pages with each error of a peer.
    """
    system = load_system(name)
    ratios, of_pages, parses = [], [], []
    for parse, own in _time_rounds(system, pages, rounds):
        ratios.append(own.sum() / parse.sum())
        of_pages.append(own / parse.mean())
        parses.append(parse.mean())
    p50, p99 = np.percentile(np.concatenate(of_pages), [50, 99])
    ratio = median(ratios)
    share = 1 / ratio if system.by_lxml and name != SHORT_PAGE else 0.0
    return {
        "ratio": ratio,
        "p50": p50,
        "p99": p99,
        "parse": share,
        "ms": median(parses) * 1000,
        "pages": len(pages),
        "kilobytes": sum(len(page.html) for page in pages) / len(pages) / 1000,
        "errors": Counter(system.failed.values()),
    }


def measure_sizes(
    name: str, sets: Mapping[str, list[LabelledPage]], rounds: int
) -> dict[str, dict[str, Any]]:
    """Return for each corpus and size class the number of pages, and ms a page, as medians.

    The first are of lxml's parse, the second of the system, beside the parse if lxml parses in it.
    `errors` are as in `measure_system`.
    """
    system = load_system(name)
    groups = [
        f"{corpus}, {next(size for size, most in SIZES.items() if len(page.html) < 1000 * most)}"
        for corpus, pages in sets.items()
        for page in pages
    ]
    timed = np.array(list(_time_rounds(system, list(chain(*sets.values())), rounds)))
    timed[:, 1] -= system.by_lxml * timed[:, 0]
    parse, own = np.median(timed, axis=0) * 1000
    numbers: dict[str, list[int]] = {f"{corpus}, {size}": [] for corpus in sets for size in SIZES}
    for number, group in enumerate(groups):
        numbers[group].append(number)
    numbers["all"] = list(range(len(groups)))
    sizes = {
        group: (len(pages), float(parse[pages].mean()), float(own[pages].mean()))
        for group, pages in numbers.items()
        if pages
    }
    return {"sizes": sizes, "errors": Counter(system.failed.values())}


def _time_rounds(
    system: System, pages: list[LabelledPage], rounds: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the seconds of each round but the first: lxml's parse of each page, the system."""
    for number in range(rounds + 1):
        gc.collect()
        seconds = np.array([_time_page(system, page) for page in pages]).T
        if number:
            yield seconds


def _time_page(system: System, page: LabelledPage) -> tuple[float, float]:
    """Return seconds of lxml's parse, and of the system."""
    html, times = page.html.encode(), dict[str, float]()
    # before `prepare`: a second parse of the same page is faster by a fifth
    time_call(times, "parse", parse_with_lxml, html)
    source = system.prepare(page)
    time_call(times, "own", system.run, source)
    return times["parse"], times["own"]


def time_call(times: Times, name: str, task: Callable[..., Any], *inputs: Any) -> Any:
    """Return the result of a task; its CPU seconds are added to `times`."""
    bytes(SETTLING)
    start = process_time()
    result = task(*inputs)
    times[name] = times.get(name, 0.0) + process_time() - start
    return result


# --- stages ---


def measure_stages(pages: list[LabelledPage], rounds: int) -> dict[str, Any]:
    """Return the times of stages of `news`."""
    totals = []
    for _ in range(rounds + 1):
        times: Times = {}
        gc.collect()
        for page in pages:
            html = page.html.encode()
            time_call(times, "parse", parse_with_lxml, html)
            time_stages(times, html, page.url)
        totals.append({name: seconds / times["parse"] for name, seconds in times.items()})
    timed = totals[1:]
    return {"stages": {name: median(total[name] for total in timed) for name in timed[0]}}


@cache
def load_parts() -> NewsParts:
    """Return the shipped model of `news`."""
    return read_parts(load_shipped(find_model_folder("news")))


def time_stages(times: Times, html: bytes, url: str | None) -> None:
    """Add the seconds of each stage of `news` for one page."""
    news = EXTRACTORS["news"]
    tree = time_call(times, "tree (decode, parse)", parse_html, html)
    page = time_call(times, "reading the tree", read_tree, tree, url)
    page = time_call(times, "blocks", news.segmenter, page)
    time_call(times, "texts of blocks", attrgetter("texts"), page)
    time_call(times, "words", attrgetter("words", "link_density"), page)
    labeling = Labeling.blank(len(page))
    if len(page):
        features = time_call(
            times,
            "features",
            lambda: compute_features(page, load_parts().words),
        )
        scores = time_call(times, "net", load_parts().score, *features, "balanced")
        labeling = labeling.set_predictions(np.zeros(len(page), dtype=np.int64), scores, "net")
        labeling = time_call(times, "steps that decide", _run_steps, news, page, labeling)
    document = time_call(times, "document without metadata", build_document, page, labeling)
    time_call(times, "metadata", attrgetter("evidence"), document)


def _run_steps(news: Extractor, page: Page, labeling: Labeling) -> Labeling:
    for step in news.steps[1:]:  # the first is the model
        labeling = step(page, labeling)
    return labeling


if __name__ == "__main__":
    main()
