"""Walls and stubs: pages instead of an article."""

from __future__ import annotations

import pytest

from scrapy_boilerplate import extract
from scrapy_boilerplate.news.stub import MIN_OFFER_WORDS
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
    "the shortest offer": page(f'<div class="paywall">{filler(MIN_OFFER_WORDS)}</div>'),
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
SCRIPTS = {
    "a root and noscript": document(
        '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>'
    ),
    "only a script": document("<div></div><script>load()</script>", "The Paper"),
    "only a root": document('<div id="__next"></div><script>load()</script>', "The Paper"),
    "a root between a head and a foot": document(
        '<header><p>The Paper</p></header><div id="root"></div><footer><p>Imprint</p></footer>'
    ),
    "a sentence beside many links": document(
        f"<article><h1>Rain</h1><p>{sentences(27, 'rain')} Please enable JavaScript.</p></article>"
        f"<ul>{LINKS}</ul>",
        "Rain",
    ),
    "Japanese": document("<p>このページを見るにはJavaScriptを有効にしてください。</p>"),
}
CHALLENGES = {
    "a title": document(
        "<h1>paper.example</h1><p>Enable JavaScript and cookies to continue</p>", "Just a moment..."
    ),
    "a title in German": document("<p>Wir prüfen Ihre Verbindung.</p>", "Nur einen Moment…"),
    "an element of Cloudflare": document(
        '<form id="challenge-form"><div class="cf-browser-verification"><p>Your browser is being '
        "looked at before you may read the paper.</p></div></form>",
        "paper.example",
    ),
    "an element of HUMAN": document(
        f'<h1>You may not read this</h1><p>{sentences(60, "script")}</p><div id="px-captcha"></div>'
        "<p>JavaScript is off.</p>",
        "The Paper",
    ),
    "an element of DataDome": document(
        '<p id="cmsg">Please enable JS and disable any ad blocker</p><script>var dd = {}</script>',
        "paper.example",
    ),
    "a form that asks": document(
        "<h1>Are you a robot?</h1><form><p>Prove that you are not.</p>"
        '<div class="g-recaptcha"></div></form>',
        "The Paper",
    ),
    "an error": document(
        '<h1>Attention Required!</h1><div class="cf-captcha-container"></div>',
        "Attention Required!",
    ),
}
ERRORS = {
    "a number": document("<h1>404</h1><p>Try the front page.</p>", "404"),
    "a number in the title": document("<p>Try again.</p>", "Error 503 - The Paper"),
    "English": document("<h1>Page not found</h1><p>Try the front page.</p>", "The Paper"),
    "German": document("<p>Schade!</p>", "Seite nicht gefunden | Die Zeitung"),
    "Russian": document("<h1>Страница не найдена</h1>", "Газета"),
    "Japanese": document("<h1>ページが見つかりません</h1>", "新聞"),
    "access": document("<h1>Access Denied</h1><p>Reference 18.2f.</p>", "Access Denied"),
}
STUBS = {
    **{f"paywall, {kind}": (html, "paywall") for kind, html in WALLS.items()},
    **{f"consent, {kind}": (html, "consent") for kind, html in CONSENTS.items()},
    **{f"script, {kind}": (html, "script") for kind, html in SCRIPTS.items()},
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
    "less than an offer": page(f'<div class="paywall">{filler(MIN_OFFER_WORDS - 1)}</div>'),
    "a wall above": document(
        f'<nav class="premium-promo"><p>{OFFER}</p></nav><article><h1>Rain</h1>'
        + f"<p>{sentences(30, 'rain')}</p>" * 5
        + "</article>",
        "Rain",
    ),
    "a box on cookies that says other things": document(
        f'<div class="cookie-box"><p>{sentences(63, "wind")} No cookie.</p></div>', "The Paper"
    ),
    "an error in a third heading": document(
        f"<h1>Rain</h1><h1>Wind</h1><h1>404</h1><p>{sentences(20, 'rain')}</p>", "Rain"
    ),
    **{
        f"a captcha in a form below {title!r}": document(
            f'<h1>{title}</h1><p>{OFFER}</p><form><div class="g-recaptcha"></div></form>', title
        )
        for title in ("Contact human resources", "Recursos humanos", "Robots win the cup")
    },
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


@pytest.mark.parametrize("reason", ["paywall", "consent", "script", "challenge", "error"])
def test_another_extractor_finds_the_same(reason: str) -> None:
    html = next(html for html, expected in STUBS.values() if expected == reason)
    assert extract(html, "https://paper.example/rain", "container").stub == reason
    assert extract(OTHERS["a short article"], extractor="container").stub is None


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://consent.paper.example/rain", "consent"),
        ("https://paper.example/rain", None),
        (None, None),
    ],
)
def test_a_consent_page_is_named_by_its_address(url: str | None, reason: str | None) -> None:
    html = document(CONSENT.replace(' id="consent-page"', ""), "The Paper")
    assert extract(html, url).stub == reason
