"""Extractors of this project."""

from __future__ import annotations

from scrapy_boilerplate.catalog.rows import by_rules
from scrapy_boilerplate.extractor import Extractor
from scrapy_boilerplate.rules.boilerpipe.classifiers import NumberOfWordsRules
from scrapy_boilerplate.rules.container import BestContainers, FillContainers
from scrapy_boilerplate.rules.lexicon import OUTSIDE_THE_TEXT
from scrapy_boilerplate.rules.other_labels import HeadlineByTitle, LabelsByContainer

ROWS: tuple[Extractor, ...] = (
    by_rules(
        "container",
        "this project",
        "few containers hold the text; whole articles, little else",
        NumberOfWordsRules(),
        HeadlineByTitle(),
        LabelsByContainer(kinds=OUTSIDE_THE_TEXT),
        BestContainers(),
        FillContainers(),
        finish=(),  # its own steps tell the other labels apart
    ),
)
