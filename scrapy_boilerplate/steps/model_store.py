"""Learned models on disk: arrays in ``weights.safetensors``, their meaning in ``model.json``.

Nothing in them can be executed. The weights are a file of `safetensors`_: a header in JSON with
types, shapes and places, then the numbers. Its metadata have a checksum of both files.

.. _safetensors: https://huggingface.co/docs/safetensors
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

# Version of the files; it increases if other code is needed to read them.
FORMAT = 2
MANIFEST, WEIGHTS = "model.json", "weights.safetensors"

# Size of a net: rows seen by a layer, layers, and numbers per row (shipped nets have 3, 5 and 64).
# With a larger net, one page could take all memory.
MAX_WIDTH, MAX_LAYERS, MAX_UNITS = 99, 16, 1024

# Types of numbers in safetensors to those of numpy
TYPES = {
    "BOOL": "|b1", "U8": "|u1", "I8": "|i1", "U16": "<u2", "I16": "<i2", "F16": "<f2",
    "U32": "<u4", "I32": "<i4", "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8",
}  # fmt: skip
TYPE_NAMES = {type_: name for name, type_ in TYPES.items()}

# Bytes of the length of the header. The numbers begin at a multiple of it.
LENGTH_BYTES = 8

Arrays = Mapping[str, NDArray[Any]]


class ModelError(ValueError):
    """A model that cannot be used; the message says why and what to do."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StoredModel:
    """The parts of a trained model.

    kind      the name of the extractor whose module builds an extractor of it (MAKERS)
    columns   names of the feature columns, in the order of the weights
    facts     parameters, corpora, date, seed, scores, as JSON values
    arrays    name to array; numbers and booleans only
    """

    kind: str
    columns: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    arrays: Arrays = field(default_factory=dict)

    def check_columns(self, known: Sequence[str]) -> None:
        """Raise ModelError if the columns are not exactly `known`, in that order."""
        if self.columns == tuple(known):
            return
        missing = [name for name in self.columns if name not in set(known)]
        new = [name for name in known if name not in set(self.columns)]
        if missing:
            difference = f"it needs {missing[:5]}, which are unknown here"
        else:
            difference = f"it lacks {new[:5]}" if new else "in another order"
        raise ModelError(
            f"the model {self.kind!r} was trained on other feature columns: {difference}; train it "
            "again with this version, or install the version that trained it"
        )


# Returns a model when the first page needs it.
ModelLoader = Callable[[], StoredModel]


def save_model(folder: Path, model: StoredModel) -> None:
    """Write the two files; the same model gives the same bytes."""
    manifest = {
        "format": FORMAT,
        "kind": model.kind,
        "columns": list(model.columns),
        "facts": dict(model.facts),
    }
    described = (json.dumps(manifest, indent=1) + "\n").encode()
    header: dict[str, Any] = {}
    numbers = b""
    # the largest numbers come first, so that all are aligned
    for name in sorted(model.arrays, key=lambda name: (-model.arrays[name].itemsize, name)):
        array = model.arrays[name]
        array = np.asarray(array, array.dtype.newbyteorder("<"))
        end = len(numbers) + array.nbytes
        header[name] = {
            "dtype": TYPE_NAMES[array.dtype.str],
            "shape": list(array.shape),
            "data_offsets": [len(numbers), end],
        }
        numbers += array.tobytes()
    header["__metadata__"] = {"checksum": _compute_checksum(described, header, numbers)}
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % LENGTH_BYTES)
    folder.mkdir(parents=True, exist_ok=True)
    _write_file(folder / WEIGHTS, len(head).to_bytes(LENGTH_BYTES, "little") + head + numbers)
    _write_file(folder / MANIFEST, described)


def load_model(folder: Path) -> StoredModel:
    """Return the model in `folder`. Raises ModelError for anything but an intact model."""
    described = _read_file(folder / MANIFEST)
    manifest = _read_manifest(folder / MANIFEST, described)
    weights = _read_file(folder / WEIGHTS)
    start = LENGTH_BYTES + int.from_bytes(weights[:LENGTH_BYTES], "little")
    numbers = bytearray(weights[start:])
    try:
        header = json.loads(weights[LENGTH_BYTES:start])
        checksum = header.pop("__metadata__")["checksum"]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise ModelError(_format_error(folder / WEIGHTS, "it is not of a model")) from error
    if checksum != _compute_checksum(described, header, numbers):
        raise ModelError(_format_error(folder, "a file of it was changed after training"))
    return StoredModel(
        kind=manifest["kind"],
        columns=tuple(manifest["columns"]),
        facts=manifest["facts"],
        arrays=_read_arrays(folder / WEIGHTS, numbers, header),
    )


def _read_manifest(path: Path, content: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(content.decode())
    except (ValueError, RecursionError) as error:  # JSONDecodeError and UnicodeDecodeError are such
        raise ModelError(_format_error(path, f"it is not JSON ({error})")) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
        raise ModelError(_format_error(path, "it is not a model of scrapy_boilerplate"))
    if manifest["format"] != FORMAT:
        update = "update scrapy_boilerplate, or " if manifest["format"] > FORMAT else ""
        raise ModelError(
            f"{path} has the format {manifest['format']}, this version reads {FORMAT}: "
            f"{update}train the model again with this version"
        )
    for key, type_ in {"kind": str, "columns": list, "facts": dict}.items():
        if not isinstance(manifest.get(key), type_):
            raise ModelError(_format_error(path, f"{key!r} is missing or of another type"))
    if not all(isinstance(name, str) for name in manifest["columns"]):
        raise ModelError(_format_error(path, "the name of a column is not a string"))
    return manifest


def _read_arrays(
    path: Path, numbers: bytearray, header: Mapping[str, Any]
) -> dict[str, NDArray[Any]]:
    """Check and return the arrays. The checksum only detects accidents: anyone can write one."""
    arrays = {}
    try:
        for name, each in header.items():
            start, end = each["data_offsets"]
            column = np.frombuffer(memoryview(numbers)[start:end], TYPES[each["dtype"]])
            arrays[name] = column.reshape(tuple(each["shape"]))
    except Exception as error:  # numpy raises a dozen types
        raise ModelError(_format_error(path, f"it has no plain arrays ({error!r})")) from error
    return arrays


def _compute_checksum(
    described: bytes, header: Mapping[str, Any], numbers: bytes | bytearray
) -> str:
    described = described.replace(b"\r\n", b"\n")  # as Git can write them
    described += json.dumps(header, sort_keys=True).encode()
    return f"{crc32(numbers, crc32(described)):08x}"


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        cause = error.strerror if isinstance(error, OSError) else error
        raise ModelError(f"{path} cannot be read ({cause}): is it a model?") from error


def _write_file(path: Path, content: bytes) -> None:
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    part.replace(path)


def _format_error(path: Path, why: str) -> str:
    return f"{path} is not usable: {why}; train the model again, or copy it again"


@cache
def load_shipped(folder: Path) -> StoredModel:
    """Return a model of the package, read once a process. Raises ModelError."""
    return load_model(folder)


def return_model(model: StoredModel) -> StoredModel:
    """Return the model; ``partial(return_model, model)`` is a loader that can be pickled."""
    return model


def read_array(model: StoredModel, name: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """Return the array `name` of the model. Raises ModelError.

    Its shape must be `shape` (None: any size from 1), its numbers finite.
    """
    array = model.arrays.get(name)
    if array is None:
        raise ModelError(f"the model {model.kind!r} lacks the array {name!r}: train it again")
    fits = array.ndim == len(shape) and all(
        length == size or (size is None and length > 0)
        for size, length in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        wanted = " x ".join("n" if size is None else str(size) for size in shape)
        raise ModelError(
            f"the array {name!r} of the model {model.kind!r} is not {wanted} finite numbers: "
            "train it again"
        )
    return array


def check_at_most(model: StoredModel, what: str, size: int, most: int) -> None:
    """Raise ModelError if a part of a model is so large that a page could take all memory."""
    if size > most:
        raise ModelError(
            f"the model {model.kind!r} has {size:,} {what}, {most:,} at most: train it again"
        )
