"""Names of people and agencies in what pages write where an author belongs.

The words below are those of bylines in the languages of the corpora here and of the larger press;
they were collected from development sites only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from scrapy_boilerplate.metadata.facts import letters, plain

MAX_NAME = 60
"""Characters of a name; longer is a sentence."""
MAX_NAME_WORDS = 7
PARTICLE = 3
"""Letters of words such as "von" and "de" that stand in names uncapitalised."""
MOST = 200
"""Authors of a page that are kept."""
MAX_TEXT = 4_000
"""Characters of a text in which names are looked for: a list of `MOST` of them has no more."""

_BY = (
    r"author of (?:the|this) article|(?:words|story|text|article|written|post(?:ed)?|submitted|"
    r"reported|authored|created|edited|recipe)\s+by|by|"
    r"(?:ein\s+)?(?:artikel|beitrag|gastbeitrag|bericht|kommentar|text|verfasst|"
    r"geschrieben|erstellt|pressemitteilung)\s+von|beitrag\s*von|von|"
    r"par|por|di|a cura di|de la mano de|door|av|af|skrevet av|przez|oleh|publié par|escrito por|"
    r"autore?[sn]?|autor(?:in|innen|en|a|es|as)?|auteure?s?|authors?|autori|redakteur(?:in)?|"
    r"redactie|tekst|text|автор[ыа]?|текст|γράφει|بقلم|كتب|文|作者|記者|记者|撰文|yazan|muhabir"
)
_lead = re.compile(
    rf"^\W*(?:{_BY}|quelle|source|fonte|fuente)(?:\s*[:：]\s*|\s+)|^By(?=[A-Z])", re.IGNORECASE
)
lead_alone = re.compile(rf"^\W*(?:{_BY})\W*$", re.IGNORECASE).match
"""Whether a text is "By" or its like and nothing else."""
_by_inside = re.compile(
    r"(?:^|[\s|•·—–\-/,.\d])(?:[Bb]y|[Vv]on|[Pp]ar|[Pp]or|[Dd]i|[Dd]oor|[Aa]utor(?:in)?:|[Aa]uthor:?)"
    r"\s+(?=\S)"
)
_tail = re.compile(
    r"\s*(?:(?<!\w)\d|\d+(?=[.\s]\s?\w)|[|•·⋅●»—–\t@]|//|\s-\s|\(|\[|https?:|www\.|\bon\s+(?=[A-Z\d])|"
    r"\b(?:am|le|el|il|den|on)\s+(?:\w+,?\s+)?\d|\bam\s+\w+tag|"
    r"\b(?:published|updated|posted|veröffentlicht|aktualisiert|publié|publicado|last updated|"
    r"contributing writer|last modified|staff writer|senior writer|special to|leave a|"
    r"schreibe einen|"
    r"kommentare?|comments?|read more|follow|uhr|min read|für|for the)\b|\bin\s+[A-Z])",
    re.IGNORECASE,
)
_note = re.compile(r"\s*(?:[(\[|@\t]|\s[-–—•·]\s|https?:|www\.)")
_between = re.compile(
    r"\s*(?:[;/、，|\n]|,(?:\s*(?:and|und|et|y|e|og|och|en|i|и)\s)?|\s(?:and|und|et|y|og|och|и|&|e|i|ja|ve)\s)\s*",
    re.IGNORECASE,
)
_role = re.compile(
    r"[\s,]+(?:기자|記者|记者|特派員|특파원)(?:\s*외\s*\d+명)?$|"
    r"^(?:dr\.?\s)?(?:chief|senior|staff|contributing|associate|managing|executive|deputy)?\s*"
    r"(?:editor(?:[- ]in[- ]chief)?|reporter|writer|correspondent|journalist(?:in)?|"
    r"korrespondent(?:in)?|redakteur(?:in)?|redaktor(?:in)?|reporterin|contributor|columnist|"
    r"fotograf|freelance journalist|"
    r"publisher|author|autor)$",
    re.IGNORECASE,
)
is_credential = re.compile(
    r"(?:M\.?D|Ph\.?\s?D|R\.?D\.?N?|R\.?N|M\.?S\.?C?|M\.?A|M\.?P\.?H|B\.?Sc?|D\.?D\.?S|J\.?D|M\.?B\.?A|"
    r"C\.?P\.?A|LCSW|CFP|FAND|Jr|Sr|II|III|Esq|P\.?E)\.?",
).fullmatch
"""Whether a text is a degree or the like that stands after a name."""

NOT_NAMES = frozenset(
    "admin administrator root webmaster editor user guest anonymous unknown author authors "
    "noauthor autor autorin about and und by von par por di amet "
    "none null undefined byline more share print email facebook twitter follow staffonly website "
    "redakteur online publisher superuser default test foto photo image "
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun mo mi do "
    "fr sa so".split()
)
"""What systems fill in where nobody is named, as `letters`."""


def names_in(text: str, *, prose: bool = True) -> tuple[str, ...]:
    """The names in `text`, told apart, without roles, titles in brackets and "By".

    `prose`: it is a line for readers, in which dates, places and other things follow the names.
    """
    return tuple(islice(_named(text, prose=prose), MOST))


def _named(text: str, *, prose: bool) -> Iterator[str]:
    text = _lead.sub("", plain(text[:MAX_TEXT]))
    for part in _between.split(text):
        cut = _lead.sub("", part)
        tail = (_tail if prose else _note).search(cut)
        name = (cut[: tail.start()] if tail else cut).strip(" ,:;|-–—\"'“”„«»*")
        name = _role.sub("", name).strip()
        if is_plausible(name):
            yield name
        if tail and prose and not name:
            return


def is_plausible(name: str) -> bool:
    """Whether a text can be the name of somebody: short, with letters, no address, no filler."""
    key = letters(name)
    return (
        len(key) > 1
        and len(name) <= MAX_NAME
        and len(name.split()) <= MAX_NAME_WORDS
        and key not in NOT_NAMES
        and not lead_alone(name)
        and not is_credential(name)
        and "@" not in name
        and not name.startswith("#")
        and "/" not in name
    )


def looks_like_a_name(name: str) -> bool:
    """Whether every longer word begins with a capital, or with a letter that knows none."""
    words = [word.lstrip("(\"'„“«") for word in name.split()]
    longer = [word for word in words if len(word) > PARTICLE] or words
    last = words[-1:] if words[-1:] != longer[-1:] else []
    return bool(longer) and all(word[:1] and not word[0].islower() for word in (*longer, *last))


def looks_like_a_person(name: str) -> bool:
    """Whether it looks like a name of two to four words."""
    return 2 <= len(name.split()) <= 4 and looks_like_a_name(name)


def byline_of(text: str) -> str | None:
    """What follows "By" or its like at the start of `text`; None without."""
    lead = _lead.match(text)
    return text[lead.end() :] if lead else None


def inner_byline_of(text: str) -> str | None:
    """What follows "By" or its like inside `text`; None without."""
    inside = _by_inside.search(text)
    return text[inside.end() :] if inside else None


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, as it is spelt first; none that only holds a shorter one ("All by X")."""
    found: dict[str, str] = {}
    for name in islice(names, 2 * MOST):
        found.setdefault(letters(name), name)
        if len(found) == MOST:
            break
    return tuple(
        name
        for key, name in found.items()
        if not any(key.endswith(other) and " " in found[other] and key != other for other in found)
    )
