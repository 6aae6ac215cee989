"""A PostgreSQL server for tests."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

PROGRAMS = ":".join([*map(str, Path("/usr/lib/postgresql").glob("*/bin")), os.environ["PATH"]])
PG_CTL, INITDB = (shutil.which(name, path=PROGRAMS) for name in ("pg_ctl", "initdb"))
# The server does not run as root
USER = "postgres" if Path.home() == Path("/root") else None


class Server:
    """A server in a folder, run by a user that is not root."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.folder = folder
        self.url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        self.options = f"-p {port} -k '' -c fsync=off"
        self._run(INITDB, "-A", "trust", "-U", "postgres", "-E", "UTF8")
        self.start()

    def _run(self, program: str | None, *arguments: str) -> None:
        command = [str(program), "-D", str(self.folder), *arguments]
        subprocess.run(command, check=True, user=USER, cwd="/", stdout=subprocess.DEVNULL)

    def start(self) -> None:
        self._run(PG_CTL, "-w", "-l", str(self.folder / "log"), "-o", self.options, "start")

    def stop(self) -> None:
        self._run(PG_CTL, "-w", "-m", "fast", "stop")

    def fetch(self, query: str) -> list[Any]:
        psycopg = pytest.importorskip("psycopg")
        with psycopg.connect(self.url) as connection:
            return list(connection.execute(query).fetchall())

    def execute(self, statement: str) -> None:
        psycopg = pytest.importorskip("psycopg")
        with psycopg.connect(self.url) as connection:
            connection.execute(statement)


@contextmanager
def running_server() -> Iterator[Server]:
    """A server that runs as long as the block; the test is skipped without PostgreSQL."""
    if PG_CTL is None or INITDB is None:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(mkdtemp(prefix="postgres"))
    if USER is not None:
        shutil.chown(folder, USER)
    server = Server(folder)
    yield server
    server.stop()
    shutil.rmtree(folder)
