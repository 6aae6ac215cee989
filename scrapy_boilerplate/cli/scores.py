"""The scores of `evaluate`, printed as a table, JSON or CSV, or drawn as a picture."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.cli.options import OptionError
from scrapy_boilerplate.cli.output import count_pages, count_sites, dump_json, print_table

if TYPE_CHECKING:
    from scrapy_boilerplate.training.evaluation import Evaluation, EvaluationPlan, Score

    Evaluations = Mapping[str, Evaluation]


def _iter_scores(
    evaluations: Evaluations, plan: EvaluationPlan
) -> Iterator[tuple[str, str, list[Score]]]:
    """Yield (corpus, metric, scores best first) for each metric that applies to a corpus."""
    has_scores = False
    for corpus, evaluation in evaluations.items():
        for metric in plan.metrics:
            scores = evaluation.scores(metric)
            if scores:
                has_scores = True
                yield corpus, metric, scores
    if not has_scores:
        raise OptionError(
            f"nothing to score: no page of {', '.join(evaluations)} has the labels that "
            f"{' or '.join(plan.metrics)} needs"
        )


def write_plot(evaluations: Evaluations, plan: EvaluationPlan, file: Path) -> None:
    """Write the curves of the first metric that scores pages. Raises OptionError without scores."""
    from scrapy_boilerplate.training.metrics import METRICS
    from scrapy_boilerplate.training.plots import plot_ranked

    ranking = next(name for name in plan.metrics if METRICS[name].ranked)
    ranked = _iter_scores(evaluations, replace(plan, metrics=(ranking,)))
    plot_ranked({corpus: scores for corpus, _, scores in ranked}, file)


def write_table(evaluations: Evaluations, plan: EvaluationPlan) -> None:
    """Print a table for each corpus and metric. Raises OptionError without any."""
    for corpus, metric, scores in _iter_scores(evaluations, plan):
        evaluation, best = evaluations[corpus], scores[0]
        others = [name for name in best.figures if name != best.main]
        print(
            f"{corpus}: {len(best.rows)} of {count_pages(len(evaluation.pages))}, "
            f"{count_sites(evaluation.sites)}; {metric} ({best.metric.source}); text: {plan.text}"
        )
        rows = [["extractor", best.main, "95 %", "to best", "95 %", *others]]
        rows += [_create_table_row(score, best, others) for score in scores]
        print_table(rows)


def _create_table_row(score: Score, best: Score, others: Sequence[str]) -> list[str]:
    difference, around = score.difference(best, score.main)
    return [
        score.extractor,
        f"{score.figures[score.main]:.4f}",
        "{:.4f} to {:.4f}".format(*score.interval(score.main)),
        *(
            ("", "")
            if score is best
            else (f"{difference:+.4f}", "{:+.4f} to {:+.4f}".format(*around))
        ),
        *(f"{score.figures[name]:.4f}" for name in others),
    ]


def _iter_records(evaluations: Evaluations, plan: EvaluationPlan) -> Iterator[dict[str, Any]]:
    """Yield a flat record for every corpus, metric, extractor and figure."""
    for corpus, metric, scores in _iter_scores(evaluations, plan):
        for score in scores:
            for figure, value in score.figures.items():
                low, high = score.interval(figure)
                difference, (below, above) = score.difference(scores[0], figure)
                yield {
                    "corpus": corpus,
                    "pages": len(score.rows),
                    "text": plan.text,
                    "metric": metric,
                    "extractor": score.extractor,
                    "figure": figure,
                    "value": value,
                    "low": low,
                    "high": high,
                    "best": scores[0].extractor,
                    "difference_to_best": difference,
                    "difference_low": below,
                    "difference_high": above,
                }


def _write_json(evaluations: Evaluations, plan: EvaluationPlan) -> None:
    print(dump_json(list(_iter_records(evaluations, plan)), sys.stdout.encoding, indent=1))


def _write_csv(evaluations: Evaluations, plan: EvaluationPlan) -> None:
    records = list(_iter_records(evaluations, plan))
    writer = csv.DictWriter(sys.stdout, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)


WRITERS = {"table": write_table, "json": _write_json, "csv": _write_csv}
