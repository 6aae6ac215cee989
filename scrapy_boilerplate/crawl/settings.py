"""The ``BOILERPLATE_*`` settings, read and checked once, before the crawl starts."""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scrapy.settings import BaseSettings

from scrapy_boilerplate.catalog import (
    BALANCED,
    DEFAULT,
    UnknownExtractorError,
    extractor_named,
    favoring,
)
from scrapy_boilerplate.crawl.values import (
    PREFIX,
    SettingError,
    boolean,
    choice,
    natural,
    number,
)
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.extras import MissingExtraError, optional
from scrapy_boilerplate.limits import Limits
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
    "site_name",
    "canonical_url",
    "is_accessible_for_free",
    "article_type",
    "evidence",
    "partial",
)
"""What an item gets only where BOILERPLATE_FIELDS names it."""
ALL_FIELDS = (*DEFAULT_FIELDS, *OPTIONAL_FIELDS)

BLOCK_CHOICES = ("all", "content", "none")
INLINE, PROCESS = EXECUTORS = ("inline", "process")

MAX_BYTES = 10_000_000
"""Bytes of a page that are read (our choice)."""
MAX_ELEMENTS = 300_000
"""Elements of a page that are read (our choice)."""
MAX_MILLISECONDS = 10_000
"""CPU milliseconds of a page (our choice): what `MAX_BYTES` of text need on a slow machine."""
DEFAULT_LIMITS = Limits(bytes=MAX_BYTES, elements=MAX_ELEMENTS, milliseconds=MAX_MILLISECONDS)


def default_workers() -> int:
    """One process a core but one, which the crawl itself needs."""
    return max(1, (os.cpu_count() or 1) - 1)


@dataclass(frozen=True, kw_only=True)
class CrawlSettings:
    """The settings of one crawl. `fields`: document field to item field, in order."""

    enabled: bool = True
    extractor: Extractor
    fields: Mapping[str, str]
    blocks: str = "all"
    min_words: int = 0
    min_confidence: float = 0.0
    articles_only: bool = False
    extractor_name: str = DEFAULT
    favor: str = BALANCED
    executor: str = EXECUTORS[0]
    workers: int = dataclasses.field(default_factory=default_workers)
    limits: Limits = DEFAULT_LIMITS

    @classmethod
    def of(cls, settings: BaseSettings) -> CrawlSettings:
        """Read and check the settings. Raises SettingError for the first one that is wrong."""
        _refuse_unknown(settings)
        fields = _fields(settings)
        _refuse_missing_packages(fields)
        return cls(
            enabled=boolean(settings, "ENABLED", default=True),
            extractor=_extractor(settings),
            extractor_name=_extractor_name(settings),
            favor=_favor(settings),
            fields=fields,
            blocks=choice(settings, "BLOCKS", BLOCK_CHOICES),
            min_words=natural(settings, "MIN_WORDS"),
            min_confidence=number(settings, "MIN_CONFIDENCE", highest=1),
            articles_only=boolean(settings, "ARTICLES_ONLY", default=False),
            executor=choice(settings, "EXECUTOR", EXECUTORS),
            workers=natural(settings, "WORKERS", default_workers(), lowest=1),
            limits=_limits(settings),
        )


KNOWN = frozenset(
    PREFIX + name
    for name in (
        *("ENABLED", "EXTRACTOR", "FAVOR", "FIELDS", "BLOCKS"),
        *("MIN_WORDS", "MIN_CONFIDENCE", "ARTICLES_ONLY", "EXECUTOR", "WORKERS"),
        *("MAX_BYTES", "MAX_ELEMENTS", "MAX_MILLISECONDS"),
    )
)


def _refuse_unknown(settings: BaseSettings) -> None:
    for name in settings:
        if isinstance(name, str) and name.startswith(PREFIX) and name not in KNOWN:
            raise SettingError(
                f"there is no setting {name}; write {_nearest(name, KNOWN)}, or remove it"
            )


def _extractor(settings: BaseSettings) -> Extractor:
    try:
        extractor = extractor_named(_extractor_name(settings))
    except UnknownExtractorError as error:
        raise SettingError(f"{PREFIX}EXTRACTOR: {error}") from None
    try:
        return favoring(extractor, _favor(settings))
    except UnknownExtractorError as error:
        raise SettingError(f"{PREFIX}FAVOR: {error}") from None


def _extractor_name(settings: BaseSettings) -> str:
    name: str = settings.get(PREFIX + "EXTRACTOR") or DEFAULT
    return name


def _favor(settings: BaseSettings) -> str:
    favor: str = settings.get(PREFIX + "FAVOR") or BALANCED
    return favor


def _limits(settings: BaseSettings) -> Limits:
    """0 is no limit."""
    return Limits(
        bytes=natural(settings, "MAX_BYTES", MAX_BYTES) or None,
        elements=natural(settings, "MAX_ELEMENTS", MAX_ELEMENTS) or None,
        milliseconds=number(settings, "MAX_MILLISECONDS", MAX_MILLISECONDS) or None,
    )


def _fields(settings: BaseSettings) -> dict[str, str]:
    name = PREFIX + "FIELDS"
    written = _decoded(settings.get(name), name)
    if written is None:
        return {field: field for field in DEFAULT_FIELDS}
    if isinstance(written, Mapping):
        return _renamed(written, name)
    if isinstance(written, Iterable):
        return {_known_field(field, name): str(field) for field in written}
    raise _bad_fields(name, written)


def _refuse_missing_packages(fields: Iterable[str]) -> None:
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


def _nearest(name: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0)
    return found[0]
