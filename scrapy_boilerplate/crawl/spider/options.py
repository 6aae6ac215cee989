"""The arguments of `NewsSpider`, checked before the crawl starts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
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
from scrapy_boilerplate.crawl.spider.discovery import parse_timestamp

AUTO, FEEDS_ONLY, SITEMAPS_ONLY, LINKS_ONLY, DIRECT = "auto", "feeds", "sitemaps", "links", "direct"
_HOURS = {"h": 1, "d": 24, "w": 168}
_match_age = re.compile(r"(\d{1,5})([hdw])").fullmatch


def check_names(names: Iterable[str]) -> None:
    """Raise SettingError for a misspelt argument; a subclass can have others of its own."""
    for name in names:
        near = difflib.get_close_matches(name, ARGUMENTS, 1, 0.8)
        if near and name not in ARGUMENTS:
            raise SettingError(f"there is no argument {name}; write {near[0]}")


def _parse_urls(written: Any) -> list[str]:
    texts = written.split(",") if isinstance(written, str) else written
    urls = [text.strip() for text in texts if text.strip()]
    for parts in map(urlsplit, urls):
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError
    if not urls:
        raise ValueError
    return urls


def _parse_since(written: Any) -> float:
    """Return a timestamp, or 0."""
    text = str(written or "").strip()
    if match := _match_age(text):
        age = timedelta(hours=int(match[1]) * _HOURS[match[2]])
        return (datetime.now(timezone.utc) - age).timestamp()
    moment = parse_timestamp(text) if text else 0.0
    if moment is None:
        raise ValueError
    return moment


ARGUMENTS = {
    "urls": SettingKind(
        _parse_urls, "write URLs of home pages such as https://news.example/, commas between"
    ),
    "since": SettingKind(
        _parse_since, "write an age such as 12h, 2d or 1w, or a date such as 2026-11-01"
    ),
    "strategy": choice(AUTO, FEEDS_ONLY, SITEMAPS_ONLY, LINKS_ONLY, DIRECT),
    "max_articles": whole_number(),
    "max_pages": whole_number(),
    "subdomains": BOOLEAN,
}
