"""Authors: which source wins, who is no author, and when the site is one."""

import pytest

from scrapy_boilerplate import extract
from tests.builders import filler
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
    "a foundation": (["Sea e.V."], f"{FAR}<p>Autorin: Jane Doe, Leiterin in Kiel", ("Jane Doe",)),
    "in lower case": (["jane doe"], "<p>By Jane Doe</p>", ("Jane Doe",)),
    "a company, for an agency": (["Sea Ltd"], f"{FAR}<p>By Al Poe for Getty", ("Sea Ltd",)),
    "a company and no name": (["Sea Ltd"], f"{FAR}<p>Written by hand", ("Sea Ltd",)),
}


@pytest.mark.parametrize(("declared", "body", "names"), DECLARED.values(), ids=DECLARED)
def test_declared_authors_and_those_that_are_shown(
    declared: list[str], body: str, names: tuple[str, ...]
) -> None:
    head = write_metas(og__site_name="Harbour News") + write_article(author=declared)
    assert read_document(head, TITLE + body).authors == names


NO_AUTHORS = {
    # declared author, body below the headline, names
    "an account": ("jane.fielding", "<p>By Al Poe</p>", ("Al Poe",)),
    "a spelt out address": ("jane[at]harbour.example", "<p>By Jane Doe</p>", ("Jane Doe",)),
    "a place": ("Frankfurt, Germany", "<p>By Jane Doe</p>", ("Jane Doe",)),
    "agencies": ("dpa, AFP", "", ("dpa", "AFP")),
    "a linked town": (
        "",
        "<div class=authors><a href=/tema/jane/>Jane Doe</a>, <a href=/region/kiel/>Kiel</a></div>",
        ("Jane Doe",),
    ),
    "a site with a byline further below": (
        "Rain NEWS",
        f"{FAR}<p>Von Jane Doe, Kiel 05.08.2024, 20:59 Uhr</p>",
        ("Jane Doe",),
    ),
    "a link of a menu": (
        "Rain Staff",
        "<div class=header-authorAndShare><a href=/w>Watch Harbour</a></div>",
        ("Rain Staff",),
    ),
    "who wrote another article": (
        "Rain Staff",
        "<p>Stories</p><a href=/author/al>Al Poe</a>",
        ("Rain Staff",),
    ),
    "who comments below": (
        "",
        f"<p itemprop=author>Jane Doe</p>{FAR}<p itemprop=author>Al Poe</p>",
        ("Jane Doe",),
    ),
    "a link to a biography": (
        "",
        "<p class=author>Jane Doe</p><p class=author-bio>See full bio</p>",
        ("Jane Doe",),
    ),
    "a photographer": ("", "<p>Photograph by : Jane Doe</p>", ()),
    "a Russian credit": ("", "<p class=author>Фото: Jane Doe</p>", ()),
    "a caption": ("", "<figure><figcaption>A pike. By Jane Doe</figcaption></figure>", ()),
    "a photographer in a caption": ("", "<figure><b itemprop=author>Al Poe</b></figure>", ()),
    "the newest comments": ("", f"{FAR}<aside><ul><li class=author>Al Poe</ul></aside>", ()),
    "a label": ("", "<p>Text Size</p>", ()),
    "German nouns": ("", "<div>Fragen von Klimaschutz und Energiewende</div>", ()),
    "a button": ("", "<a href=/l>WATCH LIVE</a><p>1 May 2024</p>", ()),
    "a menu": ("", "<ul><li><a href=/a>Authors</a><li>Rain News</ul>", ()),
    "a sentence": ("", "<p>It is the same one that was used by Harbour Works.</p>", ()),
    "only words of a class": ("", f"{FAR}<p class=author>This review is</p>", ()),
    "who logs in": ("", f"{FAR}<ul class=not_authorized><li>Login</ul>", ()),
    "a subject": ("", "<p><a href=/people/jane-doe>Jane Doe</a></p>", ()),
    "a credit of a picture": (
        "",
        "<div class=caption>A pike <b itemprop=author>Al Poe</b></div>",
        (),
    ),
    "a size of letters": ("", "<p>文字 小 中 大</p>", ()),
    "who praises": ("", f"{FAR}<p class=testimonial-author>Jane Doe</p>", ()),
}


@pytest.mark.parametrize(("declared", "body", "names"), NO_AUTHORS.values(), ids=NO_AUTHORS)
def test_who_is_no_author(declared: str, body: str, names: tuple[str, ...]) -> None:
    head = write_metas(author=declared, og__site_name="Rain")
    scope = "<div itemscope itemtype=http://schema.org/Article>"
    assert read_document(head, f"{scope}{TITLE}{body}</div>").authors == names


SHOWN = {
    "<p class=byline>By <a href=/tag/authors/1>Jane Doe": ("Jane Doe",),
    "<ul><li class=auteur><a href=/x>Jane Doe</a><li>1 May 2024": ("Jane Doe",),
    "<div class=author>Jane Doe</div><div><a href=/x>All the stories by Jane Doe": ("Jane Doe",),
    "<table><tr><td>Author<td><a href=/x>Jane Doe": ("Jane Doe",),
    "<table><tr><td><a href=/w>World News</a><td class=author>By Jane Doe": ("Jane Doe",),
    "<ul><li><a href=/c>3 Comments</a><p class=byline>By Jane Doe": ("Jane Doe",),
    "<ul><li itemprop=author>Jane Doe": ("Jane Doe",),
    # links to the page of an author
    "<a href=/author/jane-doe/>Jane Doe</a> <a href=/author/jane-doe/>More</a>": ("Jane Doe",),
    "<a href=https://x.example/autoren/12?x=1>Jane Doe</a>": ("Jane Doe",),
    "<a href=/author/>Jane Doe</a>": (),
    "<a href=/sea/jane-doe>Jane Doe</a>": (),
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


JOINTS = ("", " ", ", ", " and ", "<br>", " · ")
BYLINES = {
    "links": "By <a href=/author/1>Jane Doe</a>{0}<a href=/author/2>Al Poe</a>",
    "linked authors": "By <a rel=author href=/1>Jane Doe</a>{0}<a rel=author href=/2>Al Poe</a>",
    "names of cards": "By <b class=fn>Jane Doe</b>{0}<b class=fn>Al Poe</b> <b>Data Editor</b>",
    "microdata": "<b itemprop=author>Jane Doe</b>{0}<b itemprop=author>Al Poe</b>",
    "another link": "By <a href=/staff/1>Jane Doe</a>{0}<a href=/staff/2>Al Poe</a> <a href=/w>TV",
    "a credit": "By <b class=fn>Jane Doe</b>{0}<b class=fn>Al Poe</b> Photos by <b class=fn>Bo Ray",
}
LISTS = (
    "<ul class=authors><li>Jane Doe<li>Al Poe</ul>",
    "<ul class=authors><li><b>Jane Doe</b><br>Data Editor<li><b>Al Poe</b><br>Editor</ul>",
)


@pytest.mark.parametrize("byline", BYLINES.values(), ids=BYLINES)
def test_several_names_in_one_byline(byline: str) -> None:
    for line in map(byline.format, JOINTS):
        body = f"<div itemscope itemtype=http://schema.org/Article>{TITLE}<div>{line}"
        assert read_document(body=f"{body}</a></b></div></div>").authors == ("Jane Doe", "Al Poe")


@pytest.mark.parametrize("people", LISTS)
def test_lists_of_authors(people: str) -> None:
    for body in (f"{TITLE}{people}", f"{people}{TITLE}"):
        assert read_document(body=body).authors == ("Jane Doe", "Al Poe")


@pytest.mark.parametrize("authors", [["Will Critic"], ["Jane Doe", "Will Critic"]])
@pytest.mark.parametrize("byline", ["", "<p>By Jane Doe, Will Critic</p>"])
def test_a_surname_that_is_a_role(authors: list[str], byline: str) -> None:
    assert read_document(write_article(author=authors), TITLE + byline).authors[-1] == "Will Critic"


def test_two_hundred_authors() -> None:
    names = [f"Jane Doe{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(300)]
    assert read_document(write_article(author=names)).authors == tuple(names[:200])


ENDS = {
    # after the text, names
    "a line": ("<p>By Jane Doe</p>", ("Jane Doe",)),
    "rel": ("<footer>By <a href=/x rel=author>J. Doe</a></footer>", ("J. Doe",)),
    "a relative link": ("<address>By <a href=author/ada.html>News desk</a>", ("News desk",)),
    "after a table": (f"<table>{'<tr><td>1<td>2' * 20}</table><p>By Jane Doe", ("Jane Doe",)),
    "who wrote a listed text": ("<aside><h2>Newest</h2><p>By Al Poe</p></aside>", ()),
    "all articles": ("<a href=/author/x>All posts by Jane Doe</a>", ("Jane Doe",)),
}


@pytest.mark.parametrize("paragraphs", [3, 30])
@pytest.mark.parametrize(("end", "names"), ENDS.values(), ids=ENDS)
def test_authors_after_texts_of_any_length(
    end: str, names: tuple[str, ...], paragraphs: int
) -> None:
    text = "".join(f"<p>{filler(40)}</p>" for _ in range(paragraphs))
    assert extract(f"<body>{TITLE}{text}{end}", "https://harbour.example/x").authors == names


ROLES = [
    ("Von KURIER-online-Redakteur Thomas Sieber", ("Thomas Sieber",)),
    ("Par notre correspondant Paul Morel", ("Paul Morel",)),
    ("By Gazette staff writer Tom Seward", ("Tom Seward",)),
    ("By Political editor Sam Roe and Health reporter Ann Lee", ("Sam Roe", "Ann Lee")),
    ("Politik · Jan Meier, Tina Lorenz", ("Jan Meier", "Tina Lorenz")),
    ("Pictures and words: Ada Rowe", ("Ada Rowe",)),
    ("Par le service politique et société", ()),
    ("Par le service Monde et Europe", ()),
    ("Par notre envoyée spéciale à Kiev Marie Roux", ("Marie Roux",)),
    ("dal nostro inviato Paolo Neri", ("Paolo Neri",)),
    ("Von Chefredakteurin Anna Weiss", ("Anna Weiss",)),
    ("By Times Staff Writers Sam Roe and Ann Lee", ("Sam Roe", "Ann Lee")),
    ("Politik | Von Jan Meier", ("Jan Meier",)),
    ("Arts &amp; Culture · Ann Lee", ("Ann Lee",)),
    ("Words: Ann Lee Photos: Sam Roe", ("Ann Lee",)),
    ("Texte et photos : Anna Roy", ("Anna Roy",)),
    ("Songs by Bob Marley", ()),
    ("Posted by Ann Lee", ("Ann Lee",)),
    ("View Author Page I'm", ()),
    ("Author archive", ()),
    ("Neueste Signaturen", ()),
]


@pytest.mark.parametrize(("line", "names"), ROLES)
def test_roles_and_sections_before_names(line: str, names: tuple[str, ...]) -> None:
    assert read_document("", f"{TITLE}<p class=byline>{line}</p>").authors == names


@pytest.mark.parametrize(
    "author",
    [
        [["Jane Doe"], [{"name": "Al Poe"}]],
        {"@list": [{"name": "Jane Doe"}, "Al Poe"]},
        {"@set": [{"name": {"@value": "Jane Doe"}}, {"@value": "Al Poe"}]},
    ],
)
def test_lists_of_json_ld(author: object) -> None:
    assert read_document(write_article(author=author), TITLE).authors == ("Jane Doe", "Al Poe")
