"""Settings, small Python and the options of commands in README.md and docs/ are right."""

from __future__ import annotations

import ast
import configparser
import importlib.util
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from scrapy_boilerplate import Addon, BoilerplatePipeline, boilerplate
from scrapy_boilerplate.cli import build_parser
from scrapy_boilerplate.crawl.items import build_item_values
from scrapy_boilerplate.crawl.page_reader import RequestOptions, is_skipped
from scrapy_boilerplate.crawl.settings import CrawlSettings
from scrapy_boilerplate.document import Document
from tests.builders import document, filler
from tests.conftest import REPO
from tests.documented import BLOCKS, CodeBlock, find_block, read_commands

CALLBACKS = "docs/usage/callbacks.md"


def execute(code: str, **names: Any) -> dict[str, Any]:
    """Run the code of a block, and return its names."""
    exec(compile(code, "documentation", "exec"), names)  # noqa: S102 - our own documentation
    return names


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.is_settings], ids=str)
def test_settings_are_right(
    block: CodeBlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crawl would start with them: all paths lead somewhere, no value is wrong."""
    monkeypatch.chdir(tmp_path)  # where folders of settings are made
    written = {name: value for name, value in execute(block.code).items() if name.isupper()}
    assert written
    for name in ("ADDONS", "ITEM_PIPELINES"):  # without the components of the reader's project
        paths = written.get(name, {})
        written[name] = {path: n for path, n in paths.items() if not path.startswith("myproject.")}
    settings = Settings(written, priority="project")
    for name in ("ADDONS", "ITEM_PIPELINES"):
        for path in settings.getdict(name):
            if importlib.util.find_spec(path.partition(".")[0]) is None:
                pytest.skip(f"{path} is not installed")
            assert isinstance(load_object(path), type)
    Addon().update_settings(settings)
    assert BoilerplatePipeline in settings["ITEM_PIPELINES"]
    CrawlSettings.from_settings(settings)


def test_settings_of_a_shared_crawl_are_those_of_the_example() -> None:
    block = find_block("docs/cluster.md", "# as in example_project/newsroom/shared/settings.py")
    file = REPO / "example_project" / "newsroom" / "shared" / "settings.py"
    example = ast.parse(file.read_text(encoding="utf-8"))
    names = {
        target.id: ast.unparse(node.value)
        for node in example.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.parse(block.code).body:
        assert isinstance(node, ast.Assign)
        name = ast.unparse(node.targets[0])
        if name not in ("REDIS_URL", "ADDONS", "FEEDS"):
            assert names[name] == ast.unparse(node.value), name


HTML = document(f"<h1>Rain in May</h1><p>{filler(120)}</p>", title="Rain in May")


def build_response() -> HtmlResponse:
    request = Request("https://news.example/rain")
    return HtmlResponse(request.url, body=HTML.encode(), encoding="utf-8", request=request)


def test_callback() -> None:
    code = find_block(CALLBACKS, "from scrapy_boilerplate import boilerplate").code
    response = build_response()
    [item] = execute(code)["parse_article"](None, response)
    assert item["url"] == response.url
    assert item["first"] == boilerplate(response).text.split("\n\n")[0] != ""


def test_request_meta_of_one_request() -> None:
    first = 'yield response.follow(link, meta={"boilerplate": "num-words"})'
    code = find_block(CALLBACKS, first).code
    lines = "".join(f"    {line}\n" for line in code.splitlines())
    follow = execute(f"def follow(response, link):\n{lines}")["follow"]
    chosen, skipped = follow(build_response(), "/next")
    assert RequestOptions.from_meta(chosen.meta["boilerplate"]).extractor == "num-words"
    assert (is_skipped(chosen), is_skipped(skipped)) == (False, True)


def test_extract(capsys: pytest.CaptureFixture[str]) -> None:
    code = find_block(CALLBACKS, "from scrapy_boilerplate import extract").code
    names = execute(code, html=HTML)
    assert capsys.readouterr().out == f"Rain in May\n\n{names['document'].text}\n"


def test_fields_of_other_packages() -> None:
    """The table names fields that exist; news-please is not a requirement of the tests."""
    trafilatura = pytest.importorskip("trafilatura.settings")
    newspaper = pytest.importorskip("newspaper")
    block = find_block("docs/usage/migrating.md", "from scrapy_boilerplate import extract")
    ours = execute(block.code, html=HTML, url="https://news.example/rain")["document"]
    assert ours.headline == "Rain in May"
    others = (trafilatura.Document(), newspaper.Article("https://news.example/rain"))
    table = re.findall(r"^\| `.*\|$", (REPO / block.page).read_text("utf-8"), re.MULTILINE)
    for row in table:
        cells = [re.findall(r"`([a-z_]+)`", cell) for cell in row.split("|")[1:4]]
        for package, names in zip((ours, *others), cells, strict=True):
            assert all(hasattr(package, name) for name in names), row
    assert table


def test_item_of_the_readme() -> None:
    """It has the fields, in their order, and the values have their types."""
    item = json.loads(find_block("README.md", "{").code)
    values = build_item_values(Document(), CrawlSettings().fields)
    assert list(item) == ["url", *values]
    for name, value in values.items():
        assert value is None or type(item[name]) is type(value), name
    response = build_response()
    [block, *_] = build_item_values(boilerplate(response), {"blocks": "blocks"}, "labels")["blocks"]
    assert [list(each) for each in item["blocks"] if each != "…"] == 2 * [list(block)]


def test_parquet_of_a_feed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a line that is longer than pyarrow's own blocks."""
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    items = [build_item_values(boilerplate(build_response()), CrawlSettings().fields)]
    items[0]["date_published"] = "2024-05-01T08:30:00+02:00"
    items.append({**items[0], "text": "long " * 500_000})
    lines = [json.dumps(item) for item in items]
    Path("articles.jsonl").write_text("\n".join(lines), encoding="utf-8")
    code = find_block("docs/usage/feeds.md", "import pyarrow").code
    rows = execute(code)["parquet"].read_table("articles.parquet").to_pylist()
    assert [row["headline"] for row in rows] == ["Rain in May"] * 2
    for name in ("text", "date_published", "date_modified"):
        assert [row[name] for row in rows] == [item[name] for item in items]


def test_line_of_the_annotator(tmp_path: Path) -> None:
    """It has the fields that `annotate` saves, in their order."""
    from scrapy_boilerplate.extractors import get_extractor  # noqa: PLC0415
    from scrapy_boilerplate.report.annotator import Annotator, sort_by_confidence  # noqa: PLC0415
    from scrapy_boilerplate.report.label_store import LabelStore  # noqa: PLC0415

    extractor = get_extractor("container")
    [block] = [block for block in BLOCKS if block.first_line.startswith('{"dataset": "labels"')]
    written = json.loads(block.code.replace(", …]", "]"))
    pages = sort_by_confidence([("page.html", HTML, None)], extractor)
    store = LabelStore(tmp_path / "labels")
    Annotator(pages=pages, extractor=extractor, store=store, name="ada").save(0, [])
    [line] = (tmp_path / "labels" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    saved = json.loads(line)
    assert list(written) == list(saved)
    assert list(written["leaves"][0]) == list(saved["leaves"][0])


def test_targets_of_make() -> None:
    makefile = (REPO / "Makefile").read_text(encoding="utf-8")
    commands = [command for block in BLOCKS for command in read_commands(block)]
    targets = [shlex.split(line)[1] for line in commands if line.startswith("make ")]
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_extras_that_are_installed() -> None:
    config = configparser.ConfigParser()
    config.read(REPO / "setup.cfg")
    commands = [command for block in BLOCKS for command in read_commands(block)]
    installs = [line for line in commands if line.startswith("pip install ")]
    assert installs
    for line in installs:
        for extra in re.findall(r"\[(.*?)\]", line):
            assert set(extra.split(",")) <= set(config["options.extras_require"]), line


SYNOPSES = [
    command
    for block in BLOCKS
    for command in read_commands(block)
    if command.startswith("scrapy-boilerplate ")
]


@pytest.mark.parametrize("command", SYNOPSES)
def test_options_of_commands_exist(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where a synopsis has placeholders."""
    with pytest.raises(SystemExit):
        build_parser().parse_args([command.split()[1], "--help"])
    known = set(re.findall(r"--[\w-]+", capsys.readouterr().out))
    assert set(re.findall(r"(?<=[ \[])--[\w-]+", command)) <= known
