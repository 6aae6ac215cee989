"""Models on disk: reading, and messages for broken files."""

from __future__ import annotations

import io
import json
import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from scrapy_boilerplate.steps.model_store import (
    FORMAT,
    MANIFEST,
    MAX_BYTES,
    WEIGHTS,
    ModelError,
    StoredModel,
    _compute_digest,
    load_model,
    save_model,
)

MODEL = StoredModel(
    kind="a kind",
    columns=("words", "link_density"),
    facts={"seed": 1},
    arrays={"slopes": np.array([0.5, -1.0], np.float32)},
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_model(tmp_path / "model", MODEL)
    return tmp_path / "model"


def test_what_is_saved_comes_back(folder: Path) -> None:
    loaded = load_model(folder)
    assert (loaded.kind, loaded.columns, loaded.facts) == (MODEL.kind, MODEL.columns, MODEL.facts)
    np.testing.assert_array_equal(loaded.arrays["slopes"], MODEL.arrays["slopes"])


def test_the_same_model_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    save_model(tmp_path / "again", MODEL)
    for name in (MANIFEST, WEIGHTS):
        assert (folder / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_a_foreign_file_is_refused(folder: Path) -> None:
    for file, content, message in [
        (MANIFEST, b"", "not JSON"),
        (MANIFEST, b"\xff\xfe", "not JSON"),
        (MANIFEST, b"[" * 100_000, "not JSON"),
        (MANIFEST, b"[1]", "not a model of"),
        (MANIFEST, b"{}", "not a model of"),
        (WEIGHTS, b"", "digest"),
        (WEIGHTS, b"PK", "digest"),
    ]:
        save_model(folder, MODEL)
        (folder / file).write_bytes(content)
        with pytest.raises(ModelError, match=message):
            load_model(folder)


def test_a_changed_manifest_is_refused(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["facts"]["seed"] = 2
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match="changed after training"):
        load_model(folder)


def test_a_newer_format_says_to_update(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["format"] = FORMAT + 1
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match="update scrapy_boilerplate"):
        load_model(folder)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere"):
        load_model(tmp_path / "nowhere")


def test_a_pickle_in_the_weights_is_never_loaded(folder: Path) -> None:
    pickled = StoredModel(kind="k", columns=(), arrays={"evil": np.array([{}], dtype=object)})
    save_model(folder, pickled)
    with pytest.raises(ModelError, match="no plain arrays"):
        load_model(folder)


def header(shape: str, kind: str = "<f4", version: int = 1) -> bytes:
    """The start of an array on disk, as anyone can write it."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2, "little") + text


def zipped(content: bytes, name: str = "slopes.npy", how: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", how) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


def patched(packed: bytes, place: int, central: int, change: bytes) -> bytes:
    """The archive with other bytes in the local header of its member and in the directory's."""
    start = packed.index(b"PK\x01\x02") + central
    changed = bytearray(packed)
    changed[place : place + len(change)] = changed[start : start + len(change)] = change
    return bytes(changed)


def spoilt(packed: bytes) -> bytes:
    """The archive with other bytes in the middle of its member."""
    place = packed.index(b"slopes.npy") + len(b"slopes.npy")
    end = packed.index(b"PK\x01\x02")
    return packed[:place] + b"\xff" * (end - place) + packed[end:]


ARRAY = header("(2,)") + bytes(8)
HOSTILE = {
    "corrupt deflate": (spoilt(zipped(ARRAY)), "no plain arrays"),
    "corrupt LZMA": (spoilt(zipped(ARRAY, how=zipfile.ZIP_LZMA)), "no plain arrays"),
    "encrypted": (patched(zipped(ARRAY), 6, 8, b"\x01\x00"), "no plain arrays .*encrypted"),
    "another checksum": (patched(zipped(ARRAY), 14, 16, b"abcd"), "no plain arrays .*CRC"),
    "more than memory": (zipped(header(f"({10**13},)")), "at most"),
    "more than numbers go": (zipped(header(f"({2**70}, 2)")), "at most"),
    "more than there is": (zipped(header("(1000,)")), "no plain arrays"),
    "a negative shape": (zipped(header("(-1,)")), "no plain arrays .*shape"),
    "a header of anything": (zipped(header("(1,)}}}((")), "no plain arrays"),
    "an unknown version": (zipped(header("(1,)", version=9)), "no plain arrays"),
    "no array by name": (zipped(ARRAY, "slopes.txt"), "'slopes.txt' is not an array of numbers"),
    "text": (zipped(header("(1,)", "<U1") + bytes(4)), "not an array of numbers"),
    "objects": (zipped(header("(1,)", "|O") + b"cos\nsystem\n"), "not an array of numbers"),
}


def signed(folder: Path, weights: bytes) -> Path:
    """Put other weights in a model, with the digests that go with them."""
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["weights"] = sha256(weights).hexdigest()
    manifest["digest"] = _compute_digest(manifest)
    (folder / WEIGHTS).write_bytes(weights)
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return folder


@pytest.mark.parametrize(("weights", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_weights_whose_digest_is_right_are_not_trusted(
    folder: Path, weights: bytes, message: str
) -> None:
    with pytest.raises(
        ModelError, match=f"weights.npz is not usable: .*{message}.*train the model"
    ):
        load_model(signed(folder, weights))


@pytest.mark.parametrize(("key", "value"), [("kind", 1), ("facts", None), ("columns", [1])])
def test_a_signed_manifest_of_other_types_is_refused(folder: Path, key: str, value: object) -> None:
    manifest = {**json.loads((folder / MANIFEST).read_text()), key: value}
    manifest["digest"] = _compute_digest(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match=r"of another type|is not a string"):
        load_model(folder)


def test_arrays_that_are_too_large_together_are_refused(folder: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in "ab":
            archive.writestr(f"{name}.npy", header(f"({MAX_BYTES // 4},)"))
    with pytest.raises(ModelError, match=f"unpacks to {2 * MAX_BYTES:,} bytes"):
        load_model(signed(folder, packed.getvalue()))


def test_an_archive_that_unpacks_to_too_much_is_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="at most"):
        load_model(signed(folder, zipped(header("(1,)") + bytes(MAX_BYTES))))


def test_other_columns_are_told() -> None:
    for known, message in [
        (("words",), "needs .*link_density"),
        (("link_density", "words"), "another order"),
        (("words", "link_density", "depth"), "lacks .*depth"),
    ]:
        with pytest.raises(ModelError, match=message):
            MODEL.check_columns(known)
