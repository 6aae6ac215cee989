"""``python -m benchmarks.learning`` (or ``make learned``): measures the learned systems.

Figures that the papers have too go to data/learned.csv, which ``make tables`` reads; the section
shallow also has a table in docs/learned.md. With ``--section``, only this section is measured. The
sections shallow and sequences take about 15 minutes on a busy machine (2026-11-22; needs the extra
[train]).
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tqdm import tqdm

from benchmarks.corpora import CORPORA, create_parser
from benchmarks.learning import Section, nets, sequences, shallow
from benchmarks.markdown import DOCS, update_page
from benchmarks.systems import update_learned

TARGET = DOCS / "learned.md"


def main() -> None:
    parser = create_parser(__doc__, output=TARGET)
    sections = get_sections(CORPORA, None)
    parser.add_argument("--section", action="append", choices=tuple(sections), help="only this one")
    options = parser.parse_args()
    sections = get_sections(options.corpora, options.pages)
    bar = tqdm(options.section or sections, unit="section")
    for name in bar:
        bar.set_postfix_str(name)
        section = sections[name]()
        if section.text:
            update_page(TARGET, options.output, {name: section.text})
        if options.output == TARGET and options.pages is None:
            update_learned(section.learned)


def get_sections(corpora: Path, limit: int | None) -> Mapping[str, Callable[[], Section]]:
    """Return block name -> the function that measures it."""
    return {
        "shallow": partial(shallow.measure, corpora, limit),
        "vectors": partial(nets.measure, corpora),
        "sequences": partial(sequences.measure, corpora, limit),
    }


if __name__ == "__main__":
    main()
