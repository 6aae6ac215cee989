"""Units of `news`: tables, lists, listings, quotes, boxes and notes are kept or left as a whole."""

import numpy as np
import pytest

from scrapy_boilerplate.news.units import WholeUnits
from tests.builders import document, page_of, sentences
from tests.news_models import after, kept

P = f"<p>{sentences(30, 'rain')}</p>"
ROWS = "<tr><th>one<th>two<tr><td>3<td>4"
NOTE = "<sup><a href='#n'>1</a></sup>"
UNITS = {
    # HTML, scores of its blocks, content; before, the blocks of .5 and more are content
    "cells": (f"{P}<table>{ROWS}</table>{P}", (1, 0.1, 0.6, 0.3, 0.3, 1), [0, 1, 2, 3, 4, 5]),
    "wrapped": (f"{P}<div><table>{ROWS}</table></div>{P}", (1, *[0.3] * 4, 1), [*range(6)]),
    "unlikely table": (f"{P}<table>{ROWS}</table>{P}", (1, *[0.01] * 4, 1), [0, 5]),
    "end of section": (
        f"{P}<section><p>a<table>{ROWS}</table></section>{P}",
        (1, 1, *[0.4] * 4, 1),
        [*range(7)],
    ),
    "layout": (f"{P}<table><tr><td>one<td>two</table>{P}", (1, 0.3, 0.3, 1), [0, 3]),
    "entries": (f"{P}<ul><li>one of<li><a href=x>two</a></ul>{P}", (1, 0.6, 0.1, 1), [0, 1, 2, 3]),
    "posts": (f"{P}<ul><li>{'<p>1' * 7}<li><p>8</ul>{P}", (1, *[0.3] * 8, 1), [0, 9]),
    "links": (
        f"{P}<p>To read:</p><ul><li><a href=x>one</a><li><a href=x>two</a></ul>{P}",
        (1, 1, 0.2, 0.2, 1),
        [0, 1, 2, 3, 4],
    ),
    "column": (
        f"{P}<table><tr><th>a<tr><td>b<tr><td>c</table>{P}",
        (1, *[0.1] * 3, 1),
        [*range(5)],
    ),
    "sorted": (
        f"{P}<table>{ROWS.replace('one', '<button>one</button>')}</table>{P}",
        (1, *[0.3] * 4, 1),
        [*range(6)],
    ),
    "listing": (f"{P}<pre>x = 1</pre><button>Copy</button>{P}", (1, 0.1, 0.1, 1), [0, 1, 3]),
    "labelled": (f"{P}<div><p>sh<pre>x = 1</pre></div>{P}", (1, 0, 0.1, 1), [0, 2, 3]),
    "lines": (f"{P}<pre>1<br>2</pre><pre>x</pre>{P}", (1, 0.9, 0.9, 0.1, 1), [0, 3, 4]),
    "post": (
        f"{P}<blockquote><p>one<footer>two</footer></blockquote>{P}",
        (1, 0.6, 0, 1),
        [0, 1, 2, 3],
    ),
    "warning": (f"{P}<div><p>Note<p>Two of it.</div>{P}", (1, 0.1, 0.3, 1), [0, 1, 2, 3]),
    "two": (f"{P}{'<div><p>Note<p>Two.</div>' * 2}{P}", (1, *[0.3] * 4, 1), [*range(6)]),
    "part": (f"{P}<part-x><p>Note<p>Two.</part-x>{P}", (1, 0.3, 0.3, 1), [*range(4)]),
    "before an ad": (
        f"{P}<div><p>Note<p>Two.</div><div class=ad>Advert</div>{P}",
        (1, 0.3, 0.3, 0, 1),
        [0, 1, 2, 4],
    ),
    "named note": (f"{P}<div class=infobox><p>Note<p>Two.</div>{P}", (1, 0.3, 0.3, 1), [*range(4)]),
    "promotion": (f"{P}<div><p>Sign<p><a href=x>Up.</a></div>{P}", (1, 0.1, 0.3, 1), [0, 3]),
    "named": (f"{P}<div class=caption><p>Note<p>Two.</div>{P}", (1, 0.1, 0.3, 1), [0, 3]),
    "picture": (f"{P}<div><img src=x><p>a<p>Two.</div>{P}", (1, 0.1, 0.3, 1), [0, 3]),
    "elsewhere": (f"{P}<div><ul><li>a<li>b<li>c</ul><p>d</div>", (1, 0.6, 0, 0, 0), [0, 1]),
    "quoted": (
        f"{P}<figure><blockquote>a</blockquote><figcaption>b</figcaption></figure>{P}",
        (1, 0.9, 0, 1),
        [*range(4)],
    ),
    "gallery": (f"{P}<ul>{'<li><img src=x><b>1/2</b>' * 2}</ul>{P}", (1, 0.9, 0.9, 1), [0, 3]),
    "question": (
        f"{P}<details><summary>a</summary>b</details>c{P}",
        (1, 0, 0.9, 0, 1),
        [0, 1, 2, 4],
    ),
    "questions": (
        f"{P}{'<details><summary>a</summary>b</details>' * 3}{P}",
        (1, *[0.1] * 6, 1),
        [*range(8)],
    ),
    "notes": (f"<p>{sentences(30, 'rain')}{NOTE}</p><p>a<ol><li id=n>b</ol>", (1, 0, 0), [0, 2]),
}


@pytest.mark.parametrize(("html", "scores", "content"), UNITS.values(), ids=UNITS)
def test_units_are_content_as_a_whole(
    html: str, scores: tuple[float, ...], content: list[int]
) -> None:
    page = page_of(document(html))
    chosen = np.flatnonzero(np.array(scores) >= 0.5).tolist()
    assert after(WholeUnits(), page, kept(page, scores, *chosen)) == content
