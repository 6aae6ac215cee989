"""Labels, and labelings that never change."""

from collections.abc import Callable

import numpy as np
import pytest

from scrapy_boilerplate import Label, Labeling

FIRST = np.array([True, False, False])
OTHERS = np.array([False, True, True])

CODES = np.array([5, 0, 2])
SCORES = np.eye(len(Label))[CODES]

CHANGES: dict[str, Callable[[Labeling], Labeling]] = {
    "relabel": lambda labeling: labeling.relabel(FIRST, Label.COMMENTS, "x"),
    "relabel at indices": lambda labeling: labeling.relabel(np.array([2]), Label.RELATED, "x"),
    "labels of each": lambda labeling: labeling.relabel(FIRST, np.array([Label.RELATED]), "x"),
    "set_predictions": lambda labeling: labeling.set_predictions(CODES, SCORES, "x"),
    "classify": lambda labeling: labeling.classify(OTHERS, "x"),
    "update_content": lambda labeling: labeling.update_content(OTHERS, "x"),
    "mark": lambda labeling: labeling.mark("old", OTHERS),
    "fuse": lambda labeling: labeling.fuse(np.array([0, 0, -1])),
}


def started() -> Labeling:
    """Full text, boilerplate, boilerplate; the first block marked."""
    return Labeling.blank(3).classify(FIRST, "start").mark("old", FIRST)


def columns(labeling: Labeling) -> list[object]:
    marks = {name: mask.tolist() for name, mask in labeling.marks.items()}
    arrays = (labeling.labels, labeling.scores, labeling.decided_by, labeling.fused)
    return [*(array.tolist() for array in arrays), marks]


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_changes_make_another_labeling_whose_scores_favour_the_label(
    change: Callable[[Labeling], Labeling],
) -> None:
    labeling = started()
    changed = change(labeling)
    assert columns(labeling) == columns(started())
    assert columns(changed) != columns(labeling)
    assert changed.scores.sum(axis=1).tolist() == [1.0] * 3
    assert changed.scores.argmax(axis=1).tolist() == changed.labels.tolist()


def test_blank_is_boilerplate_by_nobody() -> None:
    blank = Labeling.blank(2)
    assert blank.labels.tolist() == [Label.BOILERPLATE] * 2
    assert blank.decided_by.tolist() == ["", ""]
    assert blank.fused.tolist() == [0, 1]


def test_relabel_names_the_decider_of_the_changed_blocks_only() -> None:
    changed = started().relabel(np.array([1]), Label.HEADLINE, "x")
    assert changed.labels.tolist() == [Label.FULL_TEXT, Label.HEADLINE, Label.BOILERPLATE]
    assert changed.decided_by.tolist() == ["start", "x", "start"]
    of_all = started().relabel(np.ones(3, dtype=np.bool_), Label.RELATED, "x")
    assert of_all.decided_by.tolist() == ["x"] * 3


def test_classify_decides_every_block() -> None:
    changed = started().relabel(FIRST, Label.HEADLINE, "x").classify(OTHERS, "y")
    assert changed.labels.tolist() == [Label.BOILERPLATE, Label.FULL_TEXT, Label.FULL_TEXT]
    assert changed.decided_by.tolist() == ["y"] * 3


def test_relabel_can_keep_the_scores() -> None:
    labeling, labels = started(), np.array([Label.RELATED, Label.HEADLINE])
    changed = labeling.relabel(OTHERS, labels, "x", keep_scores=True)
    assert changed.labels.tolist() == [Label.FULL_TEXT, Label.RELATED, Label.HEADLINE]
    assert changed.scores.tolist() == labeling.scores.tolist()


def test_update_content_keeps_decider_and_label_of_unchanged_classes() -> None:
    labeling = started().relabel(np.array([2]), Label.COMMENTS, "x")
    changed = labeling.update_content(np.array([True, True, False]), "y")
    assert changed.labels.tolist() == [Label.FULL_TEXT, Label.FULL_TEXT, Label.COMMENTS]
    assert changed.decided_by.tolist() == ["start", "y", "x"]
    nothing = started().update_content(np.zeros(3, dtype=np.bool_), "y")
    assert nothing.labels.tolist() == [Label.BOILERPLATE] * 3
    assert nothing.decided_by.tolist() == ["y", "start", "start"]


DECISIONS: dict[str, Callable[[Labeling, str], Labeling]] = {
    "relabel": lambda labeling, by: labeling.relabel(OTHERS, Label.COMMENTS, by),
    "keep scores": lambda labeling, by: labeling.relabel(
        OTHERS, Label.COMMENTS, by, keep_scores=True
    ),
    "classify": lambda labeling, by: labeling.classify(OTHERS, by),
    "set_predictions": lambda labeling, by: labeling.set_predictions(CODES, SCORES, by),
}


@pytest.mark.parametrize("decide", DECISIONS.values(), ids=DECISIONS.keys())
def test_decisions_keep_runs_and_marks_and_name_who_decides(
    decide: Callable[[Labeling, str], Labeling],
) -> None:
    decided = decide(started().fuse(np.array([0, 0, -1])), "x")
    assert decided.fused.tolist() == [0, 0, -1]
    assert decided.marked("old").tolist() == FIRST.tolist()
    assert decided.decided_by[1:].tolist() == ["x", "x"]
    longer = decided.relabel(OTHERS, Label.RELATED, "a longer name")
    assert longer.decided_by[1:].tolist() == ["a longer name"] * 2


def test_marks_add_up() -> None:
    changed = started().mark("old", OTHERS).mark("new", FIRST)
    assert changed.marked("old").tolist() == [True] * 3
    assert changed.marked("new").tolist() == FIRST.tolist()
    assert changed.marked("other").tolist() == [False] * 3


def test_codes_and_names_of_labels() -> None:
    """L3S-GN1 and stored data have these codes: they never change."""
    names = ["boilerplate", "headline", "full_text", "supplemental", "related", "comments"]
    assert [(label.value, label.text) for label in Label] == list(enumerate(names))


def test_scores_that_are_no_numbers_are_zero() -> None:
    scores = np.full((2, len(Label)), 0.1)
    scores[0, 0], scores[1, 1], scores[1, 2] = np.nan, np.inf, -np.inf
    labels = np.zeros(2, dtype=np.int64)
    predicted = Labeling.blank(2).set_predictions(labels, scores, "model").scores
    assert (predicted[0, 0], predicted[1, 1], predicted[1, 2]) == (0.0, 0.0, 0.0)
    assert np.isfinite(predicted).all()


def test_where_nothing_is_selected_the_labeling_stays() -> None:
    labeling = started()
    for nothing in (np.zeros(3, dtype=np.bool_), np.zeros(0, dtype=np.int64)):
        assert labeling.relabel(nothing, Label.RELATED, "x") is labeling
        assert labeling.relabel(nothing, Label.RELATED, "x", keep_scores=True) is labeling
    assert labeling.relabel(np.array([0]), Label.RELATED, "x").labels[0] == Label.RELATED
