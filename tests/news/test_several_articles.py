"""Pages that go on with other articles: the one of the title stays."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.content import MIN_ARTICLE_WORDS, SeveralArticles
from tests.builders import document, page_of, sentences
from tests.news.scored_pages import after, kept

FIRST, SECOND, THIRD = "Rain floods the market", "Bridge opens again", "Mayor goes on a journey"


def article(headline: str, *, byline: str = "<p>14:30</p>", words: int = 50, name: str = "") -> str:
    """A headline of the class `name`, a byline and a paragraph about the headline."""
    return f'<h1 class="{name}">{headline}</h1>{byline}<p>{sentences(words, headline)}</p>'


def stay(html: str, title: str = FIRST) -> list[str]:
    """The headlines whose paragraphs stay; all long blocks are content before the step."""
    page = page_of(document(html, title))
    content = [block for block, words in enumerate(page.words.tolist()) if words > 20]
    kept_texts = [
        page.texts[block]
        for block in after(SeveralArticles(), page, kept(page, [0.9] * len(page), *content))
    ]
    return [known for known in (FIRST, SECOND, THIRD) if any(known in text for text in kept_texts)]


BEFORE = article(FIRST, name="t")
BOTH = BEFORE + article(SECOND, name="t")
AGAIN = BEFORE.replace("The", "So the")
UNSIGNED = article(FIRST, name="t", byline="") + article(SECOND, name="t", byline="")
PAGES = {
    # html, title, headlines whose text stays
    "the first by title": (BOTH, FIRST, [FIRST]),
    "the second by title": (BOTH, SECOND, [SECOND]),
    "title cut": (BOTH, "Bridge opens", [SECOND]),
    "parts of one article if the title names neither": (BOTH, "The Courier", [FIRST, SECOND]),
    "one of three": (BOTH + article(THIRD, name="t"), SECOND, [SECOND]),
    "no byline under the second": (
        BEFORE + "<p>x</p>" * 4 + article(SECOND, name="t", byline=""),
        FIRST,
        [FIRST, SECOND],
    ),
    "no bylines at all": (UNSIGNED, FIRST, [FIRST, SECOND]),
    "another class": (BEFORE + article(SECOND, name="u"), FIRST, [FIRST, SECOND]),
    "little text": (BEFORE + article(SECOND, name="t", words=27), FIRST, [FIRST, SECOND]),
    "the same headline": (BEFORE + AGAIN, FIRST, [FIRST]),
    "h2": (BEFORE + article(SECOND, name="t").replace("h1", "h2"), FIRST, [FIRST, SECOND]),
}


@pytest.mark.parametrize(("html", "title", "headlines"), PAGES.values(), ids=PAGES.keys())
def test_which_articles_stay(html: str, title: str, headlines: list[str]) -> None:
    assert stay(html, title) == headlines


BYLINES = {
    "<p>Ann Lee</p>": False,
    "<p class=post-date>today</p>": True,
    "<p class=postDate>yesterday</p>": True,
    "<p class='update candidate-list'>Ann Lee</p>": False,
    "<p class=post-author>Ann Lee</p>": True,
    "<p class=author></p>": False,
    "<p>14.30 Uhr</p>": True,
    "<p>14h30</p>": True,
    "<p>21.11.2026</p>": True,
    "<p>Nov 21, 2026</p>": True,
    "<p>11月21日</p>": True,
    "<p>v1984x</p>": False,
    f"<p>{sentences(21, 'ferry')} 14:30</p>": False,
}


@pytest.mark.parametrize("byline", BYLINES)
def test_what_a_byline_is(byline: str) -> None:
    apart = "<p>x</p>" * 4  # the byline of the first is too far away for the second
    html = article(FIRST, name="t") + apart + article(SECOND, name="t", byline=byline)
    assert stay(html) == ([FIRST] if BYLINES[byline] else [FIRST, SECOND])


@pytest.mark.parametrize(
    ("before", "after_it", "is_article"),
    [(3, None, True), (4, None, False), (None, 6, True), (None, 7, False)],
)
def test_how_near_a_byline_is(before: int | None, after_it: int | None, is_article: bool) -> None:
    date = "<p>14:30</p>"
    above = date + "<p>x</p>" * (before - 1) if before else "<p>x</p>"
    below = "<p>x</p>" * (after_it - 1) + date if after_it else ""
    first = article(FIRST, name="t") + "<p>x</p>" * 4
    text = f"<h1 class=t>{SECOND}</h1>{below}<p>{sentences(50, SECOND)}</p>"
    assert stay(first + above + text) == ([FIRST] if is_article else [FIRST, SECOND])


@pytest.mark.parametrize(
    ("words", "is_article"), [(MIN_ARTICLE_WORDS - 1, False), (MIN_ARTICLE_WORDS, True)]
)
def test_how_much_text_makes_an_article(words: int, is_article: bool) -> None:
    text = "one " * words
    html = article(FIRST, name="t") + f"<h1 class=t>{SECOND}</h1><p>14:30</p><p>{text}</p>"
    page = page_of(document(html, FIRST))
    content = [2, len(page) - 1]
    left = after(SeveralArticles(), page, kept(page, [0.9] * len(page), *content))
    assert left == (content[:1] if is_article else content)


def test_what_stands_before_all_headlines_stays() -> None:
    intro = f"<p>{sentences(30, THIRD)}</p>"
    assert stay(intro + BOTH, FIRST) == [FIRST, THIRD]
    assert stay(intro + BOTH, SECOND) == [SECOND, THIRD]
