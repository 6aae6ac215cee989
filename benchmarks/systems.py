"""The systems of the papers: published figures, and what we run for them.

data/published.csv has the systems without learned weights: `figures` are the figures of `metric`
that `paper` gives in its order, in percent; `why` explains the difference to ours, where it is
more than a few points.
data/learned.csv has the systems that learn: `paper` and `ours` are figures by `measure`; `ours` and
`other`, which ``{other}`` in `why` stands for, are written by ``make learned``.
data/tree_filter.csv has Tables 1 and 2 of Viveros-Jimenez et al. 2018: P/R/F by depth.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from scrapy_boilerplate.extractors import (
    EXTRACTORS,
    MODEL_KINDS,
    MODULES,
    UnknownExtractorError,
    get_extractor,
)
from scrapy_boilerplate.steps.extractor import Extractor, Step
from scrapy_boilerplate.steps.shallow_rules import NumberOfWordsRules
from scrapy_boilerplate.systems.common.density_rules import DENSITY_RULES

DATA = Path(__file__).parent / "data"

KOHLSCHUETTER = "Kohlschuetter 2010"
L3S, CLEANEVAL, ARTICLES = "l3s-gn1", "cleaneval-final", "article-extraction"
P_R_F = ("precision", "recall", "f1")

# the reason of a row whose paper asked a trained model
NOT_THE_RULE = "a trained model there, its rule without training here"

_LEARNED_MODULES = {MODULES[kind] for kind in MODEL_KINDS}

# extractors without learned weights. The others have seen these corpora: they are scored by folds
# of sites, in docs/learned.md and docs/folds.md
CLASSICAL = tuple(name for name, module in MODULES.items() if module not in _LEARNED_MODULES)

DEPTHS = tuple(range(1, 6))
PAPER_DEPTH = 2  # the depth that the paper chooses, by its Table 2
TREE_FILTER_BASES = ("num-words", "boilerpipe-article")
JUSTEXT = "justext"


@dataclass(frozen=True, kw_only=True)
class PublishedRow:
    """A published figure (or none) of a system without learned weights."""

    system: str
    extractor: str
    source: str
    corpus: str
    metric: str = "tokens"
    figures: tuple[str, ...] = ("f1", "median")
    paper: tuple[float, ...] = ()
    why: str = ""

    @property
    def title(self) -> str:
        """What the figures of its table are: the paper, the corpus, the metric."""
        return f"{self.source}: {self.corpus}, {self.metric} ({', '.join(self.figures)})"


@dataclass(frozen=True, kw_only=True)
class LearnedRow:
    """A published figure of a system that learns, and ours."""

    key: str
    system: str
    source: str
    corpus: str
    measure: str
    paper: str
    ours: str
    other: str
    why: str

    @property
    def cells(self) -> list[str]:
        """The row of the table."""
        why = self.why.format(other=self.other)
        known = [self.system, self.source, self.corpus, self.measure, self.paper]
        return [*known, self.ours, why]


class MissingSystemError(LookupError):
    """A row needs an extractor that the catalog does not have; the message names it."""


def read_csv(name: str) -> list[dict[str, str]]:
    """Return the rows of a file of data/."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_published() -> list[PublishedRow]:
    """Return the rows of data/published.csv."""
    rows = []
    for row in read_csv("published"):
        figures = tuple(row.pop("figures").split())
        paper = tuple(map(float, row.pop("paper").split()))
        rows.append(PublishedRow(**row, figures=figures, paper=paper))
    return rows


def read_learned() -> dict[str, LearnedRow]:
    """Return the rows of data/learned.csv by key."""
    return {row["key"]: LearnedRow(**row) for row in read_csv("learned")}


def update_learned(measured: Mapping[str, tuple[str, str]]) -> None:
    """Write (ours, other) of these keys into data/learned.csv."""
    rows = read_learned()
    for key, (ours, other) in measured.items():
        rows[key] = replace(rows[key], ours=ours, other=other)
    with (DATA / "learned.csv").open("w", encoding="utf-8", newline="") as file:
        names = [field.name for field in fields(LearnedRow)]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows.values())


def check_catalog() -> None:
    """Raise MissingSystemError, naming what is missing, if a row has no extractor."""
    missing = []
    for name in dict.fromkeys(row.extractor for row in read_published()):
        try:
            find_extractor(name)
        except MissingSystemError:
            missing.append(name)
    if missing:
        raise MissingSystemError(f"the catalog has no extractor called {', '.join(missing)}")


def find_extractor(name: str) -> Extractor:
    """Return the extractor of a row: of the catalog, or a chain of 2010 over the density rules."""
    base = name.removeprefix("density-")
    if name not in EXTRACTORS and base in ("largest-content", "main-content"):
        steps = tuple(_use_density(step) for step in EXTRACTORS[base].steps)
        return replace(EXTRACTORS[base], name=name, steps=steps)
    try:
        return get_extractor(name)
    except UnknownExtractorError as error:
        raise MissingSystemError(f"the catalog has no extractor called {name}") from error


def _use_density(step: Step) -> Step:
    return DENSITY_RULES if isinstance(step, NumberOfWordsRules) else step


def filtered_name(base: str, depth: int) -> str:
    """Return the name of an extractor with the tree filter over it."""
    return f"{base}+grandparent-{depth}"


def tree_filter_names() -> list[str]:
    """Return the bases of the tree filter, and each with every depth."""
    filtered = [filtered_name(base, depth) for base in TREE_FILTER_BASES for depth in DEPTHS]
    return [*TREE_FILTER_BASES, *filtered]
