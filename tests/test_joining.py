"""The pages of one article as one document."""

import pickle
import tracemalloc
from typing import Any

import pytest

from scrapy_boilerplate import Document, Limits, extract, extract_pages
from scrapy_boilerplate.joining import (
    JoinedDocument,
    continues_article,
    join_documents,
)
from tests.crawl.pages import HEADLINE, PARAGRAPHS, article
from tests.documented import find_block

URLS = [f"https://paper.example/ferry?page={n}" for n in (1, 2, 3)]
SECOND = (
    "On the second day the wind had turned, and nobody who had waited on the quay since five in "
    "the morning was in any doubt that the goats would have to travel in the wheelhouse again.",
    "The harbour master, who keeps a diary of such things, wrote down the time of every sailing "
    "and of every complaint, and found at the end of the week that they were equal in number.",
)
THIRD = (
    "By the end of summer the timetable had been printed twice, once with the tides of the wrong "
    "year, and the island school had set the correction of it as an exercise in arithmetic.",
)


def page(*paragraphs: str, headline: str = HEADLINE, first: str = "") -> str:
    """A page of the article; it begins with `first`."""
    return article(headline, paragraphs, ()).replace("</h1>", f"</h1>{first}")


def lines(*paragraphs: str) -> str:
    return "\n\n".join(paragraphs)


def join(*pages: str, **options: Any) -> JoinedDocument:
    joined = extract_pages(pages, URLS[: len(pages)], "container", **options)
    assert isinstance(joined, JoinedDocument)
    return joined


@pytest.mark.parametrize(
    "repeated",
    [
        PARAGRAPHS[0],
        PARAGRAPHS[0].upper().replace(",", " -"),
        f"{PARAGRAPHS[0]} Page 2",
        PARAGRAPHS[0].replace("the ", '<a href="/the">the</a> '),
        HEADLINE,
    ],
)
def test_what_a_page_repeats_is_left_out(repeated: str) -> None:
    second = page(repeated, *SECOND, headline="Ferry to Gannet Island")
    joined = join(page(*PARAGRAPHS), second)
    assert joined.text == lines(*PARAGRAPHS, *SECOND)
    assert (joined.html or "").count("<p>") == len((*PARAGRAPHS, *SECOND))


def test_a_short_line_is_repeated_at_the_ends_of_a_page_alone() -> None:
    first = page(PARAGRAPHS[0], "Who was on board?", *PARAGRAPHS[1:])
    inner = page(SECOND[0], "Who was on board?", SECOND[1])
    outer = page("Who was on board?", *SECOND)
    assert join(first, inner).text.count("Who was on board?") == 2
    assert join(first, outer).text.count("Who was on board?") == 1


def test_fields_of_all_pages_and_of_the_first() -> None:
    sources = [page(*PARAGRAPHS), page(PARAGRAPHS[0], *SECOND, headline="Another headline")]
    first = extract(sources[0], URLS[0], "container")
    joined = join(*sources)
    assert (joined.headline, joined.url, joined.partial) == (HEADLINE, URLS[0], None)
    assert joined.pages == tuple(URLS[:2])
    assert joined.article_probability == first.article_probability
    assert 0 < joined.confidence <= 1
    assert first.pages == ()
    full_text = [block.text for block in joined.blocks if block.label == "full_text"]
    assert full_text == [*PARAGRAPHS, *SECOND]
    copied = pickle.loads(pickle.dumps(joined))  # noqa: S301 - our own
    assert copied == joined
    assert (copied.html, copied.blocks) == (joined.html, joined.blocks)
    changed = joined.replace(text="x")
    assert (changed.text, changed.partial, changed.blocks) == ("x", None, joined.blocks)


def test_html_markdown_and_images_of_all_pages() -> None:
    picture = '<figure><img src="/{}.jpg" width="600" height="400"></figure>'
    joined = join(
        page(*PARAGRAPHS, first=picture.format("boat")),
        page(PARAGRAPHS[0], *SECOND, first=picture.format("boat")).replace(
            "</p></article>", f"</p>{picture.format('quay')}<p>{THIRD[0]}</p></article>"
        ),
    )
    html, markdown = joined.html or "", joined.markdown or ""
    assert [html.count(text) for text in (*PARAGRAPHS, *SECOND, *THIRD)] == [1] * 6
    assert [markdown.count(text) for text in (*PARAGRAPHS, *SECOND, *THIRD)] == [1] * 6
    assert (html.count("boat.jpg"), html.count("quay.jpg")) == (1, 1)


def test_one_page_is_the_document_of_extract() -> None:
    assert extract_pages([page(*PARAGRAPHS)], URLS[:1]) == extract(page(*PARAGRAPHS), URLS[0])


def test_a_first_page_alone_keeps_the_late_fields_of_its_worker() -> None:
    next_link = f'<a rel="next" href="{URLS[1]}">Next page</a>'
    first = extract(page(*PARAGRAPHS, first=next_link), URLS[0])
    copied = pickle.loads(pickle.dumps(first))  # noqa: S301 - our own
    alone = join_documents([copied], is_complete=False)
    assert (alone.partial, join_documents([copied]).partial) == ("pages", None)
    assert join_documents([first]).replace(text="x").partial is None
    assert alone.blocks
    for name in "html markdown article_probability next_page fingerprint entries stub".split():
        assert getattr(alone, name) == getattr(first, name)


def test_pages_without_a_url_for_each() -> None:
    with pytest.raises(ValueError, match="0 pages"):
        extract_pages([])
    with pytest.raises(ValueError, match="1 pages and 2 URLs"):
        extract_pages([page(*PARAGRAPHS)], URLS[:2])


FERRY = "https://paper.example/ferry"
HOME = "https://paper.example/"
OTHER_PAGE = page(*SECOND, headline="Council raises the price of goats")
ROW = '<p>1 2 <a href="?page=3">3</a></p>'
LOGIN = "Log in with your e-mail address and your password to read the rest of this article."
PRIVACY = "We and our 214 partners store cookies on your device to show you other advertising."


def declared(
    html: str, date: str = "2024-05-02", author: str = "Ann Example", canonical: str = FERRY
) -> str:
    """A page with metadata; "" leaves one out."""
    tags = {
        f'<meta property="article:published_time" content="{date}">': date,
        f'<meta name="author" content="{author}">': author,
        f'<link rel="canonical" href="{canonical}">': canonical,
    }
    return html.replace("</head>", "".join(filter(tags.get, tags)) + "</head>")


def untitled(*paragraphs: str) -> str:
    return lines("<html><head></head><body>", *(f"<p>{each}</p>" for each in paragraphs))


CONTINUES = {
    "the same headline": (page(*SECOND), True),
    "part of the headline": (page(*SECOND, headline="Ferry to Gannet Island"), True),
    "a longer headline": (page(*SECOND, headline=f"{HEADLINE} (page 2)"), True),
    "another headline": (OTHER_PAGE, False),
    "words of the headline": (page(*SECOND, headline="Ferry to Heron Island returns"), False),
    "another headline, date and authors": (declared(OTHER_PAGE, canonical=""), False),
    "another headline, canonical URL": (declared(OTHER_PAGE, "", ""), True),
    "another headline, home page as canonical URL": (declared(OTHER_PAGE, canonical=HOME), False),
    "another day": (declared(page(*SECOND), "2024-05-09", canonical=""), False),
    "no headline": (untitled(*SECOND), False),
    "no headline, canonical URL": (declared(untitled(*SECOND), "", ""), False),
    "no headline, date and authors": (declared(untitled(*SECOND), canonical=""), False),
    "no headline, date": (declared(untitled(*SECOND), author="", canonical=""), False),
    "a form to log in": (page(LOGIN), False),
    "a form to log in without a headline": (untitled(LOGIN), False),
    "a question for consent": (untitled(PRIVACY, PRIVACY), False),
    "few words and the date": (declared(page(*THIRD), author="", canonical=""), False),
    "few words and a next page": (page(*THIRD).replace("</article>", f"{ROW}</article>"), True),
    "few words": (page(*THIRD), False),
    "nothing new": (page(*PARAGRAPHS), False),
    "no text": ("<html></html>", False),
}


@pytest.mark.parametrize("kind", CONTINUES)
def test_which_page_continues_an_article(kind: str) -> None:
    html, continues = CONTINUES[kind]
    canonical = HOME if "home" in kind else FERRY
    first = extract(declared(page(*PARAGRAPHS), canonical=canonical), URLS[0], "container")
    candidate = extract(html, URLS[1], "container")
    assert continues_article([first], candidate) is continues


def test_a_third_page_may_be_short() -> None:
    pages = [extract(page(*each), extractor="container") for each in (PARAGRAPHS, SECOND, THIRD)]
    assert continues_article(pages[:2], pages[2])


def test_example_of_the_documentation() -> None:
    links = '<p>1 <a href="?page=2">2</a></p></article>'
    values: dict[str, Any] = {
        "first_html": page(*PARAGRAPHS).replace("</article>", links),
        "second_html": page(*SECOND),
    }
    block = find_block(
        "docs/usage/pages.md", "from scrapy_boilerplate import extract, extract_pages"
    )
    exec(block.code, values)  # noqa: S102 - our own documentation
    document: Any = values["article"]
    assert document.pages == ("https://paper.example/ferry", "https://paper.example/ferry?page=2")
    assert document.text == lines(*PARAGRAPHS, *SECOND)


@pytest.mark.parametrize("late", ["html", "markdown", "blocks", "entries", "stub"])
def test_a_page_without_time_for_late_fields_makes_the_article_partial(late: str) -> None:
    joined = join(page(*PARAGRAPHS), page(*SECOND), limits=Limits(milliseconds=60_000))
    assert joined.partial is None
    vars(joined.parts[1].clock)["_left"] = 0.0
    assert joined.to_dict([late, "partial"])["partial"] == "milliseconds"


def test_a_page_of_a_million_letters_takes_little_memory() -> None:
    pages = [Document(text=write_long_text(seed, 2_500), headline=HEADLINE) for seed in (0, 10**6)]
    tracemalloc.start()
    assert continues_article(pages[:1], pages[1])
    assert join_documents(pages).text == lines(*(page.text for page in pages))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6, "all shingles of both take 200 MB"


def write_long_text(seed: int, n_paragraphs: int) -> str:
    """A text whose paragraphs have 350 characters each, no two alike."""
    numbers = (range(number, number + 60) for number in range(seed, seed + 60 * n_paragraphs, 60))
    return lines(*(" ".join(f"w{word}" for word in words) for words in numbers))
