"""`Options`: how pages become documents, for `extract`, crawls, workers and batch jobs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.extractors import (
    BALANCED,
    DEFAULT,
    UnknownExtractorError,
    get_extractor,
)
from scrapy_boilerplate.page.limits import NO_LIMITS, Limits
from scrapy_boilerplate.site.overrides import (
    NO_RULES,
    OverrideError,
    SiteRule,
    SiteRules,
    locate,
)
from scrapy_boilerplate.steps.extractor import Extractor

if TYPE_CHECKING:
    from typing_extensions import Self

# rules of sites that `Options.load` keeps compiled
MAX_LOADED_RULES = 256


@dataclass(frozen=True, kw_only=True)
class Options:
    """How pages become documents.

    extractor  a name, the path of a trained model, or an `Extractor` of your own
    favor      ``balanced``, ``precision`` or ``recall``, for extractors that support it
    fields     the `document.LAZY_FIELDS` to compute before the page is dropped
    limits     the budgets of each page
    sites      rules for the pages of some sites
    rule       the selectors of the rule for this page, once `for_page` has found it
    """

    extractor: str | Extractor = DEFAULT
    favor: str = BALANCED
    fields: frozenset[str] = frozenset()
    limits: Limits = NO_LIMITS
    sites: SiteRules = NO_RULES
    rule: SiteRule | None = None

    def for_page(
        self,
        url: str | None,
        extractor: str | Extractor | None = None,
        favor: str | None = None,
    ) -> Self:
        """Return the options of the page at `url`.

        `extractor` and `favor` of the caller override the rule of the site, which overrides this
        object. A favor applies to the extractor of the same source, or of the next source that
        has an extractor.
        """
        rule = self.sites.find(url)
        if rule is not None and extractor is None:
            extractor, favor = rule.extractor, favor or rule.favor
        if extractor is None:
            extractor, favor = self.extractor, favor or self.favor
        selectors = rule if rule is not None and rule.has_selectors else None
        return replace(
            self, extractor=extractor, favor=favor or BALANCED, sites=NO_RULES, rule=selectors
        )

    def build_extractor(self) -> Extractor:
        """Return the extractor with the rule. Raises UnknownExtractorError."""
        extractor = get_extractor(self.extractor, self.favor)
        return extractor if self.rule is None else replace(extractor, override=self.rule)

    def dump(self) -> dict[str, Any]:
        """Return the options of one page as JSON can hold them; `extractor` has to be a name."""
        return {
            "extractor": self.extractor,
            "favor": self.favor,
            "fields": sorted(self.fields),
            "limits": asdict(self.limits),
            "rule": None if self.rule is None else json.dumps(self.rule.as_dict()),
        }

    @classmethod
    def load(cls, values: Mapping[str, Any]) -> Self:
        """Return the options of `dump`."""
        return cls(
            extractor=values["extractor"],
            favor=values["favor"],
            fields=frozenset(values["fields"]),
            limits=Limits(**values["limits"]),
            rule=None if values["rule"] is None else _load_rule(values["rule"]),
        )


@lru_cache(maxsize=MAX_LOADED_RULES)
def _load_rule(written: str) -> SiteRule:
    return SiteRule.from_dict(json.loads(written))


def check_extractor(rule: SiteRule) -> SiteRule:
    """Return the rule. Raises OverrideError for an unknown extractor or favor."""
    try:
        get_extractor(rule.extractor or DEFAULT, rule.favor or BALANCED)
    except UnknownExtractorError as error:
        key = "favor" if rule.extractor is None else "extractor"
        raise OverrideError(f"{locate(rule.pattern, key)}: {error}") from None
    return rule
