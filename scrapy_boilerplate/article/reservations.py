"""Reservations of text and data mining: declarations of a page, its response and its site.

The schemes:

tdmrep           TDM Reservation Protocol (W3C community group, final report of 2024)
content-signals  Content Signals (2025), in robots.txt
aipref           draft-ietf-aipref-attach-05 (August 2026): the header and the lines Content-Usage
rsl              Really Simple Licensing 1.0 (2025): URLs of licences, which are not requested
robots           ``noai`` and ``noimageai``, which are no standard
license          JSON-LD `license` and `usageInfo`, ``link rel=license``
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from scrapy_boilerplate.items import Reservation
from scrapy_boilerplate.markup.urls import IMAGE_SCHEMES, clean_url, find_base_url
from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.page.declared import RSL_TYPE, VALUE_LIMIT
from scrapy_boilerplate.page.text import matches_start

TDMREP, SIGNALS, AIPREF, RSL, ROBOTS, LICENSE = SCHEMES = (
    *("tdmrep", "content-signals", "aipref", "rsl", "robots", "license"),
)
TDMREP_PATH, ROBOTS_PATH = "/.well-known/tdmrep.json", "/robots.txt"
TDM_RESERVATION, TDM_POLICY = "tdm-reservation", "tdm-policy"
CONTENT_SIGNAL, CONTENT_USAGE = "content-signal", "content-usage"
HEADERS = (TDM_RESERVATION, TDM_POLICY, CONTENT_USAGE, "link", "x-robots-tag")
NO_AI = ("noai", "noimageai")
MAX_BYTES = 500 * 1024  # of a tdmrep.json or robots.txt
MAX_HEADER = 10_000  # characters of all values of a header
MAX_RESERVATIONS = 100  # of a page

# directives of X-Robots-Tag that have a value; other names before a colon are user agents
_VALUED = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
_match_agent = re.compile(r"\s*([\w*./-]+)\s*:").match
_GROUP_LINES = ("allow", "disallow", "crawl-delay", "request-rate", CONTENT_SIGNAL, CONTENT_USAGE)
_match_signal = re.compile(r"(search|ai-input|ai-train)\s*=\s*(yes|no)", re.IGNORECASE).fullmatch
# a link of RFC 8288, and its parameters
_find_links = re.compile(
    r"""<([^<>]*)>((?:\s*;\s*[\w*-]+(?:\s*=\s*(?:"[^"]*"|[^\s",;]*))?)*+)"""
).finditer
_find_parameters = re.compile(r"""(?<![\w*-])([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s",;]*))""").findall
# a member of a dictionary of RFC 9651, and the comma after it
_ITEM = (
    r"""(?:"(?:[^"\\]|\\["\\])*+"|%"[^"]*"|:[A-Za-z0-9+/=]*:|\?[01]|@?-?\d+(?:\.\d+)?|"""
    r"""[A-Za-z*][\w!#$%&'*+.^`|~:/-]*)"""
)
_KEY = r"[a-z*][a-z0-9_.*-]*"
_PARAMETERS = rf"(?:;[ ]*{_KEY}(?:={_ITEM})?)*+"
_match_member = re.compile(
    rf"(?P<key>{_KEY})(?:=(?P<value>{_ITEM}|\((?:[ ]*{_ITEM}{_PARAMETERS})*+[ ]*\)))?"
    rf"{_PARAMETERS}(?:[ \t]*,[ \t]*(?=[a-z*])|[ \t]*$)"
).match
_find_escapes = re.compile(r"%[0-9a-f]{2}", re.IGNORECASE).sub
_is_unreserved = re.compile(r"[\w.~-]", re.ASCII).fullmatch


class ReservationError(ValueError):
    """A tdmrep.json cannot be read; the message says why."""


def create_reservation(
    scheme: str, value: str | None, source: str, policy: str | None = None
) -> Reservation:
    """Return an entry of the field `reservations`."""
    return {"scheme": scheme, "value": value, "policy": policy, "source": source}


def merge_reservations(*layers: Iterable[Reservation]) -> list[Reservation]:
    """Return the reservations of an origin, a response and its page: the last are the strongest.

    The strongest layer that declares `value` or `policy` of TDMRep decides it; a value of 0 has no
    policy of a weaker layer. The other schemes have no order: all apply.
    """
    merged: list[Reservation] = []
    tdm: Reservation | None = None
    for each in (each for layer in layers for each in layer):
        if each["scheme"] != TDMREP:
            merged += [each] if each not in merged else []
        elif tdm is None or each["value"] == "0":
            tdm = each
        elif each["value"] is None:
            tdm = {**tdm, "policy": each["policy"] if tdm["value"] != "0" else None}
        else:
            tdm = {**each, "policy": each["policy"] or tdm["policy"]}
    return ([] if tdm is None else [tdm]) + merged[:MAX_RESERVATIONS]


def _read_tdm(
    reservation: object, policy: object, source: str, base: str | None
) -> list[Reservation]:
    value = str(reservation).strip()
    url = clean_url(policy, base, IMAGE_SCHEMES) if isinstance(policy, str) else None
    known = value if value in ("0", "1") else None
    return [create_reservation(TDMREP, known, source, url)] if known or url else []


def _find_no_ai(directives: str, source: str) -> list[Reservation]:
    words = {word.strip().lower() for word in directives.split(",")}
    return [create_reservation(ROBOTS, name, source) for name in NO_AI if name in words]


def read_page(sources: MetadataSources) -> tuple[Reservation, ...]:
    """List the reservations in the `meta`, `link` and JSON-LD of a page."""
    policy, links = sources.meta(TDM_POLICY), sources.page.declared.links
    urls = [
        (name, href, "link")
        for name, href in links
        if name in (RSL, LICENSE) and len(href) < VALUE_LIMIT  # a longer one is cut
    ]
    for name, source in (("license", "json-ld"), ("usageInfo", "json-ld usageInfo")):
        for node in (sources.article, sources.web_page):
            for value in sources.values(node, name):
                url = value.get("url") or value.get("@id") if isinstance(value, dict) else value
                if isinstance(url, str) and "/" in url and len(url.split()) == 1:  # not "CC BY"
                    urls.append((LICENSE, url, source))
    base = _find_base(sources) if urls or policy else None
    declared = _read_tdm(sources.meta(TDM_RESERVATION), policy, "meta", base)
    declared += _find_no_ai(",".join(sources.metas("robots")), "meta")
    declared += chain.from_iterable(_create_url(*each, base) for each in urls)
    return tuple(merge_reservations(declared))


def _find_base(sources: MetadataSources) -> str | None:
    tree, url = sources.tree, sources.page.url
    tags = sources.page.elements.names.numbers
    return url if tree is None else find_base_url(tree, url, tags)


def _find_scheme(link_type: str | None) -> str:
    return RSL if (link_type or "").strip().lower() == RSL_TYPE else LICENSE


def _create_url(scheme: str, url: object, source: str, base: str | None) -> list[Reservation]:
    cleaned = clean_url(url, base, IMAGE_SCHEMES) if isinstance(url, str) else None
    is_url = cleaned is not None and urlsplit(cleaned).scheme != ""
    return [create_reservation(scheme, cleaned, source)] if is_url else []


def select_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the headers that `read_headers` reads."""
    return [(name, value) for name, value in headers if name.lower() in HEADERS]


def read_headers(
    headers: Iterable[tuple[str, str]], url: str | None, agent: str = ""
) -> list[Reservation]:
    """List the reservations in the headers of a response, for a user agent."""
    lines: dict[str, list[str]] = {}
    for name, value in headers:
        lines.setdefault(name.lower(), []).append(value)
    values = {name: ", ".join(lines.get(name, ()))[:MAX_HEADER] for name in HEADERS}
    declared = _read_tdm(values[TDM_RESERVATION], values[TDM_POLICY], "header", url)
    declared += _read_usage(values[CONTENT_USAGE], "header")
    for link in _find_links(values["link"]):
        parameters = {name.lower(): a or b for name, a, b in _find_parameters(link[2])}
        if "license" in parameters.get("rel", "").lower().split():
            declared += _create_url(_find_scheme(parameters.get("type")), link[1], "header", url)
    for line in lines.get("x-robots-tag", ()):
        declared += _find_no_ai(_select_directives(line[:MAX_HEADER], agent.lower()), "header")
    return declared


def _select_directives(line: str, agent: str) -> str:
    chosen, is_mine = [], True
    for part in line.split(","):
        match = _match_agent(part)
        if match and match[1].lower() not in _VALUED:
            is_mine = match[1] == "*" or match[1].lower() in agent
            part = part[match.end() :]  # noqa: PLW2901
        chosen += [part] if is_mine else []
    return ",".join(chosen)


def _read_usage(text: str, source: str) -> list[Reservation]:
    """Return the preferences of a Content-Usage; [] if it is no dictionary of RFC 9651."""
    values, place, text = {}, 0, text.strip(" ")
    while place < len(text):
        match = _match_member(text, place)
        if match is None:
            return []
        values[match["key"]], place = match["value"], match.end()
    return [
        create_reservation(AIPREF, f"{key}={value}", source)
        for key, value in values.items()
        if value in ("y", "n")
    ]


def _read_signals(text: str, source: str) -> list[Reservation]:
    matches = filter(None, (_match_signal(part.strip()) for part in text.split(",")))
    pairs = [f"{match[1]}={match[2]}".lower() for match in matches]
    return [create_reservation(SIGNALS, pair, source) for pair in pairs]


class _Rule(NamedTuple):
    pattern: str
    reservations: Sequence[Reservation]


@dataclass(frozen=True)
class OriginReservations:
    """The reservations in robots.txt and tdmrep.json of an origin.

    groups    the lines of the group of a user agent in robots.txt, by scheme
    everyone  the lines of robots.txt for every page
    rules     of tdmrep.json
    """

    groups: Sequence[Sequence[_Rule]] = ()
    everyone: Sequence[Reservation] = ()
    rules: Sequence[_Rule] = ()

    def find(self, url: str) -> list[Reservation]:
        """List the reservations of the origin for a URL.

        The first rule of tdmrep.json and the longest patterns of robots.txt count.
        """
        parts = urlsplit(url)
        path = _normalize(f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}")
        reservations = [*self.everyone]
        for rules in self.groups:
            matching = [rule for rule in rules if matches_path(rule.pattern, path)]
            longest = max((len(rule.pattern) for rule in matching), default=0)
            for rule in matching:
                reservations += rule.reservations if len(rule.pattern) == longest else ()
        first = next((rule for rule in self.rules if matches_path(rule.pattern, path)), None)
        return [*reservations, *(() if first is None else first.reservations)]


def matches_path(pattern: str, path: str) -> bool:
    """Return whether a pattern of robots.txt (with ``*`` and ``$``) matches a path."""
    if not pattern.endswith("$"):
        return matches_start(path, pattern)
    start, star, end = pattern[:-1].rpartition("*")
    if not star:
        return path == end
    return path.endswith(end) and matches_start(path[: len(path) - len(end)], start)


def _normalize(path: str) -> str:
    """Return a path in which the characters are escaped that must be (RFC 9309, section 2.2.2)."""

    def unescape(match: re.Match[str]) -> str:
        letter = unquote(match[0], "latin-1")
        return letter if _is_unreserved(letter) else match[0].upper()

    return quote(_find_escapes(unescape, path), safe="%/:?#[]@!$&'()*+,;=~")


def read_robots(text: str, url: str, agent: str) -> OriginReservations:
    """Read the reservations in the robots.txt at a URL, for a user agent.

    Its group is chosen as protego does: the longest name in the user agent, else ``*``.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    names: list[str] = []
    everyone: list[Reservation] = []
    is_start = False
    for line in text[:MAX_BYTES].splitlines():
        key, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        key = key.lower()
        if key == "user-agent":
            names = [*(names if is_start else ()), value.lower()]
            groups.setdefault(value.lower(), [])
            is_start = True
        elif key == "license":
            everyone += _create_url(RSL, value, "robots.txt", url)
        elif key in _GROUP_LINES:
            is_start = False
            for name in names:
                groups[name].append((key, value))
    own = [name for name in groups if name and name != "*" and name in agent.lower()]
    lines = groups.get(max(own, key=len, default="*"), [])
    kinds = ((CONTENT_SIGNAL, _read_signals), (CONTENT_USAGE, _read_usage))
    return OriginReservations(
        [[_read_line(value, read) for name, value in lines if name == key] for key, read in kinds],
        everyone,
    )


def _read_line(value: str, read: Callable[[str, str], list[Reservation]]) -> _Rule:
    """Return the rule of a line, which can begin with a pattern."""
    pattern, rest = "/", value
    if value.startswith(("/", "*")):
        pattern, rest = (*value.split(maxsplit=1), "")[:2]
    return _Rule(_normalize(pattern), read(rest.strip(), "robots.txt"))


def read_tdmrep(body: bytes, url: str) -> list[_Rule]:
    """Return the rules of the tdmrep.json at a URL. Raises ReservationError."""
    if len(body) > MAX_BYTES:
        raise ReservationError(f"more than {MAX_BYTES:,} bytes")
    try:
        written = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ReservationError(str(error)) from None
    if not isinstance(written, list):
        raise ReservationError("it is no array")
    return [_read_rule(rule, url) for rule in written]


def _read_rule(rule: Any, url: str) -> _Rule:
    location = rule.get("location") if isinstance(rule, Mapping) else None
    if not isinstance(location, str) or not location.startswith(("/", "*")):
        raise ReservationError(f"a rule has no location: {str(rule)[:80]}")
    value = rule.get(TDM_RESERVATION)
    if value is not None and str(value) not in ("0", "1"):
        raise ReservationError(f"{TDM_RESERVATION} of {location[:80]} is neither 0 nor 1")
    return _Rule(_normalize(location), _read_tdm(value, rule.get(TDM_POLICY), "tdmrep.json", url))


def list_scheme_values(scheme: str) -> tuple[str, ...]:
    """Return the values of a scheme; () for URLs and for the open vocabulary of aipref."""
    signals = (f"{n}={v}" for n in ("search", "ai-input", "ai-train") for v in ("yes", "no"))
    return {TDMREP: ("0", "1"), SIGNALS: tuple(signals), ROBOTS: NO_AI}.get(scheme, ())


def is_value(scheme: str, value: str) -> bool:
    """Return whether a reservation of a scheme can have a value."""
    if scheme == AIPREF:
        return bool(_read_usage(value, "")) and "," not in value
    if scheme in (RSL, LICENSE):
        return bool(_create_url(scheme, value, "", None))
    return value in list_scheme_values(scheme)
