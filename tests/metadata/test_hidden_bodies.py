"""Bodies of articles that a page holds for its scripts and does not show."""

import json
from typing import Any

import pytest

from scrapy_boilerplate import extract
from tests.builders import filler

URL = "https://news.example/a"
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


def test_json_ld_comes_before_data() -> None:
    declared = json.dumps({"@type": "NewsArticle", "articleBody": "Five words and no more."})
    ld = f'<script type="application/ld+json">{declared}</script>'
    document = extract(build_page({"body": BODY}) + ld, URL)
    assert (document.text, document.evidence["text"]) == ("Five words and no more.", "json-ld")


def test_html_holds_the_paragraphs_of_data() -> None:
    document = extract(build_page({"bodyHtml": MARKUP}), URL)
    assert document.text == f"{filler(60)}\n\n{filler(70)}"
    assert document.html == f"<p>{filler(60)}</p>\n<p>{filler(70)}</p>"
