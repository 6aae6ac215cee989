"""A document as a plain record: what `extract --format json` prints and `batch` writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the command line takes the names without what makes documents
    from scrapy_boilerplate.document import Document

MARKUP = ("html", "markdown")
"""Fields on request, which need the extra [html]."""
FIELDS = (
    *("url", "text", "headline", "description", "date_published", "date_modified", "authors"),
    *("language", "main_image", "site_name", "section", "tags", "canonical_url"),
    *("is_accessible_for_free", "article_type", "evidence", "comments", "supplemental", "related"),
    *("article_probability", "confidence", "extractor", "partial"),
    *("site_pages", "fingerprint", "simhash"),
)
"""The fields of a record, as items have them."""


def record_of(document: Document, added: Iterable[str] = ()) -> dict[str, Any]:
    """FIELDS, those of MARKUP that are `added`, and `blocks`; for JSON."""
    values = {name: getattr(document, name) for name in (*FIELDS, *added)}
    plain = {n: dict(v) if isinstance(v, Mapping) else v for n, v in values.items()}
    return {**plain, "blocks": [block.as_dict() for block in document.blocks]}
