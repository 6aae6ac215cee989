"""News pages of our own in seven languages that share neither letters nor spaces.

Body paragraphs carry ``data-body``, comments ``data-comment``, which no extractor reads.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html as lxml_html

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.page.text import collapse

FOLDER = Path(__file__).parent / "languages"


def source(language: str) -> str:
    return (FOLDER / f"{language}.html").read_text(encoding="utf-8")


def marked(language: str, attribute: str) -> list[str]:
    """The texts of the elements with the attribute."""
    root = lxml_html.document_fromstring(source(language))
    return [collapse(element.text_content()) for element in root.iterfind(f".//*[@{attribute}]")]


@pytest.mark.parametrize("extractor", ["container", "news"])
@pytest.mark.parametrize("language", ["ar", "el", "hi", "ja", "ru", "th", "zh"])
def test_the_body_alone_is_found(language: str, extractor: str) -> None:
    extracted = extract(source(language), extractor=extractor)
    body = marked(language, "data-body")
    assert extracted.text.split("\n\n") == body
    assert len(body) >= 4
    root = lxml_html.document_fromstring(source(language))
    assert extracted.headline == collapse(root.findtext(".//h1") or "")
    assert (extracted.language, extracted.confidence > 0.5) == (language, True)
    if extractor == "news":
        assert set(marked(language, "data-comment")) <= set(extracted.comments)
        undeclared = source(language).replace(f'lang="{language}"', "")
        assert extract(undeclared).text == extracted.text
