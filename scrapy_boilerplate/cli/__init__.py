"""The command ``scrapy-boilerplate``: one file per sub-command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from scrapy_boilerplate import __version__
from scrapy_boilerplate.cli import (
    analyse,
    annotate,
    batch,
    evaluate,
    extract,
    extractors,
    inspect,
    train,
)

COMMANDS = (extract, extractors, inspect, annotate, evaluate, analyse, train, batch)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 1 where something could not be done."""
    parser = argparse.ArgumentParser(
        prog="scrapy-boilerplate", description="Main content of web pages, without the boilerplate."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    options = parser.parse_args(arguments)
    status: int = options.run(options)
    return status
