"""The words of docs/systems.md around the tables; what says something of figures is filled in."""

INTRODUCTION = """# The systems of the seed papers

Written by `make tables`; do not edit. Every system that the papers present, compare with or cite as
software and that needs no learnt weights is an extractor of this project. The table puts the
papers' figures beside ours, in percent. "ours" and the 95 % interval (bootstrap by site) are what
this command prints, for the text that the extractor's own steps decide:

    scrapy-boilerplate evaluate CORPUS --text own --metric METRIC --extractor NAME

| metric | what it is |
|---|---|
| tokens | F1 of the bags of tokens of a page; mean, and median over pages |
| blocks | words classified with their block, the mean of both classes weighted by their words |
| characters | precision, recall, F1 over the characters of all pages |
| segments | F1 over the snippets that must and must not be there, all pages |"""

NOTES = """Notes:

1. The gold text on L3S-GN1 is headline, full text and supplemental text. The paper does not say;
   with comments in it, or on whole pages only, see the next section. {swallowed} of its {pages}
   pages have lost the end tag of `title` in the collection we have: what follows is title by the
   HTML standard. We read it as markup (`page/parsing.py`), other packages find no text there.
2. Section 3.3 of the paper ends a block at every tag but `a`; the released boilerpipe, which we
   follow, lets most inline tags stand inside. The next section shows both, and what lies between.
3. As the released `KeepEverythingWithMinKWords` we fuse neighbours of equal text density before
   we count.
4. The survey's order is Newspaper, Goose, Readability, boilerpipe, LibExtract. Ours on pages of
   2023 (article-extraction) is {same}: {order}. From one to the next, in points of F1:
   {steps}."""

LEARNED = """The systems that learn their weights:"""

DIFFERENCES = """`ours` are blocks as in the released boilerpipe; `blocks of the paper` end at every
tag but `a`, as its section 3.3 has it; with `formatting tags inside` the tags `a`, `b`, `i`, `em`,
`strong`, `u` do not end a block, but `span`, `font` and all others do. The last rule is our guess
at what the authors ran: it was found by trying eleven lists of tags on CleanEval; L3S-GN1 was not
looked at for it. `whole pages` leaves out the pages of which even everything has a token F1 below
.1."""

LEFT_OUT = """Left out of the whole pages of {corpus}: {pages}. {empty} of them have no gold text,
{lost} no text that a parser finds."""

PAGES = """Pages of CleanEval on which `main-content` differs most between our blocks and those of
the paper: `F1` in percent; the tags that cut a block of ours in pieces, with how often. Pieces of
16 words and less are boilerplate to Algorithm 2 unless a neighbour is long, and a run of content
ends there: of what was one run the longest piece is left. The first rows lose most, the last rows
win most."""

TREE_FILTER = """The paper's own pages are not to be had; the same effect on other pages, with
paired differences to the base. Bases: the NumWords rules, and boilerpipe's article chain.

The target was the effect of the paper's Table 2, where F1 at depth 2 is 5 points above
boilerpipe's in Spanish and 6 in English. It is not met: in Spanish all intervals of F1 include 0 (6
pages of 4 sites), in English the means fall at depths 1 to 4 (with 0 in their intervals) and rise
at depth 5 alone, and over `boilerpipe-article` on L3S-GN1 F1 falls at every depth, for what
precision gains recall loses in summaries and quotations that stand at another depth than the body
(the paper's section 8 names them; `systems/grandparent.py`)."""

OVERVIEW_TEXT = """F1 of every extractor of the catalog without learnt weights, best mean first; for
the others see [learned.md](learned.md) and [folds.md](folds.md). The gold conventions of the
corpora differ (headline, captions, comments): compare within a column."""

RETRIEVAL = """## Effect on retrieval

`python -m benchmarks.retrieval`. Known-item search over {pages} pages (L3S-GN1, waddle,
article-extraction, fundus, wcxb, trafilatura) with BM25: gold headlines ask, each for its own page,
in all pages as an extractor without learnt weights leaves them (for the others see
[learned.md](learned.md) and [folds.md](folds.md)). A page's own headline is taken out of its
documents; in teasers on other pages it stays. 95 % intervals by site; precision at 10 cannot exceed
.1, for there is one right page."""

HEADLINE_QUERIES = "All {queries} headlines:"
NEWS_QUERIES = "Only the {queries} headlines of L3S-GN1 and waddle, news of few sites:"
DESCRIPTION_QUERIES = "Queries: the {queries} descriptions that fundus has."
CURVE = """The sliding minimum of words (Figure 7 of the paper of 2010): only blocks of so many
words are searched. There precision at 10 rose from .18 (everything) to .44 (11 words and more)."""

RETRIEVAL_FINDING = """By the reciprocal rank, paired with {base} (95 % intervals by site): better
are {better}; worse are {worse}; too close to tell: {alike}."""
