"""Walls and stubs: pages instead of an article."""

import pytest

from scrapy_boilerplate import extract
from tests.builders import document, filler, sentences

BODY = f"<article><h1>Rain over the harbour</h1><p>{sentences(60, 'rain')}</p>{{}}</article>{{}}"
LONG = BODY.replace("{}</article>", f"<p>{sentences(400, 'wind')}</p>{{}}</article>")
NOT_FREE = (
    '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}'
    "</script>"
)
FREE = NOT_FREE.replace("false", "true")
LINKS = "".join(f'<li><a href="/{n}">News of place {n}</a></li>' for n in range(30))
OFFER = "Read on with a subscription for three crowns a week."
WALL = f'<div class="paywall"><p>{OFFER}</p></div>'


def story(topic: str, words: int, title: str = "Rain", below: str = "") -> str:
    """An article about a topic, and something below it."""
    text = f"<article><h1>{title}</h1><p>{sentences(words, topic)}</p></article>"
    return document(text + below, title)


def page(inside: str = "", below: str = "", body: str = BODY) -> str:
    """An article of 60 words, with something at the end of it, and below it."""
    return document(body.format(inside, below), "Rain over the harbour | The Paper")


WALLS = {
    "declared": page(below=NOT_FREE),
    "a class inside": page(WALL),
    "a class below": page(below=f'<section id="subscription-wall"><p>{OFFER}</p></section>'),
    "a class in German": page(f'<div class="abo-required"><p>{OFFER}</p></div>'),
    "a wall in a line": page(below=f'<p><span class="paywall">{OFFER}</span> Log in?</p>'),
    "the shortest offer": page(f'<div class="paywall">{filler(4)}</div>'),
    "a barrier": page(below=f'<div><div class="o-barrier"><p>{OFFER}</p></div></div>'),
}
CONSENT = (
    '<div id="consent-page"><h1>Before you go on</h1><p>We and our partners use cookies to keep '
    "you signed in and to measure how our pages are read on your device.</p><p>Choose which "
    "cookies we may set, or read more on this in our notes on privacy and on consent.</p>"
    "<button>Accept all</button><button>Settings</button></div>"
)
CONSENTS = {
    "English": document(CONSENT, "The Paper"),
    "German": document(
        '<form class="cmp"><p>Wir verwenden Cookies und bitten um Ihre Zustimmung, damit wir diese '
        "Seiten weiter ohne Gebühren zeigen können.</p><p>Ihre Einwilligung können Sie jederzeit "
        "in der Erklärung zum Datenschutz am Ende der Seite widerrufen.</p></form>",
        "Zustimmung",
    ),
}
ROOT = '<div id="root"></div>'
ASKS = f"<h1>Rain</h1><p>{sentences(27, 'rain')} Please enable JavaScript.</p>"
SCRIPTS = {
    "a root and noscript": f"<noscript>Enable JavaScript to run this app.</noscript>{ROOT}",
    "only a script": "<div></div><script>load()</script>",
    "only a root": '<div id="__next"></div><script>load()</script>',
    "a root between a head and a foot": f"<header>The Paper</header>{ROOT}<footer>Imprint</footer>",
    "a sentence beside many links": f"<article>{ASKS}</article><ul>{LINKS}</ul>",
    "Japanese": "<p>このページを見るにはJavaScriptを有効にしてください。</p>",
}
CHALLENGES = {
    "a title": document("<p>Enable JavaScript to continue</p>", "Just a moment..."),
    "a title in German": document("<p>Wir prüfen Ihre Verbindung.</p>", "Nur einen Moment…"),
    "of Cloudflare": document('<form id="challenge-form"><p>We look at you.</p></form>'),
    "of HUMAN": document(f'<p>{sentences(60, "script")}</p><div id="px-captcha"></div>JavaScript'),
    "of DataDome": document('<p id="cmsg">Please enable JS</p><script>var dd = {}</script>'),
    "an error": document('<div class="cf-captcha-container"></div>', "Attention Required!"),
}
ERRORS = {
    "a number": document("<h1>404</h1><p>Try the front page.</p>"),
    "a number in the title": document("<p>Try again.</p>", "Error 503 - The Paper"),
    "English": document("<h1>Page not found</h1><p>Try the front page.</p>", "The Paper"),
    "German": document("<p>Schade!</p>", "Seite nicht gefunden | Die Zeitung"),
    "Japanese": document("<h1>ページが見つかりません</h1>", "新聞"),
    "access": document("<h1>Access Denied</h1><p>Reference 18.2f.</p>"),
}
STUBS = {
    **{f"paywall, {kind}": (html, "paywall") for kind, html in WALLS.items()},
    **{f"consent, {kind}": (html, "consent") for kind, html in CONSENTS.items()},
    **{f"script, {kind}": (document(body), "script") for kind, body in SCRIPTS.items()},
    **{f"challenge, {kind}": (html, "challenge") for kind, html in CHALLENGES.items()},
    **{f"error, {kind}": (html, "error") for kind, html in ERRORS.items()},
}


@pytest.mark.parametrize("kind", STUBS)
def test_a_stub_and_its_reason(kind: str) -> None:
    html, reason = STUBS[kind]
    assert extract(html, "https://paper.example/rain").stub == reason


OTHERS = {
    "a short article": page(),
    "a long one that is not free": page(below=NOT_FREE, body=LONG),
    "a long one with a wall": page(WALL, body=LONG),
    "a short one that is free": page(WALL, FREE),
    "an empty wall": page('<div class="paywall"></div>'),
    "an empty wall before other text": page(f'<div><div class="paywall"></div> {OFFER}</div>'),
    "less than an offer": page(f'<div class="paywall">{filler(3)}</div>'),
    "a wall above": document(
        f'<nav class="premium-promo"><p>{OFFER}</p></nav><h1>Rain</h1>'
        + f"<p>{sentences(30, 'rain')}</p>" * 5
    ),
    "a box on cookies that says other things": document(
        f'<div class="cookie-box"><p>{sentences(63, "wind")} No cookie.</p></div>'
    ),
    "an error in a third heading": document("<h1>Rain</h1><h1>Wind</h1><h1>404</h1><p>Rain"),
    "a wall of another kind": page(f'<div class="adblock-wall"><p>{OFFER}</p></div>'),
    "an article about cookies": story("cookie", 60, "New rules"),
    "a number in a headline": story("flight", 60, "Flight 404 lands"),
    "a page with noscript": page("<noscript>JavaScript shows the comments.</noscript>"),
    "an article in a root": document(f'<div id="root">{BODY.format("", "")}</div>', "Rain"),
    "few words in a root": document('<div id="app"><p>Rain over the harbour.</p></div>', "Rain"),
    "few words in a root after others": document(
        '<header><p>The Paper</p></header><div id="app"><p>Rain over the harbour.</p></div>'
    ),
    "few words beside many links": story(
        "rain", 27, below=f'<ul>{LINKS}</ul><div id="root"></div>'
    ),
    "an empty page": "<html></html>",
    "a page without words or scripts": document('<div><img src="a.png"></div>', "Rain"),
    "a short article on robots": story("robot", 36, "A robot paints"),
    "an article that begins as a challenge": story("play", 40, "Just a moment: a play"),
    "an article with elements of a challenge": page(
        f'<div class="cf-challenge"></div><p>{sentences(40, "wind")}</p>'
    ),
    "few words beside many links and an element of a challenge": story(
        "rain", 27, below=f'<ul>{2 * LINKS}</ul><div id="px-captcha"></div>'
    ),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_stub(kind: str) -> None:
    assert extract(OTHERS[kind], "https://paper.example/rain").stub is None


def test_another_extractor_finds_the_same() -> None:
    html, reason = STUBS["challenge, a title"]
    assert extract(html, extractor="container").stub == reason
    assert extract(OTHERS["a short article"], extractor="container").stub is None


def test_a_consent_page_is_named_by_its_url() -> None:
    html = document(CONSENT.replace(' id="consent-page"', ""), "The Paper")
    assert extract(html, "https://consent.paper.example/rain").stub == "consent"
    assert extract(html, "https://paper.example/rain").stub is None
    assert extract(html).stub is None
