"""Description, image, site, section, tags, canonical URL, paywall and type of article."""

from __future__ import annotations

import pytest

from tests.metadata.pages import read_document, write_json_ld, write_metas


def test_the_other_fields() -> None:
    head = (
        write_json_ld(
            {
                "@type": "https://schema.org/NewsArticle",
                "isAccessibleForFree": "False",
                "keywords": ["ferry", "sea", "Ferry"],
                "articleSection": ["News", "Sea"],
                "image": {"url": "/ferry.jpg"},
            }
        )
        + write_metas(
            og__description="It is back.", og__site_name="Harbour News", og__url="/sea/ferry"
        )
        + "<link rel=canonical href=/sea/ferry>"
    )
    document = read_document(head)
    assert (document.description, document.site_name) == ("It is back.", "Harbour News")
    assert (document.tags, document.section) == (("ferry", "sea"), "News")
    assert document.main_image == "https://www.harbour-news.example/ferry.jpg"
    assert document.canonical_url == "https://www.harbour-news.example/sea/ferry"
    assert (document.is_accessible_for_free, document.article_type) == (False, "NewsArticle")
    assert set(document.evidence) >= {"section", "tags", "main_image", "canonical_url"}


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:image/png;base64,x", "http://[", " "]
)
def test_addresses_are_addresses(address: str) -> None:
    document = read_document(
        f'{write_metas(og__image=address)}<link rel=canonical href="{address}">'
    )
    assert (document.main_image, document.canonical_url) == (None, None)
