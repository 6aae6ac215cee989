"""Comments, related, supplemental: names of containers, and when they mislead."""

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import Label, Labeling, Page, extract
from tests.builders import document, filler, labels_by_text, page_of, step_of

ARTICLE = f"<h1>Rain in May</h1><p>{filler(60, 'First')}</p><p>{filler(60, 'Second')}</p>"
BOX = f"<p>{filler(20, 'Boxed')}</p>"


def label_of_box(box: str, article: str = ARTICLE, extractor: str = "num-words") -> str:
    """The label of the block of `box` that starts with Boxed; the article's must be right."""
    labels = labels_by_text(document(article + box, title="Rain in May"), extractor)
    assert labels["Rain"] == "headline"
    assert (labels["First"], labels["Second"]) == ("full_text", "full_text")
    return labels["Boxed"]


NAMED = {
    "comments by class": (f"<div class=comments>{BOX}</div>", "comments"),
    "by id": (f"<div id=Comments>{BOX}</div>", "comments"),
    "one of several classes": (f"<div class='wide userComments x'>{BOX}</div>", "comments"),
    "comments in Chinese": (f"<div class=评论>{BOX}</div>", "comments"),
    "deep in comments": (f"<div class=comments><div><ul><li>{BOX}</ul></div></div>", "comments"),
    "related": (f"<div class=related-stories>{BOX}</div>", "related"),
    "figcaption": (f"<figure><figcaption>{BOX}</figcaption></figure>", "supplemental"),
    "fact box": (f"<div class=factbox>{BOX}</div>", "supplemental"),
    "a form below comments": (f"<div class=comment-form>{BOX}</div>", "boilerplate"),
    "comments in a related box": (
        f"<div class=related><div class=comments>{BOX}</div></div>",
        "comments",
    ),
    "only looks like it": (f"<div class='commentary unrelate capt'>{BOX}</div>", "full_text"),
}


def test_named_container() -> None:
    for name, (box, label) in NAMED.items():
        assert label_of_box(box) == label, name
    for state in ("has-comments", "comments-closed", "no-comments", "w-node-b5343"):
        box = f"<div class={state}>{BOX}</div>"
        assert label_of_box(box, extractor="container") == "full_text"


def test_a_box_with_all_the_text_is_the_article() -> None:
    """Also where the headline is outside."""
    for name in ["comments", "breadcrumbs", "with-navbar", "ads"]:
        box = f"<div class={name}><p>{filler(60)}</p><p>{filler(60)}</p></div>"
        html = document(f"<h1>Rain in May</h1>{box}", title="Rain in May")
        assert extract(html, extractor="container").text == f"{filler(60)}\n\n{filler(60)}"


def test_boilerplate_by_name_in_the_default_extractor() -> None:
    for name in ("nav", "div role=navigation", "div class=breadcrumbs", "div id=cookie-banner"):
        box = f"<{name}>{BOX}</{name.split()[0]}>"
        assert label_of_box(box, extractor="container") == "boilerplate"
        assert label_of_box(box, extractor="num-words") == "full_text"


def test_blocks_that_fit_no_comment() -> None:
    for box, label in [
        ("<p>Boxed two three</p>", "comments"),  # three words
        ("<p>Boxed two</p>", "boilerplate"),  # two words: a button or a name
        ("<h3>Boxed two three four</h3>", "boilerplate"),  # heading of the box
        ("<p><a href=/x>Boxed two</a> three four</p>", "comments"),  # half linked
        ("<p><a href=/x>Boxed two</a> three</p>", "boilerplate"),  # most linked
    ]:
        assert label_of_box(f"<div class=comments>{box}</div>") == label


def test_headings_in_related_boxes() -> None:
    for box, label in [
        ("<h3><a href=/x>Boxed two</a></h3>", "related"),  # linked heading
        ("<h3>Boxed two</h3>", "boilerplate"),  # heading of the box
        ("<a href=/x>Boxed two three</a>", "related"),  # a link
    ]:
        assert label_of_box(f"<div class=related>{box}</div>") == label


MISLEADING = {
    "body": document(ARTICLE, title="Rain in May", attributes="class='has-comments related'"),
    "with the headline": document(f"<main class=comments>{ARTICLE}</main>", title="Rain in May"),
    "with most of the text": document(
        f"<h1>Rain in May</h1><div class=related>{ARTICLE[20:]}</div>", title="Rain in May"
    ),
}


@pytest.mark.parametrize("html", MISLEADING.values(), ids=MISLEADING)
def test_whole_article_under_a_misleading_name(html: str) -> None:
    for extractor in ("num-words", "container"):
        labels = labels_by_text(html, extractor)
        assert (labels["First"], labels["Second"]) == ("full_text", "full_text")


@pytest.mark.parametrize("extractor", ["num-words", "container"])
def test_comments_longer_than_the_article(extractor: str) -> None:
    comments = "".join(f"<p>{filler(80, f'Reader{number}')}</p>" for number in range(5))
    html = document(f"{ARTICLE}<div id=comments>{comments}</div>", title="Rain in May")
    results = extract(html, extractor=extractor)
    assert results.text.split()[0] == "First"
    assert [text.split()[0] for text in results.comments] == [f"Reader{n}" for n in range(5)]


NO_KIND = -1
WRAPPED = st.recursive(
    st.sampled_from(["<p>one two three</p>", "<h2>four</h2>", "five <i>six seven</i>", ""]),
    lambda inner: st.tuples(
        st.sampled_from(["comments", "related", "modal", "x", "figure-caption"]),
        st.lists(inner, max_size=4),
    ).map(lambda part: f"<div class={part[0]}>{''.join(part[1])}</div>"),
    max_leaves=12,
)


def find_kind(
    page: Page, labeling: Labeling, containers: list[tuple[int, int]], shares: list[float], n: int
) -> int:
    """Return the kind of the innermost container around the n-th block that may have one."""

    def list_inside(blocks: Any, element: int) -> list[int]:
        ends, own = page.elements.ends, page.blocks.elements.tolist()
        return [
            block for block in blocks.nonzero()[0].tolist() if element <= own[block] < ends[element]
        ]

    total = max(1, page.words[labeling.content].sum())
    inner, kind = int(page.inner_elements[n]), NO_KIND
    for element, number in containers:
        words = page.words[list_inside(labeling.content, element)].sum()
        is_named = not list_inside(labeling.having(Label.HEADLINE), element)
        if is_named and words / total <= shares[number]:
            kind = number if element <= inner < page.elements.ends[element] else kind
    return kind


@given(WRAPPED, st.lists(st.sampled_from(list(Label)), min_size=1, max_size=7), st.booleans())
@settings(max_examples=200)
def test_kinds_of_blocks(html: str, labels: list[Label], of_content: bool) -> None:
    page = page_of(f"<body>{html}<p>eight")
    labeling = Labeling.blank(len(page))
    for block in range(len(page)):
        where = page.words * 0 == 1
        where[block] = True
        labeling = labeling.relabel(where, labels[block % len(labels)], "")
    by_name = step_of("density", "labels-by-container")
    containers, shares = by_name.find_containers(page), [kind.max_share for kind in by_name.kinds]
    blocks = [find_kind(page, labeling, containers, shares, n) for n in range(len(page))]
    skipped = ~labeling.content if of_content else labeling.having(Label.HEADLINE)
    found = labeling.labels.copy()
    matches = by_name._match(page, labeling, found, of_content=of_content)
    kinds = [NO_KIND if skipped[block] else blocks[block] for block in range(len(page))]
    assert ((matches.astype(int) + 1) // 2 - 1).tolist() == kinds
    assert found.tolist() == by_name.read_labels(page, labeling, of_content=of_content).tolist()
    changed = (found != labeling.labels).nonzero()[0].tolist()
    assert all(blocks[block] != NO_KIND and not skipped[block] for block in changed)


def test_kinds_are_the_same_in_a_worker_process() -> None:
    """Steps are sent there as pickles, and look for their kinds in the table of all kinds."""
    for name in ("named-containers", "best-other-labels", "named-boilerplate"):
        step = step_of("news", name)
        assert pickle.loads(pickle.dumps(step)) == step  # noqa: S301 (our own bytes)
