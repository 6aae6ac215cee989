"""The part of the other pages of a site in the extraction of one page."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.page_records import SiteView, build_page_record, compute_signatures
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.steps.extractor import Extractor, Step, run_steps

# From the view of a site to the steps that read it
SiteSteps = Callable[[SiteView], Sequence[Step]]


class SiteVisit:
    """A step for one page: learn the page, and run the steps that read the view of its site.

    The record of the page depends on the labels before, so knowledge does not depend on earlier
    knowledge. The step raises StoreError of a local store.

    sites       the knowledge
    build_steps the steps
    learns      whether the page is added to the knowledge, unless it is empty
    site_pages  how many other pages of the site were known; None before the step
    """

    name = "site"

    def __init__(self, sites: SiteRegistry, build_steps: SiteSteps, *, learns: bool = True) -> None:
        self.site_pages: int | None = None
        self._sites = sites
        self._build_steps = build_steps
        self._learns = learns

    def insert_into(self, extractor: Extractor) -> Extractor:
        return replace(extractor, steps=(*extractor.steps, self))

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        signatures = compute_signatures(page)
        record = build_page_record(page, signatures, labeling)
        if self._learns and len(page):
            self._sites.add_page(page.url, record)
        knowledge = self._sites.knowledge(self._sites.find_site(page.url))
        view = knowledge.view(record, signatures)
        self.site_pages = view.pages
        return run_steps(self._build_steps(view) if view.pages else (), page, labeling)
