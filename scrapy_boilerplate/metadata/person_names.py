"""Names of people and agencies in a text, such as a byline.

The words below are those of bylines in the languages of the corpora here and of the larger press;
they were collected from development sites only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from itertools import filterfalse, islice

from scrapy_boilerplate.metadata.sources import clean_text
from scrapy_boilerplate.steps.titles import fold_letters

# Characters of a name, longer is a sentence; and its words.
MAX_NAME, MAX_NAME_WORDS = 60, 7
# Words that stand in names uncapitalised.
PARTICLES = frozenset(
    "the von vom van de den der het ter ten 't di da do dos das del della dei degli du des la le "
    "les lo los las el al as e y i af av ap ab bin ben ibn bint abu ould zu op".split()
)
# Authors of a page that are kept.
MOST_AUTHORS = 200
# Characters of a text in which names are looked for: a list of `MOST_AUTHORS` has no more.
MAX_TEXT = 4_000

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
# Whether a text is "By" or its like and nothing else.
is_lead_alone = re.compile(rf"^\W*(?:{_BY})\W*$", re.IGNORECASE).match
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
    r"(?:обновл|опубликов|оновл|опубліков|(?:za)?aktuali[zs]|opublikowan|publikován|publicera|publiceret|"
    r"publisert|uppdatera|opdatere|oppdatert|bijgewerkt|gepubliceerd|aggiornat|pubblicat|publicad|"
    r"actualizad|atualizad|mis à jour|ενημέρω|ενημερώ|δημοσίευ|δημοσιεύ|güncelle|yayınlan|"
    r"更新|发布|發布|公開)\w*|"
    r"kommentare?|comments?|read more|follow|uhr|min read|für|for the|envoy[ée]e?s?\s+sp\w+|"
    r"enviad[oa]s?\s+esp\w+|correspondante?|corresponsal|inviat[oa])\b|\bin\s+[A-Z]|\sà\s)",
    re.IGNORECASE,
)
_note = re.compile(r"\s*(?:[(\[|@\t]|\s[-–—•·]\s|https?:|www\.)")
_between = re.compile(
    r"(\s*(?:[;/、，|\n]|,(?:\s*(?:and|und|et|y|e|og|och|en|i|и)\s)?|\s(?:and|und|et|y|og|och|и|&|e|i|ja|ve)\s)\s*)",
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
# Cuts off what somebody is, where it follows a name: ", Sports Editor", ", inviato a Roma".
_drop_titles = partial(
    re.compile(
        r",\s*(?:[\w&'’./-]+\s+){0,5}?(?:\w+-)?(?:editor|reporter|writer|correspondent|journalist|"
        r"columnist|contributor|producer|photographer|director|analyst|publisher|blogger|fellow|intern|"
        r"envoy[ée]e?s?\s+spécia(?:le?s?|ux)|correspondante?|journaliste|rédact(?:eur|rice)|"
        r"chroniqueu(?:r|se)|enviad[oa]\s+especial|corresponsal|periodista|redactora?|repórter|"
        r"jornalista|colunista|inviat[oa]|corrispondente|giornalista|verslaggever|redacteur|volontär|"
        r"\w*(?:korrespondent|redakteur|redaktor|reporter|leiter|vorsitzende[rn]?)|dziennikarz|"
        r"korespondent|редактор|корреспондент|журналист|обозреватель|muhabiri?)(?:in|[sk]a|s)?"
        r"(?:-in-chief)?(?:\s[^,;|()\n]{1,40}?)?(?=\s*(?:[,;|()\n]|$|\s(?:and|und|et|y)\s+\S+\s+\S))",
        re.IGNORECASE,
    ).sub,
    "",
)
# The start of a line that names who took the pictures, reviewed or the like.
match_credit = re.compile(
    r"\W*(?:(?:photo(?:graph(?:y|s|er))?s?|pictures?|images?|styl(?:ed|ing|ist)|hair|make-?up|video|"
    r"illustrat(?:ed|ions?|or)|graphics?|(?:medically |clinically |expert )?reviewed|"
    r"fact[- ]?checked|contributions?|translated|produced|art|design(?:ed)?|production|"
    r"fotos?|fotografie|bild(?:er)?|grafik|photographies?|traduit|traducción|fotografía)"
    r"(?:\s+(?:by|from|von|par|por|di|de)\b|\s*:)|(?:expert |medical )?reviewer\s*$)",
    re.IGNORECASE,
).match
# Whether a text is a degree or the like that stands after a name.
is_credential = re.compile(
    r"(?:M\.?D|Ph\.?\s?D|R\.?D\.?N?|R\.?N|M\.?S\.?C?|M\.?A|M\.?P\.?H|B\.?Sc?|D\.?D\.?S|J\.?D|M\.?B\.?A|"
    r"C\.?P\.?A|LCSW|CFP|FAND|Jr|Sr|II|III|Esq|P\.?E)\.?",
).fullmatch
# Whether a name is that of a desk.
_is_desk = re.compile(r".+\s(?:staff|newsroom|web desk)", re.IGNORECASE).fullmatch
# What systems fill in where nobody is named, as `fold_letters` gives it.
NOT_NAMES = frozenset(
    "admin administrator root webmaster editor user guest anonymous unknown author authors "
    "noauthor autor autorin about and und by von par por di amet "
    "none null undefined byline more share print email facebook twitter follow staffonly website "
    "redakteur online publisher superuser default test foto photo image "
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun mo mi do "
    "fr sa so".split()
)


def find_names(text: str, *, prose: bool = True) -> tuple[str, ...]:
    """Return the names in `text`, split, without roles, titles in brackets and "By".

    `prose`: it is a line for readers, in which dates, places and other things follow the names.
    """
    names: list[str] = []
    pieces = _between.split(_drop_titles(_lead.sub("", clean_text(text[:MAX_TEXT]))))
    for separator, part in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        cut = _lead.sub("", part)
        tail = (_tail if prose else _note).search(cut)
        name = (cut[: tail.start()] if tail else cut).strip(" ,:;|-–—\"'“”„«»*")
        name = _role.sub("", name).strip()
        # one word after a bar is the house that somebody writes for: "Jane Doe | WBEZ"
        is_house = names and "|" in separator and name.isascii() and " " not in name
        if not is_house and _is_plausible(name):
            names.append(name)
        if len(names) == MOST_AUTHORS or (tail and prose and not name):
            break
    return tuple(names)


def _is_plausible(name: str) -> bool:
    """Return whether a text can be a name: short, with letters, no address, no filler."""
    key = fold_letters(name)
    return (
        len(key) > 1
        and len(name) <= MAX_NAME
        and len(name.split()) <= MAX_NAME_WORDS
        and key not in NOT_NAMES
        and not is_lead_alone(name)
        and not is_credential(name)
        and "@" not in name
        and not name.startswith("#")
        and "/" not in name
    )


def looks_like_name(name: str) -> bool:
    """Return whether every word but particles begins with a capital, or a letter without one."""
    words = name.split()
    for position, word in enumerate(words, start=1):
        letters = word.lstrip("(\"'„“«’")
        is_particle = letters in PARTICLES and position < len(words)
        if not is_particle and (not letters or letters[0].islower()):
            return False
    return bool(words)


def looks_like_person(name: str) -> bool:
    """Return whether it looks like a name of two to four words."""
    return 2 <= len(name.split()) <= 4 and looks_like_name(name)


def read_byline(text: str) -> str | None:
    """Return what follows "By" or its like at the start of `text`; None without."""
    lead = _lead.match(text)
    return text[lead.end() :] if lead else None


def read_inner_byline(text: str) -> str | None:
    """Return what follows "By" or its like inside `text`; None without."""
    inside = _by_inside.search(text)
    return text[inside.end() :] if inside else None


def drop_desks(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without those of desks ("Record Staff") where somebody has signed."""
    everybody = tuple(names)
    people = tuple(filterfalse(_is_desk, everybody))
    return people if any(map(looks_like_person, people)) else everybody


def drop_duplicates(names: Iterable[str]) -> tuple[str, ...]:
    """Return each name once, as it is spelt first.

    A name that only holds a shorter one ("All by X") is left out.
    """
    spellings: dict[str, str] = {}
    for name in islice(names, 2 * MOST_AUTHORS):
        spellings.setdefault(fold_letters(name), name)
        if len(spellings) == MOST_AUTHORS:
            break
    names_kept = []
    for key, name in spellings.items():
        shorter = [other for other in spellings if key.endswith(other) and other != key]
        if " " not in "".join([spellings[other] for other in shorter]):
            names_kept.append(name)
    return tuple(names_kept)
