"""Clean news pages as Scrapy crawls them.

Everything public is here; nothing heavy is imported before a name is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy_boilerplate.crawl.addon import Addon
    from scrapy_boilerplate.crawl.analysis import boilerplate, boilerplate_async
    from scrapy_boilerplate.crawl.downloader import BoilerplateDownloaderMiddleware
    from scrapy_boilerplate.crawl.duplicates import BoilerplateDuplicatesPipeline
    from scrapy_boilerplate.crawl.exporters import (
        BoilerplateCsvItemExporter,
        BoilerplateXmlItemExporter,
    )
    from scrapy_boilerplate.crawl.pipeline import BoilerplatePipeline
    from scrapy_boilerplate.crawl.spider import BoilerplateSpiderMiddleware
    from scrapy_boilerplate.crawl.wrong import SettingError
    from scrapy_boilerplate.document import Document, DocumentBlock
    from scrapy_boilerplate.extraction import extract
    from scrapy_boilerplate.extractors import EXTRACTORS, UnknownExtractorError
    from scrapy_boilerplate.items import ArticleItem
    from scrapy_boilerplate.page.labels import Label, Labeling
    from scrapy_boilerplate.page.limits import Limits
    from scrapy_boilerplate.page.page import Page
    from scrapy_boilerplate.steps.extractor import Extractor

__version__ = "0.1.0"

_HOMES = {
    "Addon": "crawl.addon",
    "ArticleItem": "items",
    "BoilerplateCsvItemExporter": "crawl.exporters",
    "BoilerplateDownloaderMiddleware": "crawl.downloader",
    "BoilerplateDuplicatesPipeline": "crawl.duplicates",
    "BoilerplatePipeline": "crawl.pipeline",
    "BoilerplateSpiderMiddleware": "crawl.spider",
    "BoilerplateXmlItemExporter": "crawl.exporters",
    "Document": "document",
    "DocumentBlock": "document",
    "EXTRACTORS": "extractors",
    "Extractor": "steps.extractor",
    "Label": "page.labels",
    "Labeling": "page.labels",
    "Limits": "page.limits",
    "Page": "page.page",
    "SettingError": "crawl.wrong",
    "UnknownExtractorError": "extractors",
    "boilerplate": "crawl.analysis",
    "boilerplate_async": "crawl.analysis",
    "extract": "extraction",
}

__all__ = [
    "EXTRACTORS",
    "Addon",
    "ArticleItem",
    "BoilerplateCsvItemExporter",
    "BoilerplateDownloaderMiddleware",
    "BoilerplateDuplicatesPipeline",
    "BoilerplatePipeline",
    "BoilerplateSpiderMiddleware",
    "BoilerplateXmlItemExporter",
    "Document",
    "DocumentBlock",
    "Extractor",
    "Label",
    "Labeling",
    "Limits",
    "Page",
    "SettingError",
    "UnknownExtractorError",
    "boilerplate",
    "boilerplate_async",
    "extract",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
