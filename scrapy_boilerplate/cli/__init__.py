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
        if not isinstance(error, _find_user_errors()):
            raise
        return print_error(error)
    return status


def _find_user_errors() -> tuple[type[Exception], ...]:
    from scrapy_boilerplate import MissingExtraError
    from scrapy_boilerplate.batch.output import OutputError
    from scrapy_boilerplate.batch.pages import InputError
    from scrapy_boilerplate.batch.pool import WorkerStartError
    from scrapy_boilerplate.cli.options import OptionError
    from scrapy_boilerplate.cli.sources import SourceError
    from scrapy_boilerplate.extractors import UnknownExtractorError
    from scrapy_boilerplate.report.label_store import LabelsError
    from scrapy_boilerplate.site.rules import RuleError
    from scrapy_boilerplate.steps.model_store import ModelError
    from scrapy_boilerplate.training.corpora import CorpusError

    of_inputs = (InputError, OutputError, SourceError, CorpusError, LabelsError, RuleError)
    of_options = (OptionError, UnknownExtractorError, ModelError)
    return (*of_inputs, *of_options, MissingExtraError, WorkerStartError, OSError)


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
