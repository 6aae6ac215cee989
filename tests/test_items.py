"""The specification of the fields, and its consequences."""

from pathlib import Path

import pytest

from scrapy_boilerplate import Document
from scrapy_boilerplate.cli import main
from tests.builders import document, filler
from tests.reference import (
    ITEM_FIELDS,
    build_document_rows,
    build_item_rows,
    read_docstrings,
    read_table,
)

BY_OTHERS = [name for name, field in ITEM_FIELDS.items() if "by others" in field.metadata.values()]


def test_the_reference_has_the_rows_of_the_classes() -> None:
    assert read_table("Item fields") == build_item_rows(), "run python -m tests.reference"
    assert read_table("Documents") == build_document_rows(), "run python -m tests.reference"
    empty = Document()
    members = [name for name in dir(empty) if not name.startswith("_")]
    public = {name for name in members if not callable(getattr(empty, name))} - {"exceeded"}
    names = ", ".join(row[0] for row in read_table("Documents"))
    assert sorted(names.split(", ")) == sorted(f"`{name}`" for name in public)


def test_optional_fields_say_so() -> None:
    docstrings = read_docstrings()
    optional = [name for name in ITEM_FIELDS if docstrings[name].startswith("Optional")]
    on_request = [name for name, field in ITEM_FIELDS.items() if field.metadata]
    assert optional == [name for name in on_request if name not in BY_OTHERS]


def test_records_have_every_field_but_those_of_pipelines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("html_to_markdown")
    pytest.importorskip("html_to_markdown")
    page = tmp_path / "page.html"
    page.write_text(document(f"<p>{filler(60)}"), encoding="utf-8")
    names = [name for name in ITEM_FIELDS if name == "url" or name not in BY_OTHERS]
    command = ["extract", "--format", "json", "--fields", ",".join(names), str(page)]
    assert (main(command), capsys.readouterr().err) == (0, "")
    assert Document().to_dict(names).keys() == set(names)
