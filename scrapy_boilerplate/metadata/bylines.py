"""Bylines: the names of people and agencies in a text, and the texts in which authors are named.

A source of authors, of what a page declares or shows its readers, yields lists of texts that belong
together, the likeliest first; a text may hold several names. The words below are those of bylines
in the languages of the corpora here and of the larger press; they were collected from development
sites only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import filterfalse, islice
from urllib.parse import urlsplit

import numpy as np

from scrapy_boilerplate.metadata.sources import MetadataSources, clean_text
from scrapy_boilerplate.page.labels import Label
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


Texts = list[str]

# A block with more words is no byline, and no credit.
BYLINE_WORDS = 25
# Blocks around the headline in which a byline is looked for (our choice).
BLOCKS_BEFORE, BLOCKS_AFTER = 3, 14
# Words of a line far from the headline that can be a byline (our choice).
SIGNATURE_WORDS = 15
# Characters of the text in which an agency can stand.
FIRST_CHARACTERS = 80
# Blocks below the headline in which a line that is only a name is a byline.
LINE_BLOCKS = 6
# A block with more words is more than a name, and the names of its grandparent say less of it.
NAME_WORDS = 4
# Share of the letters of such a line that are the name's.
MIN_COVERED = 0.8
# Links with rel=author, and other links near the headline, that are read.
MOST_LINKS = 20
# Scopes of microdata whose authors are readers.
ANSWERS = frozenset({"Comment", "UserComments", "Answer", "Review"})

AUTHOR_METAS = (
    "author",
    "parsely-author",
    "sailthru.author",
    "article:author",
    "article:author_name",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "byl",
    "byline",
    "articleauthor",
    "cxenseparse:author",
    "og:article:author",
    "authors",
    "twitter:data1",
)

_address = re.compile(r"https?:|www\.|@|[(\[]at[)\]]", re.I).search
_author_path = re.compile(
    r"/(?:authors?|autor(?:en|es|in|a|i)?|auteurs?|autore|writers?|by|people|person(?:en)?|profiles?|"
    r"journalists?|journaliste|columnists?|contributors?|reporters?|redakteure?|forfatter|skribent|"
    r"staff(?:-list)?|team|experts?)/[^/]",
    re.IGNORECASE,
).search
_author_block = re.compile(
    r"author|byline|autor|writer|journalist|signatur|redact|verfasser|(?:published|posted)-?by",
    re.I,
).search
_other_block = re.compile(r"bio|comment|related|avatar|social|follow|photo|image", re.I).search
_date_and_time = re.compile(
    r"\d{1,2}\s?[./-]\s?(?:\d{1,2}\s?[./-]|\w+\.?)\s?\d{2,4}|\d{1,2}\.? [^\W\d]+\.? \d{4}|"
    # from the start of a word only: else the time grows with the square of its length
    r"(?<![^\W\d])[^\W\d]+\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{4}-\d\d-\d\d|"
    r"\d{1,2}[:h.]\d{2}(?:\s?(?:Uhr|[ap]m))?"
)
_signed = re.compile(r"\W*(?:(?:\w+\s)?by\s|autor|author|auteur)", re.I).match
_signed_in_full = re.compile(
    r"\W*(?:(?:written|words|story|text|article) by\s|(?:autor(?:in|a|e)?|author|auteure?)\s*:)",
    re.I,
).match
_agency = re.compile(
    r"[(（](?:\w+/)?((?:dpa|AFP|AP|Reuters|SID|APA|SDA|ots|epd|KNA|EFE|ANSA|PAP|TASS|ТАСС|Xinhua)"
    r"(?:/\w+)*)[)）]",
    re.IGNORECASE,
).search


def read_json_ld_authors(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the authors, then the creators, of the article and of the page itself."""
    for node in (sources.article, sources.web_page):
        for name in ("author", "creator"):
            texts: Texts = []
            for value in sources.values(node, name):
                texts += read_author_object(sources, value)
            yield list(filterfalse(_address, texts))


def read_author_object(sources: MetadataSources, value: object) -> Texts:
    """Return the names of a JSON-LD author: a text, or an object with names."""
    if isinstance(value, str):
        return [value]
    names = sources.values(value, "name") if isinstance(value, dict) else []
    return [name for name in names if isinstance(name, str)]


def read_author_metas(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the contents of the `meta` elements for authors, one name of a `meta` at a time."""
    for name in AUTHOR_METAS:
        yield list(filterfalse(_address, sources.metas.get(name, ())))


def read_microdata_authors(sources: MetadataSources) -> Iterator[Texts]:
    """Yield all authors of the first scope if that is an article; of others the first author."""
    for name in ("author.name", "author", "creator"):
        authors = [
            (text, scope)
            for text, scope in sources.microdata(name)
            if scope not in ANSWERS and not _address(text)
        ]
        first_scope = authors[0][1] if authors else ""
        texts = [text for text, scope in authors if scope == first_scope]
        yield texts if first_scope.endswith(("Article", "BlogPosting")) else texts[:1]


def read_rel_author(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the links with rel=author near the headline."""
    near = _find_near_elements(sources)
    links = [element for element in sources.page.declared.bylines if element in near]
    yield [sources.join_leaves(sources.leaves_in(link)) for link in links[:MOST_LINKS]]


def read_author_links(sources: MetadataSources) -> Iterator[Texts]:
    """Yield the texts of links near the headline that lead to a page of an author."""
    near = _find_near_elements(sources)
    links = [link for link in sources.page.elements.targets.items() if link[0] in near]
    texts = []
    for element, url in links:
        try:
            path = urlsplit(url).path
        except ValueError:
            continue
        if _author_path(path):
            texts.append(sources.join_leaves(sources.leaves_in(element)))
    names = []
    for text in texts[:MOST_LINKS]:
        people = find_names(text)
        if len(people) == 1 and looks_like_person(people[0]):
            names.append(text)
    if names:
        yield list(dict.fromkeys(names))


def _find_near_blocks(sources: MetadataSources) -> range:
    at = sources.headline_block
    return range(max(0, at - BLOCKS_BEFORE), min(len(sources.page), at + BLOCKS_AFTER))


def _find_near_elements(sources: MetadataSources) -> range:
    """Return the elements from the first block near the headline to the end of the last."""
    blocks, elements = _find_near_blocks(sources), sources.page.blocks.elements
    if not blocks:
        return range(0)
    first, last = int(elements[blocks[0]]), int(elements[blocks[-1]])
    return range(first, sources.page.elements.ends[last])


def find_credited_names(sources: MetadataSources) -> frozenset[str]:
    """Return folded names near the headline of those who took pictures, reviewed or alike."""
    texts, words = sources.page.texts, sources.page.words
    names: set[str] = set()
    for block in _find_near_blocks(sources):
        lead = match_credit(texts[block]) if words[block] <= BYLINE_WORDS else None
        if lead:
            rest = texts[block][lead.end() :]
            named = [rest] if fold_letters(rest) else texts[block + 1 : block + 2]
            names.update(fold_letters(name) for text in named for name in find_names(text))
    return frozenset(names)


def read_bylines(sources: MetadataSources) -> Iterator[Texts]:
    """Yield blocks around the headline that begin with "By", hold one, or are named for authors."""
    lines = list(_find_lines(sources))
    texts = sources.page.texts
    for block, text in lines:
        if is_lead_alone(text) and block + 1 < len(texts):
            yield [texts[block + 1]]
        byline = read_byline(text)
        if byline and (_is_author_block(sources, block) or _are_names(byline)):
            yield [byline]
    for block, text in lines:
        if _is_author_block(sources, block) and (len(text.split()) == 1 or _are_names(text)):
            yield [text]
    for _, text in lines:
        byline = read_inner_byline(text)
        if byline and _are_names(byline) and any(" " in name for name in find_names(byline)):
            yield [byline]


def read_shown_bylines(sources: MetadataSources) -> Iterator[Texts]:
    """Yield what follows "By" or its like in lines around the headline."""
    for _, text in _find_lines(sources):
        byline = read_byline(text)
        if byline and _are_names(byline):
            yield [byline]


def _are_names(text: str) -> bool:
    names = find_names(text)
    return bool(names) and all(map(looks_like_name, names))


def _find_lines(sources: MetadataSources) -> Iterator[tuple[int, str]]:
    """Yield (block, text) of short blocks around the headline that are no credits."""
    page, at = sources.page, sources.headline_block
    order = [*range(at + 1, at + 1 + BLOCKS_AFTER), *range(at - 1, at - 1 - BLOCKS_BEFORE, -1)]
    for block in order:
        text = page.texts[block] if 0 <= block < len(page) else ""
        if text and page.words[block] <= BYLINE_WORDS and not match_credit(text):
            yield block, text


def _is_author_block(sources: MetadataSources, block: int) -> bool:
    """Return whether the names of a block's element, or of those around it, are for authors."""
    elements = sources.page.elements
    element = int(sources.page.blocks.elements[block])
    parent = max(0, elements.parents[element])
    names = [elements.classes[element], elements.ids[element], elements.classes[parent]]
    if sources.page.words[block] <= NAME_WORDS:
        names.append(elements.classes[max(0, elements.parents[parent])])
    return _are_author_names(*names)


@lru_cache(maxsize=2048)
def _are_author_names(*names: str) -> bool:
    joined = " ".join(names)
    return bool(_author_block(joined)) and not _other_block(joined)


def read_author_blocks(sources: MetadataSources) -> Iterator[Texts]:
    """Yield blocks below the headline that are named for authors, such as a box after the text."""
    page = sources.page
    for block in range(sources.headline_block + 1, len(page)):
        if page.words[block] <= BYLINE_WORDS and _is_author_block(sources, block):
            yield [page.texts[block]]


def read_dateline_names(sources: MetadataSources) -> Iterator[Texts]:
    """Yield lines below the headline of a name and a date, or of a name alone beside a date."""
    page, at = sources.page, sources.headline_block
    near = range(max(0, at - 1), min(len(page), at + 1 + LINE_BLOCKS))
    dated = [bool(_date_and_time.search(page.texts[block])) for block in near]
    for number, block in enumerate(near):
        is_line = block != at and page.words[block] <= BYLINE_WORDS
        if is_line and any(dated[max(0, number - 1) : number + 2]):
            rest = _date_and_time.sub(" | ", page.texts[block])
            if _are_people(rest):
                yield [rest]


def read_first_lines(sources: MetadataSources) -> Iterator[Texts]:
    """Yield paragraphs that are names of people and nothing else, right before one of the text."""
    page, at, labels = sources.page, sources.headline_block, sources.labeling.labels
    elements, parents = page.blocks.elements, page.elements.parents
    for block in range(at + 1, min(len(page) - 1, at + 1 + LINE_BLOCKS)):
        element, below = int(elements[block]), int(elements[block + 1])
        if (
            page.words[block] <= SIGNATURE_WORDS
            and labels[block + 1] == Label.FULL_TEXT
            and page.elements.tags[element] == page.elements.tags[below] == "p"
            and parents[element] == parents[below]
            and _are_people(page.texts[block])
        ):
            yield [page.texts[block]]


def _are_people(text: str) -> bool:
    """Return whether a text is names of people, except for what stands between them."""
    names = find_names(text)
    if not names or not all(map(looks_like_person, names)):
        return False
    return sum(map(len, map(fold_letters, names))) >= MIN_COVERED * len(fold_letters(text))


def read_signatures(sources: MetadataSources) -> Iterator[Texts]:
    """Yield lines further below that begin with "By" or the like, and name people."""
    return _read_signatures(sources, _signed)


def read_full_signatures(sources: MetadataSources) -> Iterator[Texts]:
    """Yield those of them that are written out: "Written by", "Autorin: "."""
    return _read_signatures(sources, _signed_in_full)


def _read_signatures(sources: MetadataSources, signed: Callable[[str], object]) -> Iterator[Texts]:
    page = sources.page
    for block in range(sources.headline_block + BLOCKS_AFTER, len(page)):
        text = page.texts[block]
        if page.words[block] > SIGNATURE_WORDS or not signed(text):
            continue
        byline = read_byline(text)
        names = find_names(byline) if byline else ()
        if byline and names and all(looks_like_person(name) or name.isupper() for name in names):
            yield [byline]


def read_agencies(sources: MetadataSources) -> Iterator[Texts]:
    """Yield agencies in brackets at the start of the text: "Berlin (dpa) - "."""
    content = np.flatnonzero(sources.labeling.labels == Label.FULL_TEXT)
    for block in content[:2].tolist():
        match = _agency(sources.page.texts[block][:FIRST_CHARACTERS])
        if match:
            yield [match[1]]
