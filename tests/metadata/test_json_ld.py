"""JSON-LD as it is found: broken, nested, of any type, and a lot of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_boilerplate.metadata.fields import Metadata
from scrapy_boilerplate.metadata.json_ld import nodes_of, types_of
from tests.metadata.pages import read, script

NAMES = st.sampled_from(
    "@type @id @graph headline name author datePublished image publisher keywords about isPartOf "
    "articleSection isAccessibleForFree inLanguage itemListElement item description url".split()
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["Article", "WebPage", "BreadcrumbList", "http://[", "//x", "2024-05-01"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=25,
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"@type": "Article", "headline": "Ferry"}', id="whole"),
        pytest.param('<!-- {"@type": "Article", "headline": "Ferry"} -->', id="HTML comment"),
        pytest.param('//<![CDATA[\n{"@type":"Article","headline":"Ferry"}\n//]]>', id="CDATA"),
        pytest.param('{"@type":"Article", /* why */ "headline":"Ferry"}', id="comment"),
        pytest.param('{"@type":"Article", // why\n "headline":"Ferry"}', id="line comment"),
        pytest.param('{"@type":"Article","headline":"Ferry",}', id="trailing comma"),
        pytest.param('[{"@type":"Article","headline":"Ferry"},]', id="trailing comma, list"),
        pytest.param('{"@type":"Article","x":"a\nb\tc\x01","headline":"Ferry"}', id="controls"),
        pytest.param("{&quot;@type&quot;:&quot;Article&quot;,&quot;headline&quot;:&quot;Ferry&quot;}",
                     id="entities"),
        pytest.param('{"@type":"A"} {"@type":"Article","headline":"Ferry"}', id="two in a row"),
        pytest.param('{"@type":"Article","headline":"Ferry"};', id="a semicolon"),
        pytest.param('{"@graph":[{"@type":["Article"],"headline":"Ferry"}]}', id="graph"),
        pytest.param('{"@type":"WebPage","mainEntity":{"@type":"Article","headline":"Ferry"}}',
                     id="nested"),
        pytest.param('{"@type":"Article","headline":"Ferry","x":"he said "no" to it"}',
                     id="quotes inside: by pattern"),
        pytest.param('{"@type":"Article","headline":"Ferry","x":', id="cut: by pattern"),
    ],
)  # fmt: skip
def test_headline_is_found(text: str) -> None:
    assert "Ferry" in [node.get("headline") for node in nodes_of((text,))]


@pytest.mark.parametrize("text", ["", "null", "[]", "3", "{", "}{", "[" * 100_000, '{"a":' * 9_000])
def test_what_holds_nothing(text: str) -> None:
    assert not any("headline" in node for node in nodes_of((text,)))


@pytest.mark.parametrize("text", ['"\\"' * 100_000, "/*" * 150_000, '{"a":"' * 60_000])
def test_hostile_text_takes_linear_time(text: str) -> None:
    """A pattern that looks for the end of what never ends would take the square of the length."""
    nodes_of((text,))


def test_types_lose_their_address() -> None:
    assert types_of({"@type": ["https://schema.org/NewsArticle", "schema:Thing", 3]}) == (
        "NewsArticle",
        "Thing",
    )


def test_too_much_of_it_is_left_out() -> None:
    big = {"@type": "Article", "headline": "Big", "articleBody": "x" * 5_000_000}
    found = read(script(big) + script({"@type": "Article", "headline": "Small"}))
    assert found.headline == "Small"


def test_references_are_followed() -> None:
    graph = [
        {"@type": "Article", "headline": "Ferry", "author": {"@id": "#jane"}},
        {"@type": "Person", "@id": "#jane", "name": "Jane Doe"},
    ]
    found = read(script({"@graph": graph}))
    assert (found.authors, found.evidence["authors"]) == (("Jane Doe",), "json-ld")


@settings(deadline=None, max_examples=150)
@given(VALUES, st.dictionaries(NAMES, VALUES, max_size=8))
def test_any_json_gives_a_record_of_the_right_types(value: Any, article: dict[str, Any]) -> None:
    check(read(script([value, {**article, "@type": "NewsArticle"}])))


def check(found: Metadata) -> None:
    strings = (found.headline, found.description, found.date_published, found.date_modified)
    others = (found.language, found.main_image, found.site_name, found.section)
    assert all(one is None or (isinstance(one, str) and one) for one in (*strings, *others))
    assert all(isinstance(one, str) and one for one in (*found.authors, *found.tags))
    assert found.is_accessible_for_free in (None, True, False)
    assert isinstance(found.article_type, str)
    assert json.loads(json.dumps(found.evidence)) == found.evidence


def test_a_named_article_wins_over_a_work() -> None:
    work = {"@type": ["CreativeWork", "Product"], "name": "Harbour News"}
    article = {"@type": "ReportageNewsArticle", "headline": "Ferry", "author": "Jane Doe"}
    found = read("<title>Ship is back - Harbour News</title>" + script([work, article]))
    assert found.authors == ("Jane Doe",)
