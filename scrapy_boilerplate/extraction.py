"""From a source to its document: load, segment, label, build.

`extract` processes one page; `SiteExtraction` also uses site knowledge. Each stage is a function,
for callers that need a page without its document.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_boilerplate.document import Document, build_document, build_overdue_document
from scrapy_boilerplate.extractors import BALANCED, DEFAULT, Options, get_extractor
from scrapy_boilerplate.page.columns import Elements, Leaves
from scrapy_boilerplate.page.labels import OVERRIDE, REMOVED, Labeling
from scrapy_boilerplate.page.limits import (
    DEPTH,
    MILLISECONDS,
    NO_CLOCK,
    NO_LIMITS,
    PARSER_DEPTH,
    Clock,
    Limits,
    OutOfTimeError,
)
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_source
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.site.overrides import NO_RULES, SiteRules
from scrapy_boilerplate.steps.extractor import Extractor, Override

if TYPE_CHECKING:
    from scrapy_boilerplate.site.extractor import SiteExtractor
    from scrapy_boilerplate.site.page_records import PageRecord, Signatures
    from scrapy_boilerplate.site.registry import SiteRegistry

PATH_WARNING = (
    "extract() got a path or a URL, and reads it as the text of a page. Pass the HTML instead "
    "(Path(path).read_bytes(), or the body of a response)"
)

StepObserver = Callable[[str, Labeling], None]
"""Called with the name of a step and the labeling after it."""

# characters
MAX_PATH = 2_000


def extract(  # noqa: PLR0913
    source: Any,
    url: str | None = None,
    extractor: str | Extractor = DEFAULT,
    *,
    favor: str = BALANCED,
    limits: Limits = NO_LIMITS,
    sites: SiteRules = NO_RULES,
) -> Document:
    """Return the main content and the metadata of a web page.

    `source` is HTML (str or bytes, not a path), an lxml tree, a parsel Selector or a response; the
    tree is not changed. `url` defaults to the URL of the response. `extractor` is a name of
    EXTRACTORS, the path of a trained model (with a slash in it) or your own `Extractor`. `favor` is
    ``balanced``, ``precision`` (only the body) or ``recall`` (also lists and closing lines); your
    own extractor ignores it. Beyond one of the `limits`, or a limit of the parser, the document is
    `partial`. Any HTML gives a document; without text it is empty. `sites` are rules for sites,
    from ``SiteRules.load("sites.toml")``; their extractor and favor override the arguments.

    Raises UnknownExtractorError for an unknown name or favor, and TypeError for any other source.
    Warns if the source looks like a path or a URL.
    """
    if isinstance(source, str) and _is_path(source):
        warnings.warn(PATH_WARNING, stacklevel=2)
    url = getattr(source, "url", None) if url is None else url
    options = Options(extractor=extractor, favor=favor, limits=limits, sites=sites)
    return extract_page(source, url, options.for_page(url))


def extract_page(source: Any, url: str | None, options: Options) -> Document:
    """Return the document of a page by the options of this page. Raises as `extract` does."""
    extractor, clock = options.build_extractor(), Clock(options.limits.milliseconds)
    loaded = load_page(source, url, options.limits, clock)
    if loaded.partial == MILLISECONDS:
        return build_labelled_document(loaded, Labeling.blank(len(loaded.page)), extractor)
    return build_labelled_document(*label_page(loaded, extractor), extractor)


def _is_path(text: str) -> bool:
    """Return whether a text looks like a path or a URL, and not like a page."""
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
    """Decode, limit, parse and read `source`, which `extract` describes.

    The page has no blocks yet. `clock` replaces the time in `limits`: once it is over, the tree is
    not read. Raises TypeError for any other source.
    """
    url = getattr(source, "url", None) if url is None else url
    tree, partial = parse_source(source, limits)
    if clock.is_over:
        return LoadedPage(Page(Elements(), Leaves(), url=url), tree, MILLISECONDS, clock)
    page = read_tree(tree, url)
    if partial is None and page.elements.depths[-1:] == [PARSER_DEPTH]:
        partial = DEPTH
    return LoadedPage(page, tree, partial, clock)


def label_page(
    loaded: LoadedPage, extractor: Extractor, observe: StepObserver | None = None
) -> tuple[LoadedPage, Labeling]:
    """Return the page in the text blocks of `extractor`, and their labels.

    `observe` is called after every step. Once the clock of the page is over, no step runs, and the
    page is `partial`.
    """
    page, clock = extractor.segmenter(loaded.page), loaded.clock
    labeling = Labeling.blank(len(page))
    for step in (*extractor.steps, *extractor.finish):
        if clock.is_over:
            break
        labeling = step(page, labeling)
        if observe is not None:
            observe(step.name, labeling)
    segmented, labeling = _apply_override(replace(loaded, page=page), labeling, extractor)
    if extractor.override is not None and observe is not None:
        observe(OVERRIDE, labeling)
    return segmented, labeling


def _apply_override(
    segmented: LoadedPage, labeling: Labeling, extractor: Extractor
) -> tuple[LoadedPage, Labeling]:
    """Return the page, `partial` if its time is over, and the labels after the site's rule."""
    page, tree, clock = segmented.page, segmented.tree, segmented.clock
    if extractor.override is not None:
        with suppress(OutOfTimeError):
            labeling = extractor.override.relabel(page, tree, labeling, clock)
    partial = MILLISECONDS if clock.is_over else segmented.partial
    return replace(segmented, partial=partial), labeling


def build_labelled_document(
    segmented: LoadedPage, labeling: Labeling, extractor: Extractor, site_pages: int | None = None
) -> Document:
    """Return the document of a page that `extractor` labelled.

    If the page exceeded its time, it has text and no metadata. Otherwise LAZY_FIELDS use the time
    that is left. `site_pages` is as in `Document`.
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
        document = _add_override_values(extractor.override, segmented, labeling, document)
    clock.pause()
    return document


def _add_override_values(
    override: Override, segmented: LoadedPage, labeling: Labeling, document: Document
) -> Document:
    """Return the document with the values that the rule of the site finds, and their evidence."""
    try:
        values = override.read_metadata(segmented.page, segmented.tree, segmented.clock)
    except OutOfTimeError:
        return replace(document, partial=MILLISECONDS)
    has_matched = {
        "content": labeling.marked(OVERRIDE).any(),
        "remove": labeling.marked(REMOVED).any(),
        "headline": "headline" in values,
        "authors": "authors" in values,
        "date": "date_published" in values,
    }
    names = [
        *values,
        *(["date"] if has_matched["date"] else []),
        *(["text"] if has_matched["content"] else []),
    ]
    evidence = {**document.evidence, **dict.fromkeys(names, OVERRIDE)}
    matches = tuple(key for key, is_matched in has_matched.items() if is_matched)
    return replace(document, **values, evidence=evidence, rule_matches=matches)


@dataclass(frozen=True, eq=False)
class ObservedPage:
    """A page that is learned for its site, and not yet labelled with site knowledge.

    `segmented` is the page in the blocks of its extractor, `base` their labels without site
    knowledge. A page that exceeded its time is learned too, so that site knowledge does not depend
    on the speed of the machine.
    """

    extractor: SiteExtractor
    segmented: LoadedPage
    base: Labeling
    signatures: Signatures
    record: PageRecord


class SiteExtraction:
    """Extracts pages with the knowledge of `sites`, in two steps.

    `read_and_learn` learns a page; `build_document` labels it with the knowledge at that time. In
    between, more pages of the site can be read: more pages give better labels (docs/usage/site.md).
    `limits` are the budgets of each page; the time is checked before the site's own steps. `steps`
    are names of SITE_STEPS; () for the default steps of the extractor.
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
        return self.build_document(self.read_and_learn(source, url, extractor))

    def read_and_learn(
        self, source: Any, url: str | None = None, extractor: str | Extractor = DEFAULT
    ) -> ObservedPage:
        """Read and learn one page. Raises as `extract` does, and StoreError of a local store."""
        observed = self.read(source, url, extractor)
        if len(observed.segmented.page):
            self.sites.add_page(observed.segmented.page.url, observed.record)
        return observed

    def read(
        self, source: Any, url: str | None = None, extractor: str | Extractor = DEFAULT
    ) -> ObservedPage:
        """Read one page without learning it. Raises as `extract` does."""
        # site knowledge takes a fifth of the imports of `extract`, which does not need it
        from scrapy_boilerplate.site.extractor import build_site_extractor  # noqa: PLC0415
        from scrapy_boilerplate.site.page_records import (  # noqa: PLC0415
            build_page_record,
            compute_signatures,
        )

        chosen = build_site_extractor(get_extractor(extractor), self.steps, strict=False)
        clock = Clock(self._limits.milliseconds)
        loaded = load_page(source, url, self._limits)
        page = chosen.extractor.segmenter(loaded.page)
        base, signatures = chosen.label_base(page), compute_signatures(page)
        override = chosen.extractor.override
        content = chosen.content(
            base if override is None else override.relabel(page, loaded.tree, base, NO_CLOCK)
        )
        record = build_page_record(page, signatures, content)
        partial = MILLISECONDS if clock.is_over else loaded.partial
        segmented = LoadedPage(page, loaded.tree, partial, clock)
        clock.pause()
        return ObservedPage(chosen, segmented, base, signatures, record)

    def build_document(self, observed: ObservedPage) -> Document:
        """Return the document of a page with the knowledge so far."""
        segmented, chosen = observed.segmented, observed.extractor
        knowledge = self.sites.knowledge(self.sites.find_site(segmented.page.url))
        view = knowledge.view(observed.record, observed.signatures)
        segmented.clock.resume()
        if segmented.partial == MILLISECONDS:
            return build_labelled_document(segmented, observed.base, chosen.extractor)
        labeling = chosen.label_with_site(segmented.page, observed.base, view)
        segmented, labeling = _apply_override(segmented, labeling, chosen.extractor)
        return build_labelled_document(segmented, labeling, chosen.extractor, view.pages)
