"""Description, image, site, canonical URL, paywall and type of article."""

import pytest

from tests.metadata.pages import read_document, write_article, write_json_ld, write_metas


def test_the_other_fields() -> None:
    head = (
        write_article(
            isAccessibleForFree="False",
            keywords=["Ferry", "Sea", "ferry"],
            articleSection=["News", "Sea"],
            image={"url": "/ferry.jpg"},
        )
        + write_metas(
            og__description="It is back.", og__site_name="Harbour News", og__url="/sea/ferry"
        )
        + "<link rel=canonical href=/sea/ferry>"
    )
    document = read_document(head)
    assert (document.description, document.site_name) == ("It is back.", "Harbour News")
    assert (document.tags, document.section) == (("Ferry",), "Sea")
    assert document.main_image == "https://www.harbour-news.example/ferry.jpg"
    assert document.canonical_url == "https://www.harbour-news.example/sea/ferry"
    assert (document.is_accessible_for_free, document.article_type) == (False, "NewsArticle")
    assert set(document.evidence) >= {"section", "tags", "main_image", "canonical_url"}


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:image/png;base64,x", "http://[", " "])
def test_what_is_no_url(url: str) -> None:
    document = read_document(f'{write_metas(og__image=url)}<link rel=canonical href="{url}">')
    assert (document.main_image, document.canonical_url) == (None, None)


def test_the_url_of_an_image_has_no_entities_resolved() -> None:
    url = "https://www.harbour-news.example/i?w=1&copy=2"
    assert read_document(write_article(image=url)).main_image == url


ABOUT = "The harbour paper of everybody since long ago"
WORDS = "Word after word after word"
DESCRIPTIONS = {
    # JSON-LD, declared, description
    "of the article": ([], "This is a word of the article", "This is a word of the article"),
    "of the site": ([{"@type": "WebSite", "description": ABOUT}], ABOUT, WORDS),
    "the name of the site": ([], "Harbour News", WORDS),
    "a slogan": ([], ABOUT, WORDS),
    "two words": ([], "Returned home.", "Returned home."),
    "the title": ([], "The last ferry", WORDS),
    "more words with it": ([], f"{WORDS}, says Harbour-News", f"{WORDS}, says Harbour-News"),
    "markup": ([], "&lt;p&gt;A &lt;b&gt;word&lt;/b&gt;, word&lt;br&gt;after", "A word, word after"),
    "a start tag that it names": ([], "The &lt;p&gt; of words", "The <p> of words"),
    "no spaces": ([], "\u6d77\u306e\u65b0\u805e" * 4, "\u6d77\u306e\u65b0\u805e" * 4),
}


@pytest.mark.parametrize(
    ("nodes", "declared", "description"), DESCRIPTIONS.values(), ids=DESCRIPTIONS
)
def test_descriptions(nodes: list[object], declared: str, description: str) -> None:
    metas = write_metas(
        og__site_name="Harbour News",
        og__title="The last ferry",
        og__description=declared,
        description=WORDS,
    )
    assert read_document(write_json_ld(nodes) + metas).description == description
