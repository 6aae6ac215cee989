"""Overrides by site: what a user says of the pages of a site, whatever an extractor says.

A rule names the content by selectors. It is checked whole when it is read; on a page it never
raises. Where its selectors find nothing, the page is as without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from cssselect import SelectorError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from scrapy_boilerplate.extras import import_optional
from scrapy_boilerplate.metadata.date_parsing import parse_date
from scrapy_boilerplate.metadata.person_names import drop_duplicates, find_names
from scrapy_boilerplate.page.labels import OVERRIDE, BoolArray, Label, Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.reading import find_elements
from scrapy_boilerplate.page.text import collapse, compose
from scrapy_boilerplate.site.address_patterns import AddressPattern, AddressPatterns

if TYPE_CHECKING:
    from typing_extensions import Self

SELECTORS = ("content", "remove", "headline", "authors", "date")
OPTIONS = ("extractor", "favor", "fields")
KEYS = (*SELECTORS, *OPTIONS)
"""The keys of a rule."""
ADVICE = "write CSS such as 'div.story', or an XPath such as '//div[@id=\"story\"]'"

# Starts of an XPath; everything else is CSS.
_is_xpath = re.compile(r"\(*\.{0,2}/|\(").match
# Nodes whose text a headline, an author or a date can have at most (our choice).
MAX_VALUES = 50
_EXAMPLE = etree.HTML("<html><body><div id=a class=b><p>Text</p></div></body></html>")


class OverrideError(ValueError):
    """A rule is wrong; the message names its place and says what to write instead."""


@dataclass(frozen=True)
class SiteRule:
    """What holds for the pages that `pattern` matches. Selectors are CSS, or XPath.

    content    blocks in these elements are full text, others are not
    remove     blocks in these elements are boilerplate
    headline   element, attribute or text of the headline; `authors` and `date` alike
    extractor, favor, fields  as in the settings; None for those of the crawl
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
        """Whether the rule says anything of blocks and values."""
        return any(getattr(self, name) for name in SELECTORS)

    def as_dict(self) -> dict[str, Any]:
        """Return what a worker needs: the pattern and the selectors, as JSON can hold them."""
        return {"pattern": self.pattern, **{name: list(getattr(self, name)) for name in SELECTORS}}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the rule of `as_dict`."""
        selectors: dict[str, Any] = {name: tuple(values[name]) for name in SELECTORS}
        return cls(values["pattern"], **selectors)

    @cached_property
    def _compiled(self) -> dict[str, list[etree.XPath]]:
        return {name: list(map(compile_selector, getattr(self, name))) for name in SELECTORS}

    def relabel(self, page: Page, tree: etree._Element, labeling: Labeling) -> Labeling:
        """Return the labels as the rule has them; blocks of its content are marked OVERRIDE.

        Headlines stay headlines inside the content, and other labels than full text outside. Lines
        of authors and date inside the content are no text.
        """
        headline = self._inside("headline", page, tree)
        labeling = labeling.relabel(headline, Label.HEADLINE, OVERRIDE)
        if headline.any():
            others = (labeling.labels == Label.HEADLINE) & ~headline
            labeling = labeling.relabel(others, Label.BOILERPLATE, OVERRIDE)
        content = self._inside("content", page, tree)
        removed = self._inside("remove", page, tree)
        for name in ("authors", "date"):
            removed |= self._inside(name, page, tree) & content
        kept = content & ~removed
        if kept.any():
            inside = kept & (labeling.labels != Label.HEADLINE)
            labeling = labeling.relabel(inside, Label.FULL_TEXT, OVERRIDE)
            outside = labeling.content & ~kept
            labeling = labeling.relabel(outside, Label.BOILERPLATE, OVERRIDE).mark(OVERRIDE, kept)
        return labeling.relabel(removed, Label.BOILERPLATE, OVERRIDE)

    def _inside(self, name: str, page: Page, tree: etree._Element) -> BoolArray:
        """Return bool[n]: the blocks that lie in elements that a selector finds."""
        inside = np.zeros(len(page.elements) + 1, dtype=np.int64)
        nodes = map(_find_element, self._find(name, tree))
        selected = [node for node in nodes if node is not None]
        for element in find_elements(page.elements, tree, selected):
            inside[element] += 1
            inside[page.elements.ends[element]] -= 1
        in_leaf = np.cumsum(inside)[np.array(page.leaves.elements, dtype=np.int64)] > 0
        outside = np.concatenate(([0], np.cumsum(~in_leaf)))
        is_held: BoolArray = outside[page.blocks.end_leaf] == outside[page.blocks.first_leaf]
        return is_held & (page.blocks.end_leaf > page.blocks.first_leaf)

    def _find(self, name: str, tree: etree._Element) -> Iterator[Any]:
        for selector in self._compiled[name]:
            try:
                yield from selector(tree)
            except etree.XPathError:  # such as too deep a recursion: as if there was nothing
                continue

    def read_metadata(self, page: Page, tree: etree._Element) -> dict[str, Any]:
        """Return the values of the fields that the rule's selectors find, by field."""
        values: dict[str, Any] = {}
        texts = {name: self._read_texts(name, tree) for name in ("headline", "authors", "date")}
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

    def _read_texts(self, name: str, tree: etree._Element) -> list[str]:
        texts = []
        for node, _ in zip(self._find(name, tree), range(MAX_VALUES), strict=False):
            if isinstance(node, etree._Element):
                if name == "date" and node.get("datetime"):
                    texts.append(str(node.get("datetime")))
                text = etree.tostring(node, method="text", encoding="unicode", with_tail=False)
            else:
                text = str(node)
            texts.append(collapse(text))
        return list(filter(None, texts))


def _find_element(node: Any) -> etree._Element | None:
    """Return a node that a selector has found, or the element that its text stands in."""
    if isinstance(node, etree._Element):
        return node
    return node.getparent() if getattr(node, "is_text", False) else None


def compile_selector(selector: str) -> etree.XPath:
    """Return the XPath of a selector. Raises ValueError for a wrong one."""
    try:
        path = selector if _is_xpath(selector) else HTMLTranslator().css_to_xpath(selector)
        compiled = etree.XPath(path)
        result = compiled(_EXAMPLE)
    except (SelectorError, etree.XPathError) as error:
        raise ValueError(str(error) or "it cannot be read") from None
    if not isinstance(result, list):
        raise ValueError("it is a number, a text or a comparison, and finds no element")  # noqa: TRY004
    return compiled


class SiteRules:
    """The rules of all sites, by pattern."""

    def __init__(self, rules: Sequence[SiteRule] = ()) -> None:
        self._rules = {rule.pattern: rule for rule in rules}
        self._patterns = AddressPatterns(AddressPattern(rule.pattern) for rule in rules)

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[SiteRule]:
        return iter(self._rules.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SiteRules) and self._rules == other._rules

    def __hash__(self) -> int:
        return hash(frozenset(self._rules))

    def find(self, url: str | None) -> SiteRule | None:
        """Return the most specific rule for an address, or None."""
        pattern = self._patterns.find(url) if self._rules else None
        return None if pattern is None else self._rules[pattern]

    @classmethod
    def from_mapping(cls, written: Mapping[Any, Any], source: RuleSource | None = None) -> Self:
        """Return the rules of a mapping from pattern to rule. Raises OverrideError."""
        source = RuleSource() if source is None else source
        return cls([_parse_rule(pattern, rule, source) for pattern, rule in written.items()])

    def as_mapping(self) -> dict[str, dict[str, Any]]:
        """Return what `from_mapping` reads."""
        return {
            rule.pattern: {key: getattr(rule, key) for key in KEYS if getattr(rule, key)}
            for rule in self
        }

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the rules of a TOML file: one table for each pattern. Raises OverrideError."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise OverrideError(f"{path} cannot be read ({reason}): give a TOML file") from None
        toml = _load_toml()
        try:
            written = toml.loads(text)
        except toml.TOMLDecodeError as error:
            raise OverrideError(
                f"{path} is no TOML ({error}): write a table for each site, such as "
                '["example.com"] and below it content = "div.story"'
            ) from None
        return cls.from_mapping(written, RuleSource(str(path), text))


NO_RULES = SiteRules()


def _load_toml() -> Any:
    try:
        import tomllib  # noqa: PLC0415 - Python 3.11
    except ImportError:
        return import_optional("tomli", "a TOML file on Python 3.10", "sites")
    return tomllib


@dataclass(frozen=True)
class RuleSource:
    """Where rules are written: a mapping, or a file with its text."""

    path: str = ""
    text: str = ""

    def locate(self, pattern: str, key: str = "") -> str:
        """Return the start of a sentence about a rule, or one of its keys."""
        if self.path:
            line = self._find_line(pattern, key)
            return f"{self.path}{line and f', line {line}'}: {key or repr(pattern)}"
        return f"[{pattern!r}]" + (f"[{key!r}]" if key else "")

    def _find_line(self, pattern: str, key: str) -> int:
        """Return the number of the line of a key, else of its table; 0 if it is not found."""
        toml, table = _load_toml(), 0
        for number, line in enumerate(self.text.splitlines(), 1):
            written = line.strip()
            if written.startswith("["):
                try:
                    is_table = pattern in toml.loads(written)
                except toml.TOMLDecodeError:  # a line of a list
                    continue
                table = number if is_table else 0
                if is_table and not key:
                    return number
            elif table and key and written.partition("=")[0].strip().strip("\"'") == key:
                return number
        return table


def _parse_rule(pattern: Any, written: Any, source: RuleSource) -> SiteRule:
    place = source.locate(str(pattern))
    try:
        AddressPattern(pattern if isinstance(pattern, str) else "")
    except ValueError:
        raise OverrideError(
            f"{place} is no pattern of addresses: write a domain such as 'example.com', or "
            "'example.com/news/*'"
        ) from None
    if not isinstance(written, Mapping):
        raise OverrideError(f"{place} = {written!r}: write the keys of a rule: {', '.join(KEYS)}")
    values: dict[str, Any] = {}
    for key, value in written.items():
        if key not in KEYS:
            raise OverrideError(
                f"{source.locate(pattern, str(key))} is no key of a rule: write {', '.join(KEYS)}"
            )
        place = source.locate(pattern, key)
        if key in SELECTORS:
            values[key] = _parse_selectors(value, place)
        elif key == "fields" or isinstance(value, str):
            values[key] = value
        else:
            raise OverrideError(f"{place} = {value!r}: write a name, as in the settings")
    return SiteRule(pattern, **values)


def _parse_selectors(written: Any, place: str) -> tuple[str, ...]:
    selectors = [written] if isinstance(written, str) else written
    is_list = isinstance(selectors, list | tuple) and all(isinstance(s, str) for s in selectors)
    if not is_list or not all(each.strip() for each in selectors):
        raise OverrideError(f"{place} = {written!r}: {ADVICE}, or a list of them")
    for selector in selectors:
        try:
            compile_selector(selector.strip())
        except ValueError as error:
            raise OverrideError(
                f"{place} = {selector!r} is no selector ({error}): {ADVICE}"
            ) from None
    return tuple(each.strip() for each in selectors)
