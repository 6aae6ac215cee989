"""The card of a trained model: where it comes from and what it scores."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.training.corpora import LabelledPage

if TYPE_CHECKING:
    from scrapy_boilerplate.training.run import Run, Task

CARD = "CARD.md"

TERMS = {
    "article-extraction": "AndyTheFactory/article-extraction-dataset, Apache-2.0",
    "cleaneval-dev": "CleanEval 2007",
    "cleaneval-final": "CleanEval 2007",
    "cleanportaleval": "ppke-nlpg/CleanPortalEval",
    "dragnet": "seomoz/dragnet_data, AGPL repository",
    "fundus": "flairNLP/fundus, MIT",
    "l3s-gn1": "Kohlschuetter et al. 2010; research use only, not transferable",
    "readability": "mozilla/readability, Apache-2.0",
    "trafilatura": "adbar/trafilatura, Apache-2.0",
    "waddle": "rundimeco/waddle, GPL-3 repository",
    "wcxb": "Murrough-Foley/web-content-extraction-benchmark, CC-BY-4.0",
}
"""Source and terms of the corpora that the project knows, by dataset."""


def card_of(task: Task, run: Run) -> str:
    """Markdown: data and their terms, split, scores with intervals, command, seed, date."""
    parts = [
        f"# {task.name}",
        f"Trained on {date.today().isoformat()} with seed {task.seed} by",
        f"    {_command(task)}",
        "No page is in the model: its files hold the weights alone.",
        f"## Data\n\n{_data(run)}",
        f"## Split\n\nBy registered domain (`training/splits.py`): {task.held_out:.0%} of the "
        f"sites, {len(run.held)} pages, were kept apart. No page of theirs was trained on.",
        _fold_scores(run.model) or f"## Scores on the sites kept apart\n\n{_scores(run)}",
    ]
    return "\n\n".join(parts) + "\n"


def _command(task: Task) -> str:
    words = ["scrapy-boilerplate", "train", task.name, "--corpus", *(f.name for f in task.files)]
    words += ["--out", task.name, "--seed", str(task.seed), "--held-out", str(task.held_out)]
    words += ["--on-top-of", task.on_top_of] if task.on_top_of else []
    words += ["--limit", str(task.limit)] if task.limit else []
    return shlex.join(words)


def _data(run: Run) -> str:
    training, held = (_counts(pages) for pages in (run.training, run.held))
    head = "corpus | pages to train on | pages kept apart | source and terms"
    return _table(
        head,
        [
            f"{name} | {training[name]} | {held[name]} | {TERMS.get(name, 'your own')}"
            for name in sorted(training | held)
        ],
    )


def _table(head: str, rows: Iterable[str]) -> str:
    line = "|".join("---" for _ in head.split("|"))
    return "\n".join([f"| {head} |", f"|{line}|", *(f"| {row} |" for row in rows)])


def _counts(pages: Sequence[LabelledPage]) -> Counter[str]:
    return Counter(page.dataset for page in pages)


def _scores(run: Run) -> str:
    rows = list(_score_rows(run))
    if not rows:
        return "None: nothing was kept apart, or it says nothing to score by."
    told = "Final text, as users get it; 95 % bootstrap intervals by site."
    return f"{told}\n\n{_table('corpus | pages | metric | figure | score | 95 %', rows)}"


def _fold_scores(model: StoredModel) -> str:
    """What a model tells of its own folds (`training.article.fold_scores`); "" if it has none."""
    scores = model.facts.get("scores")
    if not scores:
        return ""
    rows = ["page_type | pages | taken for articles", "---|---|---"]
    rows += [f"{name} | {n} | {share:.3f}" for name, (n, share) in scores["types"].items()]
    return (
        f"## Scores by {model.facts['folds']} folds of the training pages, by site\n\n"
        f"ROC AUC {scores['auc']:.4f} (95 % bootstrap interval by site {scores['low']:.4f} to "
        f"{scores['high']:.4f}); {scores['pages']} pages of {scores['sites']} sites. Each was "
        "scored by a model that never saw its site.\n\n"
    ) + "\n".join(f"| {row} |" for row in rows)


def _score_rows(run: Run) -> Iterator[str]:
    for corpus, evaluation in run.evaluations.items():
        for metric in run.plan.metrics:
            for score in evaluation.scores(metric):
                low, high = score.interval(score.main)
                value = score.figures[score.main]
                yield (
                    f"{corpus} | {len(score.rows)} | {metric} | {score.main} | {value:.4f} | "
                    f"{low:.4f} to {high:.4f}"
                )
