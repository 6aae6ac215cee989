"""What the methods that choose elements share, and those that only count children."""

from tests.builders import content_texts
from tests.systems.candidates.candidate_pages import TEXT, page_of


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
