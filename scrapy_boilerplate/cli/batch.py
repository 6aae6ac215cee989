"""``scrapy-boilerplate batch``: write rows of stored pages."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from scrapy_boilerplate.cli.options import (
    Commands,
    OptionError,
    check_markup_packages,
    create_progress_bar,
    format_count,
    parse_positive,
    print_error,
)
from scrapy_boilerplate.items import ADDED_FIELDS

if TYPE_CHECKING:
    from scrapy_boilerplate.batch.job import Job

# Default limits of a page: seconds, MB of its worker, MB of its own.
SECONDS, MEMORY, PAGE_MB = 60, 2_000, 50
MEGABYTE = 1_000_000


def add_to(commands: Commands) -> None:
    parser = commands.add_parser(
        "batch",
        help="label stored pages: archives, saved pages, JSON lines, Parquet, Scrapy's HTTP cache",
        description="Write one row for each stored page, with the fields of extract --format "
        "jsonl. OUT is a file that ends with .jsonl, .csv or .parquet, or a folder of parts. To "
        "resume a folder, repeat the command. A page that fails has a row with an error. "
        "WARC, zstd and Parquet need the extra [batch].",
    )
    add = parser.add_argument
    add("inputs", nargs="+", type=Path, metavar="INPUT", help="file or folder")
    add("-o", "--out", type=Path, required=True, help="file (.jsonl, .csv, .parquet) or folder")
    add("--engine", choices=("local", "spark"), default="local", help="default: %(default)s")
    add("--workers", type=parse_positive, metavar="N", help="worker processes (default: 1)")
    add("--extractor", metavar="NAME", help="see: scrapy-boilerplate extractors")
    add("--favor", metavar="WHAT", help="balanced (default), precision or recall")
    add("--rules", type=Path, metavar="FILE", help="TOML file of rules, as BOILERPLATE_SITES")
    add("--add", choices=ADDED_FIELDS, action="append", default=[],
        help="add this field (repeatable)")  # fmt: skip
    add("--format", choices=("jsonl", "csv", "parquet"), help="of a folder (default: jsonl)")
    add("--by-site", action="store_true", help="write a folder for each site")
    add("--site", action="store_true",
        help="learn each site first; with an extractor of the literature")  # fmt: skip
    add("--unique", action="store_true", help="one row for each URL: the first page of it")
    add("--follow-links", action="store_true",
        help="follow symbolic links out of an input folder (default: report an error)")  # fmt: skip
    limits = parser.add_argument_group("limits", "a page that exceeds one has a row with an error")
    for name, default, unit, meaning in (
        ("--seconds", SECONDS, "N", "maximum time of a page"),
        ("--memory", MEMORY, "MB", "maximum memory of a worker"),
        ("--page-mb", PAGE_MB, "MB", "maximum size of a page"),
    ):
        text = f"{meaning} (default: %(default)s)"
        limits.add_argument(name, type=parse_positive, default=default, metavar=unit, help=text)
    add("--part-pages", type=parse_positive, metavar="N", help="pages in a part (default: 500)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.engine == "spark" and (
        options.workers or options.part_pages or options.site or options.unique
    ):
        raise OptionError(
            "--workers, --part-pages, --site and --unique do not apply to Spark: omit them"
        )
    try:
        job = _create_job(options)
        if options.engine == "spark":
            from scrapy_boilerplate.batch.spark import run_on_spark

            run_on_spark(job, options.out)
            return 0
        return _run_locally(job, options.out)
    except KeyboardInterrupt:
        return print_error("interrupted; repeat the command to resume a folder")


def _create_job(options: argparse.Namespace) -> Job:
    from scrapy_boilerplate.batch.inputs import find_inputs
    from scrapy_boilerplate.batch.job import PART_PAGES, Job
    from scrapy_boilerplate.batch.pages import InputError, ReadOptions
    from scrapy_boilerplate.batch.pool import RowPool
    from scrapy_boilerplate.extractors import (
        BALANCED,
        DEFAULT,
        Options,
        SiteStepsError,
        build_site_steps,
        check_extractor,
        check_names,
        get_extractor,
    )
    from scrapy_boilerplate.site.rules import NO_RULES, SiteRules

    for path in options.inputs:
        if path.is_dir() and options.out.resolve().is_relative_to(path.resolve()):
            raise InputError(
                f"{options.out} is inside the input {path}, so its rows would be read as pages: "
                "give a path outside of the input with -o"
            )
    name, favor = options.extractor or DEFAULT, options.favor or BALANCED
    check_names(name, favor)
    try:
        if options.site:
            build_site_steps(get_extractor(name, favor))
    except SiteStepsError as error:
        raise OptionError(f"--site: {error}; omit it, or add --extractor num-words") from None
    if options.add:
        check_markup_packages(options.add)
    rules = NO_RULES if options.rules is None else SiteRules.load(options.rules, check_extractor)
    return Job(
        inputs=find_inputs(options.inputs, follow_links=options.follow_links),
        pool=RowPool(
            Options(extractor=name, favor=favor, fields=frozenset(options.add), rules=rules),
            n_workers=options.workers or 1,
            seconds=options.seconds,
            memory=options.memory,
        ),
        reading=ReadOptions(
            max_bytes=options.page_mb * MEGABYTE,
            seconds=options.seconds,
            follow_links=options.follow_links,
        ),
        file_format=_choose_format(options),
        by_site=options.by_site,
        site=options.site,
        unique=options.unique,
        part_pages=options.part_pages or PART_PAGES,
    )


def _choose_format(options: argparse.Namespace) -> str:
    from scrapy_boilerplate.batch.output import OutputError, find_file_format
    from scrapy_boilerplate.batch.rows import JSONL

    file_format = find_file_format(options.out)
    if file_format is None:
        is_folder = options.format or options.by_site or options.out.is_dir()
        if options.out.suffix and not is_folder:
            raise OutputError(
                f"-o {options.out}: end the name of a file with .jsonl, .csv or .parquet; for a "
                "folder of this name, add --format jsonl"
            )
        return options.format or JSONL
    if options.format not in (None, file_format):
        raise OutputError(f"{options.out} is a {file_format} file: omit --format")
    if options.by_site and options.engine == "local":
        raise OutputError(f"--by-site needs an output folder, but {options.out} is a file")
    return file_format


def _run_locally(job: Job, out: Path) -> int:
    from scrapy_boilerplate.batch.job import run_job

    started = monotonic()
    summary = run_job(job, out, lambda pages, title: create_progress_bar(title)(pages))
    seconds = monotonic() - started
    example = ""
    if summary.example is not None:
        error = json.loads(summary.example.line)["error"]
        example = f" (for example {summary.example.page.id}: {error})"
    earlier = f"; {summary.skipped:,} done by an earlier run" if summary.skipped else ""
    print(
        f"labelled {format_count(summary.pages)} in {seconds:,.1f} s "
        f"({summary.pages / seconds:,.1f} pages/s), {summary.failed:,} failed{example}{earlier}",
        file=sys.stderr,
    )
    if summary.without_url and (job.site or job.by_site):
        print_error(
            f"{format_count(summary.without_url)} without a URL, so without a site (--site, "
            '--by-site); read JSON lines with "url", WARC files or Scrapy\'s HTTP cache'
        )
    has_documents = _report_skipped(job)
    return int(has_documents or 0 < summary.pages == summary.failed)


def _report_skipped(job: Job) -> bool:
    """Print a line that counts the files that are no pages; return whether some are documents."""
    from scrapy_boilerplate.batch.file_kinds import DOCUMENTS

    names: dict[str, list[str]] = {}
    for source in job.inputs:
        for name, kind in source.skipped.items():
            names.setdefault(kind, []).append(name)
    if names:
        counts = [f"{kind} ({len(each):,}, as {each[0]})" for kind, each in names.items()]
        total = sum(map(len, names.values()))
        print_error(f"skipped {total:,} files that are no pages: {', '.join(counts)}")
    return not DOCUMENTS.isdisjoint(names)
