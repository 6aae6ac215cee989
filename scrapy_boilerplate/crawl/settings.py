"""The ``BOILERPLATE_*`` settings: one table, read and checked before the crawl starts.

`CrawlSettings` is the table: name, type, default, kind and meaning of every setting.
docs/reference/settings.md follows from it.
"""

from __future__ import annotations

import difflib
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings

from scrapy_boilerplate import MissingExtraError, import_optional
from scrapy_boilerplate.article.article_probability import ARTICLE_THRESHOLD
from scrapy_boilerplate.article.reservations import SCHEMES, is_value, list_scheme_values
from scrapy_boilerplate.extractors import (
    BALANCED,
    DEFAULT,
    SITE_STEPS,
    Options,
    SiteStepsError,
    UnknownExtractorError,
    UnknownFavorError,
    build_site_steps,
    check_extractor,
)
from scrapy_boilerplate.items import (
    ALL_FIELDS,
    DEFAULT_FIELDS,
    OPTIONAL_FIELDS,
    describe_unknown_field,
)
from scrapy_boilerplate.markup.clean_html import import_packages
from scrapy_boilerplate.page.limits import Limits
from scrapy_boilerplate.site.page_records import MAX_PAGES
from scrapy_boilerplate.site.rules import NO_RULES, RuleError, SiteRule, SiteRules, locate
from scrapy_boilerplate.site.stores import MEMORY, REDIS_SCHEMES, is_store_location
from scrapy_boilerplate.steps.extractor import Extractor

PREFIX = "BOILERPLATE_"
DROP_NEAR = "drop-near"
PARAGRAPHS = "paragraphs"
# The value of settings that mark an item instead of dropping it
MARK = "mark"
# The value of BOILERPLATE_EXECUTOR for worker processes
PROCESS = "process"
# The site store in a JOBDIR, unless the settings name another
JOB_STORE = "site-knowledge.sqlite"
# Item fields with the URL of the page of an item, in order, unless BOILERPLATE_ITEM_URL is set.
ITEM_URL_FIELDS = ("url", "link", "article_url")
# The fields of BOILERPLATE_CHANGES; the second tuple only with `PARAGRAPHS`
CHANGE_FIELDS = ("change", "previous_fingerprint", "previously_seen")
PARAGRAPH_FIELDS = ("paragraphs_added", "paragraphs_removed")
# Fields of items that BOILERPLATE_FIELDS cannot name, with what to do
FILLED_BY_OTHERS = {
    "url": f"the spider sets 'url'; {PREFIX}ITEM_URL names its field",
    "is_article": "'is_article' goes to every class that declares it, and to dicts with "
    f'{PREFIX}ARTICLES_ONLY = "mark"; remove it here',
    "found_in": "'found_in' is set by NewsSpider; remove it here",
    "next_page": "'next_page' is no field of items; a callback reads "
    "boilerplate(response).next_page",
    "duplicate": "'duplicate' is set by BoilerplateDuplicatesPipeline; remove it here",
    **{
        name: f"{name!r} is set by BoilerplateDuplicatesPipeline with {PREFIX}CHANGES; "
        "remove it here"
        for name in (*CHANGE_FIELDS, *PARAGRAPH_FIELDS)
    },
}


class SettingError(ValueError):
    """A setting has a wrong value; the message says what to write instead."""


@dataclass(frozen=True)
class SettingKind:
    """How the values of a setting are read.

    parse           returns the value of a written setting; raises ValueError, TypeError or
                    OverflowError for a wrong one, SettingError with its own message, or
                    MissingExtraError
    advice          the end of the sentence for a wrong value
    blank_is_unset  whether an empty value means the default
    """

    parse: Callable[[Any], Any]
    advice: str = ""
    blank_is_unset: bool = False


def parse_boolean(written: Any) -> bool:
    """Parse True, False, their names and numbers, as Scrapy's `getbool` does."""
    if written in ("True", "true"):
        return True
    return written not in ("False", "false") and bool(int(written))


def number(lowest: float = 0, highest: float = math.inf) -> SettingKind:
    """Return the kind of finite numbers from `lowest` to `highest`."""

    def parse(written: Any) -> float:
        value = float(written)
        if isinstance(written, bool) or not math.isfinite(value) or not lowest <= value <= highest:
            raise ValueError
        return value

    span = f"of {lowest} or more" if highest == math.inf else f"from {lowest} to {highest}"
    return SettingKind(parse, f"write a number {span}")


def whole_number(lowest: int = 0) -> SettingKind:
    """Return the kind of whole numbers from `lowest` up."""
    parse_number = number(lowest).parse

    def parse(written: Any) -> int:
        value = int(parse_number(written))
        if value != float(written):
            raise ValueError
        return value

    return SettingKind(parse, f"write a whole number of {lowest} or more")


def choice(*words: str, blank_is_unset: bool = False) -> SettingKind:
    """Return the kind of settings that are one of a few words."""

    def parse(written: Any) -> str:
        if written not in words:
            raise ValueError
        return str(written)

    advice = f"write {', '.join(map(repr, words[:-1]))} or {words[-1]!r}"
    return SettingKind(parse, advice, blank_is_unset)


def boolean_or(word: str) -> SettingKind:
    """Return the kind of settings that are True, False, or one word."""
    return SettingKind(
        lambda written: word if written == word else parse_boolean(written),
        f"write True, False or {word!r}",
    )


class FieldNames(dict[str, str]):
    """Document field to item field; `if_declared` are filled too where an item class has them."""

    def __init__(self, names: Mapping[str, str], if_declared: Iterable[str] = ()) -> None:
        super().__init__(names)
        self.if_declared = tuple(if_declared)


def parse_fields(
    written: Any, added: Iterable[str] = (), place: str = f"{PREFIX}FIELDS"
) -> FieldNames:
    """Return the fields in the order of ``BOILERPLATE_FIELDS``.

    `written` is a mapping from field to item field (None leaves a field out, True keeps its name),
    the names of fields, or either as text: JSON, or names separated by commas. A mapping changes
    the default fields and the `added` fields. With names, only these fields are filled.

    Raises SettingError, whose message starts with `place`.
    """
    if isinstance(written, str):
        written = _decode_fields(written, place)
    if not isinstance(written, Iterable):
        raise _fields_error(written, place)
    names = dict.fromkeys(name if isinstance(name, str) else repr(name) for name in written)
    if not isinstance(written, Mapping):
        names.pop("url", None)  # the spider's, in every item
    for name in names:
        if name in FILLED_BY_OTHERS:
            raise SettingError(f"{place}: {FILLED_BY_OTHERS[name]}")
        if name not in ALL_FIELDS:
            raise SettingError(f"{place}: {describe_unknown_field(name, ALL_FIELDS)}")
    if isinstance(written, Mapping):
        return _rename_fields(written, added, place)
    return FieldNames({name: name for name in names})


def _decode_fields(written: str, place: str) -> Any:
    if not written.strip():
        raise _fields_error(written, place)
    if not written.lstrip().startswith(("{", "[")):
        return [name.strip() for name in written.split(",") if name.strip()]
    try:
        return json.loads(written)
    except json.JSONDecodeError:
        raise _fields_error(written, place) from None


def _rename_fields(written: Mapping[str, Any], added: Iterable[str], place: str) -> FieldNames:
    names = dict(default_fields(added))
    for name, target in written.items():
        if target is None or target is False:
            names.pop(name, None)
        elif target is True:
            names[name] = name
        elif isinstance(target, str) and target:
            names[name] = target
        else:
            raise _fields_error(written, place)
    targets = list(names.values())
    for name, target in names.items():
        if target == "url" and name != "canonical_url":
            raise SettingError(
                f"{place} writes {name!r} to 'url', which the spider sets; write another name"
            )
        if targets.count(target) > 1:
            raise SettingError(
                f"{place} writes two fields to {target!r}: give each a name of its own"
            )
    return FieldNames(names, (name for name in OPTIONAL_FIELDS if name not in written))


def _fields_error(written: Any, place: str) -> SettingError:
    return SettingError(
        f"{place} = {written!r}: write a dict from field to item field, None to leave it "
        'out, such as {"text": "body", "blocks": None}, or a list of the fields you want'
    )


def parse_site(written: Any) -> bool | tuple[str, ...]:
    """Return whether the other pages of a site are used, or the steps that use them."""
    if not written or written in ("0", "False", "false"):
        return False
    if written in (True, "1", "True", "true"):
        return True
    if isinstance(written, str):
        is_json = written.lstrip().startswith("[")
        names = json.loads(written) if is_json else written.split(",")
    else:
        names = written
    if not isinstance(names, Sequence):
        raise TypeError
    steps = tuple(str(name).strip() for name in names)
    if not set(steps) <= set(SITE_STEPS):
        raise ValueError
    return steps


def parse_sites(written: Any) -> SiteRules:
    """Return the rules of a mapping, of JSON, or of a TOML file. Raises SettingError."""
    if isinstance(written, SiteRules):
        return written
    if isinstance(written, str) and written.lstrip().startswith("{"):
        written = json.loads(written)  # raises ValueError
    try:
        if isinstance(written, Mapping):
            return SiteRules.from_mapping(written, _check_rule)
        if isinstance(written, str | os.PathLike):
            return SiteRules.load(Path(written), _check_rule)
    except RuleError as error:
        raise SettingError(f"{PREFIX}SITES{'' if str(error)[:1] == '[' else ': '}{error}") from None
    raise TypeError


def _check_rule(rule: SiteRule) -> SiteRule:
    check_extractor(rule)
    if rule.fields is None:
        return rule
    try:
        return replace(rule, fields=parse_fields(rule.fields, (), locate(rule.pattern, "fields")))
    except SettingError as error:
        raise RuleError(str(error)) from None


def parse_store(written: Any) -> str:
    """Return the setting of a store. Raises ValueError, and MissingExtraError without redis."""
    if not isinstance(written, str) or not written.strip() or not is_store_location(written):
        raise ValueError
    if written.startswith(REDIS_SCHEMES):
        import_optional("redis", "a site store in Redis", "redis")
    return written


def parse_folder(written: Any) -> str | None:
    """Return the folder of the inspection pages, created if missing, or None.

    Raises SettingError, and MissingExtraError without the extra [html].
    """
    if written == "":
        return None
    import_optional("nh3", "the inspection page", "html")
    try:
        Path(written).mkdir(parents=True, exist_ok=True)
    except (OSError, TypeError, ValueError) as error:
        raise SettingError(
            f"{PREFIX}INSPECT_DIR = {written!r}: {error}; write a folder that can be made, or "
            "remove it"
        ) from None
    return str(written)


def parse_reserved(written: Any) -> dict[str, str]:
    """Return scheme to value. Raises SettingError for unknown ones."""
    written = json.loads(written) if isinstance(written, str) else written
    reserved = {str(scheme): str(value).strip() for scheme, value in dict(written).items()}
    for scheme, value in reserved.items():
        if scheme not in SCHEMES:
            raise SettingError(
                f"{PREFIX}RESERVED_DROP: there is no scheme {scheme!r}; write {', '.join(SCHEMES)}"
            )
        if not is_value(scheme, value):
            known = ", ".join(list_scheme_values(scheme)) or VALUES.get(scheme, "a URL")
            raise SettingError(
                f"{PREFIX}RESERVED_DROP: {scheme} has no value {value!r}; write {known}"
            )
    return reserved


def parse_item_url(written: Any) -> tuple[str, ...]:
    """Return the name of an item field in a tuple; () for none."""
    if written in (False, "False", "false", "0", ""):
        return ()
    if not isinstance(written, str):
        raise TypeError
    return (written,)


# scheme to an example of its values, which are open
VALUES = {"aipref": "a preference such as train-ai=n"}
AS_WRITTEN = SettingKind(lambda written: written, blank_is_unset=True)
BOOLEAN = SettingKind(parse_boolean, "write True or False")


def default_fields(added: Iterable[str] = ()) -> FieldNames:
    """Return DEFAULT_FIELDS and `added` under their own names, and the optional fields."""
    return FieldNames({name: name for name in (*DEFAULT_FIELDS, *added)}, OPTIONAL_FIELDS)


def default_workers() -> int:
    """Return the number of cores minus one for the crawl itself."""
    return max(1, (os.cpu_count() or 1) - 1)


def setting(default: Any, kind: SettingKind, meaning: str) -> Any:
    """Return a row of the table: the default (or a function that gives it), kind and meaning."""
    metadata = {"kind": kind, "meaning": meaning}
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class CrawlSettings:
    """Settings of one crawl: the setting ``BOILERPLATE_MIN_WORDS`` is `min_words`.

    A row has the default, the kind of value, and the meaning of the setting (in Markdown).
    """

    enabled: bool = setting(True, BOOLEAN, "`False` disables every component")
    extractor: str = setting(
        DEFAULT, AS_WRITTEN, "a name of `scrapy-boilerplate extractors`, or the path of a model"
    )
    favor: str = setting(
        BALANCED,
        AS_WRITTEN,
        '`"precision"`: only the body; `"recall"`: also lists and closing lines',
    )
    fields: FieldNames = setting(
        default_fields, SettingKind(parse_fields), "fields to fill, and their names in the item"
    )
    item_url: tuple[str, ...] = setting(
        lambda: ITEM_URL_FIELDS,
        SettingKind(parse_item_url, "write the name of an item field, or False"),
        "item field with the URL of the page; items whose URL differs from the URL of their "
        "response are not filled. `False`: every item is filled",
    )
    blocks: str = setting(
        "labels",
        choice("labels", "content", "all", "none"),
        '`"labels"`: text, label and score of every block; `"content"`: the same, only for blocks '
        'of headline and full text; `"all"`: also the XPath of every block; `"none"`: no blocks',
    )
    min_words: int = setting(0, whole_number(), "drop items whose page has fewer words of text")
    min_confidence: float = setting(
        0, number(highest=1), "drop items whose page has a lower confidence (0 to 1)"
    )
    articles_only: bool | str = setting(
        False,
        boolean_or(MARK),
        '`True`: drop items whose page is not an article; `"mark"`: only set `is_article`',
    )
    article_threshold: float = setting(
        ARTICLE_THRESHOLD, number(highest=1), "minimum `article_probability` of an article (0 to 1)"
    )
    pages: int = setting(
        0,
        whole_number(),
        "maximum number of pages of an article that are joined into one item; 0 or 1: join nothing",
    )
    pages_seconds: float = setting(
        30, number(0.1), "seconds that an item waits for the further pages of its article"
    )
    pages_drop: bool = setting(
        True,
        BOOLEAN,
        "`True`: a page that was joined is not requested again, and its own items are dropped",
    )
    site: bool | tuple[str, ...] = setting(
        False,
        SettingKind(parse_site, f"write True, False, or a list of steps: {', '.join(SITE_STEPS)}"),
        "`True`: use the other pages of a site, with an extractor of the literature; a list "
        "selects some of the steps: " + ", ".join(f"`{name}`" for name in SITE_STEPS),
    )
    sites: SiteRules = setting(
        NO_RULES,
        SettingKind(
            parse_sites,
            'write a dict such as {"example.com": {"content": "div.story"}}, or the path of a '
            "TOML file",
            blank_is_unset=True,
        ),
        "rules for some sites, a dict or the path of a TOML file: "
        "[how](../usage/site.md#rules-for-a-site)",
    )
    site_pages: int = setting(
        MAX_PAGES, whole_number(1), "maximum number of pages of a site to remember; the newest stay"
    )
    site_store: str = setting(
        MEMORY,
        SettingKind(parse_store, "write 'memory', the path of a file, or 'redis://host:port'"),
        '`"memory"`, the path of an SQLite file, or `"redis://host:port/db"`',
    )
    site_sync_seconds: float = setting(1, number(0.01), "seconds between exchanges with the store")
    site_alarm: bool = setting(
        False,
        BOOLEAN,
        "`True`: warn when a site has been redesigned: [how](../usage/monitoring.md#redesigns)",
    )
    duplicates: str = setting(
        "drop",
        choice("drop", DROP_NEAR, MARK, blank_is_unset=True),
        'items that `BoilerplateDuplicatesPipeline` drops. `"drop"`: the same text; `"drop-near"`: '
        'also nearly the same text of another site; `"mark"`: no items. It marks the duplicates '
        "that it keeps",
    )
    changes: bool | str = setting(
        False,
        boolean_or(PARAGRAPHS),
        "`True`: `BoilerplateDuplicatesPipeline` sets `change` to the change of an article since "
        'it was last crawled at its URL; `"paragraphs"`: it also lists added and removed '
        "paragraphs",
    )
    csv_quote_formulas: bool = setting(
        False,
        BOOLEAN,
        "`True`: write an apostrophe before CSV cells that begin with `=`, `+`, `-` or `@`, also "
        "after white space and invisible characters, so that no spreadsheet runs the text of a "
        "page",
    )
    postgres: str = setting(
        "postgresql://",
        AS_WRITTEN,
        "URL of the database of [`PostgresPipeline`](../usage/database.md#postgresql)",
    )
    postgres_table: str = setting("articles", AS_WRITTEN, "its table, which is created if missing")
    inspect_dir: str | None = setting(
        None,
        SettingKind(parse_folder),
        "folder for the inspection pages of doubtful articles, with an index; needs the extra "
        "`[html]`",
    )
    inspect_pages: int = setting(
        50,
        whole_number(),
        "maximum number of inspection pages; those with the lowest confidence are kept",
    )
    inspect_below: float = setting(
        0.8, number(highest=1), "confidence under which an article is doubtful (0 to 1)"
    )
    max_crawl_delay: float = setting(
        30,
        number(),
        "maximum seconds that `NewsSpider` waits between requests to a host, if its robots.txt has "
        "`Crawl-delay` or `Request-rate`; `0`: those lines do not count",
    )
    reservations: bool = setting(
        False,
        BOOLEAN,
        "`True`: the field `reservations` for every item, with what robots.txt and "
        "`/.well-known/tdmrep.json` declare: [how](../usage/reservations.md). `NewsSpider` sets it",
    )
    reserved_drop: Mapping[str, str] = setting(
        dict,
        SettingKind(
            parse_reserved, 'write a dict such as {"tdmrep": "1"}, or {}', blank_is_unset=True
        ),
        'drop items with one of these reservations, such as `{"tdmrep": "1", "content-signals": '
        '"ai-train=no"}`',
    )
    executor: str = setting(
        "inline",
        choice("inline", PROCESS),
        '`"process"`: worker processes read the pages while the crawl continues',
    )
    workers: int = setting(default_workers, whole_number(1), "maximum number of worker processes")
    # 10 MB of text take 10 s on a slow machine
    max_bytes: int = setting(
        10_000_000, whole_number(), "maximum number of bytes of a page to read; `0` is no limit"
    )
    max_elements: int = setting(
        300_000,
        whole_number(),
        "maximum number of elements of a page to read, in document order; `0` is no limit",
    )
    max_milliseconds: float = setting(
        10_000, number(), "maximum CPU milliseconds for a page; `0` is no limit"
    )

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> CrawlSettings:
        """Read and check the settings. Raises SettingError for the first one that is wrong."""
        rows = {PREFIX + row.name.upper(): row for row in fields(cls)}
        for name in settings:
            if isinstance(name, str) and name.startswith(PREFIX) and name not in rows:
                nearest = difflib.get_close_matches(name, sorted(rows), n=1, cutoff=0)[0]
                raise SettingError(f"there is no setting {name}; write {nearest}, or remove it")
        values: dict[str, Any] = {}
        for name, row in rows.items():
            kind: SettingKind = row.metadata["kind"]
            written = settings.get(name)
            if written is not None and (written or not kind.blank_is_unset):
                values[row.name] = parse_setting(name, kind, written)
        if settings.get("JOBDIR"):
            values.setdefault("site_store", JOB_STORE)
        is_added = {
            "reservations": values.get("reservations", False),
            "site_pages": values.get("site", False) is not False,
            "pages": values.get("pages", 0) > 1,
        }
        added = [name for name, is_on in is_added.items() if is_on]
        if added:
            written = settings.get(f"{PREFIX}FIELDS")
            values["fields"] = (
                default_fields(added) if written is None else parse_fields(written, added)
            )
        crawl = cls(**values)
        crawl._check_together()
        return crawl

    @property
    def uses_site(self) -> bool:
        """Whether the other pages of a site are used."""
        return self.site is not False

    @property
    def site_steps(self) -> tuple[str, ...]:
        """The steps that use the other pages; () for the default steps of the extractor."""
        return () if isinstance(self.site, bool) else self.site

    @property
    def limits(self) -> Limits:
        """The budgets of a page."""
        return Limits(
            bytes=self.max_bytes or None,
            elements=self.max_elements or None,
            milliseconds=self.max_milliseconds or None,
        )

    @cached_property
    def options(self) -> Options:
        """How the pages of the crawl are read."""
        return Options(
            extractor=self.extractor, favor=self.favor, limits=self.limits, rules=self.sites
        )

    def _check_together(self) -> None:
        try:
            extractor = self.options.build_extractor()
        except UnknownFavorError as error:
            raise SettingError(f"{PREFIX}FAVOR: {error}") from None
        except UnknownExtractorError as error:
            raise SettingError(f"{PREFIX}EXTRACTOR: {error}") from None
        for name in ("site", "site_alarm"):
            if getattr(self, name) and self.executor == PROCESS:
                raise SettingError(
                    f"{PREFIX}EXECUTOR = {PROCESS!r}: workers do not know the other pages of a "
                    f"site; remove it, or remove {PREFIX}{name.upper()}"
                )
        if self.uses_site:
            self._check_site(extractor)
        for name in self.fields:
            try:
                import_packages(name, f"the field {name!r}")
            except MissingExtraError as error:
                raise SettingError(f"{PREFIX}FIELDS: {error}, or leave it out") from None

    def _check_site(self, extractor: Extractor) -> None:
        try:
            build_site_steps(extractor, self.site_steps)
        except SiteStepsError as error:
            raise SettingError(
                f"{PREFIX}SITE: {error}; remove {PREFIX}SITE, which alarms, duplicates and rules "
                f"for sites do not need, or set {PREFIX}EXTRACTOR to another, such as 'num-words'"
            ) from None


def is_enabled(settings: BaseSettings) -> bool:
    """Return whether the components are enabled; reads no other setting. Raises SettingError."""
    name = f"{PREFIX}ENABLED"
    written = settings.get(name)
    return True if written is None else bool(parse_setting(name, BOOLEAN, written))


def parse_setting(name: str, kind: SettingKind, written: Any) -> Any:
    """Return the value of a setting. Raises SettingError for a wrong one."""
    try:
        return kind.parse(written)
    except SettingError:
        raise
    except MissingExtraError as error:
        raise SettingError(f"{name} = {written!r}: {error}; or remove the setting") from None
    except (OverflowError, TypeError, ValueError):
        raise SettingError(f"{name} = {written!r}: {kind.advice}") from None
