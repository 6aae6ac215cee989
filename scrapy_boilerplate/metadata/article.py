"""All metadata of a labelled page."""

from __future__ import annotations

from scrapy_boilerplate.label import Labeling
from scrapy_boilerplate.metadata.fields import Metadata
from scrapy_boilerplate.metadata.headline import headline_of
from scrapy_boilerplate.page import Page


def metadata_of(page: Page, labeling: Labeling) -> Metadata:
    """What the page says of itself; any page gives a record."""
    return Metadata(headline=headline_of(page, labeling), language=page.language)
