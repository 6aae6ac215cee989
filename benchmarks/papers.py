"""``python -m benchmarks.papers``: token F1 on L3S-GN1 beside the figures of the 2010 paper.

Page mean and median over all 621 pages, as in Figure 2b. The paper does not say which classes its
gold text holds. Section 4.3.1 counts comments as content, but the main content filter cuts
comments off and still gains; the medians agree best without them. Both readings are shown.
What counts as an extractor's text is what its own steps decide (`Extractor.decide_content`).
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.speed import CORPORA
from scrapy_boilerplate.catalog import EXTRACTORS
from scrapy_boilerplate.extraction import segmented_page
from scrapy_boilerplate.label import Label
from scrapy_boilerplate.training.corpora import Record, read_records
from scrapy_boilerplate.training.l3s import gold_text
from scrapy_boilerplate.training.metrics import token_f1

ARTICLE = frozenset({Label.HEADLINE, Label.FULL_TEXT, Label.SUPPLEMENTAL})
GOLDS = {"article": ARTICLE, "with comments": ARTICLE | {Label.COMMENTS}}

PAPER = {
    # extractor: page mean, median (Kohlschuetter et al. 2010, Figure 2b)
    "keep-everything": (68.30, 70.60),
    "min-10-words": (80.78, 85.10),
    "density": (90.61, 95.56),
    "num-words": (91.08, 95.87),
    "largest-content": (92.17, 97.65),
    "main-content": (95.93, 98.66),
}
OURS = ("boilerpipe-article", "boilerpipe-default", "grandparent", "container")


def main() -> None:
    """Score every extractor of the table on every page and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPORA / "l3s-gn1.jsonl.xz")
    pages = [page_scores(record) for record in read_records(parser.parse_args().corpus)]
    print(f"token F1 in %, mean (median), {len(pages)} pages of L3S-GN1\n")
    print(f"{'':20} {'paper':>16} {'gold: article':>16} {'with comments':>16}")
    for name in (*PAPER, *OURS):
        paper = "{:.2f} ({:.2f})".format(*PAPER[name]) if name in PAPER else ""
        columns = [_summary([page[name, gold] for page in pages]) for gold in GOLDS]
        print(f"{name:20} {paper:>16} {columns[0]:>16} {columns[1]:>16}")


def page_scores(record: Record) -> dict[tuple[str, str], float]:
    """(extractor, gold) to the token F1 of one page, 0 to 1."""
    golds = {name: gold_text(record["annotated_html"], labels) for name, labels in GOLDS.items()}
    scores = {}
    for name in (*PAPER, *OURS):
        page = segmented_page(record["html"], None, EXTRACTORS[name])
        content = EXTRACTORS[name].decide_content(page).content
        text = page.joined(np.flatnonzero(content).tolist())
        for gold, wanted in golds.items():
            scores[name, gold] = token_f1(text, wanted)
    return scores


def _summary(scores: Sequence[float]) -> str:
    return f"{100 * statistics.mean(scores):.2f} ({100 * statistics.median(scores):.2f})"


if __name__ == "__main__":
    main()
