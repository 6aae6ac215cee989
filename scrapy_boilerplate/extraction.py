"""From a source to its document: load, segment, label, build.

`extract` processes one page; `SiteExtraction` also uses site knowledge. The stages in between are
functions of their own, for whoever needs a page without its document.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from scrapy_boilerplate.document import Document, build_document, build_overdue_document
from scrapy_boilerplate.extractors import (
    BALANCED,
    DEFAULT,
    UnknownExtractorError,
    get_extractor,
)
from scrapy_boilerplate.page.columns import Elements, Leaves
from scrapy_boilerplate.page.labels import OVERRIDE, Labeling
from scrapy_boilerplate.page.limits import (
    DEPTH,
    MILLISECONDS,
    NO_CLOCK,
    NO_LIMITS,
    PARSER_DEPTH,
    Clock,
    Limits,
)
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_within
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.site.extractor import SiteExtractor, build_site_extractor
from scrapy_boilerplate.site.knowledge import SiteView
from scrapy_boilerplate.site.overrides import (
    NO_RULES,
    OverrideError,
    RuleSource,
    SiteRule,
    SiteRules,
)
from scrapy_boilerplate.site.page_records import (
    PageRecord,
    Signatures,
    build_page_record,
    compute_signatures,
)
from scrapy_boilerplate.site.registry import SiteRegistry
from scrapy_boilerplate.steps.extractor import Extractor, Override

PATH_WARNING = (
    "extract() was given a path or an address, and takes it for the text of a page: give its HTML "
    "(Path(path).read_bytes(), or the body of a response)"
)

StepObserver = Callable[[str, Labeling], None]
"""Takes the name of a step, and the labeling after it."""

# characters of a path or an address (our choice)
MAX_PATH = 2_000


def extract(  # noqa: PLR0913 - each is one of the settings of a crawl
    source: Any,
    url: str | None = None,
    extractor: str | Extractor = DEFAULT,
    *,
    favor: str = BALANCED,
    limits: Limits = NO_LIMITS,
    sites: SiteRules = NO_RULES,
) -> Document:
    """Return what a web page says, without its boilerplate.

    `source` is HTML (str or bytes, not a path), an lxml tree, a parsel Selector or a response; the
    tree is read, never changed. `url` defaults to the response's. `extractor` is a name of
    EXTRACTORS, the path of a trained model (with a slash in it) or an extractor of your own.
    `favor` selects the body alone (``precision``) or all that may belong to it (``recall``)
    instead of ``balanced``; only named extractors with these variants take it, your own ignores it.
    Past one of the `limits`, or of the parser's own, the document is `partial`. Any HTML gives a
    document; without text it is empty. `sites` are rules for some addresses, as of
    ``SiteRules.load("sites.toml")``; their extractor and favor count before the arguments.

    Raises UnknownExtractorError for an unknown name and TypeError for another kind of source. Warns
    if the source looks like a path or an address; it does not raise, since a page can be such text.
    """
    if isinstance(source, str) and _is_path(source):
        warnings.warn(PATH_WARNING, stacklevel=2)
    rule = sites.find(getattr(source, "url", None) if url is None else url)
    chosen, clock = choose_extractor(extractor, favor, rule), Clock(limits.milliseconds)
    loaded = load_page(source, url, limits, clock)
    if loaded.partial == MILLISECONDS:
        return build_labelled_document(loaded, Labeling.blank(len(loaded.page)), chosen)
    return build_labelled_document(*label_page(loaded, chosen), chosen)


def choose_extractor(
    extractor: str | Extractor, favor: str = BALANCED, rule: SiteRule | None = None
) -> Extractor:
    """Return an extractor with the rule of a site. Raises UnknownExtractorError."""
    if rule is None:
        return get_extractor(extractor, favor)
    if rule.extractor is not None:
        extractor, favor = rule.extractor, BALANCED
    chosen = get_extractor(extractor, rule.favor or favor)
    return replace(chosen, override=rule) if rule.has_selectors else chosen


def check_extractor(rule: SiteRule, source: RuleSource) -> None:
    """Raise OverrideError for a rule with an extractor or favor that is none."""
    if rule.extractor is None and rule.favor is None:
        return
    try:
        get_extractor(rule.extractor or DEFAULT, rule.favor or BALANCED)
    except UnknownExtractorError as error:
        key = "favor" if rule.extractor is None else "extractor"
        raise OverrideError(f"{source.locate(rule.pattern, key)}: {error}") from None


def _is_path(text: str) -> bool:
    """Whether a text looks like a path or an address, and not like a page."""
    if len(text) > MAX_PATH or "<" in text or len(text.split()) != 1:
        return False
    name = text.strip().lower()
    return name.startswith(("http://", "https://", "/")) or name.endswith((".html", ".htm"))


@dataclass(frozen=True, eq=False)
class LoadedPage:
    """A page that was read, cut into text blocks or not yet.

    page     empty if the time is over before the tree is read
    tree     the root that was read
    partial  the budget that the page exceeds, or None
    clock    the time of the page
    """

    page: Page
    tree: etree._Element
    partial: str | None
    clock: Clock = NO_CLOCK


def load_page(
    source: Any, url: str | None = None, limits: Limits = NO_LIMITS, clock: Clock = NO_CLOCK
) -> LoadedPage:
    """Decode, limit, parse and read `source`, which `extract` describes, without cutting it.

    Scrapy has decoded a response.

    The time in `limits` is ignored; `clock` is used instead: once it is over, no tree is read.
    Raises TypeError for another kind of source.
    """
    url = getattr(source, "url", None) if url is None else url
    tree, partial = parse_within(source, limits)
    if clock.is_over:
        return LoadedPage(Page(Elements(), Leaves(), url=url), tree, MILLISECONDS, clock)
    page = read_tree(tree, url)
    if partial is None and page.elements.depths[-1:] == [PARSER_DEPTH]:
        partial = DEPTH
    return LoadedPage(page, tree, partial, clock)


def label_page(
    loaded: LoadedPage, extractor: Extractor, observe: StepObserver | None = None
) -> tuple[LoadedPage, Labeling]:
    """Return a page cut into the text blocks of `extractor`, and their labels.

    `observe` is called after every step. Once the page's clock is over, no step runs, and the page
    is `partial`.
    """
    page, clock = extractor.segmenter(loaded.page), loaded.clock
    labeling = Labeling.blank(len(page))
    for step in (*extractor.steps, *extractor.finish):
        if clock.is_over:
            break
        labeling = step(page, labeling)
        if observe is not None:
            observe(step.name, labeling)
    if extractor.override is not None:
        labeling = extractor.override.relabel(page, loaded.tree, labeling)
        if observe is not None:
            observe(OVERRIDE, labeling)
    partial = MILLISECONDS if clock.is_over else loaded.partial
    return LoadedPage(page, loaded.tree, partial, clock), labeling


def build_labelled_document(
    segmented: LoadedPage, labeling: Labeling, extractor: Extractor, site_pages: int | None = None
) -> Document:
    """Return the document of a page that `extractor` labelled.

    Past its time it has text and no metadata. Else what is left of it is for `LAZY_FIELDS`.
    `site_pages` is as in `Document`.
    """
    page, clock = segmented.page, segmented.clock
    if segmented.partial == MILLISECONDS:
        document = build_overdue_document(page, labeling, extractor=extractor.name)
        clock.pause()
        return replace(document, clock=clock)
    confidence = extractor.confidence(page, labeling)
    document = build_document(
        page,
        labeling,
        extractor=extractor.name,
        confidence=confidence,
        tree=segmented.tree,
        partial=segmented.partial,
        site_pages=site_pages,
        clock=clock,
    )
    if extractor.override is not None:
        document = _apply_override(extractor.override, segmented, labeling, document)
    clock.pause()
    return document


def _apply_override(
    override: Override, segmented: LoadedPage, labeling: Labeling, document: Document
) -> Document:
    """Return the document with the fields that the rule of the site tells, and their evidence."""
    values = override.read_metadata(segmented.page, segmented.tree)
    names = [*values, *(["date"] if "date_published" in values else [])]
    names += ["text"] if labeling.marked(OVERRIDE).any() else []
    evidence = {**document.evidence, **dict.fromkeys(names, OVERRIDE)}
    return replace(document, **values, evidence=evidence)


@dataclass(frozen=True, eq=False)
class ObservedPage:
    """A page that is read for its site, and not yet labelled with site knowledge.

    `segmented` is the page in the blocks of its extractor, `base` their labels by the page alone. A
    page past its time is learned too: site knowledge must not depend on the speed of the machine.
    """

    segmented: LoadedPage
    base: Labeling
    signatures: Signatures
    record: PageRecord


def observe_page(
    source: Any, url: str | None, extractor: SiteExtractor, limits: Limits = NO_LIMITS
) -> ObservedPage:
    """Read a page for its site; `source` is as in `extract`.

    Raises TypeError for another kind of source.
    """
    clock = Clock(limits.milliseconds)
    loaded = load_page(source, url, limits)
    page = extractor.extractor.segmenter(loaded.page)
    base, signatures = extractor.label_base(page), compute_signatures(page)
    override = extractor.extractor.override
    content = extractor.content(
        base if override is None else override.relabel(page, loaded.tree, base)
    )
    record = build_page_record(page, signatures, content, at=0)  # set by who learns it
    partial = MILLISECONDS if clock.is_over else loaded.partial
    segmented = LoadedPage(page, loaded.tree, partial, clock)
    clock.pause()
    return ObservedPage(segmented, base, signatures, record)


def build_site_document(
    observed: ObservedPage, extractor: SiteExtractor, view: SiteView, names: tuple[str, ...]
) -> Document:
    """Return the document of a page by the `view` of its site and the `names` in its titles."""
    segmented, chosen = observed.segmented, extractor.extractor
    segmented.clock.resume()
    if segmented.partial == MILLISECONDS:
        return build_labelled_document(segmented, observed.base, chosen)
    page = segmented.page.with_site_names(names)
    labeling = extractor.label_with_site(page, observed.base, view)
    if chosen.override is not None:
        labeling = chosen.override.relabel(page, segmented.tree, labeling)
    return build_labelled_document(replace(segmented, page=page), labeling, chosen, view.pages)


class SiteExtraction:
    """Extracts pages with the knowledge of `sites`, in two steps.

    `read_and_learn` learns a page; `build_document` labels it with the knowledge at that time. In
    between, more pages of the site can be read: more pages give better labels (docs/site.md).
    `limits` are the budgets of each page; the time is checked before the site's own steps. Pages
    that other processes read are learned by `learn`, and `view` is what these need to label them.
    `steps` are names of SITE_STEPS; () for those that suit the extractor.
    """

    def __init__(
        self, sites: SiteRegistry, steps: tuple[str, ...] = (), limits: Limits = NO_LIMITS
    ) -> None:
        self.sites = sites
        self.steps = steps
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
        observed = self.read(source, url, extractor)
        if len(observed.segmented.page):
            self.learn(observed.segmented.page.url, observed.record)
        return observed

    def read(
        self, source: Any, url: str | None = None, extractor: str | Extractor = DEFAULT
    ) -> ObservedPage:
        """Read one page without learning it."""
        return observe_page(source, url, self.for_extractor(extractor), self._limits)

    def learn(self, url: str | None, record: PageRecord) -> None:
        """Add a page to the knowledge of its site. Raises StoreError of a local store."""
        self.sites.add_page(self.sites.find_site(url), replace(record, at=self.sites.next_time()))

    def view(
        self, url: str | None, record: PageRecord, signatures: Signatures
    ) -> tuple[SiteView, tuple[str, ...]]:
        """Return the view of a site from one of its pages, and the names in the site's titles."""
        knowledge = self.sites.knowledge(self.sites.find_site(url))
        return knowledge.view(record, signatures), knowledge.names

    def build_document(
        self, observed: ObservedPage, extractor: str | Extractor = DEFAULT
    ) -> Document:
        """Return the document with the knowledge so far; `extractor` is that of the reading."""
        view, names = self.view(observed.segmented.page.url, observed.record, observed.signatures)
        return build_site_document(observed, self.for_extractor(extractor), view, names)

    def known_pages(self, url: str | None) -> int:
        """Return how many pages of the site of `url` vote."""
        return self.sites.knowledge(self.sites.find_site(url)).voters

    def for_extractor(self, extractor: str | Extractor) -> SiteExtractor:
        """Return the extractor with the steps of the site, or with those that suit it.

        Raises UnknownExtractorError.
        """
        return build_site_extractor(get_extractor(extractor), self.steps, strict=False)
