"""Every code block of README.md, docs/ and the example project is run by a test.

Settings, small Python and the options of synopses are run here. `RUN_BY` names the tests of other
blocks, `NOT_RUN` says why nothing runs the rest.
"""

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

HERE = "tests/test_documented_code.py"
REFERENCE = "tests/crawl/test_reference.py"
CONTRACTS = f"{REFERENCE}::test_contracts"
CALLBACKS = "docs/usage/callbacks.md"
RUN_BY = {
    ("README.md", "{"): f"{HERE}::test_item_of_the_readme",
    (CALLBACKS, "from scrapy_boilerplate import boilerplate"): f"{HERE}::test_callback",
    (
        CALLBACKS,
        'yield response.follow(link, meta={"boilerplate": "num-words"})',
    ): f"{HERE}::test_request_meta_of_one_request",
    (CALLBACKS, "from scrapy_boilerplate import extract"): f"{HERE}::test_extract",
    ("docs/first-steps.md", "import scrapy"): f"{REFERENCE}::test_first_spider",
    (
        "docs/crawl.md",
        "from scrapy_boilerplate import NewsSpider",
    ): "tests/crawl/test_spider.py::test_documented_spider",
    ("docs/usage/items.md", "from dataclasses import dataclass"): f"{REFERENCE}::test_class",
    ("docs/usage/feeds.md", "import pyarrow"): f"{HERE}::test_parquet_of_a_feed",
    ("docs/usage/raw-html.md", "class RawSpider(scrapy.Spider):"): f"{REFERENCE}::test_raw_html",
    ("docs/usage/raw-html.md", "import gzip"): f"{REFERENCE}::test_raw_html_in_files",
    ("docs/usage/database.md", "import json"): f"{REFERENCE}::test_database",
    ("docs/usage/contracts.md", "from scrapy.contracts import Contract"): CONTRACTS,
    ("docs/usage/contracts.md", "def parse_article(self, response):"): CONTRACTS,
    ("docs/usage/migrating.md", "from scrapy_boilerplate import extract"): (
        f"{HERE}::test_fields_of_other_packages"
    ),
    (
        "docs/cluster.md",
        "from scrapy_boilerplate.batch.spark import label",
    ): "tests/batch/test_spark.py::test_job_of_the_documentation",
    (
        "docs/cluster.md",
        "import subprocess",
    ): "tests/batch/test_spark.py::test_common_crawl_job_of_the_documentation",
    (
        "docs/cluster.md",
        "python -m venv env && env/bin/pip install 'scrapy-boilerplate-removal[spark]' venv-pack",
    ): "tests/batch/test_spark.py::test_yarn_job_of_the_documentation_on_an_executor_here",
    (
        "docs/inspect.md",
        '{"dataset": "labels", "time": "2026-11-21T17:00:00+00:00", "id": "page.html", '
        '"digest": "…", "url": null,',
    ): f"{HERE}::test_line_of_the_annotator",
    (
        "docs/usage/playwright.md",
        "import scrapy",
    ): "tests/crawl/test_stub.py::test_documented_spider_with_a_browser",
    (
        "docs/pages.md",
        "from scrapy_boilerplate import extract, extract_pages",
    ): "tests/test_joining.py::test_example_of_the_documentation",
    (
        "docs/systems.md",
        "from dataclasses import replace",
    ): "tests/systems/test_pages.py::test_the_example_prints_its_last_lines",
    (
        "docs/usage/sections.md",
        "class SectionSpider(scrapy.Spider):",
    ): f"{REFERENCE}::test_items_about_other_pages",
    (
        "docs/usage/sections.md",
        "from scrapy.spiders import SitemapSpider",
    ): f"{REFERENCE}::test_sitemap",
    (
        "docs/usage/two-pages.md",
        "from scrapy_boilerplate import boilerplate",
    ): f"{REFERENCE}::test_items_of_two_pages",
    (
        "docs/usage/json.md",
        "from scrapy_boilerplate import Extraction",
    ): f"{REFERENCE}::test_html_inside_json",
    (
        "docs/site.md",
        '["news.example"]',
    ): "tests/site/test_overrides.py::test_file_of_the_documentation",
    (
        "docs/site.md",
        "from scrapy_boilerplate import extract",
    ): "tests/site/test_overrides.py::test_example_of_the_documentation",
    (
        "docs/usage/monitoring.md",
        "from spidermon import Monitor, MonitorSuite, monitors",
    ): "tests/crawl/test_site_alarm.py::test_the_documented_monitor_reads_a_stat_that_exists",
    ("docs/usage/poet.md", "import scrapy"): "tests/crawl/test_poet.py::test_documented_spider",
    ("docs/reference/meta.md", "yield response.follow("): f"{REFERENCE}::test_request_meta",
}
"""Page and first line of a block, and the test that runs it."""
NOT_RUN = {
    ("docs/architecture.md", "response -> page/"): "a picture",
    ("docs/news.md", "blocks -> features"): "a picture",
    ("docs/usage/deploy.md", "FROM python"): "needs Docker",
    ("docs/usage/deploy.md", "project: 12345"): "needs an account",
    ("docs/crawl.md", "news.example: 84 articles"): "a line of a log",
}
"""Page and start of a block, and the reason."""
COMMAND_TESTS = "tests/cli/test_documented_commands.py"
COMMANDS = {
    "make ": f"{HERE}::test_targets_of_make",
    "pip install ": f"{HERE}::test_extras_that_are_installed",
    "scrapy-boilerplate analyse ": f"{COMMAND_TESTS}::test_a_documented_analysis_runs",
    "scrapy-boilerplate annotate ": (
        f"{COMMAND_TESTS}::test_a_documented_annotator_serves_its_pages_until_ctrl_c"
    ),
    "scrapy-boilerplate batch ": (
        f"{COMMAND_TESTS}::test_a_documented_command_of_stored_pages_runs"
    ),
    "scrapy-boilerplate crawl ": f"{COMMAND_TESTS}::test_a_documented_crawl_runs",
    "scrapy-boilerplate evaluate ": f"{COMMAND_TESTS}::test_a_documented_evaluation_runs",
    "scrapy-boilerplate extract ": f"{COMMAND_TESTS}::test_a_documented_command_of_one_page_runs",
    "scrapy-boilerplate inspect ": f"{COMMAND_TESTS}::test_a_documented_command_of_one_page_runs",
    "scrapy-boilerplate site status ": (
        "tests/crawl/test_site_alarm.py::test_across_crawls_and_as_a_table"
    ),
    "scrapy-boilerplate train ": f"{COMMAND_TESTS}::test_a_documented_training_runs",
    "scrapy parse ": "tests/startproject/test_parse.py::test_documented_command",
    "scrapy check": CONTRACTS,
    "scrapy crawl papers ": "tests/crawl/test_spider.py::test_documented_spider",
    "scrapy crawl first ": f"{REFERENCE}::test_first_spider",
    "scrapy crawl links": "tests/example/test_example.py::test_each_article_once_and_nothing_else",
    "scrapy crawl dispatch": "tests/example/test_kinds.py::test_pages_entries_and_walls",
    "scrapy crawl log": "tests/example/test_log.py::test_the_alarm_of_a_redesign",
    "python -m newsroom.kinds": "tests/example/test_kinds.py::test_pages_entries_and_walls",
    "scrapy crawl feed": "tests/example/test_example.py::test_each_article_once_and_nothing_else",
    "cd example_project": "tests/example/test_example.py::test_each_article_once_and_nothing_else",
    "python -m newsroom.summary": (
        "tests/example/test_example.py::test_the_summary_prints_a_row_for_each_article"
    ),
    "python -m newsroom.shared": (
        "tests/example/test_shared.py::test_two_workers_share_all_but_their_feeds"
    ),
    # the command that `newsroom.shared` starts workers with
    "SCRAPY_PROJECT=shared REDIS_URL=URL scrapy crawl shared": (
        "tests/example/test_shared.py::test_two_workers_share_all_but_their_feeds"
    ),
}
"""Start of a command, and the test that runs it or one that differs in its values."""


def find_test(command: str) -> str | None:
    return next((test for start, test in COMMANDS.items() if command.startswith(start)), None)


def is_run(block: CodeBlock) -> bool:
    key = (block.page, block.first_line)
    if block.is_settings or key in RUN_BY:
        return True
    if any(page == block.page and block.first_line.startswith(start) for page, start in NOT_RUN):
        return True
    return block.language in ("", "bash", "console") and all(
        find_test(command) for command in read_commands(block)
    )


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_test_runs_every_block(block: CodeBlock) -> None:
    assert is_run(block), f"{block}: write a test, and its name into RUN_BY or COMMANDS"


def test_there_are_no_other_rows() -> None:
    keys = {(block.page, block.first_line) for block in BLOCKS}
    assert set(RUN_BY) <= keys
    for page, start in NOT_RUN:
        assert [key for key in keys if key[0] == page and key[1].startswith(start)], start
    commands = [command for block in BLOCKS for command in read_commands(block)]
    for start in COMMANDS:
        assert any(command.startswith(start) for command in commands), start


@pytest.mark.parametrize("test", sorted({*RUN_BY.values(), *COMMANDS.values()}))
def test_the_tests_exist(test: str) -> None:
    file, _, name = test.partition("::")
    tree = ast.parse((REPO / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


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
