"""The learnt step of site knowledge: what a model says of a block, corrected by other pages.

Log odds of full text plus a weighted sum of columns (`features.site`) that are all 0 where nothing
is known. The other labels share what is left as before; no label is decided here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scrapy_boilerplate.features.site import COLUMNS, site_columns
from scrapy_boilerplate.label import FloatArray, Label, Labeling
from scrapy_boilerplate.models.classifier import checked_array
from scrapy_boilerplate.models.store import StoredModel
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.site.view import SiteView

NAME = "site"
"""Name and kind of the model."""
TINY = 1e-4
"""The nearest that a score comes to 0 or 1."""
SOME_CONTENT = 0.5
"""Score that some block must have for any to rise: on a page where the model finds no content, such
as a list of links, what varies from page to page is no article either (our choice: even odds)."""


@dataclass(frozen=True, kw_only=True)
class SiteCorrection:
    """Scores of full text are moved by what the site's other pages say."""

    view: SiteView
    stored: Callable[[], StoredModel]
    name: str = "site-correction"

    @cached_property
    def _weights(self) -> FloatArray:
        return site_weights(self.stored())

    def __call__(self, page: Page, labeling: Labeling) -> Labeling:
        if not len(page) or not self.view.pages:
            return labeling
        before = labeling.scores[:, Label.FULL_TEXT]
        odds = log_odds(before)
        moved = odds + site_columns(self.view, page, odds) @ self._weights
        if before.max() < SOME_CONTENT:
            moved = np.minimum(moved, odds)
        content = 1 / (1 + np.exp(-moved))
        scores = labeling.scores * ((1 - content) / np.maximum(1 - before, TINY**2))[:, np.newaxis]
        scores[:, Label.FULL_TEXT] = content
        return replace(labeling, scores=scores)


def log_odds(scores: FloatArray) -> FloatArray:
    """float[n]: the log odds of probabilities, none beyond those of TINY."""
    cut = np.clip(scores, TINY, 1 - TINY)
    odds: FloatArray = np.log(cut / (1 - cut))
    return odds


def site_weights(model: StoredModel) -> FloatArray:
    """float[columns] of a stored model. Raises ModelError if it is none."""
    model.check_columns(tuple(COLUMNS))
    return checked_array(model, "weights", (len(COLUMNS),)).astype(np.float64)
