"""What the methods that choose elements share, and those that only count children."""

from __future__ import annotations

import numpy as np

from scrapy_boilerplate.page.columns import NO_ELEMENT
from scrapy_boilerplate.systems.candidates.gravity import count_stop_words
from scrapy_boilerplate.systems.candidates.paragraphs import find_paragraphs
from scrapy_boilerplate.systems.common.tokens import count_characters
from tests.builders import content_texts
from tests.systems.candidates.candidate_pages import TEXT, element, page_of


def test_paragraphs_in_order() -> None:
    """The p, the loose text after it, the plain div; not the div around, not the heading."""
    body = "<div class='x'><p>aa</p>bbb<br>cccc<div>ddddd</div><h2>e</h2></div><p></p>"
    page = page_of(body)
    nothing = np.zeros(len(page.elements), dtype=np.bool_)
    paragraphs = find_paragraphs(page, page.elements.tagged(frozenset({"p"})), nothing)
    assert paragraphs.sums(count_characters(page)).tolist() == [2, 3, 4, 5]
    assert (paragraphs.elements == NO_ELEMENT).tolist() == [False, True, True, False]
    assert set(paragraphs.parents.tolist()) == {element(page, "x")}
    assert paragraphs.innermost().tolist() == [0, 1, 2, 3, -1]
    assert paragraphs.plain.all()


def test_what_names_say() -> None:
    for name, unlikely, naughty in [
        ("commentary", False, False),
        ("roads", False, False),
        ("right-sidebar", True, True),
        ("sidebar-enabled", False, False),
        ("promo-box", True, True),
        ("related-stories", True, True),
        ("post-tags", False, True),
        ("tag-politics", False, False),
        ("nav", True, True),
        ("Disqus_Thread", True, True),
    ]:
        box = f'<div class="{name}">{TEXT * 2}</div>'
        readable = page_of(f"<article>{box}{TEXT * 3}</article>")
        assert (len(content_texts("readability", readable)) == 12) is unlikely, name
        for_goose = page_of(f"{box}<div>{TEXT}</div>")
        assert (len(content_texts("goose", for_goose)) == 4) is naughty, name


def test_grades_where_there_is_no_list() -> None:
    for text, grade in [
        ("eins zwei drei vier", 0),  # no mark of a clause
        ("3.14 7.2 v1.2", 0),  # marks within words do not count
        ("wort " * 30 + "ende.", 6),  # .53 x 12 words, for one mark vouches for no more
        ("漢字仮名交じり文。", 2),  # 8 characters are 4 words
    ]:
        assert count_stop_words(page_of(f"<p>{text}</p>", language="zz")).tolist() == [grade]


def test_elements_by_their_number_of_children() -> None:
    article = "<div>" + "<p><i>x</i><b>y</b><u>z</u></p>" * 4 + "</div>"
    for extractor, body, texts in [
        ("largest-tag-count", "<p>a<p>b<div><p>c</p><p>d</p><p>e</p></div>", ["c", "d", "e"]),
        # the list has most children of one tag, but the article, larger, was ranked first
        ("largest-tag-count", article + "<ul>" + "<li>menu" * 6 + "</ul>", ["xyz"] * 4),
        ("fan-out", "<p>a</p><div><p>c</p><i>d</i><b>e</b></div>", ["c", "de"]),
        ("fan-out", "<ul><li>a<li>b<li>c</ul><ol><li>d<li>e<li>f</ol>", ["a", "b", "c"]),
        ("libextract", "<p>a</p>", ["a"]),
    ]:
        assert content_texts(extractor, page_of(body)) == texts


def test_libextract_takes_five_elements() -> None:
    """Of lists of 19, 18, ... 13 items; the body has 7 children of one tag."""
    lists = "".join(f"<ul>{f'<li>{n}' * n}</ul>" for n in range(19, 12, -1))
    assert set(content_texts("libextract", page_of(lists))) == {"19", "18", "17", "16", "15"}
