"""``scrapy-boilerplate extractors``: every extractor by name."""

import argparse

from scrapy_boilerplate.cli.options import Commands


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("extractors", help="list the extractors, one line each")
    parser.set_defaults(run=run)


def run(_options: argparse.Namespace) -> int:
    from scrapy_boilerplate.extractors import DEFAULT, EXTRACTORS, TREE_FILTER_NAMES

    width = max(map(len, EXTRACTORS))
    for name, extractor in EXTRACTORS.items():
        mark = "*" if name == DEFAULT else " "
        print(f"{mark} {name:{width}}  {extractor.summary} [{extractor.source}]")
    print(f"\n* the default; or {TREE_FILTER_NAMES}")
    return 0
