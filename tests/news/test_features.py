"""The features of `news`: each feature set by hand, and what holds for any page."""

from collections import Counter
from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from lxml import etree

from scrapy_boilerplate import Page
from scrapy_boilerplate.native.features import compute_matrix
from scrapy_boilerplate.news.features import COLUMNS, FEATURE_SETS, WordWeights, compute_features
from tests.builders import document, filler, page_of, paragraph, paragraphs
from tests.test_extraction_properties import TREES

LOG_OF_1 = float(np.log(2.0))
"""What "log of 1 + x" is for x = 1."""


def columns_of(html: Any, weights: WordWeights = WordWeights()) -> dict[str, list[float]]:  # noqa: B008
    columns = compute_features(page_of(html), weights).rows.T
    return {name: column.tolist() for name, column in zip(COLUMNS, columns, strict=True)}


def log1p(*numbers: float) -> list[float]:
    logs: list[float] = np.log1p(numbers).tolist()
    return logs


def check(columns: Mapping[str, list[float]], expected: Mapping[str, list[float]]) -> None:
    """The columns in `expected` have these values, to six digits."""
    for name, values in expected.items():
        assert columns[name] == pytest.approx(values, abs=1e-6), name


def test_columns_of_characters() -> None:
    body = "<p>Rain, rain. <a href=/x>More</a></p><p>“12 %” | 3/4:</p><p>" + "One " * 12 + "</p>"
    check(
        columns_of(document(body)),
        {
            "words": log1p(3, 2, 12),
            "unlinked_words": log1p(2, 2, 12),
            "link_density": [1 / 3, 0, 0],
            "characters": log1p(16, 13, 47),
            "word_length": [14 / 3 / 10, 10 / 2 / 10, 36 / 12 / 10],
            "upper": [2 / 14, 0, 12 / 36],
            "digits": [0, 4 / 10, 0],
            "stops": [1 / 3, 0, 0],
            "commas": [1 / 3, 0, 0],
            "quotes": [0, 2 / 2, 0],
            "separators": [0, 3 / 2, 0],
            "symbols": [0, 1 / 10, 0],
            "n_stops": [LOG_OF_1, 0, 0],
            "n_commas": [LOG_OF_1, 0, 0],
            "ends_sentence": [0, 0, 0],
            "ends_separator": [0, 1, 0],
            "starts_upper": [1, 0, 1],
            "starts_digit": [0, 0, 0],
            "starts_quote": [0, 1, 0],
            "good": [0, 0, 1],
        },
    )
    table = columns_of("<p>3 of us came.</p><p>是。</p><p>क्या?</p>")
    check(table, {"starts_digit": [1, 0, 0], "ends_sentence": [1, 1, 1]})


DESCRIPTION = "The bridge over the river opens again after nine months of repair, the mayor says."


def test_the_description() -> None:
    page = '<html><head><meta name="description" content="{}"></head><body>{}'.format
    texts = ("The bridge over the river opens", f"Our town: {DESCRIPTION}", DESCRIPTION[:40])
    body = "".join(f"<p>{text}</p>" for text in (*texts, "The bridge", "Nine months of no repair"))
    columns: dict[str, list[float]] = {
        "in_description": [1, 0, 1, 0, 0],
        "holds_description": [0, 1, 0, 0, 0],
    }
    check(columns_of(page(DESCRIPTION, body)), columns)
    short = columns_of(page("The bridge", "<p>The bridge<p>The bridge over the river"))
    check(short, {"in_description": [0, 0], "holds_description": [0, 0]})


def test_texts_in_the_title_and_texts_that_start_alike() -> None:
    html = document("<h1>Rain in May</h1><p>RAIN</p><p>in</p><p>Snow in May</p>", "Rain in May | X")
    check(columns_of(html), {"in_title": [11 / 15, 4 / 15, 0, 0]})
    long = "Read more of what the mayor says about the bridge over the river"
    body = f"<p>{long} today</p><p>More</p><p>{long.upper()}</p><p>more</p><p>{long}</p>"
    alike: dict[str, list[float]] = {
        "same_start": log1p(2, 1, 2, 1, 2),
        "repeated": [0, 0, 1, 1, 1],
    }
    check(columns_of(document(body)), alike)


TITLES = {
    "none": ("<p>Snow</p>", "Rain in May", -1),
    "the h1 where nothing matches": ("<p>Snow</p><h1>Hail</h1>", "Rain in May", 1),
    "the first of equals": ("<p>Rain in May</p><p>Rain in May</p>", "Rain in May", 0),
    "a heading before others": ("<p>Rain in May</p><h2>Rain in May</h2>", "Rain in May", 1),
    "a shorter heading": ("<p>Rain in May</p><h1>Rain in</h1>", "Rain in May", 1),
    "the longer one": ("<p>Rain in</p><p>Rain in May</p>", "Rain in May", 1),
    "h3 is no heading of an article": ("<p>Rain in May</p><h3>Rain in May</h3>", "Rain in May", 0),
    "two fifths of the title": ("<p>Rain in </p><p>Rain in ju</p>", "Rain in July and August", 1),
    "but not in twice the characters": ("<p>What we know of Rain in May</p>", "Rain in May", -1),
    "three characters": ("<p>Mai</p>", "Mai", -1),
}


@pytest.mark.parametrize(("body", "title", "block"), TITLES.values(), ids=TITLES)
def test_title_block(body: str, title: str, block: int) -> None:
    page = page_of(document(body, title))
    is_title = columns_of(document(body, title))["is_title"]
    assert is_title == [float(number == block) for number in range(len(page))]


def test_words_of_title_and_description_count_by_their_rarity() -> None:
    page = (
        "<title>FLOODS in the harbour</title><meta name=description content='Again floods'>"
        "<p>Floods reach the harbour</p><p>Floods again</p>"
    )
    floods, others = log(3 / 2), log(3)
    rarity = [floods + 2 * others, floods + others]
    titles = [(floods + others) / rarity[0], floods / rarity[1]]
    check(
        columns_of(page),
        {
            "topic_title": titles,
            "topic_description": [floods / rarity[0], 1.0],
            "topic_title_words": log1p(2, 1),
            "topic_of_title": [1.0, 0.5],
            "topic_rarity": log1p(*rarity),
            "topic_title_around": [sum(titles) / 5] * 2,
        },
    )


def test_main_text_is_compared_without_the_block_itself() -> None:
    words = filler(30)
    columns = columns_of(document(f"<div><p>{words}</p><p>{words}</p></div><p>unheard</p>"))
    check(columns, {"topic_main": [1.0, 1.0, 0.0], "topic_common": [log(2), log(2), 0.0]})


@pytest.mark.parametrize(
    ("title", "text", "words"),
    [("汉字新闻", "新闻", 2), ("Наводнение", "НАВОДНЕНИЕ", 1), ("The sea", "the sea", 0)],
)
def test_words_of_the_title_in_any_script(title: str, text: str, words: int) -> None:
    columns = columns_of(document(f"<p>{text}</p>", f"\U0001f30a {title}"))
    assert columns["topic_title_words"] == pytest.approx(log1p(words))


MAX_SCORE = 8.0
WORD_WEIGHTS = WordWeights(
    first={"read": -2.0, "more": -1.0, "the": 0.5, "雨": 1.0, "ต่": 4.0, "보기": 4.0, "abc": 3.0},
    names={"story": 2.0, "nav": -3.0, "body": 1.0},
    comments={"comment": 4.0},
)


def scores(body: str, column: str) -> list[float]:
    return columns_of(document(body), WORD_WEIGHTS)[column]


WORDS = {
    "lower case": ("Read MORE", -3),
    "six words": ("a b c d read more read the", -3),
    "words twice": ("more more more", -1),
    "unknown": ("unknown", 0),
    "80 characters": (f"{'x' * 76} abcdefgh", 3),
    "Chinese": ("更多新闻报雨", 1),
    "a seventh character": ("更多新闻报道雨", 0),
    "Korean has spaces": ("더 보기", 4),
}


@pytest.mark.parametrize(("text", "score"), WORDS.values(), ids=WORDS)
def test_scores_of_first_words_add_up(text: str, score: float) -> None:
    assert scores(f"<p>{text}</p>", "first_words") == [score]


def test_the_mean_around_is_of_the_same_parent() -> None:
    body = "<div><p>Read more</p><p>The end</p></div><div><p>More</p></div>"
    assert scores(body, "first_words_around") == pytest.approx([-1.25, -1.25, -1])


NAMES = {
    "class and id": ("<p class=story id=nav>x", -1),
    "parts of a name": ("<p class='main-story_body'>x", 3),
    "camel case": ("<p class='storyBody'>x", 3),
    "all levels": ("<div class=story><div class=story><div class=story><p class=story>x", 8),
    "three above, no more": ("<div class=story><div><div><div><p>x", 0),
    "a longer word": ("<p class=storyline>x", 0),
    "no more than MAX_SCORE": ("<div class=story><p class='story story story story'>x", MAX_SCORE),
    "no less than -MAX_SCORE": ("<div class=nav><p class='nav nav nav nav'>x", -MAX_SCORE),
}


@pytest.mark.parametrize(("html", "score"), NAMES.values(), ids=NAMES)
def test_scores_of_names(html: str, score: float) -> None:
    assert scores(html, "names") == [score]


def test_comments_have_weights_of_their_own() -> None:
    body = "<div class='comment story'><p>x</p></div><p>y</p>"
    assert scores(body, "comment_names") == [4, 0]
    assert scores(body, "names") == [2, 0]
    columns = columns_of("<p class=story>Read more")
    assert [columns[name] for name in FEATURE_SETS["words"]] == [[0]] * 4, "no weights"


def test_columns_of_positions() -> None:
    body = f"<p><a href=/x>{filler(2)}</a></p><h1>Rain in May</h1>{paragraphs(12, 13)}"
    check(
        columns_of(document(body, title="Rain in May")),
        {
            "position": [0, 0.25, 0.5, 0.75],
            "words_before": [0, 2 / 30, 5 / 30, 17 / 30],
            "good_before": [0, 0, 0, 12 / 25],
            "from_start": log1p(0, 1, 2, 3),
            "to_end": log1p(4, 3, 2, 1),
            "from_title": [-1 / 30, 0, 1 / 30, 2 / 30],
            "after_title": [0, 0, 1, 1],
            "since_good": log1p(30, 30, 0, 0),
            "until_good": log1p(2, 1, 0, 0),
            "page_blocks": log1p(*[4] * 4),
            "page_good_words": log1p(*[25] * 4),
            "page_link_density": [2 / 30] * 4,
            "page_good_share": [25 / 30] * 4,
        },
    )
    assert columns_of(document(paragraphs(3)))["after_title"] == [0.5], "no title"


@pytest.mark.parametrize(("width", "blocks"), [(2, 5), (5, 11), (12, 25)])
def test_windows(width: int, blocks: int) -> None:
    table = columns_of(document(paragraphs(*[20] * 40)))[f"good_within_{width}"]
    assert table[20] == pytest.approx(np.log1p(20 * blocks))
    assert table[0] == table[39] == pytest.approx(np.log1p(20 * (width + 1)))


def test_distances_end_at_30() -> None:
    html = document(f"<h1>Rain in May</h1>{paragraphs(20, *[1] * 50)}", title="Rain in May")
    table = columns_of(html)
    assert table["from_title"][29:33] == pytest.approx([29 / 30, 1, 1, 1])
    assert table["since_good"][-1] == pytest.approx(np.log1p(30))
    assert table["until_good"][2] == pytest.approx(np.log1p(30))


def held(block: str, prefix: str) -> list[str]:
    """The columns with `prefix` that hold for the only block of a tree."""
    table = columns_of(etree.fromstring(f"<html><nav/>{block}</html>"))
    names = [
        name for name in FEATURE_SETS["tags"] if name.startswith(prefix) and table[name] == [1]
    ]
    return [name.removeprefix(prefix) for name in names]


TAGS = {
    # column, elements whose block has it
    "in_p": ["<p>x</p>"],
    "in_h1": ["<h1>x</h1>"],
    "in_h3": ["<h3>x</h3>", "<h6>x</h6>"],
    "in_cell": ["<td>x</td>", "<th>x</th>"],
    "in_caption": ["<figcaption>x</figcaption>", "<caption>x</caption>"],
    "in_definition": ["<dt>x</dt>", "<dd>x</dd>"],
    "around_main": ["<main><p>x</p></main>", "<div role='main'><p>x</p></div>"],
    "around_nav": ["<nav><p>x</p></nav>", "<div role='menubar'><p>x</p></div>"],
    "around_footer": ["<footer><p>x</p></footer>", "<div role='contentinfo'><p>x</p></div>"],
    "around_form": ["<form><p>x</p></form>", "<div role='search'><p>x</p></div>"],
    "around_list": ["<ul><p>x</p></ul>", "<dl><p>x</p></dl>"],
    "around_hidden": ["<noscript><p>x</p></noscript>", "<template><p>x</p></template>"],
}


@pytest.mark.parametrize("column", TAGS)
def test_tags_and_roles(column: str) -> None:
    prefix, _, name = column.partition("_")
    for block in TAGS[column]:
        assert held(block, f"{prefix}_") == [name]
    assert held("<pre>x</pre>", "in_") == held("<div role='nothing'>x</div>", "around_") == []
    assert held("<main><ul><li>x</li></ul></main>", "around_") == ["main", "list"]


def test_columns_of_articles() -> None:
    inner = f"<article>{paragraph(15)}</article>"
    html = f"<p>x</p><article>{paragraph(20)}{inner}</article><article>{paragraph(14)}</article>"
    expected = {"article_elements": log1p(3, 3, 3, 3), "best_article": [0, 1, 15 / 35, 14 / 35]}
    check(columns_of(document(html)), expected)
    for nothing in (f"<p>{filler(20)}", "<article>x</article>"):
        assert columns_of(nothing)["best_article"] == [0]


def test_media_for_each_word() -> None:
    html = "<p>one two</p><p><a href=/x>one</a> <img> two</p><div>|<button></button></div>"
    check(columns_of(document(html)), {"media_tags": log1p(0, 2 / 2, 1 / 1)})


@pytest.mark.parametrize(
    ("block", "good"), [(12, True), (11, False), ((12, 4), True), ((12, 5), False)]
)
def test_good_blocks_have_12_words_and_a_third_of_them_in_links(
    block: int | tuple[int, int], good: bool
) -> None:
    assert columns_of(paragraphs(block))["good"] == [good]


def compute(page: Page) -> Any:
    return compute_matrix(page, -1, WordWeights().scores, len(COLUMNS))


CONTAINERS = {
    "its own element, if it holds other blocks": ("<div class=a>x<p>y</p></div>", "aa"),
    "wrappers of one block": ("<div class=a><div><p>x</p></div><p>y</p></div>", "aa"),
    "lists, quotations, lines": (
        "<div class=a><ul><li>x<li>y</ul><blockquote><p>x<p>y</blockquote><p>x<br>y</p></div>",
        "aaaaaa",
    ),
    "a single one on the page": ("<div class=a><p>x</p></div>", ["html"]),
    "six hops at most": ("<div>" * 7 + "<p>x</p>" + "</div>" * 7 + "y", ["div", "body"]),
}


@pytest.mark.parametrize(("body", "expected"), CONTAINERS.values(), ids=CONTAINERS)
def test_container(body: str, expected: str | list[str]) -> None:
    page = page_of(document(body))
    elements, containers = page.elements, list(compute(page).container)[: len(page)]
    assert [elements.classes[e] or elements.tags[e] for e in containers] == list(expected)


def test_the_best_container_has_the_most_good_words_directly_in_it() -> None:
    inner = f"<div class=inner>{paragraphs(20, 20)}</div>"
    page = page_of(document(f"<div class=outer>{paragraphs(15, 15)}{inner}</div>"))
    assert page.elements.classes[compute(page).best] == "inner"
    assert compute(page_of("<p>one<p>two")).best == 0, "the root, where nothing is good"


def test_the_parent_of_a_root_is_the_first_element() -> None:
    page = page_of(f"<p>x</p></body></html><p>{filler(20)}</p>")
    roots = np.flatnonzero(page.elements.parent_column < 0)
    if etree.LXML_VERSION < (5,):
        pytest.skip("libxml2 of lxml 4.9 puts elements after </html> below the one root")
    assert len(roots) == 2
    above = compute(page).above
    assert [above[root] for root in roots.tolist()] == [0, 0]


def test_columns_of_containers() -> None:
    """html, body, div a with two good blocks, div b with a link: the container of b is body."""
    link = f"<div class=b><p><a href=/x>{filler(3)}</a></p></div>"
    check(
        columns_of(document(f"<div class=a>{paragraphs(12, 18)}</div>{link}")),
        {
            "held_0": [1, 1, 1],
            "held_links_0": [0, 0, 3 / 33],
            "held_words_0": log1p(30, 30, 33),
            "held_mean_0": log1p(15, 15, 11),
            "held_links_1": [3 / 33] * 3,
            "held_words_1": log1p(33, 33, 33),
            "held_mean_3": log1p(11, 11, 11),
            "direct_container": [1, 1, 0],
            "good_blocks_container": log1p(2, 2, 0),
            "direct_parent": [1, 1, 0],
            "good_blocks_parent": log1p(2, 2, 0),
            "direct_grandparent": [1, 1, 1],
            "good_blocks_grandparent": log1p(2, 2, 2),
            "hops": [1 / 8, 1 / 8, 2 / 8],
            "under_top": [0, 0, 0.1],
            "depth_to_best": [0.1, 0.1, 0.1],
            "before_best": [0, 0, 0],
            "after_best": [0, 0, 1],
            "in_best": [1, 1, 0],
            "depth": [0.3, 0.3, 0.3],
        },
    )


def test_beside_the_best_container() -> None:
    html = document(f"<p>x</p><div>{paragraphs(20, 20)}</div><div>{paragraphs(15, 15)}</div>")
    check(
        columns_of(html),
        {
            "direct_container": [0, 1, 1, 0.75, 0.75],
            "in_best": [0, 1, 1, 0, 0],
            "before_best": [1, 0, 0, 0, 0],
            "after_best": [0, 0, 0, 1, 1],
        },
    )


def test_hops_end_at_8_and_depth_at_40() -> None:
    deep = "<div>" * 60 + "<p>x</p>" + "</div>" * 60
    table = columns_of(document(f"{deep}<div>{paragraphs(20, 20)}</div>"))
    assert (table["hops"][0], table["depth"][0]) == (1, 4)


def test_a_container_can_have_two_runs() -> None:
    html = document(f"<div>{paragraphs(12)}<div>{paragraphs(3, 3)}</div>{paragraphs(12, 12)}</div>")
    expected = {"run_blocks": log1p(1, 2, 2, 2, 2), "run_good": [1 / 3, 0, 0, 2 / 3, 2 / 3]}
    check(columns_of(html), expected)


def test_class_paths_of_a_page() -> None:
    """Two paragraphs of class a (20 words and, half linked, 8), one of class b (30 words)."""
    linked = f"<p class=a><a href=/x>{filler(4)}</a> {filler(4)}</p>"
    html = f"<p class=a>{filler(20)}</p>{linked}<p class=b>{filler(30)}</p>"
    by_path = {
        "path_blocks": log1p(2, 2, 1),
        "path_words": log1p(14, 14, 30),
        "path_links": [4 / 28, 4 / 28, 0],
        "path_good": [20 / 50, 20 / 50, 30 / 50],
        "path_good_blocks": [0.5, 0.5, 1],
    }
    expected = {f"{name}_{depth}": table for name, table in by_path.items() for depth in (1, 3)}
    assert FEATURE_SETS["signatures"].keys() == expected.keys()
    check(columns_of(document(html)), expected)


PATHS = {
    # tags above two texts, whether their paths of one and of three elements are the same
    "another tag": ("<p class=a>", "<div class=a>", False, False),
    "digits and ids do not count": ("<p class=a1 id=a>", "<p class=a22 id=b>", True, True),
    "another parent": ("<div class=a><p>", "<div class=b><p>", True, False),
    "another grandparent": ("<div class=a><i><p>", "<div><i><p>", True, False),
    "further up": ("<div class=a><div><div><p>", "<div><div><div><p>", True, True),
}


@pytest.mark.parametrize(("first", "second", "of_one", "of_three"), PATHS.values(), ids=PATHS)
def test_the_same_path(first: str, second: str, of_one: bool, of_three: bool) -> None:
    close = "</p></i>" + "</div>" * 3
    expected = {
        "path_blocks_1": log1p(*[1 + of_one] * 2),
        "path_blocks_3": log1p(*[1 + of_three] * 2),
    }
    check(columns_of(document(f"{first}x{close}{second}y{close}")), expected)


WEIGHTS = WordWeights(
    first={"word": 0.5, "one": -3.0, "汉": 2.0},
    names={"nav": -2.0, "story": 4.0},
    comments={"comments": 9.0},
)


def features(source: Any) -> np.ndarray:
    page = page_of(source)
    matrix = compute_features(page, WEIGHTS).rows
    assert matrix.shape == (len(page), len(COLUMNS))
    assert matrix.dtype == np.float32
    assert np.isfinite(matrix).all()
    return matrix


def test_every_column_is_named_once() -> None:
    counts = Counter(name for columns in FEATURE_SETS.values() for name in columns)
    assert [name for name, count in counts.items() if count > 1] == []
    assert list(COLUMNS) == list(counts)


PAGES = {
    "no block": "",
    "2 blocks, one the headline": document("<h1>Rain</h1><p>two</p>", title="Rain"),
    "2 roots, the text in the second": f"<p>x</p></body></html>{paragraphs(30, 30)}",
    "NUL": "<p>one\x00two</p>\x00<p>\x00</p>",
    "surrogates": "<p>one \ud800 two</p><p>\udfff</p>",
    "characters beyond the first plane": "<p>\U0001f327 \U00020000\U0010ffff</p>",
    "a huge word": f"<p>{'x' * 300_000}</p>",
    "a huge class": f"<div class='{'x' * 100_000}'><p>one</p></div>",
    "many words of classes": f"<p class='{' '.join(['story'] * 10_000)}'>one</p>",
}


def test_shape_and_values() -> None:
    for html in PAGES.values():
        features(html)


@given(TREES)
def test_any_tree(root: etree._Element) -> None:
    before = etree.tostring(root)
    features(root)
    assert etree.tostring(root) == before


REFUSED = {"parent_column": (99, None), "end_column": (99, -9, None), "depth_column": (None,)}


def test_columns_that_do_not_fit_are_refused() -> None:
    """Compiled code reads nothing beyond the columns of a page; None: a column too short."""
    for name, value in [(name, value) for name, values in REFUSED.items() for value in values]:
        page = page_of(document(f"<h1>Rain</h1>{paragraphs(30, (9, 3))}"))
        column = getattr(page.elements, name)
        changed = column[:-1] if value is None else np.full_like(column, value)
        page.elements.__dict__[name] = changed
        with pytest.raises(IndexError):
            compute_features(page, WEIGHTS)


def test_groups_of_blocks() -> None:
    """The class path, the parent, the item, the list of items; three siblings make items."""
    card = "<div class=card><h3>A title</h3><p>A blurb</p></div>"
    page = page_of(f"<main><p>One</p><p>Two</p><section>{card * 3}</section><i>Three</i></main>")
    paths, parents, items, groups = compute_features(page, WordWeights()).groups.tolist()
    assert paths == [0, 0, 1, 2, 1, 2, 1, 2, 3]
    assert parents == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    assert items == [-1, -1, 0, 0, 1, 1, 2, 2, -1]
    assert groups == [-1, -1, 0, 0, 0, 0, 0, 0, -1]
