"""The fields of a document that are computed from its labelled page, with every extractor."""

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from lxml import etree

from scrapy_boilerplate.article.live_blog import find_entries
from scrapy_boilerplate.items import Comment, Entry
from scrapy_boilerplate.metadata.fields import Metadata
from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.limits import NO_CLOCK, Clock
from scrapy_boilerplate.page.page import Page

T = TypeVar("T")


class ArticleFields(Metadata):
    """Fields that are computed on first use, and only within the time of the page.

    Without a page, and past its time, they are None, or an empty tuple.
    """

    text: str = ""
    confidence: float = 0.0
    extractor: str = ""
    tree: etree._Element | None = None
    clock: Clock = NO_CLOCK

    def compute(self, name: str, function: Callable[[Page, Labeling], T], default: T) -> T:
        """Return the value of a field: `default` without a page, and past its time."""
        raise NotImplementedError

    @cached_property
    def article_probability(self) -> float | None:
        """Probability, 0 to 1, that the page is an article, not a list, shop, forum or front page.

        Of the extractor, only the confidence of `news` counts.
        """
        # what `extract` does not need is imported on first use
        from scrapy_boilerplate.article.article_probability import (  # noqa: PLC0415
            compute_article_probability,
        )

        return self.compute(
            "article_probability",
            lambda page, _: round(
                compute_article_probability(page, self.find_news_confidence()), 3
            ),
            None,
        )

    def find_news_confidence(self) -> float | None:
        """The confidence of the extractor `news`; None for others, which have another scale."""
        return self.confidence if self.extractor == "news" else None

    @cached_property
    def comment_list(self) -> tuple[Comment, ...]:
        """The comments of readers: dicts of `author`, `date` (ISO 8601) and `text`.

        Author and date are None where the markup does not name them.
        """
        from scrapy_boilerplate.article.comment_list import list_comments  # noqa: PLC0415

        return self.compute("comment_list", list_comments, ())

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The entries that the JSON-LD of a live blog declares, in the order of the page."""
        return self.compute("entries", find_entries, ())

    @cached_property
    def stub(self) -> str | None:
        """Why the page has no article, or only the beginning of one; else None."""
        from scrapy_boilerplate.article.stub import find_stub  # noqa: PLC0415

        is_free = self.is_accessible_for_free
        return self.compute(
            "stub",
            lambda page, labeling: find_stub(page, labeling, self.text, is_free=is_free),
            None,
        )

    @cached_property
    def next_page(self) -> str | None:
        """URL of the next page of an article over several pages, or None."""
        from scrapy_boilerplate.article.pagination import find_next_page  # noqa: PLC0415

        return self.compute(
            "next_page",
            lambda page, labeling: find_next_page(page, labeling, self.tree, self.clock),
            None,
        )


ARTICLE_FIELDS = tuple(
    name for name, member in vars(ArticleFields).items() if isinstance(member, cached_property)
)
