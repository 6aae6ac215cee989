"""``scrapy-boilerplate schema``: the columns of the fields, for readers of feeds."""

import argparse

from scrapy_boilerplate.cli.options import Commands, OptionError
from scrapy_boilerplate.schema import DIALECTS, describe_schema


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("schema", help="print the columns of a feed, for its readers")
    add = parser.add_argument
    add("--for", dest="dialect", choices=sorted(DIALECTS), required=True, help="the reader")
    add("--fields", metavar="NAME,NAME", help="only these fields, in this order (default: all)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the columns. Raises OptionError for an unknown field."""
    names = () if options.fields is None else [name.strip() for name in options.fields.split(",")]
    try:
        print(describe_schema(options.dialect, *((names,) if names else ())))
    except ValueError as error:
        raise OptionError(f"--fields: {error}") from None
    return 0
