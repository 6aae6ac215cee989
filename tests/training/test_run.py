"""``scrapy-boilerplate train``, from JSON lines to an extractor by path."""

from pathlib import Path

import pytest

from scrapy_boilerplate import EXTRACTORS, extract
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.steps.model_store import load_model
from scrapy_boilerplate.training.run import RIGHTS
from scrapy_boilerplate.training.trainers import TRAINERS
from tests.conftest import REPO
from tests.training.builders import write_corpus
from tests.training.labelled_pages import record

pytest.importorskip("sklearn")
pytest.importorskip("tldextract")


def trained(name: str, corpus: Path, out: Path, *more: str) -> Path:
    assert main(["train", name, "--corpus", str(corpus), "--out", str(out), *more]) == 0
    return out


@pytest.mark.parametrize("name", ["c48", "svm", "mlp"])
def test_what_is_trained_extracts_by_its_path(
    name: str, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = trained(name, corpus, tmp_path / "model")
    printed = capsys.readouterr().out
    assert "held out" in printed
    assert "roc_auc" in printed
    document = extract(record(99)["html"], extractor=str(folder))
    assert document.extractor == str(folder)
    assert "The harbour went on" not in document.text
    assert document.text.startswith("The bakery went on")
    assert "rights reserved" not in document.text


def test_the_same_seed_gives_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    first, second = (trained("mlp", corpus, tmp_path / folder, "--seed", "7") for folder in "ab")
    for file in ("model.json", "weights.safetensors"):
        assert (first / file).read_bytes() == (second / file).read_bytes()


def test_six_classes_are_learnt(corpus: Path, tmp_path: Path) -> None:
    folder = trained("c48-6", corpus, tmp_path / "model", "--held-out", "0")
    blocks = extract(record(98)["html"], extractor=str(folder)).blocks
    labels = {" ".join(block.text.split()[:3]): block.label for block in blocks}
    assert labels["The orchard returns"] == "headline"
    assert labels["The orchard went"] == "full_text"
    assert labels["Photo: the orchard"] == "supplemental"
    assert labels["I like the"] == "comments"


def test_a_net_for_each_language_with_enough_pages(tmp_path: Path) -> None:
    pages = [record(n, "de" if n % 4 == 0 else "en", annotated=False) for n in range(80)]
    corpus = write_corpus(tmp_path / "two.jsonl", *pages)
    folder = trained("mlp", corpus, tmp_path / "model", "--held-out", "0")
    model = load_model(folder)
    assert model.facts["languages"] == ["pooled", "en"]  # 20 German pages are too few
    assert {"hidden.pooled", "hidden.en"} <= set(model.arrays)


def test_the_card_says_what_the_model_is_made_of(corpus: Path, tmp_path: Path) -> None:
    folder = trained("c48", corpus, tmp_path / "model", "--seed", "3")
    card = (folder / "CARD.md").read_text()
    assert "scrapy-boilerplate train c48 --corpus made-up.jsonl --out c48 --seed 3" in card
    assert "| your own |" in card
    assert RIGHTS not in card
    facts = load_model(folder).facts
    assert facts["corpora"][0]["file"] == "made-up.jsonl"


def test_a_model_learns_from_snippets_alone(tmp_path: Path) -> None:
    pages = []
    for number in range(30):
        page = record(number, annotated=False)
        text = page.pop("text")
        pages.append(page | {"with": [text[:60]], "without": ["Home", "all rights reserved"]})
    corpus = write_corpus(tmp_path / "snippets.jsonl", *pages)
    folder = trained("c48", corpus, tmp_path / "model")
    document = extract(record(99)["html"], extractor=str(folder))
    assert document.text.startswith("The bakery went on")


@pytest.mark.parametrize(
    ("arguments", "pages", "message"),
    [
        (["nonsense"], 5, "unknown trainer 'nonsense'; the trainers are:\n  "),
        (["c48-6"], 5, "6 classes need pages with 'annotated_html'"),
        (["c48"], 0, "no page to train on in "),
        (["c48", "--held-out", "0.999"], 1, "the sites of all 1 pages are held out"),
    ],
)
def test_what_cannot_be_trained_is_an_error(
    arguments: list[str],
    pages: int,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    records = (record(number, annotated=False) for number in range(pages))
    corpus = write_corpus(tmp_path / "c.jsonl", *records)
    assert main(["train", *arguments, "--corpus", str(corpus), "--out", str(tmp_path / "m")]) == 1
    assert message in capsys.readouterr().err


def test_a_number_out_of_range_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for option, values, message in [
        ("--seed", ("-1", "4294967296", "1.5", "9" * 5000), "an integer from 0 to 4294967295"),
        ("--held-out", ("1", "-0.1", "x"), "a number from 0 to less than 1"),
    ]:
        for value in values:
            with pytest.raises(SystemExit):
                main(["train", "mlp", "--corpus", "x", "--out", "y", f"{option}={value}"])
            assert f"is not {message}" in capsys.readouterr().err


def test_every_shipped_model_has_a_trainer_and_a_card_of_its_data_and_terms() -> None:
    for card in sorted((REPO / "scrapy_boilerplate").rglob("CARD.md")):
        name, text = card.parent.name, card.read_text(encoding="utf-8")
        if name in EXTRACTORS and name != "news-permissive":
            assert name in TRAINERS
            assert get_extractor(name).name == name
            assert f"scrapy-boilerplate train {name} " in text
        assert f"files of the model contain weights, no pages. {RIGHTS}\n" in text
