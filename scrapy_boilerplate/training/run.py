"""One training run: a model from labelled pages, its scores on held-out sites, and its card."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.extractors import build_from_model, find_model_folder, has_maker
from scrapy_boilerplate.steps.model_store import StoredModel, load_model, load_shipped
from scrapy_boilerplate.training.corpora import (
    KNOWN_CORPORA,
    CorpusError,
    LabelledPage,
    read_pages,
    split_by_site,
)
from scrapy_boilerplate.training.evaluation import Evaluation, EvaluationPlan, evaluate
from scrapy_boilerplate.training.examples import Progress
from scrapy_boilerplate.training.gold import has_gold_text, read_gold
from scrapy_boilerplate.training.trainers import TRAINERS, Trainer

# metrics of a new model, where they apply
METRICS = ("text-nodes", "blocks", "blocks-4", "blocks-6", "tokens", "segments")
CARD = "CARD.md"
# text of a card above the terms of its corpora
RIGHTS = (
    "The weights are learnt from pages of third parties, which belong to their publishers. The"
    " terms below are the terms of the corpora. The licence of this package covers the weights as"
    " far as it can."
)

NamedProgress = Callable[[str], Progress]


@dataclass(frozen=True, kw_only=True)
class TrainingTask:
    """What to train: a name of TRAINERS, corpus files, and how to split them.

    held_out   share of the sites that are held out, 0 for none
    limit      pages of each file, None for all
    on_top_of  the model to continue from: a folder, or the name of a shipped model; only for `news`
    """

    name: str
    files: tuple[Path, ...]
    seed: int = 0
    held_out: float = 0.2
    limit: int | None = None
    on_top_of: str | None = None

    def load_trainer(self) -> Trainer:
        """Return the trainer, with the start. Raises ModelError and MissingExtraError."""
        trainer = TRAINERS[self.name]
        for package in trainer.packages:
            import_optional(package, f"training {self.name}", "train")
        if self.on_top_of is None:
            return trainer
        if "/" in self.on_top_of:
            start = load_model(Path(self.on_top_of))
        else:
            start = load_shipped(find_model_folder(self.on_top_of))
        return replace(trainer, options={**trainer.options, "start": start})

    def describe(self) -> dict[str, Any]:
        corpora = [
            {"file": file.name, "sha256": sha256(file.read_bytes()).hexdigest()}
            for file in self.files
        ]
        return {
            "name": self.name,
            "seed": self.seed,
            "held_out": self.held_out,
            "corpora": corpora,
            **({"limit": self.limit} if self.limit else {}),
            **({"on_top_of": self.on_top_of} if self.on_top_of else {}),
        }


@dataclass(frozen=True, eq=False)
class TrainingRun:
    """The model, the pages on both sides of the split, and the scores on the held-out pages.

    A model that is not an extractor (`article`) has no evaluations; its facts contain its scores.
    """

    model: StoredModel
    training: Sequence[LabelledPage]
    held: Sequence[LabelledPage]
    plan: EvaluationPlan
    evaluations: dict[str, Evaluation]


def train_model(task: TrainingTask, progress: NamedProgress = lambda _name: iter) -> TrainingRun:
    """Train and score. Raises CorpusError, ModelError, and MissingExtraError without a package."""
    trainer = task.load_trainer()
    pages = [page for file in task.files for page in read_pages(file, task.limit)]
    if not pages:
        files = ", ".join(str(file) for file in task.files) or "no file"
        raise CorpusError(f"no page to train on in {files}")
    training, held = split_by_site(pages, task.held_out)
    if not training:
        raise CorpusError(
            f"no page to train on: the sites of all {len(pages)} pages are held out; give more "
            "pages, or --held-out 0"
        )
    gold = [read_gold(page) for page in progress("reading")(training)]
    model = trainer(gold, task.seed, progress("training"))
    model = replace(model, facts={**model.facts, **task.describe()})
    if not has_maker(model.kind):
        return TrainingRun(model, training, held, EvaluationPlan(extractors=(), metrics=()), {})
    extractor = replace(build_from_model(model), name=task.name)
    plan = EvaluationPlan(extractors=(extractor,), metrics=METRICS)
    judged = [page for page in held if has_gold_text(page) or page.text_with or page.text_without]
    evaluations = {
        corpus: evaluate(
            [page for page in judged if page.dataset == corpus],
            plan,
            progress=progress(f"scoring {corpus}"),
        )
        for corpus in dict.fromkeys(page.dataset for page in judged)
    }
    return TrainingRun(model, training, held, plan, evaluations)


# The card of a model


def write_card(task: TrainingTask, run: TrainingRun) -> str:
    """Return Markdown: data and their terms, split, scores with intervals, command, seed, date."""
    times = Counter(file.name for file in task.files)
    files = [
        f"{file.parent.name}/{file.name}" if times[file.name] > 1 else file.name
        for file in task.files
    ]
    command = ["scrapy-boilerplate", "train", task.name, "--corpus", *files]
    command += ["--out", task.name, "--seed", str(task.seed), "--held-out", str(task.held_out)]
    command += ["--on-top-of", task.on_top_of] if task.on_top_of else []
    command += ["--limit", str(task.limit)] if task.limit else []
    training, held = (Counter(page.dataset for page in pages) for pages in (run.training, run.held))
    data = _format_table(
        "corpus | pages given | pages held out | source and terms",
        [
            f"{name} | {training[name]} | {held[name]} | {known.terms if known else 'your own'}"
            for name, known in ((n, KNOWN_CORPORA.get(n)) for n in sorted(training | held))
        ],
    )
    parts = [
        f"# {task.name}",
        f"Trained on {date.today().isoformat()} with seed {task.seed} by",
        f"    {shlex.join(command)}",
        "The files of the model contain weights, no pages."
        + (f" {RIGHTS}" if KNOWN_CORPORA.keys() & (training | held) else ""),
        f"## Data\n\n{data}",
        f"## Split\n\nBy registered domain (`training/corpora.py`): {task.held_out:.0%} of the "
        f"sites, {len(run.held)} pages, are held out. The model is not trained on their pages.",
        _format_fold_scores(run.model) or f"## Scores on held-out sites\n\n{_format_scores(run)}",
    ]
    return "\n\n".join(parts) + "\n"


def _format_table(head: str, rows: Iterable[str]) -> str:
    line = "|".join("---" for _ in head.split("|"))
    return "\n".join([f"| {head} |", f"|{line}|", *(f"| {row} |" for row in rows)])


def _format_scores(run: TrainingRun) -> str:
    rows = []
    for corpus, evaluation in run.evaluations.items():
        for metric in run.plan.metrics:
            for score in evaluation.scores(metric):
                low, high = score.interval(score.main)
                value = score.figures[score.main]
                rows.append(
                    f"{corpus} | {len(score.rows)} | {metric} | {score.main} | {value:.4f} | "
                    f"{low:.4f} to {high:.4f}"
                )
    if not rows:
        return "None: no held-out page has a gold text."
    legend = "Final text, as users get it; 95 % bootstrap intervals by site."
    return f"{legend}\n\n{_format_table('corpus | pages | metric | figure | score | 95 %', rows)}"


def _format_fold_scores(model: StoredModel) -> str:
    scores = model.facts.get("scores")
    if not scores:
        return ""
    rows = [f"{name} | {n} | {share:.3f}" for name, (n, share) in scores["types"].items()]
    return (
        f"## Scores by {model.facts['folds']} folds of the training pages, by site\n\n"
        f"ROC AUC {scores['auc']:.4f} (95 % bootstrap interval by site {scores['low']:.4f} to "
        f"{scores['high']:.4f}); {scores['pages']} pages of {scores['sites']} sites. Each was "
        "scored by a model that never saw its site.\n\n"
        f"{_format_table('page_type | pages | taken for articles', rows)}"
    )
