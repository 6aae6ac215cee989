"""Scoring: comparisons, order, what a metric judges."""

from typing import get_args

import pytest

from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.evaluation import EvaluationPlan, TextKind, evaluate, score_page
from scrapy_boilerplate.training.metrics import METRICS
from tests.training.builders import ARTICLE, HTML, MENU

PAGES = [
    LabelledPage(id=str(i), dataset="d", html=HTML, url=f"http://s{i}.com/", text=gold)
    for i, gold in enumerate([ARTICLE, ARTICLE, f"{MENU} {ARTICLE}", ARTICLE])
]
TEXT = {"text-nodes", "tokens", "shingles", "characters", "blocks"}
BOTH = ("keep-everything", "min-10-words")
CLASSES = LabelledPage(
    id="l3s",
    dataset="l3s-gn1",
    html=HTML,
    annotated_html=HTML.replace(ARTICLE, f'<span class="x-nc-sel2">{ARTICLE}</span>'),
)


def test_the_best_comes_first_with_interval_and_paired_difference() -> None:
    best, other = evaluate(PAGES, EvaluationPlan(extractors=BOTH)).scores("tokens")
    assert (best.extractor, other.extractor) == ("min-10-words", "keep-everything")
    recall = 20 / 23  # of the page whose gold has the menu's three words too
    assert best.figures["f1"] == pytest.approx((3 + 2 * recall / (1 + recall)) / 4)
    assert best.figures["median"] == 1.0
    low, high = best.interval("f1")
    assert low < best.figures["f1"] < high == 1.0
    difference, (below, above) = other.difference(best, "f1")
    assert below < difference < above
    assert difference == pytest.approx(other.figures["f1"] - best.figures["f1"])
    assert best.difference(best, "f1") == (0.0, (0.0, 0.0))


@pytest.mark.parametrize(
    ("page", "judging"),
    [
        (PAGES[0], TEXT),
        (CLASSES, TEXT | {"blocks-4", "blocks-6"}),
        (LabelledPage(id="1", dataset="d", html=HTML, text_with=("ferry",)), {"segments"}),
        (LabelledPage(id="1", dataset="d", html=HTML, gold_html=f"<p>{ARTICLE}</p>"), TEXT),
        (LabelledPage(id="1", dataset="d", html=HTML), set()),
    ],
)
def test_a_metric_judges_what_the_corpus_says(page: LabelledPage, judging: set[str]) -> None:
    scores = score_page(page, EvaluationPlan(extractors=BOTH[1:], metrics=tuple(METRICS)))
    assert {metric for _, metric in scores.rows} == judging
    for (_, name), row in scores.rows.items():
        figures = METRICS[name].figures(row[None])
        assert next(iter(figures.values())) == 1.0, name


def test_own_text_is_before_the_shared_last_steps() -> None:
    html = f"<title>{ARTICLE}</title><h1>{ARTICLE}</h1><p>{ARTICLE} {MENU}</p>"
    page = LabelledPage(id="1", dataset="d", html=html, text=f"{ARTICLE} {MENU}")
    own, final = (EvaluationPlan(extractors=BOTH[:1], text=text) for text in get_args(TextKind))
    for plan, precision in [(own, 23 / 43), (final, 1.0)]:  # with and without the headline
        assert score_page(page, plan).rows[BOTH[0], "tokens"][0] == pytest.approx(precision)


def test_text_nodes_count_one_each_however_long() -> None:
    # text nodes: 2 of the menu, one long paragraph; all are kept
    html = f"<ul><li>Home</li><li>News</li></ul><p>{ARTICLE}</p>"
    page = LabelledPage(id="1", dataset="d", html=html, text=ARTICLE)
    plan = EvaluationPlan(extractors=BOTH[:1], metrics=("text-nodes",), text="own")
    [row] = score_page(page, plan).rows.values()
    figures = METRICS["text-nodes"].figures(row[None])
    assert figures == pytest.approx(
        {"f1": 0.5, "precision": 1 / 3, "recall": 1.0, "accuracy": 1 / 3}
    )
