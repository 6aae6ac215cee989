"""What there is to see of one page: every step of every extractor, in plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lxml import etree

from scrapy_boilerplate.document import Document, build_document
from scrapy_boilerplate.markup.appearance import Appearance, appearance_of
from scrapy_boilerplate.page.labels import IntArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.steps.evidence import Evidence
from scrapy_boilerplate.steps.extractor import Extractor

SHOWN_COLUMNS = 6
"""Columns told of each block: those that weighed most."""
LEAST_WEIGHT = 0.005
"""Log odds under which a column is not worth telling."""
MOST_WEIGHED_BLOCKS = 20_000
"""Blocks up to which columns are weighed: one answer of the model a column (our choice: at 20,000
blocks `news` takes about a minute)."""
EXCERPT = 160
"""Characters of a block's text in the list of blocks."""

METADATA = (
    *("headline", "description", "date_published", "date_modified", "authors", "language"),
    *("main_image", "site_name", "section", "tags", "canonical_url", "is_accessible_for_free"),
    "article_type",
)
"""The fields of `Metadata` that are shown, in order."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What one extractor made of the page: `steps` are (name, labeling) after every step.

    `columns` tells the columns of its learnt step, `weights` float[n, columns] what each weighed
    and `values` what it held; all three None without a learnt step.
    """

    extractor: Extractor
    page: Page
    steps: Sequence[tuple[str, Labeling]]
    document: Document
    evidence: Evidence | None = None
    weights: Any = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Inspection:
    """One page and what some extractors made of it, the first one first."""

    appearance: Appearance
    readings: Sequence[Reading]
    url: str | None = None
    source: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


def inspect(
    source: Any, url: str | None, extractors: Sequence[Extractor], name: str = ""
) -> Inspection:
    """What `extractors` make of a page, step by step.

    `source` as `extract` takes it; `name` is where it is from, to be shown. Raises
    MissingExtraError without the extra [html].
    """
    root = tree_of(source)
    leaves = read_page(root, url)
    return Inspection(
        appearance=appearance_of(leaves, root),
        readings=[reading_of(one, leaves, root) for one in extractors],
        url=url,
        source=name,
    )


def reading_of(extractor: Extractor, leaves: Page, root: etree._Element) -> Reading:
    """What one extractor makes of a page that was read, not yet cut into blocks."""
    page = extractor.segmenter(leaves)
    steps = list(extractor.trace(page))
    final = steps[-1][1] if steps else Labeling.blank(len(page))
    document = build_document(
        page,
        final,
        extractor=extractor.name,
        confidence=extractor.confidence(page, final),
        tree=root,
    )
    evidence = _evidence(extractor, page)
    weights = None if evidence is None else evidence.weights(final.labels)
    return Reading(extractor, page, steps, document, evidence, weights)


def _evidence(extractor: Extractor, page: Page) -> Evidence | None:
    """Of the first learnt step; None if there is none, or the page is too long to weigh."""
    if not 0 < len(page) <= MOST_WEIGHED_BLOCKS:
        return None
    for step in extractor.steps:
        tells = getattr(step, "evidence", None)
        if tells is not None:
            found: Evidence = tells(page)
            return found
    return None


def values_of(reading: Reading) -> dict[str, Any]:
    """A reading as plain values, for the script of the page."""
    page, document = reading.page, reading.document
    final = reading.steps[-1][1] if reading.steps else Labeling.blank(len(page))
    return {
        "name": reading.extractor.name,
        "summary": reading.extractor.summary,
        "confidence": document.confidence,
        "starts": page.blocks.first_leaf.tolist(),
        "leaves": len(page.leaves),
        "steps": _steps(reading.steps),
        "scores": (final.scores * 100).round().astype(int).tolist(),
        "texts": [_excerpt(text) for text in page.texts],
        "facts": _facts(page),
        "weighed": _weighed(reading),
        "columns": _columns(reading),
        "article": {"headline": document.headline, "paragraphs": document.text.split("\n\n")},
        "metadata": _metadata(document),
    }


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"


def _steps(steps: Sequence[tuple[str, Labeling]]) -> list[dict[str, Any]]:
    """Each step: its name, a digit a block for the labels, and where the decider changed."""
    told = []
    before: Any = None
    for name, labeling in steps:
        decided = labeling.decided_by
        changed = range(len(labeling)) if before is None else np.flatnonzero(decided != before)
        by: dict[str, list[int]] = {}
        for block in changed:
            by.setdefault(str(decided[block]), []).append(int(block))
        told.append({"name": name, "labels": "".join(map(str, labeling.labels)), "decided": by})
        before = decided
    return told


def _facts(page: Page) -> list[list[Any]]:
    """Tag, words, share of linked words, words to a line, and XPath of each block."""
    words, links = page.words.tolist(), page.link_density.round(2).tolist()
    density = page.text_density.round(1).tolist()
    return [
        [tag, words[block], links[block], density[block], page.xpaths[block]]
        for block, tag in enumerate(page.tags)
    ]


def _columns(reading: Reading) -> list[list[str]]:
    about = {} if reading.evidence is None else reading.evidence.about
    return [[name, str(told)] for name, told in about.items()]


def _weighed(reading: Reading) -> list[list[list[float]]]:
    """The columns that weighed most of each block: [column, value, weight], heaviest first."""
    if reading.evidence is None:
        return []
    weights, rows = reading.weights, reading.evidence.rows
    first: IntArray = np.argsort(-np.abs(weights), axis=1, kind="stable")[:, :SHOWN_COLUMNS]
    return [
        [
            [column, round(float(rows[block, column]), 3), round(float(weights[block, column]), 2)]
            for column in columns
            if abs(weights[block, column]) >= LEAST_WEIGHT
        ]
        for block, columns in enumerate(first.tolist())
    ]


def _metadata(document: Document) -> list[list[str]]:
    """Field, value and the source that gave it, of the fields that have a value."""
    rows = []
    for name in METADATA:
        value = getattr(document, name)
        if value is None or value == ():
            continue
        told = ", ".join(value) if isinstance(value, tuple) else str(value)
        rows.append([name.replace("_", " "), told, document.evidence.get(name, "")])
    return rows


def label_counts(labeling: Labeling) -> dict[str, int]:
    """Label to the number of its blocks."""
    counts = np.bincount(labeling.labels, minlength=len(Label)).tolist()
    return {label.text: counts[label] for label in Label}
