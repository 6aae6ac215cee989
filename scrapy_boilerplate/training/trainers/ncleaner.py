"""Trains `ncleaner`: counts of three characters in a row, in clean and in dirty text."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.systems.ncleaner import SIDES, Alphabet, count_trigrams, is_dirty
from scrapy_boilerplate.training.alignment import UNKNOWN, compute_block_labels
from scrapy_boilerplate.training.corpora import CorpusError
from scrapy_boilerplate.training.examples import Progress
from scrapy_boilerplate.training.gold import Gold, has_gold_text

# size of the alphabet of a model, the most frequent characters: as many as printable ASCII has
LETTERS = 96


def train_ncleaner(pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
    """Return the two models. Training is not random: every `seed` gives the same models."""
    texts: dict[str, list[str]] = {name: [] for name in SIDES}
    for gold in progress(pages):
        if has_gold_text(gold.labelled):
            page = AtomicBlocks()(gold.page)
            for text, label in zip(
                page.texts, compute_block_labels(page, gold.leaf_labels), strict=True
            ):
                if label != UNKNOWN and not is_dirty(text):
                    texts["dirty" if label == Label.BOILERPLATE else "clean"].append(text)
    if not all(texts.values()):
        raise CorpusError(
            "no page to train on: ncleaner needs a gold text, and blocks inside and outside of it"
        )
    characters = Counter(" ")
    for text in texts["clean"] + texts["dirty"]:
        characters.update(text)
    del characters[" "]
    ranked = sorted(characters, key=lambda character: (-characters[character], character))
    alphabet = Alphabet(" " + "".join(sorted(ranked[: LETTERS - 1])))
    arrays: dict[str, NDArray[Any]] = {}
    for name in SIDES:
        counts = count_trigrams(texts[name], alphabet)
        trigrams = np.flatnonzero(counts)
        arrays[f"{name}_trigrams"] = trigrams.astype(np.uint32)
        arrays[f"{name}_counts"] = counts[trigrams].astype(np.uint32)
    return StoredModel(
        kind="ncleaner",
        columns=(),
        facts={"alphabet": alphabet.characters, "seed": seed},
        arrays=arrays,
    )
