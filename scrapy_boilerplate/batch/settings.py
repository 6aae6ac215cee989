"""Settings of the workers of a batch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from scrapy_boilerplate.batch.pages import SECONDS
from scrapy_boilerplate.extractors import BALANCED, DEFAULT, check_extractor
from scrapy_boilerplate.site.overrides import SiteRules


@dataclass(frozen=True, kw_only=True)
class BatchSettings:
    """How the workers of a batch read pages.

    extractor, favor  as in `extract`
    rules             rules for some sites, from `read_rules`; "" for none
    added             names of MARKUP_FIELDS to add
    seconds           maximum wall-clock time of a page
    memory            maximum resident memory of a worker, in megabytes (where there is /proc)
    learn             make site records of pages instead of rows
    statistics        path of the file with site records to label by, "" for none
    """

    extractor: str = DEFAULT
    favor: str = BALANCED
    rules: str = ""
    added: tuple[str, ...] = ()
    seconds: float = SECONDS
    memory: int = 2_000
    learn: bool = False
    statistics: str = ""


def read_rules(path: Path) -> str:
    """Return the rules in a TOML file as JSON. Raises OverrideError."""
    return json.dumps(SiteRules.load(path, check_extractor).as_mapping())
