"""News pages of our own in seven languages that share neither letters nor spaces.

Body paragraphs carry ``data-body``, comments ``data-comment``, which no extractor reads.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html as lxml_html

from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.extractors import find_model_folder
from scrapy_boilerplate.page.text import collapse

FOLDER = Path(__file__).parent / "languages"
LANGUAGES = {
    "Arabic": "ar",
    "Chinese": "zh",
    "Greek": "el",
    "Hindi": "hi",
    "Japanese": "ja",
    "Russian": "ru",
    "Thai": "th",
}
EVERY = pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES.keys())
SHIPPED = pytest.mark.skipif(
    not find_model_folder("news").is_dir(),
    reason="the weights of news (news/models/news) are not there yet",
)


def source(language: str) -> str:
    return (FOLDER / f"{language}.html").read_text(encoding="utf-8")


def marked(language: str, attribute: str) -> list[str]:
    """The texts of the elements with the attribute."""
    root = lxml_html.document_fromstring(source(language))
    return [collapse(element.text_content()) for element in root.iterfind(f".//*[@{attribute}]")]


def check(extracted: Document, language: str) -> None:
    """All body paragraphs, and nothing else."""
    assert extracted.text.split("\n\n") == marked(language, "data-body")
    assert extracted.language == language
    root = lxml_html.document_fromstring(source(language))
    assert extracted.headline == collapse(root.findtext(".//h1") or "")
    assert extracted.confidence > 0.5


def test_every_page_is_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.html")} == set(LANGUAGES.values())


@EVERY
def test_pages_have_a_body_comments_and_much_else(language: str) -> None:
    body = marked(language, "data-body")
    rest = [block.text for block in extract(source(language)).blocks if block.text not in body]
    assert len(body) >= 4
    assert len(marked(language, "data-comment")) == 2
    assert len(rest) >= 12


@EVERY
def test_container_finds_the_body_alone(language: str) -> None:
    check(extract(source(language), extractor="container"), language)


@SHIPPED
@EVERY
def test_news_finds_the_body_alone(language: str) -> None:
    check(extract(source(language), extractor="news"), language)


@SHIPPED
@EVERY
def test_news_tells_comments_apart(language: str) -> None:
    extracted = extract(source(language), extractor="news").comments
    assert set(marked(language, "data-comment")) <= set(extracted)


@SHIPPED
@EVERY
def test_news_needs_no_declared_language(language: str) -> None:
    html = source(language).replace(f'lang="{language}"', "")
    assert extract(html, extractor="news").text.split("\n\n") == marked(language, "data-body")
