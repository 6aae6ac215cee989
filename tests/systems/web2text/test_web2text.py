"""Web2Text's features by hand, on pages of a few words."""

from math import log

import numpy as np
import pytest
from numpy.typing import NDArray

from scrapy_boilerplate.steps.model_store import ModelError, StoredModel
from scrapy_boilerplate.systems.web2text import ConvolutionStack, build_group, read_stack
from tests.systems.pages import text_nodes

FEATURES = build_group({"the", "all"})
NAMES = FEATURES.names

PAGE = """
<div><h1>The Rain</h1><p>It rained all day in 2019, they say. Then? <a href=x>More</a></p></div>
<ul><li><a href=x>Home</a></li><li>Home</li></ul>
"""
# blocks: The Rain | It rained ... Then? | More | Home | Home; 8 + 42 + 4 + 4 + 4 characters = 62


def column(name: str, body: str = PAGE) -> list[float]:
    values: list[float] = FEATURES.compute(text_nodes(body))[name].round(6).tolist()
    return values


def z(value: float, mean: float, deviation: float) -> float:
    return round((value - mean) / deviation, 6)


def test_by_hand() -> None:
    for name, values in [
        ("copies_1", [-1, -1, -1, 1, 1]),
        ("same_class_path", [0.6, 0.6, 0.4, 0.4, 0.6]),  # no classes: as deep in the tree
        ("has_word", [z(1, 0.8255, 0.5643817)] * 5),
        ("words", [z(log(n), 1.5086, 1.205) for n in (2, 9, 1, 1, 1)]),
        ("word_length", [z(n, 4.910001, 1.905709) for n in (3.5, 31 / 9, 4, 4, 4)]),
        ("has_stop_word", [1, 1, -1, -1, -1]),
        ("stop_word_ratio", [z(n, 0.374, 0.1529) for n in (1 / 2, 1 / 9, 0, 0, 0)]),
        ("characters", [z(max(log(n), 2.5), 3.392, 1.06445) for n in (8, 42, 4, 4, 4)]),
        ("has_punctuation", [-1, 1, -1, -1, -1]),
        ("punctuation_ratio", [0, z(log(3 / 42), -3.338525, 0.6058926), 0, 0, 0]),
        ("digit_ratio", [z(n, 0.2655969, 0.3052819) for n in (0, 4 / 42, 0, 0, 0)]),
        ("sentence_length", [z(n, 3.109, 1.011) for n in (log(8), log(21), 2, 2, 2)]),
        ("position", [z(n / 62, 0.5198038, 0.2996195) for n in (4, 29, 52, 56, 60)]),
        ("ends_with_question_mark", [-1, 1, -1, -1, -1]),
        ("contains_year", [-1, 1, -1, -1, -1]),
        ("capitals", [z(n, 0.4475758, 0.4129316) for n in (1, 2 / 9, 1, 1, 1)]),
        ("has_parent", [1, 1, 1, 1, 1]),
        ("parent_body_percentage", [round(n / 62, 6) for n in (54, 46, 46, 8, 8)]),
        ("parent_link_density", [z(n, 0.5, 0.5) for n in (4 / 54, 4 / 46, 4 / 46, 0.5, 0.5)]),
        ("parent_contains_year", [1, 1, 1, -1, -1]),
        ("parent_tag_ul", [-1, -1, -1, 1, 1]),
        ("parent_tag_p", [-1, 1, 1, -1, -1]),
        ("grandparent_body_percentage", [1, round(54 / 62, 6), round(54 / 62, 6), 1, 1]),
        ("page_link_density", [z(8 / 62, 0.5, 0.5)] * 5),
        ("tag_a", [-1, -1, 1, 1, -1]),
        ("tag_li", [-1, -1, -1, 1, 1]),
        ("distance_2", [0, -1, 1, -1, 1]),
        ("distance_3", [0, 1, -1, -1, -1]),
        ("distance_more", [0, -1, -1, 1, -1]),
        ("block_break", [0, 1, 0, 1, 1]),
        ("common_body_percentage", [0, round(54 / 62, 6), round(46 / 62, 6), 1, round(8 / 62, 6)]),
    ]:
        assert column(name) == pytest.approx(values)


def test_features_of_small_pages() -> None:
    rows = "".join(f"<div class=row>{n}</div>" for n in range(3))
    for body, feature, values in [
        ("<p>write to anne@example.org</p><p>a</p>", "contains_email", [1, -1]),
        ("<p>see http://example.org/a</p><p>a</p>", "contains_url", [1, -1]),
        ("<p>© us</p><p>a</p>", "contains_copyright", [1, -1]),
        ("<p>done!</p><p>完了。</p><p>a</p>", "ends_with_punctuation", [1, 1, -1]),
        (f"{rows}<div class=text>4</div>", "same_class_path", [0.75, 0.75, 0.75, 0.25]),
        ("<div>a<i>b</i><input></div><p>c<i>d</i></p>", "parent_contains_form", [1, 1, -1, -1]),
    ]:
        assert column(feature, body) == values


def test_without_a_node_above_its_features_are_0() -> None:
    columns = FEATURES.compute(text_nodes("<p>One.</p>"))
    named = [name for name in NAMES if "parent" in name]
    assert len(named) == 62
    assert all(columns[name].tolist() == [0] for name in named)


WEIGHTS = (
    [[[0.5, 0.75], [-1.0, 0.75]], [[0.0, 0.0], [0.25, -0.5]], [[1.0, -1.0], [-0.5, -0.25]]],
    [[[0.25, -0.25, -0.75], [-1.0, -1.0, -1.0]]],
)
BIASES = ([0.25, -0.5], [0.0, 0.5, -1.0])
ROWS = [[-1.5, 2.0], [-1.5, 0.5], [1.0, -1.0], [-1.0, -0.5]]
# torch 2.13.0: Conv1d(2, 2, 3, padding=1), ReLU, Conv1d(2, 3, 1) with these weights.
TORCH_SAYS = [
    [0.0, 0.5, -1.0],
    [0.0, 0.5, -1.0],
    [-0.375, 0.125, -1.375],
    [0.40625, 0.09375, -2.21875],
]


def test_as_torch_said() -> None:
    stack = ConvolutionStack(
        tuple(np.array(weight, np.float32) for weight in WEIGHTS),
        tuple(np.array(bias, np.float32) for bias in BIASES),
    )
    np.testing.assert_allclose(stack(np.array(ROWS, np.float32)), TORCH_SAYS)


def test_stacks_that_are_refused() -> None:
    for shapes, reason in [
        ([(20_000_001, 2, 0)], "is not n x 2 x n finite numbers"),  # no outputs
        ([(101, 2, 2)], "has 101 rows to a layer, 99 at most"),  # wide
        ([(1, 2, 2)] * 17, "has 17 layers, 16 at most"),  # deep
        ([(1, 2, 2000)], "has 2,000 numbers a row, 1,024 at most"),  # many outputs
        ([(2, 2, 2)], "is of even width"),  # even
        ([(1, 2, 3)], "ends in 3 columns, not in 2"),  # another end
    ]:
        arrays: dict[str, NDArray[np.int8]] = {}
        for number, shape in enumerate(shapes):
            arrays[f"net_weight_{number}"] = np.zeros(shape, np.int8)
            arrays[f"net_bias_{number}"] = np.zeros(shape[2], np.int8)
        model = StoredModel(kind="web2text", columns=(), arrays=arrays)
        with pytest.raises(ModelError, match=f"{reason}.*: train it again"):
            read_stack(model, "net", 2, 2)
