"""Clean news pages as Scrapy crawls them.

Everything public is here; nothing heavy is imported before a name is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.extras import warn_of_namesake

if TYPE_CHECKING:
    from scrapy_boilerplate.crawl.addon import Addon
    from scrapy_boilerplate.crawl.callbacks import Extraction, boilerplate, boilerplate_async
    from scrapy_boilerplate.crawl.duplicates import BoilerplateDuplicatesPipeline
    from scrapy_boilerplate.crawl.exporters import (
        BoilerplateCsvItemExporter,
        BoilerplateXmlItemExporter,
    )
    from scrapy_boilerplate.crawl.middlewares import (
        BoilerplateDownloaderMiddleware,
        BoilerplateSpiderMiddleware,
    )
    from scrapy_boilerplate.crawl.pipelines import BoilerplatePipeline
    from scrapy_boilerplate.crawl.settings import SettingError
    from scrapy_boilerplate.crawl.spider.news_spider import NewsSpider
    from scrapy_boilerplate.document import Document, DocumentBlock
    from scrapy_boilerplate.extraction import extract
    from scrapy_boilerplate.extractors import EXTRACTORS, UnknownExtractorError
    from scrapy_boilerplate.items import ArticleItem
    from scrapy_boilerplate.joining import extract_pages
    from scrapy_boilerplate.page.labels import Label, Labeling
    from scrapy_boilerplate.page.limits import Limits
    from scrapy_boilerplate.page.page import Page
    from scrapy_boilerplate.steps.extractor import Extractor

__version__ = "0.1.0"

_HOMES = {
    "Addon": "crawl.addon",
    "ArticleItem": "items",
    "BoilerplateCsvItemExporter": "crawl.exporters",
    "BoilerplateDownloaderMiddleware": "crawl.middlewares",
    "BoilerplateDuplicatesPipeline": "crawl.duplicates",
    "BoilerplatePipeline": "crawl.pipelines",
    "BoilerplateSpiderMiddleware": "crawl.middlewares",
    "BoilerplateXmlItemExporter": "crawl.exporters",
    "Document": "document",
    "DocumentBlock": "document",
    "EXTRACTORS": "extractors",
    "Extraction": "crawl.callbacks",
    "Extractor": "steps.extractor",
    "Label": "page.labels",
    "Labeling": "page.labels",
    "Limits": "page.limits",
    "NewsSpider": "crawl.spider.news_spider",
    "Page": "page.page",
    "SettingError": "crawl.settings",
    "UnknownExtractorError": "extractors",
    "boilerplate": "crawl.callbacks",
    "boilerplate_async": "crawl.callbacks",
    "extract": "extraction",
    "extract_pages": "joining",
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
    "Extraction",
    "Extractor",
    "Label",
    "Labeling",
    "Limits",
    "NewsSpider",
    "Page",
    "SettingError",
    "UnknownExtractorError",
    "boilerplate",
    "boilerplate_async",
    "extract",
    "extract_pages",
]

warn_of_namesake()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
