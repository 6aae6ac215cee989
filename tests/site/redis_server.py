"""A real Redis for tests: Debian's redis-server on a free port."""

import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest


class RedisServer:
    """Started, killed and started again; with `keeping` its data survive."""

    def __init__(self, folder: Path, *, keeping: bool = True) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._command = ["redis-server", "--port", str(self.port), "--dir", str(folder)]
        self._command += ["--save", "", "--appendfsync", "always"]
        self._command += ["--appendonly", "yes" if keeping else "no"]
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1) as answer:
                    answer.sendall(b"PING\r\n")
                    if answer.recv(16).startswith(b"+PONG"):
                        return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("redis-server does not answer")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def redis_server(folder: Path, *, keeping: bool = True) -> RedisServer:
    """A running server; the test is skipped without the Debian package or the Python package."""
    pytest.importorskip("redis")
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed: apt-get install redis-server")
    return RedisServer(folder, keeping=keeping)
