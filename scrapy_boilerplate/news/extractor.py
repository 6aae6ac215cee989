"""The default extractor `news`: its steps, in the order they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.news.container import CONTAINER
from scrapy_boilerplate.news.content import (
    ExpectedF1Threshold,
    FallbackSteps,
    NamedContainers,
    RepeatedBody,
    SeveralArticles,
    compute_confidence,
)
from scrapy_boilerplate.news.model import NewsModel, read_parts
from scrapy_boilerplate.news.other_labels import BestOtherLabels, NamedBoilerplate
from scrapy_boilerplate.news.tails import Tails
from scrapy_boilerplate.news.units import WholeUnits
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.steps.extractor import Extractor, build_trained
from scrapy_boilerplate.steps.model_store import ModelLoader, StoredModel, load_shipped


def build_news(load_model: ModelLoader, favor: str = "balanced") -> Extractor:
    """Return the extractor `news`; `favor` is one of `steps.extractor.FAVORS`.

    `load_model` is called when the first page comes.
    """
    return Extractor(
        name="news",
        source="this project",
        summary="the default: whole articles and little else, in any language; learned from news",
        segmenter=AtomicBlocks(),
        steps=(
            NewsModel(load_model=load_model, favor=favor),
            ExpectedF1Threshold(),
            NamedContainers(),
            RepeatedBody(),
            SeveralArticles(),
            FallbackSteps(steps=CONTAINER.steps),
            WholeUnits(),
            Tails(),
            BestOtherLabels(),
            NamedBoilerplate(),
        ),
        finish=(),  # its own steps set the other labels
        confidence=compute_confidence,
        uses_site=False,
    )


# The folder of the stored models.
MODELS = Path(__file__).parent / "models"

ROWS: tuple[Extractor, ...] = (
    build_news(partial(load_shipped, MODELS / "news")),
    replace(
        build_news(partial(load_shipped, MODELS / "news-permissive")),
        name="news-permissive",
        summary="news, learned only from corpora with permissive licences",
    ),
)

# Kind of a stored model to the function that makes its extractor and raises ModelError for a model
# that does not fit.
MAKERS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType(
    {"news": partial(build_trained, ROWS[0], read_parts)}
)
