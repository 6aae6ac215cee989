"""Items of all kinds that say the same; each also declares fields that are filled on request."""

from dataclasses import dataclass

import attrs
import pydantic
import scrapy
from zyte_common_items import Article

from scrapy_boilerplate import ArticleItem


class ScrapyStory(scrapy.Item):
    url = scrapy.Field()
    kind = scrapy.Field()
    headline = scrapy.Field()
    text = scrapy.Field()
    fingerprint = scrapy.Field()
    html = scrapy.Field()


@dataclass
class DataclassStory:
    url: str | None = None
    kind: str | None = None
    headline: str | None = None
    text: str | None = None
    fingerprint: str | None = None
    html: str | None = None


@attrs.define
class AttrsStory:
    url: str
    kind: str | None = None
    headline: str | None = None
    text: str | None = None
    fingerprint: str | None = None
    html: str | None = None


class PydanticStory(pydantic.BaseModel):
    url: str
    kind: str | None = None
    headline: str | None = None
    text: str | None = None
    fingerprint: str | None = None
    html: str | None = None


@dataclass(kw_only=True)
class ArticleStory(ArticleItem):
    kind: str | None = None


@attrs.define(kw_only=True)
class ZyteStory(Article):
    kind: str | None = None


@dataclass
class Teaser:
    """A line of a section page. It declares `text`, and is about another page."""

    url: str
    title: str
    text: str | None = None


KINDS = {
    "dict": dict,
    "scrapy": ScrapyStory,
    "dataclass": DataclassStory,
    "attrs": AttrsStory,
    "pydantic": PydanticStory,
    "ArticleItem": ArticleStory,
    "Article": ZyteStory,
}
