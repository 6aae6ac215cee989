"""A worker process under guard: a page may take so much time and memory, and may kill it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic

from scrapy_boilerplate.batch.worker import LABEL, READY
from scrapy_boilerplate.extractors import BALANCED, DEFAULT

WORKER = (
    "-c",
    "import sys; sys.path[:] = sys.argv[3].split(chr(10)); "
    "from scrapy_boilerplate.batch.worker import main; main()",
)
"""What the interpreter runs, unless told otherwise: it finds the modules that we find (Spark ships
packages beside the interpreter), and none that lie about in the current folder."""
MEGABYTE = 1_000_000
RECYCLED_AT = 0.5
"""Share of the memory limit from which a worker that is done with a page starts anew: what earlier
pages left must not be held against the next (our choice)."""
SPARE = 100
"""Megabytes that are told beyond what is needed: workers do not start alike (our choice)."""
START_SECONDS = 300
"""How long a worker may take to start (our choice; 2 s on an idle machine)."""


class WorkerError(RuntimeError):
    """Workers cannot be started; the message says what to do."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every worker is told.

    task              LABEL: pages become rows; LEARN: pages become site records
    statistics        the file of site statistics to label by, "" for none
    extractor, favor  as in `extract`
    added             fields of MARKUP, with blanks between
    seconds           wall-clock time for a page
    memory            megabytes of resident memory for a worker (watched where there is /proc)
    """

    task: str = LABEL
    statistics: str = ""
    extractor: str = DEFAULT
    favor: str = BALANCED
    added: str = ""
    seconds: float = 60
    memory: int = 2_000


class GuardedWorker:
    """One process; `number` is that of the page it has, or None."""

    def __init__(self, settings: Settings, command: Sequence[str] = WORKER) -> None:
        self._settings = settings
        self._command = command
        self.start()

    def start(self) -> None:
        """Start the process; it is ready when it says so."""
        ours, theirs = socket.socketpair()
        told = [str(theirs.fileno()), json.dumps(asdict(self._settings)), _path()]
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, *self._command, *told],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        self.connection = Connection(ours.detach())
        self.number: int | None = None
        self._ready = False
        self._since = monotonic()

    @property
    def idle(self) -> bool:
        """Whether it can take a page."""
        return self._ready and self.number is None

    def give(self, number: int, message: bytes) -> None:
        """Hand it a packed page."""
        self.number, self._message, self._is_second_try = number, message, False
        self._send()

    def _send(self) -> None:
        self._since = monotonic()
        try:
            self.connection.send_bytes(self._message)
        except OSError:
            self._process.poll()  # it has died: the next look at the connection tells

    def answer(self) -> bytes | str | None:
        """After its connection has something: a row, or what went wrong, or None (now ready, or
        its page gets another try).

        Raises WorkerError if it died before it was ready, or takes too much memory without a page.
        """
        try:
            message = self.connection.recv_bytes()
        except (EOFError, OSError):
            return self._died()
        if not self._ready:
            self._begin(message)
            return None
        if self.megabytes > RECYCLED_AT * self._settings.memory:
            self._restart()
        self.number = None
        return message

    def _begin(self, message: bytes) -> None:
        if message != READY:
            raise WorkerError(f"a worker started with {message[:80]!r}")
        needed = ceil(self.megabytes / RECYCLED_AT)
        if needed > self._settings.memory:
            raise WorkerError(
                f"a worker has {self.megabytes:.0f} MB before its first page, too much for a limit "
                f"of {self._settings.memory}: write --memory {needed + SPARE} or more"
            )
        self._ready = True
        if self.number is not None:
            self._send()

    def overdue(self) -> str | None:
        """What limit its page has crossed, if any; then it has been killed and starts anew."""
        if not self._ready:
            if monotonic() - self._since > START_SECONDS:
                raise WorkerError(f"a worker was not ready after {START_SECONDS} s")
            return None
        if monotonic() - self._since > self._settings.seconds:
            self._restart()
            return f"the page took more than {self._settings.seconds:g} s"
        if self.megabytes > self._settings.memory:
            self._restart()
            return f"the page took more than {self._settings.memory} MB of memory"
        return None

    @property
    def megabytes(self) -> float:
        """Its resident memory; 0 where there is no /proc."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text("ascii").split()[1])
        except (OSError, IndexError):
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE

    def stop(self) -> None:
        """End the process."""
        self.connection.close()
        self._process.kill()
        self._process.wait()

    def _restart(self) -> None:
        self.stop()
        self.start()

    def _died(self) -> str | None:
        """A page is to blame if two workers die of it: the first may have been ended by others,
        while it was idle or because memory was short."""
        status = self._process.wait()
        if not self._ready:
            raise WorkerError(f"a worker ended before its first page (status {status})")
        number = self.number
        self._restart()
        if number is not None and not self._is_second_try:
            self.number, self._is_second_try = number, True
            return None
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        return f"the worker died of the page ({name})"


def _path() -> str:
    """Where modules are found here, for the worker."""
    return "\n".join(str(Path(place or ".").absolute()) for place in sys.path)
