"""README.md and docs/: settings and small Python run, links lead somewhere.

`make docs` builds the documentation, with warnings as errors.
"""

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

import scrapy_boilerplate
from scrapy_boilerplate import Addon, BoilerplatePipeline, Document, boilerplate
from scrapy_boilerplate.crawl.items import build_item_values
from scrapy_boilerplate.crawl.page_reader import RequestOptions, is_skipped
from scrapy_boilerplate.crawl.settings import CrawlSettings
from tests.builders import document, filler
from tests.conftest import REPO
from tests.documented import BLOCKS, PAGES, CodeBlock, find_block

CALLBACKS = "docs/usage/callbacks.md"


def execute(code: str, **names: Any) -> dict[str, Any]:
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


def test_extract_of_the_migration_page() -> None:
    block = find_block("docs/usage/migrating.md", "from scrapy_boilerplate import extract")
    document = execute(block.code, html=HTML, url="https://news.example/rain")["document"]
    assert document.headline == "Rain in May"


def test_item_of_the_readme() -> None:
    """It has the fields, in their order, and the values have their types."""
    item = json.loads(find_block("README.md", "{").code)
    values = build_item_values(Document(), CrawlSettings().fields)
    assert list(item) == ["url", *values]
    for name, value in values.items():
        assert value is None or type(item[name]) is type(value), name


def test_links_between_pages_lead_somewhere() -> None:
    """Also where GitHub shows them; `make docs` only checks its own pages."""
    for page in (*REPO.glob("*.md"), *PAGES):
        for link in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), (page, link)


def test_the_reference_has_every_public_name() -> None:
    text = (REPO / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\.\. auto\w+:: (\w+)(?:\(\))?$", text, re.MULTILINE)
    assert sorted(listed) == sorted(scrapy_boilerplate.__all__)


def test_the_newest_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((REPO / "CITATION.cff").read_text("utf-8"))
    changelog = (REPO / "CHANGELOG.md").read_text("utf-8")
    newest = re.findall(r"^## (\d\S*) - (\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)[0]
    assert newest == (citation["version"], citation["date-released"])
    assert citation["version"] == scrapy_boilerplate.__version__
