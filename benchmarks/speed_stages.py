"""Where the time of `news` goes, stage by stage, and what lxml charges for the facts it needs."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
from lxml import etree

from scrapy_boilerplate.document import build_document
from scrapy_boilerplate.extractors import EXTRACTORS, model_folder
from scrapy_boilerplate.metadata.article import metadata_of
from scrapy_boilerplate.news.features.facts import Facts
from scrapy_boilerplate.news.features.table import news_features
from scrapy_boilerplate.news.model import NewsModel, label_scores, parts_of
from scrapy_boilerplate.page.declared import declared_by
from scrapy_boilerplate.page.labels import FloatArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import shipped

Timed = Callable[..., Any]
"""(times, name, task, *inputs) -> what the task gives."""

PARTS = parts_of(shipped(model_folder("news")))


def stage_times(times: dict[str, float], timed: Timed, html: bytes, url: str | None) -> None:
    """Add the seconds of each stage of `news` for one page."""
    news = EXTRACTORS["news"]
    tree = timed(times, "stage: tree (decode, parsel)", tree_of, html)
    timed(times, "stage: of reading, declared facts", declared_by, [tree])
    page = timed(times, "stage: reading, declared facts included", read_page, tree, url)
    page = timed(times, "stage: blocks", news.segmenter, page)
    timed(times, "stage: texts of blocks", attrgetter("texts"), page)
    timed(times, "stage: words", attrgetter("words", "link_density"), page)
    labeling = Labeling.blank(len(page))
    if len(page):
        rows = timed(times, "stage: features", lambda: news_features(Facts(page), PARTS.words))
        scores = timed(times, "stage: net", _scored, rows)
        labeling = labeling.predict(np.zeros(len(page), dtype=np.int64), scores, "net")
        labeling = timed(times, "stage: steps that decide", _decided, news, page, labeling)
    timed(times, "stage: of the document, metadata", metadata_of, page, labeling)
    timed(times, "stage: document, metadata included", _document, page, labeling)


def _scored(rows: FloatArray) -> FloatArray:
    return label_scores(PARTS.net(rows).astype(np.float64), PARTS.favors["balanced"])


def _decided(news: Extractor, page: Page, labeling: Labeling) -> Labeling:
    for step in news.steps:
        if not isinstance(step, NewsModel):
            labeling = step(page, labeling)
    return labeling


def _document(page: Page, labeling: Labeling) -> object:
    return build_document(page, labeling, extractor="news", confidence=0.0)


def floor_times(times: dict[str, float], timed: Timed, html: bytes) -> None:
    """Add the seconds of the least that any reader in Python asks of lxml for one page."""
    for name, task in FLOOR.items():
        timed(times, f"lxml: {name}", task, tree_of(html))


def _visit(tree: etree._Element) -> None:
    for _ in tree.iter():
        pass


def _texts(tree: etree._Element) -> None:
    for node in tree.iter():
        _ = node.tag, node.text, node.tail


def _facts(tree: etree._Element) -> None:
    for _, node in etree.iterwalk(tree, events=("start", "end")):
        _ = node.tag, node.text, node.tail


def _names(tree: etree._Element) -> None:
    for node in tree.iter("*"):
        _ = node.get("class"), node.get("id"), node.get("role")


FLOOR: dict[str, Callable[[etree._Element], None]] = {
    "visiting every node (iter)": _visit,
    "that, and tag, text, tail": _texts,
    "start and end of every element (iterwalk), tag, text, tail": _facts,
    "visiting every element, and class, id, role": _names,
}
