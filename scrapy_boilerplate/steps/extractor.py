"""Steps and extractors: a segmenter and a table of named steps, from a page to a labeling."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, runtime_checkable

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.model_store import ModelLoader, StoredModel, return_model
from scrapy_boilerplate.steps.named_containers import LabelsByContainer
from scrapy_boilerplate.steps.pickling import PickledFields
from scrapy_boilerplate.steps.titles import HeadlineByTitle

# Cuts the leaves of a page into other text blocks; never drops or reorders a leaf.
Segmenter = Callable[[Page], Page]


class Step(Protocol):
    """Relabels blocks. A step is pure, and works on pages with 0, 1 or 2 blocks, too."""

    @property
    def name(self) -> str:
        """The name shown in traces, and stored as the decider of a block's label."""

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Return a labeling of the same blocks."""


# What counts as text: a mix of the conventions of the corpora, only the body, or everything that
# may belong to it.
FAVORS = ("balanced", "precision", "recall")


@runtime_checkable
class FavoringStep(Step, Protocol):
    """A step that supports FAVORS."""

    def with_favor(self, favor: str) -> Step:
        """Return the step with one of FAVORS."""


@dataclass(frozen=True, kw_only=True)
class LearnedStep(PickledFields):
    """A step that reads a stored model; `load_model` is called when the first page comes."""

    load_model: ModelLoader


def run_steps(
    steps: Iterable[Callable[[Page, Labeling], Labeling]], page: Page, labeling: Labeling
) -> Labeling:
    """Return the labeling after `steps`, in order."""
    for step in steps:
        labeling = step(page, labeling)
    return labeling


class Confidence(Protocol):
    """The confidence of an extractor in its labeling of a page."""

    def __call__(self, page: Page, labeling: Labeling) -> float:
        """Return 0 (no text, or surely wrong) to 1."""


@dataclass(frozen=True, kw_only=True)
class Extractor:
    """A named method that separates the main content of a page from the rest.

    `steps` are the steps of the paper `source`. `finish` sets the labels beside full text and
    boilerplate: FINISH, unless the steps do it themselves. `summary` is one line on when to use it.
    `uses_site` is whether steps that read the other pages of a site can follow.
    """

    name: str
    summary: str
    source: str
    segmenter: Segmenter
    steps: tuple[Step, ...]
    finish: tuple[Step, ...]
    confidence: Confidence
    uses_site: bool = True

    def label(self, page: Page) -> Labeling:
        """Return the final labeling of a segmented page."""
        return run_steps(self.finish, page, self.decide_content(page))

    def decide_content(self, page: Page) -> Labeling:
        """Return the labeling after the extractor's own steps; papers report figures for it."""
        return run_steps(self.steps, page, Labeling.blank(len(page)))


# The shared last steps: the labels beside full text and boilerplate.
FINISH: tuple[Step, ...] = (HeadlineByTitle(), LabelsByContainer())

# Content words below which page-mean F1 falls steeply; above, their number has no effect (our
# sweep, docs/provenance.md).
SURE_WORDS = 100
# Logistic fit of 4-word-shingle F1 of `container` on coverage (our sweep, docs/provenance.md;
# Spearman .44).
COVERAGE_WEIGHT, COVERAGE_OFFSET = 4.5, -0.85


def compute_coverage_confidence(page: Page, labeling: Labeling) -> float:
    """Return the expected F1 of the content, 0 to 1, by the share of unlinked text that it covers.

    On a page with much other running text, a rule may have chosen the wrong part. The curve is
    fitted for `container`, is a rough guide for other rules, and means nothing for
    `keep-everything`.
    """
    content = labeling.content
    words = int(page.words[content].sum())
    if not words:
        return 0.0
    coverage = words / max(words, int((page.words - page.link_words).sum()))
    likely = 1 / (1 + math.exp(-(COVERAGE_WEIGHT * coverage + COVERAGE_OFFSET)))
    return min(1.0, words / SURE_WORDS) * likely


def build_extractor(
    name: str,
    source: str,
    summary: str,
    *steps: Step,
    segmenter: Segmenter = AtomicBlocks(),  # noqa: B008 - a frozen value
    finish: tuple[Step, ...] = FINISH,
) -> Extractor:
    """Return an extractor of `steps`, in the order they run; its confidence is the coverage."""
    return Extractor(
        name=name,
        source=source,
        summary=summary,
        segmenter=segmenter,
        steps=steps,
        finish=finish,
        confidence=compute_coverage_confidence,
    )


def build_trained(
    shipped: Extractor, read: Callable[[StoredModel], object], model: StoredModel
) -> Extractor:
    """Return the extractor `shipped` with `model` in its learned steps.

    `read` is called first and raises ModelError for a model that does not fit.
    """
    read(model)
    load = partial(return_model, model)  # unlike a lambda, it can be pickled
    steps = tuple(
        replace(step, load_model=load) if isinstance(step, LearnedStep) else step
        for step in shipped.steps
    )
    return replace(shipped, steps=steps)
