"""The add-on: one line in ``ADDONS`` enables every component."""

from __future__ import annotations

from scrapy.settings import BaseSettings

from scrapy_boilerplate import is_installed
from scrapy_boilerplate.crawl.exporters import (
    BoilerplateCsvItemExporter,
    BoilerplateXmlItemExporter,
)
from scrapy_boilerplate.crawl.middlewares import (
    BoilerplateDownloaderMiddleware,
    BoilerplateSpiderMiddleware,
)
from scrapy_boilerplate.crawl.parquet import BoilerplateParquetItemExporter
from scrapy_boilerplate.crawl.pipelines import BoilerplatePipeline
from scrapy_boilerplate.crawl.settings import is_enabled

COMPONENTS = (
    # After retry (550), redirects and decompression, before scrapy-poet (543).
    ("DOWNLOADER_MIDDLEWARES", BoilerplateDownloaderMiddleware, 547),
    # The spider middleware is the last, the pipeline the first: no component replaces items between
    # them, and other pipelines find the fields. Scrapy's own orders start at 25.
    ("SPIDER_MIDDLEWARES", BoilerplateSpiderMiddleware, -1_000),
    ("ITEM_PIPELINES", BoilerplatePipeline, -1_000),
)
# An order among scrapy-poet's own providers (400 to 1000), which do not depend on it
PROVIDER = ("SCRAPY_POET_PROVIDERS", 550)
EXPORTERS = {
    "csv": BoilerplateCsvItemExporter,
    "xml": BoilerplateXmlItemExporter,
    "parquet": BoilerplateParquetItemExporter,
}


class Addon:
    """Enables all components: ``ADDONS = {"scrapy_boilerplate.Addon": 500}``.

    Components and exporters that a project sets itself are kept. Where scrapy-poet is installed,
    a provider is added to its providers; it does nothing unless scrapy-poet is enabled.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Enable the components, which read the other settings. Raises SettingError."""
        if not is_enabled(settings):
            return
        for setting, component, order in COMPONENTS:
            settings.setdefault_in_component_priority_dict(setting, component, order)
        for name, exporter in EXPORTERS.items():
            if name not in settings["FEED_EXPORTERS"]:
                settings["FEED_EXPORTERS"].set(name, exporter, "addon")
        if is_installed("scrapy_poet"):
            from scrapy_boilerplate.crawl.provider import DocumentProvider  # noqa: PLC0415

            setting, order = PROVIDER
            settings.setdefault_in_component_priority_dict(setting, DocumentProvider, order)
