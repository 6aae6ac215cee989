"""The default extractor `news`: its steps, in the order they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.news.container import CONTAINER
from scrapy_boilerplate.news.content import (
    ExpectedF1Threshold,
    FallbackSteps,
    FillHoles,
    FillTables,
    SubHeadings,
    compute_confidence,
)
from scrapy_boilerplate.news.left_out import (
    DistantContent,
    NamedContent,
    NamedDialogs,
    RepeatedBody,
    SeveralArticles,
    TextInputs,
)
from scrapy_boilerplate.news.live_blog import LiveEntries
from scrapy_boilerplate.news.model import NewsModel, read_parts
from scrapy_boilerplate.news.other_labels import (
    CONTAINER_KINDS,
    BestOtherLabels,
    HeadedComments,
    LeadingByline,
    NamedComments,
    RelabelledBoilerplate,
)
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.steps.extractor import Extractor, build_trained
from scrapy_boilerplate.steps.model_store import ModelLoader, StoredModel, load_shipped
from scrapy_boilerplate.steps.named_containers import (
    DIALOGS,
    NOTES,
    SUPPLEMENTAL,
    ContainerFinder,
    LabelsByContainer,
)


def build_news(load_model: ModelLoader, favor: str = "balanced") -> Extractor:
    """Return the extractor `news`; `favor` is one of `news.model.FAVORS`.

    `load_model` is called when the first page comes.
    """
    # one for all steps: each page is looked at once
    finder = ContainerFinder((*CONTAINER_KINDS, SUPPLEMENTAL, DIALOGS, NOTES))
    container_labels = LabelsByContainer(kinds=CONTAINER_KINDS, finder=finder)
    caption_labels = LabelsByContainer(kinds=(SUPPLEMENTAL,), finder=finder)
    dialog_labels = LabelsByContainer(kinds=(DIALOGS,), finder=finder)
    note_labels = LabelsByContainer(kinds=(NOTES,), finder=finder)
    return Extractor(
        name="news",
        source="this project",
        summary="the default: whole articles and little else, in any language; learnt on news",
        segmenter=AtomicBlocks(),
        steps=(
            NewsModel(load_model=load_model, favor=favor),
            ExpectedF1Threshold(),
            TextInputs(),
            FillHoles(),
            SubHeadings(),
            FillTables(),
            RepeatedBody(),
            SeveralArticles(),
            LiveEntries(),
            NamedDialogs(container_labels=dialog_labels),
            NamedComments(container_labels=container_labels),
            HeadedComments(),
            NamedContent(container_labels=caption_labels, name="named-captions"),
            LeadingByline(),
            NamedContent(container_labels=note_labels, name="named-notes"),
            DistantContent(),
            FallbackSteps(steps=CONTAINER.steps),
            BestOtherLabels(container_labels=container_labels),
            RelabelledBoilerplate(container_labels=container_labels),
        ),
        finish=(),  # its own steps tell the other labels apart
        confidence=compute_confidence,
    )


MODELS = Path(__file__).parent / "models"
"""The stored models of this folder."""

ROWS: tuple[Extractor, ...] = (build_news(partial(load_shipped, MODELS / "news")),)

MAKERS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType(
    {"news": partial(build_trained, ROWS[0], read_parts)}
)
"""Kind of a stored model to the maker of its extractor, which raises ModelError for a model that
does not fit."""
