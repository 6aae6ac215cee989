"""Patterns of URLs: a domain, or the start of a URL with ``*`` for any text."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

DEFAULT_PORTS = (80, 443)


class UrlPattern:
    """A pattern such as ``example.com`` (with its subdomains) or ``example.com/news/*/live``.

    A pattern with a path matches URLs of that host, with or without ``www.``, whose path and query
    start with it. Without a port it matches every port; the scheme does not count. Raises
    ValueError for a pattern without a domain, or with ``|`` or ``#``.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        has_scheme = pattern.lower().startswith(("http://", "https://"))
        parts = split_url(pattern if has_scheme else f"//{pattern}")
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
        return not self.target or (is_host and _starts_with(_find_target(parts), self.target))


def split_url(url: str) -> SplitResult:
    """Return the parts of a URL, in ASCII as requests have it. Raises ValueError."""
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


def _starts_with(text: str, written: str) -> bool:
    first, *others = written.split("*")
    if not text.startswith(first):
        return False
    place = len(first)
    for part in others:
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True
