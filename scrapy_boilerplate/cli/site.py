"""``scrapy-boilerplate site``: the monitored sites of a store."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from scrapy_boilerplate.cli.options import Commands, OptionError, print_error, print_table


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("site", help="show the monitored sites of a store")
    kinds = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    status = kinds.add_parser("status", help="print a table of the monitored sites")
    status.add_argument("store", metavar="STORE", help="an SQLite file, or redis://host:port/db")
    status.set_defaults(run=_print_status)


def _print_status(options: argparse.Namespace) -> int:
    from scrapy_boilerplate.site.registry import SiteRegistry
    from scrapy_boilerplate.site.stores import REDIS_SCHEMES, open_store

    store = options.store
    if not store.startswith(REDIS_SCHEMES) and not Path(store).is_file():
        raise OptionError(f"there is no store {store}: give the value of BOILERPLATE_SITE_STORE")
    sites = SiteRegistry(open_store(store))
    sites.enable_monitors()
    sites.synchronise()
    sites.close()
    monitors = sorted(sites.monitors(), key=lambda each: (-each[1].changed_at, each[1].site))
    if not monitors:
        print_error(f"no site is watched in {store}: crawl with BOILERPLATE_SITE_ALARM = True")
        return 0
    rows = [
        ("site", "pages", "no text", "words", "confidence", "changes", "last change", "last page")
    ]
    for seen, each in monitors:
        rows.append(
            (
                "".join(c if c.isprintable() else "?" for c in each.site),
                str(each.pages),
                f"{each.rate('text'):.0%}",
                str(each.words),
                f"{each.confidence:.2f}",
                str(each.changes),
                _format_time(each.changed_at) if each.changes else "",
                _format_time(seen),
            )
        )
    print_table(rows)
    return 0


def _format_time(at: int) -> str:
    try:
        moment = datetime.fromtimestamp(at // 1000, UTC)
    except (OverflowError, ValueError):  # after the year 9999
        return "?"
    return moment.strftime("%Y-%m-%d %H:%M")
