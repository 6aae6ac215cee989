"""``python -m tests.quality.floors CORPORA``: pins the current score of every extractor as its
floor.

It prints what changes: a floor that falls belongs into the commit message, with the reason.
"""

import argparse
import json
from hashlib import sha256
from math import floor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpora import CORPORA, corpus_file
from scrapy_boilerplate import EXTRACTORS
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.evaluation import EvaluationPlan, TextKind, evaluate

FILE = Path(__file__).with_suffix(".json")
# The first pages of each corpus: enough to see a change, and quick.
PAGES = 20
# Other builds of lxml and numpy may differ by as much.
TOLERANCE = 0.0005

Floors = dict[str, Any]


class Pin(NamedTuple):
    """What is pinned on a corpus: the first figure of `metric` on the text `text`."""

    metric: str
    text: TextKind


PINS = {
    "l3s-gn1": Pin("tokens", "own"),
    "cleaneval-final": Pin("tokens", "own"),
    "fundus": Pin("tokens", "final"),
    "article-extraction": Pin("shingles", "final"),
    "trafilatura": Pin("segments", "final"),
}


def digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def measure(corpora: Path, corpus: str) -> dict[str, float]:
    pin = PINS[corpus]
    plan = EvaluationPlan(extractors=tuple(EXTRACTORS), metrics=(pin.metric,), text=pin.text)
    evaluation = evaluate(read_pages(corpus_file(corpora, corpus), PAGES), plan)
    return {score.extractor: score.figures[score.main] for score in evaluation.scores(pin.metric)}


def read_floors() -> Floors:
    floors: Floors = json.loads(FILE.read_text(encoding="utf-8"))
    return floors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, nargs="?", default=CORPORA, help="%(default)s")
    corpora = parser.parse_args().corpora
    before, after = read_floors(), {}
    for corpus, pin in PINS.items():
        floors = {
            name: floor(value * 1000) / 1000 for name, value in measure(corpora, corpus).items()
        }
        after[corpus] = {
            "sha256": digest(corpus_file(corpora, corpus)),
            "pages": PAGES,
            "metric": pin.metric,
            "text": pin.text,
            "floors": dict(sorted(floors.items())),
        }
        for name, value in floors.items():
            old = before.get(corpus, {}).get("floors", {}).get(name)
            if value != old:
                print(f"{corpus}: {name} {old} -> {value}")
    FILE.write_text(json.dumps(after, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
