"""Extraction that learns: pages add to what is known of their site, and are labelled by it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from scrapy_boilerplate.catalog import DEFAULT, extractor_named
from scrapy_boilerplate.catalog.site import SiteExtractor, site_extractor
from scrapy_boilerplate.document import Document, build_document
from scrapy_boilerplate.extraction import segmented_page
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.label import Labeling
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.segment.parse import tree_of
from scrapy_boilerplate.site.observation import PageRecord, record_of
from scrapy_boilerplate.site.signatures import Signatures, signatures_of
from scrapy_boilerplate.site.sites import Sites
from scrapy_boilerplate.site.view import view_of


@dataclass(frozen=True, eq=False)
class ReadPage:
    """A page that was read and learnt, and is not yet labelled with what is known."""

    page: Page
    base: Labeling
    signatures: Signatures
    record: PageRecord
    site: str
    tree: etree._Element | None


class SiteExtraction:
    """Reads pages with one extractor over the knowledge of `sites`, in two steps.

    `read` learns a page; `finish` labels it by what is known then. In between more pages of the
    site can be read: the more are known, the better (docs/site.md).
    """

    def __init__(self, sites: Sites, steps: tuple[str, ...] = ()) -> None:
        self.sites = sites
        self._steps = steps

    def read(
        self, source: Any, url: str | None = None, extractor: str | Extractor = DEFAULT
    ) -> ReadPage:
        """Read and learn one page. Raises as `extract` does, and StoreError of a local store."""
        of = self.for_extractor(extractor)
        root = tree_of(source)
        address = getattr(source, "url", None) if url is None else url
        page = segmented_page(root, address, of.extractor)
        base, signatures = of.base(page), signatures_of(page)
        record = record_of(page, signatures, of.content(base), self.sites.tick())
        site = self.sites.site_of(address)
        if len(page):
            self.sites.learn(site, record)
        return ReadPage(page, base, signatures, record, site, root)

    def finish(self, read: ReadPage, extractor: str | Extractor = DEFAULT) -> Document:
        """The document, by what is known now; `extractor` is the one that read the page."""
        of = self.for_extractor(extractor)
        knowledge = self.sites.knowledge(read.site)
        view = view_of(knowledge, read.record, read.signatures)
        page = replace(read.page, site_names=knowledge.names)
        labeling = of.finished(page, read.base, view)
        document = build_document(
            page,
            labeling,
            extractor=of.extractor.name,
            confidence=of.extractor.confidence(page, labeling),
            tree=read.tree,
        )
        return replace(document, site_pages=view.pages)

    def extract(
        self, source: Any, url: str | None = None, extractor: str | Extractor = DEFAULT
    ) -> Document:
        """Read, learn and label one page by what is known so far."""
        return self.finish(self.read(source, url, extractor), extractor)

    def known_pages(self, read: ReadPage) -> int:
        """Pages of the site that vote, this one among them."""
        return self.sites.knowledge(read.site).voters

    def for_extractor(self, extractor: str | Extractor) -> SiteExtractor:
        """The extractor with the steps of the site. Raises UnknownExtractorError, ValueError."""
        chosen = extractor if isinstance(extractor, Extractor) else extractor_named(extractor)
        return site_extractor(chosen, self._steps)
