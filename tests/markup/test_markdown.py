"""Markdown of the marks, tables and lists that other converters get wrong, and its growth."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

import pytest

from scrapy_boilerplate.markup.markdown import MAX_SPAN, write_markdown
from scrapy_boilerplate.page.limits import Clock, OutOfTimeError
from tests.markup.safety import render_markdown

ROW = "<tr><td>1</td><td>2</td></tr>"


MARKDOWN = {
    "nothing": ("", ""),
    "heading": ("<h2>one</h2>\n<p>two</p>", "## one\n\ntwo"),
    "marks": ("<p>one <strong>two</strong> <em>three</em></p>", "one **two** *three*"),
    "link": ('<p>one <a href="/x(y)">two</a></p>', "one [two](/x%28y%29)"),
    "image": ('<p>a <img src="/x.png" alt="b] c"></p>', "a ![b\\] c](/x.png)"),
    "list in a list": ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
    "numbers": ('<ol start="9"><li>a</li><li>b</li></ol>', "9. a\n10. b"),
    "quotation": ("<blockquote><p>a</p>\n<p>b</p></blockquote>", "> a\n>\n> b"),
    "preformatted": ("<pre>one\n  ```\n</pre>", "````\none\n  ```\n````"),
    "code": ("<p><code>a `b`</code></p>", "`` a `b` ``"),
    "escapes": ("<p>1. * [x] # &lt;b&gt; a_b</p>", "1\\. \\* \\[x\\] \\# \\<b\\> a\\_b"),
    "no image": ('<p>Look!<a href="/x">a</a></p>', "Look\\![a](/x)"),
    "br at the end": ("<p>a<br></p>", "a"),
    "br in code": ("<p><code>a<br>b</code></p>", "`a b`"),
    "only a backslash in code": ("<p><code>\\</code></p>", "`\\`"),
    "no list": ("<p>of 2027. So - 1) a</p>", "of 2027. So - 1) a"),
    "starts of lines": ("<p>1. a<br> 2) b\n- c</p>", "1\\. a\\\n 2\\) b\n\\- c"),
    "short lines": ("<p>-\n---\n#\n1.\n2.</p>", "\\-\n\\---\n\\#\n1\\.\n2\\."),
    "a number after any space": ("<p>\xa0 1. a</p>", "1\\. a"),
    "other marks": ("<p><s>a</s> <q>b</q> <u>c</u></p>", '~~a~~ "b" c'),
    "image in a heading": ('<h2><img src="/x" alt="y"></h2>', "## ![y](/x)"),
    "figures": (
        '<figure><img src="/x"></figure>\n<figure><img src="/y"></figure>',
        "![](/x)\n\n![](/y)",
    ),
    "definitions": ("<dl><dt>a</dt>\n<dd>b</dd></dl>", "a\n\nb"),
    "paragraphs": ("<ul><li><p>a</p>\n<p>b</p></li></ul>", "- a\n\n  b"),
    "one head a table": (
        f"<table><tbody>{ROW}</tbody><tbody>{ROW}</tbody></table>",
        "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 1 | 2 |",
    ),
    "numbers of a list": (
        '<ol reversed=""><li>a</li><li>b</li></ol><ol><li value="9">c</li><li>d</li></ol>',
        "2. a\n\n<!-- -->\n\n1. b\n\n9. c\n10. d",
    ),
    "exponent": ("<p>10<sup>6</sup> m<sup>2</sup></p>", "10^6 m2"),
    "note": (
        '<p>a<sup><a href="#note-1">[1]</a></sup></p><ol><li id="note-1">b</li></ol>',
        "a[^1]\n\n[^1]: b",
    ),
    "language": ('<pre><code class="language-c">x</code></pre>', "```c\nx\n```"),
    "head and caption": (
        f"<table><caption>a</caption><thead>{ROW}</thead><tbody>{ROW}</tbody></table>",
        "*a*\n\n| 1 | 2 |\n| --- | --- |\n| 1 | 2 |",
    ),
    "bar in code in a cell": (
        "<table><tr><th>a</th><th><code>b|c</code></th></tr></table>",
        "| a | `b\\|c` |\n| --- | --- |",
    ),
    "cells over several rows and columns": (
        "<table><tr><td></td><th>City</th><th>N</th></tr>"
        '<tr><td rowspan="2">2020</td><td>Rome</td><td>1</td></tr><tr><td>Oslo</td><td>2</td>'
        '</tr><tr><td colspan="2">All</td></tr></table>',
        "|  | City | N |\n| --- | --- | --- |\n| 2020 | Rome | 1 |\n|  | Oslo | 2 |\n| All |  |  |",
    ),
    "a row with more cells": (
        f"<table>{ROW}<tr><td>1</td><td>2</td><td>3</td></tr></table>",
        "|  |  |  |\n| --- | --- | --- |\n| 1 | 2 |  |\n| 1 | 2 | 3 |",
    ),
    "headers of rows": (
        "<table><tr><th>a</th><td>1</td></tr><tr><th>b</th><td>2</td></tr></table>",
        "|  |  |\n| --- | --- |\n| a | 1 |\n| b | 2 |",
    ),
}


@pytest.mark.parametrize(("html", "markdown"), MARKDOWN.values(), ids=MARKDOWN)
def test_markdown(html: str, markdown: str) -> None:
    assert write_markdown(html) == markdown


def test_a_cell_over_all_columns_of_the_world() -> None:
    markdown = write_markdown(f'<table><tr><td colspan="999">a</td><td>b</td></tr>{ROW}</table>')
    assert markdown.splitlines()[2].count("|") == 1 + MAX_SPAN + 1
    assert "<td>a</td>" in render_markdown(markdown)


UNITS: dict[str, Callable[[int], str]] = {
    "images": lambda number: f'<img src="/i/{number}.jpg" alt="pic {number}">',
    "entries": lambda number: f"<li>item {number}</li>\n",
    "cells": lambda number: f"<td>{number}</td>\n",
    "rows": lambda number: f"<tr><td>{number}</td><td>b</td></tr>\n",
    "marks": lambda number: f"<em>{number}</em> <strong>b c</strong> ",
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
