"""The one call behind every face: HTML in, document out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from lxml import etree

from scrapy_boilerplate.document import Document, build_document, late_document
from scrapy_boilerplate.extractors import BALANCED, DEFAULT, extractor_named
from scrapy_boilerplate.page.cutting import (
    before_endless_tag,
    beginning,
    cut_by_parser,
    first_elements,
)
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.limits import (
    BYTES,
    DEPTH,
    ELEMENTS,
    MILLISECONDS,
    NO_LIMITS,
    Clock,
    Limits,
)
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.steps.extractor import Extractor


def extract(
    source: Any,
    url: str | None = None,
    extractor: str | Extractor = DEFAULT,
    *,
    favor: str = BALANCED,
    limits: Limits = NO_LIMITS,
) -> Document:
    """What a web page says, without its boilerplate.

    `source` is HTML (str or bytes, not a path), an lxml tree, a parsel Selector or a response; the
    tree is read, never changed. `url` defaults to the response's. `extractor` is a name of the
    catalog, the path of a trained model (with a slash in it) or an extractor of your own. `favor`
    asks one that can choose, by name, for the body alone (``precision``) or for all that may belong
    (``recall``) instead of ``balanced``. Past one of the `limits`, or of the
    parser's own, the document is `partial`. Any
    HTML gives a document, an empty one without any text.
    Raises UnknownExtractorError for an unknown name and TypeError for another kind of source; warns
    of a text that looks like a path or an address, for a page can hold such a line.
    """
    if isinstance(source, str) and _names_a_page(source):
        warnings.warn(NO_PATHS, stacklevel=2)
    chosen = extractor if isinstance(extractor, Extractor) else extractor_named(extractor, favor)
    clock = Clock(limits.milliseconds)
    url = _address(source, url)
    root, cut = limited_tree(source, limits)
    if clock.is_over:
        return Document(url=url, extractor=chosen.name, partial=MILLISECONDS)
    page = chosen.segmenter(read_page(root, url))
    labeling, late = _labelled(page, chosen, clock)
    if late:
        return late_document(page, labeling, extractor=chosen.name)
    confidence = chosen.confidence(page, labeling)
    document = build_document(
        page, labeling, extractor=chosen.name, confidence=confidence, tree=root
    )
    cut = cut or (DEPTH if cut_by_parser(page) else None)
    return replace(document, partial=cut) if cut else document


NO_PATHS = (
    "extract() was given a path or an address, and takes it for the text of a page: give its HTML "
    "(Path(path).read_bytes(), or the body of a response)"
)
MOST_OF_A_NAME = 2_000
"""Characters of a path or an address (our choice)."""


def _names_a_page(text: str) -> bool:
    """Whether a text looks like a path or an address, and like nothing else."""
    if len(text) > MOST_OF_A_NAME or "<" in text or len(text.split()) != 1:
        return False
    name = text.strip().lower()
    return name.startswith(("http://", "https://", "/")) or name.endswith((".html", ".htm"))


def limited_tree(source: Any, limits: Limits) -> tuple[etree._Element, str | None]:
    """The root of what may be read of `source`, and the budget that the page is over, or None."""
    read = beginning(source, limits.bytes)
    fit = before_endless_tag(read)
    whole = tree_of(fit)
    root = first_elements(whole, limits.elements)
    if root is not whole or fit is not read:
        return root, ELEMENTS
    return root, None if read is source else BYTES


def _labelled(page: Page, extractor: Extractor, clock: Clock) -> tuple[Labeling, bool]:
    """The labeling as far as the time reached, and whether that was too short."""
    labeling = Labeling.blank(len(page))
    if clock.is_over:
        return labeling, True
    for _, labeling in extractor.trace(page):
        if clock.is_over:
            return labeling, True
    return labeling, False


def _address(source: Any, url: str | None) -> str | None:
    return getattr(source, "url", None) if url is None else url
