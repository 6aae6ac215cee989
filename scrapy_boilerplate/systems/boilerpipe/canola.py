"""boilerpipe's classifier for other tastes of boilerplate than news: ``CanolaFilter``.

Reference: boilerpipe 1.2 (Kohlschuetter), ``CanolaFilter``, a tree learnt on the KrdWrd Canola
corpus (Steger, Stemle 2009, KrdWrd: Architecture for Unified Processing of Web Content), whose
annotators kept every running text, comments and lists of teasers too. With c, p, n the current,
previous and next block, NW words and LD link density, a block is content if one of

- ``LD(c) > 0 and NW(n) > 11``
- ``NW(c) > 19``
- ``NW(n) > 6 and LD(n) == 0 and LD(p) == 0 and (NW(c) > 6 or NW(p) > 7 or NW(n) > 19)``

holds. Known failures: the block before any long block is kept if it holds a link, a menu before
the first paragraph for one; no limit on links, so lists of linked headlines are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.steps.features import next_block, previous_block
from scrapy_boilerplate.steps.runs import Runs


@dataclass(frozen=True, kw_only=True)
class CanolaRules:
    """The three rules above; numbers are words to a block (source: boilerpipe 1.2).

    A block of more than `long_words` is content; one with a link is, if more than
    `words_after_link` follow.
    """

    long_words: int = 19
    words_after_link: int = 11
    name: str = "canola-rules"

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        runs = Runs(page, labeling)
        words, linked = runs.words, runs.link_density > 0
        before, after = previous_block(words), next_block(words)
        unlinked_around = (previous_block(runs.link_density) == 0) & (
            next_block(runs.link_density) == 0
        )
        some_text = (words > 6) | (before > 7) | (after > 19)
        content = (
            (linked & (after > self.words_after_link))
            | (words > self.long_words)
            | ((after > 6) & unlinked_around & some_text)
        )
        return labeling.classify(runs.blocks(content), self.name)
