"""``python -m benchmarks.site``: the effect of the other pages of a site, paired by page.

For each corpus with several pages of a site: page-mean token F1 without and with all other pages
known, and the spread over ten shuffles of the pages, each labelled with the pages before it
(streaming). Prints the table of docs/usage/site.md. Takes about ten minutes; ``--pages 40
--shuffles 1`` one minute.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from tqdm import tqdm

from benchmarks.corpora import corpus_file, create_parser
from benchmarks.markdown import format_table
from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.extractors import EXTRACTORS, build_site_steps
from scrapy_boilerplate.page.labels import FloatArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.page_records import (
    Knowledge,
    PageRecord,
    Signatures,
    build_page_record,
    compute_signatures,
)
from scrapy_boilerplate.site.visit import SiteSteps
from scrapy_boilerplate.steps.extractor import run_steps
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.metrics import draw_sites, percentile_interval
from scrapy_boilerplate.training.tokens import compute_token_f1

# corpora with several pages of a site
SITE_CORPORA = ("waddle", "cleanportaleval", "article-extraction")
SITE_EXTRACTORS = ("num-words", "boilerpipe-article", "justext")
SHUFFLES = 10


@dataclass(frozen=True, eq=False)
class SitePageResult:
    """A page that was read: its labels without its site, and its record.

    milliseconds   CPU time of extraction, and of the record
    """

    labelled: LabelledPage
    build_steps: SiteSteps
    page: Page
    labeling: Labeling
    signatures: Signatures
    record: PageRecord
    milliseconds: tuple[float, float]

    def score(self, knowledge: Knowledge) -> float:
        """Return the token F1 of the content with this knowledge."""
        view = knowledge.view(self.record, self.signatures)
        steps = self.build_steps(view) if view.pages else ()
        content = run_steps(steps, self.page, self.labeling).content
        text = self.page.join_blocks(np.flatnonzero(content).tolist())
        return compute_token_f1(text, self.labelled.text or "")


def read_site_pages(corpora: Path, limit: int | None = None) -> list[LabelledPage]:
    """Return the pages of all corpora whose site has at least two in its corpus."""
    files = [corpus_file(corpora, name) for name in SITE_CORPORA]
    pages = [page for file in files for page in read_pages(file, limit)]
    counts = Counter((page.dataset, page.site) for page in pages)
    return [page for page in pages if counts[page.dataset, page.site] > 1]


def read_results(pages: Sequence[LabelledPage], name: str) -> Iterator[SitePageResult]:
    """Yield every page read once."""
    extractor = EXTRACTORS[name]
    build_steps = build_site_steps(extractor)
    for labelled in tqdm(pages, desc=name):
        start = process_time()
        page = extractor.segmenter(load_page(labelled.html, labelled.url).page)
        labeling = extractor.decide_content(page)
        middle = process_time()
        signatures = compute_signatures(page)
        record = build_page_record(page, signatures, labeling)
        end = process_time()
        spent = 1000 * (middle - start), 1000 * (end - middle)
        yield SitePageResult(labelled, build_steps, page, labeling, signatures, record, spent)


def whole_knowledge(results: Sequence[SitePageResult]) -> list[Knowledge]:
    """Return for each page the knowledge of all pages of its site."""
    known: dict[tuple[str, str], Knowledge] = defaultdict(Knowledge)
    keys = [(result.labelled.dataset, result.labelled.site) for result in results]
    for key, result in zip(keys, results, strict=True):
        known[key] = known[key].with_pages([result.record])
    return [known[key] for key in keys]


def stream_pages(results: Sequence[SitePageResult], seed: int) -> list[float]:
    """Return the F1 of each page in a random order, with the knowledge of the pages before it."""
    known: dict[tuple[str, str], Knowledge] = defaultdict(Knowledge)
    scores = [0.0] * len(results)
    for number in np.random.default_rng(seed).permutation(len(results)).tolist():
        result = results[number]
        key = result.labelled.dataset, result.labelled.site
        known[key] = known[key].with_pages([result.record])
        scores[number] = result.score(known[key])
    return scores


def build_rows(
    name: str,
    results: Sequence[SitePageResult],
    alone: FloatArray,
    with_all: FloatArray,
    shuffles: int,
) -> Iterator[list[object]]:
    """Yield a row for each corpus, from the scores of the pages without and with their sites."""
    orders = [stream_pages(results, seed) for seed in range(shuffles)]
    for corpus in SITE_CORPORA:
        numbers = [n for n, result in enumerate(results) if result.labelled.dataset == corpus]
        if not numbers:
            continue
        before, after = alone[numbers], with_all[numbers]
        drawn = draw_sites([results[n].labelled.site for n in numbers])
        samples = np.array([(after - before)[draw].mean() for draw in drawn])
        low, high = percentile_interval(samples)
        difference = f"{after.mean() - before.mean():+.4f} ({low:+.4f} to {high:+.4f})"
        row = [name, corpus, len(numbers), f"{before.mean():.4f}", f"{after.mean():.4f}"]
        yield [*row, difference, _format_spread(orders, numbers)]


def _format_spread(orders: Sequence[Sequence[float]], numbers: list[int]) -> str:
    """Return the lowest and highest mean of some pages over the orders."""
    means = [np.array(order)[numbers].mean() for order in orders]
    return f"{min(means):.4f} to {max(means):.4f}" if means else "-"


def main() -> None:
    parser = create_parser(__doc__)
    parser.add_argument("--shuffles", type=int, default=SHUFFLES)
    options = parser.parse_args()
    pages = read_site_pages(options.corpora, options.pages)
    columns = "extractor|corpus|pages|without|whole site|difference (95 %)|streaming"
    rows: list[list[object]] = [[*columns.split("|")]]
    costs = {}
    for name in SITE_EXTRACTORS:
        results = list(read_results(pages, name))
        extraction, record = np.array([result.milliseconds for result in results]).mean(axis=0)
        costs[name] = {"read": round(extraction, 2), "learn": round(record, 2)}
        alone = np.array([result.score(Knowledge()) for result in results])
        known = whole_knowledge(results)
        with_all = np.array([each.score(site) for each, site in zip(results, known, strict=True)])
        rows += build_rows(name, results, alone, with_all, options.shuffles)
    print("\n\n".join((format_table(rows), json.dumps(costs))))


if __name__ == "__main__":
    main()
