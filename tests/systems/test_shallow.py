"""The shallow features of 2010, on texts counted by hand."""

import numpy as np

from scrapy_boilerplate.systems.shallow.classifiers import (
    LOCAL,
    add_neighbours,
    add_text_frequency,
    count_repeated_texts,
)
from scrapy_boilerplate.systems.texrex import TEXREX
from tests.builders import document, filler, page_of, paragraphs


def column(html: str, name: str) -> list[float]:
    page = page_of(html)
    return [round(float(number), 4) for number in LOCAL.compute(page)[name]]


def test_by_hand() -> None:
    for html, name, wanted in [
        ("<h2>one</h2><p>two</p><div>three</div>", "in_h2", [1, 0, 0]),
        ("<h2>one</h2><p>two</p><div>three</div>", "in_p", [0, 1, 0]),
        ("<p><a href=x>one</a></p><p>two <a href=x>three</a></p>", "in_a", [1, 0]),
        ("<p>one three</p>", "word_length", [4]),
        ("<p>One two. Three! Four; five</p>", "sentence_length", [1.6667]),
        ("<p>One two THREE x - Y</p>", "words", [5]),
        ("<p>One two THREE x - Y</p>", "upper_starts", [3]),
        ("<p>One two THREE x - Y</p>", "upper_start_ratio", [0.6]),
        ("<p>One. two. x</p>", "full_stop_ratio", [0.6667]),
        ("<p>one | two | x</p>", "bars", [2]),
        ("<p>Monday, 3 May 2008, 10:45 pm x</p>", "dates", [5]),
        ("<p>one <a href=x>two</a></p>", "link_density", [0.5]),
        (f"<p>{filler(17)}</p>", "text_density", [16]),
        ("<p>one</p><p>two</p><p>x</p>", "absolute_position", [0, 1, 2]),
        ("<p>one</p><p>two</p><p>x</p>", "relative_position", [0, 0.5, 1]),
        (paragraphs(8, 4, 2), "words_quotient", [0, 2, 2]),
        (paragraphs(4, 8), "text_density_quotient", [0, 0.5]),
        ("<p>one</p><p>|</p>", "words_quotient", [0, 1]),
    ]:
        assert column(document(html), name) == wanted


def test_text_frequency_counts_what_a_crawl_repeats() -> None:
    pages = [page_of("<p>Home</p><p>one</p>"), page_of("<p>Home</p><p>two</p><p>Home</p>")]
    counts = count_repeated_texts(pages)
    assert counts == {"Home": 3}
    rows = add_text_frequency(counts).build_matrix(pages[0])
    assert rows[:, -3:].tolist() == [[3, 0, 0], [0, 3, 0]]  # itself, the one before, the one after


PAGE = page_of(paragraphs(1, (4, 2), 3))


def test_columns_of_the_blocks_before_and_after() -> None:
    columns = add_neighbours({"words": PAGE.words})
    assert {name: column.tolist() for name, column in columns.items()} == {
        "words": [1, 4, 3],
        "words@-1": [0, 1, 4],
        "words@+1": [4, 3, 0],
    }


def test_every_column_is_finite() -> None:
    for group, size in ((LOCAL, 64), (add_text_frequency({}), 67), (TEXREX, 37)):
        assert len(group.names) == size
        assert set(group.compute(PAGE)) == set(group.names)
        for html in ("", "<p>one", "<p>one<p>two", "<p>|</p>"):
            page = page_of(html)
            rows = group.build_matrix(page)
            assert rows.shape == (len(page), len(group.names))
            assert np.isfinite(rows).all()
