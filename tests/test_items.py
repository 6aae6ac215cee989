"""The specification of the fields, and what follows from it."""

from __future__ import annotations

import ast
import inspect
from dataclasses import MISSING, Field, fields
from functools import cached_property
from pathlib import Path

import pytest

from scrapy_boilerplate import items
from scrapy_boilerplate.document import LAZY_FIELDS, UNSERIALIZED_FIELDS, Document
from scrapy_boilerplate.items import (
    ALL_FIELDS,
    BY_OTHERS,
    MARKUP_FIELDS,
    ON_REQUEST,
    OPTIONAL_FIELDS,
    RECORD_FIELDS,
    ArticleItem,
)
from tests.reference import table_rows

FIELDS = {field.name: field for field in fields(ArticleItem)}


def read_docstrings() -> dict[str, str]:
    """Field to the text below its line in the class, on one line, in Markdown."""
    [tree] = ast.parse(inspect.getsource(ArticleItem)).body
    assert isinstance(tree, ast.ClassDef)
    docstrings = {}
    for row, below in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(row, ast.AnnAssign):
            assert isinstance(row.target, ast.Name)
            assert isinstance(below, ast.Expr), f"{row.target.id} needs a docstring"
            assert isinstance(below.value, ast.Constant), f"{row.target.id} needs a docstring"
            docstrings[row.target.id] = " ".join(str(below.value.value).split())
    return docstrings


def default_of(field: Field[object]) -> str:
    """The default as the reference writes it; nothing for a field that must be set."""
    if field.default_factory is not MISSING:
        return f"`{field.default_factory()!r}`"
    return "" if field.default is MISSING else f"`{field.default!r}`".replace("''", '""')


@pytest.mark.parametrize("name", FIELDS)
def test_the_reference_has_a_row_as_the_class_has_it(name: str) -> None:
    kind = str(FIELDS[name].type).replace(" | ", " or ")
    row = (f"`{name}`", f"`{kind}`", default_of(FIELDS[name]), read_docstrings()[name])
    assert row in table_rows("Item fields"), f"write | {' | '.join(row)} |"


def test_the_reference_has_no_other_rows_and_their_order() -> None:
    assert [row[0] for row in table_rows("Item fields")] == [f"`{name}`" for name in FIELDS]


@pytest.mark.parametrize("name", FIELDS)
def test_optional_fields_say_so(name: str) -> None:
    is_optional = read_docstrings()[name].startswith("Optional")
    assert is_optional == (FIELDS[name].metadata == ON_REQUEST) == (name in OPTIONAL_FIELDS)
    assert FIELDS[name].metadata in ({}, ON_REQUEST, BY_OTHERS)


def test_every_field_comes_from_a_document() -> None:
    document = Document()
    assert all(hasattr(document, name) for name in (*ALL_FIELDS, *RECORD_FIELDS))


def test_records_have_every_field_but_the_mark_of_a_duplicate() -> None:
    assert len(set(RECORD_FIELDS)) == len(RECORD_FIELDS)
    assert {*RECORD_FIELDS, *MARKUP_FIELDS, "blocks"} == FIELDS.keys() - {"duplicate"}


def test_what_documents_build_is_built_before_they_travel() -> None:
    cached = [name for name, v in vars(Document).items() if isinstance(v, cached_property)]
    assert [name for name in cached if name not in ("fingerprint", "simhash")] == [*LAZY_FIELDS]
    assert [row.name for row in fields(Document) if not row.compare] == [*UNSERIALIZED_FIELDS]


def test_the_specification_is_light() -> None:
    """The command line takes its choices from it."""
    source = Path(str(items.__file__)).read_text(encoding="utf-8")
    assert "from scrapy_boilerplate" not in source


def test_the_reference_names_every_part_of_a_document() -> None:
    public = {field.name for field in fields(Document)} | {
        name for name, v in vars(Document).items() if isinstance(v, cached_property)
    }
    names = ", ".join(row[0] for row in table_rows("Documents"))
    assert sorted(names.split(", ")) == sorted(f"`{name}`" for name in public)
