"""Every trainer by the name of what it trains; importing this loads none of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

from scrapy_boilerplate.models.store import StoredModel
from scrapy_boilerplate.training.examples import Progress
from scrapy_boilerplate.training.gold import Gold


@dataclass(frozen=True, kw_only=True)
class Trainer:
    """The function ``train`` of the module `module` of this package, with `options`.

    It takes pages (as many of them as it can learn from), a seed, and a progress bar for the pages;
    the same pages and seed give the same model. It raises CorpusError if there is nothing to learn
    from, and MissingExtraError without the packages it needs. `summary` is one line for users.
    """

    module: str
    summary: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
        """The trained model."""
        train = import_module(f"{__name__}.{self.module}").train
        model: StoredModel = train(pages, seed, progress, **self.options)
        return model


TRAINERS: Mapping[str, Trainer] = MappingProxyType(
    {
        "news": Trainer(module="news", summary="the default: small convolutional net over blocks"),
        "c48": Trainer(module="c48", summary="decision tree, content or not (Kohlschuetter 2010)"),
        "c48-4": Trainer(
            module="c48",
            summary="decision tree, the paper's four classes (needs annotated_html)",
            options={"classes": 4},
        ),
        "c48-6": Trainer(
            module="c48",
            summary="decision tree, all six labels (needs annotated_html)",
            options={"classes": 6},
        ),
        "article": Trainer(
            module="article",
            summary="article page or not, no extractor (needs page_type)",
        ),
    }
)
"""Name to trainer, in the order in which they are listed."""
