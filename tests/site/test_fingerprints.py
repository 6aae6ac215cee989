"""The same article is recognised, another is not."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate import extract
from scrapy_boilerplate.site import fingerprints
from scrapy_boilerplate.site.fingerprints import (
    EXACT,
    MAX_DISTANCE,
    NEAR,
    TEMPLATE,
    UNPLACED,
    UPDATED,
    Article,
    ArticleIndex,
    count_set_bits,
    digest_text,
    is_similar,
)
from tests.site_pages import WORDS, article_text, page_around


def fingerprint(text: str) -> str:
    return digest_text(text)[0]


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
        matches += find_kind(articles, Article.from_text(edited)) == UNPLACED
    assert matches >= 57


KNOWN = ("a.example/1", "a.example")
TEXT = "\n\n".join(article_text(7))
NEARLY = f"{TEXT}\n\nOne more line at the end of it, that was not there."


ELSEWHERE, SIBLING, NOWHERE = ("b.example/1", "b.example"), ("a.example/2", "a.example"), ("", "")


def find_duplicate(
    known: str, text: str, place: tuple[str, str], known_place: tuple[str, str] = KNOWN
) -> str | None:
    articles = ArticleIndex()
    articles.add(Article.from_text(known, *known_place))
    return find_kind(articles, Article.from_text(text, *place))


def find_kind(articles: ArticleIndex, article: Article) -> str | None:
    duplicate = articles.find(article)
    return None if duplicate is None else duplicate.kind


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
    assert find_kind(articles, Article.from_text(ROME, *KNOWN)) == EXACT
    assert find_kind(articles, Article.from_text(OSLO, *KNOWN)) == UPDATED
    articles.add(Article.from_text("the first to go is the other text"), at=8)
    assert find_kind(articles, Article.from_text(ROME, *KNOWN)) == EXACT
    assert articles.find(Article.from_text(TEXT)) is None


def judge_slowly(articles: list[Article], article: Article, *, elsewhere: bool) -> set[object]:
    """Compare an article with each other one; return the possible results of an index."""
    others = [other for other in articles if not elsewhere or other.page != article.page]
    near = [o for o in others if is_similar(article.simhash, o.simhash, MAX_DISTANCE)]
    for kind, chosen in (
        (UPDATED, [o for o in near if o.page == article.page]),
        (NEAR, [o for o in near if o.site != article.site]),
        (TEMPLATE, near),
    ):
        if chosen:
            return {(kind, other.url) for other in chosen}
    return {None}


@pytest.mark.parametrize("search", {fingerprints._find_near_rows, fingerprints._find_near_in_numpy})
def test_an_index_finds_what_a_comparison_with_every_article_finds(
    search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Articles that differ in about MAX_DISTANCE bits from earlier ones, of which many are gone."""
    monkeypatch.setattr(fingerprints, "BLOCK", 50)
    monkeypatch.setattr(fingerprints, "_find_near_rows", search)
    chance = random.Random(0)  # noqa: S311 - no secret
    index, articles, kinds = ArticleIndex(max_articles=130), list[Article](), Counter[object]()
    for number in range(600):
        bits = int(chance.choice(articles).simhash, 16) if number % 40 else chance.getrandbits(128)
        for place in chance.sample(range(128), chance.choice((0, 29, 30, 31, 60))):
            bits ^= 1 << place
        article = Article(
            f"{number:032x}", f"{bits:032x}", 1 + number % 7, 1 + number % 3, f"https://{number}"
        )
        for elsewhere in (False, True):
            found = index.find(article, elsewhere=elsewhere)
            kinds[found and found.kind] += 1
            assert found in judge_slowly(articles, article, elsewhere=elsewhere)
        index.add(article, number)
        articles = [*articles, article][-130:]
    assert min(kinds[kind] for kind in (UPDATED, NEAR, TEMPLATE, None)) >= 9, kinds


def test_bits_are_counted_as_by_numpy_2() -> None:
    numbers = np.random.default_rng(0).integers(0, 1 << 64, 1_000, dtype=np.uint64)
    assert count_set_bits(numbers).tolist() == [int(n).bit_count() for n in numbers]


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


@pytest.mark.parametrize("text", ["word", "\ud800", "the same " * 500, "漢字\u2028" * 40])
def test_any_text_has_a_fingerprint(text: str) -> None:
    assert {0, 32}.issuperset(map(len, digest_text(text)))


@given(
    st.text(st.sampled_from("aB95\u0663ß_ --\u2212.:\n\u2028中\u0e01\u0301\xad\ud800\U00020001"))
)
def test_digests_are_equal_natively_and_in_python(text: str) -> None:
    lines = text.casefold().splitlines()
    digest = fingerprints._digest_lines(lines, 6, 3)
    assert digest == fingerprints._digest_in_numpy(lines, 6, 3)
