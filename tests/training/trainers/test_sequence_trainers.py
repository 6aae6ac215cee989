"""crf, web2text and ncleaner trained on a few pages of JSON lines."""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from scrapy_boilerplate import MissingExtraError, extract
from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.steps.model_store import StoredModel, save_model
from scrapy_boilerplate.training.corpora import CorpusError, LabelledPage
from scrapy_boilerplate.training.gold import UNKNOWN, Gold, read_gold
from scrapy_boilerplate.training.run import TrainingTask, train_model
from scrapy_boilerplate.training.trainers import TRAINERS, systems

MENU = "<ul><li><a href=/>Home</a></li><li><a href=/n>News of today</a></li></ul>"
NAMES = ["ncleaner", "crf", pytest.param("web2text", marks=pytest.mark.torch("trains nets"))]

SENTENCES = (
    "The {0} kept the town awake for most of the night, and nobody knew when it would end.",
    "A man who lives by the old bridge told us that he had never seen the like of this {0}.",
    "In the morning the mayor asked for help, because three of the five boats were lost.",
)


def list_sentences(topic: str) -> list[str]:
    return [sentence.format(topic) for sentence in SENTENCES]


def page_about(topic: str) -> str:
    paragraphs = "".join(f"<p>{sentence}</p>" for sentence in list_sentences(topic))
    return f"<html><body>{MENU}<div>{paragraphs}</div>{MENU}</body></html>"


PAGES = [
    read_gold(
        LabelledPage(
            id=topic,
            dataset="own",
            url=f"http://{topic}.example/",
            html=page_about(topic),
            text="\n".join(list_sentences(topic)),
        )
    )
    for topic in ("rain", "wind", "ferry", "harbour", "repair", "engine")
]


def train(name: str, pages: list[Gold]) -> StoredModel:
    if name == "web2text":
        return systems.train_web2text(pages, seed=3, steps=60)
    return (
        systems.train_crf(pages, seed=3) if name == "crf" else systems.train_ncleaner(pages, seed=3)
    )


@pytest.mark.parametrize("name", NAMES)
def test_what_is_trained_is_an_extractor(name: str, tmp_path: Path) -> None:
    save_model(tmp_path / name, train(name, PAGES))
    extractor = get_extractor(f"{tmp_path}/{name}")
    assert extractor.name == f"{tmp_path}/{name}"
    text = extract(page_about("storm"), extractor=extractor).text
    assert text == "\n\n".join(list_sentences("storm"))


def test_its_package_is_asked_for_before_pages_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in TRAINERS["crf"].packages:  # the others count as installed
        missing = package == "pycrfsuite"
        monkeypatch.setitem(sys.modules, package, None if missing else ModuleType(package))
    with pytest.raises(MissingExtraError, match=r"training crf needs pycrfsuite: .*\[train\]"):
        train_model(TrainingTask(name="crf", files=(tmp_path / "missing.jsonl",)))


@pytest.mark.parametrize("name", NAMES)
def test_pages_that_teach_nothing_are_an_error(name: str) -> None:
    page = LabelledPage(id="a", dataset="own", html="<p>one two", text="one two")
    with pytest.raises(CorpusError, match="no page to train on"):
        train(name, [read_gold(page)])


def test_two_neighbours_make_one_of_four_classes() -> None:
    classes = systems.pair_classes(np.array([0, 0, 1, 1, 0, UNKNOWN, 1]))
    assert classes.tolist() == [0, 1, 3, 2, UNKNOWN, UNKNOWN]


def test_patches_of_short_pages_are_filled_up() -> None:
    rows, classes = np.ones((2, 3), np.float32), np.array([0, 1])
    patches = systems.PatchSampler([(rows, classes)], seed=0)
    batch, known = patches.draw_batch()
    assert batch.shape == (systems.PATCHES, systems.PATCH, 3)
    assert known[0].tolist() == [0, 1] + [UNKNOWN] * (systems.PATCH - 2)
    assert not batch[:, 2:].any()


def test_unknown_blocks_take_the_class_before_them() -> None:
    classes = systems.fill_unknown(np.array([UNKNOWN, 1, UNKNOWN, 0, UNKNOWN]))
    assert classes.tolist() == [1, 1, 1, 0, 0]
