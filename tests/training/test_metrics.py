"""Metrics: hand-computed examples from each definition, and what must not count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score

from scrapy_boilerplate import Label
from scrapy_boilerplate.page.labels import one_hot
from scrapy_boilerplate.training.metrics import blocks
from scrapy_boilerplate.training.metrics.bootstrap import draw_sites, percentile_interval, resample
from scrapy_boilerplate.training.tokens import (
    build_shingles,
    compute_token_f1,
    count_segments,
    count_shared_characters,
    count_shingles,
    summarize_segments,
    summarize_shingles,
    tokenize,
)

B, H, F, S, R, C = Label


def test_text_is_split_into_tokens_in_lower_case() -> None:
    for text, expected in [
        ("The cat, the CAT!", ["the", "cat", "the", "cat"]),
        ("don't 3.5", ["don", "t", "3", "5"]),
        ("Ελλάδα snake_case", ["ελλάδα", "snake_case"]),
        ("今日はOK。", ["今", "日", "は", "ok"]),
        ("ไทย a", ["ไ", "ท", "ย", "a"]),
        (" .,- ", []),
    ]:
        assert tokenize(text) == expected


def test_token_f1_is_of_bags_and_symmetric() -> None:
    for text, gold, f1 in [
        ("A, b c.", "a b c", 1.0),
        ("a a b", "a b b", 2 / 3),
        ("a b c d", "a b", 2 / 3),
        ("a b c", "a", 0.5),  # precision a third, recall 1
        ("", "a", 0.0),
        ("", "", 1.0),
        ("汉字", "汉", 2 / 3),
    ]:
        assert compute_token_f1(text, gold) == compute_token_f1(gold, text) == pytest.approx(f1)


def test_characters_are_counted_as_parts_of_tokens() -> None:
    extracted, gold = Counter(tokenize("long words stay")), Counter(tokenize("long wordy"))
    assert count_shared_characters(extracted, gold) == (4, 13, 9)


def test_shingles_are_bags_of_four_words() -> None:
    abcd, bcde = ("a", "b", "c", "d"), ("b", "c", "d", "e")
    table: list[tuple[str, list[tuple[str, ...]]]] = [
        ("a b c d e", [abcd, bcde]),
        ("a b", [("a", "b")]),
        ("Aa", [("Aa",)]),
        (" . ", []),
    ]
    for text, shingles in table:
        assert build_shingles(text) == Counter(shingles)
    counts = count_shingles(build_shingles("a b c d e"), build_shingles("a b c d x"))
    assert counts == pytest.approx([1 / 3] * 3)  # of a page, they add up to one
    assert count_shingles(build_shingles(""), build_shingles("")) == (0, 0, 0)


def test_shingle_figures_are_those_of_the_benchmark() -> None:
    # right, half of it wrong, nothing found (no precision), nothing wanted (no recall)
    rows = np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1], [0, 1, 0]])
    figures = summarize_shingles(rows)
    assert figures["precision"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert figures["recall"] == pytest.approx((1 + 1 + 0) / 3)
    assert figures["f1"] == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))
    assert figures["accuracy"] == 0.25


def test_segments_are_counted_by_kind_and_scored_over_all() -> None:
    counts = count_segments("One two\n\nthree", ["two three", "four"], ["One", "five"])
    assert counts == (1, 1, 1, 1)
    figures = summarize_segments(np.array([[3, 0, 0, 1], [1, 2, 0, 1]]))
    assert figures["precision"] == pytest.approx(4 / 6)
    assert figures["recall"] == 1.0
    assert figures["f1"] == pytest.approx(0.8)
    assert figures["accuracy"] == pytest.approx(6 / 8)


def test_always_content_has_the_figures_of_the_papers_first_row() -> None:
    gold = np.array([B, F])
    labels = np.array([F, F])
    words = np.array([362, 638])
    counts = blocks.count_confusions(blocks.TWO_CLASSES, gold, labels, one_hot(labels), words)
    figures = blocks.summarize_blocks(blocks.TWO_CLASSES, counts[None])
    # Table 2, "ZeroR (baseline; predict Content)": P 40.7, R 63.8, F1 49.7, FP rate 63.8
    expected = {"precision": 0.407, "recall": 0.638, "f1": 0.497, "false_positive_rate": 0.638}
    assert {name: round(figures[name], 3) for name in expected} == expected
    assert figures["roc_auc"] == 0.5


@pytest.mark.parametrize("classes", [blocks.TWO_CLASSES, blocks.SIX_CLASSES])
def test_block_figures_agree_with_scikit_learn(classes: blocks.Classes) -> None:
    generator = np.random.default_rng(0)
    gold, labels = generator.integers(6, size=(2, 400))
    words = generator.integers(1, 50, size=400)
    scores = one_hot(labels)
    scores[::3] = 1 / 6
    rows = np.stack(
        [
            blocks.count_confusions(classes, gold[part], labels[part], scores[part], words[part])
            for part in (slice(0, 150), slice(150, 400))
        ]
    )
    figures = blocks.summarize_blocks(classes, rows)
    code = np.array([next(i for i, group in enumerate(classes) if x in group) for x in Label])
    precision, recall, f1, _ = precision_recall_fscore_support(
        code[gold], code[labels], average="weighted", sample_weight=words, zero_division=0
    )
    assert figures["precision"] == pytest.approx(precision)
    assert figures["recall"] == pytest.approx(recall)
    assert figures["f1"] == pytest.approx(f1)
    area = sum(
        words[code[gold] == index].sum()
        / words.sum()
        * roc_auc_score(
            code[gold] == index, scores[:, sorted(group)].sum(axis=1), sample_weight=words
        )
        for index, group in enumerate(classes)
    )
    assert figures["roc_auc"] == pytest.approx(area, abs=0.01)


def test_unknown_blocks_do_not_count() -> None:
    gold, labels = np.array([F, -1]), np.array([F, B])
    words = np.array([5, 100])
    counts = blocks.count_confusions(blocks.SIX_CLASSES, gold, labels, one_hot(labels), words)
    assert counts[:36].sum() == 5


def test_draws_keep_sites_together_and_are_seeded() -> None:
    sites = ["a", "b", "a", "c", "a"]
    first, again, other = draw_sites(sites), draw_sites(sites), draw_sites(sites, seed=1)
    assert len(first) == 1000
    assert all(np.array_equal(x, y) for x, y in zip(first, again, strict=True))
    assert not all(np.array_equal(x, y) for x, y in zip(first, other, strict=True))
    for pages in first:
        times = np.bincount(pages, minlength=5)
        assert times[0] == times[2] == times[4]
        assert times[0] + times[1] + times[3] == 3  # as many sites as there are


def test_intervals_are_wider_when_pages_of_a_site_are_alike() -> None:
    rows = np.repeat([0.0, 1.0] * 5, 20)[:, None]

    def width(sites: list[str]) -> float:
        samples = resample(lambda sample: {"mean": float(sample.mean())}, rows, draw_sites(sites))
        low, high = percentile_interval(samples["mean"])
        assert low < 0.5 < high
        return high - low

    by_page, by_site = ([str(i) for i in range(200)], [str(i // 20) for i in range(200)])
    assert width(by_page) == pytest.approx(2 * 1.96 * 0.5 / 200**0.5, rel=0.1)
    assert width(by_site) > 3 * width(by_page)
