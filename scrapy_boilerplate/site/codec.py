"""The bytes of a record in a store: JSON with a version.

It is JSON, not msgpack, because no other part of the package needs msgpack. Columns of hashes are
Base64 text.
"""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeVar

VERSION = 4
MAX_TIME = (1 << 48) - 1  # milliseconds since 1970


class RecordError(ValueError):
    """The bytes are not a record of this version."""


class Record:
    """A kind of record.

    COLLECTION   name of its collections
    MAX_RECORDS  records of a collection that a store keeps, the newest
    """

    COLLECTION: ClassVar[str]
    MAX_RECORDS: ClassVar[int]

    def to_values(self) -> dict[str, Any]:
        """Return the record as JSON values."""
        return vars(self).copy()

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Return the record of `to_values`, which may contain invalid values.

        Raises ValueError, TypeError, KeyError or OverflowError.
        """
        raise NotImplementedError


RecordType = TypeVar("RecordType", bound=Record)


def encode_record(record: Record, at: int) -> bytes:
    """Return the bytes of a record, seen `at` milliseconds since 1970."""
    values = {**record.to_values(), "version": VERSION, "at": at}
    return json.dumps(values, separators=(",", ":")).encode()


def decode_record(kind: type[RecordType], data: Any) -> tuple[int, RecordType]:
    """Return when a record was seen, and the record. Raises RecordError."""
    try:
        values = json.loads(data)
        at = values["at"]
        if values["version"] != VERSION or not is_whole(at, MAX_TIME):
            raise RecordError("unknown version or invalid time")
        return at, kind.from_values(values)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise RecordError(f"invalid record: {error!r}") from error


def is_whole(value: Any, most: float) -> bool:
    """Return whether a value is an integer from 0 to `most`."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def check_values(*are_valid: bool) -> None:
    """Raise ValueError unless all values are valid."""
    if not all(are_valid):
        raise ValueError("a value is out of range")
