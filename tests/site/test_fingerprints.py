"""The same article is recognised, another is not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.site.fingerprints import (
    EXACT,
    NEAR,
    TEMPLATE,
    UPDATED,
    Article,
    ArticleIndex,
    fingerprint,
    simhash,
)
from tests.site_pages import WORDS, article_text, page_around


def test_one_article_in_fifty_surroundings_has_one_fingerprint() -> None:
    paragraphs = article_text(1)
    documents = [extract(page_around(paragraphs, seed)) for seed in range(50)]
    assert len({document.fingerprint for document in documents}) == 1
    assert documents[0].fingerprint


def test_a_thousand_articles_are_no_duplicates_of_each_other() -> None:
    articles = ArticleIndex()
    for seed in range(1000):
        text = "\n\n".join(article_text(seed))
        assert articles.find(Article.from_text(text)) is None
        articles.add(Article.from_text(text))


def test_an_edited_paragraph_leaves_a_near_duplicate() -> None:
    matches = 0
    for seed in range(200):
        paragraphs = article_text(seed)
        articles = ArticleIndex()
        text = "\n\n".join(paragraphs)
        articles.add(Article.from_text(text))
        chance = random.Random(seed)  # noqa: S311 - no secret
        place = chance.randrange(len(paragraphs))
        edited = "\n\n".join(
            " ".join(chance.choices(WORDS, k=45)) if number == place else paragraph
            for number, paragraph in enumerate(paragraphs)
        )
        matches += articles.find(Article.from_text(edited)) == NEAR
    assert matches >= 190


KNOWN = ("a.example/1", "a.example")
TEXT = "\n\n".join(article_text(7))
NEARLY = f"{TEXT}\n\nOne more line at the end of it, that was not there."


@pytest.mark.parametrize(
    ("text", "address", "site", "duplicate"),
    [
        (TEXT, *KNOWN, EXACT),
        (TEXT, "b.example/9", "b.example", EXACT),
        (NEARLY, *KNOWN, UPDATED),
        (NEARLY, "b.example/1", "b.example", NEAR),
        (NEARLY, "a.example/2", "a.example", TEMPLATE),
        (NEARLY, "", "", NEAR),
        ("\n\n".join(article_text(8)), *KNOWN, None),
        ("", *KNOWN, None),
    ],
)
def test_how_an_article_is_a_duplicate(
    text: str, address: str, site: str, duplicate: str | None
) -> None:
    articles = ArticleIndex()
    articles.add(Article.from_text(TEXT, *KNOWN))
    assert articles.find(Article.from_text(text, address, site)) == duplicate


def test_the_same_address_counts_before_another_site() -> None:
    articles = ArticleIndex()
    articles.add(Article.from_text(f"{TEXT} end", "b.example/1", "b.example"))
    articles.add(Article.from_text(TEXT, *KNOWN))
    assert articles.find(Article.from_text(NEARLY, *KNOWN)) == UPDATED
    assert articles.find(Article.from_text(NEARLY, "a.example/2", "a.example")) == NEAR


@pytest.mark.parametrize("text", [TEXT, "three short words"])
@pytest.mark.parametrize("place", [KNOWN, ("", "")])
def test_records_hold_the_article(text: str, place: tuple[str, str]) -> None:
    article = Article.from_text(text, *place)
    assert Article.unpack(article.key, article.pack()) == article


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_any_record_is_an_article_or_refused(key: bytes, data: bytes) -> None:
    try:
        article = Article.unpack(key, data)
    except ValueError:
        return
    articles = ArticleIndex()
    articles.add(article)
    assert articles.find(article) == EXACT
    assert articles.entry(key.hex()) == (0, article)


def test_letters_count_and_short_lines_do_not() -> None:
    text = "\n\n".join(article_text(1))
    assert fingerprint(text.upper().replace(".", " !")) == fingerprint(text)
    assert fingerprint(f"12 May 2024\n\n{text}") == fingerprint(text)
    assert fingerprint("12 May") != fingerprint("13 May")
    assert fingerprint(" ... ") == ""


def test_the_oldest_article_makes_room() -> None:
    articles = ArticleIndex(max_articles=3)
    texts = ["\n".join(article_text(seed)) for seed in range(5)]
    for text in texts:
        articles.add(Article.from_text(text))
    duplicates = [articles.find(Article.from_text(text)) for text in texts]
    assert duplicates == [None, None, EXACT, EXACT, EXACT]


@pytest.mark.parametrize("text", ["", "word", "\ud800", "the same " * 500, "漢字" * 40])
def test_any_text_has_a_fingerprint(text: str) -> None:
    assert len(fingerprint(text)) in (0, 32)
    assert len(simhash(text)) in (0, 32)


@given(st.text(max_size=300))
def test_hashes_depend_on_the_text_alone(text: str) -> None:
    assert fingerprint(text) == fingerprint(text)
    assert simhash(text) == simhash(text)
