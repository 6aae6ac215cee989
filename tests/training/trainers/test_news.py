"""``train news`` from JSON lines to an extractor, on a dozen pages of our own."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrapy_boilerplate import Label, extract
from scrapy_boilerplate.cli import main
from scrapy_boilerplate.extractors import get_extractor
from scrapy_boilerplate.news.features import COLUMNS
from scrapy_boilerplate.news.model import read_parts
from scrapy_boilerplate.news.net import SequenceNet
from scrapy_boilerplate.steps.extractor import LearnedStep
from scrapy_boilerplate.steps.model_store import load_model
from scrapy_boilerplate.training import run
from scrapy_boilerplate.training.corpora import CorpusError
from scrapy_boilerplate.training.gold import UNKNOWN
from scrapy_boilerplate.training.trainers import TRAINERS, news, news_net
from scrapy_boilerplate.training.trainers.news_net import NetKind, NetPage, train_nets
from tests.news_models import random_groups
from tests.training.builders import write_corpus
from tests.training.trainers.pages import COMMENT, PARAGRAPHS, TEXT, gold, page, records, story

for package in ("sklearn", "tldextract"):
    pytest.importorskip(package)
pytestmark = pytest.mark.torch("trains nets")


SMALL = NetKind(channels=8, hidden_features=0.35)
TWO_KINDS = (2, (SMALL, replace(SMALL, channels=12, layers=2)))
# Enough epochs to find the text of another page.
LONG = (60, (NetKind(channels=8),))


@pytest.fixture(autouse=True)
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nets that are trained in a second or two, and scored in no more."""
    epochs, kinds = getattr(request, "param", TWO_KINDS)
    monkeypatch.setattr(run, "METRICS", ("tokens",))
    monkeypatch.setattr(news_net, "EPOCHS", epochs)
    monkeypatch.setattr(news_net, "STUDENT_EPOCHS", epochs)
    monkeypatch.setattr(news_net, "STUDENT", replace(SMALL, hidden_features=0.0))
    monkeypatch.setattr(news_net, "KINDS", kinds)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "mine.jsonl", *records())


def train(corpus: Path, out: Path, *more: str) -> None:
    command = ["train", "news", "--corpus", str(corpus), "--out", str(out), *more]
    assert main(command) == 0


@pytest.mark.parametrize("small", [LONG], indirect=True)
def test_from_json_lines_to_an_extractor(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "m"
    train(corpus, out)
    output = capsys.readouterr().out
    assert "news: trained on 11 pages; 1 page of 1 site held out" in output
    assert "mine: 1 of 1 page, 1 site; tokens" in output
    assert f"use it with --extractor {out}" in output
    model = load_model(out)
    assert (model.kind, model.columns, model.facts["seed"]) == ("news", tuple(COLUMNS), 0)
    assert model.facts["conventions"] == ["mine"]
    assert "# news" in (out / "CARD.md").read_text(encoding="utf-8")
    document = extract(page(), extractor=str(out))
    assert document.text.split("\n\n") == PARAGRAPHS
    assert COMMENT in document.comments
    assert document.confidence > 0.7


def test_the_same_seed_gives_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    for name, seed in (("a", "3"), ("b", "3"), ("c", "4")):
        train(corpus, tmp_path / name, "--seed", seed, "--held-out", "0")
    for file in ("model.json", "weights.safetensors"):
        first, second, other = ((tmp_path / name / file).read_bytes() for name in "abc")
        assert first == second
        assert first != other


def test_favors_by_corpora() -> None:
    for datasets, balanced, precision, recall in [
        (["mine"], ["mine"], ["mine"], ["mine"]),
        (["fundus", "mine"], ["fundus", "mine"], ["fundus", "mine"], ["fundus", "mine"]),
        (["fundus", "mine", "wcxb"], ["fundus", "wcxb"], ["fundus"], ["wcxb"]),
        (["trafilatura", "waddle"], ["trafilatura", "waddle"], ["waddle"], ["trafilatura"]),
    ]:
        favors = {"balanced": balanced, "precision": precision, "recall": recall}
        assert news.mix_conventions(datasets) == {
            favor: dict.fromkeys(mixed, 1 / len(mixed)) for favor, mixed in favors.items()
        }


def test_conventions_are_those_of_the_corpora() -> None:
    datasets = ["fundus", "mine", "wcxb"] * 5
    pages = [
        gold(url=f"https://{name}{n}.com/", text=TEXT, dataset=name)
        for n, name in enumerate(datasets)
    ]
    model = TRAINERS["news"](pages, 0)
    assert model.facts["conventions"] == datasets[:3]
    assert model.facts["favors"] == news.mix_conventions(datasets[:3])
    parts = read_parts(model)
    assert parts.net.layers.shape[:2] == (1, 3)
    assert parts.net.outputs.shape[1:] == (8, 3 + len(Label))


def test_nothing_to_learn_from_is_an_error() -> None:
    with pytest.raises(CorpusError, match="no page to train on"):
        TRAINERS["news"]([gold(text=story(99, "the text of another page"))], 0)


def net_page(n: int, content: float = 1.0, label: int = UNKNOWN, weight: float = 1.0) -> NetPage:
    rows = np.random.default_rng(n).normal(size=(n, 3))
    return NetPage(
        rows, random_groups(n), np.full(n, content), np.full(n, label, np.int64), weight, 0
    )


def test_the_net_of_any_pages_is_finite() -> None:
    for pages in [
        [net_page(1), net_page(40)],  # short and long
        [net_page(3, np.nan)],  # nothing known
        [net_page(3, np.nan, Label.COMMENTS)],  # only labels
        [net_page(3, weight=0.0)],  # weighs nothing
        [net_page(2)] * 40,  # several batches
    ]:
        nets = train_nets(pages, 2, seed=0)
        for net in nets:
            assert all(np.isfinite(array).all() for array in vars(net).values())
            scores = net(pages[0].rows, pages[0].groups)
            assert np.isfinite(scores).all()


def test_on_top_of_news_begins_with_what_it_knows(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a step of learning it says what `news` says."""
    monkeypatch.setattr(news_net, "LOWER_LEARNING_RATE", 0.0)
    train(corpus, tmp_path / "m", "--held-out", "0", "--on-top-of", "news")
    trained, shipped = (extract(page(), extractor=name) for name in (str(tmp_path / "m"), "news"))
    assert trained.text == shipped.text
    assert [block.label for block in trained.blocks] == [block.label for block in shipped.blocks]
    step = get_extractor(str(tmp_path / "m")).steps[0]
    assert isinstance(step, LearnedStep)
    assert step.load_model() is step.load_model(), "its weights are read once"
    model = load_model(tmp_path / "m")
    assert (model.facts["conventions"], model.facts["on_top_of"]) == (["mine"], "news")


def test_on_top_of_a_model_that_does_not_fit_is_an_error(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, message in [
        ("news --on-top-of c48", "the model 'c48' was trained on other feature columns"),
        ("c48 --on-top-of news", "--on-top-of does not apply to c48, only to news"),
    ]:
        where = ["--corpus", str(corpus), "--out", str(tmp_path / "m")]
        assert main(["train", *command.split(), *where]) == 1
        assert message in capsys.readouterr().err


def test_torch_and_numpy_say_the_same() -> None:
    """The net that was trained is the net that scores."""
    torch: Any = import_module("torch")
    pages = [net_page(9), net_page(4)]
    inputs = [page.rows.astype(np.float32) for page in pages]
    member = news_net.NetTrainer(pages, inputs, 2, 1, NetKind(channels=8, layers=2))
    member.schedule_steps(1, 0.01)
    member.train_epoch()
    member.net.eval()
    member.kind = replace(member.kind, dropout=0.0, input_dropout=0.0, hidden_pools=0.0)
    with torch.no_grad():
        wanted, labels = member.forward(
            torch.from_numpy(inputs[0])[None], member._number_groups(pages[:1])
        )
    arrays = {name: array[np.newaxis] for name, array in member.arrays().items()}
    ones, zeros = np.ones(3, np.float32), np.zeros(3, np.float32)
    net = SequenceNet(mean=zeros, scale=ones, **arrays)
    scores = net(pages[0].rows, pages[0].groups)[0]
    # inference rounds weights to 8 bits
    np.testing.assert_allclose(scores[:, :2], wanted[0].numpy(), atol=0.005)
    np.testing.assert_allclose(scores[:, 2:], labels[0].numpy(), atol=0.005)


def test_net_takes_most_lessons_from_two_conventions() -> None:
    for conventions, shares in [
        (("mine", "yours"), [0.5, 0.5]),
        (("fundus", "wcxb"), [0.5, 0.5]),
        (("fundus", "mine", "trafilatura", "wcxb", "yours"), [0.4, 0.05, 0.1, 0.4, 0.05]),
    ]:
        assert news.share_lessons(conventions).tolist() == pytest.approx(shares)
