"""The words of docs/systems.md around the tables; numbers in it were measured when written."""

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
   with comments in it, or on whole pages only, see the next section. A few of its 621 pages have
   lost the end tag of `title` in the collection we have: what follows is title to a parser by the
   HTML standard, and no extractor finds text there.
2. Section 3.3 of the paper ends a block at every tag but `a`; the released boilerpipe, which we
   follow, lets most inline tags stand inside. The largest run is shorter by the paper's rule; the
   next section shows both.
3. As the released `KeepEverythingWithMinKWords` we fuse neighbours of equal text density before
   we count.
4. The survey's order is Newspaper, Goose, Readability, boilerpipe, LibExtract. On pages of 2023
   Readability and Newspaper stand before boilerpipe and Goose, each pair too close to tell apart,
   and LibExtract is last. Our Goose lacks the short-cut of python-goose, which takes `article` and
   some named containers as they are."""

DIFFERENCES = """`whole pages` leaves out the pages that have lost their text (note 1): those of
which even everything has a token F1 below .1."""

TREE_FILTER = """The paper's own pages are not to be had; the same effect on other pages. Bases: the
NumWords rules, and boilerpipe's article chain. The filter trades recall for precision. F1 gains
where the base is generous (NumWords on L3S-GN1, and on the six Spanish pages); where the base is
strict, or paragraphs stand in containers of their own as on today's English pages, F1 falls. On
CleanEval recall falls, as the paper says. The sets of fundus are small: 6 and 19 pages."""

OVERVIEW_TEXT = """F1 of every extractor of the catalog, best mean first. The gold conventions of
the corpora differ (headline, captions, comments): compare within a column."""
