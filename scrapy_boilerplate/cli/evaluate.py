"""``scrapy-boilerplate evaluate``: scores of extractors on labelled pages."""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy_boilerplate.training.evaluation import Evaluation, Plan, Score

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

    Evaluations = Mapping[str, Evaluation]

ALL = "all"
DEFAULT_METRICS = ("tokens", "segments")
"""Each judges the corpora that it can."""


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "evaluate",
        help="score extractors on labelled pages",
        description="Score extractors on labelled pages: one JSON object a line, with 'html' and "
        "what is known of it (docs/evaluation.md). Intervals are 95 % bootstrap intervals by site; "
        "'to best' is the paired difference to the first row. Needs the extra [train].",
    )
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="file or directory")
    parser.add_argument(
        "--extractor",
        action="append",
        metavar="NAME",
        help=f"can be repeated; '{ALL}' for the whole catalog; default: the default extractor",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help=f"can be repeated; default: {' and '.join(DEFAULT_METRICS)}, where they apply",
    )
    parser.add_argument(
        "--text",
        choices=("own", "final"),
        default="final",
        help="final: the document's text (the default); own: what the extractor's own steps "
        "decide, which the papers' figures are about",
    )
    parser.add_argument("--limit", type=_natural, metavar="N", help="only N pages of each file")
    parser.add_argument("--jobs", type=_natural, default=1, metavar="N", help="processes")
    parser.add_argument("--format", choices=tuple(WRITERS), default="table")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE.png", help="curves of the ranked page scores"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score and print; 1 if a corpus, a name or a package is missing."""
    from scrapy_boilerplate.catalog import UnknownExtractorError
    from scrapy_boilerplate.training.corpora import CorpusError
    from scrapy_boilerplate.training.extras import MissingExtraError

    try:
        plan = _plan(options)
        evaluations = dict(_evaluations(options, plan))
        if options.plot:
            _plot(evaluations, plan, options.plot)
        WRITERS[options.format](evaluations, plan)
    except BrokenPipeError:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - what is left goes nowhere
        return 1
    except (CorpusError, MissingExtraError, UnknownExtractorError, _OptionError, OSError) as error:
        print(f"scrapy-boilerplate: {error}", file=sys.stderr)
        return 1
    return 0


class _OptionError(ValueError):
    """An option that cannot be followed; the message is for the user."""


def _natural(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def _plan(options: argparse.Namespace) -> Plan:
    from scrapy_boilerplate.catalog import DEFAULT, EXTRACTORS, extractor_named
    from scrapy_boilerplate.training.evaluation import Plan
    from scrapy_boilerplate.training.metrics.table import METRICS

    named = options.extractor or [DEFAULT]
    extractors = dict.fromkeys(
        name for one in named for name in (EXTRACTORS if one == ALL else [one])
    )
    metrics = dict.fromkeys(options.metric or DEFAULT_METRICS)
    for name in extractors:
        extractor_named(name)
    for name in metrics:
        if name not in METRICS:
            raise _OptionError(f"no metric is called {name!r}; write one of: {', '.join(METRICS)}")
    return Plan(extractors=tuple(extractors), metrics=tuple(metrics), text=options.text)


def _evaluations(options: argparse.Namespace, plan: Plan) -> Iterator[tuple[str, Evaluation]]:
    from scrapy_boilerplate.training.corpora import corpus_files, read_pages
    from scrapy_boilerplate.training.evaluation import evaluate

    for file in [file for path in options.corpora for file in corpus_files(path)]:
        name = file.name.partition(".jsonl")[0]
        pages = read_pages(file, options.limit)
        progress = _progress(name)
        yield name, evaluate(pages, plan, jobs=options.jobs, progress=progress)


def _progress(name: str) -> Callable[[Any], Any]:
    """A progress bar on a terminal; a word if the package for it is missing."""
    from scrapy_boilerplate.training.extras import MissingExtraError, optional

    if not sys.stderr.isatty():
        return iter
    try:
        tqdm = optional("tqdm", "the progress bar").tqdm
    except MissingExtraError as error:
        print(f"scrapy-boilerplate: {error}", file=sys.stderr)
        return iter
    return lambda scored: tqdm(scored, desc=name, unit=" pages", file=sys.stderr)


def _scores(evaluations: Evaluations, plan: Plan) -> Iterator[tuple[str, str, list[Score]]]:
    """(corpus, metric, scores best first) wherever a metric can judge a corpus."""
    found = False
    for corpus, evaluation in evaluations.items():
        for metric in plan.metrics:
            scores = evaluation.scores(metric)
            if scores:
                found = True
                yield corpus, metric, scores
    if not found:
        raise _OptionError(
            f"nothing to score: no page has what {' or '.join(plan.metrics)} compares with"
        )


def _plot(evaluations: Evaluations, plan: Plan, file: Path) -> None:
    from scrapy_boilerplate.training.metrics.table import METRICS
    from scrapy_boilerplate.training.plot import plot_ranked

    ranking = next((name for name in plan.metrics if METRICS[name].ranked), None)
    curves = {corpus: scores for corpus, name, scores in _scores(evaluations, plan)
              if name == ranking}  # fmt: skip
    if not curves:
        raise _OptionError("--plot needs a metric that scores single pages, such as tokens")
    plot_ranked(curves, file)


def _write_table(evaluations: Evaluations, plan: Plan) -> None:
    for corpus, metric, scores in _scores(evaluations, plan):
        evaluation, best = evaluations[corpus], scores[0]
        others = [name for name in best.figures if name != best.main]
        print(
            f"{corpus}: {len(best.rows)} of {len(evaluation.pages)} pages, "
            f"{evaluation.sites} sites; {metric} ({best.metric.source}); text: {plan.text}"
        )
        rows = [["extractor", best.main, "95 %", "to best", "95 %", *others]]
        rows += [_table_row(score, best, others) for score in scores]
        _print_columns(rows)


def _table_row(score: Score, best: Score, others: Sequence[str]) -> list[str]:
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


def _print_columns(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        print("  ".join([name.ljust(widths[0]), *padded]).rstrip())
    print()


def _records(evaluations: Evaluations, plan: Plan) -> Iterator[dict[str, Any]]:
    """A flat record for every corpus, metric, extractor and figure."""
    for corpus, metric, scores in _scores(evaluations, plan):
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


def _write_json(evaluations: Evaluations, plan: Plan) -> None:
    print(json.dumps(list(_records(evaluations, plan)), indent=1, ensure_ascii=False))


def _write_csv(evaluations: Evaluations, plan: Plan) -> None:
    records = list(_records(evaluations, plan))
    writer = csv.DictWriter(sys.stdout, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)


WRITERS = {"table": _write_table, "json": _write_json, "csv": _write_csv}
