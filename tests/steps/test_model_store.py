"""Models on disk: reading, messages for broken files, and wrong fields and arrays."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import scrapy_boilerplate
from scrapy_boilerplate import UnknownExtractorError, extract
from scrapy_boilerplate.steps.model_store import (
    ModelError,
    StoredModel,
    load_model,
    save_model,
)
from tests.crawl.pages import article

MANIFEST, WEIGHTS = "model.json", "weights.safetensors"
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


def describe(folder: Path, header: Any = None, **changes: Any) -> Path:
    """Change the manifest of a model, and the header of its weights, with the right checksum."""
    described = json.dumps({**json.loads((folder / MANIFEST).read_text()), **changes}).encode()
    weights = (folder / WEIGHTS).read_bytes()
    start = 8 + int.from_bytes(weights[:8], "little")
    if header is None:
        header = json.loads(weights[8:start])
    if isinstance(header, dict):
        header.pop("__metadata__", None)
        described_by_header = json.dumps(header, sort_keys=True).encode()
        checksum = crc32(weights[start:], crc32(described + described_by_header))
        header["__metadata__"] = {"checksum": f"{checksum:08x}"}
    head = json.dumps(header).encode()
    (folder / MANIFEST).write_bytes(described)
    (folder / WEIGHTS).write_bytes(len(head).to_bytes(8, "little") + head + weights[start:])
    return folder


FOREIGN = [
    (MANIFEST, b"", "not JSON"),
    (MANIFEST, b"\xff\xfe", "not JSON"),
    (MANIFEST, b"[" * 100_000, "not JSON"),
    (MANIFEST, b"[1]", "not a model of"),
    (MANIFEST, b"{}", "not a model of"),
    (WEIGHTS, b"", "not of a model"),
    (WEIGHTS, b"PK", "not of a model"),
    (WEIGHTS, b"\xff" * 99, "not of a model"),
]
CHANGED: list[tuple[dict[str, Any], str]] = [
    ({"format": 3}, "update scrapy_boilerplate"),
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
            load_model(describe(folder, **changes))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere"):
        load_model(tmp_path / "nowhere")


def test_a_model_of_an_earlier_format_is_trained_again(folder: Path) -> None:
    described = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(described.replace('"format": 2', '"format": 1'))
    (folder / WEIGHTS).rename(folder / "weights.npz")
    with pytest.raises(ModelError, match="format 1, this version reads 2: train the model again"):
        load_model(folder)


@pytest.mark.parametrize("file", [MANIFEST, WEIGHTS])
def test_a_changed_name_is_refused(file: str, folder: Path) -> None:
    changed = (folder / file).read_bytes().replace(b"words", b"swrds").replace(b"slop", b"slip")
    (folder / file).write_bytes(changed)
    with pytest.raises(ModelError, match="changed after training"):
        load_model(folder)


SLOPES = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
HOSTILE: dict[str, tuple[Any, str]] = {
    "more than memory": ({**SLOPES, "shape": [10**13]}, "cannot reshape"),
    "more than numbers go": ({**SLOPES, "shape": [2**70, 2]}, "no plain arrays"),
    "more than the file has": ({**SLOPES, "shape": [3]}, "cannot reshape"),
    "negative sizes": ({**SLOPES, "shape": [-1, -2]}, "no plain arrays"),
    "no size": ({**SLOPES, "shape": None}, "no plain arrays"),
    "a place before the file": ({**SLOPES, "data_offsets": [-8, 0]}, "no plain arrays"),
    "a place behind the file": ({**SLOPES, "data_offsets": [8, 16]}, "no plain arrays"),
    "no place": ({**SLOPES, "data_offsets": []}, "no plain arrays"),
    "an unknown type": ({**SLOPES, "dtype": "x"}, "no plain arrays"),
    "objects": ({**SLOPES, "dtype": "|O"}, "no plain arrays"),
    "a type that is a list": ({**SLOPES, "dtype": []}, "no plain arrays"),
    "a list": ([], "no plain arrays"),
    "nothing": (None, "no plain arrays"),
}


@pytest.mark.parametrize(("array", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_arrays_whose_checksum_is_right_are_not_trusted(
    folder: Path, array: Any, message: str
) -> None:
    with pytest.raises(
        ModelError, match=f"weights.safetensors is not usable: .*{message}.*train the model"
    ):
        load_model(describe(folder, {"slopes": array}))


@pytest.mark.parametrize("header", [[], 1, "text"], ids=str)
def test_a_header_of_another_shape_is_refused(folder: Path, header: Any) -> None:
    with pytest.raises(ModelError, match="not of a model"):
        load_model(describe(folder, header))


def test_ends_of_lines_of_windows_change_no_model(folder: Path) -> None:
    described = (folder / MANIFEST).read_bytes()
    (folder / MANIFEST).write_bytes(described.replace(b"\n", b"\r\n"))
    assert load_model(folder).columns == MODEL.columns


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
