"""Names of people and agencies in a text, such as a byline.

The words come from bylines of the development sites, in the languages of the corpora.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from itertools import chain, islice

from scrapy_boilerplate.metadata.cjk_credits import (
    AUTHOR_LABEL,
    drop_cjk_role,
    has_cjk,
    read_cjk_credit,
)
from scrapy_boilerplate.metadata.date_names import load_known_days, load_known_months
from scrapy_boilerplate.metadata.sources import clean_text
from scrapy_boilerplate.native.steps import WordSearch
from scrapy_boilerplate.steps.class_names import LatePattern, list_prefixes
from scrapy_boilerplate.steps.titles import fold_letters

# Maximum characters and words of a name; longer texts are sentences.
MAX_NAME_WORDS = 7
# Lower-case words of names.
PARTICLES = frozenset(
    "the von vom van de den der het ter ten 't di da do dos das del della dei degli du des la le "
    "les lo los las el al as e y i af av ap ab bin ben ibn bint abu ould zu op".split()
)
# Minimum share of the letters of a line of names that are letters of the names.
MIN_NAME_SHARE = 0.8
# Minimum spaces between a role, a first name and a last name.
MIN_SPACES = 2
CLOSING_BRACKETS = frozenset("】）)〕]")
# Signs between a name and its place or employer.
SIGNS_BEFORE_PLACES = frozenset(",/|")
# Maximum authors of a page.
MAX_AUTHORS = 200
# Maximum characters of a text in which names are searched (a list of MAX_AUTHORS is shorter).
MAX_LENGTH = 4_000

_BY = (
    r"author of (?:the|this) article|"
    r"(?:\w+\s+(?:and|&)\s+)?(?:words|story|text|article|written|(?:originally\s+)?post(?:ed)?|"
    r"submitted|reported|reporting|interview|analysis|opinion|pictures|photos|authored|created|edited|"
    r"recipe)(?:\s+(?:and|&)\s+\w+)?\s+by|by|"
    r"(?:ein\s+)?(?:artikel|beitrag|gastbeitrag|bericht|kommentar|text|verfasst|"
    r"geschrieben|erstellt|pressemitteilung)\s+von|beitrag\s*von|von(?:\s+der(?=\s+Redaktion))?|"
    r"par|por|di|a cura di|de la mano de|door|av|af|skrevet av|przez|oleh|publié par|escrito por|"
    r"redactie|szerző|автор[ыа]?|γράφει|بقلم|كتب|yazan|muhabir"
)
# Words that need a colon before a word in lower case.
_AUTHOR = (
    r"autore?[sn]?|autor(?:in|innen|en|i|a|es|as)?|auteure?s?|authors?(?:\(s\))?|redakteur(?:in)?"
)
# Words that need a colon before a name, because of texts such as "Text Size", with a word joined.
_AND = r"(?:und|and|i|og|och|en|et|y|e|ja|&)"
_TEXT = rf"(?:\w+\s+{_AND}\s+)?(?:te(?:ks|x)t[eio]?|testo|текст|words)(?:\s+{_AND}\s+[\w'’]+)?"
# Words for pictures before a name, without a colon: "Text Ada Berg, foto Ola Nord".
_PICTURES = r"(?:fotos?|photos?|pictures?|bild(?:er)?|kuvat?)\s+(?-i:[A-Z]\S*\s+[A-Z])"
_lead = LatePattern(
    rf"^\W*(?:(?:{_BY}|quelle|source|fonte|fuente)(?:\s*[:：]\s*|\s+)|{AUTHOR_LABEL}\s*[:：]\s*|"
    rf"(?:{_AUTHOR})(?:\s*[:：]\s*|\s+(?!(?-i:[a-z])))|"
    rf"{_TEXT}(?:\s*[:：]\s*|\s+(?:di|von|par|por|de|af|av|van)\s+|\s+(?=\D+\s{_PICTURES})))|"
    r"^(?-i:(?:Written |Words )?[Bb]y)(?=(?-i:[A-Z]))",
    re.IGNORECASE,
)
# Match a text that consists of "By" or a similar word.
is_only_lead = LatePattern(
    rf"^\W*(?:{_BY}|{_AUTHOR}|{AUTHOR_LABEL}|{_TEXT}\s*[:：])\W*$", re.IGNORECASE
).match
# The words before a name inside a line; `re` skips to the letters that they begin with.
_inner_lead = LatePattern(
    "(?:"
    + "|".join(
        rf"{word}(?<![^\s|•·—–\-/,.\d]{word})"
        for word in "by By von Von par Par por Por di Di door Door autor: Autor: autorin: Autorin: "
        "author: Author:".split()
    )
    + r")\s+(?=\S)|(?:作者|记者|記者|撰文)\s?[:：]\s?(?=\S)"
)
_text_after = LatePattern(
    r"(?:(?<!\w)\d|(?<!\d)\d+(?=[.\s]\s?\w)|[|•⋅●»—–\t@(（【[]|(?<!(?-i:[一-鿿]))·|//|\s--?\s|https?:|www\.|\bon\s+(?=[A-Z\d])|"
    r"\b(?:am|le|el|il|den|on)\s+(?:\w+,?\s+)?\d|\bam\s+\w+tag|\bstand(?=:?\s*\d)|"
    r"(?<=\w\s)(?-i:The\s+[A-Z]|(?:aus|desde|em|från|fra)\s+[^\W\da-zß-ÿ])|"
    r"\b(?:published|updated|posted|veröffentlicht|aktualisiert|publié|publicado|last updated|"
    r"contributing writer|last modified|staff writer|senior writer|special to|leave a|"
    r"(?:обновл|опубликов|оновл|опубліков|(?:za)?aktuali[zs]|opublikowan|publikován|publicera|publiceret|"
    r"publisert|uppdatera|opdatere|oppdatert|bijgewerkt|gepubliceerd|aggiornat|pubblicat|publicad|"
    r"actualizad|atualizad|mis à jour|ενημέρω|ενημερώ|δημοσίευ|δημοσιεύ|güncelle|yayınlan|"
    r"更新|发布|發布|公開)\w*|"
    r"出处|来源|來源|기자|특파원|"
    r"(?<=\w\s)(?:alle|mehr|weitere|neueste|tous|toutes|todos|tutti)(?=\s\w)|"
    r"kommentare?|comments?|read more|follow|uhr|min read|für|for the|envoy[ée]e?s?\s+sp\w+|"
    r"enviad[oa]s?\s+esp\w+|correspondante?|corresponsal|inviat[oa])\b|\bin\s+[A-Z]|\sà\s)",
    re.IGNORECASE,
).search
_separators = re.compile(
    r"((?:[;/、，|\n]|,(?:\s*(?:and|und|et|y|e|og|och|en|i|и)\s)?|\s(?:and|und|et|y|og|och|и|&|e|i|ja|ve)\s)\s*)",
    re.IGNORECASE,
)
_bar = partial(re.compile(r"(?<!\s)\s*[|·•]\s*|(?<!\s)\s+[—–]\s+").split, maxsplit=1)
# Compounds are one word in Germanic languages.
_COMPOUNDS = "korrespondent redak(?:teur|tor|tør|tör) reporter mitarbeiter volont[äa]r".split()
_REPORTERS = (
    "editor writer correspondent journalist columnist contributor blogger "
    r"envoy[ée]e?s?\s+spécia(?:le?s?|ux) correspondante? journaliste rédact(?:eur|rice) "
    r"chroniqueu(?:r|se) enviad[oa]s?\s+especial(?:es)? corresponsal periodista redactora? "
    "correspondente repórter jornalista colunista inviat[oa] corrispondente giornalista redattore "
    "redattrice verslagge(?:ver|efster) redacteur dziennikarz dziennikarka corespondentul "
    "toimittaja редактор корр?еспондент журналист обозреватель muhabiri?"
).split()
_REPORTER = (
    rf"[\w-]{{0,30}}(?:{'|'.join(_COMPOUNDS)})|(?:[\w-]{{1,30}}-)?(?:{'|'.join(_REPORTERS)})"
)
_REPORTER_STEMS = frozenset(
    prefix[:6] for prefix in chain.from_iterable(map(list_prefixes, (*_COMPOUNDS, *_REPORTERS)))
)
# A line has one of these words if it begins with "By" or the like; a space is the start of a word.
_LEAD_WORDS = (
    "by,von, par, por, di,cura,mano,door, av, af,przez,oleh,redact,redakteur,auteur,author,autor,"
    "text,tekst,testo,words,yazan,muhabir,quelle,source,fonte,fuente,автор,текст,szerző,γράφει,"
    "بقلم,كتب".split(",")
)
_FOREIGN_WORDS = [word for word in (*_LEAD_WORDS, *_REPORTER_STEMS) if not word.isascii()]
_search_signs = WordSearch(
    [list(filter(str.isascii, words)) for words in (_LEAD_WORDS, _REPORTER_STEMS)]
).find_kinds
LEAD, REPORTER = 1, 2
_ROLES = (
    rf"{_REPORTER}|(?:[\w-]{{1,30}}-)?(?:producer|photographer|director|analyst|publisher|fellow|"
    r"intern)|[\w-]{0,30}(?:leiter|vorsitzende[rn]?)"
)
# Drop job titles after names: ", Sports Editor", ", inviato a Roma".
_drop_job_titles = partial(
    LatePattern(
        rf",\s*(?:[\w&'’./-]+\s+){{0,5}}?(?:{_ROLES})(?:in|[sk]a|s)?"
        r"(?:-in-chief)?(?:\s[^,;|()\n]{1,40}?)?(?=\s*(?:[,;|()\n]|$|\s(?:and|und|et|y)\s+\S+\s+\S))",
        re.IGNORECASE,
    ).sub,
    "",
)
# Match a role before a name, with the words that belong to it, and with its place: "notre envoyée
# spéciale à Kiev".
_role_before = LatePattern(
    rf"(?i:(?:[^\s,]+\s+){{0,4}}?(?:{_REPORTER})(?:innen|in|e|a|s)?)"
    r"(?:\s+[^\WA-Z\d_]+)??(?:\s+[^\WA-Z\d_]{1,3}\s+\w+)?[\s,:]+(?![a-zß-ÿ])(?=[^\W\d_]+\.?\s+[^\W\d_])"
).match
_starts_role = LatePattern(_ROLES, re.IGNORECASE).match
_CREDIT = (
    r"(?:photo(?:graph(?:y|s|er)?)?s?|pictures?|images?|styl(?:ed|ing|ist)|hair|make-?up|video|"
    r"illustrat(?:ed|ions?|or)|graphics?|(?:medically |clinically |expert )?reviewed|"
    r"fact[- ]?checked|contributions?|translated|produced|art|design(?:ed)?|production|"
    r"fotos?|kuvat?|zdjęcia|фото|fotografie|bild(?:er)?|grafik|photographies?|il+ustra(?:tor|dor|cja|ción)\w*|traduit|traducción|fotografía)"
    r"(?:\s+(?:by|from|von|par|por|di|de)\b|\s*:)"
)
# Match the start of a credit of photographers, reviewers and the like.
match_credit = LatePattern(
    rf"\W*(?:{_CREDIT}|{_PICTURES}|(?:expert |medical )?reviewer\s*$)", re.IGNORECASE
).match
_JOINT = r":|\s(?:by|from|von|par|por|di|de)\b"
has_joint = re.compile(_JOINT, re.IGNORECASE).search
_may_credit = re.compile(rf"{_JOINT}|\s{_PICTURES}", re.IGNORECASE).search
# "Text Ada Berg", on a line of its own
_drop_text_label = re.compile(r"^te(?:ks|x)t[eio]?\s+(?=(?-i:[A-Z]\S*\s+[A-Z]))", re.IGNORECASE).sub
_starts_desk = re.compile(r"(?:the|le|la|service|team|redaktion)\s", re.IGNORECASE).match
_has_bar = re.compile("[|·•—–]").search
_find_credit = LatePattern(
    rf"(?<=[^\w'’-])(?:{_CREDIT}|{_PICTURES}|(?:edited|editing|additional reporting)\s+by\b)",
    re.IGNORECASE,
).search
find_date_and_time = re.compile(
    r"\d{1,2}\s?[./-]\s?(?:\d{1,2}\s?[./-]|\w+\.?)\s?\d{2,4}|\d{1,2}\.? [^\W\d]+\.? \d{4}|"
    # from the start of a word only: else the time grows with the square of its length
    r"(?<![^\W\d])[^\W\d]+\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{4}-\d\d-\d\d|"
    r"\d{1,2}[:h.]\d{2}(?:\s?(?:Uhr|[ap]m|[AP]M)(?:\s(?:[ECMP][SD]?T|GMT|UTC|IST)\b)?)?"
)
# Match a degree or the like, as it follows a name.
is_credential = re.compile(
    r"(?:M\.?D|Ph\.?\s?D|R\.?D\.?N?|R\.?N|M\.?S\.?C?|M\.?A|M\.?P\.?H|B\.?Sc?|D\.?D\.?S|J\.?D|M\.?B\.?A|"
    r"C\.?P\.?A|LCSW|CFP|FAND|Jr|Sr|II|III|Esq|P\.?E)\.?",
).fullmatch
# Match text that is not in names: buttons, rights, promotion, template code.
_is_note = re.compile(
    r"(?:save|watch|share|listen|read|see|view|voir|ver|vedi|all|more|latest|newest|alle|mehr|weitere|"
    r"neueste|letzte|tous|toutes|todos|todas|más|tutti|altri|meer|fler|flere|wszystkie|więcej|все|ещё)\b|"
    r"\w+(?:\.\w+){3,}$|\w*admin\w?$"
).match
_has_note = re.compile(
    r"[©<>{}=\\]|copyright|licen[sc]ed?\b|datenschutz|impressum|newsletter|subscri|advertis|"
    r"post views|creative commons|\.(?:html?|php|aspx?|jsp)\b|\b(?:author page|full bio|all rights|"
    r"privacy\b|policy\b|lizenz|cookies?\b|min(?:utes?)?\.? read\b)"
).search
_has_minutes = re.compile(r"\bminutes?\b").search
# Match the start of "3 May", "May 3" or "am 3. Mai".
_starts_date = re.compile(r"\W*(?:[^\W\d]+\W+)?\d").match
_in_brackets = re.compile(r"\s*[【（(〔[]([^】）)〕\]]+)[】）)〕\]]$").match
_drop_joint_at_end = re.compile(
    rf"(?:\s(?:with|mit|avec|con|med|met|{_AND})|[\s.,;/&|]){{1,9}}$"
).sub
_ends_word = re.compile(r".*\s[^\W\d_]{3,}\.").fullmatch
_ends_sentence = re.compile(r".*\s[^\W\dA-Z]{4,}\.$").match
# Words that content systems write instead of a name, and labels of fields, letters folded.
PLACEHOLDER_NAMES = frozenset(
    "admin administrator root webmaster editor user guest anonymous unknown author authors "
    "noauthor autor autorin text texte words about and und by von par por di amet "
    "none null undefined byline more share print email facebook twitter follow staffonly website "
    "redakteur online publisher superuser default test foto photo image writer editorinchief "
    "am pm".split()
)


def find_names(text: str, *, prose: bool = True) -> tuple[str, ...]:
    """Return the names in `text`, without "By", job titles and notes in brackets.

    `prose`: whether dates, places and other text can follow the names, as in visible lines.
    """
    names: list[str] = []
    line = _drop_brackets(clean_text(text[:MAX_LENGTH]))
    byline = read_byline(line)
    if byline is not None:
        line, prose = byline, True
    pieces = _separators.split(_drop_job_titles(_drop_beside(line) if prose else line))
    for separator, part in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        name, is_end = _read_part(part) if prose else (_strip_signs(part), False)
        sign = separator.strip()
        if names and _is_rest_of_desk(names[-1], sign, name):
            names[-1] += f"{separator}{name}"
        elif not (names and _is_beside(names[-1], sign, name, prose)) and _is_plausible(name):
            names.append(name)
        if len(names) == MAX_AUTHORS or is_end:
            break
    return tuple(names)


def _read_part(part: str) -> tuple[str, bool]:
    """Return the name in a part of a line, and whether other text begins with it."""
    part = read_after_role(part.strip()) or part.strip()
    tail = _text_after(part)
    name = _strip_signs(part[: tail.start()] if tail else part)
    if tail and _starts_date(part[tail.start() :]):
        name = _drop_month(name)
    name = _drop_text_label("", _drop_full_stop(_read_after_role(name)))
    # "our reporter"; without a role, a word is an agency: "Jane Doe, dpa"
    is_word = tail and name.islower() and _starts_role(part, tail.start())
    return "" if is_word else name, tail is not None and not name


def _strip_signs(name: str) -> str:
    return drop_cjk_role(name.lstrip(":").strip(" ,;|-–—\"'“”„«»*~"))


def _is_beside(before: str, sign: str, name: str, prose: bool) -> bool:
    """Return whether a text after a name is its place, employer or role."""
    if " " not in name:
        return _is_place(before, sign, name)
    # "Jane Doe, head of research"
    return prose and "," in sign and (name[0].islower() or not looks_like_name(name))


def _is_place(before: str, sign: str, word: str) -> bool:
    """Return whether a word after a name is its place or employer: "Jane Doe, Kiel"; not "dpa"."""
    if sign not in SIGNS_BEFORE_PLACES or not (" " in before or word.istitle()):
        return False
    if sign == "|":
        return word.isascii()
    return not word.islower() and (not word.isupper() or before.isupper())


def _is_rest_of_desk(before: str, sign: str, word: str) -> bool:
    """Return whether a word after "and" belongs to the name: "Service Politique et Société"."""
    is_joined = " " not in word and word.istitle() and (sign.isalpha() or sign == "&")
    is_person = " " not in before or looks_like_name(before)
    return is_joined and (not is_person or _starts_desk(before) is not None)


def _drop_brackets(text: str) -> str:
    inside = _in_brackets(text) if text[-1:] in CLOSING_BRACKETS else None
    return inside[1] if inside else text


def _drop_full_stop(name: str) -> str:
    """Return a name without the end of its sentence; "Jr." and "J. D." keep theirs."""
    return name[:-1] if _ends_word(name) else name


def _drop_month(name: str) -> str:
    words = name.split()
    is_month = len(words) > 1 and words[-1].lower().rstrip(".") in load_known_months()
    return " ".join(words[:-1]) if is_month else name


def _read_after_role(name: str) -> str:
    """Return the person after a role and a colon, "" after another label."""
    before, colon, person = (part.strip() for part in name.replace("：", ":").partition(":"))
    if not colon or (not person and looks_like_person(before)):
        return before
    return person if looks_like_person(person) and not match_credit(name) else ""


def read_after_role(text: str) -> str | None:
    """Return the names after a role: "notre correspondant Paul Morel"; None without a role."""
    may_match = text.count(" ") >= MIN_SPACES and find_signs(text) & REPORTER
    role = _role_before(text) if may_match else None
    if role is None:
        return None
    rest = text[role.end() :]
    words = rest.split()
    is_person = any(looks_like_person(" ".join(words[:length])) for length in (2, 3))
    return rest if is_person else None


def find_signs(text: str) -> int:
    """Return the bits LEAD and REPORTER of words that a text may have; a signed line has one."""
    if text.isascii():
        return _search_signs(text)
    lowered = text.lower()
    if has_cjk(text) or any(map(lowered.__contains__, _FOREIGN_WORDS)):
        return LEAD | REPORTER
    return _search_signs(lowered.encode("ascii", "replace").decode())


def is_role(text: str) -> bool:
    """Return whether a text is only a job title: "Data Editor"."""
    return not _drop_job_titles(f", {text}")


def _drop_beside(text: str) -> str:
    """Return a text without the section before names, and credits of others behind.

    "Politics · Jane Doe, Al Poe" and "Jane Doe Photos: Al Poe".
    """
    if _may_credit(text) and (credit := _find_credit(text)):
        text = _drop_joint_at_end("", text[: credit.start()])
    if "," in text:
        text = read_after_role(text) or text
    if not _has_bar(text):
        return text
    before, *after = _bar(text)
    if not after:
        return text
    if byline := read_byline(after[0]):
        return byline if looks_like_person(_separators.split(byline)[0].strip()) else text
    is_section = before.istitle() and not looks_like_person(before)
    return after[0] if is_section and looks_like_person(_separators.split(after[0])[0]) else text


def _is_plausible(name: str) -> bool:
    """Return whether a text can be a name: short, with letters, and no URL or placeholder."""
    key = fold_letters(name)
    return (
        len(key) > 1
        and len(name.split()) <= MAX_NAME_WORDS
        and key not in PLACEHOLDER_NAMES
        and key not in load_known_days()
        and key not in load_known_months()
        and not is_only_lead(name)
        and not is_credential(name)
        and not _has_minutes(name)
        and not _is_note(name.lower())
        and not _has_note(name.lower())
    )


def looks_like_name(name: str) -> bool:
    """Return whether each word begins with a capital, except PARTICLES before the last word."""
    words = name.split()
    for position, word in enumerate(words, start=1):
        letters = word.lstrip("(\"'„“«’")
        is_particle = letters in PARTICLES and position < len(words)
        if not is_particle and (not letters[:1].isalnum() or letters[0].islower()):
            return False
    return bool(words)


def looks_like_person(name: str) -> bool:
    """Return whether `name` looks like a name, and has two to four words and no digit."""
    is_short = 2 <= len(name.split()) <= 4
    return is_short and looks_like_name(name) and not any(map(str.isdigit, name))


def looks_like_desk(name: str) -> bool:
    """Return whether `name` has two or three words, of which only the first begins with a capital.

    "News desk", "Redaktion online".
    """
    first, *others = name.split() or [""]
    return first[:1].isupper() and 1 <= len(others) <= 2 and all(map(str.islower, others))


def read_byline(text: str) -> str | None:
    """Return the text after "By" or the like at the start of `text`; None without it."""
    if not find_signs(text) & LEAD:
        return None
    text = _drop_brackets(text)
    credit = read_cjk_credit(text)
    if credit is not None:
        return credit
    lead = _lead.match(text)
    return text[lead.end() :] if lead else None


def is_byline(text: str) -> bool:
    """Return whether a text only has "By", names of people, dates and roles."""
    byline = read_byline(text)
    if byline is None or _ends_sentence(text):
        return False
    names = find_names(byline)
    letters = fold_letters(find_date_and_time.sub(" ", _drop_job_titles(byline)))
    return (
        bool(names)
        and all(map(looks_like_person, names))
        and sum(map(len, map(fold_letters, names))) >= MIN_NAME_SHARE * len(letters)
    )


def read_inner_byline(text: str) -> str | None:
    """Return the text after "By" or the like inside `text`; None without it."""
    inside = _inner_lead.search(text)
    return text[inside.end() :] if inside else None


def read_separate_byline(text: str) -> str | None:
    """Return the text after "By" inside `text`; None if other words belong to it: "Songs by"."""
    inside = _inner_lead.search(text)
    if inside is None:
        return None
    before = text[: inside.start()].rstrip()
    line = text[len(before.rpartition(" ")[0]) :].lstrip()
    is_separate = not before[-1:].isalpha() or read_byline(line)
    return text[inside.end() :] if is_separate else None


def drop_duplicates(names: Iterable[str]) -> tuple[str, ...]:
    """Return each name once, in its first spelling, at most MAX_AUTHORS.

    A name that ends with another one of several words ("All by Jane Doe") is left out.
    """
    spellings: dict[str, str] = {}
    for name in islice(names, 2 * MAX_AUTHORS):
        spellings.setdefault(fold_letters(name), name)
    known = dict(islice(spellings.items(), MAX_AUTHORS))
    full = [key for key, name in known.items() if " " in name]
    return tuple(
        name
        for key, name in known.items()
        if not any(key.endswith(other) and key != other for other in full)
    )
