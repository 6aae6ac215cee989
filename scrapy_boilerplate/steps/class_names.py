"""Words of class names and ids, grouped by the content of their elements.

The words come from publishers in the languages of the corpora. They match anywhere in a name: in
``articleComments`` and in ``comments-area``. Systems of the literature have their own word lists.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from scrapy_boilerplate.native.steps import join_words
from scrapy_boilerplate.steps.pickling import PickledFields


@dataclass(frozen=True)
class LatePattern(PickledFields):
    """A regular expression that is compiled for its first text: at import it would take longer."""

    pattern: str
    flags: int = 0

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)

    def search(self, text: str) -> re.Match[str] | None:
        return self.compiled.search(text)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self.compiled.match(text, start)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text)

    def sub(self, replacement: str, text: str) -> str:
        return self.compiled.sub(replacement, text)


@dataclass(frozen=True)
class NamePattern:
    """A regular expression for lower-case names, and words of which each match contains one.

    `words` are ASCII; a match beyond ASCII may contain no word. A leading space means that no
    letter precedes the word.
    """

    regex: LatePattern
    words: frozenset[str]


def build_pattern(*alternatives: str) -> NamePattern:
    """Return one pattern for lower-case names, from regular expressions that begin with letters.

    Spaces are between them.
    """
    listed, words = " ".join(alternatives).split(), set[str]()
    for alternative in listed:
        is_start = _match_start(alternative) is not None
        prefixes = (" " * is_start + prefix for prefix in list_prefixes(alternative))
        words |= set(filter(str.isascii, prefixes))
    return NamePattern(LatePattern(join_words(listed)), frozenset(words))


# Match a word with no letter before it, such as ``ad(?<![a-z]ad)``.
_match_start = re.compile(r"(\w+)\(\?<!\[[-_0-9]*a-z[-_0-9]*\]\1\)").match
_match_part = re.compile(
    r"(?:\(\?:(?P<choices>[\w|-]+)\)|(?P<separator>\[-_\])|(?P<letter>[\w-]))(?P<optional>\??)(?![*+{])"
).match


def list_prefixes(alternative: str) -> list[str]:
    """Return texts of which one starts each match of a regular expression.

    It reads letters, ``[-_]``, groups of plain words, and ``?`` after each, and stops at other
    parts.
    """
    texts, end = [""], 0
    while part := _match_part(alternative, end):
        choices = (part["choices"] or part["letter"] or "-|_").split("|")
        choices += [""] * bool(part["optional"])
        texts, end = [text + choice for text in texts for choice in choices], part.end()
    return texts


NO_NAMES = build_pattern()

# Comments of readers

COMMENTS = build_pattern(
    r"comment(?!ary|ator) disqus discussion talkback livefyre reader-?posts",
    r"kommentar comentario commentaire comentári reacties yorum komentar pinglun 评论 留言",
)
COMMENT_CONTROLS = build_pattern(
    r"comments?[-_]*(?:author|meta|date|time|form|reply|info|header|head|count|notes|rules)",
    r"respond(?<![a-z]respond)(?![a-z]) reply[-_]form",
)
_COMMENT = r"(?:comment|kommentar|comentario|commentaire|comentári|reactie|yorum|komentar)"
# One comment, or its text.
names_comment = LatePattern(
    rf"(?:^|[-_a-z]){_COMMENT}o?s?[-_]*(?:\d+|body|content|text|item|entry|message|inner)(?![a-z])|"
    r"(?:texto|cuerpo|corpo)[-_]coment|(?:texte?|corps)[-_]comment"
).search
# Forms, rules, logins and counters among comments.
names_comment_form = LatePattern(
    r"form(?!at)|log(?:ged)?[-_]?(?:in|out)|logueado|sign[-_]?in|respond(?![a-z])|notes?(?![a-z])|rules|policy|guideline|"
    r"netiquet|disclaimer|notice|hint|closed|empty|no[-_]?comments?(?![a-z])|must[-_]|subscri|count|"
    r"tools?(?![a-z])|toolbar|tips?(?![a-z])|captcha|moderat|modal|share|like|vote|voting|report|"
    r"flag|menu|load[-_]?more|alert|explain|explication|button|btn|banner|widget|recent|"
    r"success|forbidden"
).search
names_head = LatePattern(r"head(?:er|ing|line)?(?![a-z])|title").search


# Boxes beside the text

RELATED = build_pattern(
    r"related recommend read[-_]?(?:also|next|more) see[-_]?also also[-_]?read similar",
    r"more[-_]?(?:stories|news|from|on|like) recirc up[-_]?next outbrain taboola trending",
    r"most[-_]?(?:read|popular|viewed|shared) inread teaser[-_]?list latest[-_]?news",
    r"mehr[-_]zum siehe[-_]auch lesen[-_]sie weitere[-_]artikel verwandt empfohlen",
    r"relacionad relacionat lire[-_]aussi correlat gerelateerd lees[-_]ook",
)
SUPPLEMENTAL = build_pattern(
    r"caption photo[-_]?credit image[-_]?credit picture[-_]?credit",
    r"fact[-_]?box info[-_]?box facts[-_]?box",
    r"bildunterschrift bildtext legenda pie[-_]?de[-_]?foto didascalia factfile key[-_]?facts",
)
_SIGN_UP = r"newsletter sign[-_]?up(?<!designup)(?<!design[-_]up)"
ADVERTISING = build_pattern(
    _SIGN_UP,
    r"subscri(?:be|ption) cookie consent gdpr advert sponsor promo",
    r"ad(?<![a-z0-9]ad)s?(?![a-z0-9]) have[-_]?your[-_]?say",
    r"breadcrumb navbar pagination share[-_]?(?:bar|tools|buttons|links|box) social copyright",
)
# Disclaimers, boxes for newsletters and about the author, calls to action, footnotes, labels of
# advertising (our sweep, docs/provenance.md).
NOTES = build_pattern(
    _SIGN_UP,
    r"disclaimer disclosure(?![-_]?panel) footnote tooltip",
    r"author[-_]?(?:box|bio) about[-_]?(?:the[-_]?)?author",
    r"bio(?<![a-z]bio)(?![a-z]) cta(?<![a-z]cta)(?![a-z])",
    r"ad(?<![a-z0-9]ad)s?[-_]*(?:label|slot|unit|box|container|wrapper|notice|text|title)(?![a-z])",
    r"ad(?<![-_a-z0-9]ad)s?(?![-_a-z0-9]) advertis(?!er) anzeige(?![nr]) werbung publicit reklam",
)
BREADCRUMB = build_pattern("breadcrumb")

# Dialogs, consent, walls

DIALOGS = build_pattern(r"modal(?<![a-z]modal)(?!it)")
_CONSENT_VENDORS = (
    r"onetrust didomi cookiebot usercentrics qc-cmp trustarc truste-(?:consent|overlay|popup) "
    r"sp_message_ sourcepoint cmpbox cmplz fc-consent consentmanager iubenda-cs osano-cm cookieyes "
    r"cky-(?<![a-z]cky-) tarteaucitron axeptio borlabs(?:-)?cookie"
)
CONSENT = build_pattern(
    _CONSENT_VENDORS,
    r"cookies?[-_]?(?:banner|pop-?up|overlay|layer|notice|wall|modal|dialog)",
    r"consent[-_]?(?:banner|pop-?up|overlay|layer|notice|wall|modal|dialog)",
    r"privacy[-_]?(?:banner|pop-?up|overlay|layer|notice|wall|modal|dialog)",
)
# In names in lower case.
names_consent = build_pattern(
    "consent cookie gdpr cmp privacy datenschutz", _CONSENT_VENDORS
).regex.search
names_wall = LatePattern(
    r"pay-?_?(?:wall|gate)|(?:reg|registration|login|subscri(?:be|ption|ber)|meter|premium|abo|plus|"
    r"content|article|soft|hard)-?_?(?:wall|gate|lock|barrier)|(?:subscri(?:be|ption|ber)|premium|"
    r"abo)-?_?(?:only|prompt|required|teaser|offer|promo)|piano|tp-(?:container|modal)|zephr|"
    r"barrier|gated|locked|restricted-?content|offer-?page|poool|(?:^|[\s_-])wall(?:$|[\s_-])",
    re.IGNORECASE,
).search
names_other_wall = LatePattern(
    r"ad-?_?block|adwall|social-?wall|wallpaper|comment", re.IGNORECASE
).search
# Challenges by Cloudflare, HUMAN (PerimeterX), DataDome, DDoS-Guard, Akamai, AWS, Imperva, Geetest
# and Arkose Labs.
names_challenge = LatePattern(
    r"(?:^|\s)(?:cf-(?:challenge|browser-verification|im-under-attack|captcha|turnstile-wrapper)|"
    r"challenge-(?:form|running|stage|spinner|error|success|platform)|px-captcha|px-block|"
    r"datadome|ddchallenge|ddg-(?:captcha|l10n)|sec-(?:if-)?cpt|amzn-captcha|aws-?waf|"
    r"incapsula|geetest|arkose|funcaptcha)|^cmsg$",
    re.IGNORECASE,
).search

# Authors, dates and headlines

_AUTHOR = (
    "author byline autor auteur writer journalist signatur reda[ck]t verfasser forfatter skribent "
    "schrijver published-?by posted-?by written-?by"
)
# In names in lower case.
AUTHOR = build_pattern(_AUTHOR)
# Elements that are named after an author and do not hold the name.
names_no_author = LatePattern(
    r"comment|related|avatar|social|share|follow|photo|image|testimonial|authori[sz]|(?<!p)review",
    re.IGNORECASE,
).search
# Bylines with a name or a date; no ``update``, no ``sentiment``, no ``public``.
names_byline = LatePattern(
    rf"(?i:{'|'.join(_AUTHOR.split())}|publi(?:sh|ca|e|é))|(?<![A-Za-z])(?:date|time)|Date|Time"
).search
names_date = LatePattern(
    r"date|time|publi|posted|meta|byline|datum|fecha|stamp|info", re.IGNORECASE
).search
# Short lines above a headline.
KICKER = build_pattern(
    "kicker eyebrow over-?line top-?line roof-?line top-?title pre-?title super-?title overtitle",
    "pre-?head pre-?line super-?head superscription catchline dachzeile spitzmarke antetitul",
    "surtitre supratit soprattitolo occhiello",
    "volanta",
)
# Lists of links to topics.
TOPICS = NamePattern(
    LatePattern(
        r"(?:^|[\s_-])(?:tags?|topics?|keywords?|schlagw\w+|themen)"
        r"(?:[\s_-]*(?:links?|list|cloud|container|wrapper|box))?(?:$|\s)"
    ),
    frozenset(("tag", "topic", "keyword", "schlagw", "themen")),
)
# Elements in an `h1` that are not the headline, by names in lower case.
names_headline_aside = LatePattern(
    KICKER.regex.pattern
    + r"|sub-?title|sub-?line|sub-?head|section|category|rubri|topic|label|badge|\btag\b|author|"
    r"byline|\bdate|hidden|sr-only|screen-reader|permalink|header-?link|anchor|autonumber|superscript|"
    r"sku"
).search

# Images

# Elements with pictures of authors and others, icons and teasers, by names in lower case.
names_picture_aside = build_pattern(
    "author avatar byline profile writer journalist contributor gravatar logo icon(?!ic) emoji",
    "teaser promo sidebar share loader spinner",
).regex.search
_NO_PICTURES = (
    "logos? icons? avatars? gravatar spacer blank pixel 1x1 placeholder transparent sprites? "
    "emojis? spinner loader loading badges? buttons? separator dummy"
)
# URLs of icons, placeholders, tracking pixels and players, in lower case.
names_no_picture = LatePattern(
    "|".join(
        # a pattern whose alternatives begin with letters is found faster
        f"{word[0]}(?<![a-z]{word[0]}){word[1:]}(?![a-z])"
        for word in _NO_PICTURES.split()
    )
    + r"|\.svg(?:[?#]|$)|facebook\.com/tr\b|doubleclick|scorecardresearch|/embed/"
).search

# Elements of captions with the credit of a picture.
names_credit = LatePattern(
    r"(?:credit|copyright|photograph|fotograf|rights|attribution|byline|quelle|"
    r"(?:photo|image|img|foto|bild|picture|media)[-_]{0,2}(?:source|author|by|owner|agency))"
    r"(?!\S*(?:caption|legend))",
    re.IGNORECASE,
).search

# Pagination

names_pagination = LatePattern(
    r"pagina|pager|paging|page-?(?:link|nav|num|list|break|seg)|multi-?page|seiten|"
    r"article-?pages?|story-?pages?",
    re.IGNORECASE,
).search

# Name of a column of `article.article_probability` to the words that it counts.
COUNTED_NAMES: Mapping[str, tuple[str, ...]] = {
    "price": ("price", "pricing"),
    "author": ("author", "byline"),
    "body": ("entry-content", "article-body", "post-content"),
    "filter": ("filter", "facet", "pagination"),
}

# The state of a page

# Identifiers of the element that a script fills, by the templates of its frameworks.
APP_ROOTS = frozenset(
    "root app __next __nuxt react-root app-root main-app mount application ___gatsby svelte".split()
)
_STATE_PREFIXES, _STATES = "has no with is js", "open closed enabled disabled on off"
# Classes for the state of the page (``has-comments``), not for the content of an element.
drop_states = re.compile(
    rf"(?<!\S)(?:(?:{'|'.join(_STATE_PREFIXES.split())})[-_]\S*|"
    rf"\S*[-_](?:{'|'.join(_STATES.split())})(?!\S))"
).sub
# Words of which each match of `drop_states` holds one, as in `NamePattern`.
STATE_WORDS = frozenset(
    [f" {prefix}{dash}" for prefix in _STATE_PREFIXES.split() for dash in "-_"]
    + [f"{dash}{state}" for state in _STATES.split() for dash in "-_"]
)
