"""The same article is recognised, another is not."""

from __future__ import annotations

import random

import pytest

from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.site.fingerprints import (
    EXACT,
    NEAR,
    TEMPLATE,
    UNPLACED,
    UPDATED,
    Article,
    ArticleIndex,
    fingerprint,
    simhash,
)
from tests.site_pages import WORDS, article_text, page_around


def test_one_article_in_many_surroundings_has_one_fingerprint() -> None:
    paragraphs = article_text(1)
    documents = [extract(page_around(paragraphs, seed)) for seed in range(20)]
    assert len({document.fingerprint for document in documents}) == 1
    assert documents[0].fingerprint


def test_an_edited_paragraph_leaves_a_near_duplicate() -> None:
    matches = 0
    for seed in range(60):
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
        matches += articles.find(Article.from_text(edited)) == UNPLACED
    assert matches >= 57


KNOWN = ("a.example/1", "a.example")
TEXT = "\n\n".join(article_text(7))
NEARLY = f"{TEXT}\n\nOne more line at the end of it, that was not there."


ELSEWHERE, SIBLING, NOWHERE = ("b.example/1", "b.example"), ("a.example/2", "a.example"), ("", "")


def find_duplicate(
    known: str, text: str, place: tuple[str, str], known_place: tuple[str, str] = KNOWN
) -> str | None:
    """Return how a text is a duplicate of the only known one."""
    articles = ArticleIndex()
    articles.add(Article.from_text(known, *known_place))
    return articles.find(Article.from_text(text, *place))


def weather(*values: str, n_words: int = 100) -> str:
    """A page of a template: a paragraph that all its pages share, above short lines."""
    shared = " ".join(f"{word}{number}" for number, word in enumerate((WORDS * 9)[:n_words]))
    return "\n".join([shared, *values])


OSLO, ROME = (weather(*(f"{day}: {day * n % 29} C" for day in range(20))) for n in (7, 11))


@pytest.mark.parametrize(
    ("known", "text", "place", "duplicate"),
    [
        (TEXT, TEXT, KNOWN, EXACT),
        (TEXT, TEXT, ELSEWHERE, EXACT),
        (TEXT, NEARLY, KNOWN, UPDATED),
        (TEXT, NEARLY, ELSEWHERE, NEAR),
        (TEXT, NEARLY, SIBLING, TEMPLATE),
        (TEXT, NEARLY, NOWHERE, UNPLACED),
        (TEXT, "\n\n".join(article_text(8)), KNOWN, None),
        (TEXT, "", KNOWN, None),
        # one fingerprint: short lines tell the pages of a template apart
        (OSLO, ROME, KNOWN, UPDATED),
        (OSLO, ROME, ELSEWHERE, NEAR),
        (OSLO, ROME, SIBLING, TEMPLATE),
        (OSLO, ROME, NOWHERE, UNPLACED),
        (OSLO, OSLO, SIBLING, EXACT),
        (OSLO, f"12 May\n{OSLO}", KNOWN, EXACT),
        (OSLO, f"12 May\n{OSLO}", ELSEWHERE, EXACT),
        (OSLO, f"12 May\n{OSLO}", SIBLING, TEMPLATE),
        (OSLO, OSLO.splitlines()[0], KNOWN, UPDATED),
    ],
)
def test_how_an_article_is_a_duplicate(
    known: str, text: str, place: tuple[str, str], duplicate: str | None
) -> None:
    assert find_duplicate(known, text, place) == duplicate
    if known == OSLO:
        assert fingerprint(text) == fingerprint(OSLO)


@pytest.mark.parametrize("place", [KNOWN, NOWHERE])
def test_without_a_known_place_nothing_is_elsewhere(place: tuple[str, str]) -> None:
    assert find_duplicate(TEXT, NEARLY, place, NOWHERE) == UNPLACED


def test_few_words_are_compared_whole() -> None:
    known = weather("-5", n_words=12)
    assert find_duplicate(known, known, NOWHERE) == EXACT
    assert find_duplicate(known, weather("5", n_words=12), NOWHERE) is None
    with_simhash = weather(*(f"{day} C" for day in range(10)), n_words=12)
    assert find_duplicate(with_simhash, weather(n_words=12), SIBLING) == TEMPLATE


def test_of_one_fingerprint_the_newer_article_stays() -> None:
    articles = ArticleIndex(max_articles=2)
    articles.add(Article.from_text(OSLO, *KNOWN), at=5)
    articles.add(Article.from_text(TEXT), at=6)
    articles.add(Article.from_text(ROME, *KNOWN), at=7)
    articles.add(Article.from_text(OSLO, *KNOWN), at=6)
    assert articles.find(Article.from_text(ROME, *KNOWN)) == EXACT
    assert articles.find(Article.from_text(OSLO, *KNOWN)) == UPDATED
    articles.add(Article.from_text("the first to go is the other text"), at=8)
    assert articles.find(Article.from_text(ROME, *KNOWN)) == EXACT
    assert articles.find(Article.from_text(TEXT)) is None


def test_letters_count_and_short_lines_do_not() -> None:
    text = "\n\n".join(article_text(1))
    assert fingerprint(text.upper().replace(".", " !")) == fingerprint(text)
    assert fingerprint(f"12 May 2024\n\n{text}") == fingerprint(text)
    assert fingerprint("12 May") != fingerprint("13 May")
    assert fingerprint(" ... ") == ""


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("2:11", "21:1", False),
        ("2\n11", "21\n1", False),
        ("-5", "5", False),
        ("\u22125", "-5", True),
        ("2 -3", "2 3", False),
        ("2:11", "2-11", True),
        ("1,000", "1.000", True),
        ("5 C", "5C", True),
    ],
)
def test_numbers_keep_their_digits_and_signs(one: str, other: str, is_same: bool) -> None:
    for form in ("{}", "on {} it was said again that the ferry is late"):
        assert (fingerprint(form.format(one)) == fingerprint(form.format(other))) == is_same


@pytest.mark.parametrize("text", ["word", "\ud800", "the same " * 500, "漢字" * 40])
def test_any_text_has_a_fingerprint(text: str) -> None:
    assert len(fingerprint(text)) in (0, 32)
    assert len(simhash(text)) in (0, 32)
