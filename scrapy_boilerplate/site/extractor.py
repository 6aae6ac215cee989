"""Extractors with what is known of a site: which steps read it, and where they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.news.model import NewsModel
from scrapy_boilerplate.page.labels import FloatArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.correction import NAME, SiteCorrection
from scrapy_boilerplate.site.frequency import SiteFrequency
from scrapy_boilerplate.site.goldminer import GoldMiner
from scrapy_boilerplate.site.style_tree import SiteStyleTree
from scrapy_boilerplate.site.view import SiteView
from scrapy_boilerplate.steps.extractor import Extractor, Step
from scrapy_boilerplate.steps.model_store import shipped

MODELS = Path(__file__).parent / "models"
"""The stored models of this folder."""

SiteStep = Callable[[SiteView, Sequence[Step]], Step]


def _correction(view: SiteView, own: Sequence[Step]) -> Step:  # noqa: ARG001 - as the others
    return SiteCorrection(view=view, stored=partial(shipped, MODELS / NAME))


SITE_STEPS: Mapping[str, SiteStep] = MappingProxyType(
    {
        "site-correction": _correction,
        "site-frequency": lambda view, own: SiteFrequency(view=view, again=own),
        "site-style-tree": lambda view, _: SiteStyleTree(view=view),
        "goldminer": lambda view, _: GoldMiner(view=view),
    }
)
"""Name to step over what is known of a site, beside the extractor's own steps."""

LEARNED = ("site-correction",)
RULES = ("site-style-tree", "site-frequency")
MINED = ("goldminer", "site-style-tree")


@dataclass(frozen=True, eq=False)
class SiteExtractor:
    """An extractor in two halves, with the steps that read site knowledge between them.

    `base` labels a page without any: what it says is learnt, so that what is known does not depend
    on what was known before. `finished` goes on from there.
    """

    extractor: Extractor
    steps: tuple[str, ...]

    @property
    def _first(self) -> int:
        """How many steps of the extractor come before those of the site."""
        all_steps = self.extractor.steps
        scored = [n for n, step in enumerate(all_steps) if isinstance(step, NewsModel)]
        return scored[-1] + 1 if scored and self.steps == LEARNED else len(all_steps)

    def base(self, page: Page) -> Labeling:
        """The labeling that depends on the page alone."""
        return _run(self.extractor.steps[: self._first], page, Labeling.blank(len(page)))

    def content(self, labeling: Labeling) -> FloatArray:
        """float[n]: how likely each block of a `base` is content."""
        if self._first < len(self.extractor.steps):
            return labeling.scores[:, Label.FULL_TEXT]
        return labeling.content.astype(float)

    def finished(self, page: Page, base: Labeling, view: SiteView) -> Labeling:
        """The final labeling, with what is known."""
        own = self.extractor.steps
        known = [SITE_STEPS[name](view, own) for name in self.steps] if view.pages else []
        rest = (*known, *self.extractor.steps[self._first :], *self.extractor.finish)
        return _run(rest, page, base)

    def favoring(self, extractor: Extractor) -> SiteExtractor:
        """The same steps over another extractor."""
        return replace(self, extractor=extractor)


def fitting_site_extractor(extractor: Extractor, steps: tuple[str, ...] = ()) -> SiteExtractor:
    """`extractor` with the named steps; with those that suit it where they belong to others. For
    extractors that are named page by page."""
    try:
        return site_extractor(extractor, steps)
    except ValueError:
        return site_extractor(extractor)


def site_extractor(extractor: Extractor, steps: tuple[str, ...] = ()) -> SiteExtractor:
    """`extractor` with the named steps, or those that suit it. Raises ValueError for others."""
    for name in steps:
        if name not in SITE_STEPS:
            raise ValueError(
                f"no site step is called {name!r}; write one of: {', '.join(SITE_STEPS)}"
            )
    learned = any(isinstance(step, NewsModel) for step in extractor.steps)
    if "site-correction" in steps and not (learned and steps == LEARNED):
        raise ValueError("'site-correction' stands alone, and belongs to 'news' and models like it")
    return SiteExtractor(extractor, steps or _suited(extractor, learned=learned))


def _suited(extractor: Extractor, *, learned: bool) -> tuple[str, ...]:
    if learned:
        return LEARNED
    return MINED if extractor.name == "justext" else RULES


def _run(steps: tuple[Step, ...], page: Page, labeling: Labeling) -> Labeling:
    for step in steps:
        labeling = step(page, labeling)
    return labeling
