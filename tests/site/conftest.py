"""Stores to test: a file, and a real Redis."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.site.redis_server import RedisServer, redis_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    running = redis_server(tmp_path)
    yield running
    running.kill()


@pytest.fixture(params=["sqlite", "redis"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The location of a store of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "sites.sqlite")
    return str(request.getfixturevalue("server").url)
