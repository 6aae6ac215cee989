"""Markdown of the marks, tables and lists that converters get wrong."""

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
    "escapes": ("<p>1. * [x] # &lt;b&gt; a_b</p>", "1\\. \\* \\[x\\] # \\<b> a\\_b"),
    "no image": ('<p>Look!<a href="/x">a</a></p>', "Look\\![a](/x)"),
    "br at the end": ("<p>a<br></p>", "a"),
    "br in code": ("<p><code>a<br>b</code></p>", "`a`\\\n`b`"),
    "only a backslash in code": ("<p><code>\\</code></p>", "`\\`"),
    "no list": ("<p>of 2027. So - 1) a</p>", "of 2027. So - 1) a"),
    "starts of lines": ("<p>1. a<br> 2) b\n- c</p>", "1\\. a\\\n2\\) b\n\\- c"),
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
        "2. a\n\n<!-- -->\n\n1. b\n\n9) c\n10) d",
    ),
    "exponent": ("<p>10<sup>6</sup> m<sup>2</sup></p>", "10^6 m2"),
    "note": (
        '<p>a<sup><a href="#note-1">[1]</a></sup></p><ol><li id="note-1">[1]b</li></ol>',
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
        "|  | City | N |\n| --- | --- | --- |\n| 2020 | Rome | 1 |\n|  | Oslo | 2 |\n| All | |  |",
    ),
    "a row with more cells": (
        f"<table>{ROW}<tr><td>1</td><td>2</td><td>3</td></tr></table>",
        "|  |  |  |\n| --- | --- | --- |\n| 1 | 2 |  |\n| 1 | 2 | 3 |",
    ),
    "no needless backslashes": (
        "<p>(2008) low-cost A+ 3) 12.5 #a</p><ul><li>+ b -</li></ul><h2>C #</h2>",
        "(2008) low-cost A+ 3) 12.5 #a\n\n- \\+ b -\n\n## C \\#",
    ),
    "backslashes that are written": ("<p>a\\- <code>\\-</code></p>", "a\\\\- `\\-`"),
    "a first row in bold": (
        "<table><tr><td><strong>a</strong></td></tr><tr><td>b</td></tr></table>",
        "| **a** |\n| --- |\n| b |",
    ),
    "a first row without numbers": (
        f"<table><tr><td>a</td><td>b</td></tr>{ROW}{ROW}</table>",
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 1 | 2 |",
    ),
    "lines of a cell": (
        "<table><tr><th>a</th></tr><tr><td><p>b</p><p>c<br>d</p><ul><li>e</li><li>f</li></ul></td>"
        "</tr></table>",
        "| a |\n| --- |\n| b<br>c<br>d<br>e<br>f |",
    ),
    "emphasis without letters": ("<p>a<strong>;</strong> b</p>", "a; b"),
    "well-known": ("<p>well-known, 3.5 in May 1999. x</p>", "well-known, 3.5 in May 1999. x"),
    "hyphens and dots of a URL": ('<p><a href="/a-b/3.5">c</a></p>', "[c](/a-b/3.5)"),
    "marks in an alternative text": (
        '<p><img src="/x" alt="a]b [c](d) <i> `e` *f* &amp;lt; g\\"></p>',
        "![a\\]b \\[c\\](d) \\<i> \\`e\\` \\*f\\* \\&lt; g\\\\](/x)",
    ),
    "an image after an empty element": ('<p>a!<em></em><a href="/x">b</a></p>', "a\\![b](/x)"),
    "marks beside letters": (
        "<p>one<strong>.</strong>Two <em>three,</em>four<em>-five</em></p>",
        "one.Two *three*,four-*five*",
    ),
    "two quotations": (
        "<blockquote><p>a</p></blockquote>\n<blockquote><p>b</p></blockquote>",
        "> a\n\n> b",
    ),
    "two quotations in a cell": (
        "<table><tr><th>a</th><th><blockquote>b</blockquote><blockquote>c</blockquote></th></tr>"
        "</table>",
        "| a | b c |\n| --- | --- |",
    ),
    "a caption below a picture": (
        '<figure><img src="/x" alt="a"><figcaption>b *c*</figcaption></figure>',
        "![a](/x)\n\n*b \\*c\\**",
    ),
    "characters that are none": ("<p>a\ufdd1[b\ufdd5c</p>", "a\\[bc"),
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


LINK = '<a href="/x-y">l-m</a> w '


@pytest.mark.parametrize("tags", ["p", "ul li", "dl dd", "table tr td", "pre", "h2"])
def test_a_long_run_of_inline_elements(tags: str) -> None:
    """It is converted by itself, and looks the same."""
    start = "".join(f"<{tag}>" for tag in tags.split())
    end = "".join(f"</{tag}>" for tag in reversed(tags.split()))
    short, long = (write_markdown(f"{start}{LINK * times}{end}") for times in (2, 2_000))
    unit = "l-m w " if tags == "pre" else "[l-m](/x-y) w "
    assert long.count(unit.strip()) == 2_000
    rest = long.replace((unit * 2_000).strip(), "").split()
    assert rest == short.replace((unit * 2).strip(), "").split()


def test_a_wide_table() -> None:
    wide = "".join(f"<td>c{number}</td>" for number in range(300))
    markdown = write_markdown(f"<table><tr>{wide}</tr>{ROW * 3}</table>")
    assert all(line.count("|") == MAX_SPAN + 1 for line in markdown.splitlines())
    assert all(f" c{number} " in markdown for number in range(300))


def test_it_stops_when_the_time_is_over() -> None:
    clock = Clock(0)
    with pytest.raises(OutOfTimeError):
        write_markdown("<p>one</p>", clock)
