"""crf, web2text and ncleaner on CleanEval, and what they cost: a section of docs/learned.md.

``python -m benchmarks.learning.sequences`` prints it alone. The models that ship are scored on the
sites they never saw. For the competition's own split all three are trained anew (needs the extra
[train]).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.learning.prose import table
from benchmarks.speed import CORPORA
from scrapy_boilerplate.extraction import load_page
from scrapy_boilerplate.extractors import build_from_model, find_model_folder, get_extractor
from scrapy_boilerplate.page.blocks import TextNodes
from scrapy_boilerplate.page.labels import Label
from scrapy_boilerplate.page.text import is_blank
from scrapy_boilerplate.steps.chain import compute_label_shares, find_best_chain
from scrapy_boilerplate.steps.extractor import Extractor
from scrapy_boilerplate.steps.features import build_matrix
from scrapy_boilerplate.steps.model_store import load_model, load_shipped
from scrapy_boilerplate.systems.victor.crf import code_template, read_chain_weights
from scrapy_boilerplate.systems.web2text.model import read_web2text_nets
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages, split_by_site
from scrapy_boilerplate.training.evaluation import EvaluationPlan, Score, evaluate, extract_page
from scrapy_boilerplate.training.gold import Gold, read_gold
from scrapy_boilerplate.training.trainers import TRAINERS

DEV, FINAL = "cleaneval-dev", "cleaneval-final"
HELD_OUT, SEED = 0.2, 0
"""As the models that ship were trained: the defaults of ``train``."""

TOLD = {
    "web2text": ".86 / .87 / .90 / .88",
    "crf": "F1 .84",
    "bte": "F1 .83",
}
"""Accuracy, precision, recall, F1 of blocks in Vogels et al. 2018, Table 1, first split; as the
literature has them."""
TOLD_FINAL: Mapping[str, str] = {}
"""The same for the competition's split: no figures are at hand."""

KINDS = ("crf", "web2text", "ncleaner")
BASELINES = ("bte", "keep-everything", "num-words")
TYPICAL_BLOCKS = 250
"""Blocks of the page that costs are told for."""
ROUNDS = 200

HEADING = "Sequences: crf, web2text, ncleaner"
INTRODUCTION = f"""## {HEADING}

Web2Text's figures are about text nodes: each counts one, content or not. Ours follow the alignment
of the gold text (`training/alignment.py`). Nodes that it cannot tell, a tenth, do not count: most
have no letter or digit, some read like a part of the gold text in another place. "every node" takes
them for boilerplate. The text is what an extractor's own steps decide (`--text own`).

The paper's labels come from another alignment: its BTE is at F1 .83, so compare within a table
first. The split is by registered domain, {1 - HELD_OUT:.0%} of the sites to train on; the paper cut
531, 58 and 148 pages without regard to sites. `ncleaner` labels whole blocks by their characters
alone, and short ones badly; the paper scores its text, by tokens (.894 mean in Kohlschuetter
et al. 2010, Figure 2)."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    print(section(parser.parse_args().corpora))


def section(corpora: Path, limit: int | None = None) -> str:
    """The section of docs/learned.md."""
    dev, final = (list(read_pages(corpora / f"{name}.jsonl.xz", limit)) for name in (DEV, FINAL))
    _, held = split_by_site([*dev, *final], HELD_OUT)
    names = [*KINDS, *BASELINES]
    sites = {page.site for page in final}
    training = [page for page in dev if page.site not in sites]
    return "\n\n".join(
        (
            INTRODUCTION,
            f"{len(held)} pages of {len({page.site for page in held})} sites kept apart:",
            _scores(held, names, TOLD),
            f"The competition's own split: {len(training)} of {len(dev)} development pages (those "
            f"of other sites) to train on, all {len(final)} final pages to test:",
            _scores(final, [*_trained(training), *BASELINES], TOLD_FINAL),
            _costs(dev),
        )
    )


def _trained(pages: Sequence[LabelledPage]) -> Iterator[Extractor]:
    gold = list(map(read_gold, pages))
    for name in KINDS:
        yield replace(build_from_model(TRAINERS[name](gold, SEED)), name=name)


def _scores(
    pages: Sequence[LabelledPage], extractors: Sequence[str | Extractor], told: Mapping[str, str]
) -> str:
    named = [get_extractor(one) if isinstance(one, str) else one for one in extractors]
    chosen = {one.name: one for one in named}
    gold = list(map(read_gold, pages))
    plan = EvaluationPlan(extractors=tuple(named), metrics=("text-nodes", "tokens"), text="own")
    evaluation = evaluate(pages, plan)
    by_tokens = {score.extractor: score for score in evaluation.scores("tokens")}
    rows = [
        [
            "extractor",
            "accuracy / precision / recall / F1",
            "F1, 95 %",
            "paper",
            "every node: accuracy / F1",
            "token F1, mean / median",
        ]
    ]
    rows += [
        [
            score.extractor,
            " / ".join(
                _share(score.figures[name]) for name in ("accuracy", "precision", "recall", "f1")
            ),
            " to ".join(map(_share, score.interval("f1"))),
            told.get(score.extractor, ""),
            _every_node(gold, chosen[score.extractor]),
            _mean_and_median(by_tokens[score.extractor]),
        ]
        for score in evaluation.scores("text-nodes")
    ]
    return table(rows)


def _every_node(pages: Sequence[Gold], extractor: Extractor) -> str:
    """Accuracy and F1 if what the alignment cannot tell is no content."""
    rows = []
    for gold in pages:
        output = extract_page(extractor, gold.page, "own")
        sizes = output.page.blocks.end_leaf - output.page.blocks.first_leaf
        said = np.repeat(output.labeling.content, sizes)
        wanted = gold.leaf_labels == Label.FULL_TEXT
        shown = np.array([not is_blank(text) for text in gold.page.leaves.texts], dtype=np.bool_)
        cells = (said & wanted, said & ~wanted, ~said & wanted, ~said & ~wanted)
        rows.append([int((cell & shown).sum()) for cell in cells])
    right, extra, missed, rest = np.sum(rows, axis=0).tolist()
    accuracy = (right + rest) / (right + extra + missed + rest)
    return f"{_share(accuracy)} / {_share(2 * right / (2 * right + extra + missed))}"


def _mean_and_median(score: Score) -> str:
    return f"{_share(score.figures['f1'])} / {_share(score.figures['median'])}"


def _costs(pages: Iterable[LabelledPage]) -> str:
    """Milliseconds on a page of about the typical size; loading included."""
    segmented = [TextNodes()(load_page(page.html).page) for page in pages]
    page = min(segmented, key=lambda one: abs(len(one) - TYPICAL_BLOCKS))
    nets, chain = (
        read_web2text_nets(load_shipped(find_model_folder("web2text"))),
        read_chain_weights(load_shipped(find_model_folder("crf"))),
    )
    rows = build_matrix(nets.features, page).astype(np.float32)
    codes = code_template(page)

    def web2text() -> object:
        potentials = nets.potentials(rows)
        return find_best_chain(*potentials), compute_label_shares(*potentials)

    def crf() -> object:
        potentials = chain.potentials(codes)
        return find_best_chain(*potentials), compute_label_shares(*potentials)

    tasks: dict[str, Callable[[], object]] = {
        "web2text: nets and Viterbi, features given": web2text,
        "web2text: features": lambda: build_matrix(nets.features, page),
        "crf: chain and Viterbi, features given": crf,
        "crf: features": lambda: code_template(page),
        **{f"{kind}: load": _loading(kind) for kind in KINDS},
    }
    rows_told = [["step", "CPU milliseconds"]]
    rows_told += [[name, f"{_milliseconds(task):.2f}"] for name, task in tasks.items()]
    sizes = sum(
        file.stat().st_size for kind in KINDS for file in (find_model_folder(kind)).iterdir()
    )
    return (
        f"Cost on a page of {len(page)} blocks, median of {ROUNDS} runs; the files "
        f"of the three models have {sizes / 1000:.0f} KB:\n\n{table(rows_told)}"
    )


def _loading(kind: str) -> Callable[[], object]:
    return lambda: build_from_model(load_model(find_model_folder(kind)))


def _milliseconds(task: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = process_time()
        task()
        times.append(process_time() - start)
    return float(np.median(times)) * 1000


def _share(share: float) -> str:
    return f"{share:.3f}".removeprefix("0")


if __name__ == "__main__":
    main()
