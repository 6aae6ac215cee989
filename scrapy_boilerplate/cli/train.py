"""``scrapy-boilerplate train``: a model from labelled pages, scored on held-out sites."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.evaluate import write_table
from scrapy_boilerplate.cli.options import (
    Commands,
    OptionError,
    add_limit,
    create_progress_bar,
    format_count,
)

if TYPE_CHECKING:
    from scrapy_boilerplate.training.run import TrainingRun, TrainingTask

HELD_OUT = 0.2
# The largest seed of the generators of numpy and scikit-learn.
MAX_SEED = 2**32 - 1


def add_to(commands: Commands) -> None:
    parser = commands.add_parser(
        "train",
        help="train an extractor on labelled pages",
        description="Train an extractor on labelled pages, one JSON object per line with 'html' "
        "and 'text', or other gold data, and score it on held-out sites. Use the model with "
        '--extractor DIR or BOILERPLATE_EXTRACTOR = "/path/to/DIR". '
        "Needs the extra [evaluate]; news, crf and web2text need [train].",
    )
    add = parser.add_argument
    add("name", metavar="NAME", help="name of a trainer, such as news or c48")
    add("--corpus", action="extend", nargs="+", type=Path, required=True, metavar="PATH",
        help="file or folder (repeatable)")  # fmt: skip
    add("--out", type=Path, required=True, metavar="DIR", help="output folder")
    add("--seed", type=_parse_seed, default=0, metavar="N", help="default: %(default)s")
    add("--held-out", type=_parse_share, default=HELD_OUT, metavar="SHARE",
        help="share of the sites that are held out for scoring (default: %(default)s)")  # fmt: skip
    add("--on-top-of", metavar="MODEL",
        help="continue training: 'news', or the path of a model of news "
        "(with a slash)")  # fmt: skip
    add_limit(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from scrapy_boilerplate.steps.model_store import save_model
    from scrapy_boilerplate.training.corpora import list_corpus_files
    from scrapy_boilerplate.training.run import CARD, TrainingTask, train_model, write_card
    from scrapy_boilerplate.training.trainers import TRAINERS

    if options.name not in TRAINERS:
        known = "\n".join(f"  {name:10} {trainer.summary}" for name, trainer in TRAINERS.items())
        raise OptionError(f"unknown trainer {options.name!r}; the trainers are:\n{known}")
    if options.on_top_of and options.name != "news":
        raise OptionError(f"--on-top-of does not apply to {options.name}, only to news")
    files = dict.fromkeys(file for path in options.corpus for file in list_corpus_files(path))
    options.out.mkdir(parents=True, exist_ok=True)  # fails now rather than after the training
    task = TrainingTask(
        name=options.name,
        files=tuple(files),
        seed=options.seed,
        held_out=options.held_out,
        limit=options.limit,
        on_top_of=options.on_top_of,
    )
    training_run = train_model(task, create_progress_bar)
    save_model(options.out, training_run.model)
    (options.out / CARD).write_text(write_card(task, training_run), encoding="utf-8")
    _print_run(task, training_run, options.out)
    return 0


def _print_run(task: TrainingTask, training_run: TrainingRun, out: Path) -> None:
    sites = len({page.site for page in training_run.held})
    print(
        f"{task.name}: trained on {format_count(len(training_run.training))}; "
        f"{format_count(len(training_run.held))} of {format_count(sites, 'site')} held out\n"
    )
    if scores := training_run.model.facts.get("scores"):
        print(
            f"ROC AUC by folds of the training sites: {scores['auc']:.4f} "
            f"({scores['low']:.4f} to {scores['high']:.4f})\n"
        )
    elif training_run.evaluations:
        write_table(training_run.evaluations, training_run.plan)
    else:
        print("no scores: no held-out page has a gold text\n")
    name = str(out) if "/" in str(out) else f"./{out}"  # the slash marks a folder, not a name
    use = (
        f"; use it with --extractor {name}"
        if training_run.plan.extractors
        else "; not an extractor"
    )
    print(f"wrote {out}{use}")


def _parse_seed(text: str) -> int:
    if not text.isdecimal() or len(text) > len(str(MAX_SEED)) or int(text) > MAX_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer from 0 to {MAX_SEED}")
    return int(text)


def _parse_share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to less than 1")
    return share
