"""The gold standard: texts and labels of L3S-GN1 on the page as crawled."""

from scrapy_boilerplate import Label
from scrapy_boilerplate.training.gold import (
    L3S_ARTICLE,
    UNKNOWN,
    join_l3s_text,
    label_l3s_leaves,
    walk_l3s_texts,
)
from tests.builders import page_of


def selected(number: int, text: str, more: str = "") -> str:
    return f"<span class='{more}x-nc-sel{number}'>{text}</span>"


def test_labelled_texts() -> None:
    for body, expected in [
        ("one", [("one", 0)]),  # outside all spans
        *((selected(n, "one"), [("one", n)]) for n in range(6)),
        (selected(2, "one") + "two", [("one", 2), ("two", 0)]),
        # the innermost span decides
        (selected(2, f"one{selected(5, 'two')}three"), [("one", 2), ("two", 5), ("three", 2)]),
        (selected(2, "one<b>two</b><!-- x -->six"), [("one", 2), ("two", 2), ("six", 2)]),
        (selected(2, "one", "wide "), [("one", 2)]),  # another class before
        (selected(6, "one"), [("one", 0)]),  # no such class
        ("<span class=x-nc-sel22>one</span>", [("one", 0)]),  # a longer name
        (selected(2, "one<script>x</script>two"), [("one", 2), ("two", 2)]),
    ]:
        texts = list(walk_l3s_texts(f"<html><body>{body}</body></html>"))
        assert texts == [(text, Label(number)) for text, number in expected]


ANNOTATED = """<body><ul><li>Home</li></ul>
<h1><span class="x-nc-sel1">Ferry returns</span></h1>
<p><span class="x-nc-sel2">The <b>ferry</b> returns <i class="x-nc-sel4">see also</i></span></p>
<p><span class="x-nc-sel3">Photo: Ann</span></p><p><span class="x-nc-sel5">Great news</span></p>
</body>"""
CRAWLED = """<body><ul><li>Home</li><li>Menu that the annotator never saw</li></ul>
<h1>Ferry returns</h1><p>The <b>ferry</b> returns <a href=x>see also</a></p>
<p>Photo: Ann</p><p>Great news</p></body>"""


def test_the_classes_of_l3s_come_over_to_the_page_as_crawled() -> None:
    page = page_of(CRAWLED)
    labels = label_l3s_leaves(page, ANNOTATED).tolist()
    assert dict(zip(page.leaves.texts, labels, strict=True)) == {
        "Home": Label.BOILERPLATE,
        "Menu that the annotator never saw": UNKNOWN,
        "Ferry returns": Label.HEADLINE,
        "The ": Label.FULL_TEXT,
        "ferry": Label.FULL_TEXT,
        " returns ": Label.FULL_TEXT,
        "see also": Label.RELATED,
        "Photo: Ann": Label.SUPPLEMENTAL,
        "Great news": Label.COMMENTS,
    }


def test_the_gold_text_of_the_paper_has_no_comments() -> None:
    assert "Great" not in join_l3s_text(ANNOTATED, L3S_ARTICLE)
    assert join_l3s_text(ANNOTATED, {Label.COMMENTS}).split() == ["Great", "news"]
