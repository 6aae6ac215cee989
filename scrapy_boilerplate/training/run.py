"""One training run: pages in, a model out, scored on the sites that it never saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from scrapy_boilerplate.extractors import MODEL_KINDS, extractor_of, model_folder
from scrapy_boilerplate.steps.model_store import StoredModel, load_model, shipped
from scrapy_boilerplate.training.corpora import CorpusError, LabelledPage, read_pages
from scrapy_boilerplate.training.evaluation import Evaluation, Plan, evaluate
from scrapy_boilerplate.training.gold import has_gold_text, read_gold
from scrapy_boilerplate.training.splits import split
from scrapy_boilerplate.training.trainers import TRAINERS, Trainer

METRICS = ("text-nodes", "blocks", "blocks-4", "blocks-6", "tokens", "segments")
"""What a new model is scored by, where they apply."""

Progress = Callable[[Iterable[Any], str], Iterable[Any]]
"""Hands on what it is given, and shows how far one is with what the second argument names."""


def _named(progress: Progress, what: str, things: Iterable[Any]) -> Iterable[Any]:
    return progress(things, what)


def silent(things: Iterable[Any], _what: str) -> Iterable[Any]:
    """A progress that shows nothing."""
    return things


@dataclass(frozen=True, kw_only=True)
class Task:
    """What to train: a name of TRAINERS, corpus files, and how to cut them.

    held_out   share of the sites that are kept apart, 0 for none
    limit      pages of each file, None for all
    on_top_of  the model to go on from: a folder, or the name of a shipped one; only `news` can
    """

    name: str
    files: tuple[Path, ...]
    seed: int = 0
    held_out: float = 0.2
    limit: int | None = None
    on_top_of: str | None = None

    @property
    def trainer(self) -> Trainer:
        """The trainer of that name, told what to go on from. Raises ModelError."""
        trainer = TRAINERS[self.name]
        if self.on_top_of is None:
            return trainer
        is_path = "/" in self.on_top_of
        start = (
            load_model(Path(self.on_top_of)) if is_path else shipped(model_folder(self.on_top_of))
        )
        return replace(trainer, options={**trainer.options, "start": start})


@dataclass(frozen=True, eq=False)
class Run:
    """What came out: the model, the pages on both sides, the scores on those kept apart.

    A model that makes no extractor (`article`) has none: its facts tell its own.
    """

    model: StoredModel
    training: Sequence[LabelledPage]
    held: Sequence[LabelledPage]
    plan: Plan
    evaluations: dict[str, Evaluation]


def carry_out(task: Task, progress: Progress = silent) -> Run:
    """Train and score. Raises CorpusError, ModelError, and MissingExtraError without a package."""
    trainer = task.trainer
    pages = [page for file in task.files for page in read_pages(file, task.limit)]
    if not pages:
        files = ", ".join(str(file) for file in task.files) or "no file"
        raise CorpusError(f"nothing to learn from: there is no page in {files}")
    training, held = split(pages, task.held_out)
    if not training:
        raise CorpusError(
            f"nothing to learn from: all {len(pages)} pages belong to sites that are kept apart; "
            "give more pages, or --held-out 0"
        )
    gold = [read_gold(page) for page in progress(training, "reading")]
    model = trainer(gold, task.seed, partial(_named, progress, "training"))
    model = replace(model, facts={**model.facts, "name": task.name, **_provenance(task)})
    if model.kind not in MODEL_KINDS:
        return Run(model, training, held, Plan(extractors=(), metrics=()), {})
    plan = Plan(extractors=(replace(extractor_of(model), name=task.name),), metrics=METRICS)
    return Run(model, training, held, plan, _scored(held, plan, progress))


def _provenance(task: Task) -> dict[str, Any]:
    """What the model was made from; the same for the same call, whatever the day."""
    corpora = [
        {"file": file.name, "sha256": sha256(file.read_bytes()).hexdigest()} for file in task.files
    ]
    return {
        "seed": task.seed,
        "held_out": task.held_out,
        "corpora": corpora,
        **({"limit": task.limit} if task.limit else {}),
        **({"on_top_of": task.on_top_of} if task.on_top_of else {}),
    }


def _scored(held: Sequence[LabelledPage], plan: Plan, progress: Progress) -> dict[str, Evaluation]:
    """The scores on each corpus that has pages to judge by."""
    judged = [page for page in held if has_gold_text(page) or page.text_with or page.text_without]
    corpora = dict.fromkeys(page.dataset for page in judged)
    return {
        corpus: evaluate(
            [page for page in judged if page.dataset == corpus],
            plan,
            progress=partial(_named, progress, f"scoring {corpus}"),
        )
        for corpus in corpora
    }
