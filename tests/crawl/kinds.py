"""One item class of every kind ItemAdapter knows, and each again with something missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from typing import Any

import attrs
import pydantic
import scrapy

Kind = Callable[..., Any]


class ScrapyItem(scrapy.Item):
    url = scrapy.Field()
    headline = scrapy.Field()
    text = scrapy.Field()
    blocks = scrapy.Field()
    comments = scrapy.Field()
    description = scrapy.Field()
    date_published = scrapy.Field()
    date_modified = scrapy.Field()
    authors = scrapy.Field()
    main_image = scrapy.Field()
    section = scrapy.Field()
    tags = scrapy.Field()
    language = scrapy.Field()
    confidence = scrapy.Field()
    extractor = scrapy.Field()
    content = scrapy.Field()


@dataclass
class DataclassItem:
    url: str
    headline: str | None = None
    text: str = ""
    blocks: list[dict[str, Any]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    description: str | None = None
    date_published: str | None = None
    date_modified: str | None = None
    main_image: str | None = None
    section: str | None = None
    authors: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    language: str | None = None
    confidence: float | None = None
    extractor: str | None = None
    content: Any = None


@attrs.define
class AttrsItem:
    url: str
    headline: str | None = None
    text: str = ""
    blocks: list[dict[str, Any]] = attrs.field(factory=list)
    comments: list[str] = attrs.field(factory=list)
    description: str | None = None
    date_published: str | None = None
    date_modified: str | None = None
    main_image: str | None = None
    section: str | None = None
    authors: list[str] = attrs.field(factory=list)
    tags: list[str] = attrs.field(factory=list)
    language: str | None = None
    confidence: float | None = None
    extractor: str | None = None
    content: Any = None


class PydanticItem(pydantic.BaseModel):
    url: str
    headline: str | None = None
    text: str = ""
    blocks: list[dict[str, Any]] = pydantic.Field(default_factory=list)
    comments: list[str] = pydantic.Field(default_factory=list)
    description: str | None = None
    date_published: str | None = None
    date_modified: str | None = None
    main_image: str | None = None
    section: str | None = None
    authors: list[str] = pydantic.Field(default_factory=list)
    tags: list[str] = pydantic.Field(default_factory=list)
    language: str | None = None
    confidence: float | None = None
    extractor: str | None = None
    content: Any = None


KINDS: dict[str, Kind] = {
    "dict": dict,
    "scrapy": ScrapyItem,
    "dataclass": DataclassItem,
    "attrs": AttrsItem,
    "pydantic": PydanticItem,
}


class ShortScrapyItem(scrapy.Item):
    url = scrapy.Field()
    text = scrapy.Field()


@dataclass
class ShortDataclassItem:
    url: str
    text: str | None = None


@attrs.define
class ShortAttrsItem:
    url: str
    text: str | None = None


class ShortPydanticItem(pydantic.BaseModel):
    url: str
    text: str | None = None


SHORT_KINDS: dict[str, Kind] = {
    "scrapy": ShortScrapyItem,
    "dataclass": ShortDataclassItem,
    "attrs": ShortAttrsItem,
    "pydantic": ShortPydanticItem,
}


@dataclass(frozen=True)
class FrozenDataclassItem:
    url: str
    headline: str | None = None
    text: str | None = None


@attrs.frozen
class FrozenAttrsItem:
    url: str
    headline: str | None = None
    text: str | None = None


class FrozenPydanticItem(pydantic.BaseModel, frozen=True):
    url: str
    headline: str | None = None
    text: str | None = None


FROZEN_KINDS: dict[str, Kind] = {
    "dataclass": FrozenDataclassItem,
    "attrs": FrozenAttrsItem,
    "pydantic": FrozenPydanticItem,
}


@dataclass
class BareDataclassItem:
    url: str
    price: int = 3


@attrs.define
class BareAttrsItem:
    url: str
    price: int = 3


class BarePydanticItem(pydantic.BaseModel):
    url: str
    price: int = 3


BARE_KINDS: dict[str, Kind] = {
    "dataclass": BareDataclassItem,
    "attrs": BareAttrsItem,
    "pydantic": BarePydanticItem,
}

OPTIONAL = (
    "html",
    "markdown",
    "supplemental",
    "related",
    "article_probability",
    "site_pages",
    "fingerprint",
    "simhash",
    "evidence",
)
"""The optional fields of the classes below."""


class OptionalScrapyItem(scrapy.Item):
    url = scrapy.Field()
    html = scrapy.Field()
    markdown = scrapy.Field()
    supplemental = scrapy.Field()
    related = scrapy.Field()
    article_probability = scrapy.Field()
    site_pages = scrapy.Field()
    fingerprint = scrapy.Field()
    simhash = scrapy.Field()
    evidence = scrapy.Field()


OptionalDataclassItem = make_dataclass(
    "OptionalDataclassItem", [("url", str), *((name, Any, None) for name in OPTIONAL)]
)
OptionalAttrsItem = attrs.make_class(
    "OptionalAttrsItem",
    {"url": attrs.field(), **{name: attrs.field(default=None) for name in OPTIONAL}},
)
OPTIONAL_COLUMNS: dict[str, Any] = dict.fromkeys(OPTIONAL, (Any, None))
OptionalPydanticItem = pydantic.create_model(
    "OptionalPydanticItem", url=(str, ...), **OPTIONAL_COLUMNS
)

OPTIONAL_KINDS: dict[str, Kind] = {
    "scrapy": OptionalScrapyItem,
    "dataclass": OptionalDataclassItem,
    "attrs": OptionalAttrsItem,
    "pydantic": OptionalPydanticItem,
}


@dataclass
class NumberDataclassItem:
    url: str
    confidence: float = 0.0
    article_probability: float = 0
    is_article: bool = False
    site_pages: int = 0
    is_accessible_for_free: bool = True
    comments: int = 0


@attrs.define
class NumberAttrsItem:
    url: str
    confidence: float = 0.0
    article_probability: float = 0
    is_article: bool = False
    site_pages: int = 0
    is_accessible_for_free: bool = True
    comments: int = 0


class NumberPydanticItem(pydantic.BaseModel, validate_assignment=True):
    url: str
    confidence: float = 0.0
    article_probability: float = 0
    is_article: bool = False
    site_pages: int = 0
    is_accessible_for_free: bool = True
    comments: int = 0


NUMBER_KINDS: dict[str, Kind] = {
    "dataclass": NumberDataclassItem,
    "attrs": NumberAttrsItem,
    "pydantic": NumberPydanticItem,
}
