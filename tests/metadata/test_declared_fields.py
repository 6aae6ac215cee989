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


@pytest.mark.parametrize(
    ("keywords", "tags"),
    [
        ("Q&amp;A; rain &amp; wind", ("Q&A", "rain & wind")),
        ("caf&#233;, L&#39;Aquila", ("café", "L'Aquila")),
        (["Marks &amp; Co", "rain"], ("Marks & Co", "rain")),
        ([{"@type": "Thing", "name": "Tide &amp; time"}], ("Tide & time",)),
        ("Q&A, rain", ("Q&A", "rain")),
    ],
)
def test_keywords_of_json_ld_are_split_after_their_entities_are_resolved(
    keywords: object, tags: tuple[str, ...]
) -> None:
    article = {"@type": "NewsArticle", "keywords": keywords, "articleSection": "Arts &amp; Sea"}
    document = read_document(write_json_ld(article))
    assert (document.tags, document.section) == (tags, "Arts & Sea")


def test_the_address_of_an_image_has_no_entities_resolved() -> None:
    address = "https://www.harbour-news.example/i?w=1&copy=2"
    article = {"@type": "NewsArticle", "image": address}
    assert read_document(write_json_ld(article)).main_image == address
