"""Extraction that learns: pages add to what is known of their site, and are labelled by it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from scrapy_boilerplate.document import Document, build_document, late_document
from scrapy_boilerplate.extraction import limited_tree
from scrapy_boilerplate.extractors import DEFAULT, extractor_named
from scrapy_boilerplate.page.cutting import cut_by_parser
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.limits import DEPTH, MILLISECONDS, NO_LIMITS, Clock, Limits
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.site.extractor import SiteExtractor, fitting_site_extractor
from scrapy_boilerplate.site.observation import PageRecord, record_of
from scrapy_boilerplate.site.signatures import Signatures, signatures_of
from scrapy_boilerplate.site.sites import Sites
from scrapy_boilerplate.site.view import view_of
from scrapy_boilerplate.steps.extractor import Extractor


@dataclass(frozen=True, eq=False)
class ReadPage:
    """A page that was read and learnt, and is not yet labelled with what is known.

    `partial` is the budget that it went over, or None. A page past its time is learnt all the same:
    what is learnt must not depend on the machine.
    """

    page: Page
    base: Labeling
    signatures: Signatures
    record: PageRecord
    site: str
    tree: etree._Element | None
    partial: str | None = None


class SiteExtraction:
    """Reads pages with one extractor over the knowledge of `sites`, in two steps.

    `read` learns a page; `finish` labels it by what is known then. In between more pages of the
    site can be read: the more are known, the better (docs/site.md). `limits` are the budgets of
    each page; the time is looked at before the site's own steps.
    """

    def __init__(
        self, sites: Sites, steps: tuple[str, ...] = (), limits: Limits = NO_LIMITS
    ) -> None:
        self.sites = sites
        self._steps = steps
        self._limits = limits

    def read(
        self, source: Any, url: str | None = None, extractor: str | Extractor = DEFAULT
    ) -> ReadPage:
        """Read and learn one page. Raises as `extract` does, and StoreError of a local store."""
        read = self.observed(source, url, extractor, at=self.sites.tick())
        if len(read.page):
            self.sites.learn(read.site, read.record)
        return read

    def observed(
        self,
        source: Any,
        url: str | None = None,
        extractor: str | Extractor = DEFAULT,
        *,
        at: int = 0,
    ) -> ReadPage:
        """Read one page and learn nothing; `at` is when it was seen (`PageRecord`)."""
        of, clock = self.for_extractor(extractor), Clock(self._limits.milliseconds)
        root, partial = limited_tree(source, self._limits)
        address = getattr(source, "url", None) if url is None else url
        page = of.extractor.segmenter(read_page(root, address))
        base, signatures = of.base(page), signatures_of(page)
        record = record_of(page, signatures, of.content(base), at)
        if partial is None and cut_by_parser(page):
            partial = DEPTH
        if clock.is_over:
            partial = MILLISECONDS
        site = self.sites.site_of(address)
        return ReadPage(page, base, signatures, record, site, root, partial)

    def finish(self, read: ReadPage, extractor: str | Extractor = DEFAULT) -> Document:
        """The document, by what is known now; `extractor` is the one that read the page."""
        of = self.for_extractor(extractor)
        if read.partial == MILLISECONDS:
            return late_document(read.page, read.base, extractor=of.extractor.name)
        knowledge = self.sites.knowledge(read.site)
        view = view_of(knowledge, read.record, read.signatures)
        page = read.page.with_site_names(knowledge.names)
        labeling = of.finished(page, read.base, view)
        document = build_document(
            page,
            labeling,
            extractor=of.extractor.name,
            confidence=of.extractor.confidence(page, labeling),
            tree=read.tree,
        )
        return replace(document, site_pages=view.pages, partial=read.partial)

    def extract(
        self, source: Any, url: str | None = None, extractor: str | Extractor = DEFAULT
    ) -> Document:
        """Read, learn and label one page by what is known so far."""
        return self.finish(self.read(source, url, extractor), extractor)

    def known_pages(self, read: ReadPage) -> int:
        """Pages of the site that vote, this one among them."""
        return self.sites.knowledge(read.site).voters

    def for_extractor(self, extractor: str | Extractor) -> SiteExtractor:
        """The extractor with the steps of the site; with those that suit it where the steps that
        were asked for belong to others. Raises UnknownExtractorError."""
        chosen = extractor if isinstance(extractor, Extractor) else extractor_named(extractor)
        return fitting_site_extractor(chosen, self._steps)
