"""The fields of an item as the documentation has them, and item classes of every kind."""

from collections.abc import Callable, Mapping
from dataclasses import make_dataclass
from typing import Any

import attrs
import pydantic
import scrapy

NAMES = (
    "headline text blocks comments description date_published date_modified authors language "
    "main_image section tags confidence extractor"
).split()
"""Fields that items get by default, in order."""
FAILED: dict[str, Any] = dict.fromkeys(NAMES)
"""What the item of an unreadable page gets."""


def names_but(*names: str) -> list[str]:
    """`NAMES` without some."""
    return [name for name in NAMES if name not in names]


Kind = Callable[..., Any]


def build_classes(name: str, fields: Mapping[str, Any]) -> dict[str, Kind]:
    """Classes that declare `url`, and fields with defaults."""
    columns: dict[str, Any] = {field: (Any, default) for field, default in fields.items()}
    attributes = {field: attrs.field(default=default) for field, default in fields.items()}
    return {
        "scrapy": type(
            f"{name}Scrapy", (scrapy.Item,), {each: scrapy.Field() for each in ("url", *fields)}
        ),
        "dataclass": make_dataclass(
            f"{name}Dataclass", [("url", str), *((field, *columns[field]) for field in columns)]
        ),
        "attrs": attrs.make_class(f"{name}Attrs", {"url": attrs.field(), **attributes}),
        "pydantic": pydantic.create_model(f"{name}Pydantic", url=(str, ...), **columns),
    }


KINDS: dict[str, Kind] = {
    "dict": dict,
    **build_classes("Full", dict.fromkeys((*NAMES, "content"))),
}
NUMBER_KINDS = build_classes(
    "Number",
    {
        "confidence": 0.0,
        "article_probability": 0,
        "is_article": False,
        "site_pages": 0,
        "is_accessible_for_free": True,
        "comments": 0,
    },
)
del NUMBER_KINDS["scrapy"]  # its fields have no defaults
