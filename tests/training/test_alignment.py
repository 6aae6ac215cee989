"""Alignment: copies, stray words, other orders, inline tags; L3S classes; block shares."""

from pathlib import Path

import numpy as np
import pytest

from scrapy_boilerplate import Label
from scrapy_boilerplate.training.corpora import read_pages
from scrapy_boilerplate.training.gold import (
    UNKNOWN,
    Gold,
    compute_block_labels,
    compute_block_shares,
    find_gold_text,
    label_leaves,
)
from scrapy_boilerplate.training.tokens import compute_token_f1
from tests.builders import page_of

ONE = "The ferry returns to the harbour on Monday."
TWO = "Its two engines were repaired in the yard across the bay."
THREE = "Tickets cost the same as before, the company says."

BODY = f"<li>News<p>{ONE}</p><p>{TWO}</p>"


def test_blocks_by_gold_text() -> None:
    codes = {"B": Label.BOILERPLATE, "F": Label.FULL_TEXT, "?": UNKNOWN}
    for name, html, gold, expected in [
        ("plain", f"<p>News</p><p>{ONE}</p><p>{TWO}</p><p>More</p>", f"{ONE} {TWO}", "BFFB"),
        ("teaser before", f"<p>{ONE}</p><li>News<p>{ONE}</p><p>{TWO}</p>", f"{ONE} {TWO}", "?BFF"),
        ("teaser in a link", f"<p>12:30 <a href=x>{ONE}</a></p>{BODY}", f"{ONE} {TWO}", "?BFF"),
        ("teaser with tags", f"<p>The <b>ferry</b> returns to</p>{BODY}", f"{ONE} {TWO}", "?BFF"),
        ("teaser of three", f"<p>the ferry returns</p>{BODY}", f"{ONE} {TWO}", "BBFF"),
        ("teaser of four", f"<p>the ferry returns to</p>{BODY}", f"{ONE} {TWO}", "?BFF"),
        ("teaser that goes on", f"<p>{ONE} Read more</p>{BODY}", f"{ONE} {TWO}", "BBFF"),
        ("hole in the gold", f"<p>{ONE}</p><p>Read more</p><p>{TWO}</p>", f"{ONE} {TWO}", "FBF"),
        ("stray words", f"<p>the</p><p>harbour</p><p>Monday</p><p>{TWO}</p>", TWO, "BBBF"),
        ("a word of a long page", f"<p>{ONE}</p><p>{TWO}</p><p>{THREE}</p>", "harbour", "BBB"),
        ("another order", f"<p>{TWO}</p><p>{THREE}</p><p>{ONE}</p>", f"{ONE} {TWO} {THREE}", "FF?"),
        ("inline tags", "<p>The <a href=x>ferry</a> <b>is</b> back</p>", "The ferry is back", "F"),
        ("half of a block", f"<p>{TWO} {ONE}</p>", TWO, "F"),
        ("little of a block", f"<p>{TWO} {ONE} {THREE}</p>", ONE, "B"),
        ("no gold", f"<p>{ONE}</p>", "", "B"),
        ("no words", "<p>—</p>", "", "?"),
        ("Chinese", "<p>渡轮周一返回港口</p><p>新闻</p>", "渡轮周一返回港口", "FB"),
    ]:
        page = page_of(f"<body>{html}</body>")
        labels = compute_block_labels(page, label_leaves(page, gold)).tolist()
        assert labels == [codes[letter] for letter in expected], name


def test_shares_are_of_characters() -> None:
    """A block of more unknown than known characters is unknown."""
    page = page_of("<body><p>12345<b>x y</b></p><p>—</p></body>")
    for leaves, share, label in [
        ((Label.FULL_TEXT, Label.BOILERPLATE), 5 / 8, Label.FULL_TEXT),
        ((UNKNOWN, Label.FULL_TEXT), np.nan, UNKNOWN),
        ((Label.FULL_TEXT, UNKNOWN), 1, Label.FULL_TEXT),
    ]:
        labels = np.array([*leaves, UNKNOWN])
        shares = compute_block_shares(page, labels)
        assert shares == pytest.approx(np.array([share, np.nan]), nan_ok=True)
        assert compute_block_labels(page, labels).tolist() == [label, UNKNOWN]


def test_whole_blocks_can_give_the_gold_text(corpora: Path) -> None:
    """The ceiling of any choice of blocks is .976 and more."""
    scores = []
    for labelled in read_pages(corpora / "fundus.jsonl.xz", limit=40):
        page = page_of(labelled.html)
        labels = compute_block_labels(page, Gold(labelled, page).leaf_labels)
        text = page.join_blocks(np.flatnonzero(labels == Label.FULL_TEXT).tolist())
        scores.append(compute_token_f1(text, find_gold_text(labelled) or ""))
    assert np.mean(scores) > 0.97
