"""The labels of some extractors on one page, step by step, as one self-contained HTML page."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from scrapy_boilerplate.article.article_probability import (
    ARTICLE_THRESHOLD,
    COLUMNS,
    explain_article_probability,
)
from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import LoadedPage, extract_page, load_page
from scrapy_boilerplate.extractors import Options
from scrapy_boilerplate.markup.snapshot import build_snapshot
from scrapy_boilerplate.metadata.fields import METADATA_FIELDS
from scrapy_boilerplate.page.labels import IntArray, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.report import templates
from scrapy_boilerplate.steps.column_weights import ColumnWeights

# Columns with the largest weights that are shown for each block.
SHOWN_COLUMNS = 6
# Log odds below which a column is not shown.
MIN_WEIGHT = 0.005
# Maximum blocks of a page whose columns get weights. Each column needs a run of the model (with
# 20,000 blocks, `news` takes about a minute).
MAX_WEIGHED_BLOCKS = 20_000
SHOWN_REASONS = 3
# Characters of a block's text in the list of blocks.
EXCERPT_LENGTH = 160

SCRIPTS = ("pane.js", "inspect.js")


def inspect(
    source: Any, url: str | None, extractors: Sequence[Options], name: str = ""
) -> dict[str, Any]:
    """Return the results of some options on a page, the main ones first, step by step.

    `source` is as in `extract`; `name` is its origin, for display. Raises
    MissingExtraError without the extra [html].
    """
    loaded = load_page(source, url)
    return {
        "source": url or name,
        "frame": templates.build_frame_document(build_snapshot(loaded.page, loaded.tree)),
        "labels": templates.describe_labels(),
        "readings": [_read_with(options, loaded, url) for options in extractors],
    }


def render_inspection(inspection: Mapping[str, Any], note: str = "") -> str:
    """Return the HTML page of the results of `inspect`; `note` is a sentence above it.

    It loads nothing, and the page under inspection can do nothing in it.
    """
    script = templates.join_scripts(SCRIPTS)
    headline = inspection["readings"][0]["article"]["headline"]
    return templates.fill_template(
        "inspect.html",
        policy=escape(templates.build_policy(script)),
        title=escape(headline or inspection["source"] or "a page"),
        url=escape(inspection["source"]),
        note=escape(note),
        style=templates.build_style("inspect.css"),
        data=templates.dump_data(inspection),
        script=script,
    )


def _read_with(options: Options, loaded: LoadedPage, url: str | None) -> dict[str, Any]:
    steps: list[tuple[str, Labeling]] = []
    document = extract_page(loaded, url, options, observe=lambda *step: steps.append(step))
    (page, final), extractor = document.get_page(), options.build_extractor()
    learned = [step for step in extractor.steps if hasattr(step, "weigh_columns")]
    columns: ColumnWeights | None = None
    if learned and 0 < len(page) <= MAX_WEIGHED_BLOCKS:
        columns = learned[0].weigh_columns(page)
    about = {} if columns is None else columns.about
    return {
        "name": extractor.name,
        "summary": extractor.summary,
        "confidence": document.confidence,
        "starts": page.blocks.first_leaf.tolist(),
        "leaves": len(page.leaves),
        "steps": _dump_steps(steps),
        "scores": (final.scores * 100).round().astype(int).tolist(),
        "texts": [
            text if len(text) <= EXCERPT_LENGTH else text[: EXCERPT_LENGTH - 1] + "…"
            for text in page.texts
        ],
        "facts": _dump_blocks(page),
        "weighed": [] if columns is None else _dump_weights(columns, final),
        "columns": [[name, str(meaning)] for name, meaning in about.items()],
        "article": {"headline": document.headline, "paragraphs": document.text.split("\n\n")},
        "metadata": _dump_metadata(document),
    }


def _dump_steps(steps: Sequence[tuple[str, Labeling]]) -> list[dict[str, Any]]:
    values = []
    previous: Any = None
    for name, labeling in steps:
        deciders = labeling.decided_by
        changed = range(len(labeling)) if previous is None else np.flatnonzero(deciders != previous)
        blocks: dict[str, list[int]] = {}
        for block in changed:
            blocks.setdefault(str(deciders[block]), []).append(int(block))
        values.append(
            {"name": name, "labels": "".join(map(str, labeling.labels)), "decided": blocks}
        )
        previous = deciders
    return values


def _dump_blocks(page: Page) -> list[list[Any]]:
    words, links = page.words.tolist(), page.link_density.round(2).tolist()
    density = page.text_density.round(1).tolist()
    return [
        [tag, words[block], links[block], density[block], page.xpaths[block]]
        for block, tag in enumerate(page.tags)
    ]


def _dump_weights(columns: ColumnWeights, final: Labeling) -> list[list[list[float]]]:
    weights = columns.compute(final.labels)
    order: IntArray = np.argsort(-np.abs(weights), axis=1, kind="stable")[:, :SHOWN_COLUMNS]
    return [
        [
            [column, round(float(columns.rows[block, column]), 3), round(float(weight), 2)]
            for column, weight in zip(heaviest, weights[block, heaviest], strict=True)
            if abs(weight) >= MIN_WEIGHT
        ]
        for block, heaviest in enumerate(order.tolist())
    ]


def _dump_metadata(document: Document) -> list[list[str]]:
    rows = []
    for name in METADATA_FIELDS:
        value = getattr(document, name)
        if value is not None and value != ():
            text = ", ".join(value) if isinstance(value, tuple) else str(value)
            rows.append([name.replace("_", " "), text, document.evidence.get(name, "")])
    if (probability := document.article_probability) is not None:
        verdict = "an article" if probability >= ARTICLE_THRESHOLD else _explain(document)
        rows.append(["article probability", f"{probability}: {verdict}", ""])
    return rows


def _explain(document: Document) -> str:
    page, _ = document.get_page()
    columns = explain_article_probability(page, document.find_news_confidence())[:SHOWN_REASONS]
    reasons = (f"{COLUMNS[name]}: {value:.2g} ({odds:+.1f})" for name, value, odds in columns)
    return f"no article; log odds of the strongest reasons: {'; '.join(reasons)}"
