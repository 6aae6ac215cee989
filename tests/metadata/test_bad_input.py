"""What the web holds against every field: too much, too old, too foreign, too hostile."""

from __future__ import annotations

import dataclasses
from time import process_time

import pytest

from scrapy_boilerplate.metadata.fields import Metadata
from tests.markup.safety import check_html
from tests.metadata.pages import read_document, write_json_ld, write_metas

pytest.importorskip("nh3", reason="nh3 is not installed")

LONG = 10.0
"""CPU seconds for 100 kB; with a search that is quadratic they are minutes."""
RUN = "alert(document.domain)"
HOSTILE = [
    f"<script>{RUN}</script>",
    f"<<script>{RUN}//<</script>",
    f"<img src=x onerror={RUN}>",
    f"<svg/onload={RUN}>",
    f"\"><iframe srcdoc='<script>{RUN}</script>'>",
    f"javascript:{RUN}",
    f"jav\tascript:{RUN}",
    f"&#106;avascript:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    f"</title><script>{RUN}</script>",
    f"](javascript:{RUN})",
]
ADDRESSES = ("main_image", "canonical_url")


def test_five_megabytes_of_json_ld() -> None:
    first = write_json_ld(
        {"@type": "NewsArticle", "headline": "Ferry returns", "datePublished": "2024-05-01"}
    )
    others = write_json_ld(
        {"@type": "NewsArticle", "headline": "Other", "keywords": ["x" * 90] * 100}
    )
    page = first + others * (5_000_000 // len(others))
    document = read_document(f"<title>Ferry returns</title>{page}")
    assert (document.headline, document.date_published) == ("Ferry returns", "2024-05-01")


@pytest.mark.parametrize("word", ["a" * 100_000, "1/" * 50_000, "ab-" * 30_000, "a1" * 50_000])
def test_words_without_end(word: str) -> None:
    """As long as a picture that somebody wrote into the text."""
    start = process_time()
    read_document(f"<p>{word}<p class=byline>By Ida Falk")
    assert process_time() - start < LONG


@pytest.mark.parametrize("year", ["0001", "1970", "1994", "2999", "9999", "99999"])
def test_days_that_cannot_be_are_passed_over(year: str) -> None:
    declared = write_json_ld({"@type": "NewsArticle", "datePublished": f"{year}-01-01T00:00:00Z"})
    document = read_document(declared + write_metas(article__published_time="2024-05-01"))
    assert document.date_published == "2024-05-01"
    assert read_document(declared).date_published is None


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("ar", "نشر في ١ مايو ٢٠٢٤"),
        ("ar", "٢٠٢٤/٠٥/٠١"),
        ("th", "1 พฤษภาคม 2567"),
        ("th", "1 พ.ค. 2567"),
        ("th", "๑ พฤษภาคม ๒๕๖๗"),
        ("ja", "2024年5月1日(水) 10時30分"),
        ("ja", "2024年5月1日"),
    ],
)
def test_foreign_forms_on_pages(lang: str, line: str) -> None:
    pytest.importorskip("babel", reason="babel is not installed")
    document = read_document(body=f"<h1>Ferry</h1><p class=date>{line}</p>", lang=lang)
    assert (document.date_published or "")[:10] == "2024-05-01"


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_in_every_field(hostile: str) -> None:
    """Fields are plain text, addresses are of the web, and nothing that runs gets into `html`."""
    attribute = hostile.replace("&", "&amp;").replace('"', "&quot;")
    names: tuple[str, ...] = (
        "headline",
        "description",
        "datePublished",
        "dateModified",
        "author",
        "keywords",
    )
    names += ("articleSection", "image", "inLanguage", "publisher", "isAccessibleForFree")
    head = write_json_ld(
        {"@type": "Article", **dict.fromkeys(names, hostile.replace("</", "<\\/"))}
    )
    head += "".join(
        f'<meta property="{name}" content="{attribute}">'
        for name in ("og:title", "og:url", "og:image", "og:site_name", "author", "article:tag")
    )
    document = read_document(
        f'<title>{hostile}</title>{head}<link rel=canonical href="{attribute}">'
    )
    assert document.error is None
    check_html(document.html or "")
    assert (document.date_published, document.date_modified) == (None, None)
    for name in ADDRESSES:
        assert (getattr(document, name) or "https://").startswith(("http://", "https://"))
    values = [getattr(document, field.name) for field in dataclasses.fields(Metadata)]
    assert all(isinstance(value, str | tuple | bool | dict | None) for value in values)
