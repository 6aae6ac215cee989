"""The BOILERPLATE_* settings: values, refused values, and messages."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import MISSING, replace
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from scrapy_boilerplate import EXTRACTORS, Limits, SettingError
from scrapy_boilerplate.crawl.settings import CrawlSettings, FieldNames
from scrapy_boilerplate.extractors import find_model_folder
from tests.reference import ITEM_FIELDS, SETTINGS, build_settings, read_settings

LIMITS = CrawlSettings().limits
FILLED = {name: field.metadata.get("filled") for name, field in ITEM_FIELDS.items()}
DEFAULT_FIELDS = [name for name, filled in FILLED.items() if filled is None]
OPTIONAL_FIELDS = tuple(name for name, filled in FILLED.items() if filled == "on request")
ALL_FIELDS = (*DEFAULT_FIELDS, *OPTIONAL_FIELDS)
SAME = {name: name for name in DEFAULT_FIELDS}


def read(**written: Any) -> CrawlSettings:
    return CrawlSettings.from_settings(
        Settings({f"BOILERPLATE_{name}": v for name, v in written.items()})
    )


def without(*names: str) -> dict[str, str]:
    return {name: name for name in DEFAULT_FIELDS if name not in names}


def test_defaults() -> None:
    assert read() == CrawlSettings(
        enabled=True, extractor="news", fields=FieldNames(SAME), blocks="labels", min_words=0
    )
    assert read().options.build_extractor() == EXTRACTORS["news"]
    assert read().limits == Limits(bytes=10_000_000, elements=300_000, milliseconds=10_000)


SWAPPED = {**SAME, "text": "headline", "headline": "text"}
BODY_WITHOUT_BLOCKS = {**without("blocks"), "text": "body"}


@pytest.mark.parametrize(
    ("name", "written", "attribute", "value"),
    [
        ("ENABLED", False, "enabled", False),
        ("ENABLED", "False", "enabled", False),
        ("ENABLED", "True", "enabled", True),
        ("SITE", "", "site", False),
        ("SITE", "False", "site", False),
        ("SITE", [], "site", False),
        ("CHANGES", "paragraphs", "changes", "paragraphs"),
        ("CHANGES", "1", "changes", True),
        ("INSPECT_DIR", "", "inspect_dir", None),
        ("EXTRACTOR", "num-words", "extractor", "num-words"),
        ("EXTRACTOR", "", "extractor", "news"),
        ("BLOCKS", "all", "blocks", "all"),
        ("EXECUTOR", "process", "executor", "process"),
        ("WORKERS", "3", "workers", 3),
        ("MAX_BYTES", "100", "limits", replace(LIMITS, bytes=100)),
        ("MAX_BYTES", 0, "limits", replace(LIMITS, bytes=None)),
        ("MIN_WORDS", "150", "min_words", 150),
        ("MIN_CONFIDENCE", "0.25", "min_confidence", 0.25),
        ("ARTICLES_ONLY", "1", "articles_only", True),
        ("ARTICLES_ONLY", "mark", "articles_only", "mark"),
        ("ITEM_URL", "link", "item_url", ("link",)),
        ("ITEM_URL", False, "item_url", ()),
        ("ITEM_URL", "False", "item_url", ()),
        ("SITE_STORE", "sqlite:///news.sqlite", "site_store", "sqlite:///news.sqlite"),
        ("SITE_STORE", "rediss://host:6379/0", "site_store", "rediss://host:6379/0"),
        ("SITE_STORE", "C:\\news.sqlite", "site_store", "C:\\news.sqlite"),
        ("FIELDS", None, "fields", SAME),
        ("FIELDS", {"text": "body"}, "fields", {**SAME, "text": "body"}),
        ("FIELDS", {"blocks": None, "comments": False}, "fields", without("blocks", "comments")),
        ("FIELDS", {"supplemental": True}, "fields", {**SAME, "supplemental": "supplemental"}),
        ("FIELDS", {"related": "more"}, "fields", {**SAME, "related": "more"}),
        ("FIELDS", {"text": "headline", "headline": "text"}, "fields", SWAPPED),
        ("FIELDS", ["text", "related"], "fields", {"text": "text", "related": "related"}),
        ("FIELDS", "headline, text", "fields", {"headline": "headline", "text": "text"}),
        ("FIELDS", ["url", "text"], "fields", {"text": "text"}),
        ("FIELDS", ' ["url", "text"]', "fields", {"text": "text"}),
        ("FIELDS", '{"text": "body", "blocks": null}', "fields", BODY_WITHOUT_BLOCKS),
        ("FIELDS", ' {"text": true}', "fields", SAME),
    ],
)
def test_read(name: str, written: Any, attribute: str, value: Any) -> None:
    assert getattr(read(**{name: written}), attribute) == value


@pytest.mark.parametrize(
    ("written", "site", "steps"),
    [
        (True, True, ()),
        ("True", True, ()),
        (["goldminer"], ("goldminer",), ("goldminer",)),
        (" goldminer, site-frequency", *2 * [("goldminer", "site-frequency")]),
        ('["goldminer"]', ("goldminer",), ("goldminer",)),
    ],
)
def test_the_other_pages_of_a_site(written: Any, site: Any, steps: tuple[str, ...]) -> None:
    settings = read(SITE=written, EXTRACTOR="num-words")
    assert (settings.site, settings.site_steps) == (site, steps)
    for extractor in ("news", "news-permissive", str(find_model_folder("news"))):
        with pytest.raises(SettingError) as refused:
            read(SITE=written, EXTRACTOR=extractor)
        assert str(refused.value).startswith(f"BOILERPLATE_SITE: the extractor {extractor!r} does ")
        assert "remove BOILERPLATE_SITE" in str(refused.value)


DICT = "write a dict from field to item field, None"
STORE = "write 'memory', the path of a file, or 'redis://host:port'"
BLOCKS = "write 'labels', 'content', 'all' or 'none'"
WHOLE = "write a whole number of 0 or more"
STEPS = "write True, False, or a list of steps: site-frequency, "


@pytest.mark.parametrize(
    ("name", "written", "says"),
    [
        ("ENABLED", "perhaps", " = 'perhaps': write True or False"),
        ("ENABLED", [], " = []: write True or False"),
        ("ARTICLES_ONLY", "news", " = 'news': write True, False or 'mark'"),
        ("ARTICLES_ONLY", [], " = []: write True, False or 'mark'"),
        ("EXTRACTOR", "bolierpipe", ": no extractor is called 'bolierpipe'; did you mean 'boiler"),
        ("EXTRACTOR", 3, ": no extractor is called 3; write one of: news, "),
        ("EXTRACTOR", ["num-words"], "called ['num-words']; did you mean 'num-words'?"),
        ("FAVOR", "speed", ": no favor is called 'speed'; write 'balanced', 'precision' or 'rec"),
        ("BLOCKS", "some", f" = 'some': {BLOCKS}"),
        ("BLOCKS", ["all"], f" = ['all']: {BLOCKS}"),
        ("BLOCKS", "", f" = '': {BLOCKS}"),
        ("EXECUTOR", "thread", " = 'thread': write 'inline' or 'process'"),
        ("DUPLICATES", "keep", " = 'keep': write 'drop', 'drop-near' or 'mark'"),
        ("WORKERS", 0, " = 0: write a whole number of 1 or more"),
        ("MAX_BYTES", "10 MB", f" = '10 MB': {WHOLE}"),
        ("MAX_MILLISECONDS", "long", " = 'long': write a number of 0 or more"),
        ("MIN_WORDS", "many", f" = 'many': {WHOLE}"),
        ("MIN_WORDS", 1.5, f" = 1.5: {WHOLE}"),
        ("MIN_WORDS", True, f" = True: {WHOLE}"),
        ("MIN_WORDS", [5], WHOLE),
        ("MIN_WORDS", float("inf"), WHOLE),
        ("MIN_WORDS", float("nan"), WHOLE),
        ("MIN_CONFIDENCE", 1.01, " = 1.01: write a number from 0 to 1"),
        ("MIN_CONFIDENCE", "50%", "write a number from 0 to 1"),
        ("MIN_CONFIDENCE", True, "write a number from 0 to 1"),
        ("MIN_CONFIDENCE", float("nan"), "write a number from 0 to 1"),
        ("FIELDS", {"body": "text"}, f"no field 'body'; the fields are {', '.join(ALL_FIELDS)}"),
        ("FIELDS", ["text", "author"], "'author'; did you mean 'authors'? The fields are h"),
        ("FIELDS", ["text", "is_article"], 'dicts with BOILERPLATE_ARTICLES_ONLY = "mark"'),
        ("FIELDS", {"duplicate": "copy"}, "is set by BoilerplateDuplicatesPipeline; remove it"),
        ("FIELDS", [["text"]], "no field \"['text']\"; did you mean 'text'? The fields"),
        ("FIELDS", '{"txt": "body"}', "no field 'txt'; did you mean 'text'? The fields are h"),
        ("FIELDS", {"text": "body", "headline": "body"}, "writes two fields to 'body'"),
        ("FIELDS", {"text": 3}, f" = {{'text': 3}}: {DICT}"),
        ("FIELDS", {"text": ""}, '{"text": "body", "blocks": None}'),
        ("FIELDS", '{"text": "body"', f' = \'{{"text": "body"\': {DICT}'),
        ("FIELDS", " ", f" = ' ': {DICT}"),
        ("FIELDS", 7, f" = 7: {DICT}"),
        ("FIELDS", {"url": "link"}, "the spider sets 'url'; BOILERPLATE_ITEM_URL names its field"),
        ("SITE", 3, f" = 3: {STEPS}"),
        ("SITE", ["site-corection"], STEPS),
        ("SITE", ["site-correction", "goldminer"], STEPS),
        (
            "SITES",
            {"x.example": {"fields": ["txt"]}},
            "['x.example']['fields']: there is no field 'txt'",
        ),
        ("SITE_STORE", 3, f" = 3: {STORE}"),
        ("SITE_STORE", " ", f" = ' ': {STORE}"),
        ("SITE_STORE", "mysql://db/news", f" = 'mysql://db/news': {STORE}"),
        ("SITE_STORE", "redis:host", STORE),
        ("SITE_PAGES", 0, " = 0: write a whole number of 1 or more"),
        ("SITE_PAGES", 10**400, "write a whole number of"),
        ("ITEM_URL", True, " = True: write the name of an item field, or"),
        ("INSPECT_DIR", "a\0b", "write a folder that can be made, or remove it"),
        ("EXTRACTR", "num-words", "write BOILERPLATE_EXTRACTOR, or remove it"),
        ("MINWORDS", 3, "there is no setting BOILERPLATE_MINWORDS; write BOILERPLATE_MIN_WORDS"),
        ("", 1, "there is no setting BOILERPLATE_;"),
    ],
)
def test_refused(name: str, written: Any, says: str) -> None:
    with pytest.raises(SettingError) as refused:
        read(**{name: written})
    sentence = str(refused.value)
    assert f"BOILERPLATE_{name}" in sentence
    assert says in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("name", ["MY_BOILERPLATE_FIELD", "BOILERPLAT_FAVOR", "FAVOR"])
def test_settings_of_others_are_not_read(name: str) -> None:
    assert CrawlSettings.from_settings(Settings({name: "bad"})) == read()


@pytest.mark.parametrize("fields", [["markdown"], {"markdown": "body"}])
def test_field_whose_package_is_missing(fields: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "html_to_markdown", None)
    with pytest.raises(SettingError) as refused:
        read(FIELDS=fields)
    assert str(refused.value) == (
        "BOILERPLATE_FIELDS: the field 'markdown' needs html_to_markdown: "
        "pip install 'scrapy-boilerplate-removal[html]', or leave it out"
    )


def test_optional_fields_of_classes() -> None:
    assert read().fields.if_declared == OPTIONAL_FIELDS
    assert read(FIELDS={"html": "source"}).fields.if_declared == OPTIONAL_FIELDS[1:]
    assert read(FIELDS=["text"]).fields.if_declared == ()


SITE = {"SITE": True, "EXTRACTOR": "num-words"}
PAGES_FIELD, SITE_FIELD = ({**SAME, name: name} for name in ("pages", "site_pages"))


@pytest.mark.parametrize(
    ("written", "fields"),
    [
        ({"PAGES": 1}, SAME),
        ({"PAGES": 2}, PAGES_FIELD),
        (SITE, SITE_FIELD),
        ({**SITE, "SITE": "goldminer"}, SITE_FIELD),
        ({"SITE": False, "PAGES": 0}, SAME),
        ({"PAGES": 2, "FIELDS": {"pages": "parts"}}, {**SAME, "pages": "parts"}),
        ({"PAGES": 2, "FIELDS": {"text": "body"}}, {**PAGES_FIELD, "text": "body"}),
        ({"PAGES": 2, **SITE, "FIELDS": ["text"]}, {"text": "text"}),
        ({"PAGES": 2, "FIELDS": "text"}, {"text": "text"}),
        ({"PAGES": 2, "FIELDS": {"text"}}, {"text": "text"}),
        ({"PAGES": 2, "FIELDS": '["text"]'}, {"text": "text"}),
        ({"PAGES": 2, "FIELDS": '{"text": "body"}'}, {**PAGES_FIELD, "text": "body"}),
        ({"PAGES": 2, "FIELDS": {}}, PAGES_FIELD),
        ({"PAGES": 2, "FIELDS": {"pages": False}}, SAME),
        ({**SITE, "FIELDS": {"site_pages": None}}, SAME),
        ({**SITE, "FIELDS": '{"site_pages": null}'}, SAME),
        (
            {"PAGES": 2, "FIELDS": {"pages": None, "text": "pages"}},
            {**SAME, "text": "pages"},
        ),
    ],
)
def test_fields_that_other_settings_add(written: dict[str, Any], fields: dict[str, str]) -> None:
    assert read(**written).fields == fields


@pytest.mark.parametrize("name", ["SITE", "SITE_ALARM"])
def test_workers_do_not_know_other_pages(name: str) -> None:
    with pytest.raises(SettingError, match=f"remove BOILERPLATE_{name}$"):
        read(EXECUTOR="process", EXTRACTOR="num-words", **{name: True})


def test_an_added_field_takes_a_name_as_others_do() -> None:
    assert read(FIELDS={"text": "pages"}).fields["text"] == "pages"
    with pytest.raises(SettingError, match="writes two fields to 'pages'"):
        read(PAGES=2, FIELDS={"text": "pages"})


@pytest.mark.parametrize("form", [dict, lambda rules: f" {json.dumps(rules)}"])
def test_fields_of_a_rule_are_read(form: Callable[[Any], Any]) -> None:
    [rule] = read(SITES=form({"x.example": {"fields": {"text": "body", "blocks": None}}})).sites
    assert rule.fields == BODY_WITHOUT_BLOCKS


def test_a_job_keeps_what_it_knows_of_sites() -> None:
    job = {"JOBDIR": "crawls/news"}
    assert CrawlSettings.from_settings(Settings(job)).site_store == "site-knowledge.sqlite"
    job["BOILERPLATE_SITE_STORE"] = "memory"
    assert CrawlSettings.from_settings(Settings(job)).site_store == "memory"
    assert read().site_store == "memory"


def test_a_core_is_left_to_the_crawl() -> None:
    assert read().workers == max((os.cpu_count() or 1) - 1, 1)


def test_the_folder_of_inspection_pages_is_made(tmp_path: Path) -> None:
    pytest.importorskip("nh3")
    folder = tmp_path / "pages" / "inspected"
    for _ in range(2):
        assert read(INSPECT_DIR=folder).inspect_dir == str(folder)
        assert folder.is_dir()


@pytest.mark.parametrize(
    ("name", "written", "package", "need", "extra"),
    [
        ("INSPECT_DIR", "pages", "nh3", "the inspection page", "html"),
        ("SITE_STORE", "redis://host:6379", "redis", "a site store in Redis", "redis"),
    ],
)
def test_a_setting_without_its_package(  # noqa: PLR0917
    name: str,
    written: str,
    package: str,
    need: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SettingError) as refused:
        read(**{name: written})
    assert str(refused.value) == (
        f"BOILERPLATE_{name} = {written!r}: {need} needs {package}: "
        f"pip install 'scrapy-boilerplate-removal[{extra}]'; or remove the setting"
    )


def test_the_reference_has_every_setting() -> None:
    assert read_settings() == build_settings(), "run python -m tests.reference"


@pytest.mark.parametrize("name", SETTINGS)
def test_a_default_can_be_written(name: str) -> None:
    field = SETTINGS[name]
    if field.default not in (MISSING, None):
        assert field.metadata["kind"].parse(field.default) == field.default
