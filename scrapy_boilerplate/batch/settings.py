"""Settings of the workers of a batch."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_boilerplate.extractors import BALANCED, DEFAULT

# What a worker does with pages.
LABEL, LEARN = "label", "learn"


@dataclass(frozen=True, kw_only=True)
class BatchSettings:
    """How the workers of a batch read pages.

    task              LABEL: pages become rows; LEARN: pages become site records
    statistics        the file of site statistics to label by, "" for none
    extractor, favor  as in `extract`
    extractor_name    its name in rows, where a copy of a model is used; "" for the extractor's own
    added             names of MARKUP_FIELDS to add, separated by blanks
    seconds           wall-clock time for a page
    memory            megabytes of resident memory for a worker (watched where there is /proc)
    """

    task: str = LABEL
    statistics: str = ""
    extractor: str = DEFAULT
    favor: str = BALANCED
    extractor_name: str = ""
    added: str = ""
    seconds: float = 60
    memory: int = 2_000
