"""Rules for sites: selectors and options that override the extractor on some pages.

A rule is checked when it is read. Where its selectors find nothing, the extractor decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import SplitResult, urlsplit

import numpy as np
from lxml import etree

from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.metadata.person_names import drop_duplicates, find_names
from scrapy_boilerplate.page.labels import REMOVED, RULE, BoolArray, Label, Labeling
from scrapy_boilerplate.page.limits import Clock
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.reading import find_elements
from scrapy_boilerplate.page.text import collapse, compose, is_blank, matches_start
from scrapy_boilerplate.steps.pickling import PickledFields

if TYPE_CHECKING:
    from scrapy_boilerplate.site.selectors import Selector

SELECTORS = ("content", "remove", "headline", "authors", "date")
OPTIONS = ("extractor", "favor", "fields")
KEYS = (*SELECTORS, *OPTIONS)
ADVICE = "write CSS such as 'div.story', or an XPath such as '//div[@id=\"story\"]'"

DEFAULT_PORTS = (80, 443)

# maximum nodes for a headline, authors or a date, and characters of the text of each
MAX_VALUES, MAX_VALUE_LENGTH = 50, 5_000


class RuleError(ValueError):
    """A rule is wrong; the message has the site, the key and valid values."""


@dataclass(frozen=True)
class SiteRule(PickledFields):
    """Selectors, in CSS or XPath, and options for the pages that `pattern` matches.

    content    blocks in these elements are full text, others are not
    remove     blocks in these elements are boilerplate
    headline   element, attribute or text of the headline; the same for `authors` and `date`
    extractor, favor, fields  as in the settings; None means the value of the setting
    """

    pattern: str
    content: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    headline: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    extractor: str | None = None
    favor: str | None = None
    fields: Any = field(default=None, hash=False)

    @property
    def has_selectors(self) -> bool:
        return any(getattr(self, name) for name in SELECTORS)

    @cached_property
    def _compiled(self) -> dict[str, list[Selector]]:
        return {name: list(map(_build_selector, getattr(self, name))) for name in SELECTORS}

    def relabel(
        self, page: Page, tree: etree._Element, labeling: Labeling, clock: Clock
    ) -> Labeling:
        """Apply the selectors; mark blocks of `content` RULE and blocks of `remove` REMOVED.

        Headlines inside the content and labels outside of it, except full text, are kept. Blocks of
        authors and date become boilerplate. Raises OutOfTimeError.
        """
        headline = self._inside("headline", page, tree, clock)
        labeling = labeling.relabel(headline, Label.HEADLINE, RULE)
        if headline.any():
            others = (labeling.labels == Label.HEADLINE) & ~headline
            labeling = labeling.relabel(others, Label.BOILERPLATE, RULE)
        content = self._inside("content", page, tree, clock)
        removed = self._inside("remove", page, tree, clock)
        if removed.any():
            labeling = labeling.mark(REMOVED, removed)
        for name in ("authors", "date"):
            removed = removed | (self._inside(name, page, tree, clock) & content)
        kept = content & ~removed
        if kept.any():
            inside = kept & (labeling.labels != Label.HEADLINE)
            labeling = labeling.relabel(inside, Label.FULL_TEXT, RULE)
            outside = labeling.content & ~kept
            labeling = labeling.relabel(outside, Label.BOILERPLATE, RULE).mark(RULE, kept)
        return labeling.relabel(removed, Label.BOILERPLATE, RULE)

    def _inside(self, name: str, page: Page, tree: etree._Element, clock: Clock) -> BoolArray:
        selected = []
        for selector in self._compiled[name]:
            clock.check()
            selected += selector.find_elements(tree)
        if not selected:
            return np.zeros(len(page), dtype=np.bool_)
        inside = page.elements.within(find_elements(page.elements, tree, selected))
        is_inside = inside[page.leaves.element_column]
        is_outside = ~is_inside & ~np.fromiter(map(is_blank, page.leaves.texts), np.bool_)
        n_inside, n_outside = (
            np.bincount(page.leaf_blocks, leaves, len(page)) for leaves in (is_inside, is_outside)
        )
        is_held: BoolArray = (n_inside > 0) & (n_outside == 0)
        return is_held

    def find_values(
        self, page: Page, tree: etree._Element, labeling: Labeling, clock: Clock
    ) -> dict[str, Any]:
        """Return the values of a document by the rule, after `relabel`. Raises OutOfTimeError."""
        values = self._read_metadata(page, tree, clock)
        has_matched = {
            "content": labeling.marked(RULE).any(),
            "remove": labeling.marked(REMOVED).any(),
            "headline": "headline" in values,
            "authors": "authors" in values,
            "date": "date_published" in values,
        }
        names = [*values, *(["text"] if has_matched["content"] else [])]
        matches = tuple(key for key, is_matched in has_matched.items() if is_matched)
        return {**values, "evidence": dict.fromkeys(names, RULE), "rule_matches": matches}

    def _read_metadata(self, page: Page, tree: etree._Element, clock: Clock) -> dict[str, Any]:
        values: dict[str, Any] = {}
        names = ("headline", "authors", "date")
        texts = {name: self._read_texts(name, tree, clock) for name in names}
        if texts["headline"]:
            values["headline"] = compose(texts["headline"][0])
        authors = drop_duplicates(
            compose(name) for text in texts["authors"] for name in find_names(text) or (text,)
        )
        if authors:
            values["authors"] = authors
        dates = (parse_date(text, page.language) for text in texts["date"])
        date = next((each for each in dates if each is not None), None)
        if date is not None:
            values["date_published"] = date
        return values

    def _find_nodes(
        self, name: str, tree: etree._Element, clock: Clock
    ) -> Iterator[etree._Element | str]:
        for selector in self._compiled[name]:
            clock.check()
            yield from selector.find_values(tree)

    def _read_texts(self, name: str, tree: etree._Element, clock: Clock) -> list[str]:
        texts = []
        for node in islice(self._find_nodes(name, tree, clock), MAX_VALUES):
            if isinstance(node, etree._Element):
                if name == "date" and node.get("datetime"):
                    texts.append(str(node.get("datetime")))
                text = etree.tostring(node, method="text", encoding="unicode", with_tail=False)
            else:
                text = str(node)
            texts.append(collapse(text.lstrip()[:MAX_VALUE_LENGTH]))
        return list(filter(None, texts))


class UrlPattern:
    """A pattern such as ``example.com`` (with its subdomains) or ``example.com/news/*/live``.

    A pattern with a path matches URLs of that host, with or without ``www.``, whose path and query
    start with it. Without a port it matches every port; the scheme does not count. Raises
    ValueError for a pattern without a domain, or with ``|`` or ``#``.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        has_scheme = pattern.lower().startswith(("http://", "https://"))
        parts = _split_url(pattern if has_scheme else f"//{pattern}")
        self.host = parts.hostname or ""
        self._port = None if parts.port in DEFAULT_PORTS else parts.port
        if not self.host or "*" in self.host or any(c in pattern for c in " |#"):
            raise ValueError(pattern)
        self.target = _find_target(parts)

    def match(self, parts: SplitResult) -> bool:
        """Return whether the pattern matches a URL whose host, or a parent of it, is `host`."""
        if self._port not in (None, parts.port):
            return False
        is_host = parts.hostname in (self.host, f"www.{self.host}")
        return not self.target or (is_host and matches_start(_find_target(parts), self.target))


def _split_url(url: str) -> SplitResult:
    if not url.isascii():
        # it imports urllib.request and thus ssl, and few callers have such URLs
        from w3lib.url import safe_url_string  # noqa: PLC0415

        url = safe_url_string(url)
    parts = urlsplit(url)
    _ = parts.port  # raises ValueError for a port that is no number
    return parts


def _find_target(parts: SplitResult) -> str:
    path = parts.path or ("/" if parts.query else "")
    return f"{path}?{parts.query}".removesuffix("?").lower()


class SiteRules:
    """The rules of all sites, by pattern."""

    def __init__(self, rules: Sequence[SiteRule] = ()) -> None:
        self._rules = {rule.pattern: rule for rule in rules}
        self._by_host: dict[str, list[tuple[UrlPattern, SiteRule]]] = {}
        patterns = [(UrlPattern(rule.pattern), rule) for rule in self]
        # the most specific first
        patterns.sort(key=lambda pair: (-len(pair[0].target), pair[0].pattern))
        for pattern, rule in patterns:
            self._by_host.setdefault(pattern.host, []).append((pattern, rule))

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[SiteRule]:
        return iter(self._rules.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SiteRules) and self._rules == other._rules

    def __hash__(self) -> int:
        return hash(frozenset(self._rules))

    def find(self, url: str | None) -> SiteRule | None:
        """Return the most specific rule for a URL, or None."""
        if not url or not self._rules:
            return None
        try:
            parts = _split_url(url)
        except ValueError:
            return None
        labels = (parts.hostname or "").split(".")
        for start in range(len(labels)):
            for pattern, rule in self._by_host.get(".".join(labels[start:]), ()):
                if pattern.match(parts):
                    return rule
        return None

    @classmethod
    def from_mapping(
        cls, written: Mapping[Any, Any], check: Callable[[SiteRule], SiteRule] | None = None
    ) -> Self:
        """Return the rules of a mapping by pattern, each after `check`. Raises RuleError."""
        rules = (_parse_rule(pattern, rule) for pattern, rule in written.items())
        return cls(list(rules if check is None else map(check, rules)))

    def as_mapping(self) -> dict[str, dict[str, Any]]:
        """Return the rules as a mapping that `from_mapping` reads."""
        return {
            rule.pattern: {key: getattr(rule, key) for key in KEYS if getattr(rule, key)}
            for rule in self
        }

    @classmethod
    def load(cls, path: str | Path, check: Callable[[SiteRule], SiteRule] | None = None) -> Self:
        """Return the rules of a TOML file, a table for each pattern. Raises RuleError."""
        import tomllib  # noqa: PLC0415 - few callers have rules

        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise RuleError(f"{path} cannot be read ({reason}): give a TOML file") from None
        try:
            return cls.from_mapping(tomllib.loads(text), check)
        except (tomllib.TOMLDecodeError, RuleError) as error:
            raise RuleError(f"{path}: {error}") from None


NO_RULES = SiteRules()


def locate(pattern: Any, key: str = "") -> str:
    """Return the start of a sentence about a rule, or about one of its keys."""
    return f"[{str(pattern)!r}]" + (f"[{key!r}]" if key else "")


def _parse_rule(pattern: Any, written: Any) -> SiteRule:
    place = locate(pattern)
    try:
        UrlPattern(pattern if isinstance(pattern, str) else "")
    except ValueError:
        raise RuleError(
            f"{place} is not a URL pattern: write a domain such as 'example.com', or "
            "'example.com/news/*'"
        ) from None
    if not isinstance(written, Mapping):
        raise RuleError(f"{place} = {written!r}: write the keys of a rule: {', '.join(KEYS)}")
    values: dict[str, Any] = {}
    for key, value in written.items():
        place = locate(pattern, str(key))
        if key not in KEYS:
            raise RuleError(
                f"{place} is not a key of a rule: write {', '.join(KEYS)}, and the name of a site "
                'in quotes, ["news.example"]'
            )
        if key in SELECTORS:
            values[key] = _parse_selectors(value, place)
        elif key == "fields" or isinstance(value, str):
            values[key] = value
        else:
            raise RuleError(f"{place} = {value!r}: write a name, as in the settings")
    return SiteRule(pattern, **values)


def _build_selector(written: str) -> Selector:
    # importing parsel takes as long as importing numpy, and few callers have rules
    from scrapy_boilerplate.site.selectors import Selector  # noqa: PLC0415

    return Selector(written)


def _parse_selectors(written: Any, place: str) -> tuple[str, ...]:
    selectors = [written] if isinstance(written, str) else written
    is_list = isinstance(selectors, list | tuple) and all(isinstance(s, str) for s in selectors)
    if not is_list or not all(each.strip() for each in selectors):
        raise RuleError(f"{place} = {written!r}: {ADVICE}, or a list of them")
    for selector in selectors:
        try:
            _build_selector(selector.strip())
        except ValueError as error:
            raise RuleError(
                f"{place} = {selector!r} is not a valid selector ({error}): {ADVICE}"
            ) from None
    return tuple(each.strip() for each in selectors)
