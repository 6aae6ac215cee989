"""Headline, authors, language and the rest: which source wins, and what is cut off."""

from __future__ import annotations

import pickle

import pytest

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.metadata import language as spoken
from scrapy_boilerplate.metadata.headline import without_names
from scrapy_boilerplate.metadata.person_names import names_in
from tests.builders import filler
from tests.metadata.pages import meta, read, script

FERRY = "Ferry returns to the harbour"


@pytest.mark.parametrize(
    ("head", "body"),
    [
        pytest.param(f"<title>{FERRY} | Harbour News</title>", f"<h1>{FERRY}</h1>", id="agree"),
        pytest.param(f"<title>{FERRY} | Harbour News</title>", "<h1>Harbour News</h1>", id="logo"),
        pytest.param(
            f"<title>{FERRY} - Sea - Harbour News</title>{meta(og__title=FERRY)}", "", id="og:title"
        ),
        pytest.param(
            f"<title>Harbour News: {FERRY}</title>{meta(og__site_name='Harbour News')}",
            "",
            id="site name before",
        ),
        pytest.param(script({"@type": "NewsArticle", "headline": FERRY}), "", id="json-ld"),
        pytest.param(
            f"<title>{FERRY} | Harbour News</title>",
            "<h1>Fer&shy;ry re&shy;turns to the har&shy;bour</h1>",
            id="soft hyphens",
        ),
        pytest.param(
            f"<title>{FERRY}-Sea</title>{meta(og__title=f'{FERRY} | Sea', article__section='Sea')}",
            "",
            id="section after",
        ),
        pytest.param(
            meta(og__title="Ferry&amp;#32;returns to the harbour"), "", id="entities twice"
        ),
    ],
)
def test_headline(head: str, body: str) -> None:
    assert read(head, body).headline == FERRY


@pytest.mark.parametrize("name", ["Harbour News", "harbour-news"])
def test_title_that_is_the_site_name_stays_where_nothing_else_is(name: str) -> None:
    found = read(f"<title>{name}</title>{meta(og__site_name='Harbour News')}")
    assert found.headline == name


def test_headline_evidence_names_every_source() -> None:
    head = f"<title>{FERRY}</title>{meta(og__title=FERRY)}"
    evidence = read(head, f"<h1>{FERRY}</h1>").evidence["headline"]
    assert set(evidence.split(" + ")) >= {"h1", "og:title", "title"}


@pytest.mark.parametrize(
    ("title", "cut"),
    [
        ("Rain in May | The Daily", "Rain in May"),
        ("The Daily: Rain in May", "Rain in May"),
        ("Rain in May - The Daily Online", "Rain in May"),
        ("Rain in May-The Daily", "Rain in May"),
        ("The Daily", "The Daily"),
        ("The Daily | The Daily", "The Daily"),
        ("Rain - in May", "Rain - in May"),
        ("", ""),
    ],
)
def test_names_are_cut_off_titles(title: str, cut: str) -> None:
    assert without_names(title, frozenset({"thedaily"})) == cut


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Jane Doe", ("Jane Doe",)),
        ("Von Anna Blum und Jörg Klee, dpa", ("Anna Blum", "Jörg Klee", "dpa")),
        ("Por José Paz y Ana Ruiz", ("José Paz", "Ana Ruiz")),
        ("Jane Doe, Senior Reporter", ("Jane Doe",)),
        ("By Jane Doe | May 1, 2024", ("Jane Doe",)),
        ("Jane Doe (London)", ("Jane Doe",)),
        ("Jane Doe, MD, PhD", ("Jane Doe",)),
        ("Posted by admin", ()),
        ("김민수 기자", ("김민수",)),
        ("Reuters/AFP", ("Reuters", "AFP")),
        ("Post by seagull", ("seagull",)),
        ("seagull45", ("seagull45",)),
        ("Jane Doe5 May 2024", ("Jane Doe",)),
        ("Author of the article:", ()),
        ("Written by", ()),
        ("jane@harbour.example", ("jane",)),
        ("By Sam Whitfield, Sports Editor", ("Sam Whitfield",)),
        ("Sam Whitfield, Health and science reporter", ("Sam Whitfield",)),
        ("By Ann Lee and Bo Diaz, staff writers", ("Ann Lee", "Bo Diaz")),
        ("Ann Lee, Political editor, and Bo Diaz, Chief reporter", ("Ann Lee", "Bo Diaz")),
        ("Ann Lee, Editor-in-Chief", ("Ann Lee",)),
        ("Par Jean Dupont, envoyé spécial à Lyon", ("Jean Dupont",)),
        ("Jean Dupont envoyé spécial à Lyon", ("Jean Dupont",)),
        ("Par Jean Dupont à Lyon", ("Jean Dupont",)),
        ("Por Ana Ruiz, corresponsal en Lima", ("Ana Ruiz",)),
        ("Di Mario Rossi, inviato a Roma", ("Mario Rossi",)),
        ("Von Anna Blum, Korrespondentin in Kiel", ("Anna Blum",)),
        ("Anna Blum, Redakteurin Politik", ("Anna Blum",)),
        ("By Jane Goodfellow, Mary Longfellow", ("Jane Goodfellow", "Mary Longfellow")),
        ("Jane Doe | WXYZ", ("Jane Doe",)),
        ("WXYZ", ("WXYZ",)),
        ("Автор: Вера Лугова | Обновлено 17 июля 2013", ("Вера Лугова",)),
        ("Вера Лугова, опубликовано вчера", ("Вера Лугова",)),
        ("Autor: Jan Kos | Aktualizacja: 17 lipca 2013", ("Jan Kos",)),
        ("Anna Berg | Uppdaterad 17 juli 2013", ("Anna Berg",)),
        ("Νίκος Δήμου | Ενημερώθηκε στις 17 Ιουλίου", ("Νίκος Δήμου",)),
        ("Ayşe Kaya | Güncelleme: 17 Temmuz 2013", ("Ayşe Kaya",)),
        ("王小明 | 更新时间", ("王小明",)),
        ("<script>alert(1)</script>" * 50, ()),
    ],
)
def test_names_in_bylines(text: str, names: tuple[str, ...]) -> None:
    found = names_in(text)
    assert found == names if "script" not in text else len(found) <= 200


@pytest.mark.parametrize(
    ("head", "body", "source"),
    [
        (script({"@type": "Article", "author": [{"name": "Jane Doe"}]}), "", "json-ld"),
        (script({"@type": "Article", "author": "Jane Doe"}), "", "json-ld"),
        (meta(author="Jane Doe"), "", "meta"),
        (meta(article__author="https://x.example/jane", author="Jane Doe"), "", "meta"),
        ("", f"<h1>{FERRY}</h1><a rel=author href=/jane>Jane Doe</a>", "rel author"),
        ("", f"<h1>{FERRY}</h1><p>By Jane Doe</p>", "byline"),
        ("", f"<h1>{FERRY}</h1><div class=author-name>Jane Doe</div>", "byline"),
        ("", f"<h1>{FERRY}</h1><p>Jane Doe</p>", "first line"),
        (
            script({"@type": "Article", "author": "janedoeharbour"}),
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
    found = read(head, body)
    assert (found.authors, found.evidence["authors"]) == (("Jane Doe",), source)


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
            ["Al Poe Junior"], "<p>By the sea</p>", ("Al Poe Junior",), id="nobody is shown"
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
    head = meta(og__site_name="Harbour News") + script({"@type": "Article", "author": declared})
    assert read(head, f"<h1>{FERRY}</h1>{body}").authors == names


@pytest.mark.parametrize(
    ("href", "names"),
    [
        ("/author/jane-doe/", ("Jane Doe",)),
        ("https://harbour-news.example/autoren/12?x=1", ("Jane Doe",)),
        ("/author/", ()),
        ("/sea/jane-doe", ()),
        ("http://[/author/jane", ()),
    ],
)
def test_links_to_pages_of_authors(href: str, names: tuple[str, ...]) -> None:
    links = f"<div><a href='{href}'>Jane Doe</a> <a href='{href}'>More stories</a></div>"
    assert read("", f"<h1>{FERRY}</h1>{links}").authors == names


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
    assert read(meta(author=declared), body).authors == names


def test_a_spelt_out_address_is_no_name() -> None:
    head = meta(author="jane[at]harbour.example")
    assert read(head, f"<h1>{FERRY}</h1><p>By Jane Doe</p>").authors == ("Jane Doe",)


def test_german_nouns_after_von_are_no_names() -> None:
    lines = (
        "<div>Bericht zur Lage von Maßnahmen zur Eindämmung des Virus</div>"
        "<div>Fragen von Klimaschutz und Energiewende</div>"
    )
    assert read("", f"<h1>{FERRY}</h1>{lines}", lang="de").authors == ()


def test_the_site_is_the_author_only_where_nobody_is_named() -> None:
    head = script(
        {
            "@type": "Article",
            "author": {"name": "Harbour News"},
            "publisher": {"name": "Harbour News"},
        }
    )
    assert read(head).authors == ("Harbour News",)
    assert read(head, f"<h1>{FERRY}</h1><p>By Jane Doe</p>").authors == ("Jane Doe",)


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ("By Jane Doe and Record Staff", ("Jane Doe",)),
        ("By Record Staff", ("Record Staff",)),
        ("By Jane Staff", ("Jane Staff",)),
    ],
)
def test_a_desk_is_the_author_only_where_nobody_has_signed(
    byline: str, names: tuple[str, ...]
) -> None:
    assert read("", f"<h1>{FERRY}</h1><p>{byline}</p>").authors == names


def test_a_russian_byline_with_a_date() -> None:
    line = "<p>Автор: Вера Лугова | Обновлено 17 июля 2013</p>"
    found = read("", f"<h1>{FERRY}</h1>{line}", lang="ru")
    assert (found.authors, found.date_published) == (("Вера Лугова",), "2013-07-17")


def test_two_hundred_authors() -> None:
    names = [f"Jane Doe{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(300)]
    found = read(script({"@type": "Article", "author": names})).authors
    assert found == tuple(names[:200])


def test_the_other_fields() -> None:
    head = (
        script(
            {
                "@type": "https://schema.org/NewsArticle",
                "isAccessibleForFree": "False",
                "keywords": ["ferry", "sea", "Ferry"],
                "articleSection": ["News", "Sea"],
                "image": {"url": "/ferry.jpg"},
            }
        )
        + meta(og__description="It is back.", og__site_name="Harbour News", og__url="/sea/ferry")
        + "<link rel=canonical href=/sea/ferry>"
    )
    found = read(head)
    assert (found.description, found.site_name) == ("It is back.", "Harbour News")
    assert (found.tags, found.section) == (("ferry", "sea"), "News")
    assert found.main_image == "https://www.harbour-news.example/ferry.jpg"
    assert found.canonical_url == "https://www.harbour-news.example/sea/ferry"
    assert (found.is_accessible_for_free, found.article_type) == (False, "NewsArticle")
    assert set(found.evidence) >= {"section", "tags", "main_image", "canonical_url"}


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:image/png;base64,x", "http://[", " "]
)
def test_addresses_are_addresses(address: str) -> None:
    found = read(f'{meta(og__image=address)}<link rel=canonical href="{address}">')
    assert (found.main_image, found.canonical_url) == (None, None)


@pytest.mark.parametrize(
    ("lang", "text", "language"),
    [
        ("en", "Паром возвращается в гавань в понедельник после долгого ремонта. " * 3, "ru"),
        ("uk", "Паром повертається в гавань у понеділок після довгого ремонту. " * 3, "uk"),
        ("en", "渡船在长时间维修后于星期一返回港口，公司今天表示。" * 4, "zh"),
        ("zh", "フェリーは長い修理のあと月曜日に港へもどると会社は今日話した。" * 4, "ja"),
        ("de", "Short.", "de"),
    ],
)
def test_language_by_script(
    lang: str, text: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spoken, "detector", lambda: None)
    assert extract(f"<html lang={lang}><p>{text}</p>").language == language


def test_language_by_detector() -> None:
    pytest.importorskip("py3langid", reason="py3langid is not installed")
    text = "Die Fähre kehrt am Montag nach langer Reparatur in den Hafen zurück. " * 3
    found = extract(f"<html lang=en><p>{text}</p>")
    assert (found.language, found.evidence["language"]) == ("de", "text")
    assert extract(f"<p>{text}</p>").language == "de"


@pytest.mark.parametrize("html", ["", "<html></html>", "<h1></h1>", "<p>one", "<time>", "<meta>"])
def test_pages_without_anything(html: str) -> None:
    found = extract(html)
    assert (found.date_published, found.authors, found.tags) == (None, (), ())


def test_pickling_keeps_the_fields() -> None:
    found = read(meta(author="Jane Doe"), f"<h1>{FERRY}</h1>")
    copy = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own bytes
    assert (copy.headline, copy.authors, copy.evidence) == (FERRY, ("Jane Doe",), found.evidence)


def test_deep_and_wide_pages_end() -> None:
    deep = "<div itemprop=author class=author>" * 1500 + filler(5)
    wide = "<meta property=article:author content='Jane Doe'><time datetime=x>" * 5_000
    assert extract(deep).error is None
    assert extract(wide).authors == ("Jane Doe",)
