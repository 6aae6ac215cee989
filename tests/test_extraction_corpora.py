"""Properties of real pages, if the corpora are available."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from scrapy_boilerplate.page.parsing import parse_html
from scrapy_boilerplate.training.corpora import read_records
from tests.builders import page_of
from tests.test_extraction_properties import check_page

NAMES = "article-extraction cleaneval-dev dragnet fundus l3s-gn1 readability waddle wcxb".split()
PAGES_OF_EACH = 8


@pytest.mark.parametrize("name", NAMES)
def test_every_extractor_keeps_its_promises_on_real_pages(corpora: Path, name: str) -> None:
    records = list(islice(read_records(corpora / f"{name}.jsonl.xz"), PAGES_OF_EACH))
    assert len(records) == PAGES_OF_EACH
    for record in records:
        check_page(parse_html(record["html"]))


@pytest.mark.parametrize("name", ["fundus", "l3s-gn1"])
def test_xpath_finds_the_element_of_each_block(corpora: Path, name: str) -> None:
    for record in islice(read_records(corpora / f"{name}.jsonl.xz"), 2):
        root = parse_html(record["html"])
        elements = list(root.iter("*"))
        page = page_of(root)
        for block in range(len(page)):
            by_xpath = root.xpath(page.xpaths[block])
            assert [e.tag for e in by_xpath] == [page.tags[block]]
            assert by_xpath[0] in elements
