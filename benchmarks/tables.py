"""``python -m benchmarks.tables`` (or ``make tables``): writes docs/systems.md.

Every figure in it is measured in the same run, on the text that an extractor's own steps decide
(``--text own``), which the papers' figures are about.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from benchmarks import retrieval, systems
from benchmarks.differences import differences
from benchmarks.laboratory import Laboratory
from benchmarks.overview import overview
from benchmarks.published import published
from benchmarks.speed import CORPORA
from benchmarks.tree_filter import tree_filter

TARGET = Path(__file__).parents[1] / "docs" / "systems.md"
SECTIONS = (published, differences, tree_filter, overview)


def main() -> None:
    """Measure and write; a sentence if the catalog lacks an extractor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=int, help="pages of each corpus, for a quick look")
    parser.add_argument("--output", type=Path, default=TARGET)
    options = parser.parse_args()
    try:
        systems.check_catalog()
    except systems.MissingSystemError as error:
        sys.exit(f"benchmarks.tables: {error}")
    laboratory = Laboratory(options.corpora, options.jobs, options.limit)
    parts = [section(laboratory) for section in SECTIONS]
    parts.append(retrieval.section(options.corpora, options.jobs, options.limit))
    options.output.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
