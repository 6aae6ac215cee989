"""Readers of labelled pages: one JSON record a line, plain or compressed with xz."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, Any

from scrapy_boilerplate.training.languages import language_of
from scrapy_boilerplate.training.saved_lines import counting_lines, is_labels_file
from scrapy_boilerplate.training.sites import site_of

Record = dict[str, Any]
"""A labelled page: `id`, `url` (may be None), `html`, and what the corpus labels."""

LeafLabels = tuple[tuple[str, str], ...]
"""(XPath of the text node, `Label.text`) of each leaf, in order."""

SUFFIXES = (".jsonl", ".jsonl.xz")
LABELS = frozenset("boilerplate headline full_text supplemental related comments".split())
"""`Label.text` of every label; reading a corpus must not load numpy."""


class CorpusError(ValueError):
    """A corpus that is missing or broken; names the file and the line."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledPage:
    """A page and what people say about it; None (or empty) where the corpus does not say.

    id, dataset    together they name the page
    url            as crawled, or None
    html           decoded text
    text           the gold text, in the corpus's own convention
    text_marked    the gold text with ``<h>``, ``<p>``, ``<l>`` before its segments (CleanEval)
    text_with, text_without   snippets that must and must not be in the extracted text
    comments       text of user comments (all of it, or snippets)
    title, date    as written by the corpus; dates are not parsed
    authors        one name each
    summary        standfirst or description, one string
    language       ISO 639-1
    page_type      ``article``, ``forum``, ``product``, ... (wcxb)
    annotated_html the page with ``x-nc-selK`` spans (L3S-GN1: see training/l3s.py)
    gold_html      the expected output as HTML (readability)
    leaf_labels    (XPath of a text node, label) of every leaf (`scrapy-boilerplate annotate`)
    """

    id: str
    dataset: str
    html: str
    url: str | None = None
    text: str | None = None
    text_marked: str | None = None
    text_with: tuple[str, ...] = ()
    text_without: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    title: str | None = None
    date: str | None = None
    authors: tuple[str, ...] = ()
    summary: str | None = None
    language: str | None = None
    page_type: str | None = None
    annotated_html: str | None = None
    gold_html: str | None = None
    leaf_labels: LeafLabels = ()

    @property
    def has_classes(self) -> bool:
        """Whether the corpus tells the six labels of all text apart."""
        return self.annotated_html is not None or bool(self.leaf_labels)

    @cached_property
    def site(self) -> str:
        """The registered domain, or a name of its own for a page whose domain is not known."""
        return site_of(self.url, self.html) or f"{self.dataset}:{self.id}"


def corpus_files(path: Path) -> list[Path]:
    """The corpus files at `path`: itself, or those of a directory by name.

    Raises CorpusError where there is none.
    """
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.name.endswith(SUFFIXES))
    if not files:
        raise CorpusError(f"no corpus in {path}: it holds no {' or '.join(SUFFIXES)} file")
    return files


def read_pages(path: Path, limit: int | None = None) -> Iterator[LabelledPage]:
    """The pages of a corpus file or of every one in a directory, in order.

    `limit` is the most pages of each file. Raises CorpusError, see `read_records`.
    """
    for file in corpus_files(path):
        for number, record in islice(_numbered_records(file), limit):
            yield _page(record, file, number)


def read_records(path: Path) -> Iterator[Record]:
    """The records of a corpus file, in order.

    Raises CorpusError for a missing or broken file or a line that is no JSON object with `html`.
    """
    for _, record in _numbered_records(path):
        yield record


def _numbered_records(path: Path) -> Iterator[tuple[int, Record]]:
    # annotators save a page again and again: the last line of each counts
    counting = counting_lines(path) if is_labels_file(path) else None
    for number, line in _lines(path):
        if line.strip() and (counting is None or number in counting):
            yield number, _record(line, path, number)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    if not path.is_file():
        raise CorpusError(f"no corpus at {path}: give a {' or '.join(SUFFIXES)} file")
    number = 0
    with _open(path) as lines:
        try:
            for number, line in enumerate(lines, start=1):
                yield number, line
        except (lzma.LZMAError, EOFError, UnicodeDecodeError) as error:
            raise CorpusError(f"{path}, line {number + 1}: cannot be read ({error})") from error


def _open(path: Path) -> IO[str]:
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8", errors="surrogatepass")
    return path.open(encoding="utf-8", errors="surrogatepass")


def _record(line: str, path: Path, number: int) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{path}, line {number}: no JSON ({error})") from error
    if not isinstance(record, dict) or not isinstance(record.get("html"), str):
        raise CorpusError(f"{path}, line {number}: no JSON object with a text under 'html'")
    return record


def _page(record: Record, path: Path, number: int) -> LabelledPage:
    read = _Fields(record, f"{path}, line {number}")
    dataset = read.text("dataset") or path.name.partition(".")[0]
    language = read.text("language") or read.text("lang")
    return LabelledPage(
        id=read.text("id") or str(number),
        dataset=dataset,
        html=record["html"],
        url=read.text("url"),
        text=read.text("text"),
        text_marked=read.text("text_marked"),
        text_with=read.texts("with"),
        text_without=read.texts("without"),
        comments=read.texts("comments") or read.texts("comments_text"),
        title=read.text("title"),
        date=read.text("date"),
        authors=read.names("authors") or read.names("author"),
        summary=" ".join(read.texts("summary")) or None,
        language=language_of(dataset, language, read.text("country"), read.text("publisher")),
        page_type=read.text("page_type"),
        annotated_html=read.text("annotated_html"),
        gold_html=read.text("gold_html"),
        leaf_labels=read.leaf_labels(),
    )


@dataclass(frozen=True)
class _Fields:
    """The fields of a record by type; a wrong type is a CorpusError that names the field."""

    record: Record
    where: str

    def text(self, name: str) -> str | None:
        value = self.record.get(name)
        if value is None or isinstance(value, str):
            return value
        raise CorpusError(f"{self.where}: '{name}' is no text")

    def leaf_labels(self) -> LeafLabels:
        written = self.record.get("leaves")
        if written is None:
            return ()
        if not isinstance(written, list):
            raise CorpusError(f"{self.where}: 'leaves' is no list")
        return tuple(map(self._leaf, written))

    def _leaf(self, one: Any) -> tuple[str, str]:
        path, label = (one.get("path"), one.get("label")) if isinstance(one, dict) else (None, None)
        if not isinstance(path, str) or label not in LABELS:
            raise CorpusError(f"{self.where}: 'leaves' holds {str(one)[:80]}, no path and label")
        return path, str(label)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, or one text; empty ones are left out."""
        value = self.record.get(name)
        values: Sequence[Any] = value if isinstance(value, list) else [value or ""]
        if not all(isinstance(one, str) for one in values):
            raise CorpusError(f"{self.where}: '{name}' is no list of texts")
        return tuple(one for one in values if one.strip())

    def names(self, name: str) -> tuple[str, ...]:
        """As `texts`; names in one text are told apart by commas or semicolons."""
        texts = self.texts(name)
        return tuple(part for text in texts for part in re.split(r"\s*[;,]\s*", text) if part)
