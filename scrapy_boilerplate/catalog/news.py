"""The default extractor: a learnt step, then plain ones that decide."""

from __future__ import annotations

from collections.abc import Callable

from scrapy_boilerplate.catalog import own
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.models.news import NewsModel, parts_of
from scrapy_boilerplate.models.store import StoredModel
from scrapy_boilerplate.rules.container_names import ContainerNames
from scrapy_boilerplate.rules.lexicon import SUPPLEMENTAL
from scrapy_boilerplate.rules.other_labels import LabelsByContainer
from scrapy_boilerplate.rules.scored.articles import SeveralArticles
from scrapy_boilerplate.rules.scored.copies import RepeatedBody
from scrapy_boilerplate.rules.scored.expected_f1 import ExpectedF1Threshold, expected_f1
from scrapy_boilerplate.rules.scored.gaps import FillHoles, FillTables, SubHeadings
from scrapy_boilerplate.rules.scored.labels import (
    KINDS,
    BestOtherLabels,
    NamedCaptions,
    NamedComments,
    NamedContainers,
    OtherwiseBy,
)
from scrapy_boilerplate.segment.atomic import AtomicBlocks

BY_RULES = own.ROWS[0]
"""What decides where the model finds nothing: the container rule."""


def news_of(stored: Callable[[], StoredModel], favor: str = "balanced") -> Extractor:
    """The extractor `news` of a stored model; `favor` is one of `models.news.FAVORS`."""
    names = ContainerNames(
        (*KINDS, SUPPLEMENTAL)
    )  # one for three steps: each page is looked at once
    named = LabelsByContainer(kinds=KINDS, names=names)
    captions = LabelsByContainer(kinds=(SUPPLEMENTAL,), names=names)
    return Extractor(
        name="news",
        source="this project",
        summary="the default: whole articles and little else, in any language; learnt on news",
        segmenter=AtomicBlocks(),
        steps=(
            NewsModel(stored=stored, favor=favor),
            ExpectedF1Threshold(),
            FillHoles(),
            SubHeadings(),
            FillTables(),
            RepeatedBody(),
            SeveralArticles(),
            NamedComments(named=named),
            NamedCaptions(named=captions),
            OtherwiseBy(steps=BY_RULES.steps),
            BestOtherLabels(),
            NamedContainers(named=named),
        ),
        finish=(),  # its own steps tell the other labels apart
        confidence=expected_f1,
    )


def extractor_of(model: StoredModel) -> Extractor:
    """The extractor of a trained model. Raises ModelError for one that does not fit."""
    parts_of(model)
    return news_of(lambda: model)
