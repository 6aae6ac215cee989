"""Rules for sites: patterns, selectors, errors."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate import Label, Limits, extract
from scrapy_boilerplate.site.rules import RuleError, SiteRules
from tests.builders import sentences
from tests.documented import find_block

URL = "https://news.example/a"
PAGE = """<html><body><h1>The wrong headline</h1>
<div id=story><h2 class=title>The ferry sails</h2>
<p class=by>By Ann Lee and Bob Ray</p><p><time datetime=2024-05-01>yesterday</time></p>
<p>One.<p class=ad>Buy this.<div><p>Two.</div></div>
<div id=other><p>Text outside of the story, which is longer than the story itself, and so on.
<p>More text outside of the story, which an extractor would take for the article.</div>
</body></html>"""
BYLINE, TWO = "By Ann Lee and Bob Ray", ["One.", "Two."]
OUTSIDE = "Text outside of the story"


def read(rule: dict[str, Any], html: str = PAGE, **options: Any) -> Any:
    rules = SiteRules.from_mapping({"news.example": rule})
    return extract(html, URL, "container", sites=rules, **options)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"content": "//div[@id='story']/p"}, [BYLINE, "yesterday", "One.", "Buy this."]),
        ({"content": "#story", "remove": [".ad", "//time"]}, [BYLINE, "One.", "Two."]),
        ({"content": "#story", "authors": ".by", "date": "time", "remove": ".ad"}, TWO),
        ({"content": ["#none", "div > div > p"]}, ["Two."]),
    ],
)  # fmt: skip
def test_content_and_remove(rule: dict[str, Any], text: list[str]) -> None:
    document = read({"headline": "h2", **rule})
    assert document.text.split("\n\n") == text
    assert (document.headline, document.evidence["headline"]) == ("The ferry sails", "override")
    assert document.evidence["text"] == "override"
    [headline] = [b.text for b in document.blocks if b.label == Label.HEADLINE.text]
    assert headline == "The ferry sails"


@pytest.mark.parametrize(
    ("key", "text"), [("remove", ["Before.", "After."]), ("content", ["Advertisement"])]
)
def test_white_space_around_an_inline_element_does_not_count(key: str, text: list[str]) -> None:
    html = (
        '<div id=story>\n <p>Before.</p>\n <div> <span class="ad">Advertisement</span> \n</div>'
        "\n <p>After.</p></div>"
    )
    document = read({"content": "#story", key: ".ad"}, html)
    assert document.text.split("\n\n") == text
    assert key in document.rule_matches


@pytest.mark.parametrize("name", ["headline", "authors", "date", "content"])
@pytest.mark.parametrize("html", ["", "<div class=x>?</div>"])
def test_what_is_not_found_is_as_without_a_rule(name: str, html: str) -> None:
    page = PAGE.replace("<body>", f"<body>{html}")
    assert read({name: ".y"}, page) == extract(page, URL, "container")
    read({name: ".x", "content": ".x", "remove": ".x"}, page)


@pytest.mark.parametrize(
    ("rule", "field", "value"),
    [
        ({"headline": "h2::text"}, "headline", "The ferry sails"),
        ({"headline": "h2::attr(class)"}, "headline", "title"),
        ({"authors": ".by"}, "authors", ("Ann Lee", "Bob Ray")),
        ({"authors": "//h1"}, "authors", ("The wrong headline",)),
        ({"date": "//time/@datetime"}, "date_published", "2024-05-01"),
    ],
)
def test_values(rule: dict[str, Any], field: str, value: Any) -> None:
    document = read(rule)
    assert (getattr(document, field), document.evidence[field]) == (value, "override")


def test_long_values_are_cut() -> None:
    document = read({"headline": "div"}, "<div>" * 60 + "word " * 400_000)
    assert document.headline == "word " * 999 + "word"


def test_past_the_time_of_a_page_its_rule_is_not_applied() -> None:
    written = {"content": "#story", "headline": "h2"}
    rules = SiteRules.from_mapping({"news.example": written})
    late = extract(PAGE, URL, "container", limits=Limits(milliseconds=0), sites=rules)
    _, labeling = late.get_page()
    assert not labeling.marked("override").any()
    assert (late.partial, late.rule_matches) == ("milliseconds", ())


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ({5: {}}, r"\['5'\] is not a URL pattern"),
        ({"/news": {}}, "is not a URL pattern: write a domain such as 'example.com'"),
        ({"a.example": "div"}, r"\['a.example'\] = 'div': write the keys of a rule: content, "),
        ({"a.example": {"contents": "p"}}, r"\['a.example'\]\['contents'\] is not a key of a rule"),
        (
            {"a.example": {"content": "p:has("}},
            r"\['content'\] = 'p:has\(' is not a valid selector \(.+\): w",
        ),
        ({"a.example": {"content": "//p[f()]"}}, "is not a valid selector"),
        ({"a.example": {"content": "x:p"}}, "is not a valid selector"),
        ({"a.example": {"remove": "(count(//p))"}}, "not elements"),
        ({"a.example": {"remove": ["p", ""]}}, "write CSS such as"),
        ({"a.example": {"extractor": 5}}, "write a name, as in the settings"),
    ],
)
def test_a_mistake_names_its_place_and_what_to_write(written: Any, sentence: str) -> None:
    with pytest.raises(RuleError, match=sentence):
        SiteRules.from_mapping(written)


TOML = """["good.example"]
content = "div.story"
["bad.example"]
content = "div..story"
"""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TOML, r"rules.toml: \['bad.example'\]\['content'\] = 'div..story' is not a valid"),
        ("[x", r"rules.toml: Expected '\]' .*\(at .*\)"),
        ("[daily.test]", r"\['daily'\]\['test'\] is not a key .* name of a site in quotes"),
    ],
)
def test_a_mistake_in_a_file_names_the_file(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    with pytest.raises(RuleError, match=sentence):
        SiteRules.load(file)
    file.write_text(TOML.replace("..", "."))
    assert [rule.content for rule in SiteRules.load(file)] == 2 * [("div.story",)]
    with pytest.raises(RuleError, match=r"cannot be read .*give a TOML file"):
        SiteRules.load(tmp_path / "none.toml")


def test_example_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sites.toml").write_text(find_block("docs/usage/site.md", '["news.example"]').code)
    text = f"<p>{sentences(40, 'rain')}</p>"
    story = f'<div class="story">{text}<p class="advert">Buy</p></div>'
    names: dict[str, Any] = {"html": f"<body>{text.replace('rain', 'wind')}{story}"}
    exec(find_block("docs/usage/site.md", "from scrapy_boilerplate import extract").code, names)  # noqa: S102
    document = names["document"]
    assert document.evidence["text"] == "override"
    assert "rain" in document.text
    assert "wind" not in document.text
    assert "Buy" not in document.text


def test_rules_are_written_as_they_are_read() -> None:
    written = {
        "news.example": {"content": ("#story",), "favor": "recall"},
        "paper.example/a*": {"extractor": "news", "fields": ["text"]},
    }
    rules = SiteRules.from_mapping(written)
    assert rules.as_mapping() == written
    assert extract(PAGE, URL, sites=rules).evidence["text"] == "override"
    assert pickle.loads(pickle.dumps(rules)) == rules  # noqa: S301 - for Spark, once they are used
