"""The local engine: inputs through a crew into parts, from where the last run ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import Any

from scrapy_boilerplate import __version__
from scrapy_boilerplate.batch.crew import Crew, Row
from scrapy_boilerplate.batch.guarded import MEGABYTE, Settings
from scrapy_boilerplate.batch.http_body import MAX_BYTES
from scrapy_boilerplate.batch.inputs import STATE_BYTES, Input
from scrapy_boilerplate.batch.learning import STATISTICS, learn
from scrapy_boilerplate.batch.pages import StoredPage
from scrapy_boilerplate.batch.parts import Output
from scrapy_boilerplate.site.domains import Domains

PART_PAGES = 500
"""Pages of a part: its rows are held in memory until it is written (about 35 MB, our choice)."""
JSONL, PARQUET = "jsonl", "parquet"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What becomes of the inputs. `max_bytes`: of a page; `part_pages`: pages of a part; `site`:
    whether sites are learnt first, and pages labelled by what is known of theirs."""

    inputs: Sequence[Input]
    settings: Settings
    form: str = JSONL
    by_site: bool = False
    site: bool = False
    part_pages: int = PART_PAGES
    max_bytes: int = MAX_BYTES

    def facts(self) -> dict[str, Any]:
        """What makes rows and parts what they are: another run may go on only with the same."""
        return {
            "inputs": [_named(one) for one in self.inputs],
            "extractor": self.settings.extractor,
            "trained model": _weights(self.settings.extractor),
            "favor": self.settings.favor,
            "added fields": self.settings.added,
            "format": self.form,
            "partition": self.by_site,
            "site knowledge": self.site,
            "pages a part": self.part_pages,
            "--page-mb": self.max_bytes / MEGABYTE,
            "--seconds": self.settings.seconds,
            "--memory": self.settings.memory,
            "version": __version__,
        }

    def output(self, folder: Path) -> Output:
        """Where its rows go. Raises MissingExtraError."""
        site_of = Domains("parts by site", "batch") if self.by_site else None
        if self.form == JSONL:
            return Output(folder=folder, suffix=".jsonl", site_of=site_of)
        from scrapy_boilerplate.batch import table  # noqa: PLC0415 - not for JSON lines

        arrow_schema = table.schema(tuple(self.settings.added.split()))
        return Output(
            folder=folder,
            suffix=".parquet",
            write=lambda lines, file: table.write_parquet(lines, arrow_schema, file),
            site_of=site_of,
        )

    def pages(self) -> Iterator[StoredPage]:
        """All pages of the inputs, in order."""
        return chain.from_iterable(one.pages(self.max_bytes) for one in self.inputs)


@dataclass
class Watched:
    """What a run tells while it runs: rows as they come, pages that an earlier run has done, pages
    of which the first pass has learnt."""

    on_row: Callable[[Row], None] = lambda _row: None
    on_skip: Callable[[StoredPage], None] = lambda _page: None
    on_learnt: Callable[[StoredPage], None] = lambda _page: None


def run(plan: Plan, folder: Path, crew: Crew, watched: Watched | None = None) -> None:
    """Write the rows of all pages to `folder`; parts that are done already stay as they are.

    Raises OutputError, WorkerError, MissingExtraError, OSError (StoreError).
    """
    watched = watched or Watched()
    output = plan.output(folder)
    with output.opened(plan.facts()):
        if plan.site:
            learn(plan.pages, folder / STATISTICS, crew, watched.on_learnt)
            known = replace(crew.settings, statistics=str((folder / STATISTICS).resolve()))
            crew = replace(crew, settings=known)
        pages = _Remaining(plan, output, watched.on_skip)
        part: list[Row] = []
        for row in crew.rows(pages):
            watched.on_row(row)
            part.append(row)
            number, size = pages.parts[0]
            if len(part) == size:
                output.finish(number, part)
                pages.parts.pop(0)
                part = []
        if part:
            output.finish(pages.parts[0][0], part)
        output.succeed()


class _Remaining:
    """The pages of parts that are not done; `parts`: (number, pages at most) of those begun."""

    def __init__(self, plan: Plan, output: Output, on_skip: Callable[[StoredPage], None]) -> None:
        self._plan = plan
        self._output = output
        self._on_skip = on_skip
        self.parts: list[tuple[int, int]] = []

    def __iter__(self) -> Iterator[StoredPage]:
        pages, size = self._plan.pages(), self._plan.part_pages
        for number, first in enumerate(pages):  # each part begins with the first page that is left
            part = chain([first], islice(pages, size - 1))
            if self._output.done(number) is None:
                self.parts.append((number, size))
                yield from part
            else:
                for page in part:
                    self._on_skip(page)


def _named(one: Input) -> list[Any]:
    """What tells whether an input is still the same."""
    return [str(one.path.resolve()), one.size, one.state()]


def _weights(extractor: str) -> str:
    """What tells whether a trained model is still the same; others come with the version."""
    if "/" not in extractor:
        return ""
    digest = blake2b(digest_size=STATE_BYTES)
    for file in sorted(one for one in Path(extractor).iterdir() if one.is_file()):
        digest.update(file.name.encode() + b"\0" + blake2b(file.read_bytes()).digest())
    return digest.hexdigest()
