"""``scrapy-boilerplate batch``: stored pages in, rows out."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy_boilerplate.cli.options import Commands, check_markup_packages, parse_positive
from scrapy_boilerplate.cli.output import print_error
from scrapy_boilerplate.items import MARKUP_FIELDS

if TYPE_CHECKING:
    from scrapy_boilerplate.batch.job import Job
    from scrapy_boilerplate.batch.pages import StoredPage
    from scrapy_boilerplate.batch.pool import Row

# Default limits of a page: seconds, MB of its worker, MB of its own.
SECONDS, MEMORY, PAGE_MB = 60, 2_000, 50
MEGABYTE = 1_000_000


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "batch",
        help="label stored pages: WARC files, JSON lines, Parquet, folders, Scrapy's HTTP cache",
        description="Write one row for each page, with the fields of extract --format jsonl: to a "
        "file that ends with .jsonl, .csv or .parquet, or to parts in a folder. The same call "
        "resumes a folder that is not complete. A page that fails has a row with the error. See "
        "docs/cluster.md; needs the extra [batch].",
    )
    parser.add_argument("inputs", nargs="+", type=Path, metavar="INPUT", help="file or folder")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="OUT",
                        help="file that ends with .jsonl, .csv or .parquet, or folder")  # fmt: skip
    parser.add_argument("--engine", choices=("local", "spark"), default="local")
    parser.add_argument("--workers", type=parse_positive, metavar="N", help="default: 1")
    parser.add_argument("--extractor", metavar="NAME", help="see: scrapy-boilerplate extractors")
    parser.add_argument("--favor", metavar="WHAT", help="balanced (default), precision or recall")
    parser.add_argument(
        "--rules", type=Path, metavar="FILE", help="TOML of BOILERPLATE_SITES (docs/site.md)"
    )
    parser.add_argument(
        "--add", choices=MARKUP_FIELDS, action="append", default=[], help="(repeatable)"
    )
    parser.add_argument(
        "--format", choices=("jsonl", "csv", "parquet"), help="of a folder (default: jsonl)"
    )
    parser.add_argument("--by-site", action="store_true", help="a folder for each site")
    parser.add_argument(
        "--site",
        action="store_true",
        help="two passes: learn every site from the inputs, then label pages with site knowledge",
    )
    parser.add_argument(
        "--follow-links",
        action="store_true",
        help="read links that lead out of an input folder (default: a row with an error)",
    )
    limits = parser.add_argument_group("limits", "a page beyond them has a row with an error")
    limits.add_argument("--seconds", type=parse_positive, default=SECONDS, metavar="N",
                        help="maximum time of a page (default: %(default)s)")  # fmt: skip
    limits.add_argument("--memory", type=parse_positive, default=MEMORY, metavar="MB",
                        help="maximum memory of a worker (default: %(default)s)")  # fmt: skip
    limits.add_argument("--page-mb", type=parse_positive, default=PAGE_MB, metavar="MB",
                        help="maximum size of a page (default: %(default)s)")  # fmt: skip
    limits.add_argument("--part-pages", type=parse_positive, metavar="N",
                        help="pages of a part (default: 500)")  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Label and write; return 1 if an input, a package or an extractor is missing."""
    from scrapy_boilerplate.batch.output import OutputError
    from scrapy_boilerplate.batch.pages import InputError
    from scrapy_boilerplate.batch.pool import WorkerStartError
    from scrapy_boilerplate.extractors import UnknownExtractorError
    from scrapy_boilerplate.extras import MissingExtraError
    from scrapy_boilerplate.site.overrides import OverrideError

    if options.engine == "spark" and (options.workers or options.part_pages):
        return print_error("Spark divides the work itself: leave out --workers and --part-pages")
    try:
        job = _create_job(options)
        if options.engine == "spark":
            from scrapy_boilerplate.batch.spark import run_on_spark

            run_on_spark(job, options.out)
            return 0
        return _run_locally(job, options)
    except (InputError, OutputError, WorkerStartError) as error:
        return print_error(error)
    except (UnknownExtractorError, OverrideError, MissingExtraError, OSError) as error:
        return print_error(error)
    except KeyboardInterrupt:
        return print_error("stopped; the same call resumes a folder")


def _create_job(options: argparse.Namespace) -> Job:
    """Return the job. Raises the errors that every page would have."""
    from scrapy_boilerplate.batch.inputs import find_inputs
    from scrapy_boilerplate.batch.job import PART_PAGES, Job
    from scrapy_boilerplate.batch.pages import InputError
    from scrapy_boilerplate.batch.settings import BatchSettings, read_rules
    from scrapy_boilerplate.extractors import BALANCED, DEFAULT, get_extractor

    for path in options.inputs:
        if path.is_dir() and options.out.resolve().is_relative_to(path.resolve()):
            raise InputError(
                f"{options.out} lies inside the input {path}, so rows would be read as pages: give "
                "a folder outside of it with -o"
            )
    name, favor = options.extractor or DEFAULT, options.favor or BALANCED
    get_extractor(name, favor)
    added = sorted(set(options.add))
    check_markup_packages(added)
    return Job(
        inputs=find_inputs(options.inputs, follow_links=options.follow_links),
        settings=BatchSettings(
            extractor=name,
            favor=favor,
            rules="" if options.rules is None else read_rules(options.rules),
            added=tuple(added),
            seconds=options.seconds,
            memory=options.memory,
        ),
        file_format=_choose_format(options),
        by_site=options.by_site,
        site=options.site,
        part_pages=options.part_pages or PART_PAGES,
        max_bytes=options.page_mb * MEGABYTE,
        follow_links=options.follow_links,
    )


def _choose_format(options: argparse.Namespace) -> str:
    """Return the format of the rows. Raises OutputError for options that contradict each other."""
    from scrapy_boilerplate.batch.output import JSONL, OutputError, find_file_format

    file_format = find_file_format(options.out)
    if file_format is None:
        return options.format or JSONL
    if options.format not in (None, file_format):
        raise OutputError(f"{options.out} is written as {file_format}: leave out --format")
    if options.by_site and options.engine == "local":
        raise OutputError(f"--by-site writes folders, and {options.out} is a file: give a folder")
    return file_format


def _run_locally(job: Job, options: argparse.Namespace) -> int:
    from scrapy_boilerplate.batch.job import Callbacks, run_job
    from scrapy_boilerplate.batch.pool import RowPool

    started = monotonic()
    with _Progress(job) as progress:
        callbacks = Callbacks(progress.on_row, progress.on_skip, progress.on_learned)
        pool = RowPool(job.settings, options.workers or 1)
        run_job(job, options.out, pool, callbacks)
    seconds = monotonic() - started
    print(
        f"{_count_pages(progress.pages)} in {seconds:,.1f} s "
        f"({progress.pages / seconds:,.1f} a second), "
        f"{progress.failed:,} with an error{progress.example}; {progress.skipped:,} done before",
        file=sys.stderr,
    )
    if progress.without_url and (job.site or job.by_site):
        print_error(
            f"no URL, and so no site (--site, --by-site): {_count_pages(progress.without_url)}; "
            'give JSON lines with "url", WARC files or Scrapy\'s HTTP cache'
        )
    return 0


def _count_pages(number: int) -> str:
    return f"{number:,} page{'' if number == 1 else 's'}"


class _NullBar:
    """A progress bar that is not shown: there is no terminal or no tqdm."""

    disable = True

    def _ignore(self, *_: object, **__: object) -> None:
        pass

    update = reset = close = set_description = set_postfix_str = _ignore


class _Progress:
    """Counts of pages, and on a terminal a progress bar over the bytes of the inputs.

    With site knowledge the bar runs twice. `example` is the first page that failed.
    """

    def __init__(self, job: Job) -> None:
        from scrapy_boilerplate.extras import import_optional, is_installed

        self.pages = self.failed = self.skipped = self.without_url = 0
        self.example = ""
        self._learned = 0
        self._started: float | None = None
        self._bar: Any = _NullBar()
        if sys.stderr.isatty() and is_installed("tqdm"):
            tqdm = import_optional("tqdm", "the progress bar", "batch").tqdm
            size = sum(source.size for source in job.inputs)
            self._bar = tqdm(total=size, unit="B", unit_scale=True, file=sys.stderr)
        if job.site:
            self._bar.set_description("learning sites")

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def on_learned(self, page: StoredPage) -> None:
        """Count a page of the first pass."""
        self._learned += 1
        self._bar.set_postfix_str(f"{self._learned:,} pages", refresh=False)
        self._bar.update(page.size)

    def on_row(self, row: Row) -> None:
        """Count a labelled page."""
        started = self._start_labelling()
        self.pages += 1
        self.failed += row.failed
        self.without_url += row.page.url is None
        if row.failed and not self.example:
            self.example = f" (such as {row.page.id}: {json.loads(row.line)['error']})"
        rate = self.pages / max(1e-9, monotonic() - started)
        self._bar.set_postfix_str(f"{self.pages:,} pages, {rate:.1f} a second", refresh=False)
        self._bar.update(row.page.size)

    def on_skip(self, page: StoredPage) -> None:
        """Count a page that an earlier run labelled."""
        self._start_labelling()
        self.skipped += 1
        if not self._bar.disable:  # tqdm leaves `initial` out of its rate
            self._bar.initial += page.size
        self._bar.update(page.size)

    def _start_labelling(self) -> float:
        """Start the clock and the bar, at the first page that is labelled or skipped."""
        if self._started is None:
            self._started = monotonic()
            self._bar.reset()
            self._bar.set_description("labelling")
        return self._started
