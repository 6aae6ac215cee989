"""Rules for sites: selectors and options that override the extractor on some pages.

A rule is checked when it is read. Where its selectors find nothing, the extractor decides.
`site.rule_labels` applies it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import SplitResult, urlsplit

from scrapy_boilerplate.steps.pickling import PickledFields

if TYPE_CHECKING:
    from scrapy_boilerplate.site.selectors import Selector

SELECTORS = ("content", "remove", "headline", "authors", "date")
OPTIONS = ("extractor", "favor", "fields")
KEYS = (*SELECTORS, *OPTIONS)
ADVICE = "write CSS such as 'div.story', or an XPath such as '//div[@id=\"story\"]'"

DEFAULT_PORTS = (80, 443)


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
    def compiled(self) -> dict[str, list[Selector]]:
        """The selectors of each of SELECTORS."""
        return {name: list(map(_build_selector, getattr(self, name))) for name in SELECTORS}


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
        # numpy and lxml, which it imports, are not needed to read rules
        from scrapy_boilerplate.page.text import matches_start  # noqa: PLC0415

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
