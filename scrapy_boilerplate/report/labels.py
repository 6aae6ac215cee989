"""What an annotator has said, on disk: nothing is lost when the browser or the server goes.

A folder holds ``labels.jsonl``, one line for every time a page was saved (the last one counts; it
is a corpus that `train` and `evaluate` read), and ``drafts/``, a file for every page that was
changed and not saved. A line is appended and brought to the disk before its draft goes; a draft is
replaced as a whole. So after a crash at any moment each page is as it was left.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

FILE, DRAFTS = "labels.jsonl", "drafts"
DATASET = "labels"
"""The name of the corpus."""


class LabelsError(ValueError):
    """A file of labels that cannot be read; the message names the file and the line."""


Action = tuple[int, int, int]
"""First leaf, end leaf, code of the label they get."""


@dataclass(frozen=True)
class Draft:
    """A page as it was left: the label (code) of each leaf at first, and what was done since."""

    labels: Sequence[int]
    actions: Sequence[Action] = ()

    def result(self) -> list[int]:
        """The label of each leaf after all actions."""
        found = list(self.labels)
        for first, end, label in self.actions:
            found[first:end] = [label] * (end - first)
        return found


def digest_of(html: str, url: str | None) -> str:
    """What a page is known by."""
    return sha256(f"{url or ''}\n{html}".encode("utf-8", "surrogatepass")).hexdigest()


@dataclass
class LabelStore:
    """The folder of one annotator's work; made if it is missing. Threads may share it.

    Raises LabelsError if a line of the file is no record.
    """

    folder: Path
    _saved: dict[str, int] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        (self.folder / DRAFTS).mkdir(parents=True, exist_ok=True)
        self._mend()
        for offset, record in self._records():
            self._saved[str(record.get("digest"))] = offset

    def is_saved(self, digest: str) -> bool:
        """Whether the page was saved, now or before."""
        return digest in self._saved

    def saved(self, digest: str) -> dict[str, Any] | None:
        """The last record of the page, or None."""
        with self._lock:
            if digest not in self._saved:
                return None
            with self._file.open("rb") as lines:
                lines.seek(self._saved[digest])
                record: dict[str, Any] = json.loads(lines.readline())
                return record

    def draft(self, digest: str) -> Draft | None:
        """What was changed and not saved, or None."""
        try:
            written = json.loads(self._draft(digest).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        actions = [(int(a), int(b), int(c)) for a, b, c in written["actions"]]
        return Draft(written["labels"], actions)

    def keep(self, digest: str, draft: Draft) -> None:
        """Put a draft in the place of the one before."""
        written = {"labels": list(draft.labels), "actions": list(draft.actions)}
        with self._lock:
            replace_file(self._draft(digest), json.dumps(written))

    def save(self, record: dict[str, Any]) -> None:
        """Append a record, which has a ``digest``; its draft is over."""
        when = datetime.now(timezone.utc).isoformat(timespec="seconds")
        line = json.dumps({"dataset": DATASET, "time": when, **record}).encode() + b"\n"
        with self._lock:
            with self._file.open("ab") as lines:
                offset = lines.seek(0, os.SEEK_END)
                lines.write(line)
                lines.flush()
                os.fsync(lines.fileno())
            self._saved[record["digest"]] = offset
            self._draft(record["digest"]).unlink(missing_ok=True)

    @property
    def _file(self) -> Path:
        return self.folder / FILE

    def _draft(self, digest: str) -> Path:
        return self.folder / DRAFTS / f"{digest}.json"

    def _mend(self) -> None:
        """Cut off a line that a crash has torn: the draft it was made of is still there."""
        if not self._file.is_file():
            return
        with self._file.open("rb+") as lines:
            whole = 0
            for line in lines:
                whole += len(line) if line.endswith(b"\n") else 0
            lines.truncate(whole)

    def _records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        if not self._file.is_file():
            return
        offset = 0
        with self._file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                yield offset, self._record(line, number)
                offset += len(line)

    def _record(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise LabelsError(f"{self._file}, line {number}: no JSON ({error})") from error
        if not isinstance(record, dict):
            raise LabelsError(f"{self._file}, line {number}: no JSON object")
        return record


def replace_file(file: Path, text: str) -> None:
    """Write `text` to `file`, so that at every moment the old or the new one is there whole."""
    beside = file.with_name(f".{file.name}.new")
    with beside.open("w", encoding="utf-8") as written:
        written.write(text)
        written.flush()
        os.fsync(written.fileno())
    beside.replace(file)
