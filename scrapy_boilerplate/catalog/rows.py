"""What the rows of the catalog share."""

from __future__ import annotations

from scrapy_boilerplate.extractor import Extractor, Segmenter, Step
from scrapy_boilerplate.rules.confidence import coverage_confidence
from scrapy_boilerplate.rules.other_labels import HeadlineByTitle, LabelsByContainer
from scrapy_boilerplate.segment.atomic import AtomicBlocks

FINISH: tuple[Step, ...] = (
    HeadlineByTitle(),
    LabelsByContainer(),
)
"""The shared last steps: the labels beside full text and boilerplate."""


def by_steps(
    name: str,
    source: str,
    summary: str,
    *steps: Step,
    segmenter: Segmenter = AtomicBlocks(),  # noqa: B008 - a frozen value
    finish: tuple[Step, ...] = FINISH,
) -> Extractor:
    """A row: an extractor of `steps`, in the order they run."""
    return Extractor(
        name=name,
        source=source,
        summary=summary,
        segmenter=segmenter,
        steps=steps,
        finish=finish,
        confidence=coverage_confidence,
    )


by_rules = by_steps
"""A row without learnt weights."""
