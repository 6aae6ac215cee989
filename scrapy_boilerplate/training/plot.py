"""Ranked-score curves: the pages of each extractor from worst to best (2010, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from scrapy_boilerplate.extractors import EXTRACTORS
from scrapy_boilerplate.report.palette import CURVES
from scrapy_boilerplate.training.evaluation import Score
from scrapy_boilerplate.training.extras import optional

INCHES_A_CORPUS = (7.0, 5.0)
DASHES: tuple[Any, ...] = (
    "solid",
    "dashed",
    "dotted",
    "dashdot",
    (0, (8, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
)


def style_of(extractor: str) -> dict[str, Any]:
    """Colour and dashes of a curve: of an extractor the same in every picture.

    Its place in the catalog decides, so that the first 42 differ; of one that is not in the catalog
    the hash of its name.
    """
    names = list(EXTRACTORS)
    known = extractor in names
    number = names.index(extractor) if known else crc32(extractor.encode())
    dashes = DASHES[number // len(CURVES) % len(DASHES)]
    return {"color": CURVES[number % len(CURVES)], "linestyle": dashes}


def plot_ranked(scores: Mapping[str, Sequence[Score]], file: Path) -> None:
    """Write a picture with a panel for each corpus and a curve for each extractor.

    `scores` maps the name of a corpus to scores by a metric that ranks pages. Raises
    MissingExtraError without matplotlib.
    """
    matplotlib = optional("matplotlib", "--plot")
    matplotlib.use("Agg")
    plots = optional("matplotlib.pyplot", "--plot")
    width, height = INCHES_A_CORPUS
    figure, panels = plots.subplots(
        1, len(scores), figsize=(width * len(scores), height), squeeze=False, layout="constrained"
    )
    for panel, (corpus, of_corpus) in zip(panels[0], scores.items(), strict=True):
        for score in of_corpus:
            if score.metric.ranked is not None:
                curve = np.sort(score.metric.ranked(score.rows))
                mean = f"{score.extractor} ({score.main} {score.figures[score.main]:.3f})"
                style = style_of(score.extractor)
                panel.plot(np.arange(1, len(curve) + 1), curve, label=mean, **style)
        panel.set(title=corpus, xlabel="pages, worst first", ylim=(0, 1.02))
        panel.set_ylabel(f"{of_corpus[0].metric.name}, {of_corpus[0].main} of a page")
        panel.grid(alpha=0.3)
        panel.legend(loc="lower right", fontsize="small")
    figure.savefig(file)
    plots.close(figure)
