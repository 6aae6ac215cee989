"""``scrapy-boilerplate analyse``: what the text blocks of labelled pages tell of their class."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.shared import complain, natural, print_columns, progress_over

if TYPE_CHECKING:
    from scrapy_boilerplate.page.labels import IntArray, Label
    from scrapy_boilerplate.training.analysis import BlockAnalysis, GeometricFit
    from scrapy_boilerplate.training.gold import Gold

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

WORD_STEPS = (1, 2, 3, 5, 10, 20, 40, 80)
DENSITY_STEPS = (0, 2, 4, 6, 8, 10, 12, 14, 16)
"""Lower ends of the rows of the tables."""


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "analyse",
        help="what text blocks tell of their class",
        description="What the text blocks of labelled pages tell of their class, before a model is "
        "trained: information gain of the shallow text features, words and text density by class, "
        "and the lengths of blocks as a mixture of short and long texts (Kohlschuetter et al. "
        "2010). A corpus is JSON lines (docs/evaluation.md). Needs the extra [train].",
    )
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="file or directory")
    parser.add_argument("--plot", type=Path, metavar="DIR", help="folder for pictures of it all")
    parser.add_argument("--limit", type=natural, metavar="N", help="only N pages of each file")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Look and print; 1 if a corpus or a package is missing."""
    from scrapy_boilerplate.extras import MissingExtraError, optional
    from scrapy_boilerplate.training.analysis import analyse_blocks
    from scrapy_boilerplate.training.corpora import CorpusError

    try:
        if options.plot:
            optional("matplotlib", "--plot", "evaluate")
        gold = list(progress_over("reading")(_gold(options)))
        analysis = analyse_blocks(gold, progress_over("analysing"))
        _report(analysis)
        if options.plot:
            from scrapy_boilerplate.training.plots import plot_analysis

            for file in plot_analysis(analysis, options.plot):
                print(f"written: {file}")
    except (CorpusError, MissingExtraError, OSError) as error:
        return complain(error)
    return 0


def _gold(options: argparse.Namespace) -> Iterator[Gold]:
    from scrapy_boilerplate.training.corpora import read_pages
    from scrapy_boilerplate.training.gold import read_gold

    for path in options.corpora:
        yield from map(read_gold, read_pages(path, options.limit))


def _report(analysis: BlockAnalysis) -> None:
    examples = analysis.examples
    print(f"{len(examples):,} blocks with {examples.words.sum():,.0f} words\n")
    rows = [["feature", "information gain, bits", "every value told apart"]]
    rows += [
        [name, f"{gain:.3f}", f"{analysis.naive_gains[name]:.3f}"]
        for name, gain in analysis.gains.items()
    ]
    print_columns(rows)
    words = analysis.column("words").astype(int)
    print_columns(
        _by_label("blocks of words", analysis.count_by_label(words, words=False), WORD_STEPS)
    )
    density = analysis.column("text_density").round().astype(int)
    counts = analysis.count_by_label(density, words=True)
    print_columns(_by_label("words at text density", counts, DENSITY_STEPS))
    print_columns([["lengths of blocks", "part", "mean words", "adjusted R2", "RMSE"],
                   *_fit("one kind of text", analysis.single),
                   *_fit("short and long text", analysis.mixed)])  # fmt: skip


def _by_label(
    name: str, counts: dict[Label, IntArray], steps: Sequence[int]
) -> Iterator[list[str]]:
    """A row for the values from each step to the next, a column for each label."""
    yield [name, *(label.text for label in counts)]
    for first, end in zip(steps, [*steps[1:], None], strict=True):
        told = f"{first} to {end - 1}" if end else f"{first} and more"
        told = str(first) if end == first + 1 else told
        yield [told, *(f"{int(column[first:end].sum()):,}" for column in counts.values())]


def _fit(name: str, fit: GeometricFit) -> Iterator[list[str]]:
    for weight, end in zip(fit.weights, fit.ends, strict=True):
        yield [name, f"{weight:.1%}", f"{1 / end:.2f}", f"{fit.r2:.4f}", f"{fit.rmse:.4f}"]
