"""The command ``scrapy-boilerplate``: one file per sub-command."""

import argparse
import os
import sys
from collections.abc import Sequence

from scrapy_boilerplate import __version__
from scrapy_boilerplate.cli import (
    analyse,
    annotate,
    batch,
    crawl,
    evaluate,
    extract,
    extractors,
    inspect,
    schema,
    site,
    train,
)
from scrapy_boilerplate.cli.options import PIPE_CLOSED, escape_unencodable, print_error

OF_CORPORA = (annotate, evaluate, analyse, train)
COMMANDS = (extract, crawl, extractors, inspect, *OF_CORPORA, batch, schema, site)


class ShowVersion(argparse.Action):
    """Print the version of the program, and which of its modules are compiled."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from scrapy_boilerplate import native

        sys.stdout.write(f"{parser.prog} {__version__} ({native.describe()})\n")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status: 1 after an error, or PIPE_CLOSED."""
    options = build_parser().parse_args(arguments)
    escape_unencodable()
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # the interpreter flushes once more at its end, and would print an error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:
        # the messages of our own errors say what to do
        is_own = type(error).__module__.startswith("scrapy_boilerplate") and str(error)
        if not is_own and not isinstance(error, OSError):
            raise
        return print_error(error)
    return status


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="scrapy-boilerplate", description="Extract the main content of web pages."
    )
    parser.add_argument(
        "--version", action=ShowVersion, nargs=0, help="show the version and the compiled modules"
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_to(commands)
    return parser
