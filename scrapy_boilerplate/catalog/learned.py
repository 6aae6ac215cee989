"""Extractors with learnt weights: which kind of stored model makes which extractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType

from scrapy_boilerplate.catalog import own
from scrapy_boilerplate.catalog.rows import FINISH, by_steps
from scrapy_boilerplate.extractor import Extractor, Step
from scrapy_boilerplate.features import shallow
from scrapy_boilerplate.models.c48 import tree_of
from scrapy_boilerplate.models.classifier import BlockClassifier, class_labels
from scrapy_boilerplate.models.news import NewsModel, parts_of
from scrapy_boilerplate.models.shipped import shipped
from scrapy_boilerplate.models.store import MANIFEST, ModelError, StoredModel, load_model
from scrapy_boilerplate.rules.other_labels import LabelsByContainer
from scrapy_boilerplate.rules.scored.articles import SeveralArticles
from scrapy_boilerplate.rules.scored.copies import RepeatedBody
from scrapy_boilerplate.rules.scored.expected_f1 import ExpectedF1Threshold, expected_f1
from scrapy_boilerplate.rules.scored.gaps import FillHoles, SubHeadings
from scrapy_boilerplate.rules.scored.labels import BestOtherLabels, OtherwiseBy
from scrapy_boilerplate.segment.atomic import AtomicBlocks

EXTRACTOR_OF_RULES = own.ROWS[0]
"""What decides where a model finds nothing: the container rule."""

KEPT = 4
"""Trained models that are kept loaded."""

Stored = Callable[[], StoredModel]
"""Gives a model when the first page asks for it."""


def _c48(stored: Stored) -> BlockClassifier:
    return BlockClassifier(name="c48", stored=stored, features=shallow.LOCAL, make=tree_of)


def _shallow(step: BlockClassifier, name: str, classes: int) -> Extractor:
    """A classifier of 2010's features; it decides all the labels that it knows itself."""
    finish: Mapping[int, tuple[Step, ...]] = {2: FINISH, 4: (LabelsByContainer(),)}
    summary = {2: "text or not", 4: "text, headline and captions", 6: "all six labels"}
    return by_steps(
        name,
        "Kohlschuetter et al. 2010, section 4.3.1",
        f"{ {'c48': 'decision tree'}[step.name] } over shallow text features: "
        f"{summary.get(classes, 'its own labels')}; learnt on news of 2008",
        step,
        finish=finish.get(classes, ()),
    )


def news_of(stored: Stored, favor: str = "balanced") -> Extractor:
    """The extractor `news` of a stored model; `favor` is one of `models.news.FAVORS`."""
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
            RepeatedBody(),
            SeveralArticles(),
            OtherwiseBy(steps=EXTRACTOR_OF_RULES.steps),
            BestOtherLabels(),
        ),
        finish=(),  # its own steps tell the other labels apart
        confidence=expected_f1,
    )


def _from_news(model: StoredModel) -> Extractor:
    parts_of(model)
    return news_of(lambda: model)


def _from_c48(model: StoredModel) -> Extractor:
    step = _c48(lambda: model)
    step.checked(model)
    return _shallow(step, "c48", len(class_labels(model)))


KINDS: Mapping[str, Callable[[StoredModel], Extractor]] = MappingProxyType(
    {"c48": _from_c48, "news": _from_news}
)
"""Kind of a stored model to the maker of its extractor, which raises ModelError for one that does
not fit."""

ROWS: tuple[Extractor, ...] = (
    news_of(partial(shipped, "news")),
    _shallow(_c48(partial(shipped, "c48")), "c48", 2),
    _shallow(_c48(partial(shipped, "c48-4")), "c48-4", 4),
    _shallow(_c48(partial(shipped, "c48-6")), "c48-6", 6),
)


def extractor_from(folder: Path) -> Extractor:
    """The extractor that a trained model in `folder` makes. Raises ModelError.

    The last few are kept, until their files change: requests can name a model each.
    """
    manifest = folder / MANIFEST
    changed = manifest.stat().st_mtime_ns if manifest.is_file() else 0
    return _extractor_from(folder, changed)


@lru_cache(maxsize=KEPT)
def _extractor_from(folder: Path, _changed: int) -> Extractor:
    model = load_model(folder)
    if model.kind not in KINDS:
        raise ModelError(
            f"{folder} holds a model of the kind {model.kind!r}; this version knows: "
            f"{', '.join(KINDS)}; update scrapy_boilerplate or train it anew"
        )
    return KINDS[model.kind](model)
