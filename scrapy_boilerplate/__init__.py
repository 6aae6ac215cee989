"""Clean news pages as Scrapy crawls them.

This module exports the public names and imports their modules on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.extras import MissingExtraError as MissingExtraError
from scrapy_boilerplate.extras import warn_of_namesake

if TYPE_CHECKING:
    from scrapy_boilerplate.crawl.addon import Addon as Addon
    from scrapy_boilerplate.crawl.callbacks import Extraction as Extraction
    from scrapy_boilerplate.crawl.callbacks import boilerplate as boilerplate
    from scrapy_boilerplate.crawl.callbacks import boilerplate_async as boilerplate_async
    from scrapy_boilerplate.crawl.duplicates import (
        BoilerplateDuplicatesPipeline as BoilerplateDuplicatesPipeline,
    )
    from scrapy_boilerplate.crawl.exporters import (
        BoilerplateCsvItemExporter as BoilerplateCsvItemExporter,
    )
    from scrapy_boilerplate.crawl.exporters import (
        BoilerplateXmlItemExporter as BoilerplateXmlItemExporter,
    )
    from scrapy_boilerplate.crawl.middlewares import (
        BoilerplateDownloaderMiddleware as BoilerplateDownloaderMiddleware,
    )
    from scrapy_boilerplate.crawl.middlewares import (
        BoilerplateSpiderMiddleware as BoilerplateSpiderMiddleware,
    )
    from scrapy_boilerplate.crawl.pipelines import BoilerplatePipeline as BoilerplatePipeline
    from scrapy_boilerplate.crawl.settings import SettingError as SettingError
    from scrapy_boilerplate.crawl.spider.news_spider import NewsSpider as NewsSpider
    from scrapy_boilerplate.document import Document as Document
    from scrapy_boilerplate.document import DocumentBlock as DocumentBlock
    from scrapy_boilerplate.extraction import extract as extract
    from scrapy_boilerplate.extractors import EXTRACTORS as EXTRACTORS
    from scrapy_boilerplate.extractors import UnknownExtractorError as UnknownExtractorError
    from scrapy_boilerplate.items import ArticleItem as ArticleItem
    from scrapy_boilerplate.joining import extract_pages as extract_pages
    from scrapy_boilerplate.page.labels import Label as Label
    from scrapy_boilerplate.page.labels import Labeling as Labeling
    from scrapy_boilerplate.page.limits import Limits as Limits
    from scrapy_boilerplate.page.page import Page as Page
    from scrapy_boilerplate.steps.extractor import Extractor as Extractor

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

__all__ = list(_HOMES)
__all__ += ["MissingExtraError"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


warn_of_namesake()
