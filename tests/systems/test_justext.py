"""jusText: grades by hand, neighbours and corpus pages against the package, other scripts."""

import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import mean
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_boilerplate import EXTRACTORS, Labeling, Page
from scrapy_boilerplate.training.tokens import compute_token_f1
from tests.builders import read_corpus, segmented_page, step_of, true_at

get_stoplist: Any = pytest.importorskip("justext").get_stoplist
justext: Any = pytest.importorskip("justext.core", reason="its stop words are the package's")

JUSTEXT = EXTRACTORS["justext"]
GRADES = "good", "near good", "short"


def page_of(body: str, language: str = "en") -> Page:
    return segmented_page(f'<html lang="{language}"><body>{body}</body></html>', None, JUSTEXT)


def running(characters: int) -> str:
    """A text of so many characters, all of its words stop words, apart maybe from the last."""
    return " ".join(["the"] * (characters // 4)).ljust(characters, "x")


def words(stop: int, other: int) -> str:
    """So many stop words and so many others, of three letters each."""
    return " ".join(["the"] * stop + ["qqq"] * other)


def grades(page: Page) -> list[str]:
    """The context-free grade of each paragraph."""
    labeling = step_of("justext", "context-free-grades")(page, Labeling.blank(len(page)))
    marked = {grade: labeling.marked(grade) for grade in GRADES}
    return [next((g for g in marked if marked[g][i]), "bad") for i in range(len(page))]


def test_grade_on_its_own() -> None:
    for text, grade in [
        (running(69), "short"),
        (running(70), "near good"),
        (running(200), "near good"),
        (running(201), "good"),
        (words(32, 68), "good"),
        (words(30, 70), "near good"),
        (words(29, 71), "bad"),
        (f'<a href="/">{running(20)}</a>{running(80)}', "near good"),
        (f'<a href="/">{running(21)}</a>{running(79)}', "bad"),
        (f"<a>{running(69)}</a>", "short"),
        (f"© {running(210)}", "bad"),
    ]:
        assert grades(page_of(f"<p>{text}</p>")) == [grade]


GRADED = st.lists(
    st.tuples(
        st.sampled_from(["good", "neargood", "short", "bad"]),
        st.booleans(),
        st.sampled_from([1, 60, 70, 99, 100, 199, 200, 201]),
    ),
    max_size=12,
)


@settings(max_examples=150)
@given(graded=GRADED)
@example(graded=[("short", True, 5), ("bad", False, 200), ("good", False, 201)])
def test_neighbours_as_in_the_package(graded: list[tuple[str, bool, int]]) -> None:
    theirs = [
        SimpleNamespace(cf_class=g, class_type="", heading=h, text="x" * n) for g, h, n in graded
    ]
    justext.revise_paragraph_classification(theirs, max_heading_distance=200)
    tags = ("p", "h2")
    page = page_of("".join(f"<{tags[h]}>{'x' * n}</{tags[h]}>" for _, h, n in graded))
    labeling = Labeling.blank(len(page))
    for mark in GRADES:
        labeling = labeling.mark(
            mark, np.array([g == mark.replace(" ", "") for g, _, _ in graded], np.bool_)
        )
    labeling = labeling.classify(labeling.marked("good"), "test")
    ours = step_of("justext", "context-sensitive-grades")(page, labeling)
    assert ours.content.tolist() == [p.class_type == "good" for p in theirs]


CHINESE = "这是一个关于城市的故事，人们每天都在这里工作和生活，他们说一切都会好起来。" * 2
THAI = " ".join(["คนในเมืองนี้บอกว่าเขาทำงานที่นี่ทุกวัน"] * 6)


def test_without_a_list_a_clause_makes_running_text() -> None:
    for language, text, grade in [
        ("zh", CHINESE, "good"),
        ("th", THAI, "good"),
        ("xx", f"{running(240)}.", "good"),
        ("zh", "首页 新闻 体育 " * 12, "bad"),
        ("th", "หน้าแรก ข่าว กีฬา " * 12, "bad"),
        ("xx", "Home News " * 30, "bad"),
    ]:
        assert grades(page_of(f"<p>{text}</p>", language)) == [grade]


def test_lengths_are_those_of_a_script_with_spaces() -> None:
    """Of 70 characters on, a paragraph is not short."""
    for character, least in [("x", 70), ("城", 24), ("ไ", 58)]:
        for n in (least - 1, least):
            assert (grades(page_of(f"<p>{character * n}</p>")) == ["short"]) is (n < least)


LISTS = {
    language: get_stoplist(name)
    for language, name in {"en": "English", "de": "German", "fr": "French"}.items()
}


def test_corpus_pages_as_in_the_package(corpora: Path) -> None:
    """Token F1 of the texts in the declared language if it has a list, else both as English."""
    scores = []
    for record in islice(read_corpus(corpora / "fundus.jsonl.xz"), 30):
        page = segmented_page(record["html"], None, JUSTEXT)
        language = page.language if page.language in LISTS else "en"
        theirs = justext.justext(record["html"], LISTS[language])
        content = JUSTEXT.decide_content(replace(page, language=language)).content
        good = "\n".join(p.text for p in theirs if not p.is_boilerplate)
        scores.append(compute_token_f1(page.join_blocks(true_at(content)), good))
    assert mean(scores) >= 0.99
    assert min(scores) >= 0.9


def test_a_list_holds_the_words_of_its_language() -> None:
    for language, word, foreign in [
        ("en", "the", "nicht"),
        ("no", "ikke", "nicht"),
        ("iw", "של", "which"),
    ]:
        assert grades(page_of(f"<p>{f'{word} ' * 80}</p>", language)) == ["good"]
        assert grades(page_of(f"<p>{f'{foreign} ' * 80}</p>", language)) == ["bad"]


def test_without_justext_there_is_no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "justext", None)
    # no other test asks for this language, whose list stays unknown in this process
    assert grades(page_of(f"<p>{running(240)}.</p>", "wa")) == ["good"], "a clause"


def test_clause() -> None:
    for text, expected in [
        ("one two three four five.", True),
        ("one two three four.", False),
        ("one, two three four five six! Seven", True),
        ("one two three four five.) six", False),  # a bracket after the mark
        ('"one two three four five."', False),
        ("एक दो तीन चार पाँच।", True),
        ("这是一个关于城市的故事。", True),
        ("คนในเมืองนี้บอกว่าเขาทำงานที่นี่ทุกวัน แล้ว", True),
        ("ข่าว กีฬา บันเทิง ธุรกิจ เทคโนโลยี", False),
        ("", False),
        ("." * 50_000, False),
    ]:
        page = page_of(f"<p>{text} {'q' * 201}</p>", "xx")
        assert grades(page) == ["good" if expected else "bad"], text[:40]
