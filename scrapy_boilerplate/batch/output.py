"""The output folder of a job: its parts, each complete or absent, and a note for each."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch.pool import Row
from scrapy_boilerplate.batch.rows import write_json_lines
from scrapy_boilerplate.site.domains import create_folder_name

# Names in the folder; readers of Parquet and Spark leave out what starts with an underscore.
JOB, DONE, SUCCESS, LOCK = "_job.json", "_done", "_SUCCESS", "_lock"
UNFINISHED = ".unfinished"


class OutputError(ValueError):
    """The folder cannot be used for this job; the message says why and what to do."""


@dataclass(frozen=True, kw_only=True)
class OutputFolder:
    """The folder `path`.

    suffix     ending of the files of parts
    write      writes the lines of one file
    find_site  returns the site of an address, which gets a folder; None for no such folders
    """

    path: Path
    suffix: str
    write: Callable[[Sequence[bytes], Path], None] = write_json_lines
    find_site: Callable[[str | None], str] | None = None

    @contextmanager
    def lock(self, job: Mapping[str, Any]) -> Iterator[None]:
        """Lock the folder. Raises OutputError if another process or job has it."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / LOCK).open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise OutputError(f"another process is writing to {self.path}") from error
            self._check_job(job)
            (self.path / SUCCESS).unlink(missing_ok=True)
            for unfinished in self.path.rglob("*" + UNFINISHED):
                unfinished.unlink()
            yield

    def _check_job(self, job: Mapping[str, Any]) -> None:
        note = self.path / JOB
        names = {path.name for path in self.path.iterdir()} - {LOCK, JOB}
        if note.exists():
            earlier = json.loads(note.read_text("ascii"))
            changed = [name for name in {**earlier, **job} if earlier.get(name) != job.get(name)]
            if not changed:
                return
            if names:
                raise OutputError(
                    f"{self.path} holds the rows of another job (another {', '.join(changed)}): "
                    "call it as before to go on with that, or give a new folder with -o"
                )
            # the other job ended before its first part
        elif not all(name.endswith(UNFINISHED) for name in names):
            raise OutputError(f"{self.path} holds other files: give a new folder with -o")
        encoded = json.dumps(job)
        _write_whole(note, lambda file: file.write_text(encoded, encoding="ascii"))

    def is_done(self, number: int) -> bool:
        """Return whether a part has its note and all its files."""
        try:
            note = json.loads(self._note(number).read_text("ascii"))
            return all((self.path / name).stat().st_size == size
                       for name, size in note["files"].items())  # fmt: skip
        except FileNotFoundError:
            return False

    def write_part(self, number: int, rows: Sequence[Row]) -> None:
        """Write the files of a part, and then its note."""
        lines_by_folder: dict[Path, list[bytes]] = {}
        for row in rows:
            site = self.find_site and self.find_site(row.page.url)
            folder = self.path / f"site={create_folder_name(site)}" if site else self.path
            lines_by_folder.setdefault(folder, []).append(row.line)
        sizes = {}
        for folder, lines in lines_by_folder.items():
            file = folder / f"part-{number:06}{self.suffix}"
            folder.mkdir(exist_ok=True)
            _write_whole(file, lambda path, lines=lines: self.write(lines, path))  # type: ignore[misc]
            sizes[file.relative_to(self.path).as_posix()] = file.stat().st_size
        note = json.dumps({"pages": len(rows), "failed": sum(row.failed for row in rows),
                           "files": sizes})  # fmt: skip
        self._note(number).parent.mkdir(exist_ok=True)
        _write_whole(self._note(number), lambda file: file.write_text(note, encoding="ascii"))

    def mark_success(self) -> None:
        """Note that every part is done."""
        _write_whole(self.path / SUCCESS, lambda file: file.write_bytes(b""))

    def _note(self, number: int) -> Path:
        return self.path / DONE / f"part-{number:06}.json"


def _write_whole(file: Path, write: Callable[[Path], Any]) -> None:
    """Write a file that is complete or absent, wherever the process ends."""
    unfinished = file.with_name(f".{file.name}{UNFINISHED}")
    write(unfinished)
    with unfinished.open("rb") as opened:
        os.fsync(opened.fileno())
    unfinished.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
