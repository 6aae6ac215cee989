"""Labelled pages: reading corpora, the sites and languages of their pages, splits by site.

A corpus is one JSON record a line, plain or compressed with xz. Importing this module loads neither
numpy nor lxml.
"""

import json
import lzma
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import IO, Any

from scrapy_boilerplate import import_optional
from scrapy_boilerplate.report.label_store import LABELS_FILE

# A labelled page: `id`, `url` (may be None), `html` and the labels of the corpus.
Record = dict[str, Any]
# (XPath of the text node, `Label.text`) of each leaf, in order.
LeafLabels = tuple[tuple[str, str], ...]

SUFFIXES = (".jsonl", ".jsonl.xz")

# `Label.text` of every label, without the import of numpy that `Label` needs
LABELS = frozenset("boilerplate headline full_text supplemental related comments".split())


class CorpusError(ValueError):
    """A corpus that is missing or broken; names the file and the line."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledPage:
    """A page and its labels; None (or empty) if the corpus has no value.

    docs/evaluation.md has the fields. `id` and `dataset` identify the page together; text, title
    and date are as the corpus writes them, `language` is ISO 639-1.
    """

    id: str
    dataset: str
    html: str
    url: str | None = None
    text: str | None = None
    text_with: tuple[str, ...] = ()
    text_without: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    title: str | None = None
    date: str | None = None
    authors: tuple[str, ...] = ()
    language: str | None = None
    page_type: str | None = None
    annotated_html: str | None = None
    gold_html: str | None = None
    leaf_labels: LeafLabels = ()

    @property
    def has_classes(self) -> bool:
        """Whether the corpus labels all text with the six labels."""
        return self.annotated_html is not None or bool(self.leaf_labels)

    @cached_property
    def site(self) -> str:
        """The registered domain, or a unique name for a page whose domain is not known."""
        return find_site(self.url, self.html) or f"{self.dataset}:{self.id}"


def list_corpus_files(path: Path) -> list[Path]:
    """Return the corpus files at `path`, a file or a directory. Raises CorpusError without any."""
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.name.endswith(SUFFIXES))
    if not files:
        raise CorpusError(f"no corpus in {path}: no {' or '.join(SUFFIXES)} file")
    return files


def read_pages(path: Path, limit: int | None = None) -> Iterator[LabelledPage]:
    """Yield the pages of a corpus file, or of every one in a directory, in order.

    `limit` is the maximum number of pages of each file. Raises CorpusError, see `read_records`.
    """
    for file in list_corpus_files(path):
        for number, record in islice(_read_numbered_records(file), limit):
            yield _build_page(record, file, number)


def read_records(path: Path) -> Iterator[Record]:
    """Yield the records of a corpus file, in order.

    Raises CorpusError for a missing or broken file or a line that is not a JSON object with `html`.
    """
    for _, record in _read_numbered_records(path):
        yield record


def _read_numbered_records(path: Path) -> Iterable[tuple[int, Record]]:
    if not path.is_file():
        raise CorpusError(f"no corpus at {path}: give a {' or '.join(SUFFIXES)} file")
    records = _parse_records(path)
    return _keep_last_saved(records) if path.name == LABELS_FILE else records


def _parse_records(path: Path) -> Iterator[tuple[int, Record]]:
    for number, line in _read_numbered_lines(path):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            if path.name == LABELS_FILE and not line.endswith("\n"):
                continue  # a crash cut off the last line of the annotator
            raise CorpusError(f"{path}, line {number}: not JSON ({error})") from error
        if not isinstance(record, dict) or not isinstance(record.get("html"), str):
            raise CorpusError(f"{path}, line {number}: not a JSON object with a text 'html'")
        yield number, record


def _read_numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    opener: Any = lzma.open if path.suffix == ".xz" else open
    number = 0
    lines: IO[str]
    with opener(path, "rt", encoding="utf-8", errors="surrogatepass") as lines:
        try:
            for number, line in enumerate(lines, start=1):
                yield number, line
        except (lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
            raise CorpusError(f"{path}, line {number + 1}: cannot be read ({error})") from error


def _keep_last_saved(records: Iterable[tuple[int, Record]]) -> Iterable[tuple[int, Record]]:
    """Return the last record of each page: `annotate` appends one every time a page is saved."""
    last: dict[str, tuple[int, Record]] = {}
    for number, record in records:
        page = str(record.get("digest") or number)
        last.pop(page, None)
        last[page] = (number, record)
    return last.values()


def _build_page(record: Record, path: Path, number: int) -> LabelledPage:
    fields = _Fields(record, f"{path}, line {number}")
    dataset = fields.text("dataset") or path.name.partition(".")[0]
    language = fields.text("language") or fields.text("lang")
    return LabelledPage(
        id=fields.text("id") or str(number),
        dataset=dataset,
        html=record["html"],
        url=fields.text("url"),
        text=fields.text("text"),
        text_with=fields.texts("with"),
        text_without=fields.texts("without"),
        comments=fields.texts("comments") or fields.texts("comments_text"),
        title=fields.text("title"),
        date=fields.text("date"),
        authors=fields.names("authors") or fields.names("author"),
        language=find_language(dataset, language, fields.text("country"), fields.text("publisher")),
        page_type=fields.text("page_type"),
        annotated_html=fields.text("annotated_html"),
        gold_html=fields.text("gold_html"),
        leaf_labels=fields.leaf_labels(),
    )


@dataclass(frozen=True)
class _Fields:
    """The fields of a record by type; a wrong type raises CorpusError with the field."""

    record: Record
    source: str

    def text(self, name: str) -> str | None:
        value = self.record.get(name)
        if value is None or isinstance(value, str):
            return value
        raise CorpusError(f"{self.source}: '{name}' is not text")

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, or one text, without the empty ones."""
        value = self.record.get(name)
        values: Sequence[Any] = value if isinstance(value, list) else [value or ""]
        if not all(isinstance(text, str) for text in values):
            raise CorpusError(f"{self.source}: '{name}' is not a list of texts")
        return tuple(text for text in values if text.strip())

    def names(self, name: str) -> tuple[str, ...]:
        """Return a list like `texts`; a text of several names is split at commas and semicolons."""
        texts = self.texts(name)
        return tuple(
            part.strip() for text in texts for part in re.split("[;,]", text) if part.strip()
        )

    def leaf_labels(self) -> LeafLabels:
        leaves = self.record.get("leaves")
        if leaves is not None and not isinstance(leaves, list):
            raise CorpusError(f"{self.source}: 'leaves' is not a list")
        labels = []
        for leaf in leaves or ():
            fields = leaf if isinstance(leaf, dict) else {}
            path, label = fields.get("path"), fields.get("label")
            if not isinstance(path, str) or label not in LABELS:
                raise CorpusError(
                    f"{self.source}: {str(leaf)[:80]} in 'leaves' has no path and label"
                )
            labels.append((path, str(label)))
        return tuple(labels)


@dataclass(frozen=True)
class KnownCorpus:
    """A public corpus: its source and terms.

    weight    of its pages when `news` is trained, 0 to leave it out; other corpora have 1
    language  of a corpus in one language (wcxb and CleanEval have a few pages in others)
    """

    terms: str
    weight: float = 1.0
    language: str | None = None


# The known corpora by dataset: modern news weighs most, pages of mixed genres nothing
# (docs/provenance.md). Languages (ISO 639-1) of records without a code: the spelling of languages
# in waddle; fundus's publishers by their country, if it has one language; its publishers in another
# language, read on their pages, because two declare English wrongly.
_TABLES = json.loads(files(__package__).joinpath("corpora.json").read_text("utf-8"))
KNOWN_CORPORA = {name: KnownCorpus(**row) for name, row in _TABLES["corpora"].items()}


def find_language(
    dataset: str, language: str | None, country: str | None, publisher: str | None
) -> str | None:
    """Return the language of a record from these fields of it, or None if it is not known."""
    if language:
        return str(_TABLES["language_names"].get(language, language))
    if dataset == "fundus":
        of_country: str | None = _TABLES["languages_by_country"].get(country or "")
        return _TABLES["languages_by_publisher"].get(publisher or "") or of_country
    return KNOWN_CORPORA[dataset].language if dataset in KNOWN_CORPORA else None


# Sites: the registered domain of a page, by the Public Suffix List.

_own_url = re.compile(
    r"<link\b[^<>]*\brel\s*=\s*[\"']?canonical\b[^<>]*>|"
    r"<meta\b[^<>]*\bproperty\s*=\s*[\"']?og:url\b[^<>]*>",
    re.IGNORECASE,
).search
_absolute = re.compile(r"(?:href|content)\s*=\s*(?:[\"']\s*)?(https?://[^\"'\s>]+)", re.I).search


def find_site(url: str | None, html: str = "") -> str | None:
    """Return the registered domain of `url`, or None if it is not known.

    A bare host or IP address is its own site. For a host without a public suffix
    (``paper.example``), the site is the last two labels, because the list treats the last label as
    a suffix. Without `url`, the URL that the page declares (canonical link, og:url) is used, if it
    has a public suffix.
    """
    if url:
        host = load_suffix_list()(url)
        if not host.top_domain_under_public_suffix and host.subdomain:
            return f"{host.subdomain.rpartition('.')[2]}.{host.domain}"
        return host.top_domain_under_public_suffix or host.domain or None
    tag = _own_url(html)
    declared = _absolute(tag[0]) if tag else None
    if declared is None:
        return None
    return load_suffix_list()(declared[1]).top_domain_under_public_suffix or None


@cache
def load_suffix_list() -> Any:
    """Return tldextract over the list that comes with the package: nothing is fetched or cached.

    Private suffixes (blogspot.com, github.io) are not followed: all blogs of one host are one
    site, which can only make splits safer. Raises MissingExtraError.
    """
    tldextract = import_optional("tldextract", "finding the site of a page", "evaluate")
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


# Splits: no site is on both sides. The side of a site depends only on a hash of its registered
# domain, not on a random state or other pages.

_HASH_BYTES = 6  # 48 bits: exact as a float, never rounded up to 1


def site_position(site: str, salt: str = "") -> float:
    """Return the position of a site in [0, 1), a hash of its name; `salt` shuffles the sites."""
    digest = blake2b(site.lower().encode(), digest_size=_HASH_BYTES, key=salt.encode()).digest()
    return int.from_bytes(digest, "big") / float(1 << 8 * _HASH_BYTES)


def site_fold(site: str, folds: int, salt: str = "") -> int:
    """Return the fold of a site, 0 to ``folds - 1``."""
    return int(site_position(site, salt) * folds)


def split_by_site(
    pages: Iterable[LabelledPage], held_out: float
) -> tuple[list[LabelledPage], list[LabelledPage]]:
    """Return (training pages, held-out pages); `held_out` is the approximate share of sites."""
    training: list[LabelledPage] = []
    held: list[LabelledPage] = []
    for page in pages:
        (held if site_position(page.site) < held_out else training).append(page)
    return training, held
