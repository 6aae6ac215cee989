"""One worker process, seen from the side of the crawl."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, BinaryIO, cast

from scrapy_boilerplate.workers.frames import read_frame, write_frame

START = (
    "import sys; sys.path[:] = sys.argv[1].split(chr(10)); "
    "from scrapy_boilerplate.workers.worker import main; main()"
)
"""What the worker's Python runs: it finds the modules that we find. `multiprocessing` with spawn or
forkserver would import the main module of the crawl again, and scripts that start a crawl without a
guard would start it again; a fork would take over the locks of our threads."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Workers are as many as there is work for; threads of numpy would only get in their way."""


class WorkerDiedError(Exception):
    """The process ended before it had answered."""


class WorkerTooSlowError(WorkerDiedError):
    """The process was ended because its answer took too long."""


NEVER = float("inf")
"""The deadline of a worker that is at no page."""


class WorkerProcess:
    """A process that answers one page at a time, to one thread; any may `kill` or `end_if_late`."""

    def __init__(self) -> None:
        self._lock = Lock()  # a worker that is at its next page must not be ended for the last
        self._deadline = NEVER
        self._is_late = False
        path = [str(Path(place or ".").absolute()) for place in sys.path]
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-c", START, "\n".join(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**ONE_THREAD, **os.environ},
        )

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def ask(self, told: Mapping[str, Any], body: bytes, patience: float) -> dict[str, Any]:
        """The answer to one page. Raises WorkerDiedError; the slower one where `end_if_late` found
        that it took more than `patience` seconds."""
        with self._lock:
            self._is_late, self._deadline = False, monotonic() + patience
        try:
            write_frame(cast("BinaryIO", self._process.stdin), told, body)
            return read_frame(cast("BinaryIO", self._process.stdout))[0]
        except (OSError, EOFError, ValueError) as error:
            if self._is_late:
                raise WorkerTooSlowError(f"no answer in {patience:.0f} s") from error
            raise WorkerDiedError(f"worker {self.pid} died") from error
        finally:
            with self._lock:
                self._deadline = NEVER

    def end_if_late(self) -> None:
        """End the process if the page it is at has waited longer than its patience."""
        with self._lock:
            if monotonic() > self._deadline:
                self._is_late = True
                self._process.kill()

    def kill(self) -> None:
        """End the process, which has nothing to lose, and let go of its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                cast("BinaryIO", pipe).close()
            except OSError:  # of what was still to be sent
                continue
