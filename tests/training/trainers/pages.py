"""Labelled pages of our own for the training of `news`, and a small corpus of them."""

from collections.abc import Iterator
from typing import Any

from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.gold import Gold, read_gold

TITLE = "The ferry comes back"


def story(words: int, topic: str) -> str:
    """Running text of at least so many words about `topic`, in which no four words repeat."""
    sentence = "The {0} {1} left {2} of {0} {3} to us."
    count = -(-words // 10)
    return " ".join(sentence.format(topic, 3 * n, 3 * n + 1, 3 * n + 2) for n in range(count))


PARAGRAPHS = [story(40, topic) for topic in ("ferry", "harbour", "captain")]
COMMENT = "I was on board that day and the sea was calm, says Ann."
MENU, RIGHTS = "Home News Weather", "All rights reserved, Courier"
TEXT = "\n".join(PARAGRAPHS)


def page(*paragraphs: str, title: str = TITLE) -> str:
    """A page: menu, headline, paragraphs (three, if none are given), comment, footer."""
    body = "".join(f"<p>{text}</p>" for text in paragraphs or PARAGRAPHS)
    return (
        f"<html><head><title>{title}</title></head><body><nav class=menu><a href=/>{MENU}</a></nav>"
        f"<h1>{title}</h1><div class=story>{body}</div><div class=comments><p>{COMMENT}</p></div>"
        f"<footer class=bottom><p>{RIGHTS}</p></footer></body></html>"
    )


def gold(html: str = "", **fields: Any) -> Gold:
    """A labelled page; without `html` it is `page()`."""
    known: dict[str, Any] = {"id": "1", "dataset": "mine", "html": html or page(), **fields}
    return read_gold(LabelledPage(**known))


TOPICS = "bridge river mayor school market library tower garden museum theatre station mill".split()


def records(dataset: str = "mine", n_pages: int = 12) -> Iterator[dict[str, Any]]:
    """As many sites with a page each, every one of another topic."""
    for number, topic in enumerate(TOPICS[:n_pages]):
        text = [story(30 + 10 * part, f"{topic} {part}") for part in range(3)]
        title = f"All about the {topic} of our town"
        yield {
            "id": str(number),
            "dataset": dataset,
            "url": f"https://www.{topic}-courier.com/news/{number}",
            "html": page(*text, title=title),
            "text": "\n".join(text),
            "title": title,
            "comments": [COMMENT],
        }
