"""The arguments of `NewsSpider`, checked before the crawl starts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any
from urllib.parse import urlsplit

from scrapy_boilerplate.crawl.settings import (
    BOOLEAN,
    SettingError,
    SettingKind,
    choice,
    whole_number,
)

AUTO, FEEDS_ONLY, SITEMAPS_ONLY, LINKS_ONLY, DIRECT = "auto", "feeds", "sitemaps", "links", "direct"
_HOURS = {"h": 1, "d": 24, "w": 168}
_match_age = re.compile(r"(\d{1,5})([hdw])").fullmatch


@dataclass(frozen=True, kw_only=True)
class SpiderOptions:
    """The arguments of a spider, parsed; `since` is a timestamp or 0. 0 is no limit."""

    urls: tuple[str, ...]
    since: float
    strategy: str
    max_articles: int
    max_pages: int
    subdomains: bool

    @classmethod
    def parse(cls, written: Mapping[str, Any]) -> SpiderOptions:
        """Return the options that a user wrote. Raises SettingError for the first wrong one."""
        values: dict[str, Any] = {}
        for name, kind in ARGUMENTS.items():
            try:
                values[name] = kind.parse(written[name])
            except (ValueError, TypeError, OverflowError):
                raise SettingError(f"{name}={written[name]!r}: {kind.advice}") from None
        return cls(**values)


def check_names(names: Mapping[str, Any]) -> None:
    """Raise SettingError for a misspelt argument; a subclass can have others of its own."""
    for name in names:
        near = difflib.get_close_matches(name, ARGUMENTS, 1, 0.8)
        if near and name not in ARGUMENTS:
            raise SettingError(f"there is no argument {name}; write {near[0]}")


def _parse_urls(written: Any) -> tuple[str, ...]:
    texts = written.split(",") if isinstance(written, str) else written
    urls = tuple(text.strip() for text in texts if text.strip())
    parts = [urlsplit(url) for url in urls]
    if not urls or any(
        each.scheme not in ("http", "https") or not each.hostname or each.port == 0
        for each in parts
    ):
        raise ValueError
    return urls


def _parse_since(written: Any) -> float:
    if not written:
        return 0.0
    text = str(written).strip()
    if match := _match_age(text):
        age = timedelta(hours=int(match[1]) * _HOURS[match[2]])
        return (datetime.now(timezone.utc) - age).timestamp()
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


_LIMIT = whole_number()
ARGUMENTS = {
    "urls": SettingKind(
        _parse_urls, "write URLs of home pages such as https://news.example/, commas between"
    ),
    "since": SettingKind(
        _parse_since, "write an age such as 12h, 2d or 1w, or a date such as 2026-11-01"
    ),
    "strategy": choice(AUTO, FEEDS_ONLY, SITEMAPS_ONLY, LINKS_ONLY, DIRECT),
    "max_articles": _LIMIT,
    "max_pages": _LIMIT,
    "subdomains": BOOLEAN,
}
