"""``python -m benchmarks.learning`` (or ``make learned``): writes docs/learned.md.

Every figure is measured, section by section; with ``--section`` only those are measured anew
and the others stay as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from benchmarks.learning import features, nets, sequences, shallow_2010, speed
from benchmarks.learning.prose import INTRODUCTION
from benchmarks.speed import CORPORA

TARGET = Path(__file__).parents[2] / "docs" / "learned.md"
HEADING = "## "


def main() -> None:
    """Measure and write, after each section."""
    parser = argparse.ArgumentParser(prog="benchmarks.learning", description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--limit", type=int, help="pages of each corpus, for a quick look")
    parser.add_argument("--output", type=Path, default=TARGET)
    sections = _sections(Path(), None)
    parser.add_argument("--section", action="append", choices=tuple(sections), help="only this one")
    options = parser.parse_args()
    sections = _sections(options.corpora, options.limit)
    told = _read(options.output) if options.section else {}
    for name in options.section or sections:
        print(f"{name} ...", file=sys.stderr)
        text = sections[name]()
        told[name] = text[text.index(HEADING) :]
        ordered = [told[one] for one in sections if one in told]
        options.output.write_text("\n\n".join([INTRODUCTION, *ordered]) + "\n", encoding="utf-8")


def _sections(corpora: Path, limit: int | None) -> Mapping[str, Callable[[], str]]:
    """The heading of each section, and what measures it."""
    return {
        shallow_2010.HEADING: partial(shallow_2010.section, corpora, limit),
        features.HEADING: partial(features.section, corpora, limit),
        nets.VECTORS_HEADING: partial(nets.vectors, corpora),
        nets.PAGES_HEADING: partial(nets.pages, corpora, limit),
        sequences.HEADING: partial(sequences.section, corpora, limit),
        speed.HEADING: partial(speed.section, corpora),
        features.COLUMNS_HEADING: features.columns,
    }


def _read(file: Path) -> dict[str, str]:
    """The sections of the page as it is, by heading."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    parts = f"\n{text}".split(f"\n{HEADING}")[1:]
    return {part.partition("\n")[0]: f"{HEADING}{part.strip()}" for part in parts}


if __name__ == "__main__":
    main()
