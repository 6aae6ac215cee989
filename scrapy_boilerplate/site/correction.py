"""The learned step: the scores of a model, corrected by the other pages of the site.

The step adds a weighted sum of columns to the log odds of full text. All columns are 0 where
nothing is known, so pages of a new site keep the scores of the model. The other labels share the
remaining probability in the same proportions. Scores of blocks that are short, linked or outside
the path of articles never increase. The step changes scores, not labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scrapy_boilerplate.page.labels import BoolArray, FloatArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.site.knowledge import SiteView
from scrapy_boilerplate.steps.model_store import StoredModel, read_array

NAME = "site"  # of the model, and its kind
PRIOR_PAGES = 2.0  # weight of an even chance at a class path
MAX_LOG_ODDS = 6.0
HALF_PAGES = 3.0  # known pages at which a new class path counts half
MIN_PROBABILITY = 1e-4  # distance of a score from 0 and 1
# On a list of links no block has this score, and text that varies between pages is not an article.
MIN_BEST_SCORE = 0.5
# A list of other headlines varies from page to page too (docs/provenance.md).
MIN_RISING_WORDS, MAX_RISING_LINK_DENSITY = 10, 0.3
# Name to meaning, in order. The evidence of a class path is n / (1 + n) for n pages that have it.
COLUMNS: Mapping[str, str] = {
    "text_pages": "log of 1 + the pages that say the same",
    "repeated": "1 if two pages or more say the same",
    "once": "1 if one page says the same",
    "text_share_at_path": "share of the pages with the class path that say the same",
    "text_share": "share of the known pages that say the same",
    "repeated_words": "repeated times log of 1 + the words",
    "text_share_words": "text_share times log of 1 + the words",
    "path_content": "how far the text at the class path was content elsewhere, -.5 to .5",
    "path_content_sure": "path_content, if positive, times the log odds of the model",
    "path_dross_sure": "path_content, if negative, times the log odds",
    "path_content_words": "path_content times log of 1 + the words",
    "path_constant": "1 - the importance of the class path, times its evidence",
    "path_constant_sure": "path_constant times the log odds",
    "path_varied": "importance of the class path - .5, times its evidence",
    "path_known_sure": "evidence of the class path times the log odds",
    "path_share_sure": "share of the known pages with the class path, times the log odds",
    "path_new": "1 if no known page has the class path, less where few are known",
    "path_new_sure": "path_new times the log odds",
    "links": "mean share of pages with the links and images of the block",
    "links_sure": "links times the log odds",
}


def compute_columns(view: SiteView, page: Page, log_odds: FloatArray) -> FloatArray:
    """Return float[n_blocks, len(COLUMNS)].

    `log_odds` float[n_blocks] are the model's log odds of full text.
    """
    known = max(1, view.pages)
    odds = np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)
    words = np.log1p(page.words)
    texts, paths = view.text_pages, view.path_pages
    repeated = (texts >= 2).astype(np.float64)
    prior = (view.path_content - 0.5 * paths) / (paths + PRIOR_PAGES)
    evidence = paths / (1 + paths)
    constant = (1 - view.path_importance) * evidence
    new = (paths == 0) * (view.pages / (view.pages + HALF_PAGES))
    at_path = texts / np.maximum(1, np.maximum(paths, texts))
    columns = (
        np.log1p(texts), repeated, (texts == 1).astype(np.float64), at_path, texts / known,
        repeated * words, texts / known * words,
        prior, np.maximum(prior, 0) * odds, np.minimum(prior, 0) * odds, prior * words,
        constant, constant * odds, (view.path_importance - 0.5) * evidence,
        evidence * odds, paths / known * odds, new, new * odds,
        view.link_pages, view.link_pages * odds,
    )  # fmt: skip
    return np.stack(columns, axis=1)


def find_raisable_blocks(view: SiteView, page: Page) -> BoolArray:
    """Return bool[n_blocks]: the blocks whose score can rise.

    They are neither short nor linked, and their class path is new, or was more often content than
    not.
    """
    on_path = (view.path_content > 0.5 * view.path_pages) | (view.path_pages == 0)
    running = page.words >= MIN_RISING_WORDS
    rising: BoolArray = on_path & running & (page.link_density <= MAX_RISING_LINK_DENSITY)
    return rising


@dataclass(frozen=True, kw_only=True)
class SiteCorrection:
    """Correct the scores of full text with the statistics of the other pages of the site."""

    view: SiteView
    load_model: Callable[[], StoredModel]
    name: str = "site-correction"

    @cached_property
    def _weights(self) -> FloatArray:
        return check_weights(self.load_model())

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        """Return the labeling with corrected scores."""
        if not len(page) or not self.view.pages:
            return labeling
        before = labeling.scores[:, Label.FULL_TEXT]
        odds = compute_log_odds(before)
        corrected = odds + compute_columns(self.view, page, odds) @ self._weights
        can_rise = find_raisable_blocks(self.view, page) & (before.max() >= MIN_BEST_SCORE)
        corrected = np.where(can_rise, corrected, np.minimum(corrected, odds))
        content = 1 / (1 + np.exp(-corrected))
        shrunk = (1 - content) / np.maximum(1 - before, MIN_PROBABILITY**2)
        scores = labeling.scores * shrunk[:, np.newaxis]
        scores[:, Label.FULL_TEXT] = content
        return replace(labeling, scores=scores)


def compute_log_odds(scores: FloatArray) -> FloatArray:
    """Return float[n]: the log odds of probabilities, clipped by MIN_PROBABILITY."""
    cut = np.clip(scores, MIN_PROBABILITY, 1 - MIN_PROBABILITY)
    return np.log(cut / (1 - cut))


def check_weights(model: StoredModel) -> FloatArray:
    """Return the weights float[columns] of a model. Raises ModelError for any other model."""
    model.check_columns(tuple(COLUMNS))
    return read_array(model, "weights", (len(COLUMNS),)).astype(np.float64)
