"""From leaves back to text nodes: XPaths that find exactly them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_boilerplate.markup.leaves import MARKS, ChangedTreeError, find_leaf_xpaths
from scrapy_boilerplate.markup.snapshot import build_snapshot
from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.page.reading import read_tree
from tests.builders import document

TAGS = "p div b a br table tr td ul li script noscript template svg option title sup sub".split()
TAGS += ["a href='#n'", "b style='white-space:pre'", "b hidden", "mfrac"]
TEXTS = ["one", " ", "<!-- c -->", "2", "/", "#", "a\nb"]
PIECES = st.lists(
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS] + TEXTS),
    max_size=30,
)


@given(PIECES)
def test_every_leaf_is_found_and_shown(pieces: list[str]) -> None:
    root = parse_html(document("".join(pieces)))
    page = read_tree(root)
    paths = find_leaf_xpaths(page, root)
    for path, text in zip(paths, page.leaves.texts, strict=True):
        assert text.strip(MARKS) in root.getroottree().xpath(path)[0]
    shown = build_snapshot(page, root).body
    for leaf, text in enumerate(page.leaves.texts):
        is_line = leaf and paths[leaf] == paths[leaf - 1]
        assert is_line or text.isspace() or f'data-leaf="{leaf}"' in shown


def test_a_changed_tree_is_refused() -> None:
    root = parse_html(document("<p>one</p><p>two</p>"))
    page = read_tree(root)
    root[1].remove(root[1][0])
    with pytest.raises(ChangedTreeError):
        find_leaf_xpaths(page, root)


def test_any_depth() -> None:
    root = parse_html(document("<div>" * 1500 + "deep"))
    page = read_tree(root)
    assert find_leaf_xpaths(page, root) == [""]
    assert build_snapshot(page, root).body.count("<div>") < 300
