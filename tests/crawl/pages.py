"""Builders of pages and of the answers a test site gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

HEADLINE = "Ferry to Gannet Island returns after eleven months"
PARAGRAPHS = (
    "The ferry sailed for the island at seven on Monday morning, eleven months after a crack in "
    "her propeller shaft had sent her to the dry dock, with a brass quintet and two goats aboard.",
    "The captain brought her alongside the jetty six minutes ahead of the timetable and said that "
    "she would have liked to claim this was planned, but the tide had been kinder than expected.",
    "For the people who live there the winter was a matter of small boats and patience, and for "
    "nine days in January the only shop on the island went without any fresh milk at all.",
)
COMMENT = "I was on the boat with my two boys and I am not ashamed to say that I cried a little."
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Answer:
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": HTML})


def article(
    headline: str = HEADLINE,
    paragraphs: Sequence[str] = PARAGRAPHS,
    comments: Sequence[str] = (COMMENT,),
    language: str = "en",
) -> str:
    """A news page with navigation, an article and comments."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    items = "".join(f"<li>{comment}</li>" for comment in comments)
    return (
        f'<html lang="{language}"><head><title>{headline} | The Courier</title></head><body>'
        '<nav><ul><li><a href="/">Home</a></li><li><a href="/sport">Sport</a></li></ul></nav>'
        f"<article><h1>{headline}</h1>{text}</article>"
        f'<section id="comments" class="comments"><h2>Comments</h2><ul>{items}</ul></section>'
        "<footer><p>All rights reserved.</p></footer></body></html>"
    )


def text_of(paragraphs: Sequence[str] = PARAGRAPHS) -> str:
    return "\n\n".join(paragraphs)


def page(html: str | None = None, content_type: str = HTML, status: int = 200) -> Answer:
    """An HTML answer in UTF-8; an `article` by default."""
    body = (article() if html is None else html).encode()
    return Answer(body, status, {"Content-Type": content_type})
