"""Models on disk: what comes back, and what is refused with which words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scrapy_boilerplate.models.store import (
    FORMAT,
    MANIFEST,
    WEIGHTS,
    ModelError,
    StoredModel,
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


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        (MANIFEST, b"", "no JSON"),
        (MANIFEST, b"\xff\xfe", "no JSON"),
        (MANIFEST, b"[" * 100_000, "no JSON"),
        (MANIFEST, b"[1]", "no model of"),
        (MANIFEST, b"{}", "no model of"),
        (WEIGHTS, b"", "digest"),
        (WEIGHTS, b"PK", "digest"),
    ],
)
def test_a_foreign_file_is_refused(folder: Path, file: str, content: bytes, told: str) -> None:
    (folder / file).write_bytes(content)
    with pytest.raises(ModelError, match=told):
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


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (("words",), "needs .*link_density"),
        (("link_density", "words"), "another order"),
        (("words", "link_density", "depth"), "lacks .*depth"),
    ],
)
def test_other_columns_are_told(known: tuple[str, ...], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        MODEL.check_columns(known)
