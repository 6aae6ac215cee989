"""The next page of an article: by its URL, and by where the page links to it."""

import pytest

from scrapy_boilerplate import Limits, extract
from scrapy_boilerplate.page.parsing import parse_html
from tests.builders import filler, sentences, spend_time

HOST = "https://paper.example"
STORY = "/news/harbour/rain-over-the-harbour"

HEAD = "<head><title>Rain over the harbour | The Paper</title>{}</head>"
DATE = '<p class="byline"><time datetime="2024-05-01">1 May 2024</time></p>'


def story(
    below: str = "", head: str = "", inside: str = "", words: int = 300, above: str = ""
) -> str:
    """A page of an article, with something in its head, in it, above it, and below it."""
    third = f"<p>{sentences(words // 3, 'rain')}</p>"
    return (
        f'<html lang="en">{HEAD.format(head)}<body><nav><a href="/">Home</a></nav>'
        f"<main>{above}<article><h1>Rain over the harbour</h1>{DATE}{third * 2}{inside}{third}"
        f"</article>{below}</main><footer><p>All rights reserved.</p></footer></body></html>"
    )


def numbers(template: str, attributes: str = "") -> str:
    """A pagination of three pages on the first of them."""
    two, three = template.format(2), template.format(3)
    return f'<div {attributes}><span>1</span> <a href="{two}">2</a> <a href="{three}">3</a></div>'


def next_of(html: str, path: str = STORY) -> str | None:
    url = extract(html, HOST + path).next_page
    return url and url.removeprefix(HOST)


def listed(words: int) -> str:
    """A list of links, five words each."""
    link = f'<li><a href="/t/1">{filler(5)}</a></li>'
    return f"<ul>{link * (words // 5)}</ul>"


def linked(words: int) -> str:
    return f'<div><a href="/t/1">{filler(words)}</a></div>'


NEXT = f"{STORY}?page=2"
NAMED = '<div class="pagination"><a href="?page=2">{}</a></div>'
NEXT_PAGES = {
    # paths of a page and of its next page: its number, and whether the URL says that it is a page
    ("/rain", "/rain?page=2"): (2, True),
    ("/rain?page=9", "/rain?page=10"): (10, True),
    ("/rain?page=98", "/rain?page=99"): (99, True),
    ("/rain?utm_source=x", "/rain?page=2"): (2, True),
    ("/rain", "/rain?page=1"): (2, True),  # pages that count from zero
    ("/rain", "/rain?pn2=2"): (2, True),
    ("/rain", "/rain?zq=2"): (2, False),
    ("/rain", "/rain/2"): (2, True),
    ("/rain", "/rain/page/2"): (2, True),
    ("/rain/page/2", "/rain/page/3/"): (3, True),
    ("/rain/1", "/rain/2"): (2, True),
    ("/rain.html", "/rain-2.html"): (2, True),
    ("/rain.html", "/rain_p2.html"): (2, True),
    ("/rain.html", "/rain/seite-2.html"): (2, True),
    ("/a-1234567.html", "/a-1234567-2.html"): (2, True),
    ("/rain/seite-9", "/rain/seite-10"): (10, True),
    ("/commentary/rain", "/commentary/rain-2"): (2, True),
    ("/rain/part2", "/rain/part3"): (3, False),
}
OTHER_PAGES = {
    # paths of two pages: the number of the second, if it were the next one
    ("/rain", "/rain"): 2,
    ("/rain", "/wind/2"): 2,
    ("/rain", "https://other.example/rain?page=2"): 2,
    ("/rain", "/rain?page=2&sort=new"): 2,
    ("/rain", "/rain-2?sort=new"): 2,
    ("/rain", "/rain-02"): 2,
    ("/rain", "/rain/wind-and-snow-2"): 2,
    ("/rain/seite-1", "/rain/page-2"): 2,
    ("/rain/seite-10", "/rain/seite-1"): 11,
    ("/rain-12.html", "/rain-1.html"): 13,
    ("/rain-1.html", "/rain-12.html"): 2,
    ("/rain/11", "/rain/21"): 12,
    ("/rain/99", "/rain/100"): 100,
    ("/rain", "/rain?cpage=2"): 2,
    ("/rain", "/rain?slide=2"): 2,
    ("/rain", "/rain?id=2"): 2,
    ("/rain?page=99", "/rain?page=100"): 100,
    ("/rain", "/rain?page=two"): 2,
    ("/rain", "/rain/comment-page-2"): 2,
    ("/rain/comment-page-1", "/rain/comment-page-2"): 2,
    ("/rain", "/rain/gallery/2"): 2,
    ("/archive/2024/05", "/archive/2024/06"): 6,
    ("/2024/05/1", "/2024/05/2"): 2,
    ("/story/1234", "/story/12342"): 2,
    ("/rain", "mailto:a@paper.example"): 2,
    ("/rain", "https://[broken"): 2,
}


def row_of(other: str, number: int) -> str:
    """A page with a link by its number, next to the number before."""
    return story(f'<div>{number - 1} <a href="{other}">{number}</a></div>')


@pytest.mark.parametrize(("path", "other"), NEXT_PAGES)
def test_a_page_differs_by_its_number(path: str, other: str) -> None:
    number, is_page = NEXT_PAGES[path, other]
    assert next_of(row_of(other, number), path) == other
    by_word = story(NAMED.format("Next page").replace("?page=2", other))
    assert next_of(by_word, path) == (other if is_page else None)


@pytest.mark.parametrize(("path", "other"), OTHER_PAGES)
def test_other_urls_are_no_pages(path: str, other: str) -> None:
    assert next_of(row_of(other, OTHER_PAGES[path, other]), path) is None


PAGINATED = {
    "a link in the head": story(head='<link rel="next" href="?page=2">'),
    "numbers under the article": story(numbers("?page={}")),
    "numbers inside the article": story(inside=numbers("?page={}")),
    "numbers under a row of tags": story(f'<p><a href="/t/1">Rain</a></p>{numbers("?page={}")}'),
    "numbers after a link to the top": story(f'<p><a href="#top">Top</a></p>{numbers("?page={}")}'),
    "numbers under a list": story(listed(50) + numbers("?page={}")),
    "numbers under a heading": story(f"<h3>Rain</h3>{numbers('?page={}')}"),
    "numbers over the headline": story(above=numbers("?page={}")),
    "numbers over the headline, under a long line": story(above=linked(130) + numbers("?page={}")),
    "the first link of several in the head": story(
        head='<link href="/style.css"><link rel="next"><link rel="next" href="?page=2">'
        '<link rel="next" href="?page=3">'
    ),
    "no base that is not a URL": story(numbers("?page={}"), head='<base href="about:blank">'),
    "a link with rel": story('<p><a rel="next" href="?page=2">More</a></p>'),
    "the word for next": story(NAMED.format("Next page")),
    "a link of its own": story('<p><a href="?page=2"><b>Next page &gt;</b></a></p>'),
    "an arrow": story(NAMED.format("›")),
    "Russian": story(NAMED.format("Далее")),
    "an icon": story('<div class="pager"><a class="next" href="?page=2"><i></i></a></div>'),
}


@pytest.mark.parametrize("kind", PAGINATED)
def test_the_next_page_of_an_article(kind: str) -> None:
    assert next_of(PAGINATED[kind]) == NEXT


TEASERS = "".join(
    f'<div class="teaser"><h3><a href="/n/{n}">{sentences(9, "wind")}</a></h3>'
    f"<p>{sentences(18, 'wind')}</p></div>"
    for n in range(5)
)
ALONE = {
    "the next article": story(head='<link rel="next" href="/news/harbour/wind">'),
    "the next article by number": story('<p><a rel="next" href="/news/1235">Next</a></p>'),
    "pages of comments by URL": story(numbers("?cpage={}")),
    "a number in superscript": story("<p>Rain <a href='?page=2'>²</a></p>"),
    "a list under the article": story(f"{TEASERS}{numbers('?page={}', 'class=pager')}"),
    "below a long list": story(listed(110) + numbers("?page={}")),
    "below a long line": story(linked(110) + numbers("?page={}")),
    "below two headings": story(f"<h3>Rain</h3><h3>Wind</h3>{numbers('?page={}')}"),
    "above a long list": story(above=numbers("?page={}") + listed(130)),
    "a picture": story('<div class="pagination next"><img src="?page=2"></div>'),
    "the page after the next in the head": story(head='<link rel="next" href="?page=3">'),
    "the number of another page": story('<p>1 2 <a href="?page=2">3</a></p>'),
    "two further": story('<p>2 <a href="?page=3">3</a></p>'),
    "a number in a sentence": story('<p>See <a href="?page=2">figure two</a> for more.</p>'),
    "a short page": story(numbers("?page={}"), words=40),
    "a list of articles": f"<html><body>{TEASERS}{numbers('?page={}')}</body></html>",
    "a word without its neighbours": story('<p><a href="?page=2">Read on</a></p>'),
    "the word for next without a pagination": story('<p><a href="?page=2">Next</a></p>'),
    "a single number": story('<p><a href="?page=2">2</a></p>'),
    "a number of no name": story('<div class="pager"><a href="?zq=2">Next</a></div>'),
    "a link of the head of no name": story(head='<link rel="next" href="?zq=2">'),
}


@pytest.mark.parametrize("kind", ALONE)
def test_no_next_page(kind: str) -> None:
    path = "/news/1234" if "number" in kind else STORY
    assert next_of(ALONE[kind], path) is None


CROWDED = {
    "words": "word " * 500_000,
    "many elements": "<div class='x'>" * 1_500,
    "long classes": f"<div class='{'x' * 1_000}'>" * 300,
    "a long text": "<div>" * 4 + "ß" * 20_000,
}


@pytest.mark.parametrize("kind", CROWDED)
def test_the_elements_around_many_links_are_read_once(kind: str) -> None:
    html = story(inside=CROWDED[kind] + "<a href='?page=2'></a>" * 5_000)
    document = extract(html, HOST + STORY)
    assert document.next_page is None, "2 to 600 seconds if they are read again for each link"


def test_the_search_ends_with_the_time_of_the_page() -> None:
    html = story(inside="<a href='?page=3'></a>" * 1_000)
    document = extract(html, HOST + STORY, limits=Limits(milliseconds=500))
    with document.clock:
        spend_time(0.5)
    assert (document.next_page, document.partial) == (None, "milliseconds")


@pytest.mark.parametrize(
    ("path", "href"),
    [
        ("/news/rain%20a%20b", "/news/rain a b?page=2"),
        ("/news/a%7Cb%7Cc", "/news/a|b|c?page=2"),
        ("/news/rain", "/news/ra\nin?page=2"),
    ],
)
def test_a_link_can_be_written_otherwise_than_the_url_of_its_page(path: str, href: str) -> None:
    html = story(numbers(href.replace("page=2", "page={}")))
    assert next_of(html, path) == f"{path}?page=2"


def test_the_head_counts_for_a_part_of_a_page() -> None:
    html = story(head='<link rel="next" href="?page=2">', inside="<link rel=next href='?page=3'>")
    article = parse_html(html).find(".//article")
    assert extract(article, HOST + STORY).next_page == HOST + NEXT
    html = story(inside="<link rel=next href='?page=2'>")
    assert next_of(html) is None, "a link in the text, which can be of a reader"


def test_pages_without_url_or_content_have_no_next_one() -> None:
    for url in (None, "", "rain"):
        assert extract(story(numbers("?page={}")), url).next_page is None
    assert next_of('<html><head><link rel="next" href="?page=2"></head></html>') is None


def test_the_page_before_tells_the_next() -> None:
    from_zero = '<p>1 <a href="?page=1">2</a> <a href="?page=2">3</a></p>'
    assert next_of(story(from_zero)) == f"{STORY}?page=1"
    last = '<p><a href="?page=1">1</a> <a href="?page=2">2</a> 3</p>'
    assert next_of(story(last), f"{STORY}?page=3") is None
    short = story('<p><a href="?page=1">1</a> 2 <a href="?page=3">3</a></p>', words=30)
    assert next_of(short, f"{STORY}?page=2") == f"{STORY}?page=3"


def test_links_are_relative_to_the_first_base() -> None:
    html = story(numbers("rain?page={}"), head='<base><base href="/stories/"><base href="/news/">')
    assert next_of(html, "/stories/rain") == "/stories/rain?page=2"
    assert next_of(html, "/stories/rain/") == "/stories/rain?page=2"
    body = parse_html(html).find("body")
    assert extract(body, f"{HOST}/stories/rain/").next_page == f"{HOST}/stories/rain?page=2"
