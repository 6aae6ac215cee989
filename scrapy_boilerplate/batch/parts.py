"""The output folder of a job: parts that are whole or not there, and notes of those done."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy_boilerplate.batch.crew import Row
from scrapy_boilerplate.site.domains import folder_name

JOB, DONE, SUCCESS, LOCK = "_job.json", "_done", "_SUCCESS", "_lock"
"""Names in the folder; readers of Parquet and Spark leave out what starts with an underscore."""
UNFINISHED = ".unfinished"

WriteLines = Callable[[Sequence[bytes], Path], None]


class OutputError(ValueError):
    """A folder that cannot take the job; the message says why and what to do."""


def write_lines(lines: Sequence[bytes], file: Path) -> None:
    """Write rows as JSON lines."""
    with file.open("wb") as opened:
        opened.writelines(line + b"\n" for line in lines)


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where rows go. `write` writes one file, `suffix` is its ending; `site_of` tells the site
    of a page (by its address), which gets a folder; None for no such folders."""

    folder: Path
    suffix: str
    write: WriteLines = write_lines
    site_of: Callable[[str | None], str] | None = None

    @contextmanager
    def opened(self, job: Mapping[str, Any]) -> Iterator[None]:
        """The folder, for this job alone. Raises OutputError if another works there, or did."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / LOCK).open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise OutputError(f"another process is writing to {self.folder}") from error
            self._claim(job)
            (self.folder / SUCCESS).unlink(missing_ok=True)
            for torn in self.folder.rglob("*" + UNFINISHED):
                torn.unlink()
            yield

    def _claim(self, job: Mapping[str, Any]) -> None:
        note = self.folder / JOB
        if not note.exists():
            if any(one.name != LOCK and not one.name.endswith(UNFINISHED)
                   for one in self.folder.iterdir()):  # fmt: skip
                raise OutputError(f"{self.folder} holds other files: give a new folder with -o")
            self._note_job(job)
            return
        known = json.loads(note.read_text("ascii"))
        wrong = [name for name in {**known, **job} if known.get(name) != job.get(name)]
        if wrong and not any(one.name not in (LOCK, JOB) for one in self.folder.iterdir()):
            self._note_job(job)  # it ended before the first part
        elif wrong:
            raise OutputError(
                f"{self.folder} holds the rows of another job (another {', '.join(wrong)}): call "
                "it as before to go on with that, or give a new folder with -o"
            )

    def _note_job(self, job: Mapping[str, Any]) -> None:
        written = json.dumps(job)
        _write_whole(self.folder / JOB, lambda file: file.write_text(written, encoding="ascii"))

    def done(self, number: int) -> int | None:
        """The pages of a part if it is done and its files are there; else None."""
        try:
            note = json.loads(self._note(number).read_text("ascii"))
            there = all((self.folder / name).stat().st_size == size
                        for name, size in note["files"].items())  # fmt: skip
        except FileNotFoundError:
            return None
        return int(note["pages"]) if there else None

    def finish(self, number: int, rows: Sequence[Row]) -> None:
        """Write a part: its files one by one, and last the note that it is done."""
        files = {}
        for folder, lines in self._by_folder(rows).items():
            file = folder / f"part-{number:06}{self.suffix}"
            folder.mkdir(exist_ok=True)
            _write_whole(file, lambda name, lines=lines: self.write(lines, name))  # type: ignore[misc]
            files[file.relative_to(self.folder).as_posix()] = file.stat().st_size
        note = json.dumps({"pages": len(rows), "failed": sum(r.failed for r in rows),
                           "files": files})  # fmt: skip
        self._note(number).parent.mkdir(exist_ok=True)
        _write_whole(self._note(number), lambda file: file.write_text(note, encoding="ascii"))

    def _by_folder(self, rows: Sequence[Row]) -> Mapping[Path, list[bytes]]:
        found: dict[Path, list[bytes]] = {}
        for row in rows:
            site = self.site_of and self.site_of(row.page.url)
            folder = self.folder / f"site={folder_name(site)}" if site else self.folder
            found.setdefault(folder, []).append(row.line)
        return found

    def succeed(self) -> None:
        """Note that every part is done."""
        _write_whole(self.folder / SUCCESS, lambda file: file.write_bytes(b""))

    def _note(self, number: int) -> Path:
        return self.folder / DONE / f"part-{number:06}.json"


def _write_whole(file: Path, write: Callable[[Path], Any]) -> None:
    """The file is there and whole, or not there, wherever the process ends."""
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
