"""texrex's 37 features, on pages counted by hand."""

import pytest

from scrapy_boilerplate import EXTRACTORS, Page
from scrapy_boilerplate.systems.texrex import TEXREX, read_leaf_markup
from tests.builders import segmented_page


def sections(html: str) -> Page:
    return segmented_page(html, None, EXTRACTORS["mlp"])


def column(html: str, name: str) -> list[float]:
    return [round(float(number), 4) for number in TEXREX.compute(sections(html))[name]]


def test_divisions() -> None:
    for html, texts in [
        ("<div>one<p>two</p>three</div>", ["one", "two", "three"]),
        ("<p>one<br>two</p>", ["one two"]),
        ("<dl><dt>one</dt><dd>two</dd></dl>", ["one two"]),
        ("<section><h2>one</h2><blockquote>two</blockquote></section>", ["one", "two"]),
    ]:
        assert sections(html).texts == texts


def test_by_hand() -> None:
    for html, name, wanted in [
        (f"<p>{'x' * 250}</p>", "length", [0.25]),
        (f"<p>{'x' * 2500}</p>", "length", [1]),
        ("<p>abc</p><p>a</p>", "share_of_text", [0.75, 0.25]),
        ("<p>abcdef</p><p>ab</p>", "middle_of_text", [0.25, 0.75]),
        ("<p>a</p><p>a</p><p>a</p>", "middle_of_blocks", [0.6667, 0, 0.6667]),
        ("<p>a$+b, c.</p>", "punctuation", [0.25]),
        ("<p>cafe\u0301!</p>", "punctuation", [round(1 / 6, 4)]),
        ("<p>e\u0301 \u2163</p>", "letters", [round(1 / 3, 4)]),
        ("<p>1 \u00bd \u2163 a</p>", "numbers", [0.75]),
        ("<p>a &lt;br&gt; b</p>", "tags_left", [round(1 / 6, 4)]),
        ("<p>me@x.org a</p>", "addresses", [round(1 / 9, 4)]),
        ("<p>http://x.org a</p>", "uris", [round(1 / 13, 4)]),
        ("<p>#ab #1 a#b</p>", "hashtags", [0.25]),
        ("<p>2001 1999 2019</p>", "years", [round(2 / 12, 4)]),
        ("<p>a <a href=x>b</a> <abbr>c</abbr></p>", "anchors", [round(2 / 3, 4)]),
        ("<p>Ab 1</p>", "upper", [0.5]),
        ("<p>one 1.5</p><p>one.</p>", "no_sentence", [1, 0]),
        ("<p>12345678. 12345678.</p>", "sentence_length", [0.095]),
        ("<p>one</p><p>a. b! c?</p>", "sentences", [0.1, 0.3]),
        ("<p>\u00a9 x</p><p>(C) x</p><p>c</p>", "copyright", [1, 1, 0]),
        ("<!DOCTYPE html><p>a</p>", "doctype_html5", [1]),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"><p>a</p>', "doctype_html4", [1]),
        (
            '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><p>a</p>',
            "doctype_xhtml",
            [1],
        ),
        ("<div>a<h3>b</h3><span>c</span></div>", "in_heading", [0, 1, 0]),
        ("<div>a<h3>b</h3><span>c</span></div>", "in_div", [1, 0, 1]),
        ("<div>a<p>b</p>c</div>", "by_end_tag", [0, 0, 1]),
        ("<p>a<b>c</b></p>", "start_tags", [round(2 / 3, 4)]),
        ("<div><div><p>a</p></div></div><p>b</p>", "skipped", [0.1, 0.15]),
    ]:
        assert column(html, name) == wanted


def test_tags_of_a_division_in_characters() -> None:
    start, link, end = '<p class="x">', '<a id="y" href="z">', "</a>"
    page = sections(f"{start}one {link}two{end}</p><p>a</p>")
    characters = read_leaf_markup(page).characters.tolist()
    assert characters == [len(start + link), len(end), len("<p>")]
    tags = len(start + link + end)
    assert TEXREX.compute(page)["markup"][0] == pytest.approx(tags / (tags + len("one two")))
    everything = f"<html><body>{start}{link}{end}</p><p></p></body></html>"
    assert TEXREX.compute(page)["page_text"] == pytest.approx(8 / (8 + len(everything)))


def test_windows_are_shorter_at_the_ends() -> None:
    columns = TEXREX.compute(sections("<p>a</p><p>abcdefgh</p><p>a</p><p>abcdefghijkl</p>"))
    m = columns["markup"]
    assert columns["markup_3"].tolist() == pytest.approx(
        [m[:2].mean(), m[:3].mean(), m[1:].mean(), m[2:].mean()]
    )
    assert columns["markup_5"].tolist() == pytest.approx(
        [m[:3].mean(), m.mean(), m.mean(), m[1:].mean()]
    )


def test_invisible_elements_are_no_tags() -> None:
    shown = read_leaf_markup(sections("<p>a <script>x</script>b</p>"))
    assert shown.starts.sum() == 1
