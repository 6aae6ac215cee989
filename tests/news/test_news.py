"""The model of `news`, the steps after it, pages in seven scripts, models that do not fit."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from scrapy_boilerplate import Document, Label, Labeling, UnknownExtractorError, extract
from scrapy_boilerplate.extractors import load_extractor
from scrapy_boilerplate.news.extractor import build_news
from scrapy_boilerplate.news.features import COLUMNS
from scrapy_boilerplate.news.model import WORD_LISTS, NewsModel, read_parts, score_labels
from scrapy_boilerplate.page.text import collapse
from scrapy_boilerplate.steps.extractor import FAVORS
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel, save_model
from tests.builders import document, page_of, paragraphs, sentences
from tests.news_models import FAVORED, LABELS, N_HEADS, model_by_hand, stored_news
from tests.test_extraction_properties import SOUP

MIX = np.array([0.25, 0.75])
LOG_ODDS = st.lists(st.floats(-30, 30), min_size=2 * 3 * N_HEADS, max_size=2 * 3 * N_HEADS)


@given(LOG_ODDS)
def test_scores_are_distributions(log_odds: list[float]) -> None:
    given_odds = np.array(log_odds, dtype=np.float32).reshape(2, 3, N_HEADS)
    scores = score_labels(given_odds, MIX)
    assert scores.shape == (3, len(Label))
    assert (scores >= 0).all()
    np.testing.assert_allclose(scores.sum(axis=1), 1)
    content = (1 / (1 + np.exp(-given_odds[..., :2].astype(np.float64)))).mean(axis=0) @ MIX
    np.testing.assert_allclose(scores[:, Label.FULL_TEXT], content)


def test_the_other_labels_share_the_rest_as_the_second_part_has_it() -> None:
    log_odds = np.zeros((1, 1, N_HEADS), dtype=np.float32)  # full text .5, six labels alike
    assert score_labels(log_odds, MIX)[0] == pytest.approx([0.1, 0.1, 0.5, 0.1, 0.1, 0.1])
    log_odds[0, 0, LABELS + Label.COMMENTS] = np.log(4.0)
    result = score_labels(log_odds, MIX)[0]
    assert result == pytest.approx([1 / 16, 1 / 16, 0.5, 1 / 16, 1 / 16, 4 / 16])


def step(model: StoredModel, favor: str = "balanced") -> NewsModel:
    return NewsModel(load_model=lambda: model, favor=favor)


def test_the_step_scores_and_decides_nothing() -> None:
    page = page_of(document(paragraphs(20, 3, 40)))
    before = Labeling.blank(len(page))
    labeling = step(stored_news())(page, before)
    np.testing.assert_allclose(labeling.scores.sum(axis=1), 1)
    assert labeling.labels.tolist() == [Label.BOILERPLATE] * len(page)
    assert set(labeling.decided_by) == {"news-model"}
    assert set(before.decided_by) == {""}


def test_the_model_is_asked_for_once_and_only_for_blocks() -> None:
    asked = []

    def load_model() -> StoredModel:
        asked.append(1)
        return stored_news()

    model = NewsModel(load_model=load_model)
    blank = Labeling.blank(0)
    assert model(page_of(""), blank) is blank
    assert asked == []
    for _ in range(3):
        model(page_of("<p>one"), Labeling.blank(1))
    assert asked == [1]


def test_favors_are_mixes_of_conventions() -> None:
    page = page_of("<ul><li>one</ul>")
    scored = {favor: step(model_by_hand(), favor)(page, Labeling.blank(1)) for favor in FAVORS}
    content = {favor: labeling.scores[0, Label.FULL_TEXT] for favor, labeling in scored.items()}
    assert content == pytest.approx(
        {"balanced": 0.5, "precision": 1 / (1 + np.exp(5)), "recall": 1 / (1 + np.exp(-5))},
        abs=1e-4,  # the net rounds its weights
    )


def test_shares_of_a_mix_are_made_to_add_up_to_1() -> None:
    shares = {**FAVORED, "balanced": {"fundus": 2.0, "wcxb": 6.0}}
    parts = read_parts(stored_news(facts={"favors": shares}))
    assert parts.favors["balanced"].tolist() == [0.25, 0.75]


def broken(**changes: Any) -> StoredModel:
    """A model with other facts and arrays; without those that are None."""
    stored = stored_news()
    facts, arrays = dict(stored.facts), dict(stored.arrays)
    for name, value in changes.items():
        of_model: dict[str, Any] = facts if name in FACTS else arrays
        of_model[name] = value
        if value is None:
            del of_model[name]
    return replace(stored, facts=facts, arrays=arrays)


FACTS = {"conventions", "favors", *(f"{of}_words" for of in WORD_LISTS)}
UNSURE: dict[str, tuple[dict[str, Any], str]] = {
    "no conventions": ({"conventions": None}, "lacks the list 'conventions'"),
    "no favors": ({"favors": None}, "does not define its favors"),
    "an unknown favor": ({"favors": {**FAVORED, "x": {}}}, "does not define its favors"),
    "an unknown convention": ({"favors": {**FAVORED, "recall": {"x": 1}}}, "it does not know"),
    "a favor of nothing": ({"favors": {**FAVORED, "recall": {}}}, "convention"),
    "a favor that is a text": ({"favors": {**FAVORED, "recall": {"wcxb": "x"}}}, "convention"),
    **{f"no {of} words": ({f"{of}_words": None}, f"the words '{of}_words'") for of in WORD_LISTS},
    "a word without a weight": ({"first_words": "one"}, "'first_weights' .* is not 1 finite"),
    "a weight that is no number": (
        {"first_words": "one", "first_weights": np.array([np.nan])},
        "'first_weights' .* finite numbers",
    ),
    "no net": ({"inputs": None}, "lacks the array 'inputs'"),
}


@pytest.mark.parametrize(("changes", "message"), UNSURE.values(), ids=UNSURE.keys())
def test_a_model_that_does_not_fit_is_told_in_a_sentence(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    model = broken(**changes)
    with pytest.raises(ModelError, match=f"{message}.*train it again"):
        read_parts(model)
    save_model(tmp_path / "m", model)
    with pytest.raises(ModelError, match=message):
        load_extractor(str(tmp_path / "m"))
    with pytest.raises(UnknownExtractorError, match=message):
        extract("<p>one", extractor=str(tmp_path / "m"))


def test_other_columns_are_told() -> None:
    with pytest.raises(ModelError, match="trained on other feature columns"):
        read_parts(replace(stored_news(), columns=tuple(COLUMNS)[::-1]))


ARTICLE = [sentences(40, topic) for topic in ("bridge", "river", "ferry")]
BODY = "".join(f"<p>{text}</p>" for text in ARTICLE)
PAGE = document(
    f"<ul><li><a href=/>Home</a><li><a href=/x>Weather</a></ul><h1>Rain in May</h1><div>{BODY}"
    f"<p>{sentences(30, 'mayor')}</p></div>"
    f"<div class=comment><p>{sentences(20, 'reader')}</p></div><p>All rights reserved</p>",
    title="Rain in May",
)


def read(html: str, favor: str = "balanced") -> Document:
    return extract(html, extractor=build_news(model_by_hand, favor))


def test_a_page_by_the_steps_of_news(tmp_path: Path) -> None:
    result = read(PAGE, "precision")
    assert result.text.split("\n\n") == [*ARTICLE, sentences(30, "mayor")]
    assert result.comments == (sentences(20, "reader"),)
    labels = [(block.label, block.text.split()[0]) for block in result.blocks]
    assert labels[:3] == [("boilerplate", "Home"), ("boilerplate", "Weather"), ("headline", "Rain")]
    assert labels[-1] == ("boilerplate", "All")
    assert (result.extractor, result.headline) == ("news", "Rain in May")
    assert result.confidence > 0.95
    save_model(tmp_path / "m", model_by_hand())
    by_path = extract(PAGE, extractor=str(tmp_path / "m"))
    assert (by_path.text, by_path.extractor) == (read(PAGE).text, str(tmp_path / "m"))


SMALL = ("", "<p>one", "<p>|", "<p>one<p>two", "<h2>one</h2><h2>two</h2>", "<h1>a<h1>b")
"""Pages of 0, 1 and 2 blocks."""
STEPS = {step.name: step for step in build_news(stored_news).steps[1:]}
HTML = SOUP | st.sampled_from(SMALL)


def any_labeling(n: int, seed: int) -> Labeling:
    random = np.random.default_rng(seed)
    scores = random.dirichlet(np.full(len(Label), 0.5), n)
    return Labeling.blank(n).set_predictions(random.integers(0, len(Label), n), scores, "x")


@pytest.mark.parametrize("name", STEPS)
@given(html=HTML, seed=st.integers(0, 99))
def test_steps_are_pure_keep_the_scores_and_sign_what_they_change(
    name: str, html: str, seed: int
) -> None:
    page = page_of(html)
    labeling = any_labeling(len(page), seed)
    same = any_labeling(len(page), seed)
    result = STEPS[name](page, labeling)
    for column in ("labels", "scores", "decided_by", "fused"):
        np.testing.assert_array_equal(getattr(labeling, column), getattr(same, column))
    np.testing.assert_array_equal(result.scores, labeling.scores)
    np.testing.assert_array_equal(result.labels, STEPS[name](page, labeling).labels)
    changed = result.labels != labeling.labels
    assert set(result.decided_by[changed]) <= {name}
    assert np.isin(result.labels, list(Label)).all()


LANGUAGES = Path(__file__).parent / "languages"


def source(language: str) -> str:
    """A page of ours. `data-body` and `data-comment`, which no extractor reads, mark its text."""
    return (LANGUAGES / f"{language}.html").read_text(encoding="utf-8")


def marked(language: str, attribute: str) -> list[str]:
    root = lxml_html.document_fromstring(source(language))
    return [collapse(element.text_content()) for element in root.iterfind(f".//*[@{attribute}]")]


@pytest.mark.parametrize("extractor", ["container", "news"])
@pytest.mark.parametrize("language", ["ar", "el", "hi", "ja", "ru", "th", "zh"])
def test_the_body_alone_is_found(language: str, extractor: str) -> None:
    extracted = extract(source(language), extractor=extractor)
    body = marked(language, "data-body")
    assert extracted.text.split("\n\n") == body
    assert len(body) >= 4
    root = lxml_html.document_fromstring(source(language))
    assert extracted.headline == collapse(root.findtext(".//h1") or "")
    assert (extracted.language, extracted.confidence > 0.5) == (language, True)
    if extractor == "news":
        assert set(marked(language, "data-comment")) <= set(extracted.comments)
        undeclared = source(language).replace(f'lang="{language}"', "")
        assert extract(undeclared).text == extracted.text
