"""``python -m benchmarks.folds --out DIR``: models of `news` without the sites of each fold.

Trains three models, DIR/0 to DIR/2: model k without the sites of fold k. With ``--leave-out
CORPUS`` it trains one model, DIR/without-CORPUS, without that corpus and all other pages of its
sites; with several CORPUS one model without all of them, stored for each.
``make compare MODELS=DIR`` reads every page with a model that was not trained on its site. Takes
about ten minutes per model on one core (needs the extra [train]).
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks.corpora import FOLDS, NAMES, create_parser, read_articles
from scrapy_boilerplate import MissingExtraError
from scrapy_boilerplate.news.extractor import build_news
from scrapy_boilerplate.steps.extractor import FAVORS, Extractor
from scrapy_boilerplate.steps.model_store import (
    ModelError,
    StoredModel,
    load_model,
    return_model,
    save_model,
)
from scrapy_boilerplate.training.corpora import CorpusError, LabelledPage, site_fold
from scrapy_boilerplate.training.gold import read_gold
from scrapy_boilerplate.training.trainers.news import (
    NewsExample,
    PreparedPages,
    build_example,
    prepare_pages,
    train_prepared,
)

# fact of a model: the sites or corpus that it was not trained on
LEFT_OUT = "left_out"


@dataclass(frozen=True)
class Part:
    """The pages that one model is trained without: the sites of fold `number`, or a `corpus`."""

    number: int | None = None
    corpus: str | None = None

    @property
    def folder(self) -> str:
        return str(self.number) if self.corpus is None else f"without-{self.corpus}"

    @property
    def fact(self) -> dict[str, Any]:
        """Value of the model's fact LEFT_OUT."""
        fold = {"fold": self.number, "folds": FOLDS}
        return fold if self.corpus is None else {"corpus": self.corpus}

    def training_pages(self, pages: Sequence[LabelledPage]) -> Iterator[LabelledPage]:
        hidden = {page.site for page in pages if page.dataset == self.corpus}
        for page in pages:
            if self.corpus is None:
                visible = site_fold(page.site, FOLDS) != self.number
            else:
                visible = page.dataset != self.corpus and page.site not in hidden
            if visible:
                yield page


def load_part(models: Path, part: Part) -> StoredModel:
    """Return the model of `part` under `models`. Raises ModelError if it is another one."""
    folder = models / part.folder
    model = load_model(folder)
    if model.kind != "news" or model.facts.get(LEFT_OUT) != part.fact:
        raise ModelError(
            f"{folder} is no model of `news` that was trained without {part.fact}: "
            f"train it with python -m benchmarks.folds --out {models}"
        )
    return model


def load_fold_extractors(models: Path) -> list[dict[str, Extractor]]:
    """Return for each fold favor -> the extractor of the model without the sites of the fold."""
    stored = [load_model(models / str(fold)) for fold in range(FOLDS)]
    return [
        {favor: build_news(partial(return_model, model), favor) for favor in FAVORS}
        for model in stored
    ]


def find_left_out_corpora(models: Path) -> tuple[str, ...]:
    """Return the corpora that have a model of their own under `models`."""
    return tuple(name for name in NAMES if (models / Part(corpus=name).folder).is_dir())


def main() -> None:
    os.environ["OMP_NUM_THREADS"] = "1"
    options = _parse_options()
    groups = [[Part(number=number)] for number in range(FOLDS)]
    if options.leave_out:
        groups = [[Part(corpus=name) for name in names] for names in options.leave_out]
    try:
        pages = [
            page for name in NAMES for page in read_articles(options.corpora, name, options.pages)
        ]
        bar = tqdm(pages, desc="reading", leave=False)
        examples = [build_example(read_gold(page)) for page in bar]
        for parts in groups:
            progress = partial(tqdm, desc=parts[0].folder, leave=False)
            train = partial(train_prepared, seed=options.seed, progress=progress)
            for part, model in train_parts(parts, pages, examples, train):
                save_model(options.out / part.folder, model)
                print(f"{options.out / part.folder}: {model.facts['pages']} pages")
    except (CorpusError, MissingExtraError) as error:
        sys.exit(f"benchmarks.folds: {error}")


def train_parts(
    parts: Sequence[Part],
    pages: Sequence[LabelledPage],
    examples: Sequence[NewsExample | None],
    train: Callable[[PreparedPages], StoredModel],
) -> Iterator[tuple[Part, StoredModel]]:
    """Yield each part with one model, trained on the pages that all parts have in common.

    The facts of the model name the pages that it was not trained on.
    """
    visible = list(pages)
    for part in parts:
        visible = list(part.training_pages(visible))
    by_page = dict(zip(map(id, pages), examples, strict=True))
    used = [example for page in visible if (example := by_page[id(page)]) is not None]
    model = train(prepare_pages(used))
    n_unknown = sum(page.site.startswith(f"{page.dataset}:") for page in visible)
    counts = {"name": "news", "pages": len(visible), "pages_of_unknown_site": n_unknown}
    for part in parts:
        yield part, replace(model, facts={**model.facts, **counts, LEFT_OUT: part.fact})


def _parse_options() -> argparse.Namespace:
    parser = create_parser(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="directory of the models")
    parser.add_argument(
        "--leave-out", metavar="CORPUS", choices=NAMES, nargs="+", action="append", default=[]
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
