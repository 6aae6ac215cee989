"""The output of a job: one file, or a folder of parts; each file is complete or absent."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any

from scrapy_boilerplate.batch.pool import Row
from scrapy_boilerplate.batch.rows import JSONL, WRITERS
from scrapy_boilerplate.site.domains import create_folder_name

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


# Files in the folder; readers of Parquet and Spark ignore names that start with an underscore.
JOB, SUCCESS, LOCK = "_job.json", "_SUCCESS", "_lock"
UNFINISHED = ".unfinished"


class OutputError(ValueError):
    """The output cannot be used for this job; the message says why and what to do."""


def find_file_format(out: Path) -> str | None:
    """Return the format of an output file, or None for a folder."""
    suffix = out.suffix.lower().removeprefix(".")
    return suffix if suffix in WRITERS else None


def write_file(rows: Iterable[Row], file: Path, file_format: str, added: Sequence[str]) -> None:
    """Write rows to a file. The file appears when it is complete."""
    file.parent.mkdir(parents=True, exist_ok=True)
    WRITERS[file_format](_name_unfinished(file), (row.line for row in rows), added)
    _name_unfinished(file).replace(file)


@dataclass
class OutputFolder:
    """A folder of parts in the format `file_format`; the file JOB counts the complete ones.

    job        description of the job; another job must not write to the folder
    added      names of ADDED_FIELDS in the rows
    find_site  returns the site of a URL, which gets a folder; None for no such folders
    """

    path: Path
    job: Mapping[str, Any]
    file_format: str = JSONL
    added: Sequence[str] = ()
    find_site: Callable[[str | None], str] | None = None
    n_parts: int = field(default=0, init=False)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder, and mark it as complete without an error within the context.

        Raises OutputError if another process or job has it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / LOCK).open("wb") as lock:
            try:
                _lock(lock)
            except OSError as error:
                raise OutputError(f"another process is writing to {self.path}") from error
            self._check_job()
            (self.path / SUCCESS).unlink(missing_ok=True)
            for unfinished in self.path.rglob(f"*{UNFINISHED}*"):
                unfinished.unlink()
            yield
            (self.path / SUCCESS).touch()

    def _check_job(self) -> None:
        names = {path.name for path in self.path.iterdir()} - {LOCK, JOB}
        if (self.path / JOB).exists():
            note = json.loads((self.path / JOB).read_text("ascii"))
            parts = {path.name for path in self.path.rglob("part-*")}
            numbers = range(note.get("parts", 0))
            missing = (number for number in numbers if self._name_part(number) not in parts)
            self.n_parts = next(missing, len(numbers))
            earlier = note.get("job", {})
            keys = {**earlier, **self.job}
            changed = [key for key in keys if earlier.get(key) != self.job.get(key)]
            if changed and names:
                raise OutputError(
                    f"{self.path} contains the rows of a job with different {', '.join(changed)}: "
                    "repeat the command of that job to resume it, or give a new folder with -o"
                )
        elif not all(UNFINISHED in name for name in names):
            raise OutputError(f"{self.path} contains other files: give a new folder with -o")
        self._write_note()

    def _write_note(self) -> None:
        note = self.path / JOB
        values = {"job": self.job, "parts": self.n_parts}
        _name_unfinished(note).write_text(json.dumps(values), encoding="ascii")
        _name_unfinished(note).replace(note)

    def _name_part(self, number: int) -> str:
        return f"part-{number:06}.{self.file_format}"

    def write_part(self, rows: Iterator[Row]) -> bool:
        """Write and count the next part; return False without rows.

        A part in folders of sites is in memory until it is written.
        """
        first = next(rows, None)
        if first is None:
            return False
        name = self._name_part(self.n_parts)
        for folder, of_folder in self._group(chain([first], rows)).items():
            write_file(of_folder, folder / name, self.file_format, self.added)
        self.n_parts += 1
        self._write_note()
        return True

    def _group(self, rows: Iterable[Row]) -> Mapping[Path, Iterable[Row]]:
        if self.find_site is None:
            return {self.path: rows}
        folders: dict[Path, list[Row]] = {}
        for row in rows:
            name = f"site={create_folder_name(self.find_site(row.page.url))}"
            folders.setdefault(self.path / name, []).append(row)
        return folders


def _name_unfinished(file: Path) -> Path:
    return file.with_name(f".{file.name}{UNFINISHED}")
