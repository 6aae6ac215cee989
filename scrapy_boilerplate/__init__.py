"""Clean news pages as Scrapy crawls them.

This module exports the public names and imports their modules on first use. `import_optional`
imports the packages of the extras.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

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
    from scrapy_boilerplate.crawl.parquet import (
        BoilerplateParquetItemExporter as BoilerplateParquetItemExporter,
    )
    from scrapy_boilerplate.crawl.pipelines import BoilerplatePipeline as BoilerplatePipeline
    from scrapy_boilerplate.crawl.postgres import PostgresPipeline as PostgresPipeline
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
    "BoilerplateParquetItemExporter": "crawl.parquet",
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
    "PostgresPipeline": "crawl.postgres",
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


DISTRIBUTION = "scrapy-boilerplate-removal"
# Start of the warning. Worker processes ignore it, because their parent shows it.
NAMESAKE_WARNING = "The project scrapy-boilerplate is installed"

# The folder of its metadata, as wheels, eggs and old versions of pip write it
_is_namesake = re.compile(
    r"scrapy[-_.]boilerplate-\d.*\.(?:dist|egg)-info", re.IGNORECASE
).fullmatch


class MissingExtraError(ImportError):
    """A package of an extra is not installed; the message says what to install."""


def import_optional(module: str, purpose: str, extra: str) -> Any:
    """Return the module `module`, which `purpose` needs. Raises MissingExtraError."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} needs {module.partition('.')[0]}: pip install '{DISTRIBUTION}[{extra}]'"
        ) from error


def is_installed(module: str) -> bool:
    """Return whether a module can be imported, without importing it."""
    return find_spec(module) is not None


def warn_of_namesake() -> None:
    """Warn if another installed project has a module `scrapy_boilerplate`.

    It lists the folders of `sys.path`, because importing `importlib.metadata` takes longer than
    importing this package.
    """
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - twice as fast
        except OSError:  # a path entry may be a zip file, or nothing
            continue
        if any(map(_is_namesake, names)):
            warnings.warn(
                f"{NAMESAKE_WARNING}, and its module has the same name as the module of "
                f"{DISTRIBUTION}: one hides the other. Run pip uninstall scrapy-boilerplate",
                stacklevel=3,
            )
            return


warn_of_namesake()
