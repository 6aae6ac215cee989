"""Every regular expression of the package is linear on its own, whatever reaches it.

A pattern that is quadratic takes a tenth of a second or more on SIZE characters.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from time import thread_time
from typing import Any

import pytest

import scrapy_boilerplate
from scrapy_boilerplate.batch.file_kinds import KINDS
from scrapy_boilerplate.metadata.date_parsing import MAX_LENGTH, parse_date
from scrapy_boilerplate.steps.class_names import LatePattern, NamePattern

# characters
SIZE = 20_000
# CPU seconds of a call at most: `a+b` on a run of "a" takes .12, a linear pattern a thousandth
LIMIT = 0.05
# repeated units: runs of one kind, beginnings without ends, and pairs that can be split two ways
UNITS = (
    *(" ", "\t", "\n", "a", "A", "1", "-", ".", ",", "|", "(", "<", '"', "'", "\\", "/", "=", "@"),
    *("#", "&", "`", "*", "\u0301", "\u3000", "漢", "ม", "²"),
    *"a ~1 ~, ~- ~. ~| ~ -~a-~a.~a@~a/~a:~1.~1-~1:~1/".split("~"),
    *("<a", "<a ", "<p a=", "</", "<!--", "-->", "/*", "//", '\\"', ' a="', "&#", "&a", "://"),
    *("<svg>", "<script ld+json "),
    *("by ", "By A ", "and ", ", and ", "von ", "on ", "am ", "May ", "May 1", "1 May ", "2024-"),
    *"20240~年~1年~http://a~www.~(dpa~e. ~editor~,a ~Dr. ~at ~T ".split("~"),
)
# what precedes and follows, so that the pattern begins and cannot end
AROUND = (("a", "\x01"), ("1, ", "!"))
# patterns that are no bound method, of which only `match` is called
MATCHED = frozenset(f"batch.file_kinds.KINDS[{number}][0]" for number in range(len(KINDS)))
# languages whose patterns of dates differ in order, names of days and half-days
LANGUAGES = ("en", "de", "es", "fa", "hu", "ko", "th", "vi", "zh")
# functions that build patterns, and why nothing slow comes of it
BUILT = {
    "metadata.authors._find_spelling": "the letters of a name",
    "metadata.cjk_credits._read_korean": "on texts of MAX_LENGTH characters",
    "metadata.cjk_credits.drop_cjk_role": "bounded runs of one class of characters",
    "metadata.cjk_credits.has_cjk": "one class of characters",
    "metadata.cjk_credits.read_cjk_credit": "on texts of MAX_LENGTH characters",
    "metadata.date_parsing._compile": "on texts of MAX_LENGTH characters, measured here",
    "metadata.dates._is_written": "the digits of one date, with bounded gaps",
    "news.tails.match": "alternatives of words, with bounded gaps, on short blocks",
    "news.tails._compile_search": "alternatives of words, with bounded gaps, on short blocks",
    "native.text.build_kinds": "runs of one character class, on a fixed text",
    "page.decoding._compile_markup": "measured in tests/page/test_limits.py",
    "steps.class_names.compiled": "the patterns are measured here",
    "systems.candidates.paragraphs._any_of": "the patterns are measured here",
}


Call = tuple[re.Pattern[Any], str]


def find_calls(value: Any, name: str, depth: int = 3) -> Iterator[tuple[str, Call]]:
    """The patterns of a value and how they are called: bound methods, `partial`, collections."""
    method = getattr(value, "func", value)
    owner = getattr(method, "__self__", None)
    if isinstance(value, re.Pattern):
        yield name, (value, "match" if name in MATCHED else "sub")
    elif isinstance(value, NamePattern):
        yield name, (value.regex.compiled, "search")
    elif isinstance(owner, re.Pattern):
        yield name, (owner, method.__name__)
    elif isinstance(value, LatePattern):
        yield name, (value.compiled, "sub")
    elif isinstance(owner, LatePattern):
        yield name, (owner.compiled, method.__name__)
    elif depth and isinstance(value, list | tuple | set | frozenset | Mapping):
        inside = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, inner in inside:
            yield from find_calls(inner, f"{name}[{key!r}]", depth - 1)


def find_written_calls(source: str, module: str) -> Iterator[tuple[str, Call]]:
    """The calls such as ``re.sub(pattern, ...)`` in the functions of a module."""
    for outer in ast.walk(ast.parse(source)):
        for node in ast.walk(outer) if isinstance(outer, ast.FunctionDef) else ():
            function = node.func if isinstance(node, ast.Call) else None
            if not isinstance(function, ast.Attribute) or ast.unparse(function.value) != "re":
                continue
            if function.attr in ("escape", "purge"):
                continue
            name, written = f"{module}.{outer.name}", node.args[0]  # type: ignore[attr-defined]
            if isinstance(written, ast.Constant):
                method = "sub" if function.attr == "compile" else function.attr
                yield name, (re.compile(written.value), method)
            else:
                assert name in BUILT, f"{name} builds a pattern: measure it"


def collect_calls() -> dict[str, Call]:
    """Name to pattern and method, of all modules that can be imported; each call once."""
    for module in walk_packages(scrapy_boilerplate.__path__, "scrapy_boilerplate."):
        if not module.name.endswith("__main__"):
            try:
                import_module(module.name)
            except ImportError:  # of an extra
                continue
    calls: dict[Call, str] = {}
    for module_name in sorted(sys.modules):
        if module_name.startswith("scrapy_boilerplate."):
            loaded = sys.modules[module_name]
            place, file = module_name.partition(".")[2], Path(str(loaded.__file__))
            written = file.read_text("utf-8") if file.suffix == ".py" else ""  # no native code
            for found, call in find_written_calls(written, place):
                calls.setdefault(call, found)
            for name, value in vars(loaded).items():
                for found, call in find_calls(value, f"{place}.{name}"):
                    calls.setdefault(call, found)
    return {name: call for call, name in calls.items()}


CALLS = collect_calls()


def measure(call: Call, unit: str, around: tuple[str, str]) -> float:
    pattern, name = call
    text: Any = around[0] + unit * (SIZE // len(unit)) + around[1]
    if isinstance(pattern.pattern, bytes):
        text = text.encode()
    arguments = (text[:0], text) if name == "sub" else (text,)
    seconds = LIMIT
    for _ in range(3):
        start = thread_time()
        result = getattr(pattern, name)(*arguments)
        if name == "finditer":
            list(result)
        seconds = min(seconds, thread_time() - start)
        if seconds < LIMIT:
            break
    return seconds


def test_patterns_are_found_wherever_they_are() -> None:
    for part in ("._text_after", "._find_characters[", "._separators[0]", "steps.class_names."):
        assert any(part in name for name in CALLS), part


@pytest.mark.parametrize("language", LANGUAGES)
def test_dates_of_every_language_take_little_time(language: str) -> None:
    parse_date("1 May 2024", language)  # compiles the patterns
    start = thread_time()
    for unit in UNITS:
        for before, after in AROUND:
            parse_date(f"{before}{unit * (MAX_LENGTH // len(unit))}{after} 2024", language)
    assert thread_time() - start < 20 * LIMIT, language


ROOMS = sorted({name.partition(".")[0] for name in CALLS})


@pytest.mark.parametrize("room", ROOMS)
def test_patterns_are_linear(room: str) -> None:
    for name, call in CALLS.items():
        if name.partition(".")[0] != room:
            continue
        for unit in UNITS:
            for around in AROUND:
                assert measure(call, unit, around) < LIMIT, (name, unit, around)
