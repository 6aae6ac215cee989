"""All trainers by the name of their model; they are imported on demand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from scrapy_boilerplate.steps.model_store import StoredModel
from scrapy_boilerplate.training.examples import Progress
from scrapy_boilerplate.training.gold import Gold


@dataclass(frozen=True, kw_only=True)
class Trainer:
    """The function ``train_KIND`` of the module `module` of this package, with `options`.

    It takes pages (and uses the pages with the labels that it needs), a seed, and a progress bar
    for the pages; the same pages and seed give the same model. It raises CorpusError if there is
    nothing to learn from, and MissingExtraError without the packages it needs. `summary` is one
    line for users. `packages` of the extra [train] are checked before pages are read.
    """

    kind: str
    summary: str
    module: str = "systems"
    packages: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, pages: Sequence[Gold], seed: int, progress: Progress = iter) -> StoredModel:
        module = import_module(f"{__name__}.{self.module}")
        train = getattr(module, f"train_{self.kind}")
        model: StoredModel = train(pages, seed, progress, **self.options)
        return model


TRAINERS: Mapping[str, Trainer] = {
    "news": Trainer(
        kind="news",
        module="news",
        summary="the default: a small convolutional net over blocks, taught by larger ones",
        packages=("torch",),
    ),
    **{
        f"{kind}{suffix}": Trainer(
            kind="shallow",
            summary=f"{summary}, {labels}",
            options={"kind": kind, "classes": classes},
        )
        for kind, summary in (
            ("c48", "decision tree (Kohlschuetter 2010)"),
            ("svm", "linear SVM (Kohlschuetter 2010)"),
        )
        for suffix, classes, labels in (
            ("", 2, "content or not"),
            ("-4", 4, "the paper's four classes (needs annotated_html)"),
            ("-6", 6, "all six labels (needs annotated_html)"),
        )
    },
    **{
        name: Trainer(kind=name, packages=packages, summary=summary)
        for name, packages, summary in (
            ("mlp", (), "a net for each language (texrex, Schaefer 2017)"),
            ("crf", ("pycrfsuite",), "chain over Victor's features (needs python-crfsuite)"),
            ("web2text", ("torch",), "nets over the collapsed DOM and Viterbi (needs torch)"),
            ("ncleaner", (), "character n-grams of clean and dirty text"),
        )
    },
    "article": Trainer(
        kind="article",
        module="article",
        summary="article page or not, not an extractor (needs page_type)",
    ),
}
