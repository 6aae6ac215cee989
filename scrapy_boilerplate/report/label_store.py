"""The labels of an annotator, on disk: a crash of the browser or the server loses nothing.

A folder holds ``labels.jsonl``, one line for every time a page was saved (the last one counts; it
is a corpus that `train` and `evaluate` read), and ``drafts/``, a file for every page that was
changed and not saved. A line is appended and flushed to disk before its draft is deleted. A draft
is replaced atomically. So a crash at any moment leaves each page in its last state.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

LABELS_FILE, DRAFTS = "labels.jsonl", "drafts"

DATASET = "labels"

# First leaf, end leaf, and code of their new label.
Action = tuple[int, int, int]


class LabelsError(ValueError):
    """A file of labels that cannot be read; the message names the file and the line."""


@dataclass(frozen=True)
class Draft:
    """The state of a page: the first label (code) of each leaf, and the actions since then."""

    labels: Sequence[int]
    actions: Sequence[Action] = ()

    def apply(self) -> list[int]:
        """Return the label of each leaf after all actions."""
        labels = list(self.labels)
        for first, end, label in self.actions:
            labels[first:end] = [label] * (end - first)
        return labels


@dataclass
class LabelStore:
    """The folder with the labels of one annotator, created if missing. Threads may share it.

    Raises LabelsError if a line of the file is not a record.
    """

    folder: Path
    _offsets: dict[str, int] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        """Find the last line of each page; cut off a torn line, whose draft still exists."""
        (self.folder / DRAFTS).mkdir(parents=True, exist_ok=True)
        if not self._file.is_file():
            return
        offset = 0
        with self._file.open("rb+") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise LabelsError(f"{self._file}, line {number}: not JSON ({error})") from error
                if not isinstance(record, dict):
                    raise LabelsError(f"{self._file}, line {number}: not a JSON object")
                self._offsets[str(record.get("digest"))] = offset
                offset += len(line)
            file.truncate(offset)

    def is_saved(self, digest: str) -> bool:
        return digest in self._offsets

    def load_saved(self, digest: str) -> dict[str, Any] | None:
        """Return the last record of the page, or None."""
        with self._lock:
            if digest not in self._offsets:
                return None
            with self._file.open("rb") as file:
                file.seek(self._offsets[digest])
                record: dict[str, Any] = json.loads(file.readline())
                return record

    def load_draft(self, digest: str) -> Draft | None:
        try:
            values = json.loads(self._draft_file(digest).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        actions = [(int(first), int(end), int(label)) for first, end, label in values["actions"]]
        return Draft(values["labels"], actions)

    def save_draft(self, digest: str, draft: Draft) -> None:
        values = {"labels": list(draft.labels), "actions": list(draft.actions)}
        with self._lock:
            write_atomically(self._draft_file(digest), json.dumps(values))

    def save(self, record: dict[str, Any]) -> None:
        """Append a record, which has a ``digest``, and delete its draft."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        line = json.dumps({"dataset": DATASET, "time": now, **record}).encode() + b"\n"
        with self._lock:
            with self._file.open("ab") as file:
                offset = file.seek(0, os.SEEK_END)
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
            self._offsets[record["digest"]] = offset
            self._draft_file(record["digest"]).unlink(missing_ok=True)

    @property
    def _file(self) -> Path:
        return self.folder / LABELS_FILE

    def _draft_file(self, digest: str) -> Path:
        return self.folder / DRAFTS / f"{digest}.json"


def write_atomically(file: Path, text: str) -> None:
    """Replace the content of `file` with `text` atomically."""
    unfinished = file.with_name(f".{file.name}.new")
    with unfinished.open("w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    unfinished.replace(file)
