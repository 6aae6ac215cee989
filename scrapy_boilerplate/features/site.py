"""Columns of what the other pages of a site say of a block."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scrapy_boilerplate.label import FloatArray
from scrapy_boilerplate.page import Page
from scrapy_boilerplate.site.view import SiteView

PRIOR_PAGES = 2.0
"""Pages that the prior of a path weighs (our choice)."""

ABOUT: Mapping[str, str] = {
    "known": "log of 1 + the number of other pages that are known",
    "text_pages": "log of 1 + the number of pages that say the same",
    "text_share": "share of the known pages that say the same",
    "text_share_at_path": "share of the pages with the class path that say the same",
    "repeated": "1 if two pages or more say the same",
    "path_pages": "log of 1 + the number of pages with the class path",
    "path_share": "share of the known pages with the class path",
    "path_content": "share of the text at the class path that was content, less where few have it",
    "path_importance": "entropy of what pages say at the class path, 0 to 1",
    "link_pages": "mean share of pages with the links and images of the block",
}
"""Name to meaning, in order."""


def site_columns(view: SiteView, page: Page) -> FloatArray:
    """float[n_blocks, len(ABOUT)]: the columns of ABOUT."""
    known = max(1, view.pages)
    texts, paths = view.text_pages, view.path_pages
    prior = (view.path_content - 0.5 * paths) / (paths + PRIOR_PAGES)
    one = np.ones(len(page))
    return np.stack(
        (
            np.log1p(view.pages) * one,
            np.log1p(texts),
            texts / known,
            texts / np.maximum(1, np.maximum(paths, texts)),
            (texts >= 2).astype(np.float64),
            np.log1p(paths),
            paths / known,
            prior,
            view.path_importance,
            view.link_pages,
        ),
        axis=1,
    )
