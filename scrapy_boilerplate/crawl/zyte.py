"""The values of a `zyte_common_items.Article`, under its own names and formats."""

from __future__ import annotations

import logging
import re
import sys
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extras import MissingExtraError
from scrapy_boilerplate.markup.clean_html import find_image_urls

if TYPE_CHECKING:
    from zyte_common_items import Article, ArticleMetadata, Image

logger = logging.getLogger(__name__)

_is_day = re.compile(r"\d{4}-\d{2}-\d{2}").fullmatch


def is_zyte_article(item: Any) -> bool:
    """Return whether `item` is an `Article` or of a subclass of it.

    False if zyte_common_items is not imported yet; the check does not import it.
    """
    package = sys.modules.get("zyte_common_items")
    article = getattr(package, "Article", None)
    return article is not None and isinstance(item, article)


class ZyteArticles:
    """The values of `Article` fields; logs once if a package for `articleBodyHtml` is missing."""

    def __init__(self) -> None:
        self._logged = False

    def build_values(self, document: Document, article: Article) -> dict[str, Any]:
        """Return a dict of field to value, only for values that the document has.

        The formats follow zyte_common_items 0.31. Dates have a time, midnight where the page
        gives only the day; they have an offset only where the page gives one. `datePublished`
        falls back to `dateModified`. `metadata.probability` is the document's
        `article_probability`. Without a probability no metadata is added, because the class sets 1.
        """
        from zyte_common_items import Author  # noqa: PLC0415 - only where an Article has come

        html = self._find_html(document)
        main, images = _build_images(document, html)
        modified = _add_time(document.date_modified)
        values = {
            "headline": document.headline,
            "datePublished": _add_time(document.date_published) or modified,
            "dateModified": modified,
            "authors": [Author(name=name) for name in document.authors],
            "inLanguage": document.language,
            "mainImage": main,
            "images": images,
            "description": document.description,
            "articleBody": document.text,
            "articleBodyHtml": html,
            "canonicalUrl": document.canonical_url,
            "metadata": _build_metadata(document, article),
        }
        return {name: value for name, value in values.items() if value}

    def _find_html(self, document: Document) -> str | None:
        try:
            return document.html
        except MissingExtraError as error:
            if not self._logged:
                logger.warning("Articles have no articleBodyHtml: %s", error)
            self._logged = True
            return None


def _add_time(date: str | None) -> str | None:
    return f"{date}T00:00:00" if date and _is_day(date) else date


def _build_images(document: Document, html: str | None) -> tuple[Image | None, list[Image]]:
    """Return the main image, and the list of it and the images of the text, each once."""
    from zyte_common_items import Image  # noqa: PLC0415

    main = [document.main_image] if document.main_image else []
    every = [Image(url) for url in dict.fromkeys([*main, *find_image_urls(html or "")])]
    return (every[0] if main else None), every


def _build_metadata(document: Document, article: Article) -> ArticleMetadata | None:
    """Return metadata if the item has no metadata; otherwise add the missing probability."""
    from zyte_common_items import ArticleMetadata  # noqa: PLC0415

    probability = document.article_probability
    if article.metadata is None:
        return None if probability is None else ArticleMetadata(probability=probability)
    if article.metadata.probability is None:
        article.metadata.probability = probability
    return None
