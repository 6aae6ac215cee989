"""A folder of inspection pages: the least confident ones, so many and no more, and an index."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from html import escape
from pathlib import Path

from scrapy_boilerplate.report.html import filled, template, variables
from scrapy_boilerplate.report.labels import replace_file

INDEX, LIST = "index.html", "pages.json"
NAME_DIGITS = 16
FILE = re.compile(rf"[0-9a-f]{{{NAME_DIGITS}}}\.html")


@dataclass(frozen=True, order=True)
class Shelved:
    """A page in the folder; they are ordered by `confidence`, lowest first."""

    confidence: float
    url: str
    headline: str = ""
    extractor: str = ""

    @property
    def file(self) -> str:
        """Its name follows from the address: a page that comes again takes its own place."""
        digest = sha256(self.url.encode("utf-8", "surrogatepass")).hexdigest()
        return digest[:NAME_DIGITS] + ".html"


@dataclass
class Shelf:
    """The folder `folder` with at most `most` pages. What an earlier crawl has left there stays, as
    long as it is among the least confident. Raises OSError where nothing can be written."""

    folder: Path
    most: int
    _pages: dict[str, Shelved] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for page in _listed(self.folder / LIST):
            if (self.folder / page.file).is_file():
                self._pages[page.file] = page
        while len(self._pages) > self.most:
            self._drop()
        for file in self.folder.iterdir():
            if FILE.fullmatch(file.name) and file.name not in self._pages:
                file.unlink()  # a page of ours that no list names any more
        self._write_index()

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def index(self) -> Path:
        """The page that lists them."""
        return self.folder / INDEX

    def wants(self, page: Shelved) -> bool:
        """Whether the page is among the least confident so far."""
        if not self.most:
            return False
        full = len(self._pages) >= self.most and page.file not in self._pages
        return not full or page.confidence < max(self._pages.values()).confidence

    def put(self, page: Shelved, make: Callable[[], str]) -> None:
        """Write the HTML that `make` gives, and take out the most confident page if need be."""
        replace_file(self.folder / page.file, make())
        self._pages[page.file] = page
        while len(self._pages) > self.most:
            self._drop()
        self._write_index()

    def _drop(self) -> None:
        last = max(self._pages.values())
        del self._pages[last.file]
        (self.folder / last.file).unlink(missing_ok=True)

    def _write_index(self) -> None:
        pages = sorted(self._pages.values())
        rows = "\n".join(map(_row, pages))
        style = variables() + template("look.css") + template("index.css")
        index = filled("index.html", style=style, summary=_summary(len(pages)), rows=rows)
        replace_file(self.folder / INDEX, index)
        replace_file(self.folder / LIST, json.dumps([asdict(page) for page in pages], indent=1))


def _listed(file: Path) -> list[Shelved]:
    """What the list of an earlier crawl says; [] without one, or if it is no such list."""
    try:
        return [Shelved(**one) for one in json.loads(file.read_text(encoding="utf-8"))]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError):
        return []


def _summary(pages: int) -> str:
    if not pages:
        return "No page is here: every article so far was confident enough."
    return f"Articles with a low confidence, the lowest first: {pages}."


def _row(page: Shelved) -> str:
    return (
        f'<tr><td class="number">{page.confidence:.2f}</td>'
        f'<td><a href="{page.file}">{escape(page.headline or "(no headline)")}</a></td>'
        f'<td class="quiet">{escape(page.url)}</td><td>{escape(page.extractor)}</td></tr>'
    )
