"""Documents: their fields, and the fields that are pickled."""

import pickle
import sys
import warnings
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any

import pytest
from lxml import etree

from scrapy_boilerplate import (
    Document,
    Limits,
    MissingExtraError,
    extract,
    extract_pages,
)
from tests.builders import document, filler, spend_time, tree_of

HTML = document(
    f"<h1>Rain in May</h1><p>{filler(60, 'First')}</p><p>{filler(60)}<br>{filler(60)}</p>"
    f"<figure><figcaption>A wet street</figcaption></figure>"
    f"<div class=related><a href=/x>Snow in June</a></div>"
    f"<div class=comments><p>So wet it was</p><p>Not so dry</p></div><p>|</p>",
    title="Rain in May | Daily",
).replace("<html>", "<html lang=en-GB>")


@pytest.mark.parametrize(
    "text", ["/pages/ferry.html", "page.htm\n", "https://harbour-news.example/ferry"]
)
def test_a_path_is_no_page(text: str) -> None:
    with pytest.warns(UserWarning, match="Pass the HTML") as warned:
        assert extract(text).error is None
    assert warned[0].filename == __file__


@pytest.mark.parametrize("text", ["", "ferry", "see /tmp/page.html", "<p>/tmp/page.html", b"/a"])
def test_other_texts_are_pages_without_a_warning(text: str | bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert extract(text).error is None


def read_record(html: str) -> dict[str, Any]:
    return extract(html).to_dict(["text", "headline", "confidence", "tags", "blocks"])


@pytest.mark.posix("fork")
def test_a_forked_process_gives_the_same_document() -> None:
    """BLAS has threads by then, and models are loaded."""
    expected = read_record(HTML)
    with get_context("fork").Pool(1) as pool:
        assert pool.apply_async(read_record, (HTML,)).get(timeout=60) == expected


def test_texts_are_composed_and_urls_and_blocks_are_not() -> None:
    apart, composed = "u\N{COMBINING DIAERESIS}ber", "\N{LATIN SMALL LETTER U WITH DIAERESIS}ber"
    box = f"<p>{apart} {filler(60)}<figure><figcaption>{apart} a b c</figcaption></figure>"
    head = f'<link rel=canonical href="/{apart}"><meta property=article:tag content={apart}>'
    page = extract(f"{head}<h1>{apart} one two</h1>{box}", "https://news.example/1")
    assert page.text.startswith(f"{composed} word")
    assert page.headline == f"{composed} one two"
    assert page.tags == (composed,)
    assert page.canonical_url == f"https://news.example/{apart}"
    assert page.supplemental == (f"{composed} a b c",)
    assert page.blocks[-1].text == f"{apart} a b c"


def extract_article(extractor: str = "container") -> Document:
    return extract(HTML, "https://news.example/1", extractor)


def pickle_and_load(document: Document) -> Any:
    return pickle.loads(pickle.dumps(document))  # noqa: S301 - our own bytes


def test_a_document_has_the_fields_of_the_page() -> None:
    article = extract_article()
    assert article.url == "https://news.example/1"
    assert article.language == "en"
    assert article.headline == "Rain in May"
    assert article.text == f"{filler(60, 'First')}\n\n{filler(60)}\n{filler(60)}"
    assert article.comments == ("So wet it was", "Not so dry")
    assert article.supplemental == ("A wet street",)
    assert article.related == ("Snow in June",)
    assert article.extractor == "container"
    assert article.error is None
    assert 0.5 < article.confidence <= 1
    for name in ("txt", "partial", "to_dict"):
        with pytest.raises(TypeError, match=f"no field '{name}'"):
            article.replace(**{name: "x"})


def test_blocks_are_in_the_order_of_the_page() -> None:
    article = extract_article()
    assert "blocks" not in vars(article)
    blocks = article.blocks
    assert article.blocks is blocks
    labels = "headline full_text full_text full_text supplemental related comments comments"
    assert [block.label for block in blocks] == [*labels.split(), "boilerplate"]
    assert [block.text[:12] for block in blocks][:2] == ["Rain in May", "First word w"]
    assert {block.score for block in blocks} == {1.0}
    assert blocks[2].xpath == blocks[3].xpath
    assert blocks[0].as_dict() == {
        "text": "Rain in May",
        "label": "headline",
        "score": 1.0,
        "xpath": "/html[1]/body[1]/h1[1]",
    }


def test_documents_compare_and_are_pickled_by_what_they_say() -> None:
    article = extract_article()
    copy = pickle_and_load(article)
    assert article.labelled is not None
    assert copy.labelled is None
    assert copy == article == extract_article()
    assert (copy.blocks, copy.evidence) == (article.blocks, article.evidence)
    assert hash(article) == hash(extract_article())
    assert article != article.replace(text="x")


def test_probability_of_an_article_is_asked_for_on_first_use_and_travels() -> None:
    article = extract_article()
    assert "article_probability" not in vars(article)
    assert 0 < (article.article_probability or 0) < 1
    copy = pickle_and_load(article)
    assert vars(copy)["article_probability"] == article.article_probability
    for extractor in ("keep-everything", "block-fusion"):
        assert extract_article(extractor).article_probability == article.article_probability
    assert Document(text="x").article_probability is None


@pytest.mark.parametrize("is_joined", [False, True])
def test_further_pages_travel(is_joined: bool) -> None:
    links = '<p class="pages">1 <a href="?page=2">2</a></p>'
    source = HTML.replace("<figure>", f"{links}<figure>", 1)
    url = "https://news.example/rain"
    article = extract_pages([source, HTML], [url, f"{url}?page=2"]) if is_joined else None
    article = article or extract(source, url)
    first = getattr(article, "first", article)
    copy = pickle_and_load(article)
    assert getattr(copy, "first", copy).next_page == first.next_page == f"{url}?page=2"


@pytest.mark.parametrize("html", ["<html></html>", "<script>one</script>", "<p> </p>"])
def test_a_page_without_text_gives_an_empty_document(html: str) -> None:
    article = extract(html)
    assert (article.text, article.headline, article.language) == ("", None, None)
    assert (article.blocks, article.comments, article.related, article.supplemental) == ((),) * 4
    assert (article.confidence, article.error) == (0.0, None)


def test_confidence_rises_with_the_text_and_falls_with_what_is_left_out() -> None:
    def read(html: str) -> float:
        return extract(html, extractor="container").confidence

    confidences = [read(f"<p>{filler(words)}</p>") for words in (0, 20, 50, 100)]
    assert confidences == sorted(set(confidences))
    article = f"<article><p>{filler(80)}</p><p>{filler(80)}</p></article>"
    assert read(f"{article}<footer><p>{filler(100)}</p></footer>") < read(article)


def test_text_of_a_block_is_never_empty() -> None:
    blocks = extract("<p>one</p><p>\x01</p>", extractor="keep-everything").blocks
    assert all(block.text for block in blocks)


needs_markup = pytest.mark.skipif(find_spec("html_to_markdown") is None, reason="Markdown")


@needs_markup
def test_markup_is_built_on_first_use_and_once() -> None:
    root = tree_of(HTML)
    before = etree.tostring(root)
    article = extract(root, "https://news.example/1", "container")
    assert not {"html", "markdown"} & set(vars(article))
    assert article.html == f"<p>{filler(60, 'First')}</p>\n<p>{filler(60)}<br>{filler(60)}</p>"
    assert article.markdown == f"{filler(60, 'First')}\n\n{filler(60)}\\\n{filler(60)}"
    assert article.html is article.html
    assert etree.tostring(root) == before
    copy = pickle_and_load(article)
    assert (copy.html, copy.markdown, copy.tree) == (article.html, article.markdown, None)


@needs_markup
def test_without_its_tree_a_document_has_no_html() -> None:
    article = extract_article()
    copy = pickle_and_load(article.replace(tree=None))
    assert (copy.text, copy.html, copy.markdown) == (article.text, None, None)
    assert (Document(text="x").html, Document(text="x").markdown) == (None, None)
    assert Document().html == ""


def test_html_of_a_tree_that_was_changed_has_only_texts_and_tags() -> None:
    root = tree_of(f"<p>{filler(60)} <img src=/x.jpg>one</p><script></script><h2>two</h2>")
    article = extract(root, "https://news.example/", "keep-everything")
    script = next(root.iter("script"))
    script.getparent().remove(script)
    assert article.html == f"<p>{filler(60)} one</p>\n<h2>two</h2>"


def test_without_the_converter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "html_to_markdown", None)
    hint = r"needs html_to_markdown: pip install 'scrapy-boilerplate-removal\[html\]'$"
    with pytest.raises(MissingExtraError, match=hint):
        _ = extract_article().markdown


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a</p><p>b</p>", "a\n\nb"),
        ("<p>a<br>b</p>", "a\nb"),
        ("<p>a<br><br>b</p>", "a\n\nb"),
        ("<p>a<br>\n &nbsp;<br/>b</p>", "a\n\nb"),
        ("<p>a<br><span></span><br><br>b</p>", "a\n\nb"),
        ("<p>a<b><br></b><br>b</p>", "a\n\nb"),
        ("<div>a<p>b</p>c</div>", "a\n\nb\n\nc"),
        ("<ul><li>a<li>b</ul>", "a\n\nb"),
    ],
)
def test_paragraph_breaks_are_blank_lines(html: str, text: str) -> None:
    assert extract(html, extractor="keep-everything").text == text


LATE = {"html": None, "markdown": None, "article_probability": None, "blocks": ()}


def use_up_time() -> Document:
    """A document whose time is over after its text."""
    document = extract(HTML, "https://news.example/1", limits=Limits(milliseconds=500))
    with document.clock:
        spend_time(0.5)
    return document


@needs_markup
@pytest.mark.parametrize(("name", "value"), LATE.items())
def test_late_fields_are_left_out_past_the_budget(name: str, value: Any) -> None:
    document = use_up_time()
    assert not document.exceeded
    assert (getattr(document, name), document.partial) == (value, "milliseconds")
    assert (document.headline, "headline" in document.late) == (None, True)


@needs_markup
def test_time_between_late_fields_does_not_count() -> None:
    document = extract(HTML, "https://news.example/1", limits=Limits(milliseconds=500))
    for name in LATE:
        spend_time(0.5)
        assert getattr(document, name) not in (None, ())
    assert document.partial is None


@needs_markup
def test_what_leaves_the_process_tells_of_late_fields() -> None:
    record = use_up_time().to_dict(["partial", "html", "blocks"])
    assert (record["partial"], record["html"], record["blocks"]) == ("milliseconds", None, None)
    copy = pickle_and_load(use_up_time())
    assert (copy.partial, vars(copy)["html"]) == ("milliseconds", None)
    assert vars(copy)["blocks"] == (), "they can be iterated"
