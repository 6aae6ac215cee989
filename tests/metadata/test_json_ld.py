"""JSON-LD as pages have it: nested, of any type, and a lot of it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metadata.pages import read_document, write_article, write_json_ld

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
        '{"@type": "Article", "headline": "Ferry"}',
        '<!-- {"@type": "Article", "headline": "Ferry"} -->',
        '{"@type":"Article","x":"a\nb\tc\x01","headline":"Ferry"}',
        '{"@type":"A"} {"@type":"Article","headline":"Ferry"}',
        '{"@type":"Article","headline":"Ferry"};',
        '{"@graph":[{"@type":["Article"],"headline":"Ferry"}]}',
        '{"@type":"WebPage","mainEntity":{"@type":"Article","headline":"Ferry"}}',
        '//<![CDATA[\n{"@type": "Article", "headline": "Ferry"}\n//]]>',
    ],
)
def test_headline_is_found(text: str) -> None:
    assert read_document(write_json_ld(text)).headline == "Ferry"


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "[]", "3", "{", "}{", "[" * 100_000, '{"a":' * 9_000),
        *('"\\"' * 100_000, "/*" * 150_000, '{"a":"' * 60_000),
    ],
)
def test_what_holds_nothing(text: str) -> None:
    """A search for ends that are missing would take hours."""
    assert read_document(write_json_ld(text)).headline is None


def test_types_lose_their_namespace() -> None:
    types = ["https://schema.org/NewsArticle", "schema:Thing", 3]
    assert read_document(write_json_ld({"@type": types})).article_type == "NewsArticle"


def test_too_much_of_it_is_left_out() -> None:
    big = write_article(headline="Big", articleBody="x" * 5_000_000)
    assert read_document(big + write_article(headline="Small")).headline == "Small"


def test_references_are_followed() -> None:
    graph = [
        {"@type": "Article", "headline": "Ferry", "author": {"@id": "#jane"}},
        {"@type": "Person", "@id": "#jane", "name": "Jane Doe"},
    ]
    document = read_document(write_json_ld({"@graph": graph}))
    assert (document.authors, document.evidence["authors"]) == (("Jane Doe",), "json-ld")


def test_a_named_article_wins_over_a_work() -> None:
    work = {"@type": ["CreativeWork", "Product"], "name": "Harbour News"}
    article = {"@type": "ReportageNewsArticle", "headline": "Ferry", "author": "Jane Doe"}
    head = "<title>Ship is back - Harbour News</title>" + write_json_ld([work, article])
    assert read_document(head).authors == ("Jane Doe",)


@settings(deadline=None, max_examples=150)
@given(VALUES, st.dictionaries(NAMES, VALUES, max_size=8))
def test_any_json_gives_a_record_of_the_right_types(value: Any, article: dict[str, Any]) -> None:
    document = read_document(write_json_ld([value, {**article, "@type": "NewsArticle"}]))
    names = "headline description date_published date_modified language main_image site_name"
    texts = [getattr(document, name) for name in (*names.split(), "section")]
    assert all(text is None or (isinstance(text, str) and text) for text in texts)
    assert all(isinstance(text, str) and text for text in (*document.authors, *document.tags))
    assert document.is_accessible_for_free in (None, True, False)
    assert isinstance(document.article_type, str)
    assert json.loads(json.dumps(document.evidence)) == document.evidence
