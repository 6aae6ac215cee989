"""The benchmarks' own parts: search, the paper's blocks, rows that name what is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from benchmarks import learned_rows, systems
from benchmarks.known_items import Query, headline, queries, search
from benchmarks.markdown import direction
from benchmarks.paper_blocks import FORMATTING, PaperBlocks
from benchmarks.published import UnexplainedError, explanation
from benchmarks.retrieval import all_texts
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.steps.shallow_rules import DensityRules
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.evaluation import Score
from scrapy_boilerplate.training.metrics.table import METRICS


def test_search_ranks_the_page_that_was_asked_for() -> None:
    pytest.importorskip("bm25s")
    documents = [["ferry", "returns"], ["ferry", "ferry", "menu"], [], ["other"]]
    asked = [Query("Returns ferry", 0, "a"), Query("ferry", 0, "a"), Query("nobody knows", 2, "b")]
    rows = search(documents, asked)
    assert rows[:, 0].tolist() == [1.0, 1 / 2, 1 / 2.5]  # the last: all four score 0
    assert rows[:, 1].tolist() == [0.1, 0.1, 0.1]


def test_a_page_below_the_top_ten_is_not_found() -> None:
    pytest.importorskip("bm25s")
    documents = [["ferry"]] * 21 + [["other"]]
    rows = search(documents, [Query("ferry", 0, "a"), Query("other", 21, "a")])
    assert rows.tolist() == [[1 / 11, 0.0], [1.0, 0.1]]


def test_queries_need_words() -> None:
    pages = [
        LabelledPage(id=str(i), dataset="d", html="", title=title)
        for i, title in enumerate(["Ferry", None, " – ", "Bus"])
    ]
    found = [(query.text, query.page) for query in queries(pages, headline)]
    assert found == [("Ferry", 0), ("Bus", 3)]


def test_the_headline_that_a_corpus_gives() -> None:
    spans = '<h1 class="x-nc-sel1">Ferry</h1><p class="x-nc-sel2">It returns</p>'
    pages = [
        LabelledPage(id="1", dataset="l3s-gn1", html="", annotated_html=spans, title="other"),
        LabelledPage(id="2", dataset="waddle", html="", text="\n Ferry \nIt returns"),
        LabelledPage(id="3", dataset="fundus", html="", text="It returns", title="Ferry"),
    ]
    assert [(headline(page) or "").strip() for page in pages] == ["Ferry"] * 3


def test_documents_of_a_page() -> None:
    html = "<h1>Nine: ten</h1><p>one two three four five six seven</p><p>eight</p>"
    page = LabelledPage(id="1", dataset="d", html=html, title="nine ten")  # is taken out
    found = all_texts(page, ["keep-everything"])
    assert found.document("keep-everything") == found.document("blocks of >= 1 words")
    assert len(found.document("keep-everything")) == 8
    assert len(found.document("blocks of >= 7 words")) == 7
    assert found.document("blocks of >= 9 words") == []


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>one <a href=x>two</a> three</p>", ["one two three"]),
        ("<p>one <b>two</b> three</p>", ["one", "two", "three"]),
        ("<p>one <img> two</p>", ["one", "two"]),
        ("<p><a href=x>one</a></p><p>two</p>", ["one", "two"]),
        ("<p>one</p>two<a href=x>three</a>", ["one", "twothree"]),
        ("", []),
    ],
)
def test_blocks_of_the_paper_end_at_every_tag_but_a(html: str, texts: list[str]) -> None:
    page = PaperBlocks()(read_page(tree_of(f"<body>{html}</body>")))
    assert page.texts == texts


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>one <b>two</b> <i>three</i></p>", ["one two three"]),
        ("<p>one <span>two</span></p>", ["one", "two"]),
        ("<p>one <b>two <font>three</font></b></p>", ["one two", "three"]),
        ("<p>one<br>two</p>", ["one", "two"]),
    ],
)
def test_blocks_with_formatting_inside(html: str, texts: list[str]) -> None:
    page = PaperBlocks(FORMATTING)(read_page(tree_of(f"<body>{html}</body>")))
    assert page.texts == texts


def score_of(f1: float) -> Score:
    """A score of one page with that F1."""
    rows = np.array([[f1, f1, f1]])
    return Score("x", METRICS["tokens"], rows, [np.array([0])])


ROW = systems.Row(system="x", extractor="x", source="s", corpus="c", paper=(90.0, 95.0))


@pytest.mark.parametrize(
    ("row", "f1", "text"),
    [
        (ROW, 0.912, "agrees: +1.2 points of the mean"),
        (replace(ROW, paper=()), 0.5, "the seeds give no figure on a corpus we have"),
        (replace(ROW, why="because"), 0.5, "because"),
    ],
)
def test_why_a_figure_differs(row: systems.Row, f1: float, text: str) -> None:
    assert explanation(row, score_of(f1)) == text


def test_a_difference_without_a_word_is_refused() -> None:
    with pytest.raises(UnexplainedError, match=r"x on c differs by -1\.6; say why"):
        explanation(ROW, score_of(0.884))


def test_a_learned_row_gets_its_measured_side(monkeypatch: pytest.MonkeyPatch) -> None:
    row = learned_rows.ROWS[0]
    assert (
        learned_rows.cells(row)[-3:] == ["not yet", "", learned_rows.LATER]
        or row.key in learned_rows.MEASURED
    )
    measured = learned_rows.Measured(ours="86.5", command="python -m x", why="other folds")
    monkeypatch.setattr(learned_rows, "MEASURED", {row.key: measured})
    assert learned_rows.cells(row)[-3:] == ["86.5", "`python -m x`", "other folds"]


def test_measured_sides_belong_to_rows() -> None:
    keys = [row.key for row in learned_rows.ROWS]
    assert len(set(keys)) == len(keys)
    assert set(learned_rows.MEASURED) <= set(keys)


@pytest.mark.parametrize(
    ("around", "way"), [((0.1, 0.2), 1), ((-0.2, -0.1), -1), ((-0.1, 0.1), 0), ((0.0, 0.1), 0)]
)
def test_which_way_an_interval_points(around: tuple[float, float], way: int) -> None:
    assert direction(around) == way


def test_every_row_names_figures_that_its_metric_has(corpora: Path) -> None:
    names = {file.name.partition(".")[0] for file in corpora.iterdir()}
    for row in systems.ROWS:
        assert row.corpus in names, row
        assert row.metric in METRICS
        assert not row.paper or len(row.paper) == len(row.figures), row


def test_chains_over_the_density_rules() -> None:
    extractor = systems.extractor_for("density-main-content")
    assert extractor.name == "density-main-content"
    assert [step for step in extractor.steps if isinstance(step, DensityRules)]


def test_a_missing_extractor_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "EXPECTED", ("num-words", "nowhere"))
    with pytest.raises(systems.MissingSystemError, match="no extractor called nowhere"):
        systems.check_catalog()
    with pytest.raises(systems.MissingSystemError, match="no extractor called nix"):
        systems.extractor_for("nix")


def test_titles_swallow_as_many_pages_of_l3s_as_the_notes_say(corpora: Path) -> None:
    """Without the end tag of `title`, all that follows is title."""
    trees = [parsed(page.html) for page in read_pages(corpora / "l3s-gn1.jsonl.xz")]
    swallowed = [tree for tree in trees if tree_of(tree) is not tree]
    assert len(swallowed) == systems.SWALLOWED_PAGES
    assert all(read_page(tree_of(tree)).leaves.texts for tree in swallowed)


def parsed(html: str) -> etree._Element:
    """The tree as the parser has it."""
    return etree.HTML(html.encode(), etree.HTMLParser(encoding="utf-8", huge_tree=True))
