"""``python -m benchmarks.folds --out DIR``: models of `news` that never saw the sites they judge.

Three models, DIR/0 to DIR/2: model k is trained without the sites of fold k. With ``--leave-out
CORPUS`` one model instead, DIR/without-CORPUS: neither that corpus nor any other page of its sites.
``make compare MODELS=DIR`` judges every page by a model that never saw its site.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.ablation import CORPORA as NAMES
from benchmarks.ablation import FOLDS
from benchmarks.speed import CORPORA
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.steps.model_store import ModelError, StoredModel, load_model, save_model
from scrapy_boilerplate.training.corpora import CorpusError, LabelledPage, read_pages
from scrapy_boilerplate.training.extras import MissingExtraError, optional
from scrapy_boilerplate.training.gold import Gold
from scrapy_boilerplate.training.news.targets import ARTICLES, NewsExample, news_example
from scrapy_boilerplate.training.splits import fold_of
from scrapy_boilerplate.training.trainers.news import Prepared, prepare, trained

LEFT_OUT = "left_out"
"""The fact of a model that says what it never saw."""

Progress = Callable[[Iterable[Any], str], Iterable[Any]]


@dataclass(frozen=True)
class Part:
    """What one model must not see: the sites of fold `number`, or of a corpus; and its folder."""

    number: int | None = None
    corpus: str | None = None

    @property
    def folder(self) -> str:
        """Where the model lies under the directory of all."""
        return str(self.number) if self.corpus is None else f"without-{self.corpus}"

    @property
    def fact(self) -> dict[str, Any]:
        """What the model says of itself."""
        fold = {"fold": self.number, "folds": FOLDS}
        return fold if self.corpus is None else {"corpus": self.corpus}

    def training_pages(self, pages: Sequence[LabelledPage]) -> Iterator[LabelledPage]:
        """The pages that may be seen."""
        hidden = {page.site for page in pages if page.dataset == self.corpus}
        for page in pages:
            if self.corpus is None:
                seen = fold_of(page.site, FOLDS) != self.number
            else:
                seen = page.dataset != self.corpus and page.site not in hidden
            if seen:
                yield page


def load_part(models: Path, part: Part) -> StoredModel:
    """The model of `part` under `models`. Raises ModelError if it is another one."""
    folder = models / part.folder
    model = load_model(folder)
    if model.kind != "news" or model.facts.get(LEFT_OUT) != part.fact:
        raise ModelError(
            f"{folder} is no model of `news` that was trained without {part.fact}: "
            f"train it with python -m benchmarks.folds --out {models}"
        )
    return model


def left_out_corpora(models: Path) -> tuple[str, ...]:
    """The corpora that have a model of their own under `models`."""
    return tuple(name for name in NAMES if (models / Part(corpus=name).folder).is_dir())


def main() -> None:
    """Train and store the models, each as soon as it is ready."""
    os.environ["OMP_NUM_THREADS"] = "1"
    options = _options()
    parts = [Part(number=number) for number in options.fold or range(FOLDS)]
    parts = [Part(corpus=name) for name in options.leave_out] or parts
    try:
        tqdm = optional("tqdm", "the progress bar").tqdm
        pages = _pages(options.corpora, options.limit)
        examples = [_example(page) for page in tqdm(pages, desc="reading", leave=False)]
        for part in parts:
            progress = partial(tqdm, desc=part.folder, leave=False)
            model = model_of(
                part, pages, examples, partial(trained, seed=options.seed, progress=progress)
            )
            save_model(options.out / part.folder, model)
            print(f"{options.out / part.folder}: {model.facts['pages']} pages")
    except (CorpusError, MissingExtraError) as error:
        sys.exit(f"benchmarks.folds: {error}")


def model_of(
    part: Part,
    pages: Sequence[LabelledPage],
    examples: Sequence[NewsExample | None],
    learn: Callable[[Prepared], StoredModel],
) -> StoredModel:
    """The model of the pages that `part` may see; its facts say what it never saw."""
    by_page = dict(zip(map(id, pages), examples, strict=True))
    seen = list(part.training_pages(pages))
    found = [example for page in seen if (example := by_page[id(page)]) is not None]
    model = learn(prepare(found))
    return replace(model, facts={**model.facts, **_provenance(part, seen)})


def _provenance(part: Part, seen: Sequence[LabelledPage]) -> Mapping[str, Any]:
    return {
        "name": "news",
        LEFT_OUT: part.fact,
        "pages": len(seen),
        "pages_of_unknown_site": sum(page.site.startswith(f"{page.dataset}:") for page in seen),
    }


def _pages(corpora: Path, limit: int | None) -> list[LabelledPage]:
    return [page for name in NAMES for page in islice(articles(corpora, name), limit)]


def articles(corpora: Path, name: str) -> Iterator[LabelledPage]:
    """The pages of a corpus; of wcxb, which tells kinds of pages apart, the articles."""
    pages = read_pages(corpora / f"{name}.jsonl.xz")
    return (page for page in pages if page.page_type in ARTICLES)


def _example(page: LabelledPage) -> NewsExample | None:
    return news_example(Gold(page, read_page(tree_of(page.html), page.url)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="directory of the models")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="default: %(default)s")
    parser.add_argument("--fold", type=int, choices=range(FOLDS), action="append")
    parser.add_argument("--leave-out", metavar="CORPUS", choices=NAMES, action="append", default=[])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, help="pages of each corpus, for a quick look")
    return parser.parse_args()


if __name__ == "__main__":
    main()
