"""Clean the URLs of links and media: absolute if the page's URL is known, with safe schemes."""

import re
from collections.abc import Container
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

# Without `javascript`, `data`, `vbscript` and others that run code or start an app.
LINK_SCHEMES = frozenset({"http", "https", "mailto"})
IMAGE_SCHEMES = frozenset({"http", "https"})
# Maximum characters of a URL, as in Internet Explorer; longer URLs are inline data or an attack.
MAX_LENGTH = 2_083

_drop_line_ends = re.compile("[\t\n\r]").sub
_STRIPPED = "".join(map(chr, range(0x21)))
_has_control = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]").search
_scheme = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE).match
_first_part = re.compile(r"[^/?#\\]*").match
_host = re.compile(
    r"(?:[^@]*@)?(?:\[[0-9a-f:.]+\]|[^\[\]:@]+)(?::\d{0,5})?", re.IGNORECASE
).fullmatch
_encode_unsafe = re.compile(r"""[\s"<>\\^`{|}]""").sub
# a URL, or a path from the root of the site, with nothing to encode or resolve: most links
_match_plain = re.compile(
    r"(?=.{1,2000}\Z)(?:(https?://[a-z0-9.-]+)(?:/[\w.%~/,:=@!+$-]*)?|"
    r"(?:/[\w%~-][\w.%~,:=@!+$-]*)+/?)(?:\?[\w.%~=&/,:+-]+)?(?:#[\w.%~=&/,:+-]+)?",
    re.ASCII,
).fullmatch
_match_origin = re.compile(r"https?://[a-z0-9.-]+(?=/|\Z)").match
_match_number = re.compile(r"\d{1,6}(\.\d{1,6})?").fullmatch


def clean_url(
    written: str | None, base: str | None, schemes: frozenset[str] = LINK_SCHEMES
) -> str | None:
    """Return `written` as an absolute URL of one of `schemes`, or None.

    It is parsed as in browsers (WHATWG URL Standard, section 4.4): white space and control
    characters around it, and tabs and line ends within, are dropped. Without `base` a relative URL
    stays relative. Characters that could end an attribute or a Markdown link are percent-encoded.
    """
    if not written:
        return None
    if plain := _match_plain(written):
        origin = None if plain[1] or base is None else _match_origin(base)
        if plain[1] or origin:
            return origin[0] + written if origin else written
    stripped = _drop_line_ends("", written.strip(_STRIPPED))
    if not stripped or len(stripped) > MAX_LENGTH or _has_control(stripped) or stripped[0] in "{[#":
        return None
    try:
        url = urljoin(base, stripped) if base else stripped
        host = urlsplit(url).netloc
    except ValueError:  # such as http://[
        return None
    if match := _scheme(url):
        scheme = match[1].lower()
        is_safe = scheme in schemes and (scheme not in IMAGE_SCHEMES or bool(_host(host)))
    else:
        part = _first_part(url)
        is_safe = part is not None and ":" not in unquote(part[0])
    if not is_safe:
        return None
    return _encode_unsafe(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), url)


def find_base_url(
    root: etree._Element, url: str | None, tags: Container[str] = ("base",)
) -> str | None:
    """Return the base of the page's relative URLs: its ``<base href>``, else its own `url`.

    None if neither is an absolute HTTP URL. `tags` are the tags below `root`, where known.
    """
    written = None
    if "base" in tags or root.getparent() is not None:
        declared = (base.get("href") for base in root.getroottree().iter("base", "{*}base"))
        written = next(filter(None, declared), None)
    bases = (clean_url(*pair, IMAGE_SCHEMES) for pair in ((written, url), (url, None)))
    return next((base for base in bases if base is not None and _scheme(base)), None)


def find_widest(srcset: str | None) -> str | None:
    """Return the URL of the widest (or densest) image of a ``srcset``; the first if several are."""
    widest, most = None, -1.0
    # a comma before white space ends a candidate; URLs can contain others
    for candidate in re.split(r",\s+", (srcset or "").strip()[: 20 * MAX_LENGTH]):
        url, _, descriptor = candidate.strip().partition(" ")
        number = _match_number(descriptor.strip().rstrip("wxh"))
        size = float(number[0]) if number else 0.0
        if url and size > most:
            widest, most = url, size
    return widest
