"""Find stubs: pages instead of an article, and texts that end at a wall.

A page with a longer text is not a stub, so most pages cost nothing.
"""

import re

import numpy as np

from scrapy_boilerplate.page.labels import Labeling
from scrapy_boilerplate.page.page import Page
from scrapy_boilerplate.page.text import count_words
from scrapy_boilerplate.steps.class_names import (
    APP_ROOTS,
    names_challenge,
    names_consent,
    names_other_wall,
    names_wall,
)
from scrapy_boilerplate.steps.titles import title_separator

# The text ends at a wall; the page asks for consent, needs a script, or reports an error.
PAYWALL, CONSENT, SCRIPT, ERROR = "paywall", "consent", "script", "error"
# The page checks whether its reader is a bot.
CHALLENGE = "challenge"

# A text with so many words is not a stub: in general, behind a declared wall, without its script,
# and with an error (docs/usage/pages.md has the figures).
MAX_WORDS, MAX_DECLARED_WORDS, MAX_SCRIPT_WORDS, MAX_ERROR_WORDS = 300, 150, 40, 80
# Maximum words of a page that checks its reader, in all blocks (pages of vendors have 10 to 100).
MAX_CHALLENGE_WORDS = 150
# Maximum words of an empty page, in all blocks.
MAX_EMPTY_WORDS = 60
# Maximum elements from the text to a wall, minimum words of its offer, and maximum blocks of it in
# the text.
WALL_ELEMENTS, MIN_OFFER_WORDS, MAX_OFFER_BLOCKS = 25, 4, 3
# Minimum words of a sentence; a button has fewer.
MIN_SENTENCE_WORDS = 6
# Maximum words of a consent page, minimum share of them in blocks about consent, and minimum words
# and share of words about consent of such a block.
MAX_CONSENT_WORDS, MIN_CONSENT_SHARE, MIN_CONSENT_WORDS = 800, 0.6, 20
MIN_CONSENT_DENSITY = 0.02

find_consent_words = re.compile(
    r"cookie|consent|gdpr|dsgvo|rgpd|\btracking\b|\biab\b|datenschutz|privacy|privatsph|"
    r"confidentialit|privacidad|privacidade|riservatezza|personenbezogen|personal data|"
    r"données personnelles|datos personales|dati personali|zustimm|einwillig|consentement|"
    r"consentimiento|consenso|toestemming|samtyck|samtykk|suostumu|zgod|souhlas|прайвас|куки|"
    r"クッキー|隐私|개인정보",
    re.IGNORECASE,
).findall
# Titles of challenges by Cloudflare, Imperva and DDoS-Guard.
is_challenge_title = re.compile(
    r"(?:just a moment|checking your browser(?: before accessing\b.*)?|one moment,? please|"
    r"ddos-guard|pardon our interruption|nur einen moment|un instant|un momento|um momento|"
    r"een moment geduld|один момент|bir dakika lütfen|请稍候|稍候片刻|しばらくお待ちください|"
    r"잠시만 기다리십시오)[\s.…!]*",
    re.IGNORECASE,
).fullmatch
tells_error = re.compile(
    r"(?:page|article|story|content|file|url|document)[\w ]{0,20} (?:not|n't|cannot|could not) "
    r"(?:be )?(?:found|exist|available)|^not found$|page (?:you|not|does)|"
    r"no longer (?:exists|avail)|"
    r"nicht (?:mehr )?(?:gefunden|verfügbar)|introuvable|non trouvée?|no (?:se ha )?encontrad|"
    r"no existe|non (?:è stata )?trovat|não (?:foi )?encontrad|niet gevonden|hittades inte|"
    r"ikke (?:blevet )?fun[dn]et|ei löyt|nie znaleziono|nebyla nalezena|nem található|bulunamad|"
    r"не найден|не знайдено|не съществува|δεν βρέθηκε|見つかりません|找不到|未找到|찾을 수 없|"
    r"access denied|^forbidden|service unavailable|internal server error|bad gateway|"
    r"gateway time-?out|too many requests|attention required|zugriff verweigert|accès refusé|"
    r"acceso denegado|accesso negato",
    re.IGNORECASE,
).search
is_error_code = re.compile(
    r"(?:\W|http|error|erreur|errore|fehler|fel|feil|ошибка|chyba|błąd|hata|virhe|code|seite|page)*"
    r"(?:40[0134589]|410|429|451|50[0234])(?:\W|error|erreur|fehler|page|seite)*",
    re.IGNORECASE,
).fullmatch


def find_stub(page: Page, labeling: Labeling, text: str, *, is_free: bool | None) -> str | None:
    """Return why a page is a stub, else None.

    `text` and `is_free` (whether it declares free access) are fields of its document.
    """
    if text.count(" ") >= MAX_WORDS or (n_words := count_words(text)) >= MAX_WORDS:
        return None
    if n_words < MAX_ERROR_WORDS and _is_challenge(page):
        return CHALLENGE
    if _needs_script(page, text, n_words):
        return SCRIPT
    if _asks_for_consent(page):
        return CONSENT
    if n_words < MAX_ERROR_WORDS and _reports_error(page):
        return ERROR
    is_wall = is_free is not True and _ends_at_wall(page, labeling, n_words, is_free=is_free)
    return PAYWALL if is_wall else None


def _is_challenge(page: Page) -> bool:
    if int(page.words.sum()) > MAX_CHALLENGE_WORDS:
        return False
    names = page.elements.names
    return bool(is_challenge_title(page.title.strip())) or any(
        map(names_challenge, names.list_used(names.classes, names.ids))
    )


def _needs_script(page: Page, text: str, n_words: int) -> bool:
    if n_words >= MAX_SCRIPT_WORDS:
        return False
    if "javascript" in text.lower():
        return True
    n_shown = int(page.words.sum())
    if not 0 < n_shown <= MAX_EMPTY_WORDS:
        return not n_shown and "script" in page.elements.tags
    if any("javascript" in each.lower() for each in page.texts):
        return True
    for element, name in enumerate(page.elements.ids):
        if name.strip().lower() in APP_ROOTS:
            return not page.leaves_in(element)
    return False


def _asks_for_consent(page: Page) -> bool:
    n_words = page.words
    total = int(n_words.sum())
    if not MIN_CONSENT_WORDS <= total <= MAX_CONSENT_WORDS:
        return False
    names = page.elements.names
    named = (page.url or "", page.title, *names.list_used(names.classes, names.ids))
    if not names_consent("\n".join(named).lower()):
        return False
    in_text = n_words >= MIN_SENTENCE_WORDS
    sentences = np.flatnonzero(in_text).tolist()
    about = [
        block
        for block in sentences
        if len(find_consent_words(page.texts[block])) >= MIN_CONSENT_DENSITY * n_words[block]
    ]
    enough = max(MIN_CONSENT_WORDS, MIN_CONSENT_SHARE * int(n_words[in_text].sum()))
    return int(n_words[about].sum()) >= enough


def _reports_error(page: Page) -> bool:
    headings = [text for text, tag in zip(page.texts, page.tags, strict=True) if tag == "h1"]
    titles = (page.title, *headings[:2])
    parts = [part.strip() for text in titles for part in title_separator.split(text) if part]
    return any(is_error_code(part) or tells_error(part) for part in parts)


def _ends_at_wall(page: Page, labeling: Labeling, n_words: int, *, is_free: bool | None) -> bool:
    """Return whether a text is short and declared not to be free, or a wall follows it."""
    if is_free is False and n_words < MAX_DECLARED_WORDS:
        return True
    content = np.flatnonzero(labeling.content)
    if not len(content):
        return False
    # the last blocks of the text may belong to the offer
    before, last = (
        page.leaves.opened[int(page.blocks.end_leaf[block]) - 1]
        for block in (content[max(0, len(content) - 1 - MAX_OFFER_BLOCKS)], content[-1])
    )
    near = range(before, min(last + WALL_ELEMENTS, len(page.elements)))
    walls = page.elements.outermost(element for element in near if _names_wall(page, element))
    offers = (map(page.leaves.texts.__getitem__, page.leaves_in(wall)) for wall in walls)
    return any(count_words(" ".join(offer)) >= MIN_OFFER_WORDS for offer in offers)


def _names_wall(page: Page, element: int) -> bool:
    names = f"{page.elements.classes[element]} {page.elements.ids[element]}"
    return names_wall(names) is not None and names_other_wall(names) is None
