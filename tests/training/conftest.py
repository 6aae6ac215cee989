"""A corpus of labelled pages on disk."""

from pathlib import Path

import pytest

from tests.training.builders import write_corpus
from tests.training.labelled_pages import PAGES, record


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PAGES pages, each of a site of its own."""
    folder = tmp_path_factory.mktemp("corpus")
    return write_corpus(folder / "made-up.jsonl", *map(record, range(PAGES)))
