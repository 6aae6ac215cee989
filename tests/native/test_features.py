"""The native features against numpy: pages of all shapes, names and texts of all kinds."""

from __future__ import annotations

import json
import lzma
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpora import CORPORA
from scrapy_boilerplate.news.extractor import MODELS
from scrapy_boilerplate.news.features import native_table as module
from scrapy_boilerplate.news.features.block_columns import BlockColumns
from scrapy_boilerplate.news.features.native_table import MAX_DIFFERENCE, NativeTable
from scrapy_boilerplate.news.features.table import COLUMNS, compute_features
from scrapy_boilerplate.news.features.word_scores import WordWeights
from scrapy_boilerplate.news.model import read_parts
from scrapy_boilerplate.page.blocks import AtomicBlocks, TextNodes
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from scrapy_boilerplate.steps.model_store import load_shipped

native: Any = pytest.importorskip("scrapy_boilerplate.native._features")
TABLE = NativeTable(native)

WORDS = "the old ferry home ab ABC Article body x1y bo2x 東 café straße ſhip i\u0307 12".split()
WORDS += ["İx", "ΟΔΟΣ"]
WEIGHTS = WordWeights(
    first={word.lower(): 0.5 + n for n, word in enumerate(WORDS)},
    names={word.lower(): 1 / (n + 3) for n, word in enumerate(WORDS[:9])},
    comments={word.lower(): -1 / (n + 2) for n, word in enumerate(WORDS[4:])},
)


def page_of(html: str, segmenter: Any = AtomicBlocks()) -> Page:  # noqa: B008
    page: Page = segmenter(read_tree(parse_html(html)))
    return page


def compare(page: Page, weights: WordWeights = WEIGHTS) -> None:
    expected = compute_features(BlockColumns(page), weights)
    computed = TABLE.compute(page, weights)
    assert computed.dtype == expected.dtype
    assert computed.shape == expected.shape
    if (computed == expected).all():
        return
    for number, name in enumerate(COLUMNS):
        np.testing.assert_allclose(
            computed[:, number],
            expected[:, number],
            rtol=MAX_DIFFERENCE,
            atol=MAX_DIFFERENCE,
            err_msg=name,
        )


NAMES = st.lists(
    st.one_of(
        st.sampled_from([*WORDS, "menu1", "menu2", "menu", "1", "a-b_c", "İ", "K", "\t", "x" * 70]),
        st.text("abAB01-_ \n\té東\U0001f600", max_size=9),
    ),
    max_size=4,
).map(" ".join)
TEXTS = st.lists(
    st.one_of(st.sampled_from([*WORDS, "“one two”", "THE", "\u3000", "ไทย"]), st.text(max_size=6)),
    max_size=20,
).map(" ".join)
TAGS = st.sampled_from(
    "div p ul li h1 h2 article main nav aside section table tr td form blockquote figure "
    "figcaption a img b span br footer header svg custom-tag".split()
)
ROLES = st.sampled_from(["", "main", "dialog", "banner", "search", "unknown", "MAIN"])


LONG_LOWER = "ΟΔΟΣ İx the old ferry home"


@st.composite
def trees(draw: Any) -> Page:
    """Pages whose elements are nested at random; names and texts need no escape in columns."""
    parts = [f"<title>{draw(st.sampled_from(['', 'the old', 'Straße 東', 'ΟΔΟΣ']))}</title>"]
    description = draw(
        st.sampled_from(["", "the old ferry home", "the old ferry home ab abc bo2x", LONG_LOWER])
    )
    parts.append(f'<meta name=description content="{description}"><body>')
    for _ in range(draw(st.integers(0, 25))):
        tag, close = draw(TAGS), draw(st.integers(0, 2))
        parts.append(f'<{tag} class="{draw(NAMES)}" id="{draw(NAMES)}" role="{draw(ROLES)}">')
        parts.append(draw(TEXTS).replace("<", " ").replace("&", " "))
        parts.append(f"</{tag}>" * close)
    html = "".join(parts).encode("utf-8", "replace").decode().replace("\x00", "")
    return page_of(html, draw(st.sampled_from([AtomicBlocks(), TextNodes()])))


@given(trees())
@settings(max_examples=300, deadline=None)
def test_pages_of_all_shapes(page: Page) -> None:
    compare(page)


PAGES = {
    "nothing": "",
    "one block": "<p>one",
    "two blocks": "<p>one<p>two",
    "no body": "<title>a</title>",
    "title": "<title>The old ferry - x</title><p>The old<h1>The old ferry<h2>The old ferry</h2>",
    "many kinds": "<div>" * 40 + "".join(f"<{chr(97 + n % 26)}{n}>x" for n in range(700)),
    "deep": "".join(f"<div class=c{n}>w" for n in range(240)),
    "siblings": "<ul>" + "<li class=a1>the ferry<li class=a2>old" * 600,
    "classes": "".join(f"<p class='k{chr(97 + n % 26)}{chr(97 + n // 26)}'>t" for n in range(600)),
    "huge": f"<p>{'ferry ' * 60_000}<p class={'a' * 200_000}>x",
    "long name": f"<p class='{'Abc' * 40} {'x' * 64} {'x' * 65} {'X' * 99}y'>x",
    "articles": "<article>" + "the ferry " * 9 + "<article>" + "the old " * 30 + "</article>x",
    "good": "".join(f"<p>{'word ' * (n % 17)}<a>{'x ' * (n % 5)}</a></p>" for n in range(90)),
}


@pytest.mark.parametrize("name", PAGES)
def test_pages(name: str) -> None:
    compare(page_of(PAGES[name]))


@pytest.mark.parametrize("weights", [WordWeights(), WordWeights(first={"": 1.0}, names={"": 2.0})])
def test_few_weights(weights: WordWeights) -> None:
    compare(page_of("<p class=a>one<p>two"), weights)


@pytest.mark.parametrize("corpus", ["fundus", "wcxb", "waddle", "cleaneval-final"])
def test_pages_of_the_corpora(corpus: str) -> None:
    path = Path(CORPORA) / f"{corpus}.jsonl.xz"
    if not path.exists():
        pytest.skip("needs the corpora")
    weights = read_parts(load_shipped(MODELS / "news")).words
    with lzma.open(path, "rt") as lines:
        for _, line in zip(range(25), lines, strict=False):
            html = json.loads(line)["html"].encode("utf-8", "replace").decode()
            compare(page_of(html), weights)


def test_tables_of_words_are_pickled() -> None:
    table = native.WordTable({"a": (1.0, 2.0), "東": (3.0, 4.0)})
    assert pickle.loads(pickle.dumps(table)).weights == table.weights  # noqa: S301


def arguments() -> dict[str, Any]:
    page = page_of("<div class=a id=b role=main><p>one<p>two three</div>")
    elements, n = page.elements, len(page)
    lists = ("tags", "classes", "ids", "roles")
    return {
        **{name: getattr(elements, name) for name in lists},
        "texts": page.texts,
        "parents": elements.parent_column,
        "ends": elements.end_column,
        "depths": elements.depth_column,
        "own": page.blocks.elements,
        "word_counts": page.words,
        "linked_counts": page.link_words,
        "title": -1,
        "page_title": "",
        "description": "",
        "first_weights": native.WordTable({}),
        "name_weights": native.WordTable({}),
        "columns": np.zeros((len(COLUMNS), n), dtype=np.float32),
    }


SHORT = ("texts", "tags", "classes", "ids", "roles", "parents", "ends", "depths", "own", "columns")
WRONG: dict[str, tuple[str, Any]] = {
    "parent beyond": ("parents", 99),
    "parent after": ("parents", 3),
    "negative parent": ("parents", -2),
    "end before": ("ends", 0),
    "end beyond": ("ends", 99),
    "own beyond": ("own", 99),
    "own negative": ("own", -1),
}


@pytest.mark.parametrize("name", SHORT)
def test_columns_of_other_lengths_are_refused(name: str) -> None:
    given_ = arguments()
    TABLE._reader.compute(**given_)
    with pytest.raises(ValueError, match="different lengths"):
        TABLE._reader.compute(**{**given_, name: given_[name][:-1]})


@pytest.mark.parametrize("name", WRONG)
def test_elements_that_are_no_tree_are_refused(name: str) -> None:
    column, value = WRONG[name]
    given_ = arguments()
    changed = given_[column].copy()
    changed[1] = value
    with pytest.raises(ValueError, match=r"out of order|without element"):
        TABLE._reader.compute(**{**given_, column: changed})


@pytest.mark.parametrize("name", ["texts", "tags", "classes", "ids", "roles"])
def test_other_objects_than_texts_are_refused(name: str) -> None:
    given_ = arguments()
    with pytest.raises(TypeError):
        TABLE._reader.compute(**{**given_, name: [None] * len(given_[name])})


def test_a_module_that_computes_something_else_is_not_used() -> None:
    class Wrong:
        FeatureReader = native.FeatureReader

        @staticmethod
        def WordTable(weights: Any) -> Any:  # noqa: N802
            return native.WordTable(dict.fromkeys(weights, (0.0, 0.0)))

    assert module._agrees(native)
    assert not module._agrees(Wrong)
