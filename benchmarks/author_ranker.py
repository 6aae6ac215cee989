"""``python -m benchmarks.author_ranker``: trains the model that ranks candidates for the authors.

Boosted trees over the candidates of the pages of CORPORA and of their further pages in `more`. A
candidate is right if its names are those of the corpus. Pages without authors in the corpus teach
with a small weight that nobody is named. ``--left-out`` prints the share of pages that are right
when the corpus is left out of the training. Takes about five minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from benchmarks.corpora import ARTICLE_TYPES, CORPORA, corpus_file
from scrapy_boilerplate.extraction import extract
from scrapy_boilerplate.metadata.authors import MODEL, collect_candidates, read_declared_places
from scrapy_boilerplate.metadata.ranking import KIND, MISSING, TreeRanker
from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.page.labels import FloatArray
from scrapy_boilerplate.steps.model_store import StoredModel, save_model
from scrapy_boilerplate.training.corpora import LabelledPage, read_pages
from scrapy_boilerplate.training.metrics.fields import FIELD_JUDGES, is_same_authors

# corpus -> the weight of its pages
CORPUS_WEIGHTS = {"fundus": 1.5, "article-extraction": 1.5, "trafilatura": 1.0, "wcxb": 1.0}
# weights of pages without authors in the corpus, and of pages on which no candidate is right
UNKNOWN_WEIGHT, LOST_WEIGHT = 0.15, 0.5
TREES = 300
PARAMETERS: Mapping[str, Any] = {
    "objective": "binary",
    "num_leaves": 8,
    "learning_rate": 0.05,
    "min_child_samples": 10,
    "lambda_l2": 3,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "max_bin": 63,
    "num_threads": 1,
    "seed": 1,
    "deterministic": True,
    "verbose": -1,
}


@dataclass(frozen=True)
class Example:
    """The candidates of one page: their features, and which have the names of the corpus."""

    corpus: str
    is_known: bool
    candidates: Sequence[Mapping[str, float]]
    right: FloatArray


def main() -> None:
    """Train, and write the model."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--left-out", action="store_true", help="judge by corpora left out")
    options = parser.parse_args()
    examples = list(read_examples(options.corpora))
    if options.left_out:
        print(format_left_out(examples))
        return
    model = train_ranker(examples)
    save_model(MODEL, model)
    print(f"{len(examples)} pages, {len(model.columns)} features -> {MODEL}")


def read_examples(corpora: Path) -> Iterator[Example]:
    """Yield the examples of the articles in both folders of corpora."""
    for corpus in CORPUS_WEIGHTS:
        for file in (corpus_file(corpora, corpus), corpus_file(corpora / "more", corpus)):
            print(f"{file} ...", file=sys.stderr)
            for page in read_pages(file) if file.exists() else ():
                if page.page_type in ARTICLE_TYPES:
                    labelled = extract(page.html, page.url).labelled
                    if labelled is not None:
                        yield build_example(page, corpus, MetadataSources(*labelled))


def build_example(page: LabelledPage, corpus: str, sources: MetadataSources) -> Example:
    """Return the example of a page."""
    candidates = collect_candidates(sources, read_declared_places(sources))
    is_known = FIELD_JUDGES["authors"].knows(page)
    right = [is_known and is_same_authors(each.names, page.authors) for each in candidates]
    features = [candidate.features for candidate in candidates]
    return Example(corpus, is_known, features, np.array(right, dtype=float))


def train_ranker(examples: Sequence[Example]) -> StoredModel:
    """Return the trees trained on the examples."""
    useful = [example for example in examples if example.candidates]
    names = {name for example in useful for each in example.candidates for name in each}
    columns = tuple(sorted(names))
    rows = [
        [features.get(name, MISSING) for name in columns]
        for example in useful
        for features in example.candidates
    ]
    weights = np.concatenate([np.full(len(example.right), _weigh(example)) for example in useful])
    right = np.concatenate([example.right for example in useful])
    data = lightgbm.Dataset(np.array(rows, dtype=float), label=right, weight=weights)
    booster = lightgbm.train(dict(PARAMETERS), data, TREES)
    return pack_trees(booster.dump_model()["tree_info"], columns, {"pages": len(examples)})


def _weigh(example: Example) -> float:
    if not example.is_known:
        return UNKNOWN_WEIGHT
    return CORPUS_WEIGHTS[example.corpus] * (1.0 if example.right.any() else LOST_WEIGHT)


def pack_trees(
    trees: Sequence[Mapping[str, Any]], columns: tuple[str, ...], facts: Mapping[str, Any]
) -> StoredModel:
    """Return the trees that lightgbm dumps as arrays, without the columns that none compares."""
    nodes: list[tuple[int, float, int, int, float]] = []
    roots, depth = [], 0
    used: dict[int, int] = {}

    def add(node: Mapping[str, Any], level: int) -> int:
        nonlocal depth
        depth, at = max(depth, level), len(nodes)
        if "leaf_value" in node:
            nodes.append((0, 0.0, at, at, node["leaf_value"]))
            return at
        nodes.append((0, 0.0, at, at, 0.0))
        column = used.setdefault(node["split_feature"], len(used))
        left = add(node["left_child"], level + 1)
        right = add(node["right_child"], level + 1)
        nodes[at] = (column, node["threshold"], left, right, 0.0)
        return at

    for tree in trees:
        roots.append(add(tree["tree_structure"], 0))
    feature, threshold, left, right, value = zip(*nodes, strict=True)
    return StoredModel(
        kind=KIND,
        columns=tuple(columns[column] for column in used),
        facts={**facts, "depth": depth},
        arrays={
            "roots": np.array(roots, np.int32),
            "features": np.array(feature, np.int16),
            "thresholds": np.array(threshold, np.float32),
            "left": np.array(left, np.int32),
            "right": np.array(right, np.int32),
            "values": np.array(value, np.float32),
        },
    )


def format_left_out(examples: Sequence[Example]) -> str:
    """Return the share of pages right in each corpus, by a model trained on the others."""
    cells = []
    for corpus in CORPUS_WEIGHTS:
        ranker = TreeRanker(train_ranker([each for each in examples if each.corpus != corpus]))
        judged = [each for each in examples if each.corpus == corpus and each.is_known]
        right = [is_right(ranker, example) for example in judged]
        cells.append(f"{corpus} {np.mean(right):.3f} of {len(right)}")
    return ", ".join(cells)


def is_right(ranker: TreeRanker, example: Example) -> bool:
    """Return whether the candidate that ranks first is right."""
    if not example.candidates:
        return False
    return bool(example.right[ranker.score(example.candidates).argmax()])


if __name__ == "__main__":
    main()
