"""News pages of our own in seven languages that share neither letters nor spaces.

Body paragraphs carry ``data-body``, comments ``data-comment``, which no extractor reads.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html as lxml_html

from scrapy_boilerplate.document import Document
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.page.text import collapse

FOLDER = Path(__file__).parent / "languages"
EVERY = pytest.mark.parametrize("language", ["ar", "el", "hi", "ja", "ru", "th", "zh"])


def source(language: str) -> str:
    return (FOLDER / f"{language}.html").read_text(encoding="utf-8")


def marked(language: str, attribute: str) -> list[str]:
    """The texts of the elements with the attribute."""
    root = lxml_html.document_fromstring(source(language))
    return [collapse(element.text_content()) for element in root.iterfind(f".//*[@{attribute}]")]


def check(extracted: Document, language: str) -> None:
    """All body paragraphs, and nothing else."""
    body = marked(language, "data-body")
    assert extracted.text.split("\n\n") == body
    assert len(body) >= 4
    assert extracted.language == language
    root = lxml_html.document_fromstring(source(language))
    assert extracted.headline == collapse(root.findtext(".//h1") or "")
    assert extracted.confidence > 0.5


@EVERY
def test_container_finds_the_body_alone(language: str) -> None:
    check(extract(source(language), extractor="container"), language)


@EVERY
def test_news_finds_the_body_and_comments(language: str) -> None:
    extracted = extract(source(language), extractor="news")
    check(extracted, language)
    assert set(marked(language, "data-comment")) <= set(extracted.comments)
    undeclared = source(language).replace(f'lang="{language}"', "")
    assert extract(undeclared, extractor="news").text == extracted.text
