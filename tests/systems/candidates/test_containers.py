"""What attributes say: known containers, hidden elements."""

import pickle

import pytest

from tests.builders import content_texts
from tests.systems.candidates.candidate_pages import SENTENCE, TEXT, page_of


def test_a_pickled_page_keeps_its_attributes_and_not_its_tree() -> None:
    page = pickle.loads(pickle.dumps(page_of("<p hidden>a</p>")))  # noqa: S301 - our own
    assert list(page.elements.with_attribute("hidden")) == [(page.elements.tags.index("p"), "")]


@pytest.mark.parametrize(
    ("start", "is_known"),
    [
        ("<div>", False),
        ("<article>", True),
        ('<div itemprop="text articlebody">', True),
        ('<div itemprop="headline">', False),
        ('<div class="main post-content wide">', True),
        ('<div id="post-content">', False),
    ],
)
def test_goose_looks_only_into_what_is_marked(start: str, is_known: bool) -> None:
    pytest.importorskip("justext", reason="Goose counts the stop words of jusText's lists")
    more = f"<p>{SENTENCE} more</p>" * 8
    page = page_of(
        f"{start}{TEXT}</{start[1:].split(' ', maxsplit=1)[0].strip('>')}><div>{more}</div>"
    )
    assert (content_texts("goose", page) == [SENTENCE] * 4) is is_known


@pytest.mark.parametrize(
    ("start", "is_hidden"),
    [
        ("<p hidden>", True),
        ('<p style="color: red; Display : none">', True),
        ('<p style="visibility:hidden">', True),
        ('<p aria-hidden="true">', True),
        ('<p aria-hidden="true" class="x fallback-image">', False),
        ('<div role="dialog" aria-modal="true">', True),
        ('<div aria-modal="true">', False),
        ('<p itemprop="author name">', True),
    ],
)
def test_readability_leaves_out_what_is_hidden(start: str, is_hidden: bool) -> None:
    text = SENTENCE if "itemprop" not in start else "Ann Lee"
    page = page_of(f"<div>{TEXT * 3}{start}{text}</{start[1:4].strip()}></div>")
    assert (content_texts("readability", page) == [SENTENCE] * 12) is is_hidden
