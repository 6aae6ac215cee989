"""Section and tags: declared values that the page shows, else links."""

import pytest

from tests.builders import filler
from tests.metadata.pages import read_document, write_article, write_json_ld, write_metas

TITLE = "The last ferry of them all returns"

TAGS = {
    # declared, expected
    "named terms": ([{"@type": "DefinedTerm", "url": "/t/1", "name": "Ferries"}], ("Ferries",)),
    "entities": (["Marks &amp; Co", "L&#39;Aquila"], ("Marks & Co", "L'Aquila")),
    "a list with entities": ("Q&amp;A; Rain &amp; Wind", ("Q&A", "Rain & Wind")),
    "URLs and identifiers": (["https://a.example/t", "6f1ed002-ab59", "Sea"], ("Sea",)),
    "a year that the page shows": (["2024", "2023"], ("2024",)),
    "labels of systems": (["AdNode:boats", "word count: 701-1200 words", "Sea"], ("Sea",)),
    "a work that the text names": (["After: word", "After: tea"], ("After: word",)),
    "words of systems": (["stop-wire-syndication", "word-after", "Sea"], ("word-after", "Sea")),
    "underscores": (["word_after", "type_news", "Sea"], ("word after", "Sea")),
    "lower case that the page has": (["word", "no such phrase", "Sea"], ("word", "Sea")),
    "only slugs": (["word-after", "after-word"], ("word after", "after word")),
    "a name and its slug": (["Sand & Sea", "sand-and-sea", "Tide"], ("Sand & Sea", "Tide")),
    "section and site": (["News", "Harbour News", "Sea"], ("Sea",)),
    "only the section": (["News"], ()),
    "the headline": ([TITLE, "Sea"], ("Sea",)),
    "words of the headline": (["Last", "Ferry", "of", "them", "Sea"], ("Sea",)),
    "types and places on a page": (["Article", "front-page", "Featured", "Sea"], ("Sea",)),
    "lists in several values": (["A,B", "C,D", "E,F", "G,H"], tuple("ABCDEFGH")),
}


@pytest.mark.parametrize(("keywords", "tags"), TAGS.values(), ids=TAGS)
def test_tags(keywords: list[object], tags: tuple[str, ...]) -> None:
    head = write_article(headline=TITLE, keywords=keywords, articleSection="News")
    head += write_metas(og__site_name="Harbour News")
    assert read_document(head, "<p>After: word after word in 2024</p>").tags == tags


KEYWORD_LISTS = {
    "of the article": ("Word, Tides, Seas, Sand, After", 5),
    "of the site": ("Local news, Weather, Sports, Jobs, word", 0),
    "a short list": ("Weather, Sports, Jobs", 3),
}


@pytest.mark.parametrize(("keywords", "number"), KEYWORD_LISTS.values(), ids=KEYWORD_LISTS)
def test_keywords_of_the_site_are_no_tags(keywords: str, number: int) -> None:
    body = f"<p>{filler(60)} after the sea</p>"
    assert len(read_document(write_metas(keywords=keywords), body).tags) == number


LINKS = {
    # body before the text, tags
    "URLs of topics": ("<h1>A</h1><ul><li><a href=/tag/words>Words</a></ul>", ("Words",)),
    "a list of tags": ("<h1>A</h1><div class=post-tags><a href=/w>Words</a></div>", ("Words",)),
    "above the headline": ("<a href=/tag/words>Words</a><h1>A</h1>", ()),
    "in a sentence": ("<h1>A</h1><p>Many <a href=/tag/words>Words</a> and words after it.", ()),
    "the headline": ("<h1>Words</h1><div class=tags><a href=/w>Words</a></div>", ()),
    "a category": ("<h1>A</h1><p>In <a href=/category/words>Words</a></p>", ()),
    "a relative URL": ("<h1>A</h1><p>Tags: <a href=tag/boats.html>Boats</a></p>", ("Boats",)),
    "no links": ("<h1>A</h1><nav class=md-tags><span>Boats</span></nav>", ("Boats",)),
    "not in the text": ("<h1>A</h1><div class=tags><a href=/b>Boats</a></div>", ("Boats",)),
}


@pytest.mark.parametrize(("body", "tags"), LINKS.values(), ids=LINKS)
def test_links_to_topics(body: str, tags: tuple[str, ...]) -> None:
    assert read_document(body=f"{body}<p>Many words and words</p>").tags == tags


SECTIONS = {
    # declared, body, section
    "as readers see it": ("Sea & Sand", "", "Sea & Sand"),
    "a slug that a menu spells": ("sea-sand", "<nav><a href=/x>Sea & Sand</a></nav>", "Sea & Sand"),
    "a slug of a link": ("sea", "<nav><a href=/news/sea/>The Coast</a></nav>", "The Coast"),
    "only a slug": ("public-service", "", "public service"),
    "the headline": ("The last ferry returns", "", None),
    "an identifier": ("c1056", "", None),
    "one letter": ("R", "", None),
    "one character": ("\u6d77", "", "\u6d77"),
    "the first of a list that is a section": ("Home; Sea", "", "Sea"),
    "a general name": ("News", "<div class=breadcrumbs><b>Home</b><b>Coast</b></div>", "Coast"),
    "only a general name": ("News", "", "News"),
    "the last of a path": ("Harbour | Sea", "", "Sea"),
    "the name of the site": ("Harbour-News", "", None),
}


@pytest.mark.parametrize(("declared", "body", "section"), SECTIONS.values(), ids=SECTIONS)
def test_declared_sections(declared: str, body: str, section: str | None) -> None:
    head = "<title>The last ferry returns</title>" + write_metas(
        article__section=declared, og__site_name="Harbour News", og__title="Returned"
    )
    url = "https://harbour-news.example/x"
    assert read_document(head, body, url=url).section == section


CRUMBS = {
    "names": ([{"name": "Home"}, {"name": "Sea"}, {"name": "The last ferry returns"}], "Sea"),
    "names of items": ([{"item": {"name": "Home"}}, {"item": {"name": "Coast"}}], "Coast"),
    "only one": ([{"name": "Sea"}], None),
    "home and the headline": ([{"name": "Home"}, {"name": "The last ferry returns"}], None),
    "no names": ([{"position": 1}, "Sea", {"item": "https://a.example/sea"}, None], None),
}


@pytest.mark.parametrize(("crumbs", "section"), CRUMBS.values(), ids=CRUMBS)
def test_section_of_declared_breadcrumbs(crumbs: list[object], section: str | None) -> None:
    head = write_json_ld({"@type": "BreadcrumbList", "itemListElement": crumbs})
    document = read_document("<title>The last ferry returns</title>" + head)
    assert document.section == section
    assert document.evidence.get("section") == ("breadcrumbs" if section else None)


SHOWN = {
    # path of the URL, body, section
    "breadcrumbs": (
        "/x",
        "<ul class=breadcrumbs><li>Home<li><a href=/c>Coast</a><li>The last ferry returns</ul>",
        "Coast",
    ),
    "a path of links": (
        "/x",
        "<p>In <a href=/>Home</a> » <a href=/c>Coast<i>arrow_right</i></a> »</p><h1>A</h1>",
        "Coast",
    ),
    "a category": (
        "/x",
        "<h1>A</h1><p>Filed: <a href=/category/sea rel='category tag'>Sea</a></p>",
        "Sea",
    ),
    "a relation": ("/x", "<h1>A</h1><p>Filed: <a href=/sea rel='category tag'>Sea</a></p>", "Sea"),
    "a menu": ("/x", "<nav><a href=/category/sea>Sea</a></nav>", None),
    "a relative link": ("/coast/x", "<a href=../coast/index.html>Coast</a>", "Coast"),
    "a layout": ("/x", f"<div id=with-breadcrumb>{'<p>Coast</p>' * 30}</div>", None),
    "a folder": ("/coast/ferry", "<nav><a href=/coast/>The Coast</a></nav>", "The Coast"),
    "accents": ("/cote/f", "<nav><a href=/cote/>Côte</a></nav>", "Côte"),
    "a link back": ("/coast/ferry", "<a href=/coast/>Back to the coast</a>", None),
    "another name": ("/coast/ferry", "<nav><a href=/coast/>All stories</a></nav>", None),
    "a day": ("/2024/05/ferry", "<nav><a href=/2024/>2024</a></nav>", None),
}


@pytest.mark.parametrize(("path", "body", "section"), SHOWN.values(), ids=SHOWN)
def test_sections_that_the_page_shows(path: str, body: str, section: str | None) -> None:
    url = f"https://harbour-news.example{path}"
    assert read_document("<title>The last ferry returns</title>", body, url=url).section == section


def test_the_path_of_a_section_is_no_tag() -> None:
    head = write_metas(article__section="Life/Sea") + write_article(keywords=["Life/Sea", "Tide"])
    assert read_document(head).tags == ("Tide",)
