"""The default extractor: a learnt step, then plain ones that decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.news import container as own
from scrapy_boilerplate.news.gaps import FillHoles, FillTables, SubHeadings
from scrapy_boilerplate.news.model import NewsModel, parts_of
from scrapy_boilerplate.news.named_containers import (
    KINDS,
    BestOtherLabels,
    NamedCaptions,
    NamedComments,
    NamedContainers,
    OtherwiseBy,
)
from scrapy_boilerplate.news.repeated_body import RepeatedBody
from scrapy_boilerplate.news.several_articles import SeveralArticles
from scrapy_boilerplate.news.threshold import ExpectedF1Threshold, expected_f1
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.steps.container_names import SUPPLEMENTAL, ContainerNames
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import StoredModel, shipped
from scrapy_boilerplate.steps.other_labels import LabelsByContainer

BY_RULES = own.ROWS[0]
"""What decides where the model finds nothing: the container rule."""


def news_of(stored: Callable[[], StoredModel], favor: str = "balanced") -> Extractor:
    """The extractor `news` of a stored model; `favor` is one of `news.model.FAVORS`."""
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


MODELS = Path(__file__).parent / "models"
"""The stored models of this folder."""

ROWS: tuple[Extractor, ...] = (news_of(partial(shipped, MODELS / "news")),)

MAKERS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType({"news": extractor_of})
"""Kind of a stored model to the maker of its extractor, which raises ModelError for a model that
does not fit."""
