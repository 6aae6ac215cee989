"""``BOILERPLATE_FIELDS``: what an item gets, and under which names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from scrapy.settings import BaseSettings

from scrapy_boilerplate.crawl.setting_values import PREFIX
from scrapy_boilerplate.crawl.wrong import SettingError
from scrapy_boilerplate.extras import MissingExtraError, optional
from scrapy_boilerplate.markup.clean import NEEDED

DEFAULT_FIELDS = (
    "headline",
    "text",
    "blocks",
    "comments",
    "description",
    "date_published",
    "date_modified",
    "authors",
    "language",
    "main_image",
    "section",
    "tags",
    "confidence",
    "extractor",
)
"""What an item gets unless BOILERPLATE_FIELDS says otherwise; each under its own name."""
OPTIONAL_FIELDS = (
    "html",
    "markdown",
    "supplemental",
    "related",
    "article_probability",
    "site_pages",
    "fingerprint",
    "simhash",
    "site_name",
    "canonical_url",
    "is_accessible_for_free",
    "article_type",
    "evidence",
    "partial",
)
"""What an item gets only where BOILERPLATE_FIELDS names it."""
ALL_FIELDS = (*DEFAULT_FIELDS, *OPTIONAL_FIELDS)


def item_fields(settings: BaseSettings) -> dict[str, str]:
    """Document field to item field, in order. Raises SettingError."""
    name = PREFIX + "FIELDS"
    written = _decoded(settings.get(name), name)
    if written is None:
        return {field: field for field in DEFAULT_FIELDS}
    if isinstance(written, Mapping):
        return _renamed(written, name)
    if isinstance(written, Iterable):
        return {_known_field(field, name): str(field) for field in written}
    raise _bad_fields(name, written)


def refuse_missing_packages(fields: Iterable[str]) -> None:
    """Raises SettingError for a field whose package is not installed."""
    for field in fields:
        for package in NEEDED.get(field, ()):
            try:
                optional(package, f"the field {field!r}", "html")
            except MissingExtraError as error:
                raise SettingError(f"{PREFIX}FIELDS: {error}, or leave it out") from None


def _decoded(written: Any, name: str) -> Any:
    """A value from the command line: JSON, or names with commas between."""
    if not isinstance(written, str):
        return written
    if not written.strip():
        raise _bad_fields(name, written)
    if not written.lstrip().startswith(("{", "[")):
        return [field.strip() for field in written.split(",") if field.strip()]
    try:
        return json.loads(written)
    except json.JSONDecodeError:
        raise _bad_fields(name, written) from None


def _renamed(written: Mapping[Any, Any], name: str) -> dict[str, str]:
    fields = {field: field for field in DEFAULT_FIELDS}
    for field, target in written.items():
        _known_field(field, name)
        if target is None or target is False:
            fields.pop(field, None)
        elif target is True:
            fields[field] = field
        elif isinstance(target, str) and target:
            fields[field] = target
        else:
            raise _bad_fields(name, written)
    _refuse_shared_targets(fields, name)
    return fields


def _refuse_shared_targets(fields: Mapping[str, str], name: str) -> None:
    targets = list(fields.values())
    shared = next((target for target in targets if targets.count(target) > 1), None)
    if shared is not None:
        raise SettingError(f"{name} writes two fields to {shared!r}: give each a name of its own")


def _known_field(field: Any, name: str) -> str:
    if field not in ALL_FIELDS:
        raise SettingError(
            f"{name}: there is no field {field!r}; the fields are {', '.join(ALL_FIELDS)}"
        )
    return str(field)


def _bad_fields(name: str, written: Any) -> SettingError:
    return SettingError(
        f"{name} = {written!r}: write a dict from field to item field, None to leave it out, "
        'such as {"text": "body", "blocks": None}, or a list of the fields you want'
    )
