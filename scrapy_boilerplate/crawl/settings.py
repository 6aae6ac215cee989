"""The ``BOILERPLATE_*`` settings, read and checked once, before the crawl starts."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass

from scrapy.settings import BaseSettings

from scrapy_boilerplate.crawl.field_settings import item_fields, refuse_missing_packages
from scrapy_boilerplate.crawl.setting_values import (
    PREFIX,
    boolean,
    choice,
    folder,
    natural,
    number,
)
from scrapy_boilerplate.crawl.site_settings import SITE_NAMES, SiteSettings
from scrapy_boilerplate.crawl.wrong import SettingError, nearest
from scrapy_boilerplate.extractors import (
    BALANCED,
    DEFAULT,
    UnknownExtractorError,
    extractor_named,
    favoring,
)
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.site.extractor import site_extractor
from scrapy_boilerplate.steps.extractor import Extractor

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
    site: SiteSettings = dataclasses.field(default_factory=SiteSettings)
    inspect_dir: str | None = None
    inspect_pages: int = 50
    inspect_below: float = 0.8
    extractor_name: str = DEFAULT
    favor: str = BALANCED
    executor: str = EXECUTORS[0]
    workers: int = dataclasses.field(default_factory=default_workers)
    limits: Limits = DEFAULT_LIMITS

    @classmethod
    def of(cls, settings: BaseSettings) -> CrawlSettings:
        """Read and check the settings. Raises SettingError for the first one that is wrong."""
        _refuse_unknown(settings)
        site, extractor = SiteSettings.of(settings), _extractor(settings)
        _refuse_unfit_steps(site, extractor)
        return cls(
            enabled=boolean(settings, "ENABLED", default=True),
            extractor=extractor,
            extractor_name=_extractor_name(settings),
            favor=_favor(settings),
            fields=_fields(settings, site),
            blocks=choice(settings, "BLOCKS", BLOCK_CHOICES),
            min_words=natural(settings, "MIN_WORDS"),
            min_confidence=number(settings, "MIN_CONFIDENCE", highest=1),
            articles_only=boolean(settings, "ARTICLES_ONLY", default=False),
            executor=_executor(settings, site),
            workers=natural(settings, "WORKERS", default_workers(), lowest=1),
            limits=_limits(settings),
            site=site,
            inspect_dir=folder(settings),
            inspect_pages=natural(settings, "INSPECT_PAGES", 50),
            inspect_below=number(settings, "INSPECT_BELOW", 0.8, highest=1),
        )


KNOWN = SITE_NAMES.union(
    PREFIX + name
    for name in (
        *("ENABLED", "EXTRACTOR", "FAVOR", "FIELDS", "BLOCKS"),
        *("MIN_WORDS", "MIN_CONFIDENCE", "ARTICLES_ONLY", "EXECUTOR", "WORKERS"),
        *("MAX_BYTES", "MAX_ELEMENTS", "MAX_MILLISECONDS"),
        *("INSPECT_DIR", "INSPECT_PAGES", "INSPECT_BELOW"),
    )
)


def _refuse_unfit_steps(site: SiteSettings, extractor: Extractor) -> None:
    try:
        site_extractor(extractor, site.steps)
    except ValueError as error:
        raise SettingError(f"{PREFIX}SITE: {error}") from None


def _refuse_unknown(settings: BaseSettings) -> None:
    for name in settings:
        if isinstance(name, str) and name.startswith(PREFIX) and name not in KNOWN:
            raise SettingError(
                f"there is no setting {name}; write {nearest(name, KNOWN)}, or remove it"
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


def _fields(settings: BaseSettings, site: SiteSettings) -> dict[str, str]:
    fields = item_fields(settings)
    if site.enabled and not isinstance(settings.get(PREFIX + "FIELDS"), list | tuple | str):
        fields.setdefault("site_pages", "site_pages")
    refuse_missing_packages(fields)
    return fields


def _limits(settings: BaseSettings) -> Limits:
    """0 is no limit."""
    return Limits(
        bytes=natural(settings, "MAX_BYTES", MAX_BYTES) or None,
        elements=natural(settings, "MAX_ELEMENTS", MAX_ELEMENTS) or None,
        milliseconds=number(settings, "MAX_MILLISECONDS", MAX_MILLISECONDS) or None,
    )


def _executor(settings: BaseSettings, site: SiteSettings) -> str:
    """Site knowledge and workers exclude each other: it is learnt in the crawl's own process."""
    executor = choice(settings, "EXECUTOR", EXECUTORS)
    if executor == PROCESS and site.enabled:
        raise SettingError(
            f"{PREFIX}EXECUTOR = {executor!r} does not go together with {PREFIX}SITE, which needs "
            f"the pages where the crawl runs: write {PREFIX}EXECUTOR = {INLINE!r}, or "
            f"{PREFIX}SITE = False"
        )
    return executor
