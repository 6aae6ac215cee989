"""Content far from the text, with lower scores: on pages that are not of today it is left out."""

from __future__ import annotations

import pytest

from scrapy_boilerplate.news.left_out import LEFT_OUT, MAX_DISTANCE, DistantContent
from tests.builders import HTML_4, document, page_of, paragraphs, true_at
from tests.news.scored_pages import after, kept

TEXT = f"<div class=text>{paragraphs(40, 40)}</div>"
LINKS = f"<ul>{'<li>a link' * (MAX_DISTANCE + 1)}</ul>"
NOTICE = f"<div class=legal>{paragraphs(90, 60)}</div>"
FAR = len(page_of(TEXT + LINKS).texts)
"""The first block of a notice below text and links."""

PAGES = {
    # HTML, content and its scores, what stays
    "a notice of more words below": (
        TEXT + LINKS + NOTICE,
        {0: 0.95, 1: 0.9, FAR: 0.7, FAR + 1: 0.6},
        [0, 1],
    ),
    "a notice above": (
        NOTICE + LINKS + TEXT,
        {0: 0.6, 1: 0.5, FAR: 0.95, FAR + 1: 0.9},
        [FAR, FAR + 1],
    ),
    "two notices": (
        NOTICE + LINKS + TEXT + LINKS + NOTICE,
        {0: 0.5, FAR: 0.95, FAR + 1: 0.9, 2 * FAR: 0.6},
        [FAR, FAR + 1],
    ),
    "scores that are little lower": (
        TEXT + LINKS + NOTICE,
        {0: 0.95, 1: 0.9, FAR: 0.75, FAR + 1: 0.73},
        [0, 1, FAR, FAR + 1],
    ),
    "the mean of a run counts by words": (
        TEXT + LINKS + NOTICE,
        {0: 0.95, 1: 0.9, FAR: 0.6, FAR + 1: 0.95},
        [0, 1, FAR, FAR + 1],
    ),
    "near": (
        TEXT + "<p>a link" * MAX_DISTANCE + NOTICE,
        {0: 0.95, 1: 0.9, FAR - 1: 0.6, FAR: 0.6},
        [0, 1, FAR - 1, FAR],
    ),
    "the same class path": (
        TEXT + LINKS + TEXT,
        {0: 0.95, 1: 0.9, FAR: 0.6, FAR + 1: 0.6},
        [0, 1, FAR, FAR + 1],
    ),
    "one block of the same class path": (
        TEXT + LINKS + NOTICE + TEXT,
        {0: 0.95, 1: 0.9, FAR: 0.6, FAR + 2: 0.6},
        [0, 1, FAR, FAR + 2],
    ),
    "the text is what scores high, not what is long": (
        TEXT + LINKS + NOTICE.replace("90", "900"),
        {0: 0.95, 1: 0.9, FAR: 0.52, FAR + 1: 0.52},
        [0, 1],
    ),
    "nothing scores over a half": (TEXT + LINKS + NOTICE, {0: 0.45, FAR: 0.4}, [0, FAR]),
    "one run": (TEXT, {0: 0.95, 1: 0.3}, [0, 1]),
    "nothing": (TEXT + LINKS, {}, []),
}


@pytest.mark.parametrize(("html", "scores", "stay"), PAGES.values(), ids=PAGES.keys())
def test_distant_content(html: str, scores: dict[int, float], stay: list[int]) -> None:
    page = page_of(HTML_4 + html)
    labeling = kept(page, [scores.get(block, 0.0) for block in range(len(page))], *scores)
    assert after(DistantContent(), page, labeling) == stay
    left_out = DistantContent()(page, labeling).marked(LEFT_OUT)
    assert true_at(left_out) == sorted(set(scores) - set(stay))


GRAPH = '<meta property="og:title" content="Rain">'


@pytest.mark.parametrize(
    "html", [document(TEXT + LINKS + NOTICE), HTML_4 + GRAPH + TEXT + LINKS + NOTICE]
)
def test_pages_of_today_keep_it(html: str) -> None:
    page = page_of(html)
    scores = [0.95 if block < 2 else 0.6 for block in range(len(page))]
    assert after(DistantContent(), page, kept(page, scores, 0, 1, FAR)) == [0, 1, FAR]


def test_other_limits() -> None:
    page = page_of(HTML_4 + TEXT + LINKS + NOTICE)
    labeling = kept(page, [0.95 if block < 2 else 0.6 for block in range(len(page))], 0, 1, FAR)
    assert after(DistantContent(max_distance=MAX_DISTANCE + 1), page, labeling) == [0, 1, FAR]
    assert after(DistantContent(min_difference=0.4), page, labeling) == [0, 1, FAR]
