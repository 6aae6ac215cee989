"""Settings of the workers of a batch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from scrapy_boilerplate.extraction import check_extractor
from scrapy_boilerplate.extractors import BALANCED, DEFAULT
from scrapy_boilerplate.site.overrides import RuleSource, SiteRules

# What a worker does with pages.
LABEL, LEARN = "label", "learn"


@dataclass(frozen=True, kw_only=True)
class BatchSettings:
    """How the workers of a batch read pages.

    task              LABEL: pages become rows; LEARN: pages become site records
    statistics        the file of site statistics to label by, "" for none
    extractor, favor  as in `extract`
    extractor_name    its name in rows, where a copy of a model is used; "" for the extractor's own
    rules             rules for some addresses, from `write_rules`; "" for none
    added             names of MARKUP_FIELDS to add, separated by blanks
    seconds           wall-clock time for a page
    memory            megabytes of resident memory for a worker (watched where there is /proc)
    """

    task: str = LABEL
    statistics: str = ""
    extractor: str = DEFAULT
    favor: str = BALANCED
    extractor_name: str = ""
    rules: str = ""
    added: str = ""
    seconds: float = 60
    memory: int = 2_000


def write_rules(path: Path) -> str:
    """Return the rules of a TOML file as JSON. Raises OverrideError."""
    rules = SiteRules.load(path)
    source = RuleSource(str(path), path.read_text(encoding="utf-8"))
    for rule in rules:
        check_extractor(rule, source)
    return json.dumps(rules.as_mapping())


def read_rules(written: str) -> SiteRules:
    """Return the rules of `write_rules`."""
    return SiteRules.from_mapping(json.loads(written or "{}"))
