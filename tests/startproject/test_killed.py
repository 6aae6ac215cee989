"""Crawls and workers that are killed: no item is lost, doubled by us or wrong."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.startproject.kills import kill_crawl

pytestmark = pytest.mark.linux("workers are found in /proc")

KILLS = 3


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_killed_and_started_again(executor: str, tmp_path: Path) -> None:
    killed = kill_crawl(tmp_path / "project", Random(executor), executor, KILLS)  # noqa: S311
    killed.check()
    assert killed.n_kills == KILLS
    # workers have no site knowledge
    store = tmp_path / "project" / "job" / "site-knowledge.sqlite"
    assert store.exists() == (executor == "inline")
