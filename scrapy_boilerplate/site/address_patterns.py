"""Patterns of addresses, as the package url-matcher has them, and scrapy-poet with it.

url-matcher itself asks tldextract for the domain of a pattern, which downloads the list of suffixes
when it is first used. Nothing here is downloaded. Patterns mean the same but for wildcards in names
of parameters, which are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from urllib.parse import SplitResult, parse_qs, quote, urlsplit, urlunsplit

_has_scheme = re.compile(r"(?:[a-z][a-z0-9.+-]*:)?//", re.IGNORECASE).match
_PORTS = {"http": 80, "https": 443}
_ASCII = "".join(map(chr, range(0x80)))


class AddressPattern:
    """A pattern such as ``example.com`` (with its subdomains) or ``example.com/news/*/live``.

    A path is the start of paths, unless ``|`` ends it; ``*`` is any text. Parameters must be there,
    in any order. Raises ValueError for a pattern without a domain.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        parts = _split(pattern if _has_scheme(pattern) else f"//{pattern}")
        self.host, self._port = parts.hostname or "", parts.port
        if not self.host or "*" in self.host or " " in pattern:
            raise ValueError(pattern)
        self._scheme = parts.scheme
        for scheme, port in _PORTS.items():
            if self._port == port and self._scheme in ("", scheme):
                self._scheme, self._port = scheme, None
        self._is_bare = not (parts.path or parts.query or parts.fragment)
        self._path = _compile_start(parts.path)
        self._fragment = _compile_start(parts.fragment)
        query = parse_qs(parts.query, keep_blank_values=True)
        if any("*" in name for name in query):
            raise ValueError(pattern)
        self._query = {
            name.lower(): [_compile(value, re.IGNORECASE) for value in values]
            for name, values in query.items()
        }

    @cached_property
    def rank(self) -> str:
        """Of two patterns that match, the one with the greater rank is the more specific."""
        parts = _split(self.pattern if _has_scheme(self.pattern) else f"//{self.pattern}")
        return ".".join(reversed(self.host.split("."))) + parts.path + parts.query + parts.fragment

    def match(self, parts: SplitResult) -> bool:
        """Return whether the pattern matches the parts of an address, whose host has matched."""
        port = parts.port or _PORTS.get(parts.scheme)
        if self._port is None:
            if port != _PORTS.get(parts.scheme):
                return False
        elif port != self._port:
            return False
        if self._scheme and self._scheme != parts.scheme:
            return False
        if not self._is_bare and parts.hostname not in (self.host, f"www.{self.host}"):
            return False
        if not (self._path.fullmatch(parts.path) and self._fragment.fullmatch(parts.fragment)):
            return False
        values = parse_qs(parts.query, keep_blank_values=True)
        named = {name.lower(): texts for name, texts in values.items()}
        return all(
            any(wanted.fullmatch(text) for text in named.get(name, ()) for wanted in values)
            for name, values in self._query.items()
        )


class AddressPatterns:
    """Finds the most specific of several patterns that match an address."""

    def __init__(self, patterns: Iterable[AddressPattern]) -> None:
        self._by_host: dict[str, list[AddressPattern]] = {}
        for pattern in sorted(patterns, key=lambda each: (each.rank, each.pattern), reverse=True):
            self._by_host.setdefault(pattern.host, []).append(pattern)

    def find(self, address: str | None) -> str | None:
        """Return the pattern that matches an address; None without one."""
        if not address or not self._by_host:
            return None
        try:
            parts = _split(address)
        except ValueError:
            return None
        labels = (parts.hostname or "").split(".")
        for start in range(len(labels)):
            for pattern in self._by_host.get(".".join(labels[start:]), ()):
                if pattern.match(parts):
                    return pattern.pattern
        return None


def _split(address: str) -> SplitResult:
    """Return the parts of an address, in ASCII. Raises ValueError, for a wrong port as well."""
    parts = urlsplit(address)
    port = parts.port
    if address.isascii():
        return parts
    # as requests have it: the host in IDNA, all else in percents
    host = (parts.hostname or "").encode("idna").decode()
    location = host if port is None else f"{host}:{port}"
    encoded = (quote(part, safe=_ASCII) for part in parts[2:])
    return urlsplit(urlunsplit((parts.scheme, location, *encoded)))


def _compile_start(text: str) -> re.Pattern[str]:
    written = text.removesuffix("|") if text.endswith("|") else f"{text}*"
    return _compile(written, re.IGNORECASE | re.DOTALL)


def _compile(written: str, flags: int) -> re.Pattern[str]:
    """Return what matches a text with wildcards, in linear time.

    Each wildcard but the last ends at the first place where the next part fits, and is not tried
    anew: so does an atomic group, which Python has since 3.11.
    """
    first, *rest = map(re.escape, written.split("*"))
    if not rest:
        return re.compile(first, flags)
    *inner, last = rest
    groups = (f"(?=(?P<g{n}>.*?{part}))(?P=g{n})" for n, part in enumerate(inner) if part)
    return re.compile(f"{first}{''.join(groups)}.*{last}", flags)
