"""The one call behind every face: HTML in, document out."""

from __future__ import annotations

from typing import Any

from scrapy_boilerplate.catalog import BALANCED, DEFAULT, extractor_named
from scrapy_boilerplate.document import Document, build_document
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.segment.parse import tree_of
from scrapy_boilerplate.segment.read import read_page


def extract(
    source: Any,
    url: str | None = None,
    extractor: str | Extractor = DEFAULT,
    *,
    favor: str = BALANCED,
) -> Document:
    """What a web page says, without its boilerplate.

    `source` is HTML (str or bytes, not a path), an lxml tree, a parsel Selector or a response; the
    tree is read, never changed. `url` defaults to the response's. `extractor` is a name of the
    catalog, the path of a trained model (with a slash in it) or an extractor of your own. `favor`
    asks one that can choose, by name, for the body alone (``precision``) or for all that may belong
    (``recall``) instead of ``balanced``. Any HTML gives a document, an empty one without any text.
    Raises UnknownExtractorError for an unknown name and TypeError for another kind of source.
    """
    chosen = extractor if isinstance(extractor, Extractor) else extractor_named(extractor, favor)
    root = tree_of(source)
    page = chosen.segmenter(read_page(root, _address(source, url)))
    labeling = chosen.label(page)
    return build_document(
        page,
        labeling,
        extractor=chosen.name,
        confidence=chosen.confidence(page, labeling),
        tree=root,
    )


def segmented_page(source: Any, url: str | None, extractor: Extractor) -> Page:
    """The page of `source` in the extractor's text blocks, not yet labelled."""
    return extractor.segmenter(read_page(tree_of(source), _address(source, url)))


def _address(source: Any, url: str | None) -> str | None:
    return getattr(source, "url", None) if url is None else url
