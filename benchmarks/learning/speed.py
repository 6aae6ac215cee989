"""Cost of the model step and of loading, for pages of about 250 blocks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from benchmarks.corpora import corpus_file
from benchmarks.learning.section import Section
from benchmarks.markdown import format_table
from scrapy_boilerplate.extractors import EXTRACTORS, find_model_folder
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.model_store import load_model
from scrapy_boilerplate.systems.common.classifier import BlockClassifier
from scrapy_boilerplate.systems.common.features import build_matrix
from scrapy_boilerplate.systems.texrex.features import TEXREX
from scrapy_boilerplate.systems.texrex.mlp import NetByLanguage
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.gold import read_gold

# blocks that the model step is given, rounds whose best counts, and pages of fundus
BLOCKS = 250
ROUNDS = 200
PAGES = 20
NAMES = ("c48", "c48-4", "c48-6", "svm", "svm-4", "svm-6", "mlp")


def measure(corpora: Path) -> Section:
    """Return the milliseconds of each model."""
    pages = [read_gold(page).page for page in read_pages(corpus_file(corpora, "fundus"), PAGES)]
    rows = [["extractor", "KB on disk", "loading, ms", "model step, ms", "features, ms a page"]]
    for name in NAMES:
        size = sum(file.stat().st_size for file in (find_model_folder(name)).iterdir()) / 1000
        times = _measure_times(name, pages)
        rows.append([name, f"{size:.0f}", *(f"{time:.2f}" for time in times)])
    return Section(format_table(rows))


def _measure_times(name: str, pages: list[Page]) -> tuple[float, float, float]:
    """Return milliseconds of loading, of the model step, and of a page's features."""
    extractor = EXTRACTORS[name]
    segmented = [extractor.segmenter(page) for page in pages]
    model, features = _find_model(extractor, segmented[0])
    blocks = np.concatenate([features(page) for page in segmented])[:BLOCKS]
    return (
        _measure_best_milliseconds(lambda: load_model(find_model_folder(name)), 10),
        _measure_best_milliseconds(lambda: model(blocks), ROUNDS),
        _measure_best_milliseconds(lambda: [features(page) for page in segmented], 3) / len(pages),
    )


def _find_model(
    extractor: Extractor, page: Page
) -> tuple[Callable[[FloatArray], FloatArray], Callable[[Page], FloatArray]]:
    step = extractor.steps[0]
    if isinstance(step, NetByLanguage):
        return step.net_for(page), lambda page: build_matrix(TEXREX, page.with_blocks(page.blocks))
    if not isinstance(step, BlockClassifier):
        raise TypeError(f"{extractor.name} is no classifier of blocks")
    classifier, _ = step.read_model(step.load_model())
    # without the columns that were derived before
    return classifier, lambda page: build_matrix(step.features, page.with_blocks(page.blocks))


def _measure_best_milliseconds(task: Callable[[], object], rounds: int) -> float:
    """Return the CPU milliseconds of the best of some rounds."""
    best = float("inf")
    for _ in range(rounds):
        start, wall = process_time(), perf_counter()
        task()
        best = min(best, process_time() - start or perf_counter() - wall)
    return 1000 * best
