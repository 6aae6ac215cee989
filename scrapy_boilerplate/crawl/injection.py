"""Callbacks that ask for a `Document`: how to fix them if scrapy-poet does not provide it."""

from __future__ import annotations

import re
import sys
from typing import Any, get_args

from scrapy import Spider
from scrapy.crawler import Crawler

from scrapy_boilerplate.document import Document

_find_missing_arguments = re.compile(r"\b(\w+)\(\) missing \d+ required .*arguments?: (.+)").search
_find_document = re.compile(r"\bDocument\b").search

WITHOUT_POET = (
    "scrapy-poet gives it to callbacks: install scrapy-poet (the extra [poet]) and add "
    '"scrapy_poet.Addon": 300 to ADDONS'
)
WITH_POET = "scrapy-poet does not give it here, as in callbacks of the rules of a CrawlSpider"
MESSAGE = "%s.%s has an argument %r of class Document. %s. Or call boilerplate(response) in it"


def explain_missing_document(exception: Exception, crawler: Crawler) -> tuple[str, ...] | None:
    """Return MESSAGE and its values if a callback failed for want of a `Document`, else None."""
    missing = _find_missing_arguments(str(exception)) if type(exception) is TypeError else None
    if missing is None or crawler.spider is None:
        return None
    name, arguments = missing.groups()
    for argument in re.findall(r"'(\w+)'", arguments):
        if _asks_for_document(crawler.spider, name, argument):
            advice = WITH_POET if _injects(crawler) else WITHOUT_POET
            return MESSAGE, type(crawler.spider).__qualname__, name, argument, advice
    return None


def _asks_for_document(spider: Spider, name: str, argument: str) -> bool:
    annotation: Any = getattr(getattr(spider, name, None), "__annotations__", {}).get(argument)
    if isinstance(annotation, str):  # of a module with `from __future__ import annotations`
        return _find_document(annotation) is not None
    return annotation is Document or Document in get_args(annotation)


def _injects(crawler: Crawler) -> bool:
    """Return whether scrapy-poet is enabled; without importing it."""
    poet = sys.modules.get("scrapy_poet")
    return (
        poet is not None and crawler.get_downloader_middleware(poet.InjectionMiddleware) is not None
    )
