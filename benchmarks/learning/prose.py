"""The words of docs/learned.md around its tables; numbers in it were measured when written."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first row is its head."""
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{'---|' * len(rows[0])}", *body])


INTRODUCTION = """\
# Learned systems

    scrapy-boilerplate train NAME --corpus PATH... --out DIR [--seed N] [--held-out SHARE]
    scrapy-boilerplate analyse CORPUS... [--plot DIR]

`train` learns an extractor from labelled pages ([evaluation.md](evaluation.md) says what a corpus
looks like), scores it on the sites it kept apart, and writes `model.json`, `weights.npz` and
`CARD.md`. Use the folder by its path: `BOILERPLATE_EXTRACTOR = "/path/to/model"`. A wrong NAME
lists what can be trained. The same corpora and seed give the same weights. Training needs the
extra `[train]`, using a model does not. Nothing in a model file is ever executed; what is
damaged, was changed, or was trained on other feature columns is refused at start.

Which pages teach what: `text` (or `gold_html`) is aligned with the page and teaches text or not;
`with` and `without` label the blocks they stand in; `annotated_html` teaches all six labels.

This page is written by `make learned`. The `CARD.md` beside each shipped model
(`scrapy_boilerplate/models/data/`) has its data, split and scores."""

SHALLOW = """\
Kohlschuetter, Fankhauser, Nejdl, *Boilerplate Detection using Shallow Text Features*, 2010, Table
2: L3S-GN1, ten folds; every block weighs as many words as it has, and figures are means over the
classes, weighted by words, in percent: F1 and ROC AUC of two classes; F1 of four. C4.8 is our own
implementation of C4.5 (`training/trees.py`; gain ratio, leaves of at least 1000 words as in the
paper). The paper does not list its 67 features: ours are a reconstruction
(`systems/shallow/features.py`). Table 2 is garbled in the copy at hand; the cells are those of
`SEEDS.md`. `P/C/N`: of the previous, this and the next block.

The paper does not say what its folds cut apart. Weka, which it used, deals out single blocks.
With such folds we get its figures almost exactly: the difference to folds by site is what blocks
of one page, and pages of one site, tell of each other. Folds by site are what a new site will
see.

The target for C4.8 with all local features P/C/N was an F1 of .945. Folds by site miss it with
.939; folds by page reach .948, folds by block .949.

No model that ships or that `train` makes uses the 67 columns with text frequency: the counts of a
crawl would have to be stored with the model, and would say nothing of another crawl. They serve
this table alone; a crawl's own statistics of a site bring them live (site.md)."""

ANALYSIS = """\
`scrapy-boilerplate analyse l3s-gn1.jsonl.xz`: what each feature tells of the two classes, blocks
weighted by their words, and the random writer of the paper's section 5.2.

The paper's Figure 1b has the word-count quotient (.746), the text-density quotient (.626),
relative position and average word length first. These have the most different values of all
features. Cut into values that many blocks share, they tell less than number of words, link
density, full stops and text density, which follow in the paper. If every value is told apart they
rise as well, since rare values then tell their block's class, though not up to the paper's
figures. The lengths of blocks follow the paper's model closely. The first 30 of 67 features:"""

VECTORS = """\
Schaefer, *Accurate and efficient general-purpose boilerplate detection for crawled web corpora*,
2017, gives 95 to 99 % by language. These are the vectors that texrex's nets were trained on
(rsling/texrex, BSD-2), five shuffled folds, percent of blocks right (own nets: the mean of three
shuffles, which differ by up to .4). A pooled net has learnt from the other four folds of every
language, at most 40,000 blocks drawn from them; a cross-language net from all blocks of one other
language. Blocks of one page can be on both sides: the vectors do not say which page they are
from. The decay of the nets was chosen on two folds of the German vectors."""

PAGES = """\
The same nets by our own 37 features (`systems/texrex/features.py`), on fundus, trafilatura,
article-extraction, waddle and wcxb: five folds by site, percent of blocks right. "Own net" has
learnt from pages of the language alone, "net of other languages" from all but these. A net learns
from at most 40,000 blocks. German and French labels are mostly trafilatura's snippets, which
label a few blocks a page, hence the other shares of boilerplate; they are too few for much to be
said about French. `mlp` ships a net for each language with at least 50 pages and a pooled one.
The last column is a check of our features: a net that has only seen texrex's own vectors, on the
blocks of our pages, whose gold texts follow other conventions."""

SPEED = """\
CPU time of one core. The model step is given the features of 250 blocks; features are those of
the first pages of fundus. The target of .5 ms a page is about the model step without features:
they cost more than that."""

COLUMNS = """\
`@-1` and `@+1` behind a shallow feature are the same of the block before and after. texrex's
features follow its source; raw lengths are those of the parsed tree, without scripts and styles.
Victor's (`crf`) are codes, each read of the blocks around as well; Web2Text's are 128 of a text
node and 25 of the edge between two."""
