"""Trains `news`: word weights, then the net over the features of the blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.news.features.names import WordWeights
from scrapy_boilerplate.news.features.table import COLUMNS, news_features
from scrapy_boilerplate.news.model import WORDS, NewsParts, parts_of
from scrapy_boilerplate.news.net import Floats, SequenceNet, arrays_of
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.training.corpora import CorpusError
from scrapy_boilerplate.training.examples import Progress
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.news.net import NetPage, train_net
from scrapy_boilerplate.training.news.targets import NewsExample, news_example
from scrapy_boilerplate.training.news.words import fit_words, fit_words_crosswise

BODY_ONLY, BODY_AND_MORE = "fundus", "wcxb"
"""The corpora whose conventions are asked for: body text alone, and with lists and closing lines
(LEARNING.md, the recipe, 2)."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Pages as the net learns them, and the word weights that their rows, and the model, use."""

    pages: Sequence[NetPage]
    words: WordWeights
    conventions: Sequence[str]


def train(
    pages: Sequence[Gold], seed: int, progress: Progress = iter, *, start: StoredModel | None = None
) -> StoredModel:
    """The model of the pages that have a gold text or snippets.

    It goes on from `start`, another model of `news`, with that one's word weights. Raises
    CorpusError if there is nothing to learn from, ModelError if `start` is no such model.
    """
    before = _one_convention(parts_of(start)) if start else None
    prepared = prepare(examples_of(pages, progress), before.words if before else None)
    return trained(prepared, seed, progress, start=before.net if before else None)


def examples_of(pages: Sequence[Gold], progress: Progress = iter) -> list[NewsExample]:
    """The examples of the pages that have something to learn from."""
    found = [news_example(gold) for gold in progress(pages)]
    return [example for example in found if example is not None]


def prepare(examples: Sequence[NewsExample], words: WordWeights | None = None) -> Prepared:
    """Word weights (or those given) and features. Raises CorpusError without any full text."""
    if not any(np.nanmax(example.content, initial=0.0) > 0 for example in examples):
        raise CorpusError("nothing to learn from: no page has blocks and a gold text that fits it")
    conventions = sorted({example.convention for example in examples})
    crosswise = [words] * len(examples) if words else fit_words_crosswise(examples)
    pairs = zip(examples, crosswise, strict=True)
    pages = [_net_page(example, of, conventions) for example, of in pairs]
    return Prepared(pages, words or fit_words(examples), conventions)


def trained(
    prepared: Prepared,
    seed: int,
    progress: Progress = iter,
    *,
    without: Collection[str] = (),
    start: SequenceNet | None = None,
) -> StoredModel:
    """The model of prepared pages; it ignores the columns `without`, and goes on from `start`."""
    ignored = [number for number, name in enumerate(COLUMNS) if name in without]
    pages = [replace(page, rows=_zeroed(page.rows, ignored)) for page in prepared.pages]
    net = train_net(pages, len(prepared.conventions), seed, progress, start)
    net.inputs[:, ignored] = 0.0
    return _stored(net, prepared, seed)


def _zeroed(rows: FloatArray | Floats, columns: Sequence[int]) -> FloatArray | Floats:
    if not columns:
        return rows
    changed = rows.copy()
    changed[:, columns] = 0.0
    return changed


def _one_convention(parts: NewsParts) -> NewsParts:
    """The same with one output for full text: what `balanced` asks for."""
    mix = parts.favors["balanced"]
    outputs, bias = parts.net.outputs, parts.net.output_bias
    shares, n = mix.astype(outputs.dtype), len(mix)
    net = replace(
        parts.net,
        outputs=np.concatenate(((outputs[..., :n] @ shares)[..., None], outputs[..., n:]), axis=-1),
        output_bias=np.concatenate(((bias[:, :n] @ shares)[:, None], bias[:, n:]), axis=-1),
    )
    return replace(parts, net=net, favors={})


def _stored(net: SequenceNet, prepared: Prepared, seed: int) -> StoredModel:
    words = prepared.words
    weights = {f"{of}_weights": _float16(getattr(words, of).values()) for of in WORDS}
    facts = {
        "seed": seed,
        "conventions": list(prepared.conventions),
        "favors": favors(prepared.conventions),
        **{f"{of}_words": list(getattr(words, of)) for of in WORDS},
    }
    arrays = {**arrays_of(net), **weights}
    return StoredModel(kind="news", columns=tuple(COLUMNS), facts=facts, arrays=arrays)


def _float16(numbers: Iterable[float]) -> NDArray[np.float16]:
    return np.array(list(numbers), dtype=np.float16)


def favors(conventions: Sequence[str]) -> dict[str, dict[str, float]]:
    """What `balanced`, `precision` and `recall` ask for; all the same where the corpora that tell
    them apart are missing."""
    if not {BODY_ONLY, BODY_AND_MORE} <= set(conventions):
        return dict.fromkeys(("balanced", "precision", "recall"), _all(conventions))
    return {
        "balanced": {BODY_ONLY: 0.5, BODY_AND_MORE: 0.5},
        "precision": {BODY_ONLY: 1.0},
        "recall": {BODY_AND_MORE: 1.0},
    }


def _all(conventions: Sequence[str]) -> dict[str, float]:
    return dict.fromkeys(conventions, 1.0 / len(conventions))


def _net_page(example: NewsExample, words: WordWeights, conventions: Sequence[str]) -> NetPage:
    return NetPage(
        rows=news_features(example.facts, words),
        content=example.content,
        labels=example.labels,
        weight=example.weight,
        convention=conventions.index(example.convention),
        six_labels=example.six_labels,
    )
