"""``scrapy-boilerplate site``: what a store knows of sites, and rules for them."""

from __future__ import annotations

import argparse
from datetime import datetime, timezone
from pathlib import Path

from scrapy_boilerplate.cli.options import Commands, add_timeout
from scrapy_boilerplate.cli.output import print_error


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser("site", help="what a store knows of sites")
    kinds = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    status = kinds.add_parser("status", help="print a table of the sites that are watched")
    status.add_argument("store", metavar="STORE", help="an SQLite file, or redis://host:port/db")
    status.set_defaults(run=print_status)
    rule = kinds.add_parser(
        "rule",
        help="propose a rule for BOILERPLATE_SITES",
        description="Print a rule for a site as TOML, and as comments what it would change. It is "
        "proposed from where an extractor finds the content of its pages: look at it before you "
        "use it (docs/site.md).",
    )
    rule.add_argument("source", nargs="+", metavar="SOURCE", help="HTML files, or addresses")
    rule.add_argument("--extractor", metavar="NAME", help="default: the default extractor")
    rule.add_argument("--pattern", help="the addresses it is for; default: the host of the first")
    add_timeout(rule)
    rule.set_defaults(run=print_rule)


def print_status(options: argparse.Namespace) -> int:
    """Print one row for each site, those that changed last first."""
    from scrapy_boilerplate.extras import MissingExtraError
    from scrapy_boilerplate.site.registry import SiteRegistry
    from scrapy_boilerplate.site.stores import MONITORS, REDIS_SCHEMES, StoreError, open_store

    address = options.store
    if not address.startswith(REDIS_SCHEMES) and not Path(address).is_file():
        print_error(
            f"there is no store {address}: give the file or address of BOILERPLATE_SITE_STORE"
        )
        return 1
    try:
        store = open_store(address)
        records = store.read({MONITORS: frozenset()})[MONITORS]
        store.close()
    except (MissingExtraError, StoreError) as error:
        print_error(str(error))
        return 1
    sites = SiteRegistry()
    sites.add_monitors(records)
    seen = {record.key: record.at for record in records}
    monitors = sorted(sites.monitors, key=lambda monitor: (-monitor.changed_at, monitor.site))
    if not monitors:
        print_error(f"no site is watched in {address}: crawl with BOILERPLATE_SITE_ALARM = True")
        return 0
    rows = [
        ("site", "pages", "no text", "words", "confidence", "changes", "last change", "last page")
    ]
    for each in monitors:
        rows.append(
            (
                "".join(c if c.isprintable() else "?" for c in each.site),
                str(each.pages),
                f"{each.rate('text'):.0%}",
                str(each.words),
                f"{each.confidence:.2f}",
                str(each.changes),
                _format_time(each.changed_at) if each.changes else "",
                _format_time(seen[each.key]),
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
    return 0


def print_rule(options: argparse.Namespace) -> int:
    """Print the rule; 1 if a page, or what they share, is missing."""
    from scrapy_boilerplate.cli.sources import SourceError, read_source
    from scrapy_boilerplate.extraction import extract, label_page, load_page
    from scrapy_boilerplate.extractors import DEFAULT, UnknownExtractorError, get_extractor
    from scrapy_boilerplate.page.text import count_words
    from scrapy_boilerplate.site.address_patterns import find_host
    from scrapy_boilerplate.site.overrides import SiteRules
    from scrapy_boilerplate.site.rule_proposals import (
        ProposalPage,
        propose_content,
        propose_removed,
        write_rule,
    )

    try:
        extractor = get_extractor(options.extractor or DEFAULT)
        sources = [read_source(source, None, options.timeout) for source in options.source]
    except (SourceError, UnknownExtractorError) as error:
        return print_error(error)
    hosts = (find_host(source.url) for source in sources)
    pattern = options.pattern or next(filter(None, hosts), "example.com")
    pages = []
    for source in sources:
        loaded, labeling = label_page(load_page(source.html, source.url), extractor)
        pages.append(ProposalPage(loaded.page, labeling))
    content = propose_content(pages)
    if content is None:
        return print_error(
            "the pages share no id or class around their text: give more pages of one kind"
        )
    removed = propose_removed(pages, content)
    print(write_rule(pattern, content, removed))
    values: dict[str, object] = {"content": content, "remove": removed}
    written = {key: value for key, value in values.items() if value}
    for source in sources:
        address = source.url or "http://example.com/"  # its words count for an extractor
        rules = SiteRules.from_mapping({find_host(address) or pattern: written})
        texts = [
            extract(source.html, address, extractor, sites=each).text
            for each in (SiteRules(), rules)
        ]
        lines, kept = (dict.fromkeys(text.splitlines()) for text in texts)
        lost, new = (
            sum(map(count_words, a.keys() - b.keys())) for a, b in ((lines, kept), (kept, lines))
        )
        print(f"# {source.name}: {count_words(texts[0])} words, -{lost} +{new}")
    return 0


def _format_time(at: int) -> str:
    try:
        moment = datetime.fromtimestamp(at // 1000, timezone.utc)
    except (OverflowError, ValueError):  # after the year 9999
        return "?"
    return moment.strftime("%Y-%m-%d %H:%M")
