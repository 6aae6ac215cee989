"""Description, image, site, section, tags, canonical URL, paywall and type of article."""

from __future__ import annotations

import pytest

from tests.builders import filler
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


TAGS = {
    "named terms": ([{"@type": "DefinedTerm", "url": "/t/1", "name": "Ferries"}], ("Ferries",)),
    "escaped twice": (["Sand &amp;amp; Sea"], ("Sand & Sea",)),
    "addresses and identifiers": (
        [
            "https://a.example/t",
            "6f1ed002-ab59-4d3f-8a1c-0d8e7c1a2b3c",
            "105726154",
            "2024",
            "ferry",
        ],
        ("2024", "ferry"),
    ),
    "labels": (
        ["Category: Boats", "content-type: Feature", "locale: US", "Tag:Sea"],
        ("Boats", "Sea"),
    ),
    "a title with a colon": (["Ferry Wars: Return"], ("Ferry Wars: Return",)),
    "names of systems": (["type_news", "channel-boats", "BNT_SEA", "Jane_Doe"], ("Jane Doe",)),
    "section and site": (["News", "Harbour News", "ferry"], ("ferry",)),
    "only the section": (["News"], ()),
    "the headline": (["The last ferry of them all returns", "sea"], ("sea",)),
    "types and places on a page": (["Article", "front-page", "Featured", "sea"], ("sea",)),
    "fields of a system": (["Page: article", "Brand: boats", "Brand: sails", "sea"], ("sea",)),
    "works that the text names": (["After: word", "After: tea", "sea"], ("After: word", "sea")),
    "works with colons": (
        ["Two: Tides", "Ferry: Dawn", "sea"],
        ("Two: Tides", "Ferry: Dawn", "sea"),
    ),
    "lists in several values": (
        ["a1,b1", "c1,d1", "e1,f1", "g1,h1"],
        tuple("a1 b1 c1 d1 e1 f1 g1 h1".split()),
    ),
    "a word of a layout": (["textabovetheleftcolumn", "sea"], ("sea",)),
    "a long word of the text": (["wordafterwordafterwordafter", "sea"], ("sea",)),
    "spelled as in addresses": (["ferry-boats", "boats-at-sea"], ("ferry boats", "boats at sea")),
    "spelled in two ways": (["ferry-boats", "b2b-sea"], ("ferry-boats", "b2b-sea")),
    "hyphens of a language": (["Ferry-Boat", "night-time"], ("Ferry-Boat", "night-time")),
    "a name and its slug": (["Sand & Sea", "sand-and-sea", "tide"], ("Sand & Sea", "tide")),
    "a name with commas": (["sea, sand and tide", "ferry", "ship", "boat"], None),
    "one name with an ampersand": (["Sea, Sand, & Tide"], ("Sea, Sand, & Tide",)),
}


@pytest.mark.parametrize(("keywords", "tags"), TAGS.values(), ids=TAGS.keys())
def test_tags(keywords: list[object], tags: tuple[str, ...] | None) -> None:
    """None: the keywords as they are."""
    article = {
        "@type": "NewsArticle",
        "headline": "The last ferry of them all returns",
        "keywords": keywords,
        "articleSection": "News",
    }
    head = write_json_ld(article) + write_metas(og__site_name="Harbour News")
    expected = tuple(keywords) if tags is None else tags
    assert read_document(head, "<p>After: word after word</p>").tags == expected


KEYWORD_LISTS = {
    "of the article": (
        "word, tides, seas, sand, after",
        ("word", "tides", "seas", "sand", "after"),
    ),
    "of the site": ("local news, weather, sports, jobs, word", ()),
    "a short list": ("weather, sports, jobs", ("weather", "sports", "jobs")),
}


@pytest.mark.parametrize(("keywords", "tags"), KEYWORD_LISTS.values(), ids=KEYWORD_LISTS.keys())
def test_keywords_of_the_site_are_none(keywords: str, tags: tuple[str, ...]) -> None:
    body = f"<p>{filler(60)} after the sea</p>"
    assert read_document(write_metas(keywords=keywords), body).tags == tags


SECTIONS = {
    # declared, body, section
    "as readers see it": ("Sea & Sand", "", "Sea & Sand"),
    "a slug that a menu spells": ("sea-sand", "<nav><a href=/x>Sea & Sand</a></nav>", "Sea & Sand"),
    "a slug of a link": ("sea", "<nav><a href=/news/sea/>The Coast</a></nav>", "The Coast"),
    "only a slug": ("public-service", "", "Public service"),
    "only a word": ("sea", "", "sea"),
    "the headline": ("The last ferry returns", "", None),
    "a sentence": ("All of this is about a ferry that returns", "", None),
    "an address": ("https://a.example/c", "", None),
    "home": ("Startseite", "", None),
    "one letter": ("R", "", None),
    "one character": ("\u6d77", "", "\u6d77"),
    "the first of a list": ("Sea, Sand", "", "Sea"),
    "one name with an ampersand": ("Sea, Sand, & Tide", "", "Sea, Sand, & Tide"),
    "a list that is a name": ("Business, Finance & Tides", "", "Business, Finance & Tides"),
    "a list that is a name, with a word": ("Sea, Sand and Tide", "", "Sea, Sand and Tide"),
    "a list of which the page shows one": (
        "Business, Finance & Tides",
        "<nav><a href=/x>Business</a></nav>",
        "Business, Finance & Tides",
    ),
    "a list of which the page shows all": (
        "Business, Finance & Tides",
        "<ul><li>Business</li><li>Finance & Tides</li></ul>",
        "Business",
    ),
    "the first of a list that is a section": ("Home; Sea", "", "Sea"),
    "the last of a path": ("Harbour | Sea", "", "Sea"),
    "a number": ("Boats under 3,000 tons", "", "Boats under 3,000 tons"),
    "a type": ("Articles", "", None),
    "the name of the site": ("Harbour-News", "", None),
    "a headline of one word": ("Returned", "", None),
    "a place on a page": ("Top-News", "", None),
}


@pytest.mark.parametrize(("declared", "body", "section"), SECTIONS.values(), ids=SECTIONS.keys())
def test_sections(declared: str, body: str, section: str | None) -> None:
    head = "<title>The last ferry returns</title>" + write_metas(
        article__section=declared, og__site_name="Harbour News", og__title="Returned"
    )
    assert read_document(head, body).section == section


def test_the_path_of_a_section_and_a_headline_without_spaces_are_no_tags() -> None:
    headline = "\u6d77" * 13
    head = f"<title>{headline} | Harbour</title>" + write_metas(article__section="Life/Sea")
    keywords = {"@type": "NewsArticle", "keywords": ["Life/Sea", headline, "\u6d77"]}
    assert read_document(head + write_json_ld(keywords)).tags == ("\u6d77",)


CRUMBS = {
    "names": ([{"name": "Home"}, {"name": "Sea"}, {"name": "The last ferry returns"}], "Sea"),
    "names of items": ([{"item": {"name": "Home"}}, {"item": {"name": "Coast"}}], "Coast"),
    "only one": ([{"name": "Sea"}], None),
    "home and the headline": ([{"name": "Home"}, {"name": "The last ferry returns"}], None),
    "no names": ([{"position": 1}, "Sea", {"item": "https://a.example/sea"}, None], None),
}


@pytest.mark.parametrize(("crumbs", "section"), CRUMBS.values(), ids=CRUMBS.keys())
def test_section_of_breadcrumbs(crumbs: list[object], section: str | None) -> None:
    head = write_json_ld({"@type": "BreadcrumbList", "itemListElement": crumbs})
    document = read_document("<title>The last ferry returns</title>" + head)
    assert document.section == section
    assert document.evidence.get("section") == ("breadcrumbs" if section else None)


ABOUT = "The harbour paper of everybody since long ago"
WORDS = "Word after word after word"
DESCRIPTIONS = {
    # JSON-LD, declared, description
    "of the article": ([], "This is a word of the article", "This is a word of the article"),
    "of the site": (
        [{"@type": "WebSite", "description": ABOUT}],
        ABOUT,
        WORDS,
    ),
    "the name of the site": ([], "Harbour News", WORDS),
    "a slogan": ([], ABOUT, WORDS),
    "two words": ([], "Returned home.", "Returned home."),
    "the title": ([], "The last ferry", WORDS),
    "the start of the title": ([], "The last", WORDS),
    "few words with the name of the site": ([], "Harbour-News TV", WORDS),
    "more words with it": (
        [],
        "Word after word, Harbour-News says again",
        "Word after word, Harbour-News says again",
    ),
    "markup": ([], "&lt;p&gt;A &lt;b&gt;word&lt;/b&gt;, word&lt;br&gt;after", "A word, word after"),
    "a start tag that it names": ([], "The &lt;p&gt; of words", "The <p> of words"),
    "elements that it names": ([], "The &lt;table&gt; of words", "The <table> of words"),
    "a bar at its end": (
        [],
        "This is a word of the article |",
        "This is a word of the article",
    ),
    "no spaces": ([], "\u6d77\u306e\u65b0\u805e" * 4, "\u6d77\u306e\u65b0\u805e" * 4),
}


@pytest.mark.parametrize(
    ("nodes", "declared", "description"), DESCRIPTIONS.values(), ids=DESCRIPTIONS.keys()
)
def test_descriptions(nodes: list[object], declared: str, description: str) -> None:
    metas = write_metas(
        og__site_name="Harbour News",
        og__title="The last ferry",
        og__description=declared,
        description=WORDS,
    )
    assert read_document(write_json_ld(nodes) + metas).description == description
