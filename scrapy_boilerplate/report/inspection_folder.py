"""A folder with the inspection pages of the least confident pages, up to a limit, and an index."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from html import escape
from pathlib import Path

from scrapy_boilerplate.report.label_store import write_atomically
from scrapy_boilerplate.report.templates import build_style, fill_template

INDEX, LIST = "index.html", "pages.json"
NAME_DIGITS = 16
PAGE_NAME = re.compile(rf"[0-9a-f]{{{NAME_DIGITS}}}\.html")


@dataclass(frozen=True, order=True)
class InspectedPage:
    """A page in the folder; pages are ordered by `confidence`, lowest first."""

    confidence: float
    url: str
    headline: str = ""
    extractor: str = ""

    @property
    def file(self) -> str:
        """File name, derived from the URL: a repeated page overwrites its file."""
        digest = sha256(self.url.encode("utf-8", "surrogatepass")).hexdigest()
        return digest[:NAME_DIGITS] + ".html"


@dataclass
class InspectionFolder:
    """The folder `folder` with at most `max_pages` pages.

    Pages of an earlier crawl stay as long as they are among the least confident. Raises OSError
    where nothing can be written.
    """

    folder: Path
    max_pages: int
    _pages: dict[str, InspectedPage] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the list of an earlier crawl, and remove pages that it does not name."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            listed = json.loads((self.folder / LIST).read_text(encoding="utf-8"))
            pages = [InspectedPage(**values) for values in listed]
        except (FileNotFoundError, ValueError, TypeError):  # no list, or a broken one
            pages = []
        self._pages.update((p.file, p) for p in pages if (self.folder / p.file).is_file())
        self._drop_surplus()
        for file in self.folder.iterdir():
            if PAGE_NAME.fullmatch(file.name) and file.name not in self._pages:
                file.unlink()
        self._write_index()

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def index(self) -> Path:
        return self.folder / INDEX

    def accepts(self, page: InspectedPage) -> bool:
        """Whether the page is among the least confident so far."""
        if not self.max_pages:
            return False
        is_full = len(self._pages) >= self.max_pages and page.file not in self._pages
        return not is_full or page.confidence < max(self._pages.values()).confidence

    def add(self, page: InspectedPage, render: Callable[[], str]) -> None:
        """Write the HTML of `render`. In a full folder, remove the most confident page."""
        write_atomically(self.folder / page.file, render())
        self._pages[page.file] = page
        self._drop_surplus()
        self._write_index()

    def _drop_surplus(self) -> None:
        while len(self._pages) > self.max_pages:
            dropped = max(self._pages.values())
            del self._pages[dropped.file]
            (self.folder / dropped.file).unlink(missing_ok=True)

    def _write_index(self) -> None:
        pages = sorted(self._pages.values())
        summary = f"Doubtful articles and changed sites, the lowest confidence first: {len(pages)}."
        if not pages:
            summary = "No pages: every article so far was confident enough."
        rows = "\n".join(
            f'<tr><td class="number">{page.confidence:.2f}</td>'
            f'<td><a href="{page.file}">{escape(page.headline or "(no headline)")}</a></td>'
            f'<td class="quiet">{escape(page.url)}</td><td>{escape(page.extractor)}</td></tr>'
            for page in pages
        )
        style = build_style("index.css")
        index = fill_template("index.html", style=style, summary=summary, rows=rows)
        write_atomically(self.index, index)
        write_atomically(self.folder / LIST, json.dumps([asdict(page) for page in pages], indent=1))
