"""The steps site-style-tree and goldminer: places that never vary, and places of articles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.steps import GoldMiner, SiteStyleTree, SiteTextFrequency
from tests.builders import all_content, document, page_of, with_content
from tests.site_views import body_of, box, view_from

TEXT, LOST = Label.FULL_TEXT, Label.BOILERPLATE
LETTERS = "bcde"
RIGHTS = box("foot", "All rights are with us")
STORIES = [box("text", f"Story {each} begins", f"Story {each} ends") for each in LETTERS]
OTHERS = [body_of(story + RIGHTS) for story in STORIES]
OWN = box("text", "Our own story")

STYLE_TREE: dict[str, tuple[str, Sequence[Page], list[int], list[Label]]] = {
    "a place that never varies is noise": (OWN + RIGHTS, OTHERS, [0, 1], [TEXT, LOST]),
    "a place without content elsewhere is noise though it varies": (
        OWN + box("foot", "Advice that nobody gave before"),
        [
            body_of(f"{s}{box('foot', f'Advice {n}')}")
            for n, s in zip(LETTERS, STORIES, strict=True)
        ],
        [0, 1],
        [TEXT, LOST],
    ),
    "text where articles are becomes content, links do not": (
        box("text", "Our own story", "Its end", "<a href='/x'>Read this one too</a>") + RIGHTS,
        OTHERS,
        [0],
        [TEXT, TEXT, LOST, LOST],
    ),
    "repeated text does not become content": (
        box("text", "Our own story", "Send us a letter"),
        [body_of(box("text", f"Story {each}", "Send us a letter")) for each in LETTERS],
        [0],
        [TEXT, LOST],
    ),
    "a place of two pages is not judged": (OWN + RIGHTS, OTHERS[:2], [0, 1], [TEXT, TEXT]),
}


@pytest.mark.parametrize("name", STYLE_TREE)
def test_site_style_tree(name: str) -> None:
    html, others, content, expected = STYLE_TREE[name]
    page = body_of(html)
    after = SiteStyleTree(view=view_from(page, others))(page, with_content(page, *content))
    assert after.labels.tolist() == expected


FRAMED = [
    body_of(box("head", f"Top line of {each}") + story + box("foot", f"Last line of {each}"))
    for each, story in zip(LETTERS, STORIES, strict=True)
]
GOLDMINER: dict[str, tuple[str, list[int], list[Label]]] = {
    "text outside the places of articles is cut": (
        box("top", "A new box before") + OWN + box("end", "A new box behind"),
        [0, 1, 2],
        [LOST, TEXT, LOST],
    ),
    "text between them stays at a new place": (
        OWN + box("quote", "Somebody said") + box("text", "It ends"),
        [0, 1, 2],
        [TEXT, TEXT, TEXT],
    ),
    "places without content are cut inside too": (
        OWN + box("head", "Top line again") + box("text", "It ends"),
        [0, 1, 2],
        [TEXT, LOST, TEXT],
    ),
    "short lines at places of articles become content, links do not": (
        box("text", "Our story begins", "Short", "<a href='/x'>Another story</a>", "It ends"),
        [0, 3],
        [TEXT, TEXT, LOST, TEXT],
    ),
    "repeated text is cut": (
        box("text", "Our story begins", "Story b ends", "It ends"),
        [0, 1, 2],
        [TEXT, LOST, TEXT],
    ),
    "without a known place only repeated text is cut": (
        box("other", "A page of another kind", "Story b ends"),
        [0, 1],
        [TEXT, LOST],
    ),
    "a page without content gets none": (box("text", "Our story", "It ends"), [], [LOST, LOST]),
}


@pytest.mark.parametrize("name", GOLDMINER)
def test_goldminer(name: str) -> None:
    html, content, expected = GOLDMINER[name]
    page = body_of(html)
    after = GoldMiner(view=view_from(page, FRAMED))(page, with_content(page, *content))
    assert after.labels.tolist() == expected


@pytest.mark.parametrize("step", [GoldMiner, SiteStyleTree, SiteTextFrequency])
@pytest.mark.parametrize("html", ["", "<p>one</p>", "<p>one</p><p>two</p>"])
def test_steps_on_pages_with_hardly_a_block_and_nothing_known(html: str, step: Any) -> None:
    page = page_of(document(html))
    after = step(view=view_from(page, []))(page, all_content(page))
    assert after.labels.tolist() == [TEXT] * len(page)
