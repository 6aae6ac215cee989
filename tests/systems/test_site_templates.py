"""The steps site-frequency, site-style-tree and goldminer: repeated text, places of articles."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate import Label, Labeling, Page
from scrapy_boilerplate.systems.site_templates import (
    FEW_PAGES,
    GoldMiner,
    SiteStyleTree,
    SiteTextFrequency,
    find_repeated_blocks,
)
from tests.builders import all_content, document, page_of, with_content
from tests.site_views import body_of, box, view_from

TEXT, LOST = Label.FULL_TEXT, Label.BOILERPLATE
NOTICE = "Read our daily letter"
LEGAL = "Please write a letter to us before you print any part of this page"


def story(number: int, *more: str) -> Page:
    letters = f"{chr(97 + number // 26)}{chr(97 + number % 26)}"
    return body_of(box("text", f"Only page {letters} says this", *more))


def test_only_content_that_another_page_repeats_becomes_boilerplate() -> None:
    page = story(0, NOTICE)
    step = SiteTextFrequency(view=view_from(page, [story(1, NOTICE)]))
    after = step(page, all_content(page))
    assert after.labels.tolist() == [TEXT, LOST]
    assert after.decided_by.tolist()[1] == "site-frequency"
    comments = with_content(page, 0).relabel(np.array([1]), Label.COMMENTS, "test")
    assert step(page, comments).labels.tolist() == [TEXT, Label.COMMENTS]


@pytest.mark.parametrize(
    ("known", "saying", "lost"),
    [
        (FEW_PAGES - 1, 1, True),  # with this one FEW_PAGES
        (FEW_PAGES, 1, False),
        (FEW_PAGES, 2, True),
        (60, 2, False),  # 5 % are three pages
        (60, 3, True),
    ],
)
def test_how_many_pages_must_say_it(known: int, saying: int, lost: bool) -> None:
    others = [story(n, *([NOTICE] if n <= saying else [])) for n in range(1, known + 1)]
    view = view_from(story(0, NOTICE), others)
    assert view.pages == known
    assert find_repeated_blocks(view).tolist() == [False, lost]


def longest(page: Page, labeling: Labeling) -> Labeling:
    """An extractor of one step: the block with the most words."""
    mask = np.zeros(len(page), dtype=np.bool_)
    if len(page):
        mask[int(np.argmax(page.words))] = True
    return labeling.classify(mask, "longest")


def test_where_all_that_was_found_is_repeated_the_rest_is_read_again() -> None:
    page = body_of(box("text", "A short story of ours", "Its end"), box("foot", LEGAL))
    view = view_from(page, [body_of(box("text", "Another short story"), box("foot", LEGAL))])
    before = longest(page, Labeling.blank(len(page)))
    assert before.content.tolist() == [False, False, True]
    after = SiteTextFrequency(view=view, extractor_steps=[longest])(page, before)
    assert after.labels.tolist() == [TEXT, LOST, LOST]
    assert after.decided_by.tolist()[0] == "site-frequency"
    assert not SiteTextFrequency(view=view)(page, before).content.any()
    whole = body_of(box("text", "A short story of ours", "Its end"), box("foot", LEGAL, "More"))
    view = view_from(page, [whole])
    after = SiteTextFrequency(view=view, extractor_steps=[longest])(page, before)
    assert not after.content.any(), "every block is repeated"


LETTERS = "bcde"
RIGHTS = box("foot", "All rights are with us")
STORIES = [box("text", f"Story {each} begins", f"Story {each} ends") for each in LETTERS]
OTHERS = [body_of(each + RIGHTS) for each in STORIES]
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
    body_of(box("head", f"Top line of {each}") + text + box("foot", f"Last line of {each}"))
    for each, text in zip(LETTERS, STORIES, strict=True)
]
GOLDMINER: dict[str, tuple[str, list[int], list[Label]]] = {
    "text outside the places of articles is cut": (
        box("top", "A new box before") + OWN + box("end", "A new box behind"),
        [0, 1, 2],
        [LOST, TEXT, LOST],
    ),
    "places without content are cut inside too, new places are not": (
        OWN
        + box("head", "Top line again")
        + box("quote", "Somebody said")
        + box("text", "It ends"),
        [0, 1, 2, 3],
        [TEXT, LOST, TEXT, TEXT],
    ),
    "short lines at places of articles become content, links and repeated text do not": (
        box("text", "Our story begins", "Short", "<a href='/x'>Another story</a>", "Story b ends",
            "It ends"),
        [0, 3, 4],
        [TEXT, TEXT, LOST, LOST, TEXT],
    ),
    "without a known place only repeated text is cut": (
        box("other", "A page of another kind", "Story b ends"),
        [0, 1],
        [TEXT, LOST],
    ),
    "a page without content gets none": (box("text", "Our story", "It ends"), [], [LOST, LOST]),
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDMINER)
def test_goldminer(name: str) -> None:
    html, content, expected = GOLDMINER[name]
    page = body_of(html)
    after = GoldMiner(view=view_from(page, FRAMED))(page, with_content(page, *content))
    assert after.labels.tolist() == expected


@pytest.mark.parametrize("step", [GoldMiner, SiteStyleTree, SiteTextFrequency])
def test_steps_on_pages_with_hardly_a_block_and_nothing_known(step: Any) -> None:
    for html in ("", "<p>one</p>"):
        page = page_of(document(html))
        after = step(view=view_from(page, []))(page, all_content(page))
        assert after.labels.tolist() == [TEXT] * len(page)
