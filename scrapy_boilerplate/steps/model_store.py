"""Learned models on disk: the arrays in ``weights.bin``, their meaning in ``model.json``.

Nothing in them can be executed. `weights.bin` is a checksum of both files, then the numbers of the
arrays, whose types and shapes `model.json` lists.
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
MANIFEST, WEIGHTS = "model.json", "weights.bin"

# Size of a net: rows seen by a layer, layers, and numbers per row (shipped nets have 3, 5 and 64).
# With a larger net, one page could take all memory.
MAX_WIDTH, MAX_LAYERS, MAX_UNITS = 99, 16, 1024

# numpy's kinds of data of the arrays: booleans, integers, floats
ARRAY_KINDS = "biuf"

# Bytes of the checksum: the numbers after it are aligned.
CHECKSUM_BYTES = 8

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
    # the largest numbers come first, so that all are aligned
    names = sorted(model.arrays, key=lambda name: (-model.arrays[name].itemsize, name))
    arrays = [
        np.asarray(array, array.dtype.newbyteorder("<"))
        for array in map(model.arrays.__getitem__, names)
    ]
    manifest = {
        "format": FORMAT,
        "kind": model.kind,
        "columns": list(model.columns),
        "facts": dict(model.facts),
        "arrays": {
            name: [array.dtype.str, list(array.shape)]
            for name, array in zip(names, arrays, strict=True)
        },
    }
    described = (json.dumps(manifest, indent=1) + "\n").encode()
    numbers = b"".join(array.tobytes() for array in arrays)
    folder.mkdir(parents=True, exist_ok=True)
    _write_file(folder / WEIGHTS, _compute_checksum(described, numbers) + numbers)
    _write_file(folder / MANIFEST, described)


def load_model(folder: Path) -> StoredModel:
    """Return the model in `folder`. Raises ModelError for anything but an intact model."""
    described, weights = _read_file(folder / MANIFEST), _read_file(folder / WEIGHTS)
    manifest = _read_manifest(folder / MANIFEST, described)
    numbers = bytearray(weights[CHECKSUM_BYTES:])
    if _compute_checksum(described, numbers) != weights[:CHECKSUM_BYTES]:
        raise ModelError(_format_error(folder, "a file of it was changed after training"))
    return StoredModel(
        kind=manifest["kind"],
        columns=tuple(manifest["columns"]),
        facts=manifest["facts"],
        arrays=_read_arrays(folder / WEIGHTS, numbers, manifest["arrays"]),
    )


def _read_manifest(path: Path, content: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(content.decode())
    except (ValueError, RecursionError) as error:  # JSONDecodeError and UnicodeDecodeError are such
        raise ModelError(_format_error(path, f"it is not JSON ({error})")) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
        raise ModelError(_format_error(path, "it is not a model of scrapy_boilerplate"))
    if manifest["format"] != FORMAT:
        raise ModelError(
            f"{path} has the format {manifest['format']}, this version reads {FORMAT}: "
            "update scrapy_boilerplate, or train the model again with this version"
        )
    for key, type_ in {"kind": str, "columns": list, "facts": dict, "arrays": dict}.items():
        if not isinstance(manifest.get(key), type_):
            raise ModelError(_format_error(path, f"{key!r} is missing or of another type"))
    if not all(isinstance(name, str) for name in manifest["columns"]):
        raise ModelError(_format_error(path, "the name of a column is not a string"))
    return manifest


def _read_arrays(
    path: Path, numbers: bytearray, described: Mapping[str, Any]
) -> dict[str, NDArray[Any]]:
    """Check and return the arrays. The checksum only detects accidents: anyone can write one."""
    arrays, start = {}, 0
    try:
        for name, (type_, shape) in described.items():
            arrays[name] = _read_numbers(numbers, start, np.dtype(type_), shape)
            start += arrays[name].nbytes
    except Exception as error:  # numpy raises a dozen types
        raise ModelError(_format_error(path, f"it has no plain arrays ({error})")) from error
    return arrays


def _read_numbers(
    numbers: bytearray, start: int, dtype: np.dtype[Any], shape: Sequence[int]
) -> NDArray[Any]:
    if dtype.kind not in ARRAY_KINDS or min(shape, default=0) < 0:
        raise ValueError(f"{dtype} and {shape} are not type and shape of an array of numbers")
    return np.ndarray(shape, dtype, numbers, start)


def _compute_checksum(described: bytes, numbers: bytes | bytearray) -> bytes:
    return crc32(numbers, crc32(described)).to_bytes(CHECKSUM_BYTES, "little")


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
