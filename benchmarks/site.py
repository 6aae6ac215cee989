"""``python -m benchmarks.site``: the effect of the other pages of a site, paired by page.

For each corpus with several pages of a site: page-mean token F1 without and with all other pages
known. Prints the table of docs/usage/site.md. Takes some minutes; ``--pages 40`` less than one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True, eq=False)
class SitePageResult:
    """A page that was read: its labels without its site, and its record."""

    labelled: LabelledPage
    build_steps: SiteSteps
    page: Page
    labeling: Labeling
    signatures: Signatures
    record: PageRecord

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
        page = extractor.segmenter(load_page(labelled.html, labelled.url).page)
        labeling = extractor.decide_content(page)
        signatures = compute_signatures(page)
        record = build_page_record(page, signatures, labeling)
        yield SitePageResult(labelled, build_steps, page, labeling, signatures, record)


def whole_knowledge(results: Sequence[SitePageResult]) -> list[Knowledge]:
    """Return for each page the knowledge of all pages of its site."""
    known: dict[tuple[str, str], Knowledge] = defaultdict(Knowledge)
    keys = [(result.labelled.dataset, result.labelled.site) for result in results]
    for key, result in zip(keys, results, strict=True):
        known[key] = known[key].with_pages([result.record])
    return [known[key] for key in keys]


def build_rows(
    name: str, results: Sequence[SitePageResult], alone: FloatArray, with_all: FloatArray
) -> Iterator[list[object]]:
    """Yield a row for each corpus, from the scores of the pages without and with their sites."""
    for corpus in SITE_CORPORA:
        numbers = [n for n, result in enumerate(results) if result.labelled.dataset == corpus]
        if not numbers:
            continue
        before, after = alone[numbers], with_all[numbers]
        drawn = draw_sites([results[n].labelled.site for n in numbers])
        samples = np.array([(after - before)[draw].mean() for draw in drawn])
        low, high = percentile_interval(samples)
        difference = f"{after.mean() - before.mean():+.4f} ({low:+.4f} to {high:+.4f})"
        means = f"{before.mean():.4f}", f"{after.mean():.4f}"
        yield [name, corpus, len(numbers), *means, difference]


def main() -> None:
    options = create_parser(__doc__).parse_args()
    pages = read_site_pages(options.corpora, options.pages)
    columns = "extractor|corpus|pages|without|with|difference (95 %)"
    rows: list[list[object]] = [[*columns.split("|")]]
    for name in SITE_EXTRACTORS:
        results = list(read_results(pages, name))
        alone = np.array([result.score(Knowledge()) for result in results])
        known = whole_knowledge(results)
        with_all = np.array([each.score(site) for each, site in zip(results, known, strict=True)])
        rows += build_rows(name, results, alone, with_all)
    print(format_table(rows))


if __name__ == "__main__":
    main()
