"""``scrapy-boilerplate evaluate``: scores of extractors on labelled pages."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.cli.options import (
    Commands,
    OptionError,
    add_limit,
    create_progress_bar,
    dump_json,
    format_count,
    parse_positive,
    print_table,
)

if TYPE_CHECKING:
    from scrapy_boilerplate.training.evaluation import Evaluation, EvaluationPlan, Score

    Evaluations = Mapping[str, Evaluation]


ALL = "all"
# A metric skips the corpora without the labels that it needs.
DEFAULT_METRICS = ("tokens", "segments")
PICTURES = (".png", ".svg", ".pdf")


def add_to(commands: Commands) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="score extractors on labelled pages",
        description="Score extractors on labelled pages, one JSON object per line with 'html' and "
        "'text', or other gold data. Intervals are 95 % bootstrap intervals by site; 'to best' is "
        "the paired difference to the first row. --plot needs the extra [evaluate].",
    )
    add = parser.add_argument
    add("corpora", nargs="+", type=Path, metavar="CORPUS", help="file or folder")
    add("--extractor", action="append", metavar="NAME",
        help=f"repeatable; '{ALL}' for every extractor "
        "(default: the default extractor)")  # fmt: skip
    add("--metric", action="append", metavar="NAME",
        help=f"repeatable (default: {' and '.join(DEFAULT_METRICS)}, "
        "where they apply)")  # fmt: skip
    add("--text", choices=("own", "final"), default="final",
        help="final (default): the text of the document; own: the content by the extractor's own "
        "steps, as in the figures of the papers")  # fmt: skip
    add_limit(parser)
    add("--jobs", type=parse_positive, default=1, metavar="N", help="default: 1")
    add("--format", choices=tuple(WRITERS), default="table")
    add("--plot", type=Path, metavar="FILE.png", help="plot the ranked page scores")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from scrapy_boilerplate.training.corpora import read_pages
    from scrapy_boilerplate.training.evaluation import evaluate

    plan = _build_plan(options)
    files = _find_corpora(options.corpora)
    if options.plot:
        _check_plot(options.plot, plan)
    evaluations = {}
    for name, file in files.items():
        pages, progress = read_pages(file, options.limit), create_progress_bar(name)
        evaluations[name] = evaluate(pages, plan, jobs=options.jobs, progress=progress)
    WRITERS[options.format](evaluations, plan)
    if options.plot:
        write_plot(evaluations, plan, options.plot)
    return 0


def _build_plan(options: argparse.Namespace) -> EvaluationPlan:
    from scrapy_boilerplate.extractors import DEFAULT, EXTRACTORS, get_extractor
    from scrapy_boilerplate.training.evaluation import EvaluationPlan
    from scrapy_boilerplate.training.metrics import GROUPS, METRICS

    extractors: dict[str, None] = {}
    for name in options.extractor or [DEFAULT]:
        extractors.update(dict.fromkeys(EXTRACTORS if name == ALL else [name]))
    metrics: dict[str, None] = {}
    for name in options.metric or DEFAULT_METRICS:
        metrics.update(dict.fromkeys(GROUPS.get(name, (name,))))
    for name in extractors:
        get_extractor(name)
    for name in metrics:
        if name not in METRICS:
            raise OptionError(
                f"unknown metric {name!r}; the metrics are: {', '.join((*METRICS, *GROUPS))}"
            )
    return EvaluationPlan(extractors=tuple(extractors), metrics=tuple(metrics), text=options.text)


def _find_corpora(paths: Sequence[Path]) -> dict[str, Path]:
    from scrapy_boilerplate.training.corpora import list_corpus_files

    files: dict[str, Path] = {}
    for file in [file for path in paths for file in list_corpus_files(path)]:
        name = file.name.partition(".jsonl")[0]
        if name in files:
            raise OptionError(f"two corpora are named {name}: {files[name]} and {file}; rename one")
        files[name] = file
    return files


def _check_plot(file: Path, plan: EvaluationPlan) -> None:
    from scrapy_boilerplate import import_optional
    from scrapy_boilerplate.training.metrics import METRICS

    import_optional("matplotlib", "--plot", "evaluate")
    if all(METRICS[name].ranked is None for name in plan.metrics):
        raise OptionError("--plot needs a metric that scores single pages, such as tokens")
    if file.suffix not in PICTURES:
        raise OptionError(f"--plot {file}: the name must end in {', '.join(PICTURES)}")
    if not file.parent.is_dir():
        raise OptionError(f"--plot {file}: no such folder: {file.parent}")


# The scores, printed as a table, JSON or CSV, or drawn as a picture


def _iter_scores(
    evaluations: Evaluations, plan: EvaluationPlan
) -> Iterator[tuple[str, str, list[Score]]]:
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
            f"{corpus}: {len(best.rows)} of {format_count(len(evaluation.pages))}, "
            f"{format_count(evaluation.sites, 'site')}; {metric} ({best.metric.source}); "
            f"text: {plan.text}"
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
