"""``python -m benchmarks.tables`` (or ``make tables``): measures the tables of docs/systems.md.

The figures score the content that an extractor's own steps select (``--text own``), as the papers
do. Only the generated blocks of the page are replaced. Takes some minutes on two busy cores.
"""

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmarks.corpora import corpus_file, create_parser
from benchmarks.markdown import DOCS, format_percent, format_table, update_page
from benchmarks.systems import CLASSICAL, CLEANEVAL, L3S, PublishedRow, read_learned, read_published
from scrapy_boilerplate.extractors import MODULES
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.evaluation import Evaluation, EvaluationPlan, Score, evaluate

TARGET = DOCS / "systems.md"
PAGES = DOCS / "systems"

OVERVIEW = (L3S, CLEANEVAL, "fundus", "waddle")
TOKENS = "tokens"
METRICS = {L3S: (TOKENS, "blocks"), CLEANEVAL: (TOKENS, "characters")}

# maximum difference between a figure and the paper's, in points of the page mean
AGREES = 1.5
# source whose figures of systems that learn are in docs/learned.md
IN_LEARNED = "Kohlschuetter 2010, Table 2"


def main() -> None:
    options = create_parser(__doc__, output=TARGET, jobs=os.cpu_count() or 1).parse_args()
    evaluations = EvaluationCache(options.corpora, options.jobs, options.pages)
    published, unexplained = measure_published(evaluations)
    blocks = {
        "index": format_index(),
        "published": published,
        "learned": format_learned(),
        "overview": measure_overview(evaluations),
    }
    update_page(TARGET, options.output, blocks)
    if unexplained:  # the page is written nevertheless
        sys.exit("\n".join(f"benchmarks.tables: {row}" for row in unexplained))


@dataclass(frozen=True)
class EvaluationCache:
    """Evaluations by name; `limit` is the most pages of each corpus."""

    corpora: Path
    jobs: int
    limit: int | None = None
    _evaluations: dict[str, Evaluation] = field(default_factory=dict)

    def evaluate(self, corpus: str) -> Evaluation:
        """Score every extractor that the tables need on this corpus, once."""
        if corpus not in self._evaluations:
            names = dict.fromkeys(row.extractor for row in read_published() if row.corpus == corpus)
            names |= dict.fromkeys(CLASSICAL if corpus in OVERVIEW else ())
            plan = EvaluationPlan(
                extractors=tuple(names), metrics=METRICS.get(corpus, (TOKENS,)), text="own"
            )
            pages = list(read_pages(corpus_file(self.corpora, corpus), self.limit))
            self._evaluations[corpus] = evaluate(
                pages,
                plan,
                jobs=self.jobs,
                progress=lambda scores: tqdm(scores, total=len(pages), desc=corpus),
            )
        return self._evaluations[corpus]

    def scores(self, corpus: str, metric: str) -> dict[str, Score]:
        """Return extractor -> its score."""
        return {score.extractor: score for score in self.evaluate(corpus).scores(metric)}


def format_index() -> str:
    """Return the table of the pages of docs/systems/, in the order of their first extractors."""
    rows = []
    for page in PAGES.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix("# ").partition(":")[0]
        [names] = re.findall(r"^- Extractors: (.*(?:\n  .*)*)$", text, re.MULTILINE)
        rows.append([f"[{title}](systems/{page.name})", " ".join(names.split())])
    names = list(MODULES)
    rows.sort(key=lambda row: names.index(row[1].split("`")[1]))
    ours = ["[This project](news.md)", "`news`, `news-permissive`, `container`"]
    return format_table([["system", "extractors"], *rows, ours])


def measure_published(evaluations: EvaluationCache) -> tuple[str, list[str]]:
    """Return the papers' figures beside the measured ones, and rows with unexplained differences.

    Each source has a table for each corpus.
    """
    unexplained = []
    head = ["extractor", "paper", "here", "remark"]
    tables: dict[str, list[list[str]]] = {}
    for row in read_published():
        score = evaluations.scores(row.corpus, row.metric)[row.extractor]
        if evaluations.limit is None and (missing := find_unexplained(row, score)):
            unexplained.append(missing)
        tables.setdefault(row.title, [head]).append(
            [
                f"`{row.extractor}`",
                "/".join(f"{number:.2f}".rstrip("0").rstrip(".") for number in row.paper),
                "/".join(format_percent(score.figures[name]) for name in row.figures),
                row.why,
            ]
        )
    parts = [f"{title}:\n\n{format_table(rows)}" for title, rows in tables.items()]
    return "\n\n".join(parts), unexplained


def find_unexplained(row: PublishedRow, score: Score) -> str | None:
    """Return a message if the F1 differs from the paper's and the row does not say why."""
    points = 100 * score.figures["f1"] - row.paper[row.figures.index("f1")]
    if row.why or abs(points) <= AGREES:
        return None
    return f"{row.system} on {row.corpus} differs by {points:+.1f}; say why"


def format_learned() -> str:
    """Return the table of the systems that learn, as measured by ``make learned``.

    The rows of IN_LEARNED are in docs/learned.md.
    """
    header = "system/source/corpus/measure/paper/here/remark".split("/")
    rows = [row.cells for row in read_learned().values() if row.source != IN_LEARNED]
    return format_table([header, *rows])


def measure_overview(evaluations: EvaluationCache) -> str:
    """Return the table of every extractor without learned weights on every corpus."""
    columns = [evaluations.scores(corpus, TOKENS) for corpus in OVERVIEW]
    figures = {name: [scores[name].figures["f1"] for scores in columns] for name in CLASSICAL}
    ranked = sorted(CLASSICAL, key=lambda name: -float(np.mean(figures[name])))
    rows = [[name, *map(format_percent, figures[name])] for name in ranked]
    return format_table([["extractor", *OVERVIEW], *rows])


if __name__ == "__main__":
    main()
