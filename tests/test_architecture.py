"""The shape of the package, read from its source: who imports whom, sizes, docstrings."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import scrapy_boilerplate

NAME = "scrapy_boilerplate"
PACKAGE = Path(__file__).resolve().parents[1] / NAME
MODULES = sorted(PACKAGE.rglob("*.py"))

LAYERS = (
    ("extras",),
    ("page",),
    ("steps",),
    ("metadata", "markup"),
    ("news",),
    ("systems", "site"),
    ("extractors", "document", "items"),
    ("extraction", "record"),
    ("site_extraction", "workers"),
    ("batch", "report"),
    ("training",),
    ("crawl",),
    ("cli",),
    ("__main__",),
)
"""A room imports from rooms further up only; rooms of one layer know nothing of each other."""
RANKS = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}

ONLY_IN = {
    "htmldate": "metadata",
    "scrapy": "crawl",
    "twisted": "crawl",
    "itemadapter": "crawl",
    "scrapy_poet": "crawl",
    "web_poet": "crawl",
    "zyte_common_items": "crawl",
    "nh3": "markup",
    "tinycss2": "markup",
    "markdownify": "markup",
    "pyspark": "batch",
    "sklearn": "training",
    "torch": "training",
    "lightgbm": "training",
    "pycrfsuite": "training",
    "sklearn_crfsuite": "training",
}
NOWHERE = frozenset("pickle joblib dill cloudpickle shelve marshal random tests".split())

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

EACH_MODULE = pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix()
)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def room_of(path: Path) -> str:
    """The file or folder of the package in which a module stands; "" for the package itself."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def dotted(path: Path) -> str:
    return ".".join((NAME, *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
        ".__init__"
    )


def imported(path: Path) -> Iterator[str]:
    """Dotted name of everything a module imports, wherever in it, for types alone as well."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def public(tree: ast.Module | ast.ClassDef) -> Iterator[Definition]:
    """Public classes and functions, and their public methods; not what stands in functions."""
    for node in tree.body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node)


def test_package_is_found() -> None:
    assert Path(scrapy_boilerplate.__file__).parent == PACKAGE
    assert len(MODULES) > 30


@EACH_MODULE
def test_imports_flow_one_way(path: Path) -> None:
    room = room_of(path)
    if not room:
        return
    assert room in RANKS, f"put {room} into LAYERS"
    ours = {name.split(".")[1] for name in imported(path) if name.startswith(f"{NAME}.")}
    for other in ours - {room, "__version__"}:
        assert RANKS[other] < RANKS[room], f"{room} imports {other}"


def test_no_module_takes_part_in_an_import_cycle() -> None:
    names = {dotted(path) for path in MODULES}
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        if room_of(path):
            found = {name if name in names else name.rpartition(".")[0] for name in imported(path)}
            graph[dotted(path)] = (found & names) - {NAME, dotted(path)}
    assert len(list(TopologicalSorter(graph).static_order())) == len(graph)


@EACH_MODULE
def test_other_packages_stay_in_their_rooms(path: Path) -> None:
    tops = {name.split(".")[0] for name in imported(path)}
    assert not tops & NOWHERE
    for top in tops & ONLY_IN.keys():
        assert room_of(path) == ONLY_IN[top], f"{top} belongs to {ONLY_IN[top]}"


@EACH_MODULE
def test_everything_public_has_a_docstring(path: Path) -> None:
    tree = parsed(path)
    assert ast.get_docstring(tree), "the module"
    for node in public(tree):
        assert ast.get_docstring(node), node.name


@EACH_MODULE
def test_exceptions_are_not_swallowed(path: Path) -> None:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, f"line {node.lineno}: a bare except"
            assert not isinstance(node.body[0], ast.Pass), f"line {node.lineno}: pass"


HEAVY = ("numpy", "lxml", "parsel", "scrapy", "twisted", "sklearn", "torch")


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        pytest.param(f"import {NAME}", HEAVY, id="the package"),
        pytest.param(f"import {NAME}.cli", HEAVY, id="the command line"),
        pytest.param(f"from {NAME} import extract", ("scrapy", "twisted", "sklearn"), id="core"),
        pytest.param(f"import {NAME}.training.corpora", ("scrapy", "lxml"), id="corpora"),
        pytest.param(
            f"import {NAME}.training.trainers",
            ("scrapy", "sklearn", "torch", "lightgbm"),
            id="trainers",
        ),
    ],
)
def test_imports_are_light(statement: str, absent: tuple[str, ...]) -> None:
    code = f"{statement}; import sys; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    loaded = {name.split(".")[0] for name in found.stdout.split()}
    assert NAME in loaded
    assert not loaded & set(absent)


@pytest.mark.parametrize("name", scrapy_boilerplate.__all__)
def test_public_names_resolve(name: str) -> None:
    assert getattr(scrapy_boilerplate, name) is not None


def test_public_names_stand_once_and_have_a_home() -> None:
    assert len(set(scrapy_boilerplate.__all__)) == len(scrapy_boilerplate.__all__)
    assert set(scrapy_boilerplate._HOMES) == set(scrapy_boilerplate.__all__)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = scrapy_boilerplate.nonsense
