"""Clean the URLs of links and media: absolute if the page's URL is known, of safe schemes only."""

from __future__ import annotations

import re
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

# Schemes a link may have. `javascript`, `data`, `vbscript` and what else a browser may run, or an
# app may answer to, is not among them.
LINK_SCHEMES = frozenset({"http", "https", "mailto"})
IMAGE_SCHEMES = frozenset({"http", "https"})
# Characters of an address at most: what browsers and servers agree on (Internet Explorer's limit,
# still the common floor). Longer ones are inlined data or a trick.
MAX_LENGTH = 2_083

_ignored = re.compile("[\t\n\r]").sub
_around = "".join(map(chr, range(0x21)))
_control = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]").search
_scheme = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE).match
_first_part = re.compile(r"[^/?#\\]*").match
_host = re.compile(
    r"(?:[^@]*@)?(?:\[[0-9a-f:.]+\]|[^\[\]:@]+)(?::\d{0,5})?", re.IGNORECASE
).fullmatch
_unsafe = re.compile(r"""[\s"<>\\^`{|}]""").sub
_size = re.compile(r"\d{1,6}(\.\d{1,6})?").fullmatch


def clean_url(
    written: str | None, base: str | None, schemes: frozenset[str] = LINK_SCHEMES
) -> str | None:
    """Return `written` as an absolute URL of one of `schemes`, or None.

    It is parsed as in browsers (WHATWG URL Standard, section 4.4). White space and control
    characters around it, and tabs and line ends within, are dropped, so they hide no scheme.
    Without `base` a relative URL stays relative. Spaces, quotes and brackets that could end an
    attribute or a Markdown link are percent-encoded.
    """
    address = _ignored("", (written or "").strip(_around))
    if not address or len(address) > MAX_LENGTH or _control(address) or address[0] in "{[#":
        return None
    try:
        url = urljoin(base, address) if base else address
        host = urlsplit(url).netloc
    except ValueError:  # no address at all, such as http://[
        return None
    if match := _scheme(url):
        scheme = match[1].lower()
        is_safe = scheme in schemes and (scheme not in IMAGE_SCHEMES or bool(_host(host)))
    else:
        part = _first_part(url)
        is_safe = part is not None and ":" not in unquote(part[0])
    if not is_safe:
        return None
    return _unsafe(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url)


def find_base_url(root: etree._Element, url: str | None) -> str | None:
    """Return what the page's relative addresses are relative to.

    Its ``<base href>``, else its own `url`; None if neither is an address of the web.
    """
    declared = next(iter(root.getroottree().iter("base", "{*}base")), None)
    written = None if declared is None else declared.get("href")
    for base in (clean_url(written, url, IMAGE_SCHEMES), clean_url(url, None, IMAGE_SCHEMES)):
        if base is not None and _scheme(base):
            return base
    return None


def find_widest(srcset: str | None) -> str | None:
    """Return the address of the widest (or densest) image of a ``srcset``; the first of equals."""
    widest, most = None, -1.0
    # commas end a candidate where white space follows; addresses may hold others
    for candidate in re.split(r",\s+", (srcset or "").strip()[: 20 * MAX_LENGTH]):
        address, _, descriptor = candidate.strip().partition(" ")
        number = _size(descriptor.strip().rstrip("wxh"))
        size = float(number[0]) if number else 0.0
        if address and size > most:
            widest, most = address, size
    return widest
