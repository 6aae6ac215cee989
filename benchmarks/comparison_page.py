"""docs/comparison.md, from the results on all corpora."""

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version

import numpy as np

from benchmarks.contest import NEWS, PARSE, UNSEEN, Contest, PageResult, format_display_name
from benchmarks.corpora import FOLDS
from benchmarks.folds import Part, load_part
from benchmarks.markdown import describe_errors, fill_template, format_table
from benchmarks.peers import PEERS
from scrapy_boilerplate import __version__
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.training.evaluation import Evaluation, Score
from scrapy_boilerplate.training.metrics import RESAMPLES
from scrapy_boilerplate.training.tokens import POOR, compute_precision_recall_f1

# marks an F1 if the interval of its difference to the reference includes 0
SAME = "~"


@dataclass(frozen=True, eq=False)
class CorpusResults:
    """All systems on the pages of one corpus."""

    corpus: str
    metric: str
    pages: Sequence[PageResult]

    @cached_property
    def evaluation(self) -> Evaluation:
        """The counts, for figures, intervals and paired differences."""
        return Evaluation([page.scores for page in self.pages])

    @cached_property
    def scores(self) -> dict[str, Score]:
        """System to score, best first."""
        return {score.extractor: score for score in self.evaluation.scores(self.metric)}

    def seconds(self, system: str) -> float:
        return sum(page.seconds[system] for page in self.pages)


def poor_share(score: Score) -> float:
    """Return the share of the pages below an F1 of .5 by the corpus's own metric."""
    return float((compute_page_f1(score) < POOR).mean())


def compute_page_f1(score: Score) -> FloatArray:
    """Return float[pages]: the F1 of each page; of segments, the F1 of the page's snippets."""
    if score.metric.ranked is not None:
        return score.metric.ranked(score.rows)
    rows = score.rows.tolist()
    return np.array(
        [
            compute_precision_recall_f1(there, there + extra, there + lost)[2]
            for there, extra, lost, _ in rows
        ]
    )


@dataclass(frozen=True, eq=False)
class Comparison:
    """All systems on all corpora; `limit` is how many pages of each were read, None for all."""

    contest: Contest
    corpora: Sequence[CorpusResults]
    limit: int | None = None

    @property
    def ours(self) -> list[str]:
        """The extractors of this package; other systems are compared with the first one."""
        return [format_display_name(name) for name in self.contest.ours]

    @cached_property
    def systems(self) -> list[str]:
        """The systems that read every corpus, the best mean first."""
        first = self.corpora[0].scores
        common = [name for name in first if all(name in r.scores for r in self.corpora)]
        return sorted(common, key=lambda name: -self.mean_f1(name))

    def f1(self, system: str) -> list[float]:
        return [results.scores[system].figures["f1"] for results in self.corpora]

    def mean_f1(self, system: str) -> float:
        return float(np.mean(self.f1(system)))

    def poor_share(self, system: str) -> float:
        """Return the share of all pages below an F1 of .5."""
        poor = [compute_page_f1(results.scores[system]) < POOR for results in self.corpora]
        return float(np.concatenate(poor).mean())

    def cost(self, system: str) -> float:
        """Return CPU time as a multiple of the parse of the same pages, all together."""
        whole, parse = (
            sum(results.seconds(name) for results in self.corpora) for name in (system, PARSE)
        )
        return whole / parse

    def errors(self, system: str) -> Counter[str]:
        pages = (page for results in self.corpora for page in results.pages)
        return Counter(page.failed[system] for page in pages if system in page.failed)


def format_page(comparison: Comparison) -> str:
    contest, corpora = comparison.contest, comparison.corpora
    scores = [page.scores for results in corpora for page in results.pages]
    limit = f" The run was limited to the first {comparison.limit} pages of each corpus."
    missing = [peer.name for peer in PEERS if not peer.installed]
    error_line = describe_errors({name: comparison.errors(name) for name in comparison.systems})
    not_there = f"Not installed, and so not in the tables: {', '.join(missing)}.\n\n"
    left_out = ""
    if any(UNSEEN in results.scores for results in corpora):
        left_out = fill_template("comparison_left_out", name=UNSEEN) + "\n\n"
    judged_by, about_news = _describe_models(contest)
    page = fill_template(
        "comparison",
        judged_by=judged_by,
        command="make compare" if contest.models is None else "make compare MODELS=DIR",
        pages=len(scores),
        sites=len({page.site for page in scores}),
        limited=limit if comparison.limit else "",
        about_news=about_news,
        about_left_out=left_out,
        summary=_format_summary(comparison),
        errors=(not_there if missing else "") + error_line,
        resamples=RESAMPLES,
        reference=comparison.ours[0],
        corpora=_format_corpora(comparison),
        versions=_format_versions(contest),
    )
    return page + "\n"


def _describe_models(contest: Contest) -> tuple[str, str]:
    """Return the part of the heading, and the paragraph, about the models of `news`."""
    if all(name.partition(":")[0] != NEWS for name in contest.ours):
        return "", ""
    if contest.models is None:
        return ": `news` in-sample", fill_template("comparison_in_sample") + "\n\n"
    facts = [load_part(contest.models, Part(number=number)).facts for number in range(FOLDS)]
    pages, unknown = (
        ", ".join(str(fact[name]) for fact in facts) for name in ("pages", "pages_of_unknown_site")
    )
    text = fill_template("comparison_cross_validated", folds=FOLDS, pages=pages, unknown=unknown)
    return f": `news` by {FOLDS}-fold cross-validation by site", text + "\n\n"


def _format_summary(comparison: Comparison) -> str:
    reference, *_ = comparison.ours
    corpora = [f"{results.corpus}, {results.metric}" for results in comparison.corpora]
    rows = [["system", *corpora, "mean", "under .5", "x parse"]]
    for name in comparison.systems:
        figures = [_format_compared(results, reference, name) for results in comparison.corpora]
        poor, cost = comparison.poor_share(name), comparison.cost(name)
        mean = _format_f1(comparison.mean_f1(name))
        rows.append([name, *figures, mean, _format_percent(poor), f"{cost:.1f}"])
    return format_table(rows)


def _format_compared(results: CorpusResults, reference: str, name: str) -> str:
    """Return the F1 of a system, with SAME where it does not differ from `reference`."""
    score = results.scores[name]
    low, high = results.scores[reference].difference(score, "f1")[1]
    same = SAME if name != reference and low <= 0 <= high else ""
    return f"{_format_f1(score.figures['f1'])}{same}"


def _format_corpora(comparison: Comparison) -> str:
    counts = ((results.corpus, results.evaluation) for results in comparison.corpora)
    return ", ".join(f"{name} {len(pages.pages)} ({pages.sites})" for name, pages in counts)


def _format_versions(contest: Contest) -> str:
    ours = "; ".join(map(format_display_name, contest.ours))
    lines = [f"- {ours}: scrapy-boilerplate-removal {__version__}, `text` of `extract()`"]
    for peer in PEERS:
        package = f"{peer.package} {peer.version}" if peer.installed else "not installed"
        lines.append(f"- {peer.name}: {package}, {peer.options}")
    python = f"Python {platform.python_version()}, lxml {version('lxml')}"
    return "\n".join([f"{python}.\n", *lines])


def _format_f1(share: float) -> str:
    return f"{share:.3f}".replace("0.", ".", 1) if share < 1 else "1"


def _format_percent(share: float) -> str:
    return f"{100 * share:.1f} %"
