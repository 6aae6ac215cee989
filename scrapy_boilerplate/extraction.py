"""From a source to its document: load, segment, label, build.

`extract` processes one page; `SiteExtraction` also uses site knowledge. Whoever needs a page
without a document stops at `load_page`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from scrapy_boilerplate.document import Document, build_document, build_overdue_document
from scrapy_boilerplate.extractors import BALANCED, DEFAULT, get_extractor
from scrapy_boilerplate.page.columns import Elements, Leaves
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.limits import (
    DEPTH,
    MILLISECONDS,
    NO_LIMITS,
    PARSER_DEPTH,
    Clock,
    Limits,
)
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_within
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.site.extractor import SiteExtractor, build_site_extractor
from scrapy_boilerplate.site.page_records import (
    PageRecord,
    Signatures,
    build_page_record,
    compute_signatures,
)
from scrapy_boilerplate.site.sites import Sites
from scrapy_boilerplate.steps.extractor import Extractor

NO_PATHS = (
    "extract() was given a path or an address, and takes it for the text of a page: give its HTML "
    "(Path(path).read_bytes(), or the body of a response)"
)

# characters of a path or an address (our choice)
MAX_PATH = 2_000


def extract(
    source: Any,
    url: str | None = None,
    extractor: str | Extractor = DEFAULT,
    *,
    favor: str = BALANCED,
    limits: Limits = NO_LIMITS,
) -> Document:
    """Return what a web page says, without its boilerplate.

    `source` is HTML (str or bytes, not a path), an lxml tree, a parsel Selector or a response; the
    tree is read, never changed. `url` defaults to the response's. `extractor` is a name of
    EXTRACTORS, the path of a trained model (with a slash in it) or an extractor of your own.
    `favor` selects the body alone (``precision``) or all that may belong to it (``recall``)
    instead of ``balanced``; only named extractors with these variants take it. Past one of the
    `limits`, or of the parser's own, the document is `partial`. Any HTML gives a document; without
    text it is empty.

    Raises UnknownExtractorError for an unknown name and TypeError for another kind of source. Warns
    if the source looks like a path or an address; it does not raise, since a page can be such text.
    """
    if isinstance(source, str) and _is_path(source):
        warnings.warn(NO_PATHS, stacklevel=2)
    chosen = get_extractor(extractor, favor)
    clock = Clock(limits.milliseconds)
    loaded = load_page(source, url, limits, clock)
    if loaded.partial == MILLISECONDS:
        return Document(url=loaded.page.url, extractor=chosen.name, partial=MILLISECONDS)
    page = chosen.segmenter(loaded.page)
    labeling = Labeling.blank(len(page))
    for step in (*chosen.steps, *chosen.finish):
        if clock.is_over:
            break
        labeling = step(page, labeling)
    if clock.is_over:
        return build_overdue_document(page, labeling, extractor=chosen.name)
    confidence = chosen.confidence(page, labeling)
    document = build_document(
        page, labeling, extractor=chosen.name, confidence=confidence, tree=loaded.tree
    )
    return replace(document, partial=loaded.partial)


def _is_path(text: str) -> bool:
    """Whether a text looks like a path or an address, and not like a page."""
    if len(text) > MAX_PATH or "<" in text or len(text.split()) != 1:
        return False
    name = text.strip().lower()
    return name.startswith(("http://", "https://", "/")) or name.endswith((".html", ".htm"))


@dataclass(frozen=True, eq=False)
class LoadedPage:
    """A page that was read, not yet cut into blocks.

    page     empty if the time is over before the tree is read
    tree     the root that was read
    partial  the budget that the page exceeds, or None
    """

    page: Page
    tree: etree._Element
    partial: str | None


def load_page(
    source: Any, url: str | None = None, limits: Limits = NO_LIMITS, clock: Clock | None = None
) -> LoadedPage:
    """Decode, limit, parse and read `source`, which `extract` describes.

    The time in `limits` is ignored; `clock` is used instead: once it is over, no tree is read.
    Raises TypeError for another kind of source.
    """
    url = getattr(source, "url", None) if url is None else url
    tree, partial = parse_within(source, limits)
    if clock is not None and clock.is_over:
        return LoadedPage(Page(Elements(), Leaves(), url=url), tree, MILLISECONDS)
    page = read_tree(tree, url)
    if partial is None and page.elements.depths[-1:] == [PARSER_DEPTH]:
        partial = DEPTH
    return LoadedPage(page, tree, partial)


@dataclass(frozen=True, eq=False)
class ObservedPage:
    """A page that is read for its site, and not yet labelled with site knowledge.

    `partial` is the budget that it exceeds, or None. A page past its time is learned too: site
    knowledge must not depend on the speed of the machine.
    """

    page: Page
    base: Labeling
    signatures: Signatures
    record: PageRecord
    site: str
    tree: etree._Element | None
    partial: str | None = None


class SiteExtraction:
    """Extracts pages with the knowledge of `sites`, in two steps.

    `read_and_learn` learns a page; `build_document` labels it with the knowledge at that time. In
    between, more pages of the site can be read: more pages give better labels (docs/site.md).
    `limits` are the budgets of each page; the time is checked before the site's own steps.
    """

    def __init__(
        self, sites: Sites, steps: tuple[str, ...] = (), limits: Limits = NO_LIMITS
    ) -> None:
        self.sites = sites
        self._steps = steps
        self._limits = limits

    def extract(
        self, source: Any, url: str | None = None, extractor: str | Extractor = DEFAULT
    ) -> Document:
        """Read, learn and label one page with the knowledge so far."""
        return self.build_document(self.read_and_learn(source, url, extractor), extractor)

    def read_and_learn(
        self, source: Any, url: str | None = None, extractor: str | Extractor = DEFAULT
    ) -> ObservedPage:
        """Read and learn one page. Raises as `extract` does, and StoreError of a local store."""
        observed = self.read(source, url, extractor, at=self.sites.next_time())
        if len(observed.page):
            self.sites.add_page(observed.site, observed.record)
        return observed

    def read(
        self,
        source: Any,
        url: str | None = None,
        extractor: str | Extractor = DEFAULT,
        *,
        at: int = 0,
    ) -> ObservedPage:
        """Read one page without learning it; `at` is when it was seen (`PageRecord`)."""
        site_extractor = self.for_extractor(extractor)
        clock = Clock(self._limits.milliseconds)
        loaded = load_page(source, url, self._limits)
        page = site_extractor.extractor.segmenter(loaded.page)
        base, signatures = site_extractor.label_base(page), compute_signatures(page)
        return ObservedPage(
            page=page,
            base=base,
            signatures=signatures,
            record=build_page_record(page, signatures, site_extractor.content(base), at),
            site=self.sites.find_site(page.url),
            tree=loaded.tree,
            partial=MILLISECONDS if clock.is_over else loaded.partial,
        )

    def build_document(
        self, observed: ObservedPage, extractor: str | Extractor = DEFAULT
    ) -> Document:
        """Return the document with the knowledge so far; `extractor` is that of the reading."""
        site_extractor = self.for_extractor(extractor)
        chosen = site_extractor.extractor
        if observed.partial == MILLISECONDS:
            return build_overdue_document(observed.page, observed.base, extractor=chosen.name)
        knowledge = self.sites.knowledge(observed.site)
        view = knowledge.view(observed.record, observed.signatures)
        page = observed.page.with_site_names(knowledge.names)
        labeling = site_extractor.label_with_site(page, observed.base, view)
        confidence = chosen.confidence(page, labeling)
        document = build_document(
            page, labeling, extractor=chosen.name, confidence=confidence, tree=observed.tree
        )
        return replace(document, partial=observed.partial, site_pages=view.pages)

    def known_pages(self, observed: ObservedPage) -> int:
        """Return how many pages of the site vote, this one among them."""
        return self.sites.knowledge(observed.site).voters

    def for_extractor(self, extractor: str | Extractor) -> SiteExtractor:
        """Return the extractor with the steps of the site, or with those that suit it.

        Raises UnknownExtractorError.
        """
        return build_site_extractor(get_extractor(extractor), self._steps, strict=False)
