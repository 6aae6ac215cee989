"""Made-up labelled pages to learn from: a menu, a headline, paragraphs, comments, a footer."""

from typing import Any

from tests.builders import filler, sentences

# Pages of the corpus of the fixture.
PAGES = 40

TOPICS = ("ferry", "harbour", "orchard", "bakery")


def record(number: int, language: str = "en", *, annotated: bool = True) -> dict[str, Any]:
    """A page of a site of its own; every text block has one of the labels of L3S-GN1."""
    topic = TOPICS[number % len(TOPICS)]
    parts = [
        (0, "li", '<a href="/">Home</a> <a href="/n">News</a>'),
        (0, "li", f'<a href="/{number}">{filler(3 + number % 3)}</a>'),
        (1, "h1", f"The {topic} returns"),
        (2, "p", sentences(40 + 9 * (number % 4), topic)),
        (2, "p", sentences(60, topic)),
        (3, "div", f"Photo: the {topic} {number} | archive"),
        (4, "li", '<a href="/r">Related: the old mill</a>'),
        (5, "blockquote", f"I like the {topic}. {filler(6)}"),
        (0, "div", f"&copy; 20{10 + number % 10} all rights reserved | contact"),
    ]
    html = "".join(f"<{tag}>{text}</{tag}>" for _, tag, text in parts)
    spans = "".join(
        f'<{tag}><span class="x-nc-sel{code}">{text}</span></{tag}>' for code, tag, text in parts
    )
    page = {
        "id": str(number),
        "dataset": "made-up",
        "url": f"http://site-{number}.com/{number}",
        "html": f'<html lang="{language}"><body>{html}</body></html>',
        "text": "\n".join(text for code, _, text in parts if code == 2),
        "language": language,
    }
    return page | ({"annotated_html": f"<body>{spans}</body>"} if annotated else {})
