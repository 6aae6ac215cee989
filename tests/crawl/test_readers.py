"""docs/usage/readers.md: its lines give back every value of a feed of 140 articles."""

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.schema import DIALECTS, describe_schema
from tests.crawl.conftest import items_of
from tests.crawl.crawling import ADDON, Reactor
from tests.crawl.pages import PARAGRAPHS, page
from tests.crawl.postgres import running_server
from tests.crawl.site import serving
from tests.documented import BLOCKS, CodeBlock

FORMATS = ("jsonl", "csv", "parquet")
COMMENTS = (
    "I was on the boat with my two boys, and the \\n in C:\\new is no line.",
    'She said that the "café" on the quay was closed, and so it was.',
)
LAST = 'Number {}: the "quoted" words, with commas; and C:\\temp too, in a long paragraph.'
PAGE_BLOCKS = [block for block in BLOCKS if block.page == "docs/usage/readers.md"]

Rows = list[dict[str, Any]]


def build_article(number: int) -> str:
    """An article; the first 110 have no date, tags, authors and comments."""
    data: dict[str, Any] = {"@type": "NewsArticle", "headline": f"{number:03}"}
    comments = ""
    if number >= 110:
        data["datePublished"] = f"2026-05-{number - 109:02}T08:30:00+09:00"
        data |= {"keywords": ["007", "ferry"], "author": {"@type": "Person", "name": "José Núñez"}}
        listed = "".join(f"<li><p>{comment}</p></li>" for comment in COMMENTS)
        comments = f'<section id="comments" class="comments"><ul>{listed}</ul></section>'
    text = "".join(f"<p>{paragraph}</p>" for paragraph in (*PARAGRAPHS, LAST.format(number)))
    return (
        f'<html lang="en"><script type="application/ld+json">{json.dumps(data)}</script>'
        f"<body><article><h1>{number:03}</h1>{text}</article>{comments}</body></html>"
    )


@pytest.fixture(scope="module")
def folder(reactor: Reactor, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The feeds of one crawl, and the schemas for their readers."""
    folder = tmp_path_factory.mktemp("feeds")
    feeds = {str(folder / f"articles.{name}"): {"format": name} for name in FORMATS}
    settings = {**ADDON, "FEEDS": feeds, "CONCURRENT_REQUESTS": 1}
    settings["BOILERPLATE_FIELDS"] = {"evidence": True}
    with serving() as site:
        site.pages = {f"/{number}": page(build_article(number)) for number in range(140)}
        reactor.crawl([site.request(path) for path in site.pages], items_of(dict), settings)
    for name in DIALECTS:
        (folder / f"columns.{name}").write_text(describe_schema(name), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def rows(folder: Path) -> Rows:
    lines = (folder / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [len(row["comments"]) for row in rows] == [0] * 110 + [2] * 30
    return rows


def clean(value: Any, expected: Any) -> Any:
    """A value of a reader as the JSON lines have it: cells of CSV, keys that are null, maps."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, str) and isinstance(expected, list | dict | float):
        value = json.loads(value)
    if isinstance(expected, dict) and isinstance(value, list):  # a map, as each reader shows it
        pairs = [each.values() if isinstance(each, dict) else each for each in value]
        value = dict(tuple(pair) for pair in pairs)
    if isinstance(value, dict):
        return {key: inner for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [clean(each, None) for each in value]
    return None if value is None or value == "" or value != value else value  # noqa: PLR0124


def check(read: Rows, rows: Rows, name: str) -> None:
    assert len(read) == len(rows), name
    for found, row in zip(read, rows, strict=True):
        for field, value in row.items():
            assert clean(found[field], value) == clean(value, value), (name, field)


def fetch_rows(relation: Any) -> Rows:
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


TO_ROWS: Mapping[str, Callable[[Any], Rows]] = {
    "polars": lambda frame: frame.to_dicts(),
    "duckdb": fetch_rows,
    "pandas": lambda frame: frame.to_dict("records"),
    "pyarrow": lambda table: table.to_pylist(),
    "datasets": lambda dataset: dataset.to_list(),
    "pyspark": lambda frame: [row.asDict(True) for row in frame.collect()],
}


def find_reader(block: CodeBlock) -> str:
    names: list[str] = re.findall(r"^(?:import|from) (\w+)", block.code, re.MULTILINE)
    return next(name for name in names if name in TO_ROWS)


@pytest.mark.parametrize(
    "block",
    [each for each in PAGE_BLOCKS if each.language == "python" and find_spec(find_reader(each))],
    ids=find_reader,
)
def test_python(
    block: CodeBlock, folder: Path, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    # another test may have started the JVM in its own folder
    code = re.sub(r'"(?=articles\.)', f'"{folder}/', block.code)
    exec(compile(code, str(block), "exec"), names)  # noqa: S102 - our own documentation
    tables = [name for name in names if name == "articles" or name.startswith("from_")]
    assert "articles" in tables
    for name in tables:
        check(TO_ROWS[find_reader(block)](names[name]), rows, name)
    if "spark" in names:
        names["spark"].stop()


def test_postgres(folder: Path, rows: Rows) -> None:
    [block] = [block for block in PAGE_BLOCKS if block.language == "psql"]
    with running_server() as server:
        command = ["psql", "-q", "-v", "ON_ERROR_STOP=1", server.url]
        subprocess.run(command, input=block.code, text=True, check=True, cwd=folder)
        read = server.fetch("SELECT to_jsonb(articles) FROM articles ORDER BY headline")
    check([row for (row,) in read], rows, "PostgreSQL")
