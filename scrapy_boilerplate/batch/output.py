"""The output folder of a job: its parts, each complete or absent, and a note for each."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from scrapy_boilerplate.batch.pool import Row
from scrapy_boilerplate.site.domains import create_folder_name

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        """Lock a file. Raises OSError if another process has it."""
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        """Lock a file. Raises OSError if another process has it."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


# Names in the folder; readers of Parquet and Spark leave out what starts with an underscore.
JOB, DONE, SUCCESS, LOCK = "_job.json", "_done", "_SUCCESS", "_lock"
UNFINISHED = ".unfinished"


class OutputError(ValueError):
    """The folder cannot be used for this job; the message says why and what to do."""


@dataclass(frozen=True, kw_only=True)
class OutputFolder:
    """The folder `path`.

    suffix     ending of the files of parts
    convert    writes a file of rows, one a line, in another format; None for no other
    find_site  returns the site of an address, which gets a folder; None for no such folders
    """

    path: Path
    suffix: str
    convert: Callable[[Path, Path], None] | None = None
    find_site: Callable[[str | None], str] | None = None

    @contextmanager
    def lock(self, job: Mapping[str, Any]) -> Iterator[None]:
        """Lock the folder. Raises OutputError if another process or job has it."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / LOCK).open("wb") as lock:
            try:
                _lock(lock)
            except OSError as error:
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
            note = json.loads(self.locate_note(number).read_text("ascii"))
            return all((self.path / name).stat().st_size == size
                       for name, size in note["files"].items())  # fmt: skip
        except FileNotFoundError:
            return False

    def open_part(self, number: int) -> Part:
        """Begin a part."""
        return Part(self, number)

    def mark_success(self) -> None:
        """Note that every part is done."""
        _write_whole(self.path / SUCCESS, lambda file: file.write_bytes(b""))

    def locate_note(self, number: int) -> Path:
        """Return the path of the note of a part."""
        return self.path / DONE / f"part-{number:06}.json"


class Part:
    """A part that is being written: each row goes to its file at once; `pages` counts them."""

    def __init__(self, output: OutputFolder, number: int) -> None:
        self._output = output
        self._number = number
        self._failed = self.pages = 0
        self._lines: dict[Path, Path] = {}  # file to the file of its lines

    def write(self, row: Row) -> None:
        """Write a row to its file."""
        find_site = self._output.find_site
        site = find_site and find_site(row.page.url)
        folder = self._output.path
        if site:
            folder /= f"site={create_folder_name(site)}"
        file = folder / f"part-{self._number:06}{self._output.suffix}"
        if file not in self._lines:
            folder.mkdir(exist_ok=True)
            self._lines[file] = file.with_name(f".{file.name}.lines{UNFINISHED}")
        with self._lines[file].open("ab") as opened:
            opened.writelines((row.line, b"\n"))
        self.pages += 1
        self._failed += row.failed

    def finish(self) -> None:
        """Complete its files, and then its note."""
        sizes = {}
        for file, lines in self._lines.items():
            convert = self._output.convert
            if convert is None:
                _replace_whole(lines, file)
            else:
                _write_whole(file, partial(convert, lines))
                lines.unlink()
            sizes[file.relative_to(self._output.path).as_posix()] = file.stat().st_size
        values = {"pages": self.pages, "failed": self._failed, "files": sizes}
        note, encoded = self._output.locate_note(self._number), json.dumps(values)
        note.parent.mkdir(exist_ok=True)
        _write_whole(note, lambda file: file.write_text(encoded, encoding="ascii"))


def _write_whole(file: Path, write: Callable[[Path], Any]) -> None:
    """Write a file that is complete or absent, wherever the process ends."""
    unfinished = file.with_name(f".{file.name}{UNFINISHED}")
    write(unfinished)
    _replace_whole(unfinished, file)


def _replace_whole(unfinished: Path, file: Path) -> None:
    """Rename a file once it is on the disk."""
    with unfinished.open("rb+") as opened:  # Windows writes no file to disk that is only read
        os.fsync(opened.fileno())
    unfinished.replace(file)
    if os.name != "posix":  # folders cannot be opened
        return
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
