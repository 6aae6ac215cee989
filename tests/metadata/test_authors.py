"""Authors: which source wins, who is no author, and when the site is one."""

from __future__ import annotations

import pytest

from tests.metadata.pages import read_document, write_article, write_metas

FERRY = "Ferry returns to the harbour"
TITLE = f"<h1>{FERRY}</h1>"
FAR = "<p>-</p>" * 20
"""Lines between the headline and a signature."""


SOURCES = [
    # head, body, source
    (write_article(author={"name": "Jane Doe"}), "", "json-ld"),
    (write_metas(article__author="https://x.example/jane", author="Jane Doe"), "", "meta"),
    ("", f"{TITLE}<a rel=author href=/jane>Jane Doe</a>", "rel author"),
    ("", f"{TITLE}<p>By Jane Doe</p>", "byline"),
    ("", f"{TITLE}<div class=author-name>Jane Doe</div>", "byline"),
    (write_article(author="jane.harbour"), f"{TITLE}<p class=byline>Jane Doe</p>", "byline"),
    ("", f"{TITLE}{FAR}<p>Written by Jane Doe</p>", "signature"),
    (
        "",
        "<div itemscope itemtype=http://schema.org/Article><div itemprop=author itemscope>"
        "<b itemprop=name>Jane Doe</b></div></div>",
        "microdata",
    ),
]


@pytest.mark.parametrize(("head", "body", "source"), SOURCES)
def test_sources_of_authors(head: str, body: str, source: str) -> None:
    document = read_document(head, body)
    assert (document.authors, document.evidence["authors"]) == (("Jane Doe",), source)


CREDITS = "".join(
    f"<p>{line}</p>"
    for line in ("By Jane Doe", "Photography by Al Poe", "Contributions from", "Bo Ray", "1 May")
)
DECLARED = {
    # declared, body, names
    "credits": (["Jane Doe", "Al Poe", "Bo Ray"], CREDITS, ("Jane Doe",)),
    "the first": (["Al Poe", "Jane Doe"], CREDITS, ("Al Poe", "Jane Doe")),
    "shown nowhere": (["Al Poe Junior"], "<p>By Jane Doe</p>", ("Jane Doe",)),
    "no name is shown": (["Al Poe Junior"], "<p>By the sea</p>", ("Al Poe Junior",)),
    "shown in part": (["Jane Doe"], "<p>By J. Doe</p>", ("Jane Doe",)),
    "a word beside a site": (["Harbour News"], "<p class=byline>Link</p>", ("Harbour News",)),
    "a site and a byline": (["Harbour News"], "<p>By Jane Doe</p>", ("Jane Doe",)),
}


@pytest.mark.parametrize(("declared", "body", "names"), DECLARED.values(), ids=DECLARED)
def test_declared_authors_and_those_that_are_shown(
    declared: list[str], body: str, names: tuple[str, ...]
) -> None:
    head = write_metas(og__site_name="Harbour News") + write_article(author=declared)
    assert read_document(head, TITLE + body).authors == names


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
    assert read_document("", TITLE + links).authors == names


@pytest.mark.parametrize(
    ("declared", "line", "names"),
    [
        ("Harbour Foundation e.V.", "Autorin: Jane Doe, Leiterin in Kiel", ("Jane Doe",)),
        ("Harbour Media Ltd", "By Al Poe for Getty", ("Harbour Media Ltd",)),
        ("Harbour Media Ltd", "Written by hand", ("Harbour Media Ltd",)),
    ],
)
def test_a_company_is_the_author_only_where_nobody_has_signed(
    declared: str, line: str, names: tuple[str, ...]
) -> None:
    body = f"{TITLE}{FAR}<p>{line}</p>"
    assert read_document(write_metas(author=declared), body).authors == names


RAIN = "<h1>Rain</h1>"
NO_AUTHORS = {
    # head, body, names
    "an account": (write_metas(author="jane.fielding"), f"{RAIN}<p>By Al Poe</p>", ("Al Poe",)),
    "a word of the menu": (
        "",
        f"<nav><a href=/t>Travel Guides</a></nav>{RAIN}<p class=byline>Travel Guides</p>"
        "<p class=byline>Jane Doe</p>",
        ("Jane Doe",),
    ),
    "who comments below": (
        "",
        f"<div itemscope itemtype=http://schema.org/Article>{RAIN}<p itemprop=author>Jane Doe</p>"
        f"{'<p>one two three</p>' * 20}<p itemprop=author>Al Poe</p></div>",
        ("Jane Doe",),
    ),
    "a photographer": ("", f"{RAIN}<p>Photograph by : Jane Doe</p>", ()),
    "a Russian credit": ("", f"{RAIN}<p class=author>Фото: Jane Doe</p>", ()),
    "a caption": ("", f"{RAIN}<figure><figcaption>By Jane Doe</figcaption></figure>", ()),
    "a label": ("", f"<p>Text Size</p>{RAIN}", ()),
    "a spelt out address": (
        write_metas(author="jane[at]harbour.example"),
        f"{RAIN}<p>By Jane Doe</p>",
        ("Jane Doe",),
    ),
    "a place": (
        write_metas(author="Frankfurt, Germany"),
        f"{RAIN}<p>By Jane Doe</p>",
        ("Jane Doe",),
    ),
    "agencies": (write_metas(author="dpa, AFP"), "", ("dpa", "AFP")),
    "German nouns": ("", f"{RAIN}<div>Fragen von Klimaschutz und Energiewende</div>", ()),
    "a site with a byline further below": (
        write_article(author="n-sea NEWS") + write_metas(og__site_name="n-sea"),
        f"{RAIN}{FAR}<p>Von Jane Doe, Kiel 05.08.2024, 20:59 Uhr</p>",
        ("Jane Doe", "Kiel"),
    ),
    "a link of a menu": (
        write_metas(author="Harbour.com staff"),
        f"{RAIN}<div class=header-authorAndShare><a href=/w>Watch Harbour</a></div>",
        ("Harbour.com staff",),
    ),
    "a link to a biography": (
        "",
        f"{RAIN}<p class=author>Jane Doe</p><p class=author-bio>See full bio</p>",
        ("Jane Doe",),
    ),
    "a button": ("", f"{RAIN}<a href=/l>WATCH LIVE</a><p>1 May 2024</p>", ()),
    "who wrote another article": (
        write_metas(author="Rain Staff", og__site_name="Rain"),
        "<h1>Sea</h1><p>Stories</p><a href=/author/al>Al Poe</a>",
        ("Rain Staff",),
    ),
    "a menu": ("", f"{RAIN}<ul><li><a href=/a>Authors</a><li>Rain News</ul>", ()),
    "a sentence": ("", f"{RAIN}<p>It is the same one that was used by Harbour Works.</p>", ()),
    "only words of a class": ("", f"{RAIN}{FAR}<p class=author>This review is</p>", ()),
    "who praises": ("", f"{RAIN}{FAR}<p class=testimonial-author>Jane Doe</p>", ()),
}


@pytest.mark.parametrize(("head", "body", "names"), NO_AUTHORS.values(), ids=NO_AUTHORS)
def test_who_is_no_author(head: str, body: str, names: tuple[str, ...]) -> None:
    assert read_document(head, body).authors == names


SHOWN = {
    "<p class=byline>By <a href=/tag/authors/1>Jane Doe": ("Jane Doe",),
    "<ul><li class=auteur><a href=/x>Jane Doe</a><li>1 May 2024": ("Jane Doe",),
    "<div class=author>Jane Doe</div><div><a href=/x>All the stories by Jane Doe": ("Jane Doe",),
    "<table><tr><td>Author<td><a href=/x>Jane Doe": ("Jane Doe",),
    "<table><tr><td><a href=/w>World News</a><td class=author>By Jane Doe": ("Jane Doe",),
    "<ul><li><a href=/c>3 Comments</a><p class=byline>By Jane Doe": ("Jane Doe",),
    "<ul><li itemprop=author>Jane Doe": ("Jane Doe",),
    # beside dates
    "<div>Jane Doe | 1 May 2024": ("Jane Doe",),
    "<div>1 May 2024, the day of the ferry": (),
    "<div>8:40AM Tuesday 1 May 2024": (),
    "<div>07:48 PM EST By SEAGULL": (),
    "<div>01.05.24</div><div>Jane Doe": ("Jane Doe",),
    "<div>3. Mai 24</div><div>Jane Doe": ("Jane Doe",),
    "<div>$168.00</div><div>Sold Out": (),
    "<div>Doors 19:30</div><div>Sold Out": (),
    # inline elements without a space between them
    "<p class=byline>By<span>by JANE DOE": ("JANE DOE",),
    "<p class=byline>By <a href=/j>Jane Doe</a><span>Editor": ("Jane Doe",),
    "<p class=byline>By <b>Jane Doe</b><span>2024": ("Jane Doe",),
    "<p class=byline>von <a href=/j>Jane Doe</a>in Politik": ("Jane Doe",),
    "<p class=byline><a href=/t>Beitrag</a>von Jane Doe": ("Jane Doe",),
    "<p class=byline>文●山田太郎": ("山田太郎",),
    "<p class=byline>作者：谢若含<span>2024": ("谢若含",),
    "<p class=byline>编辑部<p>时间：2024-05-03": ("编辑部",),
}
"""Bodies below the headline, and the authors."""


@pytest.mark.parametrize(("body", "names"), SHOWN.items(), ids=SHOWN)
def test_visible_authors(body: str, names: tuple[str, ...]) -> None:
    assert read_document(body=f"{TITLE}{body}</table></ul></div>").authors == names


@pytest.mark.parametrize("authors", [["Will Critic"], ["Jane Doe", "Will Critic"]])
@pytest.mark.parametrize("byline", ["", "<p>By Jane Doe, Will Critic</p>"])
def test_a_surname_that_is_a_role(authors: list[str], byline: str) -> None:
    assert read_document(write_article(author=authors), TITLE + byline).authors[-1] == "Will Critic"


def test_two_hundred_authors() -> None:
    names = [f"Jane Doe{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(300)]
    assert read_document(write_article(author=names)).authors == tuple(names[:200])
