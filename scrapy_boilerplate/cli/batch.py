"""``scrapy-boilerplate batch``: stored pages in, rows out."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.cli.shared import complain, natural
from scrapy_boilerplate.record import MARKUP

if TYPE_CHECKING:
    from scrapy_boilerplate.batch.crew import Row
    from scrapy_boilerplate.batch.job import Plan
    from scrapy_boilerplate.batch.pages import StoredPage

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

SECONDS, MEMORY, PAGE_MB = 60, 2_000, 50
"""Limits of a page unless told otherwise (our choice): time, memory of its worker, its own size."""
MEGABYTE = 1_000_000


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "batch",
        help="label stored pages: WARC files, JSON lines, folders, Scrapy's HTTP cache",
        description="Write one row a page, with the fields of extract --format jsonl, into parts "
        "in the folder OUT. Called again, it goes on where it ended. A page that fails costs its "
        "own row, which tells the error. docs/cluster.md; needs the extra [batch].",
    )
    parser.add_argument("inputs", nargs="+", type=Path, metavar="INPUT", help="file or folder")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="OUT", help="a folder")
    parser.add_argument("--engine", choices=("local", "spark"), default="local")
    parser.add_argument("--workers", type=natural, metavar="N", help="default: 1")
    parser.add_argument("--extractor", metavar="NAME", help="see: scrapy-boilerplate extractors")
    parser.add_argument("--favor", metavar="WHAT", help="balanced (default), precision or recall")
    parser.add_argument("--add", choices=MARKUP, action="append", default=[], help="(repeatable)")
    parser.add_argument("--format", choices=("jsonl", "parquet"), default="jsonl")
    parser.add_argument("--by-site", action="store_true", help="a folder for each site")
    told = "two passes: learn every site from the inputs, then label pages by what is known of it"
    parser.add_argument("--site", action="store_true", help=told)
    _add_limits(parser)
    parser.set_defaults(run=run)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("limits", "what is beyond them has a row with its error")
    limits.add_argument("--seconds", type=natural, default=SECONDS, metavar="N",
                        help="a page may take (default: %(default)s)")  # fmt: skip
    limits.add_argument("--memory", type=natural, default=MEMORY, metavar="MB",
                        help="a worker may take (default: %(default)s)")  # fmt: skip
    limits.add_argument("--page-mb", type=natural, default=PAGE_MB, metavar="MB",
                        help="a page may have (default: %(default)s)")  # fmt: skip
    limits.add_argument("--part-pages", type=natural, metavar="N",
                        help="pages of a part (default: 500)")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Label and write; 1 if an input, a package or an extractor is missing, or OUT is taken."""
    from scrapy_boilerplate.batch.guarded import WorkerError
    from scrapy_boilerplate.batch.pages import InputError
    from scrapy_boilerplate.batch.parts import OutputError
    from scrapy_boilerplate.extractors import UnknownExtractorError
    from scrapy_boilerplate.extras import MissingExtraError

    if options.engine == "spark" and (options.workers or options.part_pages):
        return complain("Spark deals out the work itself: leave out --workers and --part-pages")
    try:
        plan = _plan(options)
        if options.engine == "spark":
            from scrapy_boilerplate.batch.spark_job import run_on_spark

            run_on_spark(plan, options.out)
            return 0
        return _run_here(plan, options)
    except (InputError, OutputError, WorkerError, MissingExtraError, OSError) as error:
        return complain(error)
    except UnknownExtractorError as error:
        return complain(error)
    except KeyboardInterrupt:
        return complain("stopped; the same call goes on from here")


def _plan(options: argparse.Namespace) -> Plan:
    """Raises what would be wrong with every page."""
    from scrapy_boilerplate.batch.guarded import Settings
    from scrapy_boilerplate.batch.inputs import inputs_of
    from scrapy_boilerplate.batch.job import PART_PAGES, Plan
    from scrapy_boilerplate.batch.pages import InputError
    from scrapy_boilerplate.extractors import BALANCED, DEFAULT, extractor_named
    from scrapy_boilerplate.extras import optional
    from scrapy_boilerplate.markup.clean import NEEDED

    for one in options.inputs:
        if one.is_dir() and options.out.resolve().is_relative_to(one.resolve()):
            raise InputError(
                f"{options.out} lies inside the input {one}, so rows would be read as pages: give "
                "a folder outside of it with -o"
            )
    name, favor = options.extractor or DEFAULT, options.favor or BALANCED
    extractor_named(name, favor)
    added = sorted(set(options.add))
    for field in added:
        for package in NEEDED[field]:
            optional(package, field, "html")
    return Plan(
        inputs=inputs_of(options.inputs),
        settings=Settings(
            extractor=name,
            favor=favor,
            added=" ".join(added),
            seconds=options.seconds,
            memory=options.memory,
        ),
        form=options.format,
        by_site=options.by_site,
        site=options.site,
        part_pages=options.part_pages or PART_PAGES,
        max_bytes=options.page_mb * MEGABYTE,
    )


def _run_here(plan: Plan, options: argparse.Namespace) -> int:
    from scrapy_boilerplate.batch.crew import Crew
    from scrapy_boilerplate.batch.job import Watched
    from scrapy_boilerplate.batch.job import run as run_job

    started = monotonic()
    with _Progress(plan) as progress:
        watched = Watched(progress.on_row, progress.on_skip, progress.on_learnt)
        run_job(plan, options.out, Crew(plan.settings, options.workers or 1), watched)
    seconds = monotonic() - started
    print(
        f"{progress.pages:,} pages in {seconds:,.1f} s ({progress.pages / seconds:,.1f} a "
        f"second), {progress.failed:,} with an error{progress.example}; "
        f"{progress.skipped:,} were done before",
        file=sys.stderr,
    )
    if progress.nowhere and (plan.site or plan.by_site):
        told = f"{progress.nowhere:,} pages have no address, and so no site (--site, --by-site): "
        complain(f'{told}give JSON lines with "url", WARC files or Scrapy\'s HTTP cache')
    return 0


class _NoBar:
    """What stands for the bar of tqdm where nobody sees it, or where that is not installed."""

    disable = True

    def _nothing(self, *_: object, **__: object) -> None:
        pass

    update = reset = close = set_description = set_postfix_str = _nothing


class _Progress:
    """Counts, and on a terminal a bar over the bytes of the inputs, with pages a second.

    With site knowledge the bar runs twice. `example` is a page that failed, `nowhere` counts those
    without an address.
    """

    def __init__(self, plan: Plan) -> None:
        from scrapy_boilerplate.extras import is_installed, optional

        self.pages = self.failed = self.skipped = self.nowhere = 0
        self.example = ""
        self._learnt = 0
        self._labelling = False
        self._bar: Any = _NoBar()
        if sys.stderr.isatty() and is_installed("tqdm"):
            tqdm = optional("tqdm", "the progress bar", "batch").tqdm
            size = sum(one.size for one in plan.inputs)
            self._bar = tqdm(total=size, unit="B", unit_scale=True, file=sys.stderr)
        if plan.site:
            self._bar.set_description("learning sites")

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def on_learnt(self, page: StoredPage) -> None:
        """One page of the first pass."""
        self._learnt += 1
        self._bar.set_postfix_str(f"{self._learnt:,} pages", refresh=False)
        self._bar.update(page.size)

    def on_row(self, row: Row) -> None:
        """One page labelled."""
        self._label()
        self.pages += 1
        self.failed += row.failed
        self.nowhere += row.page.url is None
        if row.failed and not self.example:
            self.example = f" (such as {row.page.id}: {json.loads(row.line)['error']})"
        rate = self.pages / max(1e-9, monotonic() - self._since)
        self._bar.set_postfix_str(f"{self.pages:,} pages, {rate:.1f} a second", refresh=False)
        self._bar.update(row.page.size)

    def on_skip(self, page: StoredPage) -> None:
        """One page that an earlier run has labelled."""
        self._label()
        self.skipped += 1
        if not self._bar.disable:  # what is only skipped must not make the rest look fast
            self._bar.initial += page.size
        self._bar.update(page.size)

    def _label(self) -> None:
        """The first row begins the second pass."""
        if not self._labelling:
            self._labelling, self._since = True, monotonic()
            self._bar.reset()
            self._bar.set_description("labelling")
