"""Markdown of the marks, tables and lists that other converters get wrong, and its growth."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

import pytest

from scrapy_boilerplate.markup.markdown import MAX_SPAN, write_markdown
from scrapy_boilerplate.page.limits import Clock, OutOfTimeError
from tests.markup.safety import render_markdown

ROW = "<tr><td>1</td><td>2</td></tr>"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param('<p>Look!<a href="/x">a</a></p>', "Look\\![a](/x)", id="no image"),
        pytest.param("<p>a<br></p>", "a", id="br at the end"),
        pytest.param("<p><code>a<br>b</code></p>", "`a b`", id="br in code"),
        pytest.param("<p><code>\\</code></p>", "`\\`", id="only a backslash in code"),
        pytest.param("<p>of 2027. So - 1) a</p>", "of 2027. So - 1) a", id="no list"),
        pytest.param("<p>1. a<br> 2) b\n- c</p>", "1\\. a\\\n 2\\) b\n\\- c", id="starts of lines"),
        pytest.param("<p>-\n---\n#\n1.\n2.</p>", "\\-\n\\---\n\\#\n1\\.\n2\\.", id="short lines"),
        pytest.param("<p>\xa0 1. a</p>", "1\\. a", id="a number after any space"),
        pytest.param("<p><s>a</s> <q>b</q> <u>c</u></p>", '~~a~~ "b" c', id="other marks"),
        pytest.param('<h2><img src="/x" alt="y"></h2>', "## ![y](/x)", id="image in a heading"),
        pytest.param(
            "<figure><img src='/x'></figure>\n<figure><img src='/y'></figure>",
            "![](/x)\n\n![](/y)",
            id="figures",
        ),
        pytest.param("<dl><dt>a</dt>\n<dd>b</dd></dl>", "a\n:   b", id="definitions"),
        pytest.param("<ul><li><p>a</p>\n<p>b</p></li></ul>", "- a\n\n  b", id="paragraphs"),
        pytest.param(
            f"<table><tbody>{ROW}</tbody><tbody>{ROW}</tbody></table>",
            "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 1 | 2 |",
            id="one head a table",
        ),
        pytest.param(
            f"<table><caption>a</caption><thead>{ROW}</thead><tbody>{ROW}</tbody></table>",
            "a\n\n| 1 | 2 |\n| --- | --- |\n| 1 | 2 |",
            id="head and caption",
        ),
        pytest.param(
            "<table><tr><th>a</th><th><code>b|c</code></th></tr></table>",
            "| a | `b\\|c` |\n| --- | --- |",
            id="bar in code in a cell",
        ),
        pytest.param(
            '<table><tr><th rowspan="2">City</th><th colspan="2">Votes</th></tr>'
            "<tr><th>2020</th><th>2024</th></tr><tr><td>Rome</td><td>1</td><td>2</td></tr></table>",
            "| City | Votes 2020 | Votes 2024 |\n| --- | --- | --- |\n| Rome | 1 | 2 |",
            id="two rows of headers",
        ),
        pytest.param(
            "<table><tr><td></td><th>City</th><th>N</th></tr>"
            '<tr><td rowspan="2">2020</td><td>Rome</td><td>1</td></tr><tr><td>Oslo</td><td>2</td>'
            '</tr><tr><td colspan="2">All</td></tr></table>',
            "|  | City | N |\n| --- | --- | --- |\n| 2020 | Rome | 1 |\n"
            "|  | Oslo | 2 |\n| All |  |  |",
            id="cells over several rows and columns",
        ),
        pytest.param(
            '<table><tr><td colspan="2">Results</td></tr><tr><th>a</th><th>b</th></tr>'
            f"{ROW}</table>",
            "Results\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
            id="a title above the headers",
        ),
        pytest.param(
            f"<table>{ROW}<tr><td>1</td><td>2</td><td>3</td></tr></table>",
            "|  |  |  |\n| --- | --- | --- |\n| 1 | 2 |  |\n| 1 | 2 | 3 |",
            id="a row with more cells",
        ),
        pytest.param(
            "<table><tr><th>a</th><td>1</td></tr><tr><th>b</th><td>2</td></tr></table>",
            "|  |  |\n| --- | --- |\n| a | 1 |\n| b | 2 |",
            id="headers of rows",
        ),
    ],
)
def test_markdown(html: str, markdown: str) -> None:
    assert write_markdown(html) == markdown


def test_a_cell_over_all_columns_of_the_world() -> None:
    markdown = write_markdown(f"<table><tr><td colspan='999'>a</td><td>b</td></tr>{ROW}</table>")
    assert markdown.splitlines()[2].count("|") == 1 + MAX_SPAN + 1
    assert "<td>a</td>" in render_markdown(markdown)


UNITS: dict[str, Callable[[int], str]] = {
    "images": lambda number: f'<img src="/i/{number}.jpg" alt="pic {number}">',
    "entries": lambda number: f"<li>item {number}</li>\n",
    "cells": lambda number: f"<td>{number}</td>\n",
    "rows": lambda number: f"<tr><td>{number}</td><td>b</td></tr>\n",
    "lines": lambda number: f"{number}. a<br>",
    "marks": lambda number: f"<em>{number}</em> <strong>b c</strong> ",
    "paragraphs": lambda number: f"<p>It was {number} once.</p>\n",
    "terms": lambda number: f"<dt>{number}</dt>\n<dd>b</dd>\n",
}
AROUND = {
    "entries": ("<ol>", "</ol>"),
    "cells": ("<table><tr>", "</tr></table>"),
    "rows": ("<table>", "</table>"),
    "terms": ("<dl>", "</dl>"),
}


def measure(unit: str, times: int) -> float:
    """CPU seconds, the best of three, of so many units."""
    first, last = AROUND.get(unit, ("<p>", "</p>"))
    html = first + "".join(map(UNITS[unit], range(times))) + last
    seconds = []
    for _ in range(3):
        start = thread_time()
        write_markdown(html)
        seconds.append(thread_time() - start)
    return min(seconds)


@pytest.mark.parametrize("unit", UNITS)
def test_time_is_linear(unit: str) -> None:
    assert measure(unit, 16_000) < 8 * measure(unit, 4_000)  # 4; quadratic: 16


def test_it_stops_when_the_time_is_over() -> None:
    clock = Clock(0)
    with pytest.raises(OutOfTimeError):
        write_markdown("<p>one</p>", clock)
