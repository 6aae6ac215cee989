"""The arguments of `NewsSpider`, checked before the crawl starts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any
from urllib.parse import urlsplit

from scrapy_boilerplate.crawl.settings import SettingError, parse_boolean

AUTO, FEEDS_ONLY, SITEMAPS_ONLY, LINKS_ONLY, DIRECT = (
    "auto",
    "feeds",
    "sitemaps",
    "links",
    "direct",
)
STRATEGIES = (AUTO, FEEDS_ONLY, SITEMAPS_ONLY, LINKS_ONLY, DIRECT)
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_match_age = re.compile(r"(\d{1,5})([hdw])").fullmatch


@dataclass(frozen=True, kw_only=True)
class SpiderOptions:
    """The arguments of a spider, parsed. 0 articles or pages are no limit."""

    urls: tuple[str, ...]
    since: float | None
    strategy: str
    max_articles: int
    max_pages: int
    subdomains: bool

    @property
    def uses_feeds(self) -> bool:
        return self.strategy in (AUTO, FEEDS_ONLY)

    @property
    def uses_sitemaps(self) -> bool:
        return self.strategy in (AUTO, SITEMAPS_ONLY)

    @property
    def uses_links(self) -> bool:
        return self.strategy in (AUTO, LINKS_ONLY)


def parse_options(
    urls: Any, since: Any, strategy: Any, max_articles: Any, max_pages: Any, subdomains: Any
) -> SpiderOptions:
    """Return the options that a user wrote. Raises SettingError for the first wrong one."""
    if strategy not in STRATEGIES:
        raise SettingError(f"strategy={strategy!r}: write one of {', '.join(STRATEGIES)}")
    try:
        uses_subdomains = parse_boolean(subdomains)
    except (TypeError, ValueError):
        raise SettingError(f"subdomains={subdomains!r}: write True or False") from None
    return SpiderOptions(
        urls=_parse_urls(urls),
        since=None if since in (None, "") else _parse_since(since),
        strategy=strategy,
        max_articles=_parse_limit("max_articles", max_articles),
        max_pages=_parse_limit("max_pages", max_pages),
        subdomains=uses_subdomains,
    )


def _parse_urls(written: Any) -> tuple[str, ...]:
    texts: Iterable[Any] = written.split(",") if isinstance(written, str) else written or ()
    urls = tuple(str(text).strip() for text in texts if str(text).strip())
    for url in urls:
        try:
            parts = urlsplit(url)
            is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
            is_web = is_web and (parts.port is None or parts.port > 0)
        except ValueError:
            is_web = False
        if not is_web:
            raise SettingError(f"urls: {url!r} is not a URL; write one such as https://{url}/")
    if not urls:
        raise SettingError("urls is empty: write the home pages of sites, with commas between")
    return urls


def _parse_since(written: Any) -> float:
    now = datetime.now(timezone.utc)
    match = _match_age(str(written).strip())
    try:
        if match is not None:
            return (now - int(match[1]) * _UNITS[match[2]]).timestamp()
        moment = datetime.fromisoformat(str(written).strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, OverflowError):
        raise SettingError(
            f"since={written!r}: write an age such as 12h, 2d or 1w, or a date such as 2026-11-01"
        ) from None


def _parse_limit(name: str, written: Any) -> int:
    try:
        limit = int(written or 0)
        if limit < 0 or isinstance(written, bool | float):
            raise ValueError
    except (TypeError, ValueError):
        raise SettingError(f"{name}={written!r}: write a whole number; 0 is no limit") from None
    return limit
