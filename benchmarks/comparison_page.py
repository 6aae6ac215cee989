"""The words and tables of docs/comparison.md; every number in it is computed."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import version

from benchmarks.ablation import FOLDS
from benchmarks.contest import NEWS, UNSEEN, Contest, shown
from benchmarks.folds import Part, load_part
from benchmarks.peers import PEERS
from benchmarks.results import Comparison, CorpusResults, poor
from scrapy_boilerplate import __version__
from scrapy_boilerplate.training.evaluation import Score
from scrapy_boilerplate.training.metrics.bootstrap import RESAMPLES

IN_SAMPLE = "in-sample"

WHAT = """Written by `{command}`; do not edit. Every system got the same HTML
of the same pages in one run: {pages} pages of {sites} sites.{limited}

![F1 on each corpus, and cost]({picture})"""

METHOD = """## What is measured

- **F1** by the metric that a corpus is usually scored by: `shingles` of 4 words, `segments`
  (snippets that must and must not be there), `tokens` (bags of words, page mean).
  [evaluation.md](evaluation.md) defines them. The gold conventions differ (l3s-gn1 counts headline
  and captions as text, waddle title and date line): compare within a corpus. Nobody's text is
  changed to fit.
- **Intervals** are 95 % of {resamples} bootstrap draws of sites. Differences are paired: both
  systems on the same draws. An interval without 0 is a difference.
- **Under .5** is the share of pages whose own F1 is below .5. A page on which a system raises an
  error counts as an empty text.
- **Cost** is CPU time of the complete call, from the HTML as a string to the text, with one thread,
  as a multiple of `lxml.html.fromstring` on the same pages in the same run{rounds}. The order
  of the systems turns from page to page. Loading packages, models and word lists is not counted.
- Peers that can be told the language are told it: what the corpus says, else what the page
  declares. turbohtml is an HTML toolkit in C; its `article()` is what takes part."""

CROSS_VALIDATED = """`news` learns from these corpora. It is judged by {folds}-fold cross-validation
by site: each page by the one of {folds} models that was trained without any page of its site, in
any corpus. The site of a page is its registered domain. The models learnt from {pages} pages; of
these {unknown} name no domain, so nobody can say whether they share a site with a judged page."""

CHOSEN_HERE = """What our extractors do, their features, steps and settings, was chosen while
looking at these corpora. What the peers do was not, as far as we know, but for trafilatura on the
corpus of that name, on which its authors evaluate it. Pages of your own are the better judges."""

WARNING = """**The shipped `news` was trained on these very pages: its figures below say how well it
has learnt them, not how it does on new ones.** `python -m benchmarks.folds --out DIR` and
`make compare MODELS=DIR` judge it by models that never saw a page's site."""

LEFT_OUT = f"""`{UNSEEN}` is a model that was trained without that corpus and without any other page
of its sites."""


def written(comparison: Comparison, picture: str) -> str:
    """The whole page, in Markdown; `picture` is the name of the file beside it."""
    contest, corpora = comparison.contest, comparison.corpora
    rounds = f", the fastest of {contest.rounds} calls" if contest.rounds > 1 else ""
    parts = [
        f"# Comparison with other packages{_heading(contest)}",
        _what(comparison, picture),
        _about_news(contest),
        CHOSEN_HERE,
        LEFT_OUT if any(UNSEEN in one.scores for one in corpora) else "",
        f"## All corpora\n\n{_summary(comparison)}",
        _not_there(),
        _errors(comparison),
        METHOD.format(resamples=RESAMPLES, rounds=rounds),
        *(_corpus(one, comparison.ours[0]) for one in corpora),
        f"## What ran\n\n{_versions(contest)}",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _of_news(contest: Contest) -> bool:
    return any(one.partition(":")[0] == NEWS for one in contest.ours)


def _heading(contest: Contest) -> str:
    if not _of_news(contest):
        return ""
    cross = f"{FOLDS}-fold cross-validation by site"
    return f": `news` {IN_SAMPLE}" if contest.models is None else f": `news` by {cross}"


def _what(comparison: Comparison, picture: str) -> str:
    scores = [page.scores for one in comparison.corpora for page in one.pages]
    sites = len({page.site for page in scores})
    command = "make compare" if comparison.contest.models is None else "make compare MODELS=DIR"
    first = f" The run was limited to the first {comparison.limit} pages of each corpus."
    limited = first if comparison.limit else ""
    return WHAT.format(
        limited=limited, command=command, pages=len(scores), sites=sites, picture=picture
    )


def _about_news(contest: Contest) -> str:
    if not _of_news(contest):
        return ""
    if contest.models is None:
        return WARNING
    facts = [load_part(contest.models, Part(number=number)).facts for number in range(FOLDS)]
    pages, unknown = (
        ", ".join(str(one[name]) for one in facts) for name in ("pages", "pages_of_unknown_site")
    )
    return CROSS_VALIDATED.format(folds=FOLDS, pages=pages, unknown=unknown)


def _summary(comparison: Comparison) -> str:
    corpora = [f"{one.corpus}, {one.metric}" for one in comparison.corpora]
    rows = [["system", *corpora, "mean", "under .5", "x parse"]]
    for name in comparison.systems:
        figures = [_f1(figure) for figure in comparison.figures(name)]
        mean, under = _f1(comparison.mean_f1(name)), _percent(comparison.poor(name))
        rows.append([name, *figures, mean, under, f"{comparison.cost(name):.1f}"])
    return table(rows)


def _not_there() -> str:
    missing = [peer.name for peer in PEERS if not peer.installed]
    return f"Not installed, and so not in the tables: {', '.join(missing)}." if missing else ""


def _errors(comparison: Comparison) -> str:
    told = [
        f"{name} on {count} pages ({error})"
        for name in comparison.systems
        for error, count in sorted(comparison.errors(name).items())
    ]
    return f"Errors raised: {'; '.join(told)}." if told else "No system raised an error."


def _corpus(one: CorpusResults, reference: str) -> str:
    against = one.scores[reference]
    rows = [["system", "F1", "95 %", "P", "R", "under .5", f"{reference} minus it", "95 %"]]
    rows += [_row(score, against) for score in one.scores.values()]
    evaluation = one.evaluation
    title = f"## {one.corpus}: {len(evaluation.pages)} pages of {evaluation.sites} sites"
    return f"{title}\n\n{one.metric} ({against.metric.source}).\n\n{table(rows)}"


def _row(score: Score, against: Score) -> list[str]:
    f1, precision, recall = (_f1(score.figures[name]) for name in ("f1", "precision", "recall"))
    low, high = map(_f1, score.interval("f1"))
    difference = ["", ""]
    if score is not against:
        by, (least, most) = against.difference(score, "f1")
        difference = [_signed(by), f"{_signed(least)} to {_signed(most)}"]
    under = _percent(poor(score))
    return [score.extractor, f1, f"{low} to {high}", precision, recall, under, *difference]


def _versions(contest: Contest) -> str:
    rows = [["system", "package", "call"]]
    for ours in map(shown, contest.ours):
        rows.append([ours, f"scrapy-boilerplate {__version__}", "`extract()`, `text`"])
    for peer in PEERS:
        package = f"{peer.package}{f' {peer.version}' if peer.installed else ': not installed'}"
        rows.append([peer.name, package, peer.options])
    python = f"Python {platform.python_version()}, lxml {version('lxml')}"
    return f"{python}.\n\n{table(rows)}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first row is its head."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{'---|' * len(rows[0])}", *body])


def _f1(share: float) -> str:
    return f"{share:.3f}".replace("0.", ".", 1) if share < 1 else "1"


def _signed(difference: float) -> str:
    return f"{difference:+.3f}".replace("0.", ".", 1)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
