"""``scrapy-boilerplate evaluate``: scores of extractors on labelled pages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.scores import WRITERS, NothingToPrintError, write_plot
from scrapy_boilerplate.cli.shared import complain, natural, progress_over

if TYPE_CHECKING:
    from scrapy_boilerplate.training.evaluation import Evaluation, EvaluationPlan

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

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
        "'to best' is the paired difference to the first row. Needs the extra [evaluate].",
    )
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="file or directory")
    _add_what_to_score(parser)
    _add_how_to_print(parser)
    parser.set_defaults(run=run)


def _add_what_to_score(parser: argparse.ArgumentParser) -> None:
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
    parser.add_argument("--limit", type=natural, metavar="N", help="only N pages of each file")
    parser.add_argument("--jobs", type=natural, default=1, metavar="N", help="processes")


def _add_how_to_print(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=tuple(WRITERS), default="table")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE.png", help="curves of the ranked page scores"
    )


def run(options: argparse.Namespace) -> int:
    """Score and print; 1 if a corpus, a name or a package is missing."""
    from scrapy_boilerplate.extractors import UnknownExtractorError
    from scrapy_boilerplate.extras import MissingExtraError
    from scrapy_boilerplate.training.corpora import CorpusError

    try:
        plan = _plan(options)
        files = _files(options.corpora)
        if options.plot:
            _check_plot(options.plot, plan)
        evaluations = dict(_evaluations(files, options, plan))
        WRITERS[options.format](evaluations, plan)
        if options.plot:
            write_plot(evaluations, plan, options.plot)
    except BrokenPipeError:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - what is left goes nowhere
        return 1
    except (CorpusError, MissingExtraError, UnknownExtractorError, OSError) as error:
        return complain(error)
    except (_OptionError, NothingToPrintError) as error:
        return complain(error)
    return 0


PICTURES = (".png", ".svg", ".pdf")


class _OptionError(ValueError):
    """An option that cannot be followed; the message is for the user."""


def _plan(options: argparse.Namespace) -> EvaluationPlan:
    from scrapy_boilerplate.extractors import DEFAULT, EXTRACTORS, get_extractor
    from scrapy_boilerplate.training.evaluation import EvaluationPlan
    from scrapy_boilerplate.training.metrics.table import GROUPS, METRICS

    named = options.extractor or [DEFAULT]
    extractors = dict.fromkeys(
        name for one in named for name in (EXTRACTORS if one == ALL else [one])
    )
    asked = options.metric or DEFAULT_METRICS
    metrics = dict.fromkeys(name for one in asked for name in GROUPS.get(one, (one,)))
    for name in extractors:
        get_extractor(name)
    for name in metrics:
        if name not in METRICS:
            raise _OptionError(
                f"no metric is called {name!r}; write one of: {', '.join((*METRICS, *GROUPS))}"
            )
    return EvaluationPlan(extractors=tuple(extractors), metrics=tuple(metrics), text=options.text)


def _files(paths: Sequence[Path]) -> dict[str, Path]:
    """Name of a corpus to its file; all of them are there, before the first is scored."""
    from scrapy_boilerplate.training.corpora import corpus_files

    files: dict[str, Path] = {}
    for file in [file for path in paths for file in corpus_files(path)]:
        name = file.name.partition(".jsonl")[0]
        if name in files:
            raise _OptionError(f"two corpora are called {name}: {files[name]}, {file}; rename one")
        files[name] = file
    return files


def _check_plot(file: Path, plan: EvaluationPlan) -> None:
    """What would only fail after all the scoring."""
    from scrapy_boilerplate.extras import optional
    from scrapy_boilerplate.training.metrics.table import METRICS

    optional("matplotlib", "--plot", "evaluate")
    if all(METRICS[name].ranked is None for name in plan.metrics):
        raise _OptionError("--plot needs a metric that scores single pages, such as tokens")
    if file.suffix not in PICTURES:
        raise _OptionError(f"--plot {file}: write a name that ends in {' or '.join(PICTURES)}")
    if not file.parent.is_dir():
        raise _OptionError(f"--plot {file}: there is no folder {file.parent}")


def _evaluations(
    files: Mapping[str, Path], options: argparse.Namespace, plan: EvaluationPlan
) -> Iterator[tuple[str, Evaluation]]:
    from scrapy_boilerplate.training.corpora import read_pages
    from scrapy_boilerplate.training.evaluation import evaluate

    for name, file in files.items():
        pages = read_pages(file, options.limit)
        progress = progress_over(name)
        yield name, evaluate(pages, plan, jobs=options.jobs, progress=progress)
