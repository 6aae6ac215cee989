"""Models on disk: reading, messages for broken files, and wrong fields and arrays."""

import io
import json
import math
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scrapy_boilerplate
from scrapy_boilerplate import UnknownExtractorError, extract
from scrapy_boilerplate.steps.model_store import (
    ModelError,
    StoredModel,
    _compute_digest,
    load_model,
    save_model,
)
from tests.crawl.pages import article

MANIFEST, WEIGHTS = "model.json", "weights.npz"
# Of the unpacked arrays of a model, at most.
MAX_BYTES = 64 << 20
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


def signed(folder: Path, **changes: Any) -> Path:
    """Change the manifest of a model, with the digest that goes with it."""
    manifest = {**json.loads((folder / MANIFEST).read_text()), **changes}
    manifest["digest"] = changes.get("digest", _compute_digest(manifest))
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return folder


FOREIGN = [
    (MANIFEST, b"", "not JSON"),
    (MANIFEST, b"\xff\xfe", "not JSON"),
    (MANIFEST, b"[" * 100_000, "not JSON"),
    (MANIFEST, b"[1]", "not a model of"),
    (MANIFEST, b"{}", "not a model of"),
    (WEIGHTS, b"PK", "digest"),
]
CHANGED: list[tuple[dict[str, Any], str]] = [
    ({"digest": "x"}, "changed after training"),
    ({"format": 2}, "update scrapy_boilerplate"),
    ({"kind": 1}, "of another type"),
    ({"facts": None}, "of another type"),
    ({"columns": [1]}, "is not a string"),
]


def test_foreign_and_changed_files_are_refused(folder: Path) -> None:
    for file, content, message in FOREIGN:
        save_model(folder, MODEL)
        (folder / file).write_bytes(content)
        with pytest.raises(ModelError, match=message):
            load_model(folder)
    for changes, message in CHANGED:
        save_model(folder, MODEL)
        with pytest.raises(ModelError, match=message):
            load_model(signed(folder, **changes))


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


def with_weights(folder: Path, weights: bytes) -> Path:
    (folder / WEIGHTS).write_bytes(weights)
    return signed(folder, weights=sha256(weights).hexdigest())


@pytest.mark.parametrize(("weights", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_weights_whose_digest_is_right_are_not_trusted(
    folder: Path, weights: bytes, message: str
) -> None:
    with pytest.raises(
        ModelError, match=f"weights.npz is not usable: .*{message}.*train the model"
    ):
        load_model(with_weights(folder, weights))


def test_arrays_that_are_too_large_together_are_refused(folder: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in "ab":
            archive.writestr(f"{name}.npy", header(f"({MAX_BYTES // 4},)"))
    with pytest.raises(ModelError, match=f"unpacks to {2 * MAX_BYTES:,} bytes"):
        load_model(with_weights(folder, packed.getvalue()))


def test_an_archive_that_unpacks_to_too_much_is_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="at most"):
        load_model(with_weights(folder, zipped(header("(1,)") + bytes(MAX_BYTES))))


def test_other_columns_are_told() -> None:
    for known, message in [
        (("words",), "needs .*link_density"),
        (("link_density", "words"), "another order"),
        (("words", "link_density", "depth"), "lacks .*depth"),
    ]:
        with pytest.raises(ModelError, match=message):
            MODEL.check_columns(known)


PACKAGE = Path(scrapy_boilerplate.__path__[0])
FOLDERS = {
    folder.name: folder
    for folder in sorted(PACKAGE.glob("**/models/*/"))
    if (folder / MANIFEST).is_file() and "-" not in folder.name  # one of each kind
}
PAGES = (article(), "<p>one")
FACT_VALUES: tuple[Any, ...] = (None, -1, "x", [None], math.nan, {"x": 1})
# Bytes of weights up to which an array of each kind is changed in every way.
SMALL = 100_000


def check(model: StoredModel, parent: Path) -> str:
    """Return "refused" or "used"; anything else is an exception."""
    folder = parent / str(len(list(parent.iterdir())))
    save_model(folder, model)
    try:
        documents = [extract(page, extractor=str(folder)) for page in PAGES]
    except UnknownExtractorError:
        return "refused"
    for document in documents:
        assert 0 <= document.confidence <= 1
        fields = ["text", "headline", "confidence", "article_probability", "blocks"]
        json.dumps(document.to_dict(fields), allow_nan=False)
    return "used"


@pytest.mark.parametrize("name", FOLDERS)
def test_each_fact(name: str, tmp_path: Path) -> None:
    model = load_model(FOLDERS[name])
    for fact in model.facts:
        others = {key: model.facts[key] for key in model.facts if key != fact}
        for facts in (others, *({**others, fact: value} for value in FACT_VALUES)):
            check(replace(model, facts=facts), tmp_path)


def change(array: Any) -> Iterator[Any]:
    """Yield arrays of other shapes, types and values."""
    yield from (array[:0], array[:-1], array.ravel(), array[None], np.concatenate((array, array)))
    yield from (array.astype(kind) for kind in ("?", "<i8", "<f2", "<u1", ">f8"))
    yield np.array(0)
    if array.dtype.kind == "f":
        yield from (np.full_like(array, value) for value in (np.nan, np.inf, -np.inf, 1e38, 0))
    else:
        yield from (np.full_like(array, value) for value in (0, 1, np.iinfo(array.dtype).max))
        if array.dtype.kind == "i":
            yield np.full_like(array, -1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FOLDERS)
def test_each_array(name: str, tmp_path: Path) -> None:
    model = load_model(FOLDERS[name])
    is_small = sum(array.nbytes for array in model.arrays.values()) < SMALL
    changed_kinds: set[str] = set()
    for array_name, array in model.arrays.items():
        others = {key: value for key, value in model.arrays.items() if key != array_name}
        assert check(replace(model, arrays=others), tmp_path) == "refused"
        # the nets of languages, and the layers of a net, are read alike
        kind = array_name.partition(".")[0].rstrip("0123456789")
        if kind not in changed_kinds and (is_small or not changed_kinds):
            changed_kinds.add(kind)
            for changed in change(array):
                check(replace(model, arrays={**others, array_name: changed}), tmp_path)
