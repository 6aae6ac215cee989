"""The values of a `zyte_common_items.Article`, under its own names and formats."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.document import Document

if TYPE_CHECKING:
    from zyte_common_items import Article, ArticleMetadata, Image

_is_day = re.compile(r"\d{4}-\d{2}-\d{2}").fullmatch


def build_article_values(document: Document, article: Article) -> dict[str, Any]:
    """Return a dict of field to value, only for values that the document has.

    The formats follow zyte_common_items 0.31. Dates have a time, midnight where the page gives only
    the day; they have an offset only where the page gives one. `datePublished` falls back to
    `dateModified`. `metadata.probability` is the document's `article_probability`. Without a
    probability no metadata is added, because the class sets 1.
    """
    from zyte_common_items import Author  # noqa: PLC0415 - only where an Article has come

    main, images = _build_images(document)
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
        "articleBodyHtml": document.html,
        "canonicalUrl": document.canonical_url,
        "metadata": _build_metadata(document, article),
    }
    return {name: value for name, value in values.items() if value}


def _add_time(date: str | None) -> str | None:
    return f"{date}T00:00:00" if date and _is_day(date) else date


def _build_images(document: Document) -> tuple[Image | None, list[Image]]:
    from zyte_common_items import Image  # noqa: PLC0415

    main = [document.main_image] if document.main_image else []
    shown = (image["url"] for image in document.images or ())
    every = [Image(url) for url in dict.fromkeys([*main, *shown])]
    return (every[0] if main else None), every


def _build_metadata(document: Document, article: Article) -> ArticleMetadata | None:
    from zyte_common_items import ArticleMetadata  # noqa: PLC0415

    probability = document.article_probability
    if article.metadata is None:
        return None if probability is None else ArticleMetadata(probability=probability)
    if article.metadata.probability is None:
        article.metadata.probability = probability
    return None
