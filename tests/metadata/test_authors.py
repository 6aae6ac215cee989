"""Authors: which source wins, who is no author, and when the site is one."""

from __future__ import annotations

import pytest

from tests.metadata.pages import read_document, write_json_ld, write_metas

FERRY = "Ferry returns to the harbour"


@pytest.mark.parametrize(
    ("head", "body", "source"),
    [
        (write_json_ld({"@type": "Article", "author": [{"name": "Jane Doe"}]}), "", "json-ld"),
        (write_json_ld({"@type": "Article", "author": "Jane Doe"}), "", "json-ld"),
        (write_metas(author="Jane Doe"), "", "meta"),
        (write_metas(article__author="https://x.example/jane", author="Jane Doe"), "", "meta"),
        ("", f"<h1>{FERRY}</h1><a rel=author href=/jane>Jane Doe</a>", "rel author"),
        ("", f"<h1>{FERRY}</h1><p>By Jane Doe</p>", "byline"),
        ("", f"<h1>{FERRY}</h1><div class=author-name>Jane Doe</div>", "byline"),
        (
            write_json_ld({"@type": "Article", "author": "jane.harbour"}),
            f"<h1>{FERRY}</h1><p class=byline>Jane Doe</p>",
            "byline",
        ),
        ("", f"<h1>{FERRY}</h1>{'<p>-</p>' * 20}<p>Written by Jane Doe</p>", "signature"),
        (
            "",
            "<div itemscope itemtype=http://schema.org/Article><div itemprop=author itemscope>"
            "<b itemprop=name>Jane Doe</b></div></div>",
            "microdata",
        ),
    ],
)
def test_sources_of_authors(head: str, body: str, source: str) -> None:
    document = read_document(head, body)
    assert (document.authors, document.evidence["authors"]) == (("Jane Doe",), source)


NOT_WRITERS = "".join(
    f"<p>{line}</p>"
    for line in ("By Jane Doe", "Photography by Al Poe", "Contributions from", "Bo Ray", "1 May")
)


@pytest.mark.parametrize(
    ("declared", "body", "names"),
    [
        pytest.param(["Jane Doe", "Al Poe", "Bo Ray"], NOT_WRITERS, ("Jane Doe",), id="credits"),
        pytest.param(["Al Poe", "Jane Doe"], NOT_WRITERS, ("Al Poe", "Jane Doe"), id="the first"),
        pytest.param(["Al Poe Junior"], "<p>By Jane Doe</p>", ("Jane Doe",), id="shown nowhere"),
        pytest.param(
            ["Al Poe Junior"], "<p>By the sea</p>", ("Al Poe Junior",), id="no name is shown"
        ),
        pytest.param(["Jane Doe"], "<p>By J. Doe</p>", ("Jane Doe",), id="shown in part"),
        pytest.param(
            ["Harbour News"],
            "<p class=byline>Link</p>",
            ("Harbour News",),
            id="a word beside a site",
        ),
    ],
)
def test_declared_authors_and_those_that_are_shown(
    declared: list[str], body: str, names: tuple[str, ...]
) -> None:
    head = write_metas(og__site_name="Harbour News") + write_json_ld(
        {"@type": "Article", "author": declared}
    )
    assert read_document(head, f"<h1>{FERRY}</h1>{body}").authors == names


@pytest.mark.parametrize(
    ("href", "names"),
    [
        ("/author/jane-doe/", ("Jane Doe",)),
        ("https://harbour-news.example/autoren/12?x=1", ("Jane Doe",)),
        ("/author/", ()),
        ("/sea/jane-doe", ()),
    ],
)
def test_links_to_pages_of_authors(href: str, names: tuple[str, ...]) -> None:
    links = f"<div><a href='{href}'>Jane Doe</a> <a href='{href}'>More stories</a></div>"
    assert read_document("", f"<h1>{FERRY}</h1>{links}").authors == names


@pytest.mark.parametrize(
    ("declared", "line", "names"),
    [
        ("Harbour Foundation e.V.", "Autorin: Jane Doe, Leiterin in Kiel", ("Jane Doe",)),
        ("Harbour Media Ltd", "Written by Jane Doe", ("Jane Doe",)),
        ("Harbour Media Ltd", "By Al Poe for Getty", ("Harbour Media Ltd",)),
        ("Harbour Media Ltd", "Written by hand", ("Harbour Media Ltd",)),
    ],
)
def test_a_company_is_the_author_only_where_nobody_has_signed(
    declared: str, line: str, names: tuple[str, ...]
) -> None:
    body = f"<h1>{FERRY}</h1>{'<p>-</p>' * 20}<p>{line}</p>"
    assert read_document(write_metas(author=declared), body).authors == names


def test_the_site_is_the_author_only_where_nobody_is_named() -> None:
    head = write_json_ld(
        {
            "@type": "Article",
            "author": {"name": "Harbour News"},
            "publisher": {"name": "Harbour News"},
        }
    )
    assert read_document(head).authors == ("Harbour News",)
    assert read_document(head, f"<h1>{FERRY}</h1><p>By Jane Doe</p>").authors == ("Jane Doe",)


def test_two_hundred_authors() -> None:
    names = [f"Jane Doe{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(300)]
    document = read_document(write_json_ld({"@type": "Article", "author": names})).authors
    assert document == tuple(names[:200])


@pytest.mark.parametrize(
    ("head", "body", "names"),
    [
        pytest.param(
            write_metas(author="jane.fielding"),
            "<h1>Rain</h1><p>By Al Poe</p>",
            ("Al Poe",),
            id="an account and a byline",
        ),
        pytest.param(
            "",
            "<nav><a href=/t>Travel Guides</a></nav><h1>Rain</h1><p class=byline>Travel Guides</p>"
            "<p class=byline>Jane Doe</p>",
            ("Jane Doe",),
            id="a word of the menu",
        ),
        pytest.param(
            "",
            "<div itemscope itemtype=http://schema.org/Article><h1>Rain</h1>"
            "<p itemprop=author>Jane Doe</p>"
            + "<p>one two three</p>" * 20
            + "<p itemprop=author>Al Poe</p></div>",
            ("Jane Doe",),
            id="who comments below",
        ),
        pytest.param("", "<h1>Rain</h1><p>Photograph by : Jane Doe</p>", (), id="a photographer"),
        pytest.param(
            "", "<h1>Rain</h1><p class=author>Фото: Jane Doe</p>", (), id="a Russian credit"
        ),
        pytest.param("", "<p>Text Size</p><h1>Rain</h1>", (), id="a label"),
        pytest.param(
            write_metas(author="jane[at]harbour.example"),
            "<h1>Rain</h1><p>By Jane Doe</p>",
            ("Jane Doe",),
            id="a spelt out address",
        ),
        pytest.param(
            write_metas(author="Frankfurt, Germany"),
            "<h1>Rain</h1><p>By Jane Doe</p>",
            ("Jane Doe",),
            id="a place",
        ),
        pytest.param(write_metas(author="dpa, AFP"), "", ("dpa", "AFP"), id="agencies"),
        pytest.param(
            "",
            "<h1>Rain</h1><div>Fragen von Klimaschutz und Energiewende</div>",
            (),
            id="German nouns",
        ),
        pytest.param(
            write_json_ld({"@type": "NewsArticle", "author": "n-sea NEWS"})
            + write_metas(og__site_name="n-sea"),
            f"<h1>Rain</h1>{'<p>-</p>' * 20}<p>Von Jane Doe, Kiel 05.08.2024, 20:59 Uhr</p>",
            ("Jane Doe", "Kiel"),
            id="a site with a byline further below",
        ),
        pytest.param(
            write_metas(author="Harbour.com staff"),
            "<h1>Rain</h1><div class=header-authorAndShare><a href=/w>Watch Harbour</a></div>",
            ("Harbour.com staff",),
            id="a link of a menu",
        ),
        pytest.param(
            "",
            "<h1>Rain</h1><p class=author>Jane Doe</p><p class=author-bio>See full bio</p>",
            ("Jane Doe",),
            id="a link to a biography",
        ),
        pytest.param(
            "", "<h1>Rain</h1><a href=/l>WATCH LIVE</a><p>1 May 2024</p>", (), id="a button"
        ),
        pytest.param(
            write_metas(author="Rain Staff", og__site_name="Rain"),
            "<h1>Sea</h1><p>Stories</p><a href=/author/al>Al Poe</a>",
            ("Rain Staff",),
            id="who wrote another article",
        ),
        pytest.param(
            "", "<h1>Rain</h1><ul><li><a href=/a>Authors</a><li>Rain News</ul>", (), id="a menu"
        ),
        pytest.param(
            "",
            "<h1>Rain</h1><p>It is the same one that was used by Harbour Works.</p>",
            (),
            id="a sentence",
        ),
        pytest.param(
            "",
            f"<h1>Rain</h1>{'<p>-</p>' * 20}<p class=author>This review is</p>",
            (),
            id="only words of a class",
        ),
        pytest.param(
            "",
            f"<h1>Rain</h1>{'<p>-</p>' * 20}<p class=testimonial-author>Jane Doe</p>",
            (),
            id="who praises",
        ),
    ],
)
def test_who_is_no_author(head: str, body: str, names: tuple[str, ...]) -> None:
    assert read_document(head, body).authors == names


SHOWN = {
    "<p class=byline>By <a href=/tag/authors/1>Jane Doe": ("Jane Doe",),
    "<p class=preview-author>Jane Doe": ("Jane Doe",),
    "<ul><li class=auteur><a href=/x>Jane Doe</a><li>1 May 2024": ("Jane Doe",),
    "<div class=author>Jane Doe</div><div><a href=/x>All the stories by Jane Doe": ("Jane Doe",),
    "<table><tr><td class=author>Jane Doe</td><td>1 May 2024": ("Jane Doe",),
    "<table><tr><td>Author<td><a href=/x>Jane Doe": ("Jane Doe",),
    "<table><tr><td><a href=/w>World News</a><td class=author>By Jane Doe": ("Jane Doe",),
    "<ul><li><a href=/c>3 Comments</a><p class=byline>By Jane Doe": ("Jane Doe",),
    "<ul><li itemprop=author>Jane Doe": ("Jane Doe",),
    # beside dates
    "<div>Jane Doe | 1 May 2024": ("Jane Doe",),
    "<div>1 May 2024, the day of the ferry": (),
    "<div>8:40AM Tuesday 1 May 2024": (),
    "<div>07:48 PM EST By SEAGULL": (),
    "<div>1 May 2024</div><div>Jane Doe": ("Jane Doe",),
    "<div>01.05.24</div><div>Jane Doe": ("Jane Doe",),
    "<div>3. Mai 24</div><div>Jane Doe": ("Jane Doe",),
    "<div>$168.00</div><div>Sold Out": (),
    "<div>Doors 19:30</div><div>Sold Out": (),
    "<div>1 May 2024</div><div><a href=/t>Most Wanted": ("Most Wanted",),
    # inline elements without a space between them
    "<p class=byline>By<span>by JANE DOE": ("JANE DOE",),
    "<p class=byline>By <a href=/j>Jane Doe</a><span>Editor": ("Jane Doe",),
    "<p class=byline>By <b>Jane Doe</b><span>2024": ("Jane Doe",),
    "<p class=byline>von <a href=/j>Jane Doe</a>in Politik": ("Jane Doe",),
    "<p class=byline><a href=/t>Beitrag</a>von Jane Doe": ("Jane Doe",),
    "<p class=byline>著者：山田太郎": ("山田太郎",),
    "<p class=byline>文●山田太郎": ("山田太郎",),
    "<p class=byline>作者：谢若含<span>2024": ("谢若含",),
    "<p class=byline>编辑部<p>时间：2024-05-03": ("编辑部",),
}
"""Bodies below the headline, and the authors."""


@pytest.mark.parametrize(("body", "names"), SHOWN.items(), ids=SHOWN.keys())
def test_visible_authors(body: str, names: tuple[str, ...]) -> None:
    closed = f"<h1>{FERRY}</h1>{body}</table></ul></div>"
    assert read_document(body=closed).authors == names


@pytest.mark.parametrize("author", ["Will Critic", ["Jane Doe", "Will Critic"]])
@pytest.mark.parametrize("byline", ["", "<p>By Jane Doe, Will Critic</p>"])
def test_a_surname_that_is_a_role(author: object, byline: str) -> None:
    head = write_json_ld({"@type": "Article", "author": author})
    assert read_document(head, f"<h1>{FERRY}</h1>{byline}").authors[-1] == "Will Critic"
