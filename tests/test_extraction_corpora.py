"""Properties of real pages, if the corpora are available."""

from itertools import islice
from pathlib import Path

import pytest

from tests.builders import read_corpus
from tests.test_extraction_properties import check_html

PAGES_OF_EACH = 8


@pytest.mark.parametrize("name", ["dragnet", "fundus", "l3s-gn1", "waddle"])
def test_every_extractor_keeps_its_promises_on_real_pages(corpora: Path, name: str) -> None:
    records = list(islice(read_corpus(corpora / f"{name}.jsonl.xz"), PAGES_OF_EACH))
    assert len(records) == PAGES_OF_EACH
    for record in records:
        check_html(record["html"])
