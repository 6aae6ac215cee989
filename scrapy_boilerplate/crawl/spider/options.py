"""The arguments of `NewsSpider`, checked before the crawl starts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any
from urllib.parse import urlsplit

from scrapy_boilerplate.crawl.settings import SettingError, parse_boolean

AUTO, FEEDS_ONLY, SITEMAPS_ONLY, LINKS_ONLY, DIRECT = STRATEGIES = (
    *("auto", "feeds", "sitemaps", "links", "direct"),
)
_HOURS = {"h": 1, "d": 24, "w": 168}
_match_age = re.compile(r"(\d{1,5})([hdw])").fullmatch


@dataclass(frozen=True, kw_only=True)
class SpiderOptions:
    """The arguments of a spider, parsed; `since` is a timestamp. 0 is no limit."""

    urls: tuple[str, ...]
    since: float | None
    strategy: str
    max_articles: int
    max_pages: int
    subdomains: bool

    @classmethod
    def parse(cls, written: Mapping[str, Any]) -> SpiderOptions:
        """Return the options that a user wrote. Raises SettingError for the first wrong one."""
        values: dict[str, Any] = {}
        for name, (parse, advice) in _ARGUMENTS.items():
            try:
                values[name] = parse(written[name])
            except (ValueError, TypeError, OverflowError):
                raise SettingError(f"{name}={written[name]!r}: write {advice}") from None
        return cls(**values)


def check_names(names: Mapping[str, Any]) -> None:
    """Raise SettingError for a misspelt argument; a subclass can have others of its own."""
    for name in names:
        near = difflib.get_close_matches(name, _ARGUMENTS, 1, 0.8)
        if near and name not in _ARGUMENTS:
            raise SettingError(f"there is no argument {name}; write {near[0]}")


def _parse_urls(written: Any) -> tuple[str, ...]:
    texts = written.split(",") if isinstance(written, str) else written or ()
    urls = tuple(text.strip() for text in texts if text.strip())
    for url in urls:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError
    if not urls:
        raise ValueError
    return urls


def _parse_since(written: Any) -> float | None:
    if not written:
        return None
    text = str(written).strip()
    if match := _match_age(text):
        age = timedelta(hours=int(match[1]) * _HOURS[match[2]])
        return (datetime.now(timezone.utc) - age).timestamp()
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


def _parse_strategy(written: Any) -> str:
    return STRATEGIES[STRATEGIES.index(written)]


def _parse_limit(written: Any) -> int:
    limit = int(str(written or 0))
    return limit if limit >= 0 else int("a limit of 0 or more")


_ARGUMENTS = {
    "urls": (_parse_urls, "URLs of home pages such as https://news.example/, commas between"),
    "since": (_parse_since, "an age such as 12h, 2d or 1w, or a date such as 2026-11-01"),
    "strategy": (_parse_strategy, f"one of {', '.join(STRATEGIES)}"),
    "max_articles": (_parse_limit, "a whole number; 0 is no limit"),
    "max_pages": (_parse_limit, "a whole number; 0 is no limit"),
    "subdomains": (parse_boolean, "True or False"),
}
NAMES = tuple(_ARGUMENTS)
