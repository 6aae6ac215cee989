"""``python -m benchmarks.learning`` (or ``make learned``): writes docs/learned.md.

Every figure in it is measured in the same run, on one core in well under an hour.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.learning import features, nets, sequences, shallow_2010, speed
from benchmarks.learning.prose import INTRODUCTION
from benchmarks.speed import CORPORA

TARGET = Path(__file__).parents[2] / "docs" / "learned.md"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="benchmarks.learning", description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--limit", type=int, help="pages of each corpus, for a quick look")
    parser.add_argument("--output", type=Path, default=TARGET)
    options = parser.parse_args()
    corpora, limit = options.corpora, options.limit
    parts = [INTRODUCTION]
    sections: dict[str, Callable[[], str]] = {
        "shallow features": partial(shallow_2010.section, corpora, limit),
        "analysis": partial(features.section, corpora, limit),
        "texrex's vectors": partial(nets.vectors, corpora),
        "nets on pages": partial(nets.pages, corpora, limit),
        "sequences": partial(sequences.section, corpora, limit),
        "cost": partial(speed.section, corpora),
        "columns": features.columns,
    }
    for name, section in sections.items():
        print(f"{name} ...", file=sys.stderr)
        parts.append(section())
    options.output.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
