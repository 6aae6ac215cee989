"""Pages that real publishing systems write of our own articles (`benchmarks.cms`)."""

import sys
from pathlib import Path

import pytest

from benchmarks.cms.__main__ import find_page, judge, measure_f1
from benchmarks.cms.articles import ARTICLES
from benchmarks.cms.systems import SYSTEMS
from scrapy_boilerplate import extract

URL = "https://news.example"


@pytest.mark.parametrize("name", ["pelican", "ablog"])
def test_pages_of(name: str, tmp_path: Path) -> None:
    pytest.importorskip(name)
    site = SYSTEMS[name].build(tmp_path, Path(sys.prefix), URL)
    wrong = []
    for article in ARTICLES:
        path = find_page(site, article)
        assert path is not None
        html = path.read_text("utf-8")
        document = extract(html, f"{URL}/{path.relative_to(site)}")
        assert measure_f1(document.text, article) > 0.95
        fields = judge(document, article, html)
        wrong += [(article.slug, field) for field, is_right in fields if not is_right]
    assert wrong == []
