"""The settings of site knowledge and of duplicates: ``BOILERPLATE_SITE*``,
``BOILERPLATE_DUPLICATES``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scrapy.settings import BaseSettings

from scrapy_boilerplate.crawl.setting_values import PREFIX
from scrapy_boilerplate.crawl.wrong import SettingError
from scrapy_boilerplate.site.extractor import SITE_STEPS
from scrapy_boilerplate.site.knowledge import MAX_PAGES
from scrapy_boilerplate.site.stores import MEMORY

SITE_NAMES = frozenset(
    PREFIX + name
    for name in (
        *("SITE", "SITE_PAGES", "SITE_STORE", "SITE_SYNC_SECONDS"),
        *("SITE_HOLD", "SITE_HOLD_SECONDS", "SITE_HOLD_PAGES", "DUPLICATES"),
    )
)
DUPLICATE_CHOICES = ("drop", "mark")


@dataclass(frozen=True, kw_only=True)
class SiteSettings:
    """What a crawl does with site knowledge.

    enabled, steps   whether it is used, and by which steps (() for those that suit the extractor)
    pages            pages of a site that are remembered
    store            address of the store
    sync_seconds     between exchanges with a store in Redis
    hold             pages of a site that must be known before its first items go on; 0 for none
    hold_seconds, hold_pages   how long one waits at most, and how many together
    duplicates       ``drop`` or ``mark``
    """

    enabled: bool = False
    steps: tuple[str, ...] = ()
    pages: int = MAX_PAGES
    store: str = MEMORY
    sync_seconds: float = 1.0
    hold: int = 0
    hold_seconds: float = 60.0
    hold_pages: int = 100
    duplicates: str = "drop"

    @classmethod
    def of(cls, settings: BaseSettings) -> SiteSettings:
        """Read and check. Raises SettingError for the first one that is wrong."""
        enabled, steps = _site(settings.get(PREFIX + "SITE"))
        duplicates = settings.get(PREFIX + "DUPLICATES") or DUPLICATE_CHOICES[0]
        if duplicates not in DUPLICATE_CHOICES:
            raise SettingError(f"{PREFIX}DUPLICATES = {duplicates!r}: write 'drop' or 'mark'")
        return cls(
            enabled=enabled,
            steps=steps,
            pages=int(_number(settings, "SITE_PAGES", cls.pages, least=1)),
            store=_store(settings),
            sync_seconds=_number(settings, "SITE_SYNC_SECONDS", cls.sync_seconds, least=0.01),
            hold=int(_number(settings, "SITE_HOLD", cls.hold, least=0)),
            hold_seconds=_number(settings, "SITE_HOLD_SECONDS", cls.hold_seconds, least=0),
            hold_pages=int(_number(settings, "SITE_HOLD_PAGES", cls.hold_pages, least=1)),
            duplicates=duplicates,
        )


def _site(written: Any) -> tuple[bool, tuple[str, ...]]:
    """Whether site knowledge is on, and the steps that are named."""
    if written in (None, "", False, 0, "0", "False", "false"):
        return False, ()
    if written in (True, 1, "1", "True", "true"):
        return True, ()
    named = written.split(",") if isinstance(written, str) else written
    steps = tuple(str(one).strip() for one in named) if isinstance(named, Sequence) else ("",)
    for step in steps:
        if step not in SITE_STEPS:
            raise SettingError(
                f"{PREFIX}SITE = {written!r}: write True, False, or a list of steps: "
                f"{', '.join(SITE_STEPS)}"
            )
    return True, steps


def _store(settings: BaseSettings) -> str:
    written = settings.get(PREFIX + "SITE_STORE")
    if written is None:
        return "site-knowledge.sqlite" if settings.get("JOBDIR") else MEMORY
    if not isinstance(written, str) or not written.strip():
        raise SettingError(
            f"{PREFIX}SITE_STORE = {written!r}: write 'memory', the path of a file, or "
            "'redis://host:port'"
        )
    return written


def _number(settings: BaseSettings, name: str, default: float, *, least: float) -> float:
    written = settings.get(PREFIX + name)
    if written is None:
        return default
    try:
        number = float(written)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    whole = isinstance(default, int)
    meant = math.isfinite(number) and number >= least and (not whole or number == int(number))
    if isinstance(written, bool) or not meant:
        kind = "a whole number" if whole else "a number"
        raise SettingError(f"{PREFIX}{name} = {written!r}: write {kind} of {least} or more")
    return number
