"""The output of a job: one file, or a folder of parts; each file is complete or absent."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from scrapy_boilerplate.batch.pool import Row
from scrapy_boilerplate.batch.rows import write_csv, write_parquet
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


# Files in the folder; readers of Parquet and Spark ignore names that start with an underscore.
JOB, DONE, SUCCESS, LOCK = "_job.json", "_done", "_SUCCESS", "_lock"
UNFINISHED = ".unfinished"
JSONL, CSV, PARQUET = "jsonl", "csv", "parquet"
FORMATS = (JSONL, CSV, PARQUET)

# Format to the function that writes a file of rows, one a line, in this format.
_CONVERTERS: Mapping[str, Callable[[Path, Path, Sequence[str]], None]] = MappingProxyType(
    {CSV: write_csv, PARQUET: write_parquet}
)


class OutputError(ValueError):
    """The output cannot be used for this job; the message says why and what to do."""


def find_file_format(out: Path) -> str | None:
    """Return the format of an output file, or None for a folder."""
    suffix = out.suffix.lower().removeprefix(".")
    return suffix if suffix in FORMATS else None


class RowFiles:
    """Files of rows in one format: lines of JSON in unfinished files until `finish`.

    `added` are the names of MARKUP_FIELDS in the rows.
    """

    def __init__(self, file_format: str, added: Sequence[str]) -> None:
        self._convert = _CONVERTERS.get(file_format)
        self._added = added
        self._files: dict[Path, Path] = {}

    def open(self, file: Path) -> None:
        """Begin a file."""
        file.parent.mkdir(parents=True, exist_ok=True)
        self._files[file] = _name_unfinished(file, ".lines")
        self._files[file].write_bytes(b"")

    def write(self, file: Path, row: Row) -> None:
        """Write a row to a file at once."""
        if file not in self._files:
            self.open(file)
        with self._files[file].open("ab") as opened:
            opened.writelines((row.line, b"\n"))

    def finish(self) -> list[Path]:
        """Complete the files; return their paths."""
        for file, lines in self._files.items():
            if self._convert is not None:
                self._convert(lines, _name_unfinished(file), self._added)
                _name_unfinished(file).replace(lines)
            lines.replace(file)
        return list(self._files)


def write_file(rows: Iterable[Row], file: Path, file_format: str, added: Sequence[str]) -> None:
    """Write all rows to one file."""
    files = RowFiles(file_format, added)
    files.open(file)
    for row in rows:
        files.write(file, row)
    files.finish()


@dataclass(frozen=True, kw_only=True)
class OutputFolder:
    """The folder `path`, with parts in the format `file_format`.

    added      names of MARKUP_FIELDS in the rows
    find_site  returns the site of a URL, which gets a folder; None for no such folders
    """

    path: Path
    file_format: str = JSONL
    added: Sequence[str] = ()
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
            for unfinished in self.path.rglob(f"*{UNFINISHED}*"):
                unfinished.unlink()
            yield

    def _check_job(self, job: Mapping[str, Any]) -> None:
        note = self.path / JOB
        names = {path.name for path in self.path.iterdir()} - {LOCK, JOB}
        if note.exists():
            earlier = json.loads(note.read_text("ascii"))
            changed = [name for name in {**earlier, **job} if earlier.get(name) != job.get(name)]
            if changed and names:
                raise OutputError(
                    f"{self.path} holds the rows of a job with different {', '.join(changed)}: "
                    "repeat the call of that job to resume it, or give a new folder with -o"
                )
        elif not all(UNFINISHED in name for name in names):
            raise OutputError(f"{self.path} holds other files: give a new folder with -o")
        _write_note(note, job)

    def is_done(self, number: int) -> bool:
        """Return whether a part has its note and all its files."""
        try:
            sizes = json.loads(self.locate_note(number).read_text("ascii"))
            return all((self.path / name).stat().st_size == size for name, size in sizes.items())
        except FileNotFoundError:
            return False

    def mark_success(self) -> None:
        """Note that every part is done."""
        (self.path / SUCCESS).touch()

    def locate_note(self, number: int) -> Path:
        """Return the path of the note that a part is complete."""
        return self.path / DONE / f"part-{number:06}.json"


class Part:
    """The part `number` of a folder."""

    def __init__(self, output: OutputFolder, number: int) -> None:
        self.number = number
        self._output = output
        self._files = RowFiles(output.file_format, output.added)

    def write(self, row: Row) -> None:
        """Write a row to the file of its site, or to the only file."""
        folder, find_site = self._output.path, self._output.find_site
        if find_site is not None:
            folder /= f"site={create_folder_name(find_site(row.page.url))}"
        self._files.write(folder / f"part-{self.number:06}.{self._output.file_format}", row)

    def finish(self) -> None:
        """Complete the files of the part, and note that."""
        files, folder = self._files.finish(), self._output.path
        sizes = {file.relative_to(folder).as_posix(): file.stat().st_size for file in files}
        _write_note(self._output.locate_note(self.number), sizes)


def _name_unfinished(file: Path, kind: str = "") -> Path:
    return file.with_name(f".{file.name}{kind}{UNFINISHED}")


def _write_note(file: Path, values: Mapping[str, Any]) -> None:
    file.parent.mkdir(exist_ok=True)
    _name_unfinished(file).write_text(json.dumps(values), encoding="ascii")
    _name_unfinished(file).replace(file)
