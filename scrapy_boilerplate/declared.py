"""What a page declares about itself outside its text: the raw facts, as written, nothing judged."""

from __future__ import annotations

from dataclasses import dataclass

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Declared:
    """Plain strings in document order; empty ones are left out.

    metas      (name, content) of `meta`: its `property`, `name`, `itemprop` or `http-equiv`, the
               first that it has, in lower case
    links      (rel, href) of `link`, rel ``canonical`` or ``image_src``
    json_ld    text of each `script` of type ``application/ld+json``, up to a limit
    items      (itemprop, value, itemtype of the scope) of microdata; names in lower case, a type
               without its address; ``author.name`` is the name of an item that is an author
    region     ISO 3166 code that stands with the language of the root ("GB" of en-GB), "" without
    times      (index in `Elements`, `datetime`) of every `time` element, "" without the attribute
    bylines    indices in `Elements` of links with rel ``author``
    """

    metas: Pairs = ()
    links: Pairs = ()
    json_ld: tuple[str, ...] = ()
    items: tuple[tuple[str, str, str], ...] = ()
    region: str = ""
    times: tuple[tuple[int, str], ...] = ()
    bylines: tuple[int, ...] = ()


NOTHING_DECLARED = Declared()
