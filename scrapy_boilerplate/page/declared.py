"""The metadata that a page declares outside its text: raw values, as written."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from scrapy_boilerplate.page.text import collapse

# maximum characters of JSON-LD of a page; a script that exceeds the limit is left out. The largest
# development page below the limit has 60,000
JSON_LD_LIMIT = 500_000

# maximum characters of a declared value, and of the name and the type of a microdata property
VALUE_LIMIT = 2_000

# maximum microdata properties of a page; lists of products have thousands
MICRODATA_LIMIT = 1_000

# ancestors of a microdata property that are searched for its scope, and texts of its value
SCOPE_LIMIT = 50

# elements, comments and instructions of a microdata property that are searched for its texts, since
# nested properties are searched again
NODE_LIMIT = 200

JSON_LD_TYPE = "ld+json"
# type of the documents of Really Simple Licensing 1.0
RSL_TYPE = "application/rsl+xml"
_RELS = ("canonical", "image_src")
_VALUES = ("content", "datetime", "href", "src")
_TAGS = ("meta", "link", "script")
_TAGS_OF_XHTML = ("{*}meta", "{*}link", "{*}script")

# the attributes, in order. This takes a fifth of the time of ``descendant::*[@itemprop]``; with a
# last step ``..`` the time would be quadratic
_item_properties = etree.XPath("descendant::*/@itemprop")

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Declared:
    """Plain strings in document order; empty ones are left out.

    metas         (name, content) of `meta`: its `property`, `name`, `itemprop` or `http-equiv`, the
                  first that it has, in lower case
    links         (name, href) of `link`; the name is `canonical`, `image_src`, `license`, `rsl` or
                  `next`
    json_ld       text of each `script` of type ``application/ld+json``, up to a limit
    microdata     (itemprop, value, itemtype of the scope); names in lower case, a type without its
                  URL; ``author.name`` is the name of an item that is an author
    region        ISO 3166 code in the language attribute of the root ("GB" of en-GB), or ""
    times         (index in `Elements`, `datetime`) of every `time` element; `datetime` can be ""
    rels          (index in `Elements`, `rel`) of links whose `rel` has ``author`` or ``tag``
    """

    metas: Pairs = ()
    links: Pairs = ()
    json_ld: tuple[str, ...] = ()
    microdata: tuple[tuple[str, str, str], ...] = ()
    region: str = ""
    times: tuple[tuple[int, str], ...] = ()
    rels: tuple[tuple[int, str], ...] = ()

    def find_link(self, name: str) -> str | None:
        """Return the first URL of `links` with this name, or None."""
        return next((href for each, href in self.links if each == name), None)


NOTHING_DECLARED = Declared()


def name_link(rel: str, link_type: str) -> str:
    """Return what a `link` is: its `rel` of _RELS, "license", "rsl" or "next", else ""."""
    rel = rel.lower()
    if "license" in rel and "license" in rel.split():
        return "rsl" if link_type.strip().lower() == RSL_TYPE else "license"
    if "next" in rel and "next" in rel.split():
        return "next"
    return rel if rel in _RELS else ""


def read_declared(roots: Iterable[etree._Element]) -> Declared:
    """Return the values of `meta`, `link`, JSON-LD and microdata in the trees of `roots`."""
    metas: list[tuple[str, str]] = []
    links: list[tuple[str, str]] = []
    microdata: list[tuple[str, str, str]] = []
    scripts: list[str] = []
    json_ld_left = JSON_LD_LIMIT
    for root in roots:
        for element in root.iter(*(_TAGS_OF_XHTML if "}" in str(root.tag) else _TAGS)):
            tag, get = str(element.tag).rpartition("}")[2], element.get
            if tag == "meta":
                content = get("content")
                name = get("property") or get("name") or get("itemprop") or get("http-equiv")
                if name and content and not content.isspace():
                    metas.append((name.strip().lower(), content[:VALUE_LIMIT]))
            elif tag == "link":
                name, href = name_link(get("rel", ""), get("type", "")), get("href")
                if href and name:
                    links.append((name, href.strip()[:VALUE_LIMIT]))
            elif JSON_LD_TYPE in get("type", "").lower():
                script = element.text or ""
                if 0 < len(script) <= json_ld_left:
                    scripts.append(script)
                    json_ld_left -= len(script)
        names = _item_properties(root)[:MICRODATA_LIMIT]
        microdata += tidy_microdata(_read_microdata(name.getparent() for name in names))
    return Declared(
        metas=tuple(metas), links=tuple(links), json_ld=tuple(scripts), microdata=tuple(microdata)
    )


def tidy_microdata(rows: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield (itemprop, value without needless white space, type without its URL).

    Empty values are left out.
    """
    for name, value, item_type in rows:
        if value := collapse(value):
            yield name, value, item_type.rstrip("/").rpartition("/")[2]


def _read_microdata(elements: Iterable[etree._Element]) -> Iterator[tuple[str, str, str]]:
    texts: dict[etree._Element, str | None] = {}
    scopes: dict[etree._Element, tuple[str, str] | None] = {}
    for element in elements:
        if element.get("itemscope") is None:
            value = next(filter(None, map(element.get, _VALUES)), None)
            if value is None:
                value = "".join(islice(_read_value_texts(element, texts), SCOPE_LIMIT))
            name, item_type = _find_scope(element, scopes)
            yield name, value[:VALUE_LIMIT], item_type


def _read_value_texts(
    element: etree._Element, texts: dict[etree._Element, str | None]
) -> Iterator[str]:
    """Yield the start of each text that `read_first_texts` yields for the first nodes.

    `texts` holds the texts of nodes that were read before: a text of megabytes is read once.
    """
    for node in islice(element.iter(), NODE_LIMIT):
        if node not in texts:
            text = node.text if isinstance(node.tag, str) else None
            texts[node] = text[:VALUE_LIMIT] if text else text
        if (text := texts[node]) is not None:
            yield text


def read_first_texts(top: etree._Element) -> Iterator[str]:
    """Yield the text before the first child, of `top` and each descendant that has such a text.

    ``itertext(with_tail=False)`` of lxml 4 yields comments, too.
    """
    return (element.text for element in top.iter("*") if element.text is not None)


def _find_scope(
    element: etree._Element, scopes: dict[etree._Element, tuple[str, str] | None]
) -> tuple[str, str]:
    """Find the name of a property and the type of its scope, or "".

    A name in a scope that is itself an `author` is `author.name`, with the type of the scope around
    the author. `scopes` are the names and types of the elements that were read before.
    """
    name, nested = element.get("itemprop", "")[:VALUE_LIMIT].lower(), False
    for ancestor in islice(element.iterancestors(), SCOPE_LIMIT):
        if ancestor not in scopes:
            get = ancestor.get
            scopes[ancestor] = (
                None
                if get("itemscope") is None
                else (get("itemprop", "")[:VALUE_LIMIT].lower(), get("itemtype", "")[:VALUE_LIMIT])
            )
        if (scope := scopes[ancestor]) is not None:
            outer, item_type = scope
            if nested or not outer:
                return name, item_type
            name, nested = f"{outer}.{name}"[:VALUE_LIMIT], True
    return name, ""


# --- language ---

_language_tag = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_].*)?\s*", re.DOTALL).fullmatch

# (attribute, value) of the meta elements that are read after <html lang>, in this order
_LANGUAGE_METAS = (
    ("http-equiv", "content-language"),
    ("property", "og:locale"),
    ("name", "language"),
)

_TWO_LETTERS = {
    # withdrawn codes of ISO 639-1
    "iw": "he",
    "in": "id",
    "ji": "yi",
    # ISO 639-2 codes that news sites declare, and the equivalent ISO 639-1 codes
    **dict(
        pair.split(":")
        for pair in (
            "eng:en deu:de ger:de fra:fr fre:fr spa:es ita:it por:pt nld:nl dut:nl rus:ru pol:pl "
            "ell:el gre:el zho:zh chi:zh jpn:ja kor:ko ara:ar tur:tr swe:sv dan:da nor:no fin:fi "
            "ces:cs cze:cs hun:hu ron:ro rum:ro ukr:uk hin:hi heb:he tha:th vie:vi ind:id"
        ).split()
    ),
}


def choose_language(root: etree._Element, metas: Iterable[str]) -> str | None:
    """Return the ISO 639-1 code (two lower-case letters) that the page declares, or None.

    Sources in order: ``lang`` and ``xml:lang`` of the root, then `metas`, which
    `read_language_metas` returns.
    """
    xml_lang = "{http://www.w3.org/XML/1998/namespace}lang"
    tags = (root.get("lang"), root.get("xml:lang"), root.get(xml_lang), *metas)
    return next(filter(None, map(parse_language, tags)), None)


def read_language_metas(root: etree._Element) -> list[str]:
    """Return the content of the meta elements of the head that declare a language."""
    head = root.find("{*}head")
    metas = [] if head is None else list(head.iter("meta", "{*}meta"))
    return [
        content
        for name, value in _LANGUAGE_METAS
        for meta in metas
        if meta.get(name, "").lower() == value and (content := meta.get("content")) is not None
    ]


def parse_language(tag: str | None) -> str | None:
    """Return ``de`` of ``de-AT``, ``de_AT`` or ``deu``; None for languages outside ISO 639-1."""
    match = _language_tag(tag or "")
    code = match[1].lower() if match else ""
    return _TWO_LETTERS.get(code, code if len(code) == 2 else None)


def parse_region(tag: str) -> str:
    """Return ``GB`` of ``en-GB`` or ``en_GB``, an ISO 3166 code; "" for a tag without a region."""
    _, hyphen, code = tag.strip().replace("_", "-").rpartition("-")
    return code.upper() if hyphen and len(code) == 2 else ""
