"""The metadata fields of a document: `Metadata`, with one property for each field."""

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from scrapy_boilerplate.metadata.authors import find_authors
from scrapy_boilerplate.metadata.dates import find_date_modified, find_date_published
from scrapy_boilerplate.metadata.declared_fields import (
    CANONICAL_URL,
    find_article_type,
    find_description,
    find_image,
    find_is_accessible_for_free,
    find_site_name,
    find_url,
)
from scrapy_boilerplate.metadata.headline import find_headline, find_kicker
from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.metadata.topics import find_section, find_tags
from scrapy_boilerplate.page.text import compose

T = TypeVar("T", str, bool, tuple[str, ...])

# Returns (value, source as in `evidence`), or None if no source has a value.
Finder = Callable[[MetadataSources], tuple[T, str] | None]


class Metadata:
    """The metadata of a page, which `items.ArticleItem` describes, computed on first use.

    A field without a source is None, or an empty tuple.
    """

    def find_metadata(self, name: str, find: Finder[T]) -> T | None:
        """Return the value of a field, and keep its source."""
        raise NotImplementedError

    @cached_property
    def headline(self) -> str | None:
        return self.find_metadata("headline", find_headline)

    @cached_property
    def kicker(self) -> str | None:
        return self.find_metadata("kicker", find_kicker)

    @cached_property
    def description(self) -> str | None:
        return self.find_metadata("description", find_description)

    @cached_property
    def date_published(self) -> str | None:
        # `find_date_modified` reads it, too
        return self.find_metadata("date_published", lambda s: s.remember(find_date_published))

    @cached_property
    def date_modified(self) -> str | None:
        return self.find_metadata("date_modified", find_date_modified)

    @cached_property
    def authors(self) -> tuple[str, ...]:
        return self.find_metadata("authors", find_authors) or ()

    @cached_property
    def language(self) -> str | None:
        # imported on first use: its patterns of scripts take 3 ms, and `extract` does not need them
        from scrapy_boilerplate.metadata.language import find_text_language  # noqa: PLC0415

        return self.find_metadata("language", find_text_language)

    def find_first_image(self) -> tuple[str, str] | None:
        """Return the URL of the first picture of the article, and its source."""
        raise NotImplementedError

    @cached_property
    def main_image(self) -> str | None:
        return self.find_metadata("main_image", lambda s: find_image(s) or self.find_first_image())

    @cached_property
    def site_name(self) -> str | None:
        return self.find_metadata("site_name", find_site_name)

    @cached_property
    def section(self) -> str | None:
        return self.find_metadata("section", find_section)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        return self.find_metadata("tags", find_tags) or ()

    @cached_property
    def canonical_url(self) -> str | None:
        return self.find_metadata("canonical_url", lambda s: find_url(s, CANONICAL_URL))

    @cached_property
    def is_accessible_for_free(self) -> bool | None:
        return self.find_metadata("is_accessible_for_free", find_is_accessible_for_free)

    @cached_property
    def article_type(self) -> str | None:
        return self.find_metadata("article_type", find_article_type)


METADATA_FIELDS = tuple(
    name for name, member in vars(Metadata).items() if isinstance(member, cached_property)
)

# fields with URLs, whose characters stay as they are
URL_FIELDS = frozenset({"main_image", "canonical_url"})


def find_field(sources: MetadataSources, name: str, find: Finder[T]) -> tuple[T, str] | None:
    """Return (value of a field in Unicode's form NFC, source); None without a source."""
    result = find(sources)
    if result is None or name in URL_FIELDS:
        return result
    value, source = result
    if isinstance(value, str):
        return compose(value), source
    return (tuple(map(compose, value)), source) if isinstance(value, tuple) else result
