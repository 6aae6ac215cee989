"""A pool of worker processes that answer requests.

A worker that dies costs at most its own request, which is tried twice. Each process is served by a
thread that waits for its responses. One more thread ends the processes that take too much time or
memory; their requests are not tried again.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, Self, cast
from weakref import ReferenceType, ref

from scrapy_boilerplate import NAMESAKE_WARNING
from scrapy_boilerplate.workers.pipe import read_frame, write_frame

# The code of a worker process. It gets the module path of this process, without the current folder.
# `multiprocessing` with spawn or forkserver would import the main module, so scripts that start a
# crawl without a guard would start it again. A fork would inherit the locks of other threads.
START = (
    "import sys; sys.path[:] = sys.argv[1].split(chr(10)); "
    "from importlib import import_module; module, name = sys.argv[2].split(':'); "
    "getattr(import_module(module), name)()"
)
# There are as many workers as the machine can use, so threads of numpy would slow them down.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# Where Linux gives large pages of memory only to programs that ask for them, glibc asks
# (docs/usage/cost.md). Other systems ignore the variable.
LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
# A request whose worker dies is retried once, because it may not be the cause.
ATTEMPTS = 2
# Seconds between two checks of the time and memory of the workers. One thread checks all of them: a
# timer for each page, which is a thread, made crawls a tenth slower.
WATCH_INTERVAL = 0.1
# Share of the memory limit from which a worker is replaced after an answer, so that the memory of
# earlier pages does not count against the next one.
RECYCLE_AT = 0.5
MEGABYTE = 1_000_000
# Bytes of /proc/PID/statm, at most.
STATM_BYTES = 200
NEVER = float("inf")
# Seconds that a process may take to end after it has closed its pipe, also on a loaded machine.
EXIT_TIMEOUT = 10.0


class WorkerDiedError(Exception):
    """The process ended before it answered.

    status      its exit status, negative for a signal
    is_started  whether it was ready for requests
    megabytes   its memory, if that was too much
    """

    def __init__(
        self, message: str, *, status: int = 0, is_started: bool = True, megabytes: float = 0
    ) -> None:
        super().__init__(message)
        self.status = status
        self.is_started = is_started
        self.megabytes = megabytes


class WorkerTooSlowError(WorkerDiedError):
    """The process was ended because its answer took too long."""


class WorkerTooLargeError(WorkerDiedError):
    """The process was ended because it took too much memory."""


@dataclass(frozen=True, kw_only=True)
class WorkerRequest:
    """A message for a worker: `header` for JSON, and bytes.

    timeout  seconds of wall time after which its worker is ended
    """

    header: Mapping[str, Any]
    body: bytes = field(repr=False)
    timeout: float


@dataclass(frozen=True, kw_only=True)
class WorkerResponse:
    """The response to a request.

    document  the values of a document (`workers.worker`), if requested
    page      id and URL of a stored page
    body      bytes, if requested
    error     error message, or None
    kind      of the error: "page" or "meta" (no such extractor) if the worker reports it, "worker"
              if no worker could
    failure   the exception behind an error of the kind "worker", or None: the pool was closed
    deaths    workers that ended over the request, or could not be started for it
    """

    document: dict[str, Any] | None = None
    page: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)
    error: str | None = None
    kind: str = "worker"
    failure: Exception | None = None
    deaths: int = 0


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """How the workers of a pool start, and their limits.

    entry_point    `module:function` that the process calls; see `workers.pipe.serve`
    settings       for that function, as JSON in the third argument of the process
    memory         megabytes of resident memory of one worker (watched where there is /proc); None:
                   no limit
    start_timeout  seconds a worker may take to start; None: its start counts as time of its first
                   request
    """

    entry_point: str = "scrapy_boilerplate.workers.worker:serve_documents"
    settings: Mapping[str, Any] = field(default_factory=dict)
    memory: float | None = None
    start_timeout: float | None = None


DEFAULT_OPTIONS = WorkerOptions()


class WorkerProcess:
    """A process that answers one request at a time, to one thread.

    Any thread may call `kill` and `enforce_limits`.
    """

    def __init__(self, options: WorkerOptions) -> None:
        self._options = options
        # `enforce_limits` must not kill a worker for its previous request
        self._lock = threading.Lock()
        self._deadline = NEVER
        self._is_started = False
        self._exceeded: type[WorkerDiedError] = WorkerDiedError
        path = "\n".join(str(Path(place or ".").absolute()) for place in sys.path)
        settings = json.dumps(options.settings)
        ignored = f"ignore:{NAMESAKE_WARNING}"  # the parent shows it
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-W", ignored, "-c", START, path, options.entry_point, settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**LARGE_PAGES, **os.environ, **ONE_THREAD},
        )
        self._memory: BinaryIO | None = None
        with suppress(OSError):
            # kept open: to open it takes a hundred times as long as to read it
            self._memory = Path(f"/proc/{self.pid}/statm").open("rb", buffering=0)  # noqa: SIM115

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def megabytes(self) -> float:
        """The resident memory of the process; 0 where there is no /proc, and after its end."""
        if self._memory is None:
            return 0.0
        try:
            pages = int(os.pread(self._memory.fileno(), STATM_BYTES, 0).split()[1])
        except (OSError, IndexError, ValueError):
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE

    def is_above(self, share: float) -> bool:
        """Whether the process has more than this share of its memory limit."""
        memory = self._options.memory
        return memory is not None and self.megabytes > share * memory

    def ask(self, request: WorkerRequest) -> tuple[dict[str, Any], bytes]:
        """Return header and body of the response.

        Raises WorkerDiedError, or its subclass for the limit that the worker exceeded.
        """
        timeout = request.timeout
        if not self._is_started and self._options.start_timeout is not None:
            timeout = self._options.start_timeout
        self._set_deadline(timeout)
        requests = cast("BinaryIO", self._process.stdin)
        responses = cast("BinaryIO", self._process.stdout)
        try:
            if not self._is_started:
                read_frame(responses)
                if self.is_above(RECYCLE_AT):
                    raise WorkerTooLargeError(
                        "too large at its start", is_started=False, megabytes=self.megabytes
                    )
                self._is_started = True
                if self._options.start_timeout is not None:
                    timeout = request.timeout
                    self._set_deadline(timeout)
            write_frame(requests, {**request.header, "timeout": request.timeout}, request.body)
            return read_frame(responses)
        except (OSError, EOFError) as error:  # the process has closed its pipe, to end
            raise self._failure(timeout) from error
        except ValueError as error:
            self._process.kill()
            raise self._failure(timeout) from error
        finally:
            self._set_deadline(NEVER)

    def _set_deadline(self, timeout: float) -> None:
        with self._lock:
            self._deadline = monotonic() + timeout
            self._exceeded = WorkerDiedError

    def _failure(self, timeout: float) -> WorkerDiedError:
        """Wait for the end of the process; return the error."""
        try:
            self._process.wait(EXIT_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
        status, is_started = self._process.wait(), self._is_started
        if self._exceeded is WorkerTooSlowError:
            message = f"no answer in {timeout:.0f} s"
        elif self._exceeded is WorkerTooLargeError:
            message = f"more than {self._options.memory} MB of memory"
        else:
            message = f"worker {self.pid} died"
        return self._exceeded(message, status=status, is_started=is_started)

    def enforce_limits(self) -> None:
        """End the process if its request has taken too much time or memory."""
        with self._lock:
            if self._deadline == NEVER:
                return
            if monotonic() > self._deadline:
                self._exceeded = WorkerTooSlowError
            elif self._is_started and self.is_above(1):
                self._exceeded = WorkerTooLargeError
            else:
                return
            self._process.kill()

    def kill(self) -> None:
        """Kill the process and close its files."""
        self._process.kill()
        self._process.wait()
        for file in (self._process.stdin, self._process.stdout, self._memory):
            if file is not None:
                with suppress(OSError):  # unsent data
                    file.close()


class WorkerPool:
    """Answers requests with up to `n_workers` processes, each started when it is first needed.

    A dead worker is replaced when the next request comes. Any thread may call `submit`. The
    futures only raise CancelledError, after `close`.
    """

    def __init__(self, n_workers: int, options: WorkerOptions = DEFAULT_OPTIONS) -> None:
        self._options = options
        self._threads = ThreadPoolExecutor(n_workers, "boilerplate-worker")
        self._local = threading.local()  # the worker of each thread
        self._lock = threading.Lock()
        self._workers: set[WorkerProcess] = set()
        self._closed = threading.Event()
        self._watch: threading.Thread | None = None

    def submit(self, request: WorkerRequest) -> Future[WorkerResponse]:
        """Put a request into the queue. Raises RuntimeError after `close`."""
        return self._threads.submit(self._respond, request)

    @property
    def pids(self) -> list[int]:
        """The processes that are alive now."""
        with self._lock:
            return [worker.pid for worker in self._workers]

    def close(self) -> None:
        """End every worker now; requests under way get an error, others are cancelled."""
        with self._lock:
            self._closed.set()
            workers = list(self._workers)
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        # a worker that is being started holds inherited files and their locks until it runs
        self._threads.shutdown(wait=True)

    def _respond(self, request: WorkerRequest) -> WorkerResponse:
        failure: Exception | None = None
        deaths = 0
        while deaths < ATTEMPTS and not self._closed.is_set():
            try:
                worker = self._thread_worker()
                header, body = worker.ask(request)
            except (WorkerDiedError, OSError) as error:
                self._discard_thread_worker()
                failure, deaths = error.with_traceback(None), deaths + 1
                if isinstance(error, WorkerTooSlowError | WorkerTooLargeError):
                    break
            except Exception as error:  # noqa: BLE001 - a request that cannot be sent
                self._discard_thread_worker()  # the pipe may contain half of the request
                failure = error.with_traceback(None)
                break
            else:
                if worker.is_above(RECYCLE_AT):
                    self._discard_thread_worker()
                return WorkerResponse(**header, body=body, deaths=deaths)
        message = "the pool is closed"
        if failure is not None:
            message = f"{type(failure).__name__}: {failure}"
        return WorkerResponse(error=message, failure=failure, deaths=deaths)

    def enforce_limits(self) -> None:
        """End the workers that take too much time or memory."""
        with self._lock:
            workers = list(self._workers)
        for worker in workers:
            with suppress(OSError):  # if it is dead, reading its pipe raises
                worker.enforce_limits()

    def _thread_worker(self) -> WorkerProcess:
        worker: WorkerProcess | None = getattr(self._local, "worker", None)
        if worker is None:
            worker = self._local.worker = WorkerProcess(self._options)
            with self._lock:
                self._workers.add(worker)
                if self._watch is None or not self._watch.is_alive():
                    watch = threading.Thread(
                        target=_enforce_limits, args=(ref(self), self._closed), daemon=True
                    )
                    watch.start()
                    self._watch = watch
            if self._closed.is_set():  # closed meanwhile: `close` may have missed this worker
                worker.kill()
        return worker

    def _discard_thread_worker(self) -> None:
        worker: WorkerProcess | None = getattr(self._local, "worker", None)
        self._local.worker = None
        if worker is not None:
            worker.kill()
            with self._lock:
                self._workers.discard(worker)


def _enforce_limits(pool: ReferenceType[WorkerPool], closed: threading.Event) -> None:
    """Enforce the limits of the workers of `pool` until it is `closed` or garbage-collected."""
    while not closed.wait(WATCH_INTERVAL):
        watched_pool = pool()
        if watched_pool is None:
            return
        watched_pool.enforce_limits()
        del watched_pool
