"""Learned models on disk: the arrays in ``weights.npz``, their meaning in ``model.json``.

Nothing in them can be executed. `model.json` has digests of itself and of the weights.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

FORMAT = 1  # version of the files; it increases if older code cannot read newer files
MANIFEST, WEIGHTS = "model.json", "weights.npz"

MAX_BYTES = 64 << 20  # maximum bytes of the unpacked arrays (shipped models have under 5 MB)

# Size of a net: rows seen by a layer, layers, and numbers per row (shipped nets have 3, 5 and 64).
# With a larger net, one page could take all memory.
MAX_WIDTH, MAX_LAYERS, MAX_UNITS = 99, 16, 1024

ARRAY_KINDS = "biuf"  # numpy's kinds of data of the arrays: booleans, integers, floats

ARRAY_SUFFIX = ".npy"  # suffix of the files in the archive

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
    folder.mkdir(parents=True, exist_ok=True)
    packed = io.BytesIO()
    arrays: dict[str, Any] = {name: model.arrays[name] for name in sorted(model.arrays)}
    np.savez_compressed(packed, **arrays)
    manifest = {
        "format": FORMAT,
        "kind": model.kind,
        "columns": list(model.columns),
        "facts": dict(model.facts),
        "weights": hashlib.sha256(packed.getvalue()).hexdigest(),
    }
    manifest["digest"] = _compute_digest(manifest)
    _write_file(folder / WEIGHTS, packed.getvalue())
    _write_file(folder / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())


def load_model(folder: Path) -> StoredModel:
    """Return the model in `folder`. Raises ModelError for anything but an intact model."""
    manifest = _read_manifest(folder)
    weights = _read_file(folder / WEIGHTS)
    if hashlib.sha256(weights).hexdigest() != manifest["weights"]:
        raise ModelError(_format_error(folder / WEIGHTS, "its digest differs from model.json"))
    return StoredModel(
        kind=manifest["kind"],
        columns=tuple(manifest["columns"]),
        facts=manifest["facts"],
        arrays=_read_arrays(folder / WEIGHTS, weights),
    )


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    content = _read_file(path)
    try:
        manifest = json.loads(content.decode())
    except (ValueError, RecursionError) as error:  # JSONDecodeError and UnicodeDecodeError are such
        raise ModelError(_format_error(path, f"it is not JSON ({error})")) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
        raise ModelError(_format_error(path, "it is not a model of scrapy_boilerplate"))
    if manifest["format"] > FORMAT:
        raise ModelError(
            f"{path} has the format {manifest['format']}, this version reads up to {FORMAT}: "
            "update scrapy_boilerplate, or train the model again with this version"
        )
    if manifest.get("digest") != _compute_digest(manifest):
        raise ModelError(_format_error(path, "it was changed after training"))
    for key, type_ in {"kind": str, "columns": list, "facts": dict, "weights": str}.items():
        if not isinstance(manifest.get(key), type_):
            raise ModelError(_format_error(path, f"{key!r} is missing or of another type"))
    if not all(isinstance(name, str) for name in manifest["columns"]):
        raise ModelError(_format_error(path, "the name of a column is not a string"))
    return manifest


def _read_arrays(path: Path, weights: bytes) -> dict[str, NDArray[Any]]:
    """Check and return the arrays. The digest only detects accidents: anyone can write one."""
    try:
        with zipfile.ZipFile(io.BytesIO(weights)) as archive:
            # a small file can unpack to gigabytes, and a header can declare more than its file has
            _check_size(path, sum(entry.file_size for entry in archive.infolist()))
            _check_size(path, sum(_read_size(archive, entry) for entry in archive.infolist()))
            arrays = {}
            for name in archive.namelist():
                with archive.open(name) as member:
                    arrays[name.removesuffix(ARRAY_SUFFIX)] = npy.read_array(
                        member, allow_pickle=False
                    )
            return arrays
    except ModelError:
        raise
    except Exception as error:  # decoders and numpy raise a dozen types
        cause = str(error) or type(error).__name__
        raise ModelError(_format_error(path, f"it has no plain arrays ({cause})")) from error


def _check_size(path: Path, size: int) -> None:
    if size > MAX_BYTES:
        raise ModelError(
            _format_error(path, f"it unpacks to {size:,} bytes, {MAX_BYTES:,} at most")
        )


def _read_size(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> int:
    readers = {
        (1, 0): npy.read_array_header_1_0,
        (2, 0): npy.read_array_header_2_0,
    }  # 3.0 is for named columns, which these arrays do not have
    with archive.open(entry) as member:
        version = npy.read_magic(member)
        if version not in readers:
            raise ValueError(f"unknown format {version}")
        shape, _, dtype = readers[version](member)
    if min(shape, default=0) < 0:
        raise ValueError(f"the shape {shape} is negative")
    if not entry.filename.endswith(ARRAY_SUFFIX) or dtype.kind not in ARRAY_KINDS:
        raise ValueError(f"{entry.filename!r} is not an array of numbers")
    return int(dtype.itemsize) * prod(shape)


def _compute_digest(manifest: Mapping[str, Any]) -> str:
    digested = {key: value for key, value in manifest.items() if key != "digest"}
    return hashlib.sha256(json.dumps(digested, sort_keys=True).encode()).hexdigest()


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
