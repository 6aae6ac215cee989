"""The section on the paper of 2010 by other readings of its text, with pages that show why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from benchmarks import prose, systems
from benchmarks.laboratory import Laboratory, Scores, only, scores_of
from benchmarks.markdown import listed, percent, table
from benchmarks.paper_blocks import FORMATTING, PaperBlocks
from benchmarks.systems import CLEANEVAL, L3S, NOT_THE_RULE, extractor_for
from scrapy_boilerplate.page.blocks import AtomicBlocks
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.parsing import tree_of
from scrapy_boilerplate.page.reading import read_page
from scrapy_boilerplate.training import l3s
from scrapy_boilerplate.training.corpora import LabelledPage
from scrapy_boilerplate.training.evaluation import Evaluation, Score, output_of
from scrapy_boilerplate.training.gold import gold_text

LOST = 0.1
"""A page of which even everything scores below this has lost its text on the way."""

AS_IS, BY_PAPER, BY_FORMATTING = "ours", "blocks of the paper", "formatting tags inside"

SHOWN = "main-content"
MOST_LOST, MOST_WON = 6, 3
"""Pages shown: those that lose and that win most by the paper's blocks."""


def differences(laboratory: Laboratory) -> str:
    """The paper's figures by other readings: what explains the differences."""
    parts = ["## The paper of 2010, by other readings", prose.DIFFERENCES]
    for corpus in (L3S, CLEANEVAL):
        named = [row for row in systems.ROWS if row.corpus == corpus and row.metric == "tokens"]
        paper = {r.extractor: r.paper for r in named if r.source.startswith(systems.KOHLSCHUETTER)}
        readings = _readings(laboratory, corpus, list(paper))
        rows = [["extractor", "paper", *readings]]
        for name, figures in paper.items():
            ours = [_mean_and_median(scores[name]) for scores in readings.values()]
            rows.append([name, "{:.2f} ({:.2f})".format(*figures), *ours])
        parts.append(f"{corpus}, token F1, page mean (median):\n\n{table(rows)}")
        parts.append(_left_out(laboratory, corpus))
        trained = {row.extractor for row in named if row.why == NOT_THE_RULE}
        means = {name: figures[0] for name, figures in paper.items() if name not in trained}
        parts.append(_distances(readings, means))
    parts.append(_pages(laboratory))
    return "\n\n".join(parts)


def _variant(laboratory: Laboratory, corpus: str, names: Sequence[str], rule: str) -> Evaluation:
    segmenter = PaperBlocks() if rule == BY_PAPER else PaperBlocks(FORMATTING)
    extractors = [replace(extractor_for(name), segmenter=segmenter) for name in names]
    return laboratory.variant(f"{corpus}, {rule}", corpus, extractors, lambda page: page)


def _readings(laboratory: Laboratory, corpus: str, names: Sequence[str]) -> dict[str, Scores]:
    as_is = laboratory.corpus(corpus)
    whole = _whole(as_is)
    found = {
        AS_IS: scores_of(as_is, "tokens"),
        **{
            rule: scores_of(_variant(laboratory, corpus, names, rule), "tokens")
            for rule in (BY_PAPER, BY_FORMATTING)
        },
        f"{len(whole)} whole pages": scores_of(only(as_is, whole), "tokens"),
    }
    if corpus == L3S:
        extractors = [extractor_for(name) for name in names]
        comments = laboratory.variant(f"{L3S}, comments", L3S, extractors, _with_comments)
        found["whole pages, comments in the gold text"] = scores_of(only(comments, whole), "tokens")
    return found


def _whole(evaluation: Evaluation) -> set[str]:
    return {
        page.id for page in evaluation.pages if page.rows["keep-everything", "tokens"][2] >= LOST
    }


def _left_out(laboratory: Laboratory, corpus: str) -> str:
    whole = _whole(laboratory.corpus(corpus))
    pages = [page for page in laboratory.pages(corpus) if page.id not in whole]
    return prose.LEFT_OUT.format(
        corpus=corpus,
        pages=listed(f"`{page.id}`" for page in pages),
        empty=sum(not (gold_text(page) or "").strip() for page in pages),
        lost=sum(not read_page(tree_of(page.html)).leaves.texts for page in pages),
    )


def _distances(readings: dict[str, Scores], paper: dict[str, float]) -> str:
    """How far the means by each block rule are from the paper's, over all rows but the trained."""
    found = []
    for rule in (AS_IS, BY_PAPER, BY_FORMATTING):
        gaps = [100 * readings[rule][name].figures["f1"] - mean for name, mean in paper.items()]
        distance = sum(map(abs, gaps)) / len(gaps)
        found.append(f"{rule} {distance:.2f} (at most {max(map(abs, gaps)):.2f})")
    return f"Mean distance to the paper's means, in points: {', '.join(found)}."


def _with_comments(page: LabelledPage) -> LabelledPage:
    text = l3s.gold_text(page.annotated_html or "", l3s.WITH_COMMENTS)
    return replace(page, text=text, annotated_html=None)


def _mean_and_median(score: Score) -> str:
    return f"{percent(score.figures['f1'])} ({percent(score.figures['median'])})"


def _pages(laboratory: Laboratory) -> str:
    """The pages of CleanEval that differ most between our blocks and the paper's."""
    names = [row.extractor for row in systems.ROWS if row.corpus == CLEANEVAL]
    ours, theirs = (
        {page.id: float(page.rows[SHOWN, "tokens"][2]) for page in evaluation.pages}
        for evaluation in (
            laboratory.corpus(CLEANEVAL),
            _variant(laboratory, CLEANEVAL, names, BY_PAPER),
        )
    )
    change = {page: theirs[page] - ours[page] for page in ours}
    ranked = sorted(change, key=lambda page: change[page])
    shown = [*ranked[:MOST_LOST], *ranked[::-1][:MOST_WON]]
    by_id = {page.id: page for page in laboratory.pages(CLEANEVAL)}
    header = "page/F1 ours/F1 by the paper's blocks/blocks ours, paper's/words kept ours, paper's"
    rows = [[*header.split("/"), "tags that cut most"]]
    for page in shown:
        scores = [percent(ours[page]), percent(theirs[page])]
        rows.append([f"`{page}`", *scores, *_what_happens(by_id[page])])
    return f"{prose.PAGES}\n\n{table(rows)}\n\n{_summary(change)}"


def _what_happens(labelled: LabelledPage) -> list[str]:
    leaves = read_page(tree_of(labelled.html), labelled.url)
    extractor = extractor_for(SHOWN)
    outputs = [
        output_of(replace(extractor, segmenter=segmenter), leaves, "own")
        for segmenter in (AtomicBlocks(), PaperBlocks())
    ]
    blocks = ", ".join(str(len(output.page)) for output in outputs)
    kept = ", ".join(str(int(one.page.words[list(one.kept)].sum())) for one in outputs)
    cuts = _cutting_tags(outputs[0].page, outputs[1].page).most_common(3)
    return [blocks, kept, listed(f"`{tag}` {times}" for tag, times in cuts)]


def _cutting_tags(ours: Page, theirs: Page) -> Counter[str]:
    """Tags that start or hold a block of theirs inside a block of ours."""
    known = set(ours.blocks.first_leaf.tolist())
    leaves, tags = ours.leaves, ours.elements.tags
    found: Counter[str] = Counter()
    for leaf in theirs.blocks.first_leaf.tolist():
        if leaf and leaf not in known:
            started = tags[leaves.opened[leaf - 1] : leaves.opened[leaf]]
            ended = tags[leaves.elements[leaf - 1]]
            found[next((tag for tag in started if tag != "a"), ended)] += 1
    return found


def _summary(change: dict[str, float]) -> str:
    lost = sum(points for points in change.values() if points < 0)
    won = sum(points for points in change.values() if points > 0)
    large = [points for points in change.values() if points < -0.5]
    return (
        f"Of {len(change)} pages {sum(p < 0 for p in change.values())} lose and "
        f"{sum(p > 0 for p in change.values())} win by the paper's blocks: "
        f"{100 * lost / len(change):+.1f} and {100 * won / len(change):+.1f} points of the mean; "
        f"{len(large)} pages that lose more than .5 make {100 * sum(large) / len(change):+.1f}."
    )
