"""Addresses as they go out: absolute where the page's own is known, of harmless schemes only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

LINK_SCHEMES = frozenset({"http", "https", "mailto"})
"""Schemes a link may have. `javascript`, `data`, `vbscript` and what else a browser may run, or an
app may answer to, is not among them."""
IMAGE_SCHEMES = frozenset({"http", "https"})
MAX_LENGTH = 2_083
"""Characters of an address at most: what browsers and servers agree on (Internet Explorer's limit,
still the common floor). Longer ones are inlined data or a trick."""

_ignored = re.compile("[\t\n\r]").sub
_around = "".join(map(chr, range(0x21)))
_control = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]").search
_scheme = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE).match
_first_part = re.compile(r"[^/?#\\]*").match
_host = re.compile(
    r"(?:[^@]*@)?(?:\[[0-9a-f:.]+\]|[^\[\]:@]+)(?::\d{0,5})?", re.IGNORECASE
).fullmatch
_unsafe = re.compile(r"""[\s"<>\\^`{|}]""").sub


def safe_url(
    written: str | None, base: str | None, schemes: frozenset[str] = LINK_SCHEMES
) -> str | None:
    """`written` as an absolute URL of one of `schemes`, or None.

    Read as browsers read it (WHATWG URL Standard, section 4.4): white space and control characters
    around it and tabs and line ends within do not count, so they hide no scheme. Without `base` a
    relative address stays one. Spaces, quotes and brackets that could end an attribute or a
    Markdown link are percent-encoded.
    """
    address = _ignored("", (written or "").strip(_around))
    if not address or len(address) > MAX_LENGTH or _control(address) or address[0] in "{[#":
        return None
    try:
        joined = urljoin(base, address) if base else address
        host = urlsplit(joined).netloc
    except ValueError:  # no address at all, such as http://[
        return None
    scheme = _scheme(joined)
    if scheme is None:
        part = _first_part(joined)
        return None if part is None or ":" in unquote(part[0]) else _encoded(joined)
    if scheme[1].lower() not in schemes or (scheme[1].lower() in IMAGE_SCHEMES and not _host(host)):
        return None
    return _encoded(joined)


def base_url(root: etree._Element, url: str | None) -> str | None:
    """What the page's relative addresses are relative to: its ``<base href>``, else its own `url`;
    None if neither is an address of the web."""
    declared = next(iter(root.getroottree().iter("base", "{*}base")), None)
    written = None if declared is None else declared.get("href")
    for found in (safe_url(written, url, IMAGE_SCHEMES), safe_url(url, None, IMAGE_SCHEMES)):
        if found is not None and _scheme(found):
            return found
    return None


def widest_of(srcset: str | None) -> str | None:
    """The address of the widest (or densest) image of a ``srcset``; the first of equals."""
    best, best_size = None, -1.0
    for candidate in _candidates(srcset or ""):
        address, _, descriptor = candidate.strip().partition(" ")
        size = _number(descriptor.strip().rstrip("wxh"))
        if address and size > best_size:
            best, best_size = address, size
    return best


def _candidates(srcset: str) -> Iterable[str]:
    """Commas end a candidate where white space follows; addresses may hold others."""
    return re.split(r",\s+", srcset.strip()[: 20 * MAX_LENGTH])


def _number(written: str) -> float:
    return float(written) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", written) else 0.0


def _encoded(url: str) -> str:
    return _unsafe(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url)
