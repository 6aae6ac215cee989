"""Extractors with site knowledge: which steps use it, and where they are inserted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from lxml import etree

from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.page.limits import NO_CLOCK
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.correction import NAME, SiteCorrection
from scrapy_boilerplate.site.knowledge import SiteView
from scrapy_boilerplate.site.page_records import PageRecord, build_page_record, compute_signatures
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.site.rules import SiteRule
from scrapy_boilerplate.site.steps import GoldMiner, SiteStyleTree, SiteTextFrequency
from scrapy_boilerplate.steps.extractor import Extractor, LearnedStep, Step, run_steps
from scrapy_boilerplate.steps.model_store import load_shipped

MODELS = Path(__file__).parent / "models"

SiteStep = Callable[[SiteView, Sequence[Step]], Step]

# Name to a function that makes the step, from the view of the site and the extractor's steps.
SITE_STEPS: Mapping[str, SiteStep] = {
    "site-correction": lambda view, _: SiteCorrection(
        view=view, load_model=partial(load_shipped, MODELS / NAME)
    ),
    "site-frequency": lambda view, steps: SiteTextFrequency(view=view, extractor_steps=steps),
    "site-style-tree": lambda view, _: SiteStyleTree(view=view),
    "goldminer": lambda view, _: GoldMiner(view=view),
}

LEARNED_STEPS = ("site-correction",)
RULE_STEPS = ("site-style-tree", "site-frequency")
JUSTEXT_STEPS = ("goldminer", "site-style-tree")


@dataclass(frozen=True, eq=False)
class SiteExtractor:
    """An extractor in two halves, with the steps that read site knowledge between them.

    `label_base` labels a page without site knowledge. The page record is built from its result, so
    knowledge does not depend on earlier knowledge. `list_later_steps` are the remaining steps.
    """

    extractor: Extractor
    steps: tuple[str, ...]

    @property
    def n_base_steps(self) -> int:
        """Number of steps of the extractor before the site steps."""
        steps = self.extractor.steps
        scorers = _find_scorers(self.extractor)
        return scorers[-1] + 1 if scorers and self.steps == LEARNED_STEPS else len(steps)

    def label_base(self, page: Page) -> Labeling:
        """Return the labeling that depends only on the page."""
        steps = self.extractor.steps[: self.n_base_steps]
        return run_steps(steps, page, Labeling.blank(len(page)))

    def content(self, base: Labeling) -> FloatArray:
        """Return float[n]: how likely each block of a base labeling is content."""
        if self.n_base_steps < len(self.extractor.steps):
            return base.scores[:, Label.FULL_TEXT]
        return base.content.astype(float)

    def list_later_steps(self, view: SiteView) -> tuple[Step, ...]:
        """Return the steps after `label_base`: the steps of the site, and the rest."""
        own_steps, start = self.extractor.steps, self.n_base_steps
        site_steps = [SITE_STEPS[name](view, own_steps) for name in self.steps if view.pages]
        return (*site_steps, *own_steps[start:], *self.extractor.finish)


def _find_scorers(extractor: Extractor) -> list[int]:
    """Return the indices of the learned steps that score the blocks and decide nothing."""
    return [
        number
        for number, step in enumerate(extractor.steps)
        if isinstance(step, LearnedStep) and not step.decides
    ]


def build_site_extractor(
    extractor: Extractor, steps: tuple[str, ...] = (), *, strict: bool = True
) -> SiteExtractor:
    """Return `extractor` with the named site steps, or with its default ones.

    Raises ValueError for steps that do not suit `extractor`. Without `strict`, the default steps
    are used instead, for extractors that a request or a rule selects.
    """
    learned = bool(_find_scorers(extractor))
    rule_steps = JUSTEXT_STEPS if extractor.name == "justext" else RULE_STEPS
    default = LEARNED_STEPS if learned else rule_steps
    suitable = [name for name in SITE_STEPS if (name in LEARNED_STEPS) == learned]
    unsuitable = [name for name in steps if name not in suitable]
    if unsuitable and strict:
        raise ValueError(
            f"the step {unsuitable[0]!r} does not suit the extractor {extractor.name!r}; "
            f"write True, or a list of: {', '.join(suitable)}"
        )
    return SiteExtractor(extractor, default if unsuitable or not steps else steps)


@dataclass(eq=False)
class SiteVisit:
    """The part of site knowledge in the extraction of one page.

    sites       the knowledge
    steps       names of SITE_STEPS; () for the default steps of the extractor
    learns      whether the page is added to the knowledge
    record      the record of the page; None before `begin`
    site_pages  how many other pages of the site were known
    """

    sites: SiteRegistry
    steps: tuple[str, ...] = ()
    learns: bool = True
    record: PageRecord | None = field(default=None, init=False)
    site_pages: int | None = field(default=None, init=False)

    def begin(
        self, page: Page, tree: etree._Element, extractor: Extractor, rule: SiteRule | None
    ) -> tuple[Labeling, tuple[Step, ...]]:
        """Return the labels without site knowledge, and the steps that are left.

        The page is learned, unless it is empty. Raises StoreError of a local store.
        """
        chosen = build_site_extractor(extractor, self.steps, strict=False)
        base, signatures = chosen.label_base(page), compute_signatures(page)
        ruled = base if rule is None else rule.relabel(page, tree, base, NO_CLOCK)
        self.record = build_page_record(page, signatures, chosen.content(ruled))
        if self.learns and len(page):
            self.sites.add_page(page.url, self.record)
        knowledge = self.sites.knowledge(self.sites.find_site(page.url))
        view = knowledge.view(self.record, signatures)
        self.site_pages = view.pages
        return base, chosen.list_later_steps(view)
