"""Published figures of the systems of the literature, and their measured figures.

data/published.csv has the systems without learned weights. `paper` has the published values of the
figures `figures` of `metric`, in percent. `why` explains a large difference to the measured F1.

data/learned.csv has the systems that learn, with figures by `measure`: of the `paper`, and two that
``make learned`` writes. `why` contains ``{other}``, the second of them.
"""

import csv
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.steps.extractor import LearnedStep

DATA = Path(__file__).parent / "data"

L3S, CLEANEVAL = "l3s-gn1", "cleaneval-final"

# extractors without learned weights. The others have seen these corpora: they are scored by folds
# of sites, in docs/learned.md and docs/folds.md
CLASSICAL = tuple(
    name
    for name, extractor in EXTRACTORS.items()
    if not any(isinstance(step, LearnedStep) for step in extractor.steps)
)


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
        return f"{self.source}: {self.corpus}, {self.metric} ({', '.join(self.figures)})"


@dataclass(frozen=True, kw_only=True)
class LearnedRow:
    """A published figure of a system that learns, and the measured one."""

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
        why = self.why.format(other=self.other)
        known = [self.system, self.source, self.corpus, self.measure, self.paper]
        return [*known, self.ours, why]


def read_csv(name: str) -> list[dict[str, str]]:
    """Return the rows of a file of data/."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_published() -> list[PublishedRow]:
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
    rows = read_learned()
    for key, (ours, other) in measured.items():
        rows[key] = replace(rows[key], ours=ours, other=other)
    with (DATA / "learned.csv").open("w", encoding="utf-8", newline="") as file:
        names = [field.name for field in fields(LearnedRow)]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows.values())
