"""``scrapy-boilerplate analyse``: statistics of the text blocks of labelled pages, by class."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.options import Commands, add_limit, create_progress_bar, print_table

if TYPE_CHECKING:
    from scrapy_boilerplate.page.labels import IntArray, Label
    from scrapy_boilerplate.training.analysis import BlockAnalysis, GeometricFit

# Lower ends of the rows of the tables.
WORD_STEPS = (1, 2, 3, 5, 10, 20, 40, 80)
DENSITY_STEPS = (0, 2, 4, 6, 8, 10, 12, 14, 16)


def add_to(commands: Commands) -> None:
    parser = commands.add_parser(
        "analyse",
        help="print statistics of labelled text blocks",
        description="Print the information gain of the shallow text features, words and text "
        "density by class, and the lengths of blocks as a mixture of short and long texts "
        "(Kohlschuetter et al. 2010). A corpus is JSON lines as for evaluate. Needs the extra "
        "[evaluate].",
    )
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="file or folder")
    parser.add_argument("--plot", type=Path, metavar="DIR", help="folder for plots")
    add_limit(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from scrapy_boilerplate import import_optional
    from scrapy_boilerplate.training.analysis import analyse_blocks
    from scrapy_boilerplate.training.corpora import read_pages
    from scrapy_boilerplate.training.gold import read_gold

    import_optional("scipy", "analyse", "evaluate")
    if options.plot:
        import_optional("matplotlib", "--plot", "evaluate")
    pages = (page for path in options.corpora for page in read_pages(path, options.limit))
    gold = list(create_progress_bar("reading")(map(read_gold, pages)))
    analysis = analyse_blocks(gold, create_progress_bar("analysing"))
    _print_analysis(analysis)
    if options.plot:
        from scrapy_boilerplate.training.plots import plot_analysis

        for file in plot_analysis(analysis, options.plot):
            print(f"wrote {file}")
    return 0


def _print_analysis(analysis: BlockAnalysis) -> None:
    examples = analysis.examples
    print(f"{len(examples):,} blocks with {examples.words.sum():,.0f} words\n")
    rows = [["feature", "information gain, bits"]]
    rows += [[name, f"{gain:.3f}"] for name, gain in analysis.gains.items()]
    print_table(rows)
    words = analysis.column("words").astype(int)
    print_table(
        _create_label_rows(
            "blocks of words", analysis.count_by_label(words, words=False), WORD_STEPS
        )
    )
    density = analysis.column("text_density").round().astype(int)
    counts = analysis.count_by_label(density, words=True)
    print_table(_create_label_rows("words at text density", counts, DENSITY_STEPS))
    print_table([["lengths of blocks", "part", "mean words", "adjusted R2", "RMSE"],
                   *_create_fit_rows("one kind of text", analysis.single),
                   *_create_fit_rows("short and long text", analysis.mixed)])  # fmt: skip


def _create_label_rows(
    title: str, counts: dict[Label, IntArray], steps: Sequence[int]
) -> Iterator[list[str]]:
    """Yield a row for the values from each step to the next, a column for each label."""
    yield [title, *(label.text for label in counts)]
    for first, end in zip(steps, [*steps[1:], None], strict=True):
        values = f"{first} to {end - 1}" if end else f"{first} and more"
        values = str(first) if end == first + 1 else values
        yield [values, *(f"{int(column[first:end].sum()):,}" for column in counts.values())]


def _create_fit_rows(name: str, fit: GeometricFit) -> Iterator[list[str]]:
    for weight, end in zip(fit.weights, fit.ends, strict=True):
        yield [name, f"{weight:.1%}", f"{1 / end:.2f}", f"{fit.r2:.4f}", f"{fit.rmse:.4f}"]
