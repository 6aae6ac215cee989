"""The language of the text: the declared one, checked against its script and its words.

py3langid (extra [language]) is only asked where these do not tell the language, one page in ten,
because its model takes half a second. It is as accurate as lingua, more accurate than smaller
packages (docs/provenance.md), and a twentieth of lingua's size.
"""

import logging
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

from scrapy_boilerplate.metadata.sources import MetadataSources
from scrapy_boilerplate.page.declared import parse_language

logger = logging.getLogger(__name__)

# Characters of text in which common words are searched. In 2,000, Tagalog and Yoruba quote English.
WORDS_LENGTH = 1_000
# Characters of text that are read (our sweep, docs/provenance.md).
SAMPLE_LENGTH = 200
# Characters that the detector reads (our sweep, docs/provenance.md).
DETECTOR_LENGTH = 120
# Characters that the detector reads of a text without a page.
MAX_DETECTOR_LENGTH = 2_000
# Function words that confirm a declared language without a detector. Few texts in another language
# have three of them.
COMMON_WORDS = {
    "en": "the and that with from this which were their would been said about when who our your "
    "has have are they after",
    "de": "und das ist von mit nicht auch für eine wird sich auf dem im zu zum zur sind bei werden",
    "fr": "les est une dans pour avec qui pas sont cette aux par leur été ses nous vous être après",
    "es": "los las el pero más está según muy hay sus fue han también años",
    "it": "il di che della per gli sono nel alla anche dei delle più è stato questo nella",
    "pt": "os uma com não em mais ao pelo foi são pela nas ou seu sua também à",
    "nl": "het een van dat niet zijn met voor bij ook aan naar deze wordt door maar uit heeft",
    "sv": "och att är inte från också ett för mellan hade mycket",
    "pl": "się że jest przez oraz dla który które był tym został jego przed tego w",
    "tr": "ve için ile olarak çok olan gibi sonra kadar ancak",
}
# Different common words that confirm a language, and how many times as many as of any other one.
MIN_COMMON_WORDS, MIN_TIMES = 3, 2
# Languages that their words name without a detector: so many different ones, and so many in each
# third of the text. Luxembourgish texts have six German words, and others quote English sentences.
NAMED_BY_WORDS = frozenset(("en", "de", "pl"))
MIN_NAMING_WORDS, MIN_IN_A_THIRD = 7, 2
# Letters of a text that can contradict the declared language.
MIN_LETTERS = 40
# Minimum different words of a text in Latin letters that the detector reads.
MIN_WORDS = 10
# Minimum share of the letters in the script of a text.
MIN_SCRIPT_SHARE = 0.4
# Minimum share of kana among the letters of a Japanese text, which has as many Han characters.
MIN_KANA_SHARE = 0.05
# Scripts of Unicode by the language of most pages in them (main languages).
SCRIPTS = {
    # main language: (characters, other languages of the script)
    "ja": ("\u3040-\u30ff", ""),
    "ko": ("\uac00-\ud7af\u1100-\u11ff", ""),
    "zh": ("\u4e00-\u9fff\u3400-\u4dbf", "ja ko"),
    "el": ("\u0370-\u03ff\u1f00-\u1fff", ""),
    "ru": ("\u0400-\u04ff", "uk bg sr mk be kk ky mn tg tt ba cv os ab ce sah uz az"),
    "ar": ("\u0600-\u06ff\u0750-\u077f", "fa ur ps ckb ku sd ug pa ks"),
    "he": ("\u0590-\u05ff", "yi"),
    "th": ("\u0e00-\u0e7f", ""),
    "hi": ("\u0900-\u097f", "mr ne sa kok bh"),
    "bn": ("\u0980-\u09ff", "as"),
    "ta": ("\u0b80-\u0bff", ""),
    "te": ("\u0c00-\u0c7f", ""),
    "pa": ("\u0a00-\u0a7f", ""),
    "gu": ("\u0a80-\u0aff", ""),
    "or": ("\u0b00-\u0b7f", ""),
    "kn": ("\u0c80-\u0cff", ""),
    "ml": ("\u0d00-\u0d7f", ""),
    "si": ("\u0d80-\u0dff", ""),
    "lo": ("\u0e80-\u0eff", ""),
    "bo": ("\u0f00-\u0fff", "dz"),
    "my": ("\u1000-\u109f", ""),
    "km": ("\u1780-\u17ff", ""),
    "ka": ("\u10a0-\u10ff", ""),
    "hy": ("\u0530-\u058f", ""),
    "am": ("\u1200-\u137f", "ti"),
}
# Main language of a script to others by their letters: those that it has, and has not. The first
# that fits is the language.
LETTERS = {
    "ru": (
        ("uk", "іїєґ", "ыэёъў"),
        ("be", "ў", "қғҳ"),
        ("sr", "ђћ", "ы"),
        ("mk", "ѓќѕ", "ыђћ"),
        ("bg", "ъ", "ыэёіј"),
        ("kk", "ғқұ", "ӣӯҷў"),
        ("tg", "ӣӯҳҷ", "ы"),
        ("tt", "җ", ""),
        ("ky", "ң", "әғқ"),
        ("mn", "өү", "әңғқ"),
        ("ru", "ыэ", "іїєґўђћјѓќѕғқұӣӯҷҳҗңәөүҙҡҫһӑӗҫӳҕҥӕӏ"),
    ),
    "ar": (
        ("ur", "ٹڈڑںےہھ", ""),
        ("ps", "ټډړږښڼځڅ", ""),
        ("sd", "ٻٺٽڀڄڃڇڍڌڏڙڪڳڱڻ", ""),
        ("ug", "ۇۈۋې", ""),
        ("ku", "ڵڕێ", ""),
        ("fa", "پچژگ", "ة"),
    ),
    "hi": (("mr", "ळऱ", ""),),
    "bn": (("as", "ৰৱ", ""),),
    "he": (("yi", "װױײ", ""),),
}
# Minimum share of the letters of a text that no other language has, and their number.
MIN_OWN_SHARE, MIN_OWN = 0.005, 2
# Codes of py3langid to those of languages with more pages: Tibetan, and Kurdish in Arabic letters.
DETECTED = {"dz": "bo", "sdh": "ku"}
_word_sets = {code: frozenset(words.split()) for code, words in COMMON_WORDS.items()}
# Declared languages that COMMON_WORDS of others can contradict: those with such words, and those
# that are not written in Latin letters.
_contradicted = frozenset(
    {None, *_word_sets, *SCRIPTS, *" ".join(others for _, others in SCRIPTS.values()).split()}
    - {"sr", "uz", "az", "ku"}
)
_find_characters = {
    code: re.compile(f"[{characters}]").findall for code, (characters, _) in SCRIPTS.items()
}


def find_text_language(sources: MetadataSources) -> tuple[str, str] | None:
    """Return (ISO 639-1 code, source): ``declared``, ``json-ld`` or ``text``.

    The declared language is kept if the text has MIN_COMMON_WORDS of it, or under MIN_LETTERS.
    Otherwise the script decides with the letters or words of a language, or the detector if the
    script has several languages. Without a detector, the common words decide on Latin letters. The
    detector overrules a declaration only if it finds the same language in the whole sample, and
    COMMON_WORDS has one of the two languages, because others are easily confused.
    """
    declared, source = sources.page.language, "declared"
    if declared is None:
        declared = parse_language(sources.text(sources.article, "inLanguage"))
        source = "json-ld"
    trusted = (declared, source) if declared else None
    start = _read_start(sources)
    sample, words = start[:SAMPLE_LENGTH], frozenset(start.lower().split())
    if _has_common_words(words, declared) or _count_letters(sample) < MIN_LETTERS:
        return trusted
    script = _find_script(sample)
    others = SCRIPTS[script][1].split() if script else []
    by_letters = _find_by_letters(start, script, declared) if script else None
    by_words = None if script or declared not in _contradicted else _find_by_words(words)
    is_named = by_words in NAMED_BY_WORDS and _is_named_by(start.lower().split(), by_words)
    certain = by_letters or (by_words if is_named else None)
    language = certain or (declared if declared in others else script)
    is_main = script is not None and language == script
    # without kana, Chinese characters are Chinese
    is_decided = certain or (is_main and (script in (declared, "zh") or not others))
    is_readable = bool(language) or len(set(sample.split())) >= MIN_WORDS
    detect = load_detector() if is_readable and not is_decided else None
    if detect is not None:
        code = detect(sample[:DETECTOR_LENGTH])
        detected = parse_language(DETECTED.get(code, code))
        is_doubtful = declared not in (None, detected) and (
            not (declared in _word_sets or _has_common_words(words, detected))
            # names of products have no language: the detector finds another one for each part
            or detect(sample) != code
        )
        language = language if is_doubtful else detected or language
    else:
        language = language or by_words
    return trusted if language in (None, declared) else (str(language), "text")


def _has_common_words(words: frozenset[str], language: str | None) -> bool:
    return len(words & _word_sets.get(language or "", frozenset())) >= MIN_COMMON_WORDS


def _is_named_by(words: list[str], language: str) -> bool:
    common, size = _word_sets[language], len(words) // 3 + 1
    thirds = (common.intersection(words[at : at + size]) for at in range(0, len(words), size))
    return (
        len(common.intersection(words)) >= MIN_NAMING_WORDS
        and min(map(len, thirds)) >= MIN_IN_A_THIRD
    )


def _read_start(sources: MetadataSources) -> str:
    start = ""
    for block in sources.content:
        start = f"{start} {sources.page.texts[block][:WORDS_LENGTH]}"
        if len(start) >= WORDS_LENGTH:
            break
    return start[:WORDS_LENGTH]


def _count_letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _find_script(sample: str) -> str | None:
    """Return the main language of the script of a text; None for Latin."""
    if sample.isascii():
        return None
    letters = _count_letters(sample)
    for code, find in _find_characters.items():
        least = MIN_KANA_SHARE if code == "ja" else MIN_SCRIPT_SHARE
        if len(find(sample)) >= least * letters:
            return code
    return None


def _find_by_letters(text: str, script: str, declared: str | None) -> str | None:
    """Return the language whose letters a text has.

    None for the main language of the script, and for a declared one without letters in the table.
    """
    known = {code for code, *_ in LETTERS.get(script, ())}
    if declared in SCRIPTS[script][1].split() and declared not in known:
        return None
    text = text.lower()
    least = max(MIN_OWN, MIN_OWN_SHARE * _count_letters(text))
    for code, own, foreign in LETTERS.get(script, ()):
        if sum(map(text.count, own)) >= least > sum(map(text.count, foreign)):
            return code
    return None


def _find_by_words(words: frozenset[str]) -> str | None:
    """Return the language with the most COMMON_WORDS in a text; None if they are too few."""
    shares = {code: len(words & of_code) for code, of_code in _word_sets.items()}
    first, second = sorted(shares, key=shares.__getitem__, reverse=True)[:2]
    least = max(MIN_COMMON_WORDS, MIN_TIMES * shares[second])
    return first if shares[first] >= least else None


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of the language of `text`, by py3langid.

    None for a blank text, or without the package of the extra [language].
    """
    detect = load_detector()
    if detect is None or not text.strip():
        return None
    return parse_language(detect(text[:MAX_DETECTOR_LENGTH]))


@cache
def load_detector() -> Callable[[str], str] | None:
    """Return py3langid's function from a text to its ISO 639 code.

    None without the package, and where its model cannot be unpacked into a temporary file.
    """
    try:
        classify = import_module("py3langid").classify
        classify("")  # unpacks the model
    except ImportError:
        return None
    except OSError as error:
        logger.warning(
            "Languages are only checked by their script and words, because py3langid failed: %s",
            error,
        )
        return None
    return lambda text: str(classify(text)[0])
