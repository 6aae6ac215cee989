"""Bodies of articles that a page holds for its scripts and does not show."""

import json
from typing import Any

import pytest

from scrapy_boilerplate import extract
from tests.builders import filler
from tests.metadata.pages import URL, write_article

BODY = filler(120)
MARKUP = f"<p>{filler(60)}</p><p>{filler(70)}</p>"


def build_page(data: Any, kind: str = "application/json", shown: str = "<h1>A b</h1>") -> str:
    text = data if isinstance(data, str) else json.dumps(data).replace("</", "<\\/")
    return f'{shown}<script id="__NEXT_DATA__" type="{kind}">{text}</script>'


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param({"props": {"article": {"body": BODY}}}, BODY, id="deep in objects"),
        pytest.param({"body": filler(99)}, "", id="a notice"),
        pytest.param({"summary": BODY}, "", id="another name"),
        pytest.param({"body": [BODY]}, "", id="no string"),
        pytest.param({"body": filler(110), "content": BODY}, BODY, id="the longest"),
        pytest.param("{'body':", "", id="no JSON"),
        pytest.param("[" * 50_000, "", id="too deep"),
        pytest.param({"body": filler(200_000)}, "", id="too long"),
    ],
)
def test_data_of_a_script_is_the_last_resort(data: Any, text: str) -> None:
    document = extract(build_page(data), URL)
    assert document.text == text
    assert document.evidence.get("text") == ("script data" if text else None)


def test_code_is_no_data_and_what_the_page_shows_comes_first() -> None:
    assert extract(build_page({"body": BODY}, kind="text/javascript"), URL).text == ""
    document = extract(build_page({"body": BODY}, shown=f"<p>{filler(40, 'shown')}.</p>"), URL)
    assert document.text == f"{filler(40, 'shown')}."


def test_html_holds_the_paragraphs_of_data() -> None:
    document = extract(build_page({"bodyHtml": MARKUP}), URL)
    assert document.text == f"{filler(60)}\n\n{filler(70)}"
    assert document.html == f"<p>{filler(60)}</p>\n<p>{filler(70)}</p>"


DECLARED = {
    # what the page shows, words of the text that it declares, whether that is the text
    "nothing": ("", 5, True),
    "a menu": ("<nav><a href=/x>home</a></nav>", 5, True),
    "a line": (f"<h1>A b</h1><p>{filler(12)}.</p>", 60, True),
    "a paragraph": (f"<h1>A b</h1><p>{filler(40)}.</p>", 200, False),
}


@pytest.mark.parametrize(("shown", "n_words", "is_text"), DECLARED.values(), ids=DECLARED)
def test_a_declared_text_is_the_last_resort(shown: str, n_words: int, is_text: bool) -> None:
    body = filler(n_words, "declared")
    extracted = extract(write_article(articleBody=body) + shown, URL)
    assert (extracted.text == body, extracted.html == f"<p>{body}</p>") == (is_text, is_text)
    assert extracted.evidence.get("text") == ("json-ld" if is_text else None)


def test_json_ld_comes_before_data() -> None:
    document = extract(
        build_page({"body": BODY}) + write_article(articleBody="Five words and no more."), URL
    )
    assert (document.text, document.evidence["text"]) == ("Five words and no more.", "json-ld")


def test_a_page_that_only_declares_its_text_has_its_paragraphs() -> None:
    extracted = extract(
        write_article(articleBody="One <b>bold</b> & plain line.\nAnother line."), URL
    )
    assert extracted.text == "One <b>bold</b> & plain line.\n\nAnother line."
    html = "<p>One &lt;b&gt;bold&lt;/b&gt; &amp; plain line.</p>\n<p>Another line.</p>"
    assert extracted.html == html
    assert extracted.markdown == "One \\<b\\>bold\\</b\\> \\& plain line.\n\nAnother line."
