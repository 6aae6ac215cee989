"""All extractors by name, and `Options` for making documents of pages.

The module of an extractor is imported on first use. A process that only passes names on, such as
the command `batch`, imports neither numpy nor lxml.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from scrapy_boilerplate.page.limits import NO_LIMITS, Limits
from scrapy_boilerplate.site.rules import NO_RULES, RuleError, SiteRule, SiteRules, locate

if TYPE_CHECKING:
    from scrapy_boilerplate.site.visit import SiteSteps
    from scrapy_boilerplate.steps.extractor import Extractor
    from scrapy_boilerplate.steps.model_store import StoredModel

DEFAULT = "news"
# the first of `steps.extractor.FAVORS`
BALANCED = "balanced"

# modules with the names of the extractors in their ROWS, in the order in which they are listed
_NAMES = (
    ("news.container", "container"),
    (
        "systems.boilerpipe",
        "keep-everything min-10-words density-1r num-words density largest-content "
        "main-content boilerpipe-article boilerpipe-default",
    ),
    ("systems.grandparent", "grandparent"),
    ("systems.justext", "justext"),
    (
        "systems.boilerpipe",
        "boilerpipe-article-head boilerpipe-article-sentences boilerpipe-canola",
    ),
    ("systems.block_fusion", "block-fusion block-fusion-smoothed block-fusion-rulebased"),
    ("systems.tag_ratios.sequences", "bte dsc adsc cetr-tm cetr-km cetr ccb"),
    ("systems.tag_ratios.text_density", "cetd text-density"),
    ("systems.tag_ratios.sequences", "mss"),
    ("systems.candidates.children", "largest-tag-count fan-out libextract"),
    ("systems.candidates.gravity", "goose newspaper"),
    ("systems.candidates.readability", "readability"),
    ("news.extractor", "news news-permissive"),
    ("systems.shallow.classifiers", "c48 c48-4 c48-6 svm svm-4 svm-6"),
    ("systems.learned", "mlp crf web2text ncleaner"),
)
MODULES: Mapping[str, str] = MappingProxyType(
    {name: module for module, names in _NAMES for name in names.split()}
)

# the steps of `systems.site_templates`
SITE_STEPS = ("site-frequency", "site-style-tree", "goldminer")

# other names that `get_extractor` accepts
TREE_FILTER_NAMES = (
    "NAME+grandparent, NAME+grandparent-DEPTH or grandparent-DEPTH (1 to 5), the tree filter "
    "over an extractor; or the path of a trained model (with a slash in it)"
)
_tree_filter_name = re.compile(r"(?:(.+)\+)?grandparent(?:-([1-5]))?").fullmatch

# names that an error suggests if no name is similar
SUGGESTED = ("news", "container", "num-words", "boilerpipe-article")

# minimum similarity of a suggested name (the default of `difflib`)
MIN_SIMILARITY = 0.6

MAX_LOADED_MODELS = 4
MAX_LOADED_RULES = 256


class UnknownExtractorError(ValueError):
    """Unknown extractor or unusable model; the message suggests a name or describes the error."""


class UnknownFavorError(UnknownExtractorError):
    """The favor is unknown, or this extractor does not support it."""


class SiteStepsError(ValueError):
    """The extractor has no steps that read the other pages of a site."""


def _import(module: str) -> Any:
    return import_module(f"{__package__}.{module}")


@cache
def _load_shipped(name: str) -> Extractor:
    rows: tuple[Extractor, ...] = _import(MODULES[name]).ROWS
    return next(row for row in rows if row.name == name)


class _Extractors(Mapping[str, "Extractor"]):
    def __getitem__(self, name: str) -> Extractor:
        return _load_shipped(name)

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


#: Name to extractor, in the order in which they are listed.
EXTRACTORS: Mapping[str, Extractor] = _Extractors()


def get_extractor(extractor: str | Extractor, favor: str = BALANCED) -> Extractor:
    """Return the extractor of a name; an `Extractor` is returned unchanged.

    A name is one of EXTRACTORS, or a variant with the tree filter of 2018: ``grandparent-3`` is
    `grandparent` with another depth (1 to 5), ``density+grandparent`` and
    ``density+grandparent-3`` apply the filter to the result of `density`. A path (with a slash in
    it) is the folder of a trained model, and becomes the name of its extractor. `favor` is one of
    FAVORS. Raises UnknownExtractorError for an unknown name or an unusable model, and
    UnknownFavorError for a favor that the extractor does not support.
    """
    from scrapy_boilerplate.steps.extractor import Extractor  # noqa: PLC0415

    if isinstance(extractor, Extractor):
        return extractor
    is_listed = isinstance(extractor, str) and extractor in MODULES
    named = _load_shipped(extractor) if is_listed else _find_extractor(extractor)
    return named if favor == BALANCED else _with_favor(named, favor)


def check_names(extractor: str, favor: str = BALANCED) -> None:
    """Raise UnknownExtractorError as `get_extractor` does; import what the names need for it."""
    if extractor not in MODULES or favor != BALANCED:
        get_extractor(extractor, favor)


def _find_extractor(name: str) -> Extractor:
    from scrapy_boilerplate.steps.model_store import ModelError  # noqa: PLC0415

    if isinstance(name, str):
        if "/" in name:
            try:
                return load_extractor(name)
            except ModelError as error:
                raise UnknownExtractorError(str(error)) from error
        match = _tree_filter_name(name)
        base = (match[1] or "num-words") if match else ""
        if match and base in MODULES:
            tree_filter = _import("systems.grandparent").GrandparentFilter(depth=int(match[2] or 2))
            steps = (*EXTRACTORS[base].steps, tree_filter)
            return replace(EXTRACTORS[base], name=name, steps=steps)
    similar = difflib.get_close_matches(str(name).casefold(), MODULES, n=1, cutoff=MIN_SIMILARITY)
    if isinstance(name, str) and Path(name, "model.json").is_file():
        hint = f"to use the model in this folder, write './{name}'"
    elif "grandparent" in str(name):
        hint = f"write {TREE_FILTER_NAMES}"
    elif similar:
        hint = f"did you mean {similar[0]!r}?"
    else:
        hint = f"write one of: {', '.join(SUGGESTED)}"
    raise UnknownExtractorError(
        f"no extractor is called {name!r}; {hint} (the command scrapy-boilerplate extractors "
        "lists all)"
    )


def _with_favor(extractor: Extractor, favor: str) -> Extractor:
    from scrapy_boilerplate.steps.extractor import FAVORS, FavoringStep  # noqa: PLC0415

    if favor not in FAVORS:
        names = [repr(name) for name in FAVORS]
        raise UnknownFavorError(
            f"no favor is called {favor!r}; write {', '.join(names[:-1])} or {names[-1]}"
        )
    steps = tuple(
        step.with_favor(favor) if isinstance(step, FavoringStep) else step
        for step in extractor.steps
    )
    if steps == extractor.steps:
        raise UnknownFavorError(
            f"the extractor {extractor.name!r} cannot favor {favor}; leave out favor, or use 'news'"
        )
    return replace(extractor, steps=steps)


def build_site_steps(extractor: Extractor, names: Sequence[str] = ()) -> SiteSteps:
    """Return the steps of SITE_STEPS with these names, or the default steps of `extractor`.

    Raises SiteStepsError for an extractor that does without them, such as `news`.
    """
    if not extractor.uses_site:
        raise SiteStepsError(
            f"the extractor {extractor.name!r} does without the other pages of a site"
        )
    steps: SiteSteps = _import("systems.site_templates").build_steps(extractor, names)
    return steps


def load_extractor(folder: str) -> Extractor:
    """Return the extractor of the trained model in `folder`. Raises ModelError.

    Its name is the path, because the shipped model has the name of its kind. The last ones are
    cached until their files change, because each request can name a model.
    """
    from scrapy_boilerplate.steps.model_store import MANIFEST  # noqa: PLC0415

    try:
        changed = (Path(folder) / MANIFEST).stat().st_mtime_ns
    except (OSError, ValueError):  # no file, or not a path: loading the model raises the error
        changed = 0
    return _load_extractor(folder, changed)


@lru_cache(maxsize=MAX_LOADED_MODELS)
def _load_extractor(folder: str, _changed: int) -> Extractor:
    from scrapy_boilerplate.steps.model_store import ModelError, load_model  # noqa: PLC0415

    model = load_model(Path(folder))
    if not has_maker(model.kind):
        raise ModelError(
            f"{folder} has a model of the kind {model.kind!r}, which this version does not know: "
            "update scrapy_boilerplate or train it again"
        )
    return replace(build_from_model(model), name=folder)


def has_maker(kind: str) -> bool:
    """Whether a stored model of this kind is an extractor: MAKERS of its module builds it."""
    return kind in MODULES and kind in getattr(_import(MODULES[kind]), "MAKERS", ())


def build_from_model(model: StoredModel) -> Extractor:
    """Return the extractor of a model. Raises ModelError if it does not fit."""
    extractor: Extractor = _import(MODULES[model.kind]).MAKERS[model.kind](model)
    return extractor


def find_model_folder(name: str) -> Path:
    """Return the folder of a model of the package. Raises ModelError for an unknown name."""
    from scrapy_boilerplate.steps.model_store import ModelError  # noqa: PLC0415

    models = getattr(_import(MODULES[name]), "MODELS", None) if name in MODULES else None
    if models is None:
        raise ModelError(
            f"the package has no model {name!r}: write the name of a learned extractor"
        )
    return Path(models) / name


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options for making documents of pages.

    extractor  a name, the path of a trained model, or an `Extractor` of your own
    favor      ``balanced``, ``precision`` or ``recall``, for extractors that support it
    fields     the `document.LAZY_FIELDS` to compute before the page is dropped
    limits     the budgets of each page
    rules      rules for the pages of some sites
    rule       the rule for this page, once `for_page` has found it
    """

    extractor: str | Extractor = DEFAULT
    favor: str = BALANCED
    fields: frozenset[str] = frozenset()
    limits: Limits = NO_LIMITS
    rules: SiteRules = NO_RULES
    rule: SiteRule | None = None

    def for_page(
        self, url: str | None, extractor: str | Extractor | None = None, favor: str | None = None
    ) -> Self:
        """Return the options of the page at `url`.

        `extractor` and `favor` of the caller override the rule of the site, which overrides this
        object. A favor applies to the extractor of the same source, or of the next source that
        has an extractor. The result has no rules but its own, and stays the same.
        """
        if self.rules is NO_RULES and extractor is None and favor is None:
            return self
        rule = self.rules.find(url)
        if rule is not None and extractor is None:
            extractor, favor = rule.extractor, favor or rule.favor
        if extractor is None:
            extractor, favor = self.extractor, favor or self.favor
        return replace(
            self, extractor=extractor, favor=favor or BALANCED, rules=NO_RULES, rule=rule
        )

    def build_extractor(self) -> Extractor:
        """Return the extractor. Raises UnknownExtractorError."""
        return get_extractor(self.extractor, self.favor)

    def dump(self) -> dict[str, Any]:
        """Return the options of one page as JSON values; `extractor` has to be a name."""
        return {
            "extractor": self.extractor,
            "favor": self.favor,
            "fields": sorted(self.fields),
            "limits": asdict(self.limits),
            "rule": self.rule and json.dumps(asdict(replace(self.rule, fields=None))),
        }

    @classmethod
    def load(cls, values: Mapping[str, Any]) -> Self:
        """Return the options from the values that `dump` returns."""
        return cls(
            extractor=values["extractor"],
            favor=values["favor"],
            fields=frozenset(values["fields"]),
            limits=Limits(**values["limits"]),
            rule=values["rule"] and _load_rule(values["rule"]),
        )


@lru_cache(maxsize=MAX_LOADED_RULES)
def _load_rule(written: str) -> SiteRule:
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in json.loads(written).items()
    }
    return SiteRule(**values)


def check_extractor(rule: SiteRule) -> SiteRule:
    """Return the rule. Raises RuleError for an unknown extractor or favor."""
    try:
        check_names(rule.extractor or DEFAULT, rule.favor or BALANCED)
    except UnknownExtractorError as error:
        key = "favor" if rule.extractor is None else "extractor"
        raise RuleError(f"{locate(rule.pattern, key)}: {error}") from None
    return rule
