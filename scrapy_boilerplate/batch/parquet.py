"""Parquet files: a page each row, in the columns ``html``, ``url`` and ``id``.

A process of its own reads each file (`batch.parquet_worker`), because the time and memory that
pyarrow takes for a broken file, or one that is packed well, cannot be bounded otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from scrapy_boilerplate.batch.pages import DEFAULT_OPTIONS, ReadOptions, StoredPage
from scrapy_boilerplate.workers.pool import (
    WorkerOptions,
    WorkerPool,
    WorkerRequest,
    WorkerResponse,
    WorkerTooLargeError,
    WorkerTooSlowError,
)

ENTRY_POINT = "scrapy_boilerplate.batch.parquet_worker:serve_pages"
# Megabytes that the process of a file may take (our choice: six times a page of 50 MB, and 160 MB
# that it has at its start).
MEMORY = 1_000
# Seconds it may take to start.
START_TIMEOUT = 60.0
# Processes of one file that may end over it; then the rest is one error (our choice: each takes a
# second to start).
MAX_DEATHS = 10


def read_parquet(path: Path, options: ReadOptions = DEFAULT_OPTIONS) -> Iterator[StoredPage]:
    """Yield the rows of a Parquet file; html is text, or bytes that may declare their encoding.

    Without an `id` that is text, a number or a Boolean, the id is ``<file>:<row>``. What cannot be
    read of a row group is one error.
    """
    size = path.stat().st_size
    worker_options = WorkerOptions(
        entry_point=ENTRY_POINT,
        settings={"path": str(path.absolute()), "max_bytes": options.max_bytes},
        memory=MEMORY,
        start_timeout=START_TIMEOUT,
    )
    with WorkerPool(1, worker_options) as pool:
        response = _ask(pool, None, options)
        if response.error is not None:
            error = f"{path.name} cannot be read: {_describe_failure(response, options)}"
            yield StoredPage(id=path.name, error=error, size=size)
            return
        ends, deaths = json.loads(response.body)["ends"], response.deaths
        for row, end in pairwise([0, *ends]):
            while row < end:
                response = _ask(pool, row, options)
                deaths += response.deaths
                if response.error is None:
                    pages = load_stored_pages(response.body)
                    yield from pages
                    row += len(pages)  # noqa: PLW2901 - more of the same row group
                    continue
                last = end if deaths < MAX_DEATHS else ends[-1]
                error = f"{path.name} cannot be read on: {_describe_failure(response, options)}"
                yield StoredPage(
                    id=f"{path.name}:{row + 1}",
                    error=f"{error} ({last - row:,} rows)",
                    size=size * last // ends[-1] - size * row // ends[-1],
                )
                break
            if deaths >= MAX_DEATHS:
                return


def _ask(pool: WorkerPool, row: int | None, options: ReadOptions) -> WorkerResponse:
    """Return the rows from `row` on, or, for None, the ends of the row groups."""
    header = {"row": row}
    return pool.submit(WorkerRequest(header=header, body=b"", timeout=options.seconds)).result()


def load_stored_pages(body: bytes) -> list[StoredPage]:
    """Return the pages of an answer of `batch.parquet_worker`."""
    header, _, rest = body.partition(b"\n")
    pages, position = [], 0
    for size in json.loads(header)["sizes"]:
        pages.append(StoredPage.unpack(rest[position : position + size]))
        position += size
    return pages


def _describe_failure(response: WorkerResponse, options: ReadOptions) -> str:
    if isinstance(response.failure, WorkerTooSlowError):
        return f"finding the next page takes more than {options.seconds:g} s"
    if isinstance(response.failure, WorkerTooLargeError):
        return f"that takes more than {MEMORY:,} MB of memory"
    return str(response.error)
